/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeping perf from counters that the kernel's reservations do not cover; does perf have counters?
 */
#ifndef PMC_PERF_EXCLUDE_H
#define PMC_PERF_EXCLUDE_H

#include <linux/types.h>

struct pmc_family;

void pmc_perf_exclude_init(void);
void pmc_perf_exclude_exit(void);
int pmc_perf_exclude_begin(const struct pmc_family *family, u64 mask);
void pmc_perf_exclude_end(void);
bool pmc_perf_exclude_unavailable(void);
bool pmc_perf_has_counters(void);

#endif /* PMC_PERF_EXCLUDE_H */

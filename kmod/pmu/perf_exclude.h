/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guard: perf is kept out where the kernel's reservations don't know the counters
 */
#ifndef PMC_PERF_EXCLUDE_H
#define PMC_PERF_EXCLUDE_H

#include <linux/types.h>

struct pmc_family;
struct task_struct;

void pmc_perf_exclude_init(void);
void pmc_perf_exclude_exit(void);
int pmc_perf_exclude_begin(const struct pmc_family *family, u64 mask,
		   const struct task_struct *asker);
void pmc_perf_exclude_end(void);
bool pmc_perf_exclude_unavailable(void);

#endif /* PMC_PERF_EXCLUDE_H */

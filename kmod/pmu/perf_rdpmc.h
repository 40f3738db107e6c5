/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detection of writes to perf's file rdpmc
 */
#ifndef PMC_PERF_RDPMC_H
#define PMC_PERF_RDPMC_H

#include <linux/types.h>

void pmc_perf_rdpmc_init(void);
void pmc_perf_rdpmc_exit(void);
bool pmc_perf_rdpmc_watched(void);
void pmc_perf_rdpmc_settle(void);

#endif /* PMC_PERF_RDPMC_H */

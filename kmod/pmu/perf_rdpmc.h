/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detection of writes to perf's file rdpmc
 */
#ifndef PMC_PERF_RDPMC_H
#define PMC_PERF_RDPMC_H

void pmc_perf_rdpmc_init(void);
void pmc_perf_rdpmc_exit(void);

#endif /* PMC_PERF_RDPMC_H */

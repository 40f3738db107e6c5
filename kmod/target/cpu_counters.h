/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One CPU's counters: registers, fold timer and overflow interrupt, as a whole
 */
#ifndef PMC_CPU_COUNTERS_H
#define PMC_CPU_COUNTERS_H

struct pmc_pmu;

void pmc_cpu_counters_init(struct pmc_pmu *pmu);
void pmc_cpu_counters_acquire(struct pmc_pmu *pmu);
void pmc_cpu_counters_release(struct pmc_pmu *pmu);

#endif /* PMC_CPU_COUNTERS_H */

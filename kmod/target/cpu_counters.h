/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One CPU's counters: registers, fold timer and overflow interrupt, as a whole
 */
#ifndef PMC_CPU_COUNTERS_H
#define PMC_CPU_COUNTERS_H

#include <linux/compiler.h>
#include <linux/list.h>

#include "pmu/pmu.h"

void pmc_cpu_counters_init(struct pmc_pmu *pmu);
void pmc_cpu_counters_exit(struct pmc_pmu *pmu);
void pmc_cpu_counters_acquire(struct pmc_pmu *pmu);
void pmc_cpu_counters_release(struct pmc_pmu *pmu);

/*
 * End what counts this CPU if perf may have zeroed its counters: between a write of perf's file
 * and the interrupt that applies it. Call this before the counts of such a run are read, with
 * interrupts off.
 */
static inline void pmc_cpu_counters_check(struct pmc_pmu *pmu)
{
	if (unlikely(READ_ONCE(pmu->dirty)) && !hlist_empty(&pmu->cpu_runs))
		pmu->spoil(pmu);
}

#endif /* PMC_CPU_COUNTERS_H */

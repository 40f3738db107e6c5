/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detection of counters that ignore writes
 */
#ifndef PMC_IGNORED_WRITES_H
#define PMC_IGNORED_WRITES_H

#include <linux/types.h>

struct pmc_pmu;

bool pmc_counter_ignores_writes(const struct pmc_pmu *pmu, u32 counter, u32 msr,
				void (*write)(const struct pmc_pmu *pmu, u32 counter, u64 value));

#endif /* PMC_IGNORED_WRITES_H */

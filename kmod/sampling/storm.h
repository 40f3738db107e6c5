/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Storms: PMIs that find no overflow, one after the other
 */
#ifndef PMC_STORM_H
#define PMC_STORM_H

#include <linux/types.h>

/*
 * A storm has more PMIs than this in a window. In a virtual machine, or with SMM, a few of them
 * can take as long as a storm.
 */
#define PMC_STORM_PMIS		16

/**
 * struct pmc_storm - the time that one CPU spends on PMIs without an overflow
 * @since:	time-stamp counter when the window began
 * @spent:	ticks spent on them since then
 *
 * Touched only on the CPU concerned, in NMI context or with interrupts off.
 */
struct pmc_storm {
	u64 since;
	u64 spent;
};

void pmc_storm_charge(struct pmc_storm *storm, u64 ticks, u64 spent_max);
bool pmc_storm_is_due(struct pmc_storm *storm, u64 now, u64 window, u64 spent_max);

#endif /* PMC_STORM_H */

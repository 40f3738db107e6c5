/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Storms: PMIs that find no overflow, one after the other
 */
#ifndef PMC_STORM_H
#define PMC_STORM_H

#include <linux/types.h>

#include "sampling/storm_types.h"

/*
 * At least this many PMIs in a window, and one more that finds them, are a storm. In a virtual
 * machine, or with SMM, a few of them can take as long as a storm.
 */
#define PMC_STORM_PMIS		16

void pmc_storm_charge(struct pmc_storm *storm, u64 ticks, u64 window, u64 spent_max);
bool pmc_storm_is_due(struct pmc_storm *storm, u64 now, u64 window, u64 spent_max);

#endif /* PMC_STORM_H */

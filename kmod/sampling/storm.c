// SPDX-License-Identifier: GPL-2.0-only
/*
 * Storms: PMIs that find no overflow, one after the other
 *
 * Time is divided into windows, as for throttling. A storm is a window in which PMIs without an
 * overflow used up the share. Each PMI is charged with at most 1/PMC_STORM_PMIS of the share, so
 * at least PMC_STORM_PMIS of them are needed; a few long ones are not treated as a storm. The PMI
 * after them finds that the storm is due. A window does not end while these PMIs take half
 * of the time or more, so that PMC_STORM_PMIS long ones fit into it.
 *
 * Owns struct pmc_storm. No lock: NMI context on the CPU concerned.
 */
#include <linux/kernel.h>

#include "sampling/storm.h"

/**
 * pmc_storm_charge - charge a PMI that found no overflow
 * @storm:	this CPU's
 * @ticks:	ticks of the time-stamp counter that it took
 * @window:	ticks of a window; upper bound of what one PMI adds to &pmc_storm.total
 * @spent_max:	the share of a window
 */
void pmc_storm_charge(struct pmc_storm *storm, u64 ticks, u64 window, u64 spent_max)
{
	storm->total += min(ticks, window);
	storm->spent += min(ticks, spent_max / PMC_STORM_PMIS);
}

/**
 * pmc_storm_is_due - is this PMI, which found no overflow, part of a storm?
 * @storm:	this CPU's; the PMIs before this one are charged
 * @now:	time-stamp counter
 * @window:	ticks of a window
 * @spent_max:	the share of a window
 *
 * Return: true if so.
 */
bool pmc_storm_is_due(struct pmc_storm *storm, u64 now, u64 window, u64 spent_max)
{
	u64 passed = now - storm->since;

	if (passed > window && passed > 2 * storm->total) {
		storm->since = now;
		storm->spent = 0;
		storm->total = 0;
	}
	/* rounded down as each charge is */
	return storm->spent >= spent_max / PMC_STORM_PMIS * PMC_STORM_PMIS;
}

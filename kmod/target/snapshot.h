/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Snapshots: the counts of a context at one moment
 */
#ifndef PMC_SNAPSHOT_H
#define PMC_SNAPSHOT_H

#include <linux/types.h>

#include "uapi/pmcdrv.h"

struct pmc_run;

/**
 * struct pmc_snapshot - all counts of a context at one moment
 * @cpu:	in: the only CPU requested, or -1; out: the CPU where it was taken, or -1
 * @clear_values: in: set the counts to 0 as they are read
 * @clear_times: in: set the times to 0 as they are read
 * @state:	out: PMC_STATE_*
 * @tsc:	out: time-stamp counter
 * @enabled:	out: ticks of the time-stamp counter from start to stop
 * @counted:	out: ticks during which the counters ran, summed over threads or CPUs
 * @value:	out: counts, without &pmc_context.base
 */
struct pmc_snapshot {
	int cpu;
	bool clear_values;
	bool clear_times;
	u32 state;
	u64 tsc;
	u64 enabled;
	u64 counted;
	u64 value[PMC_COUNTERS_MAX];
};

/*
 * Initialise a snapshot of @nr counters. The entries of @value from @nr on stay
 * uninitialised: clearing them all would cost more than the rest of a READ.
 */
static inline void pmc_snapshot_begin(struct pmc_snapshot *snapshot, int cpu, u32 nr)
{
	u32 i;

	snapshot->cpu = cpu;
	snapshot->clear_values = false;
	snapshot->clear_times = false;
	snapshot->state = 0;
	snapshot->counted = 0;
	for (i = 0; i < nr; i++)
		snapshot->value[i] = 0;
}

void pmc_snapshot_add_run(struct pmc_snapshot *snapshot, struct pmc_run *run);
void pmc_snapshot_add_values(u64 *values, struct pmc_run *run);

#endif /* PMC_SNAPSHOT_H */

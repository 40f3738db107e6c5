/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct pmc_run: one context's counting on one CPU, or one thread's counting
 */
#ifndef PMC_RUN_TYPES_H
#define PMC_RUN_TYPES_H

#include <linux/list.h>
#include <linux/types.h>

#include "uapi/pmcdrv.h"

struct pmc_perf_metrics_intervals;
struct pmc_pmu;
struct pmc_program;
struct pmc_sampler;

/**
 * struct pmc_user_page - a run's counters as user space sees them
 * @page:	mapped by user space; written only where the run may be touched
 * @base:	what is to be added to each of the run's values; constant while
 *		@open
 * @clock:	what is to be added to the time-stamp counter to have the time
 *		enabled
 * @high:	bits of which none may be set in a counter when the page is shown:
 *		user space adds to what RDPMC gives it, and no counter may wrap
 *		before the page is made anew
 * @open:	user space may read the counters with RDPMC while the run counts
 * @stale:	the page does not say what is to be added to the counters now
 */
struct pmc_user_page {
	struct pmc_page *page;
	const u64 *base;
	const u64 *clock;
	u64 high;
	bool open;
	bool stale;
};

/**
 * struct pmc_run - one context's counting on one CPU, or one thread's counting
 * @node:	in the CPU's list while it counts
 * @program:	what it counts, compiled for the pmu_type of CPU where it was started last
 * @last:	where it was started last
 * @since:	time-stamp counter when @counted was last brought up to date
 * @counted:	ticks that the counters ran
 * @user_page:	for reading in user mode, or NULL
 * @sampler:	its overflows, or NULL
 * @intervals:	perf_metrics.c's, or NULL
 * @count:	for each counter its last raw value, the count so far, and from the
 *		program, so that reading has all in one place, the mask of its width
 *		and what RDPMC takes
 *
 * While it counts it is touched only on that CPU with interrupts off; if it has a
 * sampler, then only with that locked, or in the NMI.
 */
struct pmc_run {
	struct hlist_node node;
	const struct pmc_program *program;
	const struct pmc_pmu *last;
	u64 since;
	u64 counted;
	struct pmc_user_page *user_page;
	struct pmc_sampler *sampler;
	struct pmc_perf_metrics_intervals *intervals;
	struct pmc_count {
		u64 raw;
		u64 value;
		u64 mask;
		u32 rdpmc;
	} count[];
};

#endif /* PMC_RUN_TYPES_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct pmc_run: one context's counting on one CPU, or one thread's counting;
 * struct pmc_user_page: the page of a run that user space maps
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
 * struct pmc_user_page - a run's counters for reading in user mode
 * @page:	mapped by user space; written only where the run may be touched
 * @base:	for each counter the value to be added to the run's count; constant while @open
 * @clock:	value to be added to the time-stamp counter for the time enabled
 * @high:	counter bits of which none may be set while the page is shown: user space adds
 *		to what RDPMC returns, and no counter may wrap before the page is written again
 * @open:	user space may read the counters with RDPMC while the run counts
 * @stale:	the counter offsets in @page are out of date
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
 * @node:	in &struct pmc_pmu.cpu_runs or thread_runs while the run counts
 * @program:	the compiled counters, for the PMU type of the last start
 * @last:	CPU of the last start
 * @since:	time-stamp counter when @counted was last updated
 * @counted:	ticks that the counters have run
 * @state:	PMC_STATE_* of the context that stay set, changed by pmc_state_set()
 * @user_page:	for reading in user mode, or NULL
 * @sampler:	for counters with a period, or NULL
 * @intervals:	for performance metrics, or NULL; perf_metrics.c's
 * @count:	one entry for each counter.
 *		@count.raw: last raw value;
 *		@count.value: count so far;
 *		@count.mask: mask of its width, copied from the program;
 *		@count.rdpmc: operand of RDPMC, likewise, so that a read has all in one place
 *
 * While the run counts it is touched only on that CPU with interrupts off; if it has a
 * sampler, only with the sampler locked, or in the NMI handler.
 */
struct pmc_run {
	struct hlist_node node;
	const struct pmc_program *program;
	const struct pmc_pmu *last;
	u64 since;
	u64 counted;
	u32 *state;
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

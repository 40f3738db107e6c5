// SPDX-License-Identifier: GPL-2.0-only
/*
 * One CPU's counters: registers, fold timer and overflow interrupt, as a whole
 *
 * Owns the fold timer of struct pmc_pmu. The fold timer runs while the counters are acquired.
 * It folds every run that counts on the CPU before a counter can wrap twice. Acquire does not
 * arm LVTPC; release disarms it.
 *
 * No lock: runs on the CPU concerned with interrupts off, except pmc_cpu_counters_init(), at
 * load.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "compat/compat.h"
#include "pmu/perf_metrics.h"
#include "pmu/pmu.h"
#include "sampling/pmi.h"
#include "target/cpu_counters.h"
#include "target/run.h"

/*
 * No processor counts faster than this many events a second on one counter: at 8 GHz that
 * is 128 events a clock, more than the occupancy of any queue that is added up each clock.
 * So a counter of w bits takes longer than 2^w / 2^40 seconds to wrap, and a read twice as
 * often misses no wrap.
 */
#define PMC_EVENT_RATE_SHIFT	40

static ktime_t pmc_fold_period(const struct pmc_description *description)
{
	const struct pmc_query *query = &description->query;
	u32 width = description->narrowest ? description->narrowest : query->general_width;

	if (query->fixed_counters)
		width = min(width, query->fixed_width);
	if (width > PMC_EVENT_RATE_SHIFT)
		return ktime_set(1ULL << (width - 1 - PMC_EVENT_RATE_SHIFT), 0);
	return max_t(ktime_t, NSEC_PER_MSEC,
		     NSEC_PER_SEC >> (PMC_EVENT_RATE_SHIFT + 1 - width));
}

static enum hrtimer_restart pmc_fold_all(struct hrtimer *timer)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	unsigned long flags;
	struct pmc_run *run;

	local_irq_save(flags);
	hlist_for_each_entry(run, &pmu->cpu_runs, node)
		pmc_run_update(pmu, run);
	hlist_for_each_entry(run, &pmu->thread_runs, node)
		pmc_run_update(pmu, run);
	pmc_perf_metrics_fold_last(pmu);
	local_irq_restore(flags);

	hrtimer_forward_now(timer, pmc_fold_period(&pmu->description));
	return HRTIMER_RESTART;
}

/**
 * pmc_cpu_counters_init - once for each possible CPU, before all other calls
 * @pmu:	its counters
 */
void pmc_cpu_counters_init(struct pmc_pmu *pmu)
{
	pmc_pmu_init(pmu);
	pmc_pmi_init(&pmu->pmi);
	pmc_hrtimer_setup(&pmu->fold_timer, pmc_fold_all, HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * pmc_cpu_counters_acquire - save this CPU's registers and start the fold timer
 * @pmu:	this CPU's counters; interrupts are off
 *
 * Does nothing if the counters are acquired already or cannot be.
 */
void pmc_cpu_counters_acquire(struct pmc_pmu *pmu)
{
	if (!pmu->acquired && pmc_pmu_acquire(pmu))
		hrtimer_start(&pmu->fold_timer, pmc_fold_period(&pmu->description),
			      HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * pmc_cpu_counters_release - restore this CPU's registers and LVTPC
 * @pmu:	this CPU's counters; interrupts are off, nothing counts here
 */
void pmc_cpu_counters_release(struct pmc_pmu *pmu)
{
	if (!pmu->acquired)
		return;
	/* the timer runs on this CPU with interrupts off, so it is not running now */
	hrtimer_cancel(&pmu->fold_timer);
	pmc_pmu_release(pmu);
	pmc_pmi_disarm(pmu);
}

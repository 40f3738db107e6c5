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
#include <asm/processor-flags.h>
#include <asm/special_insns.h>

#include "compat/apic.h"
#include "compat/compat.h"
#include "pmu/perf_metrics.h"
#include "pmu/leftovers.h"
#include "pmu/pmu.h"
#include "sampling/pmi.h"
#include "target/cpu_counters.h"
#include "target/run.h"
#include "target/thread.h"

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

/* Call @function for each run that counts here. Interrupts are off. */
static void pmc_each_run(struct pmc_pmu *pmu,
			 void (*function)(struct pmc_pmu *pmu, struct pmc_run *run))
{
	struct pmc_run *run;

	hlist_for_each_entry(run, &pmu->cpu_runs, node)
		function(pmu, run);
	hlist_for_each_entry(run, &pmu->thread_runs, node)
		function(pmu, run);
}

/* A context counts no further: neither after a read nor where a CPU or a thread starts again. */
static void pmc_programs_end(const struct pmc_program *program)
{
	struct pmc_program *other = program->next;

	do {
		/*
		 * Pairs with the READ_ONCE()s in pmc_pmu_has(), pmc_run_load() and the enable
		 * operations of virtual machines.
		 */
		WRITE_ONCE(other->number, PMC_PROGRAM_ENDED);
		other = other->next;
	} while (other != program->next);
}

/* What was counted since the last fold is not known: leave it out. */
static void pmc_run_discard(struct pmc_run *run)
{
	u32 i;

	if (run->sampler)
		pmc_sampler_lock(run->sampler);
	for (i = 0; i < run->program->nr; i++)
		run->count[i].raw = pmc_run_read_raw(run, i);
	if (run->sampler)
		pmc_sampler_unlock(run->sampler);
}

/* Another user has the counters of a run: its context counts no further, and reports so. */
static void pmc_run_lose(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;

	pmc_state_set(run->state, PMC_STATE_REWRITTEN);
	pmc_programs_end(program);
	pmc_run_discard(run);
	pmu->found_running |= program->general | program->fixed << 32;
	pmu->loaded = 0;
	/* a read in user mode could not report the state */
	if (run->user_page)
		run->user_page->open = false;
}

/* The same for all runs of a program that count here; their owners stop them. */
static void pmc_program_lose(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	struct pmc_run *run;

	hlist_for_each_entry(run, &pmu->cpu_runs, node) {
		if (run->program == program)
			pmc_run_lose(pmu, run);
	}
	hlist_for_each_entry(run, &pmu->thread_runs, node) {
		if (run->program == program)
			pmc_run_lose(pmu, run);
	}
}

/*
 * May the run go on? Not if its registers were rewritten, nor if its context has ended on another
 * CPU, or by a stop in between. In the latter case this CPU's registers and counts are right.
 */
static bool pmc_run_goes_on(struct pmc_pmu *pmu, struct pmc_run *run)
{
	if (!run->program->family->verify(pmu, run->program)) {
		pmc_run_lose(pmu, run);
		return false;
	}
	if (READ_ONCE(run->program->number) != PMC_PROGRAM_ENDED)
		return true;
	if (run->user_page)
		run->user_page->open = false;
	return false;
}

/*
 * Are the registers of all runs that count here as they were written? Stop the others, and those
 * of contexts that have ended: see PMC_STATE_REWRITTEN. Interrupts are off.
 */
static void pmc_verify_runs(struct pmc_pmu *pmu)
{
	struct hlist_node *safe;
	bool stopped = false;
	struct pmc_run *run;

	if (!pmu->description.family->verify)
		return;
	hlist_for_each_entry_safe(run, safe, &pmu->cpu_runs, node) {
		if (pmc_run_goes_on(pmu, run))
			continue;
		pmc_run_stop(pmu, run);
		stopped = true;
	}
	hlist_for_each_entry_safe(run, safe, &pmu->thread_runs, node) {
		if (pmc_run_goes_on(pmu, run))
			continue;
		pmc_thread_sched_out(container_of(run, struct pmc_thread, run));
		stopped = true;
	}
	if (stopped)
		pmc_leftovers_clear_watched(pmu);
}

static enum hrtimer_restart pmc_fold_all(struct hrtimer *timer)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	unsigned long flags;

	local_irq_save(flags);
	pmc_cpu_counters_check(pmu);
	pmc_verify_runs(pmu);
	pmc_each_run(pmu, pmc_run_update);
	pmc_perf_metrics_fold_last(pmu);
	local_irq_restore(flags);

	hrtimer_forward_now(timer, pmc_fold_period(&pmu->description));
	return HRTIMER_RESTART;
}

static void pmc_settle_runs(struct pmc_pmu *pmu)
{
	pmc_each_run(pmu, pmc_run_settle);
}

static void pmc_resync_runs(struct pmc_pmu *pmu)
{
	pmc_each_run(pmu, pmc_run_continue);
}

/*
 * perf may zero the counters at any time from now on, and forget that they were dirty. If a
 * release wrote perf's counts back, the next task with RDPMC could read them.
 */
static void pmc_forget_saved_counts(struct pmc_pmu *pmu)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(pmu->saved.general); i++) {
		if (!(pmu->found_running & BIT_ULL(i)))
			pmu->saved.general[i] = 0;
	}
	for (i = 0; i < ARRAY_SIZE(pmu->saved.fixed); i++) {
		if (!(pmu->found_running & BIT_ULL(32 + i)))
			pmu->saved.fixed[i] = 0;
	}
}

/* &pmc_pmu.join */
static bool pmc_join(struct pmc_pmu *pmu)
{
	pmc_cpu_counters_acquire(pmu);
	if (pmu->writes_ignored)
		pmc_cpu_counters_release(pmu);
	if (!pmu->acquired)
		return false;
	pmc_forget_saved_counts(pmu);
	return true;
}

/* Right after the interrupt in which they were stopped, the threads of current continue. */
static void pmc_spoil_continue(struct irq_work *work)
{
	struct pmc_pmu *pmu = container_of(work, struct pmc_pmu, resume);

	/* with PCE, perf has zeroed its dirty counters here */
	if (__read_cr4() & X86_CR4_PCE) {
		WRITE_ONCE(pmu->dirty, false);
		WRITE_ONCE(pmu->perf_never, false);
	}
	pmc_threads_switch(current);
}

/* What counts this CPU cannot wait until perf has zeroed the counters, and ends. */
static void pmc_spoil_cpu_run(struct pmc_pmu *pmu, struct pmc_run *run)
{
	pmc_state_set(run->state, PMC_STATE_REWRITTEN);
	pmc_programs_end(run->program);
	pmc_pmu_disable(pmu, run->program);
	pmc_run_discard(run);
	pmc_run_stop(pmu, run);
}

/* @zeroed: perf may have zeroed the counters since the thread was switched to. */
static void pmc_spoil_thread(struct pmc_pmu *pmu, struct pmc_run *run, bool zeroed)
{
	if (zeroed) {
		pmc_state_set(run->state, PMC_STATE_UNCOUNTED);
		/* fractions cannot be discarded */
		if (run->program->metrics) {
			pmc_state_set(run->state, PMC_STATE_REWRITTEN);
			pmc_programs_end(run->program);
		}
		pmc_pmu_disable(pmu, run->program);
		pmc_run_discard(run);
	}
	pmc_thread_sched_out(container_of(run, struct pmc_thread, run));
}

/*
 * &pmc_pmu.spoil. Threads continue when perf has applied its file, with counters that are loaded
 * anew. Where perf has zeroed counters since a thread was switched to, it has set PCE. On a CPU
 * that a thread acquired by its arrival, the last counts are always discarded.
 */
static void pmc_spoil_runs(struct pmc_pmu *pmu)
{
	bool zeroed = !READ_ONCE(pmu->perf_never) || __read_cr4() & X86_CR4_PCE;
	struct hlist_node *safe;
	struct pmc_run *run;

	/* without a local APIC threads continue later, at a tick */
	zeroed |= !pmc_apic_exists();
	hlist_for_each_entry_safe(run, safe, &pmu->cpu_runs, node)
		pmc_spoil_cpu_run(pmu, run);
	hlist_for_each_entry_safe(run, safe, &pmu->thread_runs, node)
		pmc_spoil_thread(pmu, run, zeroed);
	/* each start loads the counters anew from now on */
	WRITE_ONCE(pmu->dirty, true);
	pmu->last = NULL;
	pmu->loaded = 0;
	pmc_leftovers_clear_watched(pmu);
	irq_work_queue(&pmu->resume);
}

/**
 * pmc_cpu_counters_init - once for each possible CPU, before all other calls
 * @pmu:	its counters
 */
void pmc_cpu_counters_init(struct pmc_pmu *pmu)
{
	pmc_pmu_init(pmu);
	pmc_pmi_init(&pmu->pmi);
	pmu->settle_runs = pmc_settle_runs;
	pmu->resync_runs = pmc_resync_runs;
	pmu->verify_runs = pmc_verify_runs;
	pmu->lose = pmc_program_lose;
	pmu->join = pmc_join;
	pmu->spoil = pmc_spoil_runs;
	pmu->resume = PMC_IRQ_WORK_INIT_HARD(pmc_spoil_continue);
	pmc_hrtimer_setup(&pmu->fold_timer, pmc_fold_all, HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * pmc_cpu_counters_exit - undo pmc_cpu_counters_init(), when &pmc_pmu.spoil is called no more
 * @pmu:	the CPU's counters
 */
void pmc_cpu_counters_exit(struct pmc_pmu *pmu)
{
	irq_work_sync(&pmu->resume);
}

/**
 * pmc_cpu_counters_acquire - save this CPU's registers and start the fold timer
 * @pmu:	this CPU's counters; interrupts are off
 *
 * Does nothing if the counters are acquired already or cannot be.
 */
void pmc_cpu_counters_acquire(struct pmc_pmu *pmu)
{
	if (pmu->acquired || !pmc_pmu_acquire(pmu))
		return;
	if (READ_ONCE(pmu->perf_never))
		pmc_forget_saved_counts(pmu);
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

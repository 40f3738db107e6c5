/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counters of one CPU, and what counts on them
 */
#ifndef PMC_PMU_H
#define PMC_PMU_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/percpu.h>

#include "compat/compat.h"
#include "sampling/intel_pt.h"
#include "families/family.h"
#include "sampling/overflow.h"

/* The registers of one CPU */
struct pmc_registers {
	u64 select[PMC_GENERAL_MAX];
	u64 general[PMC_GENERAL_MAX];
	u64 fixed[PMC_FIXED_MAX];
	u64 config_b[PMC_GENERAL_MAX + PMC_FIXED_MAX];
	u64 config_c[PMC_GENERAL_MAX + PMC_FIXED_MAX];
	u64 fixed_ctrl;
	u64 global_ctrl;
	u64 global_status;
	u64 freeze;
	u64 metrics;
};

/**
 * struct pmc_pmu - the counters of one CPU
 * @description: what this CPU has; written at load and when the CPU comes
 *		online, constant under cpus_read_lock()
 * @acquired:	the registers are ours and saved; intel_pt.c asks in an NMI
 * @writes_ignored:	a counter that was written did not have that value afterwards: a
 *		hypervisor that ignores writes
 * @found_running: counters that ran when we came, bit n general, bit 32 + n
 *		fixed: somebody's without a reservation
 * @cpu_runs:	runs of CPU contexts that count here now
 * @thread_runs: runs of thread contexts that count here now
 * @overflow:	the overflow interrupt; overflow.c's
 * @fold_timer:	reads all counters before any can wrap twice
 * @status_msr:	register that tells which counters have overflowed, 0 if none
 * @acknowledge_msr: register where a bit that is set acknowledges that
 * @frozen:	bits there that are to be acknowledged with any overflow
 * @loaded:	number of the program that was loaded last, 0 if none was
 * @last:	run that was started last. If that run says so too, its counters
 *		are as it has left them; else it may not exist any more
 * @control_msr: address of the global control, with which counters start and stop
 *		together; 0 where there is none. Set by the family's save
 * @select:	event selects as they are in the hardware
 * @fixed_ctrl:	control of the fixed counters, likewise
 * @global_ctrl: global control, likewise
 * @paused_ctrl: what @global_ctrl was when an NMI paused counters
 * @touched_general: general counters whose registers we wrote
 * @touched_fixed: fixed counters, likewise
 * @saved:	the registers as they were found
 *
 * All but @description is touched only on its own CPU with interrupts off, or
 * from anywhere under cpus_read_lock() by the one that holds the claims' lock
 * while nothing is acquired.
 */
struct pmc_pmu {
	struct pmc_description description;
	bool acquired;
	bool writes_ignored;
	u64 found_running;
	struct hlist_head cpu_runs;
	struct hlist_head thread_runs;
	struct pmc_overflow overflow;
	struct hrtimer fold_timer;

	u32 status_msr;
	u32 acknowledge_msr;
	u64 frozen;
	u64 loaded;
	const struct pmc_run *last;
	u32 control_msr;
	u64 select[PMC_GENERAL_MAX];
	u64 fixed_ctrl;
	u64 global_ctrl;
	u64 paused_ctrl;
	u64 touched_general;
	u64 touched_fixed;
	struct pmc_registers saved;
};

DECLARE_PER_CPU(struct pmc_pmu, pmc_pmus);

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

struct pmc_perf_metrics_intervals;

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

int pmc_run_init(struct pmc_run *run, const struct pmc_program *program, gfp_t gfp);
void pmc_run_exit(struct pmc_run *run);
void pmc_run_free(struct pmc_run *run);
struct pmc_run *pmc_run_alloc(const struct pmc_program *program, int node);

void pmc_run_start(struct pmc_pmu *pmu, struct pmc_run *run, struct hlist_head *list);
void pmc_run_stop(struct pmc_pmu *pmu, struct pmc_run *run);
u64 pmc_run_add_called(struct pmc_run *run);
void pmc_run_recheck(struct pmc_pmu *pmu, struct pmc_run *run);
void pmc_run_lock(struct pmc_pmu *pmu, struct pmc_run *run);
void pmc_run_unlock(struct pmc_pmu *pmu, struct pmc_run *run);
void pmc_run_update(struct pmc_pmu *pmu, struct pmc_run *run);
void pmc_run_load(struct pmc_pmu *pmu, struct pmc_run *run);
void pmc_run_rewind(struct pmc_pmu *pmu, struct pmc_run *run);
void pmc_run_show(struct pmc_run *run);
void pmc_run_hide(struct pmc_run *run);

/* Start the counters of a program, all at once where possible. */
static __always_inline void pmc_pmu_enable(struct pmc_pmu *pmu,
					   const struct pmc_program *program)
{
	if (unlikely(!pmu->control_msr)) {
		program->family->enable(pmu, program);
		return;
	}
	pmu->global_ctrl |= program->enable;
	pmc_wrmsr_native(pmu->control_msr, pmu->global_ctrl);
}

/* Stop them. */
static __always_inline void pmc_pmu_disable(struct pmc_pmu *pmu,
					    const struct pmc_program *program)
{
	if (unlikely(!pmu->control_msr)) {
		program->family->disable(pmu, program);
		return;
	}
	pmu->global_ctrl &= ~program->enable;
	pmc_wrmsr_native(pmu->control_msr, pmu->global_ctrl);
}

/* RDPMC is the same on every processor that has it; what it takes is the family's. */
static __always_inline u64 pmc_rdpmc(u32 counter)
{
	unsigned long low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (counter));
	return low | (u64)high << 32;
}

/* The width of a counter makes this right across one wrap. */
static __always_inline u64 pmc_counted_since(const struct pmc_count *count, u64 raw)
{
	return (raw - count->raw) & count->mask;
}

static __always_inline void pmc_count_add(struct pmc_count *count, u64 raw)
{
	count->value += pmc_counted_since(count, raw);
	count->raw = raw;
}

/*
 * Add what a run that is counting here has counted since the last time. Returns the
 * bits that are set in any of its counters.
 */
static __always_inline u64 pmc_run_add_counts(struct pmc_run *run)
{
	const struct pmc_program *program = run->program;
	const struct pmc_count *end = run->count + program->nr;
	struct pmc_count *count;
	u64 bits = 0;

	if (unlikely(program->family->read_one))
		return pmc_run_add_called(run);
	for (count = run->count; count < end; count++) {
		u64 raw = pmc_rdpmc(count->rdpmc);

		pmc_count_add(count, raw);
		bits |= raw;
	}
	return bits;
}

/* The same, and the time until @now. */
static __always_inline u64 pmc_run_add(struct pmc_run *run, u64 now)
{
	run->counted += now - run->since;
	run->since = now;
	return pmc_run_add_counts(run);
}

/* Returns true if user space must be told of what it did to the counters. */
static __always_inline bool pmc_run_fold(struct pmc_pmu *pmu, struct pmc_run *run)
{
	u64 bits = pmc_run_add(run, rdtsc());

	if (likely(!run->user_page) || !(bits & run->user_page->high))
		return false;
	pmc_run_rewind(pmu, run);
	return true;
}

/*
 * pmc_run_start(). The counters go on from whatever value the hardware has: what
 * counts is the difference. The last thing done is to start them.
 *
 * A run that was here last finds its counters as it has left them. An address says
 * which run that was only if the run agrees: a new one may have an old one's.
 */
static __always_inline void __pmc_run_start(struct pmc_pmu *pmu, struct pmc_run *run,
					       struct hlist_head *list)
{
	if (unlikely(pmu->last != run || run->last != pmu))
		pmc_run_load(pmu, run);
	if (unlikely(run->sampler)) {
		pmc_sampler_start(pmu, run->sampler);
		run->since = rdtsc();
		if (run->program->stop_to_read && pmc_intel_pt_present())
			pmc_run_recheck(pmu, run);
	}
	hlist_add_head(&run->node, list);
	run->since = rdtsc();
	if (unlikely(run->user_page))
		pmc_run_show(run);
	pmc_pmu_enable(pmu, run->program);
}

/* pmc_run_stop(). The first thing done is to stop the counters. */
static __always_inline void __pmc_run_stop(struct pmc_pmu *pmu, struct pmc_run *run)
{
	pmc_pmu_disable(pmu, run->program);
	if (unlikely(run->sampler))
		pmc_sampler_lock(run->sampler);
	pmc_run_fold(pmu, run);
	if (unlikely(run->sampler)) {
		pmc_sampler_settle_late(pmu, run->sampler);
		pmc_sampler_stop(pmu, run->sampler);
		pmc_sampler_unlock(run->sampler);
	}
	hlist_del_init(&run->node);
	if (unlikely(run->user_page))
		pmc_run_hide(run);
}

/* Is it counting now? Only the CPU it would count on may ask. */
static inline bool pmc_run_active(const struct pmc_run *run)
{
	return !hlist_unhashed(&run->node);
}

/* Is this CPU ours, and of a pmu_type for which the context has a program? */
static inline bool pmc_pmu_fits(const struct pmc_pmu *pmu,
				const struct pmc_program *program)
{
	/* what is loaded has been found to fit */
	if (likely(pmu->loaded == program->number))
		return true;
	return pmu->acquired && program->pmu_types & BIT(pmu->description.pmu_type) &&
	       !((program->general | program->fixed << 32) & pmu->found_running);
}

void pmc_pmu_init(struct pmc_pmu *pmu);
void pmc_pmu_describe(struct pmc_pmu *pmu);
extern bool pmc_pmus_disabled;
void pmc_pmu_acquire(struct pmc_pmu *pmu);
void pmc_pmu_release(struct pmc_pmu *pmu);

extern bool pmc_user_pages_disabled;
void pmc_pmu_hide_user_pages(struct pmc_pmu *pmu);

void pmc_call_on_cpu(int cpu, void (*function)(void *), void *data);

#endif /* PMC_PMU_H */

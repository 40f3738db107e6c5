// SPDX-License-Identifier: GPL-2.0-only
/*
 * One CPU's counters: acquire, run, fold, release
 *
 * Owns struct pmc_pmu and struct pmc_run. No lock: all of it happens on the CPU
 * concerned with interrupts off, in task, interrupt and timer context and in
 * the context switch. Nothing here allocates (but pmc_run_alloc()), prints or
 * sleeps.
 */
#include <linux/slab.h>
#include <linux/smp.h>
#include <asm/tsc.h>

#include "compat/compat.h"
#include "pmu/pmu_type.h"
#include "pmu/perf_metrics.h"
#include "pmu/pmu.h"

/*
 * No processor counts faster than this many events a second on one counter: at
 * 8 GHz that is 128 events a clock, more than the occupancy of any queue that
 * is added up each clock. So a counter of w bits takes longer than 2^w / 2^40
 * seconds to wrap, and reading it twice as often loses no wrap.
 */
#define PMC_EVENT_RATE_SHIFT	40

DEFINE_PER_CPU(struct pmc_pmu, pmc_pmus);

/**
 * pmc_run_init - a run that has counted nothing yet
 * @run:	zeroed
 * @program:	what it will count; must outlive the run
 * @gfp:	how memory may be had for its sampler or intervals
 *
 * Return: 0, -ENOMEM.
 */
int pmc_run_init(struct pmc_run *run, const struct pmc_program *program, gfp_t gfp)
{
	u32 i;

	INIT_HLIST_NODE(&run->node);
	run->program = program;
	for (i = 0; i < program->nr; i++) {
		run->count[i].mask = program->setup[i].mask;
		run->count[i].rdpmc = program->setup[i].rdpmc;
	}
	if (program->metrics)
		return pmc_perf_metrics_init(run, gfp);
	if (!program->sampling)
		return 0;
	run->sampler = pmc_sampler_alloc(run, gfp);
	return run->sampler ? 0 : -ENOMEM;
}

/**
 * pmc_run_exit - undo pmc_run_init()
 * @run:	counts nowhere
 */
void pmc_run_exit(struct pmc_run *run)
{
	kfree(run->sampler);
	kfree(run->intervals);
}

/**
 * pmc_run_free - undo pmc_run_alloc()
 * @run:	counts nowhere, or NULL
 */
void pmc_run_free(struct pmc_run *run)
{
	if (run)
		pmc_run_exit(run);
	kfree(run);
}

/**
 * pmc_run_alloc - a run of @program that has counted nothing yet
 * @program:	what it will count; must outlive the run
 * @node:	memory node of the CPU it will mostly run on, or NUMA_NO_NODE
 *
 * Return: the run, to be freed with pmc_run_free(); NULL when out of memory.
 */
struct pmc_run *pmc_run_alloc(const struct pmc_program *program, int node)
{
	struct pmc_run *run;

	run = kzalloc_node(struct_size(run, count, program->nr), GFP_KERNEL_ACCOUNT, node);
	if (run && pmc_run_init(run, program, GFP_KERNEL_ACCOUNT)) {
		kfree(run);
		return NULL;
	}
	return run;
}

/**
 * pmc_run_hide - user space must not use RDPMC for this run now
 * @run:	with a user_page; touched as its owner says
 */
void pmc_run_hide(struct pmc_run *run)
{
	struct pmc_page *page = run->user_page->page;

	WRITE_ONCE(page->sequence, (page->sequence + 2) | PMC_PAGE_NOT_NOW);
}

static noinline void pmc_run_show_counters(struct pmc_run *run)
{
	struct pmc_user_page *user_page = run->user_page;
	u32 i;

	for (i = 0; i < run->program->nr; i++) {
		user_page->page->counter[i].rdpmc = run->count[i].rdpmc;
		user_page->page->counter[i].width = fls64(run->count[i].mask);
		user_page->page->counter[i].offset = user_page->base[i] + run->count[i].value -
						  run->count[i].raw;
	}
	user_page->stale = false;
}

/* Set: no page may be shown, for nobody knows whether RDPMC works. */
bool pmc_user_pages_disabled;

/**
 * pmc_pmu_hide_user_pages - user space must not use RDPMC for what counts here now
 * @pmu:	this CPU's counters; interrupts are off
 */
void pmc_pmu_hide_user_pages(struct pmc_pmu *pmu)
{
	struct pmc_run *run;

	hlist_for_each_entry(run, &pmu->thread_runs, node) {
		if (run->user_page)
			pmc_run_hide(run);
	}
}

/**
 * pmc_run_show - let user space read the run's counters, if it may
 * @run:	with a user_page, counting here from now on
 *
 * The only reader is the thread that this run counts. It is not in user mode
 * now, so no order among the writes is needed; another sequence is. What is to be
 * added to the counters stays the same while they are only counted with.
 */
void pmc_run_show(struct pmc_run *run)
{
	const struct pmc_user_page *user_page = run->user_page;
	struct pmc_page *page = user_page->page;

	/* pairs with the WRITE_ONCE()s in rdpmc.c */
	if (!user_page->open || READ_ONCE(pmc_user_pages_disabled))
		return;
	if (unlikely(user_page->stale))
		pmc_run_show_counters(run);
	page->time_counted = run->counted;
	page->time_enabled = run->since + READ_ONCE(*user_page->clock);
	page->since = run->since;
	WRITE_ONCE(page->sequence, (page->sequence + 2) & ~PMC_PAGE_NOT_NOW);
}

/**
 * pmc_run_rewind - keep counters that user space reads from wrapping
 * @pmu:	this CPU's counters
 * @run:	with a user_page, up to date
 */
void pmc_run_rewind(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;
	u32 i;

	for (i = 0; i < program->nr; i++) {
		if (!(run->count[i].raw & run->user_page->high) ||
		    pmc_perf_metrics_rewind(pmu, run, i))
			continue;
		program->family->write(pmu, &program->setup[i], 0);
		run->count[i].raw = 0;
	}
	run->user_page->stale = true;
}

static u64 pmc_read_raw(const struct pmc_run *run, u32 i)
{
	const struct pmc_program *program = run->program;

	if (program->family->read_one)
		return program->family->read_one(&program->setup[i]);
	return pmc_rdpmc(run->count[i].rdpmc);
}

/* The run comes to a CPU whose counters are of another pmu_type. */
static noinline const struct pmc_program *pmc_run_adapt(struct pmc_run *run, u32 pmu_type)
{
	const struct pmc_program *program = run->program;
	u32 i;

	do {
		program = program->next;
	} while (program->pmu_type != pmu_type);
	run->program = program;
	for (i = 0; i < program->nr; i++) {
		run->count[i].mask = program->setup[i].mask;
		run->count[i].rdpmc = program->setup[i].rdpmc;
	}
	return program;
}

/* What the counters of a run have now that it is about to start */
static __always_inline void pmc_run_resync(struct pmc_run *run)
{
	const struct pmc_program *program = run->program;
	u32 i;

	for (i = 0; i < program->nr; i++) {
		if (program->family->rdpmc_on_cpu)
			run->count[i].rdpmc = program->family->rdpmc_on_cpu(&program->setup[i]);
		run->count[i].raw = pmc_read_raw(run, i);
	}
}

/* Of a run with performance metrics, which begin at 0 */
static noinline void pmc_run_load_perf_metrics(struct pmc_pmu *pmu, struct pmc_run *run)
{
	pmc_perf_metrics_load(pmu, run);
	pmc_run_resync(run);
}

/**
 * pmc_run_load - make the counters a run's before it starts
 * @pmu:	this CPU's counters; somebody else has used them since, or
 * @run:	a run that was elsewhere
 */
void pmc_run_load(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;

	if (unlikely(program->pmu_type != pmu->description.pmu_type))
		program = pmc_run_adapt(run, pmu->description.pmu_type);
	/* what was loaded last is in the registers still */
	if (pmu->loaded != program->number) {
		program->family->load(pmu, program);
		pmu->loaded = program->number;
	}
	if (unlikely(program->metrics))
		pmc_run_load_perf_metrics(pmu, run);
	else
		pmc_run_resync(run);
	if (run->user_page)
		pmc_run_rewind(pmu, run);
	pmu->last = run;
	run->last = pmu;
}

/**
 * pmc_run_start - count from now on
 * @pmu:	this CPU's counters
 * @run:	a run that is not counting
 * @list:	&pmc_pmu.cpu_runs or &pmc_pmu.thread_runs
 */
void pmc_run_start(struct pmc_pmu *pmu, struct pmc_run *run, struct hlist_head *list)
{
	__pmc_run_start(pmu, run, list);
}

/**
 * pmc_run_add_called - pmc_run_add() where RDPMC can't do it
 * @run:	a run that is counting here
 *
 * Return: as there.
 */
u64 pmc_run_add_called(struct pmc_run *run)
{
	u64 bits = 0;
	u32 i;

	for (i = 0; i < run->program->nr; i++) {
		u64 raw = pmc_read_raw(run, i);

		pmc_count_add(&run->count[i], raw);
		bits |= raw;
	}
	return bits;
}

/**
 * pmc_run_stop - stop counting
 * @pmu:	this CPU's counters
 * @run:	a run that is counting here
 */
void pmc_run_stop(struct pmc_pmu *pmu, struct pmc_run *run)
{
	__pmc_run_stop(pmu, run);
}

/**
 * pmc_run_update - bring the counts up to date while they go on
 * @pmu:	this CPU's counters
 * @run:	a run that is counting here
 *
 * Counters that go on meanwhile (kernel mode, the sibling thread) are stopped,
 * so that all are read at one moment. What the page says stays right unless a
 * counter was set.
 */
void pmc_run_update(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;

	if (unlikely(run->sampler)) {
		pmc_run_lock(pmu, run);
		pmc_run_unlock(pmu, run);
		return;
	}
	if (program->stop_to_read)
		pmc_pmu_disable(pmu, program);
	if (pmc_run_fold(pmu, run))
		pmc_run_show(run);
	if (unlikely(program->metrics))
		pmc_perf_metrics_fold(pmu, run);
	if (program->stop_to_read)
		pmc_pmu_enable(pmu, program);
}

/**
 * pmc_run_recheck - before a run's stopped counters are started, after it was locked
 * @pmu:	this CPU's counters
 * @run:	a run with a sampler; interrupts are off
 *
 * In an NMI that came meanwhile perf may have let them run, see intel_pt.c, and one may have
 * overflowed, which the NMI left alone. What comes from now on is the NMI's.
 */
void pmc_run_recheck(struct pmc_pmu *pmu, struct pmc_run *run)
{
	u32 passes;

	for (passes = 0; passes < PMC_PASSES_MAX; passes++) {
		if (!pmc_sampler_overflowed(run->sampler))
			return;
		pmc_sampler_lock(run->sampler);
		pmc_run_fold(pmu, run);
		pmc_sampler_settle_late(pmu, run->sampler);
		pmc_sampler_unlock(run->sampler);
	}
}

/**
 * pmc_run_lock - bring a run with a sampler up to date and let nothing change it
 * @pmu:	this CPU's counters
 * @run:	a run that is counting here
 */
void pmc_run_lock(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;

	if (program->stop_to_read)
		pmc_pmu_disable(pmu, program);
	pmc_sampler_lock(run->sampler);
	pmc_run_fold(pmu, run);
	pmc_sampler_settle_late(pmu, run->sampler);
}

/**
 * pmc_run_unlock - undo pmc_run_lock()
 * @pmu:	this CPU's counters
 * @run:	a run that is counting here
 *
 * The NMI may have it before it goes on: an overflow that it left alone would
 * never be told of.
 */
void pmc_run_unlock(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;

	pmc_sampler_unlock(run->sampler);
	if (!program->stop_to_read)
		return;
	if (pmc_intel_pt_present())
		pmc_run_recheck(pmu, run);
	pmc_pmu_enable(pmu, program);
}

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
 * pmc_pmu_init - once for each possible CPU, before anything else
 * @pmu:	its counters
 */
void pmc_pmu_init(struct pmc_pmu *pmu)
{
	INIT_HLIST_HEAD(&pmu->cpu_runs);
	INIT_HLIST_HEAD(&pmu->thread_runs);
	pmc_overflow_init(&pmu->overflow);
	pmc_hrtimer_setup(&pmu->fold_timer, pmc_fold_all, HRTIMER_MODE_REL_PINNED_HARD);
	pmu->description.query.status = PMC_STATUS_OFFLINE;
}

/**
 * pmc_pmu_describe - find out what this CPU has; on this CPU
 * @pmu:	its counters
 */
void pmc_pmu_describe(struct pmc_pmu *pmu)
{
	struct pmc_query *query = &pmu->description.query;
	int pmu_type;

	memset(&pmu->description, 0, sizeof(pmu->description));
	pmc_families_recognise(&pmu->description);
	if (!pmu->description.family)
		return;
	pmu_type = pmc_pmu_type_of(query);
	if (pmu_type < 0) {
		pmu->description.family = NULL;
		query->family = PMC_FAMILY_NONE;
		query->status = PMC_STATUS_UNKNOWN_CPU;
		query->general_counters = 0;
		query->fixed_counters = 0;
		return;
	}
	pmu->description.pmu_type = pmu_type;
}

/* Set: the system goes down, and no counters become ours any more. */
bool pmc_pmus_disabled;

/**
 * pmc_pmu_acquire - save this CPU's registers and make its counters ours
 * @pmu:	this CPU's counters; interrupts are off
 *
 * Not when the system goes down.
 */
void pmc_pmu_acquire(struct pmc_pmu *pmu)
{
	/* pairs with the WRITE_ONCE() in reboot.c */
	if (pmu->acquired || !pmu->description.family || READ_ONCE(pmc_pmus_disabled))
		return;
	pmu->touched_general = 0;
	pmu->touched_fixed = 0;
	pmu->last = NULL;
	pmu->description.family->save(pmu);
	WRITE_ONCE(pmu->acquired, true);
	hrtimer_start(&pmu->fold_timer, pmc_fold_period(&pmu->description),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * pmc_pmu_release - put this CPU's registers back as they were found
 * @pmu:	this CPU's counters; interrupts are off, nothing counts here
 */
void pmc_pmu_release(struct pmc_pmu *pmu)
{
	if (!pmu->acquired)
		return;
	/* It runs on this CPU with interrupts off, so it is not running now. */
	hrtimer_cancel(&pmu->fold_timer);
	/* from now on intel_pt.c keeps off, in whose NMI the global control is somebody's */
	WRITE_ONCE(pmu->acquired, false);
	pmu->description.family->restore(pmu);
	pmc_overflow_disarm(pmu);
	pmu->loaded = 0;
}

/**
 * pmc_call_on_cpu - call @function on @cpu with interrupts off, and wait
 * @cpu:	a CPU that is online and stays so (cpus_read_lock() locked), or
 *		whose going offline the function notices
 * @function:	what to call
 * @data:	what to hand to it
 *
 * Much cheaper than the kernel's own call when @cpu is this one.
 */
void pmc_call_on_cpu(int cpu, void (*function)(void *), void *data)
{
	unsigned long flags;
	int here = get_cpu();

	if (cpu == here) {
		local_irq_save(flags);
		function(data);
		local_irq_restore(flags);
	} else {
		smp_call_function_single(cpu, function, data, 1);
	}
	put_cpu();
}

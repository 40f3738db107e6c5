// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs: one context's counting on one CPU, or one thread's counting
 *
 * Owns struct pmc_run: allocates it, loads its counters, starts, stops and updates it.
 *
 * No lock: apart from allocation, all of it runs on the CPU where the run counts, with
 * interrupts off: in task, interrupt and timer context and in the sched_switch probe.
 * Only pmc_run_init() and pmc_run_alloc() allocate; nothing else here sleeps or prints.
 */
#include <linux/slab.h>

#include "pmu/family.h"
#include "pmu/fold.h"
#include "pmu/leftovers.h"
#include "pmu/perf_metrics.h"
#include "pmu/pmu.h"
#include "pmu/user_page.h"
#include "sampling/sampler.h"
#include "target/run.h"

/**
 * pmc_run_init - a run that has counted nothing yet
 * @run:	zeroed
 * @program:	its counters; must outlive the run
 * @gfp:	allocation flags for its sampler or intervals
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
 * @program:	its counters; must outlive the run
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

/* The run starts on a CPU of another type. */
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

/* Read the counters of a run that is about to start */
static __always_inline void pmc_run_resync(struct pmc_run *run)
{
	const struct pmc_program *program = run->program;
	u32 i;

	for (i = 0; i < program->nr; i++) {
		if (program->family->rdpmc_on_cpu)
			run->count[i].rdpmc = program->family->rdpmc_on_cpu(&program->setup[i]);
		run->count[i].raw = pmc_run_read_raw(run, i);
	}
}

/* The same of a run with performance metrics: their registers begin at 0 */
static noinline void pmc_run_load_perf_metrics(struct pmc_pmu *pmu, struct pmc_run *run)
{
	pmc_perf_metrics_load(pmu, run);
	pmc_run_resync(run);
}

/**
 * pmc_run_load - load a run's event selects and read its counters before it starts
 * @pmu:	this CPU's counters
 * @run:	did not count here last, or another run has used the counters since
 */
void pmc_run_load(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;
	u64 number;

	/* or its task could read what was counted before */
	pmc_leftovers_clear_watched(pmu);
	if (unlikely(program->pmu_type != pmu->description.pmu_type))
		program = pmc_run_adapt(run, pmu->description.pmu_type);
	/* pairs with the WRITE_ONCE() in pmc_programs_end(), on another CPU */
	number = READ_ONCE(program->number);
	/* the registers still hold the program loaded last */
	if (pmu->loaded != number) {
		program->family->load(pmu, program);
		pmu->loaded = number == PMC_PROGRAM_ENDED ? 0 : number;
	}
	if (unlikely(program->metrics))
		pmc_run_load_perf_metrics(pmu, run);
	else
		pmc_run_resync(run);
	if (run->user_page)
		pmc_run_rewind(pmu, run);
	pmu->last = run;
	run->last = pmu;
	/*
	 * perf may zero the counters of a run that is stopped, so each start loads it anew. That
	 * also while perf cannot: when it can, this run must not be found loaded.
	 */
	if (unlikely(READ_ONCE(pmu->dirty) || READ_ONCE(pmu->perf_never))) {
		pmu->last = NULL;
		pmu->loaded = 0;
	}
}

/**
 * pmc_run_stop_sampler - fold the counters and stop the sampler
 * @pmu:	this CPU's counters
 * @run:	a run with a sampler; its counters are stopped
 */
void pmc_run_stop_sampler(struct pmc_pmu *pmu, struct pmc_run *run)
{
	pmc_sampler_lock(run->sampler);
	pmc_run_fold(pmu, run);
	pmc_sampler_settle_late(pmu, run->sampler);
	pmc_sampler_stop(pmu, run->sampler);
	pmc_sampler_unlock(run->sampler);
}

/**
 * pmc_run_start - start counting
 * @pmu:	this CPU's counters
 * @run:	a run that is not counting
 * @list:	&struct pmc_pmu.cpu_runs or &pmc_pmu.thread_runs
 */
void pmc_run_start(struct pmc_pmu *pmu, struct pmc_run *run, struct hlist_head *list)
{
	__pmc_run_start(pmu, run, list);
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
 * pmc_run_settle - other values are about to be written to a run's counters
 * @pmu:	this CPU's counters, stopped
 * @run:	a run that is counting here
 */
void pmc_run_settle(struct pmc_pmu *pmu, struct pmc_run *run)
{
	if (run->sampler)
		pmc_sampler_lock(run->sampler);
	pmc_run_fold(pmu, run);
	if (run->sampler)
		pmc_sampler_settle_late(pmu, run->sampler);
}

/**
 * pmc_run_continue - undo pmc_run_settle(): count on from the values that were written
 * @pmu:	this CPU's counters, stopped
 * @run:	a run that is counting here
 *
 * A counter with a period is loaded with its remaining period again. A throttled one continues
 * without it, as before.
 */
void pmc_run_continue(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;

	/* the slots were set to 0: this begins an interval */
	if (unlikely(program->metrics) && !pmc_run_read_raw(run, program->slots_at))
		pmc_run_load_perf_metrics(pmu, run);
	else
		pmc_run_resync(run);
	if (run->sampler) {
		pmc_sampler_reload_all(pmu, run->sampler);
		pmc_sampler_unlock(run->sampler);
		if (program->stop_to_read && pmc_intel_pt_present())
			pmc_run_recheck(pmu, run);
	}
	if (run->user_page) {
		run->user_page->stale = true;
		pmc_run_show(run);
	}
}

/**
 * pmc_run_update - bring the counts up to date while the run counts
 * @pmu:	this CPU's counters
 * @run:	a run that is counting here
 *
 * Counters that would count meanwhile (kernel mode, the sibling thread) are stopped, so that
 * all are read at one moment. The user page stays valid unless a counter was written.
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

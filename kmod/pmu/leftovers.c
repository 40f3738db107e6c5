// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts that stopped runs left in the counters, hidden from RDPMC in user mode
 *
 * A stopped run has added its counts already, so its counters may be set to 0 at any time; the
 * next run loads anew and counts from there. While a task may execute RDPMC, that is done
 * before a CPU switches to such a task, and wherever a run stops without a switch. Without such
 * a task nothing is done: the probe on sched_switch is registered only meanwhile.
 *
 * The counts of a run that counts may begin at what others left. So before a permission is granted,
 * runs of CPUs and those of the tasks that get it are brought up to date, and count on from 0.
 *
 * Not set to 0: counters of a run that counts, and of the run that counted here last, if it is of
 * the next task, or of the previous task of the same process, and does not count kernel mode for
 * another process.
 *
 * Owns the numbers of reasons to watch. Locks: pmc_rdpmc_lock is held by the callers of
 * pmc_leftovers_watch(), _watch_permitted(), _granted(), _unwatch() and _forget(), in task context
 * without cpus_read_lock(). pmc_leftovers_watched(), _expect() and _unexpect() may be called
 * anywhere. The others run on the CPU concerned with interrupts off, and read the numbers without
 * a lock.
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <asm/processor-flags.h>
#include <asm/special_insns.h>

#include "base/tracepoints.h"
#include "pmu/family.h"
#include "pmu/leftovers.h"
#include "pmu/pmu.h"
#include "pmu/rdpmc_mm.h"
#include "pmu/run_types.h"
#include "pmu/user_page.h"

static atomic_t pmc_leftovers_reasons; /* for a task to execute RDPMC */
static u32 pmc_leftovers_every; /* those that hold for every task; pmc_rdpmc_lock */
/* The address space that gets the permission now, or NULL; pmc_rdpmc_lock, read without */
static const struct mm_struct *pmc_leftovers_granting;

/* General counters in bits 31:0, fixed counters above, as &pmc_pmu.found_running */
static u64 pmc_program_counters(const struct pmc_program *program)
{
	return program->general | program->fixed << 32;
}

/**
 * pmc_leftovers_clear - set the counters that no run uses now to 0
 * @pmu:	this CPU's counters; interrupts are off
 * @own:	the run of the next task that counted here last, if the task may know its counts:
 *		its counters keep their values. Otherwise NULL
 */
void pmc_leftovers_clear(struct pmc_pmu *pmu, const struct pmc_run *own)
{
	u64 left = pmu->touched_general | pmu->touched_fixed << 32;
	const struct pmc_run *run;

	if (!pmu->acquired)
		return;
	left &= ~pmu->found_running;
	if (own)
		left &= ~pmc_program_counters(own->program);
	hlist_for_each_entry(run, &pmu->cpu_runs, node)
		left &= ~pmc_program_counters(run->program);
	hlist_for_each_entry(run, &pmu->thread_runs, node)
		left &= ~pmc_program_counters(run->program);
	/* no other run finds its counters as it left them: pmc_run_load() reads them again */
	if (left && pmu->description.family->clear(pmu, left) && !own)
		pmu->last = NULL;
}

/**
 * pmc_leftovers_clear_watched - the same if a task may execute RDPMC
 * @pmu:	this CPU's counters; interrupts are off. A run has stopped here, or is about to be
 *		loaded
 */
void pmc_leftovers_clear_watched(struct pmc_pmu *pmu)
{
	/* pairs with the atomic_inc()s in pmc_leftovers_watch() and pmc_leftovers_expect() */
	if (atomic_read(&pmc_leftovers_reasons))
		pmc_leftovers_clear(pmu, NULL);
}

/**
 * pmc_leftovers_readable - may a task that this CPU switches to read the counters?
 * @task:	the task
 *
 * A task that is just being granted permission counts as one: it may have it before its address
 * space is loaded.
 */
bool pmc_leftovers_readable(const struct task_struct *task)
{
	return task->mm &&
	       (READ_ONCE(pmc_leftovers_every) || task->mm == READ_ONCE(pmc_leftovers_granting) ||
		pmc_rdpmc_mm_allowed(task->mm));
}

/* Call @function for the program of each run that counts here. */
static void pmc_leftovers_each(struct pmc_pmu *pmu,
			       void (*function)(struct pmc_pmu *pmu,
						const struct pmc_program *program))
{
	struct pmc_run *run;

	hlist_for_each_entry(run, &pmu->cpu_runs, node)
		function(pmu, run->program);
	hlist_for_each_entry(run, &pmu->thread_runs, node)
		function(pmu, run->program);
}

/**
 * pmc_leftovers_clear_here - set the counters to 0, also those of runs that count
 * @pmu:	this CPU's counters; interrupts are off
 * @threads:	also those of runs of threads: current may execute RDPMC soon
 */
void pmc_leftovers_clear_here(struct pmc_pmu *pmu, bool threads)
{
	const struct pmc_run *run;
	u64 left;

	if (!pmu->acquired)
		return;
	/* as pmc_cpu_counters_check() before counts are read */
	if (READ_ONCE(pmu->dirty) && !hlist_empty(&pmu->cpu_runs))
		pmu->spoil(pmu);
	pmc_leftovers_each(pmu, pmc_pmu_disable);
	pmu->settle_runs(pmu);
	/* pmc_pmu_disable() may have found that another user has some of them */
	left = (pmu->touched_general | pmu->touched_fixed << 32) & ~pmu->found_running;
	hlist_for_each_entry(run, &pmu->thread_runs, node)
		left &= threads ? U64_MAX : ~pmc_program_counters(run->program);
	if (pmu->description.family->clear(pmu, left))
		pmu->last = NULL;
	pmu->resync_runs(pmu);
	pmc_leftovers_each(pmu, pmc_pmu_enable);
}

static void pmc_leftovers_clear_local(void *mm)
{
	pmc_leftovers_clear_here(this_cpu_ptr(&pmc_pmus), !mm || current->mm == mm);
}

/*
 * A CPU without touched counters is left alone. If it touches some from now on, it writes an
 * MSR, which serialises, before it reads the numbers of reasons.
 */
static void pmc_leftovers_clear_all(struct mm_struct *mm)
{
	int cpu;

	cpus_read_lock();
	/* the numbers before the reads below */
	smp_mb();
	for_each_online_cpu(cpu) {
		const struct pmc_pmu *pmu = &per_cpu(pmc_pmus, cpu);

		if (READ_ONCE(pmu->touched_general) || READ_ONCE(pmu->touched_fixed))
			pmc_call_on_cpu(cpu, pmc_leftovers_clear_local, mm);
	}
	cpus_read_unlock();
}

/**
 * pmc_leftovers_watched - may a task execute RDPMC, or soon?
 */
bool pmc_leftovers_watched(void)
{
	return atomic_read(&pmc_leftovers_reasons);
}

/**
 * pmc_leftovers_expect - perf is about to permit RDPMC to every task: stops leave no counts
 *
 * This does not register the probe on sched_switch: pmc_leftovers_watch().
 */
void pmc_leftovers_expect(void)
{
	atomic_inc(&pmc_leftovers_reasons);
}

/**
 * pmc_leftovers_unexpect - undo calls of pmc_leftovers_expect()
 * @calls:	how many
 */
void pmc_leftovers_unexpect(int calls)
{
	atomic_sub(calls, &pmc_leftovers_reasons);
}

/**
 * pmc_leftovers_undefer - undo pmc_leftovers_defer()
 * @pmu:	as there
 */
void pmc_leftovers_undefer(struct pmc_pmu *pmu)
{
	if (!READ_ONCE(pmu->perf_never))
		WRITE_ONCE(pmu->dirty, false);
}

/**
 * pmc_leftovers_defer - this CPU acquires its counters, but perf's dirty ones are zeroed later
 * @pmu:	this CPU's counters, not acquired; interrupts are off
 *
 * perf zeroes them when the CPU first loads an address space that may execute RDPMC. Before this
 * driver permits that to one, pmc_leftovers_watch() makes perf zero them.
 *
 * Return: true and &pmc_pmu.dirty or &pmc_pmu.perf_never is set; false if it is too late for that.
 */
bool pmc_leftovers_defer(struct pmc_pmu *pmu)
{
	/* while perf zeroes nothing, a write of its file sets the mark */
	if (!READ_ONCE(pmu->perf_never))
		WRITE_ONCE(pmu->dirty, true);
	/* dirty before the number of reasons; pairs with smp_mb() in pmc_leftovers_forget() */
	smp_mb();
	/* disabled, or PCE is set: perf's file was written, and may permit RDPMC to every task */
	if (!atomic_read(&pmc_leftovers_reasons) && !READ_ONCE(pmc_user_pages_disabled) &&
	    !(__read_cr4() & X86_CR4_PCE))
		return true;
	pmc_leftovers_undefer(pmu);
	return false;
}

/**
 * pmc_leftovers_forget - make perf zero its dirty counters where that was deferred
 *
 * Context: task context, without cpus_read_lock(); pmc_rdpmc_lock is held, forks are watched.
 *
 * Return: 0, -ENOMEM.
 */
int pmc_leftovers_forget(void)
{
	cpumask_var_t dirty;
	int cpu;

	if (!zalloc_cpumask_var(&dirty, GFP_KERNEL))
		return -ENOMEM;
	cpus_read_lock();
	/* the number of reasons before the CPUs; pairs with smp_mb() in pmc_leftovers_defer() */
	smp_mb();
	for_each_online_cpu(cpu) {
		if (READ_ONCE(per_cpu(pmc_pmus, cpu).dirty))
			cpumask_set_cpu(cpu, dirty);
	}
	if (!cpumask_empty(dirty))
		pmc_rdpmc_forget_dirty_counters(dirty);
	cpus_read_unlock();
	free_cpumask_var(dirty);
	return 0;
}

/**
 * pmc_leftovers_watch - call this before a task is allowed to execute RDPMC
 * @mm:	the address space of the task, NULL for every task
 *
 * With @mm, the caller calls pmc_leftovers_granted() once the permission has its effect.
 *
 * Return: 0, -ENOMEM.
 */
int pmc_leftovers_watch(struct mm_struct *mm)
{
	int err = pmc_tracepoints_get(BIT(PMC_TRACEPOINT_RDPMC));

	if (err)
		return err;
	/* pairs with the reads in pmc_leftovers_clear_watched() and _readable() */
	WRITE_ONCE(pmc_leftovers_granting, mm);
	WRITE_ONCE(pmc_leftovers_every, pmc_leftovers_every + !mm);
	atomic_inc(&pmc_leftovers_reasons);
	err = pmc_leftovers_forget();
	if (err) {
		pmc_leftovers_granted();
		pmc_leftovers_unwatch(!mm);
		return err;
	}
	/* this also waits for switches that began before pmc_leftovers_granting was set */
	pmc_leftovers_clear_all(mm);
	return 0;
}

/**
 * pmc_leftovers_watch_permitted - pmc_leftovers_watch() for tasks that already have permission
 *
 * Undo it with pmc_leftovers_unwatch(false).
 *
 * Return: 0, -ENOMEM.
 */
int pmc_leftovers_watch_permitted(void)
{
	int err = pmc_leftovers_watch(NULL);

	if (!err)
		WRITE_ONCE(pmc_leftovers_every, pmc_leftovers_every - 1);
	return err;
}

/**
 * pmc_leftovers_granted - the permission is in effect
 */
void pmc_leftovers_granted(void)
{
	WRITE_ONCE(pmc_leftovers_granting, NULL);
}

/**
 * pmc_leftovers_unwatch - undo pmc_leftovers_watch(), after the permission is revoked
 * @every:	for every task
 */
void pmc_leftovers_unwatch(bool every)
{
	atomic_dec(&pmc_leftovers_reasons);
	WRITE_ONCE(pmc_leftovers_every, pmc_leftovers_every - every);
	pmc_tracepoints_put(BIT(PMC_TRACEPOINT_RDPMC));
}

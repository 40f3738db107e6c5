/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-thread counting across context switches
 */
#ifndef PMC_THREAD_H
#define PMC_THREAD_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "base/task_work.h"
#include "pmu/leftovers.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "target/context_types.h"
#include "target/run.h"
#include "target/task_table.h"

struct pmc_snapshot;

/**
 * struct pmc_thread - one task, followed by one context
 * @entry:	entry in the hash table, see task_table.c
 * @node:	&pmc_target.lock; entry in the target's list
 * @context:	the context; a reference is held once @task is set; constant
 * @task:	the task, with a reference; constant once it is followed
 * @rcu:	frees it when no context switch can find it
 * @refs:	one while it is followed, one for each walk that has picked it, one for
 *		pending @work
 * @preallocated: object for the next child of @task, if children inherit the context: the
 *		fork probe cannot allocate. Accessed by @task only once it is followed
 * @work:	task work that allocates the next @preallocated; acquired by the parent
 *		before @task runs, then by @task
 * @visit:	&pmc_target.lock; latest walk that has picked it
 * @lock:	protects the fields below, but for a run that counts; interrupts off
 * @cpu:	@lock; CPU where @run counts, -1 if it does not count. Only that CPU sets it
 *		to -1, and does so without the lock
 * @detached:	@lock; no longer followed, and its counts are in the target's
 * @hide:	kernel mode is counted for another process: the counts must not stay in the
 *		counters, where @task can read them. Set by @task and before it is followed
 * @run:	@lock; its counts. While @cpu is not -1 only that CPU accesses it, without
 *		the lock
 */
struct pmc_thread {
	struct pmc_task_entry entry;
	struct list_head node;
	struct pmc_context *context;
	struct task_struct *task;
	struct rcu_head rcu;
	refcount_t refs;
	struct pmc_thread *preallocated;
	struct pmc_task_work work;
	u64 visit;
	raw_spinlock_t lock; /* protects the fields below, but for a run that counts */
	int cpu;
	bool detached;
	bool hide;
	struct pmc_run run;
};

bool pmc_thread_joins(const struct pmc_thread *thread, struct pmc_pmu *pmu);
void pmc_thread_uncounted(struct pmc_thread *thread, const struct pmc_pmu *pmu);

/* Inline pmc_thread_sched_in(), for the self-monitoring fast path. */
static __always_inline void __pmc_thread_sched_in(struct pmc_thread *thread)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);

	raw_spin_lock(&thread->lock);
	/* pairs with the WRITE_ONCE() in pmc_target_set_state() */
	if (READ_ONCE(thread->context->target.state) == PMC_TARGET_RUNNING &&
	    thread->cpu < 0 && !thread->detached) {
		if (likely(pmc_pmu_fits(pmu, thread->run.program)) ||
		    pmc_thread_joins(thread, pmu)) {
			WRITE_ONCE(thread->cpu, smp_processor_id());
			__pmc_run_start(pmu, &thread->run, &pmu->thread_runs);
		} else {
			pmc_thread_uncounted(thread, pmu);
		}
	}
	raw_spin_unlock(&thread->lock);
}

/*
 * Inline pmc_thread_sched_out(). It does not need the thread's lock: while the run counts
 * here, no other CPU accesses it.
 */
static __always_inline void __pmc_thread_sched_out(struct pmc_thread *thread)
{
	__pmc_run_stop(this_cpu_ptr(&pmc_pmus), &thread->run);
	/* the counts before this; pairs with the smp_load_acquire() in pmc_thread_call() */
	smp_store_release(&thread->cpu, -1);
}

/* A thread has stopped without a context switch, on its CPU. */
static __always_inline void pmc_thread_hide_counts(const struct pmc_thread *thread)
{
	if (unlikely(thread->hide))
		pmc_leftovers_clear_watched(this_cpu_ptr(&pmc_pmus));
}

bool pmc_follows(const struct pmc_context *context, const struct task_struct *task);
const struct pmc_context *
pmc_find_follower(const struct task_struct *task, const struct pmc_context *with,
		  bool (*function)(const struct pmc_context *with,
				   const struct pmc_context *follower));
int pmc_target_add(struct pmc_context *context, struct task_struct *task);
void pmc_thread_put(struct pmc_thread *thread);
void pmc_thread_sched_in(struct pmc_thread *thread);
void pmc_thread_sched_out(struct pmc_thread *thread);
void pmc_thread_stop_here(struct pmc_thread *thread);
void pmc_thread_detach_locked(struct pmc_thread *thread, struct pmc_snapshot *unused);
void pmc_thread_call(struct pmc_thread *thread,
		     void (*function)(struct pmc_thread *, struct pmc_snapshot *),
		     struct pmc_snapshot *snapshot);

/* Called by the probes and by CPU hotplug, with interrupts off on the CPU concerned. */
void pmc_threads_hide_counts(const struct task_struct *prev, const struct task_struct *next);
void pmc_threads_switch(const struct task_struct *next);
void pmc_threads_exec(void);
void pmc_threads_fork(struct task_struct *child);
void pmc_threads_end(void);
void pmc_threads_cpu_offline(void);
void pmc_threads_cpu_online(void);

#endif /* PMC_THREAD_H */

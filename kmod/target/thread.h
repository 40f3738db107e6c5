/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads that are followed, one by one
 */
#ifndef PMC_THREAD_H
#define PMC_THREAD_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "api/context.h"
#include "target/target.h"
#include "pmu/pmu.h"
#include "target/run.h"

/**
 * struct pmc_thread - one thread, followed by one context
 * @hash:	in the table; pmc_threads_lock
 * @node:	in the target's list; &pmc_target.lock
 * @context:	whose it is; a reference is held with @task; constant
 * @task:	the thread; a reference is held; constant once it is followed
 * @rcu:	freed when no switch can still see it
 * @refs:	one for being followed, one for each walk that has picked it, and one
 *		for @work
 * @preallocated:	for whom @task makes next, if those are followed. Made ahead, for a fork's
 *		probe may not wait for memory; @task's alone once it is followed
 * @work:	makes the next @preallocated
 * @working:	@work waits; likewise
 * @visit:	last walk that has picked it; &pmc_target.lock
 * @lock:	guards the rest, but for a run that counts
 * @cpu:	the CPU where @run counts now, -1 if nowhere. Becomes -1 only on
 *		that CPU, and that without the lock
 * @detached:	no longer followed; its counts are in the target's
 * @run:	its counts. While @cpu is not -1, only that CPU touches it
 */
struct pmc_thread {
	struct hlist_node hash;
	struct list_head node;
	struct pmc_context *context;
	struct task_struct *task;
	struct rcu_head rcu;
	refcount_t refs;
	struct pmc_thread *preallocated;
	struct callback_head work;
	bool working;
	u64 visit;
	raw_spinlock_t lock; /* guards all below, but for a run that counts */
	int cpu;
	bool detached;
	struct pmc_run run;
};

void pmc_thread_uncounted(struct pmc_thread *thread, const struct pmc_pmu *pmu);

/* pmc_thread_sched_in() */
static __always_inline void __pmc_thread_sched_in(struct pmc_thread *thread)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);

	raw_spin_lock(&thread->lock);
	/* pairs with the WRITE_ONCE() in pmc_target_set_state() */
	if (READ_ONCE(thread->context->target.state) == PMC_TARGET_RUNNING &&
	    thread->cpu < 0 && !thread->detached) {
		if (likely(pmc_pmu_fits(pmu, thread->run.program))) {
			WRITE_ONCE(thread->cpu, smp_processor_id());
			__pmc_run_start(pmu, &thread->run, &pmu->thread_runs);
		} else {
			pmc_thread_uncounted(thread, pmu);
		}
	}
	raw_spin_unlock(&thread->lock);
}

/*
 * pmc_thread_sched_out(). The thread's lock is not needed: while it counts here nobody
 * else touches the run.
 */
static __always_inline void __pmc_thread_sched_out(struct pmc_thread *thread)
{
	__pmc_run_stop(this_cpu_ptr(&pmc_pmus), &thread->run);
	/* the counts before this; pairs with the smp_load_acquire() in pmc_thread_call() */
	smp_store_release(&thread->cpu, -1);
}

bool pmc_follows(const struct pmc_context *context, const struct task_struct *task);
const struct pmc_context *pmc_find_follower(const struct task_struct *task,
				       const struct pmc_context *with,
				       bool (*function)(const struct pmc_context *with,
							const struct pmc_context *follower));
int pmc_target_add(struct pmc_context *context, struct task_struct *task);
void pmc_thread_put(struct pmc_thread *thread);
void pmc_thread_sched_in(struct pmc_thread *thread);
void pmc_thread_sched_out(struct pmc_thread *thread);
void pmc_thread_detach_locked(struct pmc_thread *thread, struct pmc_snapshot *unused);
void pmc_add_values(struct pmc_run *run, u64 *values);
void pmc_thread_call(struct pmc_thread *thread,
		     void (*function)(struct pmc_thread *, struct pmc_snapshot *),
		     struct pmc_snapshot *snapshot);

/* With interrupts off, on the CPU where it happens. */
void pmc_threads_switch(const struct task_struct *next);
void pmc_threads_exec(void);
void pmc_threads_fork(struct task_struct *child);
void pmc_threads_end(void);
void pmc_threads_cpu_offline(void);
void pmc_threads_cpu_online(void);

#endif /* PMC_THREAD_H */

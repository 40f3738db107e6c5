// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that are followed from CPU to CPU
 *
 * Owns struct pmc_thread (one thread, followed by one context) and the table
 * that finds a task's threads. What belongs to all threads of a context is
 * target.c's.
 *
 * Locks, in this order, all with interrupts off:
 *   pmc_thread.lock   where and what the thread counts now, but for the end of it
 *   pmc_target.lock    who is followed, the state, the counts of those who detached
 *   pmc_threads_lock  changes of the table; readers use RCU
 * The switch takes the first with the run queue's lock held, and an exit the
 * others: nothing here wakes, sleeps or allocates.
 *
 * For whom a thread makes everything is there before: its preallocated, which the fork's probe
 * puts into use. Both threads then make a new one on their way to user mode, which
 * neither leaves for the next fork without having been there. The way may be long, as
 * that of a parent in vfork(): the module stays meanwhile, and so do thread and context.
 * (io_uring's workers never go there, but do what they would do on their way between two
 * requests; who submits may make several of them at once, pmc_thread_for_worker().)
 *
 * A run that counts belongs to its CPU: with interrupts off it is folded and
 * stopped there without a lock. That it counts no longer is told last, and whoever
 * then wants it elsewhere takes the lock, which keeps it from being started.
 *
 * Nothing is lost when counting starts or stops while a thread runs elsewhere:
 * the target's state is changed first, then each thread's lock is taken once,
 * then the CPU where the thread was last seen is interrupted. A switch that had
 * the lock before sees the old state, but its CPU is the one that is
 * interrupted; one that has it later sees the new state.
 */
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/task_work.h>

#include "compat/compat.h"
#include "api/context.h"
#include "pmu/perf_metrics.h"
#include "target/access.h"
#include "target/thread.h"
#include "base/task_work.h"

/* Every switch looks here: with a thousand threads most others still meet none of them. */
#define PMC_THREADS_BITS	12

static DEFINE_HASHTABLE(pmc_threads, PMC_THREADS_BITS);
static DEFINE_RAW_SPINLOCK(pmc_threads_lock); /* changes of the table */

static struct hlist_head *pmc_threads_bucket(const struct task_struct *task)
{
	return &pmc_threads[hash_ptr(task, PMC_THREADS_BITS)];
}

/* RCU readers only: a probe, or anybody with interrupts off. */
static __always_inline void pmc_call_threads_of(void (*function)(struct pmc_thread *thread),
						const struct task_struct *task)
{
	struct pmc_thread *thread;

	hlist_for_each_entry_rcu(thread, pmc_threads_bucket(task), hash) {
		if (thread->task == task)
			function(thread);
	}
}

/**
 * pmc_follows - does @context follow @task?
 * @context:	a context that follows threads
 * @task:	a thread
 *
 * The caller is an RCU reader.
 */
bool pmc_follows(const struct pmc_context *context, const struct task_struct *task)
{
	const struct pmc_thread *thread;

	hlist_for_each_entry_rcu(thread, pmc_threads_bucket(task), hash) {
		if (thread->task == task && thread->context == context)
			return true;
	}
	return false;
}

/**
 * pmc_find_follower - a context that follows @task and has something to do with another
 * @task:	a thread
 * @with:	the other
 * @function:	has it?
 *
 * The caller is an RCU reader. Who follows somebody has claimed counters.
 */
const struct pmc_context *pmc_find_follower(const struct task_struct *task,
				       const struct pmc_context *with,
				       bool (*function)(const struct pmc_context *with,
							const struct pmc_context *follower))
{
	const struct pmc_thread *thread;

	hlist_for_each_entry_rcu(thread, pmc_threads_bucket(task), hash) {
		if (thread->task == task && function(with, thread->context))
			return thread->context;
	}
	return NULL;
}

/* One that follows nobody, or NULL. */
static void pmc_thread_free(struct pmc_thread *thread)
{
	if (thread)
		pmc_run_exit(&thread->run);
	kfree(thread);
}

static void pmc_thread_free_rcu(struct rcu_head *rcu)
{
	struct pmc_thread *thread = container_of(rcu, struct pmc_thread, rcu);

	put_task_struct(thread->task);
	pmc_context_put(thread->context);
	pmc_thread_free(thread->preallocated);
	pmc_thread_free(thread);
}

/**
 * pmc_thread_put - give a reference back
 * @thread:	to be freed, by RCU, with its last reference
 */
void pmc_thread_put(struct pmc_thread *thread)
{
	if (refcount_dec_and_test(&thread->refs))
		call_rcu(&thread->rcu, pmc_thread_free_rcu);
}

/**
 * pmc_thread_uncounted - it is to be counted, but can't be on this CPU
 * @thread:	its lock is held; it counts nowhere
 * @pmu:	this CPU's counters
 *
 * If the CPU is of a kind that is wanted, the counts lack something from now on. Who
 * reads them in user mode must hear of it too, and only the driver tells.
 */
void pmc_thread_uncounted(struct pmc_thread *thread, const struct pmc_pmu *pmu)
{
	struct pmc_context *context = thread->context;

	/* whoever is on a CPU that goes offline is moved away before it executes anything */
	if (pmu->description.query.status == PMC_STATUS_OFFLINE ||
	    !pmc_context_matches(context, &pmu->description.query))
		return;
	WRITE_ONCE(context->target.uncounted, PMC_STATE_UNCOUNTED);
	if (thread->run.user_page)
		thread->run.user_page->open = false;
}

/**
 * pmc_thread_sched_in - count, if that is wanted and not done already
 * @thread:	on this CPU; interrupts are off
 */
void pmc_thread_sched_in(struct pmc_thread *thread)
{
	__pmc_thread_sched_in(thread);
}

/**
 * pmc_thread_sched_out - count no longer
 * @thread:	counts on this CPU; interrupts are off
 */
void pmc_thread_sched_out(struct pmc_thread *thread)
{
	__pmc_thread_sched_out(thread);
}

/**
 * pmc_threads_switch - this CPU is about to run @next
 * @next:	the task
 */
void pmc_threads_switch(const struct task_struct *next)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	struct hlist_node *safe;
	struct pmc_run *run;

	/* Whatever counts a thread here counts the one that now leaves. */
	hlist_for_each_entry_safe(run, safe, &pmu->thread_runs, node)
		pmc_thread_sched_out(container_of(run, struct pmc_thread, run));
	pmc_call_threads_of(pmc_thread_sched_in, next);
}

/**
 * pmc_add_values - add a run's counts
 * @run:	whose counts; it counts nowhere
 * @values:	what to add them to
 */
void pmc_add_values(struct pmc_run *run, u64 *values)
{
	u32 i;

	if (unlikely(run->program->metrics))
		pmc_perf_metrics_settle(run);
	for (i = 0; i < run->program->nr; i++)
		values[i] += run->count[i].value;
}

/* Its counts become the target's. Both locks are held, it counts nowhere. */
static void pmc_thread_transfer_counts(struct pmc_thread *thread, struct pmc_target *target)
{
	struct pmc_snapshot *reader = target->reader;
	bool late = reader && thread->visit != target->visit;

	if (late) {
		pmc_add_values(&thread->run, reader->value);
		reader->counted += thread->run.counted;
	}
	/* what a reader clears is not kept */
	if (!late || !reader->clear_values)
		pmc_add_values(&thread->run, target->ended);
	if (!late || !reader->clear_times)
		target->ended_counted += thread->run.counted;
}

/**
 * pmc_thread_detach_locked - follow it no longer
 * @thread:	its lock is held; if it counts, then on this CPU
 * @unused:	for pmc_thread_call()
 */
void pmc_thread_detach_locked(struct pmc_thread *thread, struct pmc_snapshot *unused)
{
	struct pmc_target *target = &thread->context->target;

	if (thread->detached)
		return;
	if (thread->cpu >= 0)
		pmc_thread_sched_out(thread);
	/* pairs with the READ_ONCE() in pmc_thread_work() */
	WRITE_ONCE(thread->detached, true);

	raw_spin_lock(&target->lock);
	pmc_thread_transfer_counts(thread, target);
	list_del_init(&thread->node);
	if (!--target->nr) {
		pmc_target_set_state(target, PMC_TARGET_STOPPED);
		pmc_target_notify(target, PMC_NETLINK_ENDED);
		pmc_target_set_idle(target, true);
	}
	raw_spin_lock(&pmc_threads_lock);
	hlist_del_rcu(&thread->hash);
	raw_spin_unlock(&pmc_threads_lock);
	raw_spin_unlock(&target->lock);
	pmc_thread_put(thread);
}

static void pmc_thread_detach(struct pmc_thread *thread)
{
	raw_spin_lock(&thread->lock);
	pmc_thread_detach_locked(thread, NULL);
	raw_spin_unlock(&thread->lock);
}

/**
 * pmc_threads_end - current ends
 */
void pmc_threads_end(void)
{
	pmc_call_threads_of(pmc_thread_detach, current);
}

/*
 * current, whose thread this is, has exec'ed: was it waited for? Another thread
 * of a process may exec; it then takes over the first one's pid.
 */
static bool pmc_exec_starts_target(const struct pmc_target *target,
				const struct pmc_thread *thread)
{
	if (target->state != PMC_TARGET_ARMED)
		return false;
	return target->leader == thread->task ||
	       (target->scope != PMC_SCOPE_THREAD && task_tgid(current) == target->pid);
}

static void pmc_thread_exec(struct pmc_thread *thread)
{
	struct pmc_target *target = &thread->context->target;

	if (!pmc_may_follow_exec(target)) {
		pmc_thread_detach(thread);
		return;
	}
	raw_spin_lock(&target->lock);
	if (pmc_exec_starts_target(target, thread)) {
		target->exec_done = true;
		pmc_target_set_state(target, PMC_TARGET_RUNNING);
	}
	raw_spin_unlock(&target->lock);
	/* if it counts, then here */
	if (thread->run.sampler && thread->cpu >= 0)
		pmc_sampler_exec(this_cpu_ptr(&pmc_pmus), thread->run.sampler);
	pmc_thread_sched_in(thread);
}

/**
 * pmc_threads_exec - current has exec'ed
 */
void pmc_threads_exec(void)
{
	pmc_call_threads_of(pmc_thread_exec, current);
}

/* One that follows nobody yet. */
static struct pmc_thread *pmc_thread_alloc(struct pmc_context *context, gfp_t gfp)
{
	const struct pmc_program *program = context->program;
	struct pmc_thread *thread;

	thread = kzalloc(struct_size(thread, run.count, program->nr), gfp);
	if (!thread)
		return NULL;
	if (pmc_run_init(&thread->run, program, gfp)) {
		kfree(thread);
		return NULL;
	}
	raw_spin_lock_init(&thread->lock);
	refcount_set(&thread->refs, 1);
	thread->context = context;
	thread->cpu = -1;
	return thread;
}

/*
 * Not at the cost of others: it may fail, which is told, but nobody is killed for it. It is
 * charged to the thread, as what the kernel itself has for it.
 */
#define PMC_GFP_SPARE	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* In the task that is followed: make ready for whom it makes next. */
static void pmc_thread_work(struct callback_head *work)
{
	struct pmc_thread *thread = container_of(work, struct pmc_thread, work);

	thread->working = false;
	/* if it leaves only just now nobody uses it */
	if (!READ_ONCE(thread->detached) && !thread->preallocated)
		thread->preallocated = pmc_thread_alloc(thread->context, PMC_GFP_SPARE);
	pmc_thread_put(thread);
	module_put(THIS_MODULE);
}

/*
 * Let its task do so, which is current or its child. The target's lock is held and it is not
 * closing: so a file is open, and the module cannot be about to go.
 */
static void pmc_thread_preallocate(struct pmc_thread *thread)
{
	if (thread->working)
		return;
	thread->working = true;
	refcount_inc(&thread->refs);
	__module_get(THIS_MODULE);
	init_task_work(&thread->work, pmc_thread_work);
	/* neither current nor its child ends now */
	WARN_ON_ONCE(pmc_task_work_add(thread->task, &thread->work));
}

/* Join list and table together, unless it is there already or nobody may join. */
static int pmc_target_join(struct pmc_target *target, struct pmc_thread *thread)
{
	unsigned long flags;
	int err = 0;

	raw_spin_lock_irqsave(&target->lock, flags);
	if (target->closing || pmc_follows(thread->context, thread->task)) {
		err = -EEXIST;
	} else {
		list_add_tail(&thread->node, &target->threads);
		target->nr++;
		raw_spin_lock(&pmc_threads_lock);
		hlist_add_head_rcu(&thread->hash, pmc_threads_bucket(thread->task));
		raw_spin_unlock(&pmc_threads_lock);
	}
	raw_spin_unlock_irqrestore(&target->lock, flags);
	return err;
}

/* It is to be followed with this one, which is used for nobody else any more. */
static void pmc_thread_bind(struct pmc_thread *thread, struct task_struct *task)
{
	thread->task = get_task_struct(task);
	refcount_inc(&thread->context->refs);
	if (thread->run.sampler)
		thread->run.sampler->task = task;
}

/* Returns 0, -ESRCH, -EEXIST. The caller's reference is gone then. */
static int pmc_thread_follow(struct pmc_thread *thread)
{
	unsigned long flags;
	int err;

	refcount_inc(&thread->refs); /* ours: it may leave at once */
	err = pmc_target_join(&thread->context->target, thread);
	if (err) {
		/* nothing is to be made ahead for it: pmc_thread_work() may be on its way */
		WRITE_ONCE(thread->detached, true);
		pmc_thread_put(thread);
		goto put;
	}
	/*
	 * A thread sets PF_EXITING before its exit probe looks into the table:
	 * with a barrier on both sides (the other in pmc_probe_exit()) either
	 * the probe sees this, or the flag is seen here. Likewise whom it makes: either
	 * pmc_probe_fork() sees this, or pmc_target_unfollowed() finds the new one.
	 */
	smp_mb();
	if (READ_ONCE(thread->task->flags) & PF_EXITING) {
		local_irq_save(flags);
		pmc_thread_detach(thread);
		local_irq_restore(flags);
		err = -ESRCH;
	}
put:
	pmc_thread_put(thread);
	return err;
}

/**
 * pmc_target_add - follow one more thread
 * @context:	who follows
 * @task:	whom
 *
 * Return: 0, -ENOMEM, -ESRCH (it ends), -EEXIST (it is followed already).
 */
int pmc_target_add(struct pmc_context *context, struct task_struct *task)
{
	bool alone = context->target.scope == PMC_SCOPE_THREAD;
	struct pmc_thread *thread = pmc_thread_alloc(context, GFP_KERNEL_ACCOUNT);

	if (!thread)
		return -ENOMEM;
	if (!alone)
		thread->preallocated = pmc_thread_alloc(context, GFP_KERNEL_ACCOUNT);
	if (!alone && !thread->preallocated) {
		pmc_thread_free(thread);
		return -ENOMEM;
	}
	pmc_thread_bind(thread, task);
	return pmc_thread_follow(thread);
}

static bool pmc_target_inherits(const struct pmc_target *target, struct task_struct *child)
{
	return target->scope == PMC_SCOPE_TREE ||
	       (target->scope == PMC_SCOPE_PROCESS && same_thread_group(child, current));
}

/*
 * Who submits to io_uring may make several workers on one way through the kernel, and has
 * one preallocated. For the others there may be memory: not with PREEMPT_RT, where nothing at all
 * can be had in a probe.
 */
static struct pmc_thread *pmc_thread_for_worker(struct pmc_thread *thread,
						const struct task_struct *child)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT) || !(child->flags & PF_IO_WORKER))
		return NULL;
	return pmc_thread_alloc(thread->context, GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN);
}

static void pmc_thread_fork(struct pmc_thread *thread, struct task_struct *child)
{
	struct pmc_target *target = &thread->context->target;
	struct pmc_thread *preallocated = thread->preallocated;

	thread->preallocated = NULL;
	if (unlikely(!preallocated))
		preallocated = pmc_thread_for_worker(thread, child);
	if (preallocated)
		pmc_thread_bind(preallocated, child);
	raw_spin_lock(&target->lock);
	if (!target->closing) {
		pmc_thread_preallocate(thread);
		if (!preallocated)
			target->missed++;
		else if (!pmc_is_user_worker(child))
			pmc_thread_preallocate(preallocated);
	}
	raw_spin_unlock(&target->lock);
	if (preallocated)
		pmc_thread_follow(preallocated);
}

/**
 * pmc_threads_fork - current has made @child, which has not run yet
 * @child:	a thread or a process
 */
void pmc_threads_fork(struct task_struct *child)
{
	struct pmc_thread *thread;

	hlist_for_each_entry_rcu(thread, pmc_threads_bucket(current), hash) {
		if (thread->task == current &&
		    pmc_target_inherits(&thread->context->target, child))
			pmc_thread_fork(thread, child);
	}
}

struct pmc_thread_request {
	struct pmc_thread *thread;
	void (*function)(struct pmc_thread *thread, struct pmc_snapshot *snapshot);
	struct pmc_snapshot *snapshot;
	bool done;
};

static void pmc_thread_call_local(void *data)
{
	struct pmc_thread_request *request = data;
	struct pmc_thread *thread = request->thread;

	raw_spin_lock(&thread->lock);
	/* another CPU may just end it, without the lock: pmc_thread_sched_out() */
	if (READ_ONCE(thread->cpu) == smp_processor_id()) {
		request->function(thread, request->snapshot);
		request->done = true;
	}
	raw_spin_unlock(&thread->lock);
}

/**
 * pmc_thread_call - call a function where a thread counts
 * @thread:	a thread
 * @function:	called with the thread's lock held on the CPU where it counts, or
 *		right here if it counts nowhere
 * @snapshot:	to be handed to it
 */
void pmc_thread_call(struct pmc_thread *thread,
		     void (*function)(struct pmc_thread *, struct pmc_snapshot *),
		     struct pmc_snapshot *snapshot)
{
	struct pmc_thread_request request = {
		.thread = thread,
		.function = function,
		.snapshot = snapshot,
	};
	unsigned long flags;

	while (!request.done) {
		/* pairs with the WRITE_ONCE()s of those who count */
		int cpu = READ_ONCE(thread->cpu);

		if (cpu >= 0) {
			pmc_call_on_cpu(cpu, pmc_thread_call_local, &request);
			continue;
		}
		raw_spin_lock_irqsave(&thread->lock, flags);
		/* pairs with the smp_store_release() in pmc_thread_sched_out() */
		if (smp_load_acquire(&thread->cpu) < 0) {
			function(thread, snapshot);
			request.done = true;
		}
		raw_spin_unlock_irqrestore(&thread->lock, flags);
	}
}

/**
 * pmc_threads_cpu_offline - this CPU goes offline: no thread counts here
 *
 * Interrupts are off. The threads have been moved away by now; this is for one
 * that was on the CPU when its hotplug thread took over.
 */
void pmc_threads_cpu_offline(void)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	struct hlist_node *safe;
	struct pmc_run *run;

	hlist_for_each_entry_safe(run, safe, &pmu->thread_runs, node)
		pmc_thread_sched_out(container_of(run, struct pmc_thread, run));
}

/**
 * pmc_threads_cpu_online - undo pmc_threads_cpu_offline() for current
 *
 * Interrupts are off. A thread that comes later is switched to.
 */
void pmc_threads_cpu_online(void)
{
	pmc_call_threads_of(pmc_thread_sched_in, current);
}

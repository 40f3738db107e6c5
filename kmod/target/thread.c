// SPDX-License-Identifier: GPL-2.0-only
/*
 * Per-thread counting across context switches
 *
 * Owns struct pmc_thread, which connects one task with one context that follows it. The hash table
 * (task_table.c) maps a task to its pmc_thread objects; the sched_switch probe stops the previous
 * task's runs and looks up the next task.
 *
 * Locking (outermost first, interrupts off):
 *   pmc_thread.lock      which CPU counts the thread, and since when
 *   pmc_target.lock      the target's threads, its state, counts of exited threads
 *   pmc_task_table_lock  changes to the hash table; lookups use RCU
 * The sched_switch probe takes the first under the run queue lock, the exit probe takes all
 * three: nothing here may sleep, allocate or wake a task.
 *
 * A run that counts belongs to its CPU, which folds and stops it with interrupts off and
 * without a lock. It clears pmc_thread.cpu last. Code that then accesses the run on another
 * CPU takes the lock, which keeps the run from being started.
 *
 * Preallocation: the fork probe cannot allocate. Each followed thread owns one unused
 * pmc_thread for its next child. After a fork, parent and child allocate new ones in
 * task_work before they return to user mode, so each has one again before it can fork. The
 * return may be late (the parent of a vfork() waits for the child): pending work holds
 * references to the module, the thread and the context. io_uring's workers never return to
 * user mode but run task_work between requests; one io_uring_enter() may create several of
 * them, see pmc_thread_for_worker().
 *
 * START and STOP of a thread that runs on another CPU: the target's state changes first,
 * then the thread's lock is taken once, then the CPU where the thread was last seen gets
 * an IPI. A context switch that took the lock earlier sees the old state, but its CPU
 * receives the IPI; a later context switch sees the new state.
 */
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "base/task_work.h"
#include "compat/compat.h"
#include "pmu/core_type.h"
#include "pmu/rdpmc_mm.h"
#include "sampling/pmi.h"
#include "target/access.h"
#include "target/context.h"
#include "target/isolated.h"
#include "target/snapshot.h"
#include "target/target_state.h"
#include "target/task_table.h"
#include "target/thread.h"

static __always_inline struct pmc_thread *pmc_thread_at(const struct pmc_task_table *table,
							struct hlist_node *node)
{
	return container_of(pmc_task_entry(table, node), struct pmc_thread, entry);
}

/* Call @function for each pmc_thread of @task. The caller is an RCU reader. */
static __always_inline void pmc_call_threads_of(void (*function)(struct pmc_thread *thread),
						const struct task_struct *task)
{
	const struct pmc_task_table *table = pmc_task_table_get();
	struct pmc_thread *thread;
	struct hlist_node *node;

	for (node = pmc_task_first(table, task); node; node = pmc_task_next(node)) {
		thread = pmc_thread_at(table, node);
		if (thread->task == task)
			function(thread);
	}
}

/**
 * pmc_follows - does @context follow @task?
 * @context:	a context that follows threads
 * @task:	a task
 *
 * The caller is an RCU reader, so the answer may be out of date.
 */
bool pmc_follows(const struct pmc_context *context, const struct task_struct *task)
{
	const struct pmc_task_table *table = pmc_task_table_get();
	const struct pmc_thread *thread;
	struct hlist_node *node;

	for (node = pmc_task_first(table, task); node; node = pmc_task_next(node)) {
		thread = pmc_thread_at(table, node);
		if (thread->task == task && thread->context == context)
			return true;
	}
	return false;
}

/**
 * pmc_find_follower - find a context that follows a task and meets a condition
 * @task:	a task
 * @with:	passed to @function
 * @function:	the condition on @with and a context that follows @task
 *
 * The caller is an RCU reader. Each context that follows a task has claimed counters.
 *
 * Return: the context, or NULL.
 */
const struct pmc_context *
pmc_find_follower(const struct task_struct *task, const struct pmc_context *with,
		  bool (*function)(const struct pmc_context *with,
				   const struct pmc_context *follower))
{
	const struct pmc_task_table *table = pmc_task_table_get();
	const struct pmc_thread *thread;
	struct hlist_node *node;

	for (node = pmc_task_first(table, task); node; node = pmc_task_next(node)) {
		thread = pmc_thread_at(table, node);
		if (thread->task == task && function(with, thread->context))
			return thread->context;
	}
	return NULL;
}

/* Free an object that no task is bound to, or NULL. */
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
 * pmc_thread_put - drop a reference
 * @thread:	freed by RCU with its last reference
 */
void pmc_thread_put(struct pmc_thread *thread)
{
	if (refcount_dec_and_test(&thread->refs))
		call_rcu(&thread->rcu, pmc_thread_free_rcu);
}

/**
 * pmc_thread_uncounted - this CPU cannot count a thread of a running target
 * @thread:	its lock is held; it does not count
 * @pmu:	this CPU's counters
 *
 * If the context requests the CPU's core type, its counts are incomplete from now on, and
 * its state reports so. The user page has no state, so reading in user mode ends.
 */
void pmc_thread_uncounted(struct pmc_thread *thread, const struct pmc_pmu *pmu)
{
	struct pmc_context *context = thread->context;

	/* the description of a CPU that goes offline has no core type any more */
	if (pmu->description.query.status == PMC_STATUS_OFFLINE) {
		if (PMC_OFFLINE_MIGRATES)
			return;
	} else if (!pmc_core_type_matches(context->core_type, &pmu->description.query)) {
		return;
	}
	pmc_state_set(&context->target.uncounted, PMC_STATE_UNCOUNTED);
	if (thread->run.user_page)
		thread->run.user_page->open = false;
}

/**
 * pmc_thread_joins - can a thread of a running target be counted on this CPU after all?
 * @thread:	its lock is held; it does not count
 * @pmu:	this CPU's counters; they are not acquired, dirty, or do not fit
 *
 * If the thread may execute RDPMC (a fork copies the permission that perf gave its parent, or perf
 * permits it to all), perf zeroes dirty counters after this, in the same context switch.
 */
bool pmc_thread_joins(const struct pmc_thread *thread, struct pmc_pmu *pmu)
{
	struct mm_struct *mm = thread->task->mm;

	if (!pmu->acquired && !pmc_isolated_join(pmu, thread->context))
		return false;
	if (READ_ONCE(pmu->dirty) && mm &&
	    (pmc_rdpmc_mm_allowed(mm) || atomic_read(&pmc_rdpmc_perf_permits_all)))
		return false;
	return pmc_pmu_has(pmu, thread->run.program);
}

/**
 * pmc_thread_sched_in - start counting, if the target runs and the thread does not count
 * @thread:	its task is on this CPU; interrupts are off
 */
void pmc_thread_sched_in(struct pmc_thread *thread)
{
	__pmc_thread_sched_in(thread);
}

/**
 * pmc_thread_sched_out - stop counting
 * @thread:	counts on this CPU; interrupts are off
 */
void pmc_thread_sched_out(struct pmc_thread *thread)
{
	__pmc_thread_sched_out(thread);
}

/* All thread runs that count here belong to the task that this CPU switches from. */
static __always_inline void pmc_threads_leave(struct pmc_pmu *pmu)
{
	struct hlist_node *safe;
	struct pmc_run *run;

	hlist_for_each_entry_safe(run, safe, &pmu->thread_runs, node)
		pmc_thread_sched_out(container_of(run, struct pmc_thread, run));
}

/* The run of @task that used this CPU's counters last, if @task may know what it has counted */
static const struct pmc_run *pmc_threads_last_run(const struct pmc_pmu *pmu,
						  const struct task_struct *task)
{
	const struct pmc_task_table *table = pmc_task_table_get();
	const struct pmc_thread *thread;
	struct hlist_node *node;

	for (node = pmc_task_first(table, task); node; node = pmc_task_next(node)) {
		thread = pmc_thread_at(table, node);
		if (thread->task == task && &thread->run == pmu->last && thread->run.last == pmu)
			return thread->hide ? NULL : &thread->run;
	}
	return NULL;
}

/**
 * pmc_threads_hide_counts - this CPU is about to switch to a task that may execute RDPMC
 * @prev:	the task that it switches from
 * @next:	the task
 *
 * A process may know the counts of all of its threads. The sched_switch probe that runs before the
 * one of pmc_threads_switch().
 */
void pmc_threads_hide_counts(const struct task_struct *prev, const struct task_struct *next)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	const struct pmc_run *own;

	pmc_threads_leave(pmu);
	own = pmc_threads_last_run(pmu, next);
	if (!own && next->mm && next->mm == prev->mm)
		own = pmc_threads_last_run(pmu, prev);
	pmc_leftovers_clear(pmu, own);
}

/**
 * pmc_threads_switch - this CPU switches to a task; the sched_switch probe
 * @next:	the task
 */
void pmc_threads_switch(const struct task_struct *next)
{
	pmc_threads_leave(this_cpu_ptr(&pmc_pmus));
	pmc_call_threads_of(pmc_thread_sched_in, next);
}

/*
 * Add a thread's counts to the target's, and to a snapshot that is being taken and has not
 * picked the thread. Both locks are held; the thread does not count.
 */
static void pmc_thread_transfer_counts(struct pmc_thread *thread, struct pmc_target *target)
{
	struct pmc_snapshot *reader = target->reader;
	bool missed = reader && thread->visit != target->visit;

	if (missed) {
		pmc_snapshot_add_values(reader->value, &thread->run);
		reader->counted += thread->run.counted;
	}
	/* the snapshot has them already: keep none that it clears */
	if (!missed || !reader->clear_values)
		pmc_snapshot_add_values(target->ended, &thread->run);
	if (!missed || !reader->clear_times)
		target->ended_counted += thread->run.counted;
}

/**
 * pmc_thread_stop_here - stop counting without a context switch
 * @thread:	its lock is held; if it counts, then on this CPU
 */
void pmc_thread_stop_here(struct pmc_thread *thread)
{
	if (thread->cpu < 0)
		return;
	pmc_thread_sched_out(thread);
	pmc_thread_hide_counts(thread);
}

/**
 * pmc_thread_detach_locked - stop following a thread
 * @thread:	its lock is held; if it counts, then on this CPU
 * @unused:	makes this a function for pmc_thread_call()
 */
void pmc_thread_detach_locked(struct pmc_thread *thread, struct pmc_snapshot *unused)
{
	struct pmc_target *target = &thread->context->target;

	if (thread->detached)
		return;
	pmc_thread_stop_here(thread);
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
	pmc_task_table_del(&thread->entry);
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
 * pmc_threads_end - current exits; the sched_process_exit probe
 */
void pmc_threads_end(void)
{
	pmc_call_threads_of(pmc_thread_detach, current);
}

/* Does it count kernel mode or the sibling thread, on CPUs of any type? */
static bool pmc_thread_counts_others(const struct pmc_thread *thread)
{
	const struct pmc_program *program = thread->run.program;

	do {
		if (program->stop_to_read)
			return true;
		program = program->next;
	} while (program != thread->run.program);
	return false;
}

/*
 * Is this the exec for which the target is armed? If another thread of the process execs,
 * it takes over the pid of the leader.
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
	/* a privileged context goes on although the new program may know less than the old one */
	thread->hide |= pmc_thread_counts_others(thread);
	/* the task is current: if it counts, then on this CPU */
	if (thread->run.sampler && thread->cpu >= 0)
		pmc_sampler_exec(this_cpu_ptr(&pmc_pmus), thread->run.sampler);
	pmc_thread_sched_in(thread);
}

/**
 * pmc_threads_exec - current has exec'ed; the sched_process_exec probe
 */
void pmc_threads_exec(void)
{
	pmc_call_threads_of(pmc_thread_exec, current);
}

/* An object for a task that is not known yet. */
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
	thread->run.state = &context->target.uncounted;
	thread->cpu = -1;
	return thread;
}

/*
 * A failure is reported as PMC_STATE_INCOMPLETE, so the OOM killer is not invoked. The
 * memory is charged to the followed thread, like the kernel's own memory for a thread.
 */
#define PMC_GFP_PREALLOCATE	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* In the followed task, before it returns to user mode: allocate for its next child. */
static void pmc_thread_work(struct pmc_task_work *work)
{
	struct pmc_thread *thread = container_of(work, struct pmc_thread, work);

	pmc_task_work_release(work);
	/* if the thread is detached concurrently, the object is freed with it, unused */
	if (!READ_ONCE(thread->detached) && !thread->preallocated)
		thread->preallocated = pmc_thread_alloc(thread->context, PMC_GFP_PREALLOCATE);
	pmc_thread_put(thread);
}

/*
 * Queue pmc_thread_work() for a thread of the current task or of its new child. The target's
 * lock is held and the target is not closing, so a file is open and the module cannot be
 * unloading.
 */
static void pmc_thread_preallocate(struct pmc_thread *thread)
{
	if (!pmc_task_work_acquire(&thread->work))
		return;
	refcount_inc(&thread->refs);
	/* neither current nor its new child is exiting */
	pmc_task_work_queue(thread->task, &thread->work, pmc_thread_work);
}

/*
 * Add the thread to the list and to the hash table. -EEXIST if the task is followed already
 * or the target is closing.
 */
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
		pmc_task_table_add(&thread->entry, thread->task);
	}
	raw_spin_unlock_irqrestore(&target->lock, flags);
	return err;
}

/* Bind an unused object to a task. @foreign: the context is another process's */
static void pmc_thread_bind(struct pmc_thread *thread, struct task_struct *task, bool foreign)
{
	thread->hide = foreign && pmc_thread_counts_others(thread);
	thread->task = get_task_struct(task);
	refcount_inc(&thread->context->refs);
	if (thread->run.sampler)
		thread->run.sampler->task = task;
}

/* Follow a bound thread. Consumes the caller's reference. Returns 0, -ESRCH, -EEXIST. */
static int pmc_thread_follow(struct pmc_thread *thread)
{
	unsigned long flags;
	int err;

	refcount_inc(&thread->refs); /* for this function: the thread may exit at once */
	err = pmc_target_join(&thread->context->target, thread);
	if (err) {
		/* a pending pmc_thread_work() must not allocate */
		WRITE_ONCE(thread->detached, true);
		pmc_thread_put(thread);
		goto put;
	}
	/*
	 * A task sets PF_EXITING before its exit probe looks into the hash table. With a
	 * barrier on both sides (the other in pmc_probe_exit()) either the probe finds this
	 * entry, or the flag is seen here. Likewise for a child: either pmc_probe_fork()
	 * finds this entry, or pmc_target_unfollowed() finds the child.
	 */
	smp_mb();
	if (READ_ONCE(thread->task->flags) & PF_EXITING) {
		local_irq_save(flags);
		pmc_thread_detach(thread);
		local_irq_restore(flags);
		err = -ESRCH;
	}
	/* no lock is held: in a fork it is the probe that calls this */
	pmc_task_table_adapt();
put:
	pmc_thread_put(thread);
	return err;
}

/**
 * pmc_target_add - follow one more thread
 * @context:	its target is not closing
 * @task:	the thread
 *
 * Return: 0, -ENOMEM, -ESRCH (it exits), -EEXIST (it is followed already).
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
	pmc_thread_bind(thread, task, !same_thread_group(task, current));
	return pmc_thread_follow(thread);
}

static bool pmc_target_inherits(const struct pmc_target *target, struct task_struct *child)
{
	return target->scope == PMC_SCOPE_TREE ||
	       (target->scope == PMC_SCOPE_PROCESS && same_thread_group(child, current));
}

/*
 * One io_uring_enter() may create several workers, but only one object is preallocated. For
 * the others try an atomic allocation; PREEMPT_RT allows none in a probe.
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
		pmc_thread_bind(preallocated, child,
				thread->hide || !same_thread_group(child, current));
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
 * pmc_threads_fork - current has created a task; the task_newtask probe
 * @child:	the new thread or process, which has not run yet
 */
void pmc_threads_fork(struct task_struct *child)
{
	const struct pmc_task_table *table = pmc_task_table_get();
	struct pmc_thread *thread;
	struct hlist_node *node;

	for (node = pmc_task_first(table, current); node; node = pmc_task_next(node)) {
		thread = pmc_thread_at(table, node);
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
	/* another CPU may set it to -1 without the lock: pmc_thread_sched_out() */
	if (READ_ONCE(thread->cpu) == smp_processor_id()) {
		request->function(thread, request->snapshot);
		request->done = true;
	}
	raw_spin_unlock(&thread->lock);
}

/**
 * pmc_thread_call - call a function where a thread counts
 * @thread:	a thread
 * @function:	called with the thread's lock held and interrupts off, on the CPU where
 *		the thread counts, or on this CPU if it does not count
 * @snapshot:	passed to @function
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
		/* pairs with the stores in pmc_thread_sched_in() and pmc_thread_sched_out() */
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
 * pmc_threads_cpu_offline - this CPU goes offline: stop all threads that count here
 *
 * Interrupts are off. The other threads have been migrated; only the task that the CPU's
 * hotplug thread preempted may still count here.
 */
void pmc_threads_cpu_offline(void)
{
	pmc_threads_leave(this_cpu_ptr(&pmc_pmus));
}

/**
 * pmc_threads_cpu_online - undo pmc_threads_cpu_offline() for current
 *
 * Interrupts are off. Other threads start at their next context switch.
 */
void pmc_threads_cpu_online(void)
{
	pmc_call_threads_of(pmc_thread_sched_in, current);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The threads that a context follows, together
 *
 * Owns struct pmc_target. Each thread is thread.c's; the locks and their order
 * stand there. Task context, with the file's lock held, so that only one walk
 * over a target's threads is under way.
 *
 * Nothing is lost or counted twice when a thread leaves while others are read:
 * a walk marks each thread that it has picked. One that leaves unmarked is added
 * to the snapshot by itself; one that leaves marked is still read by the walk,
 * which holds a reference.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <asm/tsc.h>

#include "api/context.h"
#include "pmu/perf_metrics.h"
#include "pmu/user_page.h"
#include "sampling/sample_config.h"
#include "target/access.h"
#include "sampling/ring.h"
#include "target/thread.h"

/**
 * pmc_target_notify - something happened in the life of a target's context
 * @target:	nobody else changes it
 * @event:	what
 *
 * Not before the context is configured nor while it is released.
 */
void pmc_target_notify(struct pmc_target *target, enum pmc_netlink_command event)
{
	struct pmc_context *context = container_of(target, struct pmc_context, target);

	if (pmc_context_id(context) && !target->closing)
		pmc_notify_context(&context->identity, event);
}

/**
 * pmc_target_notify_state - a target's state changes
 * @target:	nobody else changes it
 * @state:	what it becomes
 */
void pmc_target_notify_state(struct pmc_target *target, enum pmc_target_state state)
{
	static const u8 events[] = {
		[PMC_TARGET_STOPPED] = PMC_NETLINK_STOPPED,
		[PMC_TARGET_ARMED] = PMC_NETLINK_ARMED,
		[PMC_TARGET_RUNNING] = PMC_NETLINK_STARTED,
	};

	pmc_target_notify(target, events[state]);
}

/**
 * pmc_target_set_idle - those who wait for samples wait in vain, or no longer so
 * @target:	its lock is held
 * @idle:	nothing is counted, and all that was is in the rings
 */
void pmc_target_set_idle(struct pmc_target *target, bool idle)
{
	struct pmc_context *context = container_of(target, struct pmc_context, target);

	if (context->sampling)
		pmc_rings_set_idle(context->sampling->rings, idle, !target->nr);
}

/*
 * Follow a thread that somebody asked for. It may have exec'ed something that
 * the caller may not look at since that was checked: so it is checked again now
 * that the exec probe sees it. (The barriers are those of pmc_thread_follow() and
 * pmc_probe_exec().)
 */
static int pmc_target_attach(struct pmc_context *context, struct task_struct *task)
{
	int err = pmc_target_add(context, task);

	return err ? err : pmc_may_follow(task);
}

static struct task_struct *pmc_task_find(u32 scope, pid_t tid)
{
	bool thread = scope == PMC_SCOPE_THREAD;
	struct task_struct *task;

	rcu_read_lock();
	if (tid)
		task = pid_task(find_vpid(tid), thread ? PIDTYPE_PID : PIDTYPE_TGID);
	else
		task = thread ? current : current->group_leader;
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	return task;
}

/**
 * pmc_target_find - find whom a context is to follow
 * @context:	gets references to the thread and to the caller's credentials
 * @tid:	thread or process in the caller's pid namespace, 0 for the caller
 *
 * Return: 0, -ESRCH, -EACCES; a kernel thread has no user mode: -EOPNOTSUPP;
 * another process cannot read in user mode: -EINVAL.
 */
int pmc_target_find(struct pmc_context *context, pid_t tid)
{
	struct pmc_target *target = &context->target;
	struct task_struct *task;
	int err;

	task = pmc_task_find(target->scope, tid);
	if (!task)
		return -ESRCH;
	err = task->flags & PF_KTHREAD ? -EOPNOTSUPP : pmc_may_follow(task);
	/*
	 * Until its maker's fork probe has run nobody can know whom a new task
	 * inherits; it has not run yet itself.
	 */
	if (!err && READ_ONCE(task->__state) & TASK_NEW)
		err = -ESRCH;
	smp_rmb(); /* before the look into the table in pmc_target_find_conflict() */
	/* the page is of use only to the thread itself */
	if (!err && context->user_page.page && !same_thread_group(task, current))
		err = -EINVAL;
	if (err) {
		put_task_struct(task);
		return err;
	}
	target->leader = task;
	target->pid = get_task_pid(task, PIDTYPE_PID);
	target->cred = get_current_cred();
	target->privileged = perfmon_capable();
	raw_spin_lock_init(&target->lock);
	INIT_LIST_HEAD(&target->threads);
	return 0;
}

/**
 * pmc_target_release - give the references back
 * @context:	follows nobody any more
 */
void pmc_target_release(struct pmc_context *context)
{
	struct pmc_target *target = &context->target;

	if (target->only)
		pmc_thread_put(target->only);
	put_task_struct(target->leader);
	put_pid(target->pid);
	put_cred(target->cred);
}

/**
 * pmc_targets_share_process - do both follow threads of one process?
 * @a:		a context that is about to follow somebody
 * @b:		another that follows threads
 */
bool pmc_targets_share_process(const struct pmc_context *a, const struct pmc_context *b)
{
	if (a->target.scope == PMC_SCOPE_THREAD && b->target.scope == PMC_SCOPE_THREAD)
		return a->target.leader == b->target.leader;
	return same_thread_group(a->target.leader, b->target.leader);
}

/**
 * pmc_target_find_conflict - one that follows whom @context will follow, and is in its way
 * @context:	a context that is about to follow somebody
 * @function:	is it in its way?
 *
 * Who is followed by neither cannot become followed by both: one joins only by
 * a fork of somebody who is. Each thread is looked at once, however many contexts there
 * are. The claims' lock is held: the context that is returned stays.
 */
const struct pmc_context *
pmc_target_find_conflict(const struct pmc_context *context,
		bool (*function)(const struct pmc_context *context,
				 const struct pmc_context *other))
{
	const struct pmc_target *target = &context->target;
	const struct pmc_context *conflict;
	const struct task_struct *task;

	rcu_read_lock();
	conflict = pmc_find_follower(target->leader, context, function);
	if (target->scope == PMC_SCOPE_THREAD)
		goto unlock;
	for_each_thread(target->leader, task) {
		if (conflict)
			break;
		conflict = pmc_find_follower(task, context, function);
	}
unlock:
	rcu_read_unlock();
	return conflict;
}

/* A page of them: each time all threads of the process are looked through. */
#define PMC_ADD_BATCH	(PAGE_SIZE / sizeof(struct task_struct *))

/* Some threads of the process that are not followed yet, with references. */
static u32 pmc_target_unfollowed(struct pmc_context *context, struct task_struct **batch)
{
	struct task_struct *task;
	u32 nr = 0;

	rcu_read_lock();
	for_each_thread(context->target.leader, task) {
		if (nr == PMC_ADD_BATCH)
			break;
		if (!(READ_ONCE(task->flags) & PF_EXITING) && !pmc_follows(context, task))
			batch[nr++] = get_task_struct(task);
	}
	rcu_read_unlock();
	return nr;
}

/*
 * Follow every thread of a process. Those who are followed bring along whom they
 * make; when nobody is found any more, all are there.
 */
static int pmc_target_add_process(struct pmc_context *context)
{
	struct task_struct **batch = (void *)__get_free_page(GFP_KERNEL_ACCOUNT);
	u32 i, nr;
	int err = 0;

	if (!batch)
		return -ENOMEM;
	do {
		nr = pmc_target_unfollowed(context, batch);
		for (i = 0; i < nr; i++) {
			int result = pmc_target_attach(context, batch[i]);

			if (result == -ENOMEM || result == -EACCES)
				err = result;
			put_task_struct(batch[i]);
		}
		/* a process may make threads faster than this finds them */
		if (fatal_signal_pending(current))
			err = -EINTR;
	} while (nr && !err);
	free_page((unsigned long)batch);
	return err;
}

static int pmc_target_add_all(struct pmc_context *context)
{
	struct pmc_target *target = &context->target;
	unsigned long flags;
	int err;

	if (target->scope != PMC_SCOPE_THREAD) {
		err = pmc_target_add_process(context);
		return err ? err : target->nr ? 0 : -ESRCH;
	}
	err = pmc_target_attach(context, target->leader);
	if (err)
		return err;
	raw_spin_lock_irqsave(&target->lock, flags);
	if (target->nr) {
		target->only = list_first_entry(&target->threads, struct pmc_thread, node);
		refcount_inc(&target->only->refs);
		if (context->user_page.page)
			target->only->run.user_page = &context->user_page;
	} else {
		err = -ESRCH;
	}
	raw_spin_unlock_irqrestore(&target->lock, flags);
	return err;
}

/**
 * pmc_target_follow - from now on the probes see the context
 * @context:	claimed; &pmc_target.leader is found
 *
 * Return: 0, -ESRCH (the thread ends), -ENOMEM.
 */
int pmc_target_follow(struct pmc_context *context)
{
	int err = pmc_target_add_all(context);

	if (err)
		pmc_target_unfollow(context);
	return err;
}

/* The next thread of this walk, with a reference; NULL at its end. */
static struct pmc_thread *pmc_target_next(struct pmc_target *target)
{
	struct pmc_thread *thread;
	unsigned long flags;

	raw_spin_lock_irqsave(&target->lock, flags);
	thread = list_first_entry_or_null(&target->threads, struct pmc_thread, node);
	if (thread && thread->visit != target->visit) {
		thread->visit = target->visit;
		list_move_tail(&thread->node, &target->threads);
		refcount_inc(&thread->refs);
	} else {
		thread = NULL;
	}
	raw_spin_unlock_irqrestore(&target->lock, flags);
	return thread;
}

static void pmc_target_walk(struct pmc_target *target,
			   void (*function)(struct pmc_thread *, struct pmc_snapshot *),
			   struct pmc_snapshot *snapshot)
{
	struct pmc_thread *thread;

	while ((thread = pmc_target_next(target))) {
		pmc_thread_call(thread, function, snapshot);
		pmc_thread_put(thread);
	}
}

/**
 * pmc_target_unfollow - follow nobody any more
 * @context:	stopped, or never started
 *
 * A probe that runs now may still see the context: it is to be freed by RCU.
 */
void pmc_target_unfollow(struct pmc_context *context)
{
	struct pmc_target *target = &context->target;
	unsigned long flags;

	raw_spin_lock_irqsave(&target->lock, flags);
	target->closing = true;
	target->visit++;
	raw_spin_unlock_irqrestore(&target->lock, flags);
	pmc_target_walk(target, pmc_thread_detach_locked, NULL);
}

static void pmc_thread_start_local(void *data)
{
	struct pmc_thread *thread = data;

	if (current == thread->task)
		pmc_thread_sched_in(thread);
}

static void pmc_thread_kick(struct pmc_thread *thread)
{
	unsigned long flags;

	if (thread->task == current) {
		local_irq_save(flags);
		pmc_thread_sched_in(thread);
		local_irq_restore(flags);
		return;
	}
	/* see the top of thread.c: before the look at its CPU */
	raw_spin_lock_irqsave(&thread->lock, flags);
	raw_spin_unlock_irqrestore(&thread->lock, flags);
	/* If that CPU goes offline the thread leaves it, by a switch. */
	pmc_call_on_cpu(task_cpu(thread->task), pmc_thread_start_local, thread);
}

static void pmc_target_kick(struct pmc_target *target)
{
	struct pmc_thread *thread;

	if (target->only) {
		pmc_thread_kick(target->only);
		return;
	}
	while ((thread = pmc_target_next(target))) {
		pmc_thread_kick(thread);
		pmc_thread_put(thread);
	}
}

/**
 * pmc_target_start - count from now on, or from the next exec
 * @context:	configured
 *
 * Return: 0, -ESRCH (nobody is detached).
 */
int pmc_target_start(struct pmc_context *context)
{
	struct pmc_target *target = &context->target;
	bool kick = false;
	unsigned long flags;
	int err = 0;

	raw_spin_lock_irqsave(&target->lock, flags);
	if (!target->nr) {
		err = -ESRCH;
	} else if (target->state == PMC_TARGET_STOPPED) {
		/* first this: it writes to the rings, as the counters do once they run */
		pmc_target_set_idle(target, false);
		kick = pmc_target_set_started(target);
		target->visit++;
	}
	raw_spin_unlock_irqrestore(&target->lock, flags);
	if (kick)
		pmc_target_kick(target);
	return err;
}

static void pmc_thread_stop_locked(struct pmc_thread *thread, struct pmc_snapshot *unused)
{
	if (thread->cpu >= 0)
		pmc_thread_sched_out(thread);
}

/* The only thread: with its lock held no switch starts it again, and both times end. */
static void pmc_thread_stop_only(struct pmc_thread *thread, struct pmc_snapshot *unused)
{
	struct pmc_target *target = &thread->context->target;

	pmc_thread_stop_locked(thread, NULL);
	raw_spin_lock(&target->lock);
	pmc_target_set_state(target, PMC_TARGET_STOPPED);
	raw_spin_unlock(&target->lock);
}

static void pmc_target_stop_all(struct pmc_target *target)
{
	unsigned long flags;
	bool running;

	/* first the state, so that no switch starts it again */
	raw_spin_lock_irqsave(&target->lock, flags);
	running = target->state == PMC_TARGET_RUNNING;
	pmc_target_set_state(target, PMC_TARGET_STOPPED);
	target->visit++;
	raw_spin_unlock_irqrestore(&target->lock, flags);
	if (running)
		pmc_target_walk(target, pmc_thread_stop_locked, NULL);
}

/**
 * pmc_target_stop - stop counting; the counts stay
 * @context:	configured
 */
void pmc_target_stop(struct pmc_context *context)
{
	struct pmc_target *target = &context->target;
	unsigned long flags;

	if (target->only)
		pmc_thread_call(target->only, pmc_thread_stop_only, NULL);
	else
		pmc_target_stop_all(target);
	if (!context->sampling)
		return;
	raw_spin_lock_irqsave(&target->lock, flags);
	pmc_target_set_idle(target, true);
	raw_spin_unlock_irqrestore(&target->lock, flags);
}

/* Its lock is held. */
static u32 pmc_target_state_locked(const struct pmc_target *target)
{
	u32 state = READ_ONCE(target->uncounted);

	if (target->state == PMC_TARGET_RUNNING)
		state |= PMC_STATE_RUNNING;
	if (target->state == PMC_TARGET_ARMED)
		state |= PMC_STATE_ARMED;
	if (!target->nr)
		state |= PMC_STATE_ENDED;
	if (target->missed)
		state |= PMC_STATE_INCOMPLETE;
	return state;
}

/**
 * pmc_target_state - PMC_STATE_* of a context that follows threads
 * @context:	in the list of contexts; the claims' lock is held
 */
u32 pmc_target_state(struct pmc_context *context)
{
	struct pmc_target *target = &context->target;
	unsigned long flags;
	u32 state;

	raw_spin_lock_irqsave(&target->lock, flags);
	state = pmc_target_state_locked(target);
	raw_spin_unlock_irqrestore(&target->lock, flags);
	return state;
}

/* What the target itself has to say. The lock is held. */
static void pmc_target_collect(struct pmc_target *target, u32 nr, struct pmc_snapshot *snapshot)
{
	u32 i;

	snapshot->cpu = -1;
	snapshot->tsc = rdtsc();
	pmc_target_update_clock(target, snapshot->tsc);
	snapshot->enabled = target->enabled;
	snapshot->counted += target->ended_counted;
	for (i = 0; i < nr; i++)
		snapshot->value[i] += target->ended[i];
	if (snapshot->clear_values)
		memset(target->ended, 0, sizeof(target->ended));
	if (snapshot->clear_times) {
		target->enabled = 0;
		WRITE_ONCE(target->clock, -target->since);
		target->ended_counted = 0;
	}
	snapshot->state |= pmc_target_state_locked(target);
}

/* One that has detached after the walk had picked it has handed its counts over. */
static void pmc_thread_collect_left(struct pmc_thread *thread, struct pmc_target *target,
				    struct pmc_snapshot *snapshot)
{
	u32 i;

	pmc_add_values(&thread->run, snapshot->value);
	snapshot->counted += thread->run.counted;
	for (i = 0; snapshot->clear_values && i < thread->run.program->nr; i++)
		target->ended[i] -= thread->run.count[i].value;
	if (snapshot->clear_times)
		target->ended_counted -= thread->run.counted;
}

/* Its lock is held; if it counts, then on this CPU. */
static void pmc_thread_collect(struct pmc_thread *thread, struct pmc_snapshot *snapshot)
{
	struct pmc_target *target = &thread->context->target;

	raw_spin_lock(&target->lock);
	if (thread->detached)
		pmc_thread_collect_left(thread, target, snapshot);
	else
		pmc_run_collect(&thread->run, snapshot);
	raw_spin_unlock(&target->lock);
}

/* Of a context that has only one thread ever: all under one lock. */
static void pmc_thread_collect_only(struct pmc_thread *thread, struct pmc_snapshot *snapshot)
{
	struct pmc_target *target = &thread->context->target;

	raw_spin_lock(&target->lock);
	if (!thread->detached)
		pmc_run_collect(&thread->run, snapshot);
	pmc_target_collect(target, thread->run.program->nr, snapshot);
	snapshot->cpu = thread->cpu;
	raw_spin_unlock(&target->lock);
}

/**
 * pmc_target_snapshot - all counts of a context that follows threads
 * @context:	configured
 * @snapshot:	see pmc_context_snapshot()
 *
 * The counts of one thread are of one moment, and every thread is in it once.
 */
void pmc_target_snapshot(struct pmc_context *context, struct pmc_snapshot *snapshot)
{
	struct pmc_target *target = &context->target;
	unsigned long flags;

	if (target->only) {
		pmc_thread_call(target->only, pmc_thread_collect_only, snapshot);
		return;
	}
	raw_spin_lock_irqsave(&target->lock, flags);
	target->visit++;
	target->reader = snapshot;
	pmc_target_collect(target, context->program->nr, snapshot);
	raw_spin_unlock_irqrestore(&target->lock, flags);

	pmc_target_walk(target, pmc_thread_collect, snapshot);

	raw_spin_lock_irqsave(&target->lock, flags);
	target->reader = NULL;
	raw_spin_unlock_irqrestore(&target->lock, flags);
}

static void pmc_thread_open_user_page(struct pmc_thread *thread, struct pmc_snapshot *unused)
{
	/* in user mode nobody is told what is missing */
	if (READ_ONCE(thread->context->target.uncounted) || pmc_perf_metrics_has_intervals(&thread->run))
		return;
	thread->run.user_page->open = true;
	thread->run.user_page->stale = true;
	if (thread->cpu >= 0)
		pmc_run_show(&thread->run);
}

static void pmc_thread_close_user_page(struct pmc_thread *thread, struct pmc_snapshot *unused)
{
	thread->run.user_page->open = false;
	pmc_run_hide(&thread->run);
}

/**
 * pmc_target_open_user_page - let the thread read its counters in user mode, or no longer
 * @context:	configured with PMC_CONFIG_USER_READ
 * @open:	whether it may
 */
void pmc_target_open_user_page(struct pmc_context *context, bool open)
{
	pmc_thread_call(context->target.only,
			open ? pmc_thread_open_user_page : pmc_thread_close_user_page, NULL);
}

/**
 * pmc_target_set_clock_back - the time-stamp counter lost this many ticks
 * @target:	of a context in the list of contexts
 * @ticks:	how many
 *
 * Interrupts are off.
 */
void pmc_target_set_clock_back(struct pmc_target *target, u64 ticks)
{
	raw_spin_lock(&target->lock);
	target->since -= ticks;
	WRITE_ONCE(target->clock, target->enabled - target->since);
	raw_spin_unlock(&target->lock);
}

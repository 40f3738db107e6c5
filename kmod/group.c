// SPDX-License-Identifier: GPL-2.0-only
/*
 * The threads that a context follows, together
 *
 * Owns struct pmc_group. Each thread is thread.c's; the locks and their order
 * stand there. Task context, with the file's lock held, so that only one walk
 * over a group's threads is under way.
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

#include "context.h"
#include "metrics.h"
#include "overflow.h"
#include "rights.h"
#include "ring.h"
#include "thread.h"

/**
 * pmc_group_tell - something happened in the life of a group's context
 * @group:	nobody else changes it
 * @event:	what
 *
 * Not before the context is configured nor while it is released.
 */
void pmc_group_tell(struct pmc_group *group, enum pmc_netlink_command event)
{
	struct pmc_context *context = container_of(group, struct pmc_context, group);

	if (pmc_context_id(context) && !group->closing)
		pmc_notify_context(&context->identity, event);
}

/**
 * pmc_group_tell_state - a group's state changes
 * @group:	nobody else changes it
 * @state:	what it becomes
 */
void pmc_group_tell_state(struct pmc_group *group, enum pmc_group_state state)
{
	static const u8 events[] = {
		[PMC_GROUP_STOPPED] = PMC_NETLINK_STOPPED,
		[PMC_GROUP_ARMED] = PMC_NETLINK_ARMED,
		[PMC_GROUP_RUNNING] = PMC_NETLINK_STARTED,
	};

	pmc_group_tell(group, events[state]);
}

/**
 * pmc_group_set_idle - those who wait for samples wait in vain, or no longer so
 * @group:	its lock is held
 * @idle:	nothing is counted, and all that was is in the rings
 */
void pmc_group_set_idle(struct pmc_group *group, bool idle)
{
	struct pmc_context *context = container_of(group, struct pmc_context, group);

	if (context->sampling)
		pmc_rings_set_idle(context->sampling->rings, idle, !group->nr);
}

/*
 * Follow a thread that somebody asked for. It may have exec'ed something that
 * the caller may not look at since that was checked: so it is checked again now
 * that the exec probe sees it. (The barriers are those of pmc_thread_follow() and
 * pmc_probe_exec().)
 */
static int pmc_group_attach(struct pmc_context *context, struct task_struct *task)
{
	int err = pmc_group_add(context, task);

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
 * pmc_group_find - find whom a context is to follow
 * @context:	gets references to the thread and to the caller's credentials
 * @tid:	thread or process in the caller's pid namespace, 0 for the caller
 *
 * Return: 0, -ESRCH, -EACCES; a kernel thread has no user mode: -EOPNOTSUPP;
 * another process cannot read in user mode: -EINVAL.
 */
int pmc_group_find(struct pmc_context *context, pid_t tid)
{
	struct pmc_group *group = &context->group;
	struct task_struct *task;
	int err;

	task = pmc_task_find(group->scope, tid);
	if (!task)
		return -ESRCH;
	err = task->flags & PF_KTHREAD ? -EOPNOTSUPP : pmc_may_follow(task);
	/*
	 * Until its maker's fork probe has run nobody can know whom a new task
	 * inherits; it has not run yet itself.
	 */
	if (!err && READ_ONCE(task->__state) & TASK_NEW)
		err = -ESRCH;
	smp_rmb(); /* before the look into the table in pmc_group_rival() */
	/* the page is of use only to the thread itself */
	if (!err && context->window.page && !same_thread_group(task, current))
		err = -EINVAL;
	if (err) {
		put_task_struct(task);
		return err;
	}
	group->leader = task;
	group->target = get_task_pid(task, PIDTYPE_PID);
	group->cred = get_current_cred();
	group->privileged = perfmon_capable();
	raw_spin_lock_init(&group->lock);
	INIT_LIST_HEAD(&group->threads);
	return 0;
}

/**
 * pmc_group_forget - give the references back
 * @context:	follows nobody any more
 */
void pmc_group_forget(struct pmc_context *context)
{
	struct pmc_group *group = &context->group;

	if (group->only)
		pmc_thread_put(group->only);
	put_task_struct(group->leader);
	put_pid(group->target);
	put_cred(group->cred);
}

/**
 * pmc_groups_are_kin - do both follow threads of one process?
 * @a:		a context that is about to follow somebody
 * @b:		another that follows threads
 */
bool pmc_groups_are_kin(const struct pmc_context *a, const struct pmc_context *b)
{
	if (a->group.scope == PMC_SCOPE_THREAD && b->group.scope == PMC_SCOPE_THREAD)
		return a->group.leader == b->group.leader;
	return same_thread_group(a->group.leader, b->group.leader);
}

/**
 * pmc_group_rival - one that follows whom @context will follow, and is in its way
 * @context:	a context that is about to follow somebody
 * @function:	is it in its way?
 *
 * Who is followed by neither cannot become followed by both: one joins only by
 * a fork of somebody who is. Each thread is looked at once, however many contexts there
 * are. The claims' lock is held: the context that is returned stays.
 */
const struct pmc_context *
pmc_group_rival(const struct pmc_context *context,
		bool (*function)(const struct pmc_context *context,
				 const struct pmc_context *other))
{
	const struct pmc_group *group = &context->group;
	const struct pmc_context *rival;
	const struct task_struct *task;

	rcu_read_lock();
	rival = pmc_follower(group->leader, context, function);
	if (group->scope == PMC_SCOPE_THREAD)
		goto unlock;
	for_each_thread(group->leader, task) {
		if (rival)
			break;
		rival = pmc_follower(task, context, function);
	}
unlock:
	rcu_read_unlock();
	return rival;
}

/* A page of them: each time all threads of the process are looked through. */
#define PMC_ADD_BATCH	(PAGE_SIZE / sizeof(struct task_struct *))

/* Some threads of the process that are not followed yet, with references. */
static u32 pmc_group_strangers(struct pmc_context *context, struct task_struct **batch)
{
	struct task_struct *task;
	u32 nr = 0;

	rcu_read_lock();
	for_each_thread(context->group.leader, task) {
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
static int pmc_group_add_process(struct pmc_context *context)
{
	struct task_struct **batch = (void *)__get_free_page(GFP_KERNEL_ACCOUNT);
	u32 i, nr;
	int err = 0;

	if (!batch)
		return -ENOMEM;
	do {
		nr = pmc_group_strangers(context, batch);
		for (i = 0; i < nr; i++) {
			int result = pmc_group_attach(context, batch[i]);

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

static int pmc_group_add_all(struct pmc_context *context)
{
	struct pmc_group *group = &context->group;
	unsigned long flags;
	int err;

	if (group->scope != PMC_SCOPE_THREAD) {
		err = pmc_group_add_process(context);
		return err ? err : group->nr ? 0 : -ESRCH;
	}
	err = pmc_group_attach(context, group->leader);
	if (err)
		return err;
	raw_spin_lock_irqsave(&group->lock, flags);
	if (group->nr) {
		group->only = list_first_entry(&group->threads, struct pmc_thread, node);
		refcount_inc(&group->only->refs);
		if (context->window.page)
			group->only->run.window = &context->window;
	} else {
		err = -ESRCH;
	}
	raw_spin_unlock_irqrestore(&group->lock, flags);
	return err;
}

/**
 * pmc_group_follow - from now on the probes see the context
 * @context:	claimed; &pmc_group.leader is found
 *
 * Return: 0, -ESRCH (the thread ends), -ENOMEM.
 */
int pmc_group_follow(struct pmc_context *context)
{
	int err = pmc_group_add_all(context);

	if (err)
		pmc_group_unfollow(context);
	return err;
}

/* The next thread of this walk, with a reference; NULL at its end. */
static struct pmc_thread *pmc_group_next(struct pmc_group *group)
{
	struct pmc_thread *thread;
	unsigned long flags;

	raw_spin_lock_irqsave(&group->lock, flags);
	thread = list_first_entry_or_null(&group->threads, struct pmc_thread, node);
	if (thread && thread->visit != group->visit) {
		thread->visit = group->visit;
		list_move_tail(&thread->node, &group->threads);
		refcount_inc(&thread->refs);
	} else {
		thread = NULL;
	}
	raw_spin_unlock_irqrestore(&group->lock, flags);
	return thread;
}

static void pmc_group_walk(struct pmc_group *group,
			   void (*function)(struct pmc_thread *, struct pmc_snapshot *),
			   struct pmc_snapshot *snapshot)
{
	struct pmc_thread *thread;

	while ((thread = pmc_group_next(group))) {
		pmc_thread_call(thread, function, snapshot);
		pmc_thread_put(thread);
	}
}

/**
 * pmc_group_unfollow - follow nobody any more
 * @context:	stopped, or never started
 *
 * A probe that runs now may still see the context: it is to be freed by RCU.
 */
void pmc_group_unfollow(struct pmc_context *context)
{
	struct pmc_group *group = &context->group;
	unsigned long flags;

	raw_spin_lock_irqsave(&group->lock, flags);
	group->closing = true;
	group->visit++;
	raw_spin_unlock_irqrestore(&group->lock, flags);
	pmc_group_walk(group, pmc_thread_leave_locked, NULL);
}

static void pmc_thread_start_here(void *data)
{
	struct pmc_thread *thread = data;

	if (current == thread->task)
		pmc_thread_in(thread);
}

static void pmc_thread_kick(struct pmc_thread *thread)
{
	unsigned long flags;

	if (thread->task == current) {
		local_irq_save(flags);
		pmc_thread_in(thread);
		local_irq_restore(flags);
		return;
	}
	/* see the top of thread.c: before the look at its CPU */
	raw_spin_lock_irqsave(&thread->lock, flags);
	raw_spin_unlock_irqrestore(&thread->lock, flags);
	/* If that CPU goes offline the thread leaves it, by a switch. */
	pmc_call_on_cpu(task_cpu(thread->task), pmc_thread_start_here, thread);
}

static void pmc_group_kick(struct pmc_group *group)
{
	struct pmc_thread *thread;

	if (group->only) {
		pmc_thread_kick(group->only);
		return;
	}
	while ((thread = pmc_group_next(group))) {
		pmc_thread_kick(thread);
		pmc_thread_put(thread);
	}
}

/**
 * pmc_group_start - count from now on, or from the next exec
 * @context:	configured
 *
 * Return: 0, -ESRCH (nobody is left).
 */
int pmc_group_start(struct pmc_context *context)
{
	struct pmc_group *group = &context->group;
	bool kick = false;
	unsigned long flags;
	int err = 0;

	raw_spin_lock_irqsave(&group->lock, flags);
	if (!group->nr) {
		err = -ESRCH;
	} else if (group->state == PMC_GROUP_STOPPED) {
		/* first this: it writes to the rings, as the counters do once they run */
		pmc_group_set_idle(group, false);
		kick = pmc_group_set_started(group);
		group->visit++;
	}
	raw_spin_unlock_irqrestore(&group->lock, flags);
	if (kick)
		pmc_group_kick(group);
	return err;
}

static void pmc_thread_stop_locked(struct pmc_thread *thread, struct pmc_snapshot *unused)
{
	if (thread->cpu >= 0)
		pmc_thread_out(thread);
}

/* The only thread: with its lock held no switch starts it again, and both times end. */
static void pmc_thread_stop_only(struct pmc_thread *thread, struct pmc_snapshot *unused)
{
	struct pmc_group *group = &thread->context->group;

	pmc_thread_stop_locked(thread, NULL);
	raw_spin_lock(&group->lock);
	pmc_group_set_state(group, PMC_GROUP_STOPPED);
	raw_spin_unlock(&group->lock);
}

static void pmc_group_stop_all(struct pmc_group *group)
{
	unsigned long flags;
	bool running;

	/* first the state, so that no switch starts it again */
	raw_spin_lock_irqsave(&group->lock, flags);
	running = group->state == PMC_GROUP_RUNNING;
	pmc_group_set_state(group, PMC_GROUP_STOPPED);
	group->visit++;
	raw_spin_unlock_irqrestore(&group->lock, flags);
	if (running)
		pmc_group_walk(group, pmc_thread_stop_locked, NULL);
}

/**
 * pmc_group_stop - stop counting; the counts stay
 * @context:	configured
 */
void pmc_group_stop(struct pmc_context *context)
{
	struct pmc_group *group = &context->group;
	unsigned long flags;

	if (group->only)
		pmc_thread_call(group->only, pmc_thread_stop_only, NULL);
	else
		pmc_group_stop_all(group);
	if (!context->sampling)
		return;
	raw_spin_lock_irqsave(&group->lock, flags);
	pmc_group_set_idle(group, true);
	raw_spin_unlock_irqrestore(&group->lock, flags);
}

/* Its lock is held. */
static u32 pmc_group_state_locked(const struct pmc_group *group)
{
	u32 state = READ_ONCE(group->uncounted);

	if (group->state == PMC_GROUP_RUNNING)
		state |= PMC_STATE_RUNNING;
	if (group->state == PMC_GROUP_ARMED)
		state |= PMC_STATE_ARMED;
	if (!group->nr)
		state |= PMC_STATE_ENDED;
	if (group->missed)
		state |= PMC_STATE_INCOMPLETE;
	return state;
}

/**
 * pmc_group_state - PMC_STATE_* of a context that follows threads
 * @context:	in the list of contexts; the claims' lock is held
 */
u32 pmc_group_state(struct pmc_context *context)
{
	struct pmc_group *group = &context->group;
	unsigned long flags;
	u32 state;

	raw_spin_lock_irqsave(&group->lock, flags);
	state = pmc_group_state_locked(group);
	raw_spin_unlock_irqrestore(&group->lock, flags);
	return state;
}

/* What the group itself has to say. The lock is held. */
static void pmc_group_collect(struct pmc_group *group, u32 nr, struct pmc_snapshot *snapshot)
{
	u32 i;

	snapshot->cpu = -1;
	snapshot->tsc = rdtsc();
	pmc_group_clock(group, snapshot->tsc);
	snapshot->enabled = group->enabled;
	snapshot->counted += group->ended_counted;
	for (i = 0; i < nr; i++)
		snapshot->value[i] += group->ended[i];
	if (snapshot->clear_values)
		memset(group->ended, 0, sizeof(group->ended));
	if (snapshot->clear_times) {
		group->enabled = 0;
		WRITE_ONCE(group->clock, -group->since);
		group->ended_counted = 0;
	}
	snapshot->state |= pmc_group_state_locked(group);
}

/* One that has left after the walk had picked it has handed its counts over. */
static void pmc_thread_collect_left(struct pmc_thread *thread, struct pmc_group *group,
				    struct pmc_snapshot *snapshot)
{
	u32 i;

	pmc_add_values(&thread->run, snapshot->value);
	snapshot->counted += thread->run.counted;
	for (i = 0; snapshot->clear_values && i < thread->run.program->nr; i++)
		group->ended[i] -= thread->run.count[i].value;
	if (snapshot->clear_times)
		group->ended_counted -= thread->run.counted;
}

/* Its lock is held; if it counts, then on this CPU. */
static void pmc_thread_collect(struct pmc_thread *thread, struct pmc_snapshot *snapshot)
{
	struct pmc_group *group = &thread->context->group;

	raw_spin_lock(&group->lock);
	if (thread->left)
		pmc_thread_collect_left(thread, group, snapshot);
	else
		pmc_run_collect(&thread->run, snapshot);
	raw_spin_unlock(&group->lock);
}

/* Of a context that has only one thread ever: all under one lock. */
static void pmc_thread_collect_only(struct pmc_thread *thread, struct pmc_snapshot *snapshot)
{
	struct pmc_group *group = &thread->context->group;

	raw_spin_lock(&group->lock);
	if (!thread->left)
		pmc_run_collect(&thread->run, snapshot);
	pmc_group_collect(group, thread->run.program->nr, snapshot);
	snapshot->cpu = thread->cpu;
	raw_spin_unlock(&group->lock);
}

/**
 * pmc_group_snapshot - all counts of a context that follows threads
 * @context:	configured
 * @snapshot:	see pmc_context_snapshot()
 *
 * The counts of one thread are of one moment, and every thread is in it once.
 */
void pmc_group_snapshot(struct pmc_context *context, struct pmc_snapshot *snapshot)
{
	struct pmc_group *group = &context->group;
	unsigned long flags;

	if (group->only) {
		pmc_thread_call(group->only, pmc_thread_collect_only, snapshot);
		return;
	}
	raw_spin_lock_irqsave(&group->lock, flags);
	group->visit++;
	group->reader = snapshot;
	pmc_group_collect(group, context->program->nr, snapshot);
	raw_spin_unlock_irqrestore(&group->lock, flags);

	pmc_group_walk(group, pmc_thread_collect, snapshot);

	raw_spin_lock_irqsave(&group->lock, flags);
	group->reader = NULL;
	raw_spin_unlock_irqrestore(&group->lock, flags);
}

static void pmc_thread_open_window(struct pmc_thread *thread, struct pmc_snapshot *unused)
{
	/* in user mode nobody is told what is missing */
	if (READ_ONCE(thread->context->group.uncounted) || pmc_metrics_in_parts(&thread->run))
		return;
	thread->run.window->open = true;
	thread->run.window->stale = true;
	if (thread->cpu >= 0)
		pmc_run_show(&thread->run);
}

static void pmc_thread_close_window(struct pmc_thread *thread, struct pmc_snapshot *unused)
{
	thread->run.window->open = false;
	pmc_run_hide(&thread->run);
}

/**
 * pmc_group_window - let the thread read its counters in user mode, or no longer
 * @context:	configured with PMC_CONFIG_USER_READ
 * @open:	whether it may
 */
void pmc_group_window(struct pmc_context *context, bool open)
{
	pmc_thread_call(context->group.only,
			open ? pmc_thread_open_window : pmc_thread_close_window, NULL);
}

/**
 * pmc_group_set_clock_back - the time-stamp counter lost this many ticks
 * @group:	of a context in the list of contexts
 * @ticks:	how many
 *
 * Interrupts are off.
 */
void pmc_group_set_clock_back(struct pmc_group *group, u64 ticks)
{
	raw_spin_lock(&group->lock);
	group->since -= ticks;
	WRITE_ONCE(group->clock, group->enabled - group->since);
	raw_spin_unlock(&group->lock);
}

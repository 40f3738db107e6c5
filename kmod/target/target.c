// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets: which threads a context follows
 *
 * Owns struct pmc_target: finding the requested thread or process, following its threads,
 * and the walk over the followed threads. One followed thread is thread.c's; the locks and
 * their order are described there.
 *
 * Context: task context with the file's lock held, so only one walk over a target's threads
 * is under way. The walk marks each thread that it picks and holds a reference to it. A
 * thread that exits during a snapshot is counted once: if it is not marked, its exit adds
 * its counts to the snapshot; if it is marked, the walk still reads them.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/gfp.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "base/notify.h"
#include "compat/compat.h"
#include "target/access.h"
#include "target/context.h"
#include "target/target.h"
#include "target/task_table.h"
#include "target/thread.h"

/**
 * pmc_target_check - &pmc_scope_ops.check of the thread scopes
 * @config:	request; the scope's flags have been checked
 *
 * Return: 0, -EINVAL.
 */
int pmc_target_check(struct pmc_config *config)
{
	const u32 both = PMC_CONFIG_ON_EXEC | PMC_CONFIG_USER_READ;

	if (config->tid < 0 || config->cpu != PMC_CPU_ANY)
		return -EINVAL;
	return (config->flags & both) == both ? -EINVAL : 0;
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

/* May @task be followed, and read in user mode if the context asks for that? */
static int pmc_target_check_leader(const struct pmc_context *context, struct task_struct *task)
{
	int err;

	/* a kernel thread has no user mode */
	err = task->flags & PF_KTHREAD ? -EOPNOTSUPP : pmc_may_follow(task);
	/*
	 * Whether a new task inherits a context is unknown until the fork probe has run in
	 * its parent. It has not executed anything yet.
	 */
	if (!err && pmc_task_state(task) & TASK_NEW)
		err = -ESRCH;
	smp_rmb(); /* the state before the lookup in pmc_target_find_conflict() */
	/* the page is mapped by the thread's own process only */
	if (!err && context->user_page && !same_thread_group(task, current))
		err = -EINVAL;
	return err;
}

/**
 * pmc_target_find - find the thread that a context is to follow
 * @context:	its target gets references to the thread and the caller's credentials
 * @tid:	thread or process in the caller's pid namespace, 0 for the caller
 *
 * Return: 0, -ESRCH, -EACCES, -ENOMEM; -EOPNOTSUPP for a kernel thread; -EINVAL for reading
 * another process in user mode.
 */
int pmc_target_find(struct pmc_context *context, pid_t tid)
{
	struct pmc_target *target = &context->target;
	struct task_struct *task;
	int err;

	task = pmc_task_find(target->scope, tid);
	if (!task)
		return -ESRCH;
	err = pmc_target_check_leader(context, task);
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
 * pmc_target_release - undo pmc_target_find()
 * @context:	follows no thread any more
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
 * pmc_targets_share_process - do two contexts follow threads of one process?
 * @a:		a context that is about to follow threads
 * @b:		another that follows threads
 */
bool pmc_targets_share_process(const struct pmc_context *a, const struct pmc_context *b)
{
	if (a->target.scope == PMC_SCOPE_THREAD && b->target.scope == PMC_SCOPE_THREAD)
		return a->target.leader == b->target.leader;
	return same_thread_group(a->target.leader, b->target.leader);
}

/**
 * pmc_target_find_conflict - find a conflicting context that follows one of the threads
 * @context:	a context that is about to follow threads
 * @conflicts:	do the two contexts conflict?
 *
 * A thread that neither context follows cannot later be followed by both: a thread joins a
 * target only by a fork of a thread in it. Each thread is looked up once, whatever the
 * number of contexts. The caller holds pmc_claims_lock, so the result stays valid.
 *
 * Return: the conflicting context, or NULL.
 */
const struct pmc_context *
pmc_target_find_conflict(const struct pmc_context *context,
			 bool (*conflicts)(const struct pmc_context *context,
					   const struct pmc_context *other))
{
	const struct pmc_target *target = &context->target;
	const struct pmc_context *conflict;
	const struct task_struct *task;

	rcu_read_lock();
	conflict = pmc_find_follower(target->leader, context, conflicts);
	if (target->scope == PMC_SCOPE_THREAD)
		goto unlock;
	for_each_thread(target->leader, task) {
		if (conflict)
			break;
		conflict = pmc_find_follower(task, context, conflicts);
	}
unlock:
	rcu_read_unlock();
	return conflict;
}

/*
 * Follow a thread of the requested process. It may have exec'ed a program that the caller
 * may not trace since the first check. So access is checked again now that the exec probe
 * finds the thread. (The barriers are those of pmc_thread_follow() and pmc_probe_exec().)
 */
static int pmc_target_attach(struct pmc_context *context, struct task_struct *task)
{
	int err = pmc_target_add(context, task);

	return err ? err : pmc_may_follow(task);
}

/* struct pmc_target_search - the search for threads of a process that are not followed yet */
struct pmc_target_search {
	struct task_struct *last;	/* of the last batch, with a reference; NULL: begin */
	struct task_struct **batch;	/* a page; each has a reference */
	u32 nr;
};

#define PMC_ADD_BATCH	(PAGE_SIZE / sizeof(struct task_struct *))

/*
 * The place in the list of threads after which the search continues: new threads are appended to
 * the list. If the last thread of the last batch has exited the search begins anew. The caller is
 * an RCU reader, so what follows a thread that is alive now is not freed.
 */
static struct task_struct *pmc_target_search_from(const struct pmc_target_search *search,
						  struct signal_struct *process)
{
	if (search->last && pid_alive(search->last))
		return search->last;
	return list_entry(&process->thread_head, struct task_struct, thread_node);
}

/* Get references to the next threads. Returns false if there are none. */
static bool pmc_target_search(struct pmc_target_search *search, struct pmc_context *context)
{
	struct signal_struct *process = context->target.leader->signal;
	struct task_struct *task;

	search->nr = 0;
	rcu_read_lock();
	task = pmc_target_search_from(search, process);
	list_for_each_entry_continue_rcu(task, &process->thread_head, thread_node) {
		if (READ_ONCE(task->flags) & PF_EXITING || pmc_follows(context, task))
			continue;
		search->batch[search->nr++] = get_task_struct(task);
		if (search->nr == PMC_ADD_BATCH)
			break;
	}
	rcu_read_unlock();
	return search->nr;
}

/* Follow the threads that were found, and drop the references to all but the last. */
static int pmc_target_add_found(struct pmc_target_search *search, struct pmc_context *context)
{
	int err = 0, result;
	u32 i;

	for (i = 0; i < search->nr; i++) {
		result = pmc_target_attach(context, search->batch[i]);
		if (result == -ENOMEM || result == -EACCES)
			err = result;
		if (search->last)
			put_task_struct(search->last);
		search->last = search->batch[i];
	}
	return err;
}

/*
 * Follow every thread of a process. Children of followed threads are followed by the fork
 * probe. So when a search after all followed threads finds none, all are followed.
 */
static int pmc_target_add_process(struct pmc_context *context)
{
	struct pmc_target_search search = {
		.batch = (void *)__get_free_page(GFP_KERNEL_ACCOUNT),
	};
	int err = 0;

	if (!search.batch)
		return -ENOMEM;
	while (!err && pmc_target_search(&search, context)) {
		err = pmc_target_add_found(&search, context);
		pmc_task_table_settle();
		/* a process may create threads faster than this loop finds them */
		if (fatal_signal_pending(current))
			err = -EINTR;
	}
	if (search.last)
		put_task_struct(search.last);
	free_page((unsigned long)search.batch);
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
		target->only->run.user_page = context->user_page;
	} else {
		err = -ESRCH;
	}
	raw_spin_unlock_irqrestore(&target->lock, flags);
	return err;
}

/**
 * pmc_target_follow - follow the requested threads: the probes find the context from now on
 * @context:	claimed; &pmc_target.leader is set
 *
 * Return: 0, -ESRCH (the thread exits), -ENOMEM, -EACCES, -EINTR.
 */
int pmc_target_follow(struct pmc_context *context)
{
	int err = pmc_target_add_all(context);

	if (err)
		pmc_target_unfollow(context);
	return err;
}

/**
 * pmc_target_announce - number the context and notify listeners
 * @context:	follows its threads; they may have exited already
 */
void pmc_target_announce(struct pmc_context *context)
{
	struct pmc_target *target = &context->target;
	unsigned long flags;

	raw_spin_lock_irqsave(&target->lock, flags);
	pmc_context_announce(context);
	if (!target->nr)
		pmc_notify_context(&context->identity, PMC_NETLINK_ENDED);
	raw_spin_unlock_irqrestore(&target->lock, flags);
}

/**
 * pmc_target_next - the next thread of the current walk
 * @target:	its visit was incremented at the start of the walk
 *
 * Return: the thread, marked and with a reference; NULL at the end of the walk.
 */
struct pmc_thread *pmc_target_next(struct pmc_target *target)
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

/**
 * pmc_target_walk - call a function for each thread, where it counts
 * @target:	its visit was incremented at the start of the walk
 * @function:	see pmc_thread_call()
 * @snapshot:	passed to @function
 */
void pmc_target_walk(struct pmc_target *target,
		     void (*function)(struct pmc_thread *, struct pmc_snapshot *),
		     struct pmc_snapshot *snapshot)
{
	struct pmc_thread *thread;

	while ((thread = pmc_target_next(target))) {
		pmc_thread_call(thread, function, snapshot);
		pmc_thread_put(thread);
		cond_resched();
	}
}

/**
 * pmc_target_unfollow - stop following all threads
 * @context:	stopped, or never started
 *
 * A probe that runs meanwhile may still use the context: the caller frees it by RCU.
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
	pmc_task_table_adapt();
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts that follow threads from CPU to CPU
 *
 * Owns struct pmc_group (what a context follows), struct pmc_thread (one thread
 * followed by one context) and the table that finds a task's threads.
 *
 * Locks, in this order, all with interrupts off:
 *   pmc_thread.lock   where and what the thread counts now
 *   pmc_group.lock    who is followed, the state, the counts of those who left
 *   pmc_threads_lock  changes of the table; readers use RCU
 * The switch takes the first two with the run queue's lock held: nothing here
 * wakes, sleeps or, but for a fork, allocates.
 *
 * Nothing is lost when counting starts or stops while a thread runs elsewhere:
 * the group's state is changed first, then each thread's lock is taken once,
 * then the CPU where the thread was last seen is interrupted. A switch that had
 * the lock before sees the old state, but its CPU is the one that is
 * interrupted; one that has it later sees the new state.
 *
 * Nothing is lost or counted twice when a thread leaves while others are read:
 * a walk marks each thread that it has picked. One that leaves unmarked is added
 * to the snapshot by itself; one that leaves marked is still read by the walk,
 * which holds a reference.
 */
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/refcount.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <asm/tsc.h>

#include "context.h"
#include "pmu.h"
#include "probes.h"
#include "thread.h"

#define PMC_THREADS_BITS	8

/**
 * struct pmc_thread - one thread, followed by one context
 * @hash:	in the table; pmc_threads_lock
 * @node:	in the group's list; &pmc_group.lock
 * @context:	whose it is; constant
 * @task:	the thread; a reference is held
 * @rcu:	freed when no switch can still see it
 * @refs:	one for being followed, one for each walk that has picked it
 * @visit:	last walk that has picked it; &pmc_group.lock
 * @lock:	guards the rest
 * @cpu:	the CPU where @run counts now, -1 if nowhere. Becomes -1 only on
 *		that CPU
 * @left:	no longer followed; its counts are in the group's
 * @run:	its counts. While @cpu is not -1, only that CPU touches it
 */
struct pmc_thread {
	struct hlist_node hash;
	struct list_head node;
	struct pmc_context *context;
	struct task_struct *task;
	struct rcu_head rcu;
	refcount_t refs;
	u64 visit;
	raw_spinlock_t lock; /* guards all below */
	int cpu;
	bool left;
	struct pmc_run run;
};

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

static bool pmc_follows(const struct pmc_context *context, const struct task_struct *task)
{
	const struct pmc_thread *thread;

	hlist_for_each_entry_rcu(thread, pmc_threads_bucket(task), hash) {
		if (thread->task == task && thread->context == context)
			return true;
	}
	return false;
}

static void pmc_thread_free(struct rcu_head *rcu)
{
	struct pmc_thread *thread = container_of(rcu, struct pmc_thread, rcu);

	put_task_struct(thread->task);
	kfree(thread);
}

static void pmc_thread_put(struct pmc_thread *thread)
{
	if (refcount_dec_and_test(&thread->refs))
		call_rcu(&thread->rcu, pmc_thread_free);
}

/*
 * The thread is on this CPU, interrupts are off: count, if that is wanted and
 * not done already.
 */
static void pmc_thread_in(struct pmc_thread *thread)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);

	raw_spin_lock(&thread->lock);
	/* pairs with the WRITE_ONCE() in pmc_group_set_state() */
	if (READ_ONCE(thread->context->group.state) == PMC_GROUP_RUNNING &&
	    thread->cpu < 0 && !thread->left && pmc_pmu_fits(pmu, thread->run.program)) {
		WRITE_ONCE(thread->cpu, smp_processor_id());
		pmc_run_start(pmu, &thread->run, &pmu->thread_runs);
	}
	raw_spin_unlock(&thread->lock);
}

/* It counts on this CPU, interrupts are off and its lock is held: no longer. */
static void pmc_thread_out_locked(struct pmc_thread *thread)
{
	pmc_run_stop(this_cpu_ptr(&pmc_pmus), &thread->run);
	/* pairs with the READ_ONCE() in pmc_thread_call() */
	WRITE_ONCE(thread->cpu, -1);
}

static void pmc_thread_out(struct pmc_thread *thread)
{
	raw_spin_lock(&thread->lock);
	pmc_thread_out_locked(thread);
	raw_spin_unlock(&thread->lock);
}

/**
 * pmc_threads_switch - this CPU is about to run @next
 * @next:	the task
 */
void pmc_threads_switch(const struct task_struct *next)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	struct pmc_run *run, *safe;

	/* Whatever counts a thread here counts the one that now leaves. */
	list_for_each_entry_safe(run, safe, &pmu->thread_runs, node)
		pmc_thread_out(container_of(run, struct pmc_thread, run));
	pmc_call_threads_of(pmc_thread_in, next);
}

/* Brings the time enabled up to date; the lock is held. */
static void pmc_group_clock(struct pmc_group *group, u64 now)
{
	if (group->state == PMC_GROUP_RUNNING)
		group->enabled += now - group->since;
	group->since = now;
}

/* The lock is held. */
static void pmc_group_set_state(struct pmc_group *group, enum pmc_group_state state)
{
	pmc_group_clock(group, rdtsc());
	/* pairs with the READ_ONCE() in pmc_thread_in() */
	WRITE_ONCE(group->state, state);
}

static void pmc_add_values(const struct pmc_run *run, u64 *values)
{
	u32 i;

	for (i = 0; i < run->program->nr; i++)
		values[i] += run->count[i].value;
}

/* Its counts become the group's. Both locks are held, it counts nowhere. */
static void pmc_thread_hand_over(struct pmc_thread *thread, struct pmc_group *group)
{
	struct pmc_snapshot *reader = group->reader;
	bool late = reader && thread->visit != group->visit;

	if (late) {
		pmc_add_values(&thread->run, reader->value);
		reader->counted += thread->run.counted;
	}
	/* what a reader clears is not kept */
	if (!late || !reader->clear_values)
		pmc_add_values(&thread->run, group->ended);
	if (!late || !reader->clear_times)
		group->ended_counted += thread->run.counted;
}

/* Follow it no longer. Its lock is held; if it counts, then on this CPU. */
static void pmc_thread_leave_locked(struct pmc_thread *thread, struct pmc_snapshot *unused)
{
	struct pmc_group *group = &thread->context->group;

	if (thread->left)
		return;
	if (thread->cpu >= 0)
		pmc_thread_out_locked(thread);
	thread->left = true;

	raw_spin_lock(&group->lock);
	pmc_thread_hand_over(thread, group);
	list_del_init(&thread->node);
	if (!--group->nr)
		pmc_group_set_state(group, PMC_GROUP_STOPPED);
	raw_spin_lock(&pmc_threads_lock);
	hlist_del_rcu(&thread->hash);
	raw_spin_unlock(&pmc_threads_lock);
	raw_spin_unlock(&group->lock);
	pmc_thread_put(thread);
}

static void pmc_thread_leave(struct pmc_thread *thread)
{
	raw_spin_lock(&thread->lock);
	pmc_thread_leave_locked(thread, NULL);
	raw_spin_unlock(&thread->lock);
}

/**
 * pmc_threads_end - current ends
 */
void pmc_threads_end(void)
{
	pmc_call_threads_of(pmc_thread_leave, current);
}

/* May one with @cred look at one with @task's? As ptrace's read access asks. */
static bool pmc_same_user(const struct cred *cred, const struct cred *task)
{
	return uid_eq(cred->uid, task->euid) && uid_eq(cred->uid, task->suid) &&
	       uid_eq(cred->uid, task->uid) && gid_eq(cred->gid, task->egid) &&
	       gid_eq(cred->gid, task->sgid) && gid_eq(cred->gid, task->gid) &&
	       cred->user_ns == task->user_ns &&
	       cap_issubset(task->cap_permitted, cred->cap_permitted);
}

/* current has just exec'ed: may the group still follow it? */
static bool pmc_may_follow_exec(const struct pmc_group *group)
{
	return group->privileged || (pmc_same_user(group->cred, current_cred()) &&
				     get_dumpable(current->mm) == SUID_DUMP_USER);
}

static void pmc_thread_exec(struct pmc_thread *thread)
{
	struct pmc_group *group = &thread->context->group;

	if (!pmc_may_follow_exec(group)) {
		pmc_thread_leave(thread);
		return;
	}
	raw_spin_lock(&group->lock);
	if (group->state == PMC_GROUP_ARMED && group->leader == thread->task) {
		group->exec_done = true;
		pmc_group_set_state(group, PMC_GROUP_RUNNING);
	}
	raw_spin_unlock(&group->lock);
	pmc_thread_in(thread);
}

/**
 * pmc_threads_exec - current has exec'ed
 */
void pmc_threads_exec(void)
{
	pmc_call_threads_of(pmc_thread_exec, current);
}

static struct pmc_thread *pmc_thread_alloc(struct pmc_context *context,
					   struct task_struct *task, gfp_t gfp)
{
	const struct pmc_program *program = context->program;
	struct pmc_thread *thread;

	thread = kzalloc(struct_size(thread, run.count, program->nr), gfp);
	if (!thread)
		return NULL;
	raw_spin_lock_init(&thread->lock);
	refcount_set(&thread->refs, 1);
	thread->context = context;
	thread->task = get_task_struct(task);
	thread->cpu = -1;
	pmc_run_init(&thread->run, program);
	return thread;
}

/* Join list and table together, unless it is there already or nobody may join. */
static int pmc_group_join(struct pmc_group *group, struct pmc_thread *thread)
{
	unsigned long flags;
	int err = 0;

	raw_spin_lock_irqsave(&group->lock, flags);
	if (group->closing || pmc_follows(thread->context, thread->task)) {
		err = -EEXIST;
	} else {
		list_add_tail(&thread->node, &group->threads);
		group->nr++;
		raw_spin_lock(&pmc_threads_lock);
		hlist_add_head_rcu(&thread->hash, pmc_threads_bucket(thread->task));
		raw_spin_unlock(&pmc_threads_lock);
	}
	raw_spin_unlock_irqrestore(&group->lock, flags);
	return err;
}

/**
 * pmc_group_add - follow one more thread
 * @context:	who follows
 * @task:	whom
 * @gfp:	how memory may be had
 *
 * Return: 0, -ENOMEM, -ESRCH (it ends), -EEXIST (it is followed already).
 */
static int pmc_group_add(struct pmc_context *context, struct task_struct *task, gfp_t gfp)
{
	struct pmc_thread *thread = pmc_thread_alloc(context, task, gfp);
	unsigned long flags;
	int err;

	if (!thread)
		return -ENOMEM;
	err = pmc_group_join(&context->group, thread);
	if (err) {
		pmc_thread_put(thread);
		return err;
	}
	/*
	 * A thread sets PF_EXITING before its exit probe looks into the table:
	 * with a barrier on both sides (the other in pmc_probe_exit()) either
	 * the probe sees this, or the flag is seen here.
	 */
	smp_mb();
	if (!(READ_ONCE(task->flags) & PF_EXITING))
		return 0;
	local_irq_save(flags);
	pmc_thread_leave(thread);
	local_irq_restore(flags);
	return -ESRCH;
}

/* The rights of ptrace's read access; security modules are not asked (not exported). */
static int pmc_may_follow(struct task_struct *task)
{
	struct mm_struct *mm;
	bool may;

	if (same_thread_group(task, current) || perfmon_capable())
		return 0;
	rcu_read_lock();
	may = pmc_same_user(current_cred(), __task_cred(task));
	rcu_read_unlock();
	/* the credentials before the dumpability: as in the kernel's ptrace check */
	smp_rmb();
	mm = get_task_mm(task);
	if (mm) {
		may = may && get_dumpable(mm) == SUID_DUMP_USER;
		mmput(mm);
	}
	return may ? 0 : -EACCES;
}

/*
 * Follow a thread that somebody asked for. It may have exec'ed something that
 * the caller may not look at since that was checked: so it is checked again now
 * that the exec probe sees it. (The barriers are those of pmc_group_add() and
 * pmc_probe_exec().)
 */
static int pmc_group_attach(struct pmc_context *context, struct task_struct *task)
{
	int err = pmc_group_add(context, task, GFP_KERNEL_ACCOUNT);

	return err ? err : pmc_may_follow(task);
}

static bool pmc_group_inherits(const struct pmc_group *group, struct task_struct *child)
{
	return group->scope == PMC_SCOPE_TREE ||
	       (group->scope == PMC_SCOPE_PROCESS && same_thread_group(child, current));
}

/**
 * pmc_threads_fork - current has made @child, which has not run yet
 * @child:	a thread or a process
 */
void pmc_threads_fork(struct task_struct *child)
{
	struct pmc_thread *thread;

	hlist_for_each_entry_rcu(thread, pmc_threads_bucket(current), hash) {
		struct pmc_group *group = &thread->context->group;

		if (thread->task != current || !pmc_group_inherits(group, child))
			continue;
		if (pmc_group_add(thread->context, child, GFP_NOWAIT | __GFP_NOWARN) != -ENOMEM)
			continue;
		raw_spin_lock(&group->lock);
		group->missed++;
		raw_spin_unlock(&group->lock);
	}
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
 * Return: 0, -ESRCH, -EACCES; a kernel thread has no user mode: -EOPNOTSUPP.
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
 * pmc_groups_meet - could both count one thread?
 * @a:		a context that is about to follow somebody
 * @b:		another that follows threads
 *
 * Who is followed by neither cannot become followed by both: one joins only by
 * a fork of somebody who is.
 */
bool pmc_groups_meet(const struct pmc_context *a, const struct pmc_context *b)
{
	const struct pmc_group *group = &a->group;
	const struct task_struct *task;
	bool meet;

	if (group->leader == b->group.leader)
		return true;
	if (group->scope == PMC_SCOPE_THREAD && b->group.scope == PMC_SCOPE_THREAD)
		return false;
	if (same_thread_group(group->leader, b->group.leader))
		return true;
	rcu_read_lock();
	meet = pmc_follows(b, group->leader);
	if (group->scope != PMC_SCOPE_THREAD) {
		for_each_thread(group->leader, task)
			meet |= pmc_follows(b, task);
	}
	rcu_read_unlock();
	return meet;
}

#define PMC_ADD_BATCH	16

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
	struct task_struct *batch[PMC_ADD_BATCH];
	u32 i, nr;
	int err = 0;

	do {
		nr = pmc_group_strangers(context, batch);
		for (i = 0; i < nr; i++) {
			int result = pmc_group_attach(context, batch[i]);

			if (result == -ENOMEM || result == -EACCES)
				err = result;
			put_task_struct(batch[i]);
		}
	} while (nr && !err);
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
	int err;

	err = pmc_probes_get(PMC_PROBES_THREADS);
	if (err)
		return err;
	err = pmc_group_add_all(context);
	if (err)
		pmc_group_unfollow(context);
	return err;
}

struct pmc_thread_request {
	struct pmc_thread *thread;
	void (*function)(struct pmc_thread *thread, struct pmc_snapshot *snapshot);
	struct pmc_snapshot *snapshot;
	bool done;
};

static void pmc_thread_call_here(void *data)
{
	struct pmc_thread_request *request = data;
	struct pmc_thread *thread = request->thread;

	raw_spin_lock(&thread->lock);
	if (thread->cpu == smp_processor_id()) {
		request->function(thread, request->snapshot);
		request->done = true;
	}
	raw_spin_unlock(&thread->lock);
}

/*
 * Call a function with the thread's lock held on the CPU where it counts, or
 * right here if it counts nowhere.
 */
static void pmc_thread_call(struct pmc_thread *thread,
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
			pmc_call_on_cpu(cpu, pmc_thread_call_here, &request);
			continue;
		}
		raw_spin_lock_irqsave(&thread->lock, flags);
		if (thread->cpu < 0) {
			function(thread, snapshot);
			request.done = true;
		}
		raw_spin_unlock_irqrestore(&thread->lock, flags);
	}
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
	pmc_probes_put(PMC_PROBES_THREADS);
}

static void pmc_thread_start_here(void *data)
{
	struct pmc_thread *thread = data;

	if (current == thread->task)
		pmc_thread_in(thread);
}

static void pmc_group_kick(struct pmc_group *group)
{
	struct pmc_thread *thread;
	unsigned long flags;

	while ((thread = pmc_group_next(group))) {
		/* see the top of this file: before the look at its CPU */
		raw_spin_lock_irqsave(&thread->lock, flags);
		raw_spin_unlock_irqrestore(&thread->lock, flags);
		/* If that CPU goes offline the thread leaves it, by a switch. */
		pmc_call_on_cpu(task_cpu(thread->task), pmc_thread_start_here, thread);
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
		kick = !group->on_exec || group->exec_done;
		pmc_group_set_state(group, kick ? PMC_GROUP_RUNNING : PMC_GROUP_ARMED);
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
		pmc_thread_out_locked(thread);
}

/**
 * pmc_group_stop - stop counting; the counts stay
 * @context:	configured
 */
void pmc_group_stop(struct pmc_context *context)
{
	struct pmc_group *group = &context->group;
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
		group->ended_counted = 0;
	}
	if (group->state == PMC_GROUP_RUNNING)
		snapshot->state |= PMC_STATE_RUNNING;
	if (group->state == PMC_GROUP_ARMED)
		snapshot->state |= PMC_STATE_ARMED;
	if (!group->nr)
		snapshot->state |= PMC_STATE_ENDED;
	if (group->missed)
		snapshot->state |= PMC_STATE_INCOMPLETE;
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
	thread->run.window->open = true;
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
 * pmc_threads_cpu_offline - this CPU goes offline: no thread counts here
 *
 * Interrupts are off. The threads have been moved away by now; this is for one
 * that was on the CPU when its hotplug thread took over.
 */
void pmc_threads_cpu_offline(void)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	struct pmc_run *run, *safe;

	list_for_each_entry_safe(run, safe, &pmu->thread_runs, node)
		pmc_thread_out(container_of(run, struct pmc_thread, run));
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * RDPMC for every process, and what fork and exec do to permissions
 *
 * Setting 2 of the attribute pce sets a bit in the permission count of every address space
 * (rdpmc_mm.c). A walk over the tasks finds those that exist; the fork and exec probes
 * handle tasks that are not in the task list yet. The fork probe also removes from a child's
 * count what the fork copied: the contexts and, while perf is excluded, perf's part.
 *
 * After an exec under setting 2, task_work makes the CPU load the new address space on the
 * way to user mode. The exec probe cannot allocate, so the callback heads are preallocated
 * when setting 2 is first chosen, and stay until unload. Owns these callback heads.
 *
 * Locks: the caller holds pmc_rdpmc_lock, except in the probes. pmc_rdpmc_free_lock guards
 * the list of free callback heads and is innermost, with interrupts off.
 * Context: the probes run in the task concerned with interrupts off; pmc_rdpmc_lock is taken
 * outside pmc_tracepoints_lock and cpus_read_lock().
 */
#include <linux/cpumask.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/tracepoint.h>
#include <linux/wait_bit.h>

#include "base/task_work.h"
#include "base/tracepoints.h"
#include "pmu/rdpmc_mm.h"
#include "pmu/rdpmc_tasks.h"

static bool pmc_rdpmc_every_process; /* setting 2; pmc_rdpmc_lock, the probes read it without */
static bool pmc_rdpmc_forks_watched; /* pmc_rdpmc_lock */
/* A task may have a copy of perf's part; the fork probe sets it, pmc_rdpmc_tasks_copied() both */
static bool pmc_rdpmc_copied = true;
static bool pmc_rdpmc_perf_excluded; /* pmc_claims_lock, the fork probe reads it without */

/* Threads that can be between exec and user mode at the same time: none sleeps there. */
#define PMC_RDPMC_CALLBACKS	(64 + 4 * nr_cpu_ids)

static struct callback_head *pmc_rdpmc_callbacks; /* all of them; pmc_rdpmc_lock */
static DEFINE_RAW_SPINLOCK(pmc_rdpmc_free_lock);
static struct callback_head *pmc_rdpmc_free; /* the unused ones */
static atomic_t pmc_rdpmc_pending = ATOMIC_INIT(0); /* works added and not finished */

static struct callback_head *pmc_rdpmc_get_work(void)
{
	struct callback_head *work;
	unsigned long flags;

	raw_spin_lock_irqsave(&pmc_rdpmc_free_lock, flags);
	work = pmc_rdpmc_free;
	if (work)
		pmc_rdpmc_free = work->next;
	raw_spin_unlock_irqrestore(&pmc_rdpmc_free_lock, flags);
	return work;
}

static void pmc_rdpmc_put_work(struct callback_head *work)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pmc_rdpmc_free_lock, flags);
	work->next = pmc_rdpmc_free;
	pmc_rdpmc_free = work;
	raw_spin_unlock_irqrestore(&pmc_rdpmc_free_lock, flags);
}

static int pmc_rdpmc_preallocate(void)
{
	u32 i;

	if (pmc_rdpmc_callbacks)
		return 0;
	pmc_rdpmc_callbacks = kcalloc(PMC_RDPMC_CALLBACKS, sizeof(*pmc_rdpmc_callbacks),
				      GFP_KERNEL);
	if (!pmc_rdpmc_callbacks)
		return -ENOMEM;
	for (i = 0; i < PMC_RDPMC_CALLBACKS; i++)
		pmc_rdpmc_put_work(&pmc_rdpmc_callbacks[i]);
	return 0;
}

/* In current, on its way to user mode: make this CPU load the address space again. */
static void pmc_rdpmc_exec_work(struct callback_head *work)
{
	pmc_rdpmc_put_work(work);
	if (current->mm)
		pmc_rdpmc_refresh_exec();
	if (atomic_dec_and_test(&pmc_rdpmc_pending))
		wake_up_var(&pmc_rdpmc_pending);
}

/**
 * pmc_rdpmc_exec - current has called exec and has a new address space
 *
 * Context: the exec probe, in current, interrupts off.
 */
void pmc_rdpmc_exec(void)
{
	struct callback_head *work;

	if (!READ_ONCE(pmc_rdpmc_every_process) || !current->mm)
		return;
	pmc_rdpmc_mm_set_every(current->mm, true);
	work = pmc_rdpmc_get_work();
	if (!work)
		return; /* effective when the CPU next loads the address space */
	init_task_work(work, pmc_rdpmc_exec_work);
	atomic_inc(&pmc_rdpmc_pending);
	if (pmc_task_work_add(current, work)) {
		pmc_rdpmc_put_work(work);
		atomic_dec(&pmc_rdpmc_pending);
	}
}

/**
 * pmc_rdpmc_fork - current has created @child, which has not run yet
 * @child:	a thread or a process; a process has a copy of the parent's count, in which
 *		the contexts are the parent's
 *
 * Perf's part is copied as well, although the child has mapped no event, and perf never subtracts
 * it. While perf is excluded, no process has mapped an event, and the part is removed here. If
 * perf is not excluded, it stays: the child can have inherited the mapping (MADV_DOFORK).
 *
 * Context: the fork probe, in current, interrupts off.
 */
void pmc_rdpmc_fork(struct task_struct *child)
{
	struct mm_struct *mm = child->mm;

	if (!mm || mm == current->mm)
		return;
	if (pmc_rdpmc_mm_allowed_by_perf(mm)) {
		/*
		 * The child is in the list of tasks. This precedes the read of
		 * pmc_rdpmc_perf_excluded; pairs with xchg() in pmc_rdpmc_tasks_copied().
		 */
		smp_store_mb(pmc_rdpmc_copied, true);
	}
	pmc_rdpmc_mm_reset(mm, !READ_ONCE(pmc_rdpmc_perf_excluded));
	if (READ_ONCE(pmc_rdpmc_every_process))
		pmc_rdpmc_mm_set_every(mm, true);
}

/**
 * pmc_rdpmc_tasks_exclude_perf - record whether perf is kept from having events
 * @exclude:	perf has no event until the next call
 *
 * Context: pmc_claims_lock is held.
 */
void pmc_rdpmc_tasks_exclude_perf(bool exclude)
{
	WRITE_ONCE(pmc_rdpmc_perf_excluded, exclude);
}

/**
 * pmc_rdpmc_tasks_copied - may a task have a permission of perf's that a fork copied?
 *
 * Context: task context; pmc_rdpmc_lock is held, forks are watched.
 *
 * Return: true if so; also if a task has mapped an event itself.
 */
bool pmc_rdpmc_tasks_copied(void)
{
	struct task_struct *process, *task;
	bool copied = false;

	/*
	 * After pmc_rdpmc_perf_excluded is set, and before the list of tasks is read; pairs with
	 * smp_store_mb() in pmc_rdpmc_fork().
	 */
	if (!xchg(&pmc_rdpmc_copied, false))
		return false;
	rcu_read_lock();
	for_each_process_thread(process, task) {
		task_lock(task);
		copied = task->mm && pmc_rdpmc_mm_allowed_by_perf(task->mm);
		task_unlock(task);
		if (copied)
			goto found;
	}
found:
	rcu_read_unlock();
	/* a later call must search again, when all present contexts are released */
	if (copied)
		WRITE_ONCE(pmc_rdpmc_copied, true);
	return copied;
}

/**
 * pmc_rdpmc_tasks_watch_forks - register the fork probe, until unload
 *
 * Until unload, because a fork may copy a raised count long before its probe runs.
 *
 * Context: task context; pmc_rdpmc_lock is held, cpus_read_lock() is not.
 *
 * Return: 0, -ENOMEM.
 */
int pmc_rdpmc_tasks_watch_forks(void)
{
	int err;

	if (pmc_rdpmc_forks_watched)
		return 0;
	err = pmc_tracepoints_get(BIT(PMC_TRACEPOINT_FORK));
	if (!err)
		pmc_rdpmc_forks_watched = true;
	return err;
}

static void pmc_rdpmc_set_task(struct task_struct *task, bool every)
{
	task_lock(task);
	if (task->mm && !(task->flags & PF_KTHREAD))
		pmc_rdpmc_mm_set_every(task->mm, every);
	task_unlock(task);
}

/* The fork and exec probes handle the tasks that are not in the task list yet. */
static void pmc_rdpmc_set_all_tasks(bool every)
{
	struct task_struct *process, *task;

	rcu_read_lock();
	for_each_process_thread(process, task)
		pmc_rdpmc_set_task(task, every);
	rcu_read_unlock();
}

/**
 * pmc_rdpmc_tasks_grant - allow every process to execute RDPMC
 *
 * Context: task context; pmc_rdpmc_lock is held, cpus_read_lock() is not.
 *
 * Return: 0, -ENOMEM.
 */
int pmc_rdpmc_tasks_grant(void)
{
	int err;

	err = pmc_rdpmc_preallocate();
	if (!err)
		err = pmc_rdpmc_tasks_watch_forks();
	if (!err)
		err = pmc_tracepoints_get(BIT(PMC_TRACEPOINT_EXEC));
	if (err)
		return err;
	WRITE_ONCE(pmc_rdpmc_every_process, true);
	pmc_rdpmc_set_all_tasks(true);
	pmc_rdpmc_refresh(cpu_online_mask);
	return 0;
}

/**
 * pmc_rdpmc_tasks_revoke - undo pmc_rdpmc_tasks_grant()
 *
 * Context: task context; pmc_rdpmc_lock is held, cpus_read_lock() is not.
 */
void pmc_rdpmc_tasks_revoke(void)
{
	WRITE_ONCE(pmc_rdpmc_every_process, false);
	pmc_rdpmc_set_all_tasks(false);
	pmc_tracepoints_put(BIT(PMC_TRACEPOINT_EXEC));
	/* a probe may have read the flag before it was cleared: clear its process' bit too */
	tracepoint_synchronize_unregister();
	pmc_rdpmc_set_all_tasks(false);
	pmc_rdpmc_refresh(cpu_online_mask);
}

/**
 * pmc_rdpmc_tasks_unwatch - unregister the fork probe; at unload
 *
 * Context: task context; pmc_rdpmc_lock is held, cpus_read_lock() is not.
 */
void pmc_rdpmc_tasks_unwatch(void)
{
	if (pmc_rdpmc_forks_watched)
		pmc_tracepoints_put(BIT(PMC_TRACEPOINT_FORK));
	pmc_rdpmc_forks_watched = false;
}

/**
 * pmc_rdpmc_tasks_exit - wait for the probes' work; at unload
 *
 * Context: task context, after pmc_rdpmc_tasks_unwatch().
 */
void pmc_rdpmc_tasks_exit(void)
{
	/* after this no probe adds work */
	tracepoint_synchronize_unregister();
	wait_var_event(&pmc_rdpmc_pending, !atomic_read(&pmc_rdpmc_pending));
	kfree(pmc_rdpmc_callbacks);
}

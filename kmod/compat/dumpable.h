/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels: the dumpable state of a task
 */
#ifndef PMC_COMPAT_DUMPABLE_H
#define PMC_COMPAT_DUMPABLE_H

#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

/*
 * pmc_dumpable_by_user(): may processes with @task's user and group access it?
 * pmc_current_dumpable(): the same for current, in any context.
 */
#ifdef PMC_HAVE_EXEC_STATE

/* A property of the task, which keeps it after it has released its mm. */
#include <linux/sched/exec_state.h>

static inline bool pmc_dumpable_by_user(struct task_struct *task)
{
	bool dumpable;

	rcu_read_lock();
	dumpable = READ_ONCE(rcu_dereference(task->exec_state)->dumpable) == TASK_DUMPABLE_OWNER;
	rcu_read_unlock();
	return dumpable;
}

static inline bool pmc_current_dumpable(void)
{
	return pmc_dumpable_by_user(current);
}

#else

/*
 * A property of the mm. A task without an mm is exiting: pmc_thread_follow() refuses it, with
 * an error for that reason, so it counts as dumpable here. The kernel's own check reads
 * newer fields of such a task.
 */
static inline bool pmc_dumpable_by_user(struct task_struct *task)
{
	struct mm_struct *mm;
	bool dumpable;

	/* not get_task_mm(): to release the last reference can take long */
	task_lock(task);
	mm = task->mm;
	dumpable = !mm || get_dumpable(mm) == SUID_DUMP_USER;
	task_unlock(task);
	return dumpable;
}

static inline bool pmc_current_dumpable(void)
{
	return get_dumpable(current->mm) == SUID_DUMP_USER;
}

#endif

#endif /* PMC_COMPAT_DUMPABLE_H */

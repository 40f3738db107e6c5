/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who may look into a task: its dumpability
 */
#ifndef PMC_COMPAT_DUMPABLE_H
#define PMC_COMPAT_DUMPABLE_H

#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>

/*
 * May those with @task's own user and group look into it? pmc_current_dumpable() asks the
 * same of the current one, where nothing may sleep.
 */
#ifdef PMC_HAVE_EXEC_STATE

/* It is the task's, and it keeps it when it has given its memory back. */
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
 * It is the memory's. A task that has given its memory back ends: nobody follows it
 * (pmc_thread_follow()), and what is told is why. The kernel's own check asks newer fields
 * of such a task.
 */
static inline bool pmc_dumpable_by_user(struct task_struct *task)
{
	struct mm_struct *mm = get_task_mm(task);
	bool dumpable;

	if (!mm)
		return true;
	dumpable = get_dumpable(mm) == SUID_DUMP_USER;
	mmput(mm);
	return dumpable;
}

static inline bool pmc_current_dumpable(void)
{
	return get_dumpable(current->mm) == SUID_DUMP_USER;
}

#endif

#endif /* PMC_COMPAT_DUMPABLE_H */

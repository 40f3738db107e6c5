/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a task returns to user mode
 */
#ifndef PMC_USER_MODE_H
#define PMC_USER_MODE_H

#include <linux/sched.h>

/**
 * pmc_has_user_mode - does a task return to user mode?
 * @task:	current, or the next current
 *
 * Return: false for a kernel thread and for a task that exits.
 */
static inline bool pmc_has_user_mode(const struct task_struct *task)
{
	return task->mm && !(task->flags & (PF_KTHREAD | PF_EXITING));
}

#endif /* PMC_USER_MODE_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What threads do for the driver on their way back to user mode
 *
 * Where something happens to a thread (a fork, an exec, an interrupt) nothing may be
 * allocated and nobody waited for. So that is left to the thread itself: it does it
 * before it executes anything more in user mode, or when it ends. A work is part of
 * something that its owner has made ahead, and whoever adds it sees to it that both that
 * and the module stay until it has run. Here is only what all of them have in common.
 */
#include <linux/compiler.h>
#include <linux/rcupdate.h>
#include <linux/task_work.h>

#include "base/task_work.h"

static bool pmc_worked; /* some work has been added */

/**
 * pmc_task_work_add - let a thread work before it goes on in user mode
 * @task:	the thread: current, or one that has not run yet
 * @work:	initialised, and not waiting already
 *
 * Any context but NMI.
 *
 * Return: 0, -ESRCH (it ends).
 */
int pmc_task_work_add(struct task_struct *task, struct callback_head *work)
{
	WRITE_ONCE(pmc_worked, true);
	return task_work_add(task, work, TWA_RESUME);
}

/**
 * pmc_task_work_exit - the module goes: no thread is in its code any more
 *
 * All works have run. A thread may still have been kept from executing the last
 * instructions of one.
 */
void pmc_task_work_exit(void)
{
	if (READ_ONCE(pmc_worked))
		synchronize_rcu_tasks();
}

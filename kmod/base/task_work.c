// SPDX-License-Identifier: GPL-2.0-only
/*
 * Task work: functions of the driver that a thread executes before it returns to user mode
 *
 * A probe or an interrupt (a fork, an exec, a sample) can neither allocate nor wait. It
 * queues task work instead, which the thread executes before its next instruction in user
 * mode, or when it exits. The work is part of an object that was allocated beforehand.
 *
 * Lifetime: pmc_task_work_queue() holds a reference to the module until the work has run.
 * The owner holds the references that the work needs to other objects.
 *
 * Owns struct pmc_task_work. Locking: none. Context: stated at each function; a work runs in
 * task context.
 */
#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/task_work.h>

#include "base/task_work.h"

static bool pmc_task_work_used; /* a work has been added; only ever set */

/**
 * pmc_task_work_add - queue work that a thread runs before it returns to user mode
 * @task:	the thread: current, or a new one that has not run yet
 * @work:	initialised, not pending; the caller makes sure that the module stays
 *
 * Context: any but NMI.
 *
 * Return: 0, -ESRCH (the thread exits).
 */
int pmc_task_work_add(struct task_struct *task, struct callback_head *work)
{
	WRITE_ONCE(pmc_task_work_used, true);
	return task_work_add(task, work, TWA_RESUME);
}

static void pmc_task_work_run(struct callback_head *head)
{
	struct pmc_task_work *work = container_of(head, struct pmc_task_work, head);

	work->function(work);
	module_put(THIS_MODULE);
}

/**
 * pmc_task_work_queue - queue an acquired work; it keeps the module loaded until it has run
 * @task:	the thread: current, or a new one that has not run yet; it is not exiting
 * @work:	acquired
 * @function:	called by @task in task context, before it returns to user mode or exits
 *
 * Context: any but NMI; a file is open, so the module cannot be unloading.
 */
void pmc_task_work_queue(struct task_struct *task, struct pmc_task_work *work,
			 void (*function)(struct pmc_task_work *work))
{
	work->function = function;
	init_task_work(&work->head, pmc_task_work_run);
	__module_get(THIS_MODULE);
	/* fails only at the end of a thread's exit; the references stay then */
	WARN_ON_ONCE(pmc_task_work_add(task, &work->head));
}

/**
 * pmc_task_work_exit - wait until no thread executes the module's task work; at unload
 *
 * All works have run, but a thread may have been preempted before the last instructions of
 * one.
 */
void pmc_task_work_exit(void)
{
	if (READ_ONCE(pmc_task_work_used))
		synchronize_rcu_tasks();
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Task work: functions of the driver that a thread executes before it returns to user mode
 */
#ifndef PMC_TASK_WORK_H
#define PMC_TASK_WORK_H

#include <linux/sched.h>
#include <linux/types.h>

/**
 * struct pmc_task_work - a preallocated task work, part of its owner's object
 * @head:	for the kernel
 * @function:	called by the task; calls pmc_task_work_release()
 * @busy:	acquired and not released yet
 */
struct pmc_task_work {
	struct callback_head head;
	void (*function)(struct pmc_task_work *work);
	bool busy;
};

/*
 * Acquire @work; returns false if it is busy. Acquirers of one work exclude each other: they
 * run on one CPU with interrupts off, or in one task.
 */
static inline bool pmc_task_work_acquire(struct pmc_task_work *work)
{
	/* pairs with the smp_store_release() in pmc_task_work_release() */
	if (smp_load_acquire(&work->busy))
		return false;
	work->busy = true;
	return true;
}

/* The object that contains @work may be reused from now on. */
static inline void pmc_task_work_release(struct pmc_task_work *work)
{
	/* after the last access to the object: pairs with pmc_task_work_acquire() */
	smp_store_release(&work->busy, false);
}

void pmc_task_work_queue(struct task_struct *task, struct pmc_task_work *work,
			 void (*function)(struct pmc_task_work *work));
int pmc_task_work_add(struct task_struct *task, struct callback_head *work);
void pmc_task_work_exit(void);

#endif /* PMC_TASK_WORK_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What threads do for the driver on their way back to user mode
 */
#ifndef PMC_TASK_WORK_H
#define PMC_TASK_WORK_H

struct callback_head;
struct task_struct;

int pmc_task_work_add(struct task_struct *task, struct callback_head *work);
void pmc_task_work_exit(void);

#endif /* PMC_TASK_WORK_H */

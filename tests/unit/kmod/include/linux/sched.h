/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks, for the module's code in unit tests: each test that uses it defines current */
#ifndef TEST_LINUX_SCHED_H
#define TEST_LINUX_SCHED_H

#include <asm/processor.h>

#define PF_EXITING	0x00000004
#define PF_KTHREAD	0x00200000

struct task_struct {
	void *mm;
	unsigned int flags;
	struct thread_struct thread;
	unsigned char *stack;
	int on_rq;
	int cpu;
};

struct callback_head {
	int unused;
};

#define task_cpu(task)	((task)->cpu)

extern struct task_struct *current;

/* Each test that uses it defines it. */
void cond_resched(void);

#endif /* TEST_LINUX_SCHED_H */

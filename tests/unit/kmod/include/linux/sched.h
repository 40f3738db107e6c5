/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks, for the module's code in unit tests: each test that uses it defines current */
#ifndef TEST_LINUX_SCHED_H
#define TEST_LINUX_SCHED_H

#include <linux/kernel.h>
#include <linux/overflow.h>
#include <asm/processor.h>

#define PF_VCPU		0x00000001
#define PF_EXITING	0x00000004
#define PF_KTHREAD	0x00200000

struct task_struct {
	void *mm;
	unsigned int flags;
	int pid, tgid;
	u64 self_exec_id;
	char comm[16];
	struct thread_struct thread;
	unsigned char *stack;
	int on_rq;
	int cpu;
};

#define task_cpu(task)	((task)->cpu)

extern struct task_struct *current;

/* Each test that uses it defines it. */
void cond_resched(void);

#endif /* TEST_LINUX_SCHED_H */

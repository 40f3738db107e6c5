// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where a task's state is its member __state. */
#include <linux/sched.h>

unsigned int test(const struct task_struct *task);
unsigned int test(const struct task_struct *task)
{
	return task->__state;
}

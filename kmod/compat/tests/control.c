// SPDX-License-Identifier: GPL-2.0-only
/* Compiles with every kernel: if not, the other tests prove nothing. */
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <trace/events/sched.h>

int test(const struct task_struct *task);
int test(const struct task_struct *task)
{
	return task->prio;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compiles where a CPU that goes offline pushes its threads away first: that came with this member
 * (Linux 5.11).
 */
#include <linux/sched.h>

void *test(const struct task_struct *task);
void *test(const struct task_struct *task)
{
	return task->migration_pending;
}

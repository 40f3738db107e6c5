// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compiles where threads are migrated from a CPU before its offline callbacks are called. Linux
 * 5.11 added that and this member in one series.
 */
#include <linux/sched.h>

void *test(const struct task_struct *task);
void *test(const struct task_struct *task)
{
	return task->migration_pending;
}

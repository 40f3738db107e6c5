// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where the tracepoint task_newtask has flags of 64 bits. */
#include <linux/sched.h>
#include <trace/events/task.h>

void test(void (*probe)(void *data, struct task_struct *task, u64 flags));
void test(void (*probe)(void *data, struct task_struct *task, u64 flags))
{
	check_trace_callback_type_task_newtask(probe);
}

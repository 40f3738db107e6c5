// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where the tracepoint sched_process_exit has a second argument. */
#include <linux/mm.h>
#include <trace/events/sched.h>

void test(void (*probe)(void *data, struct task_struct *task, bool group_dead));
void test(void (*probe)(void *data, struct task_struct *task, bool group_dead))
{
	check_trace_callback_type_sched_process_exit(probe);
}

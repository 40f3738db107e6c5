// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where the last argument of the tracepoint sched_switch is the state. */
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <trace/events/sched.h>

void test(void (*probe)(void *data, bool preempt, struct task_struct *prev,
			struct task_struct *next, unsigned int prev_state));
void test(void (*probe)(void *data, bool preempt, struct task_struct *prev,
			struct task_struct *next, unsigned int prev_state))
{
	check_trace_callback_type_sched_switch(probe);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where a task's dumpable state is in struct task_exec_state. */
#include <linux/sched.h>
#include <linux/sched/exec_state.h>

bool test(struct task_struct *task);
bool test(struct task_struct *task)
{
	return rcu_dereference(task->exec_state)->dumpable == TASK_DUMPABLE_OWNER;
}

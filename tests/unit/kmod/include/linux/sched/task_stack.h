/* SPDX-License-Identifier: GPL-2.0-only */
/* A task's stack, for the module's code in unit tests */
#ifndef TEST_LINUX_SCHED_TASK_STACK_H
#define TEST_LINUX_SCHED_TASK_STACK_H

#include <linux/sched.h>

#define task_stack_page(task)	((void *)(task)->stack)

#endif /* TEST_LINUX_SCHED_TASK_STACK_H */

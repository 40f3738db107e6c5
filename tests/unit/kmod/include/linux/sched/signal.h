/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals and resource limits, for unit tests: each test that uses them defines them */
#ifndef TEST_LINUX_SCHED_SIGNAL_H
#define TEST_LINUX_SCHED_SIGNAL_H

#include <linux/sched.h>
#include <stdbool.h>
#include <sys/resource.h>

unsigned long rlimit(unsigned int limit);
bool signal_pending(struct task_struct *task);
bool fatal_signal_pending(struct task_struct *task);

#endif /* TEST_LINUX_SCHED_SIGNAL_H */

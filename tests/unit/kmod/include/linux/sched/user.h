/* SPDX-License-Identifier: GPL-2.0-only */
/* A user's account, for the module's code in unit tests */
#ifndef TEST_LINUX_SCHED_USER_H
#define TEST_LINUX_SCHED_USER_H

#include <linux/atomic.h>

struct user_struct {
	atomic_long_t locked_vm;
};

#endif /* TEST_LINUX_SCHED_USER_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* Mutexes, for the module's code in unit tests */
#ifndef TEST_LINUX_MUTEX_H
#define TEST_LINUX_MUTEX_H

struct mutex {
	int unused;
};

#endif /* TEST_LINUX_MUTEX_H */

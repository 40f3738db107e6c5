/* SPDX-License-Identifier: GPL-2.0-only */
/* Permissions, for the module's code in unit tests: each test that uses them defines them */
#ifndef TEST_LINUX_CAPABILITY_H
#define TEST_LINUX_CAPABILITY_H

#include_next <linux/capability.h>
#include <stdbool.h>

bool perfmon_capable(void);
bool capable(int capability);

#endif /* TEST_LINUX_CAPABILITY_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* Capabilities, for the module's code in unit tests: each test that uses it defines it */
#ifndef TEST_LINUX_CAPABILITY_H
#define TEST_LINUX_CAPABILITY_H

#include <stdbool.h>

bool perfmon_capable(void);

#endif /* TEST_LINUX_CAPABILITY_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* Lockdown, for the module's code in unit tests: each test that uses it defines it */
#ifndef TEST_LINUX_SECURITY_H
#define TEST_LINUX_SECURITY_H

enum lockdown_reason { LOCKDOWN_NONE, LOCKDOWN_PERF };

int security_locked_down(enum lockdown_reason reason);

#endif /* TEST_LINUX_SECURITY_H */

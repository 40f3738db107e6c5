/* SPDX-License-Identifier: GPL-2.0-only */
/* Saved registers, for the module's code in unit tests */
#ifndef TEST_LINUX_PTRACE_H
#define TEST_LINUX_PTRACE_H

#include <asm/ptrace.h>

#endif /* TEST_LINUX_PTRACE_H */

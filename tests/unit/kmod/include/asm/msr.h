/* SPDX-License-Identifier: GPL-2.0-only */
/* The time-stamp counter, for the module's code in unit tests */
#ifndef TEST_ASM_MSR_H
#define TEST_ASM_MSR_H

#include <linux/types.h>
#include <asm/msr-index.h>

u64 rdtsc(void);

#endif /* TEST_ASM_MSR_H */

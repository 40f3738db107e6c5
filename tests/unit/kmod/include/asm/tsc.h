/* SPDX-License-Identifier: GPL-2.0-only */
/* The time-stamp counter in unit tests: each test that uses these defines them */
#ifndef TEST_ASM_TSC_H
#define TEST_ASM_TSC_H

#include <asm/cpufeature.h>
#include <asm/msr.h>

#define rdtsc_ordered()	rdtsc()

extern unsigned int tsc_khz;
int check_tsc_unstable(void);

#endif /* TEST_ASM_TSC_H */

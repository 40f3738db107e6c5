/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's time-stamp counter in unit tests: each test that uses it defines it */
#ifndef TEST_ASM_TSC_H
#define TEST_ASM_TSC_H

extern unsigned int tsc_khz;
int check_tsc_unstable(void);

#endif /* TEST_ASM_TSC_H */

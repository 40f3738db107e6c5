/* SPDX-License-Identifier: GPL-2.0-only */
/* The time-stamp counter of a test; each program of tests has one object that includes it */
#ifndef TEST_CLOCK_H
#define TEST_CLOCK_H

#include <asm/msr.h>

static u64 now;

u64 rdtsc(void)
{
	return now;
}

#endif /* TEST_CLOCK_H */

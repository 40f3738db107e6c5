/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Comparison of counts of user mode with a known number
 *
 * On a real processor each interrupt and each page fault can add one retired instruction and one
 * branch to the counts of user mode (docs/exactness.md). With the environment variable
 * PMCDRV_OVERCOUNT, which main.h sets outside of the emulator, a count may exceed its known number
 * by at most the number of interrupts and page faults meanwhile. Without it the two must be equal.
 *
 * Only these macros use the variable. They are for events that overcount: retired instructions
 * and branches of user mode. The macros evaluate @count twice.
 */
#ifndef SELFTESTS_OVERCOUNT_H
#define SELFTESTS_OVERCOUNT_H

#include <stdint.h>

void overcount_begin(int fd);
void overcount_end(int fd);
uint64_t overcount_most(void);
uint64_t overcount_accept(uint64_t known, uint64_t count);
uint64_t overcount_accept_samples(uint64_t known, uint64_t period, uint64_t samples);

#define EXPECT_COUNT(known, count)	EXPECT_EQ(overcount_accept(known, count), count)
#define ASSERT_COUNT(known, count)	ASSERT_EQ(overcount_accept(known, count), count)

/* The same of a number of overflows or samples with this period */
#define EXPECT_SAMPLES(known, period, samples)					\
	EXPECT_EQ(overcount_accept_samples(known, period, samples), samples)

#endif /* SELFTESTS_OVERCOUNT_H */

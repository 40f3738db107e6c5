/* SPDX-License-Identifier: GPL-2.0-only */
/* The attribute throttle_percent, a period for which its value matters, and a loop to throttle */
#ifndef SELFTESTS_THROTTLING_H
#define SELFTESTS_THROTTLING_H

#include "samples.h"

#define THROTTLE_PERCENT	"/sys/class/misc/pmc/throttle_percent"

/*
 * In instructions. Samples take more than 1 % of the time and, on every processor, less than 50 %.
 * A window holds several of them, even at 12.5 MHz.
 */
#define MEDIUM_PERIOD	7001
/* Rounds of a loop: longer than a window */
#define LONG_LOOP	3000000

/* How many overflows were throttled, after some time in user mode */
static inline uint64_t throttled_later(int fd)
{
	struct pmc_statistics statistics;
	unsigned int i;

	for (i = 0; i < LONG_LOOP; i++)
		asm volatile("");
	return statistics_read(fd, &statistics) ? UINT64_MAX : statistics.throttled;
}

#endif /* SELFTESTS_THROTTLING_H */

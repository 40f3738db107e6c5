/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the kernel runs, for the module's code in unit tests: each test that uses it defines it */
#ifndef TEST_LINUX_PREEMPT_H
#define TEST_LINUX_PREEMPT_H

#include <stdbool.h>

#define HARDIRQ_OFFSET	(1UL << 16)

extern unsigned long preempt_count;

#define hardirq_count()		(preempt_count & 0xf0000UL)
bool pmc_in_hardirq(void);
bool in_serving_softirq(void);

#endif /* TEST_LINUX_PREEMPT_H */

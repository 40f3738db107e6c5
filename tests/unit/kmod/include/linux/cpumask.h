/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of CPUs, for the module's code in unit tests */
#ifndef TEST_LINUX_CPUMASK_H
#define TEST_LINUX_CPUMASK_H

#include <linux/bitops.h>

struct cpumask {
	u32 bits;
};

static inline unsigned int cpumask_weight(const struct cpumask *mask)
{
	return hweight32(mask->bits);
}

#endif /* TEST_LINUX_CPUMASK_H */

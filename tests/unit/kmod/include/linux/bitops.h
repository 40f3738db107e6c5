/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TEST_LINUX_BITOPS_H
#define TEST_LINUX_BITOPS_H

#include <linux/bits.h>

/* Number of the highest bit set, counted from 1, or 0 for 0 */
static inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

#endif /* TEST_LINUX_BITOPS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's functions on bits, for the module's code in unit tests */
#ifndef TEST_LINUX_BITOPS_H
#define TEST_LINUX_BITOPS_H

#include <linux/bits.h>

/* Return: the number of the highest set bit, counted from 1; 0 if no bit is set */
static inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static inline int fls64(unsigned long long x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

#endif /* TEST_LINUX_BITOPS_H */

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

/* Return: the number of the lowest set bit, counted from 0; a bit is set */
static inline unsigned int __ffs64(unsigned long long x)
{
	return __builtin_ctzll(x);
}

static inline unsigned int hweight32(unsigned int x)
{
	return __builtin_popcount(x);
}

#define for_each_set_bit(bit, mask, size)			\
	for ((bit) = 0; (bit) < (size); (bit)++)		\
		if (!(*(mask) & BIT(bit))) {			\
		} else

#endif /* TEST_LINUX_BITOPS_H */

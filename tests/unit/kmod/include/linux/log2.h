/* SPDX-License-Identifier: GPL-2.0-only */
/* Powers of two, for the module's code in unit tests */
#ifndef TEST_LINUX_LOG2_H
#define TEST_LINUX_LOG2_H

#include <linux/bitops.h>
#include <stdbool.h>

/* Return: the exponent of the least power of 2 that is not below @n; 0 for 0 */
static inline unsigned int order_base_2(unsigned int n)
{
	return n > 1 ? fls(n - 1) : 0;
}

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

#endif /* TEST_LINUX_LOG2_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's divisions of 64 bits, for the module's code in unit tests */
#ifndef TEST_LINUX_MATH64_H
#define TEST_LINUX_MATH64_H

#include <linux/types.h>

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

#endif /* TEST_LINUX_MATH64_H */

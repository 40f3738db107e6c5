/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's macros for masks of bits, for the module's code in unit tests */
#ifndef TEST_LINUX_BITS_H
#define TEST_LINUX_BITS_H

#include <linux/limits.h>
#include <linux/types.h>

#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK(high, low)	(~0UL << (low) & ~0UL >> (63 - (high)))
#define GENMASK_ULL(high, low)	(~0ULL << (low) & ~0ULL >> (63 - (high)))

#endif /* TEST_LINUX_BITS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TEST_LINUX_KERNEL_H
#define TEST_LINUX_KERNEL_H

#include <linux/types.h>

#define min_t(type, a, b)	((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define max_t(type, a, b)	((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define min(a, b)		min_t(__typeof__(a), a, b)
#define max(a, b)		max_t(__typeof__(a), a, b)
#define clamp(x, low, high)	min(max(x, low), high)

#endif /* TEST_LINUX_KERNEL_H */

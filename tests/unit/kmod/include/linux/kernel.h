/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's general macros, for the module's code in unit tests */
#ifndef TEST_LINUX_KERNEL_H
#define TEST_LINUX_KERNEL_H

#include <errno.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/types.h>

#define min_t(type, a, b)	((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define max_t(type, a, b)	((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define min(a, b)		min_t(__typeof__(a), a, b)
#define max(a, b)		max_t(__typeof__(a), a, b)
#define clamp(x, low, high)	min(max(x, low), high)

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

/* As the kernel's: 1 if the option is defined as 1, 0 if it is not defined */
#define OPTION_1			0,
#define OPTION_SECOND(first, second, ...) second
#define OPTION_JOINED(joined)		OPTION_SECOND(joined 1, 0)
#define OPTION_VALUE(value)		OPTION_JOINED(OPTION_##value)
#define IS_ENABLED(option)		OPTION_VALUE(option)

#define container_of(pointer, type, member) \
	((type *)((const char *)(pointer) - offsetof(type, member)))

#endif /* TEST_LINUX_KERNEL_H */

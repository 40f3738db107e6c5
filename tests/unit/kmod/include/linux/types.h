/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's names of types, for the module's code in unit tests */
#ifndef TEST_LINUX_TYPES_H
#define TEST_LINUX_TYPES_H

#include_next <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define __user
#define __rcu
#define gfp_t	unsigned int

struct atomic {
	int counter;
};

#define atomic_t	struct atomic

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef __u64 u64;
typedef int32_t s32;
typedef __s64 s64;

#endif /* TEST_LINUX_TYPES_H */

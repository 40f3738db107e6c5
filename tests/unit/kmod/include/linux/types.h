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

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int32_t s32;
typedef long long s64;

#define atomic_t	struct test_atomic

struct test_atomic {
	int value;
};

#define atomic64_t	struct test_atomic64

struct test_atomic64 {
	s64 value;
};

struct callback_head {
	struct callback_head *next;
};

#endif /* TEST_LINUX_TYPES_H */

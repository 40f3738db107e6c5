/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's 64-bit counters of one CPU, for the module's code in unit tests */
#ifndef TEST_ASM_LOCAL64_H
#define TEST_ASM_LOCAL64_H

#include <linux/atomic.h>
#include <linux/types.h>

#define local64_t	struct test_local64

struct test_local64 {
	s64 value;
};

static inline s64 local64_read(const local64_t *local)
{
	return local->value;
}

static inline void local64_add(s64 value, local64_t *local)
{
	local->value += value;
}

static inline s64 local64_add_return(s64 value, local64_t *local)
{
	local->value += value;
	return local->value;
}

static inline void local64_inc(local64_t *local)
{
	local->value++;
}

#endif /* TEST_ASM_LOCAL64_H */

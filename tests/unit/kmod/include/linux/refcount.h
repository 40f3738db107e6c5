/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's reference counts, for the module's code in unit tests */
#ifndef TEST_LINUX_REFCOUNT_H
#define TEST_LINUX_REFCOUNT_H

#include <stdbool.h>

#define refcount_t	struct test_refcount

struct test_refcount {
	int value;
};

static inline void refcount_set(refcount_t *refs, int value)
{
	refs->value = value;
}

static inline void refcount_inc(refcount_t *refs)
{
	refs->value++;
}

static inline bool refcount_dec_and_test(refcount_t *refs)
{
	return !--refs->value;
}

#endif /* TEST_LINUX_REFCOUNT_H */

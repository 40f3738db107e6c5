/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's atomic numbers, for the module's code in unit tests, which are single-threaded */
#ifndef TEST_LINUX_ATOMIC_H
#define TEST_LINUX_ATOMIC_H

#include <linux/compiler.h>
#include <linux/types.h>

#define atomic_long_t	struct test_atomic_long

struct test_atomic_long {
	long value;
};

#define atomic_read(atomic)			((atomic)->value)
#define atomic_inc(atomic)			((void)(atomic)->value++)
#define atomic_dec(atomic)			((void)(atomic)->value--)
#define atomic_sub(from, atomic)		((void)((atomic)->value -= (from)))
#define atomic64_read_acquire(atomic)		((atomic)->value)
#define atomic64_set_release(atomic, to)	((atomic)->value = (to))
#define atomic_long_read(atomic)		((atomic)->value)
#define atomic_long_sub(from, atomic)		((void)((atomic)->value -= (from)))
#define atomic_long_try_cmpxchg(atomic, old, new) \
	((atomic)->value == *(old) ? ((atomic)->value = (new), true) : \
				     (*(old) = (atomic)->value, false))
#define atomic_long_add_return(to, atomic)	((atomic)->value += (to))

#endif /* TEST_LINUX_ATOMIC_H */

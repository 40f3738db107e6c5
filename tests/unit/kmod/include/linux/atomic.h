/* SPDX-License-Identifier: GPL-2.0-only */
/* Atomic numbers, for the module's code in unit tests */
#ifndef TEST_LINUX_ATOMIC_H
#define TEST_LINUX_ATOMIC_H

#include <linux/types.h>

#define atomic_read(atomic)		((atomic)->counter)
#define atomic_inc(atomic)		((void)(atomic)->counter++)
#define atomic_dec(atomic)		((void)(atomic)->counter--)
#define atomic_sub(value, atomic)	((void)((atomic)->counter -= (value)))

#endif /* TEST_LINUX_ATOMIC_H */

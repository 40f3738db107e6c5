/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's counters of one CPU, for the module's code in unit tests */
#ifndef TEST_ASM_LOCAL_H
#define TEST_ASM_LOCAL_H

#define local_t	struct test_local

struct test_local {
	long value;
};

static inline long local_read(const local_t *local)
{
	return local->value;
}

static inline void local_set(local_t *local, long value)
{
	local->value = value;
}

static inline void local_add(long value, local_t *local)
{
	local->value += value;
}

static inline void local_inc(local_t *local)
{
	local->value++;
}

static inline void local_dec(local_t *local)
{
	local->value--;
}

#endif /* TEST_ASM_LOCAL_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* Reference counts, for the module's code in unit tests */
#ifndef TEST_LINUX_REFCOUNT_H
#define TEST_LINUX_REFCOUNT_H

struct refcount {
	int refs;
};

#define refcount_t	struct refcount

#endif /* TEST_LINUX_REFCOUNT_H */

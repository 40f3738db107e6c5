/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of users, for the module's code in unit tests */
#ifndef TEST_LINUX_UIDGID_H
#define TEST_LINUX_UIDGID_H

#include <sys/types.h>

#define kuid_t	struct test_kuid

struct test_kuid {
	uid_t val;
};

#endif /* TEST_LINUX_UIDGID_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* Credentials, for the module's code in unit tests: each test that uses them defines them */
#ifndef TEST_LINUX_CRED_H
#define TEST_LINUX_CRED_H

#include <linux/sched/user.h>

/* Counts references. */
struct cred {
	struct user_struct *user;
	int refs;
};

struct cred *get_current_cred(void);
void put_cred(const struct cred *cred);

#endif /* TEST_LINUX_CRED_H */

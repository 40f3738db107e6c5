/* SPDX-License-Identifier: GPL-2.0-only */
/* User IDs, for the module's code in unit tests */
#ifndef TEST_LINUX_UIDGID_H
#define TEST_LINUX_UIDGID_H

struct kuid {
	unsigned int value;
};

#define kuid_t	struct kuid

#endif /* TEST_LINUX_UIDGID_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* Changing users and capabilities; a program with a set user ID */
#ifndef SELFTESTS_CREDENTIALS_H
#define SELFTESTS_CREDENTIALS_H

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CAP(number)	(1ULL << (number))
#define CAPS_ALL	(CAP(CAP_LAST_CAP + 1) - 1)

static inline int set_user(uid_t uid)
{
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		return -1;
	/*
	 * A change of users makes a process undumpable, so that other processes cannot access
	 * it.
	 */
	return prctl(PR_SET_DUMPABLE, 1);
}

static inline int capabilities(uint64_t permitted, uint64_t effective, uint64_t inheritable)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	int i;

	for (i = 0; i < 2; i++) {
		data[i].permitted = permitted >> 32 * i;
		data[i].effective = effective >> 32 * i;
		data[i].inheritable = inheritable >> 32 * i;
	}
	return syscall(SYS_capset, &header, data);
}

static inline int copy_file(const char *from, const char *to, mode_t mode)
{
	char data[4096];
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ssize_t length;

	while ((length = read(in, data, sizeof(data))) > 0) {
		if (write(out, data, length) != length)
			length = -1;
	}
	close(in);
	if (length || fchmod(out, mode))
		return -1;
	return close(out);
}

#endif /* SELFTESTS_CREDENTIALS_H */

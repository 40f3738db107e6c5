/* SPDX-License-Identifier: GPL-2.0-only */
/* Changing users: a root test becomes an ordinary user, or creates a set-user-ID program */
#ifndef SELFTESTS_CREDENTIALS_H
#define SELFTESTS_CREDENTIALS_H

#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

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

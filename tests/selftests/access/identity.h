/* SPDX-License-Identifier: GPL-2.0-only */
/* A process becomes an ordinary user that differs in some properties of the credentials */
#ifndef SELFTESTS_IDENTITY_H
#define SELFTESTS_IDENTITY_H

#include <grp.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "credentials.h"
#include "pmc.h"

/* On i386 SYS_setresgid takes IDs of 16 bits, and a kernel without CONFIG_UID16 lacks it. */
#ifdef SYS_setresgid32
#define SET_GROUPS	SYS_setresgid32
#else
#define SET_GROUPS	SYS_setresgid
#endif

enum { REAL, EFFECTIVE, SAVED, IDS };

/** struct identity - how a process differs from an ordinary user without capabilities */
struct identity {
	uid_t uid[IDS];
	gid_t gid[IDS];
	uid_t fsuid;
	gid_t fsgid;
	gid_t group;		/* a supplementary group */
	uint64_t permitted, effective, inheritable;
	bool undumpable;
	bool user_namespace;	/* a new one, of the ordinary user */
	bool landlocked;	/* in a Landlock domain of its own */
	bool confined;		/* by AppArmor's profile pmcdrv_test */
};

static inline bool landlock_exists(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

/* Into a new domain, which permits all but making symbolic links */
static inline int landlock_enter(void)
{
	struct landlock_ruleset_attr attr = { .handled_access_fs = LANDLOCK_ACCESS_FS_MAKE_SYM };
	int fd = syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);

	if (fd < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_landlock_restrict_self, fd, 0))
		return -1;
	return close(fd);
}

static inline uid_t id_or_user(uid_t id)
{
	return id ? id : USER_NOBODY;
}

/* The profile of the step apparmor, which forbids to trace */
#define CONFINED_PROFILE	"pmcdrv_test"

/* The capabilities last: the calls before them need some. */
static inline int identity_assume(const struct identity *identity)
{
	const uint64_t set = CAP(CAP_SETUID) | CAP(CAP_SETGID);
	const uint64_t kept = identity->permitted | identity->inheritable | set;
	const uid_t *uid = identity->uid;
	const gid_t *gid = identity->gid;

	if (setgroups(!!identity->group, &identity->group) ||
	    setresgid(id_or_user(gid[REAL]), id_or_user(gid[EFFECTIVE]),
		      id_or_user(gid[SAVED])) ||
	    prctl(PR_SET_KEEPCAPS, 1) ||
	    setresuid(id_or_user(uid[REAL]), id_or_user(uid[EFFECTIVE]),
		      id_or_user(uid[SAVED])) ||
	    capabilities(kept, set, identity->inheritable))
		return -1;
	if (identity->fsuid)
		setfsuid(identity->fsuid);
	if (identity->fsgid)
		setfsgid(identity->fsgid);
	/* all capabilities of the new namespace come with it */
	if (identity->user_namespace && unshare(CLONE_NEWUSER))
		return -1;
	if (identity->landlocked && landlock_enter())
		return -1;
	if (identity->confined &&
	    file_write("/proc/self/attr/current", "changeprofile " CONFINED_PROFILE))
		return -1;
	if (capabilities(identity->permitted, identity->effective, identity->inheritable))
		return -1;
	return prctl(PR_SET_DUMPABLE, !identity->undumpable);
}

#endif /* SELFTESTS_IDENTITY_H */

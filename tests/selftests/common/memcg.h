/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A memory control group for the test's process: the kernel charges allocations for the process
 * to it, in whole pages
 */
#ifndef SELFTESTS_MEMCG_H
#define SELFTESTS_MEMCG_H

#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmc.h"

#define MEMORY_ROOT	"/tmp/pmc-cgroup"
#define MEMORY_GROUP	MEMORY_ROOT "/pmc"

/* Move the caller and its future children to the group; what is charged elsewhere stays there. */
static inline int memory_group_join(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", getpid());
	return file_write(MEMORY_GROUP "/cgroup.procs", text);
}

/*
 * Move the caller and its future children to a group without charges. Returns -ENODEV if the
 * kernel has no memory control groups.
 */
static inline int memory_group_enter(void)
{
	mkdir(MEMORY_ROOT, 0700);
	if (access(MEMORY_ROOT "/cgroup.controllers", F_OK) &&
	    mount("none", MEMORY_ROOT, "cgroup2", 0, NULL))
		return -ENODEV;
	if (file_write(MEMORY_ROOT "/cgroup.subtree_control", "+memory"))
		return -ENODEV;
	rmdir(MEMORY_GROUP);
	if (mkdir(MEMORY_GROUP, 0700))
		return -errno;
	return memory_group_join();
}

/* Leave the group; what is charged to it stays charged. */
static inline int memory_group_leave(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", getpid());
	return file_write(MEMORY_ROOT "/cgroup.procs", text);
}

/*
 * Wait until objects freed after grace periods are free: this CPU frees them in order of the
 * requests, and one may request another.
 */
static inline int grace_periods(void)
{
	int n, err = 0;

	for (n = 0; n < 3 && !err; n++)
		err = syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	return err;
}

/* A number in one of the group's files, or -errno */
static inline long long memory_number(const char *file)
{
	char path[64], text[32];
	int err;

	snprintf(path, sizeof(path), MEMORY_GROUP "/%s", file);
	err = file_read(path, text, sizeof(text));
	return err ? err : atoll(text);
}

/*
 * Bytes charged now, or -errno. Each CPU may cache some more pages that are charged and not
 * used: a limit makes the kernel release this CPU's cache at once, and reclaim what it can.
 */
static inline long long memory_charged(void)
{
	int err;

	err = file_write(MEMORY_GROUP "/memory.high", "0");
	if (!err)
		err = file_write(MEMORY_GROUP "/memory.high", "max");
	return err ? err : memory_number("memory.current");
}

#endif /* SELFTESTS_MEMCG_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * CONFIGURE when there is no memory: -ENOMEM, and nothing is left behind. The
 * kernel's allocations are charged to a memory control group of 2 MiB whose only
 * process cannot be killed for it: so they fail. Fills the group with open files
 * of the device. Needs a boot of its own: the kernel's log tells of it at length.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pmc.h"

#define ROOT	"/tmp/pmc-cgroup"
#define GROUP	ROOT "/pmc"
#define FILES	20000

static int fds[FILES];

/* Open files until CONFIGURE of the first one fails; returns how it failed. */
static int fill(struct setup *setup, int *nr)
{
	int err = 0;

	for (*nr = 0; *nr < FILES; ++*nr) {
		fds[*nr] = pmc_open();
		if (fds[*nr] < 0 && !*nr)
			return fds[*nr];
		if (fds[*nr] >= 0 && *nr % 8)
			continue;
		err = setup_configure(fds[0], setup);
		if (err)
			return err;
		pmc_call(fds[0], PMC_IOC_RELEASE, NULL);
		if (fds[*nr] < 0)
			--*nr;
	}
	return 0;
}

TEST(configure_says_so)
{
	struct rlimit files = { FILES + 16, FILES + 16 };
	struct pmc_query query;
	struct setup setup;
	char pid[16];
	int err, nr;

	NEED_COUNTERS(&query);
	NEED_ROOT();
	mkdir(ROOT, 0700);
	if (mount("none", ROOT, "cgroup2", 0, NULL) ||
	    file_write(ROOT "/cgroup.subtree_control", "+memory"))
		SKIP(return, "this kernel has no memory control groups");
	ASSERT_EQ(0, mkdir(GROUP, 0700));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	ASSERT_EQ(0, file_write("/proc/self/oom_score_adj", "-1000"));
	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	snprintf(pid, sizeof(pid), "%d", getpid());
	ASSERT_EQ(0, file_write(GROUP "/cgroup.procs", pid));
	ASSERT_EQ(0, mlockall(MCL_CURRENT | MCL_FUTURE));
	ASSERT_EQ(0, file_write(GROUP "/memory.max", "2097152"));

	err = fill(&setup, &nr);
	EXPECT_EQ(0, file_write(GROUP "/memory.max", "max"));
	EXPECT_EQ(-ENOMEM, err);

	/* With memory it works, and nothing was kept. */
	EXPECT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
	EXPECT_EQ(0, query.contexts);
	EXPECT_EQ(0, setup_configure(fds[0], &setup));
	EXPECT_EQ(0, pmc_call(fds[0], PMC_IOC_RELEASE, NULL));
	while (--nr >= 0)
		close(fds[nr]);
}

TEST_HARNESS_MAIN

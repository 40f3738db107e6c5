// SPDX-License-Identifier: GPL-2.0-only
/*
 * CONFIGURE when there is no memory: -ENOMEM, and nothing is left behind. The
 * kernel's allocations are charged to a memory control group that may have no more
 * than it has, then a page more, and so on until CONFIGURE gets what it needs: its
 * allocations fail from the first to the last. The group's only process cannot be
 * killed for it. Needs a boot of its own: the kernel's log tells of it at length.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pmc.h"

#define ROOT	"/tmp/pmc-cgroup"
#define GROUP	ROOT "/pmc"
#define FAILED_MAX	256

TEST(configure_says_so)
{
	struct pmc_query query;
	struct setup setup;
	int fd, max, failed;
	char text[32];

	NEED_COUNTERS(&query);
	NEED_ROOT();
	mkdir(ROOT, 0700);
	if (mount("none", ROOT, "cgroup2", 0, NULL) ||
	    file_write(ROOT "/cgroup.subtree_control", "+memory"))
		SKIP(return, "this kernel has no memory control groups");
	ASSERT_EQ(0, mkdir(GROUP, 0700));
	ASSERT_EQ(0, file_write("/proc/self/oom_score_adj", "-1000"));
	/* what is said of each failure would take seconds on a serial line */
	ASSERT_EQ(0, file_write("/proc/sys/kernel/printk", "1"));
	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	snprintf(text, sizeof(text), "%d", getpid());
	ASSERT_EQ(0, file_write(GROUP "/cgroup.procs", text));
	ASSERT_EQ(0, mlockall(MCL_CURRENT | MCL_FUTURE));
	fd = pmc_open();
	ASSERT_LE(0, fd);
	max = open(GROUP "/memory.max", O_WRONLY);
	ASSERT_LE(0, max);

	for (failed = 0; failed < FAILED_MAX; failed++) {
		int err;

		snprintf(text, sizeof(text), "%d", failed * 4096);
		ASSERT_EQ((ssize_t)strlen(text), pwrite(max, text, strlen(text), 0));
		err = setup_configure(fd, &setup);
		if (!err)
			break;
		ASSERT_EQ(-ENOMEM, err);
		/* nothing was kept */
		memset(&query, 0, sizeof(query));
		query.size = sizeof(query);
		query.cpu = PMC_CPU_ANY;
		EXPECT_EQ(0, pmc_call(fd, PMC_IOC_QUERY, &query));
		EXPECT_EQ(0, query.contexts);
	}
	ASSERT_EQ(3, pwrite(max, "max", 3, 0));
	EXPECT_LT(0, failed);
	EXPECT_GT(FAILED_MAX, failed);
	EXPECT_EQ(0, pmc_call(fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
	EXPECT_EQ(0, query.contexts);
	close(max);
	close(fd);
}

TEST_HARNESS_MAIN

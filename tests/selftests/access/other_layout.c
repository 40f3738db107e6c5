// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests a module that was built with the headers of another kernel, in which the permission for
 * RDPMC is 8 bytes behind that of this kernel: there this kernel keeps flags of the address space.
 * Needs the step that loads it.
 *
 * RDPMC is not granted, not even to every process, and the flags stay as they are.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "user_read.h"

#define PCE		"/sys/class/misc/pmc/pce"

FIXTURE(other_layout) {
	BASE_FIXTURE;
	const struct pmc_page *page;
};

FIXTURE_SETUP(other_layout)
{
	NEED_COUNTERS_AND_ROOT(&self->query);
	if (!getenv("PMCDRV_OTHER_LAYOUT"))
		SKIP(return, "needs a module that was built for another kernel");
	OPEN_DEVICE(self->fd);
	setup_thread_one(&self->setup, 0, PMC_CONFIG_USER_READ);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	self->page = page_map(self->fd);
	ASSERT_NE(NULL, self->page);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
}

FIXTURE_TEARDOWN_CLOSE(other_layout)

TEST_F(other_layout, rdpmc_is_not_granted)
{
	char text[128];
	uint64_t value;

	EXPECT_FALSE(page_read(self->page, 0, &value));
	ASSERT_EQ(0, file_read(PCE, text, sizeof(text)));
	EXPECT_STREQ("1 (no effect: perf's rdpmc file contains 0, or the module was built for another kernel)\n",
		     text);
	EXPECT_FALSE(page_read(self->page, 0, &value));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_LT(0, self->reading.value[0]);
}

/* Then RDPMC works in every process, and shows nothing about the permission. */
TEST_F(other_layout, rdpmc_is_not_granted_while_perf_permits_all)
{
	uint64_t value;

	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "2"));
	EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	EXPECT_FALSE(page_read(self->page, 0, &value));
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "1"));
}

/* Setting 2 would change the flags of every process. */
TEST_F(other_layout, every_process_is_refused)
{
	char text[128];

	EXPECT_EQ(-ENOEXEC, file_write(PCE, "2"));
	ASSERT_EQ(0, file_read(PCE, text, sizeof(text)));
	EXPECT_EQ('1', text[0]);
}

/* A fork copies the flags, and the driver removes its own permission from a copied count. */
TEST_F(other_layout, a_forked_process_keeps_its_flags)
{
	int status;
	pid_t child;

	ASSERT_EQ(0, prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		syscall(SYS_exit_group, prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(1, WEXITSTATUS(status));
}

TEST_HARNESS_MAIN

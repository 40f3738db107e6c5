// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel that is locked down: counting kernel mode is EPERM, user mode goes
 * on. It cannot be undone, so this belongs into a boot of its own; the runner
 * runs it only when it is named.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>

#include "kselftest_harness.h"
#include "pmc.h"

#define SECURITYFS	"/sys/kernel/security"
#define LOCKDOWN	SECURITYFS "/lockdown"

FIXTURE(lockdown) {
	struct pmc_query query;
	struct setup setup;
	int fd;
};

/* perf's level: what confidentiality forbids (include/linux/security.h). */
FIXTURE_SETUP(lockdown)
{
	char levels[128];

	NEED_COUNTERS(&self->query);
	NEED_ROOT();
	if (access(LOCKDOWN, F_OK))
		mount("none", SECURITYFS, "securityfs", 0, NULL);
	if (file_read(LOCKDOWN, levels, sizeof(levels)))
		SKIP(return, "no " LOCKDOWN);
	if (!strstr(levels, "[confidentiality]") && file_write(LOCKDOWN, "confidentiality"))
		SKIP(return, "this kernel cannot be locked down");
	self->fd = pmc_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(lockdown)
{
	close(self->fd);
}

TEST_F(lockdown, kernel_mode_is_eperm)
{
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_KERNEL);
	EXPECT_EQ(-EPERM, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(1, self->setup.config.failed_entry);
	self->setup.counter[1].flags = PMC_COUNT_KERNEL | PMC_COUNT_USER;
	EXPECT_EQ(-EPERM, setup_configure(self->fd, &self->setup));
	setup_cpu(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_KERNEL);
	EXPECT_EQ(-EPERM, setup_configure(self->fd, &self->setup));
}

TEST_F(lockdown, user_mode_goes_on)
{
	struct program programs[PROGRAMS_MAX];
	struct reading reading;
	struct child child;
	int n = programs_load(programs);

	ASSERT_LT(0, n);
	ASSERT_EQ(0, child_program(&child, &programs[0]));
	setup_thread(&self->setup, child.pid, PMC_CONFIG_ON_EXEC);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_go(&child));
	ASSERT_EQ(0, child_wait(&child));
	ASSERT_EQ(0, reading_take(self->fd, &reading));
	EXPECT_EQ(programs[0].instructions, reading.value[0]);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the driver under kernel lockdown
 *
 * Integrity: everything works, but unsigned modules are not loaded. Confidentiality: counting
 * kernel mode fails with EPERM; user mode and earlier contexts keep counting. Lockdown cannot
 * be undone, so the test needs its own boot, and the runner runs it only by name. The tests are
 * in the order of the levels.
 */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "samples.h"

#define SECURITYFS	"/sys/kernel/security"
#define LOCKDOWN	SECURITYFS "/lockdown"
#define SIGNATURE	"~Module signature appended~\n"
#define PERIOD		100000

/* The current lockdown level, or -errno */
static int level_now(char level[32])
{
	char levels[128], *end;
	int err;

	if (access(LOCKDOWN, F_OK))
		mount("none", SECURITYFS, "securityfs", 0, NULL);
	err = file_read(LOCKDOWN, levels, sizeof(levels));
	if (err)
		return err;
	end = strchr(levels, ']');
	if (!end || !strchr(levels, '['))
		return -EINVAL;
	*end = 0;
	snprintf(level, 32, "%s", strchr(levels, '[') + 1);
	return 0;
}

/* A level above this one cannot be left: -EPERM. */
static int level_raise(const char *level)
{
	char now[32];
	int err = level_now(now);

	return err || !strcmp(now, level) ? err : file_write(LOCKDOWN, level);
}

static void setup_kernel_mode(struct setup *setup)
{
	setup_thread(setup, 0, 0);
	setup_add(setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
}

static void setup_kernel_chain(struct setup *setup)
{
	setup_thread_one(setup, 0, 0);
	setup->config.sample_flags = PMC_SAMPLE_KERNEL_CALLCHAIN;
	setup_period(setup, 0, PERIOD);
}

/* ---- integrity: the kernel may be read, not written ---- */

FIXTURE(integrity) {
	BASE_FIXTURE;
};

FIXTURE_SETUP(integrity)
{
	char level[32];

	NEED_COUNTERS_AND_ROOT(&self->query);
	if (level_now(level))
		SKIP(return, "no " LOCKDOWN);
	if (level_raise("integrity"))
		SKIP(return, "this kernel cannot be locked down for integrity, it is at: %s",
		     level);
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN_CLOSE(integrity)

TEST_F(integrity, kernel_mode_is_allowed)
{
	struct reading reading;

	setup_kernel_mode(&self->setup);
	CONFIGURE_AND_START(self->fd, &self->setup);
	STOP_AND_READ(self->fd, &reading);
	EXPECT_LT(0, reading.value[0]);
}

TEST_F(integrity, kernel_chain_is_allowed)
{
	if (!(self->query.features & PMC_FEATURE(INTERRUPT)))
		SKIP(return, "no interrupt on overflow");
	setup_kernel_chain(&self->setup);
	EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
}

/* Does the file end with a module signature? */
static bool is_signed(int module)
{
	char end[sizeof(SIGNATURE) - 1];
	struct stat stat;

	return !fstat(module, &stat) &&
	       pread(module, end, sizeof(end), stat.st_size - sizeof(end)) == sizeof(end) &&
	       !memcmp(end, SIGNATURE, sizeof(end));
}

/* The module is loaded already: without lockdown, EEXIST would be the next error. */
TEST_F(integrity, an_unsigned_module_is_not_loaded)
{
	const char *path = getenv("PMCDRV_KO");
	int module;

	if (!path)
		SKIP(return, "no PMCDRV_KO");
	module = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, module);
	if (is_signed(module))
		SKIP(return, "%s is signed", path);
	ASSERT_EQ(-1, syscall(SYS_finit_module, module, "", 0));
	EXPECT_EQ(EPERM, errno);
	close(module);
}

/* ---- from there to confidentiality ---- */

/*
 * A context allowed when it was configured keeps counting, like an open perf event: the kernel
 * checks at the open. After RELEASE it is not allowed again.
 */
TEST_F(integrity, earlier_context_keeps_counting)
{
	struct reading first[2], second;
	struct setup setup[2];
	int fd[2] = { self->fd, pmc_open() };
	int i;

	ASSERT_LE(0, fd[1]);
	/* START of this thread takes the fast path, see kmod/target/self.c */
	setup_kernel_mode(&setup[0]);
	setup_cpu(&setup[1], 0);
	setup_add(&setup[1], PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	for (i = 0; i < 2; i++) {
		CONFIGURE_AND_START(fd[i], &setup[i]);
		ASSERT_EQ(0, reading_read(fd[i], &first[i]));
	}
	ASSERT_EQ(0, level_raise("confidentiality"));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, reading_read(fd[i], &second));
		EXPECT_LT(first[i].value[0], second.value[0]);
		EXPECT_EQ(0, pmc_call(fd[i], PMC_IOC_STOP, NULL));
		EXPECT_EQ(0, pmc_call(fd[i], PMC_IOC_RESET, NULL));
		EXPECT_EQ(0, pmc_call(fd[i], PMC_IOC_START, NULL));
		EXPECT_EQ(0, pmc_call(fd[i], PMC_IOC_STOP, NULL));
		ASSERT_EQ(0, reading_read(fd[i], &second));
		EXPECT_LT(0, second.value[0]);
		EXPECT_EQ(0, pmc_call(fd[i], PMC_IOC_RELEASE, NULL));
		EXPECT_EQ(-EPERM, setup_configure(fd[i], &setup[i]));
	}
	close(fd[1]);
}

/* ---- confidentiality: the level of perf, see include/linux/security.h ---- */

FIXTURE(lockdown) {
	BASE_FIXTURE;
};

FIXTURE_SETUP(lockdown)
{
	char level[32];

	NEED_COUNTERS_AND_ROOT(&self->query);
	if (level_now(level))
		SKIP(return, "no " LOCKDOWN);
	if (level_raise("confidentiality"))
		SKIP(return, "this kernel cannot be locked down");
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN_CLOSE(lockdown)

TEST_F(lockdown, kernel_mode_is_eperm)
{
	setup_thread_one(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_KERNEL);
	EXPECT_EQ(-EPERM, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(1, self->setup.config.failed_entry);
	self->setup.counter[1].flags = PMC_COUNT_KERNEL | PMC_COUNT_USER;
	EXPECT_EQ(-EPERM, setup_configure(self->fd, &self->setup));
	setup_cpu(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_KERNEL);
	EXPECT_EQ(-EPERM, setup_configure(self->fd, &self->setup));
}

/* Samples of user mode are allowed, but not with a kernel call chain. */
TEST_F(lockdown, kernel_chain_is_eperm)
{
	if (!(self->query.features & PMC_FEATURE(INTERRUPT)))
		SKIP(return, "no interrupt on overflow");
	setup_kernel_chain(&self->setup);
	EXPECT_EQ(-EPERM, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(PMC_ENTRY_NONE, self->setup.config.failed_entry);
	self->setup.config.sample_flags |= PMC_SAMPLE_USER_CALLCHAIN;
	EXPECT_EQ(-EPERM, setup_configure(self->fd, &self->setup));
	self->setup.config.sample_flags = PMC_SAMPLE_USER_CALLCHAIN;
	EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
}

TEST_F(lockdown, user_mode_goes_on)
{
	struct program programs[PROGRAMS_MAX];
	struct reading reading;
	struct child child;
	int n = programs_load(programs);

	ASSERT_LT(0, n);
	ASSERT_EQ(0, child_program(&child, &programs[0]));
	setup_thread_one(&self->setup, child.pid, PMC_CONFIG_ON_EXEC);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_run(&child));
	ASSERT_EQ(0, reading_read(self->fd, &reading));
	EXPECT_EQ(programs[0].instructions, reading.value[0]);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests memory of contexts: charging to a memory control group, ENOMEM, and a CONFIGURE that is
 * killed, or during which a CPU goes offline, while it allocates
 *
 * The kernel charges a context's memory to the memory control group of its owner. CONFIGURE
 * without memory returns ENOMEM and leaves nothing behind: the limit of the group rises page by
 * page until CONFIGURE succeeds, so its allocations fail from the first to the last. The
 * group's only process cannot be killed for it. The test needs its own boot, because the kernel
 * logs each failure at length.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "credentials.h"
#include "memcg.h"
#include "fixture.h"
#include "samples.h"

#define PERIOD		100000
#define RING_SMALL	(1U << 20)
#define FAILED_MAX	256
#define RING_KB		"/sys/module/pmcdrv/parameters/ring_kb"
#define USER		61234	/* without any other process */
#define CPU1_ONLINE	"/sys/devices/system/cpu/cpu1/online"

FIXTURE(group) {
	BASE_FIXTURE;
	long page;
	long cpus;
	char ring_kb[32];	/* the value found */
};

FIXTURE_SETUP(group)
{
	int err;

	NEED_COUNTERS_AND_ROOT(&self->query);
	self->page = sysconf(_SC_PAGESIZE);
	self->cpus = sysconf(_SC_NPROCESSORS_CONF);
	ASSERT_EQ(0, file_read(RING_KB, self->ring_kb, sizeof(self->ring_kb)));
	/* one CPU caches the charges of this process */
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, file_write("/proc/self/oom_score_adj", "-1000"));
	/* the messages about each failure would take seconds on a serial line */
	ASSERT_EQ(0, file_write("/proc/sys/kernel/printk", "1"));
	err = memory_group_enter();
	if (err == -ENODEV)
		SKIP(return, "this kernel has no memory control groups");
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, mlockall(MCL_CURRENT | MCL_FUTURE));
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN(group)
{
	close(self->fd);
	file_write(RING_KB, self->ring_kb);
	memory_group_leave();
}

static void setup_ring(struct setup *setup, uint32_t size)
{
	setup_cpu_one(setup, 0);
	setup_period(setup, 0, PERIOD);
	setup->config.ring_size = size;
}

/*
 * The largest ring and its header page are charged. The rest of the context takes a little more.
 */
TEST_F(group, ring_is_charged_to_memcg)
{
	const long long ring = PMC_RING_SIZE_MAX + self->page;
	long long before, with, after;

	if (!(self->query.features & PMC_FEATURE(INTERRUPT)))
		SKIP(return, "no interrupt on overflow");
	setup_ring(&self->setup, PMC_RING_SIZE_MAX);
	/* objects that are allocated once and kept already exist now */
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, grace_periods());
	before = memory_charged();
	ASSERT_LT(0, before);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	with = memory_charged();
	EXPECT_LE(before + ring, with);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, grace_periods());
	after = memory_charged();
	EXPECT_GE(with - ring, after);
}

/* 300 contexts leave less than a page: in each scope RELEASE frees all that CONFIGURE allocated. */
TEST_F(group, release_frees_memory)
{
	uint32_t scope;
	int i;

	for (scope = PMC_SCOPE_CPU; scope <= PMC_SCOPE_TREE; scope++) {
		long long before = 0;

		if (scope == PMC_SCOPE_CPU)
			setup_cpu_one(&self->setup, 0);
		else
			setup_thread_one(&self->setup, 0, 0);
		self->setup.config.scope = scope;
		for (i = 0; i <= 300; i++) {
			ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
			ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
			/* objects that are allocated once and kept exist after the first round */
			if (i)
				continue;
			ASSERT_EQ(0, grace_periods());
			before = memory_charged();
			ASSERT_LT(0, before);
		}
		ASSERT_EQ(0, grace_periods());
		EXPECT_GT(before + self->page, memory_charged());
	}
}

static unsigned int contexts_now(int fd)
{
	struct pmc_query query = { .size = sizeof(query), .cpu = PMC_CPU_ANY };

	return pmc_call(fd, PMC_IOC_QUERY, &query) ? -1U : query.contexts;
}

/* Raise the limit by a page each time until CONFIGURE succeeds. */
static void configure_with_more_and_more(struct __test_metadata *_metadata,
					 struct _test_data_group *self, int failed_max)
{
	int max, failed, err;
	char text[32];

	max = open(MEMORY_GROUP "/memory.max", O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, max);
	for (failed = 0; failed < failed_max; failed++) {
		snprintf(text, sizeof(text), "%ld", failed * self->page);
		ASSERT_EQ((ssize_t)strlen(text), pwrite(max, text, strlen(text), 0));
		err = setup_configure(self->fd, &self->setup);
		if (!err)
			break;
		ASSERT_EQ(-ENOMEM, err);
		/* nothing was kept */
		EXPECT_EQ(0, contexts_now(self->fd));
	}
	ASSERT_EQ(3, pwrite(max, "max", 3, 0));
	EXPECT_LT(0, failed);
	EXPECT_GT(failed_max, failed);
	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(0, contexts_now(self->fd));
	close(max);
}

TEST_F(group, configure_returns_enomem)
{
	setup_thread_one(&self->setup, 0, 0);
	configure_with_more_and_more(_metadata, self, FAILED_MAX);
}

/* The same for a context with a ring; no part of a ring is leaked. */
TEST_F(group, configure_with_ring_returns_enomem)
{
	long long before;

	if (!(self->query.features & PMC_FEATURE(INTERRUPT)))
		SKIP(return, "no interrupt on overflow");
	setup_ring(&self->setup, RING_SMALL);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, grace_periods());
	before = memory_charged();
	ASSERT_LT(0, before);
	configure_with_more_and_more(_metadata, self,
				     FAILED_MAX + RING_SMALL / self->page);
	ASSERT_EQ(0, grace_periods());
	/* of hundreds of failures not a page each; the rest of one page may vary */
	EXPECT_GE(before + self->page, memory_charged());
}

/* ---- CONFIGURE that stops in the middle of the allocation of its rings ---- */

/* A ring of @size for each CPU; an ordinary user may have these and no page more. */
static int setup_rings(struct _test_data_group *self, uint32_t size)
{
	char text[32];

	setup_thread_one(&self->setup, 0, 0);
	setup_period(&self->setup, 0, PERIOD);
	self->setup.config.ring_size = size;
	snprintf(text, sizeof(text), "%ld", (self->page + size) / 1024);
	return file_write(RING_KB, text);
}

/* A process of USER that enters the group and has called CONFIGURE once; then it pauses. */
static pid_t configure_as_user(struct _test_data_group *self)
{
	const struct rlimit none = { 0, 0 };
	pid_t pid = fork();

	if (pid)
		return pid;
	if (memory_group_join() || setrlimit(RLIMIT_MEMLOCK, &none) || set_user(USER))
		_exit(255);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (setup_configure(self->fd, &self->setup))
		_exit(254);
	for (;;)
		pause();
}

/* Wait until the child @pid sleeps in the system call @number: not in pause() instead, or ended. */
static int sleeps_in(pid_t pid, int number)
{
	char path[32], text[16];
	int err, is;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	do {
		err = file_read(path, text, sizeof(text));
		if (err)
			return err;
		is = atoi(text);	/* "running": 0 */
		if (waitpid(pid, NULL, WNOHANG) || (is == SYS_pause && is != number))
			return -ECHILD;
	} while (is != number);
	return 0;
}

/*
 * The same, stopped in the middle: above memory.high the kernel makes a process sleep for two
 * seconds or until it is killed, within an allocation of the system call if it has charged much
 * (from Linux 5.18 on). The caller has left the group.
 */
static pid_t configure_slowly(struct _test_data_group *self)
{
	pid_t pid;
	int err;

	err = file_write(MEMORY_GROUP "/memory.high", "0");
	if (err)
		return err;
	pid = configure_as_user(self);
	err = pid > 0 ? sleeps_in(pid, SYS_ioctl) : 0;
	return err ? err : pid;
}

static int killed(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	/* what it still does is not slowed down */
	file_write(MEMORY_GROUP "/memory.high", "max");
	return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) ? 0 : -ECHILD;
}

/* The rest is not allocated, the pages are freed, and what the user was charged is given back. */
TEST_F(group, configure_with_rings_is_killed)
{
	long long before = 0;
	int round;
	pid_t pid;

	if (!(self->query.features & PMC_FEATURE(INTERRUPT)))
		SKIP(return, "no interrupt on overflow");
	ASSERT_EQ(0, memory_group_leave());
	ASSERT_EQ(0, setup_rings(self, PMC_RING_SIZE_MAX));
	/* after the first round objects that are allocated once and kept already exist */
	for (round = 0; round < 2; round++) {
		ASSERT_EQ(0, grace_periods());
		before = memory_charged();
		pid = configure_slowly(self);
		ASSERT_LT(0, pid);
		ASSERT_EQ(0, killed(pid));
		EXPECT_GT(self->cpus * PMC_RING_SIZE_MAX, memory_number("memory.peak"));
	}
	ASSERT_EQ(0, grace_periods());
	EXPECT_GE(before + self->page, memory_charged());
	/* the user may have all of its pages again */
	pid = configure_as_user(self);
	ASSERT_LT(0, pid);
	EXPECT_EQ(0, sleeps_in(pid, SYS_pause));
	EXPECT_EQ(0, killed(pid));
}

/* A CPU goes offline meanwhile: CONFIGURE holds no lock that CPU hotplug waits for. */
TEST_F(group, cpu_goes_offline_while_rings_are_allocated)
{
	long long before;
	pid_t pid;

	NEED_CPUS(2);
	if (!(self->query.features & PMC_FEATURE(INTERRUPT)))
		SKIP(return, "no interrupt on overflow");
	ASSERT_EQ(0, memory_group_leave());
	ASSERT_EQ(0, setup_rings(self, RING_SMALL));
	before = memory_charged();
	pid = configure_slowly(self);
	ASSERT_LT(0, pid);
	EXPECT_EQ(0, file_write(CPU1_ONLINE, "0"));
	EXPECT_GT(before + self->cpus * RING_SMALL, memory_number("memory.current"));
	EXPECT_EQ(0, file_write(CPU1_ONLINE, "1"));
	EXPECT_EQ(0, killed(pid));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests memory of contexts: charging to a memory control group, and ENOMEM
 *
 * The kernel charges a context's memory to the memory control group of its owner. CONFIGURE
 * without memory returns ENOMEM and leaves nothing behind: the limit of the group rises page by
 * page until CONFIGURE succeeds, so its allocations fail from the first to the last. The
 * group's only process cannot be killed for it. The test needs its own boot, because the kernel
 * logs each failure at length.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "memcg.h"
#include "fixture.h"
#include "samples.h"

#define PERIOD		100000
#define RING_SMALL	(1U << 20)
#define FAILED_MAX	256

FIXTURE(group) {
	BASE_FIXTURE;
	long page;
};

FIXTURE_SETUP(group)
{
	int err;

	NEED_COUNTERS_AND_ROOT(&self->query);
	self->page = sysconf(_SC_PAGESIZE);
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
	memory_group_leave();
}

static void setup_ring(struct setup *setup, uint32_t size)
{
	setup_cpu_one(setup, 0);
	setup_period(setup, 0, PERIOD);
	setup->config.ring_size = size;
}

/*
 * The largest ring is charged completely, as is one a page smaller. Its bookkeeping takes a
 * little more.
 */
TEST_F(group, ring_is_charged_to_memcg)
{
	const long long ring = PMC_RING_SIZE_MAX + self->page;
	long long before, with, after;

	if (!(self->query.features & PMC_FEATURE(INTERRUPT)))
		SKIP(return, "no interrupt on overflow");
	setup_ring(&self->setup, PMC_RING_SIZE_MAX);
	/* objects that are allocated once and stay exist now */
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

TEST_HARNESS_MAIN

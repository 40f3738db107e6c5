// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that wrap many times: the 64-bit count is right all the same. Real
 * ones of 40 and 48 bits take too long; the emulated ones can be made narrower
 * (PMCDRV_PMU=width=20,fixed_width=20).
 */
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "pmc.h"

/* The longest program must make it wrap more than once. */
#define WIDEST	22

static void wraps(struct __test_metadata *_metadata, uint64_t event)
{
	struct program programs[PROGRAMS_MAX];
	const struct program *loop;
	struct pmc_query query;
	struct reading reading;
	struct child child;
	struct setup setup;
	unsigned int i;
	int fd, n;

	NEED_COUNTERS(&query);
	if (query.general_width > WIDEST || query.fixed_width > WIDEST)
		SKIP(return, "counters of %u bits take too long to wrap", query.general_width);
	n = programs_load(programs);
	ASSERT_LT(0, n);
	loop = program_find(programs, n, "./loop-10m");
	ASSERT_NE(NULL, loop);
	ASSERT_LT(1ULL << (query.general_width + 1), loop->branches);
	fd = pmc_open();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, child_program(&child, loop));
	setup_thread(&setup, child.pid, PMC_CONFIG_ON_EXEC);
	setup_add_all(&setup, &query, event, PMC_COUNT_USER);
	for (i = 0; i < setup.config.nr_counters; i++)
		setup.counter[i].initial = (uint64_t)i << 40;
	ASSERT_EQ(0, setup_configure(fd, &setup));
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_go(&child));
	ASSERT_EQ(0, child_wait(&child));
	ASSERT_EQ(0, reading_read(fd, &reading));
	for (i = 0; i < reading.nr_counters; i++) {
		EXPECT_EQ(((uint64_t)i << 40) + program_count(loop, event), reading.value[i]);
	}
}

TEST(instructions)
{
	wraps(_metadata, EVENT_INSTRUCTIONS);
}

TEST(branches)
{
	wraps(_metadata, EVENT_BRANCHES);
}

TEST_HARNESS_MAIN

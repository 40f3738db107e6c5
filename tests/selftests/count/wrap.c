// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that the 64-bit counts are right when the hardware counters wrap many times
 *
 * Counters of 40 or 48 bits take too long to wrap; the emulated ones can be made narrower
 * (PMCDRV_PMU=width=20,fixed_width=20).
 */
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "fixture.h"

/* The widest counter that wraps more than once during the longest program */
#define WIDEST	22

static void wraps(struct __test_metadata *_metadata, uint64_t event)
{
	const struct program *loop;
	struct pmc_query query;
	struct reading reading;
	struct child child;
	struct setup setup;
	unsigned int i;
	int fd;

	NEED_COUNTERS(&query);
	if (query.general_width > WIDEST || query.fixed_width > WIDEST)
		SKIP(return, "counters of %u bits take too long to wrap", query.general_width);
	LOAD_PROGRAM(loop, "./loop-10m");
	ASSERT_LT(1ULL << (query.general_width + 1), loop->branches);
	OPEN_DEVICE(fd);
	ASSERT_EQ(0, child_counted(&child, loop, &setup, &query, event));
	for (i = 0; i < setup.config.nr_counters; i++)
		setup.counter[i].initial = (uint64_t)i << 40;
	CONFIGURE_AND_START(fd, &setup);
	ASSERT_EQ(0, child_run(&child));
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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading in user mode across wraps of the hardware's counters: with narrow ones
 * (PMCDRV_PMU=width=20,fixed_width=20), several times.
 */
#include <sched.h>

#include "kselftest_harness.h"
#include "user_read.h"

/* What is executed here must make it wrap several times. */
#define WIDEST	23
#define ROUNDS	400

TEST(counters_that_wrap)
{
	const struct pmc_page *page;
	struct pmc_query query;
	struct reading reading;
	struct access access = { .reading = &reading };
	struct setup setup;
	uint64_t last = 0;
	unsigned int i, n;

	NEED_COUNTERS(&query);
	if (!(query.features & PMC_FEATURE(RDPMC)))
		SKIP(return, "this CPU has no RDPMC");
	if (query.general_width > WIDEST || query.fixed_width > WIDEST)
		SKIP(return, "counters of %u bits take too long to wrap", query.general_width);
	access.fd = pmc_open();
	ASSERT_LE(0, (int)access.fd);
	setup_thread(&setup, 0, PMC_CONFIG_USER_READ);
	setup_add_all(&setup, &query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	for (i = 0; i < setup.config.nr_counters; i++)
		setup.counter[i].initial = (1ULL << 32) - 100000;
	ASSERT_EQ(0, setup_configure(access.fd, &setup));
	page = page_map(access.fd);
	ASSERT_NE(NULL, page);
	access.page = page;
	ASSERT_EQ(0, pmc_call(access.fd, PMC_IOC_START, NULL));
	for (n = 0; n < ROUNDS; n++) {
		unsigned int left = 50000 + 7 * n;

		asm volatile("1: dec %0\n\tjnz 1b" : "+r" (left));
		access.counter = &page->counter[n % setup.config.nr_counters];
		ASSERT_EQ(0, access_both(&access));
		ASSERT_EQ(access.value + ACCESS_INSTRUCTIONS,
			  reading.value[n % setup.config.nr_counters]);
		ASSERT_LT(last, access.value);
		last = access.value;
	}
	/* all the loops, and the rest is the test's own */
	ASSERT_LT((1ULL << 32) - 100000 + 2ULL * 50000 * ROUNDS, last);
	for (i = 0; i < setup.config.nr_counters; i++)
		ASSERT_EQ(reading.value[0], reading.value[i]);
}

TEST_HARNESS_MAIN

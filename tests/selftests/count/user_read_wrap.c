// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests reading in user mode across several wraps of the hardware counters, which have to be
 * narrow (PMCDRV_PMU=width=20,fixed_width=20)
 */
#include <sched.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "user_read.h"

/* The widest counter that wraps several times during this test */
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
	setup_thread_all(&setup, &query, 0, PMC_CONFIG_USER_READ);
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
	/* all the loops, plus a little code of the test itself */
	ASSERT_LT((1ULL << 32) - 100000 + 2ULL * 50000 * ROUNDS, last);
	for (i = 0; i < setup.config.nr_counters; i++)
		ASSERT_EQ(reading.value[0], reading.value[i]);
}

static int configured(struct __test_metadata *_metadata, uint32_t flags, uint32_t counter)
{
	struct setup setup;
	int fd = pmc_open();

	ASSERT_LE(0, fd);
	setup_thread(&setup, 0, flags);
	setup_add(&setup, counter, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(fd, &setup));
	return fd;
}

/* Count with general counter 0 and leave it some hundred instructions before its wrap. */
static void leave_before_wrap(struct __test_metadata *_metadata, uint64_t wrap)
{
	int fd = configured(_metadata, 0, PMC_COUNTER_GENERAL(0));
	unsigned int left;

	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	do {
		left = 20;
		asm volatile("1: dec %0\n\tjnz 1b" : "+r" (left));
	} while (rdpmc(0) < wrap - 600 || rdpmc(0) > wrap - 400);
	close(fd);
}

/*
 * The previous user left a counter just before its wrap. The page must not inherit that: the
 * counter wraps soon after START, before any tick updates the counts.
 */
TEST(switched_out_before_wrap)
{
	struct pmc_query query;
	struct reading reading;
	struct access access = { .reading = &reading };
	unsigned int n;
	uint64_t last;
	int keeper;

	NEED_COUNTERS(&query);
	if (!(query.features & PMC_FEATURE(RDPMC)))
		SKIP(return, "this CPU has no RDPMC");
	if (query.general_width > WIDEST)
		SKIP(return, "counters of %u bits take too long to wrap", query.general_width);
	ASSERT_EQ(0, pin(0, 0));
	/* another context, so that the driver keeps the registers and RDPMC stays allowed */
	keeper = configured(_metadata, PMC_CONFIG_USER_READ, PMC_COUNTER_GENERAL(1));
	ASSERT_EQ(0, pmc_call(keeper, PMC_IOC_START, NULL));
	for (n = 0; n < 20; n++) {
		leave_before_wrap(_metadata, 1ULL << query.general_width);
		access.fd = configured(_metadata, PMC_CONFIG_USER_READ,
				       PMC_COUNTER_GENERAL(0));
		access.page = page_map(access.fd);
		ASSERT_NE(NULL, access.page);
		ASSERT_EQ(PMC_PAGE_UNAVAILABLE, page_sequence(access.page) & PMC_PAGE_UNAVAILABLE);
		access.counter = &access.page->counter[0];
		last = 0;
		ASSERT_EQ(0, pmc_call(access.fd, PMC_IOC_START, NULL));
		do {
			ASSERT_EQ(0, access_both(&access));
			ASSERT_EQ(access.value + ACCESS_INSTRUCTIONS, reading.value[0]);
			ASSERT_LT(last, access.value);
			last = access.value;
		} while (last < 1500);
		ASSERT_EQ(0, page_unmap(access.page));
		close(access.fd);
	}
	close(keeper);
}

TEST_HARNESS_MAIN

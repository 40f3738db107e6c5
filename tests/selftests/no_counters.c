// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU without counters: the module loads, the query tells why there are none,
 * the time-stamp counter works, and all else is ENODEV.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "pmc.h"

#define NEED_NONE(query) do {							\
	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, query));				\
	if ((query)->status == PMC_STATUS_OK)					\
		SKIP(return, "this CPU has counters");				\
} while (0)

TEST(query_tells_the_reason)
{
	static const char *const texts[] = {
#define X(name, value, text) [value] = text,
		PMC_STATUSES(X)
#undef X
	};
	struct pmc_query query;

	NEED_NONE(&query);
	ASSERT_LT(query.status, ARRAY_SIZE(texts));
	TH_LOG("%s", texts[query.status]);
	EXPECT_NE(PMC_STATUS_OFFLINE, query.status);
	EXPECT_EQ(PMC_FAMILY_NONE, query.family);
	EXPECT_EQ(0, query.general_counters);
	EXPECT_EQ(0, query.fixed_counters);
	EXPECT_EQ(0, query.features & ~(PMC_FEATURE(MSR) | PMC_FEATURE(TSC) |
					PMC_FEATURE(TSC_SYNC)));
	EXPECT_NE(0, query.vendor[0]);
	EXPECT_NE(0, query.cpu_family);
}

TEST(tsc_works)
{
	struct pmc_tsc tsc = { .size = sizeof(tsc) };
	struct pmc_query query;
	int fd = pmc_open();

	NEED_NONE(&query);
	ASSERT_LE(0, fd);
	if (!(query.features & PMC_FEATURE(TSC))) {
		EXPECT_EQ(-EOPNOTSUPP, pmc_call(fd, PMC_IOC_TSC, &tsc));
		SKIP(return, "no time-stamp counter");
	}
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_TSC, &tsc));
	EXPECT_NE(0, tsc.tsc);
}

TEST(counters_are_enodev)
{
	struct pmc_counter counter;
	struct pmc_query query;

	NEED_NONE(&query);
	EXPECT_EQ(-ENODEV, pmc_describe(PMC_CPU_ANY, PMC_COUNTER_GENERAL(0), &counter));
	EXPECT_EQ(-ENODEV, pmc_describe(0, PMC_COUNTER_FIXED(0), &counter));
}

TEST(configure_is_enodev)
{
	struct pmc_query query;
	struct setup setup;
	int fd = pmc_open();

	NEED_NONE(&query);
	NEED_ROOT();
	ASSERT_LE(0, fd);
	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	EXPECT_EQ(-ENODEV, setup_configure(fd, &setup));
	setup.config.scope = PMC_SCOPE_ALL_CPUS;
	EXPECT_EQ(-ENODEV, setup_configure(fd, &setup));
	setup.config.scope = PMC_SCOPE_CPU;
	setup.config.cpu = 0;
	EXPECT_EQ(-ENODEV, setup_configure(fd, &setup));
	EXPECT_EQ(-EBADFD, pmc_call(fd, PMC_IOC_START, NULL));
}

TEST_HARNESS_MAIN

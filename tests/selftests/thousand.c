// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thousand contexts at once, each of a process of its own: all can be read, one
 * that counts beside them is exact, and when they are closed nothing is left.
 */
#include <sys/ioctl.h>
#include <sys/resource.h>

#include "kselftest_harness.h"
#include "pmc.h"
#include "samples.h"

#define CONTEXTS	1000
#define ROUNDS		1000

TEST(thousand_contexts)
{
	struct rlimit files = { 2 * CONTEXTS + 100, 2 * CONTEXTS + 100 };
	static struct child child[CONTEXTS];
	static int fd[CONTEXTS];
	struct reading reading;
	struct pmc_query query;
	struct setup setup;
	int n, own;

	NEED_COUNTERS(&query);
	NEED_ROOT();
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	for (n = 0; n < CONTEXTS; n++) {
		fd[n] = pmc_open();
		ASSERT_LE(0, fd[n]);
		ASSERT_EQ(0, child_spin(&child[n]));
		setup_thread(&setup, child[n].pid, 0);
		setup_add_all(&setup, &query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
		ASSERT_EQ(0, setup_configure(fd[n], &setup));
		ASSERT_EQ(0, pmc_call(fd[n], PMC_IOC_START, NULL));
	}
	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
	EXPECT_EQ(CONTEXTS, query.contexts);

	own = pmc_open();
	setup_thread(&setup, 0, 0);
	setup_add_all(&setup, &query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(own, &setup));
	ASSERT_EQ(0, sampled_loop(own, ROUNDS, PMC_IOC_START, PMC_IOC_STOP));
	ASSERT_EQ(0, reading_take(own, &reading));
	EXPECT_EQ(SAMPLED_LOOP(ROUNDS), reading.value[0]);
	close(own);

	for (n = 0; n < CONTEXTS; n++) {
		ASSERT_EQ(0, reading_take(fd[n], &reading));
		EXPECT_EQ(PMC_STATE_RUNNING, reading.state);
	}
	/* half of them end before their file, half after */
	for (n = 0; n < CONTEXTS; n++) {
		if (n & 1)
			child_kill(&child[n]);
		close(fd[n]);
		if (!(n & 1))
			child_kill(&child[n]);
	}
	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
	EXPECT_EQ(0, query.contexts);
}

TEST_HARNESS_MAIN

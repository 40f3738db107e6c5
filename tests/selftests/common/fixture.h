/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The base fixture of the selftests, and the steps that most tests share
 *
 * These are macros because the ASSERT_ macros of the kselftest harness return from the
 * function that they stand in. They use the harness's variables self and _metadata.
 *
 * Include kselftest_harness.h first: pmc.h replaces its timeout.
 */
#ifndef SELFTESTS_FIXTURE_H
#define SELFTESTS_FIXTURE_H

#include "overcount.h"
#include "pmc.h"

/* count_samples has no harness */
#ifdef TEST_HARNESS_MAIN
#include "main.h"
#endif

/* The members of the base fixture: @fd is an open file of /dev/pmc */
#define BASE_FIXTURE								\
	struct pmc_query query;							\
	struct setup setup;							\
	struct reading reading;							\
	int fd

/* The same for a test that samples; the file includes samples.h */
#define SAMPLING_FIXTURE							\
	BASE_FIXTURE;								\
	struct rings rings;							\
	struct tally tally;							\
	uint64_t spurious

/* Fill @query for the current CPU; skip the test, with the reason, on a CPU without counters. */
#define NEED_COUNTERS(query) do {						\
	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, query));				\
	if ((query)->status != PMC_STATUS_OK)					\
		SKIP(return, "the CPU has no counters: status %u",		\
		     (query)->status);						\
} while (0)

#define NEED_CPUS(count) do {							\
	if (cpus_online() < (count))						\
		SKIP(return, "%d CPUs are needed, %d online", (count),		\
		     cpus_online());						\
} while (0)

#define NEED_ROOT() do {							\
	if (geteuid())								\
		SKIP(return, "needs root");					\
} while (0)

#define NEED_COUNTERS_AND_ROOT(query) do {					\
	NEED_COUNTERS(query);							\
	NEED_ROOT();								\
} while (0)

#define OPEN_DEVICE(variable) do {						\
	(variable) = pmc_open();						\
	ASSERT_LE(0, (variable));						\
} while (0)

#define BASE_SETUP() do {							\
	NEED_COUNTERS(&self->query);						\
	OPEN_DEVICE(self->fd);							\
} while (0)

#define FIXTURE_TEARDOWN_CLOSE(fixture)						\
	FIXTURE_TEARDOWN(fixture)						\
	{									\
		close(self->fd);						\
	}

/* Point @variable at the measured program that runs @command without arguments. */
#define LOAD_PROGRAM(variable, command) do {					\
	(variable) = program_named(command);					\
	ASSERT_NE(NULL, (variable));						\
} while (0)

#define CONFIGURE_AND_START(fd, setup) do {					\
	ASSERT_EQ(0, setup_configure(fd, setup));				\
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));			\
} while (0)

#define STOP_AND_READ(fd, reading) do {						\
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_STOP, NULL));				\
	ASSERT_EQ(0, reading_read(fd, reading));				\
} while (0)

#endif /* SELFTESTS_FIXTURE_H */

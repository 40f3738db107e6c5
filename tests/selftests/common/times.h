/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The times of a context, computed from the driver's reads of the clock (clock_reads.h)
 *
 * These rules are described in target/times.c. The functions use the harness's _metadata.
 */
#ifndef SELFTESTS_TIMES_H
#define SELFTESTS_TIMES_H

#include "clock_reads.h"
#include "pmc.h"

#define TIMES_CPUS	8

/**
 * struct interval - the current interval, if there is one
 * @goes_on:	it has begun and not ended
 * @since:	its start, a value of the time-stamp counter
 */
struct interval {
	bool goes_on;
	uint64_t since;
};

/**
 * struct times - a context and the times that READ has to report
 * @enabled:	time_enabled without the current interval
 * @counted:	time_counted without the current intervals
 * @running:	from START to STOP
 * @run:	for a CPU scope one for each CPU; else only the first: one thread runs at a time
 * @by_cpu:	a CPU scope
 * @several:	a scope that may follow several threads
 */
struct times {
	struct pmc_query query;
	struct setup setup;
	struct reading reading;
	int fd;
	struct clock_reads reads;
	uint64_t enabled, counted;
	struct interval running;
	struct interval run[TIMES_CPUS];
	bool by_cpu, several;
};

/* The fold timer reads the clock too; with wider counters, after 128 s at the earliest. */
#define NEED_CLOCK_READS(query) do {						\
	if (clock_watch.failed)							\
		SKIP(return, "%s", clock_watch.failed);				\
	if ((query)->general_width <= 40)					\
		SKIP(return, "a timer folds narrow counters");			\
} while (0)

static inline struct interval *times_run_of(struct times *times, const struct clock_read *read)
{
	return &times->run[times->by_cpu ? read->cpu % TIMES_CPUS : 0];
}

/* How many runs count now */
static inline unsigned int times_runs(const struct times *times)
{
	unsigned int i, runs = 0;

	for (i = 0; i < TIMES_CPUS; i++)
		runs += times->run[i].goes_on;
	return runs;
}

static inline void times_set_running(struct times *times, bool running, uint64_t tsc)
{
	if (times->running.goes_on)
		times->enabled += tsc - times->running.since;
	times->running = (struct interval){ running, tsc };
}

/* The reads from @first to before @end are those of runs that start and stop. */
static inline void times_alternate(struct times *times, unsigned int first, unsigned int end)
{
	unsigned int i;

	for (i = first; i < end; i++) {
		const struct clock_read *read = &times->reads.read[i];
		struct interval *run = times_run_of(times, read);

		if (run->goes_on)
			times->counted += read->tsc - run->since;
		*run = (struct interval){ !run->goes_on, read->tsc };
	}
}

/* A call read the clock for each counting run, which goes on. Returns the read for time_enabled. */
static inline uint64_t times_fold(struct times *times)
{
	unsigned int i, last = times->reads.nr - 1, enabled = times->several ? 0 : last;

	for (i = 0; i <= last; i++) {
		const struct clock_read *read = &times->reads.read[i];
		struct interval *run = times_run_of(times, read);

		if (i == enabled)
			continue;
		times->counted += read->tsc - run->since;
		run->since = read->tsc;
	}
	return times->reads.read[enabled].tsc;
}

/* What happened since the last call: context switches, or CPUs that go offline and online */
static inline void times_between(struct __test_metadata *_metadata, struct times *times)
{
	ASSERT_EQ(0, clock_collect(&times->reads));
	times_alternate(times, 0, times->reads.nr);
}

/*
 * The system was suspended. If the time-stamp counter restarted, the ticks since the suspend
 * callback are unknown, and time_enabled continues from its value at the callback.
 */
static inline void times_suspended(struct __test_metadata *_metadata, struct times *times)
{
	uint64_t before = 0;
	unsigned int i;

	ASSERT_EQ(0, clock_collect(&times->reads));
	for (i = 0; i < times->reads.nr; i++) {
		const struct clock_read *read = &times->reads.read[i];

		if (!strcmp(read->function, "pmc_suspend"))
			before = read->tsc;
		else if (strcmp(read->function, "pmc_resume"))
			times_alternate(times, i, i + 1);
		else if (read->tsc < before)
			times->running.since -= before - read->tsc;
	}
	EXPECT_NE(0, before);
}

static inline void times_call(struct __test_metadata *_metadata, struct times *times,
			      unsigned int command, void *argument)
{
	times_between(_metadata, times);
	ASSERT_EQ(0, pmc_call(times->fd, command, argument));
	ASSERT_EQ(0, clock_collect(&times->reads));
	ASSERT_LT(0, times->reads.nr);
}

static inline void times_start(struct __test_metadata *_metadata, struct times *times)
{
	times_call(_metadata, times, PMC_IOC_START, NULL);
	times_set_running(times, true, times->reads.read[0].tsc);
	times_alternate(times, 1, times->reads.nr);
}

static inline void times_stop(struct __test_metadata *_metadata, struct times *times)
{
	unsigned int last, first = times->several;

	times_call(_metadata, times, PMC_IOC_STOP, NULL);
	last = times->reads.nr - 1;
	times_set_running(times, false, times->reads.read[first ? 0 : last].tsc);
	times_alternate(times, first, last + first);
	EXPECT_EQ(0, times_runs(times))
		clock_print(&times->reads);
}

/* The reads of a call that folds all runs: one for each, and one for time_enabled */
static inline void times_expect_fold(struct __test_metadata *_metadata, struct times *times)
{
	ASSERT_EQ(times_runs(times) + 1, times->reads.nr)
		clock_print(&times->reads);
}

static inline void times_reset(struct __test_metadata *_metadata, struct times *times)
{
	times_call(_metadata, times, PMC_IOC_RESET, NULL);
	times_expect_fold(_metadata, times);
	times->running.since = times_fold(times);
	times->enabled = 0;
	times->counted = 0;
}

/* WRITE sets the counts and no time. */
static inline void times_write(struct __test_metadata *_metadata, struct times *times)
{
	uint64_t value = 12345;
	struct pmc_write request = {
		.size = sizeof(request),
		.nr_counters = 1,
		.values = (uintptr_t)&value,
	};

	times_call(_metadata, times, PMC_IOC_WRITE, &request);
	times_expect_fold(_metadata, times);
	times_fold(times);
}

static inline void times_expect(struct __test_metadata *_metadata, struct times *times,
				uint64_t now, uint64_t counted)
{
	const struct interval *running = &times->running;

	EXPECT_EQ(now, times->reading.tsc);
	EXPECT_EQ(times->enabled + (running->goes_on ? now - running->since : 0),
		  times->reading.time_enabled)
		clock_print(&times->reads);
	EXPECT_EQ(counted, times->reading.time_counted)
		clock_print(&times->reads);
}

/* The fast path of READ folds nothing: one clock read serves both times. */
static inline void times_read(struct __test_metadata *_metadata, struct times *times)
{
	uint64_t now;

	reading_init(&times->reading);
	times_call(_metadata, times, PMC_IOC_READ, &times->reading);
	if (times_runs(times) == 1 && times->reads.nr == 1) {
		now = times->reads.read[0].tsc;
		times_expect(_metadata, times, now,
			     times->counted + now - times->run[0].since);
		return;
	}
	times_expect_fold(_metadata, times);
	now = times_fold(times);
	times_expect(_metadata, times, now, times->counted);
}

#endif /* SELFTESTS_TIMES_H */

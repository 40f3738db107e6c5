/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests of a family's events by tables: a program of known code causes an event a known number
 * of times in each round, counted in user mode
 *
 * Two runs of a program differ only by the number of rounds, so the difference of the counts is
 * that of the rounds.
 *
 * Include kselftest_harness.h and events_p5.h first.
 */
#ifndef SELFTESTS_EVENTS_H
#define SELFTESTS_EVENTS_H

#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

#include "fixture.h"

#define FEW		10
#define MANY		30
#define BUFFER		(256 * 4096)
#define PORT		0x80

#define COUNTER0	1
#define COUNTER1	2
#define BOTH		(COUNTER0 | COUNTER1)

/*
 * @counters: those that can count it
 * @program: NULL for the fixture's code
 * @each: how often a round causes it
 */
struct event {
	const char *name;
	unsigned int select;
	unsigned int counters;
	program_t *program;
	unsigned int each;
};

FIXTURE(events) {
	BASE_FIXTURE;
	void *buffer;
	void *code;
};

/* Fill the fixture, but for its code. */
#define EVENTS_SETUP() do {							\
	NEED_ROOT();								\
	/* the port that run_io reads and writes */				\
	ASSERT_EQ(0, ioperm(PORT, 1, 1));					\
	self->buffer = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE,		\
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);	\
	ASSERT_NE(MAP_FAILED, self->buffer);					\
	OPEN_DEVICE(self->fd);							\
} while (0)

/*
 * The timer interrupt would evict lines from the caches. It comes 250 times a second; this
 * returns just after one.
 */
static void after_the_tick(void)
{
	struct timespec first, now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &first);
	do {
		clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	} while (now.tv_nsec == first.tv_nsec);
}

static uint64_t count(struct __test_metadata *_metadata, struct _test_data_events *self,
		      program_t *program, unsigned int rounds)
{
	struct reading reading = {};

	after_the_tick();
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL)) {
		return 0;
	}
	EXPECT_EQ(0, counted(self->fd, program, rounds, self->buffer, PMC_IOC_START,
			     PMC_IOC_STOP));
	EXPECT_EQ(0, reading_read(self->fd, &reading));
	return reading.value[0];
}

static void try(struct __test_metadata *_metadata, struct _test_data_events *self,
		const struct event *event, unsigned int counter)
{
	program_t *program = event->program;
	uint64_t few, many;
	struct setup setup;

	if (!program)
		program = (program_t *)self->code;
	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(counter), 0, PMC_COUNT_USER);
	setup.counter[0].event_select = event->select;
	ASSERT_EQ(0, setup_configure(self->fd, &setup));
	/* the first run faults in the pages; both counts begin after the same training */
	count(_metadata, self, program, MANY);
	count(_metadata, self, program, FEW);
	few = count(_metadata, self, program, FEW);
	count(_metadata, self, program, FEW);
	many = count(_metadata, self, program, MANY);
	EXPECT_EQ((uint64_t)(MANY - FEW) * event->each, many - few) {
		TH_LOG("%s, counter %u: %llu in %u rounds, %llu in %u", event->name, counter,
		       (unsigned long long)few, FEW, (unsigned long long)many, MANY);
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
}

static void try_all(struct __test_metadata *_metadata, struct _test_data_events *self,
		    const struct event *list, unsigned int nr)
{
	unsigned int i, counter;

	for (i = 0; i < nr; i++) {
		for (counter = 0; counter < 2; counter++) {
			if (list[i].counters & 1U << counter)
				try(_metadata, self, &list[i], counter);
		}
	}
}

#endif /* SELFTESTS_EVENTS_H */

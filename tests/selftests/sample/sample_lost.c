// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests a hundred thousand overflows in one run: with a reader, none is lost and none spurious;
 * without one, lost and kept samples add up, and the stream shows where the loss was
 */
#include <poll.h>
#include <pthread.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "process_tree.h"
#include "samples.h"

#define MANY	100000
/* as short as possible without throttling; in the emulator, time is instructions */
#define PERIOD	(getenv("PMCDRV_SKID") ? 200003ULL : 1009 * slowness())

FIXTURE(many) {
	SAMPLING_FIXTURE;
	struct pmc_statistics statistics;
};

FIXTURE_SETUP(many)
{
	SAMPLING_SETUP();
	setup_thread_one(&self->setup, 0, 0);
	setup_period(&self->setup, 0, PERIOD);
	tally_begin(&self->tally, &self->setup);
	self->tally.text = sampled_loop_range();
}

FIXTURE_TEARDOWN_CLOSE(many)

/* The sampled thread: its loop is long enough for this many overflows and a half. */
static void run(struct __test_metadata *_metadata, struct _test_data_many *self, uint64_t overflows)
{
	const uint64_t rounds = (overflows * PERIOD + PERIOD / 2) / 2;

	ASSERT_EQ(0, sampled_loop(self->fd, rounds, PMC_IOC_START, PMC_IOC_STOP));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_COUNT(SAMPLED_LOOP(rounds), self->reading.value[0]);
	EXPECT_EQ(self->reading.value[0] / PERIOD, self->reading.overflows);
}

/* The reader: another thread, on another CPU if there is one, until all samples are read */
struct reader {
	struct _test_data_many *self;
	const char *wrong;
	uint64_t rounds;
	int stopped;
};

/* Waits in poll(); consumes record after record. */
static void *read_mapped(void *argument)
{
	struct reader *reader = argument;
	struct _test_data_many *self = reader->self;
	struct pollfd wait[] = {
		{ .fd = self->fd, .events = POLLIN },
		{ .fd = reader->stopped, .events = POLLIN },
	};

	pin(0, cpus_online() - 1);
	while (!wait[1].revents) {
		if (poll(wait, ARRAY_SIZE(wait), -1) < 1)
			reader->wrong = "poll";
		if (wait[0].revents & ~POLLIN)
			reader->wrong = "poll's events";
		/* a wakeup comes with records */
		if (wait[0].revents && !tally_rings(&self->tally, &self->rings))
			reader->wrong = "woken for nothing";
		reader->rounds++;
	}
	tally_rings(&self->tally, &self->rings);
	return NULL;
}

/* Waits in read(). */
static void *read_blocking(void *argument)
{
	struct reader *reader = argument;
	struct _test_data_many *self = reader->self;
	static char buffer[40000];
	struct pollfd stopped = { .fd = reader->stopped, .events = POLLIN };
	ssize_t done;

	pin(0, cpus_online() - 1);
	do {
		done = read(self->fd, buffer, sizeof(buffer));
		if (done < 0)
			reader->wrong = "read";
		else
			tally_buffer(&self->tally, buffer, done);
		reader->rounds++;
		/* 0 means the end only after the thread has run */
	} while (done > 0 || !poll(&stopped, 1, 0));
	return NULL;
}

static void read_many(struct __test_metadata *_metadata, struct _test_data_many *self,
		      void *(*how)(void *))
{
	struct reader reader = { .self = self, .wrong = "" };
	pthread_t thread;
	int stopped[2];

	ASSERT_EQ(0, pipe(stopped));
	reader.stopped = stopped[0];
	/* it may run late, as other processes do, but is woken early */
	self->setup.config.ring_size = 1 << 22;
	self->setup.config.watermark = 1 << 16;
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, rings_map(&self->rings, self->fd, &self->setup));
	self->spurious = spurious_now(self->fd);
	ASSERT_EQ(0, pthread_create(&thread, NULL, how, &reader));
	run(_metadata, self, MANY);
	ASSERT_EQ(1, write(stopped[1], "", 1));
	pthread_join(thread, NULL);

	EXPECT_STREQ("", reader.wrong);
	EXPECT_EQ(self->reading.overflows, self->tally.overflows[0]);
	EXPECT_EQ(self->reading.overflows, self->tally.samples);
	EXPECT_LT(1, reader.rounds);
	EXPECT_EQ(0, self->tally.losses);
	if (!getenv("PMCDRV_SKID"))
		EXPECT_EQ(0, self->tally.skid);
	EXPECT_EQ(0, self->tally.late);
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
	EXPECT_EQ(1, self->tally.nr);
}

TEST_F(many, mmap_reader)
{
	read_many(_metadata, self, read_mapped);
}

TEST_F(many, read_reader)
{
	read_many(_metadata, self, read_blocking);
}

/* Without a reader: the ring keeps the first samples, the last record reports the rest. */
static void never_read(struct __test_metadata *_metadata, struct _test_data_many *self)
{
	uint64_t fits = self->setup.config.ring_size ? self->setup.config.ring_size :
			PMC_RING_SIZE_DEFAULT;

	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, rings_map(&self->rings, self->fd, &self->setup));
	self->spurious = spurious_now(self->fd);
	run(_metadata, self, MANY);
	ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
	EXPECT_EQ(self->reading.overflows, self->statistics.sampled + self->statistics.lost);
	EXPECT_EQ(self->statistics.sampled, self->statistics.records);
	EXPECT_EQ(0, self->statistics.throttled);
	EXPECT_EQ(self->spurious, self->statistics.spurious);
	EXPECT_EQ(self->statistics.lost, self->rings.ring[0].shared->lost);
	/* all that fit, minus a loss record and its padding */
	fits = (fits - sizeof(struct pmc_lost) - sizeof(struct pmc_record)) /
	       (sizeof(struct pmc_sample) + 8 * self->setup.config.nr_counters);
	EXPECT_EQ(fits, self->statistics.records);
	/* at the watermark; a full ring causes no further wakeup */
	EXPECT_EQ(1, self->statistics.wakeups);

	tally_rings(&self->tally, &self->rings);
	tally_ordinals(&self->tally);
	EXPECT_STREQ("", self->tally.wrong);
	EXPECT_EQ(self->statistics.records, self->tally.samples);
	EXPECT_EQ(1, self->tally.losses);
	EXPECT_EQ(self->statistics.lost, self->tally.lost);
}

static unsigned int behind(const struct pmc_sample *sample)
{
	return sample_is_behind(sample, sample->data[0], PERIOD);
}

TEST_F(many, no_reader)
{
	never_read(_metadata, self);
}

/* The records are so long now that 8 bytes more would make room for another one. */
TEST_F(many, no_reader_and_two_counters)
{
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
	self->setup.config.ring_size = 65536;
	never_read(_metadata, self);
}

/*
 * A reader that reads only now and then: the stream reports how many samples are missing in
 * between, so every overflow has its position.
 */
TEST_F(many, loss_in_the_middle)
{
	static const unsigned int stretches[] = { 10, 500, 3000, 40, 1500, 1, 1, 2000, 7 };
	uint64_t due = 0, overflows = 0, kept = 0, lost = 0;
	const struct pmc_record *record;
	unsigned int i;

	ASSERT_EQ(0, pin(0, 0));
	self->setup.config.ring_size = 65536;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, rings_map(&self->rings, self->fd, &self->setup));
	for (i = 0; i < ARRAY_SIZE(stretches); i++) {
		ASSERT_EQ(0, sampled_loop(self->fd, (stretches[i] * PERIOD - 6) / 2,
					  PMC_IOC_START, PMC_IOC_STOP));
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		overflows = self->reading.overflows;
		EXPECT_EQ(self->reading.value[0] / PERIOD, overflows);
		while ((record = ring_next(&self->rings.ring[0]))) {
			if (record->type == PMC_RECORD_LOST) {
				lost += ((const struct pmc_lost *)record)->overflows;
				due += ((const struct pmc_lost *)record)->overflows;
			} else {
				const struct pmc_sample *sample = (const void *)record;

				ASSERT_EQ(PMC_RECORD_SAMPLE, record->type);
				EXPECT_EQ(1, sample->overflows);
				EXPECT_EQ(++due * PERIOD + behind(sample), sample->data[0]);
				kept++;
			}
			ring_done(&self->rings.ring[0], record);
		}
		/* STOP has reported the last loss */
		EXPECT_EQ(overflows, due);
		ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
		EXPECT_EQ(kept, self->statistics.sampled);
		EXPECT_EQ(lost, self->statistics.lost);
		EXPECT_EQ(lost, self->rings.ring[0].shared->lost);
	}
	EXPECT_LT(0, lost);
}

/* It makes room while the thread runs: the loss is reported at its position. */
struct sweeper {
	struct _test_data_many *self;
	uint64_t due;
	uint64_t lost;
	uint64_t losses;
	uint64_t kept;
	const char *wrong;
	bool stop;
};

static void sweep(struct sweeper *sweeper)
{
	struct ring *ring = &sweeper->self->rings.ring[0];
	const struct pmc_record *record;

	while ((record = ring_next(ring))) {
		if (record->type == PMC_RECORD_LOST) {
			sweeper->due += ((const struct pmc_lost *)record)->overflows;
			sweeper->lost += ((const struct pmc_lost *)record)->overflows;
			sweeper->losses++;
		} else {
			const struct pmc_sample *sample = (const void *)record;

			sweeper->due += sample->overflows;
			if (sample->data[0] != sweeper->due * PERIOD + behind(sample))
				sweeper->wrong = "a sample after an incorrect loss record";
			sweeper->kept++;
		}
		ring_done(ring, record);
	}
}

static void *sweep_now_and_then(void *argument)
{
	struct sweeper *sweeper = argument;
	struct pmc_ring *shared = sweeper->self->rings.ring[0].shared;

	pin(0, cpus_online() - 1);
	while (!__atomic_load_n(&sweeper->stop, __ATOMIC_ACQUIRE)) {
		uint64_t lost = __atomic_load_n(&shared->lost, __ATOMIC_RELAXED);

		/* only once something more has been lost */
		if (lost > sweeper->lost + 20)
			sweep(sweeper);
		sched_yield();
	}
	return NULL;
}

TEST_F(many, losses_while_running)
{
	struct sweeper sweeper = { .self = self, .wrong = "" };
	pthread_t thread;

	NEED_CPUS(2);
	ASSERT_EQ(0, pin(0, 0));
	self->setup.config.ring_size = 4096;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, rings_map(&self->rings, self->fd, &self->setup));
	self->spurious = spurious_now(self->fd);
	ASSERT_EQ(0, pthread_create(&thread, NULL, sweep_now_and_then, &sweeper));
	run(_metadata, self, 20000);
	__atomic_store_n(&sweeper.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	sweep(&sweeper);
	EXPECT_STREQ("", sweeper.wrong);
	EXPECT_EQ(self->reading.overflows, sweeper.due);
	EXPECT_LT(50, sweeper.losses);
	ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
	EXPECT_EQ(sweeper.kept, self->statistics.sampled);
	EXPECT_EQ(sweeper.lost, self->statistics.lost);
	EXPECT_EQ(self->reading.overflows, self->statistics.sampled + self->statistics.lost);
	EXPECT_EQ(self->spurious, self->statistics.spurious);
}

TEST_HARNESS_MAIN

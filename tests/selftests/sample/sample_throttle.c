// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests periods that are too short: the system stays usable, the values stay exact, every
 * overflow is accounted for, and the stream shows what was not sampled and where. Also the limits:
 * throttle_percent of the context and of the driver
 */
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "process_tree.h"
#include "samples.h"
#include "throttling.h"

#define ROUNDS	300000
#define USER	PMC_COUNT_USER
#define BOTH	(PMC_COUNT_USER | PMC_COUNT_KERNEL)

FIXTURE(throttle) {
	BASE_FIXTURE;
	const struct program *loop;
	struct pmc_statistics statistics;
	struct rings rings;
	unsigned int entry;	/* of the sampled counter */
	uint64_t spurious;
	char percent[8];	/* the attribute before the test */
	uint64_t most;		/* maximum of overflows in one sample */
	uint64_t throttles;
	uint64_t throttled;
	uint64_t sampled;
	uint64_t lost;
};

FIXTURE_SETUP(throttle)
{
	NEED_SAMPLING(&self->query);
	LOAD_PROGRAM(self->loop, "./loop-1m");
	ASSERT_EQ(0, pin(0, 0));
	OPEN_DEVICE(self->fd);
	ASSERT_EQ(0, file_read(THROTTLE_PERCENT, self->percent, sizeof(self->percent)));
	if (!geteuid())
		ASSERT_EQ(0, file_write(THROTTLE_PERCENT, "50"));
}

FIXTURE_TEARDOWN(throttle)
{
	if (!geteuid())
		file_write(THROTTLE_PERCENT, self->percent);
	close(self->fd);
}

static void begin(struct __test_metadata *_metadata, struct _test_data_throttle *self,
		  uint32_t count, uint64_t period)
{
	self->entry = self->setup.config.nr_counters;
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, count);
	setup_period(&self->setup, self->entry, period);
	self->setup.config.ring_size = 1 << 22;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, rings_map(&self->rings, self->fd, &self->setup));
	self->spurious = spurious_now(self->fd);
	self->most = UINT64_MAX;
	self->throttles = 0;
	self->throttled = 0;
	self->sampled = 0;
	self->lost = 0;
}

/*
 * The stream of one ring, with one counter of one thread or CPU: throttling and sampling
 * alternate, there is no sample in between, and with the reported numbers every sample has its
 * position. Throttling begins with the last sample, and ends before the next one.
 */
static void follow_stream(struct __test_metadata *_metadata, struct _test_data_throttle *self,
			  int cpu)
{
	uint64_t period = self->setup.counter[self->entry].period, due = 0, last = 0, begun = 0;
	const struct pmc_record *record;
	const struct pmc_throttle *end;
	const struct pmc_sample *sample;
	bool throttled = false;

	while ((record = ring_next(&self->rings.ring[cpu]))) {
		switch (record->type) {
		case PMC_RECORD_SAMPLE:
			sample = (const void *)record;
			ASSERT_FALSE(throttled);
			ASSERT_EQ(self->entry, sample->counter);
			ASSERT_GE(self->most, sample->overflows);
			due += sample->overflows;
			self->sampled += sample->overflows;
			ASSERT_EQ(due, sample->data[self->entry] / period);
			ASSERT_LT(begun, sample->tsc);
			last = sample->tsc;
			break;
		case PMC_RECORD_THROTTLE:
		case PMC_RECORD_UNTHROTTLE:
			end = (const void *)record;
			ASSERT_EQ(record->type == PMC_RECORD_UNTHROTTLE, throttled);
			ASSERT_EQ(self->entry, end->counter);
			ASSERT_EQ(cpu, end->cpu);
			throttled = !throttled;
			if (throttled) {
				ASSERT_EQ(0, end->overflows);
				/* without a sample if that was lost */
				if (last)
					ASSERT_EQ(last, end->tsc);
				self->throttles++;
			} else {
				ASSERT_LT(begun, end->tsc);
			}
			begun = end->tsc;
			due += end->overflows;
			self->throttled += end->overflows;
			break;
		default:
			ASSERT_EQ(PMC_RECORD_LOST, record->type);
			due += ((const struct pmc_lost *)record)->overflows;
			self->lost += ((const struct pmc_lost *)record)->overflows;
			last = 0;
		}
		ring_done(&self->rings.ring[cpu], record);
	}
	EXPECT_FALSE(throttled);
}

/* After STOP: all overflows are accounted for, as samples or as throttled. */
static void expect_accounted(struct __test_metadata *_metadata, struct _test_data_throttle *self)
{
	ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
	EXPECT_EQ(self->sampled, self->statistics.sampled);
	EXPECT_EQ(self->lost, self->statistics.lost);
	EXPECT_EQ(self->throttled, self->statistics.throttled);
	EXPECT_EQ(self->reading.overflows, self->statistics.sampled + self->statistics.lost +
		  self->statistics.throttled);
	EXPECT_EQ(self->spurious, self->statistics.spurious);
}

static void end(struct __test_metadata *_metadata, struct _test_data_throttle *self)
{
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(self->reading.value[self->entry] / self->setup.counter[self->entry].period,
		  self->reading.overflows);
	follow_stream(_metadata, self, 0);
	expect_accounted(_metadata, self);
	RELEASE_SAMPLING();
}

/*
 * @is_short: so short that it must be throttled, on a processor of any speed. Where interrupts are
 * immediate, a sample stands for the periods that end within the least period.
 */
static void user_mode(struct __test_metadata *_metadata, struct _test_data_throttle *self,
		      uint64_t period, bool is_short)
{
	setup_thread(&self->setup, 0, 0);
	begin(_metadata, self, USER, period);
	if (!is_netburst() && !getenv("PMCDRV_SKID"))
		self->most = 1 + (least_period() - 1) / period;
	ASSERT_EQ(0, sampled_loop(self->fd, ROUNDS, PMC_IOC_START, PMC_IOC_STOP));
	end(_metadata, self);
	EXPECT_COUNT(SAMPLED_LOOP(ROUNDS), self->reading.value[0]);
	if (is_short)
		EXPECT_LT(0, self->throttles);
	EXPECT_EQ(self->throttles > 0, self->throttled > 0);
	EXPECT_LT(0, self->sampled);
	EXPECT_EQ(0, self->lost);
}

TEST_F(throttle, every_instruction)
{
	user_mode(_metadata, self, 1, true);
}

TEST_F(throttle, every_2)
{
	user_mode(_metadata, self, 2, true);
}

TEST_F(throttle, every_10)
{
	user_mode(_metadata, self, 10, true);
}

TEST_F(throttle, every_100)
{
	user_mode(_metadata, self, 100, false);
}

/* The records name the second entry; the first one has no period. */
TEST_F(throttle, second_entry)
{
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, USER);
	begin(_metadata, self, USER, 2);
	ASSERT_EQ(1, self->entry);
	ASSERT_EQ(0, sampled_loop(self->fd, ROUNDS, PMC_IOC_START, PMC_IOC_STOP));
	end(_metadata, self);
	EXPECT_COUNT(SAMPLED_LOOP(ROUNDS), self->reading.value[1]);
	EXPECT_LT(0, self->throttles);
	EXPECT_LT(0, self->throttled);
	EXPECT_EQ(0, self->lost);
}

/* All counters at once, each with a period that is too short */
TEST_F(throttle, all_counters)
{
	struct tally tally;
	unsigned int i;

	setup_thread(&self->setup, 0, 0);
	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, USER);
	for (i = 0; i < self->setup.config.nr_counters; i++)
		setup_period(&self->setup, i, 3 + 7 * i);
	self->setup.config.ring_size = 1 << 22;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, rings_map(&self->rings, self->fd, &self->setup));
	tally_begin(&tally, &self->setup);
	tally.gaps = true;
	self->spurious = spurious_now(self->fd);
	ASSERT_EQ(0, sampled_loop(self->fd, ROUNDS, PMC_IOC_START, PMC_IOC_STOP));
	tally_rings(&tally, &self->rings);
	EXPECT_STREQ("", tally.wrong);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < self->setup.config.nr_counters; i++) {
		EXPECT_COUNT(SAMPLED_LOOP(ROUNDS), self->reading.value[i]);
		self->reading.overflows -= self->reading.value[i] / self->setup.counter[i].period;
	}
	EXPECT_EQ(0, self->reading.overflows);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(tally.throttles, tally.unthrottles);
	EXPECT_LE(self->setup.config.nr_counters, tally.throttles);
	self->sampled = tally_sum(&tally);
	self->throttled = tally.throttled;
	self->lost = tally.lost;
	expect_accounted(_metadata, self);
}

/* In user and kernel mode: the handler does not overflow its own counter without end. */
static void both_modes(struct __test_metadata *_metadata, struct _test_data_throttle *self,
		       uint64_t period)
{
	unsigned int i;

	NEED_ROOT();
	setup_thread(&self->setup, 0, 0);
	begin(_metadata, self, BOTH, period);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	for (i = 0; i < 2000; i++)
		syscall(SYS_gettid);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	end(_metadata, self);
	if (period <= 10)
		EXPECT_LT(0, self->throttles);
	EXPECT_LT(0, self->sampled);
}

TEST_F(throttle, both_modes_every_instruction)
{
	both_modes(_metadata, self, 1);
}

TEST_F(throttle, both_modes_every_2)
{
	both_modes(_metadata, self, 2);
}

TEST_F(throttle, both_modes_every_10)
{
	both_modes(_metadata, self, 10);
}

TEST_F(throttle, both_modes_every_100)
{
	both_modes(_metadata, self, 100);
}

/*
 * While a process that never stops has an overflow at each instruction, another one on the same
 * CPU runs to its end, and is counted exactly.
 */
static void other_tasks_progress(struct __test_metadata *_metadata,
				 struct _test_data_throttle *self, uint32_t count, uint64_t period)
{
	struct reading reading;
	struct child spin, child;
	struct setup setup;
	int other = pmc_open();

	ASSERT_LE(0, other);
	ASSERT_EQ(0, child_spin(&spin));
	ASSERT_EQ(0, child_program(&child, self->loop));
	setup_thread(&self->setup, spin.pid, 0);
	begin(_metadata, self, count, period);
	setup_thread(&setup, child.pid, PMC_CONFIG_ON_EXEC);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, USER);
	setup_period(&setup, 0, 10007);
	ASSERT_EQ(0, setup_configure(other, &setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(other, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_go(&spin));
	ASSERT_EQ(0, child_run(&child));
	ASSERT_EQ(0, reading_read(other, &reading));
	EXPECT_COUNT(self->loop->instructions, reading.value[0]);
	EXPECT_EQ(reading.value[0] / 10007, reading.overflows);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	child_kill(&spin);
	close(other);
	end(_metadata, self);
	EXPECT_LT(0, self->throttles);
}

TEST_F(throttle, other_tasks_progress)
{
	other_tasks_progress(_metadata, self, USER, 1);
}

TEST_F(throttle, other_tasks_progress_both_modes)
{
	NEED_ROOT();
	other_tasks_progress(_metadata, self, BOTH, 1);
}

/* Every CPU, both modes, each instruction: programs start and end all the same. */
TEST_F(throttle, all_cpus)
{
	struct child child;
	uint64_t overflows;
	int cpu;

	NEED_ROOT();
	setup_all_cpus(&self->setup);
	begin(_metadata, self, BOTH, 1);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_program(&child, self->loop));
	ASSERT_EQ(0, child_run(&child));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	for (cpu = 0; cpu < self->rings.nr; cpu++) {
		ASSERT_EQ(0, reading_read_cpu(self->fd, cpu, &self->reading));
		EXPECT_EQ(self->reading.value[0], self->reading.overflows);
		overflows = self->sampled + self->throttled + self->lost;
		follow_stream(_metadata, self, cpu);
		EXPECT_EQ(self->reading.overflows,
			  self->sampled + self->throttled + self->lost - overflows);
	}
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	expect_accounted(_metadata, self);
	EXPECT_LT(0, self->throttles);
}

/* READ, STOP and START during throttling do not change it. */
TEST_F(throttle, calls_while_throttled)
{
	uint64_t counted = 0;
	unsigned int i;

	setup_thread(&self->setup, 0, 0);
	begin(_metadata, self, USER, 7);
	for (i = 0; i < 40; i++) {
		ASSERT_EQ(0, sampled_loop(self->fd, 20000, PMC_IOC_START, PMC_IOC_STOP));
		counted += SAMPLED_LOOP(20000);
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		EXPECT_COUNT(counted, self->reading.value[0]);
		EXPECT_EQ(self->reading.value[0] / 7, self->reading.overflows);
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	for (i = 0; i < 500; i++) {
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		EXPECT_EQ(self->reading.value[0] / 7, self->reading.overflows);
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	end(_metadata, self);
	EXPECT_LT(0, self->throttles);
}

/* ---- the limit ---- */

/* Set self->throttles: how often a context with this limit is throttled */
static void limited(struct __test_metadata *_metadata, struct _test_data_throttle *self,
		    uint32_t percent)
{
	setup_thread(&self->setup, 0, 0);
	self->setup.config.throttle_percent = percent;
	begin(_metadata, self, USER, MEDIUM_PERIOD);
	ASSERT_EQ(0, sampled_loop(self->fd, LONG_LOOP, PMC_IOC_START, PMC_IOC_STOP));
	end(_metadata, self);
	EXPECT_COUNT(SAMPLED_LOOP(LONG_LOOP), self->reading.value[0]);
}

TEST_F(throttle, limit_of_the_context)
{
	limited(_metadata, self, 1);
	EXPECT_LT(0, self->throttles);
	limited(_metadata, self, 50);
	EXPECT_EQ(0, self->throttles);
	limited(_metadata, self, 0);
	EXPECT_EQ(0, self->throttles);
}

/* The lower of both applies. */
TEST_F(throttle, limit_of_the_attribute)
{
	NEED_ROOT();
	ASSERT_EQ(0, file_write(THROTTLE_PERCENT, "1"));
	limited(_metadata, self, 50);
	EXPECT_LT(0, self->throttles);
	limited(_metadata, self, 0);
	EXPECT_LT(0, self->throttles);
	ASSERT_EQ(0, file_write(THROTTLE_PERCENT, "50"));
	limited(_metadata, self, 1);
	EXPECT_LT(0, self->throttles);
	limited(_metadata, self, 0);
	EXPECT_EQ(0, self->throttles);
}

/* A change is in effect for a context that counts; a CPU's run is not started again meanwhile. */
TEST_F(throttle, limit_changes)
{
	uint64_t throttled;

	NEED_ROOT();
	setup_cpu(&self->setup, 0);
	begin(_metadata, self, USER, MEDIUM_PERIOD);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	EXPECT_EQ(0, throttled_later(self->fd));
	ASSERT_EQ(0, file_write(THROTTLE_PERCENT, "1"));
	EXPECT_LT(0, throttled_later(self->fd));
	ASSERT_EQ(0, file_write(THROTTLE_PERCENT, "50"));
	/* the last window with the lower limit ends */
	throttled_later(self->fd);
	throttled = throttled_later(self->fd);
	EXPECT_EQ(throttled, throttled_later(self->fd));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	end(_metadata, self);
}

TEST_F(throttle, wrong_limits)
{
	static const char *const wrong[] = { "0", "51", "-1", "50 %" };
	unsigned int i;
	char text[8];

	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, USER);
	self->setup.config.throttle_percent = 1;
	EXPECT_EQ(-EINVAL, setup_configure(self->fd, &self->setup));
	setup_period(&self->setup, 0, MEDIUM_PERIOD);
	self->setup.config.throttle_percent = 51;
	EXPECT_EQ(-EINVAL, setup_configure(self->fd, &self->setup));
	self->setup.config.throttle_percent = 50;
	self->setup.config.reserved = 1;
	EXPECT_EQ(-EINVAL, setup_configure(self->fd, &self->setup));
	self->setup.config.reserved = 0;
	EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
	NEED_ROOT();
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		EXPECT_EQ(-EINVAL, file_write(THROTTLE_PERCENT, wrong[i]));
	ASSERT_EQ(0, file_read(THROTTLE_PERCENT, text, sizeof(text)));
	EXPECT_STREQ("50\n", text);
}

/* RESET does not end throttling: the phase of the period continues, and the rest is counted. */
TEST_F(throttle, reset_while_throttled)
{
	uint64_t counted = 0, before = 0;
	unsigned int i;

	setup_thread(&self->setup, 0, 0);
	begin(_metadata, self, USER, 7);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, sampled_loop(self->fd, 20000, PMC_IOC_START, PMC_IOC_STOP));
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		EXPECT_COUNT(SAMPLED_LOOP(20000), self->reading.value[0]);
		counted += self->reading.value[0];
		EXPECT_EQ(counted / 7 - before / 7, self->reading.overflows);
		before = counted;
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
	}
	ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
	EXPECT_EQ(counted / 7, self->statistics.sampled + self->statistics.lost +
		  self->statistics.throttled);
	EXPECT_LT(0, self->statistics.throttled);
	EXPECT_EQ(self->spurious, self->statistics.spurious);
}

/* RELEASE, or the end of the process, during throttling leaves nothing behind. */
TEST_F(throttle, released_while_throttled)
{
	unsigned int i;

	for (i = 0; i < 20; i++) {
		struct child child;

		ASSERT_EQ(0, child_program(&child, self->loop));
		setup_thread(&self->setup, child.pid, PMC_CONFIG_ON_EXEC);
		begin(_metadata, self, USER, 1);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		ASSERT_EQ(0, child_go(&child));
		do {
			ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
		} while (!self->statistics.throttled);
		if (i & 1)
			ASSERT_EQ(0, kill(child.pid, SIGKILL));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
		rings_unmap(&self->rings);
		child_kill(&child);
	}
	/* a usual period is no longer throttled */
	setup_thread(&self->setup, 0, 0);
	begin(_metadata, self, USER, 20011);
	ASSERT_EQ(0, sampled_loop(self->fd, ROUNDS, PMC_IOC_START, PMC_IOC_STOP));
	end(_metadata, self);
	EXPECT_EQ(SAMPLED_LOOP(ROUNDS) / 20011, self->sampled);
	EXPECT_EQ(0, self->throttles);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests samples on NetBurst, where the interrupt comes with the event after an overflow (SDM
 * Volume 3B, "CCCR MSRs", OVF_PMI)
 *
 * The driver lets a counter overflow one event early. Where it cannot, the tests know at which
 * event each sample comes.
 */
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "netburst.h"
#include "samples.h"
#include "credentials.h"

#define MSR_CCCR(i)	(0x360 + (i))

/* counters of EVENT_INSTRUCTIONS */
#define COUNTERS	6

/* bytes of the loop's first instruction */
#ifdef __x86_64__
#define DEC		3
#else
#define DEC		1
#endif

#define ROUNDS		5000

FIXTURE(netburst) {
	SAMPLING_FIXTURE;
};

FIXTURE_SETUP(netburst)
{
	NEED_SAMPLING(&self->query);
	if (self->query.family != PMC_FAMILY_NETBURST)
		SKIP(return, "no NetBurst processor");
	OPEN_DEVICE(self->fd);
	ASSERT_EQ(0, pin(0, 0));
	/* if a thread is switched out with one event left, its next interrupt is one event late */
	ASSERT_EQ(0, schedule_as(0, SCHED_FIFO));
	setup_thread(&self->setup, 0, 0);
}

FIXTURE_TEARDOWN_CLOSE(netburst)

/* Each counter of instructions, with periods @step apart */
static void begin(struct __test_metadata *_metadata, struct _test_data_netburst *self,
		  uint64_t period, uint64_t step)
{
	unsigned int i;

	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	for (i = 0; i < self->setup.config.nr_counters; i++)
		setup_period(&self->setup, i, period + i * step);
	BEGIN_SAMPLING();
}

/* Check the remaining records, and the number of overflows. */
static void end(struct __test_metadata *_metadata, struct _test_data_netburst *self)
{
	struct pmc_statistics statistics;
	unsigned int i;

	tally_rings(&self->tally, &self->rings);
	EXPECT_STREQ("", self->tally.wrong);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	ASSERT_EQ(0, statistics_read(self->fd, &statistics));
	for (i = 0; i < self->reading.nr_counters; i++)
		self->reading.overflows -= self->reading.value[i] / self->setup.counter[i].period;
	EXPECT_EQ(0, self->reading.overflows);
	EXPECT_EQ(0, statistics.lost);
	EXPECT_EQ(0, statistics.throttled);
	EXPECT_EQ(self->spurious, statistics.spurious);
}

/* Check the next sample on CPU 0: its counter, value, number of overflows and flags. */
static const struct pmc_sample *expect_sample(struct __test_metadata *_metadata,
					      struct _test_data_netburst *self,
					      unsigned int counter, uint64_t value,
					      uint64_t overflows, uint32_t flags)
{
	struct ring *ring = &self->rings.ring[0];
	const struct pmc_sample *sample = (const void *)ring_next(ring);

	EXPECT_NE(NULL, sample);
	if (!sample)
		return NULL;
	EXPECT_EQ(PMC_RECORD_SAMPLE, sample->record.type);
	EXPECT_EQ(counter, sample->counter);
	EXPECT_EQ(value, sample->data[counter]);
	EXPECT_EQ(overflows, sample->overflows);
	EXPECT_EQ(flags, sample->flags);
	/* the record stays intact: nothing else is written before the next loop */
	ring_done(ring, &sample->record);
	return sample;
}

/*
 * Each counter stopped with one event left takes one more event until the interrupt, and the
 * sample is marked. The period after it ends in time.
 */
TEST_F(netburst, stopped_with_one_event_left)
{
	const uint64_t period = SAMPLED_LOOP(ROUNDS) + 1;
	const struct pmc_sample *sample;
	unsigned int i, n;

	begin(_metadata, self, period, 0);
	ASSERT_EQ(0, sampled_loop(self->fd, ROUNDS, PMC_IOC_START, PMC_IOC_STOP));
	EXPECT_EQ(NULL, ring_next(&self->rings.ring[0]));
	ASSERT_EQ(0, sampled_loop(self->fd, 3 * ROUNDS, PMC_IOC_START, PMC_IOC_STOP));
	for (n = 1; n <= 3; n++) {
		for (i = 0; i < COUNTERS; i++) {
			sample = expect_sample(_metadata, self, i, n * period + (n == 1), 1,
					       n == 1 ? PMC_SAMPLE_SKID : 0);
			ASSERT_NE(NULL, sample);
			if (n == 1)
				EXPECT_EQ((uintptr_t)sampled_loop_begin + DEC, sample->ip);
		}
	}
	EXPECT_EQ(NULL, ring_next(&self->rings.ring[0]));
	end(_metadata, self);
}

/* Two events are enough to be in time. The last event is the SYSCALL that stops. */
TEST_F(netburst, every_second_event)
{
	unsigned int i, n;

	begin(_metadata, self, 2, 0);
	ASSERT_EQ(0, sampled_loop(self->fd, 2, PMC_IOC_START, PMC_IOC_STOP));
	for (n = 2; n <= SAMPLED_LOOP(2); n += 2) {
		for (i = 0; i < COUNTERS; i++)
			expect_sample(_metadata, self, i, n, 1,
				      n == SAMPLED_LOOP(2) ? PMC_SAMPLE_SKID : 0);
	}
	end(_metadata, self);
}

/* One event is not enough: each sample also stands for the overflow before it. */
TEST_F(netburst, every_event)
{
	unsigned int i, n;

	begin(_metadata, self, 1, 0);
	ASSERT_EQ(0, sampled_loop(self->fd, 2, PMC_IOC_START, PMC_IOC_STOP));
	for (n = 2; n <= SAMPLED_LOOP(2); n += 2) {
		for (i = 0; i < COUNTERS; i++)
			expect_sample(_metadata, self, i, n, 2, PMC_SAMPLE_SKID);
	}
	end(_metadata, self);
}

/*
 * Counters overflow one event after the other: the interrupt of one finds the next about to
 * overflow, and does not disturb it.
 */
TEST_F(netburst, consecutive_overflows)
{
	unsigned int i;

	begin(_metadata, self, ROUNDS, 1);
	ASSERT_EQ(0, sampled_loop(self->fd, 3 * ROUNDS / 4, PMC_IOC_START, PMC_IOC_STOP));
	for (i = 0; i < COUNTERS; i++)
		expect_sample(_metadata, self, i, ROUNDS + i, 1, 0);
	EXPECT_EQ(NULL, ring_next(&self->rings.ring[0]));
	end(_metadata, self);
}

/*
 * Updating the counts with one event left changes nothing: RESET is the last event but one of the
 * period, and the last is the first instruction after it.
 */
TEST_F(netburst, reset_with_one_event_left)
{
	unsigned int i;

	begin(_metadata, self, SAMPLED_LOOP(ROUNDS) + 1, 0);
	ASSERT_EQ(0, sampled_loop(self->fd, ROUNDS, PMC_IOC_START, PMC_IOC_RESET));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	for (i = 0; i < COUNTERS; i++)
		expect_sample(_metadata, self, i, 1, 1, 0);
	EXPECT_EQ(NULL, ring_next(&self->rings.ring[0]));
}

static void spin(unsigned long rounds)
{
	asm volatile("1: dec %0\n\tjnz 1b" : "+r" (rounds));
}

/*
 * READ stops a counter of kernel mode. If one event was left (by its value), the driver
 * compensates for the overflow that has already occurred: the samples continue as before. What
 * is counted between READs besides the loop varies with the interrupts. One of the last values is
 * taken at random: always taking the last one can repeat the same misses forever.
 */
TEST_F(netburst, read_with_one_event_left_in_kernel_mode)
{
	enum { PERIOD = 40009, TRIES = 1000, LAST = 8 };
	uint64_t before = 0, left, beside[LAST] = {}, rounds;
	unsigned int i;

	NEED_ROOT();
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	setup_period(&self->setup, 0, PERIOD);
	BEGIN_SAMPLING();
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	for (i = 0; i < TRIES && before % PERIOD != PERIOD - 1; i++) {
		left = PERIOD - before % PERIOD + 2 * PERIOD - 1 - beside[rand() % LAST];
		rounds = (left + (left & 1 ? PERIOD : 0)) / 2;
		spin(rounds);
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		beside[i % LAST] = (self->reading.value[0] - before - 2 * rounds) % PERIOD;
		before = self->reading.value[0];
	}
	ASSERT_LT(i, TRIES);
	spin(5 * PERIOD);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	end(_metadata, self);
	EXPECT_EQ(tally_sum(&self->tally), self->tally.samples);
}

/*
 * A false overflow: another user sets the bit. It interrupts once, and then no more; the
 * counters overflow when they are due.
 */
TEST_F(netburst, foreign_overflow_bit)
{
	uint64_t cccr;
	unsigned int i;
	int msr;

	NEED_ROOT();
	msr = open("/dev/cpu/0/msr", O_RDWR | O_CLOEXEC);
	if (msr < 0)
		SKIP(return, "no /dev/cpu/0/msr (modprobe msr)");
	/* a switch to another thread would clear the bit */
	ASSERT_EQ(0, schedule_as(0, SCHED_FIFO));
	/* long enough for interrupts to take much less than their share of the time */
	begin(_metadata, self, 40009, 1009);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(sizeof(cccr), pread(msr, &cccr, sizeof(cccr), MSR_CCCR(12)));
	cccr |= CCCR_OVF;
	ASSERT_EQ(sizeof(cccr), pwrite(msr, &cccr, sizeof(cccr), MSR_CCCR(12)));
	for (i = 0; i < 80 * ROUNDS; i++)
		asm volatile("");
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	self->spurious++;
	end(_metadata, self);
	EXPECT_LT(3 * COUNTERS, self->tally.samples);
	EXPECT_EQ(0, self->tally.late);
	close(msr);
}

#define EXEC_NAME		"sample-exec"

/*
 * Sample every instruction of a child with this UID through the exec of a program with this
 * mode.
 */
static void exec_sampled(struct __test_metadata *_metadata, struct _test_data_netburst *self,
			 uid_t uid, mode_t mode, bool odd)
{
	char path[] = "/tmp/" EXEC_NAME, *argv[] = { path, NULL };
	struct program programs[PROGRAMS_MAX];
	int status;
	pid_t pid;

	NEED_ROOT();
	/* change to the programs' directory */
	ASSERT_LT(0, programs_load(programs));
	ASSERT_EQ(0, copy_file("./loop-1m", path, mode));
	pid = fork();
	ASSERT_LE(0, pid);
	if (pid == 0) {
		if (prctl(PR_SET_NAME, "before") || (uid && set_user(uid)))
			_exit(101);
		setup_thread_all(&self->setup, &self->query, 0, 0);
		for (status = 0; status < COUNTERS; status++)
			setup_period(&self->setup, status, 1);
		self->setup.config.sample_flags = PMC_SAMPLE_USER_CALLCHAIN;
		if (setup_configure(self->fd, &self->setup))
			_exit(102);
		sampled_exec(self->fd, argv, odd, PMC_IOC_START);
		_exit(103);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, unlink(path));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
}

/*
 * Is this sample of the program before the exec reported as such? If the last event before the
 * exec overflows a counter, its address is unknown, because the PMI comes with the next event.
 */
static void expect_before(struct __test_metadata *_metadata, const struct pmc_sample *sample,
			  uint64_t last)
{
	if (sample->flags & PMC_SAMPLE_LATE) {
		EXPECT_EQ(last, sample->data[sample->counter]);
		EXPECT_EQ(1, sample->overflows);
		EXPECT_EQ(0, sample->ip);
		EXPECT_EQ(0, sample->nr_user_frames);
		EXPECT_STREQ("", sample->comm);
	} else {
		EXPECT_LE((uintptr_t)sampled_exec_begin, sample->ip);
		EXPECT_GE((uintptr_t)sampled_exec_end, sample->ip);
		EXPECT_STREQ("before", sample->comm);
	}
}

/*
 * Check all samples: those of the program before the exec, each overflow once, of which the
 * last of each counter is late if the number of instructions is odd; then those of the new
 * program, if expected. No sample mixes the two.
 */
static void expect_exec(struct __test_metadata *_metadata, struct _test_data_netburst *self,
			bool odd, bool goes_on)
{
	const uint64_t last = SAMPLED_EXEC(odd);
	uint64_t overflows = 0, after = 0, late = 0;
	static char buffer[1 << 16];
	ssize_t size, at;

	while ((size = read(self->fd, buffer, sizeof(buffer))) > 0) {
		for (at = 0; at < size; at += ((struct pmc_record *)(buffer + at))->size) {
			const struct pmc_sample *sample = (const void *)(buffer + at);

			if (sample->record.type != PMC_RECORD_SAMPLE)
				continue;
			if (sample->data[sample->counter] <= last) {
				expect_before(_metadata, sample, last);
				overflows += sample->overflows;
				late += !!(sample->flags & PMC_SAMPLE_LATE);
				continue;
			}
			if (!after++)
				EXPECT_STREQ(EXEC_NAME, sample->comm);
			EXPECT_TRUE(goes_on);
		}
	}
	EXPECT_EQ(COUNTERS * last, overflows);
	EXPECT_EQ(odd ? COUNTERS : 0, late);
	EXPECT_EQ(goes_on, !!after);
}

/*
 * An exec revokes the permission to follow: the start address of the privileged program is not
 * reported, although the saved registers contain it at the last overflow.
 */
TEST_F(netburst, setuid_exec)
{
	exec_sampled(_metadata, self, USER_NOBODY, 04755, false);
	expect_exec(_metadata, self, false, false);
}

TEST_F(netburst, setuid_exec_with_pending_overflow)
{
	exec_sampled(_metadata, self, USER_NOBODY, 04755, true);
	expect_exec(_metadata, self, true, false);
}

/* Overflows before a permitted exec are not attributed to the new program. */
TEST_F(netburst, plain_exec)
{
	exec_sampled(_metadata, self, 0, 0755, false);
	expect_exec(_metadata, self, false, true);
}

TEST_F(netburst, plain_exec_with_pending_overflow)
{
	exec_sampled(_metadata, self, 0, 0755, true);
	expect_exec(_metadata, self, true, true);
}

TEST_HARNESS_MAIN

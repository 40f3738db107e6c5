// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests late overflow interrupts inside the driver's own calls: READ, STOP and START, and a
 * context switch
 *
 * It needs an emulator with one processor and PMIs that are some hundred instructions late
 * (PMCDRV_PMU=late=N). A round has a fixed number of user-mode instructions without a common
 * divisor with the period. So after that many samples, an interrupt has come at each of the
 * first N instructions of each call. Counts and overflows are exact all the same.
 */
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "samples.h"

#define PERIOD	1087		/* a prime, more than a round; below 1031 it can be throttled */
#define ROUNDS	1200		/* more samples than a round has instructions */
#define LOOP	450		/* of two instructions: longer than interrupts are late */

FIXTURE(late) {
	SAMPLING_FIXTURE;
	uint64_t value[ROUNDS];
	uint64_t period;
};

FIXTURE_SETUP(late)
{
	NEED_SAMPLING_AND_ROOT(&self->query);
	if (access(EMULATOR_FILE, F_OK) || !getenv("PMCDRV_SKID") || cpus_online() > 1)
		SKIP(return, "needs the emulator with one CPU and late interrupts");
	ASSERT_EQ(0, pin(0, 0));
	self->period = PERIOD;
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN(late)
{
	schedule_as(0, SCHED_OTHER);
	close(self->fd);
}

static void begin(struct __test_metadata *_metadata, struct _test_data_late *self,
		  uint32_t modes)
{
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, modes);
	setup_period(&self->setup, 0, self->period);
	self->setup.config.ring_size = 1 << 20;
	BEGIN_SAMPLING();
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
}

static inline __attribute__((always_inline)) void loop(void)
{
	unsigned long rounds = LOOP;

	asm volatile("1: dec %0; jnz 1b" : "+r" (rounds));
}

/* Each round counted the same, and each overflow was reported. */
static void end(struct __test_metadata *_metadata, struct _test_data_late *self,
		bool same)
{
	unsigned int i, differ = 0;

	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	tally_rings(&self->tally, &self->rings);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(self->reading.value[0] / self->period, self->tally.overflows[0]);
	EXPECT_EQ(0, self->tally.losses);
	for (i = 2; same && i < ROUNDS; i++) {
		if (self->value[i] - self->value[i - 1] == self->value[1] - self->value[0])
			continue;
		if (!differ++) {
			TH_LOG("round %u: %lld instead of %lld", i,
			       (long long)(self->value[i] - self->value[i - 1]),
			       (long long)(self->value[1] - self->value[0]));
		}
	}
	EXPECT_EQ(0, differ);
	if (same) {
		/* required for an interrupt at each instruction */
		EXPECT_GT(PERIOD, self->value[1] - self->value[0]);
		EXPECT_LT(self->value[1] - self->value[0], self->tally.samples);
	}
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
	RELEASE_SAMPLING();
}

static void read_round(struct _test_data_late *self, unsigned int i)
{
	reading_read(self->fd, &self->reading);
	self->value[i] = self->reading.value[0];
}

TEST_F(late, in_read)
{
	unsigned int i;

	begin(_metadata, self, PMC_COUNT_USER);
	for (i = 0; i < ROUNDS; i++) {
		loop();
		read_round(self, i);
	}
	end(_metadata, self, true);
}

TEST_F(late, in_stop)
{
	unsigned int i;

	begin(_metadata, self, PMC_COUNT_USER);
	for (i = 0; i < ROUNDS; i++) {
		loop();
		pmc_call(self->fd, PMC_IOC_STOP, NULL);
		pmc_call(self->fd, PMC_IOC_START, NULL);
		read_round(self, i);
	}
	end(_metadata, self, true);
}

TEST_F(late, in_start)
{
	unsigned int i;

	begin(_metadata, self, PMC_COUNT_USER);
	for (i = 0; i < ROUNDS; i++) {
		pmc_call(self->fd, PMC_IOC_STOP, NULL);
		loop();
		pmc_call(self->fd, PMC_IOC_START, NULL);
		read_round(self, i);
		loop();
	}
	end(_metadata, self, true);
}

/* Another process, which yields as soon as it runs */
static pid_t yielding_process(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		sched_yield();
}

TEST_F(late, in_switch)
{
	unsigned int i;
	pid_t pid;

	/* so that the two processes run in turn */
	ASSERT_EQ(0, schedule_as(0, SCHED_FIFO));
	pid = yielding_process();
	ASSERT_LT(0, pid);
	begin(_metadata, self, PMC_COUNT_USER);
	for (i = 0; i < ROUNDS; i++) {
		loop();
		sched_yield();
		read_round(self, i);
	}
	end(_metadata, self, true);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Count the driver itself, and its own interrupts. */
TEST_F(late, both_modes)
{
	unsigned int i;

	/*
	 * Where the local APIC does not mask LVTPC, each overflow raises an NMI, even one that
	 * was already handled. Twice as many NMIs would take too much time, so the period is
	 * twice as long.
	 */
	if (is_amd())
		self->period = 2 * PERIOD - 1;
	/* the same where the interrupt itself takes many times as long */
	if (slowness() > 1)
		self->period = 7 * PERIOD * slowness();
	begin(_metadata, self, PMC_COUNT_USER | PMC_COUNT_KERNEL);
	for (i = 0; i < ROUNDS; i++) {
		loop();
		read_round(self, i);
		pmc_call(self->fd, PMC_IOC_STOP, NULL);
		pmc_call(self->fd, PMC_IOC_START, NULL);
	}
	end(_metadata, self, false);
}

TEST_HARNESS_MAIN

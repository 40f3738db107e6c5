// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests CPUs that go offline and come back while they are sampled: no overflow is lost or
 * reported twice
 */
#include <sched.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "process_tree.h"
#include "samples.h"

#define CPU1	"/sys/devices/system/cpu/cpu1/online"
#define PERIOD	20011

FIXTURE(hotplug) {
	SAMPLING_FIXTURE;
	const struct program *loop, *long_loop;
};

FIXTURE_SETUP(hotplug)
{
	NEED_SAMPLING_AND_ROOT(&self->query);
	NEED_CPUS(2);
	LOAD_PROGRAM(self->loop, "./loop-1m");
	LOAD_PROGRAM(self->long_loop, "./loop-10m");
	ASSERT_EQ(0, pin(0, 0));
	if (file_write(CPU1, "0"))
		SKIP(return, "CPU 1 cannot be taken offline");
	ASSERT_EQ(0, file_write(CPU1, "1"));
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN(hotplug)
{
	file_write(CPU1, "1");
	close(self->fd);
}

static void begin(struct __test_metadata *_metadata, struct _test_data_hotplug *self)
{
	unsigned int i;

	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	for (i = 0; i < self->setup.config.nr_counters; i++)
		setup_period(&self->setup, i, PERIOD + 1009 * i);
	/* 9000 samples with 14 values, as on Arrow Lake, which are not read meanwhile */
	self->setup.config.ring_size = 1 << 21;
	BEGIN_SAMPLING();
}

/* Run the loop once, bound to a CPU. */
static void run_on(struct __test_metadata *_metadata, struct _test_data_hotplug *self, int cpu)
{
	struct child child;

	ASSERT_EQ(0, child_program(&child, self->loop));
	ASSERT_EQ(0, pin(child.pid, cpu));
	ASSERT_EQ(0, child_run(&child));
}

/* Each CPU's overflows match its count. */
static void expect_each_cpu(struct __test_metadata *_metadata, struct _test_data_hotplug *self)
{
	unsigned int i;
	int cpu;

	tally_rings(&self->tally, &self->rings);
	for (cpu = 0; cpu < 2; cpu++) {
		if (self->setup.config.scope == PMC_SCOPE_ALL_CPUS) {
			ASSERT_EQ(0, reading_read_cpu(self->fd, cpu, &self->reading));
		} else {
			ASSERT_EQ(0, reading_read(self->fd, &self->reading));
			cpu = 1;
		}
		for (i = 0; i < self->setup.config.nr_counters; i++)
			EXPECT_EQ(self->reading.value[i] / self->setup.counter[i].period,
				  tally_of(&self->tally, cpu, i));
	}
}

static void offline_and_online(struct __test_metadata *_metadata,
			       struct _test_data_hotplug *self)
{
	unsigned int i;

	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	for (i = 0; i < 4; i++) {
		run_on(_metadata, self, 1);
		ASSERT_EQ(0, file_write(CPU1, "0"));
		tally_rings(&self->tally, &self->rings);
		if (i & 1)
			ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		ASSERT_EQ(0, file_write(CPU1, "1"));
	}
	run_on(_metadata, self, 1);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	expect_each_cpu(_metadata, self);
	EXPECT_LE(5 * self->loop->instructions / PERIOD, tally_of(&self->tally, 1, 0));
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
}

TEST_F(hotplug, one_cpu)
{
	setup_cpu(&self->setup, 1);
	offline_and_online(_metadata, self);
}

TEST_F(hotplug, all_cpus)
{
	setup_all_cpus(&self->setup);
	offline_and_online(_metadata, self);
}

/* A CPU that was offline has its ring, and samples once it comes online. */
TEST_F(hotplug, cpu_onlined_after_configure)
{
	ASSERT_EQ(0, file_write(CPU1, "0"));
	setup_all_cpus(&self->setup);
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, file_write(CPU1, "1"));
	run_on(_metadata, self, 1);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	expect_each_cpu(_metadata, self);
	EXPECT_LE(self->loop->instructions / PERIOD, tally_of(&self->tally, 1, 0));
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
}

/* A thread that is migrated off a CPU that goes offline is sampled exactly. */
TEST_F(hotplug, thread)
{
	unsigned int i, rounds = 0;
	struct child child;
	cpu_set_t both;

	CPU_ZERO(&both);
	CPU_SET(0, &both);
	CPU_SET(1, &both);
	ASSERT_EQ(0, child_program(&child, self->long_loop));
	setup_thread(&self->setup, child.pid, PMC_CONFIG_ON_EXEC);
	begin(_metadata, self);
	ASSERT_EQ(0, text_range(self->long_loop->argv[0], &self->tally.text));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_go(&child));
	do {
		ASSERT_EQ(0, pin(child.pid, 1));
		ASSERT_EQ(0, sched_setaffinity(child.pid, sizeof(both), &both));
		ASSERT_EQ(0, file_write(CPU1, "0"));
		ASSERT_EQ(0, file_write(CPU1, "1"));
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		rounds++;
	} while (!(self->reading.state & PMC_STATE_ENDED));
	ASSERT_EQ(0, child_wait(&child));
	EXPECT_LT(0, rounds);
	tally_rings(&self->tally, &self->rings);
	for (i = 0; i < self->setup.config.nr_counters; i++) {
		if (reading_missed_offline(&self->reading)) {
			EXPECT_LT(0, self->reading.value[i]);
			EXPECT_GE(self->long_loop->instructions, self->reading.value[i]);
		} else {
			EXPECT_COUNT(self->long_loop->instructions, self->reading.value[i]);
		}
		EXPECT_EQ(self->reading.value[i] / self->setup.counter[i].period,
			  self->tally.overflows[i]);
	}
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
}

/* The CPU goes offline while its counter is throttled. */
TEST_F(hotplug, throttled)
{
	struct pmc_statistics statistics = { 0 };
	uint64_t throttled;
	unsigned int i, cpu;
	pid_t pid;

	setup_all_cpus_one(&self->setup);
	setup_period(&self->setup, 0, 3);
	self->setup.config.ring_size = 1 << 22;
	CONFIGURE_AND_START(self->fd, &self->setup);
	pid = fork();
	ASSERT_LE(0, pid);
	if (pid == 0) {
		cpu_set_t both;

		CPU_ZERO(&both);
		CPU_SET(0, &both);
		CPU_SET(1, &both);
		sched_setaffinity(0, sizeof(both), &both);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		spin_forever();
	}
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pin(pid, 1));
		throttled = statistics.throttled;
		do {
			usleep(200);
			ASSERT_EQ(0, statistics_read(self->fd, &statistics));
		} while (statistics.throttled == throttled);
		ASSERT_EQ(0, file_write(CPU1, "0"));
		ASSERT_EQ(0, file_write(CPU1, "1"));
	}
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	for (cpu = 0; cpu < 2; cpu++) {
		ASSERT_EQ(0, reading_read_cpu(self->fd, cpu, &self->reading));
		EXPECT_EQ(self->reading.value[0] / 3, self->reading.overflows);
	}
}

TEST_HARNESS_MAIN

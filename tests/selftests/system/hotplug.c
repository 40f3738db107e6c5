// SPDX-License-Identifier: GPL-2.0-only
/* Tests CPUs that go offline and come back while they are counted */
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "acquisitions.h"

#define CPU1	"/sys/devices/system/cpu/cpu1/online"

/* Upper limit of what other processes execute in user mode meanwhile */
#define OTHERS_MAX	100000000ULL

FIXTURE(hotplug) {
	BASE_FIXTURE;
	const struct program *loop;
};

FIXTURE_SETUP(hotplug)
{
	NEED_COUNTERS_AND_ROOT(&self->query);
	NEED_CPUS(2);
	LOAD_PROGRAM(self->loop, "./loop-1m");
	ASSERT_EQ(0, pin(0, 0));
	if (file_write(CPU1, "0"))
		SKIP(return, "CPU 1 cannot be taken offline");
	ASSERT_EQ(0, file_write(CPU1, "1"));
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN(hotplug)
{
	acquisitions_ignore();
	file_write(CPU1, "1");
	close(self->fd);
}

/* Run the loop once, bound to a CPU; its thread is not counted. */
static void run_on(struct __test_metadata *_metadata, struct _test_data_hotplug *self, int cpu)
{
	struct child child;

	ASSERT_EQ(0, child_program(&child, self->loop));
	ASSERT_EQ(0, pin(child.pid, cpu));
	ASSERT_EQ(0, child_run(&child));
}

TEST_F(hotplug, query_reports_offline_cpu)
{
	struct pmc_counter counter;
	struct pmc_query query;

	ASSERT_EQ(0, file_write(CPU1, "0"));
	ASSERT_EQ(0, pmc_query(1, &query));
	EXPECT_EQ(PMC_STATUS_OFFLINE, query.status);
	EXPECT_EQ(0, query.general_counters);
	EXPECT_EQ(-ENODEV, pmc_describe(1, PMC_COUNTER_GENERAL(0), &counter));
	ASSERT_EQ(0, file_write(CPU1, "1"));
	ASSERT_EQ(0, pmc_query(1, &query));
	EXPECT_EQ(PMC_STATUS_OK, query.status);
	EXPECT_EQ(self->query.general_counters, query.general_counters);
}

TEST_F(hotplug, one_cpu_keeps_its_count)
{
	uint64_t value;

	setup_cpu_all(&self->setup, &self->query, 1);
	CONFIGURE_AND_START(self->fd, &self->setup);
	run_on(_metadata, self, 1);
	ASSERT_EQ(0, file_write(CPU1, "0"));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING | PMC_STATE_OFFLINE, self->reading.state);
	value = self->reading.value[0];
	EXPECT_LE(self->loop->instructions, value);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(value, self->reading.value[0]);

	/* back online, it continues to count by itself */
	ASSERT_EQ(0, file_write(CPU1, "1"));
	run_on(_metadata, self, 1);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING, self->reading.state);
	EXPECT_LE(value + self->loop->instructions, self->reading.value[0]);
	EXPECT_GT(value + self->loop->instructions + OTHERS_MAX, self->reading.value[0]);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
}

/* Contexts that follow threads do not hide an earlier one that counts the CPU. */
TEST_F(hotplug, one_cpu_beside_a_later_thread)
{
	struct setup later;
	int fd;

	if (self->query.general_counters != (self->query.general_counters | 3))
		SKIP(return, "needs two general counters");
	setup_cpu_one(&self->setup, 1);
	CONFIGURE_AND_START(self->fd, &self->setup);
	OPEN_DEVICE(fd);
	setup_thread(&later, 0, 0);
	/* another event: on NetBurst, two logical processors leave one ESCR to each */
	setup_add(&later, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(fd, &later));
	ASSERT_EQ(0, file_write(CPU1, "0"));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING | PMC_STATE_OFFLINE, self->reading.state);
	ASSERT_EQ(0, file_write(CPU1, "1"));
	run_on(_metadata, self, 1);
	STOP_AND_READ(self->fd, &self->reading);
	EXPECT_EQ(0, self->reading.state);
	EXPECT_LE(self->loop->instructions, self->reading.value[0]);
	close(fd);
}

/* A CPU that comes online is left alone if no context counts there. */
TEST_F(hotplug, cpu_without_context_is_left_alone)
{
	NEED_ACQUISITIONS();
	setup_cpu_one(&self->setup, 0);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, file_write(CPU1, "0"));
	ASSERT_EQ(0, file_write(CPU1, "1"));
	EXPECT_EQ(1, acquisitions_seen().ever);
	STOP_AND_READ(self->fd, &self->reading);
	ASSERT_EQ(0, close(self->fd));
	OPEN_DEVICE(self->fd);
	setup_all_cpus_one(&self->setup);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, file_write(CPU1, "0"));
	EXPECT_EQ(0, acquisitions_seen().now & 2);
	NEED_ACQUISITIONS();
	ASSERT_EQ(0, file_write(CPU1, "1"));
	EXPECT_EQ(2, acquisitions_seen().ever & 2);
}

/* START while offline is refused; STOP while offline stays in force. */
TEST_F(hotplug, start_and_stop_while_offline)
{
	uint64_t value;

	setup_cpu_one(&self->setup, 1);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, file_write(CPU1, "0"));
	EXPECT_EQ(-ENODEV, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, file_write(CPU1, "1"));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	run_on(_metadata, self, 1);
	ASSERT_EQ(0, file_write(CPU1, "0"));
	STOP_AND_READ(self->fd, &self->reading);
	value = self->reading.value[0];
	ASSERT_EQ(0, file_write(CPU1, "1"));
	run_on(_metadata, self, 1);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(value, self->reading.value[0]);
	EXPECT_EQ(0, self->reading.state);
}

/* All CPUs: the count of an offline CPU stays in the sum; back online, it counts again. */
TEST_F(hotplug, all_cpus_keep_the_sum)
{
	struct reading one;
	uint64_t value;

	setup_all_cpus_one(&self->setup);
	CONFIGURE_AND_START(self->fd, &self->setup);
	run_on(_metadata, self, 1);
	ASSERT_EQ(0, file_write(CPU1, "0"));
	ASSERT_EQ(0, reading_read_cpu(self->fd, 1, &one));
	EXPECT_NE(0, one.state & PMC_STATE_OFFLINE);
	EXPECT_LE(self->loop->instructions, one.value[0]);
	value = one.value[0];
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_LT(value, self->reading.value[0]);
	ASSERT_EQ(0, file_write(CPU1, "1"));
	run_on(_metadata, self, 1);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, reading_read_cpu(self->fd, 1, &one));
	EXPECT_LE(value + self->loop->instructions, one.value[0]);
	EXPECT_GT(value + self->loop->instructions + OTHERS_MAX, one.value[0]);
	value = one.value[0];
	ASSERT_EQ(0, reading_read_cpu(self->fd, 0, &one));
	value += one.value[0];
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(value, self->reading.value[0]);
}

/* A CPU that was offline at CONFIGURE counts once it comes online. */
TEST_F(hotplug, cpu_onlined_after_configure)
{
	struct reading one;

	ASSERT_EQ(0, file_write(CPU1, "0"));
	setup_all_cpus_one(&self->setup);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, file_write(CPU1, "1"));
	run_on(_metadata, self, 1);
	ASSERT_EQ(0, reading_read_cpu(self->fd, 1, &one));
	EXPECT_LE(self->loop->instructions, one.value[0]);
}

/*
 * A thread that may run anywhere is counted exactly while CPU 1 goes offline and comes back. It
 * is bound to CPU 1 before each time, so that going offline migrates it.
 */
TEST_F(hotplug, thread_is_exact)
{
	const struct program *loop = program_named("./loop-10m");
	struct child child;
	cpu_set_t both;
	unsigned int i, rounds = 0;

	ASSERT_NE(NULL, loop);
	CPU_ZERO(&both);
	CPU_SET(0, &both);
	CPU_SET(1, &both);
	ASSERT_EQ(0, child_counted(&child, loop, &self->setup, &self->query, EVENT_INSTRUCTIONS));
	CONFIGURE_AND_START(self->fd, &self->setup);
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
	for (i = 0; i < self->reading.nr_counters; i++) {
		if (reading_missed_offline(&self->reading)) {
			EXPECT_LT(0, self->reading.value[i]);
			EXPECT_GE(loop->instructions, self->reading.value[i]);
		} else {
			EXPECT_COUNT(loop->instructions, self->reading.value[i]);
		}
	}
}

TEST_HARNESS_MAIN

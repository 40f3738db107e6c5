// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests self-monitoring: a thread counts itself between START and STOP
 */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "counted_loop.h"
#include "fixture.h"

FIXTURE(self) {
	BASE_FIXTURE;
};

FIXTURE_SETUP(self)
{
	BASE_SETUP();
	setup_thread(&self->setup, 0, 0);
}

FIXTURE_TEARDOWN_CLOSE(self)

TEST_F(self, instructions_on_every_counter)
{
	unsigned int i;

	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, loop_counted(self->fd, 100000));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	ASSERT_EQ(self->setup.config.nr_counters, self->reading.nr_counters);
	for (i = 0; i < self->reading.nr_counters; i++)
		EXPECT_COUNT(LOOP_INSTRUCTIONS(100000), self->reading.value[i]);
	EXPECT_EQ(0, self->reading.state);
}

TEST_F(self, branches_on_every_general_counter)
{
	unsigned int i;

	setup_add_all(&self->setup, &self->query, EVENT_BRANCHES, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, loop_counted(self->fd, 100000));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < self->reading.nr_counters; i++)
		EXPECT_COUNT(LOOP_BRANCHES(100000), self->reading.value[i]);
}

TEST_F(self, empty_region_is_three_instructions)
{
	unsigned int i;

	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, nothing_counted(self->fd));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < self->reading.nr_counters; i++)
		EXPECT_COUNT(3, self->reading.value[i]);
}

/* Stopped counters do not change; each region adds exactly its own count. */
TEST_F(self, regions_add_up)
{
	unsigned int rounds, i;
	uint64_t known = 0;

	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	for (rounds = 1; rounds < 3000; rounds += 7) {
		ASSERT_EQ(0, loop_counted(self->fd, rounds));
		known += LOOP_INSTRUCTIONS(rounds);
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		for (i = 0; i < self->reading.nr_counters; i++)
			ASSERT_COUNT(known, self->reading.value[i]);
	}
}

/* READ reports the CPU that the thread counts on, -1 while it is stopped. */
TEST_F(self, cpu_of_a_reading)
{
	const int last = cpus_online() - 1;

	ASSERT_EQ(0, pin(0, last));
	setup_thread_one(&self->setup, 0, 0);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(last, self->reading.cpu);
	STOP_AND_READ(self->fd, &self->reading);
	EXPECT_EQ(-1, self->reading.cpu);
}

TEST_F(self, reset_restarts_at_zero)
{
	unsigned int i;

	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, loop_counted(self->fd, 5000));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < self->reading.nr_counters; i++)
		EXPECT_EQ(0, self->reading.value[i]);
	EXPECT_EQ(0, self->reading.time_enabled);
	EXPECT_EQ(0, self->reading.time_counted);
	ASSERT_EQ(0, loop_counted(self->fd, 7000));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < self->reading.nr_counters; i++)
		EXPECT_COUNT(LOOP_INSTRUCTIONS(7000), self->reading.value[i]);
	EXPECT_NE(0, self->reading.time_enabled);
	EXPECT_NE(0, self->reading.time_counted);
	EXPECT_LE(self->reading.time_counted, self->reading.time_enabled);
}

/*
 * Initial and written values have 64 bits, whatever the hardware has: counting passes 2^32,
 * 2^40, 2^48 and 2^64.
 */
TEST_F(self, values_are_64_bits)
{
	uint64_t start[] = {
		(1ULL << 31) - 7, (1ULL << 32) - 7, (1ULL << self->query.general_width) - 7,
		(1ULL << 40) - 7, (1ULL << 48) - 7, (1ULL << 63) - 7, -7ULL,
		0x123456789abcdef0,
	};
	struct pmc_write write;
	uint64_t values[PMC_COUNTERS_MAX];
	unsigned int i, n;

	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	n = self->setup.config.nr_counters;
	for (i = 0; i < n; i++)
		self->setup.counter[i].initial = start[i % ARRAY_SIZE(start)];
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < n; i++)
		EXPECT_EQ(start[i % ARRAY_SIZE(start)], self->reading.value[i]);
	ASSERT_EQ(0, loop_counted(self->fd, 3000));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < n; i++) {
		EXPECT_COUNT(start[i % ARRAY_SIZE(start)] + LOOP_INSTRUCTIONS(3000),
			     self->reading.value[i]);
	}

	/* each counter gets its own value, in reverse order */
	for (i = 0; i < n; i++)
		values[i] = start[(n - i) % ARRAY_SIZE(start)];
	memset(&write, 0, sizeof(write));
	write.size = sizeof(write);
	write.nr_counters = n;
	write.values = (uintptr_t)values;
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_WRITE, &write));
	ASSERT_EQ(0, loop_counted(self->fd, 3000));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < n; i++) {
		EXPECT_COUNT(values[i] + LOOP_INSTRUCTIONS(3000), self->reading.value[i]);
	}
}

/*
 * A reading is a snapshot of one moment: counters that count the same event agree in every
 * reading, although kernel mode and the READ itself are counted.
 */
TEST_F(self, snapshots_are_coherent_in_kernel_mode)
{
	unsigned int i, round;
	uint64_t last = 0;

	if (self->query.family == PMC_FAMILY_NETBURST || self->query.family == PMC_FAMILY_AMD ||
	    (self->query.family == PMC_FAMILY_CORE &&
	     !(self->query.features & PMC_FEATURE(GLOBAL_CTRL))))
		SKIP(return, "these counters cannot all be started at once");
	NEED_ROOT();
	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS,
		      PMC_COUNT_USER | PMC_COUNT_KERNEL);
	CONFIGURE_AND_START(self->fd, &self->setup);
	for (round = 0; round < 2000; round++) {
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		ASSERT_LT(last, self->reading.value[0]);
		last = self->reading.value[0];
		for (i = 1; i < self->reading.nr_counters; i++)
			ASSERT_EQ(last, self->reading.value[i]);
	}
	STOP_AND_READ(self->fd, &self->reading);
	for (i = 1; i < self->reading.nr_counters; i++)
		EXPECT_EQ(self->reading.value[0], self->reading.value[i]);
}

/*
 * Kernel mode alone does not count a loop in user mode. User mode and kernel mode add up to the
 * count of both.
 */
TEST_F(self, user_and_kernel_add_up)
{
	struct setup *setup = &self->setup;
	__u64 *value = self->reading.value;

	if (!(self->query.features & PMC_FEATURE(GLOBAL_CTRL)) || !(self->query.fixed_counters & 1))
		SKIP(return, "needs three counters that start at once");
	NEED_ROOT();
	setup_add(setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_add(setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_KERNEL);
	setup_add(setup, FIXED_INSTRUCTIONS, 0, PMC_COUNT_USER | PMC_COUNT_KERNEL);
	ASSERT_EQ(0, setup_configure(self->fd, setup));
	ASSERT_EQ(0, loop_counted(self->fd, 100000));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_COUNT(LOOP_INSTRUCTIONS(100000), value[0]);
	EXPECT_LT(0, value[1]);
	EXPECT_EQ(value[0] + value[1], value[2]);
}

/* START while running and STOP while stopped change nothing. */
TEST_F(self, start_and_stop_twice)
{
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_BRANCHES, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(0, self->reading.value[0]);
	EXPECT_EQ(0, self->reading.state);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING, self->reading.state);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
	ASSERT_EQ(0, loop_counted(self->fd, 1000));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_COUNT(LOOP_BRANCHES(1000), self->reading.value[0]);
	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_COUNT(LOOP_BRANCHES(1000), self->reading.value[0]);
}

/* Values come in the order of configuration, not of the counters' numbers. */
TEST_F(self, values_in_the_order_of_configuration)
{
	struct setup *setup = &self->setup;

	setup_add(setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
	if (self->query.fixed_counters & 1)
		setup_add(setup, FIXED_INSTRUCTIONS, 0, PMC_COUNT_USER);
	setup_add(setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, setup));
	ASSERT_EQ(0, loop_counted(self->fd, 1000));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_COUNT(LOOP_BRANCHES(1000), self->reading.value[0]);
	EXPECT_COUNT(LOOP_INSTRUCTIONS(1000), self->reading.value[1]);
	EXPECT_COUNT(LOOP_INSTRUCTIONS(1000),
		     self->reading.value[setup->config.nr_counters - 1]);
}

/* The whole event select reaches the hardware, its highest field included. */
TEST_F(self, event_select_reaches_the_hardware)
{
	struct setup *setup = &self->setup;

	setup_add(setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_add(setup, PMC_COUNTER_GENERAL(1), EVENT_IMPOSSIBLE, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, setup));
	ASSERT_EQ(0, loop_counted(self->fd, 1000));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_COUNT(LOOP_INSTRUCTIONS(1000), self->reading.value[0]);
	/* no processor retires 255 instructions in a cycle; no event has this number */
	EXPECT_EQ(0, self->reading.value[1]);
}

TEST_F(self, released_and_configured_again)
{
	unsigned int round;

	for (round = 0; round < 50; round++) {
		setup_thread(&self->setup, 0, 0);
		setup_add_all(&self->setup, &self->query,
			      round & 1 ? EVENT_BRANCHES : EVENT_INSTRUCTIONS, PMC_COUNT_USER);
		ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
		ASSERT_EQ(0, loop_counted(self->fd, 100));
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		ASSERT_COUNT(round & 1 ? LOOP_BRANCHES(100) : LOOP_INSTRUCTIONS(100),
			     self->reading.value[self->setup.config.nr_counters - 1]);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
}

/*
 * Another context gets new events on its counter while this one counts: a quirk's workaround may
 * write all counters (AAK100). All entries count the same.
 */
TEST_F(self, another_context_gets_new_events)
{
	unsigned int last, round, i;
	int fd = pmc_open();
	struct setup setup;

	/* with PMC_QUIRK(USER_4_7) only counters 0 to 3 can count user mode alone */
	last = last_general(&self->query) < 3 ? last_general(&self->query) : 3;
	if (is_netburst() || last < 2)
		SKIP(return, "needs three general counters for any event");
	ASSERT_LE(0, fd);
	for (i = 0; i < last; i++)
		setup_add(&self->setup, PMC_COUNTER_GENERAL(i), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	if (self->query.fixed_counters & 1)
		setup_add(&self->setup, FIXED_INSTRUCTIONS, 0, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	for (round = 0; round < 50; round++) {
		setup_thread(&setup, 0, 0);
		setup_add(&setup, PMC_COUNTER_GENERAL(last),
			  round & 1 ? EVENT_BRANCHES : EVENT_INSTRUCTIONS, PMC_COUNT_USER);
		ASSERT_EQ(0, setup_configure(fd, &setup));
		ASSERT_EQ(0, loop_counted(fd, 100));
		ASSERT_EQ(0, reading_read(fd, &self->reading));
		EXPECT_COUNT(round & 1 ? LOOP_BRANCHES(100) : LOOP_INSTRUCTIONS(100),
			     self->reading.value[0]);
		ASSERT_EQ(0, pmc_call(fd, PMC_IOC_RELEASE, NULL));
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		EXPECT_LT(round * LOOP_INSTRUCTIONS(100), self->reading.value[0]);
		for (i = 1; i < self->reading.nr_counters; i++)
			EXPECT_EQ(self->reading.value[0], self->reading.value[i]);
	}
	close(fd);
}

TEST_HARNESS_MAIN

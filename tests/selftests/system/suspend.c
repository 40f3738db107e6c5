// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests suspending the system while it counts: the counts stay, and counting continues
 * afterwards
 *
 * In variant ram the firmware resets all processors: all registers are lost, and the time-stamp
 * counter restarts at 0. In variant core everything is suspended, but the processor does not
 * sleep.
 *
 * A computer that sleeps has to be woken, so `run` runs this program only by name.
 */
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "process_tree.h"
#include "netlink.h"
#include "registers.h"
#include "samples.h"
#include "suspend.h"
#include "times.h"
#include "user_read.h"

#define PERIOD	20011
#define ROUNDS	100000

/* Upper limit of what other processes execute in user mode meanwhile */
#define OTHERS_MAX	100000000ULL

#define FIRMWARE_KO	"/firmware.ko"
#define PCE_FILE	"/sys/class/misc/pmc/pce"

FIXTURE(suspend) {
	struct pmc_query query;
	const struct program *loop, *long_loop;
	struct setup setup;
	struct reading before, reading;
	struct registers found, left;
	struct access access;
	struct rings rings;
	struct tally tally;
	uint64_t spurious;
	struct nl nl;
	struct nl_message message;
	struct child child;
	int fd;
};

FIXTURE_VARIANT(suspend) {
	struct sleep sleep;
};

FIXTURE_VARIANT_ADD(suspend, core) {
	.sleep = { "core", "mem" },
};

FIXTURE_VARIANT_ADD(suspend, ram) {
	.sleep = { "none", "mem" },
};

FIXTURE_SETUP(suspend)
{
	const char *why;

	NEED_COUNTERS_AND_ROOT(&self->query);
	why = sleep_prepare(&variant->sleep);
	if (why)
		SKIP(return, "%s", why);
	LOAD_PROGRAM(self->loop, "./loop-1m");
	LOAD_PROGRAM(self->long_loop, "./loop-10m");
	ASSERT_EQ(0, pin(0, 0));
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN(suspend)
{
	if (self->child.pid > 0)
		kill(self->child.pid, SIGKILL);
	close(self->fd);
	sleep_undo();
}

/* Run the loop once, bound to a CPU; its thread is not counted. */
static void run_on(struct __test_metadata *_metadata, struct _test_data_suspend *self, int cpu)
{
	ASSERT_EQ(0, child_program(&self->child, self->loop));
	ASSERT_EQ(0, pin(self->child.pid, cpu));
	ASSERT_EQ(0, child_run(&self->child));
	self->child.pid = 0;
}

/* Each counter has this value. */
static void expect_values(struct __test_metadata *_metadata, const struct reading *reading,
			  uint64_t value)
{
	unsigned int i;

	for (i = 0; i < reading->nr_counters; i++) {
		EXPECT_EQ(value, reading->value[i])
			TH_LOG("counter %u", i);
	}
}

/* ---- threads ---- */

/* The instructions of this thread between two readings, with one write of @text to @file between */
static uint64_t around(struct __test_metadata *_metadata, struct _test_data_suspend *self,
		       int file, const char *text)
{
	size_t length = strlen(text);
	int err[2];
	ssize_t done;

	err[0] = reading_read(self->fd, &self->before);
	done = write(file, text, length);
	err[1] = reading_read(self->fd, &self->reading);
	ASSERT_EQ(0, err[0]);
	ASSERT_EQ(length, done);
	ASSERT_EQ(0, err[1]);
	return self->reading.value[0] - self->before.value[0];
}

/* The thread that suspends the system counts itself: exact across the suspend. */
static void count_self(struct __test_metadata *_metadata, struct _test_data_suspend *self,
		       const char *text)
{
	int null = open("/dev/null", O_WRONLY), state = open(POWER_STATE, O_WRONLY);
	uint64_t known;
	unsigned int i;

	ASSERT_LE(0, null);
	ASSERT_LE(0, state);
	setup_thread_all(&self->setup, &self->query, 0, 0);
	CONFIGURE_AND_START(self->fd, &self->setup);
	known = around(_metadata, self, null, text);
	ASSERT_EQ(known, around(_metadata, self, null, text));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(known, around(_metadata, self, state, text));
		EXPECT_EQ(PMC_STATE_RUNNING, self->reading.state);
		EXPECT_EQ(known, around(_metadata, self, null, text));
	}
	close(null);
	close(state);
}

TEST_F(suspend, self_monitoring)
{
	count_self(_metadata, self, variant->sleep.state);
}

/* Known loops before and after, each between START and STOP */
TEST_F(suspend, stopped)
{
	setup_thread_all(&self->setup, &self->query, 0, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, sleep_now(&variant->sleep));
	ASSERT_EQ(0, sampled_loop(self->fd, ROUNDS, PMC_IOC_START, PMC_IOC_STOP));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	expect_values(_metadata, &self->reading, SAMPLED_LOOP(ROUNDS));
	ASSERT_EQ(0, sleep_now(&variant->sleep));
	ASSERT_EQ(0, reading_read(self->fd, &self->before));
	EXPECT_EQ(0, self->before.state);
	EXPECT_EQ(self->reading.time_enabled, self->before.time_enabled);
	EXPECT_EQ(self->reading.time_counted, self->before.time_counted);
	expect_values(_metadata, &self->before, SAMPLED_LOOP(ROUNDS));
	ASSERT_EQ(0, sampled_loop(self->fd, ROUNDS, PMC_IOC_START, PMC_IOC_STOP));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	expect_values(_metadata, &self->reading, 2 * SAMPLED_LOOP(ROUNDS));
}

/* The system sleeps in the middle of a program. */
static void sleep_in_the_middle(struct __test_metadata *_metadata,
				struct _test_data_suspend *self, const struct sleep *sleep, int cpu)
{
	ASSERT_EQ(0, pin(self->child.pid, cpu));
	ASSERT_EQ(0, child_go(&self->child));
	do {
		sched_yield();
		ASSERT_EQ(0, reading_read(self->fd, &self->before));
	} while (!self->before.value[0]);
	ASSERT_EQ(0, sleep_now(sleep));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING, self->reading.state);
	EXPECT_LE(self->before.value[0], self->reading.value[0]);
	ASSERT_GT(self->long_loop->instructions, self->reading.value[0]);
	ASSERT_EQ(0, child_wait(&self->child));
	self->child.pid = 0;
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_ENDED, self->reading.state);
	expect_values(_metadata, &self->reading, self->long_loop->instructions);
}

TEST_F(suspend, other_thread)
{
	int cpu;

	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, child_counted(&self->child, self->long_loop, &self->setup,
					   &self->query, EVENT_INSTRUCTIONS));
		CONFIGURE_AND_START(self->fd, &self->setup);
		sleep_in_the_middle(_metadata, self, &variant->sleep, cpu);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
}

/* The system sleeps between START and the exec. */
TEST_F(suspend, armed)
{
	ASSERT_EQ(0, child_counted(&self->child, self->loop, &self->setup, &self->query,
				   EVENT_INSTRUCTIONS));
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, sleep_now(&variant->sleep));
	ASSERT_EQ(0, child_run(&self->child));
	self->child.pid = 0;
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_ENDED, self->reading.state);
	expect_values(_metadata, &self->reading, self->loop->instructions);
}

/* ---- CPUs ---- */

/* On each CPU: the one that suspends the system, and one that goes offline for it. */
TEST_F(suspend, one_cpu_count_preserved)
{
	unsigned int i;
	int cpu;

	for (cpu = 0; cpu < cpus_online(); cpu++) {
		setup_cpu_all(&self->setup, &self->query, cpu);
		CONFIGURE_AND_START(self->fd, &self->setup);
		run_on(_metadata, self, cpu);
		ASSERT_EQ(0, reading_read(self->fd, &self->before));
		EXPECT_LE(self->loop->instructions, self->before.value[0]);
		ASSERT_EQ(0, sleep_now(&variant->sleep));
		/* it continues by itself */
		run_on(_metadata, self, cpu);
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		EXPECT_EQ(PMC_STATE_RUNNING, self->reading.state);
		for (i = 0; i < self->reading.nr_counters; i++) {
			uint64_t least = self->before.value[i] + self->loop->instructions;

			EXPECT_LE(least, self->reading.value[i]);
			EXPECT_GT(least + OTHERS_MAX, self->reading.value[i]);
		}
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
}

/* All counters count the same, kernel mode included, so all have the same value. */
TEST_F(suspend, counters_agree)
{
	if (is_amd() || !(self->query.features & PMC_FEATURE(GLOBAL_CTRL)))
		SKIP(return, "these counters start one after the other");
	setup_all_cpus(&self->setup);
	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS,
		      PMC_COUNT_USER | PMC_COUNT_KERNEL);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, reading_read(self->fd, &self->before));
	expect_values(_metadata, &self->before, self->before.value[0]);
	ASSERT_EQ(0, sleep_now(&variant->sleep));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	expect_values(_metadata, &self->reading, self->reading.value[0]);
	EXPECT_LT(self->before.value[0], self->reading.value[0]);
	EXPECT_GT(self->before.value[0] + 100 * OTHERS_MAX, self->reading.value[0]);
}

TEST_F(suspend, all_cpus_sum_preserved)
{
	uint64_t before[SAMPLE_CPUS], sum = 0;
	int cpu, cpus = cpus_online();

	ASSERT_GE(SAMPLE_CPUS, cpus);
	setup_all_cpus_one(&self->setup);
	CONFIGURE_AND_START(self->fd, &self->setup);
	for (cpu = 0; cpu < cpus; cpu++) {
		run_on(_metadata, self, cpu);
		ASSERT_EQ(0, reading_read_cpu(self->fd, cpu, &self->reading));
		before[cpu] = self->reading.value[0];
	}
	ASSERT_EQ(0, sleep_now(&variant->sleep));
	for (cpu = 0; cpu < cpus; cpu++)
		run_on(_metadata, self, cpu);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	for (cpu = 0; cpu < cpus; cpu++) {
		ASSERT_EQ(0, reading_read_cpu(self->fd, cpu, &self->reading));
		EXPECT_EQ(0, self->reading.state);
		EXPECT_LE(before[cpu] + self->loop->instructions, self->reading.value[0]);
		EXPECT_GT(before[cpu] + self->loop->instructions + OTHERS_MAX,
			  self->reading.value[0]);
		sum += self->reading.value[0];
	}
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(sum, self->reading.value[0]);
}

/* ---- times ---- */

/* An hour in ticks of the time-stamp counter: more than any test takes */
static uint64_t hour(const struct _test_data_suspend *self)
{
	return self->query.tsc_khz * 1000ULL * 3600;
}

/* Times advance also when the time-stamp counter restarts. */
static void expect_times(struct __test_metadata *_metadata, struct _test_data_suspend *self)
{
	EXPECT_LT(self->before.time_enabled, self->reading.time_enabled);
	EXPECT_GT(self->before.time_enabled + hour(self), self->reading.time_enabled);
	EXPECT_LT(self->before.time_counted, self->reading.time_counted);
	EXPECT_GT(self->before.time_counted + hour(self), self->reading.time_counted);
}

/* A CPU does not count during the suspend, and its times show that. */
TEST_F(suspend, times_of_a_cpu)
{
	uint64_t uncounted;

	setup_cpu_one(&self->setup, 0);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, reading_read(self->fd, &self->before));
	ASSERT_EQ(0, sleep_now(&variant->sleep));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	expect_times(_metadata, self);
	EXPECT_LT(self->before.time_enabled - self->before.time_counted,
		  self->reading.time_enabled - self->reading.time_counted);
	STOP_AND_READ(self->fd, &self->before);
	uncounted = self->before.time_enabled - self->before.time_counted;
	ASSERT_EQ(0, sleep_now(&variant->sleep));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(self->before.time_enabled, self->reading.time_enabled);
	EXPECT_EQ(uncounted, self->reading.time_enabled - self->reading.time_counted);
}

/* The thread's own READ, while it counts and after STOP */
TEST_F(suspend, times_of_a_thread)
{
	setup_thread_one(&self->setup, 0, 0);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, reading_read(self->fd, &self->before));
	ASSERT_EQ(0, sleep_now(&variant->sleep));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	expect_times(_metadata, self);
	EXPECT_LE(self->reading.time_counted, self->reading.time_enabled);
	self->before = self->reading;
	STOP_AND_READ(self->fd, &self->reading);
	expect_times(_metadata, self);
}

TEST_F(suspend, times_of_another_thread)
{
	ASSERT_EQ(0, child_spin(&self->child));
	setup_follow(&self->setup, PMC_SCOPE_TREE, self->child.pid, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_go(&self->child));
	do {
		sched_yield();
		ASSERT_EQ(0, reading_read(self->fd, &self->before));
	} while (!self->before.value[0]);
	ASSERT_EQ(0, sleep_now(&variant->sleep));
	do {
		sched_yield();
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	} while (self->before.value[0] == self->reading.value[0]);
	expect_times(_metadata, self);
	EXPECT_LE(self->reading.time_counted, self->reading.time_enabled);
}

/* ---- exact times: see target/times.c ---- */

FIXTURE(times) {
	struct times times;
	struct child child;
};

FIXTURE_VARIANT(times) {
	uint32_t scope;
	bool other;	/* another thread, which sleeps */
};

FIXTURE_VARIANT_ADD(times, self) {
	.scope = PMC_SCOPE_THREAD,
};

FIXTURE_VARIANT_ADD(times, other_thread) {
	.scope = PMC_SCOPE_THREAD, .other = true,
};

FIXTURE_VARIANT_ADD(times, tree) {
	.scope = PMC_SCOPE_TREE, .other = true,
};

FIXTURE_VARIANT_ADD(times, cpu) {
	.scope = PMC_SCOPE_CPU,
};

FIXTURE_VARIANT_ADD(times, all_cpus) {
	.scope = PMC_SCOPE_ALL_CPUS,
};

static const struct sleep to_ram = { "none", "mem" };

static void setup_scope(struct setup *setup, uint32_t scope, pid_t pid)
{
	if (scope == PMC_SCOPE_CPU)
		setup_cpu(setup, 0);
	else if (scope == PMC_SCOPE_ALL_CPUS)
		setup_all_cpus(setup);
	else
		setup_follow(setup, scope, pid, 0);
	setup_add(setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
}

FIXTURE_SETUP(times)
{
	struct times *times = &self->times;
	const char *why;

	NEED_COUNTERS_AND_ROOT(&times->query);
	why = sleep_prepare(&to_ram);
	if (why)
		SKIP(return, "%s", why);
	NEED_CLOCK_READS(&times->query);
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, schedule_as(0, SCHED_FIFO));
	OPEN_DEVICE(times->fd);
	if (variant->other)
		ASSERT_EQ(0, child_spin(&self->child));
	setup_scope(&times->setup, variant->scope, self->child.pid);
	times->by_cpu = variant->scope == PMC_SCOPE_CPU || variant->scope == PMC_SCOPE_ALL_CPUS;
	times->several = variant->scope == PMC_SCOPE_TREE;
	ASSERT_EQ(0, setup_configure(times->fd, &times->setup));
	ASSERT_EQ(0, clock_watch_enable(true));
}

FIXTURE_TEARDOWN(times)
{
	clock_watch_enable(false);
	if (self->child.pid > 0)
		child_kill(&self->child);
	close(self->times.fd);
	if (!clock_watch.failed)
		clock_collect(&self->times.reads);
	sleep_undo();
}

TEST_F(times, to_ram)
{
	struct times *times = &self->times;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		times_start(_metadata, times);
		times_read(_metadata, times);
		times_between(_metadata, times);
		ASSERT_EQ(0, sleep_now(&to_ram));
		times_suspended(_metadata, times);
		times_read(_metadata, times);
		times_reset(_metadata, times);
		times_read(_metadata, times);
		times_stop(_metadata, times);
		times_between(_metadata, times);
		ASSERT_EQ(0, sleep_now(&to_ram));
		times_suspended(_metadata, times);
		times_read(_metadata, times);
	}
}

/* ---- reading in user mode ---- */

/* The page is valid again, has the ioctl's values, and its times continue. */
TEST_F(suspend, page)
{
	unsigned int i, n;
	uint64_t enabled;

	if (!(self->query.features & PMC_FEATURE(RDPMC)))
		SKIP(return, "this CPU has no RDPMC");
	setup_thread_all(&self->setup, &self->query, 0, PMC_CONFIG_USER_READ);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	self->access.page = page_map(self->fd);
	ASSERT_NE(NULL, self->access.page);
	self->access.reading = &self->reading;
	self->access.fd = self->fd;
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	for (n = 0; n < 3; n++) {
		ASSERT_EQ(0, reading_read(self->fd, &self->before));
		if (n)
			ASSERT_EQ(0, sleep_now(&variant->sleep));
		for (i = 0; i < self->setup.config.nr_counters; i++) {
			self->access.counter = &self->access.page->counter[i];
			ASSERT_EQ(0, access_both(&self->access));
			EXPECT_EQ(self->access.value + ACCESS_INSTRUCTIONS,
				  self->reading.value[i])
				TH_LOG("counter %u, suspend %u", i, n);
		}
		expect_times(_metadata, self);
		/* a context switch writes the page: its time is read before the ioctl */
		enabled = self->access.page->time_enabled;
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		EXPECT_GE(self->reading.time_enabled, enabled);
		if (n)
			EXPECT_LE(self->before.time_enabled, self->access.page->time_enabled);
	}
	EXPECT_EQ(0, page_unmap(self->access.page));
}

static void faulted(int signal)
{
	_exit(1);
}

/* May a process without a request execute RDPMC? Returns 1 if it faults. */
static int rdpmc_faults(int cpu)
{
	struct child child;

	child.pid = fork();
	if (child.pid == 0) {
		signal(SIGSEGV, faulted);
		pin(0, cpu);
		rdpmc(0);
		_exit(0);
	}
	return child_wait(&child);
}

TEST_F(suspend, setting_of_pce)
{
	int cpu;

	if (!(self->query.features & PMC_FEATURE(RDPMC)))
		SKIP(return, "this CPU has no RDPMC");
	ASSERT_EQ(0, file_write(PCE_FILE, "2"));
	ASSERT_EQ(0, sleep_now(&variant->sleep));
	for (cpu = 0; cpu < cpus_online(); cpu++)
		EXPECT_EQ(0, rdpmc_faults(cpu));
	ASSERT_EQ(0, file_write(PCE_FILE, "1"));
	ASSERT_EQ(0, sleep_now(&variant->sleep));
	for (cpu = 0; cpu < cpus_online(); cpu++)
		EXPECT_EQ(1, rdpmc_faults(cpu));
}

/* ---- samples ---- */

static void begin_sampling(struct __test_metadata *_metadata, struct _test_data_suspend *self,
			   uint32_t flags)
{
	unsigned int i;

	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, flags);
	for (i = 0; i < self->setup.config.nr_counters; i++)
		setup_period(&self->setup, i, PERIOD + 1009 * i);
	self->setup.config.ring_size = 1 << 20;
	BEGIN_SAMPLING();
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
}

TEST_F(suspend, sampled_thread)
{
	unsigned int i;
	int cpu;

	NEED_SAMPLING(&self->query);
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, child_program(&self->child, self->long_loop));
		setup_thread(&self->setup, self->child.pid, PMC_CONFIG_ON_EXEC);
		begin_sampling(_metadata, self, PMC_COUNT_USER);
		ASSERT_EQ(0, text_range(self->long_loop->argv[0], &self->tally.text));
		sleep_in_the_middle(_metadata, self, &variant->sleep, cpu);
		tally_rings(&self->tally, &self->rings);
		for (i = 0; i < self->setup.config.nr_counters; i++) {
			EXPECT_EQ(self->long_loop->instructions / self->setup.counter[i].period,
				  self->tally.overflows[i]);
		}
		EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
		rings_unmap(&self->rings);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
}

/* Each CPU's overflows match its count. */
static void expect_each_cpu(struct __test_metadata *_metadata, struct _test_data_suspend *self)
{
	unsigned int i;
	int cpu;

	tally_rings(&self->tally, &self->rings);
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, reading_read_cpu(self->fd, cpu, &self->reading));
		for (i = 0; i < self->setup.config.nr_counters; i++)
			EXPECT_EQ(self->reading.value[i] / self->setup.counter[i].period,
				  tally_of(&self->tally, cpu, i));
	}
}

TEST_F(suspend, sampled_cpus)
{
	uint64_t overflows = 0;
	unsigned int round;
	int cpu;

	NEED_SAMPLING(&self->query);
	setup_all_cpus(&self->setup);
	begin_sampling(_metadata, self, PMC_COUNT_USER);
	for (round = 0; round < 3; round++) {
		for (cpu = 0; cpu < cpus_online(); cpu++) {
			run_on(_metadata, self, cpu);
			overflows += self->loop->instructions / PERIOD;
		}
		if (round < 2)
			ASSERT_EQ(0, sleep_now(&variant->sleep));
		tally_rings(&self->tally, &self->rings);
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	expect_each_cpu(_metadata, self);
	EXPECT_LE(overflows, self->tally.overflows[0]);
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
}

/* Kernel mode, up to the moment of sleep; a thread that waits for samples is woken again. */
TEST_F(suspend, sampled_kernel)
{
	struct pollfd file = { .fd = self->fd, .events = POLLIN };

	NEED_SAMPLING(&self->query);
	setup_all_cpus(&self->setup);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	setup_period(&self->setup, 0, 1000003);
	self->setup.config.ring_size = 1 << 20;
	self->setup.config.watermark = 1;
	BEGIN_SAMPLING();
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, sleep_now(&variant->sleep));
	/* no record is left: poll() waits */
	tally_rings(&self->tally, &self->rings);
	ASSERT_EQ(0, child_spin(&self->child));
	ASSERT_EQ(0, child_go(&self->child));
	EXPECT_EQ(1, poll(&file, 1, 60000));
	child_kill(&self->child);
	self->child.pid = 0;
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	expect_each_cpu(_metadata, self);
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
}

/* ---- registers, and other users ---- */

static void compare(struct __test_metadata *_metadata, struct _test_data_suspend *self)
{
	unsigned int i;
	int cpu;

	ASSERT_EQ(0, registers_read(&self->left));
	for (cpu = 0; cpu < cpus_online() && cpu < REGISTERS_CPUS; cpu++) {
		for (i = 0; i < self->found.nr; i++) {
			EXPECT_EQ(self->found.value[cpu][i], self->left.value[cpu][i])
				TH_LOG("CPU %d, register %#x", cpu, self->found.address[i]);
		}
	}
}

/* A pattern in an unused counter of CPU 0: what a suspend leaves of it must stay. */
static int leave_pattern(const struct pmc_query *query)
{
	int err;

	if (query->family != PMC_FAMILY_CORE)
		return 0;
	err = msr_write(0, msr_select(query, 0), EVENT_BRANCHES | 1 << 16);
	return err ? err : msr_write(0, msr_counter(query, 0), 0x12345);
}

/* Afterwards the registers are as after a suspend without counting. */
TEST_F(suspend, registers)
{
	int msr = msr_open(0);

	if (msr < 0)
		SKIP(return, "no /dev/cpu/0/msr (modprobe msr)");
	close(msr);
	registers_list(&self->found, &self->query);
	self->left = self->found;
	/* perf's leftovers are zeroed at the first claim, once */
	ASSERT_EQ(0, claim_all(self->fd, &self->query));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, leave_pattern(&self->query));
	ASSERT_EQ(0, sleep_now(&variant->sleep));
	ASSERT_EQ(0, registers_read(&self->found));

	ASSERT_EQ(0, leave_pattern(&self->query));
	ASSERT_EQ(0, claim_all(self->fd, &self->query));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, sleep_now(&variant->sleep));
	/* in use again */
	ASSERT_EQ(0, registers_read(&self->left));
	EXPECT_NE(0, memcmp(&self->found.value[0], &self->left.value[0],
			    sizeof(self->left.value[0])));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	compare(_metadata, self);

	/* claimed and never started */
	ASSERT_EQ(0, leave_pattern(&self->query));
	ASSERT_EQ(0, claim_all(self->fd, &self->query));
	ASSERT_EQ(0, sleep_now(&variant->sleep));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	compare(_metadata, self);
	if (self->query.family == PMC_FAMILY_CORE) {
		ASSERT_EQ(0, msr_write(0, msr_select(&self->query, 0), 0));
		ASSERT_EQ(0, msr_write(0, msr_counter(&self->query, 0), 0));
	}
}

static int unload(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK) ? -errno : 0;
}

static int load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 || syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;

	close(fd);
	return err;
}

/*
 * Counters that run when the system wakes up belong to the driver all the same, and no longer
 * run after their release. firmware.ko leaves them running. A counter that it leaves ready does
 * not run either when the global control is restored to all ones.
 */
TEST_F(suspend, firmware)
{
	if (access(FIRMWARE_KO, R_OK) || !getenv("PMCDRV_KO"))
		SKIP(return, "no %s (modules/firmware/build), or no PMCDRV_KO", FIRMWARE_KO);
	if (self->query.family != PMC_FAMILY_CORE)
		SKIP(return, "firmware.ko needs Intel's architectural counters");
	ASSERT_EQ(0, close(self->fd));
	ASSERT_EQ(0, unload("pmcdrv"));
	ASSERT_EQ(0, load(FIRMWARE_KO));
	ASSERT_EQ(0, load(getenv("PMCDRV_KO")));
	OPEN_DEVICE(self->fd);
	ASSERT_EQ(0, msr_write(0, IA32_GLOBAL_CTRL,
			       self->query.general_counters | self->query.fixed_counters << 32));
	registers_list(&self->found, &self->query);
	self->left = self->found;
	ASSERT_EQ(0, registers_read(&self->found));
	ASSERT_EQ(0, child_counted(&self->child, self->long_loop, &self->setup, &self->query,
				   EVENT_INSTRUCTIONS));
	CONFIGURE_AND_START(self->fd, &self->setup);
	sleep_in_the_middle(_metadata, self, &variant->sleep, 0);
	ASSERT_EQ(0, unload("firmware"));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	compare(_metadata, self);
}

static int perf_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* perf stays excluded until the release, and gets its counters then. */
TEST_F(suspend, perf_blocked_across_suspend)
{
	int perf = perf_open();

	if (perf < 0)
		SKIP(return, "perf does not count on this CPU: %s", strerror(-perf));
	close(perf);
	setup_thread_one(&self->setup, 0, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, sleep_now(&variant->sleep));
	EXPECT_EQ(-EBUSY, perf_open());
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	perf = perf_open();
	ASSERT_LE(0, perf);
	close(perf);
}

static void expect_cpu(struct __test_metadata *_metadata, struct _test_data_suspend *self,
		       uint8_t event, int cpu)
{
	ASSERT_EQ(0, nl_event(&self->nl, &self->message));
	EXPECT_EQ(event, self->message.command);
	EXPECT_EQ(cpu, self->message.number[PMC_NETLINK_A_CPU]);
	EXPECT_EQ(event == PMC_NETLINK_CPU_ONLINE ? PMC_STATUS_OK : PMC_STATUS_OFFLINE,
		  self->message.number[PMC_NETLINK_A_STATUS]);
}

/* Listeners get an event for each CPU; the CPU that suspends the system goes offline last. */
TEST_F(suspend, event_reported)
{
	int cpu, cpus = cpus_online(), n;

	ASSERT_EQ(0, nl_open(&self->nl));
	ASSERT_EQ(0, nl_join(&self->nl, PMC_NETLINK_GROUP_HOTPLUG));
	for (n = 0; n < 2; n++) {
		ASSERT_EQ(0, sleep_now(&variant->sleep));
		for (cpu = 1; cpu < cpus; cpu++)
			expect_cpu(_metadata, self, PMC_NETLINK_CPU_OFFLINE, cpu);
		expect_cpu(_metadata, self, PMC_NETLINK_CPU_OFFLINE, 0);
		for (cpu = 0; cpu < cpus; cpu++)
			expect_cpu(_metadata, self, PMC_NETLINK_CPU_ONLINE, cpu);
	}
}

/* To disk, up to the writing of the image and back. The kernel waits for 5 s in the middle. */
TEST(to_disk)
{
	static const struct sleep sleep = { "core", "disk" };
	static struct _test_data_suspend self;
	const char *why;

	NEED_COUNTERS_AND_ROOT(&self.query);
	why = sleep_prepare(&sleep);
	if (why)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, pin(0, 0));
	OPEN_DEVICE(self.fd);
	count_self(_metadata, &self, sleep.state);
	close(self.fd);
	sleep_undo();
}

int main(int argc, char **argv)
{
	selftest_begin(argc, argv);
	clock_watch_begin();
	return test_harness_run(argc, argv);
}

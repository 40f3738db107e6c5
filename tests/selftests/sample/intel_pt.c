// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests sampling beside an event of Intel PT, which reserves no counter
 *
 * While such an event exists, Linux's perf writes the global control in every NMI: 0, and then
 * the mask of its own counters if it has counted before.
 */
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "process_tree.h"
#include "samples.h"

#define PERIOD	20011
#define ROUNDS	200000
#define PT_TYPE	"/sys/bus/event_source/devices/intel_pt/type"

static int perf_event(uint32_t type, uint64_t config, int cpu)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = type != PERF_TYPE_HARDWARE,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

FIXTURE(pt) {
	SAMPLING_FIXTURE;
	struct setup thread;
	uint64_t period;
	int thread_fd;
	int pt;
};

FIXTURE_VARIANT(pt) {
	bool perf_has_counted;
};

FIXTURE_VARIANT_ADD(pt, alone) {
};

/* perf's mask keeps its counters enabled. */
FIXTURE_VARIANT_ADD(pt, after_perf) {
	.perf_has_counted = true,
};

FIXTURE_SETUP(pt)
{
	char type[16];
	int cpu, perf;

	NEED_SAMPLING_AND_ROOT(&self->query);
	if (file_read(PT_TYPE, type, sizeof(type)))
		SKIP(return, "no " PT_TYPE);
	for (cpu = 0; variant->perf_has_counted && cpu < cpus_online(); cpu++) {
		perf = perf_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, cpu);
		ASSERT_LE(0, perf);
		close(perf);
	}
	self->pt = perf_event(strtoul(type, NULL, 10), 0, 0);
	ASSERT_LE(0, self->pt);
	self->period = PERIOD;
	OPEN_DEVICE(self->fd);
	OPEN_DEVICE(self->thread_fd);
}

FIXTURE_TEARDOWN(pt)
{
	close(self->thread_fd);
	close(self->fd);
	close(self->pt);
}

static void begin_sampling(struct __test_metadata *_metadata, struct _test_data_pt *self)
{
	setup_period(&self->setup, 0, self->period);
	BEGIN_SAMPLING();
}

static void end_sampling(struct __test_metadata *_metadata, struct _test_data_pt *self)
{
	tally_rings(&self->tally, &self->rings);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_LT(10, self->tally.overflows[0]);
	EXPECT_EQ(self->reading.value[0] / self->period, self->tally.overflows[0]);
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
	RELEASE_SAMPLING();
}

/* A thread that samples itself gets all of its overflows, on all counters. */
TEST_F(pt, a_sampled_thread)
{
	unsigned int i;
	int cpu;

	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, pin(0, cpu));
		setup_thread_all(&self->setup, &self->query, 0, 0);
		begin_sampling(_metadata, self);
		ASSERT_EQ(0, sampled_loop(self->fd, ROUNDS, PMC_IOC_START, PMC_IOC_STOP));
		end_sampling(_metadata, self);
		for (i = 0; i < self->setup.config.nr_counters; i++)
			EXPECT_COUNT(SAMPLED_LOOP(ROUNDS), self->reading.value[i]);
	}
}

/*
 * The CPU is sampled. Another context has its own counters without interrupts: it loses
 * nothing, and while it is stopped nothing is added.
 */
TEST_F(pt, another_on_a_sampled_cpu)
{
	unsigned int i, round;
	volatile int j;
	int cpu;

	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, pin(0, cpu));
		setup_cpu(&self->setup, cpu);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS,
			  PMC_COUNT_USER);
		begin_sampling(_metadata, self);
		setup_thread(&self->thread, 0, 0);
		setup_add(&self->thread, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS,
			  PMC_COUNT_USER);
		setup_add(&self->thread, PMC_COUNTER_FIXED(0), 0, PMC_COUNT_USER);
		ASSERT_EQ(0, setup_configure(self->thread_fd, &self->thread));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		for (round = 1; round <= 3; round++) {
			ASSERT_EQ(0, sampled_loop(self->thread_fd, ROUNDS, PMC_IOC_START,
						  PMC_IOC_STOP));
			for (j = 0; j < ROUNDS; j++)
				;
			ASSERT_EQ(0, reading_read(self->thread_fd, &self->reading));
			for (i = 0; i < 2; i++)
				EXPECT_COUNT(round * SAMPLED_LOOP(ROUNDS), self->reading.value[i]);
		}
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
		end_sampling(_metadata, self);
		ASSERT_EQ(0, pmc_call(self->thread_fd, PMC_IOC_RELEASE, NULL));
	}
}

/*
 * Two counters count the kernel too, and overflow during each other's interrupt, before perf
 * acknowledges the status and allows the next interrupt. Each overflow has its sample in time:
 * no sample stands for two periods.
 */
TEST_F(pt, kernel_mode)
{
	uint64_t period = 10007 * slowness();
	struct pmc_statistics statistics;
	unsigned int i;
	int cpu;

	self->period *= slowness();
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, pin(0, cpu));
		setup_cpu(&self->setup, cpu);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS,
			  PMC_COUNT_USER | PMC_COUNT_KERNEL);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS,
			  PMC_COUNT_USER | PMC_COUNT_KERNEL);
		setup_period(&self->setup, 1, period);
		self->setup.config.ring_size = slowness() > 1 ? 4 << 20 : 1 << 20;
		begin_sampling(_metadata, self);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		for (i = 0; i < 100000; i++)
			syscall(SYS_getppid);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
		ASSERT_EQ(0, statistics_read(self->fd, &statistics));
		end_sampling(_metadata, self);
		EXPECT_EQ(self->reading.value[1] / period, self->tally.overflows[1]);
		EXPECT_EQ(statistics.records, statistics.sampled);
	}
}

/*
 * A third counter overflows, at every distance, just before the handling of the interrupt that
 * the second one caused during the first one's. The kernel reports no unclaimed NMI.
 */
TEST_F(pt, three_in_kernel_mode)
{
	unsigned int second, third, i;

	ASSERT_EQ(0, pin(0, 0));
	for (second = 0; second < 600; second += 30) {
		for (third = second; third < second + 1200; third += 30) {
			setup_cpu(&self->setup, 0);
			for (i = 0; i < 3; i++) {
				setup_add(&self->setup, PMC_COUNTER_GENERAL(i), EVENT_INSTRUCTIONS,
					  PMC_COUNT_USER | PMC_COUNT_KERNEL);
				setup_period(&self->setup, i,
					     8009 + (i == 1 ? second : i == 2 ? third : 0));
			}
			CONFIGURE_AND_START(self->fd, &self->setup);
			for (i = 0; i < 30; i++)
				syscall(SYS_getppid);
			ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
			ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
		}
	}
}

/* Both modes, on this CPU, on one counter */
static void setup_both_modes(struct setup *setup, int cpu, unsigned int counter, uint64_t period)
{
	setup_cpu(setup, cpu);
	setup_add(setup, PMC_COUNTER_GENERAL(counter), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	setup_period(setup, 0, period);
}

/*
 * The context is sampled every @period, and read, or stopped and @started again, while the
 * other context, after @others events, may interrupt.
 */
static void claim_once(struct __test_metadata *_metadata, struct _test_data_pt *self, int cpu,
		       bool started, uint64_t period, uint64_t others)
{
	volatile unsigned int i;

	/* release the previous context */
	pmc_call(self->fd, PMC_IOC_RELEASE, NULL);
	pmc_call(self->thread_fd, PMC_IOC_RELEASE, NULL);
	setup_both_modes(&self->setup, cpu, 0, period);
	setup_both_modes(&self->thread, cpu, 1, others);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	CONFIGURE_AND_START(self->thread_fd, &self->thread);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	for (i = 0; i < 2000; i++)
		;
	if (started) {
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	} else {
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	}
	ASSERT_EQ(0, pmc_call(self->thread_fd, PMC_IOC_STOP, NULL));
}

/*
 * READ stops the counters a few events before an overflow. The other context's overflow
 * interrupts it, and perf enables all counters for a moment: an overflow then is not lost,
 * although no interrupt follows. The other context overflows at every 20th instruction of the
 * READ. The same for START.
 */
static void expect_all_while_held(struct __test_metadata *_metadata, struct _test_data_pt *self,
				  bool started)
{
	struct pmc_statistics statistics;
	uint64_t held, others;
	unsigned int at, left;
	volatile unsigned int i;

	ASSERT_EQ(0, pin(0, 0));
	for (i = 0; i < 3; i++)
		claim_once(_metadata, self, 0, false, 1 << 20, 1 << 20);
	held = self->reading.value[0];
	ASSERT_EQ(0, reading_read(self->thread_fd, &self->reading));
	others = self->reading.value[0];
	for (left = 5; left < 60; left += 25) {
		for (at = 0; at < 3000; at += 20) {
			claim_once(_metadata, self, 0, started, held + left,
				   others + (started ? 3000 : 0) - at);
			for (i = 0; i < held; i++)
				;
			STOP_AND_READ(self->fd, &self->reading);
			ASSERT_EQ(0, statistics_read(self->fd, &statistics));
			EXPECT_EQ(self->reading.value[0] / (held + left), statistics.sampled);
			EXPECT_EQ(statistics.records, statistics.sampled) {
				TH_LOG("%u left, the other's %u before its end", left, at);
			}
		}
	}
}

TEST_F(pt, overflows_while_read)
{
	expect_all_while_held(_metadata, self, false);
}

TEST_F(pt, overflows_while_started)
{
	expect_all_while_held(_metadata, self, true);
}

TEST_HARNESS_MAIN

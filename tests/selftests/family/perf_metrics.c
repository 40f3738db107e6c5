// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the performance metrics: their description, refused requests, and the counts of one
 * interval
 *
 * The counts are exact in the emulator for code with a known number of taken branches (slots.h),
 * and equal to those of Linux's perf. On a processor without performance metrics, the test checks
 * that they are refused.
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "metrics.h"
#include "registers.h"
#include "user_read.h"

/* BR_INST_RETIRED.NEAR_TAKEN, .FAR_BRANCH: everything that costs the frontend a slot */
#define EVENT_NEAR_TAKEN	0x20c4
#define EVENT_FAR_BRANCH	0x40c4

/* the emulator's steps */
#define EVENT_CYCLES		0x003c

/* ---- descriptions and refused requests ---- */

TEST_F(metrics, absent)
{
	struct pmc_counter counter;

	if (self->query.features & PMC_FEATURE(METRICS))
		SKIP(return, "this processor has performance metrics");
	EXPECT_EQ(-ENXIO, pmc_describe(PMC_CPU_ANY, METRICS, &counter));
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, METRICS, 0, PMC_COUNT_USER);
	self->setup.counter[0].event_select = 0;
	EXPECT_EQ(-ENXIO, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(0, self->setup.config.failed_entry);
}

TEST_F(metrics, description)
{
	NEED_METRICS();
	EXPECT_EQ(METRICS, self->counter.rdpmc);
	EXPECT_EQ(MSR_PERF_METRICS, self->counter.counter_msr);
	EXPECT_EQ(0, self->counter.select_msr);
	EXPECT_EQ(0, self->counter.event_select_mask);
	EXPECT_EQ(0, self->counter.period_max);
	EXPECT_EQ(width == 5 ? 32 : 64, self->counter.width);
	EXPECT_NE(0, self->query.perf_capabilities & 1 << 15);
	EXPECT_EQ(PMC_HOLDER_NONE, self->counter.holder.kind);

	/* they are claimed together with the slots */
	setup_kind(&self->setup, 0);
	setup_add(&self->setup, SLOTS, 0, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pmc_describe(self->cpu, METRICS, &self->counter));
	EXPECT_EQ(PMC_HOLDER_CONTEXT, self->counter.holder.kind);
	EXPECT_EQ(getpid(), self->counter.holder.pid);
}

/* With several core types: only on the one that has them */
TEST_F(metrics, core_type)
{
	struct pmc_query query;
	int cpu;

	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, pmc_query(cpu, &query));
		if (self->cpu >= 0 && query.core_type != core_type)
			break;
	}
	if (cpu == cpus_online())
		SKIP(return, "the machine has one core type");
	EXPECT_EQ(0, query.features & PMC_FEATURE(METRICS));
	EXPECT_EQ(-ENXIO, pmc_describe(cpu, METRICS, &self->counter));
	setup_both(&self->setup, 0);
	self->setup.config.core_type = 0;
	EXPECT_EQ(-ENXIO, setup_configure(self->fd, &self->setup));
	/* the slots come first, and may be missing too */
	EXPECT_EQ(query.fixed_counters >> 3 & 1, self->setup.config.failed_entry);
	EXPECT_EQ(cpu, self->setup.config.failed_cpu);
	self->setup.config.core_type = core_type;
	EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
}

static void refused(struct __test_metadata *_metadata, struct _test_data_metrics *self,
		    int error, unsigned int entry, const char *why)
{
	EXPECT_EQ(-error, setup_configure(self->fd, &self->setup)) {
		TH_LOG("%s", why);
	}
	EXPECT_EQ(entry, self->setup.config.failed_entry) {
		TH_LOG("%s", why);
	}
	setup_both(&self->setup, 0);
}

TEST_F(metrics, refused_entries)
{
	struct pmc_counter_config *entry = self->setup.counter;

	NEED_METRICS();
	setup_kind(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_BRANCHES, PMC_COUNT_USER);
	setup_add(&self->setup, METRICS, 0, PMC_COUNT_USER);
	entry[1].event_select = 0;
	refused(_metadata, self, EINVAL, 1, "without the slots");
	add_both(&self->setup, PMC_COUNT_USER);
	refused(_metadata, self, EINVAL, 2, "twice");
	entry[0].flags = PMC_COUNT_USER | PMC_COUNT_KERNEL;
	refused(_metadata, self, EINVAL, 1, "other modes");
	entry[1].event_select = 1;
	refused(_metadata, self, EINVAL, 1, "event select");
	entry[1].initial = 1;
	refused(_metadata, self, EINVAL, 1, "initial");
	entry[0].initial = 1;
	refused(_metadata, self, EINVAL, 0, "initial slots");
	entry[1].period = 1000;
	refused(_metadata, self, EOPNOTSUPP, 1, "period");
	entry[0].period = 1000;
	refused(_metadata, self, EOPNOTSUPP, 0, "slots' period");
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_BRANCHES, PMC_COUNT_USER);
	entry[2].period = 1000;
	refused(_metadata, self, EOPNOTSUPP, 2, "another's period");
	entry[1].counter = METRICS + 1;
	refused(_metadata, self, ENXIO, 1, "another register");

	/* and this is right, in either order */
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	entry[0].counter = METRICS;
	entry[1].counter = SLOTS;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
}

TEST_F(metrics, refused_scopes)
{
	static const uint32_t scopes[] = { PMC_SCOPE_ALL_CPUS, PMC_SCOPE_PROCESS, PMC_SCOPE_TREE };
	unsigned int i;

	NEED_METRICS();
	for (i = 0; i < ARRAY_SIZE(scopes); i++) {
		setup_both(&self->setup, 0);
		self->setup.config.scope = scopes[i];
		refused(_metadata, self, EOPNOTSUPP, 1, "a sum");
	}
}

TEST_F(metrics, refused_values)
{
	uint64_t values[3] = { 0 };
	struct pmc_write write = {
		.size = sizeof(write), .nr_counters = 3, .values = (uintptr_t)values,
	};

	NEED_METRICS();
	setup_both(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_BRANCHES, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	values[2] = 7;
	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_WRITE, &write));
	values[1] = 1;
	EXPECT_EQ(-EINVAL, pmc_call(self->fd, PMC_IOC_WRITE, &write));
	values[1] = 0;
	values[0] = 1;
	EXPECT_EQ(-EINVAL, pmc_call(self->fd, PMC_IOC_WRITE, &write));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(0, self->reading.value[0]);
	EXPECT_EQ(0, self->reading.value[1]);
	EXPECT_EQ(7, self->reading.value[2]);
}

/* ---- counts ---- */

TEST_F(metrics, loops)
{
	unsigned int i;

	NEED_MACHINE();
	for (i = 0; i < ARRAY_SIZE(loops); i++) {
		self->tally = (struct slot_count){ 0 };
		setup_both(&self->setup, 0);
		ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
		EXPECT_TALLY(self->fd, &self->tally);
		ASSERT_EQ(0, run_counted(self->fd, &loops[i], ROUNDS));
		slots_counted(&self->tally, &loops[i], ROUNDS);
		EXPECT_TALLY(self->fd, &self->tally);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
}

/* After several runs, the fractions are those of all runs together. */
TEST_F(metrics, stopped_and_started)
{
	unsigned int i;

	NEED_MACHINE();
	setup_both(&self->setup, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	/* each loop as often as the others; all together are at most 2^19 slots */
	for (i = 0; i < 15; i++) {
		ASSERT_EQ(0, run_counted(self->fd, &loops[i % 3], ROUNDS >> i % 5));
		slots_counted(&self->tally, &loops[i % 3], ROUNDS >> i % 5);
		EXPECT_TALLY(self->fd, &self->tally);
	}
}

/* RESET and WRITE start a new sum, stopped or not, also after other contexts of the CPU. */
TEST_F(metrics, reset_and_written)
{
	uint64_t values[2] = { 0 };
	struct pmc_write write = {
		.size = sizeof(write), .nr_counters = 2, .values = (uintptr_t)values,
	};
	unsigned int i;

	NEED_MACHINE();
	setup_both(&self->setup, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, run_counted(self->fd, &loops[1], ROUNDS));
		if (i & 1) {
			ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		}
		if (i & 2) {
			ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_WRITE, &write));
		} else {
			ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
		}
		if (i & 1) {
			/* from here to its end less is executed than in one loop */
			STOP_AND_READ(self->fd, &self->reading);
			EXPECT_LT(self->reading.value[0], width * 1000);
			EXPECT_LT(0, self->reading.value[0]);
			EXPECT_NE(0, self->reading.value[1]);
			ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
		}
		self->tally = (struct slot_count){ 0 };
		EXPECT_TALLY(self->fd, &self->tally);
		ASSERT_EQ(0, run_counted(self->fd, &loops[2], ROUNDS));
		slots_counted(&self->tally, &loops[2], ROUNDS);
		EXPECT_TALLY(self->fd, &self->tally);
	}
}

/* In user mode slots and metrics match, with nothing to add. */
TEST_F(metrics, user_mode)
{
	const struct pmc_page *page;
	struct slot_count later;
	uint64_t read[2], slots, metrics;
	uint32_t sequence;

	NEED_MACHINE();
	setup_both(&self->setup, PMC_CONFIG_USER_READ);
	if (refused_for_core_types(_metadata, self))
		return;
	page = page_map(self->fd);
	ASSERT_NE(NULL, page);
	EXPECT_EQ(METRICS, page->counter[1].rdpmc);
	ASSERT_EQ(0, run_read(self->fd, &loops[1], ROUNDS, read));
	slots_run(&self->tally, 3, 1);
	slots_loop(&self->tally, &loops[1], ROUNDS);
	EXPECT_EQ(self->tally.slots, read[0]);
	later = self->tally;
	slots_run(&later, 4, 0);
	EXPECT_EQ(slots_metrics(&later), read[1]);
	slots_run(&later, 7, 1);
	EXPECT_TALLY(self->fd, &later);

	/* by the protocol, while counting: as PMC_IOC_READ just before and just after */
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	do {
		sequence = page_sequence(page);
		ASSERT_EQ(0, sequence & PMC_PAGE_UNAVAILABLE);
		slots = page->counter[0].offset + rdpmc(page->counter[0].rdpmc);
		metrics = page->counter[1].offset + rdpmc(page->counter[1].rdpmc);
	} while (page_sequence(page) != sequence);
	EXPECT_EQ(64, page->counter[1].width);
	EXPECT_EQ(0, page->counter[1].offset);
	EXPECT_LT(self->reading.value[0], slots);
	EXPECT_EQ(255, (metrics & 0xff) + (metrics >> 8 & 0xff) + (metrics >> 16 & 0xff) +
		  (metrics >> 24 & 0xff));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_LT(slots, self->reading.value[0]);

	/* after RESET the page's values start at 0, too */
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
	ASSERT_EQ(0, run_read(self->fd, &loops[1], ROUNDS, read));
	EXPECT_EQ(self->tally.slots, read[0]);
	ASSERT_EQ(0, page_unmap(page));
}

/* In both modes: from the events that cost the frontend slots */
static void by_events(struct __test_metadata *_metadata, struct _test_data_metrics *self)
{
	uint32_t modes = PMC_COUNT_USER | PMC_COUNT_KERNEL;
	unsigned int i;

	add_both(&self->setup, modes);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_NEAR_TAKEN, modes);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_FAR_BRANCH, modes);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(2), EVENT_CYCLES, modes);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		sched_yield();
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		if (i == 1) {
			ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
		}
		sched_yield();
		STOP_AND_READ(self->fd, &self->reading);
		EXPECT_LT(0, self->reading.value[2]);
		EXPECT_LT(0, self->reading.value[3]);
		self->tally.slots = self->reading.value[4] * width;
		self->tally.lost = self->reading.value[2] + self->reading.value[3];
		EXPECT_READ(&self->reading, &self->tally);
	}
}

TEST_F(metrics, both_modes_of_a_thread)
{
	NEED_MACHINE();
	NEED_ROOT();
	setup_kind(&self->setup, 0);
	by_events(_metadata, self);
}

TEST_F(metrics, both_modes_of_a_cpu)
{
	NEED_MACHINE();
	NEED_ROOT();
	ASSERT_EQ(0, pin(0, 0));
	setup_cpu(&self->setup, self->other < 0 ? self->cpu : self->other);
	by_events(_metadata, self);
}

/* ---- Linux's perf ---- */

#define PERF_SLOTS		0x0400
#define PERF_METRICS		0x8000	/* and the field in the next bits */

static int perf_open(uint64_t config, pid_t pid, int leader)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = config,
		.disabled = leader < 0,
		.enable_on_exec = leader < 0,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_GROUP,
	};

	return syscall(SYS_perf_event_open, &attr, pid, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/*
 * Measure a program's slots and their fractions by perf, which multiplies the two and truncates
 * at each stop; so nothing may preempt the program.
 */
static void by_perf(struct __test_metadata *_metadata, struct _test_data_metrics *self,
		    const struct program *program, uint64_t *values)
{
	struct child child;
	uint64_t read_values[2 + 8];
	unsigned int i;
	int leader, fd[8];

	ASSERT_EQ(0, child_program(&child, program));
	leader = perf_open(PERF_SLOTS, child.pid, -1);
	ASSERT_LE(0, leader);
	for (i = 0; i < fields; i++) {
		fd[i] = perf_open(PERF_METRICS | i << 8, child.pid, leader);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, child_run(&child));
	ASSERT_LT(0, read(leader, read_values, sizeof(read_values)));
	ASSERT_EQ(1 + fields, read_values[0]);
	memcpy(values, read_values + 1, (1 + fields) * sizeof(values[0]));
	for (i = 0; i < fields; i++)
		close(fd[i]);
	close(leader);
}

TEST_F(metrics, perf_agrees)
{
	const struct program *loop;
	uint64_t perf_values[1 + 8] = { 0 };
	struct child child;
	unsigned int i;

	NEED_METRICS();
	NEED_WIDE();
	if (core_type)
		SKIP(return, "perf has a PMU for each core type");
	LOAD_PROGRAM(loop, "./loop-1m");
	ASSERT_EQ(0, pin(0, self->cpu));
	if (schedule_as(0, SCHED_FIFO))
		SKIP(return, "no real-time priority here");
	by_perf(_metadata, self, loop, perf_values);

	ASSERT_EQ(0, child_program(&child, loop));
	setup_thread(&self->setup, child.pid, PMC_CONFIG_ON_EXEC);
	add_both(&self->setup, PMC_COUNT_USER);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_run(&child));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(perf_values[0], self->reading.value[0]);
	for (i = 0; i < fields; i++) {
		EXPECT_EQ(perf_values[1 + i], self->reading.value[0] *
			  (self->reading.value[1] >> 8 * i & 0xff) / 255) {
			TH_LOG("field %u", i);
		}
	}
}

TEST_HARNESS_MAIN

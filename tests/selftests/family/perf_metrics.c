// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the performance metrics: fractions of the slots, exact in the emulator for code with a
 * known number of taken branches (slots.h)
 *
 * On a processor without them, the test checks that they are refused.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "migrating_loop.h"
#include "registers.h"
#include "slots.h"
#include "user_read.h"

#define SLOTS		PMC_COUNTER_SLOTS
#define METRICS		PMC_COUNTER_METRICS

#define GLOBAL_METRICS		(1ULL << 48)
#define GLOBAL_SLOTS		(1ULL << 35)
#define FIXED_CTRL_SLOTS_USER	(2ULL << 12)

#define CPU1		"/sys/devices/system/cpu/cpu1/online"
#define PCE		"/sys/class/misc/pmc/pce"

/* BR_INST_RETIRED.NEAR_TAKEN, .FAR_BRANCH: everything that costs the frontend a slot */
#define EVENT_NEAR_TAKEN	0x20c4
#define EVENT_FAR_BRANCH	0x40c4

/* the emulator's steps */
#define EVENT_CYCLES		0x003c

#define ROUNDS		3001
#define TURNS		40

/* ---- the fixture ---- */

FIXTURE(metrics) {
	BASE_FIXTURE;
	struct pmc_counter counter;
	struct slot_count tally;
	int cpu;
	int other;
};

/* Slots of a step of the emulated processors, by model; 0: another processor */
static unsigned int width_of(const struct pmc_query *query)
{
	switch (query->cpu_model) {
	case 0x7d:
	case 0x7e:
	case 0x8c:
		return 5;
	case 0x8f:
		return 6;
	default:
		return query->perfmon_version >= 6 ? 8 : 0;
	}
}

/* A CPU from @cpu on that has them, or -1 */
static int cpu_with_metrics(int cpu, struct pmc_query *query)
{
	for (; cpu < cpus_online(); cpu++) {
		if (!pmc_query(cpu, query) && query->features & PMC_FEATURE(METRICS))
			return cpu;
	}
	return -1;
}

FIXTURE_SETUP(metrics)
{
	struct pmc_query query;

	BASE_SETUP();
	self->cpu = cpu_with_metrics(0, &query);
	if (self->cpu < 0)
		return;
	self->query = query;
	core_type = query.core_type;
	self->other = cpu_with_metrics(self->cpu + 1, &query);
	/* a migration ends an interval, so the thread only migrates where a test wants it */
	ASSERT_EQ(0, pin(0, self->cpu));
	ASSERT_EQ(0, pmc_describe(self->cpu, METRICS, &self->counter));
	width = width_of(&self->query);
	fields = self->counter.width / 8;
}

FIXTURE_TEARDOWN_CLOSE(metrics)

#define NEED_METRICS() do {								\
	if (!(self->query.features & PMC_FEATURE(METRICS)))				\
		SKIP(return, "this processor has no performance metrics");		\
} while (0)

#define NEED_OTHER() do {								\
	if (self->other < 0)								\
		SKIP(return, "only one CPU has performance metrics");			\
} while (0)

#define NEED_WIDE() do {									\
	if (self->query.fixed_width < 32)						\
		SKIP(return, "counters are %u bits wide", self->query.fixed_width);	\
} while (0)

#define NEED_MACHINE() do {								\
	NEED_METRICS();									\
	if (!width)									\
		SKIP(return, "the exact slots are known only in the emulator");	\
} while (0)

static void add_both(struct setup *setup, uint32_t flags)
{
	setup_add(setup, SLOTS, 0, flags);
	setup_add(setup, METRICS, 0, flags);
	setup->counter[setup->config.nr_counters - 1].event_select = 0;
}

static void setup_kind(struct setup *setup, uint32_t flags)
{
	setup_thread(setup, 0, flags);
	setup->config.core_type = core_type;
}

static void setup_both(struct setup *setup, uint32_t flags)
{
	setup_kind(setup, flags);
	add_both(setup, PMC_COUNT_USER);
}

#define EXPECT_READ(reading, tally) do {						\
	EXPECT_EQ(slots_slots(tally), (reading)->value[0]);				\
	EXPECT_EQ(slots_metrics(tally), (reading)->value[1]) {				\
		TH_LOG("metrics %#llx, not %#llx",					\
		       (unsigned long long)(reading)->value[1],				\
		       (unsigned long long)slots_metrics(tally));			\
	}										\
} while (0)

#define EXPECT_TALLY(fd, tally) do {							\
	struct reading now;								\
	ASSERT_EQ(0, reading_read(fd, &now));						\
	EXPECT_READ(&now, tally);							\
} while (0)

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

/*
 * Configure. A thread could move to a CPU without the counter between the driver's page and RDPMC:
 * where there is one, reading in user mode is refused. Returns whether that is so.
 */
static bool refused_for_core_types(struct __test_metadata *_metadata,
				   struct _test_data_metrics *self)
{
	const bool types = self->other < 0 && sysconf(_SC_NPROCESSORS_ONLN) > 1;
	const int err = setup_configure(self->fd, &self->setup);

	EXPECT_EQ(types ? -EXDEV : 0, err);
	return err;
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

/* ---- other contexts meanwhile ---- */

/* struct pair - pipes to pass a byte to and fro */
struct pair {
	int to_child[2];
	int to_parent[2];
};

static int pair_make(struct pair *pair)
{
	return pipe(pair->to_child) || pipe(pair->to_parent) ? -errno : 0;
}

/* In a child: this many counted turns, the first at once */
static int child_turns(int fd, const struct pair *pair, const struct loop *loop,
		       unsigned int turns, uint64_t rounds)
{
	const struct turns all = {
		.fd = fd, .from = pair->to_child[0], .to = pair->to_parent[1],
		.turns = turns, .rounds = rounds, .code = loop->code,
	};

	if (write(pair->to_child[1], "", 1) != 1)
		return -errno;
	return run_turns(&all);
}

/* Another process on this CPU counts something else meanwhile; returns its exit status. */
static int another_counts(uint32_t counter)
{
	struct slot_count tally = { 0 };
	struct reading reading;
	struct setup setup;
	int fd, status;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		fd = pmc_open();
		setup_kind(&setup, 0);
		setup_add(&setup, counter, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
		slots_counted(&tally, &loops[1], 500);
		if (setup_configure(fd, &setup) || run_counted(fd, &loops[1], 500) ||
		    reading_read(fd, &reading))
			_exit(1);
		_exit(reading.value[0] * (counter == SLOTS ? 1 : width) != tally.slots);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

/* Two threads on one CPU alternate with different loops: each has its own fractions. */
TEST_F(metrics, two_threads)
{
	struct turns turns = { .turns = TURNS, .rounds = ROUNDS };
	struct slot_count other = { 0 };
	struct reading *perf_values;
	struct setup setup;
	struct pair pair;
	int status;
	pid_t pid;

	NEED_MACHINE();
	NEED_WIDE();
	NEED_ROOT();
	perf_values = mmap(NULL, sizeof(*perf_values), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, perf_values);
	/* so that each runs until it waits for the other */
	if (schedule_as(0, SCHED_FIFO))
		SKIP(return, "no real-time priority here");
	ASSERT_EQ(0, pair_make(&pair));
	pid = fork();
	if (pid == 0) {
		int fd = pmc_open();

		setup_both(&setup, 0);
		_exit(setup_configure(fd, &setup) ||
		      child_turns(fd, &pair, &loops[2], TURNS, ROUNDS) ||
		      reading_read(fd, perf_values));
	}
	turns.fd = self->fd;
	turns.from = pair.to_parent[0];
	turns.to = pair.to_child[1];
	turns.code = loops[1].code;
	setup_both(&self->setup, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(1, write(pair.to_parent[1], "", 1));
	ASSERT_EQ(0, run_turns(&turns));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	slots_turns(&self->tally, &loops[1], ROUNDS, TURNS);
	EXPECT_TALLY(self->fd, &self->tally);
	slots_turns(&other, &loops[2], ROUNDS, TURNS);
	EXPECT_READ(perf_values, &other);
}

/*
 * The mix of a thread's instructions changes slowly: no interval by itself would change the
 * fractions of all before it. Another process reads it, after each interval and at the end.
 */
#define CHANGE_TURNS	400
#define CHANGE_ROUNDS	100
#define CHANGE_LONG	(CHANGE_TURNS * CHANGE_ROUNDS)

static int change(int fd, const struct pair *pair)
{
	struct setup setup;

	setup_both(&setup, 0);
	return setup_configure(fd, &setup) || run_counted(fd, &loops[1], 2 * CHANGE_LONG) ||
	       child_turns(fd, pair, &loops[2], CHANGE_TURNS, CHANGE_ROUNDS) ||
	       run_counted(fd, &loops[0], 2 * CHANGE_LONG);
}

TEST_F(metrics, change)
{
	struct reading reading;
	struct pair pair;
	unsigned int turn;
	int own, status;
	char byte;
	pid_t pid;

	NEED_MACHINE();
	NEED_WIDE();
	NEED_ROOT();
	/* as above */
	if (schedule_as(0, SCHED_FIFO))
		SKIP(return, "no real-time priority here");
	ASSERT_EQ(0, pair_make(&pair));
	pid = fork();
	if (pid == 0)
		_exit(change(self->fd, &pair));
	own = pmc_open();
	setup_kind(&self->setup, 0);
	setup_add(&self->setup, SLOTS, 0, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(own, &self->setup));

	slots_counted(&self->tally, &loops[1], 2 * CHANGE_LONG);
	slots_wait(&self->tally);
	for (turn = 0; turn < CHANGE_TURNS - 1; turn++) {
		ASSERT_EQ(1, read(pair.to_parent[0], &byte, 1));
		slots_turn(&self->tally, &loops[2], CHANGE_ROUNDS, false);
		slots_wait(&self->tally);
		EXPECT_TALLY(self->fd, &self->tally);
		ASSERT_EQ(0, run_counted(own, &loops[1], 10));
		slots_part(&self->tally);
		EXPECT_TALLY(self->fd, &self->tally);
		ASSERT_EQ(1, write(pair.to_child[1], "", 1));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	slots_turn(&self->tally, &loops[2], CHANGE_ROUNDS, true);
	slots_run(&self->tally, 5, 1);
	slots_counted(&self->tally, &loops[0], 2 * CHANGE_LONG);
	EXPECT_TALLY(self->fd, &self->tally);
	ASSERT_EQ(0, reading_read(own, &reading));
	EXPECT_LT(0, reading.value[0]);
	close(own);
}

/* Other contexts use only the slots, or other counters, on the same CPU in between. */
TEST_F(metrics, other_contexts)
{
	static const uint32_t counters[] = { SLOTS, PMC_COUNTER_GENERAL(0) };
	unsigned int i;

	NEED_MACHINE();
	setup_both(&self->setup, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	for (i = 0; i < 6; i++) {
		ASSERT_EQ(0, run_counted(self->fd, &loops[i % 3], ROUNDS));
		slots_counted(&self->tally, &loops[i % 3], ROUNDS);
		EXPECT_TALLY(self->fd, &self->tally);
		EXPECT_EQ(0, another_counts(counters[i % 2]));
		slots_part(&self->tally);
		EXPECT_TALLY(self->fd, &self->tally);
	}
}

/* READ does not change what is counted afterwards, in the first interval or a later one. */
TEST_F(metrics, read_while_counting)
{
	unsigned int i;

	NEED_MACHINE();
	setup_both(&self->setup, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	for (i = 0; i < 12; i++) {
		const struct loop *loop = &loops[i % 3];

		ASSERT_EQ(0, run_reading(self->fd, loop, ROUNDS >> i % 5, &self->reading));
		slots_half_reading(&self->tally, loop, ROUNDS >> i % 5);
		EXPECT_READ(&self->reading, &self->tally);
		slots_half_reading(&self->tally, loop, ROUNDS >> i % 5);
		EXPECT_TALLY(self->fd, &self->tally);
		/* two reads in each interval */
		if (i % 2) {
			EXPECT_EQ(0, another_counts(SLOTS));
			slots_part(&self->tally);
		}
	}
}

/*
 * In user mode only a context without past intervals is readable: RESET starts anew, also while
 * counting.
 */
TEST_F(metrics, one_interval_in_user_mode)
{
	const struct pmc_page *page;
	uint64_t value, read[2];
	unsigned int i;

	NEED_MACHINE();
	NEED_ROOT();
	setup_both(&self->setup, PMC_CONFIG_USER_READ);
	if (refused_for_core_types(_metadata, self))
		return;
	page = page_map(self->fd);
	ASSERT_NE(NULL, page);
	for (i = 0; i < 4; i++) {
		const struct loop *loop = &loops[i % 3];

		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		EXPECT_EQ(true, page_read(page, 1, &value));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
		self->tally = (struct slot_count){ 0 };
		ASSERT_EQ(0, run_read(self->fd, loop, ROUNDS, read));
		slots_run(&self->tally, 3, 1);
		slots_loop(&self->tally, loop, ROUNDS);
		EXPECT_EQ(self->tally.slots, read[0]);
		slots_run(&self->tally, 4, 0);
		EXPECT_EQ(slots_metrics(&self->tally), read[1]);
		slots_run(&self->tally, 7, 1);
		EXPECT_TALLY(self->fd, &self->tally);

		/* nothing of the intervals before RESET */
		EXPECT_EQ(0, another_counts(SLOTS));
		slots_part(&self->tally);
		ASSERT_EQ(0, run_counted(self->fd, loop, ROUNDS));
		slots_counted(&self->tally, loop, ROUNDS);
		EXPECT_TALLY(self->fd, &self->tally);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		EXPECT_EQ(false, page_read(page, 0, &value));
		/* also when it is allowed again */
		ASSERT_EQ(0, file_write(PCE, "0"));
		ASSERT_EQ(0, file_write(PCE, "1"));
		EXPECT_EQ(false, page_read(page, 0, &value));
		if (i & 1) {
			ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
			EXPECT_EQ(true, page_read(page, 1, &value));
		}
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
	}
	ASSERT_EQ(0, page_unmap(page));
}

/* The thread migrates: its past intervals go with it. */
TEST_F(metrics, migration)
{
	cpu_set_t cpu0, cpu1;
	unsigned int i;

	NEED_MACHINE();
	NEED_WIDE();
	NEED_OTHER();
	CPU_ZERO(&cpu0);
	CPU_SET(0, &cpu0);
	CPU_ZERO(&cpu1);
	CPU_SET(1, &cpu1);
	ASSERT_EQ(0, pin(0, 1));
	setup_both(&self->setup, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	/* so that each CPU by itself would have other fractions */
	ASSERT_EQ(0, run_counted(self->fd, &loops[1], 100 * ROUNDS));
	slots_counted(&self->tally, &loops[1], 100 * ROUNDS);
	ASSERT_EQ(0, move_counted(self->fd, &cpu0, &cpu1));
	slots_run(&self->tally, 1, 0);
	for (i = 0; i < MOVING_ROUNDS; i++) {
		slots_run(&self->tally, 5, 1);
		slots_part(&self->tally);
		slots_run(&self->tally, 1 + 2000 + 5, 999 + 1);
		slots_part(&self->tally);
		slots_run(&self->tally, 1 + 2000 + 2, 999 + (i < MOVING_ROUNDS - 1));
	}
	slots_run(&self->tally, 5, 1);
	EXPECT_TALLY(self->fd, &self->tally);
}

/* A CPU goes offline and comes back between its intervals. */
static void offline_between(struct __test_metadata *_metadata, struct _test_data_metrics *self)
{
	unsigned int i;

	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, pin(0, 1));
		ASSERT_EQ(0, run_counted(self->fd, &loops[i], ROUNDS));
		slots_part(&self->tally);
		slots_counted(&self->tally, &loops[i], ROUNDS);
		ASSERT_EQ(0, pin(0, 0));
		ASSERT_EQ(0, file_write(CPU1, "0"));
		EXPECT_TALLY(self->fd, &self->tally);
		ASSERT_EQ(0, file_write(CPU1, "1"));
		EXPECT_TALLY(self->fd, &self->tally);
	}
}

TEST_F(metrics, offline_thread)
{
	NEED_MACHINE();
	NEED_ROOT();
	NEED_OTHER();
	setup_both(&self->setup, 0);
	offline_between(_metadata, self);
}

TEST_F(metrics, offline_cpu)
{
	NEED_MACHINE();
	NEED_ROOT();
	NEED_OTHER();
	/* nothing else is to execute there in user mode */
	if (schedule_as(0, SCHED_FIFO))
		SKIP(return, "no real-time priority here");
	setup_cpu(&self->setup, 1);
	add_both(&self->setup, PMC_COUNT_USER);
	offline_between(_metadata, self);
}

/* ---- too many slots ---- */

/*
 * Where counters are narrow, the driver ends an interval when it finds many slots, which may be
 * anywhere. But the code is so uniform that each interval has the same fractions, and the slots
 * of the last one are in the counter.
 */

/* In run_counted() with loop_jumps once or more: what the frontend lost in the last steps */
static uint64_t lost_at_the_end(uint64_t rounds, uint64_t steps)
{
	/* syscall, mov, mov, ret; jnz, dec, jmp, jmp */
	static const bool end[] = { true, false, false, true, false, false, true, true };
	/* jnz, dec, jmp, jmp */
	static const bool round[] = { true, false, true, true };
	/* each with mov and call before it */
	uint64_t all = 4 * rounds + 6, lost = 0, i, at;

	for (i = 0; i < steps; i++) {
		at = i % all;
		if (at < ARRAY_SIZE(end))
			lost += end[at];
		else if (at < all - 2)
			lost += round[at % ARRAY_SIZE(round)];
		else
			lost += at == all - 2;
	}
	return lost;
}

/* The current interval is what the counter has; all slots before it are past. */
static void slots_many(struct slot_count *tally, uint64_t rounds)
{
	uint64_t slots = rdpmc(SLOTS);
	uint64_t lost = lost_at_the_end(rounds, slots / width);

	tally->slots -= slots;
	tally->lost -= lost;
	slots_part(tally);
	tally->slots = slots;
	tally->lost = lost;
}

static void too_many(struct __test_metadata *_metadata, struct _test_data_metrics *self,
		     const struct pmc_page *page)
{
	const uint64_t rounds = 1ULL << self->query.fixed_width;
	uint64_t value;

	ASSERT_EQ(0, run_counted(self->fd, &loops[1], rounds));
	slots_counted(&self->tally, &loops[1], rounds);
	slots_many(&self->tally, rounds);
	EXPECT_EQ(slots_register(&self->tally), rdpmc(METRICS));
	EXPECT_TALLY(self->fd, &self->tally);
	if (page) {
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		EXPECT_EQ(false, page_read(page, 1, &value));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	}

	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
	self->tally = (struct slot_count){ 0 };
	ASSERT_EQ(0, run_counted(self->fd, &loops[2], ROUNDS));
	slots_counted(&self->tally, &loops[2], ROUNDS);
	EXPECT_TALLY(self->fd, &self->tally);
}

#define NEED_NARROW() do {								\
	NEED_MACHINE();									\
	if (self->query.fixed_width > 24)						\
		SKIP(return, "counters are %u bits wide", self->query.fixed_width);	\
} while (0)

/* Count nothing, so that RDPMC is allowed. */
static int allow_rdpmc(void)
{
	struct setup setup;
	int fd = pmc_open();
	int err;

	setup_kind(&setup, PMC_CONFIG_USER_READ);
	setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	err = setup_configure(fd, &setup);
	return err ? err : fd;
}

TEST_F(metrics, too_many_slots)
{
	int allows;

	NEED_NARROW();
	setup_both(&self->setup, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	allows = allow_rdpmc();
	ASSERT_LE(0, allows);
	too_many(_metadata, self, NULL);
	close(allows);
}

TEST_F(metrics, too_many_slots_in_user_mode)
{
	const struct pmc_page *page;
	uint64_t value;

	NEED_NARROW();
	setup_both(&self->setup, PMC_CONFIG_USER_READ);
	if (refused_for_core_types(_metadata, self))
		return;
	page = page_map(self->fd);
	ASSERT_NE(NULL, page);
	too_many(_metadata, self, page);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	EXPECT_EQ(true, page_read(page, 1, &value));
	ASSERT_EQ(0, page_unmap(page));
}

/* Stopped each time before half of the counter is full, so that only the timer detects it */
TEST_F(metrics, too_many_slots_in_intervals)
{
	const uint64_t rounds = (1ULL << self->query.fixed_width) / 100;
	unsigned int i;
	int allows;

	NEED_NARROW();
	setup_both(&self->setup, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	allows = allow_rdpmc();
	ASSERT_LE(0, allows);
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, run_counted(self->fd, &loops[1], rounds));
		slots_counted(&self->tally, &loops[1], rounds);
		usleep(2000);
	}
	slots_many(&self->tally, rounds);
	EXPECT_TALLY(self->fd, &self->tally);
	close(allows);
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

/* ---- values of previous users ---- */

static int found_write(int cpu, uint64_t slots, uint64_t metrics,
		       const struct pmc_query *query)
{
	int err = msr_write(cpu, msr_fixed(query, 3), slots);

	return err ? err : msr_write(cpu, MSR_PERF_METRICS, metrics);
}

static int found_read(int cpu, uint32_t msr, uint64_t *value)
{
	int fd = msr_open(cpu);
	int err = pread(fd, value, 8, msr) == 8 ? 0 : -errno;

	close(fd);
	return err;
}

/* A context with metrics, or with slots alone, restores what it found. */
static void found(struct __test_metadata *_metadata, struct _test_data_metrics *self)
{
	uint64_t slots, metrics, value, ctrl;

	NEED_METRICS();
	NEED_WIDE();
	NEED_ROOT();
	if (found_read(self->cpu, MSR_PERF_METRICS, &value))
		SKIP(return, "no /dev/cpu/0/msr (modprobe msr)");
	/* perf's leftovers are zeroed at the first claim, once */
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, found_write(self->cpu, 0x12345678, 0x10203000 + 0xff - 0x60, &self->query));
	ASSERT_EQ(0, found_read(self->cpu, IA32_GLOBAL_CTRL, &ctrl));
	ASSERT_EQ(0, msr_write(self->cpu, IA32_GLOBAL_CTRL, ctrl | GLOBAL_METRICS));
	ASSERT_EQ(0, msr_write(self->cpu, IA32_GLOBAL_STATUS_SET, GLOBAL_METRICS));
	ASSERT_EQ(0, found_read(self->cpu, msr_fixed(&self->query, 3), &slots));
	ASSERT_EQ(0, found_read(self->cpu, MSR_PERF_METRICS, &metrics));
	EXPECT_NE(0, metrics);

	ASSERT_EQ(0, pin(0, self->cpu));
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));

	ASSERT_EQ(0, found_read(self->cpu, msr_fixed(&self->query, 3), &value));
	EXPECT_EQ(slots, value);
	ASSERT_EQ(0, found_read(self->cpu, MSR_PERF_METRICS, &value));
	EXPECT_EQ(metrics, value);
	ASSERT_EQ(0, found_read(self->cpu, IA32_GLOBAL_CTRL, &value));
	EXPECT_EQ(ctrl | GLOBAL_METRICS, value);
	ASSERT_EQ(0, found_read(self->cpu, IA32_GLOBAL_STATUS, &value));
	EXPECT_EQ(GLOBAL_METRICS, value & GLOBAL_METRICS);
	ASSERT_EQ(0, msr_write(self->cpu, IA32_GLOBAL_STATUS_RESET, GLOBAL_METRICS));
	ASSERT_EQ(0, msr_write(self->cpu, IA32_GLOBAL_CTRL, ctrl));
	ASSERT_EQ(0, found_write(self->cpu, 0, 0, &self->query));
}

TEST_F(metrics, found_by_metrics)
{
	setup_both(&self->setup, 0);
	found(_metadata, self);
}

TEST_F(metrics, found_by_slots)
{
	setup_kind(&self->setup, 0);
	setup_add(&self->setup, SLOTS, 0, PMC_COUNT_USER);
	found(_metadata, self);
}

TEST_F(metrics, found_by_others)
{
	setup_kind(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	found(_metadata, self);
}

/* The metrics run without a reservation: CONFIGURE is refused, and they count on. */
TEST_F(metrics, found_running)
{
	uint64_t fixed, ctrl, value;

	NEED_METRICS();
	NEED_ROOT();
	if (found_read(self->cpu, IA32_FIXED_CTR_CTRL, &fixed))
		SKIP(return, "no /dev/cpu/0/msr (modprobe msr)");
	ASSERT_EQ(0, found_read(self->cpu, IA32_GLOBAL_CTRL, &ctrl));
	ASSERT_EQ(0, msr_write(self->cpu, IA32_FIXED_CTR_CTRL, fixed | FIXED_CTRL_SLOTS_USER));
	ASSERT_EQ(0, msr_write(self->cpu, IA32_GLOBAL_CTRL, ctrl | GLOBAL_SLOTS | GLOBAL_METRICS));

	setup_both(&self->setup, 0);
	EXPECT_EQ(-EBUSY, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(PMC_HOLDER_UNKNOWN, self->setup.config.holder.kind);
	EXPECT_EQ(SLOTS, self->setup.config.holder.counter);
	setup_kind(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, found_read(self->cpu, IA32_GLOBAL_CTRL, &value));
	EXPECT_EQ(GLOBAL_SLOTS | GLOBAL_METRICS, value & (GLOBAL_SLOTS | GLOBAL_METRICS));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, found_read(self->cpu, IA32_GLOBAL_CTRL, &value));
	EXPECT_EQ(ctrl | GLOBAL_SLOTS | GLOBAL_METRICS, value);

	ASSERT_EQ(0, msr_write(self->cpu, IA32_GLOBAL_CTRL, ctrl));
	ASSERT_EQ(0, msr_write(self->cpu, IA32_FIXED_CTR_CTRL, fixed));
	ASSERT_EQ(0, found_write(self->cpu, 0, 0, &self->query));
}

TEST_HARNESS_MAIN

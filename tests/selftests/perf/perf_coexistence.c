// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the coexistence with Linux's perf: only one of the two has the counters at a time, and
 * each counts correctly after the other
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"

#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define PCE		"/sys/class/misc/pmc/pce"

static int perf_open(pid_t pid, uint64_t event, bool on_exec)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = event == EVENT_BRANCHES ? PERF_COUNT_HW_BRANCH_INSTRUCTIONS :
						    PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = on_exec,
		.enable_on_exec = on_exec,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

FIXTURE(perf) {
	BASE_FIXTURE;
	const struct program *loop;
	char rdpmc[8]; /* perf's file as it was, if there is one */
};

/* The runner has switched the watchdog off, as a user would. */
FIXTURE_SETUP(perf)
{
	int perf;

	NEED_COUNTERS_AND_ROOT(&self->query);
	LOAD_PROGRAM(self->loop, "./loop-1m");
	OPEN_DEVICE(self->fd);
	perf = perf_open(0, EVENT_INSTRUCTIONS, false);
	if (perf < 0)
		SKIP(return, "perf does not count on this CPU: %s", strerror(-perf));
	close(perf);
	if (file_read(perfs_rdpmc(), self->rdpmc, sizeof(self->rdpmc)))
		self->rdpmc[0] = 0;
}

FIXTURE_TEARDOWN(perf)
{
	if (self->rdpmc[0])
		file_write(perfs_rdpmc(), self->rdpmc);
	close(self->fd);
}

static int configure_one(int fd, struct setup *setup)
{
	setup_thread_one(setup, 0, 0);
	return setup_configure(fd, setup);
}

TEST_F(perf, perf_holds_counters)
{
	int perf = perf_open(0, EVENT_INSTRUCTIONS, false);
	struct pmc_counter counter;

	ASSERT_LE(0, perf);
	EXPECT_EQ(-EBUSY, configure_one(self->fd, &self->setup));
	EXPECT_EQ(PMC_HOLDER_KERNEL, self->setup.config.holder.kind);
	EXPECT_EQ(0, self->setup.config.holder.pid);
	EXPECT_EQ(-1, self->setup.config.holder.cpu);
	EXPECT_EQ(PMC_ENTRY_NONE, self->setup.config.failed_entry);
	ASSERT_EQ(0, pmc_describe(PMC_CPU_ANY, PMC_COUNTER_GENERAL(0), &counter));
	EXPECT_EQ(PMC_HOLDER_KERNEL, counter.holder.kind);
	EXPECT_EQ(-1, counter.holder.cpu);
	ASSERT_EQ(0, close(perf));
	ASSERT_EQ(0, pmc_describe(PMC_CPU_ANY, PMC_COUNTER_GENERAL(0), &counter));
	EXPECT_EQ(PMC_HOLDER_NONE, counter.holder.kind);
	EXPECT_EQ(0, configure_one(self->fd, &self->setup));
}

/* An idle perf event holds its counter too: it may run at any time. */
TEST_F(perf, perf_idle_event_holds_counter)
{
	int perf = perf_open(0, EVENT_INSTRUCTIONS, true);

	ASSERT_LE(0, perf);
	EXPECT_EQ(-EBUSY, configure_one(self->fd, &self->setup));
	EXPECT_EQ(PMC_HOLDER_KERNEL, self->setup.config.holder.kind);
	ASSERT_EQ(0, close(perf));
	EXPECT_EQ(0, configure_one(self->fd, &self->setup));
}

/* A fixed counter alone is refused too: perf owns the whole PMU. */
TEST_F(perf, perf_holds_fixed_counters)
{
	int perf = perf_open(0, EVENT_INSTRUCTIONS, false);

	if (!(self->query.fixed_counters & 1))
		SKIP(return, "no fixed counters");
	ASSERT_LE(0, perf);
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, FIXED_INSTRUCTIONS, 0, PMC_COUNT_USER);
	EXPECT_EQ(-EBUSY, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(PMC_HOLDER_KERNEL, self->setup.config.holder.kind);
	ASSERT_EQ(0, close(perf));
	EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
}

/* While the driver holds one counter, perf has none; afterwards perf has all. */
TEST_F(perf, perf_blocked_while_claimed)
{
	int perf;

	ASSERT_EQ(0, configure_one(self->fd, &self->setup));
	EXPECT_EQ(-EBUSY, perf_open(0, EVENT_INSTRUCTIONS, false));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	EXPECT_EQ(-EBUSY, perf_open(0, EVENT_BRANCHES, false));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	perf = perf_open(0, EVENT_INSTRUCTIONS, false);
	EXPECT_LE(0, perf);
	close(perf);
}

#define QUERIES	500

/* Ask for the holder of a counter, again and again. Exits with the number of wrong answers. */
static void __attribute__((noreturn)) query_holder(int ready)
{
	struct pmc_counter counter;
	int i, wrong = 0;

	if (write(ready, "", 1) != 1)
		_exit(255);
	for (i = 0; i < QUERIES; i++)
		wrong += pmc_describe(PMC_CPU_ANY, PMC_COUNTER_GENERAL(0), &counter) != 0;
	_exit(wrong > 254 ? 254 : wrong);
}

/* A query reserves no counter: perf gets each event that it asks for meanwhile. */
TEST_F(perf, query_reserves_nothing)
{
	int ready[2], status, perf, opened = 0;
	pid_t pid;
	char word;

	ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
	if (pin(0, 1))
		SKIP(return, "one CPU");
	fflush(NULL);
	pid = fork();
	if (!pid)
		query_holder(ready[1]);
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(1, read(ready[0], &word, 1));
	while (!waitpid(pid, &status, WNOHANG)) {
		perf = perf_open(0, EVENT_INSTRUCTIONS, false);
		ASSERT_LE(0, perf)
			TH_LOG("event %d: %s", opened, strerror(-perf));
		close(perf);
		opened++;
	}
	EXPECT_EQ(0, status);
	EXPECT_LT(0, opened);
}

static void perf_counts(struct __test_metadata *_metadata, struct _test_data_perf *self,
			uint64_t event)
{
	struct child child;
	uint64_t value = 0;
	int perf;

	ASSERT_EQ(0, child_program(&child, self->loop));
	perf = perf_open(child.pid, event, true);
	ASSERT_LE(0, perf);
	overcount_begin(perf);
	ASSERT_EQ(0, child_run(&child));
	ASSERT_EQ(sizeof(value), read(perf, &value, sizeof(value)));
	EXPECT_COUNT(program_count(self->loop, event), value);
	close(perf);
}

static void we_count(struct __test_metadata *_metadata, struct _test_data_perf *self,
		     uint64_t event)
{
	struct child child;
	unsigned int i;

	ASSERT_EQ(0, child_counted(&child, self->loop, &self->setup, &self->query, event));
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_run(&child));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < self->reading.nr_counters; i++)
		ASSERT_COUNT(program_count(self->loop, event), self->reading.value[i]);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
}

/* In turn, each exact after the other, whatever values the other left */
TEST_F(perf, alternating_with_perf)
{
	int round;

	for (round = 0; round < 4; round++) {
		uint64_t event = round & 1 ? EVENT_BRANCHES : EVENT_INSTRUCTIONS;

		perf_counts(_metadata, self, event);
		we_count(_metadata, self, event);
	}
	perf_counts(_metadata, self, EVENT_BRANCHES);
}

/* Each counter counts for perf in this thread, and keeps what it counted. Returns their number. */
static int perf_leaves_counters_dirty(void)
{
	int counter[8], n, i;

	for (n = 0; n < ARRAY_SIZE(counter); n++) {
		counter[n] = perf_open(0, EVENT_INSTRUCTIONS, false);
		if (counter[n] < 0)
			break;
	}
	for (i = 0; i < n; i++)
		close(counter[i]);
	return n;
}

/* All have the same count, less than the jump of a counter that was set back to 0. */
static void no_counter_was_zeroed(struct __test_metadata *_metadata, const struct reading *reading)
{
	unsigned int i;

	for (i = 0; i < reading->nr_counters; i++) {
		EXPECT_LT(reading->value[i], 1ULL << 36);
		EXPECT_EQ(reading->value[0], reading->value[i]);
	}
}

/*
 * perf zeroes the counters that it left dirty on a CPU when a task that may use RDPMC is next
 * scheduled there. By then the driver may own the counters and run them: here when the child
 * runs after START.
 *
 * The kernel patches its code when the module first registers a fork probe, and switches
 * address spaces for that. That switch must not hide the problem here, so the module registers the
 * probe before perf counts.
 */
TEST_F(perf, forgets_its_dirty_counters)
{
	struct child child;

	/* 2 allows RDPMC for every process */
	if (file_write(perfs_rdpmc(), "2"))
		SKIP(return, "no %s", perfs_rdpmc());
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, child_program(&child, self->loop));
	setup_cpu_all(&self->setup, &self->query, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_LT(0, perf_leaves_counters_dirty());

	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_run(&child));
	STOP_AND_READ(self->fd, &self->reading);
	EXPECT_LT(self->loop->instructions, self->reading.value[0]);
	no_counter_was_zeroed(_metadata, &self->reading);
}

/*
 * While perf's file contains 0, perf cannot be made to zero its dirty counters. It does so once
 * the file contains something else, at the latest when the attribute pce is read. By then the
 * driver may own the counters and run them.
 */
static void permit_by_perfs_file(struct __test_metadata *_metadata, const char *knob)
{
	char pce[128];

	ASSERT_EQ(0, file_write(perfs_rdpmc(), knob));
	ASSERT_EQ(0, file_read(PCE, pce, sizeof(pce)));
}

#define PERFS_FILE_CONTAINS_0() do {						\
	if (file_write(perfs_rdpmc(), "0"))					\
		SKIP(return, "no %s", perfs_rdpmc());				\
	ASSERT_EQ(0, pin(0, 0));						\
	ASSERT_LT(0, perf_leaves_counters_dirty());				\
} while (0)

TEST_F(perf, zeroes_dirty_counters_of_a_cpu_context_later)
{
	PERFS_FILE_CONTAINS_0();
	setup_cpu_all(&self->setup, &self->query, 0);
	CONFIGURE_AND_START(self->fd, &self->setup);
	permit_by_perfs_file(_metadata, "1");
	STOP_AND_READ(self->fd, &self->reading);
	EXPECT_EQ(PMC_STATE_REWRITTEN, self->reading.state);
	no_counter_was_zeroed(_metadata, &self->reading);

	/* what is configured now counts */
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	CONFIGURE_AND_START(self->fd, &self->setup);
	STOP_AND_READ(self->fd, &self->reading);
	EXPECT_EQ(0, self->reading.state);
	EXPECT_LT(0, self->reading.value[0]);
}

/* A START waits until perf has zeroed them: here before the workers have run. */
TEST_F(perf, zeroes_dirty_counters_before_a_cpu_context_starts)
{
	PERFS_FILE_CONTAINS_0();
	setup_cpu_all(&self->setup, &self->query, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, schedule_as(0, SCHED_FIFO));
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "1"));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, schedule_as(0, SCHED_OTHER));
	permit_by_perfs_file(_metadata, "1");
	STOP_AND_READ(self->fd, &self->reading);
	EXPECT_EQ(0, self->reading.state);
	EXPECT_LT(0, self->reading.value[0]);
	no_counter_was_zeroed(_metadata, &self->reading);
}

/* What perf counted, perhaps for another user, is not written back when perf has zeroed it. */
TEST_F(perf, zeroed_counters_stay_zero_after_release)
{
	unsigned int i, low, high;

	if (!(self->query.features & PMC_FEATURE(RDPMC)))
		SKIP(return, "needs RDPMC");
	PERFS_FILE_CONTAINS_0();
	setup_cpu_all(&self->setup, &self->query, 0);
	CONFIGURE_AND_START(self->fd, &self->setup);
	permit_by_perfs_file(_metadata, "1");
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "2"));
	for (i = 0; i < 64; i++) {
		if (!(self->query.general_counters & 1ULL << i))
			continue;
		asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (i));
		EXPECT_EQ(0, low);
		EXPECT_EQ(0, high);
	}
}

/*
 * The counts of a thread are exact: it continues when perf's file has been applied. If the thread
 * may execute RDPMC then, and happens to be switched to in between, the context reports that it
 * is not counted. @cpu: from where perf's file is written; the thread runs on CPU 0.
 */
static void permit_while_a_thread_counts(struct __test_metadata *_metadata,
					 struct _test_data_perf *self, int cpu,
					 const char *knob, uint32_t possible_states)
{
	const struct program *loop;
	struct child child;
	unsigned int i;

	NEED_CPUS(2);
	LOAD_PROGRAM(loop, "./loop-10m");
	PERFS_FILE_CONTAINS_0();
	ASSERT_EQ(0, child_counted(&child, loop, &self->setup, &self->query, EVENT_INSTRUCTIONS));
	ASSERT_EQ(0, pin(0, cpu));
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_go(&child));
	do {
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	} while (!self->reading.value[0]);
	permit_by_perfs_file(_metadata, knob);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	ASSERT_LT(self->reading.value[0], loop->instructions);
	ASSERT_EQ(0, child_wait(&child));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(0, self->reading.state & ~(PMC_STATE_ENDED | PMC_STATE_RUNNING | possible_states));
	for (i = 0; i < self->reading.nr_counters; i++) {
		if (self->reading.state & PMC_STATE_UNCOUNTED) {
			/* equal if it was switched away again before its first instruction */
			EXPECT_LE(self->reading.value[i], loop->instructions);
		} else {
			EXPECT_COUNT(loop->instructions, self->reading.value[i]);
		}
	}
}

TEST_F(perf, zeroes_dirty_counters_while_a_thread_counts)
{
	permit_while_a_thread_counts(_metadata, self, 0, "1", 0);
}

TEST_F(perf, zeroes_dirty_counters_at_once_while_a_thread_counts)
{
	permit_while_a_thread_counts(_metadata, self, 1, "2", PMC_STATE_UNCOUNTED);
}

TEST_F(perf, zeroes_dirty_counters_while_every_task_may)
{
	ASSERT_EQ(0, file_write(PCE, "2"));
	permit_while_a_thread_counts(_metadata, self, 1, "1", PMC_STATE_UNCOUNTED);
	ASSERT_EQ(0, file_write(PCE, "1"));
}

FIXTURE(watchdog) {
	BASE_FIXTURE;
};

FIXTURE_SETUP(watchdog)
{
	char state[8];

	NEED_COUNTERS_AND_ROOT(&self->query);
	OPEN_DEVICE(self->fd);
	/* Off, then on: the kernel starts it only on a change. */
	if (file_write(WATCHDOG, "0") || file_write(WATCHDOG, "1"))
		SKIP(return, "this kernel has no NMI watchdog");
	ASSERT_EQ(0, file_read(WATCHDOG, state, sizeof(state)));
	if (state[0] != '1')
		SKIP(return, "the NMI watchdog does not run here");
}

FIXTURE_TEARDOWN(watchdog)
{
	file_write(WATCHDOG, "0");
	close(self->fd);
}

/* Is there a field with this count, or with one that overcount.h accepts for it? */
static bool has_count(const char *csv, uint64_t known)
{
	uint64_t most = known + overcount_most();
	char field[64];

	for (; known <= most; known++) {
		snprintf(field, sizeof(field), ",%llu,", (unsigned long long)known);
		if (strstr(csv, field))
			return true;
	}
	return false;
}

/* The error message names the command that frees the counters; afterwards the count is exact. */
TEST_F(watchdog, error_advice_frees_counters)
{
	const struct program *loop;
	char said[4096];

	LOAD_PROGRAM(loop, "./loop-1m");
	if (run_pmcctl("--version", said, sizeof(said)))
		SKIP(return, "pmcctl is not installed");
	EXPECT_EQ(125, run_pmcctl("stat -e instructions:u ./loop-1m", said, sizeof(said)));
	EXPECT_NE(NULL, strstr(said, "sysctl kernel.nmi_watchdog=0")) TH_LOG("%s", said);
	ASSERT_EQ(0, file_write(WATCHDOG, "0"));
	overcount_begin(self->fd);
	EXPECT_EQ(0, run_pmcctl("stat --csv -e instructions:u ./loop-1m", said, sizeof(said)));
	EXPECT_TRUE(has_count(said, loop->instructions)) TH_LOG("%s", said);
}

TEST_F(watchdog, watchdog_blocks_counters)
{
	struct pmc_counter counter;

	EXPECT_EQ(-EBUSY, configure_one(self->fd, &self->setup));
	EXPECT_EQ(PMC_HOLDER_KERNEL, self->setup.config.holder.kind);
	ASSERT_EQ(0, pmc_describe(PMC_CPU_ANY, PMC_COUNTER_GENERAL(0), &counter));
	EXPECT_EQ(PMC_HOLDER_KERNEL, counter.holder.kind);
	ASSERT_EQ(0, file_write(WATCHDOG, "0"));
	EXPECT_EQ(0, configure_one(self->fd, &self->setup));
}

TEST_HARNESS_MAIN

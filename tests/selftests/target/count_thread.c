// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests contexts that count another thread, mainly from its exec to its end: the measured
 * programs have one correct count, which must come out
 */
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"

FIXTURE(thread) {
	BASE_FIXTURE;
	struct program programs[PROGRAMS_MAX];
	const struct program *loop;
	int nr_programs;
	struct child child;
};

FIXTURE_SETUP(thread)
{
	NEED_COUNTERS(&self->query);
	self->nr_programs = programs_load(self->programs);
	ASSERT_LT(0, self->nr_programs);
	LOAD_PROGRAM(self->loop, "./loop-1m");
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN_CLOSE(thread)

/* Count @program from exec to exit on each counter that can count @event. */
static void count_program(struct __test_metadata *_metadata,
			  struct _test_data_thread *self,
			  const struct program *program, uint64_t event)
{
	uint64_t known = program_count(program, event);
	unsigned int i;

	ASSERT_EQ(0, child_counted(&self->child, program, &self->setup, &self->query, event));
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_run(&self->child));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_ENDED, self->reading.state);
	for (i = 0; i < self->reading.nr_counters; i++) {
		EXPECT_COUNT(known, self->reading.value[i]) {
			TH_LOG("%s, event %#llx, counter %#x", program->argv[0],
			       (unsigned long long)event, self->setup.counter[i].counter);
		}
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
}

TEST_F(thread, instructions_of_every_program)
{
	int i;

	for (i = 0; i < self->nr_programs; i++)
		count_program(_metadata, self, &self->programs[i], EVENT_INSTRUCTIONS);
}

TEST_F(thread, branches_of_every_program)
{
	int i;

	for (i = 0; i < self->nr_programs; i++)
		count_program(_metadata, self, &self->programs[i], EVENT_BRANCHES);
}

/* Armed until the exec: nothing before the exec is counted. */
TEST_F(thread, armed_until_exec)
{
	ASSERT_EQ(0, child_counted(&self->child, self->loop, &self->setup, &self->query,
				   EVENT_INSTRUCTIONS));
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(0, self->reading.state);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_ARMED, self->reading.state);
	EXPECT_EQ(0, self->reading.value[0]);
	EXPECT_EQ(0, self->reading.time_enabled);
	STOP_AND_READ(self->fd, &self->reading);
	EXPECT_EQ(0, self->reading.state);

	/* Stopped, so this exec is not counted. */
	ASSERT_EQ(0, child_run(&self->child));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_ENDED, self->reading.state);
	EXPECT_EQ(0, self->reading.value[0]);
}

/* A failed exec does not start counting: the child's own _exit(126) is not counted. */
TEST_F(thread, failed_exec_keeps_armed)
{
	struct program nowhere = { .argv = { "./no-such-program" } };

	ASSERT_EQ(0, child_counted(&self->child, &nowhere, &self->setup, &self->query,
				   EVENT_INSTRUCTIONS));
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_go(&self->child));
	ASSERT_EQ(126, child_wait(&self->child));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_ENDED, self->reading.state);
	EXPECT_EQ(0, self->reading.value[0]);
}

/* Initial values are where counting starts, near each value that could wrap. */
TEST_F(thread, initial_values)
{
	uint64_t start[] = {
		(1ULL << 32) - 5, (1ULL << self->query.general_width) - 5,
		(1ULL << (self->query.general_width - 1)) - 5, -5ULL,
		(1ULL << 40) - 5, (1ULL << 48) - 5, 0x8000000000000000,
	};
	unsigned int i;

	ASSERT_EQ(0, child_counted(&self->child, self->loop, &self->setup, &self->query,
				   EVENT_INSTRUCTIONS));
	for (i = 0; i < self->setup.config.nr_counters; i++)
		self->setup.counter[i].initial = start[i % ARRAY_SIZE(start)];
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_run(&self->child));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < self->reading.nr_counters; i++) {
		EXPECT_COUNT(start[i % ARRAY_SIZE(start)] + self->loop->instructions,
			     self->reading.value[i]);
	}
}

/*
 * Readings during counting never decrease, and the last one is exact. On one CPU the reader and
 * the program alternate; on two they race.
 */
TEST_F(thread, readings_while_it_runs)
{
	uint64_t last[PMC_COUNTERS_MAX] = { 0 }, tsc = 0;
	unsigned int i;

	ASSERT_EQ(0, child_counted(&self->child, self->loop, &self->setup, &self->query,
				   EVENT_INSTRUCTIONS));
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_go(&self->child));
	do {
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		ASSERT_LT(tsc, self->reading.tsc);
		tsc = self->reading.tsc;
		ASSERT_LE(self->reading.time_counted, self->reading.time_enabled);
		for (i = 0; i < self->reading.nr_counters; i++) {
			ASSERT_LE(last[i], self->reading.value[i]);
			ASSERT_EQ(self->reading.value[0], self->reading.value[i]);
			last[i] = self->reading.value[i];
		}
		sched_yield();
	} while (!(self->reading.state & PMC_STATE_ENDED));
	for (i = 0; i < self->reading.nr_counters; i++)
		EXPECT_COUNT(self->loop->instructions, self->reading.value[i]);
	ASSERT_EQ(0, child_wait(&self->child));
}

/* A reading after the end stays the same, also before the thread is reaped. */
TEST_F(thread, readings_after_the_end)
{
	siginfo_t info;
	int round;

	ASSERT_EQ(0, child_counted(&self->child, self->loop, &self->setup, &self->query,
				   EVENT_INSTRUCTIONS));
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_go(&self->child));
	ASSERT_EQ(0, waitid(P_PID, self->child.pid, &info, WEXITED | WNOWAIT));
	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		EXPECT_COUNT(self->loop->instructions, self->reading.value[0]);
		EXPECT_EQ(PMC_STATE_ENDED, self->reading.state);
		EXPECT_EQ(-1, self->reading.cpu);
		EXPECT_EQ(-ESRCH, pmc_call(self->fd, PMC_IOC_START, NULL));
		EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
		if (round == 0) {
			ASSERT_EQ(0, child_wait(&self->child));
		}
	}
}

/*
 * WRITE and RESET of a running counter: with W written and the program's own N, the end is W +
 * (N - the count at the write). The reading just before the write is at least the value that
 * the write replaced.
 */
TEST_F(thread, write_and_reset_while_it_runs)
{
	uint64_t values[PMC_COUNTERS_MAX], written = 1ULL << 50;
	struct pmc_write write = { .size = sizeof(write) };
	unsigned int i;

	ASSERT_EQ(0, child_spin(&self->child));
	setup_thread_all(&self->setup, &self->query, self->child.pid, 0);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_go(&self->child));
	do {
		sched_yield();
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	} while (self->reading.value[0] < 100000);

	for (i = 0; i < self->setup.config.nr_counters; i++)
		values[i] = written + i;
	write.nr_counters = self->setup.config.nr_counters;
	write.values = (uintptr_t)values;
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_WRITE, &write));
	do {
		sched_yield();
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		for (i = 0; i < self->reading.nr_counters; i++) {
			ASSERT_LE(written + i, self->reading.value[i]);
			ASSERT_EQ(self->reading.value[0] + i, self->reading.value[i]);
		}
	} while (self->reading.value[0] < written + 100000);

	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
	do {
		sched_yield();
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		for (i = 0; i < self->reading.nr_counters; i++) {
			ASSERT_LT(self->reading.value[i], written);
			ASSERT_EQ(self->reading.value[0], self->reading.value[i]);
		}
	} while (self->reading.value[0] < 100000);
	EXPECT_EQ(PMC_STATE_RUNNING, self->reading.state);
	child_kill(&self->child);
}

/* Killed: the count stays and does not grow. */
TEST_F(thread, killed)
{
	uint64_t value;

	ASSERT_EQ(0, child_spin(&self->child));
	setup_thread_all(&self->setup, &self->query, self->child.pid, 0);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_go(&self->child));
	do {
		sched_yield();
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	} while (self->reading.value[0] < 100000);
	value = self->reading.value[0];
	ASSERT_EQ(0, kill(self->child.pid, SIGKILL));
	ASSERT_EQ(256 + SIGKILL, child_wait(&self->child));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_ENDED, self->reading.state);
	EXPECT_LE(value, self->reading.value[0]);
	value = self->reading.value[0];
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(value, self->reading.value[0]);
	EXPECT_EQ(-ESRCH, pmc_call(self->fd, PMC_IOC_START, NULL));
}

/* Closed while counting: the counters are free, the program continues unharmed. */
TEST_F(thread, close_while_it_runs)
{
	struct pmc_counter counter;

	ASSERT_EQ(0, child_program(&self->child, self->loop));
	setup_thread_all(&self->setup, &self->query, self->child.pid, 0);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_go(&self->child));
	do {
		sched_yield();
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	} while (self->reading.value[0] < 10000);
	ASSERT_EQ(0, close(self->fd));
	ASSERT_EQ(0, pmc_describe(PMC_CPU_ANY, PMC_COUNTER_GENERAL(0), &counter));
	EXPECT_EQ(PMC_HOLDER_NONE, counter.holder.kind);
	EXPECT_EQ(0, child_wait(&self->child));

	/* And the next context counts exactly. */
	OPEN_DEVICE(self->fd);
	count_program(_metadata, self, self->loop, EVENT_INSTRUCTIONS);
}

/* Two contexts of one thread with different counters: both are exact. */
TEST_F(thread, two_contexts_disjoint)
{
	struct reading reading;
	struct setup setup;
	int fd = pmc_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, child_program(&self->child, self->loop));
	setup_thread_one(&self->setup, self->child.pid, PMC_CONFIG_ON_EXEC);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	setup_thread(&setup, self->child.pid, PMC_CONFIG_ON_EXEC);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(fd, &setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_run(&self->child));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	ASSERT_EQ(0, reading_read(fd, &reading));
	EXPECT_COUNT(self->loop->instructions, self->reading.value[0]);
	EXPECT_COUNT(self->loop->branches, reading.value[0]);
}

/* The same counter of the same thread: the second context gets EBUSY and the holder. */
TEST_F(thread, two_contexts_on_one_counter)
{
	struct setup setup;
	int fd = pmc_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, prctl(PR_SET_NAME, "first-holder"));
	ASSERT_EQ(0, child_program(&self->child, self->loop));
	setup_thread(&self->setup, self->child.pid, PMC_CONFIG_ON_EXEC);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	setup_thread(&setup, self->child.pid, PMC_CONFIG_ON_EXEC);
	setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_BRANCHES, PMC_COUNT_USER);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
	ASSERT_EQ(-EBUSY, setup_configure(fd, &setup));
	EXPECT_EQ(PMC_HOLDER_CONTEXT, setup.config.holder.kind);
	EXPECT_EQ(getpid(), setup.config.holder.pid);
	EXPECT_EQ(self->child.pid, setup.config.holder.tid);
	EXPECT_EQ(1, setup.config.holder.counter);
	EXPECT_STREQ("first-holder", setup.config.holder.comm);

	/* The refused context keeps nothing: its other counter is free. */
	setup_thread(&setup, self->child.pid, PMC_CONFIG_ON_EXEC);
	setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_BRANCHES, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(fd, &setup));
	child_kill(&self->child);
}

/* The counter in conflict is a fixed one, and not the first one of the request. */
TEST_F(thread, two_contexts_on_one_fixed_counter)
{
	struct setup setup;
	int fd;

	if ((self->query.fixed_counters & 3) != 3)
		SKIP(return, "needs two fixed counters");
	OPEN_DEVICE(fd);
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_FIXED(1), 0, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_FIXED(0), 0, PMC_COUNT_USER);
	setup_add(&setup, PMC_COUNTER_FIXED(1), 0, PMC_COUNT_USER);
	ASSERT_EQ(-EBUSY, setup_configure(fd, &setup));
	EXPECT_EQ(PMC_HOLDER_CONTEXT, setup.config.holder.kind);
	EXPECT_EQ(PMC_COUNTER_FIXED(1), setup.config.holder.counter);
}

#define READS_MAX	1000000

/* READ reports the CPU that another thread counts on, -1 while it counts nowhere. */
TEST_F(thread, cpu_of_a_running_thread)
{
	unsigned int i;

	NEED_CPUS(2);
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, child_spin(&self->child));
	ASSERT_EQ(0, pin(self->child.pid, 1));
	setup_thread_one(&self->setup, self->child.pid, 0);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_go(&self->child));
	/* until it runs there */
	for (i = 0; i < READS_MAX; i++) {
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		if (self->reading.cpu >= 0)
			break;
	}
	EXPECT_EQ(1, self->reading.cpu);
	STOP_AND_READ(self->fd, &self->reading);
	EXPECT_EQ(-1, self->reading.cpu);
	child_kill(&self->child);
}

/* Two threads use the same counter at the same time: each has its own count. */
TEST_F(thread, two_threads_on_one_counter)
{
	struct child other;
	struct reading reading;
	struct setup setup;
	int fd = pmc_open();
	unsigned int i;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, child_counted(&self->child, self->loop, &self->setup, &self->query,
				   EVENT_INSTRUCTIONS));
	ASSERT_EQ(0, child_program(&other, self->loop));
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	setup_thread(&setup, other.pid, PMC_CONFIG_ON_EXEC);
	setup_add_all(&setup, &self->query, EVENT_BRANCHES, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(fd, &setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_go(&self->child));
	ASSERT_EQ(0, child_go(&other));
	ASSERT_EQ(0, child_wait(&self->child));
	ASSERT_EQ(0, child_wait(&other));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	ASSERT_EQ(0, reading_read(fd, &reading));
	for (i = 0; i < self->reading.nr_counters; i++)
		EXPECT_COUNT(self->loop->instructions, self->reading.value[i]);
	for (i = 0; i < reading.nr_counters; i++)
		EXPECT_COUNT(self->loop->branches, reading.value[i]);
}

/* Several busy processes share one CPU, preempted by the tick: each count is exact. */
TEST_F(thread, competition_on_one_cpu)
{
	enum { COMPETITORS = 6 };
	struct child child[COMPETITORS];
	struct setup setup[COMPETITORS];
	int fd[COMPETITORS];
	unsigned int n, i;

	ASSERT_EQ(0, pin(0, 0));
	for (n = 0; n < COMPETITORS; n++) {
		fd[n] = pmc_open();
		ASSERT_LE(0, fd[n]);
		ASSERT_EQ(0, child_program(&child[n], self->loop));
		setup_thread(&setup[n], child[n].pid, PMC_CONFIG_ON_EXEC);
		setup_add_all(&setup[n], &self->query,
			      n & 1 ? EVENT_BRANCHES : EVENT_INSTRUCTIONS, PMC_COUNT_USER);
		CONFIGURE_AND_START(fd[n], &setup[n]);
	}
	for (n = 0; n < COMPETITORS; n++)
		ASSERT_EQ(0, child_go(&child[n]));
	for (n = 0; n < COMPETITORS; n++)
		ASSERT_EQ(0, child_wait(&child[n]));
	for (n = 0; n < COMPETITORS; n++) {
		ASSERT_EQ(0, reading_read(fd[n], &self->reading));
		for (i = 0; i < self->reading.nr_counters; i++) {
			EXPECT_COUNT(program_count(self->loop, n & 1 ? EVENT_BRANCHES :
						   EVENT_INSTRUCTIONS),
				     self->reading.value[i]);
		}
	}
}

/* Siblings and children of the thread are not counted. */
TEST_F(thread, children_are_not_counted)
{
	int status;
	pid_t pid;

	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_BRANCHES, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	pid = fork();
	if (pid == 0) {
		execv(self->loop->argv[0], self->loop->argv);
		_exit(1);
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_LT(0, self->reading.value[0]);
	/* The loop alone is a million; calling waitpid is not. */
	EXPECT_LT(self->reading.value[0], 100000);
}

TEST_F(thread, no_such_thread)
{
	ASSERT_EQ(0, child_spin(&self->child));
	child_kill(&self->child);
	setup_thread(&self->setup, self->child.pid, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_BRANCHES, PMC_COUNT_USER);
	EXPECT_EQ(-ESRCH, setup_configure(self->fd, &self->setup));
	/* A zombie is no thread either. */
	self->child.pid = fork();
	if (self->child.pid == 0)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, self->child.pid, NULL, WEXITED | WNOWAIT));
	self->setup.config.tid = self->child.pid;
	EXPECT_EQ(-ESRCH, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, child_wait(&self->child));
}

TEST_HARNESS_MAIN

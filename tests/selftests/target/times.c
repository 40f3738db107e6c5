// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests time_enabled and time_counted exactly, to the tick, in every scope
 *
 * clock_reads.h records what each RDTSC of the driver returned. The test computes both times from
 * these values by the rules of the ABI (struct pmc_read), not by the driver's code:
 *
 * - time_enabled: from START (with PMC_CONFIG_ON_EXEC, from the exec) to STOP, or to the exit of
 *   the last thread. RESET sets it to 0.
 * - time_counted: the sum over threads, or over CPUs, of the intervals in which the counters
 *   ran. A thread's interval ends when it leaves its CPU, a CPU's when it goes offline.
 *
 * The order of the reads identifies each of them. (A run is a context's counting on one CPU, or one
 * thread's: struct pmc_run.) START reads the clock for time_enabled first,
 * and then at the start of each run. STOP reads it at the stop of each run, and for time_enabled
 * last. If the target may have several threads, STOP reads time_enabled first, so that no thread
 * starts again. READ, RESET and WRITE read the clock for each run that counts, and for
 * time_enabled; the latter value is in the reply. Between the calls, starts and stops of a run
 * alternate. The test and the followed process run as SCHED_FIFO on different CPUs, so no other
 * task causes reads. A process that cannot run so is stopped during the calls.
 *
 * The same over a suspend: suspend.c.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "clock_reads.h"
#include "process_tree.h"
#include "times.h"

#define CPU1		"/sys/devices/system/cpu/cpu1/online"
#define CPUS		2
#define ROUNDS		20
#define FOLLOWED_CPU	1

/* Between two checks of a condition: long enough for another task to execute in user mode */
#define PAUSE_US	10000

/** struct followed - a process on its own CPU that does one thing after a byte */
struct followed {
	pid_t pid;
	int go[2], back[2];
	unsigned long *rounds;	/* shared: how far it is */
};

static void spin(const struct followed *followed)
{
	for (;;)
		__atomic_add_fetch(followed->rounds, 1, __ATOMIC_RELAXED);
}

static void sleep_and_answer(const struct followed *followed)
{
	char word = 0;

	while (write(followed->back[1], &word, 1) == 1 && read(followed->go[0], &word, 1) == 1)
		;
}

static void fork_and_wait(const struct followed *followed)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static void execute(const struct followed *followed)
{
	const struct program *program = program_named("./loop-1m");

	if (program)
		execv(program->argv[0], program->argv);
}

/* Fork the process; it waits for its byte when this returns. */
static int followed_start(struct followed *followed, void (*then)(const struct followed *))
{
	char word;

	followed->rounds = mmap(NULL, sizeof(*followed->rounds), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (followed->rounds == MAP_FAILED || pipe2(followed->go, O_CLOEXEC) ||
	    pipe2(followed->back, O_CLOEXEC))
		return -errno;
	followed->pid = fork();
	if (followed->pid < 0)
		return -errno;
	if (!followed->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!pin(0, FOLLOWED_CPU) && !schedule_as(0, SCHED_FIFO) &&
		    read(followed->go[0], &word, 1) == 1)
			then(followed);
		_exit(0);
	}
	task_wait_in(followed->pid, followed->pid, SYS_read, followed->go[0]);
	return 0;
}

static int followed_go(struct followed *followed)
{
	return write(followed->go[1], "", 1) == 1 ? 0 : -errno;
}

static void followed_wait_until_it_spins(const struct followed *followed)
{
	unsigned long before = __atomic_load_n(followed->rounds, __ATOMIC_RELAXED);

	/* on the test's own CPU, it runs only while the test sleeps */
	while (__atomic_load_n(followed->rounds, __ATOMIC_RELAXED) == before)
		usleep(PAUSE_US);
}

/* It stops; when this returns, it has left its CPU. */
static void followed_pause(const struct followed *followed)
{
	char path[64], text[256];

	kill(followed->pid, SIGSTOP);
	waitpid(followed->pid, NULL, WUNTRACED);
	snprintf(path, sizeof(path), "/proc/%d/syscall", followed->pid);
	while (file_read(path, text, sizeof(text)) || !strncmp(text, "running", 7))
		usleep(PAUSE_US);
}

static void followed_continue(const struct followed *followed)
{
	kill(followed->pid, SIGCONT);
	followed_wait_until_it_spins(followed);
}

#define TIMES_SETUP(times) do {							\
	NEED_COUNTERS_AND_ROOT(&(times)->query);				\
	NEED_CPUS(CPUS);							\
	NEED_CLOCK_READS(&(times)->query);					\
	ASSERT_EQ(0, pin(0, 0));						\
	ASSERT_EQ(0, schedule_as(0, SCHED_FIFO));				\
	OPEN_DEVICE((times)->fd);						\
} while (0)

/* The next test begins without reads of this one. */
#define TIMES_TEARDOWN() do {							\
	close(self->times.fd);							\
	if (self->followed.pid > 0) {						\
		kill(self->followed.pid, SIGKILL);				\
		waitpid(self->followed.pid, NULL, 0);				\
	}									\
	if (!clock_watch.failed)						\
		clock_collect(&self->times.reads);				\
} while (0)

static void configure(struct __test_metadata *_metadata, struct times *times, uint32_t scope,
		      pid_t pid, uint32_t flags)
{
	if (scope == PMC_SCOPE_CPU)
		setup_cpu(&times->setup, FOLLOWED_CPU);
	else if (scope == PMC_SCOPE_ALL_CPUS)
		setup_all_cpus(&times->setup);
	else
		setup_follow(&times->setup, scope, pid, flags);
	setup_add(&times->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	times->by_cpu = scope == PMC_SCOPE_CPU || scope == PMC_SCOPE_ALL_CPUS;
	times->several = scope == PMC_SCOPE_PROCESS || scope == PMC_SCOPE_TREE;
	ASSERT_EQ(0, setup_configure(times->fd, &times->setup));
	ASSERT_EQ(0, clock_collect(&times->reads));
	ASSERT_EQ(0, times->reads.nr)
		clock_print(&times->reads);
}

static void expect_no_times(struct __test_metadata *_metadata, struct times *times)
{
	times_reset(_metadata, times);
	times_read(_metadata, times);
	EXPECT_EQ(0, times->reading.time_enabled);
	EXPECT_EQ(0, times->reading.time_counted);
}

/* ---- START, STOP, READ, RESET, WRITE and CPU hotplug ---- */

FIXTURE(times) {
	struct times times;
	struct followed followed;
};

/**
 * The variants
 * @scope:	what the context counts
 * @self:	the test itself
 * @sleeps:	a process that sleeps, not one that spins
 * @runs:	how many runs count between START and STOP
 */
FIXTURE_VARIANT(times) {
	uint32_t scope;
	bool self, sleeps;
	unsigned int runs;
};

FIXTURE_VARIANT_ADD(times, self) {
	.scope = PMC_SCOPE_THREAD, .self = true, .runs = 1,
};

FIXTURE_VARIANT_ADD(times, thread) {
	.scope = PMC_SCOPE_THREAD, .runs = 1,
};

FIXTURE_VARIANT_ADD(times, sleeping_thread) {
	.scope = PMC_SCOPE_THREAD, .sleeps = true,
};

FIXTURE_VARIANT_ADD(times, process) {
	.scope = PMC_SCOPE_PROCESS, .runs = 1,
};

FIXTURE_VARIANT_ADD(times, sleeping_process) {
	.scope = PMC_SCOPE_PROCESS, .sleeps = true,
};

FIXTURE_VARIANT_ADD(times, tree) {
	.scope = PMC_SCOPE_TREE, .runs = 1,
};

FIXTURE_VARIANT_ADD(times, cpu) {
	.scope = PMC_SCOPE_CPU, .runs = 1,
};

FIXTURE_VARIANT_ADD(times, all_cpus) {
	.scope = PMC_SCOPE_ALL_CPUS, .runs = CPUS,
};

FIXTURE_SETUP(times)
{
	TIMES_SETUP(&self->times);
	if (!variant->self && variant->scope != PMC_SCOPE_CPU &&
	    variant->scope != PMC_SCOPE_ALL_CPUS) {
		ASSERT_EQ(0, followed_start(&self->followed, spin));
	}
	configure(_metadata, &self->times, variant->scope, self->followed.pid, 0);
	/* CONFIGURE waits for kernel threads, which a spinning SCHED_FIFO process keeps waiting */
	if (self->followed.pid && !variant->sleeps) {
		ASSERT_EQ(0, followed_go(&self->followed));
		followed_wait_until_it_spins(&self->followed);
	}
}

FIXTURE_TEARDOWN(times)
{
	TIMES_TEARDOWN();
	file_write(CPU1, "1");
}

static void start(struct __test_metadata *_metadata, struct times *times, unsigned int runs)
{
	times_start(_metadata, times);
	EXPECT_EQ(runs, times_runs(times))
		clock_print(&times->reads);
}

TEST_F(times, operations)
{
	struct times *times = &self->times;
	unsigned int i;

	times_read(_metadata, times);
	for (i = 0; i < 2; i++) {
		start(_metadata, times, variant->runs);
		times_read(_metadata, times);
		times_read(_metadata, times);
		times_write(_metadata, times);
		times_read(_metadata, times);
		times_reset(_metadata, times);
		times_read(_metadata, times);
		times_stop(_metadata, times);
		times_read(_metadata, times);
		start(_metadata, times, variant->runs);
		times_stop(_metadata, times);
		times_read(_metadata, times);
		times_write(_metadata, times);
		times_read(_metadata, times);
	}
	expect_no_times(_metadata, times);
}

/* READ; a followed process that other tasks could interrupt is stopped meanwhile */
static void read_paused(struct __test_metadata *_metadata, struct times *times,
			const struct followed *followed)
{
	if (!followed) {
		times_read(_metadata, times);
		return;
	}
	followed_pause(followed);
	times_read(_metadata, times);
	EXPECT_EQ(0, times_runs(times));
	followed_continue(followed);
}

/* CPU 1 goes offline while its run, or the thread on it, counts. The test itself stays on CPU 0. */
TEST_F(times, hotplug)
{
	const struct followed *followed = NULL;
	struct times *times = &self->times;
	unsigned int i;

	/* it migrates to CPU 0 and must not keep the test from running there */
	if (self->followed.pid && !variant->sleeps) {
		followed = &self->followed;
		ASSERT_EQ(0, schedule_as(followed->pid, SCHED_OTHER));
		followed_pause(followed);
	}
	start(_metadata, times, followed ? 0 : variant->runs);
	if (followed)
		followed_continue(followed);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, file_write(CPU1, "0"));
		read_paused(_metadata, times, followed);
		ASSERT_EQ(0, file_write(CPU1, "1"));
		read_paused(_metadata, times, followed);
	}
	if (followed)
		followed_pause(followed);
	times_stop(_metadata, times);
	times_read(_metadata, times);
	if (followed || times->by_cpu)
		EXPECT_LT(0, times->reading.time_counted);
}

/* ---- Switches, exec and exit: all followed threads are on one CPU ---- */

FIXTURE(threads) {
	struct times times;
	struct followed followed;
};

FIXTURE_VARIANT(threads) {
	uint32_t scope;
};

FIXTURE_VARIANT_ADD(threads, thread) {
	.scope = PMC_SCOPE_THREAD,
};

FIXTURE_VARIANT_ADD(threads, process) {
	.scope = PMC_SCOPE_PROCESS,
};

FIXTURE_VARIANT_ADD(threads, tree) {
	.scope = PMC_SCOPE_TREE,
};

FIXTURE_SETUP(threads)
{
	TIMES_SETUP(&self->times);
}

FIXTURE_TEARDOWN(threads)
{
	TIMES_TEARDOWN();
}

/* A thread is woken, counts, and sleeps again. */
TEST_F(threads, switches)
{
	unsigned int i;
	char word;

	ASSERT_EQ(0, followed_start(&self->followed, sleep_and_answer));
	configure(_metadata, &self->times, variant->scope, self->followed.pid, 0);
	start(_metadata, &self->times, 0);
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, followed_go(&self->followed));
		ASSERT_EQ(1, read(self->followed.back[0], &word, 1));
		task_wait_in(self->followed.pid, self->followed.pid, SYS_read,
			     self->followed.go[0]);
		times_read(_metadata, &self->times);
		EXPECT_EQ(0, times_runs(&self->times));
	}
	EXPECT_LT(0, self->times.counted);
	times_stop(_metadata, &self->times);
	times_read(_metadata, &self->times);
}

/* Everything until the last thread has exited: it reads the clock for time_enabled last. */
static void wait_for_end(struct __test_metadata *_metadata, struct times *times,
			 struct followed *followed)
{
	ASSERT_EQ(0, followed_go(followed));
	ASSERT_EQ(followed->pid, waitpid(followed->pid, NULL, 0));
	followed->pid = 0;
	ASSERT_EQ(0, clock_collect(&times->reads));
	ASSERT_LT(2, times->reads.nr);
}

static void expect_end(struct __test_metadata *_metadata, struct times *times,
		       unsigned int first)
{
	const unsigned int last = times->reads.nr - 1;

	times_alternate(times, first, last);
	times_set_running(times, false, times->reads.read[last].tsc);
	EXPECT_EQ(0, times_runs(times))
		clock_print(&times->reads);
	times_read(_metadata, times);
	EXPECT_LT(0, times->reading.time_counted);
	EXPECT_EQ(PMC_STATE_ENDED, times->reading.state);
	/* the times of the threads that have exited, too */
	expect_no_times(_metadata, times);
}

TEST_F(threads, exit)
{
	ASSERT_EQ(0, followed_start(&self->followed, fork_and_wait));
	configure(_metadata, &self->times, variant->scope, self->followed.pid, 0);
	start(_metadata, &self->times, 0);
	wait_for_end(_metadata, &self->times, &self->followed);
	expect_end(_metadata, &self->times, 0);
}

/* Both times begin at the exec; START of an armed context reads the clock and counts nothing. */
TEST_F(threads, exec)
{
	ASSERT_EQ(0, followed_start(&self->followed, execute));
	configure(_metadata, &self->times, variant->scope, self->followed.pid,
		  PMC_CONFIG_ON_EXEC);
	ASSERT_EQ(0, pmc_call(self->times.fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, clock_collect(&self->times.reads));
	ASSERT_EQ(1, self->times.reads.nr);
	times_read(_metadata, &self->times);
	EXPECT_EQ(0, self->times.reading.time_enabled);
	wait_for_end(_metadata, &self->times, &self->followed);
	times_set_running(&self->times, true, self->times.reads.read[0].tsc);
	expect_end(_metadata, &self->times, 1);
}

static void watch_clock(void)
{
	clock_watch_begin();
	if (!clock_watch.failed && clock_watch_enable(true))
		clock_watch.failed = "the kernel does not enable the probes";
}

#undef SELFTEST_PREPARE
#define SELFTEST_PREPARE()	watch_clock()

TEST_HARNESS_MAIN

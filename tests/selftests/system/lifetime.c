// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that a context lives exactly as long as its file is open, and the module as long as a
 * file is open
 *
 * The environment variable PMCDRV_KO names the module's file.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "module.h"
#include "fixture.h"
#include "fuse_stall.h"

static int holder_kind(void)
{
	struct pmc_counter counter;
	int err = pmc_describe(PMC_CPU_ANY, PMC_COUNTER_GENERAL(0), &counter);

	return err ? err : counter.holder.kind;
}

static int claim(int fd)
{
	struct setup setup;

	setup_thread_one(&setup, 0, 0);
	return setup_configure(fd, &setup);
}

static int claim_cpus(int fd)
{
	struct setup setup;

	setup_all_cpus_one(&setup);
	return setup_configure(fd, &setup);
}

static pid_t call_in_a_child(int fd, unsigned int command, void *argument)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ioctl(fd, command, argument);
		_exit(0);
	}
	return pid;
}

/*
 * A thread that shares the file waits for a page of its own memory that never arrives. The
 * other threads, which wait to read, can be killed. (START and STOP would cost three more
 * instructions.)
 */
TEST(killed_while_file_is_shared)
{
	struct pmc_query query;
	struct fuse_stall silent;
	pid_t pid, first;
	void *never;
	int fd, err;

	NEED_COUNTERS_AND_ROOT(&query);
	err = stall_begin(&silent);
	if (err == -ENOENT || err == -ENODEV)
		SKIP(return, "no FUSE here");
	ASSERT_EQ(0, err);
	never = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, silent.cached, 0);
	ASSERT_NE(MAP_FAILED, never);
	OPEN_DEVICE(fd);
	ASSERT_EQ(0, claim(fd));
	first = call_in_a_child(fd, PMC_IOC_WRITE, never);
	task_wait_in(first, first, SYS_ioctl, fd);
	pid = call_in_a_child(fd, PMC_IOC_READ, NULL);
	task_wait_in(pid, pid, SYS_ioctl, fd);
	ASSERT_EQ(0, kill(pid, SIGKILL));
	EXPECT_TRUE(child_ends_within(pid, 2000));
	EXPECT_FALSE(waitpid(first, NULL, WNOHANG));
	stall_end(&silent);
	ASSERT_EQ(first, waitpid(first, NULL, 0));
	close(fd);
	munmap(never, 4096);
}

TEST(dup_keeps_context)
{
	struct pmc_query query;
	struct reading reading;
	int fd = pmc_open(), copy;

	NEED_COUNTERS(&query);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, claim(fd));
	copy = dup(fd);
	ASSERT_LE(0, copy);
	ASSERT_EQ(0, close(fd));
	EXPECT_EQ(PMC_HOLDER_CONTEXT, holder_kind());
	EXPECT_EQ(0, pmc_call(copy, PMC_IOC_START, NULL));
	EXPECT_EQ(0, reading_read(copy, &reading));
	ASSERT_EQ(0, close(copy));
	EXPECT_EQ(PMC_HOLDER_NONE, holder_kind());
}

/* Inherited by a child, which uses it after its parent has ended */
TEST(fork_keeps_context)
{
	struct pmc_query query;
	struct reading reading;
	int fd = pmc_open();
	int to_child[2], to_parent[2];
	char word;
	pid_t pid;

	NEED_COUNTERS_AND_ROOT(&query);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pipe(to_child));
	ASSERT_EQ(0, pipe(to_parent));
	ASSERT_EQ(0, claim_cpus(fd));
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	pid = fork();
	if (pid == 0) {
		if (read(to_child[0], &word, 1) != 1 || reading_read(fd, &reading) ||
		    !reading.value[0] || write(to_parent[1], "", 1) != 1 ||
		    read(to_child[0], &word, 1) != 1)
			_exit(1);
		_exit(0);
	}
	ASSERT_EQ(0, close(fd));
	EXPECT_EQ(PMC_HOLDER_CONTEXT, holder_kind());
	ASSERT_EQ(1, write(to_child[1], "", 1));
	ASSERT_EQ(1, read(to_parent[0], &word, 1));
	EXPECT_EQ(PMC_HOLDER_CONTEXT, holder_kind());
	ASSERT_EQ(1, write(to_child[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_EQ(PMC_HOLDER_NONE, holder_kind());
}

/* A killed process frees its counters when it is gone. */
static void killed_while_counting(struct __test_metadata *_metadata, int (*claimer)(int fd))
{
	int fd = pmc_open(), pipes[2], round;
	struct pmc_query query;
	char word;
	pid_t pid;

	NEED_COUNTERS_AND_ROOT(&query);
	ASSERT_LE(0, fd);
	for (round = 0; round < 20; round++) {
		ASSERT_EQ(0, pipe(pipes));
		pid = fork();
		if (pid == 0) {
			int own = pmc_open();

			if (own < 0 || claimer(own) || pmc_call(own, PMC_IOC_START, NULL) ||
			    write(pipes[1], "", 1) != 1)
				_exit(1);
			spin_forever();
		}
		close(pipes[1]);
		ASSERT_EQ(1, read(pipes[0], &word, 1));
		close(pipes[0]);
		EXPECT_EQ(-EBUSY, claim_cpus(fd));
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		EXPECT_EQ(PMC_HOLDER_NONE, holder_kind());
		ASSERT_EQ(0, claim_cpus(fd));
		ASSERT_EQ(0, pmc_call(fd, PMC_IOC_RELEASE, NULL));
	}
}

TEST(killed_while_counting_itself)
{
	killed_while_counting(_metadata, claim);
}

TEST(killed_while_counting_cpus)
{
	killed_while_counting(_metadata, claim_cpus);
}

/* Many contexts of many threads come and go. */
TEST(many_contexts)
{
	enum { CONTEXTS = 100 };
	struct child child[CONTEXTS];
	struct pmc_query query;
	struct setup setup;
	int fd[CONTEXTS];
	int n;

	NEED_COUNTERS(&query);
	for (n = 0; n < CONTEXTS; n++) {
		fd[n] = pmc_open();
		ASSERT_LE(0, fd[n]);
		ASSERT_EQ(0, child_spin(&child[n]));
		setup_thread_all(&setup, &query, child[n].pid, 0);
		CONFIGURE_AND_START(fd[n], &setup);
	}
	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
	EXPECT_EQ(CONTEXTS, query.contexts);
	/* half of them end before their file is closed, half after */
	for (n = 0; n < CONTEXTS; n++) {
		if (n & 1)
			child_kill(&child[n]);
		close(fd[n]);
		if (!(n & 1))
			child_kill(&child[n]);
	}
	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
	EXPECT_EQ(0, query.contexts);
	EXPECT_EQ(PMC_HOLDER_NONE, holder_kind());
}

#define TRACING		"/sys/kernel/tracing"
#define INSTANCE	TRACING "/instances/pmcdrv_test"
#define WAIT_PROBE	"pmcdrv_test/wait"

static void task_waits_end(void)
{
	file_write(INSTANCE "/events/" WAIT_PROBE "/enable", "0");
	rmdir(INSTANCE);
	file_write(TRACING "/kprobe_events", "-:" WAIT_PROBE);
}

FIXTURE(module) {
};

FIXTURE_SETUP(module)
{
	NEED_ROOT();
	if (getenv("PMCDRV_KEEP"))
		SKIP(return, "the module is to stay loaded");
}

FIXTURE_TEARDOWN(module)
{
	task_waits_end();
	module_load();
}

TEST_F(module, stays_while_open)
{
	int fd = pmc_open();

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EAGAIN, module_unload());
	ASSERT_EQ(0, close(fd));
	ASSERT_EQ(0, module_unload());
	EXPECT_EQ(-ENOENT, pmc_open());
	ASSERT_EQ(0, module_load());
	fd = pmc_open();
	EXPECT_LE(0, fd);
}

TEST_F(module, stays_while_configured)
{
	struct pmc_query query;
	int fd = pmc_open();

	NEED_COUNTERS(&query);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, claim_cpus(fd));
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	EXPECT_EQ(-EAGAIN, module_unload());
	ASSERT_EQ(0, close(fd));
	EXPECT_EQ(0, module_unload());
}

/*
 * After it creates a task, a followed thread has task work of the module pending until it
 * returns to user mode: from vfork() that is late. Until then the module stays loaded;
 * afterwards it can be unloaded. The context is gone long before.
 */
TEST_F(module, stays_while_a_vfork_lasts)
{
	int go[2], ready[2], hold[2], fd = pmc_open();
	struct pmc_query query;
	struct setup setup;
	char word;
	pid_t pid;

	NEED_COUNTERS(&query);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(hold));
	pid = fork();
	if (!pid) {
		close(fd);
		if (read(go[0], &word, 1) != 1)
			_exit(KSFT_FAIL);
		if (!vfork())
			_exit(write(ready[1], "", 1) != 1 || read(hold[0], &word, 1) != 1);
		_exit(KSFT_PASS);
	}
	setup_thread(&setup, pid, 0);
	setup.config.scope = PMC_SCOPE_TREE;
	setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(fd, &setup);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(1, read(ready[0], &word, 1));
	ASSERT_EQ(0, close(fd));
	EXPECT_EQ(-EAGAIN, module_unload());
	ASSERT_EQ(1, write(hold[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_EQ(0, module_unload());
}

/* Trace this thread's calls of synchronize_rcu_tasks(). */
static int task_waits_begin(void)
{
	char filter[40];
	int err;

	snprintf(filter, sizeof(filter), "common_pid == %d", (int)gettid());
	err = mkdir(INSTANCE, 0700) ? -errno : 0;
	if (!err)
		err = file_write(INSTANCE "/events/" WAIT_PROBE "/filter", filter);
	if (!err)
		err = file_write(INSTANCE "/events/" WAIT_PROBE "/enable", "1");
	return err;
}

/* Calls of synchronize_rcu_tasks() since task_waits_begin(), or -1 */
static int task_waits(void)
{
	static char trace[8192];
	const char *line = trace;
	int calls = 0;

	if (file_read(INSTANCE "/trace", trace, sizeof(trace)))
		return -1;
	while ((line = strstr(line, " wait: "))) {
		calls++;
		line++;
	}
	return calls;
}

/*
 * Load the module, create a followed child if @fork_once, and unload. Returns the calls of
 * synchronize_rcu_tasks() in the unload, or -1.
 */
static int task_waits_of_unloading(bool fork_once)
{
	struct setup setup;
	int fd, waits;
	pid_t pid;

	if (module_load())
		return -1;
	if (fork_once) {
		fd = pmc_open();
		setup_thread(&setup, 0, 0);
		setup.config.scope = PMC_SCOPE_TREE;
		setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
		pid = setup_configure(fd, &setup) ? -1 : fork();
		if (!pid)
			_exit(KSFT_PASS);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return -1;
		close(fd);
	}
	waits = task_waits();
	return module_unload() ? -1 : task_waits() - waits;
}

/*
 * A thread can be preempted before the last instructions of the driver's task work. If there was
 * task work, unloading calls synchronize_rcu_tasks() once more.
 */
TEST_F(module, unload_waits_for_task_work)
{
	struct pmc_query query;
	int without, with;

	NEED_COUNTERS(&query);
	if (file_write(TRACING "/kprobe_events", "p:" WAIT_PROBE " synchronize_rcu_tasks"))
		SKIP(return, "no probe of synchronize_rcu_tasks()");
	ASSERT_EQ(0, task_waits_begin());
	ASSERT_EQ(0, module_unload());
	without = task_waits_of_unloading(false);
	with = task_waits_of_unloading(true);
	EXPECT_LE(0, without);
	EXPECT_EQ(without + 1, with);
}

/*
 * Load, use and unload the module twenty times: a thread and all CPUs are counted, and the file
 * is closed at the last moment.
 */
TEST_F(module, twenty_load_cycles)
{
	struct pmc_query query;
	struct child child;
	struct setup setup;
	int round, fd, fd2;

	NEED_COUNTERS(&query);
	ASSERT_EQ(0, child_spin(&child));
	for (round = 0; round < 20; round++) {
		fd = pmc_open();
		fd2 = pmc_open();
		ASSERT_LE(0, fd);
		ASSERT_LE(0, fd2);
		setup_thread(&setup, child.pid, 0);
		setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
		CONFIGURE_AND_START(fd2, &setup);
		ASSERT_EQ(0, claim_cpus(fd));
		ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
		if (round == 10) {
			ASSERT_EQ(0, child_go(&child));
		}
		ASSERT_EQ(0, close(fd));
		ASSERT_EQ(0, close(fd2));
		ASSERT_EQ(0, module_unload());
		ASSERT_EQ(0, module_load());
	}
	child_kill(&child);
}

TEST_HARNESS_MAIN

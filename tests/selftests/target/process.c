// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests contexts that count all present and future threads of a process and nothing else, and
 * many tasks with a context each
 *
 * process_tree.h computes what each task executes.
 */
#include <linux/io_uring.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "process_tree.h"
#include "credentials.h"

#define ROUNDS		3000
#define THREADS		20
#define WRITTEN		0x123456789abcULL

FIXTURE(process) {
	BASE_FIXTURE;
	struct tree_run tree_run;
};

FIXTURE_SETUP(process)
{
	BASE_SETUP();
}

FIXTURE_TEARDOWN(process)
{
	tree_run_end(&self->tree_run);
	close(self->fd);
}

static void follow(struct __test_metadata *_metadata, struct _test_data_process *self,
		   uint64_t event)
{
	setup_follow(&self->setup, PMC_SCOPE_PROCESS, self->tree_run.pid, 0);
	setup_add_all(&self->setup, &self->query, event, PMC_COUNT_USER);
	CONFIGURE_AND_START(self->fd, &self->setup);
}

static void expect(struct __test_metadata *_metadata, struct _test_data_process *self,
		   uint64_t value, uint32_t state)
{
	unsigned int i;

	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(state, self->reading.state);
	for (i = 0; i < self->reading.nr_counters; i++) {
		EXPECT_COUNT(value, self->reading.value[i])
			TH_LOG("counter %#x", self->setup.counter[i].counter);
	}
}

/* The first thread and all threads that it creates, from their start to the end. */
static void count_whole(struct __test_metadata *_metadata, struct _test_data_process *self,
			uint64_t event)
{
	struct sum sum = tree_run_sum(&self->tree_run, TREE_RUN_PROCESS, NULL);

	ASSERT_EQ(0, tree_run_start(&self->tree_run));
	follow(_metadata, self, event);
	expect(_metadata, self, 0, PMC_STATE_RUNNING);
	ASSERT_EQ(0, tree_run_go(&self->tree_run));
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 1, tree_run_leaves(&self->tree_run)));
	wait_for_all();
	expect(_metadata, self, event == EVENT_BRANCHES ? sum.branches : sum.instructions,
	       PMC_STATE_ENDED);
	EXPECT_EQ(-ESRCH, pmc_call(self->fd, PMC_IOC_START, NULL));
}

TEST_F(process, future_threads)
{
	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 1, 1, ROUNDS));
	self->tree_run.shape.width[1] = THREADS;
	self->tree_run.shape.flags[1] = BY_THREAD;
	count_whole(_metadata, self, EVENT_INSTRUCTIONS);
}

TEST_F(process, future_threads_branches)
{
	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 1, 1, ROUNDS));
	self->tree_run.shape.width[1] = THREADS;
	self->tree_run.shape.flags[1] = BY_THREAD;
	count_whole(_metadata, self, EVENT_BRANCHES);
}

TEST_F(process, threads_of_threads)
{
	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 2, 1, ROUNDS));
	self->tree_run.shape.width[2] = 5;
	self->tree_run.shape.width[1] = 6;
	self->tree_run.shape.flags[2] = BY_THREAD;
	self->tree_run.shape.flags[1] = BY_THREAD;
	count_whole(_metadata, self, EVENT_INSTRUCTIONS);
}

TEST_F(process, children_are_not_counted)
{
	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 1, 1, ROUNDS));
	self->tree_run.shape.width[1] = 10;
	self->tree_run.shape.flags[1] = BY_FORK;
	count_whole(_metadata, self, EVENT_INSTRUCTIONS);
}

TEST_F(process, children_of_threads_are_not_counted)
{
	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 2, 1, ROUNDS));
	self->tree_run.shape.width[2] = 5;
	self->tree_run.shape.width[1] = 6;
	self->tree_run.shape.flags[2] = BY_THREAD;
	self->tree_run.shape.flags[1] = BY_FORK;
	count_whole(_metadata, self, EVENT_INSTRUCTIONS);
}

TEST_F(process, threads_of_children_are_not_counted)
{
	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 2, 1, ROUNDS));
	self->tree_run.shape.width[2] = 5;
	self->tree_run.shape.width[1] = 6;
	self->tree_run.shape.flags[2] = BY_FORK;
	self->tree_run.shape.flags[1] = BY_THREAD;
	count_whole(_metadata, self, EVENT_INSTRUCTIONS);
}

/* All threads exist and sleep, the first one too, until they get a byte or forever. */
static void begin(struct __test_metadata *_metadata, struct _test_data_process *self,
		  unsigned long phases)
{
	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 1, phases, ROUNDS));
	ASSERT_EQ(0, tree_run_hold(&self->tree_run));
	self->tree_run.shape.width[1] = THREADS;
	self->tree_run.shape.flags[1] = BY_THREAD;
	ASSERT_EQ(0, tree_run_start(&self->tree_run));
	ASSERT_EQ(0, tree_run_go(&self->tree_run));
	tree_run_wait_phase(&self->tree_run, phases, self->tree_run.pid);
	task_wait_in(self->tree_run.pid, self->tree_run.pid, SYS_read, self->tree_run.shape.hold);
}

#define A_PHASE		(TREE_LOOP(ROUNDS) + TREE_READING)
#define LAST_PHASE	(TREE_LOOP(ROUNDS) + TREE_LEAF_END)
#define FIRST_END	3	/* of the first thread, after its hold */

TEST_F(process, existing_threads)
{
	begin(_metadata, self, 3);
	follow(_metadata, self, EVENT_INSTRUCTIONS);
	expect(_metadata, self, 0, PMC_STATE_RUNNING);
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 3, THREADS));
	tree_run_wait_phase(&self->tree_run, 2, self->tree_run.pid);
	expect(_metadata, self, THREADS * A_PHASE, PMC_STATE_RUNNING);

	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 2, THREADS));
	expect(_metadata, self, THREADS * A_PHASE, 0);
	tree_run_wait_phase(&self->tree_run, 1, self->tree_run.pid);
	expect(_metadata, self, THREADS * A_PHASE, 0);

	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 1, THREADS));
	ASSERT_EQ(1, write(self->tree_run.hold, "", 1));
	wait_for_all();
	expect(_metadata, self, THREADS * (A_PHASE + LAST_PHASE) + FIRST_END, PMC_STATE_ENDED);
}

TEST_F(process, write_and_reset)
{
	uint64_t values[PMC_COUNTERS_MAX];
	struct pmc_write write_all = {
		.size = sizeof(write_all),
		.values = (uintptr_t)values,
	};
	unsigned int i;

	begin(_metadata, self, 3);
	follow(_metadata, self, EVENT_INSTRUCTIONS);
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 3, THREADS));
	tree_run_wait_phase(&self->tree_run, 2, self->tree_run.pid);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
	expect(_metadata, self, 0, PMC_STATE_RUNNING);
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 2, THREADS));
	tree_run_wait_phase(&self->tree_run, 1, self->tree_run.pid);
	expect(_metadata, self, THREADS * A_PHASE, PMC_STATE_RUNNING);
	write_all.nr_counters = self->setup.config.nr_counters;
	for (i = 0; i < PMC_COUNTERS_MAX; i++)
		values[i] = WRITTEN;
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_WRITE, &write_all));
	expect(_metadata, self, WRITTEN, PMC_STATE_RUNNING);
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 1, THREADS));
	ASSERT_EQ(1, write(self->tree_run.hold, "", 1));
	wait_for_all();
	expect(_metadata, self, WRITTEN + THREADS * LAST_PHASE + FIRST_END, PMC_STATE_ENDED);
}

/* The first thread has ended; the process lives and can be counted. */
TEST_F(process, first_thread_has_ended)
{
	char path[64], text[512];

	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 1, 2, ROUNDS));
	self->tree_run.shape.width[1] = THREADS;
	self->tree_run.shape.flags[1] = BY_THREAD;
	ASSERT_EQ(0, tree_run_start(&self->tree_run));
	ASSERT_EQ(0, tree_run_go(&self->tree_run));
	tree_run_wait_phase(&self->tree_run, 2, self->tree_run.pid);
	snprintf(path, sizeof(path), "/proc/%d/stat", self->tree_run.pid);
	do {
		ASSERT_EQ(0, file_read(path, text, sizeof(text)));
	} while (!strstr(text, ") Z "));
	follow(_metadata, self, EVENT_INSTRUCTIONS);
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 2, THREADS));
	tree_run_wait_phase(&self->tree_run, 1, self->tree_run.pid);
	expect(_metadata, self, THREADS * A_PHASE, PMC_STATE_RUNNING);
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 1, THREADS));
	wait_for_all();
	expect(_metadata, self, THREADS * (A_PHASE + LAST_PHASE), PMC_STATE_ENDED);
}

/* One counter for the process and another for each of its threads: the sums agree. */
TEST_F(process, equals_the_sum_of_its_threads)
{
	struct reading reading;
	struct setup setup;
	uint64_t sum = 0;
	int fd[THREADS];
	unsigned int i;

	begin(_metadata, self, 2);
	setup_follow(&self->setup, PMC_SCOPE_PROCESS, self->tree_run.pid, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(self->fd, &self->setup);
	for (i = 0; i < THREADS; i++) {
		fd[i] = pmc_open();
		ASSERT_LE(0, fd[i]);
		setup_thread(&setup, self->tree_run.leaf_list->tid[i], 0);
		setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
		CONFIGURE_AND_START(fd[i], &setup);
		/* a configured file cannot be configured again */
		setup.counter[0].counter = PMC_COUNTER_GENERAL(0);
		ASSERT_EQ(0, pmc_call(fd[i], PMC_IOC_STOP, NULL));
		ASSERT_EQ(-EBADFD, setup_configure(fd[i], &setup));
		ASSERT_EQ(0, pmc_call(fd[i], PMC_IOC_START, NULL));
	}
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 2, THREADS));
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 1, THREADS));
	while (self->reading.nr_counters == 0 || sum < THREADS * (A_PHASE + LAST_PHASE)) {
		sum = 0;
		for (i = 0; i < THREADS; i++) {
			ASSERT_EQ(0, reading_read(fd[i], &reading));
			sum += reading.value[0];
		}
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		/* read later */
		ASSERT_LE(sum, self->reading.value[0]);
		sched_yield();
	}
	ASSERT_EQ(1, write(self->tree_run.hold, "", 1));
	wait_for_all();
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, reading_read(fd[i], &reading));
		EXPECT_EQ(PMC_STATE_ENDED, reading.state);
		EXPECT_COUNT(A_PHASE + LAST_PHASE, reading.value[0]);
	}
	expect(_metadata, self, sum + FIRST_END, PMC_STATE_ENDED);
}

/* A thread cannot use the counter of its process's context. */
TEST_F(process, counters_of_threads_are_claimed)
{
	struct setup setup;
	unsigned int i;
	int fd = pmc_open();

	ASSERT_LE(0, fd);
	begin(_metadata, self, 1);
	setup_follow(&self->setup, PMC_SCOPE_PROCESS, self->tree_run.pid, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	for (i = 0; i < THREADS; i++) {
		setup_thread(&setup, self->tree_run.leaf_list->tid[i], 0);
		setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
		ASSERT_EQ(-EBUSY, setup_configure(fd, &setup));
		EXPECT_EQ(PMC_HOLDER_CONTEXT, setup.config.holder.kind);
		EXPECT_EQ(getpid(), setup.config.holder.pid);
		EXPECT_EQ(self->tree_run.pid, setup.config.holder.tid);
		EXPECT_EQ(PMC_SCOPE_PROCESS, setup.config.holder.scope);
	}
	/* and in reverse order */
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, setup_configure(fd, &setup));
	EXPECT_EQ(-EBUSY, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(setup.config.tid, self->setup.config.holder.tid);
}

/* Armed: an exec by any thread is the exec of the process. */
TEST_F(process, exec_by_another_thread)
{
	const struct program *strings;

	LOAD_PROGRAM(strings, "./strings");
	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 1, 1, ROUNDS));
	ASSERT_EQ(0, tree_run_hold(&self->tree_run));
	tree_run_exec(&self->tree_run, strings->argv);
	self->tree_run.shape.width[1] = 1;
	self->tree_run.shape.flags[1] = BY_THREAD;
	ASSERT_EQ(0, tree_run_start(&self->tree_run));
	setup_follow(&self->setup, PMC_SCOPE_PROCESS, self->tree_run.pid, PMC_CONFIG_ON_EXEC);
	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(self->fd, &self->setup);
	expect(_metadata, self, 0, PMC_STATE_ARMED);
	ASSERT_EQ(0, tree_run_go(&self->tree_run));
	wait_for_all();
	expect(_metadata, self, strings->instructions, PMC_STATE_ENDED);
}

/*
 * Submit @nr splices of an empty pipe at once: each takes a worker. A polling thread starts to
 * poll when it is woken for the first time.
 */
static int submit_splices(int ring, const struct io_uring_params *params, unsigned int nr)
{
	char *queue = mmap(NULL, params->sq_off.array + params->sq_entries * sizeof(unsigned int),
			   PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring,
			   IORING_OFF_SQ_RING);
	struct io_uring_sqe *entry = mmap(NULL, params->sq_entries * sizeof(*entry),
					  PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring,
					  IORING_OFF_SQES);
	int empty[2], other[2];
	unsigned int i;

	if (queue == MAP_FAILED || entry == MAP_FAILED || pipe(empty) || pipe(other))
		return -1;
	for (i = 0; i < nr; i++) {
		entry[i] = (struct io_uring_sqe){
			.opcode = IORING_OP_SPLICE,
			.flags = IOSQE_ASYNC,
			.fd = other[1],
			.off = -1ULL,
			.splice_fd_in = empty[0],
			.splice_off_in = -1ULL,
			.len = 1,
		};
		((unsigned int *)(queue + params->sq_off.array))[i] = i;
	}
	__atomic_store_n((unsigned int *)(queue + params->sq_off.tail), nr, __ATOMIC_RELEASE);
	if (!(params->flags & IORING_SETUP_SQPOLL))
		return syscall(__NR_io_uring_enter, ring, nr, 0, 0, NULL, 0) == nr ? 0 : -1;
	while (!(__atomic_load_n((unsigned int *)(queue + params->sq_off.flags),
				 __ATOMIC_ACQUIRE) & IORING_SQ_NEED_WAKEUP))
		sched_yield();
	return syscall(__NR_io_uring_enter, ring, nr, 0, IORING_ENTER_SQ_WAKEUP, NULL, 0);
}

/* A child that creates a ring after a byte from @go, submits @splices and then sleeps. */
static pid_t uring_child(int go, int done, unsigned int flags, unsigned int splices)
{
	struct io_uring_params params = { .flags = flags, .sq_thread_idle = 600000 };
	pid_t pid = fork();
	char word;
	int ring;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(go, &word, 1) != 1)
		_exit(1);
	ring = syscall(__NR_io_uring_setup, 16, &params);
	/* the kernel may lack io_uring or forbid it */
	word = ring < 0 ? 'n' : submit_splices(ring, &params, splices) ? 'f' : 0;
	if (write(done, &word, 1) != 1)
		_exit(2);
	while (read(go, &word, 1) == 1)
		;
	_exit(3);
}

static unsigned int threads_of(pid_t pid)
{
	struct stat tasks;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return stat(path, &tasks) ? 0 : tasks.st_nlink - 2;
}

/*
 * Kernel threads of the followed process that are never in user mode: io_uring's. While all
 * others sleep, the count of the polling thread grows. The state would report a thread that
 * could not be followed.
 */
static void uring(struct __test_metadata *_metadata, struct _test_data_process *self,
		  uint32_t scope, unsigned int flags, unsigned int splices)
{
	int go[2], done[2], status, tries;
	uint64_t value;
	pid_t pid;
	char word;

	NEED_ROOT();
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(done));
	pid = uring_child(go[0], done[1], flags, splices);
	ASSERT_LE(0, pid);
	setup_follow(&self->setup, scope, pid, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_KERNEL);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(1, read(done[0], &word, 1));
	if (word == 'n')
		SKIP(goto end, "no io_uring here");
	ASSERT_EQ(0, word);
	/* its own thread, the polling one, and the workers: a worker may create the next */
	for (tries = 0; tries < 1000 && threads_of(pid) < 1 + !!flags + splices; tries++)
		usleep(10000);
	EXPECT_EQ(1 + !!flags + splices, threads_of(pid));
	/* only the polling thread does not sleep */
	task_wait_in(pid, pid, SYS_read, go[0]);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	value = self->reading.value[0];
	for (tries = 0; flags && tries < 100 && self->reading.value[0] == value; tries++) {
		usleep(10000);
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	}
	if (flags)
		EXPECT_LT(value, self->reading.value[0]);
	EXPECT_EQ(PMC_STATE_RUNNING, self->reading.state);
end:
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_ENDED, self->reading.state);
}

TEST_F(process, thread_of_io_uring)
{
	uring(_metadata, self, PMC_SCOPE_PROCESS, IORING_SETUP_SQPOLL, 0);
}

TEST_F(process, thread_of_io_uring_in_a_tree)
{
	uring(_metadata, self, PMC_SCOPE_TREE, IORING_SETUP_SQPOLL, 0);
}

/*
 * Workers created one after the other in one system call: with PREEMPT_RT only the first is
 * followed.
 */
TEST_F(process, workers_of_io_uring)
{
	bool realtime = !access("/sys/kernel/realtime", F_OK);

	uring(_metadata, self, PMC_SCOPE_PROCESS, 0, realtime ? 1 : 4);
}

/* The tree is a child of an unrelated process of the same user. */
static void attach_unrelated_process(struct __test_metadata *_metadata,
				     struct _test_data_process *self)
{
	struct tree_run *tree_run;
	pid_t maker;

	tree_run = mmap(NULL, sizeof(*tree_run), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	ASSERT_NE(MAP_FAILED, tree_run);
	ASSERT_EQ(0, tree_run_prepare(tree_run, 1, 1, ROUNDS));
	tree_run->shape.width[1] = THREADS;
	tree_run->shape.flags[1] = BY_THREAD;
	maker = fork();
	ASSERT_LE(0, maker);
	if (maker == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (tree_run_start(tree_run))
			_exit(1);
		wait_for_all();
		_exit(0);
	}
	while (!__atomic_load_n(&tree_run->pid, __ATOMIC_ACQUIRE))
		sched_yield();
	task_wait_in(tree_run->pid, tree_run->pid, SYS_read, tree_run->shape.go);
	self->tree_run = *tree_run;
	follow(_metadata, self, EVENT_INSTRUCTIONS);
	ASSERT_EQ(0, tree_run_go(tree_run));
	ASSERT_EQ(0, tree_run_phase(tree_run, 1, THREADS));
	wait_for_all();
	expect(_metadata, self, tree_run_sum(tree_run, TREE_RUN_PROCESS, NULL).instructions,
	       PMC_STATE_ENDED);
}

TEST_F(process, attach_unrelated_process)
{
	attach_unrelated_process(_metadata, self);
}

TEST_F(process, attach_unrelated_process_unprivileged)
{
	NEED_ROOT();
	ASSERT_EQ(0, set_user(USER_NOBODY));
	attach_unrelated_process(_metadata, self);
}

/* Runs in a child, because root is needed afterwards to end root's processes. */
TEST_F(process, other_users)
{
	static const uint32_t scopes[] = { PMC_SCOPE_PROCESS, PMC_SCOPE_TREE };
	pid_t roots[] = { 0, 1 };
	unsigned int i, j;
	int status;
	pid_t pid;

	NEED_ROOT();
	begin(_metadata, self, 1);
	roots[0] = self->tree_run.pid;
	pid = fork();
	ASSERT_LE(0, pid);
	if (pid == 0) {
		if (set_user(USER_NOBODY))
			_exit(1);
		for (i = 0; i < ARRAY_SIZE(scopes); i++) {
			for (j = 0; j <= ARRAY_SIZE(roots); j++) {
				setup_follow(&self->setup, scopes[i],
					     j < ARRAY_SIZE(roots) ? roots[j] : 0, 0);
				setup_add(&self->setup, PMC_COUNTER_GENERAL(0),
					  EVENT_INSTRUCTIONS, PMC_COUNT_USER);
				status = setup_configure(self->fd, &self->setup);
				if (status != (j < ARRAY_SIZE(roots) ? -EACCES : 0))
					_exit(10 + 10 * i + j);
			}
			if (pmc_call(self->fd, PMC_IOC_RELEASE, NULL))
				_exit(2);
		}
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F(process, no_such_process)
{
	static const uint32_t scopes[] = { PMC_SCOPE_PROCESS, PMC_SCOPE_TREE };
	struct child gone, zombie;
	unsigned int i;

	ASSERT_EQ(0, child_spin(&gone));
	child_kill(&gone);
	zombie.pid = fork();
	if (zombie.pid == 0)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, zombie.pid, NULL, WEXITED | WNOWAIT));
	begin(_metadata, self, 1);
	for (i = 0; i < ARRAY_SIZE(scopes); i++) {
		setup_follow(&self->setup, scopes[i], gone.pid, 0);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS,
			  PMC_COUNT_USER);
		EXPECT_EQ(-ESRCH, setup_configure(self->fd, &self->setup));
		self->setup.config.tid = zombie.pid;
		EXPECT_EQ(-ESRCH, setup_configure(self->fd, &self->setup));
		/* a thread is no process */
		self->setup.config.tid = self->tree_run.leaf_list->tid[0];
		EXPECT_EQ(-ESRCH, setup_configure(self->fd, &self->setup));
		/* nothing of all this is left */
		self->setup.config.tid = self->tree_run.pid;
		EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
		EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
	ASSERT_EQ(0, child_wait(&zombie));
}

#define TASKS		64
#define YIELDS(i)	(100ULL + 3 * (i))

/*
 * 64 tasks on two CPUs yield to each other after every few instructions. Each has its own
 * number of instructions and its own context. The counters change hands about 12000 times.
 */
static void storm(struct __test_metadata *_metadata, struct _test_data_process *self,
		  bool move)
{
	unsigned int i, n, moves = 0, left = TASKS;
	struct setup setup[TASKS];
	static const char bytes[TASKS];
	pid_t pid[TASKS];
	int fd[TASKS], go[2];

	NEED_CPUS(2);
	ASSERT_EQ(0, pipe2(go, O_CLOEXEC));
	for (n = 0; n < TASKS; n++) {
		pid[n] = fork();
		ASSERT_LE(0, pid[n]);
		if (pid[n] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			storm_run(go[0], YIELDS(n));
		}
		ASSERT_EQ(0, pin(pid[n], n & 1));
		task_wait_in(pid[n], pid[n], SYS_read, go[0]);
		fd[n] = pmc_open();
		ASSERT_LE(0, fd[n]);
		setup_thread_all(&setup[n], &self->query, pid[n], 0);
		CONFIGURE_AND_START(fd[n], &setup[n]);
	}
	/* the last task begins after each has been migrated */
	ASSERT_EQ(TASKS - move, write(go[1], bytes, TASKS - move));
	while (left) {
		if (waitpid(-1, NULL, move ? WNOHANG : 0) > 0) {
			left--;
		} else if (move) {
			/* a task that has ended cannot be migrated, which does no harm */
			pin(pid[moves % TASKS], moves / TASKS & 1);
			if (++moves == TASKS)
				ASSERT_EQ(1, write(go[1], bytes, 1));
		}
	}
	for (n = 0; n < TASKS; n++) {
		ASSERT_EQ(0, reading_read(fd[n], &self->reading));
		EXPECT_EQ(PMC_STATE_ENDED, self->reading.state);
		for (i = 0; i < self->reading.nr_counters; i++)
			EXPECT_COUNT(STORM_INSTRUCTIONS(YIELDS(n)), self->reading.value[i]);
		close(fd[n]);
	}
	EXPECT_LE(move ? TASKS : 0, moves);
}

TEST_F(process, many_tasks_on_two_cpus)
{
	storm(_metadata, self, false);
}

TEST_F(process, many_tasks_migrated)
{
	storm(_metadata, self, true);
}

TEST_HARNESS_MAIN

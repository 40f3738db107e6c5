// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests contexts that count a process and all its descendants
 *
 * process_tree.h computes what each task executes, so the sum has one correct value, however
 * the tasks were scheduled.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "process_tree.h"
#include "credentials.h"

#define ROUNDS		3000
#define WRITTEN		0x123456789abcULL

/* In addition to the program that the launcher's children execute: launch in workloads.S */
#define LAUNCH_INSTRUCTIONS	5
#define LAUNCH_BRANCHES		1

#ifdef __x86_64__
#define LAUNCHER	"launch"
#define LOOP		"./loop-1m"
#else
#define LAUNCHER	"launch32"
#define LOOP		"./loop32-1m"
#endif

FIXTURE(tree) {
	BASE_FIXTURE;
	const struct program *loop;
	const struct program *strings;
	struct tree_run tree_run;
};

FIXTURE_SETUP(tree)
{
	NEED_COUNTERS(&self->query);
	LOAD_PROGRAM(self->loop, LOOP);
	LOAD_PROGRAM(self->strings, "./strings");
	OPEN_DEVICE(self->fd);
	/* after its parent has ended, a process becomes a child of this process */
	ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
}

FIXTURE_TEARDOWN(tree)
{
	tree_run_end(&self->tree_run);
	close(self->fd);
}

/* Count @pid and its descendants with each counter that can count @event. */
static void follow(struct __test_metadata *_metadata, struct _test_data_tree *self,
		   pid_t pid, uint64_t event, uint32_t flags)
{
	setup_follow(&self->setup, PMC_SCOPE_TREE, pid, flags);
	setup_add_all(&self->setup, &self->query, event, PMC_COUNT_USER);
	CONFIGURE_AND_START(self->fd, &self->setup);
}

/* A reading has this state, and this value on every counter. */
static void expect(struct __test_metadata *_metadata, struct _test_data_tree *self,
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

static uint64_t sum_of(struct sum sum, uint64_t event)
{
	return event == EVENT_BRANCHES ? sum.branches : sum.instructions;
}

/* From its exec: a launcher makes @width children that each execute the loop. */
static void launch(struct __test_metadata *_metadata, struct _test_data_tree *self,
		   unsigned int width, uint64_t event)
{
	static char *argv[TREE_LEAVES + 2];
	struct program program = { 0 };
	struct child child;
	struct sum sum;
	unsigned int i;
	pid_t pid;
	int go[2];
	char byte;

	argv[0] = "../" LAUNCHER;
	for (i = 1; i <= width; i++)
		argv[i] = "child";
	argv[i] = NULL;

	/* struct program has no room for so many arguments */
	ASSERT_EQ(0, pipe2(go, O_CLOEXEC));
	pid = fork();
	ASSERT_LE(0, pid);
	if (pid == 0) {
		if (read(go[0], &byte, 1) == 1)
			execv(argv[0], argv);
		_exit(126);
	}
	child.pid = pid;
	follow(_metadata, self, pid, event, PMC_CONFIG_ON_EXEC);
	expect(_metadata, self, 0, PMC_STATE_ARMED);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(0, child_wait(&child));

	memset(&self->tree_run, 0, sizeof(self->tree_run));
	self->tree_run.shape.depth = 1;
	self->tree_run.shape.reap = 1;
	self->tree_run.shape.path = 1;
	self->tree_run.shape.width[1] = width;
	self->tree_run.shape.flags[1] = BY_FORK;
	program.instructions = self->loop->instructions;
	program.branches = self->loop->branches;
	sum = tree_run_sum(&self->tree_run, TREE_RUN_ALL, &program);
	sum_add(&sum, 1, LAUNCH_INSTRUCTIONS, LAUNCH_BRANCHES);
	expect(_metadata, self, sum_of(sum, event), PMC_STATE_ENDED);
	EXPECT_EQ(-1, self->reading.cpu);
	EXPECT_EQ(-ESRCH, pmc_call(self->fd, PMC_IOC_START, NULL));
}

TEST_F(tree, launched_1)
{
	launch(_metadata, self, 1, EVENT_INSTRUCTIONS);
}

TEST_F(tree, launched_2)
{
	launch(_metadata, self, 2, EVENT_INSTRUCTIONS);
}

TEST_F(tree, launched_20)
{
	launch(_metadata, self, 20, EVENT_INSTRUCTIONS);
}

TEST_F(tree, launched_64)
{
	launch(_metadata, self, 64, EVENT_INSTRUCTIONS);
}

TEST_F(tree, launched_20_branches)
{
	launch(_metadata, self, 20, EVENT_BRANCHES);
}

/* A tree, from its first instruction after go to the end of all */
static void count_whole(struct __test_metadata *_metadata, struct _test_data_tree *self,
			const struct program *program, uint64_t event)
{
	if (program)
		tree_run_exec(&self->tree_run, program->argv);
	ASSERT_EQ(0, tree_run_start(&self->tree_run));
	follow(_metadata, self, self->tree_run.pid, event, 0);
	expect(_metadata, self, 0, PMC_STATE_RUNNING);
	ASSERT_EQ(0, tree_run_go(&self->tree_run));
	if (!program) {
		unsigned long phase;

		for (phase = self->tree_run.shape.phases; phase; phase--)
			ASSERT_EQ(0, tree_run_phase(&self->tree_run, phase,
						    tree_run_leaves(&self->tree_run)));
	}
	wait_for_all();
	expect(_metadata, self, sum_of(tree_run_sum(&self->tree_run, TREE_RUN_ALL, program), event),
	       PMC_STATE_ENDED);
}

static void prepare(struct __test_metadata *_metadata, struct _test_data_tree *self,
		    unsigned long width, unsigned long flags)
{
	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 1, 1, ROUNDS));
	self->tree_run.shape.width[1] = width;
	self->tree_run.shape.flags[1] = flags;
}

TEST_F(tree, short_lived_children)
{
	prepare(_metadata, self, 100, BY_FORK);
	count_whole(_metadata, self, self->strings, EVENT_INSTRUCTIONS);
}

TEST_F(tree, short_lived_children_branches)
{
	prepare(_metadata, self, 100, BY_FORK);
	count_whole(_metadata, self, self->strings, EVENT_BRANCHES);
}

TEST_F(tree, vforked_children)
{
	prepare(_metadata, self, 50, BY_VFORK);
	count_whole(_metadata, self, self->strings, EVENT_INSTRUCTIONS);
}

TEST_F(tree, threads)
{
	prepare(_metadata, self, 50, BY_THREAD);
	count_whole(_metadata, self, NULL, EVENT_INSTRUCTIONS);
}

TEST_F(tree, threads_branches)
{
	prepare(_metadata, self, 50, BY_THREAD);
	count_whole(_metadata, self, NULL, EVENT_BRANCHES);
}

static void generations(struct __test_metadata *_metadata, struct _test_data_tree *self,
			unsigned long third, unsigned long second, unsigned long first)
{
	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 3, 1, ROUNDS));
	self->tree_run.shape.width[3] = 3;
	self->tree_run.shape.width[2] = 4;
	self->tree_run.shape.width[1] = 5;
	self->tree_run.shape.flags[3] = third;
	self->tree_run.shape.flags[2] = second;
	self->tree_run.shape.flags[1] = first;
}

TEST_F(tree, great_grandchildren)
{
	generations(_metadata, self, BY_FORK, BY_FORK, BY_FORK);
	count_whole(_metadata, self, self->strings, EVENT_INSTRUCTIONS);
}

TEST_F(tree, live_great_grandchildren)
{
	generations(_metadata, self, BY_FORK, BY_FORK, BY_FORK);
	count_whole(_metadata, self, NULL, EVENT_INSTRUCTIONS);
}

TEST_F(tree, vfork_in_vfork)
{
	generations(_metadata, self, BY_VFORK, BY_VFORK, BY_VFORK);
	count_whole(_metadata, self, self->strings, EVENT_INSTRUCTIONS);
}

TEST_F(tree, threads_of_children)
{
	generations(_metadata, self, BY_FORK, BY_FORK, BY_THREAD);
	count_whole(_metadata, self, NULL, EVENT_INSTRUCTIONS);
}

TEST_F(tree, children_of_threads)
{
	generations(_metadata, self, BY_FORK, BY_THREAD, BY_FORK);
	count_whole(_metadata, self, self->strings, EVENT_INSTRUCTIONS);
}

TEST_F(tree, threads_of_threads)
{
	generations(_metadata, self, BY_THREAD, BY_THREAD, BY_THREAD);
	count_whole(_metadata, self, NULL, EVENT_INSTRUCTIONS);
}

/*
 * Read from the other CPU without pause while tasks are created and end: the values never
 * decrease, all counters agree, and the last reading is exact.
 */
static void read_all_the_while(struct __test_metadata *_metadata, struct _test_data_tree *self,
			       int cpu)
{
	uint64_t last = 0, known, tsc = 0, readings = 0;
	unsigned int i;

	NEED_CPUS(2);
	ASSERT_EQ(0, pin(0, 1));
	generations(_metadata, self, BY_FORK, BY_FORK, BY_FORK);
	tree_run_exec(&self->tree_run, self->strings->argv);
	ASSERT_EQ(0, tree_run_start(&self->tree_run));
	if (cpu >= 0) {
		ASSERT_EQ(0, pin(self->tree_run.pid, cpu));
	} else {
		cpu_set_t both;

		CPU_ZERO(&both);
		CPU_SET(0, &both);
		CPU_SET(1, &both);
		ASSERT_EQ(0, sched_setaffinity(self->tree_run.pid, sizeof(both), &both));
	}
	follow(_metadata, self, self->tree_run.pid, EVENT_INSTRUCTIONS, 0);
	known = tree_run_sum(&self->tree_run, TREE_RUN_ALL, self->strings).instructions;
	ASSERT_EQ(0, tree_run_go(&self->tree_run));
	do {
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		ASSERT_LT(tsc, self->reading.tsc);
		tsc = self->reading.tsc;
		for (i = 0; i < self->reading.nr_counters; i++)
			ASSERT_EQ(self->reading.value[0], self->reading.value[i]);
		ASSERT_LE(last, self->reading.value[0]);
		ASSERT_GE(known + overcount_most(), self->reading.value[0]);
		last = self->reading.value[0];
		readings++;
	} while (!(self->reading.state & PMC_STATE_ENDED));
	EXPECT_COUNT(known, last);
	EXPECT_LT(10, readings);
	wait_for_all();
	expect(_metadata, self, known, PMC_STATE_ENDED);
}

TEST_F(tree, read_from_the_other_cpu)
{
	read_all_the_while(_metadata, self, 0);
}

TEST_F(tree, read_while_on_both_cpus)
{
	read_all_the_while(_metadata, self, -1);
}

/*
 * The count at the moment when all sleep: the leaves wait for their first phase, the first
 * process for its children.
 */
static uint64_t count_asleep(unsigned long leaves)
{
	return 1 + TREE_NODE(leaves) + TREE_WAITING +
	       leaves * (4 + 3 + 7 + TREE_READING);
}

/* What the first process still has to execute then */
static uint64_t reaping(unsigned long leaves)
{
	return (leaves + 1) * TREE_TRY - TREE_WAITING + TREE_NODE_END;
}

#define LEAVES	20

/* Three phases of the leaves; before the first phase all sleep. */
static void begin_phases(struct __test_metadata *_metadata, struct _test_data_tree *self)
{
	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 1, 3, ROUNDS));
	self->tree_run.shape.width[1] = LEAVES;
	self->tree_run.shape.flags[1] = BY_FORK;
	ASSERT_EQ(0, tree_run_start(&self->tree_run));
	follow(_metadata, self, self->tree_run.pid, EVENT_INSTRUCTIONS, 0);
	ASSERT_EQ(0, tree_run_go(&self->tree_run));
	tree_run_wait_phase(&self->tree_run, 3, 0);
	tree_run_wait_reaping(&self->tree_run);
	expect(_metadata, self, count_asleep(LEAVES), PMC_STATE_RUNNING);
}

/* A whole phase: from one read into the next */
#define A_PHASE	(LEAVES * (TREE_LOOP(ROUNDS) + TREE_READING))
/* The last phase, and the end of all */
#define THE_END	(LEAVES * (TREE_LOOP(ROUNDS) + TREE_LEAF_END) + reaping(LEAVES))

/* The tree runs on one CPU and this process on the other, so that neither waits for the other. */
static void bind_apart(struct __test_metadata *_metadata, struct _test_data_tree *self)
{
	if (cpus_online() < 2)
		return;
	ASSERT_EQ(0, pin(0, 1));
	ASSERT_EQ(0, pin(self->tree_run.pid, 0));
}

/* STOP while they run freezes the values; after START counting continues exactly. */
TEST_F(tree, stop_and_start_while_children_run)
{
	unsigned int i;

	begin_phases(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 3, LEAVES));
	for (i = 0; i < 20; i++)
		expect(_metadata, self, count_asleep(LEAVES), 0);
	tree_run_wait_phase(&self->tree_run, 2, 0);
	expect(_metadata, self, count_asleep(LEAVES), 0);

	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	expect(_metadata, self, count_asleep(LEAVES), PMC_STATE_RUNNING);
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 2, LEAVES));
	tree_run_wait_phase(&self->tree_run, 1, 0);
	expect(_metadata, self, count_asleep(LEAVES) + A_PHASE, PMC_STATE_RUNNING);
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 1, LEAVES));
	wait_for_all();
	expect(_metadata, self, count_asleep(LEAVES) + A_PHASE + THE_END, PMC_STATE_ENDED);
}

/*
 * STOP and START again and again while they run: between STOP and START no value changes, and
 * no value ever decreases.
 */
TEST_F(tree, frozen_between_stop_and_start)
{
	uint64_t value = 0, nr = 0;

	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 1, 1, 2000000));
	self->tree_run.shape.width[1] = 4;
	self->tree_run.shape.flags[1] = BY_FORK;
	ASSERT_EQ(0, tree_run_start(&self->tree_run));
	bind_apart(_metadata, self);
	follow(_metadata, self, self->tree_run.pid, EVENT_INSTRUCTIONS, 0);
	ASSERT_EQ(0, tree_run_go(&self->tree_run));
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 1, 4));
	for (;;) {
		unsigned int i;

		STOP_AND_READ(self->fd, &self->reading);
		if (self->reading.state & PMC_STATE_ENDED)
			break;
		ASSERT_LE(value, self->reading.value[0]);
		value = self->reading.value[0];
		for (i = 0; i < 5; i++) {
			sched_yield();
			ASSERT_EQ(0, reading_read(self->fd, &self->reading));
			ASSERT_EQ(value, self->reading.value[0]);
		}
		nr++;
		if (pmc_call(self->fd, PMC_IOC_START, NULL))
			break;
		sched_yield();
	}
	EXPECT_LT(cpus_online() > 1 ? 10 : 0, nr);
	wait_for_all();
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_LE(self->reading.value[0],
		  tree_run_sum(&self->tree_run, TREE_RUN_ALL, NULL).instructions +
		  overcount_most());
}

/* RESET while all sleep between two phases: the rest of the count is known. */
TEST_F(tree, reset_while_children_run)
{
	begin_phases(_metadata, self);
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 3, LEAVES));
	tree_run_wait_phase(&self->tree_run, 2, 0);
	expect(_metadata, self, count_asleep(LEAVES) + A_PHASE, PMC_STATE_RUNNING);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
	expect(_metadata, self, 0, PMC_STATE_RUNNING);
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 2, LEAVES));
	tree_run_wait_phase(&self->tree_run, 1, 0);
	expect(_metadata, self, A_PHASE, PMC_STATE_RUNNING);
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 1, LEAVES));
	wait_for_all();
	expect(_metadata, self, A_PHASE + THE_END, PMC_STATE_ENDED);
	/* of ended tasks, too */
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
	expect(_metadata, self, 0, PMC_STATE_ENDED);
}

static int write_all(int fd, struct setup *setup, uint64_t value)
{
	uint64_t values[PMC_COUNTERS_MAX];
	struct pmc_write write = {
		.size = sizeof(write),
		.nr_counters = setup->config.nr_counters,
		.values = (uintptr_t)values,
	};
	unsigned int i;

	for (i = 0; i < PMC_COUNTERS_MAX; i++)
		values[i] = value;
	return pmc_call(fd, PMC_IOC_WRITE, &write);
}

TEST_F(tree, write_while_children_run)
{
	begin_phases(_metadata, self);
	ASSERT_EQ(0, write_all(self->fd, &self->setup, WRITTEN));
	expect(_metadata, self, WRITTEN, PMC_STATE_RUNNING);
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 3, LEAVES));
	tree_run_wait_phase(&self->tree_run, 2, 0);
	expect(_metadata, self, WRITTEN + A_PHASE, PMC_STATE_RUNNING);
	/* and wraps at 64 bits before the end */
	ASSERT_EQ(0, write_all(self->fd, &self->setup, -10ULL));
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 2, LEAVES));
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 1, LEAVES));
	wait_for_all();
	expect(_metadata, self, A_PHASE + THE_END - 10, PMC_STATE_ENDED);
}

/*
 * RESETs race with forks, execs and exits, with no reading in between. All that is known is
 * that no later value exceeds the total.
 */
TEST_F(tree, reset_races_with_exits)
{
	uint64_t known, nr = 0;

	generations(_metadata, self, BY_FORK, BY_FORK, BY_FORK);
	tree_run_exec(&self->tree_run, self->strings->argv);
	ASSERT_EQ(0, tree_run_start(&self->tree_run));
	bind_apart(_metadata, self);
	follow(_metadata, self, self->tree_run.pid, EVENT_INSTRUCTIONS, 0);
	known = tree_run_sum(&self->tree_run, TREE_RUN_ALL, self->strings).instructions;
	ASSERT_EQ(0, tree_run_go(&self->tree_run));
	do {
		unsigned int i;

		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		for (i = 0; i < self->reading.nr_counters; i++) {
			ASSERT_GE(known + overcount_most(), self->reading.value[i]);
			ASSERT_EQ(self->reading.value[0], self->reading.value[i]);
		}
		nr++;
		sched_yield();
	} while (!(self->reading.state & PMC_STATE_ENDED));
	EXPECT_LT(cpus_online() > 1 ? 10 : 0, nr);
	wait_for_all();
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
	expect(_metadata, self, 0, PMC_STATE_ENDED);
}

/* The first process ends at once; the tree ends with its last leaf. */
TEST_F(tree, children_that_outlive_the_parent)
{
	struct child first;
	uint64_t value;
	unsigned int i;
	int status;

	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 1, 1, ROUNDS));
	self->tree_run.shape.width[1] = LEAVES;
	self->tree_run.shape.flags[1] = BY_FORK;
	self->tree_run.shape.reap = 0;
	ASSERT_EQ(0, tree_run_start(&self->tree_run));
	follow(_metadata, self, self->tree_run.pid, EVENT_INSTRUCTIONS, 0);
	ASSERT_EQ(0, tree_run_go(&self->tree_run));
	first.pid = self->tree_run.pid;
	ASSERT_EQ(0, child_wait(&first));
	tree_run_wait_phase(&self->tree_run, 1, 0);
	value = 1 + TREE_NODE(LEAVES) + TREE_NODE_END +
		LEAVES * (4 + 3 + 7 + TREE_READING);
	for (i = 0; i < LEAVES; i++) {
		expect(_metadata, self, value, PMC_STATE_RUNNING);
		ASSERT_EQ(0, tree_run_phase(&self->tree_run, 1, 1));
		ASSERT_LT(0, waitpid(-1, &status, 0));
		ASSERT_EQ(0, status);
		value += TREE_LOOP(ROUNDS) + TREE_LEAF_END;
	}
	expect(_metadata, self, value, PMC_STATE_ENDED);
	EXPECT_EQ(tree_run_sum(&self->tree_run, TREE_RUN_ALL, NULL).instructions, value);
	EXPECT_EQ(-ESRCH, pmc_call(self->fd, PMC_IOC_START, NULL));
}

/* One child is killed: its count stays, the others continue. */
TEST_F(tree, a_child_is_killed)
{
	begin_phases(_metadata, self);
	ASSERT_EQ(0, kill(self->tree_run.leaf_list->tid[0], SIGKILL));
	/* the first process has reaped it and waits again */
	while (kill(self->tree_run.leaf_list->tid[0], 0) == 0)
		sched_yield();
	tree_run_wait_reaping(&self->tree_run);
	expect(_metadata, self, count_asleep(LEAVES) + TREE_TRY, PMC_STATE_RUNNING);
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 3, LEAVES - 1));
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 2, LEAVES - 1));
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 1, LEAVES - 1));
	wait_for_all();
	expect(_metadata, self, count_asleep(LEAVES) + TREE_TRY +
	       (A_PHASE / LEAVES) * (LEAVES - 1) * 2 +
	       (LEAVES - 1) * (TREE_LOOP(ROUNDS) + TREE_LEAF_END) + reaping(LEAVES - 1),
	       PMC_STATE_ENDED);
}

/* Two contexts of the same tree on different counters, and one of a thread of it */
TEST_F(tree, contexts_on_disjoint_counters)
{
	int tree = pmc_open(), thread = pmc_open();
	struct reading reading;
	struct setup setup;
	struct sum all, alone;

	ASSERT_LE(0, tree);
	ASSERT_LE(0, thread);
	prepare(_metadata, self, LEAVES, BY_FORK);
	tree_run_exec(&self->tree_run, self->strings->argv);
	ASSERT_EQ(0, tree_run_start(&self->tree_run));
	setup_follow(&self->setup, PMC_SCOPE_TREE, self->tree_run.pid, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	setup_follow(&setup, PMC_SCOPE_TREE, self->tree_run.pid, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(tree, &setup));
	if (self->query.fixed_counters & 1) {
		setup_thread(&setup, self->tree_run.pid, 0);
		setup_add(&setup, FIXED_INSTRUCTIONS, 0, PMC_COUNT_USER);
		CONFIGURE_AND_START(thread, &setup);
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(tree, PMC_IOC_START, NULL));
	ASSERT_EQ(0, tree_run_go(&self->tree_run));
	wait_for_all();
	all = tree_run_sum(&self->tree_run, TREE_RUN_ALL, self->strings);
	alone = tree_run_sum(&self->tree_run, TREE_RUN_PROCESS, self->strings);
	expect(_metadata, self, all.instructions, PMC_STATE_ENDED);
	ASSERT_EQ(0, reading_read(tree, &reading));
	EXPECT_EQ(PMC_STATE_ENDED, reading.state);
	EXPECT_COUNT(all.branches, reading.value[0]);
	if (self->query.fixed_counters & 1) {
		ASSERT_EQ(0, reading_read(thread, &reading));
		EXPECT_EQ(PMC_STATE_ENDED, reading.state);
		EXPECT_COUNT(alone.instructions, reading.value[0]);
	}
}

/* Execute a program in a child, and wait for its end; not counted. */
static int run_child(const struct program *program)
{
	struct child child;

	return child_program(&child, program) || child_run(&child);
}

/* The target waits, executes a program in a child, reports, waits, and execs. */
static void __attribute__((noreturn)) exec_after_a_child(int go, int ready,
							  const struct program *child,
							  const struct program *own)
{
	char byte = 0;

	if (read(go, &byte, 1) == 1 && !run_child(child) && write(ready, &byte, 1) == 1 &&
	    read(go, &byte, 1) == 1)
		execv(own->argv[0], own->argv);
	_exit(126);
}

/* An exec of a descendant does not start what waits for an exec of the target. */
TEST_F(tree, armed_while_a_child_execs)
{
	struct child child;
	int go[2], ready[2];
	char byte = 0;

	ASSERT_EQ(0, pipe2(go, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
	child.pid = fork();
	ASSERT_LE(0, child.pid);
	if (child.pid == 0)
		exec_after_a_child(go[0], ready[1], self->strings, self->loop);
	follow(_metadata, self, child.pid, EVENT_INSTRUCTIONS, PMC_CONFIG_ON_EXEC);
	ASSERT_EQ(1, write(go[1], &byte, 1));
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	expect(_metadata, self, 0, PMC_STATE_ARMED);
	ASSERT_EQ(1, write(go[1], &byte, 1));
	ASSERT_EQ(0, child_wait(&child));
	expect(_metadata, self, self->loop->instructions, PMC_STATE_ENDED);
}

static pid_t process_of(pid_t tid)
{
	char path[64], text[1024], *tgid;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	if (file_read(path, text, sizeof(text)))
		return -1;
	tgid = strstr(text, "\nTgid:");
	return tgid ? atoi(tgid + strlen("\nTgid:")) : -1;
}

/* The counters of a descendant stay claimed when its first thread has ended. */
TEST_F(tree, counters_of_a_descendants_threads_are_claimed)
{
	struct setup setup;
	char path[64], text[512];
	pid_t pid;
	int fd;

	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 2, 1, ROUNDS));
	self->tree_run.shape.width[2] = 1;
	self->tree_run.shape.flags[2] = BY_FORK;
	self->tree_run.shape.width[1] = 2;
	self->tree_run.shape.flags[1] = BY_THREAD;
	self->tree_run.shape.reap = 0;
	ASSERT_EQ(0, tree_run_start(&self->tree_run));
	setup_follow(&self->setup, PMC_SCOPE_TREE, self->tree_run.pid, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, tree_run_go(&self->tree_run));
	tree_run_wait_phase(&self->tree_run, 1, 0);
	pid = process_of(self->tree_run.leaf_list->tid[1]);
	ASSERT_LT(0, pid);
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	do {
		ASSERT_EQ(0, file_read(path, text, sizeof(text)));
	} while (!strstr(text, ") Z "));
	OPEN_DEVICE(fd);
	setup_follow(&setup, PMC_SCOPE_PROCESS, pid, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
	EXPECT_EQ(-EBUSY, setup_configure(fd, &setup));
	EXPECT_EQ(PMC_HOLDER_CONTEXT, setup.config.holder.kind);
	EXPECT_EQ(PMC_SCOPE_TREE, setup.config.holder.scope);
	EXPECT_EQ(self->tree_run.pid, setup.config.holder.tid);
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 1, 2));
	wait_for_all();
}

/* A descendant's counters are claimed too; the reply identifies the holder. */
TEST_F(tree, counters_of_descendants_are_claimed)
{
	static const uint32_t scopes[] = {
		PMC_SCOPE_THREAD, PMC_SCOPE_PROCESS, PMC_SCOPE_TREE
	};
	struct child stranger;
	struct setup setup;
	unsigned int i;
	pid_t leaf;
	int fd;

	ASSERT_EQ(0, prctl(PR_SET_NAME, "tree-holder"));
	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 1, 1, ROUNDS));
	self->tree_run.shape.width[1] = 2;
	self->tree_run.shape.flags[1] = BY_FORK;
	ASSERT_EQ(0, tree_run_start(&self->tree_run));
	ASSERT_EQ(0, child_spin(&stranger));
	setup_follow(&self->setup, PMC_SCOPE_TREE, self->tree_run.pid, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, tree_run_go(&self->tree_run));
	tree_run_wait_phase(&self->tree_run, 1, 0);
	leaf = self->tree_run.leaf_list->tid[1];

	for (i = 0; i < ARRAY_SIZE(scopes); i++) {
		OPEN_DEVICE(fd);
		setup_follow(&setup, scopes[i], leaf, 0);
		setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
		EXPECT_EQ(-EBUSY, setup_configure(fd, &setup));
		EXPECT_EQ(PMC_HOLDER_CONTEXT, setup.config.holder.kind);
		EXPECT_EQ(getpid(), setup.config.holder.pid);
		EXPECT_EQ(self->tree_run.pid, setup.config.holder.tid);
		EXPECT_EQ(PMC_SCOPE_TREE, setup.config.holder.scope);
		EXPECT_EQ(1, setup.config.holder.counter);
		EXPECT_EQ(-1, setup.config.holder.cpu);
		EXPECT_STREQ("tree-holder", setup.config.holder.comm);
		/* the same counter of an unfollowed task, and another counter of the leaf */
		setup.config.tid = stranger.pid;
		EXPECT_EQ(0, setup_configure(fd, &setup));
		EXPECT_EQ(0, pmc_call(fd, PMC_IOC_RELEASE, NULL));
		setup.config.tid = leaf;
		setup.counter[0].counter = PMC_COUNTER_GENERAL(0);
		EXPECT_EQ(0, setup_configure(fd, &setup));
		EXPECT_EQ(0, close(fd));
	}
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 1, 2));
	child_kill(&stranger);
	wait_for_all();
	expect(_metadata, self, tree_run_sum(&self->tree_run, TREE_RUN_ALL, NULL).instructions,
	       PMC_STATE_ENDED);
}

/* The context of a tree configured later does not count existing children. */
TEST_F(tree, only_future_children)
{
	begin_phases(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	follow(_metadata, self, self->tree_run.pid, EVENT_INSTRUCTIONS, 0);
	expect(_metadata, self, 0, PMC_STATE_RUNNING);
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 3, LEAVES));
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 2, LEAVES));
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 1, LEAVES));
	wait_for_all();
	expect(_metadata, self, reaping(LEAVES), PMC_STATE_ENDED);
}

/*
 * The leaves execute a set-user-ID program. A caller without CAP_PERFMON stops counting them
 * there, to the instruction, and keeps the others; a caller with CAP_PERFMON keeps all.
 */
static void set_uid(struct __test_metadata *_metadata, struct _test_data_tree *self,
		    uid_t owner, uid_t user)
{
	static const struct program nothing;
	char path[64], *argv[] = { path, NULL };
	bool keeps = user == 0;

	NEED_ROOT();
	snprintf(path, sizeof(path), "/tmp/pmc-tree-%d", getpid());
	ASSERT_EQ(0, copy_file(self->strings->argv[0], path, 0755));
	ASSERT_EQ(0, chown(path, owner, owner));
	ASSERT_EQ(0, chmod(path, 04755));
	if (user)
		ASSERT_EQ(0, set_user(user));
	prepare(_metadata, self, 3, BY_FORK);
	count_whole(_metadata, self, NULL, EVENT_INSTRUCTIONS);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));

	prepare(_metadata, self, 3, BY_FORK);
	tree_run_exec(&self->tree_run, argv);
	ASSERT_EQ(0, tree_run_start(&self->tree_run));
	follow(_metadata, self, self->tree_run.pid, EVENT_INSTRUCTIONS, 0);
	ASSERT_EQ(0, tree_run_go(&self->tree_run));
	wait_for_all();
	unlink(path);
	expect(_metadata, self,
	       tree_run_sum(&self->tree_run, TREE_RUN_ALL,
			    keeps ? self->strings : &nothing).instructions,
	       PMC_STATE_ENDED);
}

TEST_F(tree, setuid_exec_of_child)
{
	set_uid(_metadata, self, 0, USER_NOBODY);
}

TEST_F(tree, setuid_exec_of_root_child)
{
	set_uid(_metadata, self, USER_NOBODY, 0);
}

TEST_HARNESS_MAIN

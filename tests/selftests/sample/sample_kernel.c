// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests samples of kernel mode: they match the counts exactly, and each lies in the kernel's
 * code
 *
 * Needs root. permissions.c tests that other users cannot count kernel mode.
 */
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "process_tree.h"
#include "samples.h"
#include "kernel_symbols.h"

#define BOTH	(PMC_COUNT_USER | PMC_COUNT_KERNEL)

FIXTURE(kernel) {
	SAMPLING_FIXTURE;
	struct tree_run tree_run;
};

FIXTURE_SETUP(kernel)
{
	NEED_SAMPLING_AND_ROOT(&self->query);
	ASSERT_NE(0, kernel_text[0].begin);
	ASSERT_NE(0, kernel_text[0].end);
	ASSERT_NE(0, kernel_text[1].end);
	OPEN_DEVICE(self->fd);
	ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
}

FIXTURE_TEARDOWN(kernel)
{
	tree_run_end(&self->tree_run);
	close(self->fd);
}

/* System calls of several kinds, page faults, and some work in user mode */
static void work(unsigned int rounds)
{
	static char buffer[16384];
	int zero = open("/dev/zero", O_RDONLY), pipes[2];
	unsigned int i, j;
	char *pages;

	if (pipe(pipes))
		return;
	while (rounds--) {
		if (read(zero, buffer, sizeof(buffer)) < 0 ||
		    write(pipes[1], buffer, 512) < 0 || read(pipes[0], buffer, 512) < 0)
			break;
		pages = mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (i = 0; i < 16; i++)
			((volatile char *)pages)[4096 * i] = 1;
		munmap(pages, 16 * 4096);
		for (j = 0; j < 100; j++)
			syscall(SYS_gettid);
		for (j = 0; j < 20000; j++)
			asm volatile("");
		sched_yield();
	}
	close(zero);
	close(pipes[0]);
	close(pipes[1]);
}

static void begin(struct __test_metadata *_metadata, struct _test_data_kernel *self)
{
	/* a debug kernel executes more, too */
	self->setup.config.ring_size = slowness() > 1 ? 4 << 20 : 1 << 20;
	CONFIGURE_SAMPLING();
	self->tally.kernel_text = kernel_text;
	self->spurious = spurious_now(self->fd);
}

/*
 * After STOP: every counter overflowed as often as its period fits into its value, all of it in
 * this thread.
 */
static void expect_exact(struct __test_metadata *_metadata, struct _test_data_kernel *self)
{
	unsigned int i;

	tally_rings(&self->tally, &self->rings);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < self->reading.nr_counters; i++) {
		uint64_t period = self->setup.counter[i].period;

		EXPECT_LT(0, self->reading.value[i]);
		EXPECT_EQ(period ? self->reading.value[i] / period : 0,
			  self->tally.overflows[i])
			TH_LOG("counter %#x", self->setup.counter[i].counter);
	}
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
	EXPECT_EQ(1, self->tally.nr);
	EXPECT_EQ(gettid(), self->tally.task[0].tid);
	EXPECT_EQ(getpid(), self->tally.task[0].pid);
}

/* Only kernel mode, each counter with its own period */
TEST_F(kernel, alone)
{
	unsigned int i;

	setup_thread(&self->setup, 0, 0);
	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_KERNEL);
	for (i = 0; i < self->setup.config.nr_counters; i++)
		setup_period(&self->setup, i, (30011 + 1009 * i) * slowness());
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	work(100);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	expect_exact(_metadata, self);
}

static const uint32_t modes[] = { PMC_COUNT_USER, PMC_COUNT_KERNEL, BOTH };

/* A counter for each mode from @first to before @end: each sample is in a counted mode. */
static void count_modes(struct __test_metadata *_metadata, struct _test_data_kernel *self,
			unsigned int first, unsigned int end)
{
	unsigned int i;

	setup_thread(&self->setup, 0, 0);
	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, BOTH);
	self->setup.config.nr_counters = end - first;
	for (i = 0; i < end - first; i++) {
		self->setup.counter[i].flags = modes[first + i];
		setup_period(&self->setup, i, (10007 + 1009 * i) * slowness());
	}
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	work(100);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	expect_exact(_metadata, self);
	for (i = 0; i < end - first; i++) {
		uint64_t in_kernel = self->tally.kernel_overflows[i];

		EXPECT_EQ(!!(modes[first + i] & PMC_COUNT_KERNEL), in_kernel > 0);
		if (modes[first + i] & PMC_COUNT_USER)
			EXPECT_GT(self->tally.overflows[i], in_kernel);
	}
}

/* User mode, kernel mode, both: on one counter each. The first two add up to the third. */
TEST_F(kernel, user_kernel_both)
{
	if (is_netburst()) {
		/* NetBurst has only two registers for this event */
		count_modes(_metadata, self, 0, 2);
		rings_unmap(&self->rings);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
		count_modes(_metadata, self, 1, 3);
		return;
	}
	if (!(self->query.general_counters & 1ULL << 2) && !(self->query.fixed_counters & 1))
		SKIP(return, "needs three counters of one event");
	count_modes(_metadata, self, 0, 3);
	/* without it counters start and stop one after the other, while the kernel runs */
	if (self->query.features & PMC_FEATURE(GLOBAL_CTRL) &&
	    self->query.family != PMC_FAMILY_AMD)
		EXPECT_EQ(self->reading.value[2], self->reading.value[0] + self->reading.value[1]);
}

/* Stopped and started again and again: the remaining period continues. */
TEST_F(kernel, start_and_stop)
{
	unsigned int i;

	setup_thread(&self->setup, 0, 0);
	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, BOTH);
	/* twice as often would be near the throttling limit on NetBurst, with six counters */
	for (i = 0; i < self->setup.config.nr_counters; i++)
		setup_period(&self->setup, i, (40009 + 1009 * i) * slowness());
	begin(_metadata, self);
	for (i = 0; i < 300; i++) {
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		syscall(SYS_gettid);
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		if (i % 10 == 0)
			work(1);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	}
	expect_exact(_metadata, self);
}

/* A tree of processes, to their end */
TEST_F(kernel, tree)
{
	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 2, 1, 20000));
	self->tree_run.shape.width[2] = 3;
	self->tree_run.shape.flags[2] = BY_FORK;
	self->tree_run.shape.width[1] = 4;
	self->tree_run.shape.flags[1] = BY_FORK;
	ASSERT_EQ(0, tree_run_start(&self->tree_run));
	setup_follow(&self->setup, PMC_SCOPE_TREE, self->tree_run.pid, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, BOTH);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_period(&self->setup, 0, 7001 * slowness());
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, tree_run_go(&self->tree_run));
	tree_run_wait_phase(&self->tree_run, 1, 0);
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 1, 12));
	wait_for_all();
	tally_rings(&self->tally, &self->rings);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_COUNT(tree_run_sum(&self->tree_run, TREE_RUN_ALL, NULL).instructions,
		     self->reading.value[1]);
	EXPECT_LT(0, self->tally.kernel_overflows[0]);
	EXPECT_LE(12, self->tally.nr);
	/* each thread keeps less than a period for itself */
	EXPECT_GE(self->reading.value[0] / (7001 * slowness()), self->tally.overflows[0]);
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
}

/* Whole CPUs, with all interrupts and idle times */
TEST_F(kernel, all_cpus)
{
	unsigned int i;
	int cpu;

	setup_all_cpus(&self->setup);
	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, BOTH);
	for (i = 0; i < self->setup.config.nr_counters; i++)
		setup_period(&self->setup, i, (40009 + 1009 * i) * slowness());
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	work(50);
	usleep(100000);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	tally_rings(&self->tally, &self->rings);
	for (cpu = 0; cpu < self->rings.nr; cpu++) {
		ASSERT_EQ(0, reading_read_cpu(self->fd, cpu, &self->reading));
		for (i = 0; i < self->setup.config.nr_counters; i++)
			EXPECT_EQ(self->reading.value[i] / self->setup.counter[i].period,
				  tally_of(&self->tally, cpu, i));
	}
	EXPECT_LT(0, self->tally.kernel_overflows[0]);
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
}

/* Short regions: an overflow during STOP is neither lost nor reported twice. */
TEST_F(kernel, overflows_at_stop)
{
	unsigned int i;

	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, BOTH);
	setup_period(&self->setup, 0, 3001 * slowness());
	begin(_metadata, self);
	for (i = 0; i < 1000; i++) {
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	}
	expect_exact(_metadata, self);
}

TEST_HARNESS_MAIN

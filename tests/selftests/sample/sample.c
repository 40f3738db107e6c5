// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests samples: code of known length causes the known number of samples, each inside that
 * code, for every scope and on every CPU
 */
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "process_tree.h"
#include "samples.h"

#ifdef __x86_64__
#define LOOP		"./loop-1m"
#else
#define LOOP		"./loop32-1m"
#endif

#define ROUNDS		100000

FIXTURE(sample) {
	SAMPLING_FIXTURE;
	const struct program *loop;
	struct child child;
	struct tree_run tree_run;
};

FIXTURE_SETUP(sample)
{
	NEED_SAMPLING(&self->query);
	LOAD_PROGRAM(self->loop, LOOP);
	OPEN_DEVICE(self->fd);
	/* after its parent has ended, a process becomes a child of this process */
	ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
}

FIXTURE_TEARDOWN(sample)
{
	tree_run_end(&self->tree_run);
	close(self->fd);
}

/*
 * Configure the setup and map its rings, large enough for all samples on each CPU: many tests
 * read only at the end.
 */
static void begin(struct __test_metadata *_metadata, struct _test_data_sample *self)
{
	self->setup.config.ring_size = 1 << 20;
	CONFIGURE_SAMPLING();
	ASSERT_EQ(0, text_range("/proc/self/exe", &self->tally.text));
	self->spurious = spurious_now(self->fd);
}

static void end(struct __test_metadata *_metadata, struct _test_data_sample *self)
{
	tally_rings(&self->tally, &self->rings);
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
	RELEASE_SAMPLING();
}

/* Every counter that can count @event, each with its own period */
static void add_all(struct _test_data_sample *self, uint64_t event, uint32_t flags,
		    uint64_t period, uint64_t step)
{
	unsigned int i;

	setup_add_all(&self->setup, &self->query, event, flags);
	for (i = 0; i < self->setup.config.nr_counters; i++)
		setup_period(&self->setup, i, period + i * step);
}

/* Each counter has @value, and overflowed as often as its period fits into it. */
static void expect_each(struct __test_metadata *_metadata, struct _test_data_sample *self,
			uint64_t value)
{
	unsigned int i;

	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < self->reading.nr_counters; i++) {
		uint64_t period = self->setup.counter[i].period;

		EXPECT_COUNT(value, self->reading.value[i]);
		EXPECT_EQ(period ? self->reading.value[i] / period : 0,
			  self->tally.overflows[i]) {
			TH_LOG("counter %#x, period %llu", self->setup.counter[i].counter,
			       (unsigned long long)period);
		}
	}
}

/* Sample the program from exec to exit with this setup. */
static void sample_program(struct __test_metadata *_metadata, struct _test_data_sample *self)
{
	begin(_metadata, self);
	ASSERT_EQ(0, text_range(self->loop->argv[0], &self->tally.text));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_run(&self->child));
	tally_rings(&self->tally, &self->rings);
	expect_each(_metadata, self, self->loop->instructions);
	ASSERT_EQ(1, self->tally.nr);
	EXPECT_EQ(self->child.pid, self->tally.task[0].tid);
	EXPECT_EQ(self->child.pid, self->tally.task[0].pid);
	if (!getenv("PMCDRV_SKID"))
		EXPECT_EQ(0, self->tally.skid);
	EXPECT_EQ(0, self->tally.late);
	end(_metadata, self);
}

static void setup_program(struct __test_metadata *_metadata, struct _test_data_sample *self)
{
	ASSERT_EQ(0, child_program(&self->child, self->loop));
	setup_thread(&self->setup, self->child.pid, PMC_CONFIG_ON_EXEC);
}

/* Each counter alone, while the others count */
TEST_F(sample, each_counter)
{
	unsigned int i = 0, nr = 1;

	for (i = 0; i < nr; i++) {
		setup_program(_metadata, self);
		setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
		nr = self->setup.config.nr_counters;
		setup_period(&self->setup, i, 10007 + i);
		sample_program(_metadata, self);
	}
}

/* Two and more counters with different periods */
TEST_F(sample, different_periods)
{
	setup_program(_metadata, self);
	add_all(self, EVENT_INSTRUCTIONS, PMC_COUNT_USER, 20011, 1009);
	sample_program(_metadata, self);
}

/* All of them overflow in one interrupt. */
TEST_F(sample, simultaneous_overflows)
{
	setup_program(_metadata, self);
	add_all(self, EVENT_INSTRUCTIONS, PMC_COUNT_USER, 25000, 0);
	sample_program(_metadata, self);
}

/* The longest period, where it can be reached in reasonable time */
TEST_F(sample, longest_period)
{
	struct pmc_counter counter;
	unsigned int i;

	setup_program(_metadata, self);
	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	for (i = 0; i < self->setup.config.nr_counters; i++) {
		ASSERT_EQ(0, pmc_describe(PMC_CPU_ANY, self->setup.counter[i].counter, &counter));
		if (counter.period_max > self->loop->instructions)
			SKIP(return, "the period is longer than the loop: needs narrow counters");
		setup_period(&self->setup, i, counter.period_max);
	}
	sample_program(_metadata, self);
}

/*
 * Between START and STOP of the thread itself: the next region continues the period where the
 * previous one stopped.
 */
static void loop_once(struct __test_metadata *_metadata, struct _test_data_sample *self,
		      unsigned long rounds, uint64_t *counted)
{
	ASSERT_EQ(0, sampled_loop(self->fd, rounds, PMC_IOC_START, PMC_IOC_STOP));
	*counted += SAMPLED_LOOP(rounds);
	tally_rings(&self->tally, &self->rings);
}

TEST_F(sample, start_and_stop_keep_the_phase)
{
	static const unsigned long rounds[] = { 1, 9000, 4999, 1, 1, 50000, 2501, 2502 };
	uint64_t counted = 0;
	unsigned int i;

	setup_thread(&self->setup, 0, 0);
	/* At 5003, counters that interrupt one by one take half of the time. */
	add_all(self, EVENT_INSTRUCTIONS, PMC_COUNT_USER, 10007 * slowness(), 1);
	begin(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(rounds); i++) {
		loop_once(_metadata, self, rounds[i], &counted);
		expect_each(_metadata, self, counted);
	}
	EXPECT_EQ(0, self->tally.late);
	end(_metadata, self);
}

/* RESET and WRITE change the values, not when the next overflow comes. */
TEST_F(sample, reset_and_write_keep_the_phase)
{
	uint64_t counted = 0, values[PMC_COUNTERS_MAX], sum;
	struct pmc_write write = {
		.size = sizeof(write),
		.values = (uintptr_t)values,
	};
	struct pmc_statistics statistics;
	unsigned int i;

	setup_thread(&self->setup, 0, 0);
	add_all(self, EVENT_INSTRUCTIONS, PMC_COUNT_USER, 5003, 10);
	self->setup.counter[0].initial = 123456;
	begin(_metadata, self);

	loop_once(_metadata, self, 6000, &counted);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(tally_sum(&self->tally), self->reading.overflows);

	write.nr_counters = self->setup.config.nr_counters;
	for (i = 0; i < write.nr_counters; i++) {
		EXPECT_COUNT(self->setup.counter[i].initial + counted, self->reading.value[i]);
		values[i] = -1ULL - 17 * i;
		self->tally.base[i] = self->reading.value[i] - self->setup.counter[i].initial;
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_WRITE, &write));
	loop_once(_metadata, self, 7000, &counted);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(tally_sum(&self->tally), self->reading.overflows);
	for (i = 0; i < write.nr_counters; i++) {
		EXPECT_COUNT(values[i] + SAMPLED_LOOP(7000), self->reading.value[i]);
		self->tally.base[i] += self->reading.value[i] - values[i];
		EXPECT_EQ(self->tally.base[i] / self->setup.counter[i].period,
			  self->tally.overflows[i]);
	}

	sum = tally_sum(&self->tally);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(0, self->reading.overflows);
	loop_once(_metadata, self, 8000, &counted);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < write.nr_counters; i++) {
		EXPECT_COUNT(SAMPLED_LOOP(8000), self->reading.value[i]);
		EXPECT_EQ((self->tally.base[i] + self->reading.value[i]) /
			  self->setup.counter[i].period, self->tally.overflows[i]);
	}
	EXPECT_EQ(tally_sum(&self->tally) - sum, self->reading.overflows);
	ASSERT_EQ(0, statistics_read(self->fd, &statistics));
	EXPECT_EQ(tally_sum(&self->tally), statistics.sampled);
	EXPECT_EQ(self->spurious, statistics.spurious);
	EXPECT_STREQ("", self->tally.wrong);
}

/* READ while running changes nothing. */
TEST_F(sample, read_while_running)
{
	uint64_t value;
	unsigned int i;

	setup_thread(&self->setup, 0, 0);
	add_all(self, EVENT_INSTRUCTIONS, PMC_COUNT_USER, 5003, 2);
	begin(_metadata, self);
	/* system calls of 32-bit programs are in the vDSO, too */
	if (sizeof(long) == 4)
		self->tally.text.end = 0;
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	do {
		for (i = 0; i < 300; i++)
			ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	} while (self->reading.value[0] < 3 * 5003);
	STOP_AND_READ(self->fd, &self->reading);
	value = self->reading.value[0];
	tally_rings(&self->tally, &self->rings);
	EXPECT_LT(0, self->tally.samples);
	expect_each(_metadata, self, value);
	end(_metadata, self);
}

#ifndef __x86_64__

/*
 * INT 80H and SYSENTER in turn, with one overflow at each instruction of a round. The sample at
 * INT 80H has its return address. SYSENTER leaves no trace of the user-mode address, and the
 * sample must not show that of the earlier INT 80H.
 */
TEST_F(sample, sysenter)
{
	enum { PERIOD = 1009 };		/* a prime, and as many rounds */
	unsigned long sysinfo = getauxval(AT_SYSINFO), after = 0, rounds = PERIOD;
	unsigned int behind = 0, unknown = 0;
	const struct pmc_sample *sample;
	const struct pmc_record *record;

	if (getenv("PMCDRV_SKID"))
		SKIP(return, "on hardware the interrupt comes some instructions later");
	if (!sysinfo)
		SKIP(return, "no __kernel_vsyscall");
	ASSERT_EQ(0, pin(0, 0));
	setup_thread_one(&self->setup, 0, 0);
	setup_period(&self->setup, 0, PERIOD);
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	asm volatile("1:	mov	%[getpid], %%eax\n\t"
		     "int	$0x80\n"
		     "2:	mov	%[getpid], %%eax\n\t"
		     "call	*%[sysinfo]\n\t"
		     "decl	%[rounds]\n\t"
		     "jnz	1b\n\t"
		     "movl	$2b, %[after]"
		     : [rounds] "+m" (rounds), [after] "=m" (after)
		     : [sysinfo] "m" (sysinfo), [getpid] "i" (SYS_getpid)
		     : "eax", "memory");
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	while ((record = ring_next(&self->rings.ring[0]))) {
		sample = (const void *)record;
		behind += sample->flags & PMC_SAMPLE_SKID && sample->ip == after;
		unknown += !sample->ip;
		tally_record(&self->tally, record, 0);
		ring_done(&self->rings.ring[0], record);
	}
	EXPECT_EQ(1, behind);
	/* none, where the processor or its kernel has no SYSENTER for these programs */
	EXPECT_GE(1, unknown);
	RELEASE_SAMPLING();
}

#endif /* !__x86_64__ */

/*
 * An overflow at each instruction of a round, system calls included: the sample has the address
 * of the next instruction, or the return address of the system call.
 */
TEST_F(sample, instruction_pointer)
{
	enum { CALLS = 30000, PERIOD = 6005 };
	const struct pmc_record *record;
	const struct pmc_sample *sample;
	uint64_t nr = 0;
	int cpu = 0;

	if (getenv("PMCDRV_SKID"))
		SKIP(return, "on hardware the interrupt comes some instructions later");
	ASSERT_EQ(0, pin(0, cpu));
	setup_thread_one(&self->setup, 0, 0);
	setup_period(&self->setup, 0, PERIOD);
	begin(_metadata, self);
	ASSERT_LT(0, sampled_calls(self->fd, CALLS, PMC_IOC_START, PMC_IOC_STOP) + 1);
	while ((record = ring_next(&self->rings.ring[cpu]))) {
		uint64_t executed = ++nr * PERIOD;
		unsigned int next;
		bool behind;

		ASSERT_EQ(PMC_RECORD_SAMPLE, record->type);
		sample = (const void *)record;
		behind = sample_is_behind(sample, sample->data[0], PERIOD);
		executed += behind ? sample->data[0] % PERIOD : 0;
		EXPECT_EQ(executed, sample->data[0]);
		next = (executed - 2) % 6 + 1;
		EXPECT_EQ(next == 2 || next == 4 || behind ? PMC_SAMPLE_SKID : 0, sample->flags);
		if (next == 6 && executed <= 6ULL * CALLS)
			next = 0;
		EXPECT_EQ(sampled_calls_at[next], sample->ip) {
			TH_LOG("sample %llu, before instruction %u of the round",
			       (unsigned long long)nr, next);
		}
		ring_done(&self->rings.ring[cpu], record);
	}
	EXPECT_EQ(SAMPLED_CALLS(CALLS) / PERIOD, nr);
}

/* Threads and children: each has its own phase. */
static void sample_tree(struct __test_metadata *_metadata, struct _test_data_sample *self,
			uint32_t scope, enum tree_run_part part)
{
	uint64_t leaf = TREE_CHILD_LEAF + TREE_LEAF_END, all;
	unsigned long leaves = tree_run_leaves(&self->tree_run), i;
	unsigned int c;
	bool threads;

	leaf += TREE_READING + TREE_LOOP(self->tree_run.shape.rounds);
	all = tree_run_sum(&self->tree_run, part, NULL).instructions;
	ASSERT_EQ(0, tree_run_start(&self->tree_run));
	setup_follow(&self->setup, scope, self->tree_run.pid, 0);
	add_all(self, EVENT_INSTRUCTIONS, PMC_COUNT_USER, 15013, 2999);
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, tree_run_go(&self->tree_run));
	threads = self->tree_run.shape.flags[1] & CLONE_THREAD && self->tree_run.shape.depth == 1;
	tree_run_wait_phase(&self->tree_run, 1, threads ? self->tree_run.pid : 0);
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 1, leaves));
	wait_for_all();
	tally_rings(&self->tally, &self->rings);
	for (c = 0; c < self->setup.config.nr_counters; c++) {
		uint64_t period = self->setup.counter[c].period, sum = 0;

		for (i = 0; i < leaves; i++) {
			uint64_t samples = tally_of(&self->tally,
						    self->tree_run.leaf_list->tid[i], c);

			EXPECT_SAMPLES(leaf / period, period, samples);
			sum += samples;
		}
		EXPECT_EQ(sum, self->tally.overflows[c]);
	}
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_ENDED, self->reading.state);
	EXPECT_COUNT(all, self->reading.value[0]);
	end(_metadata, self);
}

TEST_F(sample, threads_of_a_process)
{
	unsigned long i;

	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 1, 1, ROUNDS));
	self->tree_run.shape.width[1] = 7;
	self->tree_run.shape.flags[1] = BY_THREAD;
	sample_tree(_metadata, self, PMC_SCOPE_PROCESS, TREE_RUN_PROCESS);
	for (i = 0; i < self->tally.nr; i++)
		EXPECT_EQ(self->tree_run.pid, self->tally.task[i].pid);
}

TEST_F(sample, children_of_a_tree)
{
	unsigned long i;

	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 1, 1, ROUNDS));
	self->tree_run.shape.width[1] = 7;
	self->tree_run.shape.flags[1] = BY_FORK;
	sample_tree(_metadata, self, PMC_SCOPE_TREE, TREE_RUN_ALL);
	for (i = 0; i < self->tally.nr; i++)
		EXPECT_EQ(self->tally.task[i].tid, self->tally.task[i].pid);
}

TEST_F(sample, three_generations)
{
	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 3, 1, ROUNDS / 4));
	self->tree_run.shape.width[3] = 2;
	self->tree_run.shape.flags[3] = BY_FORK;
	self->tree_run.shape.width[2] = 3;
	self->tree_run.shape.flags[2] = BY_FORK;
	self->tree_run.shape.width[1] = 3;
	self->tree_run.shape.flags[1] = BY_FORK;
	sample_tree(_metadata, self, PMC_SCOPE_TREE, TREE_RUN_ALL);
}

/* Many short tasks: each executes less than a period, so there are no samples. */
TEST_F(sample, threads_shorter_than_the_period)
{
	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 2, 1, 2400));
	self->tree_run.shape.width[2] = 4;
	self->tree_run.shape.flags[2] = BY_FORK;
	self->tree_run.shape.width[1] = 16;
	self->tree_run.shape.flags[1] = BY_FORK;
	sample_tree(_metadata, self, PMC_SCOPE_TREE, TREE_RUN_ALL);
	EXPECT_EQ(0, self->tally.samples);
}

/* On one CPU, this thread is the only one in user mode. */
static int set_realtime(int cpu)
{
	int err = pin(0, cpu);

	return err ? err : schedule_as(0, SCHED_FIFO);
}

/*
 * Every counter, with one sample in 2503 instructions: samples that take more than half of the CPU
 * time are throttled. A sample takes longer with more counters; on the six of NetBurst, and with a
 * 32-bit kernel, 1945 instructions. Returns the rounds in which each counter overflows 14 times
 * at most.
 */
static unsigned long add_all_on_one_cpu(struct _test_data_sample *self)
{
	uint64_t period;
	unsigned int i;

	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	period = 2503 * self->setup.config.nr_counters * slowness() | 1;
	for (i = 0; i < self->setup.config.nr_counters; i++)
		setup_period(&self->setup, i, period + i * 100);
	return 7 * period;
}

TEST_F(sample, one_cpu)
{
	unsigned long rounds;
	uint64_t counted = 0;
	int cpu;

	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, set_realtime(cpu));
		setup_cpu(&self->setup, cpu);
		rounds = add_all_on_one_cpu(self);
		begin(_metadata, self);
		counted = 0;
		loop_once(_metadata, self, rounds, &counted);
		expect_each(_metadata, self, counted);
		loop_once(_metadata, self, 77, &counted);
		expect_each(_metadata, self, counted);
		EXPECT_EQ(1, self->tally.nr);
		EXPECT_EQ(cpu, self->tally.task[0].tid);
		EXPECT_EQ(getpid(), self->tally.task[0].pid);
		end(_metadata, self);
	}
}

/* A process that spins on a CPU; it runs when this returns. */
static pid_t spin_on(int cpu)
{
	int *runs = mmap(NULL, sizeof(*runs), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* first leave the CPU of the real-time thread */
		pin(0, cpu);
		/* otherwise the kernel's own work would wait there for a second */
		schedule_as(0, SCHED_OTHER);
		for (;;)
			__atomic_store_n(runs, 1, __ATOMIC_RELAXED);
	}
	while (pid > 0 && !__atomic_load_n(runs, __ATOMIC_RELAXED))
		sched_yield();
	munmap(runs, sizeof(*runs));
	return pid;
}

/* Every CPU has its phase; the other CPUs count whatever they execute. */
TEST_F(sample, all_cpus)
{
	unsigned long rounds = 200000 * slowness();
	pid_t busy;
	unsigned int i;
	int cpu;

	NEED_CPUS(2);
	ASSERT_EQ(0, set_realtime(0));
	busy = spin_on(1);
	ASSERT_LT(0, busy);
	setup_all_cpus(&self->setup);
	add_all(self, EVENT_INSTRUCTIONS, PMC_COUNT_USER, 20011 * slowness(), 100);
	begin(_metadata, self);
	self->tally.text.end = 0;
	ASSERT_EQ(0, sampled_loop(self->fd, rounds, PMC_IOC_START, PMC_IOC_STOP));
	kill(busy, SIGKILL);
	ASSERT_EQ(busy, waitpid(busy, NULL, 0));
	tally_rings(&self->tally, &self->rings);
	for (cpu = 0; cpu < self->rings.nr; cpu++) {
		uint64_t overflows = 0;

		ASSERT_EQ(0, reading_read_cpu(self->fd, cpu, &self->reading));
		if (cpu == 0)
			EXPECT_COUNT(SAMPLED_LOOP(rounds), self->reading.value[0]);
		for (i = 0; i < self->setup.config.nr_counters; i++) {
			uint64_t due = self->reading.value[i] / self->setup.counter[i].period;

			if (cpu < 2)
				EXPECT_LT(0, due);
			EXPECT_EQ(due, tally_of(&self->tally, cpu, i));
			overflows += due;
		}
		EXPECT_EQ(overflows, self->reading.overflows);
	}
	end(_metadata, self);
}

/* Two threads, each with its own context, on two CPUs at once */
struct racer {
	struct _test_data_sample data;
	struct __test_metadata *metadata;
	pthread_barrier_t *barrier;
	int cpu;
};

static void race(struct __test_metadata *_metadata, struct racer *racer)
{
	struct _test_data_sample *self = &racer->data;
	uint64_t counted = 0;
	unsigned int i;

	ASSERT_EQ(0, pin(0, racer->cpu));
	OPEN_DEVICE(self->fd);
	setup_thread(&self->setup, 0, 0);
	add_all(self, EVENT_INSTRUCTIONS, PMC_COUNT_USER, 20011 * slowness(), 100);
	begin(_metadata, self);
	pthread_barrier_wait(racer->barrier);
	for (i = 0; i < 10; i++)
		loop_once(_metadata, self, 33333, &counted);
	expect_each(_metadata, self, counted);
	EXPECT_EQ(1, self->tally.nr);
	EXPECT_EQ(gettid(), self->tally.task[0].tid);
	EXPECT_EQ(0, tally_ring(&self->tally, &self->rings.ring[!racer->cpu], !racer->cpu));
	end(_metadata, self);
	close(self->fd);
}

static void *race_thread(void *argument)
{
	struct racer *racer = argument;

	race(racer->metadata, racer);
	return NULL;
}

TEST_F(sample, two_cpus_at_once)
{
	static struct racer racer[2];
	pthread_barrier_t barrier;
	pthread_t thread[2];
	int i;

	NEED_CPUS(2);
	pthread_barrier_init(&barrier, NULL, 2);
	for (i = 0; i < 2; i++) {
		racer[i] = (struct racer) {
			.data = { .query = self->query },
			.metadata = _metadata,
			.barrier = &barrier,
			.cpu = i,
		};
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, race_thread, &racer[i]));
	}
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

/* A process that is already running, and continues after RELEASE */
TEST_F(sample, attached)
{
	unsigned int round;
	uint64_t value = 0;

	ASSERT_EQ(0, child_spin(&self->child));
	ASSERT_EQ(0, child_go(&self->child));
	setup_thread(&self->setup, self->child.pid, 0);
	add_all(self, EVENT_INSTRUCTIONS, PMC_COUNT_USER, 20011, 100);
	begin(_metadata, self);
	for (round = 0; round < 5; round++) {
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		do {
			usleep(200);
			tally_rings(&self->tally, &self->rings);
			ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		} while (self->reading.value[0] < value + 20 * 20011);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
		tally_rings(&self->tally, &self->rings);
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		value = self->reading.value[0];
		expect_each(_metadata, self, value);
	}
	EXPECT_EQ(1, self->tally.nr);
	end(_metadata, self);
	EXPECT_EQ(0, kill(self->child.pid, 0));
	child_kill(&self->child);
}

/*
 * The process is migrated from CPU to CPU while it runs, and stays on each long enough for a
 * sample: the test is always on the other one.
 */
TEST_F(sample, migrated)
{
	unsigned int moves = 0;
	uint64_t arrived;
	int cpu;

	NEED_CPUS(2);
	setup_program(_metadata, self);
	add_all(self, EVENT_INSTRUCTIONS, PMC_COUNT_USER, 20011, 100);
	begin(_metadata, self);
	ASSERT_EQ(0, text_range(self->loop->argv[0], &self->tally.text));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_go(&self->child));
	do {
		pin(0, moves & 1);
		pin(self->child.pid, ++moves & 1);
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		arrived = self->reading.value[0];
		do {
			/* each reading delays it */
			usleep(200);
			ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		} while (!(self->reading.state & PMC_STATE_ENDED) &&
			 self->reading.value[0] - arrived <= 20011);
	} while (!(self->reading.state & PMC_STATE_ENDED));
	ASSERT_EQ(0, child_wait(&self->child));
	for (cpu = 0; cpu < 2; cpu++)
		EXPECT_LT(0, tally_ring(&self->tally, &self->rings.ring[cpu], cpu));
	EXPECT_LT(2, moves);
	expect_each(_metadata, self, self->loop->instructions);
	end(_metadata, self);
}

/* Two tasks that yield to each other again and again, on one CPU */
TEST_F(sample, switched_often)
{
	enum { YIELDS = 800 };
	struct setup *setup = &self->setup;
	int go[2], other = pmc_open();
	struct tally tally;
	struct rings rings;
	struct setup second;
	unsigned int i;
	pid_t pid[2];

	ASSERT_LE(0, other);
	ASSERT_EQ(0, pipe2(go, O_CLOEXEC));
	for (i = 0; i < 2; i++) {
		pid[i] = fork();
		ASSERT_LE(0, pid[i]);
		if (pid[i] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			pin(0, cpus_online() - 1);
			storm_run(go[0], YIELDS);
		}
		task_wait_in(pid[i], pid[i], SYS_read, go[0]);
	}
	setup_thread(setup, pid[0], 0);
	add_all(self, EVENT_INSTRUCTIONS, PMC_COUNT_USER, 20011, 100);
	second = *setup;
	second.config.tid = pid[1];
	second.config.counters = (uintptr_t)second.counter;
	begin(_metadata, self);
	ASSERT_EQ(0, setup_configure(other, &second));
	ASSERT_EQ(0, rings_map(&rings, other, &second));
	tally_begin(&tally, &second);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(other, PMC_IOC_START, NULL));
	ASSERT_EQ(2, write(go[1], "..", 2));
	wait_for_all();
	tally_rings(&self->tally, &self->rings);
	tally_rings(&tally, &rings);
	expect_each(_metadata, self, STORM_INSTRUCTIONS(YIELDS));
	for (i = 0; i < setup->config.nr_counters; i++)
		EXPECT_SAMPLES(STORM_INSTRUCTIONS(YIELDS) / setup->counter[i].period,
			       setup->counter[i].period, tally.overflows[i]);
	EXPECT_ALL_SEEN(other, &tally, self->spurious);
	EXPECT_EQ(1, tally.nr);
	EXPECT_EQ(pid[1], tally.task[0].tid);
	end(_metadata, self);
	rings_unmap(&rings);
	close(other);
}

/* A program of the other width */
TEST_F(sample, program_of_32_bits)
{
	LOAD_PROGRAM(self->loop, "./loop32-1m");
	setup_program(_metadata, self);
	add_all(self, EVENT_INSTRUCTIONS, PMC_COUNT_USER, 20011, 1009);
	sample_program(_metadata, self);
}

/* The value of a line of /proc/meminfo, in bytes */
static uint64_t memory_of(const char *name)
{
	char text[4096] = "";
	const char *line;

	file_read("/proc/meminfo", text, sizeof(text));
	line = strstr(text, name);
	return line ? strtoull(line + strlen(name), NULL, 10) << 10 : 0;
}

/* The largest rings, for a context that counts @tid */
static int largest_rings(struct setup *setup, pid_t tid)
{
	int fd = pmc_open(), err;

	if (fd < 0)
		return fd;
	setup_thread(setup, tid, 0);
	setup_add(setup, 0, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup->counter[0].period = 1000000;
	setup->config.ring_size = PMC_RING_SIZE_MAX;
	err = setup_configure(fd, setup);
	if (!err)
		return fd;
	close(fd);
	return err;
}

/*
 * A 32-bit kernel has so few addresses to map memory that rings could use up all. They get a
 * quarter, and released rings can be allocated again.
 */
TEST_F(sample, rings_leave_kernel_addresses)
{
	uint64_t each = cpus_present() * (PMC_RING_SIZE_MAX + (uint64_t)sysconf(_SC_PAGESIZE));
	uint64_t room = memory_of("VmallocTotal:") / 4;
	struct utsname system;
	struct child child[64];
	int fd[64], n, round, err;

	ASSERT_EQ(0, uname(&system));
	if (!strcmp(system.machine, "x86_64"))
		SKIP(return, "this kernel has enough addresses");
	if (memory_of("MemAvailable:") < room + 2 * each)
		SKIP(return, "not enough memory for so many rings");
	ASSERT_LT(room / each + 1, 64);
	for (round = 0; round < 2; round++) {
		for (n = 0, err = 0; !err && n <= room / each; n += !err) {
			ASSERT_EQ(0, child_spin(&child[n]));
			fd[n] = largest_rings(&self->setup, child[n].pid);
			err = fd[n] < 0 ? fd[n] : 0;
			if (err)
				child_kill(&child[n]);
		}
		EXPECT_EQ(room / each, n);
		EXPECT_EQ(-ENOMEM, err);
		while (n-- > 0) {
			close(fd[n]);
			child_kill(&child[n]);
		}
	}
}

/* Branches: alternating events on the counters */
TEST_F(sample, two_events)
{
	struct setup all;
	unsigned int i;

	setup_program(_metadata, self);
	all = self->setup;
	setup_add_all(&all, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	for (i = 0; i < all.config.nr_counters; i++) {
		if (!(all.counter[i].counter & PMC_COUNTER_FIXED_FLAG))
			setup_add(&self->setup, all.counter[i].counter,
				  i & 1 ? EVENT_INSTRUCTIONS : EVENT_BRANCHES, PMC_COUNT_USER);
	}
	for (i = 0; i < self->setup.config.nr_counters; i++)
		setup_period(&self->setup, i, i & 1 ? 20000 : 10000);
	begin(_metadata, self);
	ASSERT_EQ(0, text_range(self->loop->argv[0], &self->tally.text));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_run(&self->child));
	tally_rings(&self->tally, &self->rings);
	for (i = 0; i < self->setup.config.nr_counters; i++)
		EXPECT_SAMPLES(100, self->setup.counter[i].period, self->tally.overflows[i]);
	end(_metadata, self);
}

/*
 * Another context gets new events on its counter while this one is sampled: a quirk's workaround
 * may write all counters (AAK100). The PMI of each overflow comes at once.
 */
TEST_F(sample, another_context_gets_new_events)
{
	unsigned int last, round;
	int fd = pmc_open();
	struct setup setup;

	/* of all counters, those that count user mode alone: PMC_QUIRK(USER_4_7) */
	last = last_general(&self->query) < 3 ? last_general(&self->query) : 3;
	if (is_netburst() || last < 2)
		SKIP(return, "needs three general counters for any event");
	ASSERT_LE(0, fd);
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_period(&self->setup, 0, 20011 * slowness());
	begin(_metadata, self);
	/* system calls of 32-bit programs are in the vDSO, too */
	if (sizeof(long) == 4)
		self->tally.text.end = 0;
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	for (round = 0; round < 50; round++) {
		setup_thread(&setup, 0, 0);
		setup_add(&setup, PMC_COUNTER_GENERAL(last),
			  round & 1 ? EVENT_BRANCHES : EVENT_INSTRUCTIONS, PMC_COUNT_USER);
		ASSERT_EQ(0, setup_configure(fd, &setup));
		ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
		ASSERT_EQ(-ENOTTY, sampled_loop(self->fd, 1000, ~0U, ~0U));
		ASSERT_EQ(0, pmc_call(fd, PMC_IOC_RELEASE, NULL));
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	tally_rings(&self->tally, &self->rings);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(self->reading.value[1], self->reading.value[0]);
	EXPECT_EQ(self->reading.value[0] / (20011 * slowness()), self->tally.overflows[0]);
	if (!getenv("PMCDRV_SKID"))
		EXPECT_EQ(0, self->tally.late);
	end(_metadata, self);
	close(fd);
}

TEST_HARNESS_MAIN

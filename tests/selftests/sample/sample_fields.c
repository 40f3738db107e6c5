// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the fields of a sample besides its address: flags, selectors, time, task and its name,
 * and the values of counters without a period, each at the moment of the sample
 */
#include <pthread.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "rflags_loop.h"
#include "process_tree.h"
#include "samples.h"

/*
 * Loops of two instructions each: a multiple of a period, so that the number of samples in a
 * loop does not depend on what was executed before
 */
#define PERIOD	5000
#define ROUNDS	50000
#define INSIDE	(2 * ROUNDS / PERIOD)

/* Flags that a program can set and that neither the loop nor a system call changes */
#define FLAG_CARRY	(1UL << 0)
#define FLAG_DIRECTION	(1UL << 10)
#define FLAG_ALIGNMENT	(1UL << 18)
#define FLAG_ID		(1UL << 21)
#define FLAGS		(FLAG_CARRY | FLAG_DIRECTION | FLAG_ALIGNMENT | FLAG_ID)
/* bit 1 is always set, interrupts are on */
#define FLAGS_ALWAYS	0x202UL

FIXTURE(record) {
	SAMPLING_FIXTURE;
};

FIXTURE_SETUP(record)
{
	NEED_SAMPLING(&self->query);
	ASSERT_EQ(0, pin(0, 0));
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN_CLOSE(record)

static void begin(struct __test_metadata *_metadata, struct _test_data_record *self)
{
	BEGIN_SAMPLING();
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
}

static void setup_myself(struct _test_data_record *self)
{
	setup_thread_one(&self->setup, 0, 0);
	setup_period(&self->setup, 0, PERIOD);
}

static void end(struct __test_metadata *_metadata, struct _test_data_record *self)
{
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	tally_rings(&self->tally, &self->rings);
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
	RELEASE_SAMPLING();
}

/* The next sample in the ring of CPU 0, already tallied; it stays valid until the next call. */
static const struct pmc_sample *next(struct _test_data_record *self, const void *last)
{
	const struct pmc_record *record = last;

	do {
		if (record)
			ring_done(&self->rings.ring[0], record);
		record = ring_next(&self->rings.ring[0]);
		if (record)
			tally_record(&self->tally, record, 0);
	} while (record && record->type != PMC_RECORD_SAMPLE);
	return (const void *)record;
}

/* The next of these samples that was taken in the loop */
static const struct pmc_sample *next_inside(struct _test_data_record *self, const void *last)
{
	const struct range loop = { (uintptr_t)flagged_begin, (uintptr_t)flagged_end };
	const struct pmc_sample *sample = last;

	do {
		sample = next(self, sample);
	} while (sample && !range_has(&loop, sample->ip));
	return sample;
}

/* The time-stamp counter, read after all earlier instructions have executed */
static uint64_t now(void)
{
	uint32_t low, high;

	asm volatile("lfence; rdtsc" : "=a" (low), "=d" (high) : : "memory");
	return (uint64_t)high << 32 | low;
}

TEST_F(record, flags)
{
	static const unsigned long flags[] = {
		0, FLAG_CARRY, FLAG_DIRECTION, FLAG_ALIGNMENT, FLAG_ID, FLAGS,
	};
	const struct pmc_sample *sample = NULL;
	unsigned int i, n;

	setup_myself(self);
	begin(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		flagged_loop(ROUNDS, FLAGS_ALWAYS | flags[i]);
		for (n = 0; (sample = next_inside(self, sample)); n++) {
			EXPECT_EQ(FLAGS_ALWAYS | flags[i],
				  sample->rflags & (FLAGS_ALWAYS | FLAGS));
		}
		EXPECT_SAMPLES(INSIDE, PERIOD, n);
	}
	end(_metadata, self);
}

TEST_F(record, selectors)
{
	const struct pmc_sample *sample = NULL;
	uint16_t code, task;
	unsigned int n;

	asm("mov %%cs, %0" : "=r" (code));
	asm("str %0" : "=r" (task));
	setup_myself(self);
	begin(_metadata, self);
	flagged_loop(ROUNDS, FLAGS_ALWAYS);
	for (n = 0; (sample = next_inside(self, sample)); n++) {
		EXPECT_EQ(code, sample->cs);
		EXPECT_EQ(3, sample->privilege);
		EXPECT_EQ(task, sample->task_register);
	}
	EXPECT_SAMPLES(INSIDE, PERIOD, n);
	end(_metadata, self);
}

/* Time stamps are in order, and match those that the program reads itself. */
TEST_F(record, time_stamps)
{
	const struct pmc_sample *sample = NULL;
	uint64_t last = now(), after;
	unsigned int i, n;

	setup_myself(self);
	begin(_metadata, self);
	for (i = 0; i < 3; i++) {
		flagged_loop(ROUNDS, FLAGS_ALWAYS);
		after = now();
		for (n = 0; (sample = next_inside(self, sample)); n++) {
			EXPECT_LT(last, sample->tsc);
			EXPECT_GT(after, sample->tsc);
			last = sample->tsc;
		}
		EXPECT_SAMPLES(INSIDE, PERIOD, n);
		EXPECT_LT(last, after);
		last = after;
	}
	end(_metadata, self);
}

/* The current name of the thread, also one that fills the field */
TEST_F(record, task_names)
{
	static const char *const task_names[] = { "one", "", "quite another15", "x" };
	const struct pmc_sample *sample = NULL;
	char name[PMC_COMM_LEN];
	unsigned int i, n;

	setup_myself(self);
	begin(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(task_names); i++) {
		ASSERT_EQ(0, prctl(PR_SET_NAME, task_names[i]));
		flagged_loop(ROUNDS, FLAGS_ALWAYS);
		for (n = 0; (sample = next_inside(self, sample)); n++) {
			memcpy(name, sample->comm, sizeof(name));
			EXPECT_EQ(0, name[PMC_COMM_LEN - 1]);
			EXPECT_STREQ(task_names[i], name);
			EXPECT_EQ(getpid(), sample->pid);
			EXPECT_EQ(gettid(), sample->tid);
			EXPECT_EQ(0, sample->cpu);
		}
		EXPECT_SAMPLES(INSIDE, PERIOD, n);
	}
	end(_metadata, self);
}

/* A thread other than the first one of its process */
static void *thread_loop(void *argument)
{
	struct _test_data_record *self = argument;

	pin(0, 0);
	setup_myself(self);
	if (setup_configure(self->fd, &self->setup) ||
	    rings_map(&self->rings, self->fd, &self->setup) ||
	    pmc_call(self->fd, PMC_IOC_START, NULL))
		return NULL;
	flagged_loop(ROUNDS, FLAGS_ALWAYS);
	pmc_call(self->fd, PMC_IOC_STOP, NULL);
	return (void *)(long)gettid();
}

TEST_F(record, fields_of_second_thread)
{
	const struct pmc_sample *sample = NULL;
	pthread_t thread;
	unsigned int n;
	void *tid;

	tally_begin(&self->tally, &self->setup);
	ASSERT_EQ(0, pthread_create(&thread, NULL, thread_loop, self));
	ASSERT_EQ(0, pthread_join(thread, &tid));
	ASSERT_NE(NULL, tid);
	ASSERT_NE(getpid(), (long)tid);
	for (n = 0; (sample = next_inside(self, sample)); n++) {
		EXPECT_EQ(getpid(), sample->pid);
		EXPECT_EQ((long)tid, sample->tid);
	}
	EXPECT_SAMPLES(INSIDE, PERIOD, n);
	EXPECT_STREQ("", self->tally.wrong);
}

/* A counter without a period is reported too: each round of the loop is one branch. */
TEST_F(record, counters_without_a_period)
{
	const struct pmc_sample *sample = NULL;
	uint64_t rest = 0;
	unsigned int n;

	if (getenv("PMCDRV_SKID"))
		SKIP(return, "on hardware the interrupt comes some instructions later");
	setup_myself(self);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
	begin(_metadata, self);
	flagged_loop(ROUNDS, FLAGS_ALWAYS);
	for (n = 0; (sample = next_inside(self, sample)); n++) {
		ASSERT_EQ(2, sample->nr_counters);
		if (!n)
			rest = sample->data[0] - 2 * sample->data[1];
		EXPECT_EQ(rest, sample->data[0] - 2 * sample->data[1]);
		EXPECT_LT(n * PERIOD / 2, sample->data[1]);
	}
	EXPECT_SAMPLES(INSIDE, PERIOD, n);
	end(_metadata, self);
}

/* ---- process IDs ---- */

/* A process in its own PID namespace samples itself: its PID is 1. */
static void sample_in_namespace(struct __test_metadata *_metadata,
				struct _test_data_record *self)
{
	const struct pmc_record *record;
	unsigned int samples = 0, maps = 0;

	setup_myself(self);
	self->setup.config.sample_flags = PMC_SAMPLE_MMAPS;
	begin(_metadata, self);
	flagged_loop(ROUNDS, FLAGS_ALWAYS);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	while ((record = ring_next(&self->rings.ring[0]))) {
		if (record->type == PMC_RECORD_SAMPLE) {
			EXPECT_EQ(1, ((const struct pmc_sample *)record)->pid);
			EXPECT_EQ(1, ((const struct pmc_sample *)record)->tid);
			samples++;
		} else if (record->type == PMC_RECORD_MMAP) {
			EXPECT_EQ(1, ((const struct pmc_mmap *)record)->pid);
			EXPECT_EQ(1, ((const struct pmc_mmap *)record)->tid);
			maps++;
		}
		ring_done(&self->rings.ring[0], record);
	}
	EXPECT_LE(INSIDE, samples);
	EXPECT_LT(0, maps);
	RELEASE_SAMPLING();
}

/* A whole CPU: processes outside the namespace have no PID in it. */
static void sample_cpu_in_namespace(struct __test_metadata *_metadata,
				    struct _test_data_record *self)
{
	unsigned int seen[2] = { 0 };

	setup_cpu_one(&self->setup, 0);
	setup_period(&self->setup, 0, PERIOD);
	begin(_metadata, self);
	while (!seen[0] || !seen[1]) {
		const struct pmc_sample *sample = NULL;

		flagged_loop(ROUNDS, FLAGS_ALWAYS);
		while ((sample = next(self, sample))) {
			EXPECT_EQ(sample->tid, sample->pid);
			ASSERT_LE(0, sample->pid);
			ASSERT_GE(1, sample->pid);
			seen[sample->pid]++;
		}
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	RELEASE_SAMPLING();
}

static void in_namespace(struct __test_metadata *_metadata, struct _test_data_record *self,
			 void (*what)(struct __test_metadata *, struct _test_data_record *))
{
	int status;
	pid_t pid;

	NEED_ROOT();
	if (unshare(CLONE_NEWPID))
		SKIP(return, "no pid namespaces here");
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ASSERT_EQ(1, getpid());
		what(_metadata, self);
		_exit(_metadata->exit_code);
	}
	/* outside and busy, on the same CPU */
	while (!waitpid(pid, &status, WNOHANG))
		flagged_loop(ROUNDS, FLAGS_ALWAYS);
	EXPECT_EQ(0, status);
}

TEST_F(record, pid_namespace)
{
	in_namespace(_metadata, self, sample_in_namespace);
}

TEST_F(record, cpu_in_a_pid_namespace)
{
	in_namespace(_metadata, self, sample_cpu_in_namespace);
}

/* In reverse: a reader outside the namespace gets the PID outside. */
TEST_F(record, into_a_pid_namespace)
{
	const struct pmc_sample *sample = NULL;
	int go[2], status;
	char byte;
	pid_t pid;

	NEED_ROOT();
	ASSERT_EQ(0, pipe(go));
	if (unshare(CLONE_NEWPID))
		SKIP(return, "no pid namespaces here");
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		flagged_loop(ROUNDS, FLAGS_ALWAYS);
		_exit(0);
	}
	setup_thread_one(&self->setup, pid, 0);
	setup_period(&self->setup, 0, PERIOD);
	begin(_metadata, self);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	while ((sample = next(self, sample))) {
		EXPECT_EQ(pid, sample->pid);
		EXPECT_EQ(pid, sample->tid);
	}
	EXPECT_LE(INSIDE, self->tally.samples);
	end(_metadata, self);
}

TEST_HARNESS_MAIN

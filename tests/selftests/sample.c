// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples: a program of known length gives so many samples and no other number,
 * each of them where the program was.
 */
#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "pmc.h"
#include "samples.h"

#define SAMPLE_CPUS	64

FIXTURE(sample) {
	struct pmc_query query;
	struct program programs[PROGRAMS_MAX];
	const struct program *loop;
	struct setup setup;
	struct reading reading;
	struct pmc_statistics statistics;
	struct child child;
	struct ring ring[SAMPLE_CPUS];
	uint64_t begin, end; /* of the program's code */
	uint64_t due[PMC_COUNTERS_MAX];
	uint64_t seen[PMC_COUNTERS_MAX];
	uint64_t spurious;
	int cpus;
	int fd;
};

/* Where a static program's code lies. */
static int text_range(const char *path, uint64_t *begin, uint64_t *end)
{
	int fd = open(path, O_RDONLY), i;
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	*begin = 0;
	if (fd < 0 || pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return -EIO;
	for (i = 0; i < header.e_phnum; i++) {
		if (pread(fd, &segment, sizeof(segment),
			  header.e_phoff + i * sizeof(segment)) != sizeof(segment))
			return -EIO;
		if (segment.p_type == PT_LOAD && segment.p_flags & PF_X) {
			*begin = segment.p_vaddr;
			*end = segment.p_vaddr + segment.p_memsz;
		}
	}
	close(fd);
	return *begin ? 0 : -ENOENT;
}

FIXTURE_SETUP(sample)
{
	int nr;

	NEED_COUNTERS(&self->query);
	if (!(self->query.features & PMC_FEATURE(INTERRUPT)))
		SKIP(return, "no overflow interrupt here");
	nr = programs_load(self->programs);
	ASSERT_LT(0, nr);
	self->loop = program_find(self->programs, nr, "./loop-1m");
	ASSERT_NE(NULL, self->loop);
	ASSERT_EQ(0, text_range(self->loop->argv[0], &self->begin, &self->end));
	self->cpus = sysconf(_SC_NPROCESSORS_CONF);
	ASSERT_GE(SAMPLE_CPUS, self->cpus);
	self->fd = pmc_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(sample)
{
	close(self->fd);
}

static void rings_map(struct __test_metadata *_metadata, struct _test_data_sample *self)
{
	int cpu;

	for (cpu = 0; cpu < self->cpus; cpu++)
		ASSERT_EQ(0, ring_map(&self->ring[cpu], self->fd, &self->setup, cpu));
}

static void check_sample(struct __test_metadata *_metadata, struct _test_data_sample *self,
			 const struct pmc_sample *sample, int cpu)
{
	unsigned int i = sample->counter;

	ASSERT_GT(self->setup.config.nr_counters, i);
	self->due[i] += sample->overflows * self->setup.counter[i].period;
	self->seen[i] += sample->overflows;
	EXPECT_EQ(self->child.pid, sample->tid);
	EXPECT_EQ(self->child.pid, sample->pid);
	EXPECT_EQ(cpu, sample->cpu);
	EXPECT_EQ(3, sample->privilege);
	EXPECT_EQ(3, sample->cs & 3);
	EXPECT_NE(0, sample->task_register);
	EXPECT_NE(0, sample->rflags & 0x200);
	EXPECT_EQ(0, sample->flags);
	EXPECT_LE(self->begin, sample->ip);
	EXPECT_GT(self->end, sample->ip);
	EXPECT_STREQ("loop-1m", sample->comm);
	ASSERT_EQ(self->setup.config.nr_counters, sample->nr_counters);
	/* of several that overflow at once each has been there */
	EXPECT_EQ(self->due[i], sample->data[i]);
}

static void drain(struct __test_metadata *_metadata, struct _test_data_sample *self)
{
	const struct pmc_record *record;
	int cpu;

	for (cpu = 0; cpu < self->cpus; cpu++) {
		while ((record = ring_next(&self->ring[cpu]))) {
			ASSERT_EQ(PMC_RECORD_SAMPLE, record->type);
			check_sample(_metadata, self, (const void *)record, cpu);
			ring_done(&self->ring[cpu], record);
		}
	}
}

/* Sample the loop from its exec to its end with what has been set up. */
static void sample_loop(struct __test_metadata *_metadata, struct _test_data_sample *self)
{
	unsigned int i;

	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	rings_map(_metadata, self);
	ASSERT_EQ(0, statistics_take(self->fd, &self->statistics));
	self->spurious = self->statistics.spurious;
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_go(&self->child));
	ASSERT_EQ(0, child_wait(&self->child));
	drain(_metadata, self);
	ASSERT_EQ(0, reading_take(self->fd, &self->reading));
	ASSERT_EQ(0, statistics_take(self->fd, &self->statistics));
	EXPECT_EQ(0, self->statistics.lost);
	EXPECT_EQ(0, self->statistics.throttled);
	EXPECT_EQ(self->spurious, self->statistics.spurious);
	EXPECT_EQ(self->reading.overflows, self->statistics.sampled);
	for (i = 0; i < self->setup.config.nr_counters; i++) {
		uint64_t period = self->setup.counter[i].period;

		EXPECT_EQ(self->loop->instructions, self->reading.value[i]);
		EXPECT_EQ(period ? self->loop->instructions / period : 0, self->seen[i]) {
			TH_LOG("counter %#x, period %llu", self->setup.counter[i].counter,
			       (unsigned long long)period);
		}
	}
}

static void setup_loop(struct __test_metadata *_metadata, struct _test_data_sample *self)
{
	memset(self->due, 0, sizeof(self->due));
	memset(self->seen, 0, sizeof(self->seen));
	ASSERT_EQ(0, child_program(&self->child, self->loop));
	setup_thread(&self->setup, self->child.pid, PMC_CONFIG_ON_EXEC);
	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
}

/* Each counter by itself, the others count along. */
TEST_F(sample, each_counter)
{
	unsigned int i = 0, nr = 1;

	for (i = 0; i < nr; i++) {
		setup_loop(_metadata, self);
		nr = self->setup.config.nr_counters;
		setup_period(&self->setup, i, 10007 + i);
		sample_loop(_metadata, self);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
}

/* Two and more counters with different periods. */
TEST_F(sample, different_periods)
{
	unsigned int i;

	setup_loop(_metadata, self);
	for (i = 0; i < self->setup.config.nr_counters; i++)
		setup_period(&self->setup, i, 20011 + 1009 * i);
	sample_loop(_metadata, self);
}

/* All of them overflow in one interrupt. */
TEST_F(sample, at_one_moment)
{
	unsigned int i;

	setup_loop(_metadata, self);
	for (i = 0; i < self->setup.config.nr_counters; i++)
		setup_period(&self->setup, i, 25000);
	sample_loop(_metadata, self);
}

TEST_HARNESS_MAIN

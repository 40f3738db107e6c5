// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests two logical processors of a NetBurst core, which share its counters: each has one pair
 * of each group and the ESCR of that pair, and both count and sample at once
 *
 * The numbers are those of SDM Volume 3B, "Performance Monitoring and Intel Hyper-Threading
 * Technology in Processors Based on Intel NetBurst Microarchitecture", and not the driver's.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "netburst.h"
#include "samples.h"

#define MSR_COUNTER(i)	(0x300 + (i))
#define MSR_CCCR(i)	(0x360 + (i))

/* 0 and 1, 4 and 5, 8 and 9, 12 and 13, 16 */
#define HALF		0x13333

#define EVENT(select, mask, escr) \
	((uint64_t)(select) << 57 | (uint64_t)(mask) << 41 | (uint64_t)(escr) << 13)
#define RETIRED		EVENT(0x02, 1, 4)
#define CONDITIONAL	EVENT(0x04, 2, 2)
#define CASCADE		(1ULL << 30)

#define CCCR_OVF_PMI_T1	(1ULL << 27)
#define ESCR_T0_USER	(1U << 2)
#define ESCR_T1_USER	(1U << 0)

#define ROUNDS		5000

/* shared by two processes */
struct shared {
	volatile unsigned int turns[2];
	volatile bool stop;
	volatile bool wrong;
};

FIXTURE(threads) {
	BASE_FIXTURE;
	struct shared *shared;
};

static uint64_t msr_read(uint32_t address)
{
	int fd = open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC);
	uint64_t value = ~0ULL;

	if (pread(fd, &value, sizeof(value), address) != sizeof(value))
		value = ~0ULL;
	close(fd);
	return value;
}

FIXTURE_SETUP(threads)
{
	char siblings[16];

	NEED_COUNTERS(&self->query);
	NEED_CPUS(2);
	NEED_ROOT();
	if (self->query.family != PMC_FAMILY_NETBURST ||
	    file_read("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", siblings,
		      sizeof(siblings)) || strcmp(siblings, "0-1\n"))
		SKIP(return, "CPUs 0 and 1 are not those of a NetBurst core");
	if (access("/dev/cpu/0/msr", R_OK))
		SKIP(return, "no /dev/cpu/0/msr (modprobe msr)");
	self->shared = mmap(NULL, sizeof(*self->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->shared);
	OPEN_DEVICE(self->fd);
	setup_thread(&self->setup, 0, 0);
}

FIXTURE_TEARDOWN_CLOSE(threads)

/* The second has the other pair: n is n + 2 there, and 16 is 17. */
TEST_F(threads, described_counters)
{
	struct pmc_counter counter;
	struct pmc_query query;
	unsigned int i, number;
	int cpu;

	for (cpu = 0; cpu < 2; cpu++) {
		ASSERT_EQ(0, pmc_query(cpu, &query));
		EXPECT_EQ(HALF, query.general_counters);
		EXPECT_EQ(0, query.event_select_mask & CASCADE);
		for (i = 0; i < 32; i++) {
			if (!(HALF & 1U << i)) {
				EXPECT_EQ(-ENXIO, pmc_describe(cpu, i, &counter));
				continue;
			}
			ASSERT_EQ(0, pmc_describe(cpu, i, &counter));
			number = cpu == 0 ? i : i == 16 ? 17 : i + 2;
			EXPECT_EQ(number, counter.rdpmc);
			EXPECT_EQ(MSR_CCCR(number), counter.select_msr);
			EXPECT_EQ(MSR_COUNTER(number), counter.counter_msr);
			EXPECT_EQ(0, counter.event_select_mask & CASCADE);
		}
	}
}

/* What only one ESCR of a pair has, and what crosses pairs, is refused. */
TEST_F(threads, refused_configurations)
{
	static const struct {
		unsigned int counter;
		uint64_t event;
		int err;
	} t[] = {
		{ 12, RETIRED, 0 },
		{ 14, RETIRED, -ENXIO },
		{ 17, RETIRED, -ENXIO },
		{ 12, RETIRED | CASCADE, -EINVAL },
		/* SSU_ESCR0: there is no SSU_ESCR1 */
		{ 12, EVENT(0x02, 1, 3), -EDOM },
		/* RAT_ESCR0 and 1 */
		{ 12, EVENT(0x02, 2, 2), 0 },
		/* IOQ_active_entries: only FSB_ESCR1; IOQ_allocation: both */
		{ 0, EVENT(0x1a, 1, 6), -EDOM },
		{ 0, EVENT(0x03, 1, 6), 0 },
		/* BSQ_allocation: BSU_ESCR0, BSQ_active_entries: 1; BSQ_cache_reference: both */
		{ 0, EVENT(0x05, 1, 7), -EDOM },
		{ 0, EVENT(0x06, 1, 7), -EDOM },
		{ 0, EVENT(0x0c, 1, 7), 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		setup_thread(&self->setup, 0, 0);
		setup_add(&self->setup, t[i].counter, t[i].event, PMC_COUNT_USER);
		EXPECT_EQ(t[i].err, setup_configure(self->fd, &self->setup)) {
			TH_LOG("case %u", i);
		}
		if (!t[i].err) {
			EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
		}
	}
}

/* Thread-independent events count the other logical processor too: they need privileges. */
TEST_F(threads, thread_independent_events)
{
	static const struct {
		unsigned int counter;
		uint64_t event;
		int err;
	} t[] = {
		{ 0, EVENT(0x01, 1, 4), -EACCES },	/* page_walk_type */
		{ 0, EVENT(0x17, 1, 6), -EACCES },	/* FSB_data_activity */
		{ 0, EVENT(0x03, 1, 6), 0 },		/* IOQ_allocation */
		{ 4, EVENT(0x01, 1, 1), -EACCES },	/* TC_deliver_mode */
		{ 8, EVENT(0x04, 1, 1), -EACCES },	/* x87_FP_uop */
		{ 8, EVENT(0x05, 1, 5), -EACCES },	/* WC_buffer */
		{ 8, EVENT(0x04, 2, 2), 0 },		/* load_port_replay */
		{ 12, RETIRED, 0 },
	};
	unsigned int i;
	int status;
	pid_t pid;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		setup_thread(&self->setup, 0, 0);
		setup_add(&self->setup, t[i].counter, t[i].event, PMC_COUNT_USER);
		EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
		EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
		pid = fork();
		if (pid == 0) {
			if (setresgid(USER_NOBODY, USER_NOBODY, USER_NOBODY) ||
			    setresuid(USER_NOBODY, USER_NOBODY, USER_NOBODY))
				_exit(2);
			_exit(setup_configure(self->fd, &self->setup) != t[i].err);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status) {
			TH_LOG("case %u", i);
		}
		/* the child has the file, too */
		EXPECT_EQ(t[i].err ? -EBADFD : 0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
}

/* Counters of a thread: 12, 13 and 16 count instructions, 4 counts branches. */
static const uint64_t known[] = {
	SAMPLED_LOOP(ROUNDS), SAMPLED_LOOP(ROUNDS), SAMPLED_LOOP(ROUNDS), ROUNDS,
};

static int count_configure(int fd)
{
	struct setup setup;

	setup_thread(&setup, 0, 0);
	setup_add(&setup, 12, RETIRED, PMC_COUNT_USER);
	setup_add(&setup, 13, RETIRED, PMC_COUNT_USER);
	setup_add(&setup, 16, RETIRED, PMC_COUNT_USER);
	setup_add(&setup, 4, CONDITIONAL, PMC_COUNT_USER);
	return setup_configure(fd, &setup);
}

/* One more loop, after @turns of them: are all counters right? */
static bool count_right(int fd, unsigned int turns)
{
	struct reading reading;
	uint64_t value;
	unsigned int i;

	if (sampled_loop(fd, ROUNDS, PMC_IOC_START, PMC_IOC_STOP) || reading_read(fd, &reading))
		return false;
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		value = reading.value[i];
		if (value != overcount_accept((turns + 1) * known[i], value))
			return false;
	}
	return true;
}

/* Loop on this CPU until the parent stops it. */
static void count_on(struct shared *shared, int cpu)
{
	int fd = pmc_open();

	if (fd < 0 || pin(0, cpu) || count_configure(fd))
		shared->wrong = true;
	while (!shared->stop && !shared->wrong) {
		if (!count_right(fd, shared->turns[cpu]))
			shared->wrong = true;
		shared->turns[cpu]++;
	}
	_exit(0);
}

/* Wait until each has begun and ended ten loops since both began; then stop them. */
static void wait_for_both(struct shared *shared)
{
	unsigned int first, second;

	while (!shared->wrong && !(shared->turns[0] && shared->turns[1]))
		sched_yield();
	first = shared->turns[0];
	second = shared->turns[1];
	while (!shared->wrong &&
	       (shared->turns[0] < first + 10 || shared->turns[1] < second + 10))
		sched_yield();
	shared->stop = true;
}

/* Both count at the same time, each its own events. */
TEST_F(threads, both_at_once)
{
	pid_t pids[2];
	int cpu;

	for (cpu = 0; cpu < 2; cpu++) {
		pids[cpu] = fork();
		if (pids[cpu] == 0)
			count_on(self->shared, cpu);
	}
	wait_for_both(self->shared);
	for (cpu = 0; cpu < 2; cpu++)
		ASSERT_EQ(pids[cpu], waitpid(pids[cpu], NULL, 0));
	EXPECT_FALSE(self->shared->wrong);
}

/* Each has its own registers: one ESCR, CCCR and counter of each pair. */
TEST_F(threads, registers)
{
	static const struct {
		unsigned int counter, number, escr;
		uint32_t user;
		uint64_t pmi;
	} t[] = {
		{ 12, 12, MSR_CRU_ESCR0, ESCR_T0_USER, CCCR_OVF_PMI },
		{ 12, 14, MSR_CRU_ESCR1, ESCR_T1_USER, CCCR_OVF_PMI_T1 },
		{ 16, 16, MSR_CRU_ESCR0, ESCR_T0_USER, CCCR_OVF_PMI },
		{ 16, 17, MSR_CRU_ESCR1, ESCR_T1_USER, CCCR_OVF_PMI_T1 },
	};
	uint64_t before[4];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		before[0] = msr_read(t[i].escr);
		before[1] = msr_read(t[i ^ 1].escr);
		before[2] = msr_read(MSR_CCCR(t[i].number));
		before[3] = msr_read(MSR_CCCR(t[i ^ 1].number));
		setup_cpu(&self->setup, i & 1);
		setup_add(&self->setup, t[i].counter, RETIRED, PMC_COUNT_USER);
		setup_period(&self->setup, 0, 1000000);
		CONFIGURE_AND_START(self->fd, &self->setup);
		EXPECT_EQ(ESCR_OF(RETIRED) | t[i].user, msr_read(t[i].escr));
		EXPECT_EQ((RETIRED & UINT32_MAX) | CCCR_MUST | CCCR_ENABLE | t[i].pmi,
			  msr_read(MSR_CCCR(t[i].number)) & ~CCCR_OVF);
		EXPECT_EQ(before[1], msr_read(t[i ^ 1].escr));
		EXPECT_EQ(before[3], msr_read(MSR_CCCR(t[i ^ 1].number)));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
		EXPECT_EQ(before[0], msr_read(t[i].escr));
		EXPECT_EQ(before[2], msr_read(MSR_CCCR(t[i].number)));
	}
}

/* A thread migrates from one to the other and back, while the other one counts. */
TEST_F(threads, migration)
{
	struct shared *shared = self->shared;
	unsigned int turn;
	pid_t other;

	ASSERT_EQ(0, count_configure(self->fd));
	other = fork();
	if (other == 0) {
		close(self->fd);
		count_on(shared, 1);
	}
	while (!shared->wrong && !shared->turns[1])
		sched_yield();
	for (turn = 0; turn < 40; turn++) {
		ASSERT_EQ(0, pin(0, turn & 1));
		EXPECT_TRUE(count_right(self->fd, turn)) {
			TH_LOG("loop %u", turn);
		}
	}
	shared->stop = true;
	ASSERT_EQ(other, waitpid(other, NULL, 0));
	EXPECT_FALSE(shared->wrong);
}

/* The page has the counter of the logical processor that the thread is on. */
TEST_F(threads, page)
{
	const struct pmc_page *page;
	unsigned int cpu, turn;
	uint64_t offset;
	uint32_t low, high, sequence;

	setup_thread(&self->setup, 0, PMC_CONFIG_USER_READ);
	setup_add(&self->setup, 12, RETIRED, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	for (turn = 0; turn < 4; turn++) {
		cpu = turn & 1;
		ASSERT_EQ(0, pin(0, cpu));
		ASSERT_EQ(0, sampled_loop(self->fd, ROUNDS, PMC_IOC_START, PMC_IOC_STOP));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		do {
			sequence = *(volatile const uint32_t *)&page->sequence;
			EXPECT_EQ(cpu ? 14 : 12, page->counter[0].rdpmc);
			asm volatile("rdpmc" : "=a" (low), "=d" (high)
				     : "c" (page->counter[0].rdpmc));
			offset = page->counter[0].offset;
		} while (sequence & PMC_PAGE_UNAVAILABLE ||
			 sequence != *(volatile const uint32_t *)&page->sequence);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
		/* the loops, and the few instructions between the calls */
		EXPECT_LT((turn + 1) * SAMPLED_LOOP(ROUNDS),
			  offset + (low | (uint64_t)high << 32));
		EXPECT_GT((turn + 2) * SAMPLED_LOOP(ROUNDS),
			  offset + (low | (uint64_t)high << 32));
	}
}

/*
 * Are the samples up to @value right, one in each period from @due on? *@due becomes the next.
 * If it is due with the last event of a loop, STOP may detect it first.
 */
static bool samples_right(struct ring *ring, uint64_t *due, uint64_t period, uint64_t value)
{
	const struct pmc_sample *sample;

	for (; *due <= value; *due += period) {
		sample = (const void *)ring_next(ring);
		if (!sample || sample->record.type != PMC_RECORD_SAMPLE ||
		    sample->counter != 0 || sample->data[0] != *due)
			return false;
		if (sample->flags && *due != value)
			return false;
		ring_done(ring, &sample->record);
	}
	return !ring_next(ring);
}

/*
 * Sample this process's instructions on this CPU and check each sample. The period is even, as
 * the loop is, so no loop ends with one event left, which would be one event late.
 */
static void sample_on(struct shared *shared, int cpu, uint64_t period)
{
	uint64_t counted = 0, due = period, spurious;
	int fd = pmc_open();
	struct setup setup;
	struct ring ring;

	setup_thread(&setup, 0, 0);
	setup_add(&setup, 12, RETIRED, PMC_COUNT_USER);
	setup_period(&setup, 0, period);
	if (fd < 0 || pin(0, cpu) || setup_configure(fd, &setup) ||
	    ring_map(&ring, fd, &setup, cpu))
		_exit(shared->wrong = true);
	spurious = spurious_now(fd);
	while (!shared->stop && !shared->wrong) {
		counted += SAMPLED_LOOP(ROUNDS);
		if (sampled_loop(fd, ROUNDS, PMC_IOC_START, PMC_IOC_STOP) ||
		    !samples_right(&ring, &due, period, counted))
			shared->wrong = true;
		shared->turns[cpu]++;
	}
	if (spurious_now(fd) != spurious)
		shared->wrong = true;
	_exit(0);
}

/* Both sample at once, with their own periods. */
TEST_F(threads, samples_of_both)
{
	pid_t pids[2];
	int cpu;

	for (cpu = 0; cpu < 2; cpu++) {
		pids[cpu] = fork();
		if (pids[cpu] == 0)
			sample_on(self->shared, cpu, cpu ? 2502 : 2004);
	}
	wait_for_both(self->shared);
	for (cpu = 0; cpu < 2; cpu++)
		ASSERT_EQ(pids[cpu], waitpid(pids[cpu], NULL, 0));
	EXPECT_FALSE(self->shared->wrong);
}

TEST_HARNESS_MAIN

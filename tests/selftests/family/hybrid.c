// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests two core types in one machine: CPU 0 has one, CPU 1 the other
 *
 * A feature of only one core type is refused to a context that may run on both, unless it
 * selects that core type. A thread that migrates between them is counted exactly.
 */
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "migrating_loop.h"
#include "fixture.h"
#include "module.h"
#include "samples.h"
#include "user_read.h"

#define CPU1	"/sys/devices/system/cpu/cpu1/online"

#define PERIOD	10007

FIXTURE(hybrid) {
	struct pmc_query query[2];
	cpu_set_t on[2];
	struct setup setup;
	struct reading reading;
	int fd;
};

FIXTURE_SETUP(hybrid)
{
	int cpu;

	NEED_COUNTERS(&self->query[0]);
	NEED_CPUS(2);
	for (cpu = 0; cpu < 2; cpu++) {
		ASSERT_EQ(0, pmc_query(cpu, &self->query[cpu]));
		CPU_ZERO(&self->on[cpu]);
		CPU_SET(cpu, &self->on[cpu]);
	}
	if (self->query[0].core_type == self->query[1].core_type)
		SKIP(return, "the machine has one core type");
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN(hybrid)
{
	file_write(CPU1, "1");
	close(self->fd);
}

/* A counter that this CPU has and the other lacks; 64: none */
static unsigned int only_on(const struct _test_data_hybrid *self, int cpu)
{
	uint64_t only = self->query[cpu].general_counters & ~self->query[!cpu].general_counters;

	return only ? __builtin_ctzll(only) : 64;
}

static unsigned int on_both(const struct _test_data_hybrid *self)
{
	return __builtin_ctzll(self->query[0].general_counters & self->query[1].general_counters);
}

/* For each CPU that has a counter that the other lacks */
TEST_F(hybrid, features_of_one_core_type)
{
	unsigned int counter, seen = 0;
	int cpu;

	NEED_ROOT();
	for (cpu = 0; cpu < 2; cpu++) {
		counter = only_on(self, cpu);
		if (counter == 64)
			continue;
		seen++;
		setup_thread(&self->setup, 0, 0);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(on_both(self)), EVENT_INSTRUCTIONS,
			  PMC_COUNT_USER);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(counter), EVENT_INSTRUCTIONS,
			  PMC_COUNT_USER);
		EXPECT_EQ(-ENXIO, setup_configure(self->fd, &self->setup));
		EXPECT_EQ(1, self->setup.config.failed_entry);
		EXPECT_EQ(!cpu, self->setup.config.failed_cpu);

		setup_all_cpus(&self->setup);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(counter), EVENT_INSTRUCTIONS,
			  PMC_COUNT_USER);
		EXPECT_EQ(-ENXIO, setup_configure(self->fd, &self->setup));
		EXPECT_EQ(!cpu, self->setup.config.failed_cpu);
		self->setup.config.core_type = self->query[!cpu].core_type;
		EXPECT_EQ(-ENXIO, setup_configure(self->fd, &self->setup));
		EXPECT_EQ(!cpu, self->setup.config.failed_cpu);
		self->setup.config.core_type = self->query[cpu].core_type;
		EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));

		setup_cpu(&self->setup, !cpu);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(counter), EVENT_INSTRUCTIONS,
			  PMC_COUNT_USER);
		EXPECT_EQ(-ENXIO, setup_configure(self->fd, &self->setup));
		setup_cpu(&self->setup, cpu);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(counter), EVENT_INSTRUCTIONS,
			  PMC_COUNT_USER);
		EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
	EXPECT_NE(0, seen);
}

/* The same for fixed counters and bits of the event select, where they differ */
TEST_F(hybrid, fixed_counters_and_bits_of_one)
{
	unsigned int counter, seen = 0;
	uint64_t only;
	int cpu;

	for (cpu = 0; cpu < 2; cpu++) {
		only = self->query[cpu].fixed_counters & ~self->query[!cpu].fixed_counters;
		if (only) {
			seen++;
			counter = PMC_COUNTER_FIXED(__builtin_ctzll(only));
			setup_thread(&self->setup, 0, 0);
			setup_add(&self->setup, counter, 0, PMC_COUNT_USER);
			EXPECT_EQ(-ENXIO, setup_configure(self->fd, &self->setup));
			EXPECT_EQ(!cpu, self->setup.config.failed_cpu);
			self->setup.config.core_type = self->query[cpu].core_type;
			EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
			ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
		}
		only = self->query[cpu].event_select_mask & ~self->query[!cpu].event_select_mask;
		if (only) {
			seen++;
			setup_thread(&self->setup, 0, 0);
			setup_add(&self->setup, PMC_COUNTER_GENERAL(on_both(self)),
				  EVENT_INSTRUCTIONS, PMC_COUNT_USER);
			self->setup.counter[0].event_select |= only;
			EXPECT_EQ(-EINVAL, setup_configure(self->fd, &self->setup));
			EXPECT_EQ(only, self->setup.config.refused_bits);
			EXPECT_EQ(!cpu, self->setup.config.failed_cpu);
		}
	}
	if (!seen)
		SKIP(return, "the same fixed counters and event selects");
}

/* A core type that no CPU has, an invalid one, and another than the CPU's */
TEST_F(hybrid, absent_core_types)
{
	uint32_t type = self->query[0].core_type & ~PMC_CORE_TYPE_MODEL;

	NEED_ROOT();
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(on_both(self)), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER);
	self->setup.config.core_type = 0x7f000000;
	EXPECT_EQ(-ENODEV, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(-1, self->setup.config.failed_cpu);
	/* the other model */
	self->setup.config.core_type = self->query[0].core_type ^ 0x800000;
	EXPECT_EQ(-ENODEV, setup_configure(self->fd, &self->setup));
	self->setup.config.core_type = 1;
	EXPECT_EQ(-EINVAL, setup_configure(self->fd, &self->setup));
	self->setup.config.core_type = type;
	EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));

	setup_cpu(&self->setup, 1);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(on_both(self)), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER);
	self->setup.config.core_type = self->query[0].core_type;
	EXPECT_EQ(-ENODEV, setup_configure(self->fd, &self->setup));
	self->setup.config.core_type = self->query[1].core_type;
	EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
}

/* Contexts on different core types do not conflict, those on one do. */
TEST_F(hybrid, holders)
{
	struct pmc_counter counter;
	struct setup other;
	int fd = pmc_open();

	ASSERT_LE(0, fd);
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(on_both(self)), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER);
	other = self->setup;
	other.config.counters = (uintptr_t)other.counter;
	self->setup.config.core_type = self->query[0].core_type;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(-EBUSY, setup_configure(fd, &other));
	other.config.core_type = self->query[0].core_type;
	EXPECT_EQ(-EBUSY, setup_configure(fd, &other));
	EXPECT_EQ(PMC_HOLDER_CONTEXT, other.config.holder.kind);
	ASSERT_EQ(0, pmc_describe(0, PMC_COUNTER_GENERAL(on_both(self)), &counter));
	EXPECT_EQ(PMC_HOLDER_CONTEXT, counter.holder.kind);
	ASSERT_EQ(0, pmc_describe(1, PMC_COUNTER_GENERAL(on_both(self)), &counter));
	EXPECT_EQ(PMC_HOLDER_NONE, counter.holder.kind);
	other.config.core_type = self->query[1].core_type;
	EXPECT_EQ(0, setup_configure(fd, &other));
	close(fd);
}

/* CPU 1 comes online while @core_type is counted; returns the state then. */
static uint32_t online_later(struct __test_metadata *_metadata, struct _test_data_hybrid *self,
			     uint32_t core_type)
{
	EXPECT_EQ(0, file_write(CPU1, "0"));
	self->setup.config.core_type = core_type;
	EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	EXPECT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING, self->reading.state);
	EXPECT_EQ(0, file_write(CPU1, "1"));
	EXPECT_EQ(0, reading_read(self->fd, &self->reading));
	return self->reading.state;
}

/* The same for a thread that has run there and reads its counters in user mode */
static void thread_goes_there(struct __test_metadata *_metadata,
			      struct _test_data_hybrid *self, uint32_t core_type,
			      uint32_t uncounted)
{
	const struct pmc_page *page;

	setup_thread(&self->setup, 0, PMC_CONFIG_USER_READ);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(on_both(self)), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER);
	EXPECT_EQ(PMC_STATE_RUNNING, online_later(_metadata, self, core_type));
	page = page_map(self->fd);
	ASSERT_NE(NULL, page);
	EXPECT_EQ(0, page_sequence(page) & PMC_PAGE_UNAVAILABLE);
	ASSERT_EQ(0, pin(0, 1));
	EXPECT_EQ(PMC_PAGE_UNAVAILABLE, page_sequence(page) & PMC_PAGE_UNAVAILABLE);
	ASSERT_EQ(0, pin(0, 0));
	EXPECT_EQ(uncounted ? PMC_PAGE_UNAVAILABLE : 0, page_sequence(page) & PMC_PAGE_UNAVAILABLE);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING | uncounted, self->reading.state);
	STOP_AND_READ(self->fd, &self->reading);
	EXPECT_EQ(uncounted, self->reading.state);
	ASSERT_EQ(0, page_unmap(page));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
}

/*
 * A CPU of a core type that was offline at CONFIGURE: what runs there is not counted, and the
 * state reports it, unless another core type was selected.
 */
TEST_F(hybrid, core_type_onlined_later)
{
	uint32_t kind = self->query[0].core_type;

	NEED_ROOT();
	ASSERT_EQ(0, pin(0, 0));
	thread_goes_there(_metadata, self, 0, PMC_STATE_UNCOUNTED);
	thread_goes_there(_metadata, self, kind, 0);

	setup_all_cpus(&self->setup);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(on_both(self)), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER);
	EXPECT_EQ(PMC_STATE_RUNNING | PMC_STATE_UNCOUNTED, online_later(_metadata, self, 0));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(PMC_STATE_RUNNING, online_later(_metadata, self, kind));
}

/* Configure @counter of CPU @cpu's core type for reading in user mode. */
static int configure_user_read(struct _test_data_hybrid *self, int cpu, uint32_t counter)
{
	setup_thread(&self->setup, 0, PMC_CONFIG_USER_READ);
	setup_add(&self->setup, counter, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	self->setup.config.core_type = self->query[cpu].core_type;
	return setup_configure(self->fd, &self->setup);
}

/* A counter of one core type alone cannot be read in user mode, also if the other is offline. */
TEST_F(hybrid, user_read_of_one_core_type)
{
	int cpu;

	for (cpu = 0; cpu < 2; cpu++) {
		if (only_on(self, cpu) == 64)
			continue;
		EXPECT_EQ(-EXDEV, configure_user_read(self, cpu, only_on(self, cpu)));
		EXPECT_EQ(0, self->setup.config.failed_entry);
		EXPECT_EQ(0, configure_user_read(self, cpu, on_both(self)));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
		if (cpu)
			continue;
		ASSERT_EQ(0, file_write(CPU1, "0"));
		EXPECT_EQ(-EXDEV, configure_user_read(self, cpu, only_on(self, cpu)));
		ASSERT_EQ(0, file_write(CPU1, "1"));
	}
}

/* The module has never seen CPU 1: it cannot come online beside such a context. */
TEST_F(hybrid, user_read_before_the_other_core_type)
{
	NEED_ROOT();
	if (only_on(self, 0) == 64)
		SKIP(return, "CPU 1 has all counters of CPU 0");
	close(self->fd);
	ASSERT_EQ(0, file_write(CPU1, "0"));
	ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load());
	OPEN_DEVICE(self->fd);
	ASSERT_EQ(0, configure_user_read(self, 0, only_on(self, 0)));
	EXPECT_EQ(-EBUSY, file_write(CPU1, "1"));
	ASSERT_EQ(0, pmc_query(1, &self->query[1]));
	EXPECT_EQ(PMC_STATUS_OFFLINE, self->query[1].status);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(0, file_write(CPU1, "1"));
	ASSERT_EQ(0, pmc_query(1, &self->query[1]));
	EXPECT_EQ(PMC_STATUS_OK, self->query[1].status);
}

#ifdef __x86_64__
#define RDPMC_BYTES	0x330f

/* In the child: the read in user mode and by PMC_IOC_READ. Exits with 0 if both agree. */
static void read_traced(struct _test_data_hybrid *self)
{
	struct access access = { .reading = &self->reading, .fd = self->fd };
	int err = 0;

	setup_thread(&self->setup, 0, PMC_CONFIG_USER_READ);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(on_both(self)), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER);
	err |= setup_configure(self->fd, &self->setup);
	access.page = page_map(self->fd);
	access.counter = access.page->counter;
	err |= pmc_call(self->fd, PMC_IOC_START, NULL);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	err |= access_both(&access);
	_exit(err || access.value + ACCESS_INSTRUCTIONS != self->reading.value[0]);
}

/* Single-step to RDPMC, move the thread to the other core type, go on: no fault, the same count. */
TEST_F(hybrid, moved_before_rdpmc)
{
	unsigned int steps;
	int status;
	pid_t pid;

	ASSERT_EQ(0, pin(0, 0));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		read_traced(self);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	for (steps = 0; steps < 10000; steps++) {
		long ip = ptrace(PTRACE_PEEKUSER, pid, offsetof(struct user, regs.rip), NULL);

		ASSERT_TRUE(WIFSTOPPED(status));
		if ((ptrace(PTRACE_PEEKTEXT, pid, ip, NULL) & 0xffff) == RDPMC_BYTES)
			break;
		ASSERT_EQ(0, ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
	}
	ASSERT_GT(10000, steps);
	ASSERT_EQ(0, pin(pid, 1));
	ASSERT_EQ(0, ptrace(PTRACE_CONT, pid, NULL, NULL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* The count of the migrating thread on CPU 0 and CPU 1, for this core type */
static uint64_t moving_count(const struct _test_data_hybrid *self, uint32_t kind,
			     uint64_t event)
{
	bool branches = event == EVENT_BRANCHES;
	uint64_t all = branches ? MOVING_BRANCHES : MOVING_INSTRUCTIONS;
	uint64_t second = branches ? MOVING_SECOND_BRANCHES : MOVING_SECOND_INSTRUCTIONS;

	if (!kind)
		return all;
	return kind == self->query[1].core_type ? second : all - second;
}

static void move(struct __test_metadata *_metadata, struct _test_data_hybrid *self,
		 uint32_t kind, uint64_t event)
{
	unsigned int i;

	ASSERT_EQ(0, pin(0, 0));
	setup_thread(&self->setup, 0, 0);
	self->setup.config.core_type = kind;
	for (i = 0; i < 64; i++) {
		if (self->query[0].general_counters & self->query[1].general_counters &
		    1ULL << i)
			setup_add(&self->setup, PMC_COUNTER_GENERAL(i), event, PMC_COUNT_USER);
	}
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, move_counted(self->fd, &self->on[0], &self->on[1]));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < self->reading.nr_counters; i++)
		EXPECT_COUNT(moving_count(self, kind, event), self->reading.value[i]);
	if (kind)
		EXPECT_LT(self->reading.time_counted, self->reading.time_enabled);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
}

TEST_F(hybrid, migrates_between_core_types)
{
	move(_metadata, self, 0, EVENT_INSTRUCTIONS);
	move(_metadata, self, 0, EVENT_BRANCHES);
}

TEST_F(hybrid, counted_on_one_core_type)
{
	int cpu;

	for (cpu = 0; cpu < 2; cpu++) {
		move(_metadata, self, self->query[cpu].core_type, EVENT_INSTRUCTIONS);
		move(_metadata, self, self->query[cpu].core_type, EVENT_BRANCHES);
	}
}

/*
 * Sampled counters are loaded with each CPU's own width: no overflow is missed or reported
 * twice.
 */
TEST_F(hybrid, sampled_on_both_core_types)
{
	struct pmc_statistics statistics;
	uint64_t records = 0, overflows = 0;
	const struct pmc_record *record;
	struct ring ring;
	int cpu;

	ASSERT_EQ(0, pin(0, 0));
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(on_both(self)), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER);
	self->setup.counter[0].period = PERIOD;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, move_counted(self->fd, &self->on[0], &self->on[1]));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_COUNT(MOVING_INSTRUCTIONS, self->reading.value[0]);
	EXPECT_EQ(self->reading.value[0] / PERIOD, self->reading.overflows);
	ASSERT_EQ(0, statistics_read(self->fd, &statistics));
	EXPECT_EQ(self->reading.overflows, statistics.sampled + statistics.throttled);
	EXPECT_EQ(0, statistics.lost);
	for (cpu = 0; cpu < 2; cpu++) {
		ASSERT_EQ(0, ring_map(&ring, self->fd, &self->setup, cpu));
		while ((record = ring_next(&ring))) {
			if (record->type == PMC_RECORD_SAMPLE) {
				records++;
				overflows += ((const struct pmc_sample *)record)->overflows;
			}
			ring_done(&ring, record);
		}
		ring_unmap(&ring);
	}
	EXPECT_EQ(statistics.records, records);
	EXPECT_EQ(statistics.sampled, overflows);
}

/* Each CPU counts its own events, for one core type or for both. */
TEST_F(hybrid, all_cpus_of_a_core_type)
{
	NEED_ROOT();
	ASSERT_EQ(0, pin(0, 0));
	setup_all_cpus(&self->setup);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(on_both(self)), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER);
	self->setup.config.core_type = self->query[0].core_type;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, move_counted(self->fd, &self->on[0], &self->on[1]));
	ASSERT_EQ(0, reading_read_cpu(self->fd, 1, &self->reading));
	EXPECT_EQ(0, self->reading.value[0]);
	EXPECT_EQ(0, self->reading.time_counted);
	ASSERT_EQ(0, reading_read_cpu(self->fd, 0, &self->reading));
	EXPECT_LE(MOVING_INSTRUCTIONS - MOVING_SECOND_INSTRUCTIONS, self->reading.value[0]);
}
#endif /* __x86_64__ */

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests isolated CPUs: the driver leaves them alone until a followed thread arrives there, and
 * counts that thread from its arrival. Needs CPU 1 isolated: isolcpus=1, nohz_full=1, or a cpuset.
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "migrating_loop.h"
#include "acquisitions.h"
#include "fixture.h"
#include "interrupts.h"
#include "registers.h"
#include "samples.h"
#include "throttling.h"

#define ISOLATED	"/sys/devices/system/cpu/isolated"
#define NOHZ_FULL	"/sys/devices/system/cpu/nohz_full"
#define CPUSETS		"/sys/fs/cgroup/cpuset.cpus.isolated"
#define PCE		"/sys/class/misc/pmc/pce"
#define CPU1		"/sys/devices/system/cpu/cpu1/online"

/* Masks of struct acquisitions */
#define ON_CPU0		1U
#define ON_BOTH		3U
#define ON_ISOLATED	2U

FIXTURE(isolated) {
	SAMPLING_FIXTURE;
	struct registers before, after;
	const struct program *loop;
};

/* Is CPU 1 the only one in a list of CPUs? */
static bool lists_cpu1(const char *path)
{
	char cpus[16] = "";

	return !file_read(path, cpus, sizeof(cpus)) && !strcmp(cpus, "1\n");
}

FIXTURE_SETUP(isolated)
{
	NEED_COUNTERS_AND_ROOT(&self->query);
	NEED_CPUS(2);
	if (!lists_cpu1(ISOLATED) && !lists_cpu1(NOHZ_FULL) && !lists_cpu1(CPUSETS))
		SKIP(return, "needs CPU 1 isolated: isolcpus=1, nohz_full=1, or a cpuset");
	LOAD_PROGRAM(self->loop, "./loop-1m");
	OPEN_DEVICE(self->fd);
	ASSERT_EQ(0, pin(0, 0));
	NEED_ACQUISITIONS();
}

FIXTURE_TEARDOWN(isolated)
{
	acquisitions_ignore();
	close(self->fd);
}

static void setup_scope(struct setup *setup, uint32_t scope, pid_t tid, uint32_t flags)
{
	setup_thread(setup, tid, flags);
	setup->config.scope = scope;
}

/* Linux 6.12 refuses to take an isolated CPU offline. */
#define TAKE_OFFLINE() do {							\
	int err = file_write(CPU1, "0");					\
										\
	if (err == -EBUSY)							\
		SKIP(return, "this kernel does not take isolated CPUs offline");	\
	ASSERT_EQ(0, err);							\
} while (0)

/* CONFIGURE for the caller, START, STOP and READ leave CPU 1 alone, and so does RELEASE. */
static void leave_alone(struct __test_metadata *_metadata, struct _test_data_isolated *self,
			uint32_t scope)
{
	NEED_ACQUISITIONS();
	setup_scope(&self->setup, scope, 0, 0);
	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(self->fd, &self->setup);
	STOP_AND_READ(self->fd, &self->reading);
	EXPECT_EQ(0, self->reading.state & PMC_STATE_UNCOUNTED);
	EXPECT_EQ(ON_CPU0, acquisitions_seen().now);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(ON_CPU0, acquisitions_seen().ever);
	EXPECT_EQ(0, acquisitions_seen().now);
	EXPECT_EQ(ON_CPU0, acquisitions_seen().work);
}

TEST_F(isolated, left_alone)
{
	leave_alone(_metadata, self, PMC_SCOPE_THREAD);
	leave_alone(_metadata, self, PMC_SCOPE_PROCESS);
	leave_alone(_metadata, self, PMC_SCOPE_TREE);
}

/*
 * Nor is it interrupted. It is busy, because an idle CPU can be called without an interrupt.
 * Another context keeps the kernel's code as it is meanwhile.
 */
TEST_F(isolated, not_interrupted)
{
	struct child busy;
	struct setup setup;
	int other, round;
	long calls;

	OPEN_DEVICE(other);
	ASSERT_EQ(0, child_spin(&busy));
	ASSERT_EQ(0, pin(busy.pid, 1));
	ASSERT_EQ(0, child_go(&busy));
	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(other, &setup);
	calls = calls_received();
	ASSERT_LE(0, calls);
	for (round = 0; round < 10; round++) {
		setup_thread(&self->setup, 0, 0);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
		CONFIGURE_AND_START(self->fd, &self->setup);
		STOP_AND_READ(self->fd, &self->reading);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
	EXPECT_EQ(calls, calls_received());
	EXPECT_EQ(ON_CPU0, acquisitions_seen().work);
	child_kill(&busy);
	close(other);
}

/* Writing the attribute interrupts the CPUs where contexts may sample: first none, then CPU 0. */
TEST_F(isolated, not_interrupted_by_a_limit)
{
	struct child busy;
	char percent[8];
	int round;
	long calls;

	ASSERT_EQ(0, file_read(THROTTLE_PERCENT, percent, sizeof(percent)));
	ASSERT_EQ(0, child_spin(&busy));
	ASSERT_EQ(0, pin(busy.pid, 1));
	ASSERT_EQ(0, child_go(&busy));
	calls = calls_received();
	ASSERT_LE(0, calls);
	for (round = 0; round < 10; round++)
		ASSERT_EQ(0, file_write(THROTTLE_PERCENT, percent));
	EXPECT_EQ(calls, calls_received());
	setup_thread_one(&self->setup, 0, 0);
	setup_period(&self->setup, 0, MEDIUM_PERIOD);
	CONFIGURE_AND_START(self->fd, &self->setup);
	calls = calls_received();
	for (round = 0; round < 10; round++)
		ASSERT_EQ(0, file_write(THROTTLE_PERCENT, percent));
	EXPECT_EQ(calls, calls_received());
	child_kill(&busy);
}

/* Contexts that may need any CPU at once acquire all: those of CPUs, and those with a user page. */
TEST_F(isolated, needed_at_once)
{
	setup_all_cpus_one(&self->setup);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(ON_BOTH, acquisitions_seen().now);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	NEED_ACQUISITIONS();
	setup_thread_one(&self->setup, 0, PMC_CONFIG_USER_READ);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(ON_BOTH, acquisitions_seen().now);
}

/* A thread that has CPU 1 in its affinity may arrive at any time: here, another of the process. */
static int wait_for_the_end(void *unused)
{
	pause();
	return 0;
}

TEST_F(isolated, in_the_affinity_of_a_thread)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
	static char stack[16384] __attribute__((aligned(16)));
	pid_t tid = clone(wait_for_the_end, stack + sizeof(stack), flags, NULL);

	ASSERT_LT(0, tid);
	ASSERT_EQ(0, pin(tid, 1));
	setup_thread_one(&self->setup, 0, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(ON_CPU0, acquisitions_seen().now);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	setup_scope(&self->setup, PMC_SCOPE_PROCESS, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(ON_BOTH, acquisitions_seen().now);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	setup_thread_one(&self->setup, tid, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(ON_BOTH, acquisitions_seen().now);
}

static void move(struct __test_metadata *_metadata, struct _test_data_isolated *self)
{
	cpu_set_t cpu0, cpu1;

	CPU_ZERO(&cpu0);
	CPU_SET(0, &cpu0);
	CPU_ZERO(&cpu1);
	CPU_SET(1, &cpu1);
	ASSERT_EQ(0, move_counted(self->fd, &cpu0, &cpu1));
	EXPECT_EQ(1, sched_getcpu());
}

/* Each counter has counted this, on both CPUs. */
static void expect_each(struct __test_metadata *_metadata, struct _test_data_isolated *self,
			uint64_t value)
{
	unsigned int i;

	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(0, self->reading.state & ~PMC_STATE_ENDED);
	for (i = 0; i < self->reading.nr_counters; i++)
		EXPECT_COUNT(value, self->reading.value[i]);
}

/* Counted exactly from the first arrival on; the CPU is released with the context. */
static void arrive(struct __test_metadata *_metadata, struct _test_data_isolated *self,
		   uint32_t scope)
{
	NEED_ACQUISITIONS();
	setup_scope(&self->setup, scope, 0, 0);
	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(ON_CPU0, acquisitions_seen().ever);
	move(_metadata, self);
	expect_each(_metadata, self, MOVING_INSTRUCTIONS);
	EXPECT_EQ(ON_BOTH, acquisitions_seen().now);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(0, acquisitions_seen().now);
	ASSERT_EQ(0, pin(0, 0));
}

/* The counters that were used on CPU 1 may have been perf's, and are 0: perf does not know. */
static void expect_zero_counters(struct __test_metadata *_metadata,
				 struct _test_data_isolated *self)
{
	unsigned int i, n, zeroed = 0;

	for (i = 0; i < self->before.nr; i++) {
		for (n = 0; n < self->setup.config.nr_counters; n++) {
			uint32_t counter = self->setup.counter[n].counter;
			uint32_t address = counter & PMC_COUNTER_FIXED(0) ?
				msr_fixed(&self->query, counter & ~PMC_COUNTER_FIXED(0)) :
				msr_counter(&self->query, counter);

			if (self->before.address[i] != address)
				continue;
			EXPECT_EQ(0, self->after.value[1][i]);
			self->after.value[1][i] = self->before.value[1][i];
			zeroed++;
		}
	}
	EXPECT_EQ(self->setup.config.nr_counters, zeroed);
}

TEST_F(isolated, counted_from_its_arrival)
{
	struct registers found;

	registers_list(&found, &self->query);
	ASSERT_EQ(0, registers_read(&found));
	self->before = found;
	ASSERT_EQ(0, registers_fill(&found, &self->before));
	self->after = self->before;
	arrive(_metadata, self, PMC_SCOPE_THREAD);
	arrive(_metadata, self, PMC_SCOPE_PROCESS);
	arrive(_metadata, self, PMC_SCOPE_TREE);
	ASSERT_EQ(0, registers_read(&self->after));
	expect_zero_counters(_metadata, self);
	EXPECT_EQ(0, registers_differ(&self->before, &self->after));
	ASSERT_EQ(0, registers_put(&found));
}

/* A child of a followed process arrives, and counts from its exec. */
TEST_F(isolated, program_moved_before_exec)
{
	struct child child;

	ASSERT_EQ(0, child_counted(&child, self->loop, &self->setup, &self->query,
				   EVENT_INSTRUCTIONS));
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, pin(child.pid, 1));
	ASSERT_EQ(0, child_go(&child));
	ASSERT_EQ(0, child_wait(&child));
	expect_each(_metadata, self, self->loop->instructions);
}

/* START of a thread that has moved to CPU 1 since CONFIGURE */
TEST_F(isolated, started_there)
{
	setup_thread_one(&self->setup, 0, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pin(0, 1));
	EXPECT_EQ(ON_CPU0, acquisitions_seen().now);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	EXPECT_EQ(ON_BOTH, acquisitions_seen().now);
	STOP_AND_READ(self->fd, &self->reading);
	EXPECT_EQ(0, self->reading.state);
	EXPECT_LT(0, self->reading.value[0]);
}

/* The counter of a thread that can arrive is not free on CPU 1. */
TEST_F(isolated, holder_is_known)
{
	struct pmc_counter counter;
	struct setup setup;
	int other;

	OPEN_DEVICE(other);
	setup_thread_one(&self->setup, 0, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pmc_describe(1, self->setup.counter[0].counter, &counter));
	EXPECT_EQ(PMC_HOLDER_CONTEXT, counter.holder.kind);
	EXPECT_EQ(getpid(), counter.holder.pid);
	setup_cpu_one(&setup, 1);
	EXPECT_EQ(-EBUSY, setup_configure(other, &setup));
	close(other);
}

/* The CPU is released with the last context that has arrived there, whatever others remain. */
TEST_F(isolated, released_with_the_last_arrival)
{
	struct setup setup;
	struct child child;
	int other, third;

	OPEN_DEVICE(other);
	OPEN_DEVICE(third);
	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(other, &setup);
	ASSERT_EQ(0, child_program(&child, self->loop));
	setup_thread_one(&self->setup, child.pid, PMC_CONFIG_ON_EXEC);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, pin(child.pid, 1));
	ASSERT_EQ(0, child_run(&child));
	EXPECT_EQ(ON_BOTH, acquisitions_seen().now);
	/* the release of a context without a thread there does not release CPU 1 */
	setup_thread_one(&setup, 0, 0);
	ASSERT_EQ(0, setup_configure(third, &setup));
	ASSERT_EQ(0, close(third));
	EXPECT_EQ(ON_BOTH, acquisitions_seen().now);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_COUNT(self->loop->instructions, self->reading.value[0]);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(ON_CPU0, acquisitions_seen().now);
	ASSERT_EQ(0, close(other));
	EXPECT_EQ(0, acquisitions_seen().now);
}

/* A context that counts CPU 1 acquired it, and is released while a thread counts there. */
TEST_F(isolated, kept_while_a_thread_counts_there)
{
	struct setup setup;
	int other;

	OPEN_DEVICE(other);
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	setup_cpu_one(&setup, 1);
	CONFIGURE_AND_START(other, &setup);
	ASSERT_EQ(0, pin(0, 1));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(other, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(ON_BOTH, acquisitions_seen().now);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
	/* now the thread is stopped when that context is released, so CPU 1 is, too */
	CONFIGURE_AND_START(other, &setup);
	ASSERT_EQ(0, pmc_call(other, PMC_IOC_RELEASE, NULL));
	move(_metadata, self);
	expect_each(_metadata, self, MOVING_INSTRUCTIONS);
	close(other);
}

#define PERIOD	20011

/* @between: called after the context is configured and before the thread moves */
static void sample_the_move(struct __test_metadata *_metadata, struct _test_data_isolated *self,
			    void (*between)(struct __test_metadata *_metadata))
{
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_period(&self->setup, 0, PERIOD);
	self->setup.config.ring_size = 1 << 20;
	CONFIGURE_SAMPLING();
	ASSERT_EQ(0, text_range("/proc/self/exe", &self->tally.text));
	self->spurious = spurious_now(self->fd);
	if (between)
		between(_metadata);
	move(_metadata, self);
	tally_rings(&self->tally, &self->rings);
	expect_each(_metadata, self, MOVING_INSTRUCTIONS);
	EXPECT_EQ(self->reading.value[0] / PERIOD, self->tally.overflows[0]);
	EXPECT_EQ(0, self->tally.late);
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
	RELEASE_SAMPLING();
}

/* The overflow interrupt is armed on arrival: samples come from both CPUs. */
TEST_F(isolated, sampled_from_its_arrival)
{
	sample_the_move(_metadata, self, NULL);
}

/* A CPU that is acquired later uses the present limit, and from then on each new one. */
TEST_F(isolated, limited_from_its_arrival)
{
	uint64_t throttled;
	char percent[8];

	ASSERT_EQ(0, file_read(THROTTLE_PERCENT, percent, sizeof(percent)));
	setup_thread_one(&self->setup, 0, 0);
	setup_period(&self->setup, 0, MEDIUM_PERIOD);
	CONFIGURE_AND_START(self->fd, &self->setup);
	EXPECT_EQ(0, throttled_later(self->fd));
	ASSERT_EQ(0, file_write(THROTTLE_PERCENT, "1"));
	ASSERT_EQ(0, pin(0, 1));
	throttled = throttled_later(self->fd);
	EXPECT_LT(0, throttled);
	ASSERT_EQ(0, file_write(THROTTLE_PERCENT, "50"));
	/* the last window with the lower limit ends */
	throttled_later(self->fd);
	throttled = throttled_later(self->fd);
	EXPECT_EQ(throttled, throttled_later(self->fd));
	ASSERT_EQ(0, file_write(THROTTLE_PERCENT, "1"));
	EXPECT_LT(throttled, throttled_later(self->fd));
	ASSERT_EQ(0, file_write(THROTTLE_PERCENT, percent));
}

/* Its file stays open until the test ends. */
static void configure_there(struct __test_metadata *_metadata)
{
	struct setup setup;
	int fd;

	OPEN_DEVICE(fd);
	setup_cpu(&setup, 1);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(fd, &setup));
}

/* A context without a period acquires the CPU after the one that samples. */
TEST_F(isolated, sampled_after_a_context_there)
{
	sample_the_move(_metadata, self, configure_there);
}

/* A context that samples is configured after another context's thread has arrived. */
TEST_F(isolated, sampled_after_another_arrival)
{
	struct setup setup;
	int other;

	OPEN_DEVICE(other);
	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(other, &setup);
	ASSERT_EQ(0, pin(0, 1));
	ASSERT_EQ(0, pin(0, 0));
	sample_the_move(_metadata, self, NULL);
	close(other);
}

/*
 * Other software runs a counter of CPU 1 without a reservation. That is no obstacle while no
 * thread is there; then the counts lack what the thread does there, and the state shows it.
 */
TEST_F(isolated, counter_in_use_there)
{
	uint64_t select, ctrl, value;

	if (!(self->query.features & PMC_FEATURE(GLOBAL_CTRL)))
		SKIP(return, "this processor has no global control");
	ASSERT_EQ(0, msr_read(1, MSR_SELECT0, &select));
	ASSERT_EQ(0, msr_read(1, IA32_GLOBAL_CTRL, &ctrl));
	ASSERT_EQ(0, msr_write(1, MSR_SELECT0,
			       EVENT_INSTRUCTIONS | SELECT_USER | SELECT_KERNEL | SELECT_ENABLE));
	ASSERT_EQ(0, msr_write(1, IA32_GLOBAL_CTRL, ctrl | 1));
	setup_thread_one(&self->setup, 0, 0);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING, self->reading.state);
	ASSERT_EQ(0, pin(0, 1));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING | PMC_STATE_UNCOUNTED, self->reading.state);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, msr_read(1, IA32_GLOBAL_CTRL, &value));
	EXPECT_EQ(ctrl | 1, value);
	ASSERT_EQ(0, msr_write(1, MSR_SELECT0, select));
	ASSERT_EQ(0, msr_write(1, IA32_GLOBAL_CTRL, ctrl));
}

/* perf counts on CPU 1 with all general counters, and leaves its values in them. */
static void leave_perfs_counts(struct __test_metadata *_metadata)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		.exclude_kernel = 1,
	};
	int counter[8], n, i;

	ASSERT_EQ(0, pin(0, 1));
	for (n = 0; n < ARRAY_SIZE(counter); n++) {
		counter[n] = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		if (counter[n] < 0)
			break;
	}
	for (i = 0; i < n; i++)
		close(counter[i]);
	ASSERT_LT(3, n);
	ASSERT_EQ(0, pin(0, 0));
}

/*
 * Three counters that are dirty, and a fixed one that is not. They count kernel mode, too: zeroing
 * may come a few instructions after a switch.
 */
static void add_all_but_one(struct setup *setup)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		setup_add(setup, PMC_COUNTER_GENERAL(i), EVENT_INSTRUCTIONS,
			  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	setup_add(setup, FIXED_INSTRUCTIONS, 0, PMC_COUNT_USER | PMC_COUNT_KERNEL);
}

/* The thread arrives on CPU 1, where perf's counters are dirty. */
static void arrive_at_dirty_counters(struct __test_metadata *_metadata,
				     struct _test_data_isolated *self)
{
	leave_perfs_counts(_metadata);
	setup_thread(&self->setup, 0, 0);
	add_all_but_one(&self->setup);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, pin(0, 1));
}

/*
 * A counter that was zeroed while it counted has jumped, because differences are modulo its width,
 * or it lacks what it had counted since the switch, unlike the fixed one.
 */
static void expect_no_jump(struct __test_metadata *_metadata, struct _test_data_isolated *self,
			   uint32_t state)
{
	unsigned int i;

	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, pin(0, 1));
	STOP_AND_READ(self->fd, &self->reading);
	EXPECT_EQ(state, self->reading.state);
	for (i = 0; i < self->reading.nr_counters; i++) {
		EXPECT_LT(0, self->reading.value[i]);
		EXPECT_LT(self->reading.value[i], 1ULL << 36);
		EXPECT_EQ(self->reading.value[0], self->reading.value[i]);
	}
}

/*
 * perf zeroes its dirty counters when a task that may use RDPMC is next scheduled on the CPU. The
 * counted thread becomes such a task: by a context of its own with a user page.
 */
TEST_F(isolated, dirty_when_a_user_page_is_requested)
{
	struct setup setup;
	int other;

	OPEN_DEVICE(other);
	arrive_at_dirty_counters(_metadata, self);
	setup_thread(&setup, 0, PMC_CONFIG_USER_READ);
	setup_add(&setup, PMC_COUNTER_GENERAL(3), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(other, &setup);
	expect_no_jump(_metadata, self, 0);
	close(other);
}

/* After hotplug, a task may execute RDPMC where the thread had arrived. */
TEST_F(isolated, dirty_when_the_cpu_was_offline)
{
	struct setup setup;
	int other;

	OPEN_DEVICE(other);
	arrive_at_dirty_counters(_metadata, self);
	ASSERT_EQ(0, pin(0, 0));
	TAKE_OFFLINE();
	ASSERT_EQ(0, file_write(CPU1, "1"));
	ASSERT_EQ(0, pin(0, 1));
	setup_thread(&setup, 0, PMC_CONFIG_USER_READ);
	setup_add(&setup, PMC_COUNTER_GENERAL(3), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(other, &setup);
	expect_no_jump(_metadata, self, 0);
	close(other);
}

/* A CPU that comes online has what perf left there when it was last online. */
TEST_F(isolated, dirty_when_the_cpu_comes_online)
{
	leave_perfs_counts(_metadata);
	TAKE_OFFLINE();
	setup_all_cpus(&self->setup);
	add_all_but_one(&self->setup);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, file_write(CPU1, "1"));
	ASSERT_EQ(0, file_write(PCE, "2"));
	expect_no_jump(_metadata, self, 0);
	ASSERT_EQ(0, file_write(PCE, "1"));
}

/* After hotplug, a context of all CPUs counts where the thread had arrived. */
TEST_F(isolated, dirty_when_all_are_counted_after_hotplug)
{
	struct setup setup;
	int other;

	OPEN_DEVICE(other);
	arrive_at_dirty_counters(_metadata, self);
	ASSERT_EQ(0, pin(0, 0));
	TAKE_OFFLINE();
	setup_all_cpus(&setup);
	setup_add(&setup, PMC_COUNTER_GENERAL(3), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(other, &setup));
	ASSERT_EQ(0, file_write(CPU1, "1"));
	ASSERT_EQ(0, pmc_call(other, PMC_IOC_START, NULL));
	expect_no_jump(_metadata, self, 0);
	STOP_AND_READ(other, &self->reading);
	EXPECT_EQ(0, self->reading.state);
	EXPECT_LT(0, self->reading.value[0]);
	close(other);
}

/* By the attribute pce */
TEST_F(isolated, dirty_when_every_task_may)
{
	arrive_at_dirty_counters(_metadata, self);
	ASSERT_EQ(0, file_write(PCE, "2"));
	expect_no_jump(_metadata, self, 0);
	ASSERT_EQ(0, file_write(PCE, "1"));
}

/* By a context of CPU 1, which counts when perf would zero the counters */
TEST_F(isolated, dirty_when_the_cpu_is_counted)
{
	struct setup setup;
	int other;

	OPEN_DEVICE(other);
	arrive_at_dirty_counters(_metadata, self);
	setup_cpu(&setup, 1);
	setup_add(&setup, PMC_COUNTER_GENERAL(3), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(other, &setup);
	ASSERT_EQ(0, file_write(PCE, "2"));
	expect_no_jump(_metadata, self, 0);
	STOP_AND_READ(other, &self->reading);
	EXPECT_EQ(0, self->reading.state);
	EXPECT_LT(0, self->reading.value[0]);
	EXPECT_LT(self->reading.value[0], 1ULL << 36);
	ASSERT_EQ(0, file_write(PCE, "1"));
	close(other);
}

/*
 * By perf's own file: perf zeroes them at once, here before it interrupts the CPUs, because the
 * thread itself writes. What it has counted there is discarded, and the state shows that.
 */
TEST_F(isolated, dirty_when_perf_permits_all)
{
	char knob[8];

	ASSERT_EQ(0, file_read(perfs_rdpmc(), knob, sizeof(knob)));
	arrive_at_dirty_counters(_metadata, self);
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "2"));
	expect_no_jump(_metadata, self, PMC_STATE_UNCOUNTED);
	ASSERT_EQ(0, file_write(perfs_rdpmc(), knob));
}

/*
 * A thread that was stopped for that is counted again, although nothing else runs on its CPU. The
 * driver's work after the write runs on either CPU, and makes both switch to a worker.
 */
TEST_F(isolated, counted_again_after_perfs_file_was_written)
{
	unsigned int round, reads;
	struct child child;
	uint64_t before;
	char knob[8];

	ASSERT_EQ(0, file_read(perfs_rdpmc(), knob, sizeof(knob)));
	ASSERT_EQ(0, child_spin(&child));
	setup_thread_one(&self->setup, child.pid, 0);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, pin(child.pid, 1));
	ASSERT_EQ(0, child_go(&child));
	do {
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	} while (acquisitions_seen().now != ON_BOTH);
	for (round = 0; round < 20; round++) {
		ASSERT_EQ(0, file_write(perfs_rdpmc(), round & 1 ? "1" : "0"));
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		EXPECT_EQ(PMC_STATE_RUNNING | PMC_STATE_UNCOUNTED, self->reading.state);
		before = self->reading.value[0];
		for (reads = 0; self->reading.value[0] == before && reads < 10000; reads++)
			ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		ASSERT_LT(before, self->reading.value[0]);
	}
	ASSERT_EQ(0, file_write(perfs_rdpmc(), knob));
	child_kill(&child);
}

/*
 * By perf, before: a process maps an event, and its child keeps the permission without the event.
 * A context acquires the CPU before the child arrives there, where perf would zero the counters.
 */
TEST_F(isolated, acquired_before_with_a_copied_permission)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
	};
	int event = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	int go[2], status;
	unsigned int i;
	void *page;
	pid_t pid;
	char c;

	ASSERT_LE(0, event);
	page = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, event, 0);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		if (close(event) || read(go[0], &c, 1) != 1 || pin(0, 1))
			_exit(1);
		for (i = 0; i < 1000; i++)
			sched_yield();
		_exit(0);
	}
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, munmap(page, getpagesize()));
	close(event);
	leave_perfs_counts(_metadata);
	setup_scope(&self->setup, PMC_SCOPE_TREE, pid, 0);
	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(self->fd, &self->setup);
	EXPECT_EQ(ON_BOTH, acquisitions_seen().now);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(0, self->reading.state & PMC_STATE_UNCOUNTED);
	for (i = 0; i < self->reading.nr_counters; i++) {
		EXPECT_LT(0, self->reading.value[i]);
		EXPECT_LT(self->reading.value[i], 1ULL << 36);
	}
}

/* While every task may execute RDPMC, a context acquires the CPU before its thread arrives. */
TEST_F(isolated, acquired_before_while_every_task_may)
{
	ASSERT_EQ(0, file_write(PCE, "2"));
	NEED_ACQUISITIONS();
	leave_perfs_counts(_metadata);
	setup_thread(&self->setup, 0, 0);
	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(ON_BOTH, acquisitions_seen().now);
	move(_metadata, self);
	expect_each(_metadata, self, MOVING_INSTRUCTIONS);
	ASSERT_EQ(0, file_write(PCE, "1"));
}

/* Permitted between CONFIGURE and the arrival, it is too late: refused, and the state shows it. */
TEST_F(isolated, uncounted_when_permitted_meanwhile)
{
	setup_thread_one(&self->setup, 0, 0);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, file_write(PCE, "2"));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING, self->reading.state);
	ASSERT_EQ(0, pin(0, 1));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING | PMC_STATE_UNCOUNTED, self->reading.state);
	EXPECT_EQ(ON_CPU0, acquisitions_seen().now);
	ASSERT_EQ(0, file_write(PCE, "1"));
}

/* CPU 1 comes online, and is left alone; a thread that arrives is counted. */
TEST_F(isolated, comes_online)
{
	setup_thread(&self->setup, 0, 0);
	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	TAKE_OFFLINE();
	ASSERT_EQ(0, file_write(CPU1, "1"));
	EXPECT_EQ(ON_CPU0, acquisitions_seen().ever);
	move(_metadata, self);
	expect_each(_metadata, self, MOVING_INSTRUCTIONS);
}

TEST_HARNESS_MAIN

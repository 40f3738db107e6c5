// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests events over generic netlink: each action causes the right events, in order, none
 * missing and none extra
 *
 * After a scripted sequence, the test causes one known event; it must be the next one, so
 * nothing came in between.
 */
#include <fcntl.h>
#include <grp.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "netlink.h"
#include "samples.h"

#define CPU1	"/sys/devices/system/cpu/cpu1/online"
#define PCE_FILE	"/sys/class/misc/pmc/pce"
#define SAMPLE_CPUS	64

#define RT	"/proc/sys/kernel/sched_rt_runtime_us"

#define A(name)		PMC_NETLINK_A_##name
#define BIT(name)	(1ULL << A(name))

#define EVENT		(BIT(SEQUENCE) | BIT(TSC) | BIT(TIME))
#define IDENTITY	(EVENT | BIT(CONTEXT) | BIT(UID) | BIT(PID) | BIT(COMM) | BIT(SCOPE) | \
			 BIT(GENERAL_COUNTERS) | BIT(FIXED_COUNTERS))

/*
 * @sequence: of the last event of each group, 0 before the first
 * @tsc, @time: of the last event
 */
FIXTURE(events) {
	BASE_FIXTURE;
	struct nl nl;
	struct nl_message message;
	uint64_t sequence[NL_GROUPS];
	uint64_t tsc;
	uint64_t time;
	const struct program *loop;
	struct child child;
	char runtime[32];
};

FIXTURE_SETUP(events)
{
	int room = 1 << 24;
	unsigned int group;

	NEED_COUNTERS_AND_ROOT(&self->query);
	LOAD_PROGRAM(self->loop, "./loop-1m");
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, nl_open(&self->nl));
	ASSERT_EQ(0, setsockopt(self->nl.fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)));
	for (group = 0; group < NL_GROUPS; group++)
		ASSERT_EQ(0, nl_join(&self->nl, group));
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN(events)
{
	if (self->child.pid > 0)
		kill(self->child.pid, SIGKILL);
	file_write(CPU1, "1");
	file_write(PCE_FILE, "1");
	if (self->runtime[0])
		file_write(RT, self->runtime);
}

static const uint8_t groups[] = {
#define X(name, value, group, text) [value] = PMC_NETLINK_GROUP_##group,
	PMC_NETLINK_EVENTS(X)
#undef X
};

static uint64_t now_tsc(void)
{
	uint32_t low, high;

	asm volatile("lfence; rdtsc" : "=a" (low), "=d" (high));
	return (uint64_t)high << 32 | low;
}

static uint64_t now_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* The next event is this one, with the right number and times, and with these attributes. */
static void expect_event(struct __test_metadata *_metadata, struct _test_data_events *self,
			 uint8_t event, uint64_t has)
{
	uint64_t *sequence = &self->sequence[groups[event]];

	ASSERT_EQ(0, nl_event(&self->nl, &self->message));
	ASSERT_EQ(event, self->message.command);
	EXPECT_EQ(has, self->message.has);
	EXPECT_NE(0, self->message.number[A(SEQUENCE)]);
	if (*sequence)
		EXPECT_EQ(*sequence + 1, self->message.number[A(SEQUENCE)]);
	*sequence = self->message.number[A(SEQUENCE)];
	EXPECT_LE(self->tsc, self->message.number[A(TSC)]);
	EXPECT_GE(now_tsc(), self->message.number[A(TSC)]);
	self->tsc = self->message.number[A(TSC)];
	EXPECT_LE(self->time, self->message.number[A(TIME)]);
	EXPECT_GE(now_time(), self->message.number[A(TIME)]);
	self->time = self->message.number[A(TIME)];
}

/* An event of the context of @setup, of this process; @more: attributes beyond the identity */
static void expect_context(struct __test_metadata *_metadata, struct _test_data_events *self,
			   const struct setup *setup, uint8_t event, uint64_t more)
{
	const struct nl_message *message = &self->message;
	uint64_t general = 0, fixed = 0;
	char comm[PMC_COMM_LEN];
	unsigned int i;

	for (i = 0; i < setup->config.nr_counters; i++) {
		uint32_t counter = setup->counter[i].counter;

		if (counter & PMC_COUNTER_FIXED_FLAG)
			fixed |= 1ULL << (counter & ~PMC_COUNTER_FIXED_FLAG);
		else
			general |= 1ULL << counter;
	}
	if (setup->config.scope == PMC_SCOPE_CPU)
		more |= BIT(CPU);
	if (setup->config.scope >= PMC_SCOPE_THREAD)
		more |= BIT(TID);
	expect_event(_metadata, self, event, IDENTITY | more);
	EXPECT_EQ(setup->config.context, message->number[A(CONTEXT)]);
	EXPECT_EQ(getuid(), message->number[A(UID)]);
	EXPECT_EQ(getpid(), message->number[A(PID)]);
	EXPECT_EQ(setup->config.scope, message->number[A(SCOPE)]);
	EXPECT_EQ(general, message->number[A(GENERAL_COUNTERS)]);
	EXPECT_EQ(fixed, message->number[A(FIXED_COUNTERS)]);
	ASSERT_EQ(0, prctl(PR_GET_NAME, comm));
	EXPECT_STREQ(comm, message->text[A(COMM)]);
	if (setup->config.scope == PMC_SCOPE_CPU)
		EXPECT_EQ(setup->config.cpu, message->number[A(CPU)]);
	if (setup->config.scope >= PMC_SCOPE_THREAD)
		EXPECT_EQ(setup->config.tid ? setup->config.tid : gettid(),
			  message->number[A(TID)]);
}

/* No unexpected event came: the next one is caused here. */
static void expect_nothing(struct __test_metadata *_metadata, struct _test_data_events *self)
{
	struct setup setup;
	int fd = pmc_open();

	ASSERT_LE(0, fd);
	setup_thread(&setup, 0, 0);
	/* a counter that no test here uses */
	if (self->query.fixed_counters & 1)
		setup_add(&setup, FIXED_INSTRUCTIONS, 0, PMC_COUNT_USER);
	else
		setup_add(&setup, PMC_COUNTER_GENERAL(last_general(&self->query)),
			  EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(fd, &setup));
	close(fd);
	expect_context(_metadata, self, &setup, PMC_NETLINK_CONFIGURED, 0);
	expect_context(_metadata, self, &setup, PMC_NETLINK_RELEASED, 0);
}

static void claim(struct __test_metadata *_metadata, int fd, struct setup *setup)
{
	setup_add(setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(fd, setup));
}

/* The ABI has these numbers in two places. */
TEST(numbers)
{
	unsigned int event;

	for (event = PMC_NETLINK_CONFIGURED; event < ARRAY_SIZE(groups); event++) {
		if (groups[event])
			EXPECT_EQ(groups[event], PMC_NETLINK_EVENT_GROUP(event));
	}
	EXPECT_EQ(PMC_NETLINK_GROUP_CONTEXT, PMC_NETLINK_EVENT_GROUP(PMC_NETLINK_CONFIGURED));
	EXPECT_EQ(PMC_NETLINK_GROUP_CONTEXT, PMC_NETLINK_EVENT_GROUP(PMC_NETLINK_RELEASED));
}

/* ---- the life of contexts ---- */

/* All operations on a context of a thread or of CPUs, and their events */
static void whole_life(struct __test_metadata *_metadata, struct _test_data_events *self)
{
	struct reading reading;
	uint64_t value = 5;
	struct pmc_write request = {
		.size = sizeof(request), .nr_counters = 1, .values = (uintptr_t)&value,
	};
	int round;

	claim(_metadata, self->fd, &self->setup);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_CONFIGURED, 0);
	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		ASSERT_EQ(0, reading_read(self->fd, &reading));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_WRITE, &request));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
		expect_context(_metadata, self, &self->setup, PMC_NETLINK_STARTED, 0);
		expect_context(_metadata, self, &self->setup, PMC_NETLINK_STOPPED, 0);
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_RELEASED, 0);
	EXPECT_EQ(-EBADFD, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	expect_nothing(_metadata, self);
}

TEST_F(events, thread)
{
	setup_thread(&self->setup, 0, 0);
	whole_life(_metadata, self);
}

TEST_F(events, process)
{
	setup_thread(&self->setup, getpid(), 0);
	self->setup.config.scope = PMC_SCOPE_PROCESS;
	whole_life(_metadata, self);
}

TEST_F(events, tree)
{
	setup_thread(&self->setup, getpid(), 0);
	self->setup.config.scope = PMC_SCOPE_TREE;
	whole_life(_metadata, self);
}

TEST_F(events, cpu)
{
	setup_cpu(&self->setup, cpus_online() - 1);
	whole_life(_metadata, self);
}

TEST_F(events, all_cpus)
{
	setup_all_cpus(&self->setup);
	whole_life(_metadata, self);
}

/* With many counters, the event has all of them. */
TEST_F(events, all_counters)
{
	setup_thread_all(&self->setup, &self->query, 0, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_CONFIGURED, 0);
}

static int join(struct nl *nl, unsigned int group)
{
	return setsockopt(nl->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &nl->group[group],
			  sizeof(nl->group[group])) ? -errno : 0;
}

static int skip_event(struct nl *nl)
{
	static char buffer[1 << 13];

	return recv(nl->fd, buffer, sizeof(buffer), MSG_DONTWAIT) > 0 ? 0 : -errno;
}

/* Events are there when the ioctl or the close returns. */
TEST_F(events, sent_before_the_ioctl_returns)
{
	setup_thread(&self->setup, 0, 0);
	claim(_metadata, self->fd, &self->setup);
	EXPECT_EQ(0, skip_event(&self->nl));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	EXPECT_EQ(0, skip_event(&self->nl));
	close(self->fd);
	EXPECT_EQ(0, skip_event(&self->nl));
	EXPECT_EQ(0, skip_event(&self->nl));
	EXPECT_EQ(-EAGAIN, skip_event(&self->nl));
}

/* A new listener that first lists the contexts misses no event of those. */
TEST_F(events, listed_first)
{
	static struct nl_message contexts[16];

	ASSERT_EQ(0, nl_leave(&self->nl, PMC_NETLINK_GROUP_CONTEXT));
	setup_thread(&self->setup, 0, 0);
	claim(_metadata, self->fd, &self->setup);
	ASSERT_EQ(0, join(&self->nl, PMC_NETLINK_GROUP_CONTEXT));
	ASSERT_EQ(1, nl_dump(&self->nl, PMC_NETLINK_GET_CONTEXT, contexts, ARRAY_SIZE(contexts)));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_STARTED, 0);
}

/* Nor of a context that is configured afterwards, without a request */
TEST_F(events, configured_after_the_join)
{
	ASSERT_EQ(0, nl_leave(&self->nl, PMC_NETLINK_GROUP_CONTEXT));
	ASSERT_EQ(0, nl_get(&self->nl, PMC_NETLINK_GET_DRIVER, &self->message) < 0);
	ASSERT_EQ(0, join(&self->nl, PMC_NETLINK_GROUP_CONTEXT));
	setup_thread(&self->setup, 0, 0);
	claim(_metadata, self->fd, &self->setup);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_CONFIGURED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_STARTED, 0);
}

/* Closed while it counts */
TEST_F(events, closed)
{
	setup_thread(&self->setup, 0, 0);
	claim(_metadata, self->fd, &self->setup);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	close(self->fd);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_CONFIGURED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_STARTED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_STOPPED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_RELEASED, 0);
	expect_nothing(_metadata, self);
}

/* The owner is killed while it counts CPUs. */
TEST_F(events, owner_killed)
{
	int ready[2], i;
	char word;
	pid_t pid;
	static const uint8_t life[] = {
		PMC_NETLINK_CONFIGURED, PMC_NETLINK_STARTED, PMC_NETLINK_STOPPED,
		PMC_NETLINK_RELEASED,
	};

	ASSERT_EQ(0, pipe(ready));
	close(self->fd);
	pid = fork();
	if (!pid) {
		int fd = pmc_open();

		setup_all_cpus(&self->setup);
		setup_add(&self->setup, 0, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
		if (setup_configure(fd, &self->setup) || pmc_call(fd, PMC_IOC_START, NULL) ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	ASSERT_EQ(1, read(ready[0], &word, 1));
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	for (i = 0; i < ARRAY_SIZE(life); i++) {
		expect_event(_metadata, self, life[i], IDENTITY);
		EXPECT_EQ(pid, self->message.number[A(PID)]);
	}
	expect_nothing(_metadata, self);
}

/* A refused request causes no event. */
TEST_F(events, refused)
{
	struct setup rival;
	int fd = pmc_open();

	ASSERT_LE(0, fd);
	setup_all_cpus(&self->setup);
	claim(_metadata, self->fd, &self->setup);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_CONFIGURED, 0);
	setup_thread_one(&rival, 0, 0);
	EXPECT_EQ(-EBUSY, setup_configure(fd, &rival));
	EXPECT_EQ(0, rival.config.context);
	setup_thread(&rival, 0, 0);
	setup_add(&rival, PMC_COUNTER_GENERAL(63), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	EXPECT_EQ(-ENXIO, setup_configure(fd, &rival));
	setup_thread(&rival, 0x7fffffff, 0);
	setup_add(&rival, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	EXPECT_EQ(-ESRCH, setup_configure(fd, &rival));
	/* configured already */
	setup_thread(&rival, 0, 0);
	setup_add(&rival, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	EXPECT_EQ(-EBADFD, setup_configure(self->fd, &rival));
	expect_nothing(_metadata, self);
}

/* Configured, but the reply cannot be written: released at once. */
TEST_F(events, caller_gets_no_event)
{
	struct setup *setup = mmap(NULL, 2 * sizeof(*setup), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, setup);
	setup_thread(setup, 0, 0);
	setup_add(setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, mprotect(setup, 2 * sizeof(*setup), PROT_READ));
	EXPECT_EQ(-EFAULT, setup_configure(self->fd, setup));
	expect_event(_metadata, self, PMC_NETLINK_CONFIGURED, IDENTITY | BIT(TID));
	expect_event(_metadata, self, PMC_NETLINK_RELEASED, IDENTITY | BIT(TID));
	expect_nothing(_metadata, self);
}

/* Armed, counting from the exec on, then the process ends. */
TEST_F(events, exec)
{
	ASSERT_EQ(0, child_program(&self->child, self->loop));
	setup_thread(&self->setup, self->child.pid, PMC_CONFIG_ON_EXEC);
	claim(_metadata, self->fd, &self->setup);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_run(&self->child));
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_CONFIGURED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_ARMED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_STARTED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_STOPPED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_ENDED, 0);
	EXPECT_EQ(-ESRCH, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	expect_nothing(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_RELEASED, 0);
	self->child.pid = 0;
}

/* Armed and disarmed; the exec causes no event. */
TEST_F(events, disarmed)
{
	ASSERT_EQ(0, child_program(&self->child, self->loop));
	setup_thread(&self->setup, self->child.pid, PMC_CONFIG_ON_EXEC);
	self->setup.config.scope = PMC_SCOPE_TREE;
	claim(_metadata, self->fd, &self->setup);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, child_run(&self->child));
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_CONFIGURED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_ARMED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_STOPPED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_ENDED, 0);
	expect_nothing(_metadata, self);
	self->child.pid = 0;
}

/* Several threads end: one event, for the last one. */
TEST_F(events, tree_exits)
{
	int go[2];
	pid_t pid;
	char word;

	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		int i;

		if (read(go[0], &word, 1) != 1)
			_exit(1);
		for (i = 0; i < 5; i++) {
			if (!fork())
				_exit(0);
		}
		while (wait(NULL) > 0)
			;
		_exit(0);
	}
	setup_thread(&self->setup, pid, 0);
	self->setup.config.scope = PMC_SCOPE_TREE;
	claim(_metadata, self->fd, &self->setup);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_CONFIGURED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_STARTED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_STOPPED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_ENDED, 0);
	expect_nothing(_metadata, self);
}

/* Two processes on two CPUs claim a counter in turn: RELEASED precedes the next CONFIGURED. */
TEST_F(events, two_processes_in_turn)
{
	static const int rounds = 200;
	uint64_t holder = 0;
	int i, taken = 0;
	pid_t pid[2];

	NEED_CPUS(2);
	for (i = 0; i < 2; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			int fd = pmc_open(), n = 0;

			pin(0, i);
			while (n < rounds) {
				setup_all_cpus(&self->setup);
				setup_add(&self->setup, 0, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
				if (setup_configure(fd, &self->setup))
					continue;
				if (pmc_call(fd, PMC_IOC_RELEASE, NULL))
					_exit(1);
				n++;
			}
			_exit(0);
		}
	}
	while (taken < 2 * rounds) {
		ASSERT_EQ(0, nl_event(&self->nl, &self->message));
		if (holder) {
			ASSERT_EQ(PMC_NETLINK_RELEASED, self->message.command);
			ASSERT_EQ(holder, self->message.number[A(CONTEXT)]);
			holder = 0;
			taken++;
		} else {
			ASSERT_EQ(PMC_NETLINK_CONFIGURED, self->message.command);
			holder = self->message.number[A(CONTEXT)];
		}
	}
	for (i = 0; i < 2; i++) {
		int status;

		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_EQ(0, status);
	}
}

/* ---- samples ---- */

/* Sample a program without reading its rings. */
static void sample_loop(struct __test_metadata *_metadata, struct _test_data_events *self,
			uint64_t period, uint32_t watermark)
{
	if (!(self->query.features & PMC_FEATURE(INTERRUPT)))
		SKIP(return, "no overflow interrupt here");
	ASSERT_EQ(0, child_program(&self->child, self->loop));
	ASSERT_EQ(0, pin(self->child.pid, cpus_online() - 1));
	setup_thread(&self->setup, self->child.pid, PMC_CONFIG_ON_EXEC);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_period(&self->setup, 0, period);
	self->setup.config.watermark = watermark;
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_run(&self->child));
	self->child.pid = 0;
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_CONFIGURED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_ARMED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_STARTED, 0);
}

/* The watermark is reached once, as nothing is read. */
TEST_F(events, watermark)
{
	sample_loop(_metadata, self, 100000, 5 * (sizeof(struct pmc_sample) + sizeof(uint64_t)));
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_WATERMARK, BIT(ON_CPU));
	EXPECT_EQ(cpus_online() - 1, self->message.number[A(ON_CPU)]);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_STOPPED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_ENDED, 0);
	expect_nothing(_metadata, self);
}

/*
 * A loss record reaches the watermark. STOP on another CPU writes it; the event has the ring's
 * CPU.
 */
TEST_F(events, watermark_by_a_loss)
{
	const uint32_t ring = 4096, record = sizeof(struct pmc_sample) + sizeof(uint64_t);
	const uint32_t fits = (ring - sizeof(struct pmc_lost) - sizeof(struct pmc_record)) / record;
	struct pmc_statistics statistics;
	unsigned int i;

	NEED_CPUS(2);
	if (!(self->query.features & PMC_FEATURE(INTERRUPT)))
		SKIP(return, "no overflow interrupt here");
	ASSERT_EQ(0, child_spin(&self->child));
	ASSERT_EQ(0, pin(self->child.pid, 1));
	setup_thread_one(&self->setup, self->child.pid, 0);
	setup_period(&self->setup, 0, 100000);
	self->setup.config.ring_size = ring;
	self->setup.config.watermark = fits * record + sizeof(struct pmc_lost);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_go(&self->child));
	do {
		ASSERT_EQ(0, statistics_read(self->fd, &statistics));
	} while (!statistics.lost);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_CONFIGURED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_STARTED, 0);
	/* the ring is full; then the loss */
	for (i = 0; i < 2; i++) {
		do {
			ASSERT_EQ(0, nl_event(&self->nl, &self->message));
		} while (self->message.command == PMC_NETLINK_STOPPED);
		ASSERT_EQ(PMC_NETLINK_WATERMARK, self->message.command);
		EXPECT_EQ(1, self->message.number[A(ON_CPU)]);
	}
	ASSERT_EQ(0, statistics_read(self->fd, &statistics));
	EXPECT_EQ(2, statistics.wakeups);
	child_kill(&self->child);
}

/* The watermark is never reached. */
TEST_F(events, no_watermark)
{
	sample_loop(_metadata, self, 100000, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_STOPPED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_ENDED, 0);
	expect_nothing(_metadata, self);
}

/* A period so short that it is throttled again and again */
TEST_F(events, throttled)
{
	const struct nl_message *message = &self->message;
	struct pmc_statistics statistics;
	uint64_t throttled = 0, times = 0;

	sample_loop(_metadata, self, 10, 0);
	ASSERT_EQ(0, statistics_read(self->fd, &statistics));
	ASSERT_LT(0, statistics.throttled);
	while (throttled < statistics.throttled) {
		/* the ring's watermark event comes in between */
		ASSERT_EQ(0, nl_event(&self->nl, &self->message));
		if (message->command == PMC_NETLINK_WATERMARK)
			continue;
		EXPECT_EQ(times & 1 ? PMC_NETLINK_UNTHROTTLED : PMC_NETLINK_THROTTLED,
			  message->command);
		EXPECT_EQ(IDENTITY | BIT(TID) | BIT(ON_CPU) | BIT(NUMBER) |
			  (times & 1 ? BIT(OVERFLOWS) : 0), message->has);
		EXPECT_EQ(cpus_online() - 1, message->number[A(ON_CPU)]);
		EXPECT_EQ(1, message->number[A(NUMBER)]);
		throttled += message->number[A(OVERFLOWS)];
		if (times)
			EXPECT_EQ(self->sequence[PMC_NETLINK_GROUP_THROTTLE] + 1,
				  message->number[A(SEQUENCE)]);
		self->sequence[PMC_NETLINK_GROUP_THROTTLE] = message->number[A(SEQUENCE)];
		times++;
	}
	EXPECT_EQ(statistics.throttled, throttled);
	EXPECT_EQ(0, times & 1);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_STOPPED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_ENDED, 0);
	expect_nothing(_metadata, self);
}

/* No worker gets a CPU: a process that never yields runs on each other CPU. */
static void occupy(struct __test_metadata *_metadata, pid_t *pids)
{
	int cpu;

	for (cpu = 1; cpu < cpus_online(); cpu++) {
		pids[cpu] = fork();
		if (!pids[cpu]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			spin_forever();
		}
		ASSERT_EQ(0, pin(pids[cpu], cpu));
		ASSERT_EQ(0, schedule_as(pids[cpu], SCHED_FIFO));
	}
	ASSERT_EQ(0, schedule_as(0, SCHED_FIFO));
}

static void vacate(struct __test_metadata *_metadata, const pid_t *pids)
{
	int cpu;

	ASSERT_EQ(0, schedule_as(0, SCHED_OTHER));
	for (cpu = 1; cpu < cpus_online(); cpu++) {
		kill(pids[cpu], SIGKILL);
		ASSERT_EQ(pids[cpu], waitpid(pids[cpu], NULL, 0));
	}
}

/*
 * Interrupts cause more events than the driver can queue until its worker gets a CPU: the
 * sequence numbers show exactly how many are missing.
 */
TEST_F(events, event_queue_overflow)
{
	static const unsigned int times = 600;
	struct pmc_statistics statistics;
	pid_t pids[SAMPLE_CPUS];
	uint64_t first = 0, received = 0, last = 0, unsent;
	const struct nl_nest *group = &self->message.nest[PMC_NETLINK_GROUP_OVERFLOW];
	const struct pmc_record *record;
	volatile unsigned int i;
	struct ring ring;
	int nr;

	if (!(self->query.features & PMC_FEATURE(INTERRUPT)))
		SKIP(return, "no overflow interrupt here");
	ASSERT_EQ(0, file_read(RT, self->runtime, sizeof(self->runtime)));
	ASSERT_EQ(0, file_write(RT, "-1"));
	ASSERT_EQ(1, nl_get(&self->nl, PMC_NETLINK_GET_STATISTICS, &self->message));
	unsent = group->number[A(UNSENT)];
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_period(&self->setup, 0, 20000);
	self->setup.config.watermark = 1;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, ring_map(&ring, self->fd, &self->setup, 0));
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_CONFIGURED, 0);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_STARTED, 0);

	occupy(_metadata, pids);
	for (nr = 0; nr < times; ) {
		for (i = 0; i < 1000; i++)
			;
		/* read each record at once, so that each reaches the watermark */
		record = ring_next(&ring);
		if (record && record->type == PMC_RECORD_SAMPLE)
			nr++;
		if (record)
			ring_done(&ring, record);
	}
	vacate(_metadata, pids);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, statistics_read(self->fd, &statistics));
	EXPECT_LE(times, statistics.wakeups);

	/* one more event, for which there is room: it shows the gap */
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	while ((record = ring_next(&ring)))
		ring_done(&ring, record);
	while (!ring_next(&ring))
		;
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, statistics_read(self->fd, &statistics));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	do {
		ASSERT_EQ(0, nl_event(&self->nl, &self->message));
		if (self->message.command != PMC_NETLINK_WATERMARK)
			continue;
		if (!first)
			first = self->message.number[A(SEQUENCE)];
		EXPECT_LT(last, self->message.number[A(SEQUENCE)]);
		last = self->message.number[A(SEQUENCE)];
		received++;
	} while (self->message.command != PMC_NETLINK_RELEASED);
	EXPECT_LT(received, times);
	EXPECT_EQ(statistics.wakeups, last - first + 1);
	ASSERT_EQ(1, nl_get(&self->nl, PMC_NETLINK_GET_STATISTICS, &self->message));
	EXPECT_EQ(statistics.wakeups - received, group->number[A(UNSENT)] - unsent);
	EXPECT_EQ(last, group->number[A(SEQUENCE)]);
}

/* ---- CPUs and the attribute pce ---- */

TEST_F(events, hotplug)
{
	int round;

	NEED_CPUS(2);
	if (file_write(CPU1, "0"))
		SKIP(return, "CPU 1 cannot be taken offline");
	for (round = 0; round < 2; round++) {
		if (round)
			ASSERT_EQ(0, file_write(CPU1, "0"));
		expect_event(_metadata, self, PMC_NETLINK_CPU_OFFLINE,
			     EVENT | BIT(CPU) | BIT(STATUS));
		EXPECT_EQ(1, self->message.number[A(CPU)]);
		EXPECT_EQ(PMC_STATUS_OFFLINE, self->message.number[A(STATUS)]);
		ASSERT_EQ(0, file_write(CPU1, "1"));
		expect_event(_metadata, self, PMC_NETLINK_CPU_ONLINE,
			     EVENT | BIT(CPU) | BIT(STATUS));
		EXPECT_EQ(1, self->message.number[A(CPU)]);
		EXPECT_EQ(PMC_STATUS_OK, self->message.number[A(STATUS)]);
	}
	expect_nothing(_metadata, self);
}

/* A context that continues on a CPU that comes back causes no new event. */
TEST_F(events, hotplug_while_counting)
{
	NEED_CPUS(2);
	setup_cpu(&self->setup, 1);
	claim(_metadata, self->fd, &self->setup);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	if (file_write(CPU1, "0"))
		SKIP(return, "CPU 1 cannot be taken offline");
	ASSERT_EQ(0, file_write(CPU1, "1"));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_CONFIGURED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_STARTED, 0);
	expect_event(_metadata, self, PMC_NETLINK_CPU_OFFLINE, EVENT | BIT(CPU) | BIT(STATUS));
	expect_event(_metadata, self, PMC_NETLINK_CPU_ONLINE, EVENT | BIT(CPU) | BIT(STATUS));
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_STOPPED, 0);
	expect_nothing(_metadata, self);
}

static void expect_pce(struct __test_metadata *_metadata, struct _test_data_events *self,
		       unsigned int before, unsigned int setting)
{
	expect_event(_metadata, self, PMC_NETLINK_PCE_CHANGED,
		     EVENT | BIT(PCE) | BIT(PCE_BEFORE));
	EXPECT_EQ(before, self->message.number[A(PCE_BEFORE)]);
	EXPECT_EQ(setting, self->message.number[A(PCE)]);
}

TEST_F(events, pce)
{
	static const char *const settings[] = { "0", "1", "2", "0", "2", "1" };
	unsigned int before = 1, i;
	char text[64];

	if (!(self->query.features & PMC_FEATURE(RDPMC)))
		SKIP(return, "this CPU has no RDPMC");
	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		ASSERT_EQ(0, file_write(PCE_FILE, settings[i]));
		/* the same value, an invalid one, and a read: nothing changes */
		ASSERT_EQ(0, file_write(PCE_FILE, settings[i]));
		ASSERT_EQ(-EINVAL, file_write(PCE_FILE, "3"));
		ASSERT_EQ(0, file_read(PCE_FILE, text, sizeof(text)));
		expect_pce(_metadata, self, before, settings[i][0] - '0');
		before = settings[i][0] - '0';
	}
	expect_nothing(_metadata, self);
}

/* ---- listeners ---- */

/* A listener gets only the events of its group. */
TEST_F(events, groups_apart)
{
	struct nl nl;

	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, nl_join(&nl, PMC_NETLINK_GROUP_PCE));
	expect_nothing(_metadata, self);
	ASSERT_EQ(0, file_write(PCE_FILE, "0"));
	expect_pce(_metadata, self, 1, 0);
	ASSERT_EQ(0, nl_event(&nl, &self->message));
	EXPECT_EQ(PMC_NETLINK_PCE_CHANGED, self->message.command);
}

TEST_F(events, two_listeners)
{
	struct nl_message message;
	unsigned int i;
	struct nl nl;

	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, nl_join(&nl, PMC_NETLINK_GROUP_CONTEXT));
	setup_thread(&self->setup, 0, 0);
	claim(_metadata, self->fd, &self->setup);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, nl_event(&nl, &message));
		ASSERT_EQ(0, nl_event(&self->nl, &self->message));
		EXPECT_EQ(0, memcmp(&message, &self->message, sizeof(message)));
	}
	/* one socket leaves the group, the other still gets events */
	ASSERT_EQ(0, nl_leave(&nl, PMC_NETLINK_GROUP_CONTEXT));
	expect_nothing(_metadata, self);
	EXPECT_EQ(-1, recv(nl.fd, &message, sizeof(message), MSG_DONTWAIT));
	EXPECT_EQ(EAGAIN, errno);
}

/* Without listeners no event is created or counted. */
TEST_F(events, no_listeners)
{
	uint64_t before, unsent;
	int i;

	expect_nothing(_metadata, self);
	before = self->sequence[PMC_NETLINK_GROUP_CONTEXT];
	ASSERT_EQ(1, nl_get(&self->nl, PMC_NETLINK_GET_STATISTICS, &self->message));
	EXPECT_EQ(before, self->message.nest[0].number[A(SEQUENCE)]);
	unsent = self->message.nest[0].number[A(UNSENT)];
	ASSERT_EQ(0, nl_leave(&self->nl, PMC_NETLINK_GROUP_CONTEXT));
	for (i = 0; i < 10; i++) {
		setup_thread(&self->setup, 0, 0);
		claim(_metadata, self->fd, &self->setup);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
	ASSERT_EQ(1, nl_get(&self->nl, PMC_NETLINK_GET_STATISTICS, &self->message));
	EXPECT_EQ(before, self->message.nest[0].number[A(SEQUENCE)]);
	EXPECT_EQ(unsent, self->message.nest[0].number[A(UNSENT)]);
	ASSERT_EQ(0, nl_join(&self->nl, PMC_NETLINK_GROUP_CONTEXT));
	expect_nothing(_metadata, self);
}

/*
 * A listener that does not read gets an error and the number of missed events; the other
 * listener misses nothing.
 */
TEST_F(events, overrun)
{
	uint64_t first = 0, last = 0, received = 0;
	int small = 4096, i, err;
	struct nl_message message;
	struct nl nl;

	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, setsockopt(nl.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)));
	ASSERT_EQ(0, nl_join(&nl, PMC_NETLINK_GROUP_CONTEXT));
	for (i = 0; i < 100; i++)
		expect_nothing(_metadata, self);
	/* the events still queued */
	do {
		err = nl_event(&nl, &message);
		if (err == -ENOBUFS)
			break;
		ASSERT_EQ(0, err);
		last = message.number[A(SEQUENCE)];
		if (!first)
			first = last;
		received++;
	} while (1);
	do {
		if (recv(nl.fd, &message, sizeof(message), MSG_DONTWAIT) < 0)
			break;
		received++;
	} while (1);
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_GT(200, received);
	/* the next event shows it */
	expect_nothing(_metadata, self);
	ASSERT_EQ(0, nl_event(&nl, &message));
	EXPECT_EQ(self->sequence[PMC_NETLINK_GROUP_CONTEXT] - 1, message.number[A(SEQUENCE)]);
	ASSERT_EQ(1, nl_get(&self->nl, PMC_NETLINK_GET_STATISTICS, &message));
	EXPECT_EQ(0, message.nest[PMC_NETLINK_GROUP_CONTEXT].number[A(UNSENT)]);
	if (first)
		EXPECT_EQ(self->sequence[PMC_NETLINK_GROUP_CONTEXT] - 201, first);
}

/* The module is unloaded during a subscription; no events follow. */
TEST_F(events, unloaded)
{
	const char *keep = getenv("PMCDRV_KEEP"), *path = getenv("PMCDRV_KO");
	struct nl_message message;
	struct nl nl;
	int file;

	if (keep && *keep)
		SKIP(return, "the module is to stay loaded");
	setup_thread(&self->setup, 0, 0);
	claim(_metadata, self->fd, &self->setup);
	EXPECT_NE(0, syscall(SYS_delete_module, "pmcdrv", O_NONBLOCK));
	close(self->fd);
	if (syscall(SYS_delete_module, "pmcdrv", O_NONBLOCK))
		SKIP(return, "the module cannot be unloaded: errno %d", errno);
	/* all earlier events arrive, and no CPU goes offline by the unloading */
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_CONFIGURED, 0);
	expect_context(_metadata, self, &self->setup, PMC_NETLINK_RELEASED, 0);
	EXPECT_EQ(-1, recv(self->nl.fd, &message, sizeof(message), MSG_DONTWAIT));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(-ENOENT, nl_get(&self->nl, PMC_NETLINK_GET_DRIVER, &message));
	EXPECT_EQ(-ENOENT, nl_open(&nl));
	close(nl.fd);

	file = open(path ? path : "/pmcdrv.ko", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, file);
	ASSERT_EQ(0, syscall(SYS_finit_module, file, "", 0));
	/* the numbers restart; a listener has to join again */
	ASSERT_EQ(0, nl_resolve(&self->nl));
	ASSERT_EQ(0, nl_join(&self->nl, PMC_NETLINK_GROUP_CONTEXT));
	memset(self->sequence, 0, sizeof(self->sequence));
	expect_nothing(_metadata, self);
	EXPECT_EQ(1, self->message.number[A(CONTEXT)]);
	EXPECT_EQ(2, self->message.number[A(SEQUENCE)]);
	self->fd = pmc_open();
}

/*
 * Load and unload again and again while another process joins, sends requests and listens. As
 * that process has a file open most of the time, repeat until unloading has succeeded several
 * times.
 */
TEST_F(events, unloaded_while_subscribed)
{
	const char *keep = getenv("PMCDRV_KEEP"), *path = getenv("PMCDRV_KO");
	int file, round, unloaded = 0;
	pid_t pid;

	if (keep && *keep)
		SKIP(return, "the module is to stay loaded");
	close(self->fd);
	file = open(path ? path : "/pmcdrv.ko", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, file);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(0, cpus_online() - 1);
		for (;;) {
			struct nl_message messages[2];
			struct setup setup;
			struct nl nl;
			int fd;

			if (!nl_open(&nl)) {
				nl_join(&nl, PMC_NETLINK_GROUP_CONTEXT);
				nl_dump(&nl, PMC_NETLINK_GET_CPU, messages, 2);
				fd = pmc_open();
				if (fd >= 0) {
					setup_thread(&setup, 0, 0);
					setup_add(&setup, 0, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
					setup_configure(fd, &setup);
					close(fd);
				}
			}
			close(nl.fd);
		}
	}
	for (round = 0; round < 60 || unloaded < 10; round++) {
		if (!syscall(SYS_delete_module, "pmcdrv", O_NONBLOCK)) {
			unloaded++;
			ASSERT_EQ(0, syscall(SYS_finit_module, file, "", 0));
		}
	}
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	OPEN_DEVICE(self->fd);
	ASSERT_EQ(0, nl_resolve(&self->nl));
	EXPECT_EQ(1, nl_get(&self->nl, PMC_NETLINK_GET_DRIVER, &self->message));
	EXPECT_EQ(0, self->message.number[A(CONTEXTS)]);
}

TEST_HARNESS_MAIN

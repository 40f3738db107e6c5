// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests requests over generic netlink: each reply against the ioctls', the permissions, and
 * malformed messages
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "credentials.h"
#include "fixture.h"
#include "module.h"
#include "netlink.h"
#include "samples.h"

#define CPU1	"/sys/devices/system/cpu/cpu1/online"

#define A(name)		PMC_NETLINK_A_##name
#define BIT(name)	(1ULL << A(name))

#define IDENTITY	(BIT(CONTEXT) | BIT(UID) | BIT(PID) | BIT(COMM) | BIT(SCOPE) | \
			 BIT(GENERAL_COUNTERS) | BIT(FIXED_COUNTERS))
#define SAMPLED		(BIT(OVERFLOWS) | BIT(RECORDS) | BIT(SAMPLED) | BIT(LOST) | \
			 BIT(THROTTLED) | BIT(MMAPS_LOST) | BIT(WAKEUPS) | \
			 BIT(THROTTLE_PERCENT) | BIT(THROTTLED_NOW) | BIT(COUNTER))

FIXTURE(netlink) {
	BASE_FIXTURE;
	struct nl nl;
	struct nl_message message;
	struct nl_question question;
	struct child child;
};

static int own_comm(char *comm)
{
	return prctl(PR_GET_NAME, comm);
}

FIXTURE_SETUP(netlink)
{
	NEED_COUNTERS_AND_ROOT(&self->query);
	ASSERT_EQ(0, nl_open(&self->nl));
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN(netlink)
{
	if (self->child.pid > 0)
		kill(self->child.pid, SIGKILL);
	file_write(CPU1, "1");
}

/* Configure a context on these general counters; returns its ID. */
static uint64_t claim(struct __test_metadata *_metadata, int fd, struct setup *setup,
		      uint32_t first, uint32_t nr)
{
	while (nr--)
		setup_add(setup, first + nr, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(fd, setup));
	ASSERT_NE(0, setup->config.context);
	return setup->config.context;
}

/* ---- the driver ---- */

TEST_F(netlink, driver)
{
	char version[64];

	ASSERT_EQ(1, nl_get(&self->nl, PMC_NETLINK_GET_DRIVER, &self->message));
	EXPECT_EQ(PMC_NETLINK_GET_DRIVER, self->message.command);
	EXPECT_EQ(BIT(ABI_VERSION) | BIT(MODULE_VERSION) | BIT(CONTEXTS), self->message.has);
	EXPECT_EQ(self->query.abi_version, self->message.number[A(ABI_VERSION)]);
	EXPECT_EQ(self->query.contexts, self->message.number[A(CONTEXTS)]);
	ASSERT_EQ(0, file_read("/sys/module/pmcdrv/version", version, sizeof(version)));
	version[strcspn(version, "\n")] = 0;
	EXPECT_STREQ(version, self->message.text[A(MODULE_VERSION)]);

	setup_thread(&self->setup, 0, 0);
	claim(_metadata, self->fd, &self->setup, 0, 1);
	ASSERT_EQ(1, nl_get(&self->nl, PMC_NETLINK_GET_DRIVER, &self->message));
	EXPECT_EQ(self->query.contexts + 1, self->message.number[A(CONTEXTS)]);
}

/* ---- CPUs ---- */

static void expect_counter(struct __test_metadata *_metadata, const struct nl_nest *nest, int cpu)
{
	struct pmc_counter counter;

	EXPECT_EQ(BIT(NUMBER) | BIT(WIDTH) | BIT(HOLDER), nest->has & ~BIT(CONTEXT));
	ASSERT_EQ(0, pmc_describe(cpu, nest->number[A(NUMBER)], &counter));
	EXPECT_EQ(counter.width, nest->number[A(WIDTH)]);
	EXPECT_EQ(counter.holder.kind, nest->number[A(HOLDER)]);
	EXPECT_EQ(counter.holder.kind == PMC_HOLDER_CONTEXT, !!(nest->has & BIT(CONTEXT)));
}

/* All that PMC_IOC_QUERY and PMC_IOC_COUNTER report of this CPU */
static void expect_cpu(struct __test_metadata *_metadata, const struct nl_message *message)
{
	int cpu = message->number[A(CPU)];
	struct pmc_query query;
	unsigned int i;

	ASSERT_EQ(0, pmc_query(cpu, &query));
	EXPECT_EQ(PMC_NETLINK_GET_CPU, message->command);
	EXPECT_EQ(BIT(CPU) | BIT(STATUS) | BIT(FAMILY) | BIT(VENDOR) | BIT(CPU_FAMILY) |
		  BIT(CPU_MODEL) | BIT(CPU_STEPPING) | BIT(PERFMON_VERSION) | BIT(FEATURES) |
		  BIT(GENERAL_COUNTERS) | BIT(FIXED_COUNTERS) | BIT(GENERAL_WIDTH) |
		  BIT(FIXED_WIDTH) | BIT(TSC_KHZ) | BIT(COUNTER), message->has);
	EXPECT_EQ(query.status, message->number[A(STATUS)]);
	EXPECT_EQ(query.family, message->number[A(FAMILY)]);
	EXPECT_STREQ(query.vendor, message->text[A(VENDOR)]);
	EXPECT_EQ(query.cpu_family, message->number[A(CPU_FAMILY)]);
	EXPECT_EQ(query.cpu_model, message->number[A(CPU_MODEL)]);
	EXPECT_EQ(query.cpu_stepping, message->number[A(CPU_STEPPING)]);
	EXPECT_EQ(query.perfmon_version, message->number[A(PERFMON_VERSION)]);
	EXPECT_EQ(query.features, message->number[A(FEATURES)]);
	EXPECT_EQ(query.general_counters, message->number[A(GENERAL_COUNTERS)]);
	EXPECT_EQ(query.fixed_counters, message->number[A(FIXED_COUNTERS)]);
	EXPECT_EQ(query.general_width, message->number[A(GENERAL_WIDTH)]);
	EXPECT_EQ(query.fixed_width, message->number[A(FIXED_WIDTH)]);
	EXPECT_EQ(query.tsc_khz, message->number[A(TSC_KHZ)]);
	EXPECT_EQ(__builtin_popcountll(query.general_counters) +
		  __builtin_popcountll(query.fixed_counters), message->nests);
	for (i = 0; i < message->nests; i++)
		expect_counter(_metadata, &message->nest[i], cpu);
}

TEST_F(netlink, cpu)
{
	int cpu;

	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(1, nl_get_cpu(&self->nl, cpu, &self->message));
		EXPECT_EQ(cpu, self->message.number[A(CPU)]);
		expect_cpu(_metadata, &self->message);
	}
}

#define POSSIBLE_CPUS	"/sys/devices/system/cpu/possible"

/* The kernel's CPUs, also those that this computer does not have (possible_cpus=) */
static int cpus_possible(void)
{
	char text[32], *last;

	if (file_read(POSSIBLE_CPUS, text, sizeof(text)))
		return -1;
	last = strchr(text, '-');
	return atoi(last ? last + 1 : text) + 1;
}

TEST_F(netlink, cpu_dump)
{
	static struct nl_message messages[128];
	int nr = nl_dump(&self->nl, PMC_NETLINK_GET_CPU, messages, ARRAY_SIZE(messages)), cpu;

	ASSERT_EQ(cpus_possible(), nr);
	ASSERT_GE(ARRAY_SIZE(messages), nr);
	for (cpu = 0; cpu < nr; cpu++) {
		EXPECT_EQ(cpu, messages[cpu].number[A(CPU)]);
		if (cpu < cpus_present()) {
			expect_cpu(_metadata, &messages[cpu]);
		} else {
			EXPECT_EQ(BIT(CPU) | BIT(STATUS), messages[cpu].has);
			EXPECT_EQ(PMC_STATUS_OFFLINE, messages[cpu].number[A(STATUS)]);
		}
	}
}

TEST_F(netlink, cpu_offline)
{
	static struct nl_message messages[64];

	NEED_CPUS(2);
	ASSERT_EQ(0, pin(0, 0));
	if (file_write(CPU1, "0"))
		SKIP(return, "CPU 1 cannot be taken offline");
	ASSERT_EQ(1, nl_get_cpu(&self->nl, 1, &self->message));
	EXPECT_EQ(BIT(CPU) | BIT(STATUS), self->message.has);
	EXPECT_EQ(1, self->message.number[A(CPU)]);
	EXPECT_EQ(PMC_STATUS_OFFLINE, self->message.number[A(STATUS)]);
	ASSERT_LE(2, nl_dump(&self->nl, PMC_NETLINK_GET_CPU, messages, 64));
	EXPECT_EQ(PMC_STATUS_OK, messages[0].number[A(STATUS)]);
	EXPECT_EQ(PMC_STATUS_OFFLINE, messages[1].number[A(STATUS)]);
	ASSERT_EQ(0, file_write(CPU1, "1"));
	ASSERT_EQ(1, nl_get_cpu(&self->nl, 1, &self->message));
	expect_cpu(_metadata, &self->message);
}

/* The nest of one counter */
static const struct nl_nest *counter_of(const struct nl_message *message, uint32_t number)
{
	static const struct nl_nest none;
	unsigned int i;

	for (i = 0; i < message->nests; i++) {
		if (message->nest[i].number[A(NUMBER)] == number)
			return &message->nest[i];
	}
	return &none;
}

TEST_F(netlink, holders)
{
	int last = cpus_online() - 1;
	const struct nl_nest *nest;
	uint64_t id;

	setup_cpu(&self->setup, last);
	id = claim(_metadata, self->fd, &self->setup, 1, 1);
	ASSERT_EQ(1, nl_get_cpu(&self->nl, last, &self->message));
	nest = counter_of(&self->message, 1);
	EXPECT_EQ(PMC_HOLDER_CONTEXT, nest->number[A(HOLDER)]);
	EXPECT_EQ(id, nest->number[A(CONTEXT)]);
	nest = counter_of(&self->message, 0);
	EXPECT_EQ(PMC_HOLDER_NONE, nest->number[A(HOLDER)]);
	EXPECT_EQ(0, nest->has & BIT(CONTEXT));
	if (last) {
		ASSERT_EQ(1, nl_get_cpu(&self->nl, 0, &self->message));
		nest = counter_of(&self->message, 1);
		EXPECT_EQ(PMC_HOLDER_NONE, nest->number[A(HOLDER)]);
	}
}

static int perf_open(uint64_t config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .config = config,
		.exclude_kernel = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

TEST_F(netlink, holder_is_perf)
{
	unsigned int i;
	int perf = perf_open(PERF_COUNT_HW_INSTRUCTIONS);

	if (perf < 0)
		SKIP(return, "no perf here: errno %d", errno);
	ASSERT_EQ(1, nl_get_cpu(&self->nl, 0, &self->message));
	for (i = 0; i < self->message.nests; i++)
		EXPECT_EQ(PMC_HOLDER_KERNEL, self->message.nest[i].number[A(HOLDER)]);
	close(perf);
	ASSERT_EQ(1, nl_get_cpu(&self->nl, 0, &self->message));
	for (i = 0; i < self->message.nests; i++)
		EXPECT_EQ(PMC_HOLDER_NONE, self->message.nest[i].number[A(HOLDER)]);
}

/* ---- contexts ---- */

/* The description of this process's context; @more: attributes beyond the identity */
static void expect_context(struct __test_metadata *_metadata, struct _test_data_netlink *self,
			   uint64_t more, uint32_t state)
{
	const struct nl_message *message = &self->message;
	uint64_t id = self->setup.config.context;
	char comm[PMC_COMM_LEN];

	ASSERT_EQ(1, nl_get_context(&self->nl, id, &self->message));
	EXPECT_EQ(PMC_NETLINK_GET_CONTEXT, message->command);
	EXPECT_EQ(IDENTITY | BIT(STATE) | more, message->has);
	EXPECT_EQ(id, message->number[A(CONTEXT)]);
	EXPECT_EQ(getuid(), message->number[A(UID)]);
	EXPECT_EQ(getpid(), message->number[A(PID)]);
	EXPECT_EQ(self->setup.config.scope, message->number[A(SCOPE)]);
	EXPECT_EQ(state, message->number[A(STATE)]);
	ASSERT_EQ(0, own_comm(comm));
	EXPECT_STREQ(comm, message->text[A(COMM)]);
}

TEST_F(netlink, context_of_a_thread)
{
	uint32_t last = last_general(&self->query);

	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(last), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER);
	if (self->query.fixed_counters & 1)
		setup_add(&self->setup, FIXED_INSTRUCTIONS, 0, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	expect_context(_metadata, self, BIT(TID), 0);
	EXPECT_EQ(gettid(), self->message.number[A(TID)]);
	EXPECT_EQ(1ULL << last, self->message.number[A(GENERAL_COUNTERS)]);
	EXPECT_EQ(self->query.fixed_counters & 1, self->message.number[A(FIXED_COUNTERS)]);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	expect_context(_metadata, self, BIT(TID), PMC_STATE_RUNNING);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	expect_context(_metadata, self, BIT(TID), 0);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(-ENOENT, nl_get_context(&self->nl, self->setup.config.context,
					  &self->message));
	EXPECT_STREQ("there is no such context", self->nl.said);
}

TEST_F(netlink, context_of_another_process)
{
	ASSERT_EQ(0, child_spin(&self->child));
	setup_thread(&self->setup, self->child.pid, PMC_CONFIG_ON_EXEC);
	self->setup.config.scope = PMC_SCOPE_TREE;
	claim(_metadata, self->fd, &self->setup, 0, 2);
	expect_context(_metadata, self, BIT(TID), 0);
	EXPECT_EQ(self->child.pid, self->message.number[A(TID)]);
	EXPECT_EQ(3, self->message.number[A(GENERAL_COUNTERS)]);
	EXPECT_EQ(0, self->message.number[A(FIXED_COUNTERS)]);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	expect_context(_metadata, self, BIT(TID), PMC_STATE_ARMED);
	child_kill(&self->child);
	self->child.pid = 0;
	expect_context(_metadata, self, BIT(TID), PMC_STATE_ENDED);
}

TEST_F(netlink, context_of_a_cpu)
{
	setup_cpu(&self->setup, 0);
	claim(_metadata, self->fd, &self->setup, 0, 1);
	expect_context(_metadata, self, BIT(CPU), 0);
	EXPECT_EQ(0, self->message.number[A(CPU)]);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	expect_context(_metadata, self, BIT(CPU), PMC_STATE_RUNNING);
}

TEST_F(netlink, context_of_a_cpu_that_is_offline)
{
	NEED_CPUS(2);
	ASSERT_EQ(0, pin(0, 0));
	setup_cpu(&self->setup, 1);
	claim(_metadata, self->fd, &self->setup, 0, 1);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	if (file_write(CPU1, "0"))
		SKIP(return, "CPU 1 cannot be taken offline");
	expect_context(_metadata, self, BIT(CPU), PMC_STATE_RUNNING | PMC_STATE_OFFLINE);
	EXPECT_EQ(1, self->message.number[A(CPU)]);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	expect_context(_metadata, self, BIT(CPU), PMC_STATE_OFFLINE);
	ASSERT_EQ(0, file_write(CPU1, "1"));
	expect_context(_metadata, self, BIT(CPU), 0);
}

TEST_F(netlink, context_of_all_cpus)
{
	setup_all_cpus(&self->setup);
	claim(_metadata, self->fd, &self->setup, 0, 1);
	expect_context(_metadata, self, 0, 0);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	expect_context(_metadata, self, 0, PMC_STATE_RUNNING);
}

/* With periods: what PMC_IOC_STATISTICS and PMC_IOC_READ report */
TEST_F(netlink, context_that_is_sampled)
{
	const struct nl_message *message = &self->message;
	struct pmc_statistics statistics;
	struct reading reading;
	const struct program *loop;
	uint32_t last = last_general(&self->query);

	LOAD_PROGRAM(loop, "./loop-1m");
	if (!(self->query.features & PMC_FEATURE(INTERRUPT)))
		SKIP(return, "no overflow interrupt here");
	if (last < 2 && !(self->query.fixed_counters & 1))
		SKIP(return, "needs three counters");
	ASSERT_EQ(0, child_program(&self->child, loop));
	setup_thread_one(&self->setup, self->child.pid, PMC_CONFIG_ON_EXEC);
	if (self->query.fixed_counters & 1)
		setup_add(&self->setup, FIXED_INSTRUCTIONS, 0, PMC_COUNT_USER);
	else
		setup_add(&self->setup, PMC_COUNTER_GENERAL(last - 1), EVENT_BRANCHES,
			  PMC_COUNT_USER);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(last), EVENT_BRANCHES, PMC_COUNT_USER);
	setup_period(&self->setup, 0, 100000);
	setup_period(&self->setup, 2, 200001);
	/* too small for all of them */
	self->setup.config.ring_size = sysconf(_SC_PAGESIZE);
	self->setup.config.watermark = 1;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	expect_context(_metadata, self, BIT(TID) | SAMPLED, 0);
	EXPECT_EQ(0, message->number[A(OVERFLOWS)]);
	EXPECT_EQ(0, message->number[A(RECORDS)]);
	ASSERT_EQ(2, message->nests);
	EXPECT_EQ(BIT(NUMBER) | BIT(PERIOD), message->nest[0].has);
	EXPECT_EQ(0, message->nest[0].number[A(NUMBER)]);
	EXPECT_EQ(100000, message->nest[0].number[A(PERIOD)]);
	EXPECT_EQ(last, message->nest[1].number[A(NUMBER)]);
	EXPECT_EQ(200001, message->nest[1].number[A(PERIOD)]);

	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_run(&self->child));
	self->child.pid = 0;
	ASSERT_EQ(0, reading_read(self->fd, &reading));
	ASSERT_EQ(0, statistics_read(self->fd, &statistics));
	expect_context(_metadata, self, BIT(TID) | SAMPLED, PMC_STATE_ENDED);
	EXPECT_COUNT(loop->instructions, reading.value[0]);
	EXPECT_COUNT(loop->branches, reading.value[2]);
	EXPECT_EQ(reading.value[0] / 100000 + reading.value[2] / 200001,
		  message->number[A(OVERFLOWS)]);
	EXPECT_EQ(reading.overflows, message->number[A(OVERFLOWS)]);
	EXPECT_EQ(statistics.records, message->number[A(RECORDS)]);
	EXPECT_EQ(statistics.sampled, message->number[A(SAMPLED)]);
	EXPECT_EQ(statistics.lost, message->number[A(LOST)]);
	EXPECT_EQ(statistics.throttled, message->number[A(THROTTLED)]);
	EXPECT_EQ(statistics.mmaps_lost, message->number[A(MMAPS_LOST)]);
	EXPECT_EQ(statistics.wakeups, message->number[A(WAKEUPS)]);
	EXPECT_EQ(50, message->number[A(THROTTLE_PERCENT)]);
	EXPECT_EQ(0, message->number[A(THROTTLED_NOW)]);
	EXPECT_LT(0, message->number[A(RECORDS)]);
	EXPECT_LT(0, message->number[A(WAKEUPS)]);
}

/* Two counters with too many overflows: both are throttled most of the time. */
TEST_F(netlink, context_that_is_throttled)
{
	if (!(self->query.features & PMC_FEATURE(INTERRUPT)))
		SKIP(return, "no overflow interrupt here");
	ASSERT_EQ(0, child_spin(&self->child));
	setup_thread_one(&self->setup, self->child.pid, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(last_general(&self->query)), EVENT_BRANCHES,
		  PMC_COUNT_USER);
	setup_period(&self->setup, 0, 2);
	setup_period(&self->setup, 1, 2);
	self->setup.config.throttle_percent = 7;
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_go(&self->child));
	do {
		expect_context(_metadata, self, BIT(TID) | SAMPLED, PMC_STATE_RUNNING);
		ASSERT_GE(2, self->message.number[A(THROTTLED_NOW)]);
	} while (self->message.number[A(THROTTLED_NOW)] != 2);
	EXPECT_EQ(7, self->message.number[A(THROTTLE_PERCENT)]);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	expect_context(_metadata, self, BIT(TID) | SAMPLED, 0);
	EXPECT_EQ(0, self->message.number[A(THROTTLED_NOW)]);
	EXPECT_LT(0, self->message.number[A(THROTTLED)]);
}

/* ---- dumps of contexts ---- */

#define CROWD	90	/* more than two parts of a dump hold */

FIXTURE(crowd) {
	struct pmc_query query;
	struct nl nl;
	struct nl_question question;
	struct setup setup;
	pid_t pid[CROWD];
	int fd[CROWD];
	uint64_t id[CROWD];
	struct nl_message messages[2 * CROWD];
};

/* Contexts of as many processes, all on one counter */
FIXTURE_SETUP(crowd)
{
	int i;

	NEED_COUNTERS_AND_ROOT(&self->query);
	ASSERT_EQ(0, nl_open(&self->nl));
	/* first the processes, so that they inherit no files */
	for (i = 0; i < CROWD; i++) {
		self->pid[i] = fork();
		ASSERT_LE(0, self->pid[i]);
		if (!self->pid[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			pause();
			_exit(0);
		}
	}
	for (i = 0; i < CROWD; i++) {
		self->fd[i] = pmc_open();
		ASSERT_LE(0, self->fd[i]);
		setup_thread(&self->setup, self->pid[i], 0);
		self->id[i] = claim(_metadata, self->fd[i], &self->setup, 0, 1);
	}
}

FIXTURE_TEARDOWN(crowd)
{
	int i;

	for (i = 0; i < CROWD; i++) {
		if (self->pid[i] > 0)
			kill(self->pid[i], SIGKILL);
		close(self->fd[i]);
	}
}

TEST_F(crowd, each_once)
{
	int nr = nl_dump(&self->nl, PMC_NETLINK_GET_CONTEXT, self->messages, 2 * CROWD), i;

	ASSERT_EQ(CROWD, nr);
	for (i = 0; i < nr; i++) {
		EXPECT_EQ(IDENTITY | BIT(STATE) | BIT(TID), self->messages[i].has);
		EXPECT_EQ(self->id[i], self->messages[i].number[A(CONTEXT)]);
		EXPECT_EQ(self->pid[i], self->messages[i].number[A(TID)]);
		if (i)
			EXPECT_EQ(self->id[i - 1] + 1, self->id[i]);
	}
}

/*
 * Between two parts of the dump, a reported context is released, then an unreported one, and
 * another is configured: each remaining context is reported once.
 */
TEST_F(crowd, changes_meanwhile)
{
	static char buffer[NL_SMALL] __attribute__((aligned(8)));
	struct nlmsghdr *nlh = (void *)buffer;
	int reported = 0, parts = 0, length, rest, i, seen[CROWD] = { 0 };
	uint64_t more;

	nl_question(&self->question, &self->nl, PMC_NETLINK_GET_CONTEXT, NLM_F_DUMP);
	ASSERT_EQ(0, nl_send(&self->nl, &self->question));
	length = nl_receive(&self->nl, buffer, NL_SMALL);
	ASSERT_LT(0, length);
	for (; NLMSG_OK(nlh, length); nlh = NLMSG_NEXT(nlh, length)) {
		ASSERT_EQ(0, nl_parse(nlh, &self->messages[reported]));
		EXPECT_EQ(self->id[reported], self->messages[reported].number[A(CONTEXT)]);
		reported++;
	}
	ASSERT_LT(0, reported);
	/* each part is made when the previous one is read: the last ones do not exist yet */
	ASSERT_LT(2 * reported, CROWD);
	ASSERT_EQ(0, pmc_call(self->fd[0], PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, pmc_call(self->fd[CROWD - 1], PMC_IOC_RELEASE, NULL));
	setup_thread(&self->setup, 0, 0);
	more = claim(_metadata, self->fd[0], &self->setup, 0, 1);
	rest = nl_answers(&self->nl, self->messages, 2 * CROWD, &parts);
	EXPECT_LT(1, parts);
	ASSERT_EQ(CROWD - reported, rest);
	for (i = 0; i < rest - 1; i++) {
		EXPECT_EQ(self->id[reported + i], self->messages[i].number[A(CONTEXT)]);
		seen[reported + i]++;
	}
	EXPECT_EQ(more, self->messages[rest - 1].number[A(CONTEXT)]);
	EXPECT_EQ(0, seen[CROWD - 1]);
}

/* A dump that is not read to its end keeps the module loaded until the socket is closed. */
TEST_F(crowd, dump_aborted)
{
	static char buffer[NL_SMALL];
	int i;

	nl_question(&self->question, &self->nl, PMC_NETLINK_GET_CONTEXT, NLM_F_DUMP);
	ASSERT_EQ(0, nl_send(&self->nl, &self->question));
	ASSERT_LT(0, nl_receive(&self->nl, buffer, NL_SMALL));
	for (i = 0; i < CROWD; i++)
		close(self->fd[i]);
	EXPECT_NE(0, syscall(SYS_delete_module, "pmcdrv", O_NONBLOCK));
	close(self->nl.fd);
	ASSERT_EQ(0, nl_open(&self->nl));
	EXPECT_EQ(0, nl_dump(&self->nl, PMC_NETLINK_GET_CONTEXT, self->messages, 2 * CROWD));
}

/* ---- statistics ---- */

TEST_F(netlink, statistics)
{
	static const char *const names[] = {
#define X(id, name, value, text) [value] = name,
		PMC_NETLINK_GROUPS(X)
#undef X
	};
	uint64_t configured;
	unsigned int i;

	setup_thread(&self->setup, 0, 0);
	configured = claim(_metadata, self->fd, &self->setup, 0, 1);
	ASSERT_EQ(1, nl_get(&self->nl, PMC_NETLINK_GET_STATISTICS, &self->message));
	EXPECT_EQ(PMC_NETLINK_GET_STATISTICS, self->message.command);
	EXPECT_EQ(BIT(CONFIGURED) | BIT(SPURIOUS) | BIT(GROUP), self->message.has);
	EXPECT_EQ(configured, self->message.number[A(CONFIGURED)]);
	ASSERT_EQ(ARRAY_SIZE(names), self->message.nests);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		EXPECT_EQ(BIT(GROUP_NAME) | BIT(SEQUENCE) | BIT(UNSENT),
			  self->message.nest[i].has);
		EXPECT_STREQ(names[i], self->message.nest[i].text);
		EXPECT_EQ(0, self->message.nest[i].number[A(UNSENT)]);
	}
	/* a failed CONFIGURE is not counted */
	setup_thread(&self->setup, 0, 0);
	EXPECT_EQ(-EBADFD, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(-EINVAL, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(0, self->setup.config.context);
	setup_thread(&self->setup, 0, 0);
	EXPECT_EQ(configured + 1, claim(_metadata, self->fd, &self->setup, 0, 1));
}

/* ---- permissions ---- */

/* Become an ordinary user with only these capabilities. */
static int set_user_with(uid_t uid, uint64_t caps)
{
	return prctl(PR_SET_KEEPCAPS, 1) || set_user(uid) ? -1 : capabilities(caps, caps, 0);
}

/* Root has a context; then the test becomes an ordinary user with its own context. */
static void two_users(struct __test_metadata *_metadata, struct _test_data_netlink *self,
		      uint64_t caps, uint64_t *roots, uint64_t *own)
{
	int fd = pmc_open();

	ASSERT_LE(0, fd);
	setup_thread(&self->setup, 0, 0);
	*roots = claim(_metadata, fd, &self->setup, 0, 1);
	close(self->nl.fd);
	ASSERT_EQ(0, set_user_with(USER_NOBODY, caps));
	ASSERT_EQ(0, nl_open(&self->nl));
	setup_thread(&self->setup, 0, 0);
	*own = claim(_metadata, self->fd, &self->setup, 1, 1);
}

TEST_F(netlink, an_ordinary_user)
{
	uint64_t roots, own;
	unsigned int i;

	two_users(_metadata, self, 0, &roots, &own);
	/* the user's own context */
	expect_context(_metadata, self, BIT(TID), 0);
	EXPECT_EQ(USER_NOBODY, self->message.number[A(UID)]);
	EXPECT_EQ(1, nl_dump(&self->nl, PMC_NETLINK_GET_CONTEXT, &self->message, 1));
	EXPECT_EQ(own, self->message.number[A(CONTEXT)]);
	/* not root's */
	EXPECT_EQ(-EACCES, nl_get_context(&self->nl, roots, &self->message));
	EXPECT_STREQ("a context of another user, or configured with privileges, is reported only with CAP_PERFMON", self->nl.said);
	/* CPUs, but not the holders of their counters */
	ASSERT_EQ(1, nl_get_cpu(&self->nl, 0, &self->message));
	EXPECT_EQ(self->query.general_counters, self->message.number[A(GENERAL_COUNTERS)]);
	for (i = 0; i < self->message.nests; i++)
		EXPECT_EQ(BIT(NUMBER) | BIT(WIDTH), self->message.nest[i].has);
	EXPECT_LE(1, nl_dump(&self->nl, PMC_NETLINK_GET_CPU, &self->message, 1));
	EXPECT_EQ(BIT(NUMBER) | BIT(WIDTH), self->message.nest[0].has);
	/* the driver */
	EXPECT_EQ(1, nl_get(&self->nl, PMC_NETLINK_GET_DRIVER, &self->message));
	EXPECT_EQ(1, nl_get(&self->nl, PMC_NETLINK_GET_STATISTICS, &self->message));
	/* which groups every user may join, and which not */
	EXPECT_EQ(-EPERM, nl_join(&self->nl, PMC_NETLINK_GROUP_CONTEXT));
	EXPECT_EQ(-EPERM, nl_join(&self->nl, PMC_NETLINK_GROUP_OVERFLOW));
	EXPECT_EQ(-EPERM, nl_join(&self->nl, PMC_NETLINK_GROUP_THROTTLE));
	EXPECT_EQ(0, nl_join(&self->nl, PMC_NETLINK_GROUP_HOTPLUG));
	EXPECT_EQ(0, nl_join(&self->nl, PMC_NETLINK_GROUP_PCE));
}

/* Join groups that may not exist yet, as an ordinary user. Returns a socket or -1. */
static int join_by_number(bool *joined, unsigned int nr)
{
	const struct sockaddr_nl any = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK, NETLINK_GENERIC);
	unsigned int group;

	if (fd < 0 || bind(fd, (const void *)&any, sizeof(any)) || seteuid(USER_NOBODY))
		return -1;
	for (group = 1; group < nr; group++)
		joined[group] = !setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group,
					    sizeof(group));
	return seteuid(0) ? -1 : fd;
}

static bool is_member(int fd, unsigned int group)
{
	uint32_t groups[64] = { 0 };
	socklen_t size = sizeof(groups);

	return getsockopt(fd, SOL_NETLINK, NETLINK_LIST_MEMBERSHIPS, groups, &size) ||
	       groups[(group - 1) / 32] >> (group - 1) % 32 & 1;
}

/* The number of messages of the family that wait on a socket */
static unsigned int waiting(int fd, uint16_t family)
{
	union {
		struct nlmsghdr header;
		char bytes[NL_SMALL];
	} message;
	unsigned int nr = 0;

	while (recv(fd, &message, sizeof(message), 0) > 0)
		nr += message.header.nlmsg_type == family;
	return nr;
}

/* The kernel checks the capability only when an existing group is joined. */
TEST_F(netlink, joined_before_the_family)
{
	bool joined[256] = { false };
	unsigned int i;
	int fd;

	if (getenv("PMCDRV_KEEP"))
		SKIP(return, "the module is to stay loaded");
	close(self->nl.fd);
	close(self->fd);
	ASSERT_EQ(0, module_unload());
	fd = join_by_number(joined, ARRAY_SIZE(joined));
	ASSERT_EQ(0, module_load());
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, nl_open(&self->nl));
	for (i = 0; i < NL_GROUPS; i++) {
		ASSERT_GT(ARRAY_SIZE(joined), self->nl.group[i]);
		EXPECT_TRUE(joined[self->nl.group[i]]);
		EXPECT_FALSE(is_member(fd, self->nl.group[i]));
	}
	ASSERT_EQ(0, nl_join(&self->nl, PMC_NETLINK_GROUP_CONTEXT));
	OPEN_DEVICE(self->fd);
	setup_thread(&self->setup, 0, 0);
	claim(_metadata, self->fd, &self->setup, 0, 1);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	/* at the second event the first has been sent to all members */
	ASSERT_EQ(0, nl_event(&self->nl, &self->message));
	EXPECT_EQ(PMC_NETLINK_CONFIGURED, self->message.command);
	ASSERT_EQ(0, nl_event(&self->nl, &self->message));
	EXPECT_EQ(PMC_NETLINK_RELEASED, self->message.command);
	EXPECT_EQ(0, waiting(fd, self->nl.family));
}

static void sees_all(struct __test_metadata *_metadata, struct _test_data_netlink *self,
		     int capability)
{
	struct nl_message messages[2];
	uint64_t roots, own;

	two_users(_metadata, self, CAP(capability), &roots, &own);
	ASSERT_EQ(1, nl_get_context(&self->nl, roots, &self->message));
	EXPECT_EQ(0, self->message.number[A(UID)]);
	ASSERT_EQ(2, nl_dump(&self->nl, PMC_NETLINK_GET_CONTEXT, messages, 2));
	EXPECT_EQ(roots, messages[0].number[A(CONTEXT)]);
	EXPECT_EQ(own, messages[1].number[A(CONTEXT)]);
	ASSERT_EQ(1, nl_get_cpu(&self->nl, 0, &self->message));
	EXPECT_EQ(roots, counter_of(&self->message, 0)->number[A(CONTEXT)]);
	EXPECT_EQ(own, counter_of(&self->message, 1)->number[A(CONTEXT)]);
}

TEST_F(netlink, with_cap_perfmon)
{
	sees_all(_metadata, self, CAP_PERFMON);
}

TEST_F(netlink, with_cap_sys_admin)
{
	sees_all(_metadata, self, CAP_SYS_ADMIN);
}

/* The test's own context, and a process of the same user without its rights */
static void expect_unseen(struct __test_metadata *_metadata, struct _test_data_netlink *self)
{
	uint64_t own;

	setup_thread(&self->setup, 0, 0);
	own = claim(_metadata, self->fd, &self->setup, 0, 1);
	close(self->nl.fd);
	ASSERT_EQ(0, setresuid(USER_NOBODY, USER_NOBODY, USER_NOBODY));
	ASSERT_EQ(0, capabilities(0, 0, 0));
	ASSERT_EQ(0, nl_open(&self->nl));
	EXPECT_EQ(-EACCES, nl_get_context(&self->nl, own, &self->message));
	EXPECT_EQ(0, nl_dump(&self->nl, PMC_NETLINK_GET_CONTEXT, &self->message, 1));
	/* but one without them */
	ASSERT_EQ(0, prctl(PR_SET_DUMPABLE, 1));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	setup_thread(&self->setup, 0, 0);
	own = claim(_metadata, self->fd, &self->setup, 0, 1);
	EXPECT_EQ(1, nl_get_context(&self->nl, own, &self->message));
}

TEST_F(netlink, configured_with_cap_perfmon)
{
	ASSERT_EQ(0, set_user_with(USER_NOBODY, CAP(CAP_PERFMON)));
	expect_unseen(_metadata, self);
}

/* As a set-group-ID program, or one with file capabilities */
TEST_F(netlink, configured_without_being_dumpable)
{
	ASSERT_EQ(0, setresuid(USER_NOBODY, USER_NOBODY, USER_NOBODY));
	ASSERT_EQ(0, prctl(PR_SET_DUMPABLE, 0));
	expect_unseen(_metadata, self);
}

/* As a set-user-ID program does it, in the name of the user that executed it */
TEST_F(netlink, configured_with_another_effective_user)
{
	ASSERT_EQ(0, setresuid(USER_NOBODY, USER_NOBODY - 1, USER_NOBODY));
	ASSERT_EQ(0, prctl(PR_SET_DUMPABLE, 1));
	expect_unseen(_metadata, self);
}

/* An unrelated capability */
TEST_F(netlink, with_cap_net_admin)
{
	uint64_t roots, own;

	two_users(_metadata, self, CAP(CAP_NET_ADMIN), &roots, &own);
	EXPECT_EQ(-EACCES, nl_get_context(&self->nl, roots, &self->message));
	EXPECT_EQ(0, nl_join(&self->nl, PMC_NETLINK_GROUP_CONTEXT));
}

/* A socket opened by root, used by an ordinary user */
TEST_F(netlink, socket_opened_by_root)
{
	int fd = pmc_open();
	uint64_t roots;

	ASSERT_LE(0, fd);
	setup_thread(&self->setup, 0, 0);
	roots = claim(_metadata, fd, &self->setup, 0, 1);
	ASSERT_EQ(0, set_user(USER_NOBODY));
	EXPECT_EQ(-EACCES, nl_get_context(&self->nl, roots, &self->message));
	EXPECT_EQ(0, nl_dump(&self->nl, PMC_NETLINK_GET_CONTEXT, &self->message, 1));
}

/* A socket opened by a user, used by root */
TEST_F(netlink, socket_opened_by_user)
{
	int fd = pmc_open(), sockets[2], status;
	uint64_t roots;
	pid_t pid;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets));
	setup_thread(&self->setup, 0, 0);
	roots = claim(_metadata, fd, &self->setup, 0, 1);
	close(self->nl.fd);
	pid = fork();
	if (!pid) {
		char control[CMSG_SPACE(sizeof(int))] = { 0 };
		struct msghdr message = {
			.msg_control = control, .msg_controllen = sizeof(control),
		};
		struct cmsghdr *cmsg = CMSG_FIRSTHDR(&message);

		if (set_user(USER_NOBODY) || nl_open(&self->nl))
			_exit(1);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cmsg), &self->nl.fd, sizeof(int));
		_exit(sendmsg(sockets[1], &message, 0) < 0);
	} else {
		char control[CMSG_SPACE(sizeof(int))] = { 0 };
		struct msghdr message = {
			.msg_control = control, .msg_controllen = sizeof(control),
		};

		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
		ASSERT_EQ(0, recvmsg(sockets[0], &message, 0));
		memcpy(&self->nl.fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
	}
	/* the opener of the socket has no privileges: root gains nothing */
	EXPECT_EQ(-EACCES, nl_get_context(&self->nl, roots, &self->message));
	ASSERT_EQ(1, nl_get_cpu(&self->nl, 0, &self->message));
	EXPECT_EQ(BIT(NUMBER) | BIT(WIDTH), self->message.nest[0].has);
}

TEST_F(netlink, another_network)
{
	struct nl nl;

	if (unshare(CLONE_NEWNET))
		SKIP(return, "no network namespaces here");
	EXPECT_EQ(-ENOENT, nl_open(&nl));
	/* the socket still belongs to the first namespace */
	EXPECT_EQ(1, nl_get(&self->nl, PMC_NETLINK_GET_DRIVER, &self->message));
	close(nl.fd);
}

/* In another PID namespace: this process has PID 1, others have no PID. */
TEST_F(netlink, another_pid_namespace)
{
	int fd = pmc_open(), status;
	uint64_t outside, inside;
	pid_t pid;

	ASSERT_LE(0, fd);
	setup_thread(&self->setup, 0, 0);
	outside = claim(_metadata, fd, &self->setup, 0, 1);
	if (unshare(CLONE_NEWPID))
		SKIP(return, "no pid namespaces here");
	pid = fork();
	if (!pid) {
		struct nl_message messages[2];

		setup_thread(&self->setup, 0, 0);
		inside = claim(_metadata, self->fd, &self->setup, 1, 1);
		ASSERT_EQ(1, getpid());
		ASSERT_EQ(1, nl_get_context(&self->nl, inside, &self->message));
		EXPECT_EQ(1, self->message.number[A(PID)]);
		EXPECT_EQ(1, self->message.number[A(TID)]);
		ASSERT_EQ(1, nl_get_context(&self->nl, outside, &self->message));
		EXPECT_EQ(0, self->message.number[A(PID)]);
		EXPECT_EQ(0, self->message.number[A(TID)]);
		EXPECT_STREQ("", self->message.text[A(COMM)]);
		ASSERT_EQ(2, nl_dump(&self->nl, PMC_NETLINK_GET_CONTEXT, messages, 2));
		EXPECT_EQ(0, messages[0].number[A(PID)]);
		EXPECT_EQ(1, messages[1].number[A(PID)]);
		_exit(_metadata->exit_code);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* ---- malformed messages ---- */

/* The driver still replies correctly. */
static void expect_replies(struct __test_metadata *_metadata, struct _test_data_netlink *self)
{
	ASSERT_EQ(1, nl_get_cpu(&self->nl, 0, &self->message));
	expect_cpu(_metadata, &self->message);
}

TEST_F(netlink, unknown_commands)
{
	unsigned int command;

	for (command = 0; command < 256; command++) {
		if (command >= PMC_NETLINK_GET_DRIVER && command <= PMC_NETLINK_GET_STATISTICS)
			continue;
		EXPECT_EQ(-EOPNOTSUPP, nl_get(&self->nl, command, &self->message))
			TH_LOG("command %u", command);
		EXPECT_EQ(-EOPNOTSUPP, nl_dump(&self->nl, command, &self->message, 1))
			TH_LOG("command %u", command);
	}
	/* these describe one object only */
	EXPECT_EQ(-EOPNOTSUPP, nl_dump(&self->nl, PMC_NETLINK_GET_DRIVER, &self->message, 1));
	EXPECT_EQ(-EOPNOTSUPP, nl_dump(&self->nl, PMC_NETLINK_GET_STATISTICS, &self->message, 1));
	expect_replies(_metadata, self);
}

TEST_F(netlink, missing_attributes)
{
	EXPECT_EQ(-EINVAL, nl_get(&self->nl, PMC_NETLINK_GET_CPU, &self->message));
	EXPECT_STREQ("the attribute CPU is missing", self->nl.said);
	EXPECT_EQ(-EINVAL, nl_get(&self->nl, PMC_NETLINK_GET_CONTEXT, &self->message));
	EXPECT_STREQ("the attribute CONTEXT is missing", self->nl.said);
}

TEST_F(netlink, no_such_cpu_or_context)
{
	static const uint32_t cpus[] = { 0x7fffffff, 0x80000000, 0xffffffff, 8192, 1 << 20 };
	static const uint64_t ids[] = { 0, 1ULL << 32, 1ULL << 63, ~0ULL };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		EXPECT_EQ(-EINVAL, nl_get_cpu(&self->nl, cpus[i], &self->message));
		EXPECT_STREQ("there is no such CPU", self->nl.said);
	}
	EXPECT_EQ(-EINVAL, nl_get_cpu(&self->nl, cpus_possible(), &self->message));
	setup_thread(&self->setup, 0, 0);
	claim(_metadata, self->fd, &self->setup, 0, 1);
	for (i = 0; i < ARRAY_SIZE(ids); i++)
		EXPECT_EQ(-ENOENT, nl_get_context(&self->nl, ids[i], &self->message));
	EXPECT_EQ(-ENOENT, nl_get_context(&self->nl, self->setup.config.context + 1,
					  &self->message));
	EXPECT_EQ(-ENOENT, nl_get_context(&self->nl, self->setup.config.context - 1,
					  &self->message));
}

/* Send one attribute that the command does not take. */
static int ask_wrongly(struct _test_data_netlink *self, uint8_t command, uint16_t flags,
		       uint16_t type, uint16_t length)
{
	static const char zeros[64];

	nl_question(&self->question, &self->nl, command, flags);
	nl_put(&self->question, type, zeros, length);
	return nl_ask(&self->nl, &self->question, &self->message, 1);
}

TEST_F(netlink, wrong_attributes)
{
	static const uint8_t commands[] = {
		PMC_NETLINK_GET_DRIVER, PMC_NETLINK_GET_CPU, PMC_NETLINK_GET_CONTEXT,
		PMC_NETLINK_GET_STATISTICS,
	};
	unsigned int i, type, length;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		for (type = 0; type < 64; type++) {
			for (length = 0; length <= 16; length += 4) {
				if (commands[i] == PMC_NETLINK_GET_CPU && type == A(CPU) &&
				    length == 4)
					continue;
				if (commands[i] == PMC_NETLINK_GET_CONTEXT &&
				    type == A(CONTEXT) && length == 8)
					continue;
				EXPECT_EQ(-EINVAL, ask_wrongly(self, commands[i], 0, type, length))
					TH_LOG("%u %u %u", commands[i], type, length);
			}
		}
		EXPECT_EQ(-EINVAL, ask_wrongly(self, commands[i], 0, (uint16_t)NLA_TYPE_MASK, 4));
	}
	for (length = 0; length < 12; length++) {
		if (length != 4)
			EXPECT_EQ(-EINVAL, ask_wrongly(self, PMC_NETLINK_GET_CPU, 0, A(CPU),
						       length));
		if (length != 8)
			EXPECT_EQ(-EINVAL, ask_wrongly(self, PMC_NETLINK_GET_CONTEXT, 0,
						       A(CONTEXT), length));
	}
	/* a number is not a nest */
	EXPECT_EQ(-EINVAL, ask_wrongly(self, PMC_NETLINK_GET_CPU, 0, A(CPU) | NLA_F_NESTED, 4));
	/* valid and invalid together */
	nl_question(&self->question, &self->nl, PMC_NETLINK_GET_CPU, 0);
	nl_put_u32(&self->question, A(CPU), 0);
	nl_put_u64(&self->question, A(CONTEXT), 1);
	EXPECT_EQ(-EINVAL, nl_ask(&self->nl, &self->question, &self->message, 1));
	expect_replies(_metadata, self);
}

TEST_F(netlink, dump_with_attributes)
{
	EXPECT_EQ(-EINVAL, ask_wrongly(self, PMC_NETLINK_GET_CPU, NLM_F_DUMP, A(CPU), 4));
	/* 6.1 has no extended message when a dump fails to start */
	if (self->nl.said[0])
		EXPECT_STREQ("a dump takes no attributes", self->nl.said);
	EXPECT_EQ(-EINVAL, ask_wrongly(self, PMC_NETLINK_GET_CONTEXT, NLM_F_DUMP, A(CONTEXT), 8));
	EXPECT_EQ(-EINVAL, ask_wrongly(self, PMC_NETLINK_GET_CONTEXT, NLM_F_DUMP, A(PID), 4));
	EXPECT_LT(0, nl_dump(&self->nl, PMC_NETLINK_GET_CPU, &self->message, 1));
	expect_replies(_metadata, self);
}

/* Headers with wrong lengths */
TEST_F(netlink, truncated)
{
	struct nlattr *attribute = (void *)self->question.attributes;
	unsigned int length;

	/* the generic header is incomplete */
	for (length = NLMSG_HDRLEN; length < NLMSG_HDRLEN + GENL_HDRLEN; length++) {
		nl_question(&self->question, &self->nl, PMC_NETLINK_GET_DRIVER, 0);
		self->question.nlh.nlmsg_len = length;
		EXPECT_EQ(-EINVAL, nl_ask(&self->nl, &self->question, &self->message, 1));
	}
	/* an attribute is shorter than its header, or longer than the message */
	for (length = 0; length < 64; length++) {
		nl_question(&self->question, &self->nl, PMC_NETLINK_GET_CPU, 0);
		nl_put_u32(&self->question, A(CPU), 0);
		attribute->nla_len = length;
		EXPECT_EQ(length == 8 ? 1 : -EINVAL,
			  nl_ask(&self->nl, &self->question, &self->message, 1))
			TH_LOG("length %u", length);
	}
	/* bytes after the last attribute */
	nl_question(&self->question, &self->nl, PMC_NETLINK_GET_CPU, 0);
	nl_put_u32(&self->question, A(CPU), 0);
	self->question.nlh.nlmsg_len += 3;
	EXPECT_EQ(-EINVAL, nl_ask(&self->nl, &self->question, &self->message, 1));
	/* reserved bits: generic netlink of older kernels ignores them */
	if (linux_is_from(6, 1)) {
		nl_question(&self->question, &self->nl, PMC_NETLINK_GET_DRIVER, 0);
		self->question.genl.reserved = 1;
		EXPECT_EQ(-EINVAL, nl_ask(&self->nl, &self->question, &self->message, 1));
		nl_question(&self->question, &self->nl, PMC_NETLINK_GET_DRIVER, NLM_F_CREATE);
		EXPECT_EQ(-EINVAL, nl_ask(&self->nl, &self->question, &self->message, 1));
	}
	expect_replies(_metadata, self);
}

/* Random messages, always the same ones: afterwards the driver still replies correctly. */
TEST_F(netlink, noise)
{
	uint64_t random = 88172645463325252ULL;
	unsigned int rounds = 3000 / slowness(), round, i, answers = 0;
	struct nl noisy;
	char trash[4096];

	setup_thread(&self->setup, 0, 0);
	claim(_metadata, self->fd, &self->setup, 0, 1);
	for (round = 0; round < rounds; round++) {
		ASSERT_EQ(0, nl_open(&noisy));
		nl_question(&self->question, &noisy, 0, 0);
		for (i = 0; i < sizeof(self->question.attributes); i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			self->question.attributes[i] = random;
			/* small numbers are valid lengths and types */
			if (i < 64 && random >> 60 < 12)
				self->question.attributes[i] = random & 7 ? 0 : random >> 32 & 31;
		}
		self->question.genl.cmd = 1 + (random >> 8) % 5;
		self->question.nlh.nlmsg_flags |= random >> 16 & 1 ? NLM_F_DUMP : NLM_F_ACK;
		self->question.nlh.nlmsg_len += (random >> 24) % 128;
		ASSERT_EQ(0, nl_send(&noisy, &self->question));
		while (recv(noisy.fd, trash, sizeof(trash), MSG_DONTWAIT) > 0)
			answers++;
		close(noisy.fd);
	}
	EXPECT_LE(rounds, answers);
	expect_replies(_metadata, self);
	EXPECT_EQ(1, nl_get_context(&self->nl, self->setup.config.context, &self->message));
}

TEST_HARNESS_MAIN

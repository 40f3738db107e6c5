// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests a thousand contexts at once, each of its own process
 *
 * All can be read; one more context beside them is exact; a context switch of other tasks and one
 * more CONFIGURE cost what they cost before; a dump over netlink takes a time proportional to their
 * number; closing them frees everything, including memory. An ordinary user can sample a hundred
 * processes.
 */
#include <grp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "memcg.h"
#include "fixture.h"
#include "netlink.h"
#include "samples.h"
#include "switch_pairs.h"

#define CONTEXTS	1000
#define RUNNING		20	/* children that run; the others sleep */
#define ROUNDS		1000

/* Contexts of sleeping children, each on all counters or on one */
struct crowd {
	struct child child[CONTEXTS];
	int fd[CONTEXTS];
	int nr;
};

static int crowd_make(struct crowd *crowd, int nr)
{
	struct rlimit files = { 2 * CONTEXTS + 100, 2 * CONTEXTS + 100 };
	int err = setrlimit(RLIMIT_NOFILE, &files) ? -errno : 0;

	for (crowd->nr = 0; crowd->nr < nr && !err; crowd->nr++) {
		crowd->fd[crowd->nr] = -1;
		err = child_spin(&crowd->child[crowd->nr]);
	}
	return err;
}

/* Configure @setup for each of the children @from to @to (exclusive), and start. */
static int crowd_count(struct crowd *crowd, int from, int to, struct setup *setup)
{
	int n, err = 0;

	for (n = from; n < to && !err; n++) {
		crowd->fd[n] = pmc_open();
		setup->config.tid = crowd->child[n].pid;
		err = setup_configure(crowd->fd[n], setup);
		if (!err)
			err = pmc_call(crowd->fd[n], PMC_IOC_START, NULL);
	}
	return err;
}

static void crowd_close(struct crowd *crowd)
{
	int n;

	for (n = 0; n < crowd->nr; n++) {
		if (crowd->fd[n] >= 0)
			close(crowd->fd[n]);
		crowd->fd[n] = -1;
	}
}

static void crowd_kill(struct crowd *crowd)
{
	while (crowd->nr)
		child_kill(&crowd->child[--crowd->nr]);
}

/* The caller counts its own loop exactly. */
static void expect_exact(struct __test_metadata *_metadata, const struct pmc_query *query)
{
	struct reading reading;
	struct setup setup;
	int own, i;

	OPEN_DEVICE(own);
	setup_thread_all(&setup, query, 0, 0);
	ASSERT_EQ(0, setup_configure(own, &setup));
	ASSERT_EQ(0, sampled_loop(own, ROUNDS, PMC_IOC_START, PMC_IOC_STOP));
	ASSERT_EQ(0, reading_read(own, &reading));
	for (i = 0; i < reading.nr_counters; i++)
		EXPECT_EQ(SAMPLED_LOOP(ROUNDS), reading.value[i]);
	close(own);
}

/* Each context can be read; the children from @running on have not run yet. */
static void expect_all_running(struct __test_metadata *_metadata, struct crowd *crowd,
			       int contexts, int running)
{
	struct reading reading;
	int n;

	for (n = 0; n < contexts; n++) {
		ASSERT_EQ(0, reading_read(crowd->fd[n], &reading));
		EXPECT_EQ(PMC_STATE_RUNNING, reading.state);
		if (n >= running)
			EXPECT_EQ(0, reading.value[0]);
	}
}

static unsigned int contexts_now(void)
{
	struct pmc_query query;

	return pmc_query(PMC_CPU_ANY, &query) ? -1U : query.contexts;
}

TEST(thousand_contexts_readable)
{
	static struct crowd crowd;
	struct pmc_query query;
	struct setup setup;
	int n;

	NEED_COUNTERS_AND_ROOT(&query);
	ASSERT_EQ(0, crowd_make(&crowd, CONTEXTS));
	setup_thread_all(&setup, &query, 0, 0);
	ASSERT_EQ(0, crowd_count(&crowd, 0, CONTEXTS, &setup));
	EXPECT_EQ(CONTEXTS, contexts_now());
	for (n = 0; n < RUNNING; n++)
		ASSERT_EQ(0, child_go(&crowd.child[n]));
	expect_exact(_metadata, &query);
	expect_all_running(_metadata, &crowd, CONTEXTS, RUNNING);

	/* half of the children end before their file is closed, half after */
	for (n = 0; n < CONTEXTS; n++) {
		if (n & 1)
			child_kill(&crowd.child[n]);
		close(crowd.fd[n]);
		if (!(n & 1))
			child_kill(&crowd.child[n]);
	}
	EXPECT_EQ(0, contexts_now());
}

/* ---- the cost of a switch ---- */

/*
 * The cost of two unfollowed threads that wake each other, in user and kernel mode of their
 * CPU, with one context of another process and with a thousand. Each switch looks up the next
 * task in a hash table. Tasks may share a bucket, but some pairs must cost no more than before,
 * and none as much as a walk over all contexts, which is at least an instruction for each. (How
 * far the costs vary by chance depends on the kernel; by 0 on 6.1.) Threads, not processes: the
 * kernel's search for an address space among those of a CPU takes longer the higher its index.
 */
TEST(switch_costs_the_same)
{
	uint64_t one[PAIRS], all[PAIRS];
	static struct crowd crowd;
	struct pair pairs[PAIRS];
	struct pmc_query query;
	struct setup setup;
	int cpu, n, no_more = 0;

	NEED_COUNTERS_AND_ROOT(&query);
	NEED_CPUS(2);
	if (!(query.features & PMC_FEATURE(KERNEL_MODE)))
		SKIP(return, "kernel mode cannot be counted alone");
	OPEN_DEVICE(cpu);
	setup_cpu(&setup, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	ASSERT_EQ(0, setup_configure(cpu, &setup));
	ASSERT_EQ(0, pairs_make(pairs, cpu));
	ASSERT_EQ(0, pin(0, 1));
	ASSERT_EQ(0, crowd_make(&crowd, CONTEXTS));
	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);

	ASSERT_EQ(0, crowd_count(&crowd, 0, 1, &setup));
	for (n = 0; n < PAIRS; n++)
		one[n] = pair_asked(&pairs[n]);
	ASSERT_EQ(0, crowd_count(&crowd, 1, CONTEXTS, &setup));
	for (n = 0; n < PAIRS; n++) {
		all[n] = pair_asked(&pairs[n]);
		ASSERT_LT(0, one[n]);
		no_more += all[n] <= one[n];
	}
	EXPECT_LT(0, no_more);
	/* a round trip has two switches, each with a lookup */
	EXPECT_GT(least_of(one) + 2 * CONTEXTS, least_of(all));
	for (n = 0; n < PAIRS && !__test_passed(_metadata); n++)
		TH_LOG("%llu, then %llu", (unsigned long long)one[n], (unsigned long long)all[n]);
	crowd_close(&crowd);
	crowd_kill(&crowd);
	pairs_end(pairs);
	close(cpu);
	EXPECT_EQ(0, contexts_now());
}

/* ---- dumps ---- */

#define MEASUREMENTS	5	/* of which the least counts */

/* The least number of instructions of the CPU in kernel mode for a dump; 0 on an error */
static uint64_t dump_cost(struct nl *nl, int fd, int contexts)
{
	uint64_t least = UINT64_MAX;
	struct reading reading;
	int i;

	for (i = 0; i < MEASUREMENTS; i++) {
		if (pmc_call(fd, PMC_IOC_RESET, NULL) || pmc_call(fd, PMC_IOC_START, NULL) ||
		    nl_dump(nl, PMC_NETLINK_GET_CONTEXT, NULL, 0) != contexts ||
		    pmc_call(fd, PMC_IOC_STOP, NULL) || reading_read(fd, &reading))
			return 0;
		if (reading.value[0] < least)
			least = reading.value[0];
	}
	return least;
}

/*
 * A dump of twice as many contexts costs twice as much. One that searches all contexts for each of
 * its messages visits a further CONTEXTS^2 / 2, at five instructions each at the least.
 */
TEST(dump_is_linear)
{
	static struct crowd crowd;
	struct pmc_query query;
	struct setup setup;
	uint64_t half, all;
	struct nl nl;
	int cpu;

	NEED_COUNTERS_AND_ROOT(&query);
	if (!(query.features & PMC_FEATURE(KERNEL_MODE)))
		SKIP(return, "kernel mode cannot be counted alone");
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, crowd_make(&crowd, CONTEXTS));
	OPEN_DEVICE(cpu);
	setup_cpu(&setup, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_KERNEL);
	ASSERT_EQ(0, setup_configure(cpu, &setup));
	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, crowd_count(&crowd, 0, CONTEXTS / 2, &setup));
	half = dump_cost(&nl, cpu, CONTEXTS / 2 + 1);
	ASSERT_EQ(0, crowd_count(&crowd, CONTEXTS / 2, CONTEXTS, &setup));
	all = dump_cost(&nl, cpu, CONTEXTS + 1);
	ASSERT_LT(0, half);
	ASSERT_LT(0, all);
	EXPECT_GT(2 * half + CONTEXTS * CONTEXTS, all);
	TH_LOG("%llu, then %llu", (unsigned long long)half, (unsigned long long)all);
	crowd_close(&crowd);
	crowd_kill(&crowd);
	close(nl.fd);
	close(cpu);
	EXPECT_EQ(0, contexts_now());
}

/* ---- CONFIGURE ---- */

/* The least number of instructions for a CONFIGURE and RELEASE of the caller; 0 on an error */
static uint64_t configure_cost(int fd)
{
	uint64_t least = UINT64_MAX;
	struct reading reading;
	struct setup setup;
	int i, own = pmc_open();

	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	for (i = 0; i < MEASUREMENTS; i++) {
		if (pmc_call(fd, PMC_IOC_RESET, NULL) || pmc_call(fd, PMC_IOC_START, NULL) ||
		    setup_configure(own, &setup) || pmc_call(own, PMC_IOC_RELEASE, NULL) ||
		    pmc_call(fd, PMC_IOC_STOP, NULL) || reading_read(fd, &reading))
			return 0;
		if (reading.value[0] < least)
			least = reading.value[0];
	}
	close(own);
	return least;
}

/* A walk over the contexts of other threads takes five instructions each at the least. */
TEST(configure_costs_the_same)
{
	static struct crowd crowd;
	struct pmc_query query;
	struct setup setup;
	uint64_t one, all;
	int cpu;

	NEED_COUNTERS_AND_ROOT(&query);
	if (!(query.features & PMC_FEATURE(KERNEL_MODE)))
		SKIP(return, "kernel mode cannot be counted alone");
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, crowd_make(&crowd, CONTEXTS));
	OPEN_DEVICE(cpu);
	setup_cpu(&setup, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_KERNEL);
	ASSERT_EQ(0, setup_configure(cpu, &setup));
	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, crowd_count(&crowd, 0, 1, &setup));
	one = configure_cost(cpu);
	ASSERT_EQ(0, crowd_count(&crowd, 1, CONTEXTS, &setup));
	all = configure_cost(cpu);
	ASSERT_LT(0, one);
	ASSERT_LT(0, all);
	EXPECT_GT(one + 5 * CONTEXTS, all);
	TH_LOG("%llu, then %llu", (unsigned long long)one, (unsigned long long)all);
	crowd_close(&crowd);
	crowd_kill(&crowd);
	close(cpu);
	EXPECT_EQ(0, contexts_now());
}

/* ---- memory ---- */

static long long charged_after_all(struct crowd *crowd)
{
	crowd_close(crowd);
	return grace_periods() ? -EIO : memory_charged();
}

/* The kernel charges all memory of the contexts, in pages. */
TEST(memory_is_freed)
{
	long long before, with, after;
	static struct crowd crowd;
	struct pmc_query query;
	struct setup setup;
	int err;

	NEED_COUNTERS_AND_ROOT(&query);
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, crowd_make(&crowd, CONTEXTS));
	err = memory_group_enter();
	if (err == -ENODEV)
		SKIP(return, "this kernel has no memory control groups");
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, mlockall(MCL_CURRENT | MCL_FUTURE));
	setup_thread_all(&setup, &query, 0, 0);
	/* objects that are allocated once and stay exist now */
	ASSERT_EQ(0, crowd_count(&crowd, 0, CONTEXTS, &setup));
	before = charged_after_all(&crowd);
	ASSERT_LT(0, before);
	ASSERT_EQ(0, crowd_count(&crowd, 0, CONTEXTS, &setup));
	with = memory_charged();
	EXPECT_LT(before + CONTEXTS * sizeof(uint64_t), with);
	after = charged_after_all(&crowd);
	/* the least leak is 8 bytes for each context; the rest of one page may vary */
	EXPECT_GE(before + sysconf(_SC_PAGESIZE), after);
	crowd_kill(&crowd);
	memory_group_leave();
	EXPECT_EQ(0, contexts_now());
}

/* ---- an ordinary user ---- */

#define USERS		100
#define RING		4096
#define PERIOD		100000

/* Contexts of the user's own processes, sampled, with rings of one page for each CPU */
static void users_hundred(struct __test_metadata *_metadata, const struct pmc_query *query)
{
	static struct crowd crowd;
	struct setup setup;
	int n;

	ASSERT_EQ(0, setgroups(0, NULL));
	ASSERT_EQ(0, setresgid(USER_NOBODY, USER_NOBODY, USER_NOBODY));
	ASSERT_EQ(0, setresuid(USER_NOBODY, USER_NOBODY, USER_NOBODY));
	ASSERT_EQ(0, prctl(PR_SET_DUMPABLE, 1));
	ASSERT_EQ(0, crowd_make(&crowd, USERS));
	setup_thread_all(&setup, query, 0, 0);
	setup.config.ring_size = RING;
	setup_period(&setup, 0, PERIOD);
	ASSERT_EQ(0, crowd_count(&crowd, 0, USERS, &setup));
	EXPECT_EQ(USERS, contexts_now());
	for (n = 0; n < RUNNING; n++)
		ASSERT_EQ(0, child_go(&crowd.child[n]));
	expect_exact(_metadata, query);
	expect_all_running(_metadata, &crowd, USERS, RUNNING);
	crowd_close(&crowd);
	EXPECT_EQ(0, contexts_now());
	crowd_kill(&crowd);
}

TEST(hundred_contexts_unprivileged)
{
	struct pmc_query query;
	struct stat stat_before;
	pid_t pid;
	int status;

	NEED_COUNTERS_AND_ROOT(&query);
	if (!(query.features & PMC_FEATURE(INTERRUPT)))
		SKIP(return, "no interrupt on overflow");
	ASSERT_EQ(0, stat(PMC_DEVICE, &stat_before));
	ASSERT_EQ(0, chmod(PMC_DEVICE, 0666));
	pid = fork();
	ASSERT_LE(0, pid);
	if (pid == 0) {
		users_hundred(_metadata, &query);
		_exit(_metadata->exit_code);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, chmod(PMC_DEVICE, stat_before.st_mode & 07777));
	EXPECT_EQ(0, status);
	expect_exact(_metadata, &query);
	EXPECT_EQ(0, contexts_now());
}

TEST_HARNESS_MAIN

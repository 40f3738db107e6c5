// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests a context that follows a process of twenty thousand threads, or of PMCDRV_THREADS
 *
 * A context switch of other tasks costs what it costs with one followed thread; the time of
 * CONFIGURE is proportional to the number of threads, and a signal that kills its caller ends it.
 * START does not interrupt a CPU for each sleeping thread.
 */
#include "kselftest_harness.h"
#include "fixture.h"
#include "interrupts.h"
#include "netlink.h"
#include "switch_pairs.h"

#define THREADS		20000	/* unless PMCDRV_THREADS has another number */
#define ADD_BATCH	512	/* threads between two searches of CONFIGURE, PMC_ADD_BATCH */
#define CONFIGURES	2	/* measurements, of which the least counts */

#define ASLEEP		(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | \
			 CLONE_SYSVSEM)

/*
 * Create a thread of this process that sleeps until the process ends. It needs no stack. Returns
 * a TID or a negative errno.
 */
static long thread_asleep(void)
{
	long result;

#ifdef __x86_64__
	asm volatile("xor %%r8d, %%r8d\n"
		     "xor %%r10d, %%r10d\n"
		     "syscall\n"
		     "test %%eax, %%eax\n"
		     "jnz 2f\n"
		     "1: mov %[pause], %%eax\n"
		     "syscall\n"
		     "jmp 1b\n"
		     "2:\n"
		     : "=a" (result)
		     : "0" (SYS_clone), "D" (ASLEEP), "S" (0), "d" (0), [pause] "i" (SYS_pause)
		     : "rcx", "r8", "r10", "r11", "memory");
#else
	asm volatile("int $0x80\n"
		     "test %%eax, %%eax\n"
		     "jnz 2f\n"
		     "1: mov %[pause], %%eax\n"
		     "int $0x80\n"
		     "jmp 1b\n"
		     "2:\n"
		     : "=a" (result)
		     : "0" (SYS_clone), "b" (ASLEEP), "c" (0), "d" (0), "S" (0), "D" (0),
		       [pause] "i" (SYS_pause)
		     : "memory");
#endif
	return result;
}

/* struct herd - a process of sleeping threads, except for the first, which creates the others */
struct herd {
	pid_t pid;
	int nr;
	int more[2], done[2];
};

static void herd_run(const struct herd *herd)
{
	long err;
	int more;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(herd->more[0], &more, sizeof(more)) == sizeof(more)) {
		for (err = 0; more && err >= 0; more--)
			err = thread_asleep();
		if (write(herd->done[1], &err, sizeof(err)) != sizeof(err))
			break;
	}
	_exit(0);
}

static int herd_make(struct herd *herd)
{
	if (pipe(herd->more) || pipe(herd->done))
		return -errno;
	herd->nr = 1;
	herd->pid = fork();
	if (herd->pid == 0)
		herd_run(herd);
	return herd->pid < 0 ? -errno : 0;
}

/* Create threads until the process has @nr. Returns 0 or a negative number. */
static long herd_grow(struct herd *herd, int nr)
{
	int more = nr - herd->nr;
	long err;

	herd->nr = nr;
	if (write(herd->more[1], &more, sizeof(more)) != sizeof(more) ||
	    read(herd->done[0], &err, sizeof(err)) != sizeof(err))
		return -EIO;
	return err < 0 ? err : 0;
}

static void herd_end(const struct herd *herd)
{
	kill(herd->pid, SIGKILL);
	waitpid(herd->pid, NULL, 0);
}

/* The scopes that follow a whole process */
static const uint32_t scopes[] = { PMC_SCOPE_PROCESS, PMC_SCOPE_TREE };

#define THREADS_MAX	"/proc/sys/kernel/threads-max"
#define PID_MAX		"/proc/sys/kernel/pid_max"

FIXTURE(herd) {
	BASE_FIXTURE;
	char threads_max[32], pid_max[32];
	int threads;
	struct herd herd;
	struct setup follow;
};

/* Raise the limit in a file of /proc/sys/kernel to @least; @before is its value until now. */
static int limit_raise(const char *path, char *before, size_t size, int least)
{
	char text[32];
	int err;

	err = file_read(path, before, size);
	if (err || atoi(before) >= least)
		return err;
	snprintf(text, sizeof(text), "%d", least);
	return file_write(path, text);
}

FIXTURE_SETUP(herd)
{
	const char *threads = getenv("PMCDRV_THREADS");

	BASE_SETUP();
	NEED_ROOT();
	NEED_CPUS(2);
	if (!(self->query.features & PMC_FEATURE(KERNEL_MODE)))
		SKIP(return, "kernel mode cannot be counted alone");
	self->threads = threads ? atoi(threads) : THREADS;
	ASSERT_LT(1, self->threads);
	/* the kernel's default depends on the memory, and is more careful than necessary */
	ASSERT_EQ(0, limit_raise(THREADS_MAX, self->threads_max, sizeof(self->threads_max),
				 2 * self->threads));
	ASSERT_EQ(0, limit_raise(PID_MAX, self->pid_max, sizeof(self->pid_max),
				 self->threads + 10000));
	ASSERT_EQ(0, herd_make(&self->herd));
	setup_thread(&self->follow, self->herd.pid, 0);
	self->follow.config.scope = PMC_SCOPE_PROCESS;
	setup_add(&self->follow, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
}

FIXTURE_TEARDOWN(herd)
{
	herd_end(&self->herd);
	file_write(THREADS_MAX, self->threads_max);
	file_write(PID_MAX, self->pid_max);
	close(self->fd);
}

static void count_cpu0(struct __test_metadata *_metadata, struct _test_data_herd *self,
		       uint32_t modes)
{
	setup_cpu(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, modes);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
}

/*
 * As switch_costs_the_same in scale.c. Half of the threads exist when they are followed, half are
 * created by a followed thread. The second CONFIGURE waits for the hash table's growth.
 */
TEST_F(herd, switch_costs_the_same)
{
	uint64_t one[PAIRS], all[PAIRS];
	struct pair pairs[PAIRS];
	int follow, again, n, no_more = 0;

	count_cpu0(_metadata, self, PMC_COUNT_USER | PMC_COUNT_KERNEL);
	ASSERT_EQ(0, pairs_make(pairs, self->fd));
	ASSERT_EQ(0, pin(0, 1));
	OPEN_DEVICE(follow);
	CONFIGURE_AND_START(follow, &self->follow);
	for (n = 0; n < PAIRS; n++)
		one[n] = pair_asked(&pairs[n]);
	ASSERT_EQ(0, pmc_call(follow, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, herd_grow(&self->herd, self->threads / 2));
	CONFIGURE_AND_START(follow, &self->follow);
	ASSERT_EQ(0, herd_grow(&self->herd, self->threads));
	OPEN_DEVICE(again);
	self->follow.config.tid = 0;
	ASSERT_EQ(0, setup_configure(again, &self->follow));
	for (n = 0; n < PAIRS; n++) {
		all[n] = pair_asked(&pairs[n]);
		ASSERT_LT(0, one[n]);
		no_more += all[n] <= one[n];
	}
	/*
	 * A task shares a bucket with a followed thread with a probability of at most 1/4, and a
	 * pair has two tasks. In a table of 2^12 buckets nearly every pair does.
	 */
	EXPECT_LT(PAIRS / 4, no_more);
	for (n = 0; n < PAIRS; n++)
		TH_LOG("%llu, then %llu", (unsigned long long)one[n], (unsigned long long)all[n]);
	pairs_end(pairs);
	close(again);
	close(follow);
}

/* The least number of instructions of CPU 0 in kernel mode for one CONFIGURE */
static uint64_t configure_cost(struct _test_data_herd *self, int follow)
{
	uint64_t least = UINT64_MAX;
	struct reading before, after;
	int i;

	for (i = 0; i < CONFIGURES; i++) {
		if (reading_read(self->fd, &before) || setup_configure(follow, &self->follow) ||
		    reading_read(self->fd, &after) || pmc_call(follow, PMC_IOC_RELEASE, NULL))
			return 0;
		if (after.value[0] - before.value[0] < least)
			least = after.value[0] - before.value[0];
	}
	return least;
}

/*
 * Twice as many threads cost twice as much. A CONFIGURE that begins each search for threads at the
 * first thread visits a further (number of threads)^2 / 4 / ADD_BATCH of them, at more than ten
 * instructions each.
 */
TEST_F(herd, configure_is_linear)
{
	uint64_t half[ARRAY_SIZE(scopes)], whole, visits;
	unsigned int i;
	int follow;

	ASSERT_EQ(0, pin(0, 0));
	count_cpu0(_metadata, self, PMC_COUNT_KERNEL);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	OPEN_DEVICE(follow);
	ASSERT_EQ(0, herd_grow(&self->herd, self->threads / 2));
	for (i = 0; i < ARRAY_SIZE(scopes); i++) {
		self->follow.config.scope = scopes[i];
		half[i] = configure_cost(self, follow);
		ASSERT_LT(0, half[i]);
	}
	ASSERT_EQ(0, herd_grow(&self->herd, self->threads));
	visits = (uint64_t)(self->threads / ADD_BATCH) * self->threads / 4;
	for (i = 0; i < ARRAY_SIZE(scopes); i++) {
		self->follow.config.scope = scopes[i];
		whole = configure_cost(self, follow);
		EXPECT_GT(2 * half[i] + visits * 10, whole);
		TH_LOG("%llu, then %llu", (unsigned long long)half[i], (unsigned long long)whole);
	}
	close(follow);
}

#define SLEEPING	100	/* threads */

/* START of threads that sleep on a busy CPU does not interrupt that CPU for each of them. */
TEST_F(herd, start_leaves_sleeping_threads)
{
	struct child busy;
	long calls;
	int follow;

	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, pin(self->herd.pid, 1));
	ASSERT_EQ(0, herd_grow(&self->herd, SLEEPING));
	ASSERT_EQ(0, child_spin(&busy));
	ASSERT_EQ(0, pin(busy.pid, 1));
	ASSERT_EQ(0, child_go(&busy));
	OPEN_DEVICE(follow);
	ASSERT_EQ(0, setup_configure(follow, &self->follow));
	calls = calls_received();
	ASSERT_LE(0, calls);
	ASSERT_EQ(0, pmc_call(follow, PMC_IOC_START, NULL));
	EXPECT_GT(calls + SLEEPING, calls_received());
	TH_LOG("%ld calls", calls_received() - calls);
	child_kill(&busy);
	close(follow);
}

static uint64_t configured_so_far(struct nl *nl)
{
	struct nl_message message;

	if (nl_get(nl, PMC_NETLINK_GET_STATISTICS, &message) != 1)
		return UINT64_MAX;
	return message.number[PMC_NETLINK_A_CONFIGURED];
}

/* Kill a process in the middle of its CONFIGURE. */
static void configure_and_kill(struct __test_metadata *_metadata, struct _test_data_herd *self)
{
	struct pmc_query query;
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (pid == 0) {
		setup_configure(self->fd, &self->follow);
		pause();
	}
	do {
		ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
	} while (!query.contexts);
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
	EXPECT_EQ(0, query.contexts);
}

/* A context is counted as configured at the end of CONFIGURE. */
TEST_F(herd, configure_is_killed)
{
	uint64_t configured;
	struct nl nl;
	unsigned int i;

	ASSERT_EQ(0, nl_open(&nl));
	ASSERT_EQ(0, herd_grow(&self->herd, self->threads));
	configured = configured_so_far(&nl);
	for (i = 0; i < ARRAY_SIZE(scopes); i++) {
		self->follow.config.scope = scopes[i];
		configure_and_kill(_metadata, self);
		EXPECT_EQ(configured, configured_so_far(&nl))
			TH_LOG("scope %u", scopes[i]);
	}
	close(nl.fd);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests which tasks may execute RDPMC in user mode: the device's attribute pce
 *
 * Each tested process executes RDPMC and detects a refusal by its own SIGSEGV.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/loop.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "module.h"
#include "user_read.h"
#include "credentials.h"

#define PCE		"/sys/class/misc/pmc/pce"
#define CPU1		"/sys/devices/system/cpu/cpu1/online"

/* The name of this program when it only executes RDPMC */
#define TRIES		"tries-rdpmc"

enum { FAULTS, WORKS };

static __thread sigjmp_buf escape;

static void faulted(int signal)
{
	siglongjmp(escape, 1);
}

/* sigsetjmp() does not save the signal mask, which would take system calls. */
static int attempt(void)
{
	struct sigaction action = { .sa_handler = faulted, .sa_flags = SA_NODEFER };

	sigaction(SIGSEGV, &action, NULL);
	if (sigsetjmp(escape, 0))
		return FAULTS;
	rdpmc(0);
	return WORKS;
}

/* Runs before the harness: executed by a child, this program only tries RDPMC. */
static void __attribute__((constructor)) tries(void)
{
	if (!strcmp(program_invocation_name, TRIES))
		_exit(attempt());
}

static int end_of(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The outcome in a forked child, as this user and on this CPU */
static int child_attempts(uid_t uid, int cpu)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (pin(0, cpu) || (uid && set_user(uid)))
			_exit(125);
		_exit(attempt());
	}
	return end_of(pid);
}

/* The outcome in a program that a child executes */
static int program_attempts(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl("/proc/self/exe", TRIES, NULL);
		_exit(125);
	}
	return end_of(pid);
}

/** struct unrelated_task - a process on CPU 1 that tries RDPMC again and again */
struct unrelated_task {
	pid_t pid;
	unsigned long *tried;	/* shared: 2 * attempts + the outcome of the last one */
};

static int unrelated_start(struct unrelated_task *task, int cpu)
{
	task->tried = mmap(NULL, sizeof(*task->tried), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (task->tried == MAP_FAILED)
		return -errno;
	task->pid = fork();
	if (task->pid == 0) {
		unsigned long n;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(0, cpu);
		for (n = 1;; n++)
			__atomic_store_n(task->tried, 2 * n + attempt(), __ATOMIC_RELEASE);
	}
	return task->pid < 0 ? -errno : 0;
}

/* The outcome of an attempt that began after this call */
static int unrelated_outcome(struct unrelated_task *task)
{
	unsigned long begin = __atomic_load_n(task->tried, __ATOMIC_ACQUIRE) / 2, now;

	do {
		sched_yield();
		now = __atomic_load_n(task->tried, __ATOMIC_ACQUIRE);
	} while (now / 2 < begin + 2);
	return now & 1;
}

FIXTURE(pce) {
	struct pmc_query query;
	struct unrelated_task unrelated;
	int loop;	/* a loop device over the attribute, or -1 */
	char text[256];
};

FIXTURE_SETUP(pce)
{
	self->loop = -1;
	NEED_COUNTERS_AND_ROOT(&self->query);
	if (!(self->query.features & PMC_FEATURE(RDPMC)))
		SKIP(return, "this CPU has no RDPMC");
	/* perf has no rdpmc file where it knows no counters: on a Pentium MMX */
	if (!file_read(perfs_rdpmc(), self->text, sizeof(self->text)) &&
	    strcmp(self->text, "1\n"))
		SKIP(return, "perf's rdpmc file is not 1 here");
	ASSERT_EQ(0, file_read(PCE, self->text, sizeof(self->text)));
	ASSERT_STREQ("1\n", self->text);
}

FIXTURE_TEARDOWN(pce)
{
	if (self->unrelated.pid > 0)
		kill(self->unrelated.pid, SIGKILL);
	if (self->loop >= 0)
		ioctl(self->loop, LOOP_CLR_FD, 0);
	file_write(perfs_rdpmc(), "1");
	file_write(PCE, "1");
	file_write(CPU1, "1");
}

static bool perf_has_file(void)
{
	return !access(perfs_rdpmc(), F_OK);
}

#define NEED_PERFS_FILE() do {							\
	if (!perf_has_file())							\
		SKIP(return, "perf knows no counters here");			\
} while (0)

/* A new context of the caller, with or without RDPMC; returns its file. */
static int context(struct __test_metadata *_metadata, uint32_t counter, uint32_t flags)
{
	struct setup setup;
	int fd = pmc_open();

	ASSERT_LE(0, fd);
	setup_thread(&setup, 0, flags);
	setup_add(&setup, counter, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(fd, &setup));
	return fd;
}

static void expect_text(struct __test_metadata *_metadata, struct _test_data_pce *self,
			const char *text)
{
	ASSERT_EQ(0, file_read(PCE, self->text, sizeof(self->text)));
	EXPECT_STREQ(text, self->text);
}

/* With 0 no task may execute RDPMC: neither root nor a process with a context that requests it. */
TEST_F(pce, denied_with_0)
{
	const struct pmc_page *page;
	int fd;

	ASSERT_EQ(0, file_write(PCE, "0"));
	expect_text(_metadata, self, "0\n");
	fd = context(_metadata, 0, PMC_CONFIG_USER_READ);
	page = page_map(fd);
	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	EXPECT_EQ(PMC_PAGE_UNAVAILABLE, page_sequence(page) & PMC_PAGE_UNAVAILABLE);
	EXPECT_EQ(FAULTS, attempt());
	EXPECT_EQ(FAULTS, child_attempts(0, 0));
	EXPECT_EQ(FAULTS, child_attempts(USER_NOBODY, 0));
	EXPECT_EQ(FAULTS, program_attempts());
	/* the context gets RDPMC at 1, and loses it at 0 */
	ASSERT_EQ(0, file_write(PCE, "1\n"));
	EXPECT_EQ(0, page_sequence(page) & PMC_PAGE_UNAVAILABLE);
	EXPECT_EQ(WORKS, attempt());
	EXPECT_EQ(FAULTS, child_attempts(0, 0));
	ASSERT_EQ(0, file_write(PCE, "0"));
	EXPECT_EQ(PMC_PAGE_UNAVAILABLE, page_sequence(page) & PMC_PAGE_UNAVAILABLE);
	EXPECT_EQ(FAULTS, attempt());
}

/*
 * RESET and WRITE close the user page and open it again, but not while 0 denies RDPMC: a program
 * that trusted the page would fault.
 */
TEST_F(pce, page_stays_closed_over_reset_and_write)
{
	uint64_t written[2] = { 1000 };
	struct pmc_write request = {
		.size = sizeof(request),
		.nr_counters = 1,
		.values = (uintptr_t)written,
	};
	const struct pmc_page *page;
	int fd;

	fd = context(_metadata, 0, PMC_CONFIG_USER_READ);
	page = page_map(fd);
	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_RESET, NULL));
	EXPECT_EQ(0, page_sequence(page) & PMC_PAGE_UNAVAILABLE);
	ASSERT_EQ(0, file_write(PCE, "0"));
	EXPECT_EQ(PMC_PAGE_UNAVAILABLE, page_sequence(page) & PMC_PAGE_UNAVAILABLE);
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_RESET, NULL));
	EXPECT_EQ(PMC_PAGE_UNAVAILABLE, page_sequence(page) & PMC_PAGE_UNAVAILABLE);
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_WRITE, &request));
	EXPECT_EQ(PMC_PAGE_UNAVAILABLE, page_sequence(page) & PMC_PAGE_UNAVAILABLE);
	/* START opens the page only if RDPMC is allowed */
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_RESET, NULL));
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	EXPECT_EQ(PMC_PAGE_UNAVAILABLE, page_sequence(page) & PMC_PAGE_UNAVAILABLE);
	EXPECT_EQ(FAULTS, attempt());
	ASSERT_EQ(0, file_write(PCE, "1"));
	EXPECT_EQ(0, page_sequence(page) & PMC_PAGE_UNAVAILABLE);
}

TEST_F(pce, allowed_for_requester)
{
	int fd;

	EXPECT_EQ(FAULTS, attempt());
	EXPECT_EQ(FAULTS, child_attempts(0, 0));
	EXPECT_EQ(FAULTS, child_attempts(USER_NOBODY, 0));
	fd = context(_metadata, 0, 0);
	EXPECT_EQ(FAULTS, attempt());
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_RELEASE, NULL));
	close(fd);
	fd = context(_metadata, 0, PMC_CONFIG_USER_READ);
	EXPECT_EQ(WORKS, attempt());
	EXPECT_EQ(FAULTS, child_attempts(0, 0));
	EXPECT_EQ(FAULTS, child_attempts(0, cpus_online() - 1));
	EXPECT_EQ(FAULTS, child_attempts(USER_NOBODY, 0));
	EXPECT_EQ(FAULTS, program_attempts());
	EXPECT_EQ(WORKS, attempt());
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(FAULTS, attempt());
}

/* An ordinary user that was passed the open device */
TEST_F(pce, allowed_for_unprivileged_requester)
{
	struct setup setup;
	pid_t pid = fork();

	if (pid == 0) {
		int fd = pmc_open();

		if (fd < 0 || set_user(USER_NOBODY) || attempt() != FAULTS)
			_exit(1);
		setup_thread(&setup, 0, PMC_CONFIG_USER_READ);
		setup_add(&setup, 0, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
		if (setup_configure(fd, &setup) || attempt() != WORKS)
			_exit(2);
		close(fd);
		_exit(attempt() == FAULTS ? 0 : 3);
	}
	EXPECT_EQ(0, end_of(pid));
}

TEST_F(pce, two_contexts)
{
	int first = context(_metadata, 0, PMC_CONFIG_USER_READ);
	int second = context(_metadata, 1, PMC_CONFIG_USER_READ);

	EXPECT_EQ(WORKS, attempt());
	close(first);
	EXPECT_EQ(WORKS, attempt());
	close(second);
	EXPECT_EQ(FAULTS, attempt());
	/* and in reverse order */
	first = context(_metadata, 0, PMC_CONFIG_USER_READ);
	second = context(_metadata, 1, PMC_CONFIG_USER_READ);
	close(second);
	EXPECT_EQ(WORKS, attempt());
	close(first);
	EXPECT_EQ(FAULTS, attempt());
}

/* The context ends with an exec; the new program has none. */
TEST_F(pce, exec_revokes)
{
	pid_t pid = fork();

	if (pid == 0) {
		context(_metadata, 0, PMC_CONFIG_USER_READ);
		if (attempt() != WORKS)
			_exit(124);
		execl("/proc/self/exe", TRIES, NULL);
		_exit(125);
	}
	EXPECT_EQ(FAULTS, end_of(pid));
}

TEST_F(pce, allowed_for_all)
{
	unsigned int n;

	ASSERT_EQ(0, file_write(PCE, "2"));
	expect_text(_metadata, self, "2\n");
	EXPECT_EQ(WORKS, attempt());
	EXPECT_EQ(WORKS, child_attempts(0, 0));
	EXPECT_EQ(WORKS, child_attempts(0, cpus_online() - 1));
	EXPECT_EQ(WORKS, child_attempts(USER_NOBODY, 0));
	/* Each exec takes seconds in a debug kernel. */
	for (n = 0; n < 200 / slowness(); n++)
		ASSERT_EQ(WORKS, program_attempts());
	ASSERT_EQ(0, file_write(PCE, "1"));
	EXPECT_EQ(FAULTS, attempt());
	EXPECT_EQ(FAULTS, child_attempts(0, 0));
	EXPECT_EQ(FAULTS, child_attempts(USER_NOBODY, 0));
	EXPECT_EQ(FAULTS, program_attempts());
}

/*
 * Two processes answer each other, on one CPU or on two. One has requested RDPMC, the other has
 * not. Both try at each switch.
 */
static void switches(struct __test_metadata *_metadata, unsigned int rounds, bool move)
{
	int there[2], back[2];
	unsigned int n;
	char byte = 0;
	pid_t partner;

	ASSERT_EQ(0, pipe(there));
	ASSERT_EQ(0, pipe(back));
	ASSERT_EQ(0, pin(0, 0));
	partner = fork();
	ASSERT_LE(0, partner);
	if (partner == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (read(there[0], &byte, 1) == 1) {
			byte = attempt();
			if (write(back[1], &byte, 1) != 1)
				break;
		}
		_exit(0);
	}
	context(_metadata, 0, PMC_CONFIG_USER_READ);
	for (n = 0; n < rounds; n++) {
		if (move)
			ASSERT_EQ(0, pin(n & 2 ? partner : 0, n & 1));
		ASSERT_EQ(1, write(there[1], &byte, 1));
		ASSERT_EQ(1, read(back[0], &byte, 1));
		ASSERT_EQ(FAULTS, byte);
		ASSERT_EQ(WORKS, attempt());
	}
	kill(partner, SIGKILL);
}

TEST_F(pce, over_2000_switches)
{
	switches(_metadata, 2000, false);
}

TEST_F(pce, over_migrations)
{
	NEED_CPUS(2);
	switches(_metadata, 1000, true);
}

/* A process spins on the other CPU while the attribute changes. */
TEST_F(pce, unrelated_task_denied)
{
	unsigned int n;
	int fd;

	NEED_CPUS(2);
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, unrelated_start(&self->unrelated, 1));
	EXPECT_EQ(FAULTS, unrelated_outcome(&self->unrelated));
	for (n = 0; n < 20; n++) {
		ASSERT_EQ(0, file_write(PCE, "2"));
		ASSERT_EQ(WORKS, unrelated_outcome(&self->unrelated));
		ASSERT_EQ(WORKS, attempt());
		ASSERT_EQ(0, file_write(PCE, n & 1 ? "1" : "0"));
		ASSERT_EQ(FAULTS, unrelated_outcome(&self->unrelated));
		ASSERT_EQ(FAULTS, attempt());
	}
	/* a request of another process does not apply to the unrelated task */
	ASSERT_EQ(0, file_write(PCE, "1"));
	fd = context(_metadata, 0, PMC_CONFIG_USER_READ);
	EXPECT_EQ(WORKS, attempt());
	EXPECT_EQ(FAULTS, unrelated_outcome(&self->unrelated));
	close(fd);
}

struct tries {
	pthread_t thread;
	int cpu;
	pthread_barrier_t *barrier;
	int outcome[3];
};

static void *thread_tries(void *argument)
{
	struct tries *tries = argument;
	unsigned int n;

	pin(0, tries->cpu);
	for (n = 0; n < ARRAY_SIZE(tries->outcome); n++) {
		pthread_barrier_wait(tries->barrier);
		tries->outcome[n] = attempt();
		pthread_barrier_wait(tries->barrier);
	}
	return NULL;
}

/* Threads share the permission: before, while and after one of them requests it. */
TEST_F(pce, threads)
{
	pthread_barrier_t barrier;
	struct tries tries[4];
	unsigned int i, n;
	int fd = -1;

	pthread_barrier_init(&barrier, NULL, ARRAY_SIZE(tries) + 1);
	for (i = 0; i < ARRAY_SIZE(tries); i++) {
		tries[i].barrier = &barrier;
		tries[i].cpu = i % cpus_online();
		ASSERT_EQ(0, pthread_create(&tries[i].thread, NULL, thread_tries, &tries[i]));
	}
	for (n = 0; n < 3; n++) {
		if (n == 1)
			fd = context(_metadata, 0, PMC_CONFIG_USER_READ);
		if (n == 2)
			close(fd);
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
	}
	for (i = 0; i < ARRAY_SIZE(tries); i++) {
		ASSERT_EQ(0, pthread_join(tries[i].thread, NULL));
		EXPECT_EQ(FAULTS, tries[i].outcome[0]);
		EXPECT_EQ(WORKS, tries[i].outcome[1]);
		EXPECT_EQ(FAULTS, tries[i].outcome[2]);
	}
}

/** struct spy - a thread that tries RDPMC again and again */
struct spy {
	pthread_t thread;
	bool stop;
	unsigned long attempts;
	unsigned long worked;
};

static void *spy_tries(void *argument)
{
	struct spy *spy = argument;

	pin(0, cpus_online() - 1);
	while (!__atomic_load_n(&spy->stop, __ATOMIC_ACQUIRE)) {
		spy->worked += attempt() == WORKS;
		__atomic_add_fetch(&spy->attempts, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* How many worked of about ten attempts that began after this call */
static unsigned long spy_worked(const struct spy *spy)
{
	unsigned long begin = __atomic_load_n(&spy->attempts, __ATOMIC_ACQUIRE), worked;

	while (__atomic_load_n(&spy->attempts, __ATOMIC_ACQUIRE) == begin)
		sched_yield();
	worked = __atomic_load_n(&spy->worked, __ATOMIC_RELAXED);
	while (__atomic_load_n(&spy->attempts, __ATOMIC_ACQUIRE) < begin + 10)
		sched_yield();
	return __atomic_load_n(&spy->worked, __ATOMIC_RELAXED) - worked;
}

/* Setting 0 ends the permission of a thread that runs meanwhile, and 1 begins it again. */
TEST_F(pce, revoked_while_it_runs)
{
	struct spy spy = { 0 };
	int fd[2];

	NEED_CPUS(2);
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, pthread_create(&spy.thread, NULL, spy_tries, &spy));
	fd[0] = context(_metadata, 0, PMC_CONFIG_USER_READ);
	fd[1] = context(_metadata, 1, PMC_CONFIG_USER_READ);
	EXPECT_LT(0, spy_worked(&spy));
	ASSERT_EQ(0, file_write(PCE, "0"));
	EXPECT_EQ(0, spy_worked(&spy));
	ASSERT_EQ(0, file_write(PCE, "1"));
	EXPECT_LT(0, spy_worked(&spy));
	close(fd[0]);
	EXPECT_LT(0, spy_worked(&spy));
	close(fd[1]);
	EXPECT_EQ(0, spy_worked(&spy));
	__atomic_store_n(&spy.stop, true, __ATOMIC_RELEASE);
	ASSERT_EQ(0, pthread_join(spy.thread, NULL));
}

/* Claim the counters again and again; returns how often the user's other thread could read them. */
static int claims_beside_a_spy(int fd)
{
	struct spy spy = { 0 };
	struct setup setup;
	unsigned int n;

	if (set_user(USER_NOBODY) || pin(0, 0) ||
	    pthread_create(&spy.thread, NULL, spy_tries, &spy))
		return 125;
	while (!__atomic_load_n(&spy.attempts, __ATOMIC_ACQUIRE))
		sched_yield();
	for (n = 0; n < 20; n++) {
		setup_thread(&setup, 0, 0);
		setup_add(&setup, 0, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
		if (setup_configure(fd, &setup) || pmc_call(fd, PMC_IOC_RELEASE, NULL))
			return 124;
	}
	__atomic_store_n(&spy.stop, true, __ATOMIC_RELEASE);
	pthread_join(spy.thread, NULL);
	return spy.worked < 100 ? spy.worked : 100;
}

/* RDPMC is not even allowed for the moment in which the driver claims the counters. */
TEST_F(pce, deny_all_while_claimed)
{
	static const char *const settings[] = { "0", "1" };
	unsigned int i;
	pid_t pid;
	int fd;

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		ASSERT_EQ(0, file_write(PCE, settings[i]));
		OPEN_DEVICE(fd);
		pid = fork();
		if (pid == 0)
			_exit(claims_beside_a_spy(fd));
		EXPECT_EQ(0, end_of(pid));
		close(fd);
	}
}

/* Reading perf's file does not allow RDPMC. */
TEST_F(pce, deny_all_while_reading_attribute)
{
	struct spy spy = { 0 };
	unsigned int n;

	NEED_CPUS(2);
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, file_write(PCE, "0"));
	ASSERT_EQ(0, pthread_create(&spy.thread, NULL, spy_tries, &spy));
	for (n = 0; n < 20; n++)
		expect_text(_metadata, self, "0\n");
	__atomic_store_n(&spy.stop, true, __ATOMIC_RELEASE);
	ASSERT_EQ(0, pthread_join(spy.thread, NULL));
	EXPECT_LT(0, spy.attempts);
	EXPECT_EQ(0, spy.worked);
}

/* A CPU that went offline and came back has the current setting. */
TEST_F(pce, cpu_offline_and_online)
{
	int fd;

	NEED_CPUS(2);
	ASSERT_EQ(0, pin(0, 0));
	if (file_write(CPU1, "0"))
		SKIP(return, "CPU 1 cannot be taken offline");
	ASSERT_EQ(0, file_write(PCE, "2"));
	EXPECT_EQ(WORKS, attempt());
	ASSERT_EQ(0, file_write(CPU1, "1"));
	EXPECT_EQ(WORKS, child_attempts(0, 1));
	EXPECT_EQ(WORKS, child_attempts(USER_NOBODY, 1));
	ASSERT_EQ(0, file_write(CPU1, "0"));
	ASSERT_EQ(0, file_write(PCE, "1"));
	ASSERT_EQ(0, file_write(CPU1, "1"));
	EXPECT_EQ(FAULTS, child_attempts(0, 1));
	EXPECT_EQ(FAULTS, attempt());
	fd = context(_metadata, 0, PMC_CONFIG_USER_READ);
	ASSERT_EQ(0, pin(0, 1));
	EXPECT_EQ(WORKS, attempt());
	/* the process is migrated away, and comes back */
	ASSERT_EQ(0, file_write(CPU1, "0"));
	EXPECT_EQ(WORKS, attempt());
	EXPECT_EQ(FAULTS, child_attempts(0, 0));
	ASSERT_EQ(0, file_write(CPU1, "1"));
	ASSERT_EQ(0, pin(0, 1));
	EXPECT_EQ(WORKS, attempt());
	EXPECT_EQ(FAULTS, child_attempts(0, 1));
	close(fd);
	EXPECT_EQ(FAULTS, attempt());
}

/* perf's own file overrides the attribute, which reports it. */
TEST_F(pce, perf_rdpmc_attribute)
{
	int fd;

	NEED_PERFS_FILE();
	fd = context(_metadata, 0, PMC_CONFIG_USER_READ);
	EXPECT_EQ(WORKS, attempt());
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "0"));
	EXPECT_EQ(FAULTS, attempt());
	expect_text(_metadata, self, "1 (overridden: perf's rdpmc file contains 0, no process)\n");
	ASSERT_EQ(0, file_write(PCE, "2"));
	EXPECT_EQ(FAULTS, attempt());
	EXPECT_EQ(FAULTS, child_attempts(0, 0));
	expect_text(_metadata, self, "2 (overridden: perf's rdpmc file contains 0, no process)\n");
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "1"));
	EXPECT_EQ(WORKS, attempt());
	EXPECT_EQ(WORKS, child_attempts(USER_NOBODY, 0));
	expect_text(_metadata, self, "2\n");

	close(fd);
	ASSERT_EQ(0, file_write(PCE, "0"));
	EXPECT_EQ(FAULTS, attempt());
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "2"));
	EXPECT_EQ(WORKS, attempt());
	EXPECT_EQ(WORKS, child_attempts(USER_NOBODY, 0));
	expect_text(_metadata, self, "0 (overridden: perf's rdpmc file contains 2, every process)\n");
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "1"));
	EXPECT_EQ(FAULTS, attempt());
	expect_text(_metadata, self, "0\n");
}

static void *thread_waits(void *barrier)
{
	pthread_barrier_wait(barrier);
	return NULL;
}

/*
 * While no context requests RDPMC, perf can have events. The attribute is then tried out in the
 * address space of its reader, but not beside another thread, which could map an event.
 */
TEST_F(pce, override_without_context)
{
	pthread_barrier_t barrier;
	pthread_t thread;

	NEED_PERFS_FILE();
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "0"));
	expect_text(_metadata, self, "1 (overridden: perf's rdpmc file contains 0, no process)\n");
	pthread_barrier_init(&barrier, NULL, 2);
	ASSERT_EQ(0, pthread_create(&thread, NULL, thread_waits, &barrier));
	expect_text(_metadata, self, "1\n");
	pthread_barrier_wait(&barrier);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(FAULTS, attempt());
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "1"));
	expect_text(_metadata, self, "1\n");
	EXPECT_EQ(FAULTS, attempt());
}

/*
 * The page follows perf's file, so a task that reads by the protocol never faults. Some time
 * after perf's file allows RDPMC, the page becomes valid again.
 */
TEST_F(pce, page_follows_perf_rdpmc_attribute)
{
	const struct pmc_page *page;
	struct access access = { 0 };
	struct reading reading;
	uint64_t value;
	unsigned int n;

	NEED_PERFS_FILE();
	access.fd = context(_metadata, 0, PMC_CONFIG_USER_READ);
	page = page_map(access.fd);
	ASSERT_NE(NULL, page);
	access.page = page;
	access.counter = &page->counter[0];
	access.reading = &reading;
	ASSERT_EQ(0, pmc_call(access.fd, PMC_IOC_START, NULL));
	for (n = 0; n < 50; n++) {
		ASSERT_TRUE(page_read(page, 0, &value));
		ASSERT_EQ(0, pin(0, n % cpus_online()));
		ASSERT_EQ(0, file_write(perfs_rdpmc(), "0"));
		ASSERT_FALSE(page_read(page, 0, &value));
		ASSERT_EQ(0, reading_read(access.fd, &reading));
		ASSERT_LT(value, reading.value[0]);
		/* over a switch, too */
		usleep(1);
		ASSERT_FALSE(page_read(page, 0, &value));
		EXPECT_EQ(FAULTS, attempt());
		ASSERT_EQ(0, file_write(perfs_rdpmc(), n % 2 ? "1" : "2"));
		while (!page_read(page, 0, &value))
			sched_yield();
		ASSERT_EQ(0, access_both(&access));
		ASSERT_COUNT(access.value + ACCESS_INSTRUCTIONS, reading.value[0]);
	}
	/* this attribute overrides what perf's file allows */
	ASSERT_EQ(0, file_write(PCE, "0"));
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "0"));
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "1"));
	for (n = 0; n < 50; n++) {
		/* a read of the attribute waits for the check whether the page may be used */
		expect_text(_metadata, self, "0\n");
		ASSERT_FALSE(page_read(page, 0, &value));
	}
	EXPECT_EQ(FAULTS, attempt());
}

/** struct onlooker - a thread that reads its page on CPU 1 when @go is set */
struct onlooker {
	pthread_t thread, other;	/* @other runs on CPU 1, too */
	unsigned int ready, go, done;
	int at_once, switched;		/* outcomes */
};

enum { NOT_NOW = WORKS + 1 };

static int page_attempt(const struct pmc_page *page)
{
	uint64_t value;

	if (sigsetjmp(escape, 0))
		return FAULTS;
	return page_read(page, 0, &value) ? WORKS : NOT_NOW;
}

/* From here on this thread shares its CPU only with threads of its priority, by sched_yield(). */
static int be_first(void)
{
	return schedule_as(0, SCHED_FIFO);
}

static void *give_way(void *argument)
{
	struct onlooker *onlooker = argument;

	pin(0, 1);
	be_first();
	__atomic_add_fetch(&onlooker->ready, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&onlooker->done, __ATOMIC_ACQUIRE))
		sched_yield();
	return NULL;
}

static void *look(void *argument)
{
	struct sigaction action = { .sa_handler = faulted, .sa_flags = SA_NODEFER };
	struct onlooker *onlooker = argument;
	const struct pmc_page *page;
	struct setup setup;
	int fd = pmc_open();
	bool ready;

	sigaction(SIGSEGV, &action, NULL);
	setup_thread(&setup, 0, PMC_CONFIG_USER_READ);
	setup_add(&setup, 0, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	/* raise the priority first, or the other thread would leave it no CPU */
	ready = !be_first() && !pin(0, 1) && !setup_configure(fd, &setup) &&
		!pmc_call(fd, PMC_IOC_START, NULL);
	if (ready) {
		page = page_map(fd);
		ready = page_attempt(page) == WORKS;
	}
	__atomic_add_fetch(&onlooker->ready, 1, __ATOMIC_RELEASE);
	if (ready) {
		while (!__atomic_load_n(&onlooker->go, __ATOMIC_ACQUIRE))
			;
		onlooker->at_once = page_attempt(page);
		sched_yield();
		onlooker->switched = page_attempt(page);
	}
	__atomic_store_n(&onlooker->done, 1, __ATOMIC_RELEASE);
	close(fd);
	return NULL;
}

/*
 * The CPUs do nothing else, so no task notices the change by itself: on the other CPU the page
 * is invalid at once, and stays so after a switch.
 */
TEST_F(pce, pages_are_hidden_at_once)
{
	struct onlooker onlooker = { .at_once = -1, .switched = -1 };

	NEED_CPUS(2);
	NEED_PERFS_FILE();
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, pthread_create(&onlooker.other, NULL, give_way, &onlooker));
	ASSERT_EQ(0, pthread_create(&onlooker.thread, NULL, look, &onlooker));
	while (__atomic_load_n(&onlooker.ready, __ATOMIC_ACQUIRE) < 2)
		sched_yield();
	ASSERT_EQ(0, be_first());
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "0"));
	__atomic_store_n(&onlooker.go, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&onlooker.done, __ATOMIC_ACQUIRE))
		;
	ASSERT_EQ(0, pthread_join(onlooker.thread, NULL));
	ASSERT_EQ(0, pthread_join(onlooker.other, NULL));
	EXPECT_EQ(NOT_NOW, onlooker.at_once);
	EXPECT_EQ(NOT_NOW, onlooker.switched);
}

/* A context configured while perf's file is 0: its page is invalid until RDPMC is allowed. */
TEST_F(pce, page_with_perf_rdpmc_disabled)
{
	const struct pmc_page *page;
	int fd;

	NEED_PERFS_FILE();
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "0"));
	fd = context(_metadata, 0, PMC_CONFIG_USER_READ);
	page = page_map(fd);
	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	EXPECT_EQ(PMC_PAGE_UNAVAILABLE, page_sequence(page) & PMC_PAGE_UNAVAILABLE);
	EXPECT_EQ(FAULTS, attempt());
	/* 0 revokes no permission that was not granted */
	ASSERT_EQ(0, file_write(PCE, "0"));
	EXPECT_EQ(FAULTS, attempt());
	ASSERT_EQ(0, file_write(PCE, "1"));
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "1"));
	while (page_sequence(page) & PMC_PAGE_UNAVAILABLE)
		sched_yield();
	EXPECT_EQ(WORKS, attempt());
}

TEST_F(pce, invalid_writes)
{
	static const struct {
		const char *text;
		int err;
	} invalid_writes[] = {
		{ "x", -EINVAL }, { "", 0 }, { "\n", -EINVAL }, { "3", -EINVAL },
		{ "-1", -EINVAL }, { "99999999999999", -ERANGE }, { "1x", -EINVAL },
		{ " 1", -EINVAL }, { "1 0", -EINVAL }, { "0x1", -EINVAL },
		{ "4294967297", -ERANGE }, { "garbage", -EINVAL }, { "1\n\n", -EINVAL },
	};
	static const char *const settings[] = { "0\n", "1\n", "2\n" };
	unsigned int i, j;

	for (j = 0; j < ARRAY_SIZE(settings); j++) {
		ASSERT_EQ(0, file_write(PCE, settings[j]));
		for (i = 0; i < ARRAY_SIZE(invalid_writes); i++) {
			EXPECT_EQ(invalid_writes[i].err, file_write(PCE, invalid_writes[i].text))
				TH_LOG("%s", invalid_writes[i].text);
			expect_text(_metadata, self, settings[j]);
			EXPECT_EQ(j == 2 ? WORKS : FAULTS, attempt());
		}
	}
}

TEST_F(pce, an_ordinary_user_cannot_write)
{
	char text[64];
	pid_t pid;

	ASSERT_EQ(0, file_write(PCE, "2"));
	pid = fork();
	if (pid == 0) {
		if (set_user(USER_NOBODY))
			_exit(1);
		if (file_write(PCE, "1") != -EACCES)
			_exit(2);
		if (file_read(PCE, text, sizeof(text)) || strcmp(text, "2\n"))
			_exit(3);
		_exit(0);
	}
	EXPECT_EQ(0, end_of(pid));
	expect_text(_metadata, self, "2\n");
	EXPECT_EQ(WORKS, attempt());
}

/* Open a free loop device; -ENOENT if the kernel's module is missing. */
static int loop_open(int flags)
{
	int control, fd, attribute;
	char path[32];

	control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (control < 0)
		return -errno;
	snprintf(path, sizeof(path), "/dev/loop%d", ioctl(control, LOOP_CTL_GET_FREE));
	close(control);
	fd = open(path, flags | O_CLOEXEC);
	attribute = open(PCE, flags | O_CLOEXEC);
	if (fd < 0 || attribute < 0 || ioctl(fd, LOOP_SET_FD, attribute))
		return -errno;
	close(attribute);
	return fd;
}

#define NEED_LOOP(fd) do {							\
	if ((fd) == -ENOENT)							\
		SKIP(return, "no loop devices: modprobe loop");			\
	ASSERT_LE(0, fd);							\
} while (0)

/* A kernel thread reads the attribute: it has all capabilities and no address space. */
TEST_F(pce, read_by_a_loop_device)
{
	char block[4096];

	self->loop = loop_open(O_RDONLY);
	NEED_LOOP(self->loop);
	EXPECT_EQ(sizeof(block), read(self->loop, block, sizeof(block)));
	/* and has left nothing locked */
	expect_text(_metadata, self, "1\n");
	EXPECT_EQ(0, file_write(PCE, "0"));
	expect_text(_metadata, self, "0\n");
}

/* A kernel thread may not write the attribute, whichever task requested RDPMC. */
TEST_F(pce, written_by_a_loop_device)
{
	static const char *const settings[] = { "0\n", "1\n", "2\n" };
	char block[4096] = "";
	unsigned int i;
	int fd;

	fd = context(_metadata, 0, PMC_CONFIG_USER_READ);
	self->loop = loop_open(O_RDWR);
	NEED_LOOP(self->loop);
	ASSERT_EQ(0, file_write(PCE, "0"));
	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		memcpy(block, settings[i], strlen(settings[i]));
		EXPECT_EQ(sizeof(block), pwrite(self->loop, block, sizeof(block), 0));
		EXPECT_EQ(-1, fsync(self->loop));
		EXPECT_EQ(EIO, errno);
		expect_text(_metadata, self, "0\n");
		EXPECT_EQ(FAULTS, attempt());
	}
	ASSERT_EQ(0, file_write(PCE, "1"));
	EXPECT_EQ(WORKS, attempt());
	close(fd);
	EXPECT_EQ(FAULTS, attempt());
}

/* Unloading with the attribute at 2 denies RDPMC to every task again, as before. */
TEST_F(pce, unload_restores_from_2)
{
	const char *keep = getenv("PMCDRV_KEEP");
	int cpus = cpus_online();

	if (keep && *keep)
		SKIP(return, "the module is to stay loaded");
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, unrelated_start(&self->unrelated, cpus - 1));
	ASSERT_EQ(0, file_write(PCE, "2"));
	ASSERT_EQ(WORKS, attempt());
	ASSERT_EQ(WORKS, unrelated_outcome(&self->unrelated));
	if (module_unload())
		SKIP(return, "the module cannot be unloaded: errno %d", errno);
	EXPECT_EQ(FAULTS, attempt());
	EXPECT_EQ(FAULTS, unrelated_outcome(&self->unrelated));
	EXPECT_EQ(FAULTS, child_attempts(0, 0));
	EXPECT_EQ(FAULTS, child_attempts(USER_NOBODY, cpus - 1));
	EXPECT_EQ(FAULTS, program_attempts());
	ASSERT_EQ(0, pin(0, cpus - 1));
	EXPECT_EQ(FAULTS, attempt());
	ASSERT_EQ(0, module_load());
	expect_text(_metadata, self, "1\n");
	EXPECT_EQ(FAULTS, attempt());
	EXPECT_EQ(FAULTS, unrelated_outcome(&self->unrelated));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may execute RDPMC in user mode: the device's attribute pce. Each process
 * that is asked tries, and learns from its own SIGSEGV if it may not.
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
#include "module.h"
#include "user_read.h"
#include "users.h"

#define PCE		"/sys/class/misc/pmc/pce"
#define CPU1		"/sys/devices/system/cpu/cpu1/online"

/* What this program is called when it only tries. */
#define TRIES		"tries-rdpmc"

enum { FAULTS, WORKS };

static __thread sigjmp_buf escape;

static void faulted(int signal)
{
	siglongjmp(escape, 1);
}

/* Signals are not blocked by sigsetjmp(), which would take system calls. */
static int attempt(void)
{
	struct sigaction action = { .sa_handler = faulted, .sa_flags = SA_NODEFER };

	sigaction(SIGSEGV, &action, NULL);
	if (sigsetjmp(escape, 0))
		return FAULTS;
	rdpmc(0);
	return WORKS;
}

/* Before the harness: executed by a child, this program only tries. */
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

/* What a forked child learns, as this user and on that CPU. */
static int child_attempts(uid_t uid, int cpu)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (pin(0, cpu) || (uid && become(uid)))
			_exit(125);
		_exit(attempt());
	}
	return end_of(pid);
}

/* What a program learns that a child executes. */
static int program_attempts(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl("/proc/self/exe", TRIES, NULL);
		_exit(125);
	}
	return end_of(pid);
}

/** struct bystander - a process on CPU 1 that tries again and again */
struct bystander {
	pid_t pid;
	unsigned long *tried;	/* shared: 2 * number of attempts + the last one's outcome */
};

static int bystander_start(struct bystander *bystander, int cpu)
{
	bystander->tried = mmap(NULL, sizeof(*bystander->tried), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (bystander->tried == MAP_FAILED)
		return -errno;
	bystander->pid = fork();
	if (bystander->pid == 0) {
		unsigned long n;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(0, cpu);
		for (n = 1;; n++)
			__atomic_store_n(bystander->tried, 2 * n + attempt(), __ATOMIC_RELEASE);
	}
	return bystander->pid < 0 ? -errno : 0;
}

/* The outcome of an attempt that began after this was called. */
static int bystander_learns(struct bystander *bystander)
{
	unsigned long begin = __atomic_load_n(bystander->tried, __ATOMIC_ACQUIRE) / 2, now;

	do {
		sched_yield();
		now = __atomic_load_n(bystander->tried, __ATOMIC_ACQUIRE);
	} while (now / 2 < begin + 2);
	return now & 1;
}

FIXTURE(pce) {
	struct pmc_query query;
	struct bystander bystander;
	int loop;	/* a loop device over the attribute, or -1 */
	char text[256];
};

FIXTURE_SETUP(pce)
{
	self->loop = -1;
	NEED_COUNTERS(&self->query);
	NEED_ROOT();
	if (!(self->query.features & PMC_FEATURE(RDPMC)))
		SKIP(return, "this CPU has no RDPMC");
	/* perf has none where it knows no counters: on a Pentium MMX */
	if (!file_read(perfs_rdpmc(), self->text, sizeof(self->text)) &&
	    strcmp(self->text, "1\n"))
		SKIP(return, "perf's rdpmc file is not 1 here");
	ASSERT_EQ(0, file_read(PCE, self->text, sizeof(self->text)));
	ASSERT_STREQ("1\n", self->text);
}

FIXTURE_TEARDOWN(pce)
{
	if (self->bystander.pid > 0)
		kill(self->bystander.pid, SIGKILL);
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

/* A context of the caller's that asks for RDPMC (or not); its file. */
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

/* Nobody may: whoever asks, root or not, whatever became of it. */
TEST_F(pce, nobody)
{
	const struct pmc_page *page;
	int fd;

	ASSERT_EQ(0, file_write(PCE, "0"));
	expect_text(_metadata, self, "0\n");
	fd = context(_metadata, 0, PMC_CONFIG_USER_READ);
	page = page_map(fd);
	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	EXPECT_EQ(PMC_PAGE_NOT_NOW, page_sequence(page) & PMC_PAGE_NOT_NOW);
	EXPECT_EQ(FAULTS, attempt());
	EXPECT_EQ(FAULTS, child_attempts(0, 0));
	EXPECT_EQ(FAULTS, child_attempts(USER_NOBODY, 0));
	EXPECT_EQ(FAULTS, program_attempts());
	/* what was configured meanwhile gets it now, and loses it again */
	ASSERT_EQ(0, file_write(PCE, "1\n"));
	EXPECT_EQ(0, page_sequence(page) & PMC_PAGE_NOT_NOW);
	EXPECT_EQ(WORKS, attempt());
	EXPECT_EQ(FAULTS, child_attempts(0, 0));
	ASSERT_EQ(0, file_write(PCE, "0"));
	EXPECT_EQ(PMC_PAGE_NOT_NOW, page_sequence(page) & PMC_PAGE_NOT_NOW);
	EXPECT_EQ(FAULTS, attempt());
}

TEST_F(pce, who_asked)
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

/* An ordinary user who was handed the device. */
TEST_F(pce, an_ordinary_user_asked)
{
	struct setup setup;
	pid_t pid = fork();

	if (pid == 0) {
		int fd = pmc_open();

		if (fd < 0 || become(USER_NOBODY) || attempt() != FAULTS)
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
	/* and in the other order */
	first = context(_metadata, 0, PMC_CONFIG_USER_READ);
	second = context(_metadata, 1, PMC_CONFIG_USER_READ);
	close(second);
	EXPECT_EQ(WORKS, attempt());
	close(first);
	EXPECT_EQ(FAULTS, attempt());
}

/* A context goes with an exec; the new program has none. */
TEST_F(pce, exec_gives_it_up)
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

TEST_F(pce, everybody)
{
	unsigned int n;

	ASSERT_EQ(0, file_write(PCE, "2"));
	expect_text(_metadata, self, "2\n");
	EXPECT_EQ(WORKS, attempt());
	EXPECT_EQ(WORKS, child_attempts(0, 0));
	EXPECT_EQ(WORKS, child_attempts(0, cpus_online() - 1));
	EXPECT_EQ(WORKS, child_attempts(USER_NOBODY, 0));
	for (n = 0; n < 200; n++)
		ASSERT_EQ(WORKS, program_attempts());
	ASSERT_EQ(0, file_write(PCE, "1"));
	EXPECT_EQ(FAULTS, attempt());
	EXPECT_EQ(FAULTS, child_attempts(0, 0));
	EXPECT_EQ(FAULTS, child_attempts(USER_NOBODY, 0));
	EXPECT_EQ(FAULTS, program_attempts());
}

/*
 * Two that answer each other, on one CPU or two; one has asked, the other
 * hasn't. At each of the switches both try.
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

/* A process that spins on the other CPU while the attribute changes. */
TEST_F(pce, bystander)
{
	unsigned int n;
	int fd;

	NEED_CPUS(2);
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, bystander_start(&self->bystander, 1));
	EXPECT_EQ(FAULTS, bystander_learns(&self->bystander));
	for (n = 0; n < 20; n++) {
		ASSERT_EQ(0, file_write(PCE, "2"));
		ASSERT_EQ(WORKS, bystander_learns(&self->bystander));
		ASSERT_EQ(WORKS, attempt());
		ASSERT_EQ(0, file_write(PCE, n & 1 ? "1" : "0"));
		ASSERT_EQ(FAULTS, bystander_learns(&self->bystander));
		ASSERT_EQ(FAULTS, attempt());
	}
	/* what somebody else asks for is not the bystander's */
	ASSERT_EQ(0, file_write(PCE, "1"));
	fd = context(_metadata, 0, PMC_CONFIG_USER_READ);
	EXPECT_EQ(WORKS, attempt());
	EXPECT_EQ(FAULTS, bystander_learns(&self->bystander));
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

/* Threads share the permission: before, while and after one of them asks. */
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

/** struct spy - a thread that tries again and again */
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

/* Claims the counters again and again: how often the user's other thread could read them. */
static int claims_beside_a_spy(int fd)
{
	struct spy spy = { 0 };
	struct setup setup;
	unsigned int n;

	if (become(USER_NOBODY) || pin(0, 0) ||
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

/* Not even for the moment in which the counters become ours. */
TEST_F(pce, nobody_while_counters_are_claimed)
{
	static const char *const settings[] = { "0", "1" };
	unsigned int i;
	pid_t pid;
	int fd;

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		ASSERT_EQ(0, file_write(PCE, settings[i]));
		fd = pmc_open();
		ASSERT_LE(0, fd);
		pid = fork();
		if (pid == 0)
			_exit(claims_beside_a_spy(fd));
		EXPECT_EQ(0, end_of(pid));
		close(fd);
	}
}

/* Who reads what perf's file says gets nothing by it. */
TEST_F(pce, nobody_while_the_setting_is_read)
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

/* A CPU that went offline and came back knows what is so. */
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
	/* it is moved away, and comes back */
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

/* perf's own file goes above the attribute, which says so. */
TEST_F(pce, perfs_file)
{
	int fd;

	NEED_PERFS_FILE();
	fd = context(_metadata, 0, PMC_CONFIG_USER_READ);
	EXPECT_EQ(WORKS, attempt());
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "0"));
	EXPECT_EQ(FAULTS, attempt());
	expect_text(_metadata, self, "1 (overridden: perf's rdpmc file says 0, no process)\n");
	ASSERT_EQ(0, file_write(PCE, "2"));
	EXPECT_EQ(FAULTS, attempt());
	EXPECT_EQ(FAULTS, child_attempts(0, 0));
	expect_text(_metadata, self, "2 (overridden: perf's rdpmc file says 0, no process)\n");
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
	expect_text(_metadata, self, "0 (overridden: perf's rdpmc file says 2, every process)\n");
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "1"));
	EXPECT_EQ(FAULTS, attempt());
	expect_text(_metadata, self, "0\n");
}

/*
 * The page follows it: nobody who reads as he should faults. It may be used again some
 * time after perf's file allows it.
 */
TEST_F(pce, page_follows_perfs_file)
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
		ASSERT_EQ(0, reading_take(access.fd, &reading));
		ASSERT_LT(value, reading.value[0]);
		/* over a switch, too */
		usleep(1);
		ASSERT_FALSE(page_read(page, 0, &value));
		EXPECT_EQ(FAULTS, attempt());
		ASSERT_EQ(0, file_write(perfs_rdpmc(), n % 2 ? "1" : "2"));
		while (!page_read(page, 0, &value))
			sched_yield();
		ASSERT_EQ(0, access_both(&access));
		ASSERT_EQ(access.value + ACCESS_INSTRUCTIONS, reading.value[0]);
	}
	/* what this attribute says goes above what perf's allows */
	ASSERT_EQ(0, file_write(PCE, "0"));
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "0"));
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "1"));
	for (n = 0; n < 50; n++) {
		/* who asks waits for whoever looks whether the page may be used */
		expect_text(_metadata, self, "0\n");
		ASSERT_FALSE(page_read(page, 0, &value));
	}
	EXPECT_EQ(FAULTS, attempt());
}

/** struct onlooker - one that reads its page on CPU 1 when it is told */
struct onlooker {
	pthread_t thread, other;	/* the other one lives on CPU 1, too */
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

/* From here on it gives its CPU only to one like itself that it gives way to. */
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
	/* first of all, or the other one would leave it no CPU */
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
 * Neither CPU does anything else, so that nobody comes to find out what is so: on the
 * other CPU the page says no at once, and so it does after a switch.
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

/* Of a context configured while perf's file said 0: the page says no, until it may. */
TEST_F(pce, page_under_perfs_file)
{
	const struct pmc_page *page;
	int fd;

	NEED_PERFS_FILE();
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "0"));
	fd = context(_metadata, 0, PMC_CONFIG_USER_READ);
	page = page_map(fd);
	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	EXPECT_EQ(PMC_PAGE_NOT_NOW, page_sequence(page) & PMC_PAGE_NOT_NOW);
	EXPECT_EQ(FAULTS, attempt());
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "1"));
	while (page_sequence(page) & PMC_PAGE_NOT_NOW)
		sched_yield();
	EXPECT_EQ(WORKS, attempt());
}

TEST_F(pce, garbage)
{
	static const struct {
		const char *text;
		int err;
	} garbage[] = {
		{ "x", -EINVAL }, { "", 0 }, { "\n", -EINVAL }, { "3", -EINVAL },
		{ "-1", -EINVAL }, { "99999999999999", -ERANGE }, { "1x", -EINVAL },
		{ " 1", -EINVAL }, { "1 0", -EINVAL }, { "0x1", -EINVAL },
		{ "4294967297", -ERANGE }, { "nobody", -EINVAL }, { "1\n\n", -EINVAL },
	};
	static const char *const settings[] = { "0\n", "1\n", "2\n" };
	unsigned int i, j;

	for (j = 0; j < ARRAY_SIZE(settings); j++) {
		ASSERT_EQ(0, file_write(PCE, settings[j]));
		for (i = 0; i < ARRAY_SIZE(garbage); i++) {
			EXPECT_EQ(garbage[i].err, file_write(PCE, garbage[i].text))
				TH_LOG("%s", garbage[i].text);
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
		if (become(USER_NOBODY))
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

/* A free loop device over the attribute; the kernel's module may not be there: -ENOENT. */
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

/* A kernel thread reads it, which may do everything and has no address space. */
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

/* It may not write, whatever asked for RDPMC. */
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

/* Unloaded with the attribute at 2: it is as it was found, for everybody. */
TEST_F(pce, unloaded_at_2)
{
	const char *keep = getenv("PMCDRV_KEEP");
	int cpus = cpus_online();

	if (keep && *keep)
		SKIP(return, "the module is to stay loaded");
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, bystander_start(&self->bystander, cpus - 1));
	ASSERT_EQ(0, file_write(PCE, "2"));
	ASSERT_EQ(WORKS, attempt());
	ASSERT_EQ(WORKS, bystander_learns(&self->bystander));
	if (module_unload())
		SKIP(return, "the module cannot be unloaded: errno %d", errno);
	EXPECT_EQ(FAULTS, attempt());
	EXPECT_EQ(FAULTS, bystander_learns(&self->bystander));
	EXPECT_EQ(FAULTS, child_attempts(0, 0));
	EXPECT_EQ(FAULTS, child_attempts(USER_NOBODY, cpus - 1));
	EXPECT_EQ(FAULTS, program_attempts());
	ASSERT_EQ(0, pin(0, cpus - 1));
	EXPECT_EQ(FAULTS, attempt());
	ASSERT_EQ(0, module_load());
	expect_text(_metadata, self, "1\n");
	EXPECT_EQ(FAULTS, attempt());
	EXPECT_EQ(FAULTS, bystander_learns(&self->bystander));
}

TEST_HARNESS_MAIN

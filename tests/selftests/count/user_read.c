// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that a thread's counts read in user mode, through the mapped page and RDPMC, equal those of
 * the ioctl to the instruction; and the page: its lifetime, write protection and errors
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/time.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "user_read.h"

FIXTURE(user_read) {
	BASE_FIXTURE;
	struct access access;
	const struct pmc_page *page;
	size_t page_size;
};

FIXTURE_SETUP(user_read)
{
	NEED_COUNTERS(&self->query);
	if (!(self->query.features & PMC_FEATURE(RDPMC)))
		SKIP(return, "this CPU has no RDPMC");
	self->page_size = sysconf(_SC_PAGESIZE);
	OPEN_DEVICE(self->fd);
	setup_thread_all(&self->setup, &self->query, 0, PMC_CONFIG_USER_READ);
}

FIXTURE_TEARDOWN_CLOSE(user_read)

/* Configure and map the page; start if @start. */
static void begin(struct __test_metadata *_metadata, struct _test_data_user_read *self,
		  bool start)
{
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	self->page = page_map(self->fd);
	ASSERT_NE(NULL, self->page);
	self->access.page = self->page;
	self->access.reading = &self->reading;
	self->access.fd = self->fd;
	if (start)
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
}

/* Both ways of reading agree on this counter; returns the value. */
static uint64_t both(struct __test_metadata *_metadata, struct _test_data_user_read *self,
		     unsigned int i)
{
	self->access.counter = &self->page->counter[i];
	ASSERT_EQ(0, access_both(&self->access));
	EXPECT_COUNT(self->access.value + ACCESS_INSTRUCTIONS, self->reading.value[i])
		TH_LOG("counter %#x", self->setup.counter[i].counter);
	return self->access.value;
}

TEST_F(user_read, equals_the_ioctl)
{
	uint64_t last = 0, value;
	unsigned int n;

	begin(_metadata, self, true);
	for (n = 0; n < 500; n++) {
		value = both(_metadata, self, n % self->setup.config.nr_counters);
		ASSERT_LT(last, value);
		last = value;
	}
}

TEST_F(user_read, page_contents)
{
	struct pmc_counter counter;
	unsigned int i;

	begin(_metadata, self, false);
	EXPECT_EQ(sizeof(struct pmc_page) +
		  self->setup.config.nr_counters * sizeof(struct pmc_page_counter),
		  self->page->size);
	EXPECT_EQ(self->setup.config.nr_counters, self->page->nr_counters);
	EXPECT_EQ(PMC_PAGE_UNAVAILABLE, page_sequence(self->page) & PMC_PAGE_UNAVAILABLE);
	EXPECT_EQ(0, self->page->reserved);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, self->page->reserved2[i]);
	for (i = 0; i < self->page->nr_counters; i++) {
		ASSERT_EQ(0, pmc_describe(PMC_CPU_ANY,
					  counter_placed(self->setup.counter[i].counter),
					  &counter));
		EXPECT_EQ(counter.rdpmc, self->page->counter[i].rdpmc);
		EXPECT_EQ(counter.width, self->page->counter[i].width);
	}
	/* the page holds nothing else of the kernel's */
	for (i = self->page->size; i < self->page_size; i++)
		ASSERT_EQ(0, ((const uint8_t *)self->page)[i]);
}

/* The page is invalid while the context is stopped, and valid at once after START. */
TEST_F(user_read, not_while_stopped)
{
	uint32_t sequence = 0;
	unsigned int n;

	begin(_metadata, self, false);
	for (n = 0; n < 100; n++) {
		ASSERT_EQ(PMC_PAGE_UNAVAILABLE, page_sequence(self->page) & PMC_PAGE_UNAVAILABLE);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		ASSERT_EQ(0, page_sequence(self->page) & PMC_PAGE_UNAVAILABLE);
		ASSERT_NE(sequence, page_sequence(self->page));
		sequence = page_sequence(self->page);
		both(_metadata, self, 0);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	}
}

/* A partner on the same CPU answers each byte, so each byte costs two switches. */
static void switches(struct __test_metadata *_metadata, struct _test_data_user_read *self,
		     unsigned int rounds, bool move)
{
	int there[2], back[2];
	uint64_t last = 0, value;
	unsigned int n;
	pid_t partner;
	char byte = 0;

	ASSERT_EQ(0, pipe(there));
	ASSERT_EQ(0, pipe(back));
	ASSERT_EQ(0, pin(0, 0));
	partner = fork();
	ASSERT_LE(0, partner);
	if (partner == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	begin(_metadata, self, true);
	for (n = 0; n < rounds; n++) {
		if (move)
			ASSERT_EQ(0, pin(0, n & 1));
		ASSERT_EQ(1, write(there[1], &byte, 1));
		ASSERT_EQ(1, read(back[0], &byte, 1));
		value = both(_metadata, self, n % self->setup.config.nr_counters);
		ASSERT_LT(last, value);
		last = value;
	}
	ASSERT_EQ(0, kill(partner, SIGKILL));
	ASSERT_EQ(partner, waitpid(partner, NULL, 0));
}

TEST_F(user_read, over_2000_switches)
{
	switches(_metadata, self, 2000, false);
}

TEST_F(user_read, over_migrations)
{
	NEED_CPUS(2);
	switches(_metadata, self, 500, true);
}

static struct {
	const struct pmc_page *page;
	uint64_t last;
	unsigned int calls, failed;
} handled;

/* Load a variable that a signal handler of this thread writes. */
#define LOAD(variable) ({ asm volatile("" ::: "memory"); (variable); })

static void handler(int signal)
{
	uint64_t value;

	handled.calls++;
	if (page_read(handled.page, 0, &value)) {
		if (value <= handled.last)
			handled.failed++;
		handled.last = value;
	}
}

/* A timer's handler reads too, wherever it interrupts the thread, also inside page_read(). */
TEST_F(user_read, in_a_signal_handler)
{
	/* longer than the handler takes */
	const long us = 1000 * slowness();
	struct itimerval timer = { .it_interval.tv_usec = us, .it_value.tv_usec = us };
	uint64_t before, value;

	begin(_metadata, self, true);
	handled.page = self->page;
	signal(SIGALRM, handler);
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &timer, NULL));
	while (LOAD(handled.calls) < 100) {
		unsigned int calls = LOAD(handled.calls);

		before = LOAD(handled.last);
		ASSERT_TRUE(page_read(self->page, 0, &value));
		ASSERT_LT(before, value);
		/* only if no handler ran between reading and storing the value */
		if (calls == LOAD(handled.calls))
			ASSERT_LE(before, LOAD(handled.last));
	}
	timer.it_value.tv_usec = 0;
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &timer, NULL));
	EXPECT_EQ(0, LOAD(handled.failed));
	ASSERT_TRUE(page_read(self->page, 0, &value));
	EXPECT_LT(LOAD(handled.last), value);
	both(_metadata, self, 0);
}

TEST_F(user_read, initial_write_reset)
{
	static const uint64_t values[] = {
		0, 1, (1ULL << 32) - 5, 1ULL << 47, (1ULL << 48) - 5, 1ULL << 63, 12345,
	};
	struct pmc_write write = { .size = sizeof(write) };
	uint64_t all[PMC_COUNTERS_MAX], value;
	unsigned int i, n;

	for (i = 0; i < self->setup.config.nr_counters; i++)
		self->setup.counter[i].initial = 1ULL << 50;
	begin(_metadata, self, true);
	value = both(_metadata, self, 0);
	EXPECT_LT(1ULL << 50, value);
	EXPECT_GT((1ULL << 50) + 100000, value);
	write.nr_counters = self->setup.config.nr_counters;
	write.values = (uintptr_t)all;
	for (n = 0; n < ARRAY_SIZE(values); n++) {
		for (i = 0; i < self->setup.config.nr_counters; i++)
			all[i] = values[n];
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_WRITE, &write));
		value = both(_metadata, self, n % self->setup.config.nr_counters);
		EXPECT_LT(values[n], value);
		EXPECT_GT(values[n] + 100000, value);
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
	value = both(_metadata, self, 0);
	EXPECT_LT(0, value);
	EXPECT_GT(100000, value);
}

/* After STOP and START, the page's times agree with the ioctl's. */
TEST_F(user_read, times)
{
	uint64_t enabled, counted, since;
	uint32_t sequence;

	begin(_metadata, self, true);
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	do {
		sequence = page_sequence(self->page);
		ASSERT_EQ(0, sequence & PMC_PAGE_UNAVAILABLE);
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		since = self->page->since;
		enabled = self->page->time_enabled;
		counted = self->page->time_counted;
	} while (sequence != page_sequence(self->page));
	EXPECT_LT(0, counted);
	EXPECT_LE(counted, enabled);
	/* The times are of the same moment: both advance with the TSC while the context counts. */
	EXPECT_EQ(self->reading.time_counted, counted + self->reading.tsc - since);
	EXPECT_EQ(self->reading.time_enabled, enabled + self->reading.tsc - since);
}

TEST_F(user_read, not_in_a_child)
{
	uint64_t value;
	int status;
	pid_t pid;

	begin(_metadata, self, true);
	pid = fork();
	ASSERT_LE(0, pid);
	if (pid == 0) {
		unsigned int n;

		for (n = 0; n < 100; n++) {
			if (!(page_sequence(self->page) & PMC_PAGE_UNAVAILABLE))
				_exit(1);
			if (page_read(self->page, 0, &value))
				_exit(2);
			sched_yield();
		}
		if (page_map(self->fd) || errno != EINVAL)
			_exit(3);
		_exit(0);
	}
	for (;;) {
		pid_t ended = waitpid(pid, &status, WNOHANG);

		if (ended == pid)
			break;
		ASSERT_EQ(0, ended);
		both(_metadata, self, 0);
		sched_yield();
	}
	EXPECT_EQ(0, status);
	both(_metadata, self, 0);
}

/*
 * The file lives as long as its mapping: after close() it still counts; after munmap() the
 * counters are free.
 */
TEST_F(user_read, closed_before_unmapped)
{
	struct pmc_counter counter;
	uint64_t last, value;

	begin(_metadata, self, true);
	last = both(_metadata, self, 0);
	ASSERT_EQ(0, close(self->fd));
	ASSERT_TRUE(page_read(self->page, 0, &value));
	EXPECT_LT(last, value);
	ASSERT_EQ(0, pmc_describe(PMC_CPU_ANY, counter_placed(PMC_COUNTER_GENERAL(0)),
				  &counter));
	EXPECT_EQ(PMC_HOLDER_CONTEXT, counter.holder.kind);
	ASSERT_EQ(0, page_unmap(self->page));
	ASSERT_EQ(0, pmc_describe(PMC_CPU_ANY, counter_placed(PMC_COUNTER_GENERAL(0)),
				  &counter));
	EXPECT_EQ(PMC_HOLDER_NONE, counter.holder.kind);
	self->fd = pmc_open();
}

TEST_F(user_read, unmapped_before_closed)
{
	struct pmc_counter counter;

	begin(_metadata, self, true);
	both(_metadata, self, 0);
	ASSERT_EQ(0, page_unmap(self->page));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	self->page = page_map(self->fd);
	ASSERT_NE(NULL, self->page);
	self->access.page = self->page;
	both(_metadata, self, 0);
	ASSERT_EQ(0, page_unmap(self->page));
	ASSERT_EQ(0, close(self->fd));
	ASSERT_EQ(0, pmc_describe(PMC_CPU_ANY, counter_placed(PMC_COUNTER_GENERAL(0)),
				  &counter));
	EXPECT_EQ(PMC_HOLDER_NONE, counter.holder.kind);
	self->fd = pmc_open();
}

/* After RELEASE the page remains and stays invalid; a new context has a new page. */
TEST_F(user_read, released)
{
	const struct pmc_page *before;

	begin(_metadata, self, true);
	both(_metadata, self, 0);
	before = self->page;
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(PMC_PAGE_UNAVAILABLE, page_sequence(before) & PMC_PAGE_UNAVAILABLE);
	EXPECT_EQ(NULL, page_map(self->fd));
	EXPECT_EQ(EINVAL, errno);
	begin(_metadata, self, true);
	both(_metadata, self, 0);
	EXPECT_EQ(PMC_PAGE_UNAVAILABLE, page_sequence(before) & PMC_PAGE_UNAVAILABLE);
	ASSERT_EQ(0, page_unmap(before));
	both(_metadata, self, 0);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, page_unmap(self->page));
}

static int map_error(size_t size, int protection, int flags, int fd, off_t offset)
{
	void *page = mmap(NULL, size, protection, flags, fd, offset);

	if (page == MAP_FAILED)
		return -errno;
	munmap(page, size);
	return 0;
}

TEST_F(user_read, errors_of_mmap)
{
	size_t size = self->page_size;

	EXPECT_EQ(-EINVAL, map_error(size, PROT_READ, MAP_SHARED, self->fd, 0));
	self->setup.config.flags = 0;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(-EINVAL, map_error(size, PROT_READ, MAP_SHARED, self->fd, 0));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	self->setup.config.flags = PMC_CONFIG_USER_READ;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(0, map_error(size, PROT_READ, MAP_SHARED, self->fd, 0));
	EXPECT_EQ(0, map_error(1, PROT_READ, MAP_SHARED, self->fd, 0));
	EXPECT_EQ(-EINVAL, map_error(2 * size, PROT_READ, MAP_SHARED, self->fd, 0));
	EXPECT_EQ(-EINVAL, map_error(size, PROT_READ, MAP_SHARED, self->fd, size));
	EXPECT_EQ(-EINVAL, map_error(size, PROT_READ, MAP_PRIVATE, self->fd, 0));
	EXPECT_EQ(-EACCES, map_error(size, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, 0));
	EXPECT_EQ(-EACCES, map_error(size, PROT_WRITE, MAP_SHARED, self->fd, 0));
	EXPECT_EQ(-EACCES, map_error(size, PROT_READ | PROT_WRITE, MAP_PRIVATE, self->fd, 0));
}

TEST_F(user_read, errors_of_configure)
{
	static const uint32_t scopes[] = {
		PMC_SCOPE_PROCESS, PMC_SCOPE_TREE, PMC_SCOPE_ALL_CPUS
	};
	struct child other;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(scopes); i++) {
		self->setup.config.scope = scopes[i];
		EXPECT_EQ(-EINVAL, setup_configure(self->fd, &self->setup));
	}
	self->setup.config.scope = PMC_SCOPE_THREAD;
	self->setup.config.flags |= PMC_CONFIG_ON_EXEC;
	EXPECT_EQ(-EINVAL, setup_configure(self->fd, &self->setup));
	self->setup.config.flags = PMC_CONFIG_USER_READ;
	/* only a thread of the caller's own process */
	ASSERT_EQ(0, child_spin(&other));
	self->setup.config.tid = other.pid;
	EXPECT_EQ(-EINVAL, setup_configure(self->fd, &self->setup));
	child_kill(&other);
}

TEST_F(user_read, page_is_read_only)
{
	uint64_t scribble = 0x5a5a5a5a5a5a5a5a;
	uint32_t sequence;
	int status, mem;
	pid_t pid;

	begin(_metadata, self, false);
	EXPECT_EQ(-1, mprotect((void *)self->page, self->page_size,
			       PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(MAP_FAILED, mremap((void *)self->page, self->page_size,
				     2 * self->page_size, MREMAP_MAYMOVE));
	sequence = page_sequence(self->page);
	mem = open("/proc/self/mem", O_RDWR);
	ASSERT_LE(0, mem);
	EXPECT_EQ(-1, pwrite(mem, &scribble, sizeof(scribble), (uintptr_t)self->page));
	EXPECT_EQ(sequence, page_sequence(self->page));
	close(mem);
	pid = fork();
	if (pid == 0) {
		__atomic_store_n((uint32_t *)self->page, 1, __ATOMIC_RELAXED);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	/* a system call that would store into the page */
	EXPECT_EQ(-1, pipe((int *)self->page));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(sequence, page_sequence(self->page));
}

struct reader {
	int fd;
	struct pmc_query *query;
	uint32_t counter;
	unsigned int failed;
	bool go;
};

/* A thread reads its own context in user mode. */
static void *read_own(void *argument)
{
	struct reader *reader = argument;
	struct access access = { 0 };
	struct reading reading;
	struct setup setup;
	unsigned int n;
	uint64_t last = 0;

	setup_thread(&setup, 0, PMC_CONFIG_USER_READ);
	setup_add(&setup, reader->counter, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	reader->failed = 1;
	if (setup_configure(reader->fd, &setup))
		return NULL;
	access.page = page_map(reader->fd);
	if (!access.page || pmc_call(reader->fd, PMC_IOC_START, NULL))
		return NULL;
	access.counter = &access.page->counter[0];
	access.reading = &reading;
	access.fd = reader->fd;
	for (n = 0; n < 300; n++) {
		if (access_both(&access) ||
		    overcount_accept(access.value + ACCESS_INSTRUCTIONS,
				     reading.value[0]) != reading.value[0] ||
		    access.value <= last)
			return NULL;
		last = access.value;
		sched_yield();
	}
	reader->failed = 0;
	return NULL;
}

/* Four threads use the same counter; each reads its own context. */
TEST_F(user_read, several_threads)
{
	enum { READERS = 4 };
	struct reader reader[READERS];
	pthread_t thread[READERS];
	unsigned int i;

	for (i = 0; i < READERS; i++) {
		reader[i].fd = pmc_open();
		ASSERT_LE(0, reader[i].fd);
		reader[i].counter = PMC_COUNTER_GENERAL(0);
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, read_own, &reader[i]));
	}
	/* the first thread, too */
	self->setup.config.nr_counters = 1;
	begin(_metadata, self, true);
	for (i = 0; i < 300; i++) {
		both(_metadata, self, 0);
		sched_yield();
	}
	for (i = 0; i < READERS; i++) {
		ASSERT_EQ(0, pthread_join(thread[i], NULL));
		EXPECT_EQ(0, reader[i].failed);
	}
}

/* One thread has two contexts with a page each; one is released, the other stays. */
TEST_F(user_read, two_contexts)
{
	struct access access = { 0 };
	struct reading reading;
	struct setup setup;
	int fd = pmc_open();
	unsigned int n;

	ASSERT_LE(0, fd);
	self->setup.config.nr_counters = 1;
	begin(_metadata, self, true);
	setup_thread(&setup, 0, PMC_CONFIG_USER_READ);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(fd, &setup));
	access.page = page_map(fd);
	ASSERT_NE(NULL, access.page);
	access.counter = &access.page->counter[0];
	access.reading = &reading;
	access.fd = fd;
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	for (n = 0; n < 100; n++) {
		both(_metadata, self, 0);
		ASSERT_EQ(0, access_both(&access));
		ASSERT_COUNT(access.value + ACCESS_INSTRUCTIONS, reading.value[0]);
		sched_yield();
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(PMC_PAGE_UNAVAILABLE, page_sequence(self->page) & PMC_PAGE_UNAVAILABLE);
	ASSERT_EQ(0, access_both(&access));
	EXPECT_COUNT(access.value + ACCESS_INSTRUCTIONS, reading.value[0]);
}

TEST_HARNESS_MAIN

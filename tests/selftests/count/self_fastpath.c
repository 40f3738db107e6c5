// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that the fast path of self-monitoring (kmod/target/self.c) gives the results of the
 * slow path, also while other threads use the same file or the same counters
 */
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "counted_loop.h"
#include "fixture.h"
#include "registers.h"
#include "samples.h"

/*
 * Two READs with a loop between them. Counted from the first to the second:
 *
 *					instructions
 * mov (rounds)				1
 * dec, jnz				2 rounds
 * mov (number of ioctl, READ, buffer)	3
 * syscall (the second READ)		1
 */
#define BETWEEN(rounds)	(2ULL * (rounds) + 5)

static long read_twice(int fd, struct reading *first, struct reading *second,
		       unsigned int rounds)
{
	long result = SYS_ioctl;

	asm volatile(ENTER_KERNEL "\n\t"
		     COUNTED_LOOP
		     "mov	%[number], %%eax\n\t"
		     "mov	%[read], " ARGUMENT2_REGISTER "\n\t"
		     "mov	%[second], " ARGUMENT3_REGISTER "\n\t"
		     ENTER_KERNEL
		     : "+a" (result), "+d" (first)
		     : ARGUMENT1 ((long)fd), ARGUMENT2 ((long)PMC_IOC_READ),
		       [rounds] ANY_OPERAND (rounds), [number] "i" (SYS_ioctl),
		       [read] "i" (PMC_IOC_READ), [second] ANY_OPERAND (second)
		     : KERNEL_CLOBBERS);
	return result;
}

FIXTURE(self_fastpath) {
	BASE_FIXTURE;
	struct reading first, second;
};

FIXTURE_SETUP(self_fastpath)
{
	BASE_SETUP();
	setup_thread_all(&self->setup, &self->query, 0, 0);
}

FIXTURE_TEARDOWN_CLOSE(self_fastpath)

static void begin(struct __test_metadata *_metadata, FIXTURE_DATA(self_fastpath) *self)
{
	CONFIGURE_AND_START(self->fd, &self->setup);
}

/* The difference of two readings is the same for each kind of buffer. */
static void expect_between(struct __test_metadata *_metadata, FIXTURE_DATA(self_fastpath) *self,
			   struct reading *first, struct reading *second)
{
	const unsigned int rounds = 1234;
	unsigned int i;

	ASSERT_EQ(0, read_twice(self->fd, first, second, rounds));
	ASSERT_EQ(self->setup.config.nr_counters, second->nr_counters);
	for (i = 0; i < second->nr_counters; i++)
		EXPECT_COUNT(BETWEEN(rounds), second->value[i] - first->value[i]);
	EXPECT_EQ(PMC_STATE_RUNNING, second->state);
	EXPECT_EQ(0, second->reserved);
	EXPECT_EQ(0, second->overflows);
	EXPECT_EQ(0, second->reserved2);
	EXPECT_LE(second->time_counted, second->time_enabled);
	EXPECT_EQ(second->tsc - first->tsc, second->time_enabled - first->time_enabled);
}

TEST_F(self_fastpath, two_reads)
{
	unsigned int n;

	begin(_metadata, self);
	for (n = 0; n < 100; n++) {
		reading_init(&self->first);
		reading_init(&self->second);
		expect_between(_metadata, self, &self->first, &self->second);
	}
}

/* The end of the buffer has no page yet: the slow path faults it in. */
TEST_F(self_fastpath, unfaulted_buffer)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct reading *far;
	unsigned int n;
	char *memory;

	begin(_metadata, self);
	for (n = 0; n < 20; n++) {
		memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		ASSERT_NE(MAP_FAILED, memory);
		/* the request and some values lie before the page boundary */
		far = (struct reading *)(memory + page - offsetof(struct reading, value[n % 3]));
		far->size = sizeof(*far);
		far->cpu = PMC_CPU_ANY;
		reading_init(&self->first);
		if (n % 2)
			expect_between(_metadata, self, &self->first, far);
		else
			expect_between(_metadata, self, far, &self->first);
		ASSERT_EQ(0, munmap(memory, 2 * page));
	}
}

/* After a fork, a page can be read at once, but written only after a fault. */
TEST_F(self_fastpath, cow_shared_buffer)
{
	struct reading *buffer;
	int status, pipes[2];
	char byte;
	pid_t pid;

	buffer = mmap(NULL, sizeof(*buffer), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, buffer);
	begin(_metadata, self);
	reading_init(buffer);
	reading_init(&self->first);
	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	ASSERT_LE(0, pid);
	if (pid == 0) {
		close(pipes[1]);
		byte = read(pipes[0], &byte, 1);
		_exit(buffer->nr_counters || buffer->tsc);
	}
	close(pipes[0]);
	expect_between(_metadata, self, &self->first, buffer);
	close(pipes[1]);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F(self_fastpath, invalid_buffers)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uint64_t untouched = 0x5a5a5a5a5a5a5a5a;
	struct reading *near;
	char *memory;

	begin(_metadata, self);
	memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	ASSERT_NE(MAP_FAILED, memory);
	ASSERT_EQ(0, munmap(memory + page, page));
	near = (struct reading *)(memory + page - offsetof(struct reading, value[1]));
	near->size = sizeof(*near);
	near->cpu = PMC_CPU_ANY;
	EXPECT_EQ(-EFAULT, pmc_call(self->fd, PMC_IOC_READ, near));
	EXPECT_EQ(-EFAULT, pmc_call(self->fd, PMC_IOC_READ, NULL));
	near->nr_counters = 0;
	near->cpu = PMC_CPU_ANY;
	ASSERT_EQ(0, mprotect(memory, page, PROT_READ));
	EXPECT_EQ(-EFAULT, pmc_call(self->fd, PMC_IOC_READ, near));
	ASSERT_EQ(0, munmap(memory, page));
	/* the last bytes of the address space */
	EXPECT_EQ(-EFAULT, pmc_call(self->fd, PMC_IOC_READ, (void *)-sizeof(self->first)));

	reading_init(&self->first);
	self->first.size = PMC_READ_SIZE(self->setup.config.nr_counters) - 1;
	EXPECT_EQ(-ENOSPC, pmc_call(self->fd, PMC_IOC_READ, &self->first));
	self->first.size++;
	self->first.value[self->setup.config.nr_counters] = untouched;
	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_READ, &self->first));
	EXPECT_EQ(untouched, self->first.value[self->setup.config.nr_counters]);
	reading_init(&self->first);
	self->first.flags = PMC_READ_ONE_CPU;
	EXPECT_EQ(-EINVAL, pmc_call(self->fd, PMC_IOC_READ, &self->first));
	reading_init(&self->first);
	self->first.flags = 1 << 31;
	EXPECT_EQ(-EINVAL, pmc_call(self->fd, PMC_IOC_READ, &self->first));
	reading_init(&self->first);
	self->first.cpu = 0;
	EXPECT_EQ(-EINVAL, pmc_call(self->fd, PMC_IOC_READ, &self->first));
	reading_init(&self->first);
	self->first.nr_counters = 1;
	EXPECT_EQ(-EINVAL, pmc_call(self->fd, PMC_IOC_READ, &self->first));
	reading_init(&self->first);
	reading_init(&self->second);
	expect_between(_metadata, self, &self->first, &self->second);
}

/* Each region is exact, whatever the counter counted before it, and for which thread. */
TEST_F(self_fastpath, regions_in_turn)
{
	struct setup branches;
	struct reading reading;
	unsigned int n, rounds;
	int other = pmc_open();

	ASSERT_LE(0, other);
	self->setup.config.nr_counters = 0;
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	setup_thread(&branches, 0, 0);
	setup_add(&branches, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(other, &branches));
	for (n = 0; n < 200; n++) {
		rounds = 1 + n * 37 % 101;
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
		ASSERT_EQ(0, pmc_call(other, PMC_IOC_RESET, NULL));
		ASSERT_EQ(0, loop_counted(self->fd, rounds));
		if (n % 3)
			ASSERT_EQ(0, loop_counted(other, rounds));
		if (n % 5 == 0)
			sched_yield();
		ASSERT_EQ(0, reading_read(self->fd, &reading));
		EXPECT_COUNT(LOOP_INSTRUCTIONS(rounds), reading.value[0]);
		EXPECT_EQ(0, reading.state);
		ASSERT_EQ(0, reading_read(other, &reading));
		EXPECT_COUNT(n % 3 ? LOOP_BRANCHES(rounds) : 0, reading.value[0]);
	}
	close(other);
}

/* A thread with its own context on the counter that the other threads of the CPU use too */
static void *regions_of_own(void *argument)
{
	const uint64_t *event = argument;
	struct reading reading;
	unsigned int n, rounds;
	struct setup setup;
	uint64_t known;
	long failed = 0;
	int fd = -1;

	pin(0, 0);
	for (n = 0; n < 300; n++) {
		/* sometimes a new context: its memory may be where another context's was */
		if (n % 10 == 0) {
			fd = pmc_open();
			setup_thread(&setup, 0, 0);
			setup_add(&setup, PMC_COUNTER_GENERAL(0), *event, PMC_COUNT_USER);
			failed += setup_configure(fd, &setup) != 0;
		}
		rounds = 1 + n * 37 % 101;
		failed += pmc_call(fd, PMC_IOC_RESET, NULL) != 0;
		failed += loop_counted(fd, rounds) != 0;
		if (n % 2)
			sched_yield();
		failed += reading_read(fd, &reading) != 0;
		known = *event == EVENT_BRANCHES ? LOOP_BRANCHES(rounds) :
						   LOOP_INSTRUCTIONS(rounds);
		failed += reading.value[0] != overcount_accept(known, reading.value[0]);
		if (n % 10 == 9)
			close(fd);
	}
	return (void *)failed;
}

TEST_F(self_fastpath, threads_alternate)
{
	static uint64_t events[] = {
		EVENT_BRANCHES, EVENT_INSTRUCTIONS, EVENT_BRANCHES, EVENT_INSTRUCTIONS,
	};
	pthread_t thread[ARRAY_SIZE(events)];
	unsigned int i;
	void *failed;

	/* the driver keeps the counters all the time */
	self->setup.config.nr_counters = 0;
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	for (i = 0; i < ARRAY_SIZE(events); i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, regions_of_own, &events[i]));
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		ASSERT_EQ(0, pthread_join(thread[i], &failed));
		EXPECT_EQ(0, (long)failed);
	}
}

/*
 * A new context in the memory of a released one starts from zero. The memory is freed after a
 * grace period, and the next allocation on this CPU gets it.
 */
TEST_F(self_fastpath, reused_context_address)
{
	static const uint64_t events[] = { EVENT_INSTRUCTIONS, EVENT_BRANCHES };
	const unsigned int rounds = 1000;
	struct reading reading;
	struct setup setup;
	unsigned int n;
	int fd;

	ASSERT_EQ(0, pin(0, 0));
	/* the driver keeps the counters and the probes all the time */
	self->setup.config.nr_counters = 0;
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	for (n = 0; n < 50; n++) {
		fd = pmc_open();
		setup_thread(&setup, 0, 0);
		setup_add(&setup, PMC_COUNTER_GENERAL(0), events[n % 2], PMC_COUNT_USER);
		ASSERT_EQ(0, setup_configure(fd, &setup));
		ASSERT_EQ(0, loop_counted(fd, rounds));
		ASSERT_EQ(0, reading_read(fd, &reading));
		ASSERT_COUNT(n % 2 ? LOOP_BRANCHES(rounds) : LOOP_INSTRUCTIONS(rounds),
			     reading.value[0]);
		close(fd);
		ASSERT_EQ(0, syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0));
		ASSERT_EQ(0, syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0));
	}
}

/* ---- another thread uses the same file ---- */

#define STEP	(1ULL << 40)	/* more than is ever counted here */

/**
 * struct interferer - a thread that interferes until the reader has seen @enough
 * @rounds: the least number of interferences; at the end, how many there were
 */
struct interferer {
	int fd;
	struct setup *setup;
	unsigned int rounds;
	long failed;
	bool enough;
	bool done;
};

static bool goes_on(const struct interferer *interferer, unsigned int n)
{
	return n < interferer->rounds || !__atomic_load_n(&interferer->enough, __ATOMIC_ACQUIRE);
}

/* Note whether the reader has seen enough. */
static void note_enough(struct interferer *interferer, bool enough)
{
	__atomic_store_n(&interferer->enough, enough, __ATOMIC_RELEASE);
}

static void done(struct interferer *interferer, unsigned int rounds)
{
	interferer->rounds = rounds;
	__atomic_store_n(&interferer->done, true, __ATOMIC_RELEASE);
}

static void *write_all(void *argument)
{
	struct interferer *interferer = argument;
	uint64_t values[PMC_COUNTERS_MAX];
	struct pmc_write write = {
		.size = sizeof(write), .nr_counters = interferer->setup->config.nr_counters,
		.values = (uintptr_t)values,
	};
	unsigned int n, i;

	pin(0, 1);
	for (n = 0; goes_on(interferer, n); n++) {
		for (i = 0; i < write.nr_counters; i++)
			values[i] = (n + 1) * STEP;
		interferer->failed += pmc_call(interferer->fd, PMC_IOC_WRITE, &write) != 0;
	}
	done(interferer, n);
	return NULL;
}

static void meddle(struct __test_metadata *_metadata, FIXTURE_DATA(self_fastpath) *self,
		   struct interferer *interferer, void *(*function)(void *), pthread_t *thread)
{
	NEED_CPUS(2);
	ASSERT_EQ(0, pin(0, 0));
	interferer->fd = self->fd;
	interferer->setup = &self->setup;
	begin(_metadata, self);
	ASSERT_EQ(0, pthread_create(thread, NULL, function, interferer));
}

/*
 * All values of a reading were written together: a value that WRITE has cleared but not yet
 * written is never visible. The values of each WRITE exceed all earlier ones.
 */
TEST_F(self_fastpath, read_while_another_writes)
{
	/* enough WRITEs for an interrupt between clearing and writing in one of them */
	struct interferer interferer = { .rounds = 20000 };
	uint64_t last = 0, seen = 0;
	pthread_t thread;
	unsigned int i;

	meddle(_metadata, self, &interferer, write_all, &thread);
	while (!__atomic_load_n(&interferer.done, __ATOMIC_ACQUIRE)) {
		ASSERT_EQ(0, reading_read(self->fd, &self->first));
		for (i = 0; i < self->first.nr_counters; i++)
			ASSERT_EQ(self->first.value[0], self->first.value[i]);
		ASSERT_LT(last, self->first.value[0]);
		seen += self->first.value[0] / STEP != last / STEP;
		last = self->first.value[0];
		note_enough(&interferer, seen > 1);
	}
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, interferer.failed);
	ASSERT_EQ(0, reading_read(self->fd, &self->first));
	EXPECT_EQ(interferer.rounds, self->first.value[0] / STEP);
}

static void *stop_and_start(void *argument)
{
	struct interferer *interferer = argument;
	unsigned int n;

	pin(0, 1);
	for (n = 0; goes_on(interferer, n); n++) {
		interferer->failed += pmc_call(interferer->fd, PMC_IOC_STOP, NULL) != 0;
		interferer->failed += pmc_call(interferer->fd, PMC_IOC_START, NULL) != 0;
	}
	done(interferer, n);
	return NULL;
}

/* No value ever decreases. */
TEST_F(self_fastpath, read_while_another_stops)
{
	struct interferer interferer = { .rounds = 3000 };
	bool stopped = false;
	pthread_t thread;
	unsigned int i;

	meddle(_metadata, self, &interferer, stop_and_start, &thread);
	ASSERT_EQ(0, reading_read(self->fd, &self->first));
	while (!__atomic_load_n(&interferer.done, __ATOMIC_ACQUIRE)) {
		ASSERT_EQ(0, reading_read(self->fd, &self->second));
		for (i = 0; i < self->second.nr_counters; i++) {
			ASSERT_LE(self->first.value[i], self->second.value[i]);
			ASSERT_EQ(self->second.value[0], self->second.value[i]);
		}
		ASSERT_LE(self->first.time_enabled, self->second.time_enabled);
		ASSERT_LE(self->first.time_counted, self->second.time_counted);
		ASSERT_LE(self->second.time_counted, self->second.time_enabled);
		stopped |= self->second.state != PMC_STATE_RUNNING;
		note_enough(&interferer, stopped);
		self->first = self->second;
	}
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, interferer.failed);
}

static void *release_and_configure(void *argument)
{
	struct interferer *interferer = argument;
	unsigned int n;

	pin(0, 1);
	for (n = 0; goes_on(interferer, n); n++) {
		interferer->failed += pmc_call(interferer->fd, PMC_IOC_RELEASE, NULL) != 0;
		interferer->failed += setup_configure(interferer->fd, interferer->setup) != 0;
		interferer->failed += pmc_call(interferer->fd, PMC_IOC_START, NULL) != 0;
	}
	done(interferer, n);
	return NULL;
}

/* The context is released and another is configured: a reading is of one that exists. */
TEST_F(self_fastpath, read_while_another_releases)
{
	struct interferer interferer = { .rounds = 300 };
	bool gone = false, there = false;
	pthread_t thread;
	unsigned int i;
	int err;

	/* in each context of this file: this thread, and a value that identifies the context */
	self->setup.config.tid = gettid();
	for (i = 0; i < self->setup.config.nr_counters; i++)
		self->setup.counter[i].initial = STEP;
	meddle(_metadata, self, &interferer, release_and_configure, &thread);
	while (!__atomic_load_n(&interferer.done, __ATOMIC_ACQUIRE)) {
		err = reading_read(self->fd, &self->first);
		if (err) {
			ASSERT_EQ(-EBADFD, err);
			gone = true;
			continue;
		}
		there = true;
		note_enough(&interferer, gone);
		for (i = 0; i < self->first.nr_counters; i++) {
			ASSERT_EQ(1, self->first.value[i] / STEP);
			ASSERT_EQ(self->first.value[0], self->first.value[i]);
		}
	}
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, interferer.failed);
	EXPECT_TRUE(there);
}

static void *read_it_too(void *argument)
{
	struct interferer *interferer = argument;
	struct reading reading;
	uint64_t last = 0;
	unsigned int n;

	pin(0, 1);
	for (n = 0; n < interferer->rounds; n++) {
		interferer->failed += reading_read(interferer->fd, &reading) != 0;
		interferer->failed += reading.value[0] < last;
		last = reading.value[0];
	}
	__atomic_store_n(&interferer->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Two threads read the context of one of them: both see the same counts increase. */
TEST_F(self_fastpath, read_while_another_reads)
{
	struct interferer interferer = { .rounds = 3000 };
	pthread_t thread;
	unsigned int n = 0;

	meddle(_metadata, self, &interferer, read_it_too, &thread);
	while (!__atomic_load_n(&interferer.done, __ATOMIC_ACQUIRE) || n < 100) {
		reading_init(&self->first);
		reading_init(&self->second);
		expect_between(_metadata, self, &self->first, &self->second);
		n++;
	}
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, interferer.failed);
}

/* ---- many threads use one file for everything ---- */

#define USERS		8
#define USES		250	/* by each thread */
#define CROWD_RING	4096

/* State that all threads share */
struct crowd {
	const struct pmc_query *query;
	int fd;
	unsigned int left;	/* threads that still run; the last but one closes the file */
	bool closed;
	pthread_barrier_t begin;
};

struct user {
	struct crowd *crowd;
	unsigned int number;
	unsigned int configured, mapped;
	unsigned int wrong;
	int command, err;	/* the first unexpected result */
};

/* Configuration @way: one of three scopes, with a period or without, then perhaps with a page */
static void setup_any(struct setup *setup, const struct pmc_query *query, unsigned int way)
{
	const uint32_t both = PMC_COUNT_USER | PMC_COUNT_KERNEL;
	bool page = way / 6 % 2 && query->features & PMC_FEATURE(RDPMC);
	bool sampled = way / 3 % 2 && query->features & PMC_FEATURE(INTERRUPT);

	if (way % 3 == 2) {
		setup_all_cpus(setup);
	} else {
		setup_thread(setup, 0, way % 3 == 0 && !sampled && page ?
			     PMC_CONFIG_USER_READ : 0);
		if (way % 3 == 1)
			setup->config.scope = PMC_SCOPE_TREE;
	}
	setup_add_all(setup, query, EVENT_INSTRUCTIONS,
		      way % 3 == 2 && query->features & PMC_FEATURE(KERNEL_MODE) ?
		      both : PMC_COUNT_USER);
	if (sampled) {
		setup->config.ring_size = CROWD_RING;
		setup_period(setup, 0, 100003);
	}
}

/*
 * Another thread may have released or configured the context just before, or closed the file. A
 * thread that configured it for itself may have ended.
 */
static bool is_expected(const struct crowd *crowd, unsigned int command, int err)
{
	if (!err || err == -EBADFD)
		return true;
	if (err == -EBADF)
		return __atomic_load_n(&crowd->closed, __ATOMIC_ACQUIRE);
	return command == PMC_IOC_START && err == -ESRCH;
}

static int use_call(struct user *user, unsigned int command, void *argument)
{
	int err = pmc_call(user->crowd->fd, command, argument);

	if (!is_expected(user->crowd, command, err) && !user->wrong++) {
		user->command = _IOC_NR(command);
		user->err = err;
	}
	return err;
}

static void use_configure(struct user *user, unsigned int way)
{
	struct setup setup;

	use_call(user, PMC_IOC_RELEASE, NULL);
	setup_any(&setup, user->crowd->query, way);
	setup_place(&setup);
	setup.config.counters = (uintptr_t)setup.counter;
	user->configured += !use_call(user, PMC_IOC_CONFIGURE, &setup.config);
}

/* Map the page or a CPU's ring, if there is one at the moment; read it and write to it. */
static bool use_map(struct user *user, unsigned int n)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t length = n % 2 ? page : page + CROWD_RING;
	off_t at = n % 2 ? 0 : PMC_RING_OFFSET(0, CROWD_RING, page);
	volatile uint32_t *memory;

	memory = mmap(NULL, length, n % 2 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED,
		      user->crowd->fd, at);
	if (memory == MAP_FAILED)
		return false;
	if (n % 2)
		(void)*memory;
	else
		((volatile struct pmc_ring *)memory)->tail =
			((volatile struct pmc_ring *)memory)->head;
	sched_yield();
	munmap((void *)memory, length);
	return true;
}

static void use_once(struct user *user, unsigned int what)
{
	struct reading reading;

	switch (what % 6) {
	case 0:
		use_call(user, PMC_IOC_START, NULL);
		break;
	case 1:
		use_call(user, PMC_IOC_STOP, NULL);
		break;
	case 2:
		use_call(user, PMC_IOC_RESET, NULL);
		break;
	case 3:
	case 4:
		reading_init(&reading);
		use_call(user, PMC_IOC_READ, &reading);
		break;
	case 5:
		use_configure(user, what / 6);
		break;
	}
}

static void *use_it(void *argument)
{
	struct user *user = argument;
	struct crowd *crowd = user->crowd;
	uint32_t random = user->number;
	unsigned int n;

	/* map something before the other threads begin */
	if (!user->number) {
		use_configure(user, crowd->query->features & PMC_FEATURE(INTERRUPT) ? 3 : 6);
		user->mapped += use_map(user, 0) || use_map(user, 1);
	}
	pthread_barrier_wait(&crowd->begin);
	for (n = 0; n < USES; n++) {
		random = random * 1664525 + 1013904223;
		use_once(user, random >> 16);
		if (!user->number)
			user->mapped += use_map(user, n);
		if (n % 16 == user->number)
			sched_yield();
	}
	/* the last thread but one: the other still uses the file */
	if (__atomic_sub_fetch(&crowd->left, 1, __ATOMIC_ACQ_REL) == 1) {
		__atomic_store_n(&crowd->closed, true, __ATOMIC_RELEASE);
		close(crowd->fd);
	}
	return NULL;
}

static void expect_program_exact(struct __test_metadata *_metadata,
				 const struct pmc_query *query)
{
	struct program programs[PROGRAMS_MAX];
	int i, fd, n = programs_load(programs);
	struct reading reading;
	struct setup setup;
	struct child child;

	ASSERT_LT(0, n);
	OPEN_DEVICE(fd);
	ASSERT_EQ(0, child_counted(&child, &programs[0], &setup, query, EVENT_INSTRUCTIONS));
	CONFIGURE_AND_START(fd, &setup);
	ASSERT_EQ(0, child_run(&child));
	ASSERT_EQ(0, reading_read(fd, &reading));
	for (i = 0; i < reading.nr_counters; i++)
		EXPECT_COUNT(programs[0].instructions, reading.value[i]);
	close(fd);
}

/* No ioctl returns an unexpected error; afterwards the registers are as before. */
TEST_F(self_fastpath, many_threads_one_file)
{
	struct crowd crowd = { .query = &self->query, .left = USERS };
	static struct registers before, after;
	struct user users[USERS] = {};
	pthread_t thread[USERS];
	struct pmc_query query;
	int i;

	NEED_ROOT();
	if (access("/dev/cpu/0/msr", R_OK))
		SKIP(return, "no /dev/cpu/0/msr");
	registers_list(&before, &self->query);
	after = before;
	ASSERT_EQ(0, registers_read(&before));
	OPEN_DEVICE(crowd.fd);
	ASSERT_EQ(0, pthread_barrier_init(&crowd.begin, NULL, USERS));
	for (i = 0; i < USERS; i++) {
		users[i].crowd = &crowd;
		users[i].number = i;
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, use_it, &users[i]));
	}
	for (i = 0; i < USERS; i++) {
		ASSERT_EQ(0, pthread_join(thread[i], NULL));
		EXPECT_EQ(0, users[i].wrong) {
			TH_LOG("ioctl %02x: %s", users[i].command, strerror(-users[i].err));
		}
	}
	EXPECT_LT(0, users[0].configured);
	EXPECT_LT(0, users[0].mapped);
	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
	EXPECT_EQ(0, query.contexts);
	ASSERT_EQ(0, registers_read(&after));
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));
	expect_program_exact(_metadata, &self->query);
}

TEST_HARNESS_MAIN

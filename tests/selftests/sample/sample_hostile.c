// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests hostile or dying readers: the kernel is unharmed, other contexts' samples are exact,
 * and the numbers of the hostile context are right all the same
 */
#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "call_depth.h"
#include "process_tree.h"
#include "samples.h"

#define RING	4096

FIXTURE(hostile) {
	SAMPLING_FIXTURE;
	uint64_t counted;
};

FIXTURE_SETUP(hostile)
{
	SAMPLING_SETUP();
}

FIXTURE_TEARDOWN_CLOSE(hostile)

/* The victim: this thread, on CPU 0, on general counter 0 */
static void begin(struct __test_metadata *_metadata, struct _test_data_hostile *self)
{
	ASSERT_EQ(0, pin(0, 0));
	setup_thread_one(&self->setup, 0, 0);
	setup_period(&self->setup, 0, 10007);
	CONFIGURE_SAMPLING();
	self->tally.text = sampled_loop_range();
	self->spurious = spurious_now(self->fd);
}

static void go_on(struct __test_metadata *_metadata, struct _test_data_hostile *self)
{
	ASSERT_EQ(0, sampled_loop(self->fd, 50100, PMC_IOC_START, PMC_IOC_STOP));
	self->counted += SAMPLED_LOOP(50100);
	tally_rings(&self->tally, &self->rings);
}

static void end(struct __test_metadata *_metadata, struct _test_data_hostile *self)
{
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_COUNT(self->counted, self->reading.value[0]);
	EXPECT_EQ(self->reading.value[0] / 10007, self->tally.samples);
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
}

/* The attacker: its own process, sampled on counter 1, on CPU 0 or anywhere */
struct attacker {
	struct setup setup;
	struct rings rings;
	int fd;
};

static int foe_begin(struct attacker *attacker, const struct setup *setup)
{
	int err;

	attacker->fd = pmc_open();
	if (attacker->fd < 0)
		return attacker->fd;
	attacker->setup = *setup;
	attacker->setup.config.counters = (uintptr_t)attacker->setup.counter;
	err = setup_configure(attacker->fd, &attacker->setup);
	if (!err)
		err = rings_map(&attacker->rings, attacker->fd, &attacker->setup);
	return err ? err : pmc_call(attacker->fd, PMC_IOC_START, NULL);
}

static void setup_foe(struct setup *setup)
{
	setup_add(setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_period(setup, 0, 9001);
	setup->config.ring_size = RING;
}

/* Without a reader, this CPU's ring is full all the time. */
TEST_F(hostile, never_reads)
{
	struct pmc_statistics statistics;
	struct reading reading;
	struct setup setup;
	unsigned int i;
	struct attacker attacker;

	NEED_ROOT();
	setup_cpu(&setup, 0);
	setup_foe(&setup);
	begin(_metadata, self);
	ASSERT_EQ(0, foe_begin(&attacker, &setup));
	for (i = 0; i < 40; i++)
		go_on(_metadata, self);
	ASSERT_EQ(0, pmc_call(attacker.fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, statistics_read(attacker.fd, &statistics));
	ASSERT_EQ(0, reading_read(attacker.fd, &reading));
	EXPECT_LT(400, statistics.lost);
	EXPECT_EQ(reading.value[0] / 9001, statistics.sampled + statistics.lost);
	EXPECT_EQ(reading.overflows, statistics.sampled + statistics.lost);
	end(_metadata, self);
}

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A value likely to do harm: small, near a power of two, or near the head */
static uint64_t random_bad(uint64_t *state, uint32_t head)
{
	uint64_t kind = random_next(state), value = random_next(state);

	switch (kind % 6) {
	case 0:
		return value;
	case 1:
		return value % 64;
	case 2:
		return head + (int)(value % 257) - 128;
	case 3:
		return (1ULL << (value % 64)) - value / 64 % 3;
	case 4:
		return head - RING + (int)(value % 257) - 128;
	default:
		return -(value % 64);
	}
}

/* Write anything anywhere into a ring's header and its records. */
static void corrupt_ring(struct pmc_ring *shared, uint64_t *state)
{
	uint32_t head = __atomic_load_n(&shared->head, __ATOMIC_RELAXED);
	volatile uint32_t *word = (void *)shared;
	unsigned int at;

	switch (random_next(state) % 8) {
	case 0:
	case 1:
	case 2:
		shared->tail = random_bad(state, head);
		break;
	case 3:
		shared->head = random_bad(state, head);
		break;
	case 4:
		at = random_next(state) % (sizeof(*shared) / 4);
		word[at] = random_bad(state, head);
		break;
	case 5:
		/* probably the start of a record */
		at = 1024 + head % RING / 4 + random_next(state) % 4;
		word[at % (1024 + RING / 4)] = random_bad(state, head);
		break;
	default:
		at = 1024 + random_next(state) % (RING / 4);
		word[at] = random_bad(state, head);
	}
}

struct scribbler {
	struct attacker *attacker;
	uint64_t seed;
	bool stop;
};

static void *scribble_on(void *argument)
{
	struct scribbler *scribbler = argument;
	uint64_t state = scribbler->seed;
	int cpu, i = 0;

	while (!__atomic_load_n(&scribbler->stop, __ATOMIC_ACQUIRE)) {
		for (cpu = 0; cpu < scribbler->attacker->rings.nr; cpu++)
			corrupt_ring(scribbler->attacker->rings.ring[cpu].shared, &state);
		/* sometimes the ring is in order for a while */
		if (++i % 64 == 0) {
			for (cpu = 0; cpu < scribbler->attacker->rings.nr; cpu++) {
				struct pmc_ring *shared =
					scribbler->attacker->rings.ring[cpu].shared;

				shared->tail = shared->head;
			}
			usleep(500);
		}
	}
	return NULL;
}

/* Read a corrupted ring: the kernel must not crash, and records are whole. */
static void *read_corrupted(void *argument)
{
	struct scribbler *scribbler = argument;
	struct pollfd wait = { .fd = scribbler->attacker->fd, .events = POLLIN };
	char buffer[8192];

	while (!__atomic_load_n(&scribbler->stop, __ATOMIC_ACQUIRE)) {
		ssize_t done;

		poll(&wait, 1, 1);
		done = read(scribbler->attacker->fd, buffer, sizeof(buffer));
		if (done < 0 && errno != EIO && errno != EAGAIN && errno != EINVAL)
			break;
		if (done > (ssize_t)sizeof(buffer))
			break;
	}
	return NULL;
}

/* In its own process: sample itself and corrupt the whole ring. */
static void corrupting_process(uint64_t seed, int *started)
{
	struct scribbler scribbler = { .seed = seed };
	struct setup setup;
	struct attacker attacker;
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setup_follow(&setup, PMC_SCOPE_PROCESS, 0, 0);
	setup_foe(&setup);
	if (foe_begin(&attacker, &setup) || fcntl(attacker.fd, F_SETFL, O_NONBLOCK))
		_exit(1);
	scribbler.attacker = &attacker;
	if (pthread_create(&thread, NULL, scribble_on, &scribbler) ||
	    pthread_create(&thread, NULL, read_corrupted, &scribbler))
		_exit(1);
	__atomic_store_n(started, 1, __ATOMIC_RELEASE);
	spin_forever();
}

TEST_F(hostile, corrupts_ring)
{
	int *started = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int seed, i;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, started);
	begin(_metadata, self);
	for (seed = 1; seed <= 8; seed++) {
		*started = 0;
		pid = fork();
		ASSERT_LE(0, pid);
		if (pid == 0)
			corrupting_process(0x9e3779b97f4a7c15ULL * seed, started);
		while (!__atomic_load_n(started, __ATOMIC_ACQUIRE))
			ASSERT_EQ(0, waitpid(pid, NULL, WNOHANG));
		for (i = 0; i < 20; i++)
			go_on(_metadata, self);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
	end(_metadata, self);
}

/*
 * Its own numbers are right whatever it writes, and once it stops writing, read() restores the
 * ring's order.
 */
TEST_F(hostile, corrupts_then_restores_ring)
{
	struct scribbler scribbler = { .seed = 4711 };
	struct pmc_statistics statistics;
	struct reading reading;
	struct setup setup;
	struct tally tally;
	char buffer[2 * RING];
	uint64_t before;
	pthread_t thread;
	unsigned int i;
	struct attacker attacker;
	ssize_t done;

	ASSERT_EQ(0, pin(0, 0));
	setup_thread(&setup, 0, 0);
	setup_foe(&setup);
	ASSERT_EQ(0, foe_begin(&attacker, &setup));
	ASSERT_EQ(0, pmc_call(attacker.fd, PMC_IOC_STOP, NULL));
	scribbler.attacker = &attacker;
	ASSERT_EQ(0, pthread_create(&thread, NULL, scribble_on, &scribbler));
	for (i = 0; i < 60; i++)
		ASSERT_EQ(0, sampled_loop(attacker.fd, 50000, PMC_IOC_START, PMC_IOC_STOP));
	__atomic_store_n(&scribbler.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	ASSERT_EQ(0, reading_read(attacker.fd, &reading));
	ASSERT_EQ(0, statistics_read(attacker.fd, &statistics));
	EXPECT_EQ(reading.value[0] / 9001, reading.overflows);
	EXPECT_EQ(reading.overflows, statistics.sampled + statistics.lost);
	EXPECT_LT(0, statistics.sampled);

	/* discard what is there until nothing is left */
	for (i = 0; i < 1000; i++) {
		done = read(attacker.fd, buffer, sizeof(buffer));
		if (!done)
			break;
		if (done < 0)
			ASSERT_EQ(EIO, errno);
	}
	ASSERT_EQ(0, done);
	before = reading.overflows;
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, sampled_loop(attacker.fd, 50000, PMC_IOC_START, PMC_IOC_STOP));
		done = read(attacker.fd, buffer, sizeof(buffer));
		ASSERT_LT(0, done);
		ASSERT_EQ(0, reading_read(attacker.fd, &reading));
		tally_begin(&tally, &attacker.setup);
		tally.gaps = true;
		tally.text = sampled_loop_range();
		tally.text.end += 16; /* the loop's end */
		tally_buffer(&tally, buffer, done);
		EXPECT_STREQ("", tally.wrong);
		/* the first time, earlier losses are reported too */
		if (i) {
			EXPECT_EQ(reading.overflows - before, tally.overflows[0]);
			EXPECT_EQ(0, tally.lost);
		}
		before = reading.overflows;
	}
}

/* Everything is read and consists of padding only. */
static void fill_with_pads(const struct ring *ring)
{
	volatile struct pmc_record *record = (void *)ring->shared + ring->shared->data_offset;
	unsigned int i;

	for (i = 0; i < ring->shared->data_size / sizeof(*record); i++) {
		record[i].type = PMC_RECORD_PAD;
		record[i].size = sizeof(*record);
	}
	ring->shared->tail = ring->shared->head - ring->shared->data_size;
}

/* The kernel writes no padding without a record behind it: read() must not return 0. */
TEST_F(hostile, ring_of_pad_records)
{
	char buffer[RING];

	setup_thread(&self->setup, 0, 0);
	setup_foe(&self->setup);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, rings_map(&self->rings, self->fd, &self->setup));
	EXPECT_EQ(0, read(self->fd, buffer, sizeof(buffer)));
	fill_with_pads(&self->rings.ring[0]);
	EXPECT_EQ(-1, read(self->fd, buffer, sizeof(buffer)));
	EXPECT_EQ(EIO, errno);
	EXPECT_EQ(0, read(self->fd, buffer, sizeof(buffer)));
}

/* Each ring seems to have records, but never has. */
static void corrupt_forever(int fd, const struct setup *setup, int *started)
{
	struct rings rings;
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pin(0, 1) || rings_map(&rings, fd, setup))
		_exit(1);
	for (i = 0; i < rings.nr; i++)
		fill_with_pads(&rings.ring[i]);
	__atomic_store_n(started, 1, __ATOMIC_RELEASE);
	for (;;) {
		for (i = 0; i < rings.nr; i++)
			*(volatile uint32_t *)&rings.ring[i].shared->tail =
				rings.ring[i].shared->head - rings.ring[i].shared->data_size;
	}
}

/* Wait until a process has run this many nanoseconds; false if it ended before. */
static bool has_run(pid_t pid, long ns)
{
	struct timespec run = { 0 };
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock))
		return false;
	while (!run.tv_sec && run.tv_nsec < ns) {
		if (clock_gettime(clock, &run) || waitpid(pid, NULL, WNOHANG))
			return false;
	}
	return true;
}

/* A reader meanwhile does not hang in the kernel. */
TEST_F(hostile, corrupts_ring_continuously)
{
	int *started = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t scribbler, reader;
	char buffer[RING];

	if (cpus_online() < 2)
		SKIP(return, "one CPU");
	ASSERT_NE(MAP_FAILED, started);
	setup_thread(&self->setup, 0, 0);
	setup_foe(&self->setup);
	/* no sample comes in between, and the reader reads nothing while the writer is preempted */
	setup_period(&self->setup, 0, 1000000000);
	self->setup.config.ring_size = 1 << 20;
	CONFIGURE_AND_START(self->fd, &self->setup);
	scribbler = fork();
	ASSERT_LE(0, scribbler);
	if (scribbler == 0)
		corrupt_forever(self->fd, &self->setup, started);
	while (!__atomic_load_n(started, __ATOMIC_ACQUIRE))
		ASSERT_EQ(0, waitpid(scribbler, NULL, WNOHANG));
	reader = fork();
	ASSERT_LE(0, reader);
	if (reader == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (pin(0, 0))
			_exit(1);
		while (read(self->fd, buffer, sizeof(buffer)) < 0)
			;
		_exit(2);
	}
	ASSERT_EQ(0, pin(0, 1));
	/* neither ends by itself */
	EXPECT_TRUE(has_run(reader, 50000000));
	EXPECT_EQ(0, waitpid(scribbler, NULL, WNOHANG));
	ASSERT_EQ(0, kill(reader, SIGKILL));
	EXPECT_TRUE(child_ends_within(reader, 500));
	ASSERT_EQ(0, kill(scribbler, SIGKILL));
	ASSERT_EQ(scribbler, waitpid(scribbler, NULL, 0));
	waitpid(reader, NULL, 0);
}

/* At each place for a record: the largest numbers of values and frames */
static void *corrupt_lengths(void *argument)
{
	const size_t first = offsetof(struct pmc_sample, nr_counters) % 8;
	struct scribbler *scribbler = argument;
	struct rings *rings = &scribbler->attacker->rings;

	_Static_assert(offsetof(struct pmc_sample, nr_user_frames) ==
		       offsetof(struct pmc_sample, nr_counters) + 2, "side by side");
	pin(0, 1);
	while (!__atomic_load_n(&scribbler->stop, __ATOMIC_ACQUIRE)) {
		struct pmc_ring *shared = rings->ring[0].shared;
		volatile uint8_t *data = (void *)shared + shared->data_offset;
		size_t at;

		for (at = first; at < RING; at += 8) {
			data[at] = UINT8_MAX;
			data[at + 1] = UINT8_MAX;
			data[at + 2] = UINT8_MAX;
		}
		shared->tail = shared->head;
	}
	return NULL;
}

/* The longest records, overwritten before they are complete: the kernel does not rely on them. */
TEST_F(hostile, corrupts_record_lengths)
{
	unsigned long frames[PMC_FRAMES_MAX][2];
	struct scribbler scribbler = {};
	struct pmc_statistics statistics;
	struct reading reading;
	struct descent descent;
	struct setup setup;
	pthread_t thread;
	unsigned int i;
	struct attacker attacker;

	if (cpus_online() < 2)
		SKIP(return, "one CPU");
	ASSERT_EQ(0, pin(0, 0));
	for (i = 0; i < PMC_FRAMES_MAX; i++) {
		frames[i][0] = (unsigned long)frames[i + 1];
		frames[i][1] = (unsigned long)sampled_loop_range().begin;
	}
	frames[i - 1][0] = 0;
	setup_thread(&setup, 0, 0);
	setup_foe(&setup);
	setup_period(&setup, 0, 100003);
	setup.config.sample_flags = PMC_SAMPLE_USER_CALLCHAIN | PMC_SAMPLE_MMAPS;
	setup.config.frames = PMC_FRAMES_MAX;
	ASSERT_EQ(0, foe_begin(&attacker, &setup));
	ASSERT_EQ(0, pmc_call(attacker.fd, PMC_IOC_STOP, NULL));
	scribbler.attacker = &attacker;
	ASSERT_EQ(0, pthread_create(&thread, NULL, corrupt_lengths, &scribbler));
	descent = (struct descent) {
		.fd = attacker.fd,
		.start = PMC_IOC_START,
		.stop = PMC_IOC_STOP,
		.rounds = 500000,
		.frame = (unsigned long)frames[0],
	};
	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, sampled_frame(&descent));
	__atomic_store_n(&scribbler.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	ASSERT_EQ(0, reading_read(attacker.fd, &reading));
	ASSERT_EQ(0, statistics_read(attacker.fd, &statistics));
	EXPECT_EQ(reading.value[0] / 100003, reading.overflows);
	EXPECT_EQ(reading.overflows, statistics.sampled + statistics.lost);
	EXPECT_LT(50, statistics.sampled);
	close(attacker.fd);
}

/* Killed repeatedly with the rings mapped and full */
TEST_F(hostile, killed)
{
	int *started = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct pmc_query query;
	unsigned int i;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, started);
	begin(_metadata, self);
	for (i = 0; i < 30; i++) {
		*started = 0;
		pid = fork();
		ASSERT_LE(0, pid);
		if (pid == 0) {
			struct setup setup;
			struct attacker attacker;

			if (geteuid() || i % 2)
				setup_follow(&setup, PMC_SCOPE_TREE, 0, 0);
			else
				setup_all_cpus(&setup);
			setup_foe(&setup);
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (foe_begin(&attacker, &setup))
				_exit(1);
			__atomic_store_n(started, 1, __ATOMIC_RELEASE);
			spin_forever();
		}
		while (!__atomic_load_n(started, __ATOMIC_ACQUIRE))
			ASSERT_EQ(0, waitpid(pid, NULL, WNOHANG));
		go_on(_metadata, self);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		go_on(_metadata, self);
	}
	end(_metadata, self);
	/* everything is released: only this test's context is left */
	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
	EXPECT_EQ(1, query.contexts);
}

/** struct caller - a thread in a system call that RELEASE is to end */
struct caller {
	pthread_t thread;
	int tid;
	int fd;
	bool poll;
	ssize_t result;
	int error;
	short events;
};

static void *call(void *argument)
{
	struct caller *caller = argument;
	struct pollfd wait = { .fd = caller->fd, .events = POLLIN };
	char buffer[4096];

	__atomic_store_n(&caller->tid, gettid(), __ATOMIC_RELEASE);
	if (caller->poll)
		caller->result = poll(&wait, 1, -1);
	else
		caller->result = read(caller->fd, buffer, sizeof(buffer));
	caller->error = errno;
	caller->events = wait.revents;
	return NULL;
}

/* State S of /proc/PID/task/TID/stat: asleep */
static void wait_asleep(int tid)
{
	char path[64], text[512], *state;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", getpid(), tid);
	do {
		sched_yield();
		state = file_read(path, text, sizeof(text)) ? NULL : strrchr(text, ')');
	} while (!state || state[2] != 'S');
}

/* RELEASE ends the waiting in poll() and read(). */
TEST_F(hostile, release_while_readers_wait)
{
	struct caller caller[4];
	unsigned int i, round;

	for (round = 0; round < 20; round++) {
		setup_thread(&self->setup, 0, 0);
		setup_foe(&self->setup);
		ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
		self->setup.counter[0].period = 1000000000;
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
		CONFIGURE_AND_START(self->fd, &self->setup);
		memset(caller, 0, sizeof(caller));
		for (i = 0; i < ARRAY_SIZE(caller); i++) {
			caller[i].fd = self->fd;
			caller[i].poll = i & 1;
			ASSERT_EQ(0, pthread_create(&caller[i].thread, NULL, call, &caller[i]));
			while (!__atomic_load_n(&caller[i].tid, __ATOMIC_ACQUIRE))
				sched_yield();
			wait_asleep(caller[i].tid);
		}
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
		for (i = 0; i < ARRAY_SIZE(caller); i++) {
			pthread_join(caller[i].thread, NULL);
			EXPECT_EQ(caller[i].poll ? 1 : 0, caller[i].result);
			EXPECT_EQ(caller[i].poll ? POLLERR : 0, caller[i].events);
		}
	}
}

/* All calls at once on one file, while it is configured and released */
struct storm {
	int fd;
	bool stop;
	const struct setup *setup;
};

static void *storm_reads(void *argument)
{
	struct storm *storm = argument;
	char buffer[4096];

	while (!__atomic_load_n(&storm->stop, __ATOMIC_ACQUIRE)) {
		ssize_t done = read(storm->fd, buffer, sizeof(buffer));

		if (done < 0 && errno != EBADFD && errno != EAGAIN && errno != EINVAL)
			return "read";
	}
	return NULL;
}

static void *storm_polls(void *argument)
{
	struct storm *storm = argument;
	struct pollfd wait = { .fd = storm->fd, .events = POLLIN };

	while (!__atomic_load_n(&storm->stop, __ATOMIC_ACQUIRE)) {
		if (poll(&wait, 1, 1) < 0)
			return "poll";
	}
	return NULL;
}

static void *storm_maps(void *argument)
{
	struct storm *storm = argument;
	struct pmc_statistics statistics;
	struct ring ring;
	int err;

	while (!__atomic_load_n(&storm->stop, __ATOMIC_ACQUIRE)) {
		err = ring_map(&ring, storm->fd, storm->setup, 0);
		if (err && err != -EINVAL)
			return "mmap";
		if (!err) {
			ring.shared->tail = ring.shared->head;
			ring_unmap(&ring);
		}
		err = statistics_read(storm->fd, &statistics);
		if (err && err != -EBADFD)
			return "statistics";
	}
	return NULL;
}

TEST_F(hostile, release_during_overflow_storm)
{
	static void *(*const what[])(void *) = { storm_reads, storm_polls, storm_maps };
	struct storm storm = { .fd = self->fd, .setup = &self->setup };
	pthread_t thread[ARRAY_SIZE(what)];
	unsigned int i;
	void *wrong;

	setup_follow(&self->setup, PMC_SCOPE_PROCESS, 0, 0);
	setup_foe(&self->setup);
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	for (i = 0; i < ARRAY_SIZE(what); i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, what[i], &storm));
	for (i = 0; i < 100; i++) {
		CONFIGURE_AND_START(self->fd, &self->setup);
		usleep(100);
		if (i & 1)
			ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
	__atomic_store_n(&storm.stop, true, __ATOMIC_RELEASE);
	for (i = 0; i < ARRAY_SIZE(what); i++) {
		ASSERT_EQ(0, pthread_join(thread[i], &wrong));
		EXPECT_EQ(NULL, wrong) TH_LOG("%s", (const char *)wrong);
	}
}

/** struct shares - samples of two processes that read the same file; shared */
struct shares {
	uint64_t own;
	uint64_t others;
};

struct runner {
	pthread_t thread;
	int tid;
	int go[2];
	const struct shares *shares;
};

static bool both_have(const struct shares *shares)
{
	return __atomic_load_n(&shares->own, __ATOMIC_ACQUIRE) &&
	       __atomic_load_n(&shares->others, __ATOMIC_ACQUIRE);
}

/* After a start signal, run for a while and until both readers have samples; then end. */
static void *run_a_while(void *argument)
{
	struct runner *runner = argument;
	unsigned int i;
	char byte;

	__atomic_store_n(&runner->tid, gettid(), __ATOMIC_RELEASE);
	if (read(runner->go[0], &byte, 1) == 1) {
		for (i = 0; i < 5000000 || !both_have(runner->shares); i++)
			asm volatile("");
	}
	return NULL;
}

static ssize_t read_to_the_end(int fd, struct tally *tally, uint64_t *share)
{
	char buffer[2000];
	ssize_t done;

	while ((done = read(fd, buffer, sizeof(buffer))) > 0) {
		tally_buffer(tally, buffer, done);
		__atomic_store_n(share, tally->samples, __ATOMIC_RELEASE);
	}
	return done;
}

/* Two processes read one file: each record goes to one of them. */
TEST_F(hostile, two_processes_read)
{
	struct shares *shares = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct reading reading;
	struct runner runner;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, shares);
	memset(&runner, 0, sizeof(runner));
	runner.shares = shares;
	ASSERT_EQ(0, pipe2(runner.go, O_CLOEXEC));
	ASSERT_EQ(0, pthread_create(&runner.thread, NULL, run_a_while, &runner));
	while (!__atomic_load_n(&runner.tid, __ATOMIC_ACQUIRE))
		sched_yield();
	setup_thread(&self->setup, runner.tid, 0);
	setup_foe(&self->setup);
	self->setup.config.ring_size = 1 << 20;
	self->setup.config.watermark = 1;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	tally_begin(&self->tally, &self->setup);
	self->tally.gaps = true;
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	pid = fork();
	ASSERT_LE(0, pid);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (read_to_the_end(self->fd, &self->tally, &shares->others) ||
		    self->tally.wrong[0])
			_exit(1);
		_exit(0);
	}
	task_wait_in(pid, pid, SYS_read, self->fd);
	ASSERT_EQ(1, write(runner.go[1], "", 1));
	ASSERT_EQ(0, read_to_the_end(self->fd, &self->tally, &shares->own));
	EXPECT_STREQ("", self->tally.wrong);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	pthread_join(runner.thread, NULL);
	ASSERT_EQ(0, reading_read(self->fd, &reading));
	EXPECT_EQ(reading.value[0] / 9001, shares->own + shares->others);
	EXPECT_EQ(reading.overflows, shares->own + shares->others);
}

TEST_HARNESS_MAIN

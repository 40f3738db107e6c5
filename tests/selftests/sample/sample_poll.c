// SPDX-License-Identifier: GPL-2.0-only
/* Tests waiting for samples and reading them: poll, epoll, read, and the mapping */
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "process_tree.h"
#include "call_depth.h"
#include "samples.h"

#define PERIOD		100003
#define SHORT_PERIOD	20011
#define RECORD		(sizeof(struct pmc_sample) + sizeof(uint64_t))
#define RING		4096
/* as many records as a ring holds with room for a loss record */
#define RING_HOLDS	((RING - sizeof(struct pmc_lost) - sizeof(struct pmc_record)) / RECORD)

/** struct pump - a thread that produces one more sample on request, and waits */
struct pump {
	pthread_t thread;
	int tid;
	int order[2];
	int done[2];
	struct pmc_ring *volatile shared;
	uint64_t overflows;
};

FIXTURE(wait) {
	SAMPLING_FIXTURE;
	struct pump pump;
	struct pmc_statistics statistics;
};

static void *pump_run(void *argument)
{
	struct pump *pump = argument;
	char byte;

	pin(0, 0);
	__atomic_store_n(&pump->tid, gettid(), __ATOMIC_RELEASE);
	while (read(pump->order[0], &byte, 1) == 1) {
		const struct pmc_ring *shared = pump->shared;
		uint32_t head = __atomic_load_n(&shared->head, __ATOMIC_RELAXED);
		uint64_t lost = __atomic_load_n(&shared->lost, __ATOMIC_RELAXED);

		while (__atomic_load_n(&shared->head, __ATOMIC_RELAXED) == head &&
		       __atomic_load_n(&shared->lost, __ATOMIC_RELAXED) == lost)
			;
		if (write(pump->done[1], &byte, 1) != 1)
			break;
	}
	return NULL;
}

static int pump_start(struct pump *pump)
{
	if (pipe2(pump->order, O_CLOEXEC) || pipe2(pump->done, O_CLOEXEC) ||
	    pthread_create(&pump->thread, NULL, pump_run, pump))
		return -errno;
	while (!__atomic_load_n(&pump->tid, __ATOMIC_ACQUIRE))
		sched_yield();
	return 0;
}

/* One more overflow; its record is in the ring when this returns. */
static int pump_once(struct pump *pump)
{
	char byte;

	pump->overflows++;
	return write(pump->order[1], "", 1) == 1 && read(pump->done[0], &byte, 1) == 1 ? 0 : -EIO;
}

static void pump_end(struct pump *pump)
{
	close(pump->order[1]);
	pthread_join(pump->thread, NULL);
}

FIXTURE_SETUP(wait)
{
	SAMPLING_SETUP();
	ASSERT_EQ(0, pump_start(&self->pump));
}

FIXTURE_TEARDOWN_CLOSE(wait)

static void setup_pump(struct _test_data_wait *self, uint32_t watermark)
{
	setup_thread_one(&self->setup, self->pump.tid, 0);
	setup_period(&self->setup, 0, PERIOD);
	self->setup.config.ring_size = RING;
	self->setup.config.watermark = watermark;
}

/* Configured and running, with an empty ring */
static void begin(struct __test_metadata *_metadata, struct _test_data_wait *self,
		  uint32_t watermark)
{
	setup_pump(self, watermark);
	CONFIGURE_SAMPLING();
	self->pump.shared = self->rings.ring[0].shared;
	self->pump.overflows = 0;
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
}

static void end(struct __test_metadata *_metadata, struct _test_data_wait *self)
{
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	tally_rings(&self->tally, &self->rings);
	EXPECT_STREQ("", self->tally.wrong);
	ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
	EXPECT_EQ(self->pump.overflows, self->statistics.sampled + self->statistics.lost);
	RELEASE_SAMPLING();
}

static short poll_now(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN | POLLRDNORM | POLLPRI | POLLOUT };

	return poll(&wait, 1, 0) < 0 ? -1 : wait.revents;
}

#define READABLE	(POLLIN | POLLRDNORM)

/* Not ready below the watermark, ready from it on: to the byte */
TEST_F(wait, watermark)
{
	static const unsigned int watermarks[] = {
		1, RECORD - 1, RECORD, RECORD + 1, 5 * RECORD - 1, 5 * RECORD, 5 * RECORD + 1,
		RING / 2, 0, RING_HOLDS * RECORD,
	};
	unsigned int w, n, round;

	for (w = 0; w < ARRAY_SIZE(watermarks); w++) {
		unsigned int watermark = watermarks[w] ? watermarks[w] : RING / 2;

		begin(_metadata, self, watermarks[w]);
		/* later, padding may take the room of a record */
		for (round = 0; round < (watermark > RING / 2 ? 1 : 3); round++) {
			EXPECT_EQ(0, poll_now(self->fd));
			for (n = 1; n <= watermark / RECORD + 1 && n <= RING_HOLDS; n++) {
				ASSERT_EQ(0, pump_once(&self->pump));
				/* after the first round, padding may be among them */
				EXPECT_EQ(self->rings.ring[0].shared->head -
					  self->rings.ring[0].shared->tail >= watermark ?
					  READABLE : 0, poll_now(self->fd)) {
					TH_LOG("watermark %u, %u records", watermark, n);
				}
				if (!round)
					EXPECT_EQ(n * RECORD, self->rings.ring[0].shared->head);
			}
			ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
			EXPECT_EQ(round + 1, self->statistics.wakeups);
			tally_rings(&self->tally, &self->rings);
		}
		end(_metadata, self);
		EXPECT_EQ(0, self->statistics.lost);
	}
}

/* A watermark that cannot be reached: waiters are woken when the ring is full. */
TEST_F(wait, watermark_above_ring_size)
{
	unsigned int n;

	begin(_metadata, self, RING);
	for (n = 0; n < RING_HOLDS; n++)
		ASSERT_EQ(0, pump_once(&self->pump));
	ASSERT_EQ(0, pump_once(&self->pump));
	ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
	EXPECT_EQ(1, self->statistics.lost);
	EXPECT_EQ(READABLE, poll_now(self->fd));
	EXPECT_LT(0, self->statistics.wakeups);
	tally_rings(&self->tally, &self->rings);
	EXPECT_EQ(0, poll_now(self->fd));
	end(_metadata, self);
	EXPECT_EQ(1, self->tally.lost);
}

/*
 * The first loss wakes waiters only if the watermark has not: with a watermark of all the bytes
 * that a full ring has, and of one more.
 */
TEST_F(wait, full_ring_wakes_once)
{
	unsigned int watermark, n;

	for (watermark = RING_HOLDS * RECORD; watermark <= RING_HOLDS * RECORD + 1; watermark++) {
		begin(_metadata, self, watermark);
		for (n = 0; n < RING_HOLDS; n++)
			ASSERT_EQ(0, pump_once(&self->pump));
		ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
		EXPECT_EQ(0, self->statistics.lost);
		EXPECT_EQ(watermark == RING_HOLDS * RECORD, self->statistics.wakeups);
		for (n = 1; n <= 3; n++) {
			ASSERT_EQ(0, pump_once(&self->pump));
			ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
			EXPECT_EQ(n, self->statistics.lost);
			EXPECT_EQ(1, self->statistics.wakeups);
		}
		end(_metadata, self);
		EXPECT_EQ(3, self->tally.lost);
	}
}

/* A mapped reader consumes a part: the rest counts. */
TEST_F(wait, watermark_after_a_part)
{
	const struct pmc_record *record;
	unsigned int n;

	begin(_metadata, self, 4 * RECORD);
	for (n = 0; n < 4; n++)
		ASSERT_EQ(0, pump_once(&self->pump));
	EXPECT_EQ(READABLE, poll_now(self->fd));
	record = ring_next(&self->rings.ring[0]);
	ASSERT_NE(NULL, record);
	tally_record(&self->tally, record, 0);
	ring_done(&self->rings.ring[0], record);
	EXPECT_EQ(0, poll_now(self->fd));
	ASSERT_EQ(0, pump_once(&self->pump));
	EXPECT_EQ(READABLE, poll_now(self->fd));
	ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
	EXPECT_EQ(2, self->statistics.wakeups);
	end(_metadata, self);
	EXPECT_EQ(5, self->tally.samples);
}

TEST_F(wait, epoll)
{
	struct epoll_event event = { .events = EPOLLIN }, got;
	int level = epoll_create1(EPOLL_CLOEXEC), edge = epoll_create1(EPOLL_CLOEXEC);

	begin(_metadata, self, 2 * RECORD);
	ASSERT_EQ(0, epoll_ctl(level, EPOLL_CTL_ADD, self->fd, &event));
	event.events = EPOLLIN | EPOLLET;
	ASSERT_EQ(0, epoll_ctl(edge, EPOLL_CTL_ADD, self->fd, &event));
	ASSERT_EQ(0, pump_once(&self->pump));
	EXPECT_EQ(0, epoll_wait(level, &got, 1, 0));
	EXPECT_EQ(0, epoll_wait(edge, &got, 1, 0));
	ASSERT_EQ(0, pump_once(&self->pump));
	ASSERT_EQ(1, epoll_wait(level, &got, 1, -1));
	EXPECT_EQ(EPOLLIN, got.events);
	ASSERT_EQ(1, epoll_wait(edge, &got, 1, -1));
	EXPECT_EQ(EPOLLIN, got.events);
	/* it is still readable: for the level-triggered epoll, not for the edge-triggered one */
	EXPECT_EQ(1, epoll_wait(level, &got, 1, 0));
	EXPECT_EQ(0, epoll_wait(edge, &got, 1, 0));
	ASSERT_EQ(0, pump_once(&self->pump));
	tally_rings(&self->tally, &self->rings);
	EXPECT_EQ(0, epoll_wait(level, &got, 1, 0));
	/* a new edge */
	ASSERT_EQ(0, pump_once(&self->pump));
	ASSERT_EQ(0, pump_once(&self->pump));
	ASSERT_EQ(1, epoll_wait(edge, &got, 1, -1));
	end(_metadata, self);
	EXPECT_EQ(5, self->tally.samples);
	close(level);
	close(edge);
}

/** struct waiter - another thread that waits in a system call of the file */
struct waiter {
	pthread_t thread;
	int tid;
	int fd;
	short wanted; /* events of poll(), or 0 for read() */
	char buffer[2 * RING];
	ssize_t result;
	int error;
	short events;
	int signals;
};

static void *waiter_run(void *argument)
{
	struct waiter *waiter = argument;
	struct pollfd wait = { .fd = waiter->fd, .events = waiter->wanted };

	__atomic_store_n(&waiter->tid, gettid(), __ATOMIC_RELEASE);
	if (waiter->wanted)
		waiter->result = poll(&wait, 1, -1);
	else
		waiter->result = read(waiter->fd, waiter->buffer, sizeof(waiter->buffer));
	waiter->error = errno;
	waiter->events = wait.revents;
	return NULL;
}

static bool waiter_in(const struct waiter *waiter, const char *begin)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", getpid(), waiter->tid);
	return !file_read(path, text, sizeof(text)) && !strncmp(text, begin, strlen(begin));
}

static void waiter_wait_in_read(const struct waiter *waiter)
{
	char begin[64];

	snprintf(begin, sizeof(begin), "%d 0x%x ", SYS_read, waiter->fd);
	while (!waiter_in(waiter, begin))
		sched_yield();
}

/* It sleeps in its call when this returns. */
static int waiter_start(struct waiter *waiter, int fd, short wanted)
{
	memset(waiter, 0, sizeof(*waiter));
	waiter->fd = fd;
	waiter->wanted = wanted;
	if (pthread_create(&waiter->thread, NULL, waiter_run, waiter))
		return -errno;
	while (!__atomic_load_n(&waiter->tid, __ATOMIC_ACQUIRE))
		sched_yield();
	if (!wanted) {
		waiter_wait_in_read(waiter);
		return 0;
	}
	/* poll or ppoll, depending on the C library */
	while (!waiter_in(waiter, "7 ") && !waiter_in(waiter, "271 ") &&
	       !waiter_in(waiter, "168 ") && !waiter_in(waiter, "309 ") &&
	       !waiter_in(waiter, "414 "))
		sched_yield();
	return 0;
}

static bool waiter_sleeps(const struct waiter *waiter)
{
	return pthread_tryjoin_np(waiter->thread, NULL) == EBUSY;
}

/* read() sleeps until the watermark, and returns everything that is there then. */
TEST_F(wait, read_blocks_until_watermark)
{
	struct waiter waiter;
	unsigned int n;

	begin(_metadata, self, 5 * RECORD);
	ASSERT_EQ(0, waiter_start(&waiter, self->fd, 0));
	for (n = 0; n < 4; n++)
		ASSERT_EQ(0, pump_once(&self->pump));
	EXPECT_TRUE(waiter_sleeps(&waiter));
	ASSERT_EQ(0, pump_once(&self->pump));
	ASSERT_EQ(0, pthread_join(waiter.thread, NULL));
	EXPECT_EQ(5 * RECORD, waiter.result);
	tally_buffer(&self->tally, waiter.buffer, waiter.result);
	EXPECT_EQ(5, self->tally.samples);
	EXPECT_EQ(self->rings.ring[0].shared->head, self->rings.ring[0].shared->tail);
	end(_metadata, self);
	EXPECT_EQ(5, self->tally.samples);
}

#define FAILS_AFTER	20	/* seconds in which a waiter is woken in any kernel */

/* Has its call returned? If it has not, it waits for an event that is no longer reported. */
static bool waiter_is_woken(const struct waiter *waiter)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += FAILS_AFTER;
	return !pthread_timedjoin_np(waiter->thread, NULL, &end);
}

/* poll() sleeps until the watermark, whichever name of readable data it waits for. */
TEST_F(wait, poll_blocks_until_watermark)
{
	static const short wanted[] = { POLLIN, POLLRDNORM, READABLE };
	struct waiter waiter;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		begin(_metadata, self, 2 * RECORD);
		ASSERT_EQ(0, waiter_start(&waiter, self->fd, wanted[i]));
		ASSERT_EQ(0, pump_once(&self->pump));
		EXPECT_TRUE(waiter_sleeps(&waiter));
		ASSERT_EQ(0, pump_once(&self->pump));
		ASSERT_TRUE(waiter_is_woken(&waiter)) {
			TH_LOG("poll() for %#x sleeps", wanted[i]);
		}
		EXPECT_EQ(1, waiter.result);
		EXPECT_EQ(wanted[i], waiter.events);
		end(_metadata, self);
		EXPECT_EQ(2, self->tally.samples);
	}
}

/* Available records are returned at once, as many whole ones as fit. */
TEST_F(wait, read_available)
{
	char buffer[10 * RECORD];
	unsigned int n;

	begin(_metadata, self, 0);
	for (n = 0; n < 7; n++)
		ASSERT_EQ(0, pump_once(&self->pump));
	EXPECT_EQ(2 * RECORD, read(self->fd, buffer, 3 * RECORD - 1));
	tally_buffer(&self->tally, buffer, 2 * RECORD);
	EXPECT_EQ(-1, read(self->fd, buffer, RECORD - 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(RECORD, read(self->fd, buffer, RECORD));
	tally_buffer(&self->tally, buffer, RECORD);
	EXPECT_EQ(4 * RECORD, read(self->fd, buffer, sizeof(buffer)));
	tally_buffer(&self->tally, buffer, 4 * RECORD);
	end(_metadata, self);
	EXPECT_EQ(7, self->tally.samples);
}

TEST_F(wait, nonblocking)
{
	char buffer[10 * RECORD];

	begin(_metadata, self, 3 * RECORD);
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(-1, read(self->fd, buffer, sizeof(buffer)));
	EXPECT_EQ(EAGAIN, errno);
	ASSERT_EQ(0, pump_once(&self->pump));
	EXPECT_EQ(RECORD, read(self->fd, buffer, sizeof(buffer)));
	tally_buffer(&self->tally, buffer, RECORD);
	EXPECT_EQ(-1, read(self->fd, buffer, sizeof(buffer)));
	EXPECT_EQ(EAGAIN, errno);
	end(_metadata, self);
	EXPECT_EQ(1, self->tally.samples);
}

/* STOP ends the waiting: read() returns what is there, then 0. */
TEST_F(wait, stop_wakes)
{
	struct waiter waiter;
	char buffer[RING];

	begin(_metadata, self, 0);
	ASSERT_EQ(0, waiter_start(&waiter, self->fd, 0));
	ASSERT_EQ(0, pump_once(&self->pump));
	EXPECT_TRUE(waiter_sleeps(&waiter));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, pthread_join(waiter.thread, NULL));
	EXPECT_EQ(RECORD, waiter.result);
	EXPECT_EQ(0, poll_now(self->fd));
	EXPECT_EQ(0, read(self->fd, buffer, sizeof(buffer)));

	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, waiter_start(&waiter, self->fd, POLLIN));
	ASSERT_EQ(0, pump_once(&self->pump));
	EXPECT_TRUE(waiter_sleeps(&waiter));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, pthread_join(waiter.thread, NULL));
	EXPECT_EQ(1, waiter.result);
	EXPECT_EQ(POLLIN, waiter.events);

	/* and an empty ring, which nothing can fill */
	EXPECT_EQ(RECORD, read(self->fd, buffer, sizeof(buffer)));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, waiter_start(&waiter, self->fd, 0));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, pthread_join(waiter.thread, NULL));
	EXPECT_EQ(0, waiter.result);
}

/** struct asynchronous - an io_uring with one entry */
struct asynchronous {
	int fd;
	struct io_uring_params params;
	char *submissions;
	char *completions;
	struct io_uring_sqe *entry;
};

/* Ask for one notice of @events. The index of the entry is 0 in the array of submissions. */
static int asynchronous_poll(struct asynchronous *ring, int fd, uint32_t events)
{
	uint32_t *tail;

	ring->fd = syscall(SYS_io_uring_setup, 1, &ring->params);
	if (ring->fd < 0)
		return -errno;
	ring->submissions = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
				 IORING_OFF_SQ_RING);
	ring->completions = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
				 IORING_OFF_CQ_RING);
	ring->entry = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
			   IORING_OFF_SQES);
	if (ring->submissions == MAP_FAILED || ring->completions == MAP_FAILED ||
	    ring->entry == MAP_FAILED)
		return -errno;
	*ring->entry = (struct io_uring_sqe){
		.opcode = IORING_OP_POLL_ADD,
		.fd = fd,
		.poll32_events = events,
	};
	tail = (uint32_t *)(ring->submissions + ring->params.sq_off.tail);
	__atomic_store_n(tail, 1, __ATOMIC_RELEASE);
	return syscall(SYS_io_uring_enter, ring->fd, 1, 0, 0, NULL, 0) == 1 ? 0 : -errno;
}

/* Wait for the notice, and return its events, or an error. */
static int asynchronous_wait(struct asynchronous *ring)
{
	const struct io_uring_cqe *notices;

	if (syscall(SYS_io_uring_enter, ring->fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0))
		return -errno;
	notices = (const void *)(ring->completions + ring->params.cq_off.cqes);
	return notices[0].res;
}

/*
 * io_uring takes the events of a wake-up for those of poll(): STOP wakes all readers, but has
 * nothing to read and is no end.
 */
TEST_F(wait, stop_is_no_event)
{
	struct asynchronous ring = {};
	int error;

	begin(_metadata, self, RECORD);
	error = asynchronous_poll(&ring, self->fd, POLLIN);
	if (error == -ENOSYS)
		SKIP(return, "a kernel without io_uring");
	ASSERT_EQ(0, error);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pump_once(&self->pump));
	EXPECT_EQ(POLLIN, asynchronous_wait(&ring));
	ASSERT_EQ(0, close(ring.fd));
	end(_metadata, self);
}

/* The thread ends: read() returns what is there, then 0. */
TEST_F(wait, end_of_the_thread)
{
	struct waiter waiter;
	char buffer[RING];

	begin(_metadata, self, 0);
	ASSERT_EQ(0, waiter_start(&waiter, self->fd, POLLIN));
	EXPECT_EQ(0, poll_now(self->fd));
	ASSERT_EQ(0, pump_once(&self->pump));
	EXPECT_TRUE(waiter_sleeps(&waiter));
	pump_end(&self->pump);
	ASSERT_EQ(0, pthread_join(waiter.thread, NULL));
	EXPECT_EQ(1, waiter.result);
	EXPECT_EQ(POLLIN | POLLHUP, waiter.events);
	EXPECT_EQ(READABLE | POLLHUP, poll_now(self->fd));
	EXPECT_EQ(RECORD, read(self->fd, buffer, sizeof(buffer)));
	EXPECT_EQ(POLLHUP, poll_now(self->fd));
	EXPECT_EQ(0, read(self->fd, buffer, sizeof(buffer)));
	EXPECT_EQ(-ESRCH, pmc_call(self->fd, PMC_IOC_START, NULL));
	EXPECT_EQ(POLLHUP, poll_now(self->fd));
}

TEST_F(wait, end_of_the_thread_wakes_a_reader)
{
	struct waiter waiter;

	begin(_metadata, self, 0);
	ASSERT_EQ(0, waiter_start(&waiter, self->fd, 0));
	EXPECT_TRUE(waiter_sleeps(&waiter));
	pump_end(&self->pump);
	ASSERT_EQ(0, pthread_join(waiter.thread, NULL));
	EXPECT_EQ(0, waiter.result);
}

/* Not configured, without a period, or not started */
TEST_F(wait, without_a_period)
{
	struct setup setup;

	EXPECT_EQ(POLLERR, poll_now(self->fd));
	setup_thread_one(&setup, 0, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &setup));
	EXPECT_EQ(POLLERR, poll_now(self->fd));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	setup_pump(self, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(0, poll_now(self->fd));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(POLLERR, poll_now(self->fd));
}

static volatile int signals;

static void on_signal(int number)
{
	signals++;
}

/* A signal interrupts read(), or read() restarts, as the handler requests. */
TEST_F(wait, signals)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct waiter waiter;

	begin(_metadata, self, 2 * RECORD);
	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	ASSERT_EQ(0, waiter_start(&waiter, self->fd, 0));
	ASSERT_EQ(0, pump_once(&self->pump));
	ASSERT_EQ(0, pthread_kill(waiter.thread, SIGUSR1));
	ASSERT_EQ(0, pthread_join(waiter.thread, NULL));
	EXPECT_EQ(-1, waiter.result);
	EXPECT_EQ(EINTR, waiter.error);
	EXPECT_EQ(1, signals);

	tally_rings(&self->tally, &self->rings);
	action.sa_flags = SA_RESTART;
	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	ASSERT_EQ(0, waiter_start(&waiter, self->fd, 0));
	ASSERT_EQ(0, pthread_kill(waiter.thread, SIGUSR1));
	while (signals < 2)
		sched_yield();
	/* it waits again, and single records do not wake it too early */
	waiter_wait_in_read(&waiter);
	EXPECT_TRUE(waiter_sleeps(&waiter));
	ASSERT_EQ(0, pump_once(&self->pump));
	ASSERT_EQ(0, pump_once(&self->pump));
	ASSERT_EQ(0, pthread_join(waiter.thread, NULL));
	EXPECT_EQ(2 * RECORD, waiter.result);
	tally_buffer(&self->tally, waiter.buffer, waiter.result);
	end(_metadata, self);
	EXPECT_EQ(3, self->tally.samples);
}

/* Two contexts of one thread, on two counters: each has its own samples. */
TEST_F(wait, two_contexts)
{
	int other = pmc_open();
	struct setup second;
	struct tally tally;
	struct rings rings;
	uint64_t spurious;
	unsigned int n;

	ASSERT_LE(0, other);
	begin(_metadata, self, 2 * RECORD);
	/* there may have been some before */
	spurious = spurious_now(self->fd);
	second = self->setup;
	second.config.counters = (uintptr_t)second.counter;
	second.counter[0].counter = PMC_COUNTER_GENERAL(1);
	second.counter[0].period = 2 * PERIOD;
	ASSERT_EQ(0, setup_configure(other, &second));
	ASSERT_EQ(0, rings_map(&rings, other, &second));
	tally_begin(&tally, &second);
	ASSERT_EQ(0, pmc_call(other, PMC_IOC_START, NULL));
	for (n = 1; n <= 8; n++) {
		ASSERT_EQ(0, pump_once(&self->pump));
		EXPECT_EQ(n >= 2 ? READABLE : 0, poll_now(self->fd));
		EXPECT_EQ(n >= 4 ? READABLE : 0, poll_now(other));
	}
	ASSERT_EQ(0, pmc_call(other, PMC_IOC_STOP, NULL));
	tally_rings(&tally, &rings);
	EXPECT_EQ(4, tally.samples);
	EXPECT_ALL_SEEN(other, &tally, spurious);
	end(_metadata, self);
	EXPECT_EQ(8, self->tally.samples);
	rings_unmap(&rings);
	close(other);
}

/*
 * All ring sizes: records of a length that does not divide them wrap around, with padding, and
 * none is torn.
 */
TEST_F(wait, ring_sizes)
{
	uint32_t size;

	for (size = 4096; size <= PMC_RING_SIZE_MAX; size *= size < 65536 ? 2 : 16) {
		uint32_t spurious, wraps = 0, head = 0, step = size / 5 / 104;
		unsigned int i;

		if (step > 300)
			step = 300;
		setup_thread_one(&self->setup, 0, 0);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
		setup_period(&self->setup, 0, 5003);
		self->setup.config.ring_size = size;
		ASSERT_EQ(0, pin(0, 0));
		ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
		ASSERT_EQ(0, rings_map(&self->rings, self->fd, &self->setup));
		tally_begin(&self->tally, &self->setup);
		self->tally.text = sampled_loop_range();
		spurious = spurious_now(self->fd);
		EXPECT_EQ(size, self->rings.ring[0].shared->data_size);
		EXPECT_EQ(sizeof(struct pmc_ring), self->rings.ring[0].shared->size);
		EXPECT_EQ(0, self->rings.ring[0].shared->cpu);
		for (i = 0; i < 13; i++) {
			ASSERT_EQ(0, sampled_loop(self->fd, step * 5003 / 2 + 100, PMC_IOC_START,
						  PMC_IOC_STOP));
			tally_rings(&self->tally, &self->rings);
			wraps += self->rings.ring[0].shared->head % size < head;
			head = self->rings.ring[0].shared->head % size;
		}
		if (size <= 65536)
			EXPECT_LE(2, wraps);
		EXPECT_ALL_SEEN(self->fd, &self->tally, spurious);
		EXPECT_LE(12 * step, self->tally.samples);
		rings_unmap(&self->rings);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
}

/* The longest call chain that a ring of this size supports */
static uint32_t longest_chain(struct _test_data_wait *self, uint32_t flags)
{
	uint32_t frames = PMC_FRAMES_MAX;

	setup_thread_one(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
	setup_period(&self->setup, 0, SHORT_PERIOD);
	self->setup.config.sample_flags = flags;
	self->setup.config.ring_size = RING;
	for (; frames; frames--) {
		self->setup.config.frames = frames;
		if (!setup_configure(self->fd, &self->setup))
			break;
	}
	return frames;
}

/* Consume up to the ring's end; if there are too few records, produce more. */
static void read_to_the_end(struct _test_data_wait *self, const struct descent *descent)
{
	struct ring *ring = &self->rings.ring[0];
	const struct pmc_record *record;

	while (ring->shared->tail % RING) {
		record = ring_next(ring);
		/* behind padding comes the ring's start */
		if (record && ring->shared->tail % RING) {
			tally_record(&self->tally, record, 0);
			ring_done(ring, record);
		} else if (!record) {
			sampled_descent(descent);
		}
	}
}

/*
 * A ring that just holds its longest records, and a reader that lets it run full again and
 * again: once it is empty, there is always room for the next record, wherever it begins. After
 * reading up to the ring's start, it is filled up to its middle, where the least room is left
 * for a loss record, padding and a record.
 */
TEST_F(wait, smallest_ring)
{
	const uint32_t flags = PMC_SAMPLE_KERNEL_CALLCHAIN | PMC_SAMPLE_USER_CALLCHAIN;
	/* two samples at the bottom of each */
	struct descent descent = { .fd = self->fd, .rounds = SHORT_PERIOD };
	struct pmc_ring *shared;
	uint32_t frames;
	unsigned int i;
	uint64_t lost;

	NEED_ROOT();
	ASSERT_EQ(0, pin(0, 0));
	frames = longest_chain(self, flags);
	ASSERT_LT(0, frames);
	ASSERT_GT(PMC_FRAMES_MAX, frames);
	ASSERT_EQ(0, rings_map(&self->rings, self->fd, &self->setup));
	tally_begin(&self->tally, &self->setup);
	self->tally.gaps = true;
	shared = self->rings.ring[0].shared;
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	for (i = 0; i < 1000; i++) {
		/* records of many lengths, so that they end everywhere */
		descent.depth = 1 + i * 5 % 13;
		if (i % 2)
			read_to_the_end(self, &descent);
		lost = __atomic_load_n(&shared->lost, __ATOMIC_RELAXED);
		while (__atomic_load_n(&shared->lost, __ATOMIC_RELAXED) == lost)
			sampled_descent(&descent);
		ASSERT_LT(0, tally_rings(&self->tally, &self->rings));
		/* empty; the test itself may be sampled already */
		sampled_descent(&descent);
		ASSERT_NE(shared->tail, __atomic_load_n(&shared->head, __ATOMIC_RELAXED)) {
			TH_LOG("nothing more is written at %u of %u", shared->tail % RING, RING);
		}
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	tally_rings(&self->tally, &self->rings);
	EXPECT_STREQ("", self->tally.wrong);
	ASSERT_EQ(0, statistics_read(self->fd, &self->statistics));
	EXPECT_EQ(tally_sum(&self->tally), self->statistics.sampled);
	EXPECT_EQ(self->tally.lost, self->statistics.lost);
	rings_unmap(&self->rings);
}

/* Each CPU's header describes its own ring. */
TEST_F(wait, ring_headers)
{
	const struct pmc_ring *shared;
	int cpu;

	setup_pump(self, 0);
	CONFIGURE_SAMPLING();
	for (cpu = 0; cpu < self->rings.nr; cpu++) {
		shared = self->rings.ring[cpu].shared;
		EXPECT_EQ(sizeof(*shared), shared->size);
		EXPECT_EQ(cpu, shared->cpu);
		EXPECT_EQ(sysconf(_SC_PAGESIZE), shared->data_offset);
		EXPECT_EQ(RING, shared->data_size);
		EXPECT_EQ(0, shared->head);
		EXPECT_EQ(0, shared->tail);
		EXPECT_EQ(0, shared->lost);
	}
	RELEASE_SAMPLING();
}

static int map_error(int fd, size_t length, int protection, int flags, uint64_t offset)
{
	void *at = mmap(NULL, length, protection, flags, fd, offset);

	if (at == MAP_FAILED)
		return errno;
	munmap(at, length);
	return 0;
}

/* Every mapping except the single valid one */
TEST_F(wait, mmap_errors)
{
	const int both = PROT_READ | PROT_WRITE;
	int cpus = cpus_present(), cpu;
	const size_t page = sysconf(_SC_PAGESIZE);
	const size_t length = page + RING;
	/* a 32-bit kernel itself refuses offsets beyond 4 GB of a device */
	const int far_away = sizeof(long) == 8 ? EINVAL : EOVERFLOW;
	uint64_t good, offset;

	good = PMC_RING_OFFSET(0, RING, page);
	EXPECT_EQ(EINVAL, map_error(self->fd, length, both, MAP_SHARED, good));
	setup_pump(self, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	for (cpu = 0; cpu < cpus; cpu++)
		EXPECT_EQ(0, map_error(self->fd, length, both, MAP_SHARED,
				       PMC_RING_OFFSET(cpu, RING, page)));
	/* every page of the first rings and around */
	for (offset = 0; offset < 8 * length; offset += page) {
		bool right = offset >= page && !((offset - page) % length) &&
			     (offset - page) / length < (uint64_t)cpus;

		EXPECT_EQ(right ? 0 : offset ? EINVAL : EACCES,
			  map_error(self->fd, length, both, MAP_SHARED, offset)) {
			TH_LOG("offset %#llx", (unsigned long long)offset);
		}
	}
	EXPECT_EQ(EINVAL, map_error(self->fd, length, both, MAP_SHARED,
				    PMC_RING_OFFSET(cpus, RING, page)));
	EXPECT_EQ(far_away, map_error(self->fd, length, both, MAP_SHARED,
				      PMC_RING_OFFSET(1 << 20, RING, page)));
	EXPECT_EQ(far_away, map_error(self->fd, length, both, MAP_SHARED,
				      0xfffffff000ULL - page));
	for (offset = page; offset < 4 * length; offset += page)
		EXPECT_EQ(offset == length ? 0 : EINVAL,
			  map_error(self->fd, offset, both, MAP_SHARED, good));
	EXPECT_EQ(EINVAL, map_error(self->fd, length, both, MAP_PRIVATE, good));
	EXPECT_EQ(EINVAL, map_error(self->fd, length, PROT_READ, MAP_PRIVATE, good));
	EXPECT_EQ(EACCES, map_error(self->fd, length, PROT_READ, MAP_SHARED, good));
	EXPECT_EQ(EACCES, map_error(self->fd, length, PROT_WRITE, MAP_SHARED, good));
	EXPECT_EQ(EACCES, map_error(self->fd, length, PROT_NONE, MAP_SHARED, good));
	/* the page of PMC_CONFIG_USER_READ does not exist */
	EXPECT_EQ(EINVAL, map_error(self->fd, page, PROT_READ, MAP_SHARED, 0));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(EINVAL, map_error(self->fd, length, both, MAP_SHARED, good));

	/* one CPU only: the others have no ring */
	if (geteuid())
		return;
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		int i;

		setup_cpu_one(&self->setup, cpu);
		setup_period(&self->setup, 0, PERIOD);
		self->setup.config.ring_size = RING;
		ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
		for (i = 0; i < cpus; i++)
			EXPECT_EQ(i == cpu ? 0 : EINVAL,
				  map_error(self->fd, length, both, MAP_SHARED,
					    PMC_RING_OFFSET(i, RING, page)));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
}

/* Rings that the driver has mapped in the kernel, of all contexts; -1 if they are not listed */
static int rings_in_kernel(void)
{
	FILE *file = fopen("/proc/vmallocinfo", "r");
	char line[512];
	int rings = 0;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		rings += strstr(line, "[pmcdrv]") && strstr(line, " vmap");
	fclose(file);
	return rings;
}

/* Each refusal of mmap() drops the reference that it took: RELEASE frees the rings. */
TEST_F(wait, refused_mmap_keeps_no_ring)
{
	const int both = PROT_READ | PROT_WRITE, before = rings_in_kernel();
	const size_t page = sysconf(_SC_PAGESIZE);
	const uint64_t good = PMC_RING_OFFSET(0, RING, page);
	const size_t length = page + RING;
	const struct {
		size_t length;
		int protection, flags;
		uint64_t offset;
		int error;
	} refused[] = {
		{ length, both, MAP_SHARED, good + page, EINVAL },
		{ length, both, MAP_SHARED, PMC_RING_OFFSET(cpus_present(), RING, page), EINVAL },
		{ page, both, MAP_SHARED, good, EINVAL },
		{ length, both, MAP_PRIVATE, good, EINVAL },
		{ length, PROT_READ, MAP_SHARED, good, EACCES },
		{ length, both, MAP_SHARED, good, 0 },
	};
	unsigned int i;

	NEED_ROOT();
	if (before < 0)
		SKIP(return, "this kernel has no /proc/vmallocinfo");
	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		setup_pump(self, 0);
		ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
		EXPECT_EQ(before + cpus_present(), rings_in_kernel());
		EXPECT_EQ(refused[i].error,
			  map_error(self->fd, refused[i].length, refused[i].protection,
				    refused[i].flags, refused[i].offset));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
		EXPECT_EQ(before, rings_in_kernel())
			TH_LOG("mapping %u", i);
	}
}

/* A child neither inherits the mapping nor can create it. */
TEST_F(wait, not_in_a_child)
{
	pid_t pid;
	int status;

	begin(_metadata, self, 0);
	pid = fork();
	ASSERT_LE(0, pid);
	if (pid == 0) {
		*(volatile uint32_t *)&self->rings.ring[0].shared->tail = 1;
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(SIGSEGV, WTERMSIG(status));
	ASSERT_EQ(0, pump_once(&self->pump));
	end(_metadata, self);
	EXPECT_EQ(1, self->tally.samples);
}

/* Two mappings show the same ring; a mapping cannot grow. */
TEST_F(wait, mapped_twice)
{
	struct ring again;

	begin(_metadata, self, 0);
	ASSERT_EQ(0, ring_map(&again, self->fd, &self->setup, 0));
	ASSERT_EQ(0, pump_once(&self->pump));
	EXPECT_EQ(RECORD, again.shared->head);
	ASSERT_NE(NULL, ring_next(&again));
	ring_done(&again, ring_next(&again));
	EXPECT_EQ(NULL, ring_next(&self->rings.ring[0]));
	EXPECT_EQ(MAP_FAILED, mremap(again.shared, again.length, 2 * again.length,
				     MREMAP_MAYMOVE));
	ring_unmap(&again);
	ASSERT_EQ(0, pump_once(&self->pump));
	end(_metadata, self);
	EXPECT_EQ(1, self->tally.samples);
}

/* The mapping stays after RELEASE and close, unchanged. */
TEST_F(wait, mapping_outlives_the_context)
{
	struct pmc_ring *shared;
	uint32_t head;

	begin(_metadata, self, 0);
	shared = self->rings.ring[0].shared;
	ASSERT_EQ(0, pump_once(&self->pump));
	ASSERT_EQ(0, pump_once(&self->pump));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	head = shared->head;
	EXPECT_EQ(2 * RECORD, head);
	ASSERT_EQ(0, close(self->fd));
	/* another context has other memory */
	OPEN_DEVICE(self->fd);
	begin(_metadata, self, 0);
	ASSERT_EQ(0, pump_once(&self->pump));
	end(_metadata, self);
	EXPECT_EQ(1, self->tally.samples);
	EXPECT_EQ(head, shared->head);
	memset((char *)shared + shared->data_offset, 0xff, shared->data_size);
	shared->tail = head;
	EXPECT_EQ(0, munmap(shared, 4096 + RING));
}

TEST_HARNESS_MAIN

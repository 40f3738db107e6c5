// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests performance metrics counted in several intervals: one ends where another context counts
 * on the CPU, the thread migrates, the CPU goes offline, or there are too many slots
 *
 * A count is the mean of the intervals, exact in the emulator (slots.h).
 */
#include <sched.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "metrics.h"
#include "migrating_loop.h"
#include "user_read.h"

#define CPU1		"/sys/devices/system/cpu/cpu1/online"
#define PCE		"/sys/class/misc/pmc/pce"

#define TURNS		40

#define NEED_OTHER() do {								\
	if (self->other < 0)								\
		SKIP(return, "only one CPU has performance metrics");			\
} while (0)

/* ---- other contexts meanwhile ---- */

/* struct pair - pipes to pass a byte to and fro */
struct pair {
	int to_child[2];
	int to_parent[2];
};

static int pair_make(struct pair *pair)
{
	return pipe(pair->to_child) || pipe(pair->to_parent) ? -errno : 0;
}

/* In a child: this many counted turns, the first at once */
static int child_turns(int fd, const struct pair *pair, const struct loop *loop,
		       unsigned int turns, uint64_t rounds)
{
	const struct turns all = {
		.fd = fd, .from = pair->to_child[0], .to = pair->to_parent[1],
		.turns = turns, .rounds = rounds, .code = loop->code,
	};

	if (write(pair->to_child[1], "", 1) != 1)
		return -errno;
	return run_turns(&all);
}

/* Another process on this CPU counts something else meanwhile; returns its exit status. */
static int another_counts(uint32_t counter)
{
	struct slot_count tally = { 0 };
	struct reading reading;
	struct setup setup;
	int fd, status;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		fd = pmc_open();
		setup_kind(&setup, 0);
		setup_add(&setup, counter, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
		slots_counted(&tally, &loops[1], 500);
		if (setup_configure(fd, &setup) || run_counted(fd, &loops[1], 500) ||
		    reading_read(fd, &reading))
			_exit(1);
		_exit(reading.value[0] * (counter == SLOTS ? 1 : width) != tally.slots);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

/* Two threads on one CPU alternate with different loops: each has its own fractions. */
TEST_F(metrics, two_threads)
{
	struct turns turns = { .turns = TURNS, .rounds = ROUNDS };
	struct slot_count other = { 0 };
	struct reading *perf_values;
	struct setup setup;
	struct pair pair;
	int status;
	pid_t pid;

	NEED_MACHINE();
	NEED_WIDE();
	NEED_ROOT();
	perf_values = mmap(NULL, sizeof(*perf_values), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, perf_values);
	/* so that each runs until it waits for the other */
	if (schedule_as(0, SCHED_FIFO))
		SKIP(return, "no real-time priority here");
	ASSERT_EQ(0, pair_make(&pair));
	pid = fork();
	if (pid == 0) {
		int fd = pmc_open();

		setup_both(&setup, 0);
		_exit(setup_configure(fd, &setup) ||
		      child_turns(fd, &pair, &loops[2], TURNS, ROUNDS) ||
		      reading_read(fd, perf_values));
	}
	turns.fd = self->fd;
	turns.from = pair.to_parent[0];
	turns.to = pair.to_child[1];
	turns.code = loops[1].code;
	setup_both(&self->setup, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(1, write(pair.to_parent[1], "", 1));
	ASSERT_EQ(0, run_turns(&turns));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	slots_turns(&self->tally, &loops[1], ROUNDS, TURNS);
	EXPECT_TALLY(self->fd, &self->tally);
	slots_turns(&other, &loops[2], ROUNDS, TURNS);
	EXPECT_READ(perf_values, &other);
}

/*
 * The mix of a thread's instructions changes slowly: no interval by itself would change the
 * fractions of all before it. Another process reads it, after each interval and at the end.
 */
#define CHANGE_TURNS	400
#define CHANGE_ROUNDS	100
#define CHANGE_LONG	(CHANGE_TURNS * CHANGE_ROUNDS)

static int change(int fd, const struct pair *pair)
{
	struct setup setup;

	setup_both(&setup, 0);
	return setup_configure(fd, &setup) || run_counted(fd, &loops[1], 2 * CHANGE_LONG) ||
	       child_turns(fd, pair, &loops[2], CHANGE_TURNS, CHANGE_ROUNDS) ||
	       run_counted(fd, &loops[0], 2 * CHANGE_LONG);
}

TEST_F(metrics, change)
{
	struct reading reading;
	struct pair pair;
	unsigned int turn;
	int own, status;
	char byte;
	pid_t pid;

	NEED_MACHINE();
	NEED_WIDE();
	NEED_ROOT();
	/* as above */
	if (schedule_as(0, SCHED_FIFO))
		SKIP(return, "no real-time priority here");
	ASSERT_EQ(0, pair_make(&pair));
	pid = fork();
	if (pid == 0)
		_exit(change(self->fd, &pair));
	own = pmc_open();
	setup_kind(&self->setup, 0);
	setup_add(&self->setup, SLOTS, 0, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(own, &self->setup));

	slots_counted(&self->tally, &loops[1], 2 * CHANGE_LONG);
	slots_wait(&self->tally);
	for (turn = 0; turn < CHANGE_TURNS - 1; turn++) {
		ASSERT_EQ(1, read(pair.to_parent[0], &byte, 1));
		slots_turn(&self->tally, &loops[2], CHANGE_ROUNDS, false);
		slots_wait(&self->tally);
		EXPECT_TALLY(self->fd, &self->tally);
		ASSERT_EQ(0, run_counted(own, &loops[1], 10));
		slots_part(&self->tally);
		EXPECT_TALLY(self->fd, &self->tally);
		ASSERT_EQ(1, write(pair.to_child[1], "", 1));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	slots_turn(&self->tally, &loops[2], CHANGE_ROUNDS, true);
	slots_run(&self->tally, 5, 1);
	slots_counted(&self->tally, &loops[0], 2 * CHANGE_LONG);
	EXPECT_TALLY(self->fd, &self->tally);
	ASSERT_EQ(0, reading_read(own, &reading));
	EXPECT_LT(0, reading.value[0]);
	close(own);
}

/* Other contexts use only the slots, or other counters, on the same CPU in between. */
TEST_F(metrics, other_contexts)
{
	static const uint32_t counters[] = { SLOTS, PMC_COUNTER_GENERAL(0) };
	unsigned int i;

	NEED_MACHINE();
	setup_both(&self->setup, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	for (i = 0; i < 6; i++) {
		ASSERT_EQ(0, run_counted(self->fd, &loops[i % 3], ROUNDS));
		slots_counted(&self->tally, &loops[i % 3], ROUNDS);
		EXPECT_TALLY(self->fd, &self->tally);
		EXPECT_EQ(0, another_counts(counters[i % 2]));
		slots_part(&self->tally);
		EXPECT_TALLY(self->fd, &self->tally);
	}
}

/* READ does not change what is counted afterwards, in the first interval or a later one. */
TEST_F(metrics, read_while_counting)
{
	unsigned int i;

	NEED_MACHINE();
	setup_both(&self->setup, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	for (i = 0; i < 12; i++) {
		const struct loop *loop = &loops[i % 3];

		ASSERT_EQ(0, run_reading(self->fd, loop, ROUNDS >> i % 5, &self->reading));
		slots_half_reading(&self->tally, loop, ROUNDS >> i % 5);
		EXPECT_READ(&self->reading, &self->tally);
		slots_half_reading(&self->tally, loop, ROUNDS >> i % 5);
		EXPECT_TALLY(self->fd, &self->tally);
		/* two reads in each interval */
		if (i % 2) {
			EXPECT_EQ(0, another_counts(SLOTS));
			slots_part(&self->tally);
		}
	}
}

/*
 * In user mode only a context without past intervals is readable: RESET starts anew, also while
 * counting.
 */
TEST_F(metrics, one_interval_in_user_mode)
{
	const struct pmc_page *page;
	uint64_t value, read[2];
	unsigned int i;

	NEED_MACHINE();
	NEED_ROOT();
	setup_both(&self->setup, PMC_CONFIG_USER_READ);
	if (refused_for_core_types(_metadata, self))
		return;
	page = page_map(self->fd);
	ASSERT_NE(NULL, page);
	for (i = 0; i < 4; i++) {
		const struct loop *loop = &loops[i % 3];

		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		EXPECT_EQ(true, page_read(page, 1, &value));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
		self->tally = (struct slot_count){ 0 };
		ASSERT_EQ(0, run_read(self->fd, loop, ROUNDS, read));
		slots_run(&self->tally, 3, 1);
		slots_loop(&self->tally, loop, ROUNDS);
		EXPECT_EQ(self->tally.slots, read[0]);
		slots_run(&self->tally, 4, 0);
		EXPECT_EQ(slots_metrics(&self->tally), read[1]);
		slots_run(&self->tally, 7, 1);
		EXPECT_TALLY(self->fd, &self->tally);

		/* nothing of the intervals before RESET */
		EXPECT_EQ(0, another_counts(SLOTS));
		slots_part(&self->tally);
		ASSERT_EQ(0, run_counted(self->fd, loop, ROUNDS));
		slots_counted(&self->tally, loop, ROUNDS);
		EXPECT_TALLY(self->fd, &self->tally);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		EXPECT_EQ(false, page_read(page, 0, &value));
		/* also when it is allowed again */
		ASSERT_EQ(0, file_write(PCE, "0"));
		ASSERT_EQ(0, file_write(PCE, "1"));
		EXPECT_EQ(false, page_read(page, 0, &value));
		if (i & 1) {
			ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
			EXPECT_EQ(true, page_read(page, 1, &value));
		}
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
	}
	ASSERT_EQ(0, page_unmap(page));
}

/* The thread migrates: its past intervals go with it. */
TEST_F(metrics, migration)
{
	cpu_set_t cpu0, cpu1;
	unsigned int i;

	NEED_MACHINE();
	NEED_WIDE();
	NEED_OTHER();
	CPU_ZERO(&cpu0);
	CPU_SET(0, &cpu0);
	CPU_ZERO(&cpu1);
	CPU_SET(1, &cpu1);
	ASSERT_EQ(0, pin(0, 1));
	setup_both(&self->setup, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	/* so that each CPU by itself would have other fractions */
	ASSERT_EQ(0, run_counted(self->fd, &loops[1], 100 * ROUNDS));
	slots_counted(&self->tally, &loops[1], 100 * ROUNDS);
	ASSERT_EQ(0, move_counted(self->fd, &cpu0, &cpu1));
	slots_run(&self->tally, 1, 0);
	for (i = 0; i < MOVING_ROUNDS; i++) {
		slots_run(&self->tally, 5, 1);
		slots_part(&self->tally);
		slots_run(&self->tally, 1 + 2000 + 5, 999 + 1);
		slots_part(&self->tally);
		slots_run(&self->tally, 1 + 2000 + 2, 999 + (i < MOVING_ROUNDS - 1));
	}
	slots_run(&self->tally, 5, 1);
	EXPECT_TALLY(self->fd, &self->tally);
}

/* A CPU goes offline and comes back between its intervals. */
static void offline_between(struct __test_metadata *_metadata, struct _test_data_metrics *self)
{
	unsigned int i;

	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, pin(0, 1));
		ASSERT_EQ(0, run_counted(self->fd, &loops[i], ROUNDS));
		slots_part(&self->tally);
		slots_counted(&self->tally, &loops[i], ROUNDS);
		ASSERT_EQ(0, pin(0, 0));
		ASSERT_EQ(0, file_write(CPU1, "0"));
		EXPECT_TALLY(self->fd, &self->tally);
		ASSERT_EQ(0, file_write(CPU1, "1"));
		EXPECT_TALLY(self->fd, &self->tally);
	}
}

TEST_F(metrics, offline_thread)
{
	NEED_MACHINE();
	NEED_ROOT();
	NEED_OTHER();
	setup_both(&self->setup, 0);
	offline_between(_metadata, self);
}

TEST_F(metrics, offline_cpu)
{
	NEED_MACHINE();
	NEED_ROOT();
	NEED_OTHER();
	/* nothing else is to execute there in user mode */
	if (schedule_as(0, SCHED_FIFO))
		SKIP(return, "no real-time priority here");
	setup_cpu(&self->setup, 1);
	add_both(&self->setup, PMC_COUNT_USER);
	offline_between(_metadata, self);
}

/* ---- too many slots ---- */

/*
 * Where counters are narrow, the driver ends an interval when it finds many slots, which may be
 * anywhere. But the code is so uniform that each interval has the same fractions, and the slots
 * of the last one are in the counter.
 */

/* In run_counted() with loop_jumps once or more: what the frontend lost in the last steps */
static uint64_t lost_at_the_end(uint64_t rounds, uint64_t steps)
{
	/* syscall, mov, mov, ret; jnz, dec, jmp, jmp */
	static const bool end[] = { true, false, false, true, false, false, true, true };
	/* jnz, dec, jmp, jmp */
	static const bool round[] = { true, false, true, true };
	/* each with mov and call before it */
	uint64_t all = 4 * rounds + 6, lost = 0, i, at;

	for (i = 0; i < steps; i++) {
		at = i % all;
		if (at < ARRAY_SIZE(end))
			lost += end[at];
		else if (at < all - 2)
			lost += round[at % ARRAY_SIZE(round)];
		else
			lost += at == all - 2;
	}
	return lost;
}

/* The current interval is what the counter has; all slots before it are past. */
static void slots_many(struct slot_count *tally, uint64_t rounds)
{
	uint64_t slots = rdpmc(SLOTS);
	uint64_t lost = lost_at_the_end(rounds, slots / width);

	tally->slots -= slots;
	tally->lost -= lost;
	slots_part(tally);
	tally->slots = slots;
	tally->lost = lost;
}

static void too_many(struct __test_metadata *_metadata, struct _test_data_metrics *self,
		     const struct pmc_page *page)
{
	const uint64_t rounds = 1ULL << self->query.fixed_width;
	uint64_t value;

	ASSERT_EQ(0, run_counted(self->fd, &loops[1], rounds));
	slots_counted(&self->tally, &loops[1], rounds);
	slots_many(&self->tally, rounds);
	EXPECT_EQ(slots_register(&self->tally), rdpmc(METRICS));
	EXPECT_TALLY(self->fd, &self->tally);
	if (page) {
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		EXPECT_EQ(false, page_read(page, 1, &value));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	}

	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
	self->tally = (struct slot_count){ 0 };
	ASSERT_EQ(0, run_counted(self->fd, &loops[2], ROUNDS));
	slots_counted(&self->tally, &loops[2], ROUNDS);
	EXPECT_TALLY(self->fd, &self->tally);
}

#define NEED_NARROW() do {								\
	NEED_MACHINE();									\
	if (self->query.fixed_width > 24)						\
		SKIP(return, "counters are %u bits wide", self->query.fixed_width);	\
} while (0)

/* Count nothing, so that RDPMC is allowed. */
static int allow_rdpmc(void)
{
	struct setup setup;
	int fd = pmc_open();
	int err;

	setup_kind(&setup, PMC_CONFIG_USER_READ);
	setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	err = setup_configure(fd, &setup);
	return err ? err : fd;
}

TEST_F(metrics, too_many_slots)
{
	int allows;

	NEED_NARROW();
	setup_both(&self->setup, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	allows = allow_rdpmc();
	ASSERT_LE(0, allows);
	too_many(_metadata, self, NULL);
	close(allows);
}

TEST_F(metrics, too_many_slots_in_user_mode)
{
	const struct pmc_page *page;
	uint64_t value;

	NEED_NARROW();
	setup_both(&self->setup, PMC_CONFIG_USER_READ);
	if (refused_for_core_types(_metadata, self))
		return;
	page = page_map(self->fd);
	ASSERT_NE(NULL, page);
	too_many(_metadata, self, page);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	EXPECT_EQ(true, page_read(page, 1, &value));
	ASSERT_EQ(0, page_unmap(page));
}

/* Stopped each time before half of the counter is full, so that only the timer detects it */
TEST_F(metrics, too_many_slots_in_intervals)
{
	const uint64_t rounds = (1ULL << self->query.fixed_width) / 100;
	unsigned int i;
	int allows;

	NEED_NARROW();
	setup_both(&self->setup, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	allows = allow_rdpmc();
	ASSERT_LE(0, allows);
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, run_counted(self->fd, &loops[1], rounds));
		slots_counted(&self->tally, &loops[1], rounds);
		usleep(2000);
	}
	slots_many(&self->tally, rounds);
	EXPECT_TALLY(self->fd, &self->tally);
	close(allows);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/* Tests counting of threads that migrate between CPUs */
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "migrating_loop.h"
#include "fixture.h"

#define ROUNDS	200

FIXTURE(migrate) {
	BASE_FIXTURE;
	struct program programs[PROGRAMS_MAX];
	int nr_programs;
};

FIXTURE_SETUP(migrate)
{
	NEED_COUNTERS(&self->query);
	self->nr_programs = programs_load(self->programs);
	ASSERT_LT(0, self->nr_programs);
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN_CLOSE(migrate)

#ifdef __x86_64__
static void move_itself(struct __test_metadata *_metadata, struct _test_data_migrate *self,
			uint64_t event)
{
	cpu_set_t cpu0, cpu1;
	unsigned int i;

	NEED_CPUS(2);
	CPU_ZERO(&cpu0);
	CPU_SET(0, &cpu0);
	CPU_ZERO(&cpu1);
	CPU_SET(1, &cpu1);
	setup_thread(&self->setup, 0, 0);
	setup_add_all(&self->setup, &self->query, event, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, move_counted(self->fd, &cpu0, &cpu1));
	EXPECT_EQ(1, sched_getcpu());
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < self->reading.nr_counters; i++) {
		EXPECT_COUNT(event == EVENT_BRANCHES ? MOVING_BRANCHES : MOVING_INSTRUCTIONS,
			     self->reading.value[i]);
	}
}

TEST_F(migrate, self_migration_instructions)
{
	move_itself(_metadata, self, EVENT_INSTRUCTIONS);
}

TEST_F(migrate, self_migration_branches)
{
	move_itself(_metadata, self, EVENT_BRANCHES);
}
#endif /* __x86_64__ */

/*
 * Another process migrates and reads the spinning child all the time. The child ends when its
 * count has reached a limit, so it was migrated often enough.
 */
TEST_F(migrate, read_while_migrated)
{
	uint64_t last = 0;
	struct child child;
	unsigned int round, i;

	NEED_CPUS(2);
	ASSERT_EQ(0, child_spin(&child));
	setup_thread_all(&self->setup, &self->query, child.pid, 0);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_go(&child));
	for (round = 0; round < ROUNDS; round++) {
		ASSERT_EQ(0, pin(child.pid, round & 1));
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		ASSERT_LE(last, self->reading.value[0]);
		last = self->reading.value[0];
		for (i = 0; i < self->reading.nr_counters; i++)
			ASSERT_EQ(last, self->reading.value[i]);
	}
	child_kill(&child);
}

/*
 * A program migrated all the time has its known count from exec to exit. The migrating process
 * is always on the other CPU, so it never waits for the program.
 */
TEST_F(migrate, migrated_program)
{
	const struct program *loop = program_named("./loop-10m");
	unsigned int moves = 0, i;
	struct child child;

	NEED_CPUS(2);
	ASSERT_NE(NULL, loop);
	ASSERT_EQ(0, child_counted(&child, loop, &self->setup, &self->query, EVENT_INSTRUCTIONS));
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_go(&child));
	do {
		ASSERT_EQ(0, pin(0, moves & 1));
		ASSERT_EQ(0, pin(child.pid, ++moves & 1));
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	} while (!(self->reading.state & PMC_STATE_ENDED));
	ASSERT_EQ(0, child_wait(&child));
	EXPECT_LT(2, moves);
	for (i = 0; i < self->reading.nr_counters; i++)
		EXPECT_COUNT(loop->instructions, self->reading.value[i]);
}

TEST_HARNESS_MAIN

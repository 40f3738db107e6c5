// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests threads and processes that cannot be followed because the previous fork could not
 * preallocate memory: the others are counted, and the state reports it
 *
 * The first child is followed with the object that CONFIGURE preallocated. The test needs
 * refuse_alloc.ko (modules/refuse_alloc), which lets the allocations fail.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "process_tree.h"

#define REFUSE_KO	"/refuse_alloc.ko"
#define REFUSED		"refused"	/* name of the processes count_without memory */

#define CHILDREN	10
#define ROUNDS		100

FIXTURE(follow_enomem) {
	BASE_FIXTURE;
	struct tree_run tree_run;
	char name[16];
};

FIXTURE_SETUP(follow_enomem)
{
	int ko;

	NEED_COUNTERS_AND_ROOT(&self->query);
	ko = open(REFUSE_KO, O_RDONLY | O_CLOEXEC);
	if (ko < 0)
		SKIP(return, "no %s (modules/refuse_alloc/build)", REFUSE_KO);
	ASSERT_EQ(0, syscall(SYS_finit_module, ko, "", 0));
	close(ko);
	ASSERT_EQ(0, prctl(PR_GET_NAME, self->name));
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN(follow_enomem)
{
	tree_run_end(&self->tree_run);
	close(self->fd);
	EXPECT_EQ(0, syscall(SYS_delete_module, "refuse_alloc", O_NONBLOCK));
}

static void prepare(struct __test_metadata *_metadata, struct _test_data_follow_enomem *self,
		    unsigned long how, const char *name)
{
	ASSERT_EQ(0, tree_run_prepare(&self->tree_run, 1, 1, ROUNDS));
	self->tree_run.shape.width[1] = CHILDREN;
	self->tree_run.shape.flags[1] = how;
	/* the first process and its children inherit the name */
	ASSERT_EQ(0, prctl(PR_SET_NAME, name));
	ASSERT_EQ(0, tree_run_start(&self->tree_run));
	ASSERT_EQ(0, prctl(PR_SET_NAME, self->name));
}

static void run(struct __test_metadata *_metadata, struct _test_data_follow_enomem *self,
		uint32_t scope)
{
	setup_follow(&self->setup, scope, self->tree_run.pid, 0);
	setup_add_all(&self->setup, &self->query, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, tree_run_go(&self->tree_run));
	ASSERT_EQ(0, tree_run_phase(&self->tree_run, 1, CHILDREN));
	wait_for_all();
}

static void expect(struct __test_metadata *_metadata, struct _test_data_follow_enomem *self,
		   uint64_t value, uint32_t state)
{
	unsigned int i;

	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(state, self->reading.state);
	for (i = 0; i < self->reading.nr_counters; i++)
		EXPECT_EQ(value, self->reading.value[i]);
}

/* The count count_without @missed leaves, which are children of the first process */
static uint64_t count_without(const struct tree_run *tree_run, unsigned int missed)
{
	struct tree_run only = *tree_run;
	uint64_t all = tree_run_sum(tree_run, TREE_RUN_ALL, NULL).instructions;
	uint64_t leaf;

	/* One child less is one leaf less, and less work for its parent. */
	only.shape.width[1]--;
	leaf = all - tree_run_sum(&only, TREE_RUN_ALL, NULL).instructions - 9;
	if (tree_run->shape.flags[1] & SIGCHLD)
		leaf -= TREE_TRY;
	return all - missed * leaf;
}

TEST_F(follow_enomem, processes)
{
	prepare(_metadata, self, BY_FORK, REFUSED);
	run(_metadata, self, PMC_SCOPE_TREE);
	expect(_metadata, self, count_without(&self->tree_run, CHILDREN - 1),
	       PMC_STATE_ENDED | PMC_STATE_INCOMPLETE);
}

TEST_F(follow_enomem, threads)
{
	prepare(_metadata, self, BY_THREAD, REFUSED);
	run(_metadata, self, PMC_SCOPE_PROCESS);
	expect(_metadata, self, count_without(&self->tree_run, CHILDREN - 1),
	       PMC_STATE_ENDED | PMC_STATE_INCOMPLETE);
}

/* A process that forks unfollowed children needs no memory, and none of them is counted. */
TEST_F(follow_enomem, processes_of_a_process)
{
	prepare(_metadata, self, BY_FORK, REFUSED);
	run(_metadata, self, PMC_SCOPE_PROCESS);
	expect(_metadata, self, count_without(&self->tree_run, CHILDREN), PMC_STATE_ENDED);
}

/* The same with memory, and in a context configured after such a failure */
TEST_F(follow_enomem, all_followed)
{
	prepare(_metadata, self, BY_FORK, REFUSED);
	run(_metadata, self, PMC_SCOPE_TREE);
	expect(_metadata, self, count_without(&self->tree_run, CHILDREN - 1),
	       PMC_STATE_ENDED | PMC_STATE_INCOMPLETE);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	prepare(_metadata, self, BY_FORK, self->name);
	run(_metadata, self, PMC_SCOPE_TREE);
	expect(_metadata, self, tree_run_sum(&self->tree_run, TREE_RUN_ALL, NULL).instructions,
	       PMC_STATE_ENDED);
}

TEST_HARNESS_MAIN

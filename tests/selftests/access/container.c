// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the driver in a container: a user namespace in which an ordinary user is root, with its
 * own PID, network and mount namespaces
 *
 * The device node is opened before, as a container manager would pass it in. All further access
 * is the driver's decision.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "process_tree.h"

#define NAMESPACES	(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWNS)

#ifdef __x86_64__
#define LAUNCHER	"launch"
#define LOOP		"./loop-1m"
#else
#define LAUNCHER	"launch32"
#define LOOP		"./loop32-1m"
#endif

FIXTURE(container) {
	struct pmc_query query;
	const struct program *loop;
	struct setup setup;
	struct reading reading;
	struct child child;
	int fd;			/* opened outside */
	int outside;		/* likewise, for the process that stays outside */
};

FIXTURE_SETUP(container)
{
	NEED_COUNTERS_AND_ROOT(&self->query);
	if (access("/proc/self/ns/user", F_OK) || access("/proc/self/ns/pid", F_OK))
		SKIP(return, "this kernel has no namespaces");
	LOAD_PROGRAM(self->loop, LOOP);
	OPEN_DEVICE(self->fd);
	OPEN_DEVICE(self->outside);
}

FIXTURE_TEARDOWN(container)
{
	close(self->fd);
	close(self->outside);
}

/* Make an ordinary user root of new namespaces. */
static int enter_namespaces(void)
{
	char map[32];

	if (setgroups(0, NULL) || setresgid(USER_NOBODY, USER_NOBODY, USER_NOBODY) ||
	    setresuid(USER_NOBODY, USER_NOBODY, USER_NOBODY) ||
	    prctl(PR_SET_DUMPABLE, 1) || unshare(NAMESPACES))
		return -1;
	snprintf(map, sizeof(map), "0 %d 1", USER_NOBODY);
	if (file_write("/proc/self/setgroups", "deny") ||
	    file_write("/proc/self/uid_map", map) || file_write("/proc/self/gid_map", map))
		return -1;
	return setresgid(0, 0, 0) || setresuid(0, 0, 0) || prctl(PR_SET_DUMPABLE, 1);
}

/*
 * Fork the first process of a container. Returns 0 in it. In the parent, it returns the child's
 * PID, and the harness result of the child becomes the parent's.
 */
static pid_t container_enter(struct __test_metadata *_metadata)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		/* the PID namespace applies to children forked from now on */
		ASSERT_EQ(0, enter_namespaces());
		pid = fork();
		if (pid == 0)
			return 0;
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 255);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	return pid;
}

/* Leave the container with the result that the harness has in it. */
static void __attribute__((noreturn)) container_leave(struct __test_metadata *_metadata)
{
	fflush(NULL);
	_exit(_metadata->exit_code);
}

static int configure_one(int fd, struct setup *setup, uint32_t flags)
{
	setup_add(setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, flags);
	return setup_configure(fd, setup);
}

/* The container's root has no more rights than the user that created it. */
TEST_F(container, container_root_is_unprivileged)
{
	if (container_enter(_metadata))
		return;
	EXPECT_EQ(0, geteuid());
	EXPECT_EQ(1, getpid());
	setup_thread(&self->setup, 0, 0);
	EXPECT_EQ(-EACCES, configure_one(self->fd, &self->setup, PMC_COUNT_KERNEL));
	setup_thread(&self->setup, 0, 0);
	EXPECT_EQ(-EACCES, configure_one(self->fd, &self->setup,
					 PMC_COUNT_USER | PMC_COUNT_KERNEL));
	setup_cpu(&self->setup, 0);
	EXPECT_EQ(-EACCES, configure_one(self->fd, &self->setup, PMC_COUNT_USER));
	setup_all_cpus(&self->setup);
	EXPECT_EQ(-EACCES, configure_one(self->fd, &self->setup, PMC_COUNT_USER));
	/* the container can neither open nor create the device node */
	EXPECT_EQ(-EACCES, pmc_open());
	EXPECT_EQ(-1, mknod("/tmp/pmc-container", S_IFCHR | 0600, makedev(10, 0)));
	EXPECT_EQ(EPERM, errno);
	container_leave(_metadata);
}

TEST_F(container, programs_inside_are_exact)
{
	unsigned int i;

	if (container_enter(_metadata))
		return;
	ASSERT_EQ(0, child_program(&self->child, self->loop));
	EXPECT_EQ(2, self->child.pid);
	setup_thread_all(&self->setup, &self->query, self->child.pid, PMC_CONFIG_ON_EXEC);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_run(&self->child));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_ENDED, self->reading.state);
	for (i = 0; i < self->reading.nr_counters; i++)
		EXPECT_COUNT(self->loop->instructions, self->reading.value[i]);
	container_leave(_metadata);
}

/* A thread is identified by its PID in the container's namespace; one outside cannot be named. */
TEST_F(container, outside_tasks_have_no_pid)
{
	pid_t outside = getpid();

	setup_thread(&self->setup, 0, 0);
	ASSERT_EQ(0, configure_one(self->outside, &self->setup, PMC_COUNT_USER));
	if (container_enter(_metadata))
		return;
	/* no process of the container has this PID */
	ASSERT_LT(2, outside);
	setup_thread(&self->setup, outside, 0);
	EXPECT_EQ(-ESRCH, configure_one(self->fd, &self->setup, PMC_COUNT_USER));
	container_leave(_metadata);
}

/* The holder of a counter outside the container is reported, but without PID and name. */
TEST_F(container, outside_holder_has_no_pid)
{
	struct pmc_counter counter = { .size = sizeof(counter) };

	setup_cpu(&self->setup, 0);
	ASSERT_EQ(0, configure_one(self->outside, &self->setup, PMC_COUNT_USER));
	if (container_enter(_metadata))
		return;
	setup_thread(&self->setup, 0, 0);
	EXPECT_EQ(-EBUSY, configure_one(self->fd, &self->setup, PMC_COUNT_USER));
	EXPECT_EQ(PMC_HOLDER_CONTEXT, self->setup.config.holder.kind);
	EXPECT_EQ(0, self->setup.config.holder.pid);
	EXPECT_EQ(0, self->setup.config.holder.tid);
	EXPECT_STREQ("", self->setup.config.holder.comm);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_COUNTER, &counter));
	EXPECT_EQ(PMC_HOLDER_CONTEXT, counter.holder.kind);
	EXPECT_EQ(0, counter.holder.pid);
	EXPECT_STREQ("", counter.holder.comm);
	container_leave(_metadata);
}

/* The first process of the container makes this many children; each executes the loop. */
#define CHILDREN		10
#define LAUNCH_INSTRUCTIONS	5	/* besides: launch in workloads.S, as in tree.c */
#define LAUNCH_BRANCHES		1

/* Instructions that the launcher and its children execute */
static uint64_t launched(const struct program *loop)
{
	struct program program = { .instructions = loop->instructions, .branches = loop->branches };
	struct tree_run tree_run = { 0 };
	struct sum sum;

	tree_run.shape.depth = 1;
	tree_run.shape.reap = 1;
	tree_run.shape.path = 1;
	tree_run.shape.width[1] = CHILDREN;
	tree_run.shape.flags[1] = BY_FORK;
	sum = tree_run_sum(&tree_run, TREE_RUN_ALL, &program);
	sum_add(&sum, 1, LAUNCH_INSTRUCTIONS, LAUNCH_BRANCHES);
	return sum.instructions;
}

/* In the first process of a container: execute the launcher after a byte from @go. */
static void __attribute__((noreturn)) launch_after_byte(int go)
{
	static char *argv[CHILDREN + 2] = { "../" LAUNCHER };
	unsigned int i;
	char word;

	for (i = 1; i <= CHILDREN; i++)
		argv[i] = "child";
	if (getpid() == 1 && read(go, &word, 1) == 1)
		execv(argv[0], argv);
	_exit(126);
}

/* Root outside counts a whole container: its first process and all its descendants. */
TEST_F(container, counted_from_outside)
{
	int ready[2], go[2], status;
	pid_t maker, first;

	ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(go, O_CLOEXEC));
	maker = fork();
	ASSERT_LE(0, maker);
	if (maker == 0) {
		if (enter_namespaces())
			_exit(1);
		first = fork();
		if (first == 0)
			launch_after_byte(go[0]);
		/* its PID outside */
		if (write(ready[1], &first, sizeof(first)) != sizeof(first) ||
		    waitpid(first, &status, 0) != first)
			_exit(1);
		_exit(status != 0);
	}
	close(ready[1]);
	ASSERT_EQ(sizeof(first), read(ready[0], &first, sizeof(first)));
	setup_follow(&self->setup, PMC_SCOPE_TREE, first, PMC_CONFIG_ON_EXEC);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(self->outside, &self->setup);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(maker, waitpid(maker, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, reading_read(self->outside, &self->reading));
	EXPECT_EQ(PMC_STATE_ENDED, self->reading.state);
	EXPECT_COUNT(launched(self->loop), self->reading.value[0]);
}

TEST_HARNESS_MAIN

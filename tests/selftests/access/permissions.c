// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the permissions to count
 *
 * Root opens the device node in the setup; the test then runs as an ordinary user with this file
 * descriptor, so that the driver alone decides.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "credentials.h"

FIXTURE(permissions) {
	BASE_FIXTURE;
	const struct program *loop;
	struct child roots;		/* a process of root */
	char setuid_program[64];
	char setuid_self[80];
	char unreadable_program[80];
	mode_t mode;
};

/* Root prepares; afterwards the test runs as an ordinary user. */
FIXTURE_SETUP(permissions)
{
	struct stat node;

	NEED_COUNTERS_AND_ROOT(&self->query);
	LOAD_PROGRAM(self->loop, "./loop-1m");
	ASSERT_EQ(0, child_spin(&self->roots));
	snprintf(self->setuid_program, sizeof(self->setuid_program), "/tmp/pmc-rights-%d",
		 getpid());
	ASSERT_EQ(0, stat(PMC_DEVICE, &node));
	self->mode = node.st_mode & 07777;
	ASSERT_EQ(0, copy_file("./loop-1m", self->setuid_program, 04755));
	snprintf(self->setuid_self, sizeof(self->setuid_self), "%s-self", self->setuid_program);
	ASSERT_EQ(0, copy_file("/proc/self/exe", self->setuid_self, 04755));
	snprintf(self->unreadable_program, sizeof(self->unreadable_program), "%s-unreadable",
		 self->setuid_program);
	ASSERT_EQ(0, copy_file("./loop-1m", self->unreadable_program, 0711));
	ASSERT_EQ(0, chmod(PMC_DEVICE, 0666));
	OPEN_DEVICE(self->fd);
	ASSERT_EQ(0, chmod(PMC_DEVICE, self->mode));
	ASSERT_EQ(0, set_user(USER_NOBODY));
}

FIXTURE_TEARDOWN_PARENT(permissions)
{
	/* The parent is still root. */
	if (self->setuid_program[0])
		unlink(self->setuid_program);
	if (self->setuid_self[0])
		unlink(self->setuid_self);
	if (self->unreadable_program[0])
		unlink(self->unreadable_program);
	if (self->roots.pid > 0)
		kill(self->roots.pid, SIGKILL);
}

TEST_F(permissions, node_is_root_only)
{
	/* The module creates the node with mode 0600. */
	EXPECT_EQ(0600, self->mode);
	EXPECT_EQ(-EACCES, pmc_open());
}

TEST_F(permissions, self_in_user_mode)
{
	struct child child;
	unsigned int i;

	ASSERT_EQ(0, child_counted(&child, self->loop, &self->setup, &self->query,
				   EVENT_INSTRUCTIONS));
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_run(&child));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < self->reading.nr_counters; i++)
		EXPECT_COUNT(self->loop->instructions, self->reading.value[i]);
}

TEST_F(permissions, kernel_mode_denied)
{
	setup_thread_one(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_KERNEL);
	EXPECT_EQ(-EACCES, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(1, self->setup.config.failed_entry);
	self->setup.counter[1].flags |= PMC_COUNT_USER;
	EXPECT_EQ(-EACCES, setup_configure(self->fd, &self->setup));
	if (self->query.fixed_counters & 1) {
		self->setup.counter[1].counter = FIXED_INSTRUCTIONS;
		self->setup.counter[1].event_select = 0;
		EXPECT_EQ(-EACCES, setup_configure(self->fd, &self->setup));
	}
	self->setup.config.nr_counters = 1;
	EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
}

/* The refused counter is the first one. */
TEST_F(permissions, kernel_mode_of_the_first_counter_denied)
{
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_KERNEL);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	EXPECT_EQ(-EACCES, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(0, self->setup.config.failed_entry);
}

TEST_F(permissions, cpus_denied)
{
	setup_cpu_one(&self->setup, 0);
	EXPECT_EQ(-EACCES, setup_configure(self->fd, &self->setup));
	setup_all_cpus_one(&self->setup);
	EXPECT_EQ(-EACCES, setup_configure(self->fd, &self->setup));
}

TEST_F(permissions, sibling_thread_denied)
{
	bool nehalem;
	int both;

	if (!(self->query.features & PMC_FEATURE(ANY_THREAD)))
		SKIP(return, "this CPU has no AnyThread");
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS | 1U << 21,
		  PMC_COUNT_USER);
	EXPECT_EQ(-EACCES, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(0, self->setup.config.failed_entry);
	if (self->query.fixed_counters & 1) {
		setup_thread(&self->setup, 0, 0);
		setup_add(&self->setup, FIXED_INSTRUCTIONS, 0, PMC_COUNT_USER);
		self->setup.counter[0].event_select = 1U << 21;
		EXPECT_EQ(-EACCES, setup_configure(self->fd, &self->setup));
	}
	/*
	 * The uops that both threads execute, from Sandy Bridge on; before, those of port 1. The
	 * rest of the event select does not matter.
	 */
	nehalem = self->query.cpu_model == 0x1a || self->query.cpu_model == 0x1e;
	both = nehalem ? 0 : -EACCES;
	setup_thread_one(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), 0x02b1, PMC_COUNT_USER);
	EXPECT_EQ(both, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(both ? 1 : PMC_ENTRY_NONE, self->setup.config.failed_entry);
	pmc_call(self->fd, PMC_IOC_RELEASE, NULL);
	self->setup.counter[1].event_select = 0x010003b1;
	EXPECT_EQ(both, setup_configure(self->fd, &self->setup));
	pmc_call(self->fd, PMC_IOC_RELEASE, NULL);
	self->setup.counter[1].event_select = 0x01b1;
	EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
	pmc_call(self->fd, PMC_IOC_RELEASE, NULL);
	/* before Sandy Bridge, those of port 2 */
	self->setup.counter[1].event_select = 0x04b1;
	EXPECT_EQ(nehalem ? -EACCES : 0, setup_configure(self->fd, &self->setup));
}

TEST_F(permissions, other_users_threads_denied)
{
	setup_thread_one(&self->setup, self->roots.pid, 0);
	EXPECT_EQ(-EACCES, setup_configure(self->fd, &self->setup));
	self->setup.config.tid = 1;
	EXPECT_EQ(-EACCES, setup_configure(self->fd, &self->setup));
}

/* Threads of the same user that ptrace may not access */
TEST_F(permissions, undumpable_threads_denied)
{
	int ready[2], go[2];
	char word;
	pid_t pid;

	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_DUMPABLE, 0);
		if (write(ready[1], "", 1) == 1 && read(go[0], &word, 1) == 1)
			_exit(0);
		_exit(1);
	}
	ASSERT_EQ(1, read(ready[0], &word, 1));
	setup_thread_one(&self->setup, pid, 0);
	EXPECT_EQ(-EACCES, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
}

/* The thread waits for the exec of @path, after which ptrace may not access it. */
static void expect_exec_not_counted(struct __test_metadata *_metadata,
				    struct _test_data_permissions *self, char *path)
{
	struct program program = { .argv = { path } };
	struct child child;

	ASSERT_EQ(0, child_program(&child, &program));
	setup_thread_one(&self->setup, child.pid, PMC_CONFIG_ON_EXEC);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_run(&child));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_ENDED, self->reading.state);
	EXPECT_EQ(0, self->reading.value[0]);
	EXPECT_EQ(-ESRCH, pmc_call(self->fd, PMC_IOC_START, NULL));
}

/* The exec makes the thread root's: nothing is counted. */
TEST_F(permissions, setuid_exec_not_counted)
{
	expect_exec_not_counted(_metadata, self, self->setuid_program);
}

/* The program may be executed and not be read: the exec makes the thread undumpable. */
TEST_F(permissions, unreadable_exec_not_counted)
{
	expect_exec_not_counted(_metadata, self, self->unreadable_program);
}

/*
 * Counting ends at such an exec: at least the exec's own SYSCALL is counted, and far fewer than
 * the two million instructions of the program after it.
 */
TEST_F(permissions, setuid_exec_ends_counting)
{
	struct program program = { .argv = { self->setuid_program } };
	struct child child;

	ASSERT_EQ(0, child_program(&child, &program));
	setup_thread_one(&self->setup, child.pid, 0);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_run(&child));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_ENDED, self->reading.state);
	EXPECT_LT(0, self->reading.value[0]);
	EXPECT_LT(self->reading.value[0], 100000);
}

/* The set-user-ID program cannot start its own thread's context again, although it has the file. */
TEST_F(permissions, setuid_exec_while_self_monitoring)
{
	char number[16];
	int status;
	pid_t pid;

	pid = fork();
	ASSERT_LE(0, pid);
	if (pid == 0) {
		setup_thread(&self->setup, 0, 0);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS,
			  PMC_COUNT_USER);
		if (setup_configure(self->fd, &self->setup) ||
		    pmc_call(self->fd, PMC_IOC_START, NULL))
			_exit(125);
		/* the duplicate has no FD_CLOEXEC */
		snprintf(number, sizeof(number), "%d", dup(self->fd));
		execl(self->setuid_self, self->setuid_self, "start", number, NULL);
		_exit(126);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(ESRCH, WEXITSTATUS(status));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_ENDED, self->reading.state);
}

/* Root keeps its context over such an exec. */
TEST(setuid_exec_allowed_for_root)
{
	struct program program = { 0 };
	const struct program *loop;
	struct pmc_query query;
	struct reading reading;
	struct child child;
	struct setup setup;
	char path[64];
	int fd;

	NEED_COUNTERS_AND_ROOT(&query);
	LOAD_PROGRAM(loop, "./loop-1m");
	snprintf(path, sizeof(path), "/tmp/pmc-rights-%d", getpid());
	ASSERT_EQ(0, copy_file("./loop-1m", path, 04755));
	ASSERT_EQ(0, chown(path, USER_NOBODY, USER_NOBODY));
	ASSERT_EQ(0, chmod(path, 04755));
	program.argv[0] = path;
	OPEN_DEVICE(fd);
	ASSERT_EQ(0, child_program(&child, &program));
	setup_thread_one(&setup, child.pid, PMC_CONFIG_ON_EXEC);
	CONFIGURE_AND_START(fd, &setup);
	ASSERT_EQ(0, child_run(&child));
	unlink(path);
	ASSERT_EQ(0, reading_read(fd, &reading));
	EXPECT_COUNT(loop->instructions, reading.value[0]);
}

/* "start FD": the program that setuid_exec_while_self_monitoring executes */
int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "start"))
		return -pmc_call(atoi(argv[2]), PMC_IOC_START, NULL);
	selftest_begin(argc, argv);
	return test_harness_run(argc, argv);
}

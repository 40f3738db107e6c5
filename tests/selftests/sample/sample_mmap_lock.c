// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests a sampled thread that waits for its mmap lock and cannot report its mappings: the
 * sampling process ends without it, and the thread can be killed
 *
 * The tests unload the module; the environment variable PMCDRV_KO names its file.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "fuse_stall.h"
#include "module.h"
#include "process_tree.h"
#include "samples.h"

#define PERIOD		20011

FIXTURE(maps) {
	int fd;
};

FIXTURE_SETUP(maps)
{
	struct pmc_query query;

	NEED_SAMPLING(&query);
	ASSERT_EQ(0, pin(0, 0));
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN_CLOSE(maps)

/* State in /proc/PID/task/TID/stat, 0 if there is no such thread */
static char task_state(pid_t pid, pid_t tid)
{
	char path[64], text[512], *state;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	state = file_read(path, text, sizeof(text)) ? NULL : strrchr(text, ')');
	return state ? state[2] : 0;
}

/* Does it reach this state within two seconds? */
static bool task_reaches(pid_t pid, pid_t tid, char state)
{
	unsigned int i;

	for (i = 0; i < 2000 && task_state(pid, tid) != state; i++)
		usleep(1000);
	return i < 2000;
}

/** struct stuck - a process with a held mmap lock */
struct stuck {
	struct fuse_stall silent;
	pid_t pid;
	pid_t *holder; /* its thread that maps the file and waits for it; shared */
};

static void *hold_mappings(void *argument)
{
	struct stuck *stuck = argument;

	__atomic_store_n(stuck->holder, gettid(), __ATOMIC_RELEASE);
	mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, stuck->silent.direct, 0);
	return NULL;
}

/* Its first thread continues in user mode, and needs nothing that the other one holds. */
static int stuck_begin(struct stuck *stuck)
{
	pthread_t thread;
	pid_t tid;
	int err;

	stuck->holder = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stuck->holder == MAP_FAILED)
		return -errno;
	err = stall_begin(&stuck->silent);
	if (err)
		return err;
	stuck->pid = fork();
	if (stuck->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (pthread_create(&thread, NULL, hold_mappings, stuck))
			_exit(1);
		spin_forever();
	}
	do {
		tid = __atomic_load_n(stuck->holder, __ATOMIC_ACQUIRE);
	} while (!tid && !waitpid(stuck->pid, NULL, WNOHANG));
	return tid && task_reaches(stuck->pid, tid, 'D') ? 0 : -ETIME;
}

/* In its own process: sample it until it is about to report its mappings, and end. */
static void sample_stuck(const struct stuck *stuck)
{
	int fd = pmc_open();
	struct setup setup;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setup_thread_one(&setup, stuck->pid, 0);
	setup_period(&setup, 0, PERIOD);
	setup.config.sample_flags |= PMC_SAMPLE_MMAPS;
	if (fd < 0 || setup_configure(fd, &setup) || pmc_call(fd, PMC_IOC_START, NULL) ||
	    !task_reaches(stuck->pid, stuck->pid, 'D'))
		_exit(1);
	close(fd);
	_exit(0);
}

static bool unloads(void)
{
	unsigned int i;

	for (i = 0; i < 2000 && module_unload(); i++)
		usleep(1000);
	return i < 2000;
}

/*
 * A sampled thread waits forever for its mmap lock: the sampling process ends all the same, and
 * only the module stays.
 */
static void leave_stuck(struct __test_metadata *_metadata, struct _test_data_maps *self,
			struct stuck *stuck)
{
	pid_t sampler;
	int err;

	NEED_ROOT();
	if (getenv("PMCDRV_KEEP"))
		SKIP(return, "the module is to stay loaded");
	/* the child must not inherit it */
	close(self->fd);
	self->fd = -1;
	err = stuck_begin(stuck);
	if (err == -ENOENT || err == -ENODEV)
		SKIP(return, "no FUSE here");
	ASSERT_EQ(0, err);
	sampler = fork();
	ASSERT_LE(0, sampler);
	if (sampler == 0)
		sample_stuck(stuck);
	EXPECT_TRUE(child_ends_within(sampler, 2000));
	EXPECT_EQ('D', task_state(stuck->pid, stuck->pid));
	EXPECT_EQ(-EAGAIN, module_unload());
}

/* It continues when it gets the lock, and finds no context to report to. */
TEST_F(maps, released_before_task_work)
{
	struct stuck stuck = {};

	leave_stuck(_metadata, self, &stuck);
	if (!stuck.pid)
		return;
	stall_end(&stuck.silent);
	EXPECT_TRUE(task_reaches(stuck.pid, stuck.pid, 'R'));
	EXPECT_EQ(0, module_unload());
	module_load();
	ASSERT_EQ(0, kill(stuck.pid, SIGKILL));
	ASSERT_EQ(stuck.pid, waitpid(stuck.pid, NULL, 0));
}

/* It is killed, and no longer waits in the module. (The kernel itself needs the same lock.) */
TEST_F(maps, killed_before_task_work)
{
	struct stuck stuck = {};

	leave_stuck(_metadata, self, &stuck);
	if (!stuck.pid)
		return;
	ASSERT_EQ(0, kill(stuck.pid, SIGKILL));
	EXPECT_TRUE(unloads());
	module_load();
	EXPECT_EQ('D', task_state(stuck.pid, *stuck.holder));
	stall_end(&stuck.silent);
	ASSERT_EQ(stuck.pid, waitpid(stuck.pid, NULL, 0));
}

TEST_HARNESS_MAIN

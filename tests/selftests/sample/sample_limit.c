// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the limit on the memory of sample rings, and what is charged to a memory control group
 *
 * An ordinary user may have the module parameter ring_kb for each possible CPU, and what
 * RLIMIT_MEMLOCK allows: to the page, and until the context is released.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "credentials.h"
#include "fixture.h"
#include "memcg.h"
#include "samples.h"
#include "user_read.h"

#define PERIOD		100000
#define RING_KB		"/sys/module/pmcdrv/parameters/ring_kb"
#define FILES		1000
/* Users without any other process */
#define USER		61234
#define OTHER_USER	61235
#define ROOT_INCAPABLE	((uid_t)-1)	/* root without capabilities */
#define ROOT_PERFMON	((uid_t)-2)	/* root with CAP_PERFMON alone */

FIXTURE(limit) {
	BASE_FIXTURE;
	long page;		/* bytes */
	long possible;		/* each of these CPUs has a ring */
	char ring_kb[32];	/* the value found */
};

/* The number of CPUs in a list from 0 on without gaps, such as "0-3" */
static long cpus_possible(void)
{
	char text[64];
	long last = 0;

	if (file_read("/sys/devices/system/cpu/possible", text, sizeof(text)) ||
	    sscanf(text, "0-%ld", &last) < 0)
		return -1;
	return last + 1;
}

FIXTURE_SETUP(limit)
{
	NEED_SAMPLING_AND_ROOT(&self->query);
	OPEN_DEVICE(self->fd);
	self->page = sysconf(_SC_PAGESIZE);
	self->possible = cpus_possible();
	ASSERT_LT(0, self->possible);
	ASSERT_EQ(0, file_read(RING_KB, self->ring_kb, sizeof(self->ring_kb)));
	setup_thread_one(&self->setup, 0, 0);
	setup_period(&self->setup, 0, PERIOD);
	self->setup.config.ring_size = self->page;
}

FIXTURE_TEARDOWN(limit)
{
	file_write(RING_KB, self->ring_kb);
	close(self->fd);
}

/* Pages of the rings of self->setup */
static long pages_needed(const struct _test_data_limit *self)
{
	uint32_t size = self->setup.config.ring_size;

	return self->possible * (1 + (size ? size : PMC_RING_SIZE_DEFAULT) / self->page);
}

/* Each user may have @pages for each possible CPU. */
static int allow(const struct _test_data_limit *self, long pages)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", pages * self->page / 1024);
	return file_write(RING_KB, text);
}

static int become(uid_t user)
{
	if (user == ROOT_PERFMON)
		return capabilities(CAP(CAP_PERFMON), CAP(CAP_PERFMON), 0);
	if (user == ROOT_INCAPABLE)
		return capabilities(0, 0, 0);
	return user ? set_user(user) : 0;
}

/* CONFIGURE @fd as @user with RLIMIT_MEMLOCK @bytes; the context stays. */
static int configure_as(struct _test_data_limit *self, int fd, uid_t user, rlim_t bytes)
{
	struct rlimit locked = { bytes, bytes };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (setrlimit(RLIMIT_MEMLOCK, &locked) || become(user))
			_exit(255);
		_exit(-setup_configure(fd, &self->setup));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -ECHILD;
	return -WEXITSTATUS(status);
}

/* The allowance and RLIMIT_MEMLOCK together are enough to the byte, whatever each of them is. */
TEST_F(limit, to_the_page)
{
	const long needed = pages_needed(self);
	long pages;

	for (pages = needed / self->possible; pages >= 0; pages--) {
		long missing = needed - pages * self->possible;

		ASSERT_EQ(0, allow(self, pages));
		if (missing)
			EXPECT_EQ(-ENOBUFS, configure_as(self, self->fd, USER,
							 missing * self->page - 1));
		EXPECT_EQ(0, configure_as(self, self->fd, USER, missing * self->page));
		EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
}

/* One user's contexts share an allowance, other users have theirs. RELEASE gives it back. */
TEST_F(limit, per_user)
{
	long pages = (pages_needed(self) + self->possible - 1) / self->possible;
	int second, others;

	OPEN_DEVICE(second);
	OPEN_DEVICE(others);
	ASSERT_EQ(0, allow(self, pages));
	EXPECT_EQ(0, configure_as(self, self->fd, USER, 0));
	EXPECT_EQ(-ENOBUFS, configure_as(self, second, USER, 0));
	EXPECT_EQ(0, configure_as(self, others, OTHER_USER, 0));
	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(0, configure_as(self, second, USER, 0));
	EXPECT_EQ(-ENOBUFS, configure_as(self, self->fd, USER, 0));
	/* so does the last close of the file */
	close(second);
	EXPECT_EQ(0, configure_as(self, self->fd, USER, 0));
	close(others);
}

/* Pages that are mapped stay charged after RELEASE, also those of a part of the mapping. */
TEST_F(limit, mapped)
{
	const long length = 2 * self->page;
	char *ring;
	int second;

	OPEN_DEVICE(second);
	ASSERT_EQ(0, allow(self, (pages_needed(self) + self->possible - 1) / self->possible));
	ASSERT_EQ(0, configure_as(self, self->fd, USER, 0));
	ring = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
		    ring_offset(&self->setup, 0));
	ASSERT_NE(MAP_FAILED, ring);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(-ENOBUFS, configure_as(self, second, USER, 0));
	ASSERT_EQ(0, munmap(ring, self->page));
	EXPECT_EQ(-ENOBUFS, configure_as(self, second, USER, 0));
	ASSERT_EQ(0, munmap(ring + self->page, self->page));
	EXPECT_EQ(0, configure_as(self, second, USER, 0));
	close(second);
}

/*
 * A page that is charged to a memory control group, but must not be, makes the kernel report a
 * "Bad page map".
 */
TEST_F(limit, mapped_in_a_memory_group)
{
	const struct pmc_page *page;
	struct ring ring;
	uint64_t value;

	ASSERT_EQ(0, memory_group_enter());
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, ring_map(&ring, self->fd, &self->setup, 0));
	EXPECT_EQ(0, ring.shared->head);
	ring_unmap(&ring);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	setup_thread_one(&self->setup, 0, PMC_CONFIG_USER_READ);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	page = page_map(self->fd);
	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	EXPECT_TRUE(page_read(page, 0, &value));
	EXPECT_EQ(0, munmap((void *)page, self->page));
	ASSERT_EQ(0, memory_group_leave());
}

/*
 * What is beyond the allowance counts for the user, too, when the process that requested it has
 * exited: another may have the file. The same is true after an exec.
 */
TEST_F(limit, beyond_the_allowance)
{
	const long needed = pages_needed(self) * self->page;
	int second;

	OPEN_DEVICE(second);
	ASSERT_EQ(0, allow(self, 0));
	EXPECT_EQ(0, configure_as(self, self->fd, USER, needed));
	EXPECT_EQ(-ENOBUFS, configure_as(self, second, USER, 2 * needed - 1));
	EXPECT_EQ(0, configure_as(self, second, USER, 2 * needed));
	EXPECT_EQ(0, pmc_call(second, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(0, configure_as(self, second, USER, needed));
	close(second);
}

/* CAP_IPC_LOCK lifts the limit; the pages are still charged, as perf's are. */
TEST_F(limit, cap_ipc_lock)
{
	const long needed = pages_needed(self) * self->page;
	int second;

	OPEN_DEVICE(second);
	ASSERT_EQ(0, allow(self, 0));
	EXPECT_EQ(0, configure_as(self, self->fd, 0, 0));
	EXPECT_EQ(-ENOBUFS, configure_as(self, second, ROOT_INCAPABLE, 2 * needed - 1));
	EXPECT_EQ(0, configure_as(self, second, ROOT_INCAPABLE, 2 * needed));
	close(second);
}

/* A context of one CPU has one ring, whichever CPU it is. */
TEST_F(limit, one_cpu)
{
	int cpu;

	NEED_CPUS(2);
	ASSERT_EQ(0, allow(self, 0));
	for (cpu = 0; cpu < 2; cpu++) {
		setup_cpu_one(&self->setup, cpu);
		setup_period(&self->setup, 0, PERIOD);
		self->setup.config.ring_size = self->page;
		EXPECT_EQ(-ENOBUFS, configure_as(self, self->fd, ROOT_PERFMON,
						 2 * self->page - 1));
		EXPECT_EQ(0, configure_as(self, self->fd, ROOT_PERFMON, 2 * self->page));
		EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
}

/* The rings of one context take at most a quarter of the memory, also root's. */
TEST_F(limit, quarter_of_the_memory)
{
	long long memory = (long long)sysconf(_SC_PHYS_PAGES);

	self->setup.config.ring_size = PMC_RING_SIZE_MAX;
	if (pages_needed(self) <= memory / 4)
		SKIP(return, "the largest rings of %ld CPUs fit into this memory", self->possible);
	EXPECT_EQ(-ENOMEM, setup_configure(self->fd, &self->setup));
	self->setup.config.ring_size = 0;
	EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
}

/* ---- many files ---- */

struct sleepers {
	pthread_barrier_t begun;
	pthread_barrier_t end;
	pid_t tid[FILES];
};

struct sleeper {
	struct sleepers *all;
	int number;
};

static void *sleeper_run(void *argument)
{
	struct sleeper *sleeper = argument;
	struct sleepers *all = sleeper->all;

	all->tid[sleeper->number] = gettid();
	pthread_barrier_wait(&all->begun);
	pthread_barrier_wait(&all->end);
	return NULL;
}

static int sleepers_start(struct sleepers *all, int nr)
{
	static struct sleeper sleeper[FILES];
	pthread_attr_t attributes;
	pthread_t thread;
	int n, err;

	pthread_barrier_init(&all->begun, NULL, nr + 1);
	pthread_barrier_init(&all->end, NULL, nr + 1);
	err = pthread_attr_init(&attributes);
	if (!err)
		err = pthread_attr_setstacksize(&attributes, 64 << 10);
	for (n = 0; n < nr && !err; n++) {
		sleeper[n] = (struct sleeper) { all, n };
		err = pthread_create(&thread, &attributes, sleeper_run, &sleeper[n]);
	}
	if (!err)
		pthread_barrier_wait(&all->begun);
	return -err;
}

/*
 * Of 1,000 files of a user, each with a context of a thread of its own, as many get rings as the
 * limit allows. The others are refused.
 */
TEST_F(limit, thousand_files)
{
	static struct sleepers sleepers;
	static int fd[FILES];
	struct rlimit files = { FILES + 100, FILES + 100 }, locked = { 1 << 20, 1 << 20 };
	const long allowance = 20;
	int n, configured = 0, refused = 0;

	self->setup.config.ring_size = 0;
	ASSERT_EQ(0, allow(self, allowance));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &locked));
	for (n = 0; n < FILES; n++)
		OPEN_DEVICE(fd[n]);
	ASSERT_EQ(0, sleepers_start(&sleepers, FILES));
	/* of all threads; the saved id is root's, for the teardown */
	ASSERT_EQ(0, setresuid(USER, USER, 0));
	for (n = 0; n < FILES; n++) {
		int err;

		self->setup.config.tid = sleepers.tid[n];
		err = setup_configure(fd[n], &self->setup);
		configured += !err;
		refused += err == -ENOBUFS;
	}
	EXPECT_EQ((allowance * self->possible + (1 << 20) / self->page) / pages_needed(self),
		  configured);
	EXPECT_EQ(FILES - configured, refused);
	ASSERT_EQ(0, seteuid(0));
}

TEST_HARNESS_MAIN

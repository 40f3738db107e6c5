// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that RDPMC shows no count of others which a context left in a counter
 *
 * Most tests stop a privileged context and then execute RDPMC on all counters as an ordinary user.
 */
/* AMD's registers are above 2^31, and pread() takes their addresses. */
#define _FILE_OFFSET_BITS 64

#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "credentials.h"
#include "fixture.h"
#include "module.h"
#include "rdpmc_faults.h"

#define PCE		"/sys/class/misc/pmc/pce"
#define USER		61234

FIXTURE(leftovers) {
	RDPMC_FIXTURE;
};

FIXTURE_SETUP(leftovers)
{
	RDPMC_SETUP();
}

FIXTURE_TEARDOWN_CLOSE(leftovers)

#define NEED_PERF()	do {							\
	if (access(perfs_rdpmc(), W_OK))					\
		SKIP(return, "perf knows no counters here");			\
} while (0)

/*
 * Kernel and user mode on all counters but the first, which self->fd does not claim. On NetBurst
 * branches have other ESCRs than the instructions of the first.
 */
static void setup_rest(struct setup *setup, const struct pmc_query *query)
{
	const uint32_t flags = PMC_COUNT_USER | PMC_COUNT_KERNEL;
	unsigned int i = 0;

	setup_add_all(setup, query, EVENT_BRANCHES, flags);
	if (query->fixed_counters & 1)
		setup_add(setup, FIXED_INSTRUCTIONS, 0, flags);
	while (setup->counter[i].counter)
		i++;
	setup->counter[i] = setup->counter[--setup->config.nr_counters];
}

/* An ordinary user's context of itself with RDPMC, on the first counter */
static int begin_as_user(int fd)
{
	struct setup setup;

	setup_thread(&setup, 0, PMC_CONFIG_USER_READ);
	setup_add(&setup, 0, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	if (set_user(USER) || setup_configure(fd, &setup))
		return -1;
	return pmc_call(fd, PMC_IOC_START, NULL);
}

#define NONE_OWN	UINT32_MAX

#define NOT_PERMITTED	100

/* 1 if RDPMC shows a count, NOT_PERMITTED if it faults, or 0 */
static int count_seen(uint32_t index)
{
	struct value value;

	if (read_here(index, &value))
		return NOT_PERMITTED;
	return whole(&value) != 0;
}

/* On how many counters other than @own RDPMC shows a count; or NOT_PERMITTED */
static int counts_seen(const struct pmc_query *query, uint32_t own)
{
	int seen = 0;
	uint32_t i;

	for (i = 0; i < 64 && seen < NOT_PERMITTED; i++) {
		if (query->general_counters >> i & 1 && i != own)
			seen += count_seen(i);
		if (query->fixed_counters >> i & 1 && seen < NOT_PERMITTED)
			seen += count_seen(PMC_COUNTER_FIXED(i));
	}
	return seen < NOT_PERMITTED ? seen : NOT_PERMITTED;
}

/** struct observer - a process, of an ordinary user without @pidfd, that waits, then reads */
struct observer {
	pid_t pid;
	int ready[2];
	int go[2];
	int perf;		/* perf's file for it to close */
	int *pidfd;		/* clone() writes it before the child is a task; NULL: fork() */
};

/* With @fd it counts itself; without (-1) it has RDPMC by the attribute pce, by perf, or not. */
static void observer_run(struct observer *observer, const struct pmc_query *query, int fd,
			 uint32_t own)
{
	char byte = 0;

	close(observer->perf);
	/* setuid() waits for threads that a child of clone() does not have */
	if (fd >= 0 ? begin_as_user(fd) : !observer->pidfd && set_user(USER))
		_exit(200);
	if (write(observer->ready[1], &byte, 1) != 1 || read(observer->go[0], &byte, 1) != 1)
		_exit(201);
	_exit(counts_seen(query, own));
}

static int observer_start(struct observer *observer, const struct pmc_query *query, int fd,
			  uint32_t own)
{
	char byte;

	if (pipe(observer->ready) || pipe(observer->go))
		return -1;
	observer->pid = !observer->pidfd ? fork() :
			syscall(SYS_clone, CLONE_PIDFD | CLONE_FILES | SIGCHLD, NULL,
				observer->pidfd, NULL, NULL);
	if (observer->pid == 0)
		observer_run(observer, query, fd, own);
	return read(observer->ready[0], &byte, 1) == 1 ? 0 : -1;
}

/* What it has seen: counts_seen(), or an error above 199 */
static int observer_sees(struct observer *observer)
{
	int status;

	if (write(observer->go[1], "", 1) != 1 ||
	    waitpid(observer->pid, &status, 0) != observer->pid || !WIFEXITED(status))
		return 202;
	return WEXITSTATUS(status);
}

/* Privileged counts of a stopped context are hidden before RDPMC is granted. */
TEST_F(leftovers, left_before_the_permission)
{
	struct observer observer = { .perf = -1 };
	int fd;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(fd);
	setup_cpu(&self->setup, 0);
	setup_rest(&self->setup, &self->query);
	CONFIGURE_AND_START(fd, &self->setup);
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, observer_start(&observer, &self->query, self->fd, self->first));
	EXPECT_EQ(0, observer_sees(&observer));
}

/*
 * Count user mode on the first counter, then get RDPMC with a context on the second. Returns
 * whether the first counter has more than its context has counted: that is of others. 200: error
 */
static int more_than_counted(int fd, int reader, uint32_t first)
{
	struct setup setup;
	struct reading reading;
	struct value value;

	setup_thread_one(&setup, 0, 0);
	if (set_user(USER) || setup_configure(fd, &setup) || pmc_call(fd, PMC_IOC_START, NULL))
		return 200;
	setup_thread(&setup, 0, PMC_CONFIG_USER_READ);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
	if (setup_configure(reader, &setup) || read_here(first, &value) ||
	    reading_read(fd, &reading))
		return 201;
	return whole(&value) > reading.value[0];
}

/* A counter that counts when RDPMC is granted may have begun at what a stopped context left. */
TEST_F(leftovers, left_in_a_counter_that_counts)
{
	int fd, reader, status;
	unsigned int i;
	pid_t pid;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(fd);
	OPEN_DEVICE(reader);
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	CONFIGURE_AND_START(self->fd, &self->setup);
	for (i = 0; i < 1000000; i++)
		asm volatile("");
	pid = fork();
	if (pid == 0)
		_exit(more_than_counted(fd, reader, self->first));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* A context of this thread leaves counts; then one of CPU 0 starts on the second counter. */
static void cpu_starts_after_a_thread(struct __test_metadata *_metadata,
				      struct _test_data_leftovers *self, int thread, int cpu)
{
	unsigned int i;

	setup_thread(&self->setup, 0, 0);
	setup_rest(&self->setup, &self->query);
	CONFIGURE_AND_START(thread, &self->setup);
	for (i = 0; i < 1000000; i++)
		asm volatile("");
	ASSERT_EQ(0, pmc_call(thread, PMC_IOC_RELEASE, NULL));
	setup_cpu(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	CONFIGURE_AND_START(cpu, &self->setup);
}

/* The same of a counter of a CPU: what its context counted before the grant is kept. */
TEST_F(leftovers, left_in_a_counter_of_a_cpu_that_counts)
{
	struct value value;
	unsigned int i;
	int cpu, old;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(cpu);
	OPEN_DEVICE(old);
	/* keeps the counters while no other context does */
	setup_thread_one(&self->setup, 0, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	cpu_starts_after_a_thread(_metadata, self, old, cpu);
	for (i = 0; i < 100000; i++)
		asm volatile("");
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	setup_thread_one(&self->setup, 0, PMC_CONFIG_USER_READ);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(NONE, read_here(self->second, &value));
	ASSERT_EQ(0, reading_read(cpu, &self->reading));
	EXPECT_LE(whole(&value), self->reading.value[0]);
	EXPECT_LT(100000, self->reading.value[0]);
	EXPECT_EQ(0, self->reading.value[0] >> 31);
}

/* A context of a CPU that starts while a task may execute RDPMC does not continue from there. */
TEST_F(leftovers, left_when_a_cpu_starts)
{
	struct value value;
	int fd;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(fd);
	setup_thread_one(&self->setup, 0, PMC_CONFIG_USER_READ);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	cpu_starts_after_a_thread(_metadata, self, fd, fd);
	ASSERT_EQ(NONE, read_here(self->second, &value));
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	EXPECT_LE(whole(&value), self->reading.value[0]);
}

/* Without a switch: the reader itself stops the inherited context of root. */
TEST_F(leftovers, left_by_a_stop)
{
	int fd, status;
	pid_t pid;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(fd);
	setup_cpu(&self->setup, 0);
	setup_rest(&self->setup, &self->query);
	ASSERT_EQ(0, setup_configure(fd, &self->setup));
	pid = fork();
	if (pid == 0) {
		if (begin_as_user(self->fd) || pmc_call(fd, PMC_IOC_START, NULL) ||
		    pmc_call(fd, PMC_IOC_STOP, NULL))
			_exit(200);
		_exit(counts_seen(&self->query, self->first));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
	/* the counts are where they belong, and go on after the counters were cleared */
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	EXPECT_LT(0, self->reading.value[0]);
}

/** struct reader - stops a context that follows it, and then looks at the counters */
struct reader {
	const struct pmc_query *query;
	int own;		/* file for its own context */
	int other;		/* file of the context that follows it */
	uint32_t first;
	int seen;
};

static void *reader_run(void *data)
{
	struct reader *reader = data;

	reader->seen = begin_as_user(reader->own) ||
		       pmc_call(reader->other, PMC_IOC_STOP, NULL) ? 200 :
		       counts_seen(reader->query, reader->first);
	return NULL;
}

/* The process waits for @go; then its first thread, or another one, is the reader. */
static void __attribute__((noreturn)) reader_process(struct reader *reader, int go, bool thread)
{
	pthread_t id;
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(201);
	if (!thread)
		reader_run(reader);
	else if (pthread_create(&id, NULL, reader_run, reader) || pthread_join(id, NULL))
		_exit(202);
	_exit(reader->seen);
}

static void stop_by_reader(struct __test_metadata *_metadata, struct _test_data_leftovers *self,
			   uint32_t scope)
{
	struct reader reader = { &self->query, self->fd, .first = self->first };
	int go[2], status;
	pid_t pid;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(reader.other);
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (pid == 0)
		reader_process(&reader, go[0], scope == PMC_SCOPE_PROCESS);
	setup_thread(&self->setup, pid, 0);
	self->setup.config.scope = scope;
	setup_rest(&self->setup, &self->query);
	CONFIGURE_AND_START(reader.other, &self->setup);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
	ASSERT_EQ(0, reading_read(reader.other, &self->reading));
	EXPECT_LT(0, self->reading.value[0]);
}

/* The same of a context that follows the reader: it has counted the reader's kernel mode. */
TEST_F(leftovers, left_by_a_stop_of_the_thread)
{
	stop_by_reader(_metadata, self, PMC_SCOPE_THREAD);
}

/* The reader began after the context. */
TEST_F(leftovers, left_by_a_stop_of_a_new_thread)
{
	stop_by_reader(_metadata, self, PMC_SCOPE_PROCESS);
}

static int wait_for_go(const int *ready, const int *go)
{
	char byte = 0;

	return write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1;
}

/*
 * A thread that counts itself executes a program, which gives up its privileges, counts itself,
 * too, and stops the first context.
 */
TEST_F(leftovers, left_over_an_exec)
{
	char context[16], own[16];
	int fd, status;
	pid_t pid;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(fd);
	pid = fork();
	ASSERT_LE(0, pid);
	if (pid == 0) {
		setup_thread(&self->setup, 0, 0);
		setup_rest(&self->setup, &self->query);
		if (setup_configure(fd, &self->setup) || pmc_call(fd, PMC_IOC_START, NULL))
			_exit(201);
		/* the duplicates have no FD_CLOEXEC */
		snprintf(context, sizeof(context), "%d", dup(fd));
		snprintf(own, sizeof(own), "%d", dup(self->fd));
		execl("/proc/self/exe", "leftovers", "stop", context, own, NULL);
		_exit(202);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	EXPECT_EQ(PMC_STATE_ENDED, self->reading.state);
	EXPECT_LT(0, self->reading.value[0]);
}

/*
 * It is stopped while the reader waits. Its run was started last: at a switch the context that
 * was configured first is the last one to be started.
 */
TEST_F(leftovers, left_by_a_stop_of_a_waiting_thread)
{
	int fd, go[2], ready[2], status;
	unsigned int i;
	pid_t pid;
	char byte = 0;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(fd);
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (pid == 0) {
		if (read(go[0], &byte, 1) != 1 || begin_as_user(self->fd) ||
		    wait_for_go(ready, go) || wait_for_go(ready, go))
			_exit(200);
		_exit(counts_seen(&self->query, self->first));
	}
	setup_thread(&self->setup, pid, 0);
	setup_rest(&self->setup, &self->query);
	CONFIGURE_AND_START(fd, &self->setup);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(1, write(go[1], &byte, 1));
		ASSERT_EQ(1, read(ready[0], &byte, 1));
	}
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(1, write(go[1], &byte, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* The reader's own counts stay in the counters: the next switch need not load them again. */
TEST_F(leftovers, own_counts_stay)
{
	struct value before, after;
	int there[2], back[2];
	unsigned int i;
	char byte = 0;
	pid_t pid;

	NEED_RDPMC();
	ASSERT_EQ(0, pipe(there));
	ASSERT_EQ(0, pipe(back));
	pid = fork();
	if (pid == 0)
		_exit(read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1);
	setup_thread_all(&self->setup, &self->query, 0, PMC_CONFIG_USER_READ);
	CONFIGURE_AND_START(self->fd, &self->setup);
	for (i = 0; i < 100000; i++)
		asm volatile("");
	ASSERT_EQ(NONE, read_here(self->first, &before));
	ASSERT_EQ(1, write(there[1], &byte, 1));
	ASSERT_EQ(1, read(back[0], &byte, 1));
	ASSERT_EQ(NONE, read_here(self->first, &after));
	EXPECT_LT(whole(&before), whole(&after));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
}

/* A privileged context of a thread that this CPU switches from */
TEST_F(leftovers, left_by_a_switch)
{
	struct observer observer = { .perf = -1 };
	uint64_t before;
	int fd;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(fd);
	setup_thread(&self->setup, 0, 0);
	setup_rest(&self->setup, &self->query);
	ASSERT_EQ(0, observer_start(&observer, &self->query, self->fd, self->first));
	CONFIGURE_AND_START(fd, &self->setup);
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	before = self->reading.value[0];
	EXPECT_EQ(0, observer_sees(&observer));
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	EXPECT_LT(before, self->reading.value[0]);
}

/* The same where every process may execute RDPMC */
TEST_F(leftovers, left_while_all_may_read)
{
	struct observer observer = { .perf = -1 };
	int fd;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(fd);
	setup_thread(&self->setup, 0, 0);
	setup_rest(&self->setup, &self->query);
	CONFIGURE_AND_START(fd, &self->setup);
	ASSERT_EQ(0, file_write(PCE, "2"));
	EXPECT_EQ(0, observer_start(&observer, &self->query, -1, 0));
	EXPECT_EQ(0, observer_sees(&observer));
	EXPECT_EQ(0, file_write(PCE, "1"));
	/* no difference to a value from before the counter was cleared: no run was here since */
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	EXPECT_LT(0, self->reading.value[0]);
	EXPECT_EQ(0, self->reading.value[0] >> 31);
}

/*
 * The same where perf's file permits RDPMC to all. On one CPU the driver's work, which follows a
 * write of that file, begins after the first two looks.
 */
TEST_F(leftovers, left_while_perf_permits_all)
{
	struct observer observer = { .perf = -1 };
	int fd, at_once, stopped, later;

	NEED_RDPMC();
	NEED_ROOT();
	NEED_PERF();
	OPEN_DEVICE(fd);
	setup_cpu(&self->setup, 0);
	setup_rest(&self->setup, &self->query);
	CONFIGURE_AND_START(fd, &self->setup);
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_STOP, NULL));
	setup_cpu(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, schedule_as(0, SCHED_FIFO));
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "2"));
	at_once = counts_seen(&self->query, self->first);
	pmc_call(self->fd, PMC_IOC_STOP, NULL);
	stopped = counts_seen(&self->query, NONE_OWN);
	schedule_as(0, SCHED_OTHER);
	later = observer_start(&observer, &self->query, -1, NONE_OWN) ?: observer_sees(&observer);
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "1"));
	EXPECT_EQ(0, at_once);
	EXPECT_EQ(0, stopped);
	EXPECT_EQ(0, later);
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	EXPECT_LT(0, self->reading.value[0]);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_LT(0, self->reading.value[0]);
	EXPECT_EQ(0, self->reading.value[0] >> 31);
}

#define UNLOAD()	do {							\
	const char *keep = getenv("PMCDRV_KEEP");				\
	int err;								\
										\
	if (keep && *keep)							\
		SKIP(return, "PMCDRV_KEEP is set: the module is not unloaded");	\
	close(self->fd);							\
	err = module_unload();							\
	if (err)								\
		SKIP(return, "the module cannot be unloaded: errno %d", -err);	\
} while (0)

/*
 * The same where perf's file permitted it before the driver was loaded. Setting 0 of the attribute
 * pce finds no permission to revoke.
 */
TEST_F(leftovers, left_while_perf_has_long_permitted_all)
{
	int seen;

	NEED_RDPMC();
	NEED_ROOT();
	NEED_PERF();
	UNLOAD();
	EXPECT_EQ(0, file_write(perfs_rdpmc(), "2"));
	EXPECT_EQ(0, module_load());
	OPEN_DEVICE(self->fd);
	setup_cpu(&self->setup, 0);
	setup_rest(&self->setup, &self->query);
	CONFIGURE_AND_START(self->fd, &self->setup);
	EXPECT_EQ(0, file_write(PCE, "0"));
	EXPECT_EQ(0, file_write(PCE, "1"));
	pmc_call(self->fd, PMC_IOC_STOP, NULL);
	seen = counts_seen(&self->query, NONE_OWN);
	EXPECT_EQ(0, file_write(perfs_rdpmc(), "1"));
	EXPECT_EQ(0, seen);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_LT(0, self->reading.value[0]);
}

/* ---- A permission of perf's that a fork copied ---- */

/* A fork copies perf's permission to the child. Linux never removes it from the child. */
static void *map_perfs_event(int *perf)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
	};

	*perf = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, *perf, 0);
}

static int unmap_perfs_event(void *page, int perf, const struct pmc_query *query)
{
	if (munmap(page, sysconf(_SC_PAGESIZE)) || close(perf))
		return -1;
	return clear_what_perf_left(query);
}

static int observer_start_with_copy(struct observer *observer, const struct pmc_query *query)
{
	void *page = map_perfs_event(&observer->perf);

	return page == MAP_FAILED || observer_start(observer, query, -1, NONE_OWN) ||
	       unmap_perfs_event(page, observer->perf, query);
}

static void configure_cpu(struct __test_metadata *_metadata, struct _test_data_leftovers *self)
{
	setup_cpu(&self->setup, 0);
	setup_rest(&self->setup, &self->query);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
}

/* START, STOP, then @observer reads the counters. */
static int counted_and_seen(struct __test_metadata *_metadata, struct _test_data_leftovers *self,
			    struct observer *observer)
{
	int seen;

	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	seen = observer_sees(observer);
	EXPECT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_LT(0, self->reading.value[0]);
	return seen;
}

/*
 * The second context finds the other copy. A refused CONFIGURE is not counted: the next test
 * unloads the module.
 */
TEST_F(leftovers, left_with_a_copied_permission)
{
	struct observer observer = { 0 }, second = { 0 };
	int refused;

	NEED_RDPMC();
	NEED_ROOT();
	NEED_PERF();
	OPEN_DEVICE(refused);
	ASSERT_EQ(0, observer_start_with_copy(&second, &self->query));
	ASSERT_EQ(0, observer_start_with_copy(&observer, &self->query));
	configure_cpu(_metadata, self);
	EXPECT_EQ(-EBUSY, setup_configure(refused, &self->setup));
	EXPECT_EQ(0, counted_and_seen(_metadata, self, &observer));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	configure_cpu(_metadata, self);
	EXPECT_EQ(0, counted_and_seen(_metadata, self, &second));
}

/* The module is loaded after the fork. */
TEST_F(leftovers, left_with_a_permission_copied_before)
{
	struct observer observer = { 0 };

	NEED_RDPMC();
	NEED_ROOT();
	NEED_PERF();
	UNLOAD();
	EXPECT_EQ(0, observer_start_with_copy(&observer, &self->query));
	ASSERT_EQ(0, module_load());
	OPEN_DEVICE(self->fd);
	configure_cpu(_metadata, self);
	EXPECT_EQ(0, counted_and_seen(_metadata, self, &observer));
}

/** struct interruption - work for a thread while another thread's clone() waits for a page */
struct interruption {
	struct __test_metadata *_metadata;
	struct _test_data_leftovers *self;
	int userfault;
	int *page;		/* clone() writes there */
	int perf;
	void *perfs_page;
};

static void *unmap_and_configure(void *data)
{
	struct interruption *in = data;
	struct __test_metadata *_metadata = in->_metadata;
	struct uffdio_zeropage zero = {
		.range = { (uintptr_t)in->page, sysconf(_SC_PAGESIZE) },
	};
	struct uffd_msg message;

	EXPECT_EQ(sizeof(message), read(in->userfault, &message, sizeof(message)));
	EXPECT_EQ(0, unmap_perfs_event(in->perfs_page, in->perf, &in->self->query));
	configure_cpu(_metadata, in->self);
	EXPECT_EQ(0, ioctl(in->userfault, UFFDIO_ZEROPAGE, &zero));
	return NULL;
}

/*
 * CONFIGURE runs after a fork has copied the permission, and before the child is in the list of
 * tasks. By then perf's event is closed, and the child has mapped none.
 */
TEST_F(leftovers, permission_copied_meanwhile_is_removed)
{
	struct interruption in = { ._metadata = _metadata, .self = self };
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register missing = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct observer observer = { .perf = -1 };
	size_t size = sysconf(_SC_PAGESIZE);
	pthread_t thread;

	NEED_RDPMC();
	NEED_ROOT();
	NEED_PERF();
	in.userfault = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (in.userfault < 0)
		SKIP(return, "no userfaultfd() here: errno %d", errno);
	in.page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, in.page);
	missing.range.start = (uintptr_t)in.page;
	missing.range.len = size;
	ASSERT_EQ(0, ioctl(in.userfault, UFFDIO_API, &api));
	ASSERT_EQ(0, ioctl(in.userfault, UFFDIO_REGISTER, &missing));
	in.perfs_page = map_perfs_event(&in.perf);
	ASSERT_NE(MAP_FAILED, in.perfs_page);
	observer.pidfd = in.page;
	ASSERT_EQ(0, pthread_create(&thread, NULL, unmap_and_configure, &in));
	ASSERT_EQ(0, observer_start(&observer, &self->query, -1, NONE_OWN));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(NOT_PERMITTED, counted_and_seen(_metadata, self, &observer));
}

/* The program of left_over_an_exec. Return: counts_seen(), or an error above 199. */
static int stop_and_look(int context, int own)
{
	struct pmc_query query;

	catch_faults();
	if (pmc_query(PMC_CPU_ANY, &query) || begin_as_user(own) ||
	    pmc_call(context, PMC_IOC_STOP, NULL))
		return 200;
	return counts_seen(&query, counter_placed(0));
}

/* "stop CONTEXT OWN": the program of left_over_an_exec, with two files of /dev/pmc */
int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "stop"))
		return stop_and_look(atoi(argv[2]), atoi(argv[3]));
	selftest_begin(argc, argv);
	return test_harness_run(argc, argv);
}

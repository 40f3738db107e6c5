// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fails every allocation on every path once
 *
 * The first allocation of a path fails, then only the second, and so on until the path has no
 * more. Each time the result is ENOMEM (or the kernel's own translation of it), nothing is left
 * behind, and the same call succeeds right after. With the kernel's fault injection (the debug
 * kernel's /proc/thread-self/fail-nth) every allocation can fail, and KASAN and kmemleak detect a
 * missing or a double undo. Debian 6.1 needs refuse_alloc.ko (modules/refuse_alloc); there only
 * allocations from slabs fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "credentials.h"
#include "module.h"
#include "netlink.h"
#include "fixture.h"
#include "registers.h"
#include "samples.h"
#include "user_read.h"

#define DEBUG		"/sys/kernel/debug/"
#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define REFUSE_KO	"/refuse_alloc.ko"
#define REFUSE_NTH	"/proc/refuse_nth"
#define REFUSED		"refused"
#define PCE		"/sys/class/misc/pmc/pce"

/* More than any path has; loading the module has some hundreds. */
#define FAILURES_MAX	4000

static int fail_nth = -1;

/* The @n-th allocation from here on fails. */
static void fail_begin(unsigned int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(fail_nth, text, length, 0) != length)
		_exit(KSFT_FAIL);
}

/* Has it failed? From here on none fails. */
static bool fail_end(void)
{
	char text[16] = "";

	if (pread(fail_nth, text, sizeof(text) - 1, 0) <= 0)
		_exit(KSFT_FAIL);
	fail_begin(0);
	return atoi(text) == 0;
}

/* A path: returns 0 or its first error, and closes what it opened. */
typedef int path_function(const struct pmc_query *query);

/* Add a counter of instructions to @setup and configure it. */
static int configured(const struct pmc_query *query, struct setup *setup, uint64_t period)
{
	int fd = pmc_open(), err;

	if (fd < 0)
		return fd;
	setup_add(setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_period(setup, setup->config.nr_counters - 1, period);
	err = setup_configure(fd, setup);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

/* Configure, start, read, stop and close. */
static int counted(const struct pmc_query *query, struct setup *setup, uint64_t period)
{
	int fd = configured(query, setup, period), err;
	struct reading reading;
	char records[512];

	if (fd < 0)
		return fd;
	err = sampled_loop(fd, 1000, PMC_IOC_START, PMC_IOC_STOP);
	if (!err)
		err = reading_read(fd, &reading);
	if (!err)
		err = pmc_call(fd, PMC_IOC_RESET, NULL);
	if (!err && period && read(fd, records, sizeof(records)) < 0)
		err = -errno;
	if (!err && setup->config.scope == PMC_SCOPE_THREAD &&
	    reading.value[setup->config.nr_counters - 1] != SAMPLED_LOOP(1000))
		err = -EPROTO;
	close(fd);
	return err;
}

static int path_thread(const struct pmc_query *query)
{
	struct setup setup;

	setup_thread(&setup, 0, 0);
	return counted(query, &setup, 0);
}

static int path_process(const struct pmc_query *query)
{
	struct setup setup;

	setup_thread(&setup, 0, 0);
	setup.config.scope = PMC_SCOPE_PROCESS;
	return counted(query, &setup, 0);
}

static int path_cpu(const struct pmc_query *query)
{
	struct setup setup;

	setup_cpu(&setup, 0);
	return counted(query, &setup, 0);
}

static int path_all_cpus(const struct pmc_query *query)
{
	struct setup setup;

	setup_all_cpus(&setup);
	return counted(query, &setup, 0);
}

static int path_sampled_thread(const struct pmc_query *query)
{
	struct setup setup;

	setup_thread(&setup, 0, 0);
	setup.config.sample_flags = PMC_SAMPLE_MMAPS | PMC_SAMPLE_USER_CALLCHAIN;
	return counted(query, &setup, 500);
}

static int path_sampled_cpus(const struct pmc_query *query)
{
	struct setup setup;

	setup_all_cpus(&setup);
	setup.config.sample_flags = PMC_SAMPLE_KERNEL_CALLCHAIN;
	return counted(query, &setup, 5000);
}

/* One sample: the mapping that it lies in has a record, or is counted as lost. */
static int path_mmap_record(const struct pmc_query *query)
{
	struct pmc_statistics statistics;
	union {
		struct pmc_record first;
		char bytes[512];
	} records;
	struct setup setup;
	ssize_t length = 0;
	int fd, err;

	setup_thread(&setup, 0, 0);
	setup.config.sample_flags = PMC_SAMPLE_MMAPS;
	fd = configured(query, &setup, SAMPLED_LOOP(1000));
	if (fd < 0)
		return fd;
	err = sampled_loop(fd, 1500, PMC_IOC_START, PMC_IOC_STOP);
	if (!err)
		err = statistics_read(fd, &statistics);
	if (!err)
		length = read(fd, &records, sizeof(records));
	if (length < 0)
		err = -errno;
	if (!err && (statistics.sampled != 1 || statistics.mmaps_lost > 1 ||
		     statistics.mmaps_lost != (length == records.first.size)))
		err = -EPROTO;
	close(fd);
	return err;
}

/*
 * munmap() may need memory. A mapping that stays keeps its file open, so it is unmapped again:
 * only one allocation fails.
 */
static int unmapped(void *address, size_t length)
{
	int err;

	if (!munmap(address, length))
		return 0;
	err = -errno;
	return munmap(address, length) ? -EPROTO : err;
}

static int path_ring(const struct pmc_query *query)
{
	struct setup setup;
	struct ring ring;
	int fd, err;

	setup_thread(&setup, 0, 0);
	fd = configured(query, &setup, 500);
	if (fd < 0)
		return fd;
	err = ring_map(&ring, fd, &setup, 0);
	if (!err)
		err = unmapped(ring.shared, ring.length);
	close(fd);
	return err;
}

static int path_page(const struct pmc_query *query)
{
	const struct pmc_page *page;
	struct setup setup;
	int fd, err = 0;

	setup_thread(&setup, 0, PMC_CONFIG_USER_READ);
	fd = configured(query, &setup, 0);
	if (fd < 0)
		return fd;
	page = page_map(fd);
	if (page) {
		/* a page fault without memory is repeated */
		page_sequence(page);
		err = unmapped((void *)page, sysconf(_SC_PAGESIZE));
	} else {
		err = -errno;
	}
	close(fd);
	return err;
}

static int ended_at_once(void *unused)
{
	return 0;
}

/* A child that shares the memory of its parent, so that the kernel copies nothing */
static int made_child(void)
{
	static char stack[4096];
	pid_t pid = clone(ended_at_once, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD,
			  NULL);

	if (pid < 0)
		return -errno;
	waitpid(pid, NULL, 0);
	return 0;
}

/*
 * A thread. The kernel clears its ID and wakes the waiter when the thread no longer uses its
 * memory, a moment before it stops being followed.
 */
static int made_thread(void)
{
	static char stack[4096];
	static pid_t number;
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		    CLONE_SYSVSEM | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID;
	pid_t pid = clone(ended_at_once, stack + sizeof(stack), flags, NULL, &number, NULL,
			  &number);

	if (pid < 0)
		return -errno;
	while (__atomic_load_n(&number, __ATOMIC_ACQUIRE) == pid)
		syscall(SYS_futex, &number, FUTEX_WAIT, pid, NULL, NULL, 0);
	return 0;
}

/*
 * A followed task creates two children that end: after the first, the object for the second is
 * allocated.
 */
static int followed(const struct pmc_query *query, uint32_t scope, uint64_t period,
		    int (*make)(void))
{
	struct reading reading;
	struct setup setup;
	int fd, err;

	setup_thread(&setup, 0, 0);
	setup.config.scope = scope;
	if (period)
		setup.config.sample_flags = PMC_SAMPLE_MMAPS;
	fd = configured(query, &setup, period);
	if (fd < 0)
		return fd;
	err = pmc_call(fd, PMC_IOC_START, NULL);
	if (!err)
		err = make();
	if (!err)
		err = make();
	if (!err)
		err = reading_read(fd, &reading);
	/* the state reports an unfollowed task */
	if (!err && reading.state & PMC_STATE_INCOMPLETE)
		err = -ENOMEM;
	close(fd);
	return err;
}

static int path_fork(const struct pmc_query *query)
{
	return followed(query, PMC_SCOPE_TREE, 0, made_child);
}

static int path_sampled_fork(const struct pmc_query *query)
{
	return followed(query, PMC_SCOPE_TREE, 500, made_child);
}

static int path_threads(const struct pmc_query *query)
{
	return followed(query, PMC_SCOPE_PROCESS, 0, made_thread);
}

static int path_sampled_threads(const struct pmc_query *query)
{
	return followed(query, PMC_SCOPE_PROCESS, 500, made_thread);
}

static pid_t other;

/* Another process: the driver asks the security modules, and allocates credentials for that. */
static int path_other(const struct pmc_query *query)
{
	struct setup setup;
	int fd;

	setup_thread(&setup, other, 0);
	setup.config.scope = PMC_SCOPE_PROCESS;
	fd = configured(query, &setup, 0);
	return fd < 0 ? fd : close(fd);
}

/* The sums of the intervals of the performance metrics */
static int path_metrics(const struct pmc_query *query)
{
	struct setup setup;

	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_SLOTS, 0, PMC_COUNT_USER);
	setup_add(&setup, PMC_COUNTER_METRICS, 0, PMC_COUNT_USER);
	return counted(query, &setup, 0);
}

static int path_netlink(const struct pmc_query *query)
{
	static struct nl_message messages[8];
	struct nl nl;
	int err = nl_open(&nl);

	if (!err)
		err = nl_get(&nl, PMC_NETLINK_GET_DRIVER, messages);
	if (err >= 0)
		err = nl_get(&nl, PMC_NETLINK_GET_STATISTICS, messages);
	if (err >= 0)
		err = nl_get_cpu(&nl, 0, messages);
	if (err >= 0)
		err = nl_dump(&nl, PMC_NETLINK_GET_CPU, messages, 8);
	if (err >= 0)
		err = nl_dump(&nl, PMC_NETLINK_GET_CONTEXT, messages, 8);
	close(nl.fd);
	return err < 0 ? err : 0;
}

/* With a listener: events need memory too. */
static int path_events(const struct pmc_query *query)
{
	struct setup setup;
	struct nl nl;
	int err = nl_open(&nl);

	if (!err)
		err = nl_join(&nl, PMC_NETLINK_GROUP_CONTEXT);
	if (!err) {
		setup_thread(&setup, 0, 0);
		err = counted(query, &setup, 0);
	}
	close(nl.fd);
	return err;
}

static int path_pce(const struct pmc_query *query)
{
	char text[128];
	int err = file_read(PCE, text, sizeof(text));

	if (!err)
		err = file_write(PCE, "2");
	if (!err)
		err = file_write(PCE, "1");
	return err;
}

/* The kernel's own result of a failed allocation on the way: ENFILE is from socket(). */
static bool is_expected(int err)
{
	return err == -ENOMEM || err == -ENOBUFS || err == -EAGAIN || err == -ENFILE;
}

FIXTURE(fail_nth) {
	BASE_FIXTURE;
	struct registers before;
	struct registers after;
	bool refuse;		/* refuse_alloc.ko was loaded */
};

/* Let every allocation fail, also those that may sleep and those of one page. */
static int debug_settings(void)
{
	static const char *const settings[][2] = {
		{ DEBUG "failslab/ignore-gfp-wait", "0" },
		{ DEBUG "failslab/verbose", "0" },
		{ DEBUG "fail_page_alloc/ignore-gfp-wait", "0" },
		{ DEBUG "fail_page_alloc/ignore-gfp-highmem", "0" },
		{ DEBUG "fail_page_alloc/min-order", "0" },
		{ DEBUG "fail_page_alloc/verbose", "0" },
	};
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(settings) && !err; i++)
		err = file_write(settings[i][0], settings[i][1]);
	return err;
}

/* Load refuse_alloc.ko with this parameter: in processes named REFUSED the function fails. */
static int refuse_load(struct _test_data_fail_nth *self, const char *parameter)
{
	int ko, err;

	if (self->refuse && syscall(SYS_delete_module, "refuse_alloc", O_NONBLOCK))
		return -errno;
	self->refuse = false;
	ko = open(REFUSE_KO, O_RDONLY | O_CLOEXEC);
	if (ko < 0)
		return -errno;
	err = syscall(SYS_finit_module, ko, parameter, 0) ? -errno : 0;
	self->refuse = !err;
	close(ko);
	return err;
}

#define NEED_REFUSE_KO() do {								\
	if (access(REFUSE_KO, R_OK))							\
		SKIP(return, "no %s (modules/refuse_alloc/build)", REFUSE_KO);		\
} while (0)

/* The test unloads the module. */
#define NEED_UNLOAD() do {								\
	if (getenv("PMCDRV_KEEP"))							\
		SKIP(return, "the module is to stay loaded");				\
} while (0)

FIXTURE_SETUP(fail_nth)
{
	NEED_COUNTERS_AND_ROOT(&self->query);
	if (access("/dev/cpu/0/msr", R_OK))
		SKIP(return, "no /dev/cpu/0/msr (modprobe msr)");
	fail_nth = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	if (fail_nth >= 0) {
		ASSERT_EQ(0, debug_settings());
	} else {
		NEED_REFUSE_KO();
		/* one that is left was loaded by a test that timed out */
		self->refuse = !access(REFUSE_NTH, F_OK);
		ASSERT_EQ(0, refuse_load(self, ""));
		fail_nth = open(REFUSE_NTH, O_RDWR | O_CLOEXEC);
		ASSERT_LE(0, fail_nth);
	}
	/* the probes and all that stays while a file is open are not part of a path */
	ASSERT_EQ(0, pin(0, 0));
	registers_list(&self->before, &self->query);
	self->after = self->before;
}

FIXTURE_TEARDOWN(fail_nth)
{
	/* other_process may have ended without them */
	capabilities(CAPS_ALL, CAPS_ALL, 0);
	if (fail_nth >= 0)
		close(fail_nth);
	if (self->refuse)
		EXPECT_EQ(0, syscall(SYS_delete_module, "refuse_alloc", O_NONBLOCK));
}

static void fail_each(struct __test_metadata *_metadata, struct _test_data_fail_nth *self,
		      path_function *path)
{
	unsigned int n, refused = 0;
	struct pmc_query query;
	bool failed = true;
	int err;

	ASSERT_EQ(0, path(&self->query));
	ASSERT_EQ(0, registers_read(&self->before))
		TH_LOG("no /dev/cpu/0/msr (modprobe msr)");
	for (n = 1; failed && n < FAILURES_MAX; n++) {
		fail_begin(n);
		err = path(&self->query);
		failed = fail_end();
		ASSERT_EQ(0, registers_read(&self->after));
		ASSERT_EQ(0, registers_differ(&self->before, &self->after))
			TH_LOG("after allocation %u", n);
		if (err) {
			refused++;
			EXPECT_TRUE(failed && is_expected(err))
				TH_LOG("allocation %u: %s", n, strerror(-err));
		}
		ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
		ASSERT_EQ(0, query.contexts);
		err = path(&self->query);
		ASSERT_EQ(0, err)
			TH_LOG("after allocation %u: %s", n, strerror(-err));
	}
	TH_LOG("%u allocations failed, %u of them were reported", n - 2, refused);
	EXPECT_FALSE(failed);
	EXPECT_LT(0, refused);
}

TEST_F(fail_nth, thread)
{
	fail_each(_metadata, self, path_thread);
}

TEST_F(fail_nth, process)
{
	fail_each(_metadata, self, path_process);
}

TEST_F(fail_nth, cpu)
{
	fail_each(_metadata, self, path_cpu);
}

TEST_F(fail_nth, all_cpus)
{
	fail_each(_metadata, self, path_all_cpus);
}

TEST_F(fail_nth, sampled_thread)
{
	fail_each(_metadata, self, path_sampled_thread);
}

TEST_F(fail_nth, mmap_record)
{
	fail_each(_metadata, self, path_mmap_record);
}

TEST_F(fail_nth, sampled_cpus)
{
	fail_each(_metadata, self, path_sampled_cpus);
}

TEST_F(fail_nth, ring)
{
	fail_each(_metadata, self, path_ring);
}

TEST_F(fail_nth, page)
{
	fail_each(_metadata, self, path_page);
}

TEST_F(fail_nth, fork)
{
	fail_each(_metadata, self, path_fork);
}

TEST_F(fail_nth, sampled_fork)
{
	fail_each(_metadata, self, path_sampled_fork);
}

TEST_F(fail_nth, threads)
{
	fail_each(_metadata, self, path_threads);
}

TEST_F(fail_nth, sampled_threads)
{
	fail_each(_metadata, self, path_sampled_threads);
}

TEST_F(fail_nth, other_process)
{
	other = fork();
	if (!other) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	ASSERT_LT(0, other);
	/* CAP_PERFMON would skip the security modules; the others: /dev/cpu/N/msr, fail-nth */
	EXPECT_EQ(0, capabilities(CAPS_ALL, CAP(CAP_SYS_RAWIO) | CAP(CAP_SYS_RESOURCE), 0));
	fail_each(_metadata, self, path_other);
	EXPECT_EQ(0, capabilities(CAPS_ALL, CAPS_ALL, 0));
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

TEST_F(fail_nth, metrics)
{
	if (!(self->query.features & PMC_FEATURE(METRICS)))
		SKIP(return, "no performance metrics");
	fail_each(_metadata, self, path_metrics);
}

TEST_F(fail_nth, netlink)
{
	fail_each(_metadata, self, path_netlink);
}

TEST_F(fail_nth, events)
{
	fail_each(_metadata, self, path_events);
}

TEST_F(fail_nth, pce)
{
	fail_each(_metadata, self, path_pce);
}

/* Is the driver's CPU hotplug state registered? */
static bool hotplug_state_exists(void)
{
	static char states[16384];

	return file_read("/sys/devices/system/cpu/hotplug/states", states, sizeof(states)) ||
	       strstr(states, "pmcdrv:");
}

/*
 * Each registration at load fails once: neither the device nor the hotplug state is left, and the
 * next load succeeds.
 */
TEST_F(fail_nth, load_without)
{
	static const struct {
		const char *parameter;
		int err;
	} refused[] = {
		{ "call=for_each_kernel_tracepoint", -EOPNOTSUPP },
		{ "call=__cpuhp_setup_state", -ENOSPC },
		{ "call=register_reboot_notifier", -ENOSPC },
		{ "call=genl_register_family", -ENOSPC },
		{ "call=misc_register", -ENOSPC },
	};
	char name[16];
	unsigned int i;

	NEED_REFUSE_KO();
	NEED_UNLOAD();
	ASSERT_EQ(0, prctl(PR_GET_NAME, name));
	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		ASSERT_EQ(0, refuse_load(self, refused[i].parameter));
		ASSERT_EQ(0, module_unload());
		ASSERT_EQ(0, prctl(PR_SET_NAME, REFUSED));
		EXPECT_EQ(refused[i].err, module_load()) TH_LOG("%s", refused[i].parameter);
		ASSERT_EQ(0, prctl(PR_SET_NAME, name));
		EXPECT_EQ(-1, access(PMC_DEVICE, F_OK));
		EXPECT_FALSE(hotplug_state_exists());
		ASSERT_EQ(0, module_load());
		EXPECT_TRUE(hotplug_state_exists());
		ASSERT_EQ(0, path_all_cpus(&self->query));
	}
}

/* The same for CONFIGURE: the NMI handler, then the tracepoints */
TEST_F(fail_nth, configure_without)
{
	static const char *const refused[] = {
		"call=__register_nmi_handler", "call=tracepoint_probe_register_prio",
	};
	struct pmc_query query;
	struct setup setup;
	char name[16];
	unsigned int i;

	NEED_REFUSE_KO();
	ASSERT_EQ(0, prctl(PR_GET_NAME, name));
	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		ASSERT_EQ(0, refuse_load(self, refused[i]));
		setup_thread(&setup, 0, 0);
		ASSERT_EQ(0, prctl(PR_SET_NAME, REFUSED));
		EXPECT_EQ(-ENOSPC, configured(&self->query, &setup, 500)) TH_LOG("%s", refused[i]);
		ASSERT_EQ(0, prctl(PR_SET_NAME, name));
		ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
		EXPECT_EQ(0, query.contexts);
		ASSERT_EQ(0, path_sampled_thread(&self->query));
	}
}

/* Loading and unloading the module, which takes seconds in this kernel */
TEST_F_TIMEOUT(fail_nth, load, 7200)
{
	const char *path = getenv("PMCDRV_KO");
	unsigned int n, refused = 0;
	bool failed = true;
	int file, err;

	if (self->refuse)
		SKIP(return, "needs the kernel's fault injection");
	NEED_UNLOAD();
	file = open(path ? path : "/pmcdrv.ko", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, file);
	ASSERT_EQ(0, syscall(SYS_delete_module, "pmcdrv", 0));
	for (n = 1; failed && n < FAILURES_MAX; n++) {
		fail_begin(n);
		err = syscall(SYS_finit_module, file, "", 0) ? -errno : 0;
		failed = fail_end();
		if (err) {
			refused++;
			EXPECT_TRUE(failed) TH_LOG("allocation %u: %s", n, strerror(-err));
		}
		EXPECT_EQ(err ? -1 : 0, access(PMC_DEVICE, F_OK));
		if (!err)
			ASSERT_EQ(0, syscall(SYS_delete_module, "pmcdrv", 0));
	}
	TH_LOG("%u allocations failed, %u of them were reported", n - 2, refused);
	EXPECT_FALSE(failed);
	EXPECT_LT(0, refused);
	ASSERT_EQ(0, syscall(SYS_finit_module, file, "", 0));
	close(file);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that every PMU register has the same value, bit for bit, before the module is loaded
 * and after it is unloaded, whatever happened in between
 *
 * Each test begins with the module unloaded and a different value in each register on each CPU,
 * so that it also covers the first claim, and loading and unloading themselves.
 *
 * perf zeroes the values that it left in its counters when a task that may execute RDPMC is
 * scheduled on a CPU. The first claim of the driver causes this. The tests cause it before they
 * check a register.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "registers.h"

/* An event that never counts */
static int perf_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/*
 * A task that has mapped an event may use RDPMC; this one visits every CPU. Where perf does not
 * know the counters, it has left nothing in them. Returns 0 or a negative errno.
 */
static int perf_forget(void)
{
	int cpu, err = 0, fd = perf_open();
	void *page;

	if (fd < 0)
		return errno == ENOENT || errno == EOPNOTSUPP || errno == ENODEV ? 0 : -errno;
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		err = -errno;
	for (cpu = 0; cpu < cpus_online() && !err; cpu++)
		err = pin(0, cpu);
	munmap(page, 4096);
	close(fd);
	return err;
}

/* The answer to pmc_query() before the first test: each test leaves the module unloaded. */
static struct pmc_query query;
static int queried;

FIXTURE(unloaded) {
	struct pmc_query query;
	struct registers found;
	struct registers before;
	struct registers after;
};

/* Unload the module; the registers keep only this test's values. */
static int leave_all(struct _test_data_unloaded *self)
{
	int err = perf_forget();

	if (!err)
		err = registers_read(&self->found);
	if (!err)
		err = registers_fill(&self->found, &self->before);
	return err;
}

FIXTURE_SETUP(unloaded)
{
	uint64_t value;
	int err;

	ASSERT_EQ(0, queried);
	if (query.status != PMC_STATUS_OK)
		SKIP(return, "the CPU has no counters: status %u", query.status);
	NEED_ROOT();
	self->query = query;
	if (getenv("PMCDRV_KEEP"))
		SKIP(return, "the module is to stay loaded");
	if (msr_read(0, msr_counter(&self->query, __builtin_ctzll(self->query.general_counters)),
		     &value))
		SKIP(return, "no /dev/cpu/0/msr (modprobe msr)");
	registers_list(&self->found, &self->query);
	err = module_unload();
	if (err != -ENOENT)
		ASSERT_EQ(0, err);
	ASSERT_EQ(0, leave_all(self));
	self->after = self->before;
}

FIXTURE_TEARDOWN(unloaded)
{
	registers_put(&self->found);
}

static void compare(struct __test_metadata *_metadata, struct _test_data_unloaded *self)
{
	ASSERT_EQ(0, registers_read(&self->after));
	EXPECT_EQ(0, registers_differ(&self->before, &self->after));
}

/* Unloading is the last thing that can change the registers. */
static void unload_and_compare(struct __test_metadata *_metadata,
			       struct _test_data_unloaded *self)
{
	ASSERT_EQ(0, module_unload());
	compare(_metadata, self);
}

/* Nothing is counted: a query writes nothing. */
TEST_F(unloaded, not_used)
{
	struct pmc_counter counter;
	struct pmc_query now;

	EXPECT_NE(0, registers_count(&self->found, &self->before));
	ASSERT_EQ(0, module_load());
	compare(_metadata, self);
	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &now));
	EXPECT_EQ(self->query.general_counters, now.general_counters);
	ASSERT_EQ(0, pmc_describe(PMC_CPU_ANY, counter_placed(0), &counter));
	compare(_metadata, self);
	unload_and_compare(_metadata, self);
}

TEST_F(unloaded, all_counters_used)
{
	struct reading reading;
	int fd;

	ASSERT_EQ(0, module_load());
	OPEN_DEVICE(fd);
	ASSERT_EQ(0, claim_all(fd, &self->query));
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, reading_read(fd, &reading));
	EXPECT_LT(0, reading.value[0]);
	/* the registers are really in use now */
	ASSERT_EQ(0, registers_read(&self->after));
	EXPECT_NE(0, registers_count(&self->before, &self->after));
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_RELEASE, NULL));
	compare(_metadata, self);
	ASSERT_EQ(0, close(fd));
	unload_and_compare(_metadata, self);
}

/* With samples, where there are interrupts */
TEST_F(unloaded, killed)
{
	ASSERT_EQ(0, module_load());
	ASSERT_EQ(0, claim_all_killed(&self->query));
	compare(_metadata, self);
	ASSERT_EQ(0, claim_all_killed(&self->query));
	compare(_metadata, self);
	unload_and_compare(_metadata, self);
}

/* The first claim of all is undone. */
TEST_F(unloaded, refused)
{
	int fd;

	ASSERT_EQ(0, module_load());
	OPEN_DEVICE(fd);
	ASSERT_EQ(-EFAULT, claim_all_unanswered(fd, &self->query));
	compare(_metadata, self);
	ASSERT_EQ(0, close(fd));
	unload_and_compare(_metadata, self);
}

#undef SELFTEST_PREPARE
#define SELFTEST_PREPARE()	(queried = pmc_query(PMC_CPU_ANY, &query))

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that slots and performance metrics have afterwards the values that a previous user left,
 * and that metrics which count without a reservation are not claimed
 */
#include <fcntl.h>

#include "kselftest_harness.h"
#include "metrics.h"
#include "registers.h"

#define GLOBAL_METRICS		(1ULL << 48)
#define GLOBAL_SLOTS		(1ULL << 35)
#define FIXED_CTRL_SLOTS_USER	(2ULL << 12)

static int found_write(int cpu, uint64_t slots, uint64_t metrics,
		       const struct pmc_query *query)
{
	int err = msr_write(cpu, msr_fixed(query, 3), slots);

	return err ? err : msr_write(cpu, MSR_PERF_METRICS, metrics);
}

static int found_read(int cpu, uint32_t msr, uint64_t *value)
{
	int fd = msr_open(cpu);
	int err = pread(fd, value, 8, msr) == 8 ? 0 : -errno;

	close(fd);
	return err;
}

/* A context with metrics, or with slots alone, restores what it found. */
static void found(struct __test_metadata *_metadata, struct _test_data_metrics *self)
{
	uint64_t slots, metrics, value, ctrl;

	NEED_METRICS();
	NEED_WIDE();
	NEED_ROOT();
	if (found_read(self->cpu, MSR_PERF_METRICS, &value))
		SKIP(return, "no /dev/cpu/0/msr (modprobe msr)");
	/* perf's leftovers are zeroed at the first claim, once */
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, found_write(self->cpu, 0x12345678, 0x10203000 + 0xff - 0x60, &self->query));
	ASSERT_EQ(0, found_read(self->cpu, IA32_GLOBAL_CTRL, &ctrl));
	ASSERT_EQ(0, msr_write(self->cpu, IA32_GLOBAL_CTRL, ctrl | GLOBAL_METRICS));
	ASSERT_EQ(0, msr_write(self->cpu, IA32_GLOBAL_STATUS_SET, GLOBAL_METRICS));
	ASSERT_EQ(0, found_read(self->cpu, msr_fixed(&self->query, 3), &slots));
	ASSERT_EQ(0, found_read(self->cpu, MSR_PERF_METRICS, &metrics));
	EXPECT_NE(0, metrics);

	ASSERT_EQ(0, pin(0, self->cpu));
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));

	ASSERT_EQ(0, found_read(self->cpu, msr_fixed(&self->query, 3), &value));
	EXPECT_EQ(slots, value);
	ASSERT_EQ(0, found_read(self->cpu, MSR_PERF_METRICS, &value));
	EXPECT_EQ(metrics, value);
	ASSERT_EQ(0, found_read(self->cpu, IA32_GLOBAL_CTRL, &value));
	EXPECT_EQ(ctrl | GLOBAL_METRICS, value);
	ASSERT_EQ(0, found_read(self->cpu, IA32_GLOBAL_STATUS, &value));
	EXPECT_EQ(GLOBAL_METRICS, value & GLOBAL_METRICS);
	ASSERT_EQ(0, msr_write(self->cpu, IA32_GLOBAL_STATUS_RESET, GLOBAL_METRICS));
	ASSERT_EQ(0, msr_write(self->cpu, IA32_GLOBAL_CTRL, ctrl));
	ASSERT_EQ(0, found_write(self->cpu, 0, 0, &self->query));
}

TEST_F(metrics, found_by_metrics)
{
	setup_both(&self->setup, 0);
	found(_metadata, self);
}

TEST_F(metrics, found_by_slots)
{
	setup_kind(&self->setup, 0);
	setup_add(&self->setup, SLOTS, 0, PMC_COUNT_USER);
	found(_metadata, self);
}

TEST_F(metrics, found_by_others)
{
	setup_kind(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	found(_metadata, self);
}

/* The metrics run without a reservation: CONFIGURE is refused, and they count on. */
TEST_F(metrics, found_running)
{
	uint64_t fixed, ctrl, value;

	NEED_METRICS();
	NEED_ROOT();
	if (found_read(self->cpu, IA32_FIXED_CTR_CTRL, &fixed))
		SKIP(return, "no /dev/cpu/0/msr (modprobe msr)");
	ASSERT_EQ(0, found_read(self->cpu, IA32_GLOBAL_CTRL, &ctrl));
	ASSERT_EQ(0, msr_write(self->cpu, IA32_FIXED_CTR_CTRL, fixed | FIXED_CTRL_SLOTS_USER));
	ASSERT_EQ(0, msr_write(self->cpu, IA32_GLOBAL_CTRL, ctrl | GLOBAL_SLOTS | GLOBAL_METRICS));

	setup_both(&self->setup, 0);
	EXPECT_EQ(-EBUSY, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(PMC_HOLDER_UNKNOWN, self->setup.config.holder.kind);
	EXPECT_EQ(SLOTS, self->setup.config.holder.counter);
	setup_kind(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, found_read(self->cpu, IA32_GLOBAL_CTRL, &value));
	EXPECT_EQ(GLOBAL_SLOTS | GLOBAL_METRICS, value & (GLOBAL_SLOTS | GLOBAL_METRICS));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, found_read(self->cpu, IA32_GLOBAL_CTRL, &value));
	EXPECT_EQ(ctrl | GLOBAL_SLOTS | GLOBAL_METRICS, value);

	ASSERT_EQ(0, msr_write(self->cpu, IA32_GLOBAL_CTRL, ctrl));
	ASSERT_EQ(0, msr_write(self->cpu, IA32_FIXED_CTR_CTRL, fixed));
	ASSERT_EQ(0, found_write(self->cpu, 0, 0, &self->query));
}

TEST_HARNESS_MAIN

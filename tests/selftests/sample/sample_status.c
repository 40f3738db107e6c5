// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the overflow status registers and the freeze on interrupts (IA32_DEBUGCTL): the driver
 * clears its own bits and leaves those of other
 * users
 *
 * The test accesses them through /dev/cpu/0/msr.
 */
#include <fcntl.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "samples.h"

/* AMD's processors with PerfMonV2 have the same bits for the same counters. */
#define IA32_DEBUGCTL		0x1d9
#define DEBUGCTL_FREEZE		(1ULL << 12)
#define DEBUGCTL_FREEZE_IN_SMM	(1ULL << 14)
#define CAPABILITY_FREEZE_IN_SMM (1ULL << 12)

/**
 * struct registers - addresses
 * @status: which counters have overflowed
 * @reset: clears bits of it
 * @set: sets bits of it, 0 if there is none
 */
struct registers {
	uint32_t status;
	uint32_t reset;
	uint32_t set;
};

/* SDM Volume 3B, "Architectural Performance Monitoring"; its versions 2 and 4 */
static const struct registers intel = { 0x38e, 0x390, 0x391 };
/* PerfCntrGlobalStatus, and its Clr and Set registers */
static const struct registers amd = { 0xc0000300, 0xc0000302, 0xc0000303 };

#define PERIOD	5003
#define ROUNDS	100000

FIXTURE(status) {
	SAMPLING_FIXTURE;
	struct registers registers;
	uint64_t debugctl;
	int msr;
};

static uint64_t msr_read(const struct _test_data_status *self, uint32_t address)
{
	uint64_t value;

	return pread(self->msr, &value, sizeof(value), address) == sizeof(value) ? value : -1ULL;
}

static int msr_write(const struct _test_data_status *self, uint32_t address, uint64_t value)
{
	return pwrite(self->msr, &value, sizeof(value), address) == sizeof(value) ? 0 : -errno;
}

FIXTURE_SETUP(status)
{
	NEED_SAMPLING_AND_ROOT(&self->query);
	if (!(self->query.features & PMC_FEATURE(GLOBAL_CTRL)))
		SKIP(return, "these counters have no status");
	self->registers = is_amd() ? amd : intel;
	if (!is_amd() && self->query.perfmon_version < 4)
		self->registers.set = 0;
	self->msr = open("/dev/cpu/0/msr", O_RDWR | O_CLOEXEC);
	if (self->msr < 0)
		SKIP(return, "no /dev/cpu/0/msr (modprobe msr)");
	ASSERT_EQ(0, pin(0, 0));
	self->debugctl = msr_read(self, IA32_DEBUGCTL);
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN(status)
{
	close(self->fd);
	msr_write(self, IA32_DEBUGCTL, self->debugctl);
}

/* On general counter 0 and, if there is one, the first fixed counter */
static void begin(struct __test_metadata *_metadata, struct _test_data_status *self)
{
	setup_thread_one(&self->setup, 0, 0);
	setup_period(&self->setup, 0, PERIOD);
	if (self->query.fixed_counters & 1) {
		setup_add(&self->setup, FIXED_INSTRUCTIONS, 0, PMC_COUNT_USER);
		setup_period(&self->setup, 1, PERIOD + 1000);
	}
	BEGIN_SAMPLING();
}

/* Each overflow of @times loops was reported. */
static void end(struct __test_metadata *_metadata, struct _test_data_status *self,
		unsigned int times)
{
	unsigned int i;

	tally_rings(&self->tally, &self->rings);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < self->setup.config.nr_counters; i++) {
		EXPECT_COUNT(times * SAMPLED_LOOP(ROUNDS), self->reading.value[i]);
		EXPECT_EQ(self->reading.value[i] / self->setup.counter[i].period,
			  self->tally.overflows[i]);
	}
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
	RELEASE_SAMPLING();
}

/* An unknown ioctl, instead of START or STOP */
#define NOTHING	0

/* While counting and while stopped */
TEST_F(status, acknowledged)
{
	unsigned int i;

	begin(_metadata, self);
	for (i = 0; i < 5; i++) {
		ASSERT_NE(0, sampled_loop(self->fd, ROUNDS, PMC_IOC_START, NOTHING));
		EXPECT_EQ(0, msr_read(self, self->registers.status));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
		EXPECT_EQ(0, msr_read(self, self->registers.status));
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(0, msr_read(self, self->registers.status));
}

/* The bits of counters outside the context stay as they are. */
TEST_F(status, foreign_status_bits_kept)
{
	uint64_t others;
	unsigned int i;

	if (!self->registers.set)
		SKIP(return, "no IA32_PERF_GLOBAL_STATUS_SET here");
	others = (self->query.general_counters | self->query.fixed_counters << 32) &
		 ~(1ULL | 1ULL << 32);
	begin(_metadata, self);
	ASSERT_EQ(0, msr_write(self, self->registers.set, others));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, sampled_loop(self->fd, ROUNDS, PMC_IOC_START, PMC_IOC_STOP));
		EXPECT_EQ(others, msr_read(self, self->registers.status));
	}
	ASSERT_EQ(0, msr_write(self, self->registers.reset, others));
	end(_metadata, self, 5);
}

/* The bit that the driver sets while it has the counters */
static uint64_t freeze_in_smm(const struct pmc_query *query)
{
	return query->perf_capabilities & CAPABILITY_FREEZE_IN_SMM ? DEBUGCTL_FREEZE_IN_SMM : 0;
}

/*
 * With freezing on interrupts enabled, the driver's counters do not freeze; the setting is
 * restored at the end.
 */
TEST_F(status, freezing_before)
{
	unsigned int i;

	ASSERT_EQ(0, msr_write(self, IA32_DEBUGCTL, self->debugctl | DEBUGCTL_FREEZE));
	begin(_metadata, self);
	EXPECT_EQ(self->debugctl | freeze_in_smm(&self->query), msr_read(self, IA32_DEBUGCTL));
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, sampled_loop(self->fd, ROUNDS, PMC_IOC_START, PMC_IOC_STOP));
	end(_metadata, self, 5);
	EXPECT_EQ(self->debugctl | DEBUGCTL_FREEZE, msr_read(self, IA32_DEBUGCTL));
}

/*
 * Another user enables freezing meanwhile: counting continues after the acknowledgment, if
 * nothing happens between the overflow and its interrupt.
 */
TEST_F(status, frozen)
{
	unsigned int i;

	if (!self->registers.set || getenv("PMCDRV_SKID"))
		SKIP(return, "no register that ends a freeze, or interrupts with skid");
	begin(_metadata, self);
	ASSERT_EQ(0, msr_write(self, IA32_DEBUGCTL, self->debugctl | DEBUGCTL_FREEZE));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, sampled_loop(self->fd, ROUNDS, PMC_IOC_START, PMC_IOC_STOP));
		EXPECT_EQ(0, msr_read(self, self->registers.status));
	}
	ASSERT_EQ(0, msr_write(self, IA32_DEBUGCTL, self->debugctl));
	end(_metadata, self, 5);
}

TEST_HARNESS_MAIN

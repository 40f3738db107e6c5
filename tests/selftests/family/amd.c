// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests AMD processors: which counter can count which event, and which event none can
 *
 * The table for family 15h is that of tests/unit/lib/test_amd.c; here the driver is tested.
 * Needs an AMD processor.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "samples.h"

#define ALL6	0x3f

#define GLOBAL_CTRL	0xc0000301

FIXTURE(amd) {
	BASE_FIXTURE;
};

FIXTURE_SETUP(amd)
{
	NEED_COUNTERS(&self->query);
	if (self->query.family != PMC_FAMILY_AMD)
		SKIP(return, "needs an AMD processor");
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN_CLOSE(amd)

/* The mask of counters that accept the event; all others must return EDOM. */
static uint64_t counted_by(struct __test_metadata *_metadata, struct _test_data_amd *self,
			   uint64_t select)
{
	struct setup setup;
	uint64_t taken = 0;
	unsigned int i;
	int err;

	for (i = 0; i < 64 && self->query.general_counters >> i & 1; i++) {
		setup_thread(&setup, 0, 0);
		setup_add(&setup, PMC_COUNTER_GENERAL(i), 0, PMC_COUNT_USER);
		setup.counter[0].event_select = select;
		err = setup_configure(self->fd, &setup);
		if (!err) {
			taken |= 1ULL << i;
			EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
			continue;
		}
		EXPECT_EQ(-EDOM, err) {
			TH_LOG("event select %#llx", (unsigned long long)select);
		}
		EXPECT_EQ(0, setup.config.failed_entry);
	}
	return taken;
}

/* From Linux's summary of AMD's guide for family 15h (arch/x86/events/amd/core.c) */
TEST_F(amd, family_15h)
{
	static const struct {
		uint64_t select;
		uint64_t counters;
	} known[] = {
		{ 0x0c0, ALL6 }, { 0x076, 0x07 }, { 0x0c2, ALL6 }, { 0x0100, 0x38 },
		{ 0x3000, 0x38 }, { 0x1100, 0x08 }, { 0x001, 0x38 }, { 0x003, 0x08 },
		{ 0x0104, 0x38 }, { 0x0304, 0x08 }, { 0x00b, 0x08 }, { 0x00d, 0x08 },
		{ 0x011, 0x38 }, { 0x020, ALL6 }, { 0x023, 0x07 }, { 0x02d, 0x08 },
		{ 0x02e, 0x09 }, { 0x02f, ALL6 }, { 0x031, 0x07 }, { 0x8031, 0x07 },
		{ 0x8131, 0 }, { 0x040, ALL6 }, { 0x043, 0x07 }, { 0x045, 0x07 },
		{ 0x046, 0x07 }, { 0x047, ALL6 }, { 0x054, 0x07 }, { 0x055, 0x07 },
		{ 0x060, 0x07 }, { 0x07d, 0x07 }, { 0x080, 0x07 }, { 0x08f, 0x01 },
		{ 0x10000008f, 0x07 }, { 0x087, 0x07 }, { 0x100000087, 0x01 },
		{ 0x100000088, 0x01 }, { 0x09a, 0x07 }, { 0x0a0, 0 }, { 0x0b7, 0 },
		{ 0x1000000c0, 0x38 }, { 0x0cf, ALL6 }, { 0x0d0, 0x07 }, { 0x0da, 0x07 },
		{ 0x0db, ALL6 }, { 0x0dc, ALL6 }, { 0x0dd, ALL6 }, { 0x0de, ALL6 },
		{ 0x0df, ALL6 }, { 0x1000000df, 0x07 }, { 0x0d6, 0x07 },
		{ 0x1000000d6, ALL6 }, { 0x1000000d8, ALL6 }, { 0x0e0, 0 }, { 0x4000000ff, 0 },
	};
	uint64_t taken;
	unsigned int i;

	if (self->query.cpu_family != 0x15)
		SKIP(return, "not family 15h");
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		taken = counted_by(_metadata, self, known[i].select);
		EXPECT_EQ(known[i].counters, taken) {
			TH_LOG("event select %#llx", (unsigned long long)known[i].select);
		}
	}
}

/* Before family 17h, bits 7:5 of the event; K7 has no north bridge. */
TEST_F(amd, north_bridge)
{
	uint64_t all = self->query.general_counters;

	if (self->query.cpu_family >= 0x17 || self->query.cpu_family < 0x0f) {
		EXPECT_EQ(all, counted_by(_metadata, self, 0xe0));
		EXPECT_EQ(all, counted_by(_metadata, self, 0xffff));
		return;
	}
	EXPECT_EQ(0, counted_by(_metadata, self, 0xe0));
	EXPECT_EQ(0, counted_by(_metadata, self, 0xffff));
	EXPECT_NE(0, counted_by(_metadata, self, 0xdf));
	if (self->query.cpu_family >= 0x10)
		EXPECT_EQ(0, counted_by(_metadata, self, 0x40000f7e1));
}

/* From family 17h on */
TEST_F(amd, pairs_of_counters)
{
	if (self->query.cpu_family < 0x17)
		SKIP(return, "no pairs before family 17h");
	EXPECT_EQ(0, counted_by(_metadata, self, 0xff03));
	EXPECT_EQ(0, counted_by(_metadata, self, 0xf000000ff));
	EXPECT_EQ(self->query.general_counters, counted_by(_metadata, self, 0x100000003));
	EXPECT_EQ(self->query.general_counters, counted_by(_metadata, self, 0xe000000ff));
}

static int global_ctrl_write(uint64_t value)
{
	int fd = open("/dev/cpu/0/msr", O_RDWR | O_CLOEXEC);
	int err = pwrite(fd, &value, sizeof(value), GLOBAL_CTRL) == sizeof(value) ? 0 : -errno;

	close(fd);
	return err;
}

/* The count from a START to the STOP after it, the same each time */
static uint64_t start_and_stop(struct __test_metadata *_metadata, struct _test_data_amd *self)
{
	struct reading before, after;

	ASSERT_EQ(0, reading_read(self->fd, &before));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	STOP_AND_READ(self->fd, &after);
	return after.value[0] - before.value[0];
}

/*
 * Linux writes 0 and then all ones into PerfMonV2's global control when a virtual machine
 * starts or ends (amd_pmu_reload_virt()), also while the driver holds the counters: a stopped
 * counter must stay stopped.
 */
TEST_F(amd, stopped_despite_foreign_writes)
{
	struct setup setup;
	uint64_t once;

	if (!(self->query.features & PMC_FEATURE(GLOBAL_CTRL)))
		SKIP(return, "no global control here");
	NEED_ROOT();
	ASSERT_EQ(0, pin(0, 0));
	setup_thread_one(&setup, 0, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &setup));
	once = start_and_stop(_metadata, self);
	ASSERT_NE(0, once);
	EXPECT_EQ(once, start_and_stop(_metadata, self));
	ASSERT_EQ(0, global_ctrl_write(0));
	ASSERT_EQ(0, global_ctrl_write(self->query.general_counters));
	EXPECT_EQ(once, start_and_stop(_metadata, self));
}

#ifndef __LP64__

/*
 * The SYSCALL in the kernel's vDSO code, or NULL. It exists only on a 64-bit kernel on AMD's
 * processors.
 */
static const unsigned char *vdso_syscall(const unsigned char *entry)
{
	unsigned int i;

	for (i = 0; entry && i < 16; i++) {
		if (entry[i] == 0x0f && entry[i + 1] == 0x05)
			return entry + i;
	}
	return NULL;
}

static void call_by_vdso(const unsigned char *entry, unsigned int rounds)
{
	for (; rounds; rounds--) {
		long id = SYS_gettid;

		asm volatile("call *%1" : "+a" (id) : "r" (entry) : "memory", "cc");
	}
}

/*
 * A sample of an overflow in a 32-bit program's SYSCALL has its return address: behind it, or,
 * if the interrupt is late, where the kernel returns to. No other sample lacks an address.
 */
TEST_F(amd, syscall_of_32_bits)
{
	const unsigned char *entry = (void *)getauxval(AT_SYSINFO);
	const unsigned char *by = vdso_syscall(entry);
	const struct pmc_record *record;
	const struct pmc_sample *sample;
	unsigned int calls = 0;
	struct setup setup;
	struct rings rings;
	uint16_t cs;

	if (!by)
		SKIP(return, "no SYSCALL for 32-bit programs here");
	asm("mov %%cs, %0" : "=r" (cs));
	ASSERT_EQ(0, pin(0, 0));
	setup_thread_one(&setup, 0, 0);
	/* a prime, so that each instruction of a round overflows */
	setup_period(&setup, 0, 6007);
	ASSERT_EQ(0, setup_configure(self->fd, &setup));
	ASSERT_EQ(0, rings_map(&rings, self->fd, &setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	call_by_vdso(entry, 50000);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	while ((record = ring_next(&rings.ring[0]))) {
		ASSERT_EQ(PMC_RECORD_SAMPLE, record->type);
		sample = (const void *)record;
		EXPECT_NE(0, sample->ip);
		EXPECT_EQ(cs, sample->cs);
		EXPECT_NE(0, sample->rflags & 0x200);
		if (sample->flags & PMC_SAMPLE_SKID) {
			calls++;
			if (!getenv("PMCDRV_SKID"))
				EXPECT_EQ((uintptr_t)(by + 2), sample->ip);
		}
		ring_done(&rings.ring[0], record);
	}
	EXPECT_LT(2, calls);
}

#endif /* __i386__ */

TEST_HARNESS_MAIN

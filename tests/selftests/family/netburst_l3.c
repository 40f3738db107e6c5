// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests counters 18 to 25 of the 64-bit Xeon MP with L3: their descriptions, refused requests,
 * that they count what their registers count, and that the registers have their old values
 * afterwards
 *
 * The numbers are those of SDM Volume 3B, "Performance Monitoring on 64-bit Intel Xeon
 * Processor MP with Up to 8-MByte L3 Cache", and not the driver's.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "netburst.h"
#include "samples.h"

#define FIRST		18
#define LATENCY		25
#define MSR_IFSB_BUSQ0	0x107ccU
#define MSR_IFSB_CTL6	0x107d2U
#define MSR_IFSB_CNTR7	0x107d3U
#define REGISTERS	8

/* fields of the figures; all of them set: the emulated L3 counts everything */
#define QUALIFY		0x07ffffff00000000ULL
#define SATURATE	(1ULL << 59)
#define CTL6_ENABLE	(1ULL << 26)
#define RETIRED		(0x02ULL << 57 | 1ULL << 41 | 4ULL << 13)

#define BOTH		(PMC_COUNT_USER | PMC_COUNT_KERNEL)

/* lines that the L2 does not have, and their length */
#define LINES		4096
#define LINE		128

FIXTURE(l3) {
	BASE_FIXTURE;
	uint64_t before[REGISTERS];
};

static uint64_t msr_read(uint32_t address)
{
	int fd = open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC);
	uint64_t value = ~0ULL;

	if (pread(fd, &value, sizeof(value), address) != sizeof(value))
		value = ~0ULL;
	close(fd);
	return value;
}

static int msr_write(uint32_t address, uint64_t value)
{
	int fd = open("/dev/cpu/0/msr", O_WRONLY | O_CLOEXEC);
	int err = pwrite(fd, &value, sizeof(value), address) == sizeof(value) ? 0 : -errno;

	close(fd);
	return err;
}

static void registers_read(uint64_t *values)
{
	unsigned int i;

	for (i = 0; i < REGISTERS; i++)
		values[i] = msr_read(MSR_IFSB_BUSQ0 + i);
}

FIXTURE_SETUP(l3)
{
	NEED_COUNTERS(&self->query);
	if (self->query.family != PMC_FAMILY_NETBURST ||
	    !(self->query.general_counters >> FIRST))
		SKIP(return, "no Xeon MP with L3");
	NEED_ROOT();
	if (access("/dev/cpu/0/msr", R_OK))
		SKIP(return, "no /dev/cpu/0/msr (modprobe msr)");
	OPEN_DEVICE(self->fd);
	ASSERT_EQ(0, pin(0, 0));
	registers_read(self->before);
	setup_cpu(&self->setup, 0);
}

FIXTURE_TEARDOWN_CLOSE(l3)

static void compare(struct __test_metadata *_metadata, struct _test_data_l3 *self)
{
	uint64_t after[REGISTERS];
	unsigned int i;

	registers_read(after);
	for (i = 0; i < REGISTERS; i++) {
		EXPECT_EQ(self->before[i], after[i]) {
			TH_LOG("register %#x", MSR_IFSB_BUSQ0 + i);
		}
	}
}

/* At least this many lines are looked up in the L3. */
static void fetch_lines(void)
{
	static char lines[LINES * LINE];
	unsigned int i;

	/* otherwise all pages are the zero page */
	memset(lines, 1, sizeof(lines));
	for (i = 0; i < LINES; i++)
		asm volatile("clflush %0" : "+m" (lines[i * LINE]));
	asm volatile("mfence" : : : "memory");
	for (i = 0; i < LINES; i++)
		(void)*(volatile char *)&lines[i * LINE];
}

/* 18 to 23 and 25; 24 is the control of 25. */
TEST_F(l3, described_counters)
{
	struct pmc_counter counter;
	unsigned int i;

	EXPECT_EQ(0x2fc0000 | 0x3ffff, self->query.general_counters);
	for (i = FIRST; i < FIRST + 6; i++) {
		ASSERT_EQ(0, pmc_describe(0, PMC_COUNTER_GENERAL(i), &counter));
		EXPECT_EQ(i, counter.rdpmc);
		EXPECT_EQ(32, counter.width);
		EXPECT_EQ(32, counter.write_width);
		EXPECT_EQ(0, counter.period_max);
		EXPECT_EQ(QUALIFY, counter.event_select_mask);
		EXPECT_EQ(MSR_IFSB_BUSQ0 + i - FIRST, counter.select_msr);
		EXPECT_EQ(MSR_IFSB_BUSQ0 + i - FIRST, counter.counter_msr);
	}
	EXPECT_EQ(-ENXIO, pmc_describe(0, PMC_COUNTER_GENERAL(24), &counter));
	ASSERT_EQ(0, pmc_describe(0, PMC_COUNTER_GENERAL(LATENCY), &counter));
	EXPECT_EQ(0, counter.event_select_mask);
	EXPECT_EQ(LATENCY, counter.rdpmc);
	EXPECT_EQ(MSR_IFSB_CTL6, counter.select_msr);
	EXPECT_EQ(MSR_IFSB_CNTR7, counter.counter_msr);
	EXPECT_EQ(-ENXIO, pmc_describe(0, PMC_COUNTER_GENERAL(26), &counter));
}

TEST_F(l3, refused_configurations)
{
	static const struct {
		unsigned int counter;
		uint64_t event, period, refused;
		uint32_t flags;
		int err;
	} t[] = {
		{ 18, QUALIFY | SATURATE, 0, SATURATE, BOTH, -EINVAL },
		{ 23, QUALIFY | 1, 0, 1, BOTH, -EINVAL },
		{ 20, 1ULL << 63, 0, 1ULL << 63, BOTH, -EINVAL },
		{ LATENCY, CTL6_ENABLE, 0, CTL6_ENABLE, BOTH, -EINVAL },
		{ 18, 0, 0, 0, BOTH, -EDOM },
		{ 18, QUALIFY, 0, 0, PMC_COUNT_USER, -EOPNOTSUPP },
		{ LATENCY, 0, 0, 0, PMC_COUNT_KERNEL, -EOPNOTSUPP },
		{ 18, QUALIFY, 1000, 0, BOTH, -EOPNOTSUPP },
		{ 24, 0, 0, 0, BOTH, -ENXIO },
		{ 26, QUALIFY, 0, 0, BOTH, -ENXIO },
		{ 18, QUALIFY, 0, 0, BOTH, 0 },
		{ LATENCY, 0, 0, 0, BOTH, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		setup_cpu(&self->setup, 0);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(t[i].counter), t[i].event,
			  t[i].flags);
		setup_period(&self->setup, 0, t[i].period);
		EXPECT_EQ(t[i].err, setup_configure(self->fd, &self->setup)) {
			TH_LOG("case %u", i);
		}
		EXPECT_EQ(t[i].refused, self->setup.config.refused_bits);
		if (!t[i].err) {
			EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
		}
	}
}

/* An interrupt while they are started or stopped would lose events. */
TEST_F(l3, not_beside_a_period)
{
	setup_add(&self->setup, PMC_COUNTER_GENERAL(18), QUALIFY, BOTH);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(12), RETIRED, PMC_COUNT_USER);
	EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	setup_period(&self->setup, 1, 100000);
	EXPECT_EQ(-ENOSPC, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(1, self->setup.config.failed_entry);
}

/*
 * Count with all of them from START to STOP, when the registers do not change: the values match
 * the registers' counts, across a wrap of 32 bits and from an initial value on. The first two
 * count every line that the L2 does not have; no program makes the others count here.
 */
TEST_F(l3, counts_of_registers)
{
	const uint64_t initial = 1ULL << 40;
	uint64_t from[REGISTERS];
	unsigned int i;

	for (i = 0; i < 6; i++) {
		setup_add(&self->setup, PMC_COUNTER_GENERAL(FIRST + i), QUALIFY, BOTH);
		self->setup.counter[i].initial = initial;
	}
	setup_add(&self->setup, PMC_COUNTER_GENERAL(LATENCY), 0, BOTH);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, msr_write(MSR_IFSB_BUSQ0, UINT32_MAX - 10));
	registers_read(from);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	for (i = 0; i < 6; i++)
		EXPECT_EQ(QUALIFY, msr_read(MSR_IFSB_BUSQ0 + i) & ~(uint64_t)UINT32_MAX);
	EXPECT_EQ(CTL6_ENABLE, msr_read(MSR_IFSB_CTL6));
	fetch_lines();
	STOP_AND_READ(self->fd, &self->reading);
	for (i = 0; i < 6; i++) {
		uint64_t now = msr_read(MSR_IFSB_BUSQ0 + i);

		EXPECT_EQ(now, now & UINT32_MAX);
		EXPECT_EQ(initial + (uint32_t)(now - from[i]), self->reading.value[i]) {
			TH_LOG("counter %u", FIRST + i);
		}
	}
	EXPECT_EQ(0, msr_read(MSR_IFSB_CTL6));
	EXPECT_EQ(0, self->reading.value[6]);
	EXPECT_LE(initial + LINES, self->reading.value[0]);
	EXPECT_GT(UINT32_MAX - 10, msr_read(MSR_IFSB_BUSQ0));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	compare(_metadata, self);
}

/* The page has their width; RDPMC returns their 32 bits with EDX 0. */
TEST_F(l3, page)
{
	const struct pmc_page *page;
	uint32_t low, high;

	setup_thread(&self->setup, 0, PMC_CONFIG_USER_READ);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(12), RETIRED, PMC_COUNT_USER);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(19), QUALIFY, BOTH);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	fetch_lines();
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	EXPECT_EQ(12, page->counter[0].rdpmc);
	EXPECT_EQ(40, page->counter[0].width);
	EXPECT_EQ(19, page->counter[1].rdpmc);
	EXPECT_EQ(32, page->counter[1].width);
	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (19));
	EXPECT_EQ(msr_read(MSR_IFSB_BUSQ0 + 1), low);
	EXPECT_EQ(0, high);
	EXPECT_LE(LINES, low);
}

/* Write a value with a part in its upper half; counts nothing here. Returns the lower half. */
static uint32_t register_load(unsigned int i)
{
	uint64_t value = SATURATE | (0x9abcde00 + i);

	if (MSR_IFSB_BUSQ0 + i == MSR_IFSB_CTL6)
		value = CTL6_ENABLE;
	else if (MSR_IFSB_BUSQ0 + i == MSR_IFSB_CNTR7)
		value = 0x1234567892345678;
	return msr_write(MSR_IFSB_BUSQ0 + i, value) ? ~value : value;
}

/*
 * RDPMC in user mode: bits 31:0 of each register, EDX 0, with or without ECX bit 31. 24 is valid
 * too, although it is no counter (SDM Volume 3B: "the lower 32-bits of the MSRs at addresses
 * 107CC through 107D3"; Volume 2B: indices 0 to 25).
 */
TEST_F(l3, rdpmc_of_each_register)
{
	unsigned int i, fast;

	setup_thread(&self->setup, 0, PMC_CONFIG_USER_READ);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(12), RETIRED, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	for (i = 0; i < REGISTERS; i++) {
		uint32_t expected = register_load(i);

		for (fast = 0; fast < 2; fast++) {
			unsigned long low = -1, high = -1;

			asm volatile("rdpmc" : "+a" (low), "+d" (high)
				     : "c" ((FIRST + i) | fast << 31));
			EXPECT_EQ(expected, low) {
				TH_LOG("EAX with ECX %u", FIRST + i);
			}
			EXPECT_EQ(0, high) {
				TH_LOG("EDX with ECX %u", FIRST + i);
			}
		}
	}
	for (i = 0; i < REGISTERS; i++)
		ASSERT_EQ(0, msr_write(MSR_IFSB_BUSQ0 + i, self->before[i]));
}

/* Values of previous users are restored; a counter found running is refused and counts on. */
TEST_F(l3, foreign_values_restored)
{
	ASSERT_EQ(0, msr_write(MSR_IFSB_BUSQ0, 0x12345678));
	ASSERT_EQ(0, msr_write(MSR_IFSB_BUSQ0 + 1, QUALIFY | 0x100));
	ASSERT_EQ(0, msr_write(MSR_IFSB_CNTR7, 0x123456789abcdef0));
	registers_read(self->before);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(18), QUALIFY, BOTH);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(LATENCY), 0, BOTH);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(19), QUALIFY, BOTH);
	EXPECT_EQ(-EBUSY, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(PMC_HOLDER_UNKNOWN, self->setup.config.holder.kind);
	EXPECT_EQ(19, self->setup.config.holder.counter);
	self->setup.config.nr_counters = 2;
	CONFIGURE_AND_START(self->fd, &self->setup);
	fetch_lines();
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_LE(QUALIFY | (0x100 + LINES), msr_read(MSR_IFSB_BUSQ0 + 1));
	self->before[1] = 0;
	ASSERT_EQ(0, msr_write(MSR_IFSB_BUSQ0 + 1, 0));
	compare(_metadata, self);
	ASSERT_EQ(0, msr_write(MSR_IFSB_BUSQ0, 0));
	ASSERT_EQ(0, msr_write(MSR_IFSB_CNTR7, 0));
}

TEST_HARNESS_MAIN

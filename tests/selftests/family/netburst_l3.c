// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests counters 18 to 25 of the 64-bit Xeon MP with L3: their descriptions, refused requests,
 * that they count what their registers count, and that the registers have their old values
 * afterwards; on CPU 0 and CPU 1, which may be the two logical processors of a core
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

/* Masks of the counters of one logical processor: alone, and one of two */
#define ALL		0x3ffff
#define ALL_L3		0x2fc0000
#define HALF		0x13333
#define HALF_L3		0x540000

/* fields of the figures; all of them set: the emulated L3 counts everything */
#define QUALIFY		0x07ffffff00000000ULL
#define SATURATE	(1ULL << 59)
#define CTL6_ENABLE	(1ULL << 26)
#define RETIRED		(0x02ULL << 57 | 1ULL << 41 | 4ULL << 13)

#define BOTH		(PMC_COUNT_USER | PMC_COUNT_KERNEL)

/* lines that the L2 does not have, and the distance between two of them */
#define LINES		4096
#define LINE		128

static char lines[LINES * LINE];

FIXTURE(l3) {
	BASE_FIXTURE;
	uint64_t before[REGISTERS];
	bool half;
	unsigned int second;
	unsigned int counters;
};

FIXTURE_VARIANT(l3) {
	int cpu;
};

FIXTURE_VARIANT_ADD(l3, cpu0) {
	.cpu = 0,
};

FIXTURE_VARIANT_ADD(l3, cpu1) {
	.cpu = 1,
};

/* The register is the core's; the test is pinned. */
static int msr_open(int flags)
{
	char path[32];

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", sched_getcpu());
	return open(path, flags | O_CLOEXEC);
}

static uint64_t msr_read(uint32_t address)
{
	int fd = msr_open(O_RDONLY);
	uint64_t value = ~0ULL;

	if (pread(fd, &value, sizeof(value), address) != sizeof(value))
		value = ~0ULL;
	close(fd);
	return value;
}

static int msr_write(uint32_t address, uint64_t value)
{
	int fd = msr_open(O_WRONLY);
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

/* Is CPU 1 the second logical processor of CPU 0's core? */
static bool cpus_share_a_core(void)
{
	char siblings[16];

	return !file_read("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", siblings,
			  sizeof(siblings)) && !strcmp(siblings, "0-1\n");
}

FIXTURE_SETUP(l3)
{
	NEED_COUNTERS(&self->query);
	if (self->query.family != PMC_FAMILY_NETBURST ||
	    !(self->query.general_counters >> FIRST))
		SKIP(return, "no Xeon MP with L3");
	NEED_ROOT();
	NEED_CPUS(variant->cpu + 1);
	if (access("/dev/cpu/0/msr", R_OK))
		SKIP(return, "no /dev/cpu/0/msr (modprobe msr)");
	self->half = cpus_share_a_core();
	self->second = self->half && variant->cpu == 1;
	self->counters = self->half ? HALF_L3 : ALL_L3;
	OPEN_DEVICE(self->fd);
	ASSERT_EQ(0, pin(0, variant->cpu));
	registers_read(self->before);
	setup_cpu(&self->setup, variant->cpu);
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
	unsigned int i;

	/* otherwise all pages are the zero page */
	memset(lines, 1, sizeof(lines));
	for (i = 0; i < LINES; i++)
		asm volatile("clflush %0" : "+m" (lines[i * LINE]));
	asm volatile("mfence" : : : "memory");
	for (i = 0; i < LINES; i++)
		(void)*(volatile char *)&lines[i * LINE];
}

/* The register of a counter, from the first one on: of a pair, the second CPU has the second. */
static unsigned int register_of(const struct _test_data_l3 *self, unsigned int counter)
{
	return counter - FIRST + self->second;
}

static bool has_counter(const struct _test_data_l3 *self, unsigned int counter)
{
	return self->counters >> counter & 1;
}

/*
 * 18 to 23 and 25; 24 is the control of 25. One of two logical processors has the first or second
 * of each pair of 18 to 23.
 */
TEST_F(l3, described_counters)
{
	const uint64_t all = self->half ? HALF | HALF_L3 : ALL | ALL_L3;
	struct pmc_counter counter;
	unsigned int i, number;

	EXPECT_EQ(all, self->query.general_counters);
	for (i = FIRST; i < FIRST + REGISTERS + 1; i++) {
		if (!has_counter(self, i)) {
			EXPECT_EQ(-ENXIO, pmc_describe(variant->cpu, PMC_COUNTER_GENERAL(i),
						       &counter));
			continue;
		}
		ASSERT_EQ(0, pmc_describe(variant->cpu, PMC_COUNTER_GENERAL(i), &counter));
		number = FIRST + register_of(self, i);
		EXPECT_EQ(number, counter.rdpmc);
		EXPECT_EQ(32, counter.width);
		EXPECT_EQ(32, counter.write_width);
		EXPECT_EQ(0, counter.period_max);
		EXPECT_EQ(i == LATENCY ? 0 : QUALIFY, counter.event_select_mask);
		EXPECT_EQ(MSR_IFSB_BUSQ0 + number - FIRST, counter.counter_msr);
		EXPECT_EQ(i == LATENCY ? MSR_IFSB_CTL6 : counter.counter_msr, counter.select_msr);
	}
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
		{ 19, QUALIFY, 0, 0, BOTH, 0 },
		{ LATENCY, 0, 0, 0, BOTH, 0 },
	};
	unsigned int i;
	bool has;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		has = has_counter(self, t[i].counter);
		setup_cpu(&self->setup, variant->cpu);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(t[i].counter), t[i].event,
			  t[i].flags);
		setup_period(&self->setup, 0, t[i].period);
		EXPECT_EQ(has ? t[i].err : -ENXIO, setup_configure(self->fd, &self->setup)) {
			TH_LOG("case %u", i);
		}
		EXPECT_EQ(has ? t[i].refused : 0, self->setup.config.refused_bits);
		if (has && !t[i].err) {
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

/* Add all of this CPU's counters, each with this initial value. */
static void add_all(struct _test_data_l3 *self, uint64_t initial)
{
	unsigned int counter, n = 0;

	for (counter = FIRST; counter <= LATENCY; counter++) {
		if (!has_counter(self, counter))
			continue;
		setup_add(&self->setup, PMC_COUNTER_GENERAL(counter),
			  counter == LATENCY ? 0 : QUALIFY, BOTH);
		if (counter != LATENCY)
			self->setup.counter[n++].initial = initial;
	}
}

/* Another user clears a select. The timer that reads the counters four times a second flags it. */
TEST_F(l3, rewritten_before_the_timer)
{
	const uint32_t address[] = { MSR_IFSB_BUSQ0 + self->second, MSR_IFSB_CTL6 };
	const unsigned int counter[] = { FIRST, LATENCY };
	unsigned int i;

	for (i = 0; i < (self->half ? 1 : ARRAY_SIZE(counter)); i++) {
		setup_cpu(&self->setup, variant->cpu);
		setup_add(&self->setup, counter[i], i ? 0 : QUALIFY, BOTH);
		ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		sleep(1);
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		EXPECT_EQ(PMC_STATE_RUNNING, self->reading.state);
		ASSERT_EQ(0, msr_write(address[i], 0));
		sleep(1);
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		EXPECT_EQ(PMC_STATE_RUNNING | PMC_STATE_REWRITTEN,
			  self->reading.state & ~PMC_STATE_UNCOUNTED);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
}

/*
 * Count with all of them from START to STOP, when the registers do not change: the values match
 * the registers' counts, across a wrap of 32 bits and from an initial value on. The first pair
 * counts every line that the L2 does not have; no program makes the others count here. The
 * other logical processor's registers keep their values.
 */
TEST_F(l3, counts_of_registers)
{
	const uint64_t initial = 1ULL << 40;
	uint64_t from[REGISTERS], now;
	unsigned int counter, n = 0, i;

	add_all(self, initial);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, msr_write(MSR_IFSB_BUSQ0 + self->second, UINT32_MAX - 10));
	registers_read(from);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	for (counter = FIRST; counter < FIRST + REGISTERS - 2; counter++) {
		i = counter - FIRST;
		EXPECT_EQ(has_counter(self, counter - self->second) ? QUALIFY : 0,
			  msr_read(MSR_IFSB_BUSQ0 + i) & ~(uint64_t)UINT32_MAX);
	}
	EXPECT_EQ(self->half ? 0 : CTL6_ENABLE, msr_read(MSR_IFSB_CTL6));
	fetch_lines();
	STOP_AND_READ(self->fd, &self->reading);
	for (counter = FIRST; counter < FIRST + REGISTERS - 2; counter++) {
		if (!has_counter(self, counter))
			continue;
		i = register_of(self, counter);
		now = msr_read(MSR_IFSB_BUSQ0 + i);
		EXPECT_EQ(now, now & UINT32_MAX);
		EXPECT_EQ(initial + (uint32_t)(now - from[i]), self->reading.value[n++]) {
			TH_LOG("counter %u", counter);
		}
	}
	EXPECT_EQ(0, msr_read(MSR_IFSB_CTL6));
	EXPECT_EQ(0, self->reading.value[n]);
	EXPECT_LE(initial + LINES, self->reading.value[0]);
	EXPECT_GT(UINT32_MAX - 10, msr_read(MSR_IFSB_BUSQ0 + self->second));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	compare(_metadata, self);
}

static inline uint32_t rdpmc_low(uint32_t index)
{
	uint32_t low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (index));
	return low;
}

/*
 * Load @n lines that no cache has, and return by how much counter @l3 advances meanwhile; ~0 if
 * the kernel ran in between, which counter @kernel counts.
 */
static __attribute__((noinline)) uint32_t count_of_lines(unsigned int n, uint32_t l3,
							uint32_t kernel)
{
	uint32_t before, after, kernel_before;
	const char *line = lines;
	unsigned int i;

	for (i = 0; i < n; i++)
		asm volatile("clflush %0" : "+m" (lines[i * LINE]));
	asm volatile("mfence" : : : "memory");
	kernel_before = rdpmc_low(kernel);
	before = rdpmc_low(l3);
	asm volatile("jmp	2f\n"
		     "1:\n\t"
		     "testb	$0, (%[line])\n\t"
		     "add	%[distance], %[line]\n\t"
		     "dec	%[n]\n"
		     "2:\n\t"
		     "test	%[n], %[n]\n\t"
		     "jnz	1b"
		     : [line] "+r" (line), [n] "+r" (n)
		     : [distance] "i" (LINE) : "cc", "memory");
	after = rdpmc_low(l3);
	return rdpmc_low(kernel) == kernel_before ? after - before : ~0U;
}

/*
 * The same directly after a timer interrupt, so that the next one comes later, and again if the
 * kernel ran in between nevertheless. The first run loads the code and the stack.
 */
static uint32_t count_without_kernel(unsigned int n, uint32_t l3, uint32_t kernel)
{
	uint32_t before, count;

	do {
		before = rdpmc_low(kernel);
		while (rdpmc_low(kernel) == before)
			;
		count_of_lines(1, l3, kernel);
		count = count_of_lines(n, l3, kernel);
	} while (count == ~0U);
	return count;
}

/* Exact counts: a line that no cache has is looked up once. */
TEST_F(l3, each_line_once)
{
	if (self->half)
		SKIP(return, "the counters count the other logical processor, too");
	setup_thread(&self->setup, 0, PMC_CONFIG_USER_READ);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(12), RETIRED, PMC_COUNT_KERNEL);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(FIRST), QUALIFY, BOTH);
	memset(lines, 1, sizeof(lines));
	CONFIGURE_AND_START(self->fd, &self->setup);
	EXPECT_EQ(0, count_without_kernel(0, FIRST, 12));
	EXPECT_EQ(1, count_without_kernel(1, FIRST, 12));
	EXPECT_EQ(100, count_without_kernel(100, FIRST, 12));
	EXPECT_EQ(357, count_without_kernel(357, FIRST, 12));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
}

/* A context of each logical processor counts the lines of the core, in a register of its own. */
TEST_F(l3, both_logical_processors)
{
	const unsigned int here = self->second, there = !self->second;
	uint64_t from[REGISTERS];
	struct reading reading;
	struct setup setup;
	int fd;

	if (!self->half)
		SKIP(return, "CPUs 0 and 1 are not those of a NetBurst core");
	OPEN_DEVICE(fd);
	setup_cpu(&setup, !variant->cpu);
	setup_add(&setup, PMC_COUNTER_GENERAL(FIRST), QUALIFY, BOTH);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(FIRST), QUALIFY, BOTH);
	ASSERT_EQ(0, setup_configure(fd, &setup));
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	registers_read(from);
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	fetch_lines();
	STOP_AND_READ(self->fd, &self->reading);
	STOP_AND_READ(fd, &reading);
	EXPECT_EQ(msr_read(MSR_IFSB_BUSQ0 + here) - from[here], self->reading.value[0]);
	EXPECT_EQ(msr_read(MSR_IFSB_BUSQ0 + there) - from[there], reading.value[0]);
	EXPECT_LE(LINES, self->reading.value[0]);
	/* it counted before and after, too */
	EXPECT_LT(self->reading.value[0], reading.value[0]);
	close(fd);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	compare(_metadata, self);
}

/* The page has their width; RDPMC returns their 32 bits with EDX 0. */
TEST_F(l3, page)
{
	/* the second one, if it has that */
	const unsigned int counter = self->half ? FIRST : FIRST + 1;
	const unsigned int i = register_of(self, counter);
	const struct pmc_page *page;
	uint32_t low, high;

	setup_thread(&self->setup, 0, PMC_CONFIG_USER_READ);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(12), RETIRED, PMC_COUNT_USER);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(counter), QUALIFY, BOTH);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	fetch_lines();
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	EXPECT_EQ(self->second ? 14 : 12, page->counter[0].rdpmc);
	EXPECT_EQ(40, page->counter[0].width);
	EXPECT_EQ(FIRST + i, page->counter[1].rdpmc);
	EXPECT_EQ(32, page->counter[1].width);
	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (FIRST + i));
	EXPECT_EQ(msr_read(MSR_IFSB_BUSQ0 + i), low);
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

/*
 * Values of previous users are restored; a counter found running is refused and counts on. Of two
 * logical processors, the running counter is the other one's: it does not matter here.
 */
TEST_F(l3, foreign_values_restored)
{
	const unsigned int running = !self->second;

	ASSERT_EQ(0, msr_write(MSR_IFSB_BUSQ0 + self->second, 0x12345678));
	ASSERT_EQ(0, msr_write(MSR_IFSB_BUSQ0 + running, QUALIFY | 0x100));
	ASSERT_EQ(0, msr_write(MSR_IFSB_CNTR7, 0x123456789abcdef0));
	registers_read(self->before);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(18), QUALIFY, BOTH);
	if (!self->half) {
		setup_add(&self->setup, PMC_COUNTER_GENERAL(LATENCY), 0, BOTH);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(19), QUALIFY, BOTH);
		EXPECT_EQ(-EBUSY, setup_configure(self->fd, &self->setup));
		EXPECT_EQ(PMC_HOLDER_UNKNOWN, self->setup.config.holder.kind);
		EXPECT_EQ(19, self->setup.config.holder.counter);
		self->setup.config.nr_counters = 2;
	}
	CONFIGURE_AND_START(self->fd, &self->setup);
	fetch_lines();
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_LE(QUALIFY | (0x100 + LINES), msr_read(MSR_IFSB_BUSQ0 + running));
	self->before[running] = 0;
	ASSERT_EQ(0, msr_write(MSR_IFSB_BUSQ0 + running, 0));
	compare(_metadata, self);
	ASSERT_EQ(0, msr_write(MSR_IFSB_BUSQ0 + self->second, 0));
	ASSERT_EQ(0, msr_write(MSR_IFSB_CNTR7, 0));
}

TEST_HARNESS_MAIN

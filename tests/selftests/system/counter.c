// SPDX-License-Identifier: GPL-2.0-only
/* Tests PMC_IOC_COUNTER: it describes each counter, refuses absent ones and reports holders */
#include <cpuid.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "registers.h"

#define IA32_PERF_CAPABILITIES	0x345

/* Without full-width writes: 32 bits, SDM Volume 3B, "Full-Width Writes" */
static uint32_t write_width(const struct pmc_query *query)
{
	if (query->features & PMC_FEATURE(FULL_WIDTH) || query->general_width < 32)
		return query->general_width;
	return 32;
}

TEST(general_counters)
{
	struct pmc_counter answer;
	struct pmc_query query;
	unsigned int i;
	int cpu;

	NEED_COUNTERS(&query);
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, pmc_query(cpu, &query));
		for (i = 0; i < 64; i++) {
			if (!(query.general_counters & (1ULL << i))) {
				EXPECT_EQ(-ENXIO, pmc_describe(cpu, i, &answer));
				continue;
			}
			ASSERT_EQ(0, pmc_describe(cpu, i, &answer));
			EXPECT_EQ(cpu, answer.cpu);
			EXPECT_EQ(i, answer.counter);
			EXPECT_EQ(query.general_width, answer.width);
			EXPECT_EQ(write_width(&query), answer.write_width);
			EXPECT_EQ(query.event_select_mask, answer.event_select_mask);
			EXPECT_EQ(i, answer.rdpmc);
			EXPECT_EQ(msr_select(&query, i), answer.select_msr);
			EXPECT_EQ(msr_counter(&query, i), answer.counter_msr);
			EXPECT_EQ(0, answer.reserved);
		}
	}
}

TEST(fixed_counters)
{
	struct pmc_counter answer;
	struct pmc_query query;
	unsigned int i;
	int cpu;

	NEED_COUNTERS(&query);
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, pmc_query(cpu, &query));
		for (i = 0; i < 64; i++) {
			uint32_t counter = PMC_COUNTER_FIXED(i);

			if (!(query.fixed_counters & (1ULL << i))) {
				EXPECT_EQ(-ENXIO, pmc_describe(cpu, counter, &answer));
				continue;
			}
			ASSERT_EQ(0, pmc_describe(cpu, counter, &answer));
			EXPECT_EQ(cpu, answer.cpu);
			EXPECT_EQ(counter, answer.counter);
			EXPECT_EQ(query.fixed_width, answer.width);
			EXPECT_EQ(query.fixed_width, answer.write_width);
			EXPECT_EQ(query.event_select_mask & 1U << 21, answer.event_select_mask);
			EXPECT_EQ(counter, answer.rdpmc);
			EXPECT_EQ(IA32_FIXED_CTR_CTRL, answer.select_msr);
			EXPECT_EQ(msr_fixed(&query, i), answer.counter_msr);
			EXPECT_EQ(0, answer.reserved);
		}
	}
}

/** struct limits - the counters of one CPU, computed without the driver */
struct limits {
	unsigned int width, write_width;
	uint64_t period_max;
	unsigned int fixed_width;
	uint64_t fixed_period_max;
};

/*
 * A counter overflows when it passes 0, so it is loaded with minus the period. The value must
 * differ from one that has overflowed: its highest writable bit has to be set.
 */
static uint64_t longest_period(unsigned int write_width)
{
	return (1ULL << (write_width - 1)) - 1;
}

/*
 * SDM Volume 3B, "Architectural Performance Monitoring": CPUID.0AH:EAX[23:16] and EDX[12:5] are
 * the widths. A write to IA32_PMCx sets 32 bits and extends their sign, unless
 * IA32_PERF_CAPABILITIES[13] offers full-width writes by other addresses; CPUID.01H:ECX[15]
 * shows that this register exists. Fixed counters are written in full.
 */
static int limits_by_leaf_0ah(int cpu, struct limits *limits)
{
	unsigned int a, b, c, d, unused;
	uint64_t capabilities = 0;

	__cpuid_count(0xa, 0, a, unused, unused, d);
	limits->width = a >> 16 & 0xff;
	limits->fixed_width = d >> 5 & 0xff;
	__cpuid_count(1, 0, a, b, c, d);
	if (c & 1U << 15 && msr_read(cpu, IA32_PERF_CAPABILITIES, &capabilities))
		return -ENODEV;
	limits->write_width = limits->width;
	if (!(capabilities & 1U << 13) && limits->width > 32)
		limits->write_width = 32;
	limits->period_max = longest_period(limits->write_width);
	if (limits->fixed_width)
		limits->fixed_period_max = longest_period(limits->fixed_width);
	return 0;
}

/*
 * SDM Volume 3B: P5 40 bits, no interrupt that the local APIC delivers; P6 40 bits, of which a
 * write sets 32 and extends their sign; NetBurst 40. AMD64 Architecture Programmer's Manual,
 * Volume 2, "Performance Counters": 48.
 */
static int limits_by_manual(int cpu, struct limits *limits)
{
	unsigned int a, b, c, d, family;

	memset(limits, 0, sizeof(*limits));
	__cpuid_count(0, 0, a, b, c, d);
	if (b == signature_INTEL_ebx && a >= 0xa) {
		__cpuid_count(0xa, 0, a, b, c, d);
		if (a & 0xff)
			return limits_by_leaf_0ah(cpu, limits);
		b = signature_INTEL_ebx;
	}
	__cpuid_count(1, 0, a, c, c, d);
	family = a >> 8 & 0xf;
	limits->width = b == signature_INTEL_ebx ? 40 : 48;
	limits->write_width = b == signature_INTEL_ebx && family == 6 ? 32 : limits->width;
	if (family > 5)
		limits->period_max = longest_period(limits->write_width);
	return 0;
}

/* The longest period is accepted, one event more is not. */
static void expect_longest(struct __test_metadata *_metadata, int cpu, uint32_t counter,
			   uint64_t longest)
{
	struct setup setup;
	int fd = pmc_open();

	ASSERT_LE(0, fd);
	setup_cpu(&setup, cpu);
	setup_add(&setup, counter, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	if (counter & PMC_COUNTER_FIXED_FLAG)
		setup.counter[0].event_select = 0;
	setup.counter[0].period = longest;
	EXPECT_EQ(0, setup_configure(fd, &setup))
		TH_LOG("CPU %d, counter %#x", cpu, counter);
	pmc_call(fd, PMC_IOC_RELEASE, NULL);
	setup.counter[0].period = longest + 1;
	EXPECT_EQ(longest ? -ERANGE : -EOPNOTSUPP, setup_configure(fd, &setup));
	EXPECT_EQ(0, setup.config.failed_entry);
	close(fd);
}

static void expect_limits(struct __test_metadata *_metadata, int cpu, uint32_t counter,
			  unsigned int width, unsigned int write_width, uint64_t longest)
{
	struct pmc_counter answer;

	ASSERT_EQ(0, pmc_describe(cpu, counter, &answer));
	EXPECT_EQ(width, answer.width);
	EXPECT_EQ(write_width, answer.write_width);
	EXPECT_EQ(longest, answer.period_max)
		TH_LOG("CPU %d, counter %#x", cpu, counter);
}

/* Nothing here is taken from the driver, except which counters there are. */
TEST(limits_are_those_of_cpuid_and_manual)
{
	struct limits limits;
	struct pmc_query query;
	unsigned int i;
	int cpu;

	NEED_COUNTERS_AND_ROOT(&query);
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, pin(0, cpu));
		ASSERT_EQ(0, pmc_query(cpu, &query));
		if (limits_by_manual(cpu, &limits))
			SKIP(return, "no /dev/cpu/%d/msr (modprobe msr)", cpu);
		/* the counters of the L3 cannot interrupt (netburst_l3) */
		for (i = 0; i < (is_netburst() ? 18 : 64); i++) {
			if (query.general_counters & 1ULL << i)
				expect_limits(_metadata, cpu, i, limits.width,
					      limits.write_width, limits.period_max);
		}
		for (i = 0; i < 64; i++) {
			if (query.fixed_counters & 1ULL << i)
				expect_limits(_metadata, cpu, PMC_COUNTER_FIXED(i),
					      limits.fixed_width, limits.fixed_width,
					      limits.fixed_period_max);
		}
		expect_longest(_metadata, cpu, PMC_COUNTER_GENERAL(0), limits.period_max);
		if (query.fixed_counters & 1)
			expect_longest(_metadata, cpu, FIXED_INSTRUCTIONS,
				       limits.fixed_period_max);
	}
}

TEST(absent_counters)
{
	static const uint32_t absent[] = {
		64, 255, 0x1fffffff, PMC_COUNTER_METRICS, 0x20000001, 0x3fffffff,
		0x40000040, 0x400000ff, 0x7fffffff, 0x80000000, 0xffffffff,
	};
	struct pmc_counter answer;
	struct pmc_query query;
	unsigned int i;

	NEED_COUNTERS(&query);
	for (i = 0; i < ARRAY_SIZE(absent); i++) {
		if (absent[i] == PMC_COUNTER_METRICS && query.features & PMC_FEATURE(METRICS))
			continue;
		EXPECT_EQ(-ENXIO, pmc_describe(PMC_CPU_ANY, absent[i], &answer));
	}
}

#define SELECT_ANY_THREAD	(1U << 21)

/* IA32_FIXED_CTR_CTRL: user mode and AnyThread of fixed counter 0 */
#define FIXED0_USER_ANY		6

/* AnyThread reaches the registers, also that of a fixed counter. */
TEST(any_thread)
{
	struct pmc_query query;
	struct setup setup;
	uint64_t value;
	int fd;

	NEED_COUNTERS_AND_ROOT(&query);
	if (!(query.features & PMC_FEATURE(ANY_THREAD)) || !(query.fixed_counters & 1))
		SKIP(return, "this CPU has no AnyThread");
	if (msr_read(0, msr_select(&query, 0), &value))
		SKIP(return, "no /dev/cpu/0/msr (modprobe msr)");
	OPEN_DEVICE(fd);
	setup_cpu(&setup, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS | SELECT_ANY_THREAD,
		  PMC_COUNT_USER);
	setup_add(&setup, FIXED_INSTRUCTIONS, 0, PMC_COUNT_USER);
	setup.counter[1].event_select = SELECT_ANY_THREAD;
	CONFIGURE_AND_START(fd, &setup);
	ASSERT_EQ(0, msr_read(0, msr_select(&query, 0), &value));
	EXPECT_EQ(SELECT_ANY_THREAD, value & SELECT_ANY_THREAD);
	ASSERT_EQ(0, msr_read(0, IA32_FIXED_CTR_CTRL, &value));
	EXPECT_EQ(FIXED0_USER_ANY, value & 0xf);
	close(fd);
}

TEST(free_counters_have_no_holder)
{
	struct pmc_counter answer;
	struct pmc_query query;

	NEED_COUNTERS(&query);
	ASSERT_EQ(0, pmc_describe(PMC_CPU_ANY, PMC_COUNTER_GENERAL(0), &answer));
	EXPECT_EQ(PMC_HOLDER_NONE, answer.holder.kind);
	EXPECT_EQ(0, answer.holder.pid);
	EXPECT_EQ(0, answer.holder.tid);
	EXPECT_EQ(0, answer.holder.scope);
	EXPECT_EQ(0, answer.holder.comm[0]);
}

TEST(held_by_thread_context)
{
	const uint32_t first = counter_placed(PMC_COUNTER_GENERAL(0));
	const uint32_t second = counter_placed(PMC_COUNTER_GENERAL(1));
	struct pmc_counter answer;
	struct pmc_query query;
	struct setup setup;
	int fd = pmc_open();

	NEED_COUNTERS(&query);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, prctl(PR_SET_NAME, "holder-of-pmc"));
	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(fd, &setup));
	ASSERT_EQ(0, prctl(PR_SET_NAME, "renamed"));

	ASSERT_EQ(0, pmc_describe(PMC_CPU_ANY, second, &answer));
	EXPECT_EQ(PMC_HOLDER_CONTEXT, answer.holder.kind);
	EXPECT_EQ(getpid(), answer.holder.pid);
	EXPECT_EQ(syscall(SYS_gettid), answer.holder.tid);
	EXPECT_EQ(second, answer.holder.counter);
	EXPECT_EQ(-1, answer.holder.cpu);
	EXPECT_EQ(PMC_SCOPE_THREAD, answer.holder.scope);
	EXPECT_STREQ("holder-of-pmc", answer.holder.comm);

	ASSERT_EQ(0, pmc_describe(PMC_CPU_ANY, first, &answer));
	EXPECT_EQ(PMC_HOLDER_NONE, answer.holder.kind);

	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, pmc_describe(PMC_CPU_ANY, second, &answer));
	EXPECT_EQ(PMC_HOLDER_NONE, answer.holder.kind);
}

TEST(held_by_cpu_context)
{
	const uint32_t first = counter_placed(PMC_COUNTER_GENERAL(0));
	struct pmc_counter answer;
	struct pmc_query query;
	struct setup setup;
	int fd = pmc_open();
	int last = cpus_online() - 1;
	int cpu;

	NEED_COUNTERS_AND_ROOT(&query);
	ASSERT_LE(0, fd);
	setup_cpu_one(&setup, last);
	ASSERT_EQ(0, setup_configure(fd, &setup));
	for (cpu = 0; cpu <= last; cpu++) {
		ASSERT_EQ(0, pmc_describe(cpu, first, &answer));
		EXPECT_EQ(cpu == last ? PMC_HOLDER_CONTEXT : PMC_HOLDER_NONE,
			  answer.holder.kind);
		if (cpu != last)
			continue;
		EXPECT_EQ(getpid(), answer.holder.pid);
		EXPECT_EQ(0, answer.holder.tid);
		EXPECT_EQ(PMC_SCOPE_CPU, answer.holder.scope);
		EXPECT_EQ(last, answer.holder.cpu);
	}
}

TEST(held_by_all_cpus_context)
{
	const uint32_t first = counter_placed(PMC_COUNTER_GENERAL(0));
	struct pmc_counter answer;
	struct pmc_query query;
	struct setup setup;
	int fd = pmc_open();
	int cpu;

	NEED_COUNTERS_AND_ROOT(&query);
	ASSERT_LE(0, fd);
	setup_all_cpus_one(&setup);
	ASSERT_EQ(0, setup_configure(fd, &setup));
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, pmc_describe(cpu, first, &answer));
		EXPECT_EQ(PMC_HOLDER_CONTEXT, answer.holder.kind);
		EXPECT_EQ(-1, answer.holder.cpu);
		EXPECT_EQ(0, answer.holder.tid);
		EXPECT_EQ(PMC_SCOPE_ALL_CPUS, answer.holder.scope);
	}
}

TEST(sizes)
{
	struct {
		struct pmc_counter counter;
		unsigned char more[32];
	} request;
	int fd = pmc_open();
	struct pmc_query query;
	size_t size;

	NEED_COUNTERS(&query);
	ASSERT_LE(0, fd);
	for (size = 0; size < offsetof(struct pmc_counter, width); size++) {
		memset(&request, 0, sizeof(request));
		request.counter.size = size;
		ASSERT_EQ(-EINVAL, pmc_call(fd, PMC_IOC_COUNTER, &request));
	}
	for (; size <= sizeof(request); size++) {
		memset(&request, 0, sizeof(request));
		request.counter.size = size;
		ASSERT_EQ(0, pmc_call(fd, PMC_IOC_COUNTER, &request));
	}
	request.counter.size = sizeof(request);
	request.more[31] = 1;
	ASSERT_EQ(-E2BIG, pmc_call(fd, PMC_IOC_COUNTER, &request));
}

TEST(flags_are_refused)
{
	struct pmc_counter counter;
	int fd = pmc_open();
	struct pmc_query query;
	unsigned int bit;

	NEED_COUNTERS(&query);
	ASSERT_LE(0, fd);
	for (bit = 0; bit < 32; bit++) {
		memset(&counter, 0, sizeof(counter));
		counter.size = sizeof(counter);
		counter.flags = 1U << bit;
		EXPECT_EQ(-EINVAL, pmc_call(fd, PMC_IOC_COUNTER, &counter));
	}
}

TEST_HARNESS_MAIN

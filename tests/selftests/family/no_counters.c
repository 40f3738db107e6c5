// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests a CPU without counters: the module loads, the query reports the reason and CPUID's
 * values, the time-stamp counter works, and CONFIGURE and COUNTER return ENODEV
 *
 * The test determines the right reason from the processor: CPUID and the registers.
 */
#include <cpuid.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "registers.h"

#define LEAF_PERFMON		0xa

/* The newest documented version: the meaning of a later one is unknown. */
#define NEWEST_VERSION		6

/* No processor has narrower counters, and no register is wider. */
#define NARROWEST		16
#define WIDEST			64

#define FEATURES_EDX_MSR	(1U << 5)
#define FEATURES_ECX_HYPERVISOR	(1U << 31)

#define IA32_MISC_ENABLE	0x1a0
#define MISC_ENABLE_PERFMON	(1U << 7)

static const struct {
	const char *name, *text;
} statuses[] = {
#define X(id, value, string) [value] = { #id, string },
	PMC_STATUSES(X)
#undef X
};

static bool answers(uint32_t address)
{
	uint64_t value;

	return !msr_read(0, address, &value);
}

static uint32_t by_registers(uint32_t select, uint32_t counter)
{
	return answers(select) && answers(counter) ? PMC_STATUS_OK : PMC_STATUS_NO_PERFMON;
}

static bool is_hypervisors(void)
{
	unsigned int a, b, c, d;

	__cpuid(1, a, b, c, d);
	return c & FEATURES_ECX_HYPERVISOR;
}

static bool firmware_off(void)
{
	uint64_t value;

	return !is_hypervisors() && !msr_read(0, IA32_MISC_ENABLE, &value) &&
	       !(value & MISC_ENABLE_PERFMON);
}

static bool width_is_possible(unsigned int width)
{
	return width >= NARROWEST && width <= WIDEST;
}

static bool widths_are_possible(const unsigned int leaf[4])
{
	bool fixed = (leaf[0] & 0xff) >= 2 && leaf[3] & 0x1f;

	return width_is_possible(leaf[0] >> 16 & 0xff) &&
	       (!fixed || width_is_possible(leaf[3] >> 5 & 0xff));
}

static uint32_t of_leaf(const unsigned int leaf[4])
{
	unsigned int i, version = leaf[0] & 0xff, general = leaf[0] >> 8 & 0xff;

	if (!version || !general)
		return PMC_STATUS_NO_PERFMON;
	if (version > NEWEST_VERSION || !widths_are_possible(leaf))
		return PMC_STATUS_UNKNOWN_VERSION;
	if (firmware_off())
		return PMC_STATUS_FIRMWARE_OFF;
	if (version >= 2 && !answers(IA32_GLOBAL_CTRL))
		return PMC_STATUS_NO_PERFMON;
	for (i = 0; i < general; i++) {
		if (answers(MSR_SELECT0 + i) && answers(MSR_COUNTER0 + i))
			return PMC_STATUS_OK;
	}
	return PMC_STATUS_NO_PERFMON;
}

static void read_leaf(unsigned int leaf[4])
{
	if (!__get_cpuid_count(LEAF_PERFMON, 0, &leaf[0], &leaf[1], &leaf[2], &leaf[3]))
		memset(leaf, 0, 4 * sizeof(leaf[0]));
}

static uint32_t of_intel(unsigned int family)
{
	unsigned int leaf[4];

	if (__get_cpuid_max(0, NULL) >= LEAF_PERFMON) {
		read_leaf(leaf);
		return of_leaf(leaf);
	}
	if (is_hypervisors())
		return PMC_STATUS_NO_PERFMON;
	switch (family) {
	case 5:
		return by_registers(MSR_CESR, MSR_CTR0);
	case 6:
		return by_registers(MSR_SELECT0, MSR_COUNTER0);
	case 15:
		return firmware_off() ? PMC_STATUS_FIRMWARE_OFF :
					by_registers(MSR_CCCR0, MSR_BPU_COUNTER0);
	default:
		return PMC_STATUS_UNKNOWN_CPU;
	}
}

/* K7 was AMD's first processor with counters. */
static uint32_t of_amd(unsigned int family)
{
	struct pmc_query query = { .family = PMC_FAMILY_AMD };

	if (family < 6)
		return PMC_STATUS_UNKNOWN_CPU;
	return by_registers(msr_select(&query, 0), msr_counter(&query, 0));
}

static unsigned int display_family(unsigned int signature)
{
	unsigned int family = signature >> 8 & 0xf;

	return family == 15 ? family + (signature >> 20 & 0xff) : family;
}

static uint32_t right_status(void)
{
	unsigned int a, b, c, d, signature;

	if (!__get_cpuid_max(0, NULL))
		return PMC_STATUS_NO_CPUID;
	__cpuid(1, signature, b, c, d);
	if (!(d & FEATURES_EDX_MSR))
		return PMC_STATUS_NO_MSR;
	__cpuid(0, a, b, c, d);
	if (b == signature_INTEL_ebx)
		return of_intel(display_family(signature));
	if (b == signature_AMD_ebx)
		return of_amd(display_family(signature));
	return PMC_STATUS_UNKNOWN_CPU;
}

FIXTURE(none) {
	BASE_FIXTURE;
	uint32_t status;
};

FIXTURE_SETUP(none)
{
	NEED_ROOT();
	if (access("/dev/cpu/0/msr", R_OK))
		SKIP(return, "no /dev/cpu/0/msr: modprobe msr");
	self->status = right_status();
	if (self->status == PMC_STATUS_OK)
		SKIP(return, "this CPU has counters");
	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &self->query));
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN_CLOSE(none)

TEST_F(none, query_reports_the_reason)
{
	int cpu;

	ASSERT_LT(self->status, ARRAY_SIZE(statuses));
	TH_LOG("%s: %s", statuses[self->status].name, statuses[self->status].text);
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, pmc_query(cpu, &self->query));
		EXPECT_EQ(self->status, self->query.status);
		EXPECT_NE(0, self->query.vendor[0]);
		EXPECT_NE(0, self->query.cpu_family);
	}
}

/* The query reports CPUID's values as they are, and derives nothing from them. */
TEST_F(none, query_reports_no_counters)
{
	const struct pmc_query *query = &self->query;
	unsigned int leaf[4];

	read_leaf(leaf);
	EXPECT_EQ(0, memcmp(leaf, query->cpuid_0ah, sizeof(leaf)));
	EXPECT_EQ(leaf[0] & 0xff, query->perfmon_version);
	EXPECT_EQ(PMC_FAMILY_NONE, query->family);
	EXPECT_EQ(0, query->features & ~(PMC_FEATURE(MSR) | PMC_FEATURE(TSC) |
					 PMC_FEATURE(TSC_SYNC)));
	EXPECT_EQ(0, query->general_counters);
	EXPECT_EQ(0, query->fixed_counters);
	EXPECT_EQ(0, query->general_width);
	EXPECT_EQ(0, query->fixed_width);
	EXPECT_EQ(0, query->events_described);
	EXPECT_EQ(0, query->events_unavailable);
	EXPECT_EQ(0, query->event_select_mask);
	EXPECT_EQ(0, query->perf_capabilities);
	EXPECT_EQ(0, query->contexts);
}

TEST_F(none, pmcctl_reports_the_reason)
{
	const char *text = statuses[self->status].text;
	/* families without counters have no event names either */
	const char *stat = is_amd() ? "stat -e r00c0:u true" : "stat -e instructions:u true";
	char said[8192], name[64];

	if (run_pmcctl("--version", said, sizeof(said)))
		SKIP(return, "no pmcctl");
	EXPECT_EQ(0, run_pmcctl("info", said, sizeof(said)));
	EXPECT_NE(NULL, strstr(said, text)) TH_LOG("%s", said);
	snprintf(name, sizeof(name), "\"%s\"", statuses[self->status].name);
	EXPECT_EQ(0, run_pmcctl("info --json", said, sizeof(said)));
	EXPECT_NE(NULL, strstr(said, name)) TH_LOG("%s", said);
	EXPECT_EQ(125, run_pmcctl(stat, said, sizeof(said)));
	EXPECT_NE(NULL, strstr(said, text)) TH_LOG("%s", said);
}

TEST_F(none, tsc_works)
{
	struct pmc_tsc tsc = { .size = sizeof(tsc) };

	if (!(self->query.features & PMC_FEATURE(TSC))) {
		EXPECT_EQ(-EOPNOTSUPP, pmc_call(self->fd, PMC_IOC_TSC, &tsc));
		SKIP(return, "no time-stamp counter");
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_TSC, &tsc));
	EXPECT_NE(0, tsc.tsc);
}

/* For every number that a counter can have */
TEST_F(none, counters_are_enodev)
{
	struct pmc_counter counter;
	unsigned int i;
	int cpu;

	for (cpu = PMC_CPU_ANY; cpu < cpus_online(); cpu++) {
		for (i = 0; i < 64; i++) {
			EXPECT_EQ(-ENODEV, pmc_describe(cpu, PMC_COUNTER_GENERAL(i), &counter));
			EXPECT_EQ(-ENODEV, pmc_describe(cpu, PMC_COUNTER_FIXED(i), &counter));
		}
		EXPECT_EQ(-ENODEV, pmc_describe(cpu, PMC_COUNTER_METRICS, &counter));
	}
}

static void configure(struct __test_metadata *_metadata, struct _test_data_none *self,
		      uint32_t scope, uint32_t counter)
{
	int last = cpus_online() - 1;
	struct setup setup;

	setup_thread(&setup, 0, 0);
	setup.config.scope = scope;
	if (scope == PMC_SCOPE_CPU)
		setup.config.cpu = last;
	setup_add(&setup, counter, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	EXPECT_EQ(-ENODEV, setup_configure(self->fd, &setup));
	EXPECT_EQ(0, setup.config.failed_entry);
	EXPECT_EQ(scope == PMC_SCOPE_CPU ? last : 0, setup.config.failed_cpu);
	EXPECT_EQ(PMC_HOLDER_NONE, setup.config.holder.kind);
	EXPECT_EQ(-EBADFD, pmc_call(self->fd, PMC_IOC_START, NULL));
}

TEST_F(none, configure_is_enodev)
{
	static const uint32_t scopes[] = {
		PMC_SCOPE_THREAD, PMC_SCOPE_PROCESS, PMC_SCOPE_TREE, PMC_SCOPE_CPU,
		PMC_SCOPE_ALL_CPUS,
	};
	unsigned int scope, i;

	for (scope = 0; scope < ARRAY_SIZE(scopes); scope++) {
		for (i = 0; i < 32; i++) {
			configure(_metadata, self, scopes[scope], PMC_COUNTER_GENERAL(i));
			configure(_metadata, self, scopes[scope], PMC_COUNTER_FIXED(i));
		}
	}
}

TEST_HARNESS_MAIN

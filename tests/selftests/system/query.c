// SPDX-License-Identifier: GPL-2.0-only
/* Tests PMC_IOC_QUERY: compares each reply with CPUID, executed on the same CPU */
#include <cpuid.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysinfo.h>

#include "kselftest_harness.h"
#include "fixture.h"

struct leaf {
	unsigned int a, b, c, d;
};

static struct leaf cpuid_sub(unsigned int number, unsigned int sub)
{
	struct leaf leaf;

	__cpuid_count(number, sub, leaf.a, leaf.b, leaf.c, leaf.d);
	return leaf;
}

static struct leaf cpuid(unsigned int number)
{
	return cpuid_sub(number, 0);
}

static bool has_perfmon(void)
{
	return cpuid(0).b == signature_INTEL_ebx && cpuid(0).a >= 0xa && cpuid(0xa).a & 0xff;
}

/* Leaf 23H: version 6, CPUID.(07H, 1):EAX[8], and the sub-leaf in its own list */
static bool has_leaf_23h(unsigned int sub)
{
	return has_perfmon() && (cpuid(0xa).a & 0xff) >= 6 && cpuid(0).a >= 0x23 &&
	       cpuid(7).a && cpuid_sub(7, 1).a & 1U << 8 && cpuid(0x23).a & 1 &&
	       cpuid(0x23).a & 1U << sub;
}

FIXTURE(each_cpu) {
	int cpus;
};

FIXTURE_SETUP(each_cpu)
{
	self->cpus = cpus_online();
	ASSERT_LT(0, self->cpus);
}

FIXTURE_TEARDOWN(each_cpu)
{
}

/* Runs the body once on each CPU, with that CPU's reply in "query" */
#define ON_EACH_CPU(cpu, query)							\
	for ((cpu) = 0; (cpu) < self->cpus; (cpu)++)				\
		if (pin(0, cpu) || pmc_query(cpu, &(query))) {			\
			TH_LOG("CPU %d cannot be queried", cpu);			\
			_metadata->exit_code = KSFT_FAIL;			\
		} else

TEST_F(each_cpu, answers_for_the_cpu_asked)
{
	struct pmc_query query;
	int cpu;

	ON_EACH_CPU(cpu, query) {
		EXPECT_EQ(cpu, query.cpu);
		EXPECT_EQ(0, query.flags);
		EXPECT_EQ(PMC_ABI_VERSION, query.abi_version);
		EXPECT_EQ(sizeof(query), query.size);
		ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
		EXPECT_EQ(cpu, query.cpu);
	}
}

/* The reply describes the queried CPU, from whichever CPU it is queried. */
TEST_F(each_cpu, queried_from_another_cpu)
{
	struct pmc_query query;
	int cpu;

	for (cpu = 0; cpu < self->cpus; cpu++) {
		ASSERT_EQ(0, pin(0, (cpu + 1) % self->cpus));
		ASSERT_EQ(0, pmc_query(cpu, &query));
		EXPECT_EQ(cpu, query.cpu);
	}
}

TEST_F(each_cpu, vendor_is_leaf_0)
{
	struct pmc_query query;
	int cpu;

	ON_EACH_CPU(cpu, query) {
		struct leaf leaf = cpuid(0);
		char vendor[16] = { 0 };

		memcpy(vendor, &leaf.b, 4);
		memcpy(vendor + 4, &leaf.d, 4);
		memcpy(vendor + 8, &leaf.c, 4);
		EXPECT_EQ(0, memcmp(vendor, query.vendor, sizeof(vendor)));
	}
}

TEST_F(each_cpu, family_model_stepping_are_leaf_1)
{
	struct pmc_query query;
	int cpu;

	ON_EACH_CPU(cpu, query) {
		unsigned int a = cpuid(1).a;
		unsigned int family = a >> 8 & 0xf, model = a >> 4 & 0xf;

		if (family == 6 || family == 15)
			model += (a >> 16 & 0xf) << 4;
		if (family == 15)
			family += a >> 20 & 0xff;
		EXPECT_EQ(family, query.cpu_family);
		EXPECT_EQ(model, query.cpu_model);
		EXPECT_EQ(a & 0xf, query.cpu_stepping);
	}
}

TEST_F(each_cpu, msr_and_tsc_flags_are_leaf_1)
{
	struct pmc_query query;
	int cpu;

	ON_EACH_CPU(cpu, query) {
		unsigned int d = cpuid(1).d;

		EXPECT_EQ(!!(d & 1U << 4), !!(query.features & PMC_FEATURE(TSC)));
		EXPECT_EQ(!!(d & 1U << 5), !!(query.features & PMC_FEATURE(MSR)));
	}
}

TEST_F(each_cpu, leaf_0ah_as_read)
{
	struct pmc_query query;
	int cpu;

	if (!has_perfmon())
		SKIP(return, "CPUID has no leaf 0AH with counters");
	ON_EACH_CPU(cpu, query) {
		struct leaf leaf = cpuid(0xa);

		EXPECT_EQ(leaf.a, query.cpuid_0ah[0]);
		EXPECT_EQ(leaf.b, query.cpuid_0ah[1]);
		EXPECT_EQ(leaf.c, query.cpuid_0ah[2]);
		EXPECT_EQ(leaf.d, query.cpuid_0ah[3]);
		EXPECT_EQ(leaf.a & 0xff, query.perfmon_version);
	}
}

TEST_F(each_cpu, leaf_23h_as_read)
{
	struct pmc_query query;
	int cpu;

	if (!has_perfmon())
		SKIP(return, "CPUID has no leaf 0AH with counters");
	ON_EACH_CPU(cpu, query) {
		bool there = cpuid(0).a >= 0x23 && cpuid(7).a && cpuid_sub(7, 1).a & 1U << 8;
		struct leaf leaf = there ? cpuid(0x23) : (struct leaf){ 0 };

		EXPECT_EQ(leaf.a, query.cpuid_23h[0]);
		EXPECT_EQ(leaf.b, query.cpuid_23h[1]);
		EXPECT_EQ(leaf.c, query.cpuid_23h[2]);
		EXPECT_EQ(leaf.d, query.cpuid_23h[3]);
		EXPECT_EQ(0, query.reserved);
	}
}

/* CPUID.1AH:EAX, where CPUID.07H:EDX[15] reports several core types */
TEST_F(each_cpu, core_type_is_leaf_1ah)
{
	struct pmc_query query;
	int cpu;

	if (!has_perfmon())
		SKIP(return, "CPUID has no leaf 0AH with counters");
	ON_EACH_CPU(cpu, query) {
		bool hybrid = cpuid(0).a >= 0x1a && cpuid(7).d & 1U << 15;

		EXPECT_EQ(hybrid ? cpuid(0x1a).a : 0, query.core_type);
	}
}

/* CPUID.07H:EDX: TSX_FORCE_ABORT (13) without RTM_ALWAYS_ABORT (11) */
static bool tsx_takes_counter_3(void)
{
	unsigned int d = cpuid(0).a >= 7 ? cpuid(7).d : 0;

	return d & 1U << 13 && !(d & 1U << 11);
}

/* Pentium Pro before stepping 9 */
static bool is_early_pentium_pro(const struct pmc_query *query)
{
	return query->cpu_family == 6 && query->cpu_model == 1 && query->cpu_stepping < 9;
}

static bool is_zen_1(const struct pmc_query *query)
{
	return !memcmp("AuthenticAMD", query->vendor, 12) && query->cpu_family == 23 &&
	       query->cpu_model < 16;
}

/* Does the list of models of family 6, which ends with 0, have the processor's? */
static bool is_model(const struct pmc_query *query, const unsigned char *models)
{
	while (*models && *models != query->cpu_model)
		models++;
	return !memcmp("GenuineIntel", query->vendor, 12) && query->cpu_family == 6 && *models;
}

static const unsigned char nehalem_westmere[] = { 0x1a, 0x1e, 0x25, 0x2c, 0x2e, 0x2f, 0 };

static const unsigned char nehalem[] = { 0x1a, 0x1e, 0x2e, 0 };
static const unsigned char haswell[] = { 0x3c, 0x3f, 0x45, 0x46, 0 };
static const unsigned char haswell_clients[] = { 0x3c, 0x45, 0x46, 0 };
static const unsigned char broadwell[] = { 0x3d, 0x47, 0x4f, 0x56, 0 };
static const unsigned char broadwell_servers[] = { 0x4f, 0x56, 0 };
static const unsigned char sandy_bridge_to_haswell[] = {
	0x2a, 0x2d, 0x3a, 0x3c, 0x3e, 0x3f, 0x45, 0x46, 0,
};
static const unsigned char again_at_zero[] = { 0x1a, 0x2a, 0x2e, 0x2f, 0 };

/* Those of least periods */
static uint64_t quirks_of_periods(const struct pmc_query *query)
{
	uint64_t quirks = 0;

	if (is_model(query, nehalem) || is_model(query, haswell))
		quirks |= PMC_QUIRK(PERIOD_32);
	if (is_model(query, haswell) || is_model(query, broadwell))
		quirks |= PMC_QUIRK(PERIOD_128);
	if (is_model(query, again_at_zero))
		quirks |= PMC_QUIRK(ZERO);
	return quirks;
}

/* The rows of the specification updates that quirks_intel.c and quirks_amd.c have */
TEST_F(each_cpu, quirks_are_those_of_the_processor)
{
	struct pmc_query query;
	int cpu;

	ON_EACH_CPU(cpu, query) {
		bool intel = !memcmp("GenuineIntel", query.vendor, 12);
		uint64_t quirks = quirks_of_periods(&query);

		if (query.status != PMC_STATUS_OK)
			continue;
		if (intel && query.cpu_family == 15)
			quirks |= PMC_QUIRK(NETBURST_WRITE);
		if (intel && is_early_pentium_pro(&query))
			quirks |= PMC_QUIRK(P6_RDPMC);
		if (intel && query.cpu_family == 6 && tsx_takes_counter_3())
			quirks |= PMC_QUIRK(TSX_FORCE_ABORT);
		if (is_model(&query, sandy_bridge_to_haswell))
			quirks |= PMC_QUIRK(HT_LEAK);
		if (is_model(&query, haswell_clients))
			quirks |= PMC_QUIRK(FIXED0);
		if (is_model(&query, broadwell_servers))
			quirks |= PMC_QUIRK(USER_4_7);
		if (is_model(&query, nehalem_westmere))
			quirks |= PMC_QUIRK(NEHALEM_ENABLE);
		if (is_zen_1(&query))
			quirks |= PMC_QUIRK(LOST_PMI);
		EXPECT_EQ(quirks, query.quirks);
	}
}

/*
 * Leaf 0AH has the number of counters; leaf 23H, where present, has a mask. Microcode may
 * have taken counter 3.
 */
TEST_F(each_cpu, general_counters_are_leaf_0ah)
{
	struct pmc_query query;
	int cpu;

	if (!has_perfmon())
		SKIP(return, "CPUID has no leaf 0AH with counters");
	ON_EACH_CPU(cpu, query) {
		unsigned int a = cpuid(0xa).a;
		uint64_t general = (1ULL << (a >> 8 & 0xff)) - 1;

		if (has_leaf_23h(1))
			general = cpuid_sub(0x23, 1).a;
		if (tsx_takes_counter_3())
			general &= ~(1ULL << 3);
		EXPECT_EQ(general, query.general_counters);
		EXPECT_EQ(a >> 16 & 0xff, query.general_width);
	}
}

/*
 * SDM Volume 3B: versions 2 to 5 have EDX[4:0] contiguous counters, and a mask in ECX from
 * version 5 on; version 1 has none, whatever EDX contains. Leaf 23H has a mask.
 */
TEST_F(each_cpu, fixed_counters_are_leaf_0ah)
{
	struct pmc_query query;
	int cpu;

	if (!has_perfmon())
		SKIP(return, "CPUID has no leaf 0AH with counters");
	ON_EACH_CPU(cpu, query) {
		struct leaf leaf = cpuid(0xa);
		unsigned int version = leaf.a & 0xff;
		uint64_t fixed = version >= 2 ? (1ULL << (leaf.d & 0x1f)) - 1 : 0;

		if (version >= 5)
			fixed |= leaf.c;
		if (has_leaf_23h(1))
			fixed = cpuid_sub(0x23, 1).b;
		EXPECT_EQ(fixed, query.fixed_counters);
		EXPECT_EQ(fixed ? leaf.d >> 5 & 0xff : 0, query.fixed_width);
		EXPECT_EQ(!!fixed, !!(query.features & PMC_FEATURE(FIXED)));
	}
}

TEST_F(each_cpu, events_are_leaf_0ah)
{
	struct pmc_query query;
	int cpu;

	if (!has_perfmon())
		SKIP(return, "CPUID has no leaf 0AH with counters");
	ON_EACH_CPU(cpu, query) {
		struct leaf leaf = cpuid(0xa);
		unsigned int described = leaf.a >> 24;
		uint32_t meant = described >= 32 ? ~0U : (1U << described) - 1;
		uint32_t lacking = leaf.b;

		if (has_leaf_23h(3)) {
			EXPECT_LE(described, query.events_described);
			EXPECT_EQ(0, (uint64_t)cpuid_sub(0x23, 3).a >> query.events_described);
			described = query.events_described;
			meant = (1ULL << described) - 1;
			lacking = ~cpuid_sub(0x23, 3).a;
		}
		EXPECT_EQ(described, query.events_described);
		EXPECT_EQ(lacking & meant, query.events_unavailable);
	}
}

/*
 * SDM Volume 3B, IA32_PERFEVTSELx: bits 7:0, 15:8, 18, 23, 31:24; AnyThread 21. By leaf 23H,
 * EBX: equal 36, unit mask 2 47:40.
 */
TEST_F(each_cpu, event_select_bits)
{
	struct pmc_query query;
	int cpu;

	if (!has_perfmon())
		SKIP(return, "CPUID has no leaf 0AH with counters");
	ON_EACH_CPU(cpu, query) {
		struct leaf leaf = cpuid(0xa);
		bool any = (leaf.a & 0xff) >= 3 && !(leaf.d & 1U << 15);
		uint64_t mask = 0xff84ffff | (any ? 1U << 21 : 0);

		if (has_leaf_23h(0) && cpuid(0x23).b & 1)
			mask |= 0xffULL << 40;
		if (has_leaf_23h(0) && cpuid(0x23).b & 2)
			mask |= 1ULL << 36;
		EXPECT_EQ(mask, query.event_select_mask);
		EXPECT_EQ(any, !!(query.features & PMC_FEATURE(ANY_THREAD)));
	}
}

TEST_F(each_cpu, features_of_the_version)
{
	struct pmc_query query;
	int cpu;

	if (!has_perfmon())
		SKIP(return, "CPUID has no leaf 0AH with counters");
	ON_EACH_CPU(cpu, query) {
		unsigned int version = cpuid(0xa).a & 0xff;
		bool pdcm = cpuid(1).c & 1U << 15;

		EXPECT_EQ(PMC_STATUS_OK, query.status);
		EXPECT_EQ(PMC_FAMILY_CORE, query.family);
		EXPECT_EQ(version >= 2, !!(query.features & PMC_FEATURE(GLOBAL_CTRL)));
		EXPECT_NE(0, query.features & PMC_FEATURE(RDPMC));
		EXPECT_NE(0, query.features & PMC_FEATURE(INTERRUPT));
		EXPECT_NE(0, query.features & PMC_FEATURE(KERNEL_MODE));
		EXPECT_EQ(!!(query.perf_capabilities & 1ULL << 12),
			  !!(query.features & PMC_FEATURE(FREEZE)));
		EXPECT_EQ(!!(query.perf_capabilities & 1ULL << 13),
			  !!(query.features & PMC_FEATURE(FULL_WIDTH)));
		EXPECT_EQ(true, pdcm || !query.perf_capabilities);
		EXPECT_EQ(query.perf_capabilities & 1 << 15 && query.fixed_counters & 1 << 3 &&
			  query.core_type >> 24 != 0x20,
			  !!(query.features & PMC_FEATURE(METRICS)));
	}
}

/*
 * SDM Volume 3B, "Performance Monitoring (P6 Family Processor)" and "(Pentium Processors)": two
 * counters of 40 bits, the writable bits of an event select, and an interrupt on the P6 only
 */
TEST_F(each_cpu, two_counters_before_leaf_0ah)
{
	struct pmc_query query;
	int cpu;

	if (has_perfmon() || cpuid(0).b != signature_INTEL_ebx || (cpuid(1).a >> 8 & 0xf) > 6)
		SKIP(return, "no Pentium and no P6");
	ON_EACH_CPU(cpu, query) {
		unsigned int model = cpuid(1).a >> 4 & 0xf;
		bool p6 = (cpuid(1).a >> 8 & 0xf) == 6, rdpmc;

		EXPECT_EQ(PMC_STATUS_OK, query.status);
		EXPECT_EQ(p6 ? PMC_FAMILY_P6 : PMC_FAMILY_P5, query.family);
		EXPECT_EQ(0, query.perfmon_version);
		EXPECT_EQ(3, query.general_counters);
		EXPECT_EQ(40, query.general_width);
		EXPECT_EQ(0, query.fixed_counters);
		EXPECT_EQ(0, query.fixed_width);
		EXPECT_EQ(p6 ? 0xff84ffff : 0x33f, query.event_select_mask);
		/* P5: model 4 has MMX */
		rdpmc = p6 ? !is_early_pentium_pro(&query) : model >= 4;
		EXPECT_EQ(rdpmc, !!(query.features & PMC_FEATURE(RDPMC)));
		EXPECT_EQ(p6, !!(query.features & PMC_FEATURE(INTERRUPT)));
		EXPECT_EQ(!p6, !!(query.features & PMC_FEATURE(FULL_WIDTH)));
		EXPECT_NE(0, query.features & PMC_FEATURE(KERNEL_MODE));
		EXPECT_EQ(0, query.features & (PMC_FEATURE(GLOBAL_CTRL) | PMC_FEATURE(FREEZE) |
					       PMC_FEATURE(FIXED) | PMC_FEATURE(ANY_THREAD)));
	}
}

/*
 * CPUID 80000001H and 80000022H (arch/x86/include/asm/cpufeatures.h): four counters, six with
 * PerfCtrExtCore; with PerfMonV2 NumPerfCtrCore counters and a global control; 48 bits. Bits
 * 35:32 of the event select exist from family 10H on, bits 41:40 on processors with SVM.
 */
TEST_F(each_cpu, amd_counters)
{
	struct pmc_query query;
	int cpu;

	if (!is_amd())
		SKIP(return, "not AMD's");
	ON_EACH_CPU(cpu, query) {
		uint32_t leaves = cpuid(0x80000000).a, features = cpuid(0x80000001).c;
		bool v2 = leaves >= 0x80000022 && cpuid(0x80000022).a & 1;
		bool freeze = v2 && cpuid(0x80000022).a & 4;
		uint32_t counters = features & 1U << 23 ? 6 : 4;
		uint64_t select = 0xff84ffff;

		if (v2)
			counters = cpuid(0x80000022).b & 0xf;
		if (query.cpu_family >= 0x10)
			select |= 0xfULL << 32;
		if (query.cpu_family >= 0x10 && features & 1U << 2)
			select |= 3ULL << 40;
		EXPECT_EQ(PMC_STATUS_OK, query.status);
		EXPECT_EQ(PMC_FAMILY_AMD, query.family);
		EXPECT_EQ(0, query.perfmon_version);
		EXPECT_EQ((1ULL << counters) - 1, query.general_counters);
		EXPECT_EQ(48, query.general_width);
		EXPECT_EQ(0, query.fixed_counters);
		EXPECT_EQ(0, query.fixed_width);
		EXPECT_EQ(select, query.event_select_mask);
		EXPECT_EQ(PMC_FEATURE(RDPMC) | PMC_FEATURE(INTERRUPT) | PMC_FEATURE(FULL_WIDTH) |
			  PMC_FEATURE(KERNEL_MODE) | (v2 ? PMC_FEATURE(GLOBAL_CTRL) : 0) |
			  (freeze ? PMC_FEATURE(FREEZE) : 0),
			  query.features & ~(PMC_FEATURE(MSR) | PMC_FEATURE(TSC) |
					     PMC_FEATURE(TSC_SYNC)));
	}
}

/* "cpu MHz" of the kernel differs, so this only checks plausibility. */
TEST(tsc_rate_agrees_with_the_clock)
{
	struct pmc_query query;

	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
	if (!(query.features & PMC_FEATURE(TSC)))
		SKIP(return, "no time-stamp counter");
	EXPECT_NE(0, query.tsc_khz);
}

TEST(contexts_are_counted)
{
	struct pmc_query query;
	struct setup setup;
	uint32_t before;
	int fd;

	NEED_COUNTERS(&query);
	before = query.contexts;
	OPEN_DEVICE(fd);
	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
	EXPECT_EQ(before, query.contexts);
	setup_thread_one(&setup, 0, 0);
	ASSERT_EQ(0, setup_configure(fd, &setup));
	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
	EXPECT_EQ(before + 1, query.contexts);
	close(fd);
	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
	EXPECT_EQ(before, query.contexts);
}

/* An older caller: fields beyond its size are not written, all before are correct. */
TEST(older_caller_is_served)
{
	struct pmc_query whole;
	union {
		struct pmc_query query;
		unsigned char bytes[sizeof(struct pmc_query)];
	} some;
	int fd = pmc_open();
	size_t size, i;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, pmc_query(0, &whole));
	for (size = offsetof(struct pmc_query, abi_version); size < sizeof(whole); size++) {
		memset(&some, 0xa5, sizeof(some));
		some.query.size = size;
		some.query.cpu = 0;
		some.query.flags = 0;
		ASSERT_EQ(0, pmc_call(fd, PMC_IOC_QUERY, &some));
		some.query.size = whole.size;
		ASSERT_EQ(0, memcmp(&some, &whole, size)) {
			TH_LOG("size %zu", size);
		}
		for (i = size; i < sizeof(some); i++)
			ASSERT_EQ(0xa5, some.bytes[i]);
	}
}

/* A newer caller leaves the fields that the driver does not know 0. */
TEST(newer_caller_is_served)
{
	struct {
		struct pmc_query query;
		unsigned char more[64];
	} request;
	int fd = pmc_open();
	unsigned int i;

	ASSERT_LE(0, fd);
	memset(&request, 0, sizeof(request));
	request.query.size = sizeof(request);
	request.query.cpu = 0;
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_QUERY, &request));
	EXPECT_EQ(PMC_ABI_VERSION, request.query.abi_version);
	for (i = 0; i < sizeof(request.more); i++)
		EXPECT_EQ(0, request.more[i]);
}

/* A page is the most that is accepted. */
TEST(newest_caller_is_served)
{
	static union {
		struct pmc_query query;
		unsigned char bytes[4097];
	} request;
	int fd = pmc_open();

	ASSERT_LE(0, fd);
	request.query.size = 4096;
	EXPECT_EQ(0, pmc_call(fd, PMC_IOC_QUERY, &request));
	memset(&request, 0, sizeof(request));
	request.query.size = 4097;
	EXPECT_EQ(-E2BIG, pmc_call(fd, PMC_IOC_QUERY, &request));
}

TEST(newer_caller_with_nonzero_tail_refused)
{
	struct {
		struct pmc_query query;
		unsigned char more[64];
	} request;
	int fd = pmc_open();
	unsigned int i;

	ASSERT_LE(0, fd);
	for (i = 0; i < sizeof(request.more); i++) {
		memset(&request, 0, sizeof(request));
		request.query.size = sizeof(request);
		request.more[i] = 1;
		ASSERT_EQ(-E2BIG, pmc_call(fd, PMC_IOC_QUERY, &request));
	}
}

TEST(too_small)
{
	struct pmc_query query;
	int fd = pmc_open();
	size_t size;

	ASSERT_LE(0, fd);
	for (size = 0; size < offsetof(struct pmc_query, abi_version); size++) {
		memset(&query, 0, sizeof(query));
		query.size = size;
		ASSERT_EQ(-EINVAL, pmc_call(fd, PMC_IOC_QUERY, &query));
	}
}

TEST(unknown_cpu)
{
	struct pmc_query query;
	int cpu;

	EXPECT_EQ(-EINVAL, pmc_query(-2, &query));
	EXPECT_EQ(-EINVAL, pmc_query(INT32_MIN, &query));
	EXPECT_EQ(-EINVAL, pmc_query(INT32_MAX, &query));
	for (cpu = get_nprocs_conf(); cpu < 10000; cpu += 97)
		EXPECT_EQ(-EINVAL, pmc_query(cpu, &query));
}

TEST(flags_are_refused)
{
	struct pmc_query query;
	int fd = pmc_open();
	unsigned int bit;

	ASSERT_LE(0, fd);
	for (bit = 0; bit < 32; bit++) {
		memset(&query, 0, sizeof(query));
		query.size = sizeof(query);
		query.flags = 1U << bit;
		EXPECT_EQ(-EINVAL, pmc_call(fd, PMC_IOC_QUERY, &query));
	}
}

TEST(tsc_ioctl)
{
	struct pmc_tsc tsc = { .size = sizeof(tsc), .reserved = ~0U };
	struct pmc_query query;
	uint64_t before, after;
	int fd = pmc_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &query));
	if (!(query.features & PMC_FEATURE(TSC)))
		SKIP(return, "no time-stamp counter");
	ASSERT_EQ(0, pin(0, cpus_online() - 1));
	before = __builtin_ia32_rdtsc();
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_TSC, &tsc));
	after = __builtin_ia32_rdtsc();
	EXPECT_LT(before, tsc.tsc);
	EXPECT_LT(tsc.tsc, after);
	EXPECT_EQ(cpus_online() - 1, tsc.cpu);
	EXPECT_EQ(0, tsc.reserved);
}

TEST_HARNESS_MAIN

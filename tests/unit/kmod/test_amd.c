// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of amd.c: what it recognises, describes, accepts, compiles and reserves
 *
 * CPUID is that of the AMD64 Architecture Programmer's Manual, Volume 3, appendix E. Which
 * counter can count an event is in test_amd_events.c.
 */
#include "amd_registers.h"
#include "program.h"

#include <asm/cpufeature.h>

#define SVM		(1U << 2)	/* CPUID.80000001H:ECX */
#define CORE_EXTENSION	(1U << 23)
#define V2		1U		/* CPUID.80000022H:EAX */
#define LBR_AND_PMC_FREEZE 4U

/* event, unit mask, edge, invert, counter mask; from family 10h on the event's bits 11:8 */
#define ALLOWED		0xff84ffffULL
#define ALLOWED_10H	0xfff84ffffULL
#define GUEST_AND_HOST	(3ULL << 40)	/* with SVM */
#define USER		(1ULL << 16)
#define KERNEL		(1ULL << 17)
#define INTERRUPT	(1ULL << 20)
#define WIDTH_MASK	0xffffffffffffULL
#define PERIOD_MAX	0x7fffffffffffULL

static struct {
	u32 last;	/* extended leaf */
	u32 features;
	u32 perfmon_eax;
	u32 perfmon_ebx;
} leaves;

void cpuid(u32 leaf, u32 subleaf, u32 result[4])
{
	assert_int_equal(0, subleaf);
	memset(result, 0, 4 * sizeof(*result));
	if (leaf == 0x80000000) {
		result[0] = leaves.last;
	} else if (leaf == 0x80000001) {
		result[2] = leaves.features;
	} else if (leaf == 0x80000022) {
		result[0] = leaves.perfmon_eax;
		result[1] = leaves.perfmon_ebx;
	}
}

static struct pmc_description processor(u32 family)
{
	return (struct pmc_description){ .query = {
		.vendor = "AuthenticAMD", .cpu_family = family,
		.status = PMC_STATUS_UNKNOWN_CPU, .features = PMC_FEATURE(MSR),
	} };
}

static void recognised(u32 family, u64 counters, u64 mask, u64 features)
{
	struct pmc_description found = processor(family), expected = found;

	expected.query.family = PMC_FAMILY_AMD;
	expected.query.general_counters = counters;
	expected.query.general_width = 48;
	expected.query.event_select_mask = mask;
	expected.query.features |= PMC_FEATURE(KERNEL_MODE) | PMC_FEATURE(FULL_WIDTH) |
				   PMC_FEATURE(INTERRUPT) | PMC_FEATURE(RDPMC) | features;
	rdpmc.tried = 0;
	assert_true(pmc_family_amd.recognise(&found));
	assert_memory_equal(&expected, &found, sizeof(expected));
	assert_int_equal(counters, rdpmc.tried);
}

static void refused(const struct pmc_description *before, u32 status)
{
	struct pmc_description found = *before, expected = *before;

	expected.query.status = status;
	assert_false(pmc_family_amd.recognise(&found));
	assert_memory_equal(&expected, &found, sizeof(expected));
	assert_int_equal(0, rdpmc.tried);
}

static void other_processors(void **state)
{
	static const char vendors[][16] = {
		"GenuineIntel", "AuthenticAMd", "authenticAMD", "HygonGenuinE", "hygonGenuine",
	};
	struct pmc_description other;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(vendors); i++) {
		other = processor(0x17);
		memcpy(other.query.vendor, vendors[i], sizeof(other.query.vendor));
		refused(&other, PMC_STATUS_UNKNOWN_CPU);
	}
	/* the K6 has no counters */
	for (i = 0; i < 6; i++) {
		other = processor(i);
		refused(&other, PMC_STATUS_UNKNOWN_CPU);
	}
	other = processor(0x18);
	memcpy(other.query.vendor, "HygonGenuine", sizeof("HygonGenuine"));
	assert_true(pmc_family_amd.recognise(&other));
	/* Xen's paravirtual machines show the processor's CPUID */
	other = processor(0x17);
	rdpmc.tried = 0;
	cpu_has_feature[X86_FEATURE_XENPV] = true;
	refused(&other, PMC_STATUS_NO_PERFMON);
	cpu_has_feature[X86_FEATURE_XENPV] = false;
}

/* Without the core extension: four counters, and leaf 80000022H does not matter. */
static void four_counters(void **state)
{
	leaves.features = ~(CORE_EXTENSION | SVM);
	leaves.perfmon_eax = ~0U;
	leaves.perfmon_ebx = 2;
	recognised(0x06, 0xf, ALLOWED, 0);
	recognised(0x0f, 0xf, ALLOWED, 0);
	recognised(0x10, 0xf, ALLOWED_10H, 0);
	recognised(0x11, 0xf, ALLOWED_10H, 0);
	leaves.features |= SVM;
	recognised(0x0f, 0xf, ALLOWED, 0);
	recognised(0x10, 0xf, ALLOWED_10H | GUEST_AND_HOST, 0);
	/* no leaf has features */
	leaves.features = ~0U;
	leaves.last = 0x80000000;
	recognised(0x10, 0xf, ALLOWED_10H, 0);
	leaves.last = 0x80000001;
	leaves.features = SVM;
	recognised(0x10, 0xf, ALLOWED_10H | GUEST_AND_HOST, 0);
}

static void six_counters(void **state)
{
	leaves.features = CORE_EXTENSION;
	recognised(0x15, 0x3f, ALLOWED_10H, 0);
	/* the leaf exists, PerfMonV2 does not */
	leaves.perfmon_eax = ~V2;
	leaves.perfmon_ebx = 2;
	recognised(0x19, 0x3f, ALLOWED_10H, 0);
	leaves.perfmon_eax = ~0U;
	leaves.last = 0x80000021;
	recognised(0x19, 0x3f, ALLOWED_10H, 0);
	leaves.last = 0x80000022;
	recognised(0x19, 0x3, ALLOWED_10H, PMC_FEATURE(GLOBAL_CTRL) | PMC_FEATURE(FREEZE));
}

/* EBX[3:0] has the number of core counters; the driver knows six. */
static void counters_of_v2(void **state)
{
	u32 number;

	leaves.features = CORE_EXTENSION | SVM;
	leaves.perfmon_eax = ~LBR_AND_PMC_FREEZE;
	for (number = 1; number < 16; number++) {
		leaves.perfmon_ebx = 0xfffffff0 | number;
		recognised(0x19, number < 6 ? (1ULL << number) - 1 : 0x3f,
			   ALLOWED_10H | GUEST_AND_HOST, PMC_FEATURE(GLOBAL_CTRL));
	}
	/* 0: not reported */
	leaves.perfmon_ebx = 0xfffffff0;
	recognised(0x19, 0x3f, ALLOWED_10H | GUEST_AND_HOST, PMC_FEATURE(GLOBAL_CTRL));
	leaves.perfmon_eax = V2 | LBR_AND_PMC_FREEZE;
	recognised(0x19, 0x3f, ALLOWED_10H | GUEST_AND_HOST,
		   PMC_FEATURE(GLOBAL_CTRL) | PMC_FEATURE(FREEZE));
}

/* A hypervisor without the registers: nothing else of the description changes. */
static void no_registers(void **state)
{
	static const u32 global[] = { GLOBAL_STATUS, GLOBAL_CTL };
	struct pmc_description described = processor(0x19);
	u32 i;

	leaves.features = CORE_EXTENSION;
	leaves.perfmon_eax = V2;
	for (i = 0; i < ARRAY_SIZE(global); i++) {
		reg_faults(global[i], true);
		refused(&described, PMC_STATUS_NO_PERFMON);
		reg_faults(global[i], false);
	}
	leaves.features = 0;
	for (i = 0; i < 4; i++)
		reg_faults(i & 1 ? SELECT(i) : CTR(i), true);
	refused(&described, PMC_STATUS_NO_PERFMON);
}

static struct pmc_query query_of(u64 counters, u64 features)
{
	struct pmc_query query = processor(0x19).query;

	query.general_counters = counters;
	query.event_select_mask = ALLOWED_10H;
	query.features = features;
	return query;
}

static void described(struct pmc_query query, u32 counter, u32 select, u32 address, u64 period_max)
{
	const struct pmc_counter expected = {
		.rdpmc = counter, .width = 48, .write_width = 48,
		.event_select_mask = query.event_select_mask, .select_msr = select,
		.counter_msr = address, .period_max = period_max,
	};
	struct pmc_counter answer = {};

	assert_int_equal(0, pmc_family_amd.describe_counter(&query, counter, &answer));
	assert_memory_equal(&expected, &answer, sizeof(answer));
}

static void no_counter(u64 counters, u32 counter)
{
	const struct pmc_query query = query_of(counters, ~0ULL);
	const struct pmc_counter_config config = { .counter = counter };
	u64 bits = 0x5a5a;

	describes_no_counter(&pmc_family_amd, &query, counter);
	assert_int_equal(-ENXIO, pmc_family_amd.check(&query, &config, &bits));
	assert_int_equal(0x5a5a, bits);
}

static void describe_counter(void **state)
{
	u32 i;

	for (i = 0; i < 4; i++)
		described(query_of(0xf, ~(PMC_FEATURE(GLOBAL_CTRL) | PMC_FEATURE(INTERRUPT))), i,
			  SELECT(i), CTR(i), 0);
	for (i = 0; i < 4; i++)
		described(query_of(0xf, PMC_FEATURE(GLOBAL_CTRL) | PMC_FEATURE(INTERRUPT)), i,
			  PERF_CTL(i), PERF_CTR(i), PERIOD_MAX);
	for (i = 0; i < 6; i++)
		described(query_of(0x3f, PMC_FEATURE(INTERRUPT)), i, PERF_CTL(i), PERF_CTR(i),
			  PERIOD_MAX);
	/* either counter beyond the four */
	described(query_of(0x11, 0), 0, PERF_CTL(0), PERF_CTR(0), 0);
	described(query_of(0x21, 0), 5, PERF_CTL(5), PERF_CTR(5), 0);
	no_counter(0xf, 4);
	no_counter(0x3f, 6);
	no_counter(0x3d, 1);
	no_counter(~0ULL, PMC_GENERAL_MAX);
	no_counter(~0ULL, UINT32_MAX);
}

/* The check returns this, with these refused bits. */
static void checked(struct pmc_query query, int expected, u64 expected_bits,
		    struct pmc_counter_config config)
{
	u64 bits = 0x5a5a;

	assert_int_equal(expected, pmc_family_amd.check(&query, &config, &bits));
	assert_int_equal(expected_bits, bits);
}

static void check(void **state)
{
	const struct pmc_query query = query_of(0x3f, PMC_FEATURE(INTERRUPT));
	struct pmc_counter_config config = {};
	u32 bit;

	for (config.counter = 0; config.counter < 6; config.counter++) {
		for (bit = 0; bit < 64; bit++) {
			config.event_select = 1ULL << bit;
			checked(query, ALLOWED_10H >> bit & 1 ? 0 : -EINVAL,
				config.event_select & ~ALLOWED_10H, config);
		}
		config.event_select = ~0ULL;
		checked(query, -EINVAL, ~ALLOWED_10H, config);
	}
	checked(query, -EINVAL, 0, (struct pmc_counter_config){ .event_extra = 1 });
	/* event FFFH is the second half of a pair */
	checked(query, -EDOM, 0, (struct pmc_counter_config){ .event_select = 0xf000000ff });
	checked(query, 0, 0, (struct pmc_counter_config){ .period = 1 });
	checked(query, 0, 0, (struct pmc_counter_config){ .period = PERIOD_MAX });
	checked(query, -ERANGE, 0, (struct pmc_counter_config){ .period = PERIOD_MAX + 1 });
	checked(query_of(0x3f, 0), 0, 0, (struct pmc_counter_config){});
	checked(query_of(0x3f, 0), -EOPNOTSUPP, 0, (struct pmc_counter_config){ .period = 1 });
}

/* Compile one counter; the program's fields have only its bits then. */
static void compiled(struct pmc_query query, const struct pmc_counter_config *config,
		     const struct pmc_counter_setup *expected)
{
	const u32 nr = program->nr;

	assert_int_equal(0, pmc_family_amd.compile(&query, config, program));
	assert_int_equal(nr + 1, program->nr);
	assert_memory_equal(expected, &program->setup[nr], sizeof(*expected));
}

/* Returns what is compiled on six counters without a quirk. */
static struct pmc_counter_setup compile_one(u32 counter, u32 flags, u64 select, u64 period)
{
	const struct pmc_counter_config config = {
		.counter = counter, .flags = flags, .event_select = select & ALLOWED_10H,
		.period = period,
	};
	const struct pmc_counter_setup expected = {
		.rdpmc = counter, .index = counter, .extra = PERF_CTL(counter),
		.mask = WIDTH_MASK, .select = select, .write_msr = PERF_CTR(counter),
		.counter_msr = PERF_CTR(counter), .write_mask = WIDTH_MASK, .period = period,
		.user = select & USER, .kernel = select & KERNEL,
	};

	memset(program, 0, sizeof(*program) + 2 * sizeof(program->setup[0]));
	compiled(query_of(0x3f, 0), &config, &expected);
	assert_int_equal(1ULL << counter, program->general);
	assert_int_equal(1ULL << counter, program->enable);
	assert_int_equal(period ? 1ULL << counter : 0, program->interrupts);
	return expected;
}

static void compile(void **state)
{
	u32 i;

	for (i = 0; i < 6; i++) {
		compile_one(i, 0, 0x76, 0);
		assert_false(program->stop_to_read);
		compile_one(i, PMC_COUNT_USER, 0x1000001c0 | USER, 0);
		assert_false(program->stop_to_read);
		compile_one(i, PMC_COUNT_KERNEL, 0x76 | KERNEL, 0);
		assert_true(program->stop_to_read);
		compile_one(i, PMC_COUNT_USER | PMC_COUNT_KERNEL, ALLOWED_10H | USER | KERNEL, 0);
		assert_true(program->stop_to_read);
		compile_one(i, PMC_COUNT_USER, 0x76 | USER | INTERRUPT, 1);
		compile_one(i, PMC_COUNT_KERNEL, 0x76 | KERNEL | INTERRUPT, PERIOD_MAX);
	}
	/* an event of both threads */
	compile_one(0, PMC_COUNT_USER, 0x62 | USER, 0);
	assert_true(program->stop_to_read);
}

/* The first of two counters alone is sampled and counts kernel mode. */
static void compile_two(void **state)
{
	const struct pmc_counter_config second = { .counter = 3, .flags = PMC_COUNT_USER,
						   .event_select = 0xc0 };
	struct pmc_counter_setup expected = compile_one(3, PMC_COUNT_USER, 0xc0 | USER, 0);

	compile_one(1, PMC_COUNT_KERNEL, 0x76 | KERNEL | INTERRUPT, 9);
	compiled(query_of(0x3f, 0), &second, &expected);
	assert_int_equal(0xa, program->general);
	assert_int_equal(0xa, program->enable);
	assert_int_equal(0x2, program->interrupts);
	assert_true(program->stop_to_read);
}

/* Erratum 1023: another counter's interrupt can be the first that finds an overflow. */
static void compile_lost_pmi(void **state)
{
	struct pmc_counter_config config = { .counter = 2, .flags = PMC_COUNT_USER,
					     .event_select = 0x76, .period = 9 };
	struct pmc_query query = query_of(0x3f, 0);
	struct pmc_counter_setup expected;

	expected = compile_one(2, PMC_COUNT_USER, 0x76 | USER | INTERRUPT, 9);
	query.quirks = ~PMC_QUIRK(LOST_PMI);
	compiled(query, &config, &expected);
	program->nr = 0;
	query.quirks = PMC_QUIRK(LOST_PMI);
	expected.delayed = true;
	expected.write_msr = 0;
	memset(&program->setup[0], 0, sizeof(program->setup[0]));
	compiled(query, &config, &expected);
	/* not of a counter that is not sampled */
	expected = compile_one(2, PMC_COUNT_USER, 0x76 | USER, 0);
	config.period = 0;
	compiled(query, &config, &expected);
}

/* Linux has one reservation for both addresses of a counter. */
static void reserve(void **state)
{
	u64 mask;
	u32 i, n;

	for (mask = 1; mask < 64; mask++) {
		reserved_by_others = 0;
		assert_int_equal(0, pmc_family_amd.reserve(mask));
		for (i = 0, n = 0; i < 6; i++) {
			if (!(mask >> i & 1))
				continue;
			assert_int_equal(1, reservations[n].mask);
			assert_int_equal(PERF_CTR(i), reservations[n].counter_msr);
			assert_int_equal(PERF_CTL(i), reservations[n++].select_msr);
		}
		assert_int_equal(n, reservation_count);
		pmc_family_amd.unreserve(mask);
		assert_int_equal(0, reservation_count);
		/* all or none */
		for (i = 0; i < 6; i++) {
			reserved_by_others = PERF_CTR(i);
			assert_int_equal(mask >> i & 1 ? -EBUSY : 0, pmc_family_amd.reserve(mask));
			if (!(mask >> i & 1))
				pmc_family_amd.unreserve(mask);
			assert_int_equal(0, reservation_count);
		}
	}
}

/* Linux, nmi_evntsel_msr_to_bit(): 66 event selects have a bit, from family 15h on the newer. */
static void spare_select(void **state)
{
	u32 family;

	for (family = 6; family < 0x1b; family++) {
		boot_cpu_data.x86 = family;
		assert_int_equal(family < 0x15 ? SELECT(64) : PERF_CTL(64),
				 pmc_family_amd.spare_select());
	}
}

static int setup(void **state)
{
	u32 i;

	registers_reset();
	give_counters();
	for (i = 0; i < 4; i++) {
		*reg(SELECT(i)) = 0;
		*reg(CTR(i)) = 0;
	}
	*reg(GLOBAL_STATUS) = 0;
	*reg(GLOBAL_CTL) = 0;
	memset(&leaves, 0, sizeof(leaves));
	leaves.last = 0x80000022;
	alloc_program(2);
	return 0;
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, free_program)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(other_processors), TEST(four_counters), TEST(six_counters),
		TEST(counters_of_v2), TEST(no_registers), TEST(describe_counter), TEST(check),
		TEST(compile), TEST(compile_two), TEST(compile_lost_pmi), TEST(reserve),
		TEST(spare_select),
	};

	return cmocka_run_group_tests_name("amd", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of pmu_type.c: CPUs have one PMU type if all that a program is compiled for is equal */
#include "unit.h"

#include <linux/errno.h>
#include <linux/kernel.h>

#include "pmu/family.h"
#include "pmu/pmu_type.h"

#define FEATURES	(PMC_FEATURE(RDPMC) | PMC_FEATURE(TSC) | PMC_FEATURE(FULL_WIDTH))

static const struct pmc_query base = {
	.family = PMC_FAMILY_CORE,
	.features = FEATURES,
	.cpu_family = 6,
	.cpu_model = 0x97,
	.perfmon_version = 5,
	.general_counters = 0xff,
	.fixed_counters = 0xf,
	.general_width = 48,
	.fixed_width = 48,
	.event_select_mask = 0xff84ffff,
	.core_type = 0x40000001,
	.quirks = PMC_QUIRK(PERIOD_32),
};

/* A CPU that differs in one field */
#define OTHER(field, value) ({ struct pmc_query other = base; other.field = (value); other; })

/* The number of the next new type: the driver keeps them until unload, so all tests share them */
static int next;

static int type_of(struct pmc_query query)
{
	return pmc_pmu_type_of(&query);
}

static void is_new(struct pmc_query query)
{
	assert_int_equal(next, type_of(query));
	next++;
}

static void first_type(void **state)
{
	is_new(base);
	assert_int_equal(0, type_of(base));
}

/* No program depends on these. */
static void same_type(void **state)
{
	const struct pmc_query same[] = {
		OTHER(size, 8), OTHER(cpu, 3), OTHER(flags, 1), OTHER(abi_version, 2),
		OTHER(status, 3), OTHER(vendor[0], 'A'), OTHER(cpu_stepping, 4),
		OTHER(events_unavailable, 5), OTHER(events_described, 6), OTHER(cpuid_0ah[0], 7),
		OTHER(perf_capabilities, 8), OTHER(tsc_khz, 9), OTHER(contexts, 10),
		OTHER(cpuid_23h[0], 11), OTHER(features, FEATURES ^ PMC_FEATURE(TSC)),
		OTHER(features, FEATURES ^ PMC_FEATURE(TSC_SYNC)),
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(same); i++)
		assert_int_equal(0, type_of(same[i]));
}

static void other_type(void **state)
{
	is_new(OTHER(core_type, 0x20000001));
	is_new(OTHER(core_type, 0x40000002));
	is_new(OTHER(cpu_family, 18));
	is_new(OTHER(cpu_model, 0x9a));
	is_new(OTHER(perfmon_version, 6));
	is_new(OTHER(general_counters, 0x3f));
	is_new(OTHER(fixed_counters, 0x7));
	is_new(OTHER(general_width, 40));
	is_new(OTHER(fixed_width, 40));
	is_new(OTHER(event_select_mask, 0xff84ffff | 1ULL << 36));
	is_new(OTHER(quirks, 0));
	is_new(OTHER(quirks, PMC_QUIRK(PERIOD_32) | PMC_QUIRK(HT_LEAK)));
}

/* Each feature but those of the time-stamp counter */
static void features(void **state)
{
#define X(name, bit, text) PMC_FEATURE(name),
	static const u64 all[] = { PMC_FEATURES(X) };
#undef X
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		const struct pmc_query query = OTHER(features, FEATURES ^ all[i]);

		if (all[i] == PMC_FEATURE(TSC) || all[i] == PMC_FEATURE(TSC_SYNC))
			assert_int_equal(0, type_of(query));
		else
			is_new(query);
	}
}

/* All CPUs have the family of the first one. */
static void other_family(void **state)
{
	assert_int_equal(-ENOSPC, type_of(OTHER(family, PMC_FAMILY_AMD)));
}

static int described, lacking;

/* The type number @lacking lacks counter 5. */
static int describe_counter(const struct pmc_query *query, u32 counter,
			    struct pmc_counter *answer)
{
	assert_int_equal(described, type_of(*query));
	assert_int_equal(5, counter);
	return described++ == lacking ? -ENXIO : 0;
}

static void counter_of_all_types(void **state)
{
	static const struct pmc_family family = { .describe_counter = describe_counter };

	for (lacking = 0; lacking < next; lacking++) {
		described = 0;
		assert_false(pmc_pmu_types_have(&family, 5));
		assert_int_equal(lacking + 1, described);
	}
	described = 0;
	assert_true(pmc_pmu_types_have(&family, 5));
	assert_int_equal(next, described);
}

static void too_many_types(void **state)
{
	u32 model = 0xa0;

	assert_int_equal(32, PMC_PMU_TYPES_MAX);
	while (next < PMC_PMU_TYPES_MAX)
		is_new(OTHER(cpu_model, model++));
	assert_int_equal(-ENOSPC, type_of(OTHER(cpu_model, model)));
	/* earlier types are found as before */
	assert_int_equal(0, type_of(base));
	assert_int_equal(31, type_of(OTHER(cpu_model, model - 1)));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_type),
		cmocka_unit_test(same_type),
		cmocka_unit_test(other_type),
		cmocka_unit_test(features),
		cmocka_unit_test(other_family),
		cmocka_unit_test(counter_of_all_types),
		cmocka_unit_test(too_many_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of core_leaf.c: the counters that CPUID leaf 0AH and leaf 23H describe */
#include "unit.h"

#include <linux/kernel.h>

#include "families/core.h"

#define BASIC_SELECT	0xff84ffffULL
#define FULL_WIDTH	(1ULL << 13)
#define METRICS		(1ULL << 15)

static struct pmc_query describe(const struct core_leaves *leaves)
{
	struct pmc_query query = { .cpu_family = 6, .cpu_model = 198 };

	core_describe_leaves(&query, leaves);
	return query;
}

/* Bochs's Arrow Lake: eight general and three fixed counters of 48 bits, 13 events */
static const struct core_leaves v6 = {
	.basic = { 0x0d300806, 0x280, 0x7, 0x8603 },
	.capabilities = FULL_WIDTH,
};

/* The same with leaf 23H: sub-leaves 0, 1 and 3, with these values of counters and events */
static struct core_leaves with_23h(uint32_t general, uint32_t fixed, uint32_t events)
{
	struct core_leaves leaves = v6;

	leaves.extended = true;
	leaves.main[0] = 0xb;
	leaves.main[1] = 0x3;
	leaves.counters[0] = general;
	leaves.counters[1] = fixed;
	leaves.events[0] = events;
	return leaves;
}

/* Leaf 0AH of version 1 (Core Duo), 2 (Core 2), 3 (Atom N270), 4, 5 and 6 */
static void versions(void **state)
{
	static const struct {
		uint32_t basic[4];
		uint64_t general, fixed, select;
		uint32_t width, fixed_width, described, lacking;
	} known[] = {
		{ { 0x07280201, 0, 0, 0 }, 0x3, 0, BASIC_SELECT, 40, 0, 7, 0 },
		{ { 0x07280202, 0, 0, 0x503 }, 0x3, 0x7, BASIC_SELECT, 40, 40, 7, 0 },
		{ { 0x07280203, 0, 0, 0x2501 }, 0x3, 0x1, BASIC_SELECT | 1U << 21, 40, 40, 7,
		  0 },
		{ { 0x07300404, 0x7f, 0, 0x603 }, 0xf, 0x7, BASIC_SELECT | 1U << 21, 48, 48,
		  7, 0x7f },
		{ { 0x08300805, 0, 0x17, 0x8604 }, 0xff, 0x1f, BASIC_SELECT, 48, 48, 8, 0 },
		{ { 0x0d300806, 0x280, 0x7, 0x8603 }, 0xff, 0x7, BASIC_SELECT, 48, 48, 13,
		  0x280 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct core_leaves leaves = { .capabilities = 0 };
		struct pmc_query query;

		memcpy(leaves.basic, known[i].basic, sizeof(leaves.basic));
		query = describe(&leaves);
		assert_int_equal(known[i].basic[0] & 0xff, query.perfmon_version);
		assert_int_equal(known[i].general, query.general_counters);
		assert_int_equal(known[i].fixed, query.fixed_counters);
		assert_int_equal(known[i].width, query.general_width);
		assert_int_equal(known[i].fixed_width, query.fixed_width);
		assert_int_equal(known[i].described, query.events_described);
		assert_int_equal(known[i].lacking, query.events_unavailable);
		assert_int_equal(known[i].select, query.event_select_mask);
		assert_int_equal(PMC_FAMILY_CORE, query.family);
		assert_memory_equal(known[i].basic, query.cpuid_0ah, sizeof(leaves.basic));
		assert_int_equal(0, query.cpuid_23h[0] | query.core_type);
		assert_true(core_widths_are_valid(&query));
	}
}

static void leaf_23h(void **state)
{
	struct core_leaves leaves = with_23h(0x3ff, 0x177, 0x1f7f);
	struct pmc_query query = describe(&leaves);

	assert_int_equal(0x3ff, query.general_counters);
	assert_int_equal(0x177, query.fixed_counters);
	assert_int_equal(13, query.events_described);
	assert_int_equal(0x80, query.events_unavailable);
	assert_int_equal(BASIC_SELECT | 1ULL << 36 | 0xffULL << 40, query.event_select_mask);
	assert_memory_equal(leaves.main, query.cpuid_23h, sizeof(leaves.main));
	/* more events than leaf 0AH can describe */
	leaves.events[0] = 0x80000001;
	query = describe(&leaves);
	assert_int_equal(32, query.events_described);
	assert_int_equal(0x7ffffffe, query.events_unavailable);
	/* each bit of sub-leaf 0 EBX alone */
	leaves.main[1] = 1;
	assert_int_equal(BASIC_SELECT | 0xffULL << 40, describe(&leaves).event_select_mask);
	leaves.main[1] = 2;
	assert_int_equal(BASIC_SELECT | 1ULL << 36, describe(&leaves).event_select_mask);
}

static void holes(void **state)
{
	struct core_leaves leaves = with_23h(0xa4, 0x5, 0xffff);

	assert_int_equal(0xa4, describe(&leaves).general_counters);
	assert_int_equal(0x5, describe(&leaves).fixed_counters);
	/* no fixed counter, so no width of fixed counters */
	leaves.counters[1] = 0;
	assert_int_equal(0, describe(&leaves).fixed_counters);
	assert_int_equal(0, describe(&leaves).fixed_width);
	assert_false(describe(&leaves).features & PMC_FEATURE(FIXED));
	/* all bits set: the driver supports 32 general and 16 fixed counters */
	leaves = with_23h(0xffffffff, 0xffffffff, 0xffff);
	assert_int_equal(0xffffffff, describe(&leaves).general_counters);
	assert_int_equal(0xffff, describe(&leaves).fixed_counters);
	/* without the new addresses: from counter 12 on, the old ones belong to other registers */
	leaves.capabilities = 0;
	assert_int_equal(0xfff, describe(&leaves).general_counters);
}

/* Leaf 0AH is used for everything that leaf 23H does not describe. */
static void absent(void **state)
{
	struct core_leaves leaves = with_23h(0x3ff, 0x177, 0);
	struct pmc_query query;

	leaves.extended = false;
	query = describe(&leaves);
	assert_int_equal(0xff, query.general_counters);
	assert_int_equal(0x7, query.fixed_counters);
	assert_int_equal(0x280, query.events_unavailable);
	assert_int_equal(BASIC_SELECT, query.event_select_mask);
	/* sub-leaf 0 does not list itself */
	leaves.extended = true;
	leaves.main[0] = 0xa;
	query = describe(&leaves);
	assert_int_equal(0xff, query.general_counters);
	assert_int_equal(BASIC_SELECT, query.event_select_mask);
	/* neither the sub-leaf of counters nor that of events */
	leaves.main[0] = 0x1;
	query = describe(&leaves);
	assert_int_equal(0xff, query.general_counters);
	assert_int_equal(0x280, query.events_unavailable);
	assert_int_equal(BASIC_SELECT | 1ULL << 36 | 0xffULL << 40, query.event_select_mask);
	/* a mask without a general counter contradicts leaf 0AH */
	leaves = with_23h(0, 0x177, 0xffff);
	assert_int_equal(0xff, describe(&leaves).general_counters);
	assert_int_equal(0x7, describe(&leaves).fixed_counters);
	/* before version 6 there is no leaf 23H */
	leaves = with_23h(0x3ff, 0x177, 0);
	leaves.basic[0] = 0x0d300805;
	assert_int_equal(0xff, describe(&leaves).general_counters);
	assert_int_equal(BASIC_SELECT, describe(&leaves).event_select_mask);
}

static void kinds(void **state)
{
	struct core_leaves leaves = v6;

	leaves.core = 0x20000003;
	assert_int_equal(0x20000003, describe(&leaves).core_type);
}

static void addresses(void **state)
{
	struct core_leaves leaves = v6;
	struct pmc_query query = describe(&leaves);

	assert_true(core_has_new_addresses(&query));
	leaves.capabilities = 0;
	query = describe(&leaves);
	assert_false(core_has_new_addresses(&query));
	leaves = v6;
	leaves.basic[0] = 0x0d300805;
	query = describe(&leaves);
	assert_false(core_has_new_addresses(&query));
}

static void widths(void **state)
{
	static const struct {
		uint32_t general, fixed;
		bool sane;
	} known[] = {
		{ 48, 48, true }, { 16, 64, true }, { 15, 48, false }, { 65, 48, false },
		{ 48, 15, false }, { 48, 65, false }, { 0, 48, false }, { 48, 0, false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct core_leaves leaves = v6;
		struct pmc_query query;

		leaves.basic[0] = 0x0d000806 | known[i].general << 16;
		leaves.basic[3] = 0x8003 | known[i].fixed << 5;
		query = describe(&leaves);
		assert_int_equal(known[i].sane, core_widths_are_valid(&query));
	}
}

/* Counters with CFG_B and CFG_C registers, which another user may have left set */
static void config_registers(void **state)
{
	struct core_leaves leaves = with_23h(0x3ff, 0x177, 0x1f7f);
	struct pmc_query query = describe(&leaves);

	leaves.reload[0] = 0x8ff;
	leaves.reload[1] = 0x80000017;
	leaves.reload[2] = 0xffffffff;
	leaves.pebs[0] = 0x0f;
	leaves.pebs[1] = 0xffffffff;
	leaves.pebs[2] = 0x71;
	/* sub-leaf 0 does not list these sub-leaves: no counter has the registers */
	assert_int_equal(0, core_reloadable(&query, &leaves));
	assert_int_equal(0, core_with_pebs(&query, &leaves));
	leaves.main[0] |= 1 << 2;
	assert_int_equal(0x17000000ffULL, core_reloadable(&query, &leaves));
	assert_int_equal(0, core_with_pebs(&query, &leaves));
	leaves.main[0] |= 1 << 5;
	assert_int_equal(0x710000000fULL, core_with_pebs(&query, &leaves));
	leaves.extended = false;
	assert_int_equal(0, core_reloadable(&query, &leaves));
	assert_int_equal(0, core_with_pebs(&query, &leaves));
}

/* Needs fixed counter 3. An Atom core has no metrics, even if its capabilities claim them. */
static void metrics(void **state)
{
	struct core_leaves leaves = with_23h(0xff, 0xf, 0);

	assert_false(describe(&leaves).features & PMC_FEATURE(METRICS));
	leaves.capabilities |= METRICS;
	assert_true(describe(&leaves).features & PMC_FEATURE(METRICS));
	leaves.core = 0x40000003;
	assert_true(describe(&leaves).features & PMC_FEATURE(METRICS));
	leaves.core = 0x20000003;
	assert_false(describe(&leaves).features & PMC_FEATURE(METRICS));
	leaves.core = 0;
	leaves.counters[1] = 0x7;
	assert_false(describe(&leaves).features & PMC_FEATURE(METRICS));
}

/* Core 2's fast read of RDPMC: SDM Volume 2B, models 15, 22, 23 and 29 of family 6 */
static void fast_read(void **state)
{
	static const u32 models[] = { 15, 22, 23, 29 };
	struct core_leaves leaves = v6;
	u32 model;
	size_t i;

	for (model = 0; model < 256; model++) {
		struct pmc_query query = { .cpu_family = 6, .cpu_model = model };
		bool fast = false;

		for (i = 0; i < ARRAY_SIZE(models); i++)
			fast |= models[i] == model;
		core_describe_leaves(&query, &leaves);
		assert_int_equal(fast, !!(query.features & PMC_FEATURE(RDPMC_FAST)));
		query = (struct pmc_query){ .cpu_family = 7, .cpu_model = model };
		core_describe_leaves(&query, &leaves);
		assert_false(query.features & PMC_FEATURE(RDPMC_FAST));
	}
}

/* Each feature with the version, the bit of CPUID or of the capabilities that it needs alone */
static void features(void **state)
{
	static const u64 always = PMC_FEATURE(RDPMC) | PMC_FEATURE(KERNEL_MODE);
	static const struct {
		u32 version, edx;
		u64 capabilities;
		bool interrupt;
		u64 features;
	} known[] = {
		{ 1, 0, 0, false, 0 },
		{ 1, 0, 0, true, PMC_FEATURE(INTERRUPT) },
		{ 2, 0, 0, false, PMC_FEATURE(GLOBAL_CTRL) },
		{ 2, 0x603, 0, false, PMC_FEATURE(GLOBAL_CTRL) | PMC_FEATURE(FIXED) },
		{ 3, 0, 0, false, PMC_FEATURE(GLOBAL_CTRL) | PMC_FEATURE(ANY_THREAD) },
		{ 3, 1 << 15, 0, false, PMC_FEATURE(GLOBAL_CTRL) },
		{ 1, 0, 1 << 12, false, PMC_FEATURE(FREEZE) },
		{ 1, 0, 1 << 13, false, PMC_FEATURE(FULL_WIDTH) },
		{ 1, 0, ~(1ULL << 12 | 1ULL << 13), false, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct core_leaves leaves = {
			.basic = { 0x07280200 | known[i].version, 0, 0, known[i].edx },
			.capabilities = known[i].capabilities,
			.interrupt = known[i].interrupt,
		};
		struct pmc_query query = { .cpu_family = 6, .features = PMC_FEATURE(TSC) };

		core_describe_leaves(&query, &leaves);
		assert_int_equal(PMC_FEATURE(TSC) | always | known[i].features, query.features);
		assert_int_equal(known[i].capabilities, query.perf_capabilities);
	}
}

/* What leaf 0AH may contain beyond what a version defines, and more than the driver has room for */
static void excess(void **state)
{
	struct core_leaves leaves = { .basic = { 0x07300404, 0x7f, 0x1f, 0x603 } };

	/* ECX from version 5 on */
	assert_int_equal(0x7, describe(&leaves).fixed_counters);
	leaves.basic[0] = 0x07300405;
	assert_int_equal(0x1f, describe(&leaves).fixed_counters);
	leaves.basic[0] = 0xff300404;
	leaves.basic[1] = 0xffffffff;
	assert_int_equal(32, describe(&leaves).events_described);
	assert_int_equal(0xffffffff, describe(&leaves).events_unavailable);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions),
		cmocka_unit_test(leaf_23h),
		cmocka_unit_test(holes),
		cmocka_unit_test(absent),
		cmocka_unit_test(kinds),
		cmocka_unit_test(addresses),
		cmocka_unit_test(widths),
		cmocka_unit_test(config_registers),
		cmocka_unit_test(metrics),
		cmocka_unit_test(fast_read),
		cmocka_unit_test(features),
		cmocka_unit_test(excess),
	};

	return cmocka_run_group_tests_name("core_leaf", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of core.c: how a processor is recognised, by CPUID and by the registers that it has
 *
 * Leaves are those of Intel's Volume 2A, CPUID: 0AH; 07H, 1AH and 23H.
 */
#include "core_registers.h"

#include <asm/cpufeature.h>

#include "families/quirks.h"

#define MISC_ENABLE	0x1a0
#define CAPABILITIES	0x345
#define HYBRID		(1U << 15)

/* Features of each processor here, from version 2 on */
#define USUAL		(PMC_FEATURE(MSR) | PMC_FEATURE(RDPMC) | PMC_FEATURE(KERNEL_MODE) | \
			 PMC_FEATURE(INTERRUPT) | PMC_FEATURE(GLOBAL_CTRL) | PMC_FEATURE(FIXED))

static struct {
	u32 leaf, subleaf;
	u32 value[4];
} leaves[16];

static u32 nr_leaves;
static u32 rdpmc_faults_on;
static u32 rdpmc_tried[64], nr_rdpmc_tried;

void cpuid(u32 leaf, u32 subleaf, u32 value[4])
{
	u32 i;

	for (i = 0; i < nr_leaves; i++) {
		if (leaves[i].leaf == leaf && leaves[i].subleaf == subleaf) {
			memcpy(value, leaves[i].value, sizeof(leaves[i].value));
			return;
		}
	}
	/* a leaf that the test does not expect */
	memset(value, 0xee, sizeof(leaves[0].value));
}

bool pmc_rdpmc_faults(u32 counter)
{
	rdpmc_tried[nr_rdpmc_tried++] = counter;
	return counter == rdpmc_faults_on;
}

static u32 *leaf(u32 number, u32 subleaf)
{
	u32 i;

	for (i = 0; i < nr_leaves; i++) {
		if (leaves[i].leaf == number && leaves[i].subleaf == subleaf)
			return leaves[i].value;
	}
	leaves[nr_leaves].leaf = number;
	leaves[nr_leaves].subleaf = subleaf;
	return memset(leaves[nr_leaves++].value, 0, sizeof(leaves[0].value));
}

static void give_registers(u32 first, u32 nr, u32 step)
{
	u32 i;

	for (i = 0; i < nr; i++)
		give_register(first + i * step, 0);
}

/* A processor of version @version with @general and three fixed counters; PDCM is not set */
static struct pmc_description processor(u32 version, u32 general, u32 newest)
{
	struct pmc_description description = {
		.query = { .vendor = "GenuineIntel", .cpu_family = 6, .cpu_model = 0x1c,
			   .features = PMC_FEATURE(MSR), .status = 0x55 },
	};
	u32 *basic;

	no_registers_yet();
	memset(cpu_has_feature, 0, sizeof(cpu_has_feature));
	cpu_has_hypervisor = false;
	registers_can_be_lost = false;
	rdpmc_faults_on = ~0U;
	nr_rdpmc_tried = 0;
	nr_leaves = 0;
	leaf(0, 0)[0] = newest;
	leaf(0, 0)[2] = ~0U;
	leaf(1, 0)[0] = 0x106c2;
	leaf(1, 0)[2] = ~(1U << 15);
	basic = leaf(0x0a, 0);
	basic[0] = 0x07280000 | general << 8 | version;
	basic[1] = 1;
	basic[3] = version >= 2 ? 40 << 5 | 3 : 0;
	give_register(MISC_ENABLE, 1 << 7);
	give_registers(0x186, general, 1);
	give_registers(0x0c1, general, 1);
	if (version < 2)
		return description;
	give_registers(0x309, 3, 1);
	give_registers(FIXED_CTRL, 3, 1);
	return description;
}

/* IA32_PERF_CAPABILITIES exists and has this value. */
static void give_capabilities(u64 value)
{
	leaf(1, 0)[2] = 1U << 15;
	give_register(CAPABILITIES, value);
}

static bool recognise(struct pmc_description *description)
{
	nr_rdpmc_tried = 0;
	no_accesses_yet();
	return pmc_family_core.recognise(description);
}

static void assert_counters(const struct pmc_description *description, u64 general, u64 fixed)
{
	assert_int_equal(PMC_STATUS_OK, description->query.status);
	assert_int_equal(PMC_FAMILY_CORE, description->query.family);
	assert_int_equal(general, description->query.general_counters);
	assert_int_equal(fixed, description->query.fixed_counters);
}

/* CPUID is still reported, but no counter. */
static void assert_refused(struct pmc_description *description, u32 status)
{
	struct pmc_query *query = &description->query;
	u32 version = leaf(0x0a, 0)[0] & 0xff;

	assert_false(recognise(description));
	assert_int_equal(status, query->status);
	assert_int_equal(PMC_FAMILY_NONE, query->family);
	assert_int_equal(PMC_FEATURE(MSR), query->features);
	assert_int_equal(0, query->perf_capabilities | query->general_counters);
	assert_int_equal(0, query->fixed_counters);
	assert_int_equal(0, query->general_width | query->fixed_width);
	assert_int_equal(0, query->events_described | query->events_unavailable);
	assert_int_equal(0, query->event_select_mask);
	assert_int_equal(version, query->perfmon_version);
	assert_memory_equal(leaf(0x0a, 0), query->cpuid_0ah, sizeof(query->cpuid_0ah));
	assert_null(description->family);
	assert_int_equal(0, description->config_b | description->config_c | description->extra);
	assert_false(description->unreserved);
}

static void version_1(void **state)
{
	struct pmc_description description = processor(1, 2, 0x0a);

	assert_true(recognise(&description));
	assert_each_accessed_once();
	assert_counters(&description, 0x3, 0);
	assert_int_equal(USUAL & ~(PMC_FEATURE(GLOBAL_CTRL) | PMC_FEATURE(FIXED)),
			 description.query.features);
	assert_int_equal(0, description.query.fixed_width);
	assert_null(description.family);
	assert_int_equal(2, nr_rdpmc_tried);
	/* RDPMC can't be replaced without a global control */
	description = processor(1, 2, 0x0a);
	rdpmc_faults_on = 1;
	assert_refused(&description, PMC_STATUS_NO_PERFMON);
	/* no operations of a guest, and none of Nehalem */
	description = processor(1, 2, 0x0a);
	registers_can_be_lost = true;
	description.query.quirks = PMC_QUIRK(NEHALEM_ENABLE);
	assert_true(recognise(&description));
	assert_null(description.family);
}

static void version_2(void **state)
{
	static const u32 operands[] = {
		0, 1, PMC_COUNTER_FIXED(0), PMC_COUNTER_FIXED(1), PMC_COUNTER_FIXED(2),
	};
	struct pmc_description description = processor(2, 2, 0x0d);

	assert_true(recognise(&description));
	assert_each_accessed_once();
	assert_counters(&description, 0x3, 0x7);
	assert_int_equal(USUAL, description.query.features);
	assert_int_equal(40, description.query.general_width);
	assert_int_equal(40, description.query.fixed_width);
	assert_int_equal(0, description.query.core_type);
	assert_int_equal(0, description.query.perf_capabilities);
	assert_int_equal(0, description.hidden);
	assert_false(description.unreserved);
	assert_null(description.family);
	assert_int_equal(ARRAY_SIZE(operands), nr_rdpmc_tried);
	assert_memory_equal(operands, rdpmc_tried, sizeof(operands));
	/* with PDCM */
	description = processor(2, 2, 0x0d);
	give_capabilities(1 << 12);
	assert_true(recognise(&description));
	assert_each_accessed_once();
	assert_int_equal(1 << 12, description.query.perf_capabilities);
	assert_int_equal(USUAL | PMC_FEATURE(FREEZE), description.query.features);
	/* counters are offered up to the highest number */
	description = processor(3, 12, 0x0d);
	assert_true(recognise(&description));
	assert_each_accessed_once();
	assert_counters(&description, 0xfff, 0x7);
}

static void other_processors(void **state)
{
	struct pmc_description description = processor(2, 2, 0x0d);

	memcpy(description.query.vendor, "GenuineIntem", 12);
	assert_false(recognise(&description));
	assert_int_equal(0x55, description.query.status);
	assert_accessed();
	/* a leaf too few; that of the signature is higher */
	description = processor(2, 2, 0x09);
	assert_false(recognise(&description));
	assert_int_equal(0x55, description.query.status);
	assert_int_equal(PMC_FEATURE(MSR), description.query.features);
	cpu_has_hypervisor = true;
	assert_false(recognise(&description));
	assert_int_equal(PMC_STATUS_NO_PERFMON, description.query.status);
	assert_accessed();
}

static void statuses(void **state)
{
	struct pmc_description description = processor(0, 2, 0x0d);

	assert_refused(&description, PMC_STATUS_NO_PERFMON);
	description = processor(2, 0, 0x0d);
	assert_refused(&description, PMC_STATUS_NO_PERFMON);
	description = processor(2, 2, 0x0d);
	cpu_has_feature[X86_FEATURE_XENPV] = true;
	assert_refused(&description, PMC_STATUS_NO_PERFMON);
	description = processor(7, 2, 0x0d);
	assert_refused(&description, PMC_STATUS_UNKNOWN_VERSION);
	description = processor(6, 2, 0x0d);
	assert_true(recognise(&description));
	description = processor(2, 2, 0x0d);
	leaf(0x0a, 0)[0] = 0x070f0202;
	assert_refused(&description, PMC_STATUS_UNKNOWN_VERSION);
	/* IA32_MISC_ENABLE[7]; a hypervisor's is not read */
	description = processor(2, 2, 0x0d);
	give_register(MISC_ENABLE, ~(1ULL << 7));
	assert_refused(&description, PMC_STATUS_FIRMWARE_OFF);
	description = processor(2, 2, 0x0d);
	give_register(MISC_ENABLE, 0);
	cpu_has_hypervisor = true;
	assert_true(recognise(&description));
	assert_int_equal(0, core_register(MISC_ENABLE)->accesses);
	description = processor(2, 2, 0x0d);
	take_register(MISC_ENABLE);
	assert_true(recognise(&description));
}

/* A hypervisor may describe counters without having their registers. */
static void missing_counters(void **state)
{
	static const struct {
		u32 address;
		u64 general, fixed;
	} missing[] = {
		{ 0x186, 0xe, 0x7 }, { 0x189, 0x7, 0x7 }, { 0x0c1, 0xe, 0x7 }, { 0x0c4, 0x7, 0x7 },
		{ 0x309, 0xf, 0x6 }, { 0x30a, 0xf, 0x5 }, { 0x30b, 0xf, 0x3 },
	};
	static const u32 global[] = { GLOBAL_CTRL, GLOBAL_STATUS, FIXED_CTRL };
	struct pmc_description description;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(missing); i++) {
		description = processor(2, 4, 0x0d);
		take_register(missing[i].address);
		assert_true(recognise(&description));
		assert_counters(&description, missing[i].general, missing[i].fixed);
		assert_int_equal(USUAL, description.query.features);
		assert_int_equal(40, description.query.fixed_width);
	}
	for (i = 0; i < ARRAY_SIZE(global); i++) {
		description = processor(2, 4, 0x0d);
		take_register(global[i]);
		give_capabilities(1 << 12);
		assert_refused(&description, PMC_STATUS_NO_PERFMON);
	}
	description = processor(2, 4, 0x0d);
	for (i = 0; i < 3; i++)
		take_register(0x309 + i);
	assert_true(recognise(&description));
	assert_counters(&description, 0xf, 0);
	assert_int_equal(USUAL & ~PMC_FEATURE(FIXED), description.query.features);
	assert_int_equal(0, description.query.fixed_width);
	description = processor(1, 2, 0x0d);
	take_register(0x187);
	take_register(0x0c1);
	assert_refused(&description, PMC_STATUS_NO_PERFMON);
}

static void missing_metrics(void **state)
{
	struct pmc_description description = processor(4, 4, 0x0d);

	leaf(0x0a, 0)[3] = 40 << 5 | 4;
	give_register(0x30c, 0);
	give_capabilities(1 << 15);
	give_register(METRICS, 0);
	assert_true(recognise(&description));
	assert_each_accessed_once();
	assert_int_equal(USUAL | PMC_FEATURE(ANY_THREAD) | PMC_FEATURE(METRICS),
			 description.query.features);
	take_register(METRICS);
	description.query.features = PMC_FEATURE(MSR);
	assert_true(recognise(&description));
	assert_int_equal(USUAL | PMC_FEATURE(ANY_THREAD), description.query.features);
}

/* RDPMC of one counter that faults: the kernel reads them all. Core 2 has the fast read. */
static void rdpmc(void **state)
{
	static const u32 operands[] = { 0, 1, PMC_COUNTER_FIXED(0), PMC_COUNTER_FIXED(2) };
	struct pmc_description description = processor(2, 2, 0x0d);
	size_t i;

	description.query.cpu_model = 15;
	assert_true(recognise(&description));
	assert_int_equal(USUAL | PMC_FEATURE(RDPMC_FAST), description.query.features);
	assert_int_equal(0, description.query.quirks);
	for (i = 0; i < ARRAY_SIZE(operands); i++) {
		description = processor(2, 2, 0x0d);
		description.query.cpu_model = 15;
		rdpmc_faults_on = operands[i];
		assert_true(recognise(&description));
		assert_counters(&description, 0x3, 0x7);
		assert_int_equal(PMC_QUIRK(NO_RDPMC), description.query.quirks);
		assert_int_equal(USUAL & ~PMC_FEATURE(RDPMC), description.query.features);
		assert_ptr_equal(&core_guest_rdmsr, description.family);
	}
	/* the performance metrics need it */
	description = processor(2, 2, 0x0d);
	leaf(0x0a, 0)[3] = 40 << 5 | 4;
	give_register(0x30c, 0);
	give_capabilities(1 << 15);
	give_register(METRICS, 0);
	rdpmc_faults_on = 0;
	assert_true(recognise(&description));
	assert_int_equal(USUAL & ~PMC_FEATURE(RDPMC), description.query.features);
}

static void quirks(void **state)
{
	struct pmc_description description = processor(2, 4, 0x0d);

	description.query.quirks = PMC_QUIRK(TSX_FORCE_ABORT);
	assert_true(recognise(&description));
	assert_counters(&description, 0x7, 0x7);
	assert_int_equal(1 << 3, description.hidden);
	assert_null(description.family);
	description = processor(2, 3, 0x0d);
	description.query.quirks = PMC_QUIRK(TSX_FORCE_ABORT);
	assert_true(recognise(&description));
	assert_counters(&description, 0x7, 0x7);
	assert_int_equal(0, description.hidden);
	description = processor(2, 4, 0x0d);
	description.query.quirks = PMC_QUIRK(NEHALEM_ENABLE);
	assert_true(recognise(&description));
	assert_ptr_equal(&core_nehalem, description.family);
	/* also in a virtual machine, but with RDPMC only */
	registers_can_be_lost = true;
	assert_true(recognise(&description));
	assert_ptr_equal(&core_nehalem, description.family);
	rdpmc_faults_on = 0;
	assert_true(recognise(&description));
	assert_ptr_equal(&core_guest_rdmsr, description.family);
	description = processor(2, 4, 0x0d);
	registers_can_be_lost = true;
	assert_true(recognise(&description));
	assert_ptr_equal(&core_guest, description.family);
}

/* Version 6 with leaf 23H and the new addresses: four general, two fixed counters */
static struct pmc_description version_6(u32 newest)
{
	struct pmc_description description = processor(6, 2, newest);
	u32 *value;

	description.query.cpu_model = 0xc6;
	no_registers_yet();
	give_register(MISC_ENABLE, 1 << 7);
	give_registers(FIXED_CTRL, 3, 1);
	give_registers(0x1901, 4, 4);
	give_registers(0x1900, 4, 4);
	give_registers(0x1980, 2, 4);
	/* IA32_PMC_GP1_CFG_B, _FX0_CFG_B; _GP0_CFG_C, _FX1_CFG_C */
	give_register(0x1906, 0);
	give_register(0x1982, 0);
	give_register(0x1903, 0);
	give_register(0x1987, 0);
	/* MSR_OFFCORE_RSP_0, _1 of Lion Cove; the third register is missing */
	give_capabilities(1 << 13);
	value = leaf(7, 0);
	value[0] = 1;
	value[3] = HYBRID;
	leaf(7, 1)[0] = 1 << 8;
	leaf(0x1a, 0)[0] = 0x40000003;
	value = leaf(0x23, 0);
	value[0] = 0x2f;
	value[1] = 3;
	value = leaf(0x23, 1);
	value[0] = 0xf;
	value[1] = 0x3;
	value = leaf(0x23, 2);
	value[0] = 1 << 1;
	value[1] = 1 << 0;
	leaf(0x23, 3)[0] = 0x1f;
	value = leaf(0x23, 5);
	value[0] = 1 << 0;
	value[2] = 1 << 1;
	return description;
}

static void leaf_23h(void **state)
{
	struct pmc_description description = version_6(0x23);

	assert_true(recognise(&description));
	assert_counters(&description, 0xf, 0x3);
	assert_true(description.unreserved);
	assert_int_equal(0x40000003, description.query.core_type);
	assert_memory_equal(leaf(0x23, 0), description.query.cpuid_23h,
			    sizeof(description.query.cpuid_23h));
	assert_int_equal(7, description.query.events_described);
	assert_int_equal(0x60, description.query.events_unavailable);
	assert_int_equal(1ULL << 1 | 1ULL << 32, description.config_b);
	assert_int_equal(1ULL << 0 | 1ULL << 33, description.config_c);
	assert_int_equal(0, description.extra);
	/* the three extra registers of Lion Cove: each of their rows was tried, none exists */
	assert_int_equal(6, nr_missing);
	/* a missing CFG register */
	take_register(0x1982);
	take_register(0x1903);
	give_register(0x1a6, 0);
	assert_true(recognise(&description));
	assert_int_equal(1ULL << 1, description.config_b);
	assert_int_equal(1ULL << 33, description.config_c);
	assert_int_equal(1, description.extra);
}

/* Leaf 23H and 1AH exist only up to the highest leaf, and where leaf 7 has their bits. */
static void without_leaf_23h(void **state)
{
	static const u32 no_subleaf[] = { 0, ~0U, ~0U, ~HYBRID };
	static const u32 no_perfmon[] = { ~(1U << 8), ~0U, ~0U, ~0U };
	struct pmc_description description = version_6(0x22);

	assert_true(recognise(&description));
	assert_int_equal(0x3, description.query.general_counters);
	assert_int_equal(0, description.query.cpuid_23h[0]);
	assert_int_equal(0, description.config_b | description.config_c);
	assert_int_equal(0x40000003, description.query.core_type);
	description = version_6(0x1a);
	assert_true(recognise(&description));
	assert_int_equal(0x40000003, description.query.core_type);
	description = version_6(0x19);
	assert_true(recognise(&description));
	assert_int_equal(0, description.query.core_type);
	/* no sub-leaf 1 of leaf 7; it is not hybrid */
	description = version_6(0x23);
	memcpy(leaf(7, 0), no_subleaf, sizeof(no_subleaf));
	assert_true(recognise(&description));
	assert_int_equal(0, description.query.core_type);
	assert_int_equal(0, description.query.cpuid_23h[0]);
	/* no bit 8 of EAX there */
	description = version_6(0x23);
	memcpy(leaf(7, 1), no_perfmon, sizeof(no_perfmon));
	assert_true(recognise(&description));
	assert_int_equal(0x3, description.query.general_counters);
	assert_int_equal(0, description.query.cpuid_23h[0]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_1),
		cmocka_unit_test(version_2),
		cmocka_unit_test(other_processors),
		cmocka_unit_test(statuses),
		cmocka_unit_test(missing_counters),
		cmocka_unit_test(missing_metrics),
		cmocka_unit_test(rdpmc),
		cmocka_unit_test(quirks),
		cmocka_unit_test(leaf_23h),
		cmocka_unit_test(without_leaf_23h),
	};

	return cmocka_run_group_tests_name("core_describe", tests, NULL, NULL);
}

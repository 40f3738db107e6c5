// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of families.c: what CPUID has of the processor, and the order of the families
 *
 * CPUID is that of SDM Volume 2A: leaf 0 has the vendor in EBX, EDX, ECX; leaf 1 family, model and
 * stepping in EAX, the time-stamp counter in EDX[4], RDMSR in EDX[5]. Compiled a second time for
 * 32-bit kernels, there beside KVM with a mediated PMU.
 */
#include "unit.h"

#include <linux/kernel.h>
#include <linux/smp.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>
#include <asm/tsc.h>

#include "families/families.h"
#include "families/quirks.h"
#include "pmu/pmu.h"
#include "pmu/pmu_type.h"

#define TSC		(1U << 4)
#define MSR		(1U << 5)
#define QUIRKS		PMC_QUIRK(LOST_PMI)

static struct {
	u32 signature;
	u32 edx;
	bool unstable;
	int pmu_type;
	u32 pmu_types_asked;
	const char *recognised_by;	/* NULL: by none */
	const char *refused_by;		/* with this status */
	u32 refused_status;
	bool sets_operations;
	char tried[64];
} cpu;

static struct pmc_pmu pmu;
static const struct pmc_family other_operations;

void cpuid(u32 leaf, u32 subleaf, u32 result[4])
{
	assert_int_equal(0, subleaf);
	if (leaf == 0) {
		result[0] = 13;
		memcpy(&result[1], "Genu", 4);
		memcpy(&result[3], "ineI", 4);
		memcpy(&result[2], "ntel", 4);
	} else {
		assert_int_equal(1, leaf);
		result[0] = cpu.signature;
		result[1] = ~cpu.edx;
		result[2] = ~cpu.edx;
		result[3] = cpu.edx;
	}
}

int check_tsc_unstable(void)
{
	return cpu.unstable;
}

/* The processor is described by then. */
u64 pmc_quirks_find(const struct pmc_query *query)
{
	assert_string_equal("GenuineIntel", query->vendor);
	assert_int_equal(6, query->cpu_family);
	return QUIRKS;
}

int pmc_pmu_type_of(const struct pmc_query *query)
{
	assert_ptr_equal(&pmu.description.query, query);
	assert_int_equal(PMC_STATUS_OK, query->status);
	cpu.pmu_types_asked++;
	return cpu.pmu_type;
}

static bool recognise(const char *name, struct pmc_description *description)
{
	struct pmc_query *query = &description->query;

	strcat(cpu.tried, name);
	strcat(cpu.tried, " ");
	assert_int_equal(PMC_STATUS_UNKNOWN_CPU, query->status);
	assert_int_equal(QUIRKS, query->quirks);
	if (cpu.refused_by && !strcmp(name, cpu.refused_by))
		query->status = cpu.refused_status;
	if (!cpu.recognised_by || strcmp(name, cpu.recognised_by))
		return false;
	query->family = PMC_FAMILY_AMD;
	query->general_counters = 0xf;
	query->fixed_counters = 0x7;
	query->general_width = 48;
	if (cpu.sets_operations)
		description->family = &other_operations;
	return true;
}

#define PMC_FAMILY(family)							\
static bool recognise_##family(struct pmc_description *description)		\
{										\
	return recognise(#family, description);					\
}										\
const struct pmc_family pmc_family_##family = { .recognise = recognise_##family }
#include "families/list.h"
#undef PMC_FAMILY

/* What all tests begin with, on an Ivy Bridge: family 6, model 3AH, stepping 9 */
static struct pmc_description described(u64 features)
{
	return (struct pmc_description){ .query = {
		.cpu = SIMULATED_CPU, .vendor = "GenuineIntel", .cpu_family = 6,
		.cpu_model = 0x3a, .cpu_stepping = 9, .features = features,
		.status = PMC_STATUS_UNKNOWN_CPU, .quirks = QUIRKS,
	} };
}

/* What was there before does not matter. */
static void describes(const struct pmc_description *expected, const char *tried)
{
	memset(&pmu, 0xff, sizeof(pmu));
	memset(cpu.tried, 0, sizeof(cpu.tried));
	pmc_families_describe(&pmu);
	assert_string_equal(tried, cpu.tried);
	assert_memory_equal(expected, &pmu.description, sizeof(*expected));
}

#define ALL	"core p6 p5 p5_mmx netburst amd "

static void features(void **state)
{
	struct pmc_description expected;
	u32 i;

	tsc_khz = 2500000;
	for (i = 0; i < 4; i++) {
		/* the other bits do not matter */
		cpu.edx = (i & 2 ? 0 : ~(TSC | MSR)) | MSR | (i & 1 ? TSC : 0);
		expected = described(PMC_FEATURE(MSR) | (i & 1 ? PMC_FEATURE(TSC) : 0));
		expected.query.tsc_khz = i & 1 ? 2500000 : 0;
		describes(&expected, ALL);
		assert_int_equal(0, cpu.pmu_types_asked);
	}
}

/* The time-stamp counters of all CPUs are equal if nothing makes them differ. */
static void synchronous_tsc(void **state)
{
	struct pmc_description expected;
	u32 i;

	for (i = 0; i < 8; i++) {
		cpu_has_feature[X86_FEATURE_CONSTANT_TSC] = i & 1;
		cpu_has_feature[X86_FEATURE_NONSTOP_TSC] = i & 2;
		cpu.unstable = !(i & 4);
		expected = described(PMC_FEATURE(MSR) | (i == 7 ? PMC_FEATURE(TSC_SYNC) : 0));
		describes(&expected, ALL);
	}
	cpu_has_feature[X86_FEATURE_CONSTANT_TSC] = false;
	cpu_has_feature[X86_FEATURE_NONSTOP_TSC] = false;
}

static void without_msr(void **state)
{
	struct pmc_description expected = described(PMC_FEATURE(TSC));

	cpu.edx = ~MSR;
	cpu.recognised_by = "core";
	expected.query.status = PMC_STATUS_NO_MSR;
	expected.query.tsc_khz = tsc_khz;
	expected.query.quirks = 0;
	describes(&expected, "");
}

static struct pmc_description recognised(const struct pmc_family *family)
{
	struct pmc_description expected = described(PMC_FEATURE(MSR));

	expected.family = family;
	expected.pmu_type = cpu.pmu_type;
	expected.query.status = PMC_STATUS_OK;
	expected.query.family = PMC_FAMILY_AMD;
	expected.query.general_counters = 0xf;
	expected.query.fixed_counters = 0x7;
	expected.query.general_width = 48;
	return expected;
}

/* The families after the first that recognises the CPU are not tried. */
static void first_family(void **state)
{
	static const struct {
		const char *name, *tried;
		const struct pmc_family *family;
	} families[] = {
		{ "core", "core ", &pmc_family_core },
		{ "p6", "core p6 ", &pmc_family_p6 },
		{ "p5", "core p6 p5 ", &pmc_family_p5 },
		{ "p5_mmx", "core p6 p5 p5_mmx ", &pmc_family_p5_mmx },
		{ "netburst", "core p6 p5 p5_mmx netburst ", &pmc_family_netburst },
		{ "amd", ALL, &pmc_family_amd },
	};
	struct pmc_description expected;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		cpu.recognised_by = families[i].name;
		cpu.pmu_type = i;
		cpu.sets_operations = false;
		expected = recognised(families[i].family);
		describes(&expected, families[i].tried);
		cpu.sets_operations = true;
		expected.family = &other_operations;
		describes(&expected, families[i].tried);
	}
	assert_int_equal(2 * ARRAY_SIZE(families), cpu.pmu_types_asked);
}

/* Nor those after one that knows why the CPU has no counters. */
static void refused(void **state)
{
	struct pmc_description expected = described(PMC_FEATURE(MSR));

	cpu.recognised_by = "amd";
	cpu.refused_by = "p5";
	cpu.refused_status = PMC_STATUS_NO_PERFMON;
	expected.query.status = PMC_STATUS_NO_PERFMON;
	describes(&expected, "core p6 p5 ");
	cpu.refused_status = PMC_STATUS_SHARED;
	expected.query.status = PMC_STATUS_SHARED;
	describes(&expected, "core p6 p5 ");
	assert_int_equal(0, cpu.pmu_types_asked);
}

/* Of a type too many, no counter is offered. */
static void too_many_types(void **state)
{
	struct pmc_description expected;

	cpu.recognised_by = "core";
	cpu.pmu_type = -1;
	expected = recognised(NULL);
	expected.pmu_type = 0;
	expected.query.status = PMC_STATUS_UNKNOWN_CPU;
	expected.query.family = PMC_FAMILY_NONE;
	expected.query.general_counters = 0;
	expected.query.fixed_counters = 0;
	describes(&expected, "core ");
}

static void registers_can_be_lost(void **state)
{
	assert_int_equal(IS_ENABLED(CONFIG_PERF_GUEST_MEDIATED_PMU), pmc_registers_can_be_lost());
	cpu_has_hypervisor = true;
	assert_true(pmc_registers_can_be_lost());
	cpu_has_hypervisor = false;
}

/* A 486 may have no CPUID: its level is -1 on 32-bit kernels. */
static void without_cpuid(void **state)
{
	struct pmc_description expected;

	cpu.recognised_by = "core";
	expected = recognised(&pmc_family_core);
	boot_cpu_data.cpuid_level = 0;
	describes(&expected, "core ");
	boot_cpu_data.cpuid_level = -1;
#ifdef CONFIG_X86_32
	expected = (struct pmc_description){ .query = {
		.cpu = SIMULATED_CPU, .status = PMC_STATUS_NO_CPUID,
	} };
	describes(&expected, "");
#else
	describes(&expected, "core ");
#endif
}

static int setup(void **state)
{
	memset(&cpu, 0, sizeof(cpu));
	cpu.signature = 0x000306a9;
	cpu.edx = MSR;
	boot_cpu_data.cpuid_level = 13;
	return 0;
}

#define TEST(name)	cmocka_unit_test_setup(name, setup)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(features), TEST(synchronous_tsc), TEST(without_msr), TEST(first_family),
		TEST(refused), TEST(too_many_types), TEST(registers_can_be_lost),
		TEST(without_cpuid),
	};

	return cmocka_run_group_tests_name("families", tests, NULL, NULL);
}

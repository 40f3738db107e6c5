// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of core.c: microcode that is loaded after a CPU was described takes general counter 3
 *
 * The counters are acquired again at each first claim. What save() finds running is refused as
 * another user's (restore unknown_holder). Also: in a virtual machine an NMI does not restart a
 * counter that the global control has lost.
 */
#include "unit.h"

#include <linux/kernel.h>
#include <asm/processor.h>

#include "compat/compat.h"
#include "families/core.h"
#include "families/families.h"
#include "families/quirks.h"
#include "pmu/pmu.h"

/* CPUID.(07H, 0):EDX, cpufeatures.h: X86_FEATURE_TSX_FORCE_ABORT, X86_FEATURE_RTM_ALWAYS_ABORT */
#define FORCE_ABORT	(1U << 13)
#define ALWAYS_ABORT	(1U << 11)

#define COUNTER_3	(1ULL << 3)
#define GLOBAL_CTRL	0x38f
#define SELECT_OF_0	0x186

static u32 features_edx;
static u64 global_ctrl, select_of_0, other;

void cpuid(u32 leaf, u32 subleaf, u32 registers[4])
{
	memset(registers, 0, 4 * sizeof(*registers));
	if (leaf == 0)
		registers[0] = 13;
	else if (leaf == 7)
		registers[3] = features_edx;
}

u64 *msr(u32 address)
{
	if (address == GLOBAL_CTRL)
		return &global_ctrl;
	if (address == SELECT_OF_0)
		return &select_of_0;
	other = 0;
	return &other;
}

bool pmc_registers_can_be_lost(void)
{
	return false;
}

/* Skylake-SP, described while CPUID's leaf 7 had these bits */
static struct pmc_pmu described(u32 edx)
{
	struct pmc_pmu pmu = {
		.description.query = {
			.vendor = "GenuineIntel",
			.cpu_family = 6,
			.cpu_model = 0x55,
			.cpu_stepping = 4,
			.perfmon_version = 4,
			.general_counters = 0xf,
			.fixed_counters = 0x7,
		},
	};
	struct pmc_query *query = &pmu.description.query;

	features_edx = edx;
	query->quirks = pmc_quirks_find(query);
	if (query->quirks & PMC_QUIRK(TSX_FORCE_ABORT)) {
		query->general_counters &= ~COUNTER_3;
		pmu.description.hidden = COUNTER_3;
	}
	select_of_0 = 0;
	return pmu;
}

static u64 found(struct pmc_pmu *pmu, u32 edx)
{
	features_edx = edx;
	global_ctrl = 0xf | 7ULL << 32;
	pmc_family_core.save(pmu);
	return pmu->found_running;
}

static void microcode_after_the_description(void **state)
{
	struct pmc_pmu pmu = described(0);

	assert_int_equal(0, found(&pmu, 0));
	assert_int_equal(COUNTER_3, found(&pmu, FORCE_ABORT));
	/* the driver itself does not stop it */
	assert_int_equal(COUNTER_3, pmu.global_ctrl);
	assert_int_equal(COUNTER_3, global_ctrl);
	/* and beside a counter that another user runs */
	select_of_0 = 1ULL << 22;
	assert_int_equal(COUNTER_3 | 1, found(&pmu, FORCE_ABORT));
	/* where RTM always aborts, it does not use the counter */
	select_of_0 = 0;
	assert_int_equal(0, found(&pmu, FORCE_ABORT | ALWAYS_ABORT));
}

/* Counter 3 is not offered from the beginning. */
static void microcode_before_the_description(void **state)
{
	struct pmc_pmu pmu = described(FORCE_ABORT);

	assert_int_equal(PMC_QUIRK(TSX_FORCE_ABORT), pmu.description.query.quirks);
	assert_int_equal(0, found(&pmu, FORCE_ABORT));
}

static void no_counter_3(void **state)
{
	struct pmc_pmu pmu = described(0);

	pmu.description.query.general_counters = 0x7;
	assert_int_equal(0, found(&pmu, FORCE_ABORT));
}

/*
 * An NMI stops counter 0 and starts it again. In a virtual machine it does not start what the
 * register has lost: the next check finds that.
 */
static void lost_before_nmi(void **state)
{
	static const struct pmc_program program = { .enable = 1 };
	struct pmc_pmu pmu = described(0);

	pmu.global_ctrl = 3;
	global_ctrl = 2;
	core_guest.pause(&pmu, &program);
	assert_int_equal(2, global_ctrl);
	core_guest.resume(&pmu, &program);
	assert_int_equal(2, global_ctrl);
	global_ctrl = 3;
	core_guest.pause(&pmu, &program);
	assert_int_equal(2, global_ctrl);
	core_guest.resume(&pmu, &program);
	assert_int_equal(3, global_ctrl);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(microcode_after_the_description),
		cmocka_unit_test(microcode_before_the_description),
		cmocka_unit_test(no_counter_3),
		cmocka_unit_test(lost_before_nmi),
	};

	return cmocka_run_group_tests_name("core_save", tests, NULL, NULL);
}

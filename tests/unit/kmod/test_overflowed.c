// SPDX-License-Identifier: GPL-2.0-only
/* Tests of pmc_pmu_overflowed(): which bits of the status register are a program's overflows */
#include "unit.h"

#include <sys/types.h>

#include "sampling/sampler.h"

#define STATUS		1
#define ACKNOWLEDGE	2
#define FROZEN		(1ULL << 59)
#define FOREIGN		(1ULL << 63 | 1ULL << 0)
#define NOTHING		(1ULL << 40)	/* not written */

static u64 registers[3];

u64 *msr(u32 address)
{
	return &registers[address];
}

/* The status register has @status: what is acknowledged, and is it an overflow of the program? */
static u64 acknowledged(const struct pmc_program *program, u64 status, bool expected)
{
	struct pmc_pmu pmu = {
		.status_msr = STATUS, .acknowledge_msr = ACKNOWLEDGE, .frozen = FROZEN,
	};

	registers[STATUS] = status;
	registers[ACKNOWLEDGE] = NOTHING;
	assert_int_equal(expected, pmc_pmu_overflowed(&pmu, program));
	return registers[ACKNOWLEDGE];
}

/* Bits of others are neither an overflow nor acknowledged. */
static void bits_of_the_program(void **state)
{
	struct pmc_program program = { .interrupts = 6 };

	assert_int_equal(NOTHING, acknowledged(&program, 0, false));
	assert_int_equal(NOTHING, acknowledged(&program, FOREIGN, false));
	assert_int_equal(2, acknowledged(&program, 2 | FOREIGN, true));
	assert_int_equal(4 | FROZEN, acknowledged(&program, 4 | FROZEN | FOREIGN, true));
}

/* Beside Intel PT perf may have acknowledged the overflow of a counter of kernel mode. */
static void beside_intel_pt(void **state)
{
	struct pmc_program program = { .interrupts = 6 };

	cpu_has_feature[X86_FEATURE_INTEL_PT] = true;
	assert_int_equal(NOTHING, acknowledged(&program, FOREIGN, false));
	program.stop_to_read = true;
	assert_int_equal(NOTHING, acknowledged(&program, FOREIGN, true));
	cpu_has_feature[X86_FEATURE_INTEL_PT] = false;
	assert_int_equal(NOTHING, acknowledged(&program, FOREIGN, false));
}

/* Without a status register the count decides. */
static void no_status_register(void **state)
{
	struct pmc_program program = { .interrupts = 6 };
	struct pmc_pmu pmu = {};

	assert_true(pmc_pmu_overflowed(&pmu, &program));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bits_of_the_program),
		cmocka_unit_test(beside_intel_pt),
		cmocka_unit_test(no_status_register),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

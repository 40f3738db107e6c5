// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of core_guest.c: a virtual machine in which registers are lost
 *
 * Addresses are those of Intel's Volume 4, table 2-2.
 */
#include "program.h"

#include <linux/kernel.h>

#include "compat/compat.h"
#include "families/core.h"

#define EVENT_SELECT1		0x187
#define FIXED_CTRL		0x38d
#define GLOBAL_CTRL		0x38f

#define SELECT			0x4300c0
#define USER_AND_KERNEL		0x3
#define BOTH			(1ULL << 1 | 1ULL << 32)	/* counter 1, fixed counter 0 */
#define ANOTHER			(1ULL << 2)

static struct {
	u64 select, fixed_ctrl, global_ctrl;
	u32 missing;
} registers;

static unsigned int lost, saves;

u64 *msr(u32 address)
{
	if (address == registers.missing)
		return NULL;
	switch (address) {
	case EVENT_SELECT1:
		return &registers.select;
	case FIXED_CTRL:
		return &registers.fixed_ctrl;
	case GLOBAL_CTRL:
		return &registers.global_ctrl;
	default:
		fail_msg("register %#x", address);
		return NULL;
	}
}

void core_save(struct pmc_pmu *pmu)
{
	pmu->control_msr = GLOBAL_CTRL;
	saves++;
}

/* The part of core.c */
void core_load(struct pmc_pmu *pmu, const struct pmc_program *which)
{
	const u64 written = pmu->fixed_ctrl;

	pmu->fixed_ctrl = (pmu->fixed_ctrl & ~which->fixed_ctrl_mask) | which->fixed_ctrl;
	if (pmu->fixed_ctrl != written)
		registers.fixed_ctrl = pmu->fixed_ctrl;
}

static void lose(struct pmc_pmu *pmu, const struct pmc_program *which)
{
	assert_ptr_equal(program, which);
	program->number = PMC_PROGRAM_ENDED;
	lost++;
}

static const struct pmc_family family = {
	.verify = core_verify,
	.enable = core_guest_enable,
	.disable = core_guest_disable,
};

static struct pmc_pmu counting(void)
{
	struct pmc_pmu pmu = {
		.description.query.perfmon_version = 2,
		.lose = lose,
		.select[1] = SELECT,
		.fixed_ctrl = USER_AND_KERNEL,
		.global_ctrl = ANOTHER,
	};

	registers.select = SELECT;
	registers.fixed_ctrl = USER_AND_KERNEL;
	registers.global_ctrl = ANOTHER;
	registers.missing = 0;
	program->number = 5;
	lost = 0;
	saves = 0;
	core_guest_save(&pmu);
	assert_int_equal(1, saves);
	assert_int_equal(0, pmu.control_msr);
	core_guest_enable(&pmu, program);
	assert_int_equal(BOTH | ANOTHER, registers.global_ctrl);
	return pmu;
}

/* Registers that are as they were written: counting continues. */
static void kept(void **state)
{
	struct pmc_pmu pmu = counting();

	core_guest_disable(&pmu, program);
	assert_int_equal(ANOTHER, registers.global_ctrl);
	assert_int_equal(0, lost);
	core_guest_enable(&pmu, program);
	assert_int_equal(BOTH | ANOTHER, registers.global_ctrl);
}

/* If one counter is lost, its whole program stays stopped. */
static void ended(struct pmc_pmu *pmu)
{
	u64 others = registers.global_ctrl & ~BOTH;

	core_guest_disable(pmu, program);
	assert_int_equal(1, lost);
	core_guest_enable(pmu, program);
	assert_int_equal(ANOTHER, pmu->global_ctrl);
	if (!registers.missing)
		assert_int_equal(others, registers.global_ctrl);
}

static void rewritten(void **state)
{
	u64 *const value[] = { &registers.select, &registers.fixed_ctrl, &registers.global_ctrl };
	struct pmc_pmu pmu;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(value); i++) {
		pmu = counting();
		*value[i] = 0;
		ended(&pmu);
	}
}

static void missing(void **state)
{
	static const u32 address[] = { EVENT_SELECT1, FIXED_CTRL, GLOBAL_CTRL };
	struct pmc_pmu pmu;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(address); i++) {
		pmu = counting();
		registers.missing = address[i];
		ended(&pmu);
	}
}

/* What another program has lost stays as it is, for its own check. */
static void others_lost(void **state)
{
	struct pmc_pmu pmu = counting();

	registers.global_ctrl = BOTH;
	core_guest_disable(&pmu, program);
	assert_int_equal(0, lost);
	assert_int_equal(0, registers.global_ctrl);
	core_guest_enable(&pmu, program);
	assert_int_equal(BOTH, registers.global_ctrl);
	assert_int_equal(BOTH | ANOTHER, pmu.global_ctrl);
	/* what another user has set is cleared: a stopped counter must not count on */
	registers.global_ctrl = 0xff;
	core_guest_enable(&pmu, program);
	assert_int_equal(BOTH | ANOTHER, registers.global_ctrl);
	registers.global_ctrl |= 0xff;
	core_guest_disable(&pmu, program);
	assert_int_equal(ANOTHER, registers.global_ctrl);
}

/* The same of the control of the fixed counters, when fixed counter 1 is loaded beside counter 0 */
static void others_fixed_lost(void **state)
{
	const struct pmc_program other = { .fixed_ctrl = 0x20, .fixed_ctrl_mask = 0xf0 };
	struct pmc_pmu pmu = counting();

	core_guest_load(&pmu, &other);
	assert_int_equal(0x20 | USER_AND_KERNEL, registers.fixed_ctrl);
	/* counter 2's is not lost */
	pmu = counting();
	pmu.fixed_ctrl |= 0x200;
	registers.fixed_ctrl = 0x200;
	core_guest_load(&pmu, &other);
	assert_int_equal(0x220, registers.fixed_ctrl);
	assert_int_equal(0x220 | USER_AND_KERNEL, pmu.fixed_ctrl);
	assert_false(core_verify(&pmu, program));
}

/* What is loaded again is not written, so that the next check finds its loss, too. */
static void own_fixed_lost(void **state)
{
	const struct pmc_program other = { .fixed_ctrl = 0x20, .fixed_ctrl_mask = 0xf0 };
	struct pmc_pmu pmu = counting();

	core_guest_load(&pmu, &other);
	registers.fixed_ctrl = 0;
	core_guest_load(&pmu, &other);
	assert_int_equal(0, registers.fixed_ctrl);
	assert_int_equal(0x20 | USER_AND_KERNEL, pmu.fixed_ctrl);
	assert_false(core_verify(&pmu, &other));
}

static int setup(void **state)
{
	alloc_program(2);
	program->family = &family;
	program->general = 1ULL << 1;
	program->fixed = 1;
	program->enable = BOTH;
	program->fixed_ctrl_mask = 0xf;
	program->nr = 2;
	program->setup[0] = (struct pmc_counter_setup){ .extra = EVENT_SELECT1, .index = 1,
							.select = SELECT };
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept),
		cmocka_unit_test(rewritten),
		cmocka_unit_test(missing),
		cmocka_unit_test(others_lost),
		cmocka_unit_test(others_fixed_lost),
		cmocka_unit_test(own_fixed_lost),
	};

	return cmocka_run_group_tests(tests, setup, free_program);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of core.c: counters are loaded, started, stopped and cleared, and at the end restored
 *
 * Layouts and addresses are those of Intel's Volume 3B, "Architectural Performance Monitoring", and
 * of Volume 4, table 2-2.
 */
#include "core_registers.h"

#define SLOTS		0x30c
#define RSP_1		0x1a7

static struct {
	u64 general[PMC_GENERAL_MAX], fixed[PMC_FIXED_MAX], metrics;
	u32 reads;
} counts;

u64 pmc_rdpmc(u32 counter)
{
	counts.reads++;
	if (counter == PMC_COUNTER_METRICS)
		return counts.metrics;
	return counter & PMC_COUNTER_FIXED_FLAG ? counts.fixed[counter & ~PMC_COUNTER_FIXED_FLAG] :
						  counts.general[counter];
}

static void give_all(void)
{
	static const u32 all[] = {
		SELECT0, SELECT1, PMC0, PMC1, A_PMC1, FIXED0, FIXED1, SLOTS, METRICS, FIXED_CTRL,
		GLOBAL_CTRL, OVF_CTRL, STATUS_SET, DEBUGCTL, RSP_1, CONFIG_B1,
	};
	size_t i;

	no_registers_yet();
	for (i = 0; i < ARRAY_SIZE(all); i++)
		give_register(all[i], 0x55);
	memset(&counts, 0, sizeof(counts));
}

static struct pmc_pmu processor(u32 version, u64 features)
{
	give_all();
	return (struct pmc_pmu){
		.description.query = {
			.perfmon_version = version,
			.features = features,
			.general_counters = 0x3,
			.fixed_counters = 0xb,
		},
		.control_msr = version >= 2 ? GLOBAL_CTRL : 0,
		.frozen = version >= 4 ? FROZEN : 0,
		.saved = {
			.select = { 0x100, 0x101 },
			.general = { 0xffff80000110, 0xffff80000111 },
			.fixed = { 0x120, 0x121, 0x122, 0x123 },
			.fixed_ctrl = 0x130,
			.global_ctrl = 0x140,
			.metrics = 0x150,
		},
	};
}

/* General counter 1 and fixed counter 0. The entry behind them has no register. */
static struct pmc_program *new_program(const struct pmc_pmu *pmu)
{
	struct pmc_program *program = test_calloc(1, sizeof(*program) +
						     3 * sizeof(program->setup[0]));

	program->general = 1 << 1;
	program->enable = 1 << 1;
	program->nr = 1;
	program->setup[0] = (struct pmc_counter_setup){
		.index = 1, .rdpmc = 1, .extra = SELECT1, .select = 0x100c0,
		.counter_msr = PMC1, .write_msr = PMC1, .write_mask = 0xffffffff,
	};
	program->setup[1] = (struct pmc_counter_setup){ .select = 1, .index = 2 };
	if (pmu->description.query.perfmon_version < 2)
		return program;
	program->fixed = 1;
	program->fixed_ctrl = 0x2;
	program->fixed_ctrl_mask = 0xf;
	program->enable |= 1ULL << 32;
	program->nr = 2;
	program->setup[1] = (struct pmc_counter_setup){ .rdpmc = PMC_COUNTER_FIXED(0) };
	program->setup[2] = (struct pmc_counter_setup){ .select = 1, .index = 2 };
	return program;
}

/* Only what was written is restored. Overflows are acknowledged, those that were found set. */
static void restored(void **state)
{
	struct pmc_pmu pmu = processor(4, 0);

	pmc_family_core.restore(&pmu);
	assert_accessed(GLOBAL_CTRL);
	assert_int_equal(0x140, register_value(GLOBAL_CTRL));
	pmu.touched_general = 1 << 1;
	pmu.touched_fixed = 1 << 0;
	pmu.saved.global_status = 1ULL << 32 | 1 << 0;
	pmc_family_core.restore(&pmu);
	assert_accessed(SELECT1, PMC1, FIXED_CTRL, FIXED0, OVF_CTRL, STATUS_SET, GLOBAL_CTRL);
	assert_int_equal(0x101, register_value(SELECT1));
	/* without full-width writes: 32 bits, which the hardware extends */
	assert_int_equal(0x80000111, register_value(PMC1));
	assert_int_equal(0x130, register_value(FIXED_CTRL));
	assert_int_equal(0x120, register_value(FIXED0));
	assert_int_equal(1 << 1, register_value(OVF_CTRL));
	assert_int_equal(1ULL << 32, register_value(STATUS_SET));
	/* full width; the last fixed counter */
	pmu = processor(5, FULL);
	pmu.touched_general = 1 << 1;
	pmu.touched_fixed = 1 << 1;
	pmc_family_core.restore(&pmu);
	assert_accessed(SELECT1, A_PMC1, FIXED_CTRL, FIXED1, OVF_CTRL, GLOBAL_CTRL);
	assert_int_equal(0xffff80000111, register_value(A_PMC1));
	assert_int_equal(0x121, register_value(FIXED1));
	assert_int_equal(2ULL << 32 | 1 << 1, register_value(OVF_CTRL));
}

static void restored_status(void **state)
{
	static const struct {
		u32 version;
		u64 touched, status, acknowledged, set;
	} known[] = {
		{ 4, 0x3, 0, 0x3, 0 }, { 4, 0x3, 0x3, 0, 0x3 }, { 4, 0x1, 0x2, 0x1, 0 },
		{ 4, 0, 0x3, 0, 0 }, { 4, 0, FROZEN | 0x3, 0, FROZEN },
		{ 4, 0x2, FROZEN | 0x1, 0x2, FROZEN }, { 3, 0x3, 0x2, 0x1, 0 },
		{ 2, 0x3, 0x3, 0, 0 }, { 3, 0, FROZEN, 0, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct pmc_pmu pmu = processor(known[i].version, 0);

		give_register(OVF_CTRL, 0);
		give_register(STATUS_SET, 0);
		pmu.touched_general = known[i].touched;
		pmu.saved.global_status = known[i].status;
		pmc_family_core.restore(&pmu);
		assert_int_equal(known[i].acknowledged, register_value(OVF_CTRL));
		assert_int_equal(!!known[i].acknowledged, core_register(OVF_CTRL)->accesses);
		assert_int_equal(known[i].set, register_value(STATUS_SET));
		assert_int_equal(!!known[i].set, core_register(STATUS_SET)->accesses);
	}
}

static void restored_version_1(void **state)
{
	struct pmc_pmu pmu = processor(1, 0);

	pmu.touched_general = 0x3;
	pmc_family_core.restore(&pmu);
	assert_accessed(SELECT0, PMC0, SELECT1, PMC1);
	assert_int_equal(0x100, register_value(SELECT0));
	assert_int_equal(0x80000110, register_value(PMC0));
}

/* The parts of the other files: the metrics after their counter, before the counters start */
static void restored_others(void **state)
{
	struct pmc_pmu pmu = processor(5, FULL | PMC_FEATURE(METRICS));

	pmu.touched_fixed = 1 << 3;
	pmu.touched_extra = 1 << 1;
	pmu.saved.extra[1] = 0x160;
	pmu.description.config_b = 1 << 1;
	pmu.saved.config_b[1] = 0x170;
	pmc_family_core.restore(&pmu);
	assert_accessed(CONFIG_B1, RSP_1, FIXED_CTRL, SLOTS, METRICS, OVF_CTRL, GLOBAL_CTRL);
	assert_int_equal(0x170, register_value(CONFIG_B1));
	assert_int_equal(0x160, register_value(RSP_1));
	assert_int_equal(0x123, register_value(SLOTS));
	assert_int_equal(0x150, register_value(METRICS));
	assert_int_equal(1ULL << 48 | 1ULL << 35, register_value(OVF_CTRL));
}

/* Only the bits of IA32_DEBUGCTL that the driver changed */
static void restored_freeze(void **state)
{
	static const struct {
		u64 freeze, found, left;
		u32 accesses;
	} known[] = {
		{ 0, FREEZE_IN_SMM | 1, FREEZE_IN_SMM | 1, 0 },
		{ FREEZE, FREEZE_IN_SMM | 1, FREEZE_IN_SMM | FREEZE | 1, 2 },
		{ FREEZE_IN_SMM, FREEZE_IN_SMM | 1, 1, 2 },
		{ FREEZE_IN_SMM, FREEZE | FREEZE_IN_SMM, FREEZE, 2 },
		{ FREEZE | FREEZE_IN_SMM, FREEZE_IN_SMM | 2, FREEZE | 2, 2 },
	};
	struct pmc_pmu pmu;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		pmu = processor(2, 0);
		pmu.saved.freeze = known[i].freeze;
		give_register(DEBUGCTL, known[i].found);
		pmc_family_core.restore(&pmu);
		assert_int_equal(known[i].left, register_value(DEBUGCTL));
		assert_int_equal(known[i].accesses, core_register(DEBUGCTL)->accesses);
	}
	/* the read faults */
	pmu = processor(2, 0);
	pmu.saved.freeze = FREEZE;
	core_register(DEBUGCTL)->faults = 1;
	pmc_family_core.restore(&pmu);
	assert_int_equal(1, core_register(DEBUGCTL)->accesses);
}

static void loaded(void **state)
{
	struct pmc_pmu pmu = processor(2, 0);
	struct pmc_program *program = new_program(&pmu);

	pmu.touched_general = 1 << 4;
	pmu.touched_fixed = 1 << 2;
	pmu.fixed_ctrl = 0xbd;
	pmc_family_core.load(&pmu, program);
	assert_accessed(SELECT1, FIXED_CTRL);
	assert_int_equal(ENABLE | 0x100c0, register_value(SELECT1));
	assert_int_equal(ENABLE | 0x100c0, pmu.select[1]);
	assert_int_equal(0xb2, register_value(FIXED_CTRL));
	assert_int_equal(0xb2, pmu.fixed_ctrl);
	assert_int_equal(1 << 4 | 1 << 1, pmu.touched_general);
	assert_int_equal(1 << 2 | 1 << 0, pmu.touched_fixed);
	assert_int_equal(0, pmu.select[0]);
	/* the hardware has these values */
	pmc_family_core.load(&pmu, program);
	assert_accessed();
	pmu.select[1] |= 1 << 23;
	pmc_family_core.load(&pmu, program);
	assert_accessed(SELECT1);
	pmu.fixed_ctrl = 0;
	pmc_family_core.load(&pmu, program);
	assert_accessed(FIXED_CTRL);
	assert_int_equal(0x2, register_value(FIXED_CTRL));
	test_free(program);
}

/* Version 1: the enable bits start and stop the counters. */
static void version_1(void **state)
{
	struct pmc_pmu pmu = processor(1, 0);
	struct pmc_program *program = new_program(&pmu);

	pmc_family_core.load(&pmu, program);
	assert_accessed(SELECT1);
	assert_int_equal(0x100c0, register_value(SELECT1));
	assert_int_equal(0x100c0, pmu.select[1]);
	pmc_family_core.enable(&pmu, program);
	assert_accessed(SELECT1);
	assert_int_equal(ENABLE | 0x100c0, register_value(SELECT1));
	assert_int_equal(ENABLE | 0x100c0, pmu.select[1]);
	pmc_family_core.pause(&pmu, program);
	assert_accessed(SELECT1);
	assert_int_equal(0x100c0, register_value(SELECT1));
	assert_int_equal(ENABLE | 0x100c0, pmu.select[1]);
	pmc_family_core.resume(&pmu, program);
	assert_accessed(SELECT1);
	assert_int_equal(ENABLE | 0x100c0, register_value(SELECT1));
	pmc_family_core.disable(&pmu, program);
	assert_accessed(SELECT1);
	assert_int_equal(0x100c0, register_value(SELECT1));
	assert_int_equal(0x100c0, pmu.select[1]);
	/* an NMI while it does not count leaves it stopped */
	pmc_family_core.pause(&pmu, program);
	pmc_family_core.resume(&pmu, program);
	assert_int_equal(0x100c0, register_value(SELECT1));
	test_free(program);
}

/* An NMI writes the global control by its copy, and leaves the copy. */
static void paused(void **state)
{
	struct pmc_pmu pmu = processor(2, 0);
	struct pmc_program *program = new_program(&pmu);

	pmu.global_ctrl = 3ULL << 32 | 0x7;
	pmc_family_core.pause(&pmu, program);
	assert_accessed(GLOBAL_CTRL);
	assert_int_equal(2ULL << 32 | 0x5, register_value(GLOBAL_CTRL));
	assert_int_equal(3ULL << 32 | 0x7, pmu.paused_ctrl);
	assert_int_equal(3ULL << 32 | 0x7, pmu.global_ctrl);
	pmc_family_core.resume(&pmu, program);
	assert_accessed(GLOBAL_CTRL);
	assert_int_equal(3ULL << 32 | 0x7, register_value(GLOBAL_CTRL));
	test_free(program);
}

/* In a virtual machine by the register, which may have lost bits */
static void paused_guest(void **state)
{
	struct pmc_pmu pmu = processor(2, 0);
	struct pmc_program *program = new_program(&pmu);

	pmu.control_msr = 0;
	pmu.global_ctrl = 3ULL << 32 | 0x7;
	give_register(GLOBAL_CTRL, 0x7);
	core_guest.pause(&pmu, program);
	assert_accessed(GLOBAL_CTRL, GLOBAL_CTRL);
	assert_int_equal(0x5, register_value(GLOBAL_CTRL));
	core_guest.resume(&pmu, program);
	assert_accessed(GLOBAL_CTRL);
	assert_int_equal(0x7, register_value(GLOBAL_CTRL));
	test_free(program);
}

static void written(void **state)
{
	struct pmc_pmu pmu = processor(2, 0);
	struct pmc_program *program = new_program(&pmu);

	program->setup[0].write_msr = 0;
	pmc_family_core.write(&pmu, &program->setup[0], 0xfffffffffffffff0);
	assert_accessed(PMC1);
	assert_int_equal(0xfffffff0, register_value(PMC1));
	/* without RDPMC */
	give_register(PMC1, 0x1234);
	assert_int_equal(0x1234, core_guest_rdmsr.read_one(&program->setup[0]));
	assert_null(core_guest.read_one);
	assert_null(pmc_family_core.read_one);
	test_free(program);
}

/* Counters that are not 0 are set to 0. */
static void cleared(void **state)
{
	struct pmc_pmu pmu = processor(2, PMC_FEATURE(METRICS));

	assert_false(pmc_family_core.clear(&pmu, 0x3 | 3ULL << 32));
	assert_accessed();
	assert_int_equal(4, counts.reads);
	counts.general[0] = 1;
	counts.general[1] = 1;
	counts.fixed[0] = 1;
	counts.fixed[1] = 1;
	assert_false(pmc_family_core.clear(&pmu, 0));
	assert_accessed();
	assert_true(pmc_family_core.clear(&pmu, 0x2));
	assert_accessed(PMC1);
	assert_int_equal(0, register_value(PMC1));
	assert_true(pmc_family_core.clear(&pmu, 1ULL << 33));
	assert_accessed(FIXED1);
	assert_int_equal(0, register_value(FIXED1));
	assert_true(pmc_family_core.clear(&pmu, 0x1 | 1ULL << 32));
	assert_accessed(PMC0, FIXED0);
	assert_int_equal(0, register_value(PMC0));
	assert_int_equal(0, register_value(FIXED0));
	/* the metrics alone */
	counts.metrics = 1;
	pmu.touched_fixed = 1 << 3;
	assert_true(pmc_family_core.clear(&pmu, 1ULL << 35));
	assert_accessed(METRICS);
	assert_int_equal(0, register_value(METRICS));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(restored),
		cmocka_unit_test(restored_status),
		cmocka_unit_test(restored_version_1),
		cmocka_unit_test(restored_others),
		cmocka_unit_test(restored_freeze),
		cmocka_unit_test(loaded),
		cmocka_unit_test(version_1),
		cmocka_unit_test(paused),
		cmocka_unit_test(paused_guest),
		cmocka_unit_test(written),
		cmocka_unit_test(cleared),
	};

	return cmocka_run_group_tests_name("core_count", tests, NULL, NULL);
}

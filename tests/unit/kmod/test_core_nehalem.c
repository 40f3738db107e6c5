// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of core_nehalem.c: the enable sequence of erratum AAK100
 *
 * The events and their order are those of Linux's intel_pmu_nhm_workaround(); addresses those of
 * Intel's Volume 4, table 2-2.
 */
#include "core_registers.h"

/* Steps that are no access */
enum { SAVE = 1, LOAD, SETTLE, RESYNC };

static u64 found_running, during;

void core_save(struct pmc_pmu *pmu)
{
	u32 i;

	record(SAVE);
	pmu->found_running = found_running;
	for (i = 0; i < PMC_GENERAL_MAX; i++)
		pmu->select[i] = 0x4300c0 + i;
}

/* The part of core.c */
void core_load(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	record(LOAD);
	pmu->touched_general |= program->general;
	for (i = 0; i < program->nr; i++) {
		if (program->setup[i].select)
			pmu->select[program->setup[i].index] = program->setup[i].select | ENABLE;
	}
}

static void settle_runs(struct pmc_pmu *pmu)
{
	record(SETTLE);
	during = pmu->global_ctrl;
}

static void resync_runs(struct pmc_pmu *pmu)
{
	record(RESYNC);
	during |= pmu->global_ctrl;
}

static struct pmc_pmu processor(u64 general)
{
	u32 i;

	no_registers_yet();
	for (i = 0; i < 5; i++) {
		give_register(SELECT0 + i, 0x55);
		give_register(PMC0 + i, 0x55);
	}
	give_register(GLOBAL_CTRL, 0x55);
	return (struct pmc_pmu){
		.description.query.general_counters = general,
		.settle_runs = settle_runs,
		.resync_runs = resync_runs,
		.global_ctrl = 7ULL << 32 | 0x4,
	};
}

/* General counter 1 and a fixed counter. The entry behind them would be a change. */
static struct pmc_program *new_program(void)
{
	struct pmc_program *program = test_calloc(1, sizeof(*program) +
						     3 * sizeof(program->setup[0]));

	program->general = 1 << 1;
	program->nr = 2;
	program->setup[0].index = 1;
	program->setup[0].select = 0x100c4;
	program->setup[2].select = 0x1;
	return program;
}

/* The first program runs the sequence, whatever event selects were found. */
static void saved(void **state)
{
	struct pmc_pmu pmu = processor(0xf);
	u32 i;

	found_running = 0;
	core_nehalem_save(&pmu);
	assert_accessed(SAVE);
	for (i = 0; i < 4; i++)
		assert_int_equal(0, pmu.select[i]);
	assert_int_equal(0x4300c4, pmu.select[4]);
	assert_int_equal(0, pmu.found_running);
	/* a counter of another user: the sequence would write it, so no general counter is used */
	found_running = 1ULL << 33;
	core_nehalem_save(&pmu);
	assert_int_equal(1ULL << 33 | 0xf, pmu.found_running);
}

static void sequence(void **state)
{
	static const u64 steps[][2] = {
		{ GLOBAL_CTRL, 0 }, { SETTLE, 0 }, { LOAD, 0 },
		{ SELECT0, 0x4300b5 }, { PMC0, 0 }, { SELECT0 + 1, 0x4300d2 }, { PMC0 + 1, 0 },
		{ SELECT0 + 2, 0x4300b1 }, { PMC0 + 2, 0 },
		{ SELECT0 + 3, 0x4300b1 }, { PMC0 + 3, 0 },
		{ GLOBAL_CTRL, 0xf }, { GLOBAL_CTRL, 0 },
		{ PMC0, 0 }, { SELECT0, 0 }, { PMC0 + 1, 0 }, { SELECT0 + 1, ENABLE | 0x100c4 },
		{ PMC0 + 2, 0 }, { SELECT0 + 2, 0x77 }, { PMC0 + 3, 0 }, { SELECT0 + 3, 0 },
		{ RESYNC, 0 }, { GLOBAL_CTRL, 7ULL << 32 | 0x4 },
	};
	struct pmc_pmu pmu = processor(0xf);
	struct pmc_program *program = new_program();

	pmu.touched_general = 1 << 5;
	pmu.select[2] = 0x77;
	core_nehalem_load(&pmu, program);
	assert_values(ARRAY_SIZE(steps), steps);
	assert_int_equal(1 << 5 | 0xf, pmu.touched_general);
	assert_int_equal(7ULL << 32 | 0x4, pmu.global_ctrl);
	/* an NMI in between restores the copy: nothing may count */
	assert_int_equal(0, during);
	test_free(program);
}

/* Only counters that exist, and only the first four */
static void fewer_counters(void **state)
{
	static const u64 steps[][2] = {
		{ GLOBAL_CTRL, 0 }, { SETTLE, 0 }, { LOAD, 0 },
		{ SELECT0, 0x4300b5 }, { PMC0, 0 }, { SELECT0 + 1, 0x4300d2 }, { PMC0 + 1, 0 },
		{ GLOBAL_CTRL, 0x3 }, { GLOBAL_CTRL, 0 },
		{ PMC0, 0 }, { SELECT0, 0 }, { PMC0 + 1, 0 }, { SELECT0 + 1, ENABLE | 0x100c4 },
		{ RESYNC, 0 }, { GLOBAL_CTRL, 7ULL << 32 | 0x4 },
	};
	struct pmc_pmu pmu = processor(0x13);
	struct pmc_program *program = new_program();

	core_nehalem_load(&pmu, program);
	assert_values(ARRAY_SIZE(steps), steps);
	assert_int_equal(0x3, pmu.touched_general);
	test_free(program);
}

/* Without a change of an event select there is no sequence. */
static void unchanged(void **state)
{
	struct pmc_pmu pmu = processor(0xf);
	struct pmc_program *program = new_program();

	pmu.select[1] = ENABLE | 0x100c4;
	core_nehalem_load(&pmu, program);
	assert_accessed(LOAD);
	/* the enable bit is missing */
	pmu.select[1] = 0x100c4;
	core_nehalem_load(&pmu, program);
	assert_int_equal(GLOBAL_CTRL, accessed[0]);
	no_accesses_yet();
	/* fixed counters only */
	program->setup[0].select = 0;
	core_nehalem_load(&pmu, program);
	assert_accessed(LOAD);
	test_free(program);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(saved),
		cmocka_unit_test(sequence),
		cmocka_unit_test(fewer_counters),
		cmocka_unit_test(unchanged),
	};

	return cmocka_run_group_tests_name("core_nehalem", tests, NULL, NULL);
}

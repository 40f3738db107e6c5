// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of core.c: the registers of a CPU are saved when its counters are acquired, and restored
 *
 * Layouts and addresses are those of Intel's Volume 3B, "Architectural Performance Monitoring", and
 * of Volume 4, table 2-2.
 */
#include "core_registers.h"

#define ENABLED		0x4300c0ULL	/* bit 22 */
#define DISABLED	0x0300c0ULL
/* Of IA32_PERF_CAPABILITIES: FREEZE_IN_SMM exists */
#define CAN_FREEZE_IN_SMM (1ULL << 12)

void cpuid(u32 leaf, u32 subleaf, u32 registers[4])
{
	memset(registers, 0, 4 * sizeof(*registers));
}

/* General counters 0 and 1, fixed counters 0 and 1; all registers are 0 */
static struct pmc_pmu processor(u32 version, u64 features)
{
	static const u32 control[] = { FIXED_CTRL, GLOBAL_CTRL, GLOBAL_STATUS, DEBUGCTL, OVF_CTRL,
				       STATUS_SET, FIXED0, FIXED1 };
	struct pmc_pmu pmu = {
		.description.query = {
			.perfmon_version = version,
			.features = features,
			.general_counters = 0x3,
			.fixed_counters = version >= 2 ? 0x3 : 0,
		},
		/* from before */
		.writes_ignored = true,
		.control_msr = 1, .restore_msr = 1, .status_msr = 1, .acknowledge_msr = 1,
		.frozen = 1, .fixed_ctrl = 1, .global_ctrl = 1, .found_running = ~0ULL,
		.saved.freeze = 1,
	};
	size_t i;

	registers_can_be_lost = false;
	no_registers_yet();
	give_register(SELECT0, 0);
	give_register(SELECT1, 0);
	give_register(PMC0, 0);
	give_register(PMC1, 0);
	if (features & FULL) {
		give_address(A_PMC0, PMC0);
		give_address(A_PMC0 + 1, PMC1);
	}
	for (i = 0; version >= 2 && i < ARRAY_SIZE(control); i++)
		give_register(control[i], 0);
	return pmu;
}

static void save(struct pmc_pmu *pmu)
{
	no_accesses_yet();
	pmc_family_core.save(pmu);
}

/* The counters are stopped after the registers that show which of them run, and then saved. */
static void saved(void **state)
{
	struct pmc_pmu pmu = processor(4, 0);

	pmu.description.hidden = 1 << 3;
	give_register(SELECT0, DISABLED);
	give_register(SELECT1, ENABLED);
	give_register(SELECT3, ENABLED | 1);
	give_register(FIXED_CTRL, 0x20);
	give_register(GLOBAL_CTRL, 0xf | 3ULL << 32);
	give_register(GLOBAL_STATUS, 0x1);
	give_register(PMC0, 0xffff80001234);
	give_register(PMC1, 0x5678);
	give_register(FIXED0, 0x9abc);
	give_register(FIXED1, 0xdef0);
	save(&pmu);
	assert_accessed(SELECT0, SELECT1, SELECT3, FIXED_CTRL, GLOBAL_CTRL, GLOBAL_STATUS, DEBUGCTL,
			GLOBAL_CTRL, PMC0, PMC1, FIXED0, FIXED1,
			/* are writes ignored? */
			PMC0, PMC0, PMC0);
	assert_int_equal(DISABLED, pmu.saved.select[0]);
	assert_int_equal(ENABLED, pmu.saved.select[1]);
	assert_int_equal(ENABLED | 1, pmu.saved.select[3]);
	assert_int_equal(DISABLED, pmu.select[0]);
	assert_int_equal(ENABLED, pmu.select[1]);
	assert_int_equal(ENABLED | 1, pmu.select[3]);
	assert_int_equal(0x20, pmu.saved.fixed_ctrl);
	assert_int_equal(0x20, pmu.fixed_ctrl);
	assert_int_equal(0xf | 3ULL << 32, pmu.saved.global_ctrl);
	assert_int_equal(0x1, pmu.saved.global_status);
	assert_int_equal(0x2 | 0x8 | 2ULL << 32, pmu.found_running);
	assert_int_equal(0x2 | 0x8 | 2ULL << 32, pmu.global_ctrl);
	assert_int_equal(0x2 | 0x8 | 2ULL << 32, register_value(GLOBAL_CTRL));
	assert_int_equal(0xffff80001234, pmu.saved.general[0]);
	assert_int_equal(0x5678, pmu.saved.general[1]);
	assert_int_equal(0x9abc, pmu.saved.fixed[0]);
	assert_int_equal(0xdef0, pmu.saved.fixed[1]);
	/* without full-width writes, 32 bits are written */
	assert_int_equal(0x80001234, register_value(PMC0));
	assert_false(pmu.writes_ignored);
	assert_int_equal(GLOBAL_CTRL, pmu.control_msr);
	assert_int_equal(GLOBAL_CTRL, pmu.restore_msr);
	assert_int_equal(GLOBAL_STATUS, pmu.status_msr);
	assert_int_equal(OVF_CTRL, pmu.acknowledge_msr);
	assert_int_equal(FROZEN, pmu.frozen);
	assert_int_equal(0, pmu.saved.freeze);
}

/* Version 1 has neither fixed counters nor global registers. */
static void saved_version_1(void **state)
{
	struct pmc_pmu pmu = processor(1, 0);

	give_register(SELECT1, ENABLED);
	save(&pmu);
	assert_accessed(SELECT0, SELECT1, PMC0, PMC1, PMC0, PMC0, PMC0);
	assert_int_equal(0x2, pmu.found_running);
	assert_int_equal(0, pmu.global_ctrl);
	assert_int_equal(0, pmu.control_msr | pmu.restore_msr);
	assert_int_equal(0, pmu.status_msr | pmu.acknowledge_msr);
	assert_int_equal(0, pmu.frozen);
	assert_int_equal(0, pmu.saved.freeze);
	assert_false(pmu.writes_ignored);
}

/* A counter runs if both its own bits and that of the global control are set. */
static void running(void **state)
{
	static const struct {
		u64 select, fixed_ctrl, global_ctrl, running;
	} known[] = {
		{ ENABLED, 0, 0x2, 0 }, { ENABLED, 0, 0x1, 0x1 }, { DISABLED, 0, 0x1, 0 },
		{ 0, 0x1, 1ULL << 32, 1ULL << 32 }, { 0, 0x2, 1ULL << 32, 1ULL << 32 },
		{ 0, 0x3, 1ULL << 33, 0 }, { 0, 0xc, 1ULL << 32, 0 },
		{ 0, 0x10, 3ULL << 32, 1ULL << 33 }, { 0, 0xc0, 3ULL << 32, 0 },
		{ ENABLED, 0x33, 0, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct pmc_pmu pmu = processor(2, 0);

		give_register(SELECT0, known[i].select);
		give_register(FIXED_CTRL, known[i].fixed_ctrl);
		give_register(GLOBAL_CTRL, known[i].global_ctrl);
		save(&pmu);
		assert_int_equal(known[i].running, pmu.found_running);
		assert_int_equal(known[i].running, register_value(GLOBAL_CTRL));
		/* one that runs alone is not written */
		assert_int_equal(known[i].running == known[i].global_ctrl ? 1 : 2,
				 core_register(GLOBAL_CTRL)->accesses);
		assert_int_equal(0, pmu.frozen);
	}
}

/* After the move to a computer without a register it is 0. */
static void missing(void **state)
{
	static const u32 all[] = { SELECT0, SELECT1, FIXED_CTRL, GLOBAL_STATUS, FIXED0, FIXED1,
				   PMC1 };
	struct pmc_pmu pmu;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		pmu = processor(3, 0);
		take_register(all[i]);
		memset(&pmu.saved, 0xa5, sizeof(pmu.saved));
		save(&pmu);
		assert_int_equal(1, nr_missing);
		assert_int_equal(0, pmu.saved.select[0] | pmu.saved.select[1]);
		assert_int_equal(0, pmu.saved.general[0] | pmu.saved.general[1]);
		assert_int_equal(0, pmu.saved.fixed[0] | pmu.saved.fixed[1]);
		assert_int_equal(0, pmu.saved.fixed_ctrl | pmu.saved.global_status);
		assert_int_equal(0, pmu.frozen);
	}
}

/* IA32_DEBUGCTL: bit 12 is cleared, bit 14 is set where the capabilities list it. */
static void thawed(void **state)
{
	static const struct {
		u64 capabilities, found;
		u32 faults;	/* of the read and of each write */
		u64 left, freeze;
		u32 accesses;
	} known[] = {
		{ 0, 0x1, 0, 0x1, 0, 1 },
		{ 0, FREEZE | 0x1, 0, 0x1, FREEZE, 2 },
		{ 0, FREEZE, 1, FREEZE, 0, 1 },
		{ 0, FREEZE_IN_SMM, 0, FREEZE_IN_SMM, 0, 1 },
		{ CAN_FREEZE_IN_SMM, FREEZE_IN_SMM, 0, FREEZE_IN_SMM, 0, 1 },
		{ CAN_FREEZE_IN_SMM, 0x1, 0, FREEZE_IN_SMM | 0x1, FREEZE_IN_SMM, 2 },
		{ CAN_FREEZE_IN_SMM, FREEZE, 0, FREEZE_IN_SMM, FREEZE | FREEZE_IN_SMM, 2 },
		{ ~CAN_FREEZE_IN_SMM, 0x1, 0, 0x1, 0, 1 },
		/* a hypervisor lacks bit 14, or takes no value */
		{ CAN_FREEZE_IN_SMM, FREEZE | 0x1, 2, 0x1, FREEZE, 3 },
		{ CAN_FREEZE_IN_SMM, 0x1, 2, 0x1, 0, 2 },
		{ CAN_FREEZE_IN_SMM, FREEZE, 6, FREEZE, 0, 3 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct pmc_pmu pmu = processor(2, 0);

		pmu.description.query.perf_capabilities = known[i].capabilities;
		give_register(DEBUGCTL, known[i].found);
		core_register(DEBUGCTL)->faults = known[i].faults;
		save(&pmu);
		assert_int_equal(known[i].left, register_value(DEBUGCTL));
		assert_int_equal(known[i].freeze, pmu.saved.freeze);
		assert_int_equal(known[i].accesses, core_register(DEBUGCTL)->accesses);
	}
}

/* An overflow that was not acknowledged keeps the counters frozen, from version 4 on. */
static void unfrozen(void **state)
{
	static const struct {
		u32 version;
		u64 status, acknowledged;
	} known[] = {
		{ 4, FROZEN | 1, FROZEN }, { 4, 1, 0 }, { 4, 0, 0 }, { 5, FROZEN, FROZEN },
		{ 3, FROZEN, 0 }, { 2, FROZEN, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct pmc_pmu pmu = processor(known[i].version, 0);

		give_register(GLOBAL_STATUS, known[i].status);
		save(&pmu);
		assert_int_equal(known[i].acknowledged, register_value(OVF_CTRL));
		assert_int_equal(known[i].acknowledged ? 1 : 0, core_register(OVF_CTRL)->accesses);
	}
}

/* In a virtual machine each write is tried once. Number of the access that faults, from 0 on */
static void writes_fault(void **state)
{
	static const struct {
		u64 features;
		u32 address, access;
		u64 running;
		bool ignored;
	} known[] = {
		{ 0, SELECT0, 1, 0, true }, { 0, SELECT1, 1, 0, true },
		{ 0, SELECT1, 1, 0x2, false },
		{ FULL, A_PMC0, 0, 0, true }, { FULL, A_PMC0 + 1, 0, 0, true },
		{ FULL, A_PMC0 + 1, 0, 0x2, false },
		/* without full-width writes they are not written: only the first one, later */
		{ 0, PMC1, 1, 0, false },
		{ 0, FIXED0, 1, 0, true }, { 0, FIXED1, 1, 0, true },
		{ 0, FIXED1, 1, 2ULL << 32, false }, { 0, FIXED0, 1, 2ULL << 32, true },
		{ 0, FIXED_CTRL, 1, 0, true }, { 0, GLOBAL_CTRL, 1, 0, true },
		{ 0, OVF_CTRL, 0, 0, true }, { 0, STATUS_SET, 0, 0, false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct pmc_pmu pmu = processor(2, known[i].features);

		registers_can_be_lost = true;
		give_register(OVF_CTRL, 0x77);
		give_register(SELECT1, known[i].running & 0x2 ? ENABLED : 0);
		give_register(FIXED_CTRL, known[i].running & 2ULL << 32 ? 0x20 : 0);
		give_register(GLOBAL_CTRL, known[i].running);
		core_register(known[i].address)->faults = 1U << known[i].access;
		save(&pmu);
		assert_int_equal(known[i].running, pmu.found_running);
		assert_int_equal(known[i].ignored, pmu.writes_ignored);
		if (known[i].ignored)
			continue;
		assert_int_equal(0, register_value(OVF_CTRL));
		assert_int_equal(known[i].running, register_value(GLOBAL_CTRL));
	}
}

/* What is written there changes nothing. Without a hypervisor nothing is tried. */
static void writes_tried(void **state)
{
	struct pmc_pmu pmu = processor(2, FULL);

	give_register(PMC0, 0xffff80001234);
	give_register(PMC1, 0x567800000000);
	give_register(SELECT1, DISABLED);
	give_register(FIXED0, 0x9abc);
	save(&pmu);
	assert_accessed(SELECT0, SELECT1, FIXED_CTRL, GLOBAL_CTRL, GLOBAL_STATUS, DEBUGCTL,
			PMC0, PMC1, FIXED0, FIXED1, A_PMC0, PMC0, A_PMC0);
	assert_false(pmu.writes_ignored);
	registers_can_be_lost = true;
	save(&pmu);
	assert_accessed(SELECT0, SELECT1, FIXED_CTRL, GLOBAL_CTRL, GLOBAL_STATUS, DEBUGCTL,
			PMC0, PMC1, FIXED0, FIXED1,
			SELECT0, A_PMC0, SELECT1, A_PMC0 + 1, FIXED0, FIXED1, FIXED_CTRL,
			GLOBAL_CTRL, OVF_CTRL, A_PMC0, PMC0, A_PMC0);
	assert_false(pmu.writes_ignored);
	assert_int_equal(0xffff80001234, register_value(PMC0));
	assert_int_equal(0x567800000000, register_value(PMC1));
	assert_int_equal(DISABLED, register_value(SELECT1));
	assert_int_equal(0x9abc, register_value(FIXED0));
	/* version 1 */
	pmu = processor(1, 0);
	registers_can_be_lost = true;
	save(&pmu);
	assert_accessed(SELECT0, SELECT1, PMC0, PMC1, SELECT0, SELECT1, PMC0, PMC0, PMC0);
}

/* The first counter is not counter 0; version 6 */
static void first_counter(void **state)
{
	struct pmc_pmu pmu = processor(6, FULL);

	pmu.description.query.general_counters = 0x4;
	pmu.description.query.fixed_counters = 0x2;
	give_register(0x1909, 0);
	give_register(0x1908, 0xffff80001234);
	give_register(0x1984, 0x77);
	save(&pmu);
	assert_accessed(0x1909, FIXED_CTRL, GLOBAL_CTRL, GLOBAL_STATUS, DEBUGCTL, 0x1908, 0x1984,
			0x1908, 0x1908, 0x1908);
	assert_int_equal(0xffff80001234, pmu.saved.general[2]);
	assert_int_equal(0x77, pmu.saved.fixed[1]);
}

/* The parts of the other files: only after the counters were stopped */
static void saved_others(void **state)
{
	struct pmc_pmu pmu = processor(5, FULL | PMC_FEATURE(METRICS));

	pmu.description.config_b = 1 << 1;
	give_register(CONFIG_B1, 0x170);
	give_register(METRICS, 0x150);
	give_register(GLOBAL_CTRL, 1);
	save(&pmu);
	assert_accessed(SELECT0, SELECT1, FIXED_CTRL, GLOBAL_CTRL, GLOBAL_STATUS, DEBUGCTL,
			GLOBAL_CTRL, CONFIG_B1, CONFIG_B1, PMC0, PMC1, FIXED0, FIXED1, METRICS,
			A_PMC0, PMC0, A_PMC0);
	assert_int_equal(0x170, pmu.saved.config_b[1]);
	assert_int_equal(0, register_value(CONFIG_B1));
	assert_int_equal(0x150, pmu.saved.metrics);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(saved),
		cmocka_unit_test(saved_version_1),
		cmocka_unit_test(saved_others),
		cmocka_unit_test(running),
		cmocka_unit_test(missing),
		cmocka_unit_test(thawed),
		cmocka_unit_test(unfrozen),
		cmocka_unit_test(writes_fault),
		cmocka_unit_test(writes_tried),
		cmocka_unit_test(first_counter),
	};

	return cmocka_run_group_tests_name("core_acquire", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of amd.c: what it saves and stops when a CPU's counters are acquired, and what it restores
 *
 * A counter runs if the enable bits of its event select and, with PerfMonV2, of the global control
 * are set. What was found running goes on.
 */
#include "amd_registers.h"

#define V2		PMC_FEATURE(GLOBAL_CTRL)
#define V2_FREEZE	(V2 | PMC_FEATURE(FREEZE))

/* In the counters */
#define COUNT		0x800000000001ULL

static struct pmc_pmu pmu;

/* The state of a CPU with these counters, not yet saved */
static void prepare(u64 counters, u64 features)
{
	pmu = unsaved(counters, features);
	pmu.writes_ignored = true;
	pmu.touched_general = 0;
}

static void saved_globals(u32 status_msr, u32 acknowledge_msr, u64 frozen)
{
	assert_int_equal(0, pmu.control_msr);
	assert_int_equal(status_msr, pmu.status_msr);
	assert_int_equal(acknowledge_msr, pmu.acknowledge_msr);
	assert_int_equal(frozen, pmu.frozen);
}

/* Event selects and counters are read, and keep their values. */
static void saved_counters(u64 counters, u64 selects)
{
	u32 i;

	for (i = 0; i < 6; i++) {
		const u64 select = 0x76 + i + (selects >> i & 1 ? ENABLE : 0);
		const bool exists = counters >> i & 1;

		assert_int_equal(select, *reg(PERF_CTL(i)));
		assert_int_equal(COUNT + i, *reg(PERF_CTR(i)));
		assert_int_equal(exists ? select : ~0ULL, pmu.saved.select[i]);
		assert_int_equal(exists ? select : ~0ULL, pmu.select[i]);
		assert_int_equal(exists ? COUNT + i : ~0ULL, pmu.saved.general[i]);
	}
}

/* Save the newer registers, of which @selects are enabled. */
static void saved(u64 counters, u64 selects, u64 features, u64 running)
{
	u32 i;

	prepare(counters, features);
	for (i = 0; i < 6; i++) {
		*reg(PERF_CTL(i)) = 0x76 + i + (selects >> i & 1 ? ENABLE : 0);
		*reg(PERF_CTR(i)) = COUNT + i;
	}
	*reg(GLOBAL_CLEAR) = UNTOUCHED;
	pmc_family_amd.save(&pmu);
	saved_counters(counters, selects);
	assert_int_equal(running, pmu.found_running);
	assert_int_equal(0, pmu.touched_general);
	assert_int_equal(0, *reg(GLOBAL_STATUS) & ~0x3fULL);
	if (!registers_can_be_lost)
		assert_int_equal(UNTOUCHED, *reg(GLOBAL_CLEAR));
}

/* Without PerfMonV2 the global registers are another's. */
static void save(void **state)
{
	u64 selects;

	*reg(GLOBAL_CTL) = UNTOUCHED;
	for (selects = 0; selects < 64; selects++) {
		saved(0x3f, selects, ~V2_FREEZE, selects);
		saved(0x32, selects, 0, selects & 0x32);
	}
	saved_globals(0, 0, 0);
	assert_int_equal(0, pmu.saved.freeze);
	assert_int_equal(~0ULL, pmu.global_ctrl);
	assert_int_equal(~0ULL, pmu.saved.global_ctrl);
	assert_int_equal(~0ULL, pmu.saved.global_status);
	assert_int_equal(UNTOUCHED, *reg(GLOBAL_CTL));
	assert_int_equal(FREEZE | 1, *reg(DEBUG_CTL));
}

static void save_four(void **state)
{
	u32 i;

	prepare(0xf, 0);
	for (i = 0; i < 4; i++) {
		*reg(SELECT(i)) = i == 2 ? ENABLE : i;
		*reg(CTR(i)) = 7 + i;
	}
	pmc_family_amd.save(&pmu);
	assert_int_equal(4, pmu.found_running);
	assert_false(pmu.writes_ignored);
	for (i = 0; i < 4; i++) {
		assert_int_equal(i == 2 ? ENABLE : i, pmu.saved.select[i]);
		assert_int_equal(7 + i, pmu.saved.general[i]);
		assert_int_equal(7 + i, *reg(CTR(i)));
	}
	assert_int_equal(~0ULL, pmu.saved.select[4]);
}

/* A counter runs if both bits are set. Only what runs stays enabled in the global control. */
static void save_v2(void **state)
{
	*reg(GLOBAL_STATUS) = 0x21;
	*reg(GLOBAL_CTL) = 0x2c;
	saved(0x3f, 0x38, V2, 0x28);
	saved_globals(GLOBAL_STATUS, GLOBAL_CLEAR, 0);
	assert_int_equal(0x2c, pmu.saved.global_ctrl);
	assert_int_equal(0x21, pmu.saved.global_status);
	assert_int_equal(0x28, pmu.global_ctrl);
	assert_int_equal(0x28, *reg(GLOBAL_CTL));
	assert_false(pmu.writes_ignored);
	assert_int_equal(0, pmu.saved.freeze);
	assert_int_equal(FREEZE | 1, *reg(DEBUG_CTL));
	/* the register has gone since the CPU was described */
	reg_faults(GLOBAL_CTL, true);
	saved(0x3f, 0x38, V2, 0);
	assert_int_equal(0, pmu.saved.global_ctrl);
	assert_true(pmu.writes_ignored);
}

static void thaw(void **state)
{
	saved(0x3f, 0, V2_FREEZE, 0);
	saved_globals(GLOBAL_STATUS, GLOBAL_CLEAR, FROZEN);
	assert_int_equal(FREEZE, pmu.saved.freeze);
	assert_int_equal(1, *reg(DEBUG_CTL));
	*reg(DEBUG_CTL) = ~FREEZE;
	saved(0x3f, 0, V2_FREEZE, 0);
	assert_int_equal(0, pmu.saved.freeze);
	assert_int_equal(~FREEZE, *reg(DEBUG_CTL));
	*reg(DEBUG_CTL) = ~0ULL;
	reg_faults(DEBUG_CTL, true);
	saved(0x3f, 0, V2_FREEZE, 0);
	assert_int_equal(0, pmu.saved.freeze);
	assert_int_equal(~0ULL, *reg(DEBUG_CTL));
}

/* The first counter is tried, unless another user has it. */
static void ignored_writes(void **state)
{
	saved(0x3e, 0, 0, 0);
	assert_false(pmu.writes_ignored);
	reg_ignores(PERF_CTR(2), true);
	saved(0x3e, 0, 0, 0);
	assert_false(pmu.writes_ignored);
	reg_ignores(PERF_CTR(1), true);
	saved(0x3f, 0, 0, 0);
	assert_false(pmu.writes_ignored);
	saved(0x3e, 0, 0, 0);
	assert_true(pmu.writes_ignored);
	saved(0x3e, 2, 0, 2);
	assert_false(pmu.writes_ignored);
}

/* In a virtual machine every write is tried, with the value that the register has. */
static void save_in_guest(void **state)
{
	registers_can_be_lost = true;
	*reg(GLOBAL_CTL) = 0x3f;
	saved(0x3f, 0x12, V2, 0x12);
	assert_false(pmu.writes_ignored);
	assert_int_equal(0x12, *reg(GLOBAL_CTL));
	assert_int_equal(0, *reg(GLOBAL_CLEAR));
	/* without PerfMonV2 no global register is tried */
	saved(0x3f, 0, 0, 0);
	assert_false(pmu.writes_ignored);
	assert_int_equal(UNTOUCHED, *reg(GLOBAL_CLEAR));
	/* a register of a counter that is not offered does not matter */
	reg_faults(PERF_CTR(3), true);
	saved(0x37, 0, 0, 0);
	assert_false(pmu.writes_ignored);
	/* nor that of a counter that another user has */
	prepare(0x3f, 0);
	*reg(PERF_CTL(3)) = ENABLE;
	pmc_family_amd.save(&pmu);
	assert_int_equal(8, pmu.found_running);
	assert_int_equal(0, pmu.saved.general[3]);
	assert_false(pmu.writes_ignored);
	*reg(PERF_CTL(3)) = 0;
	pmc_family_amd.save(&pmu);
	assert_true(pmu.writes_ignored);
	registers_can_be_lost = false;
	pmc_family_amd.save(&pmu);
	assert_false(pmu.writes_ignored);
}

/* Only what was found running counts while counters are written. */
static void stopped_meanwhile(u32 address)
{
	if (address >= PERF_CTL(0) && address <= PERF_CTR(5))
		assert_int_equal(0x20, *reg(GLOBAL_CTL));
}

static void restored(u64 touched, u64 features)
{
	u32 i;

	prepare(0x3f, features);
	pmu.touched_general = touched;
	pmu.found_running = 0x20;
	pmu.saved.global_ctrl = 0x2c;
	pmu.saved.global_status = 0x21;
	pmu.saved.freeze = features & PMC_FEATURE(FREEZE) ? FREEZE : 0;
	for (i = 0; i < 6; i++) {
		pmu.saved.select[i] = 0x70 + i;
		pmu.saved.general[i] = 0x50 + i;
		*reg(PERF_CTL(i)) = 0x30 + i;
		*reg(PERF_CTR(i)) = 0x10 + i;
	}
	*reg(DEBUG_CTL) = 1;
	*reg(GLOBAL_CTL) = 0x3f;
	*reg(GLOBAL_STATUS) = 0x3f;
	*reg(GLOBAL_CLEAR) = UNTOUCHED;
	reg_watch = features & V2 ? stopped_meanwhile : NULL;
	pmc_family_amd.restore(&pmu);
	reg_watch = NULL;
	for (i = 0; i < 6; i++) {
		assert_int_equal(i + (touched >> i & 1 ? 0x70 : 0x30), *reg(PERF_CTL(i)));
		assert_int_equal(i + (touched >> i & 1 ? 0x50 : 0x10), *reg(PERF_CTR(i)));
	}
	assert_int_equal(0x3f, *reg(GLOBAL_STATUS));
}

static void restore(void **state)
{
	u64 touched;

	for (touched = 0; touched < 64; touched++) {
		const u64 overflows = touched & ~0x21ULL;

		restored(touched, V2_FREEZE);
		assert_int_equal(0x2c, *reg(GLOBAL_CTL));
		/* overflows from before stay */
		assert_int_equal(overflows ? overflows : UNTOUCHED, *reg(GLOBAL_CLEAR));
		assert_int_equal(FREEZE | 1, *reg(DEBUG_CTL));
	}
	/* without the feature the register may be missing */
	reg_faults(DEBUG_CTL, true);
	restored(0x3f, V2);
	assert_int_equal(0x2c, *reg(GLOBAL_CTL));
	assert_int_equal(1, *reg(DEBUG_CTL));
	restored(0x3f, ~V2_FREEZE);
	assert_int_equal(0x3f, *reg(GLOBAL_CTL));
	assert_int_equal(UNTOUCHED, *reg(GLOBAL_CLEAR));
}

/* A hypervisor can have lost any register. */
static void restore_missing(void **state)
{
	u32 i;

	for (i = 0; i < 6; i++) {
		reg_faults(PERF_CTL(i), true);
		reg_faults(PERF_CTR(i), true);
	}
	reg_faults(GLOBAL_CTL, true);
	reg_faults(GLOBAL_CLEAR, true);
	prepare(0x3f, V2);
	pmu.touched_general = 0x3f;
	pmu.saved.freeze = FREEZE;
	pmc_family_amd.restore(&pmu);
	assert_int_equal(FREEZE | 1, *reg(DEBUG_CTL));
}

static int setup(void **state)
{
	registers_reset();
	give_counters();
	*reg(GLOBAL_STATUS) = 0;
	*reg(GLOBAL_CTL) = 0;
	*reg(GLOBAL_CLEAR) = UNTOUCHED;
	*reg(DEBUG_CTL) = FREEZE | 1;
	return 0;
}

#define TEST(name)	cmocka_unit_test_setup(name, setup)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(save), TEST(save_four), TEST(save_v2), TEST(thaw), TEST(ignored_writes),
		TEST(save_in_guest), TEST(restore), TEST(restore_missing),
	};

	return cmocka_run_group_tests_name("amd_save", tests, NULL, NULL);
}

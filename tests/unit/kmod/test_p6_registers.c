// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of p6.c: what it reads from and writes to the registers
 *
 * Numbers as in test_p6.c. PerfEvtSel0 has the one enable bit, 22, of both counters. A counter
 * counts if that bit is set and its own event select has a privilege level (bits 16, 17). So that
 * both start at once, PerfEvtSel0 is written last at a start.
 */
#include "registers.h"

#define SELECT(n)	(0x186 + (n))
#define CTR(n)		(0xc1 + (n))
#define USER		(1ULL << 16)
#define KERNEL		(1ULL << 17)
#define LEVELS		(USER | KERNEL)
#define INTERRUPT	(1ULL << 20)
#define ENABLE		(1ULL << 22)

/* What the two counters count */
#define SELECT_0	(0x79 | USER | INTERRUPT)
#define SELECT_1	(0x4c0 | LEVELS)

static struct pmc_pmu pmu;
static struct pmc_program *programs[3];	/* of counter 0, of counter 1, of both */

static void selects(u64 first, u64 second)
{
	assert_int_equal(first, *reg(SELECT(0)));
	assert_int_equal(second, *reg(SELECT(1)));
}

static void counters(u64 first, u64 second)
{
	assert_int_equal(first, *reg(CTR(0)));
	assert_int_equal(second, *reg(CTR(1)));
}

/* Counters found with these event selects; those that run go on, the others are stopped. */
static void saved(u64 first, u64 second, u64 running)
{
	memset(&pmu, 0xff, sizeof(pmu));
	pmu.writes_ignored = true;
	*reg(SELECT(0)) = first;
	*reg(SELECT(1)) = second;
	*reg(CTR(0)) = 0x12345678;
	*reg(CTR(1)) = 0x7edcba98;
	pmc_family_p6.save(&pmu);
	assert_int_equal(first, pmu.saved.select[0]);
	assert_int_equal(second, pmu.saved.select[1]);
	assert_int_equal(~0ULL, pmu.saved.select[2]);
	assert_int_equal(0x12345678, pmu.saved.general[0]);
	assert_int_equal(0x7edcba98, pmu.saved.general[1]);
	assert_int_equal(~0ULL, pmu.saved.general[2]);
	assert_int_equal(first & ~ENABLE, pmu.select[0]);
	assert_int_equal(second & ~ENABLE, pmu.select[1]);
	assert_int_equal(running, pmu.found_running);
	assert_int_equal(running, pmu.global_ctrl);
	counters(0x12345678, 0x7edcba98);
}

static void save(void **state)
{
	saved(0, 0, 0);
	saved(0x79 | LEVELS, 0x4c0 | LEVELS, 0);
	/* the enable bit stops both counters */
	selects(0, 0x4c0 | LEVELS);
	/* that of PerfEvtSel1 does nothing */
	saved(0x79 | LEVELS, 0x4c0 | LEVELS | ENABLE, 0);
	saved(0x79 | ENABLE, 0x4c0, 0);
	selects(0, 0x4c0);
	saved(0x79 | USER | ENABLE, 0x4c0, 1);
	selects(0x79 | USER | ENABLE, 0x4c0);
	saved(0x79 | KERNEL | ENABLE, 0x4c0, 1);
	selects(0x79 | KERNEL | ENABLE, 0x4c0);
	saved(0x79 | ENABLE, 0x4c0 | USER, 2);
	selects(0x79 | ENABLE, 0x4c0 | USER);
	saved(0x79 | ENABLE, 0x4c0 | KERNEL, 2);
	saved(0x79 | LEVELS | ENABLE, 0x4c0 | LEVELS, 3);
	selects(0x79 | LEVELS | ENABLE, 0x4c0 | LEVELS);
}

static void ignored_writes(void **state)
{
	saved(0, 0, 0);
	assert_false(pmu.writes_ignored);
	reg_ignores(CTR(1), true);
	saved(0, 0, 0);
	assert_false(pmu.writes_ignored);
	reg_ignores(CTR(0), true);
	saved(0, 0, 0);
	assert_true(pmu.writes_ignored);
	saved(ENABLE, USER, 2);
	assert_true(pmu.writes_ignored);
	/* the counter of another user is not tried */
	saved(ENABLE | USER, 0, 1);
	assert_false(pmu.writes_ignored);
}

/* Bits above the 32 that a write sets do not matter, and any value differs from what is tried. */
static void ignored_values(void **state)
{
	static const u64 values[] = { 0, 0xffff, 0xffffffffff, 0x9987654321, 0x5a5a, 0xa5a5 };
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(values); i++) {
		*reg(CTR(0)) = values[i / 2];
		reg_ignores(CTR(0), i & 1);
		pmc_family_p6.save(&pmu);
		assert_int_equal(i & 1, pmu.writes_ignored);
		assert_int_equal(values[i / 2], pmu.saved.general[0]);
	}
}

/* A write sets 32 bits: the hardware extends bit 31. */
static void restore(void **state)
{
	static const u32 order[] = { SELECT(1), SELECT(0) };
	u64 touched;

	for (touched = 0; touched < 4; touched++) {
		memset(&pmu, 0, sizeof(pmu));
		pmu.touched_general = touched;
		pmu.saved.select[0] = 0x79 | USER | ENABLE;
		pmu.saved.select[1] = 0x4c0 | KERNEL;
		pmu.saved.general[0] = 0xff89abcdef;
		pmu.saved.general[1] = 0x7fedcba987;
		*reg(SELECT(0)) = 0;
		*reg(SELECT(1)) = 0;
		*reg(CTR(0)) = 1;
		*reg(CTR(1)) = 2;
		reg_forget();
		pmc_family_p6.restore(&pmu);
		selects(0x79 | USER | ENABLE, 0x4c0 | KERNEL);
		counters(touched & 1 ? 0x89abcdef : 1, touched & 2 ? 0xedcba987 : 2);
		if (!touched)
			reg_accessed(order, ARRAY_SIZE(order));
	}
}

static void load_both(void)
{
	memset(&pmu, 0, sizeof(pmu));
	*reg(SELECT(0)) = 0;
	*reg(SELECT(1)) = 0;
	pmc_family_p6.load(&pmu, programs[0]);
	pmc_family_p6.load(&pmu, programs[1]);
}

/* No register is written: the enable bit may be set for the other counter. */
static void load(void **state)
{
	load_both();
	assert_int_equal(3, pmu.touched_general);
	assert_int_equal(SELECT_0, pmu.select[0]);
	assert_int_equal(SELECT_1, pmu.select[1]);
	memset(&pmu, 0, sizeof(pmu));
	pmu.select[0] = 0x55;
	pmc_family_p6.load(&pmu, programs[1]);
	assert_int_equal(2, pmu.touched_general);
	assert_int_equal(0x55, pmu.select[0]);
	assert_int_equal(SELECT_1, pmu.select[1]);
	pmu = (struct pmc_pmu){ .touched_general = 4 };
	pmc_family_p6.load(&pmu, programs[2]);
	assert_int_equal(7, pmu.touched_general);
	assert_int_equal(SELECT_0, pmu.select[0]);
	assert_int_equal(SELECT_1, pmu.select[1]);
	reg_accessed(NULL, 0);
}

/* A stopped counter has an event select without a privilege level. */
static void enable(void **state)
{
	static const u32 start[] = { SELECT(1), SELECT(0) }, stop[] = { SELECT(0) };

	load_both();
	reg_forget();
	pmc_family_p6.enable(&pmu, programs[1]);
	reg_accessed(start, ARRAY_SIZE(start));
	assert_int_equal(2, pmu.global_ctrl);
	selects((SELECT_0 & ~LEVELS) | ENABLE, SELECT_1);
	pmc_family_p6.enable(&pmu, programs[0]);
	assert_int_equal(3, pmu.global_ctrl);
	selects(SELECT_0 | ENABLE, SELECT_1);
	pmc_family_p6.disable(&pmu, programs[1]);
	assert_int_equal(1, pmu.global_ctrl);
	selects(SELECT_0 | ENABLE, SELECT_1 & ~LEVELS);
	/* without the enable bit PerfEvtSel1 may stay as it is */
	reg_forget();
	pmc_family_p6.disable(&pmu, programs[0]);
	reg_accessed(stop, ARRAY_SIZE(stop));
	assert_int_equal(0, pmu.global_ctrl);
	selects(0, SELECT_1 & ~LEVELS);
	pmc_family_p6.enable(&pmu, programs[2]);
	assert_int_equal(3, pmu.global_ctrl);
	selects(SELECT_0 | ENABLE, SELECT_1);
	pmc_family_p6.disable(&pmu, programs[2]);
	assert_int_equal(0, pmu.global_ctrl);
	assert_int_equal(0, *reg(SELECT(0)));
}

static u64 expected_ctrl;

static void watch(u32 address)
{
	assert_in_range(address, SELECT(0), SELECT(1));
	assert_int_equal(expected_ctrl, pmu.global_ctrl);
}

/* An NMI before a write of a register finds what is about to count. */
static void copy_is_first(void **state)
{
	load_both();
	reg_watch = watch;
	expected_ctrl = 1;
	pmc_family_p6.enable(&pmu, programs[0]);
	expected_ctrl = 3;
	pmc_family_p6.enable(&pmu, programs[1]);
	expected_ctrl = 2;
	pmc_family_p6.disable(&pmu, programs[0]);
	/* and an NMI itself leaves it */
	pmc_family_p6.pause(&pmu, programs[1]);
	pmc_family_p6.resume(&pmu, programs[1]);
}

static void pause_and_resume(void **state)
{
	load_both();
	pmc_family_p6.enable(&pmu, programs[2]);
	pmc_family_p6.pause(&pmu, programs[0]);
	selects((SELECT_0 & ~LEVELS) | ENABLE, SELECT_1);
	pmc_family_p6.resume(&pmu, programs[0]);
	selects(SELECT_0 | ENABLE, SELECT_1);
	pmc_family_p6.pause(&pmu, programs[1]);
	selects(SELECT_0 | ENABLE, SELECT_1 & ~LEVELS);
	pmc_family_p6.resume(&pmu, programs[1]);
	selects(SELECT_0 | ENABLE, SELECT_1);
	pmc_family_p6.pause(&pmu, programs[2]);
	assert_int_equal(0, *reg(SELECT(0)));
	pmc_family_p6.resume(&pmu, programs[2]);
	selects(SELECT_0 | ENABLE, SELECT_1);
	assert_int_equal(3, pmu.global_ctrl);
	/* what the interrupted code had stopped stays stopped */
	pmc_family_p6.disable(&pmu, programs[0]);
	pmc_family_p6.pause(&pmu, programs[0]);
	pmc_family_p6.resume(&pmu, programs[0]);
	selects((SELECT_0 & ~LEVELS) | ENABLE, SELECT_1);
}

/* Each bit of the program's event selects is verified, and that the counters are enabled. */
static void verifies(const struct pmc_program *program, bool first, bool second)
{
	u32 bit;

	*reg(SELECT(0)) = SELECT_0 | ENABLE;
	*reg(SELECT(1)) = SELECT_1;
	assert_true(pmc_family_p6.verify(&pmu, program));
	for (bit = 0; bit < 32; bit++) {
		*reg(SELECT(0)) ^= 1ULL << bit;
		assert_int_equal(!first && bit != 22, pmc_family_p6.verify(&pmu, program));
		*reg(SELECT(0)) ^= 1ULL << bit;
		/* bit 22 of PerfEvtSel1 has no meaning */
		*reg(SELECT(1)) ^= 1ULL << bit;
		assert_int_equal(!second || bit == 22, pmc_family_p6.verify(&pmu, program));
		*reg(SELECT(1)) ^= 1ULL << bit;
	}
}

static void verify(void **state)
{
	verifies(programs[0], true, false);
	verifies(programs[1], false, true);
	verifies(programs[2], true, true);
	/* nothing else is compared */
	memset(&pmu, 0xff, sizeof(pmu));
	verifies(programs[2], true, true);
}

static void write_counters(void **state)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		const struct pmc_counter_setup setup = { .index = i };

		*reg(CTR(0)) = 1;
		*reg(CTR(1)) = 2;
		pmc_family_p6.write(&pmu, &setup, -5ULL);
		counters(i ? 1 : 0xfffffffb, i ? 0xfffffffb : 2);
	}
}

static void clear(void **state)
{
	clears_two_counters(&pmc_family_p6, CTR(0));
}

/* The entry behind the last one of a program is not part of it. */
static int allocate(void **state)
{
	const struct pmc_counter_setup entries[] = {
		{ .index = 0, .select = SELECT_0 }, { .index = 1, .select = SELECT_1 },
		{ .index = 0, .select = 0x5555 },
	};
	u32 i;

	for (i = 0; i < 3; i++) {
		struct pmc_program *program = test_calloc(1, sizeof(*program) + sizeof(entries));

		programs[i] = program;
		program->nr = i < 2 ? 1 : 2;
		program->general = i < 2 ? 1ULL << i : 3;
		program->enable = program->general;
		memcpy(program->setup, &entries[i % 2], (3 - i % 2) * sizeof(entries[0]));
	}
	return 0;
}

static int release(void **state)
{
	u32 i;

	for (i = 0; i < 3; i++)
		test_free(programs[i]);
	return 0;
}

static int setup(void **state)
{
	registers_reset();
	rdpmc.counter0 = CTR(0);
	rdpmc.step = 1;
	*reg(SELECT(0)) = 0;
	*reg(SELECT(1)) = 0;
	*reg(CTR(0)) = 0;
	*reg(CTR(1)) = 0;
	memset(&pmu, 0, sizeof(pmu));
	return 0;
}

#define TEST(name)	cmocka_unit_test_setup(name, setup)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(save), TEST(ignored_writes), TEST(ignored_values), TEST(restore),
		TEST(load), TEST(enable), TEST(copy_is_first), TEST(pause_and_resume),
		TEST(verify), TEST(write_counters), TEST(clear),
	};

	return cmocka_run_group_tests_name("p6_registers", tests, allocate, release);
}

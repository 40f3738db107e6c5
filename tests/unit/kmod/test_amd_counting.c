// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of amd.c: counters are loaded, started, stopped, verified, paused by an NMI, and cleared
 *
 * Each event select starts its counter. In a virtual machine other operations find what other
 * software has changed; see also test_amd_registers.c.
 */
#include "amd_registers.h"
#include "program.h"

#define GUEST_AND_HOST	(3ULL << 40)
#define V2		PMC_FEATURE(GLOBAL_CTRL)

/* A program of counters 1 and 4; the entry behind them is not part of it. */
#define COUNTERS	0x12ULL
#define SELECT_1	0x100030076ULL
#define SELECT_4	0x1100c0ULL

static struct pmc_pmu pmu;
/* The operations in a virtual machine */
static const struct pmc_family *guest;

void cpuid(u32 leaf, u32 subleaf, u32 result[4])
{
	assert_int_equal(0, subleaf);
	memset(result, 0, 4 * sizeof(*result));
	result[0] = leaf == 0x80000000 ? 0x80000001 : 0;
	result[2] = leaf == 0x80000001 ? 1U << 23 : 0;
}

/* The registers of the program's counters, and of the other one that it has an entry behind */
static void selects(u64 first, u64 second)
{
	assert_int_equal(first, *reg(PERF_CTL(1)));
	assert_int_equal(second, *reg(PERF_CTL(4)));
	assert_int_equal(UNTOUCHED, *reg(PERF_CTL(5)));
}

static void copies(u64 first, u64 second)
{
	assert_int_equal(first, pmu.select[1]);
	assert_int_equal(second, pmu.select[4]);
	assert_int_equal(~0ULL, pmu.select[5]);
}

/* An NMI between the copy and the register finds the new value. */
static u64 enable_bit;

static void copy_is_first(u32 address)
{
	if (address == PERF_CTL(1))
		assert_int_equal(SELECT_1 | enable_bit, pmu.select[1]);
	if (address == PERF_CTL(4))
		assert_int_equal(SELECT_4 | enable_bit, pmu.select[4]);
}

static void count_on(const struct pmc_family *family, u64 features)
{
	pmu = unsaved(0x3f, features);
	pmu.global_ctrl = 0;
	pmu.touched_general = 0x21;
	enable_bit = 0;
	family->load(&pmu, program);
	assert_int_equal(0x21 | COUNTERS, pmu.touched_general);
	selects(SELECT_1, SELECT_4);
	copies(SELECT_1, SELECT_4);
	enable_bit = ENABLE;
	family->enable(&pmu, program);
	selects(SELECT_1 | ENABLE, SELECT_4 | ENABLE);
	copies(SELECT_1 | ENABLE, SELECT_4 | ENABLE);
	enable_bit = 0;
}

static void count(void **state)
{
	reg_watch = copy_is_first;
	*reg(GLOBAL_CTL) = UNTOUCHED;
	count_on(&pmc_family_amd, ~V2);
	pmc_family_amd.disable(&pmu, program);
	selects(SELECT_1, SELECT_4);
	copies(SELECT_1, SELECT_4);
	assert_int_equal(UNTOUCHED, *reg(GLOBAL_CTL));
	assert_int_equal(0, pmu.global_ctrl);
}

/* The bits of other programs stay as they are, also where they are lost. */
static void load_v2(void **state)
{
	pmu = unsaved(0x3f, V2);
	pmu.global_ctrl = 0xc;
	*reg(GLOBAL_CTL) = 0x24;
	pmc_family_amd.load(&pmu, program);
	assert_int_equal(0xc | COUNTERS, pmu.global_ctrl);
	assert_int_equal(0x24 | COUNTERS, *reg(GLOBAL_CTL));
	/* one of the two bits is set, but lost */
	pmu.global_ctrl = 0x2;
	*reg(GLOBAL_CTL) = 0;
	pmc_family_amd.load(&pmu, program);
	assert_int_equal(COUNTERS, pmu.global_ctrl);
	assert_int_equal(COUNTERS, *reg(GLOBAL_CTL));
	/* both are set: the register is not written */
	*reg(GLOBAL_CTL) = 0x20;
	pmc_family_amd.load(&pmu, program);
	assert_int_equal(COUNTERS, pmu.global_ctrl);
	assert_int_equal(0x20, *reg(GLOBAL_CTL));
}

static void pause_and_resume(void **state)
{
	count_on(&pmc_family_amd, 0);
	pmc_family_amd.pause(&pmu, program);
	selects(SELECT_1, SELECT_4);
	copies(SELECT_1 | ENABLE, SELECT_4 | ENABLE);
	/* the interrupted code was about to stop counter 4 */
	pmu.select[4] = SELECT_4;
	pmc_family_amd.resume(&pmu, program);
	selects(SELECT_1 | ENABLE, SELECT_4);
}

/* All bits of the event selects are verified, but those for guests and hosts. */
static void verifies(const struct pmc_family *family, u64 features)
{
	u32 bit;

	count_on(family, features);
	assert_true(family->verify(&pmu, program));
	for (bit = 0; bit < 64; bit++) {
		const bool ignored = GUEST_AND_HOST >> bit & 1;

		*reg(PERF_CTL(1)) ^= 1ULL << bit;
		assert_int_equal(ignored, family->verify(&pmu, program));
		*reg(PERF_CTL(1)) ^= 1ULL << bit;
		*reg(PERF_CTL(4)) ^= 1ULL << bit;
		assert_int_equal(ignored, family->verify(&pmu, program));
		*reg(PERF_CTL(4)) ^= 1ULL << bit;
	}
	reg_faults(PERF_CTL(4), true);
	assert_false(family->verify(&pmu, program));
	reg_faults(PERF_CTL(4), false);
	assert_true(family->verify(&pmu, program));
}

static void verify(void **state)
{
	u32 bit;

	/* without PerfMonV2 the global control does not matter */
	*reg(GLOBAL_CTL) = 0;
	verifies(&pmc_family_amd, ~V2);
	verifies(guest, ~V2);
	verifies(&pmc_family_amd, V2);
	for (bit = 0; bit < 64; bit++) {
		*reg(GLOBAL_CTL) = ~(1ULL << bit);
		assert_int_equal(!(COUNTERS >> bit & 1), pmc_family_amd.verify(&pmu, program));
	}
	*reg(GLOBAL_CTL) = COUNTERS;
	assert_true(pmc_family_amd.verify(&pmu, program));
	reg_faults(GLOBAL_CTL, true);
	assert_false(pmc_family_amd.verify(&pmu, program));
}

static u32 lost;

static void lose(struct pmc_pmu *which, const struct pmc_program *lost_program)
{
	assert_ptr_equal(&pmu, which);
	assert_ptr_equal(program, lost_program);
	lost++;
}

/* Where one event select is lost, all counters of the program stop. */
static void guest_stops(void **state)
{
	count_on(guest, 0);
	pmu.lose = lose;
	lost = 0;
	guest->disable(&pmu, program);
	selects(SELECT_1, SELECT_4);
	copies(SELECT_1, SELECT_4);
	assert_int_equal(0, lost);
	count_on(guest, 0);
	pmu.lose = lose;
	*reg(PERF_CTL(4)) = 0;
	guest->disable(&pmu, program);
	assert_int_equal(1, lost);
	selects(SELECT_1, SELECT_4);
	copies(SELECT_1, SELECT_4);
	/* a program that has ended does not start */
	program->number = PMC_PROGRAM_ENDED;
	guest->enable(&pmu, program);
	selects(SELECT_1, SELECT_4);
	program->number = PMC_PROGRAM_ENDED - 1;
}

/* Each counter is paused and resumed by itself. */
static void guest_pauses(void **state)
{
	count_on(guest, 0);
	guest->pause(&pmu, program);
	selects(SELECT_1, SELECT_4);
	copies(SELECT_1 | ENABLE, SELECT_4 | ENABLE);
	assert_int_equal(COUNTERS, pmu.paused_ctrl);
	guest->resume(&pmu, program);
	selects(SELECT_1 | ENABLE, SELECT_4 | ENABLE);
	*reg(PERF_CTL(1)) ^= 1;
	guest->pause(&pmu, program);
	selects((SELECT_1 | ENABLE) ^ 1, SELECT_4);
	assert_int_equal(0x10, pmu.paused_ctrl);
	guest->resume(&pmu, program);
	selects((SELECT_1 | ENABLE) ^ 1, SELECT_4 | ENABLE);
	reg_faults(PERF_CTL(4), true);
	guest->pause(&pmu, program);
	assert_int_equal(0, pmu.paused_ctrl);
}

static void write_counters(void **state)
{
	const struct pmc_counter_setup entry = { .counter_msr = PERF_CTR(3),
						 .write_mask = 0xffffffffffff };

	pmc_family_amd.write(&pmu, &entry, -5ULL);
	assert_int_equal(0xfffffffffffb, *reg(PERF_CTR(3)));
	assert_int_equal(0, *reg(PERF_CTR(2)));
	assert_int_equal(0, *reg(PERF_CTR(4)));
}

/* Bit 32 is a fixed counter, which no AMD processor has. */
static void clear(void **state)
{
	u64 selected;
	u32 i;

	pmu = unsaved(0x3f, 0);
	rdpmc.counter0 = PERF_CTR(0);
	rdpmc.step = 2;
	for (selected = 0; selected < 64; selected++) {
		for (i = 0; i < 6; i++)
			*reg(PERF_CTR(i)) = 0x15 >> i & 1;
		reg_forget();
		assert_int_equal(!!(selected & 0x15),
				 pmc_family_amd.clear(&pmu, selected | 1ULL << 32));
		for (i = 0; i < 6; i++)
			assert_int_equal((0x15 & ~selected) >> i & 1, *reg(PERF_CTR(i)));
		if (!(selected & 0x15))
			reg_accessed(NULL, 0);
	}
}

static int setup(void **state)
{
	registers_reset();
	give_counters();
	*reg(PERF_CTL(5)) = UNTOUCHED;
	*reg(GLOBAL_CTL) = 0;
	return 0;
}

static int allocate(void **state)
{
	static const struct pmc_counter_setup entries[] = {
		{ .extra = PERF_CTL(1), .index = 1, .select = SELECT_1 },
		{ .extra = PERF_CTL(4), .index = 4, .select = SELECT_4 },
		{ .extra = PERF_CTL(5), .index = 5, .select = 0x5555 },
	};
	struct pmc_description description = { .query = {
		.vendor = "AuthenticAMD", .cpu_family = 0x17,
	} };

	setup(state);
	registers_can_be_lost = true;
	assert_true(pmc_family_amd.recognise(&description));
	guest = description.family;
	assert_non_null(guest);
	alloc_program(ARRAY_SIZE(entries));
	program->nr = 2;
	program->general = COUNTERS;
	memcpy(program->setup, entries, sizeof(entries));
	return 0;
}

#define TEST(name)	cmocka_unit_test_setup(name, setup)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(count), TEST(load_v2), TEST(pause_and_resume), TEST(verify), TEST(guest_stops),
		TEST(guest_pauses), TEST(write_counters), TEST(clear),
	};

	return cmocka_run_group_tests_name("amd_counting", tests, allocate, free_program);
}

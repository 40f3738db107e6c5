// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the two counters of the P6 family */
#include "fake.h"

#define TEST_BOTH(name) TEST_EACH(PENTIUM_II, PENTIUM_III, name)

#define EVNTSEL0	IA32_PERFEVTSEL0
#define EVNTSEL1	(IA32_PERFEVTSEL0 + 1)
#define PERFCTR0	IA32_PMC0
#define PERFCTR1	(IA32_PMC0 + 1)
#define CLOCKS		0x79

TEST_BOTH(reset_values)
{
	assert_int_equal(rd(f, EVNTSEL0), 0);
	assert_int_equal(rd(f, EVNTSEL1), 0);
	assert_int_equal(rd(f, PERFCTR0), 0);
	assert_int_equal(rd(f, PERFCTR1), 0);
	assert_int_equal(f->c->want, 0);
	assert_int_equal(pmu_user_cpl(f->pmu), 1);
}

TEST_ON(PENTIUM_II, reset_and_init)
{
	wr(f, EVNTSEL0, INSNS | USR | EN);
	wr(f, EVNTSEL1, INSNS | OS);
	wr(f, PERFCTR1, 5);
	pmu_reset(f->c, true);
	assert_int_equal(rd(f, EVNTSEL0), INSNS | USR | EN);
	assert_int_equal(rd(f, EVNTSEL1), INSNS | OS);
	pmu_reset(f->c, false);
	assert_int_equal(rd(f, EVNTSEL0), 0);
	assert_int_equal(rd(f, EVNTSEL1), 0);
	assert_int_equal(rd(f, PERFCTR1), 0);
	assert_int_equal(f->c->want, 0);
}

/* Two counters, and no register of architectural monitoring. */
TEST_BOTH(registers)
{
	static const uint32_t others[] = {
		PERFCTR1 + 1, EVNTSEL1 + 1, IA32_MISC_ENABLE, IA32_FIXED_CTR0,
		IA32_PERF_CAPABILITIES, GLOBAL_CTRL, IA32_A_PMC0, 0x11, 0x12,
	};
	size_t i;

	for (i = 0; i < N(others); i++)
		no_msr(f, others[i]);
}

TEST_BOTH(select_bits)
{
	uint64_t all = 0xffffffff & ~BIT(21);
	unsigned int bit;

	wr(f, EVNTSEL0, all);
	assert_int_equal(rd(f, EVNTSEL0), all);
	wr(f, EVNTSEL1, all & ~EN);
	assert_int_equal(rd(f, EVNTSEL1), all & ~EN);
	wr_gp(f, EVNTSEL0, BIT(21));
	wr_gp(f, EVNTSEL1, BIT(21));
	wr_gp(f, EVNTSEL1, EN);
	for (bit = 32; bit < 64; bit++) {
		wr_gp(f, EVNTSEL0, BIT(bit));
		wr_gp(f, EVNTSEL1, BIT(bit));
	}
}

/* Bits 31:0 are written and sign-extended; EDX is ignored. */
TEST_BOTH(counter_writes)
{
	static const uint64_t t[][2] = {
		{ 0, 0 }, { 0x7fffffff, 0x7fffffff },
		{ 0x80000000, 0xff80000000 }, { -1, 0xffffffffff },
		{ 0x100000000, 0 }, { 0x1280000001, 0xff80000001 },
		{ 0x8000000012345678, 0x12345678 },
	};
	unsigned int i;

	for (i = 0; i < N(t); i++) {
		wr(f, PERFCTR0, t[i][0]);
		wr(f, PERFCTR1, ~t[i][0]);
		assert_int_equal(rd(f, PERFCTR0), t[i][1]);
		assert_int_equal(pmc(f, 0), t[i][1]);
		wr(f, PERFCTR1, t[i][0]);
		assert_int_equal(rd(f, PERFCTR1), t[i][1]);
		assert_int_equal(pmc(f, 1), t[i][1]);
	}
}

static enum pmu_result check(struct fake *f, uint32_t index, unsigned int cpl,
			     bool pce, bool pe)
{
	return pmu_check_rdpmc(f->c, index, cpl, pce, pe);
}

TEST_BOTH(rdpmc)
{
	static const uint32_t bad[] = { 2, 3, 0x10000, 0x40000000, 0x80000000,
					0x80000001, 0xffffffff };
	unsigned int i;

	for (i = 0; i < N(bad); i++)
		assert_int_equal(check(f, bad[i], 0, true, true), PMU_GP);
	for (i = 0; i < 2; i++) {
		assert_int_equal(check(f, i, 0, false, true), PMU_OK);
		assert_int_equal(check(f, i, 3, false, true), PMU_GP);
		assert_int_equal(check(f, i, 1, false, true), PMU_GP);
		assert_int_equal(check(f, i, 3, true, true), PMU_OK);
		assert_int_equal(check(f, i, 3, false, false), PMU_OK);
	}
}

/* EN of PerfEvtSel0 enables both counters, whether counter 0 counts or not. */
TEST_BOTH(one_enable_bit)
{
	wr(f, EVNTSEL1, INSNS | USR);
	run(f->c, PMU_USER, 5);
	assert_int_equal(pmc(f, 1), 0);
	wr(f, EVNTSEL0, EN);		/* counter 0 counts nothing */
	run(f->c, PMU_USER, 7);
	assert_int_equal(pmc(f, 0), 0);
	assert_int_equal(pmc(f, 1), 7);
	wr(f, EVNTSEL0, INSNS | USR | EN);
	run(f->c, PMU_USER, 4);
	assert_int_equal(pmc(f, 0), 4);
	assert_int_equal(pmc(f, 1), 11);
	wr(f, EVNTSEL0, INSNS | USR);
	run(f->c, PMU_USER, 9);
	assert_int_equal(pmc(f, 0), 4);
	assert_int_equal(pmc(f, 1), 11);
	assert_int_equal(f->c->want, 0);
}

TEST_BOTH(privileges)
{
	wr(f, EVNTSEL1, INSNS | OS);
	wr(f, EVNTSEL0, CLOCKS | USR | EN);
	run(f->c, PMU_USER, 100);
	run(f->c, PMU_KERNEL, 10);
	assert_int_equal(pmc(f, 0), 100);
	assert_int_equal(pmc(f, 1), 10);
	wr(f, EVNTSEL0, CLOCKS | OS | USR | EN); /* counted on 1 */
	run(f->c, PMU_KERNEL, 3);
	run(f->c, PMU_USER, 1);
	assert_int_equal(pmc(f, 0), 104);
	assert_int_equal(pmc(f, 1), 14);
}

static void wraps_and_interrupts(void **state)
{
	struct fake f;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		start(&f, PENTIUM_III);
		wr(&f, PERFCTR0 + i, -100);
		wr(&f, EVNTSEL0 + i, INSNS | USR | INT | (i ? 0 : EN));
		if (i)
			wr(&f, EVNTSEL0, EN);
		run(f.c, PMU_USER, 99);
		run(f.c, PMU_KERNEL, 5);
		assert_int_equal(f.pmis[0], 0);
		assert_int_equal(pmc(&f, i), 0xffffffffff);
		run(f.c, PMU_USER, 1);
		assert_int_equal(f.pmis[0], 1);
		run(f.c, PMU_USER, 5);
		assert_int_equal(pmc(&f, i), 5);
		assert_int_equal(f.pmis[0], 1);
		stop(&f);
	}
}

TEST_ON(PENTIUM_II, wraps_without_interrupt)
{
	wr(f, PERFCTR0, -3);
	wr(f, EVNTSEL0, INSNS | USR | EN);
	run(f->c, PMU_USER, 5);
	assert_int_equal(pmc(f, 0), 2);
	assert_int_equal(f->pmis[0], 0);
}

/* Both wrap on one step: one interrupt. */
TEST_ON(PENTIUM_II, one_interrupt_for_two)
{
	wr(f, PERFCTR0, -10);
	wr(f, PERFCTR1, -10);
	wr(f, EVNTSEL1, CLOCKS | USR | INT);
	wr(f, EVNTSEL0, INSNS | USR | INT | EN);
	run(f->c, PMU_USER, 20);
	assert_int_equal(f->pmis[0], 1);
}

TEST_ON(PENTIUM_II, thresholds)
{
	wr(f, EVNTSEL1, BRANCHES | USR | CMASK(1) | INV);
	wr(f, EVNTSEL0, BRANCHES | USR | EDGE | EN);
	run(f->c, PMU_USER, 3);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	run(f->c, PMU_USER, 2);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	assert_int_equal(pmc(f, 0), 2);
	assert_int_equal(pmc(f, 1), 5);
}

static void options(void **state)
{
	struct fake f;

	start_with(&f, PENTIUM_II, 1, 1, "width=20");
	wr(&f, PERFCTR0, -2);
	assert_int_equal(rd(&f, PERFCTR0), 0xffffe);
	wr(&f, EVNTSEL0, INSNS | USR | EN);
	run(f.c, PMU_USER, 3);
	assert_int_equal(pmc(&f, 0), 1);
	stop(&f);
	refused(PENTIUM_II, 1, 1, "version=1", "no architectural");
	assert_null(try(&f, PENTIUM_II, 1, 1, "fixed_width=20"));
	assert_string_equal(f.error, "PMCDRV_PMU: fixed_width: this processor has no architectural performance monitoring");
	start_with(&f, PENTIUM_II, 1, 1, "none");
	rd_gp(&f, EVNTSEL0);
	rd_gp(&f, PERFCTR0);
	assert_int_equal(check(&f, 0, 0, true, true), PMU_GP);
	stop(&f);
}

/* Core Duo: architectural monitoring, version 1, without a fast RDPMC. */
TEST_ON(CORE_DUO, core_duo)
{
	rd_gp(f, GLOBAL_CTRL);
	rd_gp(f, GLOBAL_STATUS);
	rd_gp(f, IA32_FIXED_CTR0);
	rd_gp(f, PERFCTR1 + 1);
	rd_gp(f, IA32_PERF_CAPABILITIES);
	assert_int_equal(check(f, 1, 0, true, true), PMU_OK);
	assert_int_equal(check(f, 2, 0, true, true), PMU_GP);
	assert_int_equal(check(f, 0x40000000, 0, true, true), PMU_GP);
	assert_int_equal(check(f, 0x80000000, 0, true, true), PMU_GP);
	wr(f, PERFCTR0, 0x1280000001);
	assert_int_equal(rd(f, PERFCTR0), 0xff80000001);
	/* an enable bit for each counter */
	wr(f, EVNTSEL1, INSNS | USR | EN);
	wr(f, EVNTSEL0, INSNS | USR);
	run(f->c, PMU_USER, 5);
	assert_int_equal(pmc(f, 0), 0xff80000001);
	assert_int_equal(pmc(f, 1), 5);
	wr(f, PERFCTR0, -5);
	wr(f, EVNTSEL0, CYCLES | USR | INT | EN);
	run(f->c, PMU_USER, 4);
	assert_int_equal(f->pmis[0], 0);
	run(f->c, PMU_USER, 1);
	assert_int_equal(f->pmis[0], 1);
}

#define T(f) { "p6_" #f, f, NULL, NULL, NULL }

const struct CMUnitTest p6_tests[] = {
	T(reset_values), T(reset_and_init), T(registers), T(select_bits),
	T(counter_writes), T(rdpmc), T(one_enable_bit), T(privileges),
	T(wraps_and_interrupts), T(wraps_without_interrupt),
	T(one_interrupt_for_two), T(thresholds), T(options), T(core_duo),
};
const size_t p6_ntests = N(p6_tests);

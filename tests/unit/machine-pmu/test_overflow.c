// SPDX-License-Identifier: GPL-2.0-only
/* Tests of wraps, status bits, overflow interrupts and freezing */
#include "fake.h"

/* Exact to the instruction, for every model and every type of counter. */
TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, wrap_of_every_counter)
{
	wr(f, IA32_PMC0, -1000);
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	run(f->c, PMU_USER, 999);
	assert_int_equal(rd(f, GLOBAL_STATUS), 0);
	run(f->c, PMU_KERNEL, 5);
	assert_int_equal(f->pmis[0], 0);
	run(f->c, PMU_USER, 1);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(0));
	assert_int_equal(pmc(f, 0), 0);
	run(f->c, PMU_USER, 10);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(pmc(f, 0), 10);
	wr(f, GLOBAL_RESET, BIT(0));
	assert_int_equal(rd(f, GLOBAL_STATUS), 0);
}

/* The interrupt comes on the step of the wrap, without a register access. */
static void wrap_both_privileges(void **state)
{
	struct fake f;
	unsigned int period, i;

	for (period = 1; period < 40; period++) {
		start(&f, SANDY_BRIDGE);
		wr(&f, IA32_PMC0, -(uint64_t)period);
		wr(&f, IA32_PERFEVTSEL0, INSNS | USR | OS | INT | EN);
		for (i = 1; i < period; i++) {
			run(f.c, i % 3 ? PMU_USER : PMU_KERNEL, 1);
			assert_int_equal(f.pmis[0], 0);
		}
		run(f.c, PMU_USER, 1);
		assert_int_equal(f.pmis[0], 1);
		stop(&f);
	}
}

TEST_ON(SANDY_BRIDGE, wrap_on_branches)
{
	unsigned int i;

	wr(f, IA32_PMC0, -100);
	wr(f, IA32_PERFEVTSEL0, BRANCHES | USR | OS | INT | EN);
	for (i = 0; i < 99; i++) {
		run(f->c, PMU_USER, 4);
		branch(f->c, PMU_USER, PMU_BR_COND_TAKEN);
	}
	run(f->c, PMU_USER, 4);
	assert_int_equal(f->pmis[0], 0);
	branch(f->c, PMU_USER, PMU_BR_COND_TAKEN);
	assert_int_equal(f->pmis[0], 1);
}

static void fixed_wrap(void **state)
{
	struct fake f;
	unsigned int m, i;

	for (m = 0; m < NO_PERFMON; m++)
		for (i = 0; i < 3; i++) {
			start(&f, m);
			wr(&f, IA32_FIXED_CTR0 + i,
			   BIT(m == PENRYN ? 40 : 48) - 3);
			wr(&f, IA32_FIXED_CTR_CTRL, 0xaull << 4 * i);
			wr(&f, GLOBAL_CTRL, BIT(32 + i));
			run(f.c, PMU_USER, 2);
			assert_int_equal(f.pmis[0], 0);
			run(f.c, PMU_USER, 1);
			assert_int_equal(f.pmis[0], 1);
			assert_int_equal(rd(&f, GLOBAL_STATUS), BIT(32 + i));
			stop(&f);
		}
}

/* Five slots a step: the wrap keeps the remainder. */
TEST_ON(ICE_LAKE, slots_wrap)
{
	wr(f, IA32_FIXED_CTR0 + 3, BIT(48) - 13);
	wr(f, IA32_FIXED_CTR_CTRL, 0xa000);
	wr(f, GLOBAL_CTRL, BIT(35));
	run(f->c, PMU_USER, 2);
	assert_int_equal(f->pmis[0], 0);
	run(f->c, PMU_USER, 1);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(pmc(f, 0x40000003), 2);
}

TEST_ON(SKYLAKE_X, no_interrupt_without_int)
{
	wr(f, IA32_PMC0, -1);
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | EN);
	wr(f, IA32_FIXED_CTR0, BIT(48) - 1);
	wr(f, IA32_FIXED_CTR_CTRL, 2);
	wr(f, GLOBAL_CTRL, BIT(0) | BIT(32));
	run(f->c, PMU_USER, 5);
	assert_int_equal(f->pmis[0], 0);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(0) | BIT(32));
	assert_int_equal(pmc(f, 0), 4);
}

/* The wrap of a counter without interrupt does not make another one interrupt. */
TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, no_interrupt_by_another_counter)
{
	wr(f, IA32_PMC0, -1000);
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	wr(f, IA32_PMC0 + 1, -10);
	wr(f, IA32_PERFEVTSEL0 + 1, INSNS | USR | EN);
	run(f->c, PMU_USER, 500);
	assert_int_equal(f->pmis[0], 0);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(1));
}

/* Two counters wrap on the same step: one interrupt, two status bits. */
TEST_ON(SKYLAKE_X, two_wraps_on_one_step)
{
	wr(f, IA32_PMC0, -4);
	wr(f, IA32_PMC0 + 2, -4);
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	wr(f, IA32_PERFEVTSEL0 + 2, CYCLES | USR | INT | EN);
	run(f->c, PMU_USER, 4);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(0) | BIT(2));
}

/* Each overflow interrupts, whether the one before was acknowledged or not. */
TEST_ON(SKYLAKE_X, interrupt_without_acknowledge)
{
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	wr(f, IA32_PMC0, -4);
	run(f->c, PMU_USER, 4);
	wr(f, IA32_PMC0, -4);
	run(f->c, PMU_USER, 4);
	assert_int_equal(f->pmis[0], 2);
}

TEST_ON(SANDY_BRIDGE, freeze_legacy)
{
	wr(f, IA32_DEBUGCTL, BIT(12));
	wr(f, IA32_PMC0, -4);
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	count_on(f, 1, INSNS | USR);
	run(f->c, PMU_USER, 9);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(rd(f, GLOBAL_CTRL), 0);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(0));
	assert_int_equal(pmc(f, 0), 0);
	assert_int_equal(pmc(f, 1), 4);
	assert_int_equal(f->c->want, 0);
}

TEST_EACH(SKYLAKE_X, SAPPHIRE_RAPIDS, freeze_streamlined)
{
	wr(f, IA32_DEBUGCTL, BIT(12));
	wr(f, IA32_PMC0, -4);
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	count_on(f, 1, INSNS | USR);
	run(f->c, PMU_USER, 9);
	assert_int_equal(f->pmis[0], 1);
	assert_int_not_equal(rd(f, GLOBAL_CTRL), 0);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(0) | BIT(59));
	assert_int_equal(pmc(f, 1), 4);
	wr(f, GLOBAL_RESET, BIT(59));
	run(f->c, PMU_USER, 2);
	assert_int_equal(pmc(f, 1), 6);
	wr(f, GLOBAL_SET, BIT(59));
	run(f->c, PMU_USER, 2);
	assert_int_equal(pmc(f, 1), 6);
}

/* Only a counter that interrupts freezes. */
TEST_ON(SKYLAKE_X, no_freeze_without_int)
{
	wr(f, IA32_DEBUGCTL, BIT(12));
	wr(f, IA32_PMC0, -4);
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | EN);
	run(f->c, PMU_USER, 9);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(0));
	assert_int_equal(pmc(f, 0), 5);
}

/* A cycle counter wraps within a string instruction: at most one round late. */
TEST_ON(SKYLAKE_X, wrap_in_a_string)
{
	unsigned int i;

	wr(f, IA32_PMC0, -5);
	wr(f, IA32_PERFEVTSEL0, CYCLES | USR | INT | EN);
	for (i = 0; i < 5; i++)
		pmu_rep_round(f->c, PMU_USER);
	assert_int_equal(f->pmis[0], 0);
	pmu_rep_round(f->c, PMU_USER);
	assert_int_equal(f->pmis[0], 1);
}

/* Rounds after a freeze are not counted after counting resumes. */
TEST_ON(SKYLAKE_X, frozen_in_a_string)
{
	unsigned int i;

	wr(f, IA32_DEBUGCTL, BIT(12));
	wr(f, IA32_PMC0, -5);
	wr(f, IA32_PERFEVTSEL0, CYCLES | USR | INT | EN);
	for (i = 0; i < 9; i++)
		pmu_rep_round(f->c, PMU_USER);
	assert_int_equal(f->pmis[0], 1);
	wr(f, GLOBAL_RESET, BIT(59));
	fetch(f, 0);
	pmu_rep_round(f->c, PMU_USER);
	pmu_rep_done(f->c, PMU_USER);
	assert_int_equal(pmc(f, 0), 1);
}

/* An instruction counter wraps when the string instruction retires. */
TEST_ON(SKYLAKE_X, wrap_after_a_string)
{
	unsigned int i;

	wr(f, IA32_PMC0, -1);
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	for (i = 0; i < 50; i++)
		pmu_rep_round(f->c, PMU_USER);
	assert_int_equal(f->pmis[0], 0);
	pmu_rep_done(f->c, PMU_USER);
	assert_int_equal(f->pmis[0], 1);
}

/* The WRMSR that stops a counter can overflow it. */
TEST_ON(SKYLAKE_X, wrap_on_the_write)
{
	wr(f, IA32_PMC0, -1);
	wr(f, IA32_PERFEVTSEL0, INSNS | OS | INT | EN);
	wr(f, GLOBAL_CTRL, 0);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(0));
}

TEST_ON(SKYLAKE_X, interrupts_wrap)
{
	wr(f, IA32_PMC0, -2);
	wr(f, IA32_PERFEVTSEL0, 0x01cb | USR | INT | EN);
	pmu_hwint(f->c, PMU_USER);
	run(f->c, PMU_KERNEL, 1000);
	assert_int_equal(f->pmis[0], 0);
	pmu_hwint(f->c, PMU_USER);
	run(f->c, PMU_KERNEL, 1);
	assert_int_equal(f->pmis[0], 1);
}

TEST_WITH(SKYLAKE_X, 2, 2, NULL, any_interrupts_counter_owner)
{
	wr(f, IA32_PMC0, -3);
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | ANY | INT | EN);
	run(f->c, PMU_USER, 1);
	run(pmu_get_cpu(f->pmu, 1), PMU_USER, 2);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(f->pmis[1], 0);
}

TEST_WITH(SKYLAKE_X, 1, 1, "width=16,fixed_width=20", narrow_counters)
{
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	wr(f, IA32_FIXED_CTR_CTRL, 0xa);
	wr(f, GLOBAL_CTRL, BIT(0) | BIT(32));
	run(f->c, PMU_USER, 65535);
	assert_int_equal(pmc(f, 0), 65535);
	assert_int_equal(f->pmis[0], 0);
	run(f->c, PMU_USER, 1);
	assert_int_equal(pmc(f, 0), 0);
	assert_int_equal(f->pmis[0], 1);
	run(f->c, PMU_USER, (1 << 20) - 65536 - 1);
	assert_int_equal(pmc(f, 0x40000000), (1 << 20) - 1);
	run(f->c, PMU_USER, 1);
	assert_int_equal(pmc(f, 0x40000000), 0);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(0) | BIT(32));
}

#define T(f) cmocka_unit_test(f)

const struct CMUnitTest overflow_tests[] = {
	T(wrap_of_every_counter), T(wrap_both_privileges), T(wrap_on_branches), T(fixed_wrap),
	T(slots_wrap), T(no_interrupt_without_int), T(no_interrupt_by_another_counter),
	T(two_wraps_on_one_step), T(interrupt_without_acknowledge), T(freeze_legacy),
	T(freeze_streamlined), T(no_freeze_without_int), T(wrap_in_a_string),
	T(frozen_in_a_string), T(wrap_after_a_string), T(wrap_on_the_write), T(interrupts_wrap),
	T(any_interrupts_counter_owner), T(narrow_counters),
};
const size_t overflow_ntests = N(overflow_tests);

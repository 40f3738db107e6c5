// SPDX-License-Identifier: GPL-2.0-only
/* Tests of wraps, status bits, overflow interrupts and freezing */
#include "fake.h"

/* Exact to the instruction, for every model and every type of counter. */
static void wrap_of_every_counter(void **state)
{
	struct fake f;
	unsigned int m;

	(void)state;
	for (m = 0; m < NO_PERFMON; m++) {
		start(&f, m);
		wr(&f, IA32_PMC0, -1000);
		wr(&f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
		run(f.c, PMU_USER, 999);
		assert_int_equal(rd(&f, GLOBAL_STATUS), 0);
		run(f.c, PMU_KERNEL, 5);
		assert_int_equal(f.pmis[0], 0);
		run(f.c, PMU_USER, 1);
		assert_int_equal(f.pmis[0], 1);
		assert_int_equal(rd(&f, GLOBAL_STATUS), BIT(0));
		assert_int_equal(pmc(&f, 0), 0);
		run(f.c, PMU_USER, 10);
		assert_int_equal(f.pmis[0], 1);
		assert_int_equal(pmc(&f, 0), 10);
		wr(&f, GLOBAL_RESET, BIT(0));
		assert_int_equal(rd(&f, GLOBAL_STATUS), 0);
		stop(&f);
	}
}

/* The interrupt comes on the step of the wrap, without a register access. */
static void wrap_both_privileges(void **state)
{
	struct fake f;
	unsigned int period, i;

	(void)state;
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

static void wrap_on_branches(void **state)
{
	struct fake f;
	unsigned int i;

	(void)state;
	start(&f, SANDY_BRIDGE);
	wr(&f, IA32_PMC0, -100);
	wr(&f, IA32_PERFEVTSEL0, BRANCHES | USR | OS | INT | EN);
	for (i = 0; i < 99; i++) {
		run(f.c, PMU_USER, 4);
		branch(f.c, PMU_USER, PMU_BR_COND_TAKEN);
	}
	run(f.c, PMU_USER, 4);
	assert_int_equal(f.pmis[0], 0);
	branch(f.c, PMU_USER, PMU_BR_COND_TAKEN);
	assert_int_equal(f.pmis[0], 1);
	stop(&f);
}

static void fixed_wrap(void **state)
{
	struct fake f;
	unsigned int m, i;

	(void)state;
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
static void slots_wrap(void **state)
{
	struct fake f;

	(void)state;
	start(&f, ICE_LAKE);
	wr(&f, IA32_FIXED_CTR0 + 3, BIT(48) - 13);
	wr(&f, IA32_FIXED_CTR_CTRL, 0xa000);
	wr(&f, GLOBAL_CTRL, BIT(35));
	run(f.c, PMU_USER, 2);
	assert_int_equal(f.pmis[0], 0);
	run(f.c, PMU_USER, 1);
	assert_int_equal(f.pmis[0], 1);
	assert_int_equal(pmc(&f, 0x40000003), 2);
	stop(&f);
}

static void no_interrupt_without_int(void **state)
{
	struct fake f;

	(void)state;
	start(&f, SKYLAKE_X);
	wr(&f, IA32_PMC0, -1);
	wr(&f, IA32_PERFEVTSEL0, INSNS | USR | EN);
	wr(&f, IA32_FIXED_CTR0, BIT(48) - 1);
	wr(&f, IA32_FIXED_CTR_CTRL, 2);
	wr(&f, GLOBAL_CTRL, BIT(0) | BIT(32));
	run(f.c, PMU_USER, 5);
	assert_int_equal(f.pmis[0], 0);
	assert_int_equal(rd(&f, GLOBAL_STATUS), BIT(0) | BIT(32));
	assert_int_equal(pmc(&f, 0), 4);
	stop(&f);
}

/* The wrap of a counter without interrupt does not make another one interrupt. */
static void no_interrupt_by_another_counter(void **state)
{
	struct fake f;
	unsigned int m;

	(void)state;
	for (m = 0; m < NO_PERFMON; m++) {
		start(&f, m);
		wr(&f, IA32_PMC0, -1000);
		wr(&f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
		wr(&f, IA32_PMC0 + 1, -10);
		wr(&f, IA32_PERFEVTSEL0 + 1, INSNS | USR | EN);
		run(f.c, PMU_USER, 500);
		assert_int_equal(f.pmis[0], 0);
		assert_int_equal(rd(&f, GLOBAL_STATUS), BIT(1));
		stop(&f);
	}
}

/* Two counters wrap on the same step: one interrupt, two status bits. */
static void two_wraps_on_one_step(void **state)
{
	struct fake f;

	(void)state;
	start(&f, SKYLAKE_X);
	wr(&f, IA32_PMC0, -4);
	wr(&f, IA32_PMC0 + 2, -4);
	wr(&f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	wr(&f, IA32_PERFEVTSEL0 + 2, CYCLES | USR | INT | EN);
	run(f.c, PMU_USER, 4);
	assert_int_equal(f.pmis[0], 1);
	assert_int_equal(rd(&f, GLOBAL_STATUS), BIT(0) | BIT(2));
	stop(&f);
}

/* Each overflow interrupts, whether the one before was acknowledged or not. */
static void interrupt_without_acknowledge(void **state)
{
	struct fake f;

	(void)state;
	start(&f, SKYLAKE_X);
	wr(&f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	wr(&f, IA32_PMC0, -4);
	run(f.c, PMU_USER, 4);
	wr(&f, IA32_PMC0, -4);
	run(f.c, PMU_USER, 4);
	assert_int_equal(f.pmis[0], 2);
	stop(&f);
}

static void freeze_legacy(void **state)
{
	struct fake f;

	(void)state;
	start(&f, SANDY_BRIDGE);
	wr(&f, IA32_DEBUGCTL, BIT(12));
	wr(&f, IA32_PMC0, -4);
	wr(&f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	count_on(&f, 1, INSNS | USR);
	run(f.c, PMU_USER, 9);
	assert_int_equal(f.pmis[0], 1);
	assert_int_equal(rd(&f, GLOBAL_CTRL), 0);
	assert_int_equal(rd(&f, GLOBAL_STATUS), BIT(0));
	assert_int_equal(pmc(&f, 0), 0);
	assert_int_equal(pmc(&f, 1), 4);
	assert_int_equal(f.c->want, 0);
	stop(&f);
}

static void freeze_streamlined(void **state)
{
	struct fake f;
	unsigned int m;

	(void)state;
	for (m = SKYLAKE_X; m <= SAPPHIRE_RAPIDS; m++) {
		start(&f, m);
		wr(&f, IA32_DEBUGCTL, BIT(12));
		wr(&f, IA32_PMC0, -4);
		wr(&f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
		count_on(&f, 1, INSNS | USR);
		run(f.c, PMU_USER, 9);
		assert_int_equal(f.pmis[0], 1);
		assert_int_not_equal(rd(&f, GLOBAL_CTRL), 0);
		assert_int_equal(rd(&f, GLOBAL_STATUS), BIT(0) | BIT(59));
		assert_int_equal(pmc(&f, 1), 4);
		wr(&f, GLOBAL_RESET, BIT(59));
		run(f.c, PMU_USER, 2);
		assert_int_equal(pmc(&f, 1), 6);
		wr(&f, GLOBAL_SET, BIT(59));
		run(f.c, PMU_USER, 2);
		assert_int_equal(pmc(&f, 1), 6);
		stop(&f);
	}
}

/* Only a counter that interrupts freezes. */
static void no_freeze_without_int(void **state)
{
	struct fake f;

	(void)state;
	start(&f, SKYLAKE_X);
	wr(&f, IA32_DEBUGCTL, BIT(12));
	wr(&f, IA32_PMC0, -4);
	wr(&f, IA32_PERFEVTSEL0, INSNS | USR | EN);
	run(f.c, PMU_USER, 9);
	assert_int_equal(rd(&f, GLOBAL_STATUS), BIT(0));
	assert_int_equal(pmc(&f, 0), 5);
	stop(&f);
}

/* A cycle counter wraps within a string instruction: at most one round late. */
static void wrap_in_a_string(void **state)
{
	struct fake f;
	unsigned int i;

	(void)state;
	start(&f, SKYLAKE_X);
	wr(&f, IA32_PMC0, -5);
	wr(&f, IA32_PERFEVTSEL0, CYCLES | USR | INT | EN);
	for (i = 0; i < 5; i++)
		pmu_rep_round(f.c, PMU_USER);
	assert_int_equal(f.pmis[0], 0);
	pmu_rep_round(f.c, PMU_USER);
	assert_int_equal(f.pmis[0], 1);
	stop(&f);
}

/* Rounds after a freeze are not counted after counting resumes. */
static void frozen_in_a_string(void **state)
{
	struct fake f;
	unsigned int i;

	(void)state;
	start(&f, SKYLAKE_X);
	wr(&f, IA32_DEBUGCTL, BIT(12));
	wr(&f, IA32_PMC0, -5);
	wr(&f, IA32_PERFEVTSEL0, CYCLES | USR | INT | EN);
	for (i = 0; i < 9; i++)
		pmu_rep_round(f.c, PMU_USER);
	assert_int_equal(f.pmis[0], 1);
	wr(&f, GLOBAL_RESET, BIT(59));
	fetch(&f, 0);
	pmu_rep_round(f.c, PMU_USER);
	pmu_rep_done(f.c, PMU_USER);
	assert_int_equal(pmc(&f, 0), 1);
	stop(&f);
}

/* An instruction counter wraps when the string instruction retires. */
static void wrap_after_a_string(void **state)
{
	struct fake f;
	unsigned int i;

	(void)state;
	start(&f, SKYLAKE_X);
	wr(&f, IA32_PMC0, -1);
	wr(&f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	for (i = 0; i < 50; i++)
		pmu_rep_round(f.c, PMU_USER);
	assert_int_equal(f.pmis[0], 0);
	pmu_rep_done(f.c, PMU_USER);
	assert_int_equal(f.pmis[0], 1);
	stop(&f);
}

/* The WRMSR that stops a counter can overflow it. */
static void wrap_on_the_write(void **state)
{
	struct fake f;

	(void)state;
	start(&f, SKYLAKE_X);
	wr(&f, IA32_PMC0, -1);
	wr(&f, IA32_PERFEVTSEL0, INSNS | OS | INT | EN);
	wr(&f, GLOBAL_CTRL, 0);
	assert_int_equal(f.pmis[0], 1);
	assert_int_equal(rd(&f, GLOBAL_STATUS), BIT(0));
	stop(&f);
}

static void interrupts_wrap(void **state)
{
	struct fake f;

	(void)state;
	start(&f, SKYLAKE_X);
	wr(&f, IA32_PMC0, -2);
	wr(&f, IA32_PERFEVTSEL0, 0x01cb | USR | INT | EN);
	pmu_hwint(f.c, PMU_USER);
	run(f.c, PMU_KERNEL, 1000);
	assert_int_equal(f.pmis[0], 0);
	pmu_hwint(f.c, PMU_USER);
	run(f.c, PMU_KERNEL, 1);
	assert_int_equal(f.pmis[0], 1);
	stop(&f);
}

static void any_interrupts_counter_owner(void **state)
{
	struct fake f;

	(void)state;
	start_with(&f, SKYLAKE_X, 2, 2, NULL);
	wr(&f, IA32_PMC0, -3);
	wr(&f, IA32_PERFEVTSEL0, INSNS | USR | ANY | INT | EN);
	run(f.c, PMU_USER, 1);
	run(pmu_get_cpu(f.pmu, 1), PMU_USER, 2);
	assert_int_equal(f.pmis[0], 1);
	assert_int_equal(f.pmis[1], 0);
	stop(&f);
}

static void narrow_counters(void **state)
{
	struct fake f;

	(void)state;
	start_with(&f, SKYLAKE_X, 1, 1, "width=16,fixed_width=20");
	wr(&f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	wr(&f, IA32_FIXED_CTR_CTRL, 0xa);
	wr(&f, GLOBAL_CTRL, BIT(0) | BIT(32));
	run(f.c, PMU_USER, 65535);
	assert_int_equal(pmc(&f, 0), 65535);
	assert_int_equal(f.pmis[0], 0);
	run(f.c, PMU_USER, 1);
	assert_int_equal(pmc(&f, 0), 0);
	assert_int_equal(f.pmis[0], 1);
	run(f.c, PMU_USER, (1 << 20) - 65536 - 1);
	assert_int_equal(pmc(&f, 0x40000000), (1 << 20) - 1);
	run(f.c, PMU_USER, 1);
	assert_int_equal(pmc(&f, 0x40000000), 0);
	assert_int_equal(rd(&f, GLOBAL_STATUS), BIT(0) | BIT(32));
	stop(&f);
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
const size_t overflow_ntests = sizeof(overflow_tests) / sizeof(*overflow_tests);

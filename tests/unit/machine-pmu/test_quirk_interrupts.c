// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the PMU model's quirks of overflow interrupts and status registers. Most options make a
 * number wrong, and the documented workaround, written out as register accesses, makes it
 * right.
 */
#include "fake.h"

/* ---- nomask, mask ---- */

static void lvtpc(void **state)
{
	static const struct {
		enum fake_model model;
		const char *options;
		bool masks;
	} t[] = {
		{ SKYLAKE_X, NULL, true }, { SKYLAKE_X, "nomask", false },
		{ PENTIUM_III, "nomask", false }, { PENTIUM_III, "mask", true },
		{ RYZEN, NULL, false }, { RYZEN, "mask", true }, { RYZEN, "nomask", false },
	};
	struct fake f;
	unsigned int i;

	for (i = 0; i < N(t); i++) {
		start_with(&f, t[i].model, 1, 1, t[i].options);
		assert_int_equal(pmu_masks_lvtpc(f.pmu), t[i].masks);
		stop(&f);
	}
}

/* ---- storm ---- */

static void storm_without_overflow(void **state)
{
	struct fake f;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		start_with(&f, i ? RYZEN : SKYLAKE_X, 2, 1, "storm=3");
		f.c = pmu_get_cpu(f.pmu, 1);
		if (i) {
			wr(&f, 0xc0010201, -2);
			wr(&f, 0xc0010200, INSNS | USR | INT | EN);
		} else {
			wr(&f, IA32_PMC0, -2);
			wr(&f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
		}
		run(f.c, PMU_USER, 2);
		assert_int_equal(f.pmis[1], 1);
		/* the handler acknowledges the overflow and stops the counter */
		if (i) {
			wr(&f, 0xc0010200, 0);
		} else {
			wr(&f, GLOBAL_RESET, 1);
			wr(&f, IA32_PERFEVTSEL0, 0);
			assert_int_equal(rd(&f, GLOBAL_STATUS), 0);
		}
		run(f.c, PMU_KERNEL, 64);
		assert_int_equal(f.pmis[1], 2);
		run(f.c, PMU_USER, 64);
		assert_int_equal(f.pmis[1], 3);
		run(f.c, PMU_KERNEL, 1000);
		assert_int_equal(f.pmis[1], 4);
		assert_int_equal(f.c->want, 0);
		assert_int_equal(f.pmis[0], 0);
		stop(&f);
	}
}

/* The other logical processor's count is complete. */
TEST_WITH(SKYLAKE_X, 2, 2, "storm=5", storm_beside_another)
{
	struct pmu_cpu *other;

	other = pmu_get_cpu(f->pmu, 1);
	program_on(other, 0, INSNS | USR | EN);
	overflow_once(f);
	run(other, PMU_USER, 7);
	run(f->c, PMU_USER, 64);
	assert_int_equal(f->pmis[0], 2);
	run(other, PMU_USER, 5);
	assert_int_equal(rd_on(other, IA32_PMC0), 12);
	/* a storm on both */
	restart_with(f, SKYLAKE_X, 2, 2, "storm=5");
	other = pmu_get_cpu(f->pmu, 1);
	overflow_once(f);
	program_on(other, 0, INSNS | USR | INT | EN);
	wr_on(other, IA32_PMC0, -1);
	run(other, PMU_USER, 40);
	run(f->c, PMU_USER, 61);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(f->pmis[1], 1);
	run(other, PMU_USER, 25);
	assert_int_equal(f->pmis[1], 2);
	run(f->c, PMU_USER, 3);
	assert_int_equal(f->pmis[0], 2);
	/* both are due at once */
	run(other, PMU_KERNEL, 40);
	run(other, PMU_USER, 40);
	run(f->c, PMU_KERNEL, 40);
	run(f->c, PMU_USER, 64);
	assert_int_equal(f->pmis[0], 3);
	assert_int_equal(f->pmis[1], 3);
}

/* A reset ends it. */
TEST_WITH(SKYLAKE_X, 1, 1, "storm=1000000", storm_and_reset)
{
	wr(f, IA32_PMC0, -2);
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	run(f->c, PMU_USER, 2 + 64);
	assert_int_equal(f->pmis[0], 2);
	pmu_reset(f->c, false);
	run(f->c, PMU_USER, 640);
	assert_int_equal(f->pmis[0], 2);
}

/* ---- fix0 ---- */

static void fix0_order(void **state)
{
	struct fake f;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		start_with(&f, HASWELL, 2, 2, i ? "fix0" : NULL);
		wr(&f, GLOBAL_CTRL, 0);
		wr(&f, IA32_FIXED_CTR_CTRL, 2);
		wr(&f, GLOBAL_CTRL, BIT(32));
		run(f.c, PMU_USER, 7);
		assert_int_equal(rd(&f, IA32_FIXED_CTR0), i ? 39 : 7);
		/* enabled already */
		wr(&f, GLOBAL_CTRL, BIT(32) | 1);
		assert_int_equal(rd(&f, IA32_FIXED_CTR0), i ? 39 : 7);
		/* the workaround; another fixed counter may be enabled */
		wr(&f, GLOBAL_CTRL, 0);
		wr(&f, IA32_FIXED_CTR_CTRL, 0x20);
		wr(&f, IA32_FIXED_CTR0, 0);
		wr(&f, GLOBAL_CTRL, BIT(32) | BIT(33));
		wr(&f, IA32_FIXED_CTR_CTRL, 0x22);
		run(f.c, PMU_USER, 7);
		assert_int_equal(rd(&f, IA32_FIXED_CTR0), 7);
		stop(&f);
	}
}

/* ---- status ---- */

static void status_of_others(void **state)
{
	static const struct {
		enum fake_model model;
		const char *options;
		uint64_t others;
	} t[] = {
		{ PENRYN, "status", BIT(63) }, { LYNNFIELD, "status", BIT(63) | BIT(61) },
		{ ICE_LAKE, "status", BIT(63) | BIT(61) }, { ICE_LAKE, NULL, 0 },
	};
	struct fake f;
	unsigned int i;

	for (i = 0; i < N(t); i++) {
		start_with(&f, t[i].model, 1, 1, t[i].options);
		assert_int_equal(rd(&f, GLOBAL_STATUS), 0);
		overflow_once(&f);
		assert_int_equal(rd(&f, GLOBAL_STATUS), t[i].others | 1);
		wr(&f, GLOBAL_RESET, 1);
		assert_int_equal(rd(&f, GLOBAL_STATUS), t[i].others);
		wr(&f, GLOBAL_RESET, t[i].others);
		assert_int_equal(rd(&f, GLOBAL_STATUS), 0);
		stop(&f);
	}
}

/* ---- late_ack ---- */

/* Acknowledge with LVTPC masked or not. Return: interrupts requested by that. */
static unsigned int acknowledge(struct fake *f, bool masked, uint64_t bits)
{
	unsigned int before = f->pmis[0];

	f->masked = masked;
	wr(f, GLOBAL_RESET, bits);
	return f->pmis[0] - before;
}

TEST_WITH(HASWELL, 1, 1, "late_ack", late_ack_order)
{
	overflow_once(f);
	assert_int_equal(acknowledge(f, false, 2), 0);
	assert_int_equal(acknowledge(f, false, 1), 1);
	assert_int_equal(acknowledge(f, false, 1), 0);
	overflow_once(f);
	assert_int_equal(acknowledge(f, true, 1), 0);
	/* an overflow that does not interrupt */
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | EN);
	wr(f, IA32_PMC0, -1);
	run(f->c, PMU_USER, 1);
	assert_int_equal(rd(f, GLOBAL_STATUS), 1);
	assert_int_equal(acknowledge(f, false, 1), 0);
	restart(f, HASWELL);
	overflow_once(f);
	assert_int_equal(acknowledge(f, false, 1), 0);
}

/* ---- zen1 ---- */

/* Overflow counter 0, seven times. Return: interrupts requested. */
static unsigned int seven_overflows(struct fake *f)
{
	unsigned int before = f->pmis[0], i;

	for (i = 0; i < 7; i++) {
		wr(f, 0xc0010201, -1);
		run(f->c, PMU_USER, 2);
		assert_int_equal(rd(f, 0xc0010201), 1);
	}
	return f->pmis[0] - before;
}

static void zen1_loses_interrupts(void **state)
{
	struct fake f;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		start_with(&f, RYZEN, 1, 1, i ? "zen1" : NULL);
		wr(&f, 0xc0010200, INSNS | USR | INT | EN);
		assert_int_equal(seven_overflows(&f), 7);
		/* a second counter, which does not interrupt */
		wr(&f, 0xc0010204, INSNS | USR | EN);
		assert_int_equal(seven_overflows(&f), i ? 4 : 7);
		assert_int_equal(seven_overflows(&f), i ? 3 : 7);
		/* the workaround: one counter at a time */
		wr(&f, 0xc0010204, 0);
		assert_int_equal(seven_overflows(&f), 7);
		stop(&f);
	}
}

/* ---- zero ---- */

/* Overflow @counter, so that it is 0, and acknowledge @bits. */
static void at_zero(struct fake *f, uint32_t counter, uint64_t bits)
{
	wr(f, counter, 0xffffffffffff);
	run(f->c, PMU_USER, 1);
	wr(f, GLOBAL_RESET, bits);
}

static void zero_interrupts_again(void **state)
{
	struct fake f;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		start_with(&f, SANDY_BRIDGE, 1, 1, i ? "zero" : NULL);
		wr(&f, GLOBAL_CTRL, 5 | BIT(32));
		wr(&f, IA32_PERFEVTSEL0 + 2, INSNS | USR | INT | EN);
		at_zero(&f, IA32_A_PMC0 + 2, BIT(2));
		assert_int_equal(f.pmis[0], 1);
		run(f.c, PMU_KERNEL, 63);
		assert_int_equal(f.pmis[0], 1);
		run(f.c, PMU_KERNEL, 1);
		assert_int_equal(f.pmis[0], i ? 2 : 1);
		assert_int_equal(rd(&f, GLOBAL_STATUS), i ? BIT(2) : 0);
		/* once, and again after each acknowledgement */
		run(f.c, PMU_KERNEL, 1000);
		assert_int_equal(f.pmis[0], i ? 2 : 1);
		wr(&f, GLOBAL_RESET, BIT(2));
		run(f.c, PMU_KERNEL, 64);
		assert_int_equal(f.pmis[0], i ? 3 : 1);
		/* the workaround: not 0 */
		wr(&f, GLOBAL_RESET, BIT(2));
		wr(&f, IA32_PMC0 + 2, 1);
		run(f.c, PMU_KERNEL, 1000);
		assert_int_equal(f.pmis[0], i ? 3 : 1);
		wr(&f, IA32_PERFEVTSEL0 + 2, 0);
		/* a fixed counter */
		wr(&f, IA32_FIXED_CTR_CTRL, 0xa);
		at_zero(&f, IA32_FIXED_CTR0, BIT(32));
		run(f.c, PMU_KERNEL, 64);
		assert_int_equal(rd(&f, GLOBAL_STATUS), i ? BIT(32) : 0);
		stop(&f);
	}
}

TEST_WITH(SANDY_BRIDGE, 1, 1, "zero", zero_harmless)
{
	wr(f, GLOBAL_CTRL, 3);
	/* it keeps counting */
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	at_zero(f, IA32_A_PMC0, 1);
	run(f->c, PMU_USER, 64);
	assert_int_equal(f->pmis[0], 1);
	/* disabled meanwhile, as Linux does until it has reloaded */
	at_zero(f, IA32_A_PMC0, 1);
	wr(f, GLOBAL_CTRL, 0);
	run(f->c, PMU_KERNEL, 64);
	assert_int_equal(f->pmis[0], 2);
	wr(f, GLOBAL_CTRL, 3);
	run(f->c, PMU_KERNEL, 64);
	assert_int_equal(f->pmis[0], 2);
	/* never overflowed; without INT */
	wr(f, IA32_PERFEVTSEL0 + 1, BRANCHES | USR | INT | EN);
	wr(f, IA32_PMC0 + 1, 0);
	at_zero(f, IA32_A_PMC0, 1);
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | EN);
	run(f->c, PMU_KERNEL, 64);
	assert_int_equal(f->pmis[0], 3);
	/* RESET ends it */
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	at_zero(f, IA32_A_PMC0, 1);
	assert_int_not_equal(f->c->want, 0);
	pmu_reset(f->c, false);
	assert_int_equal(f->c->want, 0);
}

#define T(f) cmocka_unit_test(f)

const struct CMUnitTest quirk_interrupt_tests[] = {
	T(lvtpc), T(storm_without_overflow), T(storm_beside_another), T(storm_and_reset),
	T(fix0_order), T(status_of_others), T(late_ack_order), T(zen1_loses_interrupts),
	T(zero_interrupts_again), T(zero_harmless),
};
const size_t quirk_interrupt_ntests = N(quirk_interrupt_tests);

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what counts, how often, and where counting begins and ends */
#include "fake.h"

TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, instructions_by_privilege)
{
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | EN);
	wr(f, IA32_PERFEVTSEL0 + 1, INSNS | OS | EN);
	wr(f, IA32_FIXED_CTR_CTRL, 3);
	wr(f, IA32_PMC0, 0);
	wr(f, IA32_PMC0 + 1, 0);
	wr(f, IA32_FIXED_CTR0, 0);
	wr(f, GLOBAL_CTRL, BIT(0) | BIT(1) | BIT(32));
	run(f->c, PMU_USER, 1000);
	run(f->c, PMU_KERNEL, 30);
	run(f->c, PMU_USER, 7);
	assert_int_equal(pmc(f, 0), 1007);
	assert_int_equal(pmc(f, 1), 30 + 2);
	assert_int_equal(pmc(f, 0x40000000), 1037);
}

/*
 * The WRMSR that starts a counter is not counted, the one that stops it is. A read of a
 * counter includes all instructions before it.
 */
TEST_ON(SKYLAKE_X, start_and_stop_boundaries)
{
	wr(f, GLOBAL_CTRL, 0);
	wr(f, IA32_PERFEVTSEL0, INSNS | OS | EN);
	wr(f, GLOBAL_CTRL, 1);
	assert_int_equal(pmc(f, 0), 0);
	run(f->c, PMU_KERNEL, 1);		/* the RDPMC above */
	assert_int_equal(pmc(f, 0), 1);
	run(f->c, PMU_KERNEL, 1);
	assert_int_equal(rd(f, IA32_PMC0), 2);
	run(f->c, PMU_KERNEL, 1);		/* the RDMSR above */
	wr(f, GLOBAL_CTRL, 0);
	run(f->c, PMU_KERNEL, 5);
	assert_int_equal(pmc(f, 0), 4);
}

/* The next instruction counts from the written value. */
TEST_ON(SKYLAKE_X, write_while_counting)
{
	wr(f, IA32_PERFEVTSEL0, INSNS | OS | EN);
	run(f->c, PMU_KERNEL, 9);
	wr(f, IA32_PMC0, 100);
	assert_int_equal(pmc(f, 0), 100);
	run(f->c, PMU_KERNEL, 2);
	assert_int_equal(pmc(f, 0), 102);
}

/* A WRMSR that faults does not retire. */
TEST_ON(SKYLAKE_X, faulting_write)
{
	wr(f, IA32_PERFEVTSEL0, INSNS | OS | EN);
	assert_int_equal(pmu_wrmsr(f->c, GLOBAL_CTRL, BIT(20)), PMU_GP);
	assert_int_equal(pmc(f, 0), 0);
}

TEST_ON(SKYLAKE_X, enables)
{
	wr(f, GLOBAL_CTRL, BIT(1));
	count_on(f, 0, INSNS | USR);		/* disabled in GLOBAL_CTRL */
	wr(f, IA32_PERFEVTSEL0 + 1, INSNS | USR); /* no EN */
	wr(f, IA32_FIXED_CTR_CTRL, 3);		/* disabled in GLOBAL_CTRL */
	assert_int_equal(f->c->want, 0);
	run(f->c, PMU_USER, 10);
	assert_int_equal(pmc(f, 0), 0);
	assert_int_equal(pmc(f, 1), 0);
	assert_int_equal(pmc(f, 0x40000000), 0);
	wr(f, GLOBAL_CTRL, BIT(0) | BIT(32));
	assert_int_equal(f->c->want, PMU_WANT_STEPS);
	run(f->c, PMU_USER, 10);
	assert_int_equal(pmc(f, 0), 10);
	assert_int_equal(pmc(f, 0x40000000), 10);
	wr(f, IA32_PERFEVTSEL0, INSNS | EN);	/* neither OS nor USR */
	run(f->c, PMU_USER, 10);
	assert_int_equal(pmc(f, 0), 10);
}

/* Version 1 has no global control. */
TEST_WITH(SKYLAKE_X, 1, 1, "version=1", version_1)
{
	count_on(f, 3, INSNS | USR);
	run(f->c, PMU_USER, 10);
	assert_int_equal(pmc(f, 3), 10);
	rd_gp(f, GLOBAL_CTRL);
	rd_gp(f, GLOBAL_STATUS);
	rd_gp(f, IA32_FIXED_CTR0);
	rd_gp(f, IA32_FIXED_CTR_CTRL);
}

TEST_ON(SKYLAKE_X, cycles)
{
	count_on(f, 0, CYCLES | USR | OS);
	count_on(f, 1, REF | USR | OS);
	wr(f, IA32_FIXED_CTR_CTRL, 0x330);
	wr(f, GLOBAL_CTRL, BIT(0) | BIT(1) | BIT(33) | BIT(34));
	wr(f, IA32_PMC0, 0);
	wr(f, IA32_PMC0 + 1, 0);
	wr(f, IA32_FIXED_CTR0 + 1, 0);
	wr(f, IA32_FIXED_CTR0 + 2, 0);
	run(f->c, PMU_USER, 20);
	assert_int_equal(pmc(f, 0), 23);
	assert_int_equal(pmc(f, 1), 22);
	assert_int_equal(pmc(f, 0x40000001), 21);
	assert_int_equal(pmc(f, 0x40000002), 20);
}

static void slots(void **state)
{
	static const unsigned int width[] = { [ICE_LAKE] = 5,
					      [SAPPHIRE_RAPIDS] = 6 };
	struct fake f;
	unsigned int m;

	for (m = ICE_LAKE; m <= SAPPHIRE_RAPIDS; m++) {
		start(&f, m);
		count_on(&f, 0, SLOTS | USR);
		wr(&f, IA32_FIXED_CTR_CTRL, 0x2000);
		wr(&f, GLOBAL_CTRL, BIT(0) | BIT(35));
		run(f.c, PMU_USER, 100);
		assert_int_equal(pmc(&f, 0), 100 * width[m]);
		assert_int_equal(pmc(&f, 0x40000003), 100 * width[m]);
		stop(&f);
	}
	start(&f, SKYLAKE_X);	/* the event exists from version 5 on */
	count_on(&f, 0, SLOTS | USR);
	assert_int_equal(f.c->want, 0);
	stop(&f);
}

static void rounds(struct fake *f, unsigned int n)
{
	while (n--)
		pmu_rep_round(f->c, PMU_USER);
}

/* One instruction, and as many cycles as rounds, or one without rounds. */
TEST_ON(SKYLAKE_X, string_instructions)
{
	count_on(f, 0, INSNS | USR);
	count_on(f, 1, CYCLES | USR);
	rounds(f, 10);
	pmu_rep_done(f->c, PMU_USER);
	assert_int_equal(pmc(f, 0), 1);
	assert_int_equal(pmc(f, 1), 10);
	pmu_rep_done(f->c, PMU_USER);		/* RCX was 0 */
	assert_int_equal(pmc(f, 0), 2);
	assert_int_equal(pmc(f, 1), 11);
	rounds(f, 4);				/* interrupted after four */
	pmu_abort(f->c);
	assert_int_equal(pmc(f, 0), 2);
	assert_int_equal(pmc(f, 1), 15);
	rounds(f, 6);				/* resumed */
	pmu_rep_done(f->c, PMU_USER);
	assert_int_equal(pmc(f, 0), 3);
	assert_int_equal(pmc(f, 1), 21);
	pmu_abort(f->c);				/* a fault of another instruction */
	run(f->c, PMU_USER, 1);
	assert_int_equal(pmc(f, 0), 4);
	assert_int_equal(pmc(f, 1), 22);
}

TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, every_branch_once)
{
	unsigned int kind;

	count_on(f, 0, BRANCHES | USR);
	count_on(f, 1, INSNS | USR);
	for (kind = PMU_BR_COND_TAKEN; kind <= PMU_BR_FAR; kind++)
		branch(f->c, PMU_USER, kind);
	branch(f->c, PMU_KERNEL, PMU_BR_FAR);
	run(f->c, PMU_USER, 3);
	assert_int_equal(pmc(f, 0), 8);
	assert_int_equal(pmc(f, 1), 11);
}

struct kinds {
	enum fake_model model;
	uint16_t code;
	unsigned int count;	/* for one branch of each kind */
};

static void branch_kinds(void **state)
{
	static const struct kinds t[] = {
		{ PENRYN, 0x0cc4, 7 },
		{ LYNNFIELD, 0x01c4, 2 }, { LYNNFIELD, 0x02c4, 2 },
		{ SANDY_BRIDGE, 0x01c4, 2 }, { SANDY_BRIDGE, 0x02c4, 2 },
		{ SANDY_BRIDGE, 0x08c4, 1 }, { SANDY_BRIDGE, 0x10c4, 1 },
		{ SANDY_BRIDGE, 0x20c4, 6 }, { SANDY_BRIDGE, 0x40c4, 1 },
		{ SKYLAKE_X, 0x20c4, 6 }, { SKYLAKE_X, 0x40c4, 1 },
		{ ICE_LAKE, 0x01c4, 1 }, { ICE_LAKE, 0x11c4, 2 },
		{ SAPPHIRE_RAPIDS, 0x10c4, 1 }, { SAPPHIRE_RAPIDS, 0x20c4, 6 },
	};
	struct fake f;
	unsigned int i, kind;

	for (i = 0; i < N(t); i++) {
		start(&f, t[i].model);
		count_on(&f, 0, t[i].code | USR);
		for (kind = PMU_BR_COND_TAKEN; kind <= PMU_BR_FAR; kind++)
			branch(f.c, PMU_USER, kind);
		assert_int_equal(pmc(&f, 0), t[i].count);
		stop(&f);
	}
}

static void access_insn(struct fake *f, unsigned int a, unsigned int b)
{
	fetch(f, 0);
	if (a)
		data(f, 0x1000, 8, a);
	if (b)
		data(f, 0x2000, 8, b);
	retire(f, PMU_USER);
}

/* An instruction that loads (stores) several times counts once. */
TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, loads_and_stores)
{
	static const uint16_t load[] = { 0x01c0, 0x010b, 0x81d0, 0x81d0,
					 0x81d0, 0x81d0 };
	static const uint16_t store[] = { 0x02c0, 0x020b, 0x82d0, 0x82d0,
					  0x82d0, 0x82d0 };
	unsigned int m = f->model;

	count_on(f, 0, load[m] | USR);
	count_on(f, 1, store[m] | USR);
	assert_int_equal(f->c->want, PMU_WANT_STEPS | PMU_WANT_ACCESS);
	access_insn(f, PMU_READ, 0);
	access_insn(f, PMU_READ, PMU_READ);
	access_insn(f, PMU_READ, PMU_WRITE);
	access_insn(f, PMU_READ | PMU_WRITE, 0);
	access_insn(f, PMU_WRITE, 0);
	access_insn(f, 0, 0);
	fetch(f, 0);			/* reads, then faults */
	data(f, 0x1000, 8, PMU_READ);
	pmu_abort(f->c);
	run(f->c, PMU_USER, 1);
	assert_int_equal(pmc(f, 0), 4);
	assert_int_equal(pmc(f, 1), 3);
}

static void interrupts_received(void **state)
{
	static const struct kinds t[] = {
		{ PENRYN, 0x00c8, 0 }, { LYNNFIELD, 0x011d, 0 },
		{ SKYLAKE_X, 0x01cb, 0 }, { ICE_LAKE, 0x01cb, 0 },
	};
	struct fake f;
	unsigned int i;

	for (i = 0; i < N(t); i++) {
		start(&f, t[i].model);
		count_on(&f, 0, t[i].code | USR);
		count_on(&f, 1, INSNS | USR | OS);
		run(f.c, PMU_USER, 5);
		pmu_hwint(f.c, PMU_USER);
		run(f.c, PMU_KERNEL, 5);
		pmu_hwint(f.c, PMU_KERNEL);
		assert_int_equal(pmc(&f, 0), 1);
		assert_int_equal(pmc(&f, 1), 10);
		stop(&f);
	}
}

TEST_ON(SKYLAKE_X, unknown_events)
{
	count_on(f, 0, 0x77ff | USR | OS);
	assert_int_equal(f->c->want, 0);
	count_on(f, 0, 0x7f89 | USR | OS);	/* Nehalem's */
	assert_int_equal(f->c->want, 0);
	/* CPUID marks these two absent on Lynnfield */
	restart(f, LYNNFIELD);
	count_on(f, 0, REF | USR | OS);
	count_on(f, 1, MISSES | USR | OS);
	assert_int_equal(f->c->want, 0);
}

TEST_ON(LYNNFIELD, counter_mask)
{
	count_on(f, 0, BRANCHES | USR | CMASK(1));
	count_on(f, 1, BRANCHES | USR | CMASK(1) | INV);
	count_on(f, 2, BRANCHES | USR | CMASK(2));
	count_on(f, 3, INSNS | USR | CMASK(16) | INV);	/* as "cycles:p" */
	run(f->c, PMU_USER, 3);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	run(f->c, PMU_USER, 2);
	run(f->c, PMU_KERNEL, 50);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	assert_int_equal(pmc(f, 0), 3);
	assert_int_equal(pmc(f, 1), 5);
	assert_int_equal(pmc(f, 2), 0);
	assert_int_equal(pmc(f, 3), 8);
}

TEST_ON(LYNNFIELD, inv_needs_cmask)
{
	count_on(f, 0, BRANCHES | USR | INV);
	run(f->c, PMU_USER, 3);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	assert_int_equal(pmc(f, 0), 1);
}

TEST_ON(LYNNFIELD, edge_detection)
{
	count_on(f, 0, BRANCHES | USR | EDGE);
	count_on(f, 1, BRANCHES | USR | EDGE | CMASK(1) | INV);
	count_on(f, 2, CYCLES | USR | EDGE);
	run(f->c, PMU_USER, 1);
	branch(f->c, PMU_USER, PMU_BR_JMP);	/* rising edge */
	branch(f->c, PMU_USER, PMU_BR_JMP);
	run(f->c, PMU_KERNEL, 5);		/* ignored */
	branch(f->c, PMU_USER, PMU_BR_JMP);
	run(f->c, PMU_USER, 2);			/* falling edge */
	branch(f->c, PMU_USER, PMU_BR_JMP);	/* rising edge */
	assert_int_equal(pmc(f, 0), 2);
	assert_int_equal(pmc(f, 1), 2);
	assert_int_equal(pmc(f, 2), 1);
}

/* Rounds of a string instruction: steps on which no instruction retires. */
TEST_ON(LYNNFIELD, threshold_on_rounds)
{
	count_on(f, 0, INSNS | USR | CMASK(1) | INV);
	count_on(f, 1, INSNS | USR | CMASK(1));
	rounds(f, 5);
	pmu_rep_done(f->c, PMU_USER);
	run(f->c, PMU_USER, 1);
	assert_int_equal(pmc(f, 0), 4);
	assert_int_equal(pmc(f, 1), 2);
}

TEST_WITH(SKYLAKE_X, 4, 2, NULL, any_thread)
{
	struct pmu_cpu *b;

	b = pmu_get_cpu(f->pmu, 1);
	count_on(f, 0, INSNS | USR | ANY);
	count_on(f, 1, INSNS | USR);
	assert_int_equal(b->want, PMU_WANT_STEPS);
	assert_int_equal(pmu_get_cpu(f->pmu, 2)->want, 0);
	run(f->c, PMU_USER, 10);
	run(b, PMU_USER, 5);
	run(b, PMU_KERNEL, 3);
	run(f->c, PMU_USER, 10);
	assert_int_equal(pmc(f, 0), 25);
	assert_int_equal(pmc(f, 1), 20);
	assert_int_equal(rd_on(b, IA32_PMC0), 0);
}

/* A change on one logical processor keeps the pending counts of its sibling. */
TEST_WITH(SKYLAKE_X, 2, 2, NULL, sibling_change_keeps_counts)
{
	struct pmu_cpu *b;

	b = pmu_get_cpu(f->pmu, 1);
	wr_on(b, IA32_PERFEVTSEL0, INSNS | USR | EN);
	run(b, PMU_USER, 7);
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | EN);
	run(b, PMU_USER, 2);
	assert_int_equal(rd_on(b, IA32_PMC0), 9);
}

/* Counters of other processors are independent. */
TEST_WITH(ICE_LAKE, 2, 1, NULL, processors_are_independent)
{
	struct pmu_cpu *b;

	b = pmu_get_cpu(f->pmu, 1);
	count_on(f, 0, INSNS | USR);
	wr_on(b, IA32_PERFEVTSEL0, INSNS | USR | EN);
	run(f->c, PMU_USER, 10);
	run(b, PMU_USER, 7);
	wr(f, GLOBAL_CTRL, 0);
	run(f->c, PMU_USER, 10);
	run(b, PMU_USER, 7);
	pmu_reset(f->c, false);
	assert_int_equal(rd_on(b, IA32_PMC0), 14);
	assert_int_equal(pmc(f, 0), 0);
}

#define T(f) cmocka_unit_test(f)

const struct CMUnitTest count_tests[] = {
	T(instructions_by_privilege), T(start_and_stop_boundaries), T(write_while_counting),
	T(faulting_write), T(enables), T(version_1), T(cycles), T(slots),
	T(string_instructions), T(every_branch_once), T(branch_kinds), T(loads_and_stores),
	T(interrupts_received), T(unknown_events), T(counter_mask), T(inv_needs_cmask),
	T(edge_detection), T(threshold_on_rounds), T(any_thread),
	T(sibling_change_keeps_counts), T(processors_are_independent),
};
const size_t count_ntests = N(count_tests);

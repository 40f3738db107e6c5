// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the eighteen counters of NetBurst */
#include <string.h>

#include "netburst.h"

#define TEST_BOTH(name) TEST_EACH(WILLAMETTE, PRESCOTT, name)

/* ---- registers ------------------------------------------------------------ */

/* ESCRs of every model; 3BAH and 3BBH exist on models 0 to 2. */
static const uint32_t escrs[] = {
	0x3a0, 0x3a1, 0x3a2, 0x3a3, 0x3a4, 0x3a5, 0x3a6, 0x3a7, 0x3a8, 0x3a9,
	0x3aa, 0x3ab, 0x3ac, 0x3ad, 0x3ae, 0x3af, 0x3b0, 0x3b1, 0x3b2, 0x3b3,
	0x3b4, 0x3b5, 0x3b6, 0x3b7, 0x3b8, 0x3b9, 0x3bc, 0x3bd, 0x3be, 0x3c0,
	0x3c1, 0x3c2, 0x3c3, 0x3c4, 0x3c5, 0x3c8, 0x3c9, 0x3ca, 0x3cb, 0x3cc,
	0x3cd, 0x3e0, 0x3e1,
};

static bool is_escr(unsigned int model, uint32_t msr)
{
	unsigned int i;

	for (i = 0; i < N(escrs); i++)
		if (escrs[i] == msr)
			return true;
	return model == WILLAMETTE && (msr == 0x3ba || msr == 0x3bb);
}

TEST_BOTH(reset_values)
{
	unsigned int i;

	for (i = 0; i < NCOUNTERS; i++) {
		assert_int_equal(rd(f, COUNTER(i)), 0);
		assert_int_equal(rd(f, CCCR(i)), 0);
	}
	for (i = 0; i < N(escrs); i++)
		assert_int_equal(rd(f, escrs[i]), 0);
	assert_int_equal(f->c->want, 0);
	assert_int_equal(pmu_user_cpl(f->pmu), 1);
}

TEST_ON(PRESCOTT, reset_and_init)
{
	count(f, 12, CRU_ESCR0, RETIRED, CRU01);
	run(f->c, PMU_USER, 3);
	pmu_reset(f->c, true);
	assert_int_equal(rd(f, CRU_ESCR0), RETIRED | E_USR);
	assert_int_equal(rd(f, CCCR(12)), CRU01 | ON);
	assert_int_equal(rd(f, COUNTER(12)), 3);
	pmu_reset(f->c, false);
	assert_int_equal(rd(f, CRU_ESCR0), 0);
	assert_int_equal(rd(f, CCCR(12)), 0);
	assert_int_equal(rd(f, COUNTER(12)), 0);
	assert_int_equal(f->c->want, 0);
}

TEST_BOTH(escrs_by_model)
{
	uint32_t msr;
	unsigned int m = f->model;

	for (msr = 0x3a0; msr <= 0x3e1; msr++) {
		if (!is_escr(m, msr)) {
			rd_gp(f, msr);
			wr_gp(f, msr, 0);
			continue;
		}
		wr(f, msr, 0x7ffffffc - 8 * (msr - 0x3a0));
		assert_int_equal(rd(f, msr), 0x7ffffffc - 8 * (msr - 0x3a0));
	}
}

/* Neighbouring MSRs, and those that NetBurst or this model does not have. */
TEST_BOTH(other_registers)
{
	static const uint32_t others[] = {
		0x2ff, 0x312, 0x35f, 0x372, 0x39f, 0x3e2, IA32_PMC0,
		IA32_PERFEVTSEL0, IA32_DEBUGCTL, IA32_A_PMC0, 0x11,
	};
	unsigned int i;

	for (i = 0; i < N(others); i++)
		no_msr(f, others[i]);
	rd_gp(f, PEBS_ENABLE);
	rd_gp(f, PEBS_MATRIX);
	rd_gp(f, DS_AREA);
	wr_gp(f, PEBS_ENABLE, 0);
}

/* Bit 7: counters exist; 11 and 12: neither BTS nor PEBS. */
TEST_BOTH(misc_enable)
{
	uint64_t value = 1;
	uint32_t regs[4] = { 0, 0, 0x14, BIT(21) | 1 };

	assert_int_equal(pmu_rdmsr(f->c, IA32_MISC_ENABLE, &value), PMU_OK);
	assert_int_equal(value, 1 | BIT(7) | BIT(11) | BIT(12));
	assert_int_equal(pmu_wrmsr(f->c, IA32_MISC_ENABLE, 0), PMU_NONE);
	pmu_cpuid(f->c, 1, 0, regs);
	assert_int_equal(regs[2], 0);
	assert_int_equal(regs[3], 1);
}

TEST_BOTH(reserved_bits)
{
	uint64_t escr = 0x7ffffffc, cccr = 0xc7fff000;
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		if (escr >> bit & 1) {
			wr(f, CRU_ESCR0, BIT(bit));
			assert_int_equal(rd(f, CRU_ESCR0), BIT(bit));
		} else {
			wr_gp(f, CRU_ESCR0, BIT(bit));
		}
		if (cccr >> bit & 1) {
			wr(f, CCCR(17), BIT(bit));
			assert_int_equal(rd(f, CCCR(17)), BIT(bit));
		} else {
			wr_gp(f, CCCR(17), BIT(bit));
		}
	}
}

TEST_ON(PRESCOTT, counter_writes)
{
	static const uint64_t t[][2] = {
		{ 5, 5 },
		{ 0x80000000, 0x80000000 },
		{ 0xffffffffff, 0xffffffffff },
		{ -1, 0xffffffffff },
		{ -1000, 0xfffffffc18 },
		{ 0x123456789abcdef0, 0x789abcdef0 },
	};
	unsigned int i, k;

	for (i = 0; i < NCOUNTERS; i++)
		for (k = 0; k < N(t); k++) {
			wr(f, COUNTER(i), t[k][0]);
			assert_int_equal(rd(f, COUNTER(i)), t[k][1]);
			assert_int_equal(pmc(f, i), t[k][1]);
			assert_int_equal(pmc(f, 0x80000000 | i), t[k][1] & 0xffffffff);
		}
	for (i = 0; i < NCOUNTERS; i++)
		wr(f, COUNTER(i), 100 + i);
	for (i = 0; i < NCOUNTERS; i++)
		assert_int_equal(pmc(f, i), 100 + i);
}

TEST_BOTH(rdpmc)
{
	static const uint32_t bad[] = { 18, 25, 0x40000000, 0x40000011, 0x80000012,
					0xc0000000, 0xffffffff };
	unsigned int i;

	for (i = 0; i < N(bad); i++)
		assert_int_equal(pmu_check_rdpmc(f->c, bad[i], 0, true, true),
				 PMU_GP);
	for (i = 0; i < NCOUNTERS; i++) {
		assert_int_equal(pmu_check_rdpmc(f->c, i, 0, false, true), PMU_OK);
		assert_int_equal(pmu_check_rdpmc(f->c, i, 3, false, true), PMU_GP);
		assert_int_equal(pmu_check_rdpmc(f->c, i | 0x80000000, 3, true, true),
				 PMU_OK);
	}
}

/* ---- what counts ---------------------------------------------------------- */

/*
 * The ESCRs with events: the first and the last counter, the other ESCR of the unit, and the
 * ESCR select.
 */
static const struct {
	uint32_t escr;
	uint64_t event;
	unsigned int first, last, other;
	unsigned int select;
} pairs[] = {
	{ 0x3a2, CLOCKS, 0, 1, 0, 6 },
	{ 0x3a3, CLOCKS, 2, 3, 2, 6 },
	{ 0x3c2, BRANCH_TYPE(2), 4, 5, 4, 2 },
	{ 0x3c3, BRANCH_TYPE(2), 6, 7, 6, 2 },
	{ 0x3b8, RETIRED, 12, 13, 16, 4 },
	{ 0x3b9, RETIRED, 14, 15, 17, 4 },
	{ 0x3cc, BRANCH_RETIRED(15), 12, 13, 16, 5 },
	{ 0x3cd, BRANCH_RETIRED(15), 14, 15, 17, 5 },
};

static void check_pair(struct fake *f, unsigned int p, unsigned int i,
		       unsigned int select)
{
	bool counts = select == pairs[p].select &&
		      ((i >= pairs[p].first && i <= pairs[p].last) ||
		       i == pairs[p].other);

	count(f, i, pairs[p].escr, pairs[p].event, SELECT(select));
	branch(f->c, PMU_USER, PMU_BR_COND_TAKEN);
	if (rd(f, COUNTER(i)) != counts)
		fail_msg("ESCR %x, counter %u, select %u", pairs[p].escr, i, select);
	wr(f, CCCR(i), 0);
	wr(f, pairs[p].escr, 0);
}

TEST_BOTH(escr_of_each_counter)
{
	unsigned int p, i, select;

	for (p = 0; p < N(pairs); p++)
		for (i = 0; i < NCOUNTERS; i++)
			for (select = 0; select < 8; select++)
				check_pair(f, p, i, select);
}

/* A counter needs its enable bit and both bits that must be set. */
TEST_ON(PRESCOTT, enable_bits)
{
	unsigned int two;

	wr(f, CRU_ESCR0, RETIRED | E_USR);
	for (two = 0; two < 4; two++) {
		wr(f, COUNTER(12), 0);
		wr(f, CCCR(12), CRU01 | ENABLE | (uint64_t)two << 16);
		run(f->c, PMU_USER, 5);
		assert_int_equal(rd(f, COUNTER(12)), two == 3 ? 5 : 0);
	}
	wr(f, CCCR(12), CRU01 | MUST);
	run(f->c, PMU_USER, 5);
	assert_int_equal(rd(f, COUNTER(12)), 5);
	assert_int_equal(f->c->want, 0);
}

/* One ESCR applies to all its counters. Register writes count in the kernel too. */
TEST_BOTH(privileges)
{
	count(f, 12, CRU_ESCR0, RETIRED, CRU01);
	count(f, 16, CRU_ESCR0, RETIRED, CRU01);
	wr(f, CRU_ESCR0 + 1, RETIRED | E_OS);
	wr(f, CCCR(14), CRU01 | ON);
	wr(f, FSB_ESCR0, CLOCKS | E_OS | E_USR);
	wr(f, CCCR(0), FSB | ON);
	run(f->c, PMU_USER, 100);
	run(f->c, PMU_KERNEL, 10);
	assert_int_equal(rd(f, COUNTER(12)), 100);
	assert_int_equal(rd(f, COUNTER(16)), 100);
	assert_int_equal(rd(f, COUNTER(14)), 2 + 10);
	assert_int_equal(rd(f, COUNTER(0)), 110);
	wr(f, CRU_ESCR0, RETIRED);
	run(f->c, PMU_USER, 1);
	run(f->c, PMU_KERNEL, 1);
	assert_int_equal(rd(f, COUNTER(12)), 100);
	assert_int_equal(rd(f, COUNTER(14)), 12 + 2);
	assert_int_equal(rd(f, COUNTER(0)), 110 + 3);
}

/* 2 conditional branches of each kind, 1 jump, 3 calls (1 indirect), 1 return, 1 far. */
static void program(struct fake *f)
{
	static const enum pmu_prim kinds[] = {
		PMU_BR_COND_TAKEN, PMU_BR_COND_TAKEN, PMU_BR_COND_NTAKEN,
		PMU_BR_COND_NTAKEN, PMU_BR_JMP, PMU_BR_JMP_IND, PMU_BR_CALL,
		PMU_BR_CALL, PMU_BR_CALL_IND, PMU_BR_RET, PMU_BR_FAR, PMU_BR_INT,
	};
	unsigned int i;

	for (i = 0; i < N(kinds); i++)
		branch(f->c, PMU_USER, kinds[i]);
	run(f->c, PMU_USER, 8);
	pmu_rep_round(f->c, PMU_USER);
	pmu_rep_round(f->c, PMU_USER);
	pmu_rep_round(f->c, PMU_USER);
	pmu_rep_done(f->c, PMU_USER);
}

static const struct {
	unsigned int parts;	/* 1 Willamette, 2 Prescott */
	unsigned int i;
	uint32_t escr;
	uint64_t cccr, event;
	uint64_t counted;
} events[] = {
	{ 3, 0, FSB_ESCR0, FSB, CLOCKS, 23 },
	{ 3, 0, FSB_ESCR0, FSB, EVENT(0x13, 0xfffe), 0 },
	{ 3, 0, FSB_ESCR0, FSB, EVENT(0x12, 1), 0 },
	{ 3, 4, TBPU_ESCR0, TBPU, BRANCH_TYPE(0x01), 0 },
	{ 3, 4, TBPU_ESCR0, TBPU, BRANCH_TYPE(0x02), 4 },
	{ 3, 4, TBPU_ESCR0, TBPU, BRANCH_TYPE(0x04), 3 },
	{ 3, 4, TBPU_ESCR0, TBPU, BRANCH_TYPE(0x08), 1 },
	{ 3, 4, TBPU_ESCR0, TBPU, BRANCH_TYPE(0x10), 3 },
	/* an occurrence that two bits select counts once */
	{ 3, 4, TBPU_ESCR0, TBPU, BRANCH_TYPE(0x18), 3 },
	{ 3, 4, TBPU_ESCR0, TBPU, BRANCH_TYPE(0x14), 5 },
	{ 3, 4, TBPU_ESCR0, TBPU, BRANCH_TYPE(0x1e), 9 },
	{ 3, 12, CRU_ESCR0, CRU01, RETIRED, 21 },
	{ 3, 12, CRU_ESCR0, CRU01, EVENT(0x02, 0xe), 0 },
	{ 3, 12, CRU_ESCR0, CRU01, EVENT(0x02, 0xf), 21 },
	{ 3, 12, CRU_ESCR0, CRU01, EVENT(0x01, 3), 0 },
	{ 1, 12, CRU_ESCR0, CRU01, COMPLETED, 0 },
	{ 2, 12, CRU_ESCR0, CRU01, COMPLETED, 21 },
	{ 2, 12, CRU_ESCR0, CRU01, EVENT(0x07, 2), 0 },
	{ 3, 12, CRU_ESCR2, CRU23, BRANCH_RETIRED(0xf), 12 },
	{ 3, 12, CRU_ESCR2, CRU23, BRANCH_RETIRED(0x3), 2 },
	{ 3, 12, CRU_ESCR2, CRU23, BRANCH_RETIRED(0xc), 10 },
};

TEST_BOTH(every_event)
{
	unsigned int m = f->model, i;

	for (i = 0; i < N(events); i++) {
		if (!(events[i].parts >> (m - WILLAMETTE) & 1))
			continue;
		count(f, events[i].i, events[i].escr, events[i].event,
		      events[i].cccr);
		program(f);
		if (rd(f, COUNTER(events[i].i)) != events[i].counted)
			fail_msg("%s, event %u: %u", fake_name(m), i,
				 (unsigned int)rd(f, COUNTER(events[i].i)));
		wr(f, CCCR(events[i].i), 0);
	}
}

/*
 * A branch taken ten times from the start: the predictor begins at "not taken" and, once it
 * has learnt the branch, predicts it correctly. A return without a call is mispredicted; an
 * indirect jump to its last target is predicted correctly.
 */
TEST_ON(PRESCOTT, predictions)
{
	uint64_t right, wrong, i;

	count(f, 12, CRU_ESCR2, BRANCH_RETIRED(4), CRU23);
	count(f, 14, CRU_ESCR2 + 1, BRANCH_RETIRED(8), CRU23);
	count(f, 13, CRU_ESCR0, MISPREDICTED, CRU01);
	count(f, 4, TBPU_ESCR0, MISP_TYPE(0x02), TBPU);
	count(f, 6, TBPU_ESCR0 + 1, MISP_TYPE(0x18), TBPU);
	for (i = 0; i < 100; i++)
		branch(f->c, PMU_USER, PMU_BR_COND_TAKEN);
	right = rd(f, COUNTER(12));
	wrong = rd(f, COUNTER(14));
	assert_int_equal(right + wrong, 100);
	assert_in_range(wrong, 1, 20);
	assert_int_equal(rd(f, COUNTER(13)), wrong);
	assert_int_equal(rd(f, COUNTER(4)), wrong);
	assert_int_equal(rd(f, COUNTER(6)), 0);
	branch(f->c, PMU_USER, PMU_BR_JMP_IND);	/* first execution */
	branch(f->c, PMU_USER, PMU_BR_JMP_IND);	/* same target */
	branch(f->c, PMU_USER, PMU_BR_RET);	/* without a call */
	assert_int_equal(rd(f, COUNTER(12)), right + 1);
	assert_int_equal(rd(f, COUNTER(14)), wrong + 2);
	assert_int_equal(rd(f, COUNTER(13)), wrong + 2);
	assert_int_equal(rd(f, COUNTER(4)), wrong);
	assert_int_equal(rd(f, COUNTER(6)), 2);
	/* now predicted taken: the first one not taken is mispredicted */
	wr(f, CRU_ESCR2, BRANCH_RETIRED(1) | E_USR);
	wr(f, CRU_ESCR2 + 1, BRANCH_RETIRED(2) | E_USR);
	wr(f, COUNTER(12), 0);
	wr(f, COUNTER(14), 0);
	branch(f->c, PMU_USER, PMU_BR_COND_NTAKEN);
	assert_int_equal(rd(f, COUNTER(12)), 0);
	assert_int_equal(rd(f, COUNTER(14)), 1);
	for (i = 0; i < 100; i++)
		branch(f->c, PMU_USER, PMU_BR_COND_NTAKEN);
	assert_int_equal(rd(f, COUNTER(12)) + rd(f, COUNTER(14)), 101);
	assert_in_range(rd(f, COUNTER(12)), 80, 99);
}

/* ---- filters -------------------------------------------------------------- */

static const struct {
	uint64_t cccr;
	uint64_t counted;
} filters[] = {
	/* of the calls on 8 steps: - - - c c - - c */
	{ 0, 3 },
	{ COMPLEMENT, 3 },			/* no effect without compare */
	{ THRESHOLD(3), 3 },
	{ C_EDGE, 3 },
	{ COMPARE, 3 },				/* more than 0 */
	{ COMPARE | THRESHOLD(1), 0 },		/* more than 1 */
	{ COMPARE | COMPLEMENT, 5 },		/* at most 0 */
	{ COMPARE | COMPLEMENT | THRESHOLD(1), 8 },
	{ COMPARE | COMPLEMENT | THRESHOLD(15), 8 },
	{ COMPARE | C_EDGE, 2 },
	{ COMPARE | COMPLEMENT | C_EDGE, 2 },
	{ COMPARE | COMPLEMENT | THRESHOLD(15) | C_EDGE, 1 },
};

TEST_ON(WILLAMETTE, filtering)
{
	unsigned int i;

	for (i = 0; i < N(filters); i++) {
		count(f, 5, TBPU_ESCR0, BRANCH_TYPE(4), TBPU | filters[i].cccr);
		run(f->c, PMU_USER, 3);
		branch(f->c, PMU_USER, PMU_BR_CALL);
		branch(f->c, PMU_USER, PMU_BR_CALL);
		run(f->c, PMU_USER, 2);
		branch(f->c, PMU_USER, PMU_BR_CALL);
		run(f->c, PMU_KERNEL, 4);
		if (rd(f, COUNTER(5)) != filters[i].counted)
			fail_msg("filter %u: %u", i, (unsigned int)rd(f, COUNTER(5)));
		wr(f, CCCR(5), 0);
	}
}

/*
 * An event that never occurs is below a threshold on each step. Linux has such an alias of cycles,
 * execution_event, for a second counter.
 */
TEST_ON(WILLAMETTE, filtering_of_nothing)
{
	count(f, 12, CRU_ESCR2, EVENT(0x0c, 0xff), CRU23 | COMPARE | COMPLEMENT | THRESHOLD(15));
	run(f->c, PMU_USER, 3);
	run(f->c, PMU_KERNEL, 4);
	assert_int_equal(rd(f, COUNTER(12)), 3);
	count(f, 12, CRU_ESCR2, EVENT(0x0c, 0xff), CRU23 | COMPARE | THRESHOLD(15));
	run(f->c, PMU_USER, 3);
	assert_int_equal(rd(f, COUNTER(12)), 0);
	count(f, 12, CRU_ESCR2, EVENT(0x0c, 0xff), CRU23);
	run(f->c, PMU_USER, 3);
	assert_int_equal(rd(f, COUNTER(12)), 0);
}

/* ---- overflow ------------------------------------------------------------- */

/* The wrap sets the flag; the next event interrupts. */
static void interrupts_with_the_next_event(void **state)
{
	struct fake f;
	unsigned int i;

	for (i = 12; i < NCOUNTERS; i++) {
		start(&f, PRESCOTT);
		count(&f, i, CRU_ESCR0 + (i < 16 ? i / 2 % 2 : i % 2), RETIRED,
		      CRU01 | OVF_PMI);
		wr(&f, COUNTER(i), -100);
		run(f.c, PMU_USER, 99);
		assert_int_equal(rd(&f, CCCR(i)), CRU01 | ON | OVF_PMI);
		assert_int_equal(rd(&f, COUNTER(i)), 0xffffffffff);
		run(f.c, PMU_USER, 1);
		assert_int_equal(f.pmis[0], 0);
		assert_int_equal(rd(&f, COUNTER(i)), 0);
		assert_int_equal(rd(&f, CCCR(i)), CRU01 | ON | OVF_PMI | OVF);
		run(f.c, PMU_KERNEL, 9);
		assert_int_equal(f.pmis[0], 0);
		run(f.c, PMU_USER, 1);
		assert_int_equal(f.pmis[0], 1);
		assert_int_equal(rd(&f, COUNTER(i)), 1);
		stop(&f);
	}
}

/* The same without a register access in between. */
static void interrupts_without_access(void **state)
{
	static const uint64_t privs[] = { E_USR, E_USR | E_OS };
	struct fake f;
	unsigned int p, n;

	for (p = 0; p < N(privs); p++) {
		start(&f, PRESCOTT);
		wr(&f, CRU_ESCR0, RETIRED | privs[p]);
		wr(&f, COUNTER(12), -1001);
		wr(&f, CCCR(12), CRU01 | ON | OVF_PMI);
		for (n = 0; !f.pmis[0]; n++)
			run(f.c, PMU_USER, 1);
		/* the kernel's write of CCCR comes before counting starts */
		assert_int_equal(n, 1002);
		stop(&f);
	}
}

/* Every event interrupts until the flag is cleared. */
TEST_ON(PRESCOTT, interrupts_until_ovf_cleared)
{
	count(f, 12, CRU_ESCR0, RETIRED, CRU01 | OVF_PMI);
	wr(f, COUNTER(12), -1);
	run(f->c, PMU_USER, 4);
	assert_int_equal(f->pmis[0], 3);
	wr(f, CCCR(12), CRU01 | ON | OVF_PMI);
	run(f->c, PMU_USER, 10);
	assert_int_equal(f->pmis[0], 3);
	/* cleared before the event after the wrap: no interrupt */
	wr(f, COUNTER(12), -1);
	run(f->c, PMU_USER, 1);
	wr(f, CCCR(12), CRU01 | ON | OVF_PMI);
	run(f->c, PMU_USER, 10);
	assert_int_equal(f->pmis[0], 3);
	/* the flag set by software */
	wr(f, CCCR(12), CRU01 | ON | OVF_PMI | OVF);
	run(f->c, PMU_USER, 1);
	assert_int_equal(f->pmis[0], 4);
}

TEST_ON(PRESCOTT, flag_without_interrupt)
{
	count(f, 12, CRU_ESCR0, RETIRED, CRU01);
	wr(f, COUNTER(12), -3);
	run(f->c, PMU_USER, 50);
	assert_int_equal(f->pmis[0], 0);
	assert_int_equal(rd(f, CCCR(12)), CRU01 | ON | OVF);
	assert_int_equal(rd(f, COUNTER(12)), 47);
	wr(f, CCCR(12), CRU01 | MUST | OVF);	/* stopped, the flag stays */
	assert_int_equal(rd(f, CCCR(12)), CRU01 | MUST | OVF);
}

/* The wrap of another counter does not interrupt for this one. */
TEST_ON(PRESCOTT, ovf_flag_per_counter)
{
	count(f, 12, CRU_ESCR0, RETIRED, CRU01);
	wr(f, COUNTER(12), -3);
	run(f->c, PMU_USER, 3);
	assert_int_equal(rd(f, CCCR(12)), CRU01 | ON | OVF);
	wr(f, CRU_ESCR0 + 1, RETIRED | E_OS);
	wr(f, CCCR(12), CRU01 | ON);
	wr(f, COUNTER(14), -5);
	wr(f, CCCR(14), CRU01 | ON);
	run(f->c, PMU_KERNEL, 9);
	assert_int_equal(rd(f, CCCR(14)), CRU01 | ON | OVF);
	assert_int_equal(rd(f, CCCR(12)), CRU01 | ON);
}

/* A primitive that can occur several times on a step, or depends on the predictor. */
TEST_ON(PRESCOTT, interrupts_of_branches)
{
	unsigned int n;

	count(f, 12, CRU_ESCR2, BRANCH_RETIRED(0xf), CRU23 | OVF_PMI);
	wr(f, COUNTER(12), -10);
	for (n = 0; !f->pmis[0]; n++) {
		run(f->c, PMU_USER, 3);
		branch(f->c, PMU_USER, PMU_BR_JMP);
	}
	assert_int_equal(n, 11);
}

TEST_ON(PRESCOTT, one_interrupt_for_two)
{
	count(f, 12, CRU_ESCR0, RETIRED, CRU01 | OVF_PMI);
	count(f, 0, FSB_ESCR0, CLOCKS, FSB | OVF_PMI);
	wr(f, COUNTER(12), -10);
	wr(f, COUNTER(0), -10);
	run(f->c, PMU_USER, 11);
	assert_int_equal(f->pmis[0], 1);
}

/* FORCE_OVF: each increment overflows, at any value. */
TEST_ON(PRESCOTT, force_ovf)
{
	count(f, 5, TBPU_ESCR0, BRANCH_TYPE(4), TBPU | OVF_PMI | FORCE_OVF);
	run(f->c, PMU_USER, 10);
	assert_int_equal(rd(f, CCCR(5)), TBPU | ON | OVF_PMI | FORCE_OVF);
	branch(f->c, PMU_USER, PMU_BR_CALL);
	assert_int_equal(rd(f, CCCR(5)), TBPU | ON | OVF_PMI | FORCE_OVF | OVF);
	run(f->c, PMU_USER, 10);
	assert_int_equal(f->pmis[0], 0);
	branch(f->c, PMU_USER, PMU_BR_CALL);
	assert_int_equal(f->pmis[0], 1);
	branch(f->c, PMU_USER, PMU_BR_CALL);
	assert_int_equal(f->pmis[0], 2);
	assert_int_equal(rd(f, COUNTER(5)), 3);
}

/* The same without a register access in between. */
TEST_ON(PRESCOTT, force_ovf_without_access)
{
	count(f, 5, TBPU_ESCR0, BRANCH_TYPE(4), TBPU | OVF_PMI | FORCE_OVF);
	branch(f->c, PMU_USER, PMU_BR_CALL);
	assert_int_equal(f->pmis[0], 0);
	branch(f->c, PMU_USER, PMU_BR_CALL);
	assert_int_equal(f->pmis[0], 1);
}

/* ---- cascading ------------------------------------------------------------ */

/* The counters that an overflow of this one starts. */
static const uint32_t starts[NCOUNTERS] = {
	1u << 2, 1u << 3, 1u << 0, 1u << 1, 1u << 6, 1u << 7, 1u << 4, 1u << 5,
	1u << 10, 1u << 11, 1u << 8, 1u << 9, 1u << 14, 1u << 15,
	1u << 12 | 1u << 16, 1u << 13 | 1u << 17, 0, 0,
};

/* Any event and its ESCR for counter i; no event of the FLAME block is modelled. */
static void count_any(struct fake *f, unsigned int i, uint64_t cccr)
{
	unsigned int p;

	for (p = 0; p < N(pairs); p++)
		if ((i >= pairs[p].first && i <= pairs[p].last) || i == pairs[p].other)
			break;
	wr(f, pairs[p].escr, pairs[p].event | E_USR);
	wr(f, CCCR(i), cccr | MUST | SELECT(pairs[p].select));
}

static void check_starts(unsigned int from, uint64_t flag)
{
	unsigned int i;
	struct fake f;

	start(&f, PRESCOTT);
	for (i = 0; i < NCOUNTERS; i++)
		if (i / 4 != 2)
			count_any(&f, i, i == from ? ENABLE : flag);
	wr(&f, COUNTER(from), -5);
	for (i = 0; i < 4; i++)
		branch(f.c, PMU_USER, PMU_BR_COND_TAKEN);
	for (i = 0; i < NCOUNTERS; i++)
		assert_int_equal(!!(rd(&f, CCCR(i)) & ENABLE), i == from);
	branch(f.c, PMU_USER, PMU_BR_COND_TAKEN);
	/* started; the event that wrapped is not counted */
	branch(f.c, PMU_USER, PMU_BR_COND_TAKEN);
	branch(f.c, PMU_USER, PMU_BR_COND_TAKEN);
	assert_int_equal(rd(&f, COUNTER(from)), 2);
	for (i = 0; i < NCOUNTERS; i++) {
		bool started = flag && starts[from] >> i & 1 && i != from;

		if (i == from)
			continue;
		if (!!(rd(&f, CCCR(i)) & ENABLE) != started ||
		    rd(&f, COUNTER(i)) != (started ? 2 : 0))
			fail_msg("counter %u started %u: %u", from, i,
				 (unsigned int)rd(&f, COUNTER(i)));
	}
	stop(&f);
}

static void cascades(void **state)
{
	unsigned int i;

	for (i = 0; i < NCOUNTERS; i++) {
		if (i / 4 == 2)
			continue;
		check_starts(i, CASCADE);
		check_starts(i, 0);
	}
}

/* A cascaded counter that counts already continues, each event once. */
TEST_ON(PRESCOTT, cascade_of_active_counter)
{
	count(f, 12, CRU_ESCR0, RETIRED, CRU01);
	count(f, 14, CRU_ESCR0 + 1, RETIRED, CRU01 | CASCADE);
	wr(f, COUNTER(12), -3);
	run(f->c, PMU_USER, 10);
	assert_int_equal(rd(f, COUNTER(12)), 7);
	assert_int_equal(rd(f, COUNTER(14)), 10);
}

/* A cascaded counter interrupts like others, two events later. */
TEST_ON(PRESCOTT, cascade_interrupts)
{
	unsigned int n;

	count(f, 12, CRU_ESCR0, RETIRED, CRU01);
	wr(f, COUNTER(12), -1000);
	wr(f, CRU_ESCR0 + 1, RETIRED | E_USR);
	wr(f, COUNTER(14), -50);
	wr(f, CCCR(14), CRU01 | MUST | CASCADE | OVF_PMI);
	for (n = 0; !f->pmis[0]; n++)
		run(f->c, PMU_USER, 1);
	assert_int_equal(n, 1051);
}

/* ---- options, RDPMC and processors ------------------------------------------ */

static void options(void **state)
{
	struct fake f;

	start_with(&f, PRESCOTT, 1, 1, "width=20");
	wr(&f, COUNTER(3), -2);
	assert_int_equal(rd(&f, COUNTER(3)), 0xffffe);
	stop(&f);
	refused(PRESCOTT, 1, 1, "version=1", "no architectural");
	refused(PRESCOTT, 1, 1, "fixed_width=20", "no architectural");
	refused(PRESCOTT, 4, 4, NULL, "at most two");
	start_with(&f, PRESCOTT, 1, 1, "none");
	rd_gp(&f, COUNTER(0));
	rd_gp(&f, CCCR(17));
	rd_gp(&f, CRU_ESCR0);
	wr_gp(&f, CRU_ESCR0, 0);
	assert_int_equal(pmu_check_rdpmc(f.c, 0, 0, true, true), PMU_GP);
	stop(&f);
}

/* The quirk n15: a write of a counter with an event is wrong unless it follows another one. */
TEST_WITH(WILLAMETTE, 2, 1, "n15", n15_needs_two_writes)
{
	const uint64_t wrong = BIT(32);
	struct pmu_cpu *other;

	other = pmu_get_cpu(f->pmu, 1);
	count(f, 12, CRU_ESCR0, RETIRED, CRU01);
	/* the counter was written without an event */
	run(f->c, PMU_USER, 7);
	assert_int_equal(rd(f, COUNTER(12)), 7);
	wr(f, COUNTER(12), 5);
	assert_int_equal(rd(f, COUNTER(12)), 5 + wrong);
	wr(f, COUNTER(12), 5);
	assert_int_equal(rd(f, COUNTER(12)), 5);
	run(f->c, PMU_USER, 7);
	assert_int_equal(rd(f, COUNTER(12)), 12);
	/* another register between the two writes */
	wr(f, CCCR(12), CRU01 | MUST);
	wr(f, COUNTER(12), -2);
	assert_int_equal(rd(f, COUNTER(12)), 0xfffffffe);
	wr(f, COUNTER(13), 0);
	wr(f, COUNTER(12), 3);
	assert_int_equal(rd(f, COUNTER(12)), 3 + wrong);
	/* the documented workaround: no event, no compare */
	wr(f, CCCR(12), CRU01 | MUST | COMPARE);
	wr(f, CRU_ESCR0, RETIRED & ~EVENT(0, 0xffff));
	wr(f, COUNTER(12), 3);
	assert_int_equal(rd(f, COUNTER(12)), 3 + wrong);
	wr(f, CCCR(12), CRU01 | MUST);
	wr(f, COUNTER(12), 3);
	assert_int_equal(rd(f, COUNTER(12)), 3);
	/* the write of another processor's counter is not the one before it */
	wr_on(other, CRU_ESCR0, RETIRED);
	wr_on(other, CCCR(12), CRU01 | MUST);
	wr(f, COUNTER(12), 3);
	wr_on(other, COUNTER(12), 3);
	assert_int_equal(rd_on(other, COUNTER(12)), 3 + wrong);
}

/* Each of two processors has eighteen counters. */
TEST_WITH(PRESCOTT, 2, 1, NULL, two_processors)
{
	struct pmu_cpu *other;

	other = pmu_get_cpu(f->pmu, 1);
	count(f, 12, CRU_ESCR0, RETIRED, CRU01 | OVF_PMI);
	wr(f, COUNTER(12), -2);
	run(f->c, PMU_USER, 3);
	run(other, PMU_USER, 7);
	assert_int_equal(rd(f, COUNTER(12)), 1);
	assert_int_equal(rd_on(other, COUNTER(12)), 0);
	assert_int_equal(rd_on(other, CCCR(12)), 0);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(f->pmis[1], 0);
}

#define T(f) { "netburst_" #f, f, NULL, NULL, NULL }

const struct CMUnitTest netburst_tests[] = {
	T(reset_values), T(reset_and_init), T(escrs_by_model), T(other_registers),
	T(misc_enable), T(reserved_bits), T(counter_writes), T(rdpmc), T(escr_of_each_counter),
	T(enable_bits), T(privileges), T(every_event), T(predictions), T(filtering),
	T(filtering_of_nothing),
	T(interrupts_with_the_next_event), T(interrupts_without_access),
	T(interrupts_until_ovf_cleared), T(flag_without_interrupt), T(ovf_flag_per_counter),
	T(interrupts_of_branches), T(one_interrupt_for_two), T(force_ovf),
	T(force_ovf_without_access), T(cascades), T(cascade_of_active_counter),
	T(cascade_interrupts), T(n15_needs_two_writes), T(options), T(two_processors),
};
const size_t netburst_ntests = N(netburst_tests);

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of NetBurst with two logical processors to a core */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netburst.h"

/* A core with T0 and T1. */
struct core {
	struct fake f;
	struct pmu_cpu *t[2];
};

static void start_core(struct core *c, enum fake_model model)
{
	start_with(&c->f, model, 2, 2, NULL);
	c->t[0] = pmu_get_cpu(c->f.pmu, 0);
	c->t[1] = pmu_get_cpu(c->f.pmu, 1);
}

/* The head of a test with a struct core *c of this model */
#define TEST_CORE(model, name)			\
	static void name##_of(struct core *c);	\
	static void name(void **state)		\
	{					\
		struct core c;			\
					\
		start_core(&c, model);		\
		name##_of(&c);			\
		stop(&c.f);			\
	}					\
	static void name##_of(struct core *c)

/* Program counter 12, or 14 with the second ESCR, with instructions retired. */
static void count_insns(struct core *c, unsigned int i, uint64_t privs,
			uint64_t start, uint64_t cccr)
{
	wr(&c->f, CCCR(i), 0);
	wr(&c->f, CRU_ESCR0 + (i == 14), RETIRED | privs);
	wr(&c->f, COUNTER(i), start);
	wr(&c->f, CCCR(i), cccr | CRU01 | ON);
}

/* ---- registers ------------------------------------------------------------ */

static void check_shared(struct core *c, uint32_t msr, uint64_t value)
{
	wr_on(c->t[value & 1], msr, value & ~1ull);
	assert_int_equal(rd_on(c->t[0], msr), value & ~1ull);
	assert_int_equal(rd_on(c->t[1], msr), value & ~1ull);
}

TEST_CORE(PRESCOTT, shared_registers)
{
	uint64_t value;
	unsigned int i, t;

	for (t = 0; t < 2; t++)
		for (i = 0; i < NCOUNTERS; i++) {
			check_shared(c, COUNTER(i), 0x8123456700ull + 16 * i + t);
			check_shared(c, CCCR(i), 0x2000 + t);
			check_shared(c, 0x3a0, (4 * i) + t);
			check_shared(c, 0x3e1, 8 + t);
			assert_int_equal(pmu_rdpmc(c->t[!t], i, &value), PMU_OK);
			assert_int_equal(value, 0x8123456700ull + 16 * i);
			assert_int_equal(pmu_rdpmc(c->t[!t], 0x80000000 | i, &value), PMU_OK);
			assert_int_equal(value, 0x23456700 + 16 * i);
		}
}

static void reset_by_either_thread(void **state)
{
	struct core c;
	unsigned int t;

	for (t = 0; t < 2; t++) {
		start_core(&c, PRESCOTT);
		count_insns(&c, 12, T0_USR | T1_USR, 5, OVF_PMI | OVF_PMI_T1);
		run(c.t[1], PMU_USER, 3);
		pmu_reset(c.t[t], true);
		assert_int_equal(rd(&c.f, COUNTER(12)), 8);
		pmu_reset(c.t[t], false);
		assert_int_equal(rd(&c.f, COUNTER(12)), 0);
		assert_int_equal(rd(&c.f, CCCR(12)), 0);
		assert_int_equal(rd(&c.f, CRU_ESCR0), 0);
		assert_int_equal(c.t[0]->want | c.t[1]->want, 0);
		stop(&c.f);
	}
}

static void reserved_bits(void **state)
{
	uint64_t escr = 0x7fffffff, cccr = 0xcffff000;
	unsigned int bit, m;
	struct core c;

	for (m = WILLAMETTE; m <= XEON_L3; m++) {
		start_core(&c, m);
		for (bit = 0; bit < 64; bit++) {
			if (escr >> bit & 1)
				wr(&c.f, CRU_ESCR0, BIT(bit));
			else
				wr_gp(&c.f, CRU_ESCR0, BIT(bit));
			if (cccr >> bit & 1)
				wr(&c.f, CCCR(17), BIT(bit));
			else
				wr_gp(&c.f, CCCR(17), BIT(bit));
		}
		stop(&c.f);
	}
}

/* ---- which logical processor counts ---------------------------------------- */

#define IN_T0_OS	3
#define IN_T0_USR	50
#define IN_T1_OS	700
#define IN_T1_USR	9000

/* n instructions, all of them calls. */
static void some(struct pmu_cpu *c, unsigned int priv, unsigned int n)
{
	while (n--)
		branch(c, priv, PMU_BR_CALL);
}

static const struct {
	unsigned int i;
	uint32_t escr;
	uint64_t event, cccr;
} kinds[] = {
	{ 12, CRU_ESCR0, RETIRED, CRU01 },
	{ 0, FSB_ESCR0, CLOCKS, FSB },
	{ 4, TBPU_ESCR0, BRANCH_TYPE(4), TBPU },
	{ 16, CRU_ESCR2, BRANCH_RETIRED(15), CRU23 },
	{ 13, CRU_ESCR0, RETIRED, CRU01 | OVF_PMI | OVF_PMI_T1 },
	{ 5, TBPU_ESCR0, BRANCH_TYPE(4), TBPU | COMPARE },
};

/* "Effect of Logical Processor and CPL Qualification": all sixteen values of bits 3:0. */
static void check_qualification(unsigned int k, unsigned int bits)
{
	uint64_t wanted = (bits & T0_OS ? IN_T0_OS : 0) +
			  (bits & T0_USR ? IN_T0_USR : 0) +
			  (bits & T1_OS ? IN_T1_OS : 0) +
			  (bits & T1_USR ? IN_T1_USR : 0);
	uint64_t counted;
	struct core c;

	start_core(&c, PRESCOTT);
	wr(&c.f, kinds[k].escr, kinds[k].event | bits);
	wr(&c.f, CCCR(kinds[k].i), kinds[k].cccr | ON);
	some(c.t[0], PMU_USER, 20);
	some(c.t[1], PMU_KERNEL, IN_T1_OS);
	some(c.t[0], PMU_KERNEL, IN_T0_OS);
	some(c.t[1], PMU_USER, IN_T1_USR);
	some(c.t[0], PMU_USER, IN_T0_USR - 20);
	counted = rd_on(c.t[bits & 1], COUNTER(kinds[k].i));
	if (counted != wanted)
		fail_msg("event %u, bits %x: %u", k, bits, (unsigned int)counted);
	stop(&c.f);
}

static void qualification(void **state)
{
	unsigned int k, bits;

	for (k = 0; k < N(kinds); k++)
		for (bits = 0; bits < 16; bits++)
			check_qualification(k, bits);
}

/* A processor's reports are wanted only if one of its events is counted. */
TEST_CORE(PRESCOTT, wants)
{
	count_insns(c, 12, T1_USR, 0, 0);
	assert_int_equal(c->t[0]->want, 0);
	assert_int_equal(c->t[1]->want, PMU_WANT_STEPS);
	wr(&c->f, CRU_ESCR0, RETIRED | T0_OS);
	assert_int_equal(c->t[0]->want, PMU_WANT_STEPS);
	assert_int_equal(c->t[1]->want, 0);
}

/* A write by one applies to both at once; what was pending is counted before. */
TEST_CORE(PRESCOTT, write_takes_effect_for_both)
{
	count_insns(c, 12, T0_USR, 0, 0);
	run(c->t[0], PMU_USER, 10);
	wr_on(c->t[1], CRU_ESCR0, RETIRED | T1_USR);
	run(c->t[0], PMU_USER, 100);
	run(c->t[1], PMU_USER, 5);
	assert_int_equal(rd_on(c->t[0], COUNTER(12)), 15);
	run(c->t[1], PMU_USER, 2);
	wr_on(c->t[0], COUNTER(12), 0);
	run(c->t[1], PMU_USER, 1);
	assert_int_equal(rd_on(c->t[0], COUNTER(12)), 1);
	wr_on(c->t[0], CCCR(12), CRU01 | MUST);
	run(c->t[1], PMU_USER, 1);
	assert_int_equal(rd_on(c->t[1], COUNTER(12)), 1);
}

/* WRMSR is an instruction of the processor that executes it. */
TEST_CORE(PRESCOTT, wrmsr_counts_for_its_thread)
{
	count_insns(c, 12, T1_OS, 0, 0);
	wr_on(c->t[0], COUNTER(0), 0);
	assert_int_equal(rd(&c->f, COUNTER(12)), 0);
	wr_on(c->t[1], COUNTER(0), 0);
	assert_int_equal(rd(&c->f, COUNTER(12)), 1);
}

/* ---- interrupts ----------------------------------------------------------- */

/* The processors with their bits set are interrupted, whichever caused the event. */
static void interrupted_thread(void **state)
{
	unsigned int targets, from, n;
	struct core c;

	for (targets = 0; targets < 4; targets++)
		for (from = 0; from < 2; from++) {
			start_core(&c, PRESCOTT);
			count_insns(&c, 12, from ? T1_USR : T0_USR, -100,
				    (uint64_t)targets << 26);
			for (n = 0; n < 101; n++) {
				assert_int_equal(c.f.pmis[0] + c.f.pmis[1], 0);
				run(c.t[from], PMU_USER, 1);
				run(c.t[!from], PMU_USER, 3);
				run(c.t[from], PMU_KERNEL, 1);
			}
			assert_int_equal(c.f.pmis[0], targets & 1);
			assert_int_equal(c.f.pmis[1], targets >> 1);
			assert_int_equal(rd(&c.f, COUNTER(12)), 1);
			assert_true(rd(&c.f, CCCR(12)) & OVF);
			stop(&c.f);
		}
}

/* If events of both count, the last event may be of either. */
static void pmi_on_events_of_both(void **state)
{
	struct core c;
	unsigned int n;

	for (n = 0; n <= 101; n++) {
		start_core(&c, PRESCOTT);
		count_insns(&c, 12, T0_USR | T1_USR, -100, OVF_PMI);
		run(c.t[0], PMU_USER, n);
		assert_int_equal(c.f.pmis[0], n > 100);
		run(c.t[1], PMU_USER, 101 - n);
		assert_int_equal(c.f.pmis[0], 1);
		assert_int_equal(c.f.pmis[1], 0);
		stop(&c.f);
	}
}

/* Two counters, one for each processor: they do not affect each other. */
TEST_CORE(PRESCOTT, one_counter_per_thread)
{
	unsigned int i;

	count_insns(c, 12, T0_USR, -10, OVF_PMI);
	count_insns(c, 14, T1_USR | T1_OS, -1000, OVF_PMI_T1);
	for (i = 0; i < 11; i++) {
		assert_int_equal(c->f.pmis[0], 0);
		run(c->t[0], PMU_USER, 1);
		run(c->t[1], PMU_USER, 20);
	}
	assert_int_equal(c->f.pmis[0], 1);
	wr_on(c->t[0], CCCR(12), CRU01 | ON | OVF_PMI);
	run(c->t[0], PMU_USER, 500);
	for (i = 0; i < 781; i++) {
		assert_int_equal(c->f.pmis[1], 0);
		run(c->t[1], i & 1, 1);
	}
	assert_int_equal(c->f.pmis[0], 1);
	assert_int_equal(c->f.pmis[1], 1);
	assert_int_equal(rd(&c->f, COUNTER(12)), 501);
	assert_int_equal(rd(&c->f, COUNTER(14)), 1);
}

/* Two counters that interrupt on the same step: one interrupt for each processor. */
TEST_CORE(PRESCOTT, one_interrupt_for_two)
{
	count_insns(c, 12, T1_USR, -10, OVF_PMI_T1);
	count_insns(c, 14, T1_USR, -10, OVF_PMI | OVF_PMI_T1);
	run(c->t[1], PMU_USER, 11);
	assert_int_equal(c->f.pmis[0], 1);
	assert_int_equal(c->f.pmis[1], 1);
}

/* ---- cascading ------------------------------------------------------------ */

/*
 * A wrap on one processor starts a counter of the other: from the next instruction on,
 * without the earlier instructions of the other, synchronised or not.
 */
static void check_cascade(unsigned int from, unsigned int before)
{
	struct core c;

	start_core(&c, PRESCOTT);
	count_insns(&c, 12, from ? T1_USR : T0_USR, -100, 0);
	wr(&c.f, CRU_ESCR0 + 1, RETIRED | (from ? T0_USR : T1_USR));
	wr(&c.f, COUNTER(14), -50);
	wr(&c.f, CCCR(14), CRU01 | MUST | CASCADE | OVF_PMI_T1);
	/* with something pending */
	wr(&c.f, FSB_ESCR0, CLOCKS | T0_USR | T0_OS | (before ? T1_USR | T1_OS : 0));
	wr(&c.f, CCCR(0), FSB | ON);
	run(c.t[!from], PMU_USER, 30);
	run(c.t[from], PMU_USER, 99);
	run(c.t[!from], PMU_USER, 7);
	assert_false(rd(&c.f, CCCR(14)) & ENABLE);
	run(c.t[!from], PMU_USER, 7);
	run(c.t[from], PMU_USER, 1);
	run(c.t[from], PMU_USER, 5);
	run(c.t[!from], PMU_USER, 50);
	assert_int_equal(c.f.pmis[1], 0);
	run(c.t[!from], PMU_USER, 1);
	assert_int_equal(c.f.pmis[1], 1);
	assert_int_equal(c.f.pmis[0], 0);
	assert_true(rd(&c.f, CCCR(14)) & ENABLE);
	assert_int_equal(rd(&c.f, COUNTER(14)), 1);
	assert_int_equal(rd(&c.f, COUNTER(12)), 5);
	stop(&c.f);
}

static void cascades(void **state)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		check_cascade(i & 1, i >> 1);
}

/* ---- the active thread field ---------------------------------------------- */

static const struct {
	unsigned int field;
	uint64_t with_both, with_one;
} fields[] = {
	{ 0, 0, 0 }, { 1, 0, 1 }, { 2, 1, 0 }, { 3, 1, 1 },
};

static void check_active(unsigned int k, unsigned int i, unsigned int t)
{
	uint64_t cccr = kinds[k].cccr | ENABLE | (uint64_t)fields[i].field << 16;
	uint64_t counted = 0;
	struct core c;

	start_core(&c, PRESCOTT);
	wr(&c.f, kinds[k].escr, kinds[k].event | (t ? T1_USR : T0_USR));
	wr(&c.f, CCCR(kinds[k].i), cccr);
	some(c.t[t], PMU_USER, 40);
	counted += 40 * fields[i].with_both;
	c.f.halted[!t] = true;
	some(c.t[t], PMU_USER, 300);
	counted += 300 * fields[i].with_one;
	c.f.halted[!t] = false;
	some(c.t[t], PMU_USER, 2);
	some(c.t[!t], PMU_USER, 1000);
	counted += 2 * fields[i].with_both;
	if (rd(&c.f, COUNTER(kinds[k].i)) != counted)
		fail_msg("event %u, field %u, T%u: %u", k, i, t,
			 (unsigned int)rd(&c.f, COUNTER(kinds[k].i)));
	stop(&c.f);
}

static void active_threads(void **state)
{
	unsigned int k, i, t;

	for (k = 0; k < N(kinds); k++)
		for (i = 0; i < N(fields); i++)
			for (t = 0; t < 2; t++)
				check_active(k, i, t);
}

/* ---- filters -------------------------------------------------------------- */

/* Edges of one processor are independent of the other; a halt ends its condition. */
TEST_CORE(PRESCOTT, edges)
{
	wr(&c->f, FSB_ESCR0, CLOCKS | T1_USR);
	wr(&c->f, CCCR(0), FSB | ON | COMPARE | C_EDGE);
	wr(&c->f, FSB_ESCR0 + 1, CLOCKS | T0_USR);
	wr(&c->f, CCCR(2), FSB | ON | COMPARE | C_EDGE);
	run(c->t[1], PMU_USER, 5);
	run(c->t[0], PMU_USER, 5);
	run(c->t[1], PMU_USER, 5);
	assert_int_equal(rd(&c->f, COUNTER(0)), 1);
	assert_int_equal(rd(&c->f, COUNTER(2)), 1);
	pmu_retire_insn(c->t[0], PMU_USER, PMU_CLASS_HALT);
	run(c->t[1], PMU_USER, 5);
	assert_int_equal(rd(&c->f, COUNTER(0)), 1);
	pmu_retire_insn(c->t[1], PMU_USER, PMU_CLASS_HALT);
	run(c->t[1], PMU_USER, 5);
	assert_int_equal(rd(&c->f, COUNTER(0)), 2);
	assert_int_equal(rd(&c->f, COUNTER(2)), 1);
	run(c->t[0], PMU_USER, 5);
	assert_int_equal(rd(&c->f, COUNTER(2)), 2);
}

/* The condition of both processors together: it lasts while one of them halts. */
static void edges_of_both(void **state)
{
	struct core c;
	unsigned int t;

	for (t = 0; t < 2; t++) {
		start_core(&c, PRESCOTT);
		wr(&c.f, FSB_ESCR0, CLOCKS | T0_USR | T1_USR);
		wr(&c.f, CCCR(0), FSB | ON | COMPARE | C_EDGE);
		run(c.t[t], PMU_USER, 5);
		pmu_retire_insn(c.t[!t], PMU_USER, PMU_CLASS_HALT);
		run(c.t[t], PMU_USER, 5);
		assert_int_equal(rd(&c.f, COUNTER(0)), 1);
		stop(&c.f);
	}
}

/* ---- several cores, caches, dump -------------------------------------------- */

/* Two cores with two logical processors each. */
static void two_cores(void **state)
{
	struct pmu_cpu *other[2];
	struct core c;

	start_with(&c.f, PRESCOTT, 4, 2, NULL);
	c.t[0] = pmu_get_cpu(c.f.pmu, 0);
	c.t[1] = pmu_get_cpu(c.f.pmu, 1);
	other[0] = pmu_get_cpu(c.f.pmu, 2);
	other[1] = pmu_get_cpu(c.f.pmu, 3);
	count_insns(&c, 12, T1_USR, 0, 0);
	wr_on(other[1], CRU_ESCR0, RETIRED | T0_USR);
	wr_on(other[1], COUNTER(12), -1);
	wr_on(other[1], CCCR(12), CRU01 | ON | OVF_PMI_T1);
	run(c.t[1], PMU_USER, 5);
	run(other[0], PMU_USER, 2);
	run(other[1], PMU_USER, 90);
	assert_int_equal(rd_on(c.t[0], COUNTER(12)), 5);
	assert_int_equal(rd_on(other[1], COUNTER(12)), 1);
	assert_int_equal(c.f.pmis[0] + c.f.pmis[1] + c.f.pmis[2], 0);
	assert_int_equal(c.f.pmis[3], 1);
	stop(&c.f);
}

/* A core has one set of caches; the L3 counters count both processors. */
static void l3(void **state)
{
	uint32_t regs[4] = { 0 };
	struct core c;

	start_with(&c.f, PRESCOTT, 2, 2, "xeon_l3");
	c.t[0] = pmu_get_cpu(c.f.pmu, 0);
	c.t[1] = pmu_get_cpu(c.f.pmu, 1);
	wr_on(c.t[1], 0x107cc, 0x07ffffff00000000);
	data_on(c.t[0], 0x10000, 8, PMU_READ, true);
	run(c.t[0], PMU_USER, 1);
	assert_int_equal(pmc(&c.f, 18), 1);
	data_on(c.t[1], 0x10000, 8, PMU_READ, true);
	run(c.t[1], PMU_USER, 1);
	assert_int_equal(pmc(&c.f, 18), 1);
	data_on(c.t[1], 0x20000, 8, PMU_READ, true);
	run(c.t[1], PMU_USER, 1);
	assert_int_equal(pmc(&c.f, 18), 2);
	assert_int_equal(rd_on(c.t[0], 0x107cc), 0x07ffffff00000002);
	pmu_cpuid(c.f.c, 4, 2, regs);
	assert_int_equal(regs[0], 0x163 | 1 << 14);
	stop(&c.f);
}

/* The dump includes what is pending on the other processor. */
static void dump_includes_pending(void **state)
{
	char name[] = "/tmp/pmu-dump-XXXXXX", option[64], line[128];
	unsigned int found = 0;
	struct fake f;
	FILE *file;

	close(mkstemp(name));
	snprintf(option, sizeof(option), "dump=%s", name);
	start_with(&f, PRESCOTT, 2, 2, option);
	wr(&f, CRU_ESCR0, RETIRED | T1_USR);
	wr(&f, CCCR(12), CRU01 | ON);
	run(pmu_get_cpu(f.pmu, 1), PMU_USER, 0x123);
	stop(&f);
	file = fopen(name, "r");
	while (fgets(line, sizeof(line), file))
		found += strstr(line, "COUNTER12 ") && strstr(line, "0000000000000123");
	fclose(file);
	unlink(name);
	assert_int_equal(found, 2);
}

#define T(f) { "netburst_threads_" #f, f, NULL, NULL, NULL }

const struct CMUnitTest netburst_thread_tests[] = {
	T(shared_registers), T(reset_by_either_thread), T(reserved_bits), T(qualification),
	T(wants), T(write_takes_effect_for_both), T(wrmsr_counts_for_its_thread),
	T(interrupted_thread), T(pmi_on_events_of_both), T(one_counter_per_thread),
	T(one_interrupt_for_two), T(cascades), T(active_threads), T(edges), T(edges_of_both),
	T(two_cores), T(l3), T(dump_includes_pending),
};
const size_t netburst_thread_ntests = N(netburst_thread_tests);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the PMU model's quirks that make counts wrong, and of the options of all quirks. Each
 * option
 * makes a number wrong, and the documented workaround, written out as register accesses, makes it
 * right.
 */
#include <string.h>

#include "fake.h"

#define FORCE_ABORT	0x10f

/* ---- tfa ---- */

TEST_WITH(SKYLAKE_X, 1, 1, "tfa", tfa_spoils_counter_3)
{
	assert_int_equal(seven_on(f, 2), 7);
	/* 3 for each of 10 steps and the WRMSR that stops it */
	assert_int_equal(seven_on(f, 3), 33);
	wr(f, FORCE_ABORT, 1);
	assert_int_equal(seven_on(f, 3), 7);
	wr(f, FORCE_ABORT, 0);
	assert_int_equal(seven_on(f, 3), 33);
	restart(f, SKYLAKE_X);
	assert_int_equal(seven_on(f, 3), 7);
}

/* Each logical processor has its own register; it changes a counter that runs. */
TEST_WITH(SKYLAKE_X, 2, 2, "tfa", tfa_register)
{
	uint32_t regs[4] = { 0, 0, 0, 1u << 11 | 1u << 2 };

	pmu_cpuid(f->c, 7, 0, regs);
	assert_int_equal(regs[3], 1u << 13 | 1u << 2);
	memset(regs, 0, sizeof(regs));
	pmu_cpuid(f->c, 7, 1, regs);
	assert_int_equal(regs[3], 0);
	wr_gp(f, FORCE_ABORT, 2);
	wr(f, FORCE_ABORT, 1);
	assert_int_equal(rd(f, FORCE_ABORT), 1);
	assert_int_equal(rd_on(pmu_get_cpu(f->pmu, 1), FORCE_ABORT), 0);
	count_on(f, 3, INSNS | USR);
	run(f->c, PMU_USER, 7);
	wr(f, FORCE_ABORT, 0);
	run(f->c, PMU_USER, 7);
	assert_int_equal(rd(f, IA32_PMC0 + 3), 28);
	restart(f, SKYLAKE_X);
	memset(regs, 0, sizeof(regs));
	pmu_cpuid(f->c, 7, 0, regs);
	assert_int_equal(regs[3], 0);
	assert_int_equal(pmu_check_rdmsr(f->c, FORCE_ABORT), PMU_NONE);
}

/* ---- aak100 ---- */

static const uint32_t linux_order[4] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };

static void write_codes(struct fake *f)
{
	unsigned int i;

	wr(f, GLOBAL_CTRL, 0);
	for (i = 0; i < 4; i++)
		wr(f, IA32_PERFEVTSEL0 + i, linux_order[i]);
}

static void clear_with(struct fake *f, const uint32_t codes[4])
{
	unsigned int i;

	wr(f, GLOBAL_CTRL, 0);
	for (i = 0; i < 4; i++) {
		wr(f, IA32_PERFEVTSEL0 + i, codes[i]);
		wr(f, IA32_PMC0 + i, 0);
	}
	wr(f, GLOBAL_CTRL, 0xf);
	wr(f, GLOBAL_CTRL, 0);
	for (i = 0; i < 4; i++)
		wr(f, IA32_PERFEVTSEL0 + i, 0);
}

/* Program the four counters with this event, and count 7 user instructions, 2 of them branches. */
static void four(struct fake *f, uint64_t event)
{
	unsigned int i;

	wr(f, GLOBAL_CTRL, 0);
	for (i = 0; i < 4; i++)
		count_on(f, i, event | USR);
	wr(f, GLOBAL_CTRL, 0xf);
	run(f->c, PMU_KERNEL, 3);
	run(f->c, PMU_USER, 5);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	branch(f->c, PMU_USER, PMU_BR_CALL);
	wr(f, GLOBAL_CTRL, 0);
}

static void assert_four(struct fake *f, uint64_t even, uint64_t odd)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		assert_int_equal(rd(f, IA32_PMC0 + i), i % 2 ? odd : even);
}

TEST_WITH(LYNNFIELD, 1, 1, "aak100", aak100_miscounts)
{
	four(f, BRANCHES);
	assert_four(f, 0, 7);
	clear_with(f, linux_order);
	four(f, BRANCHES);
	assert_four(f, 2, 2);
	/* the same event again, a new one without the workaround, and with it */
	four(f, BRANCHES | PC);
	assert_four(f, 2, 2);
	four(f, INSNS);
	assert_four(f, 0, 7);
	clear_with(f, linux_order);
	four(f, BRANCHES);
	assert_four(f, 2, 2);
	restart(f, LYNNFIELD);
	four(f, BRANCHES);
	assert_four(f, 2, 2);
}

/* As Linux does: the new event is written, cleared away, and written again. */
TEST_WITH(LYNNFIELD, 1, 1, "aak100", aak100_as_linux)
{
	unsigned int i;

	wr(f, GLOBAL_CTRL, 0);
	count_on(f, 2, BRANCHES | USR);
	clear_with(f, linux_order);
	count_on(f, 2, BRANCHES | USR);
	wr(f, GLOBAL_CTRL, 4);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	/* another event is added: counter 2 is saved and restored */
	wr(f, GLOBAL_CTRL, 0);
	i = rd(f, IA32_PMC0 + 2);
	clear_with(f, linux_order);
	wr(f, IA32_PMC0 + 2, i);
	wr(f, IA32_PERFEVTSEL0 + 2, BRANCHES | USR | EN);
	count_on(f, 0, INSNS | USR);
	wr(f, GLOBAL_CTRL, 5);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	assert_int_equal(rd(f, IA32_PMC0 + 2), 2);
	assert_int_equal(rd(f, IA32_PMC0), 1);
}

/* 0 and the workaround's codes replace no event: the same event after them is not new. */
TEST_WITH(LYNNFIELD, 1, 1, "aak100", aak100_same_event)
{
	unsigned int i;

	clear_with(f, linux_order);
	four(f, BRANCHES);
	for (i = 0; i < 4; i++)
		wr(f, IA32_PERFEVTSEL0 + i, i % 2 ? 0 : 0x4300b5);
	four(f, BRANCHES);
	assert_four(f, 2, 2);
}

/* What is not the workaround. */
TEST_WITH(LYNNFIELD, 1, 1, "aak100", aak100_incomplete)
{
	static const uint32_t two_codes[4] = { 0x4300b5, 0x4300d2, 0x4300d2, 0x4300b5 };
	static const uint32_t disabled[4] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x0300b1 };
	unsigned int i;

	clear_with(f, two_codes);
	four(f, BRANCHES);
	assert_four(f, 0, 7);
	clear_with(f, disabled);
	four(f, INSNS);
	assert_four(f, 0, 7);
	/* a counter was enabled since */
	clear_with(f, linux_order);
	wr(f, GLOBAL_CTRL, 1);
	four(f, BRANCHES);
	assert_four(f, 0, 7);
	/* not all counters enabled */
	write_codes(f);
	for (i = 0; i < 4; i++)
		wr(f, IA32_PMC0 + i, 0);
	wr(f, GLOBAL_CTRL, 7);
	wr(f, GLOBAL_CTRL, 0);
	four(f, INSNS);
	assert_four(f, 0, 7);
}

TEST_WITH(LYNNFIELD, 1, 1, "aak100", aak100_out_of_order)
{
	unsigned int i;

	four(f, BRANCHES);
	/* not disabled before */
	write_codes(f);
	for (i = 0; i < 4; i++)
		wr(f, IA32_PMC0 + i, 0);
	wr(f, GLOBAL_CTRL, 1);
	wr(f, GLOBAL_CTRL, 0xf);
	wr(f, GLOBAL_CTRL, 0);
	four(f, INSNS);
	assert_four(f, 0, 7);
	/* a counter is not 0 */
	write_codes(f);
	for (i = 0; i < 3; i++)
		wr(f, IA32_PMC0 + i, 0);
	wr(f, GLOBAL_CTRL, 0xf);
	wr(f, GLOBAL_CTRL, 0);
	four(f, BRANCHES);
	assert_four(f, 0, 7);
}

/* ---- hsd29 ---- */

#define ALL_LOADS 0x81d0

/* A user instruction that reads. */
static void load(struct pmu_cpu *c)
{
	data_on(c, 0x1000, 4, PMU_READ, true);
	pmu_retire_insn(c, PMU_USER, 0);
}

/* 5 loads here, 7 instructions there, alternating. */
static void both(struct pmu_cpu *here, struct pmu_cpu *there)
{
	unsigned int i;

	for (i = 0; i < 5; i++) {
		load(here);
		run(there, PMU_USER, 1);
	}
	run(there, PMU_USER, 2);
}

static void hsd29_leaks(void **state)
{
	struct pmu_cpu *a, *b;
	struct fake f;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		start_with(&f, HASWELL, 4, 2, i == 3 ? NULL : "hsd29");
		a = pmu_get_cpu(f.pmu, i == 1 ? 3 : 2);
		b = pmu_get_cpu(f.pmu, i == 1 ? 2 : 3);
		program_on(b, 1, INSNS | USR | EN);
		program_on(a, i == 2 ? 2 : 1, ALL_LOADS | USR | EN);
		both(a, b);
		assert_int_equal(rd_on(a, IA32_PMC0 + (i == 2 ? 2 : 1)), i < 2 ? 0 : 5);
		assert_int_equal(rd_on(b, IA32_PMC0 + 1), i < 2 ? 12 : 7);
		/* the workaround: the other counter is disabled */
		wr_on(b, IA32_PERFEVTSEL0 + 1, 0);
		program_on(a, 1, ALL_LOADS | USR | EN);
		both(a, b);
		assert_int_equal(rd_on(a, IA32_PMC0 + 1), 5);
		/* other events and fixed counters do not leak */
		program_on(a, 1, INSNS | USR | EN);
		program_on(b, 1, BRANCHES | USR | EN);
		wr_on(b, GLOBAL_CTRL, BIT(1) | BIT(32));
		wr_on(b, IA32_FIXED_CTR_CTRL, 2);
		both(a, b);
		assert_int_equal(rd_on(a, IA32_PMC0 + 1), 5);
		assert_int_equal(rd_on(b, IA32_PMC0 + 1), 0);
		assert_int_equal(rd_on(b, IA32_FIXED_CTR0), 7);
		/* the other counter is enabled last */
		program_on(a, 0, ALL_LOADS | USR | EN);
		program_on(b, 0, BRANCHES | USR | EN);
		both(a, b);
		assert_int_equal(rd_on(b, IA32_PMC0), i < 3 ? 5 : 0);
		stop(&f);
	}
}

/* The leak overflows the other counter and interrupts its processor. */
TEST_WITH(HASWELL, 2, 2, "hsd29", hsd29_overflow)
{
	struct pmu_cpu *b;

	b = pmu_get_cpu(f->pmu, 1);
	program_on(b, 0, INSNS | USR | INT | EN);
	wr_on(b, IA32_A_PMC0, 0xfffffffffffc);
	program_on(f->c, 0, ALL_LOADS | USR | INT | EN);
	run(b, PMU_USER, 2);
	load(f->c);
	assert_int_equal(f->pmis[1], 0);
	load(f->c);
	assert_int_equal(f->pmis[0], 0);
	assert_int_equal(f->pmis[1], 1);
	assert_int_equal(rd_on(b, GLOBAL_STATUS), 1);
	assert_int_equal(rd_on(f->c, GLOBAL_STATUS), 0);
	wr_on(b, IA32_A_PMC0, 0xffffffffffff);
	run(b, PMU_USER, 1);
	assert_int_equal(f->pmis[1], 2);
}

/* ---- minleft ---- */

/* Write a counter with this number of events left and run 40. Return: interrupts requested. */
static unsigned int pmis_after(struct fake *f, uint32_t counter, uint64_t left)
{
	unsigned int before = f->pmis[0];

	wr(f, GLOBAL_RESET, rd(f, GLOBAL_STATUS));
	wr(f, counter, -left & 0xffffffffffff);
	run(f->c, PMU_USER, 40);
	assert_int_equal(rd(f, counter), 40 - left);
	assert_int_equal(!!rd(f, GLOBAL_STATUS), f->pmis[0] - before);
	return f->pmis[0] - before;
}

static void minleft_loses_overflows(void **state)
{
	struct fake f;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		start_with(&f, HASWELL, 1, 1, i ? "minleft=32" : NULL);
		wr(&f, GLOBAL_CTRL, 1 | BIT(32));
		wr(&f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
		assert_int_equal(pmis_after(&f, IA32_A_PMC0, 31), !i);
		assert_int_equal(pmis_after(&f, IA32_A_PMC0, 1), !i);
		assert_int_equal(pmis_after(&f, IA32_A_PMC0, 32), 1);
		wr(&f, IA32_PERFEVTSEL0, 0);
		wr(&f, IA32_FIXED_CTR_CTRL, 0xa);
		assert_int_equal(pmis_after(&f, IA32_FIXED_CTR0, 31), !i);
		assert_int_equal(pmis_after(&f, IA32_FIXED_CTR0, 32), 1);
		stop(&f);
	}
}

/* Only the overflow after the write is lost, and none that does not interrupt. */
TEST_WITH(HASWELL, 1, 1, "minleft=32,width=16", minleft_once)
{
	wr(f, GLOBAL_CTRL, 1);
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	wr(f, IA32_A_PMC0, 0xffff);
	run(f->c, PMU_USER, 0xffff);
	assert_int_equal(f->pmis[0], 0);
	run(f->c, PMU_USER, 2);
	assert_int_equal(f->pmis[0], 1);
	wr(f, GLOBAL_RESET, 1);
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | EN);
	wr(f, IA32_A_PMC0, 0xffff);
	run(f->c, PMU_USER, 1);
	assert_int_equal(rd(f, GLOBAL_STATUS), 1);
}

/* ---- bdw47 ---- */

TEST_WITH(SANDY_BRIDGE, 1, 1, "bdw47", bdw47_needs_os)
{
	unsigned int i;

	for (i = 0; i < 8; i++) {
		wr(f, GLOBAL_CTRL, BIT(i));
		assert_int_equal(seven_on(f, i), i < 4 ? 7 : 0);
		count_on(f, i, INSNS | USR | OS);
		run(f->c, PMU_KERNEL, 3);
		run(f->c, PMU_USER, 7);
		assert_int_equal(rd(f, IA32_PMC0 + i), 10);
		wr(f, IA32_PERFEVTSEL0 + i, 0);
	}
	restart(f, SANDY_BRIDGE);
	wr(f, GLOBAL_CTRL, 0xff);
	assert_int_equal(seven_on(f, 7), 7);
}

/* ---- iret ---- */

static void iret_privilege(void **state)
{
	struct fake f;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		start_with(&f, SKYLAKE_X, 1, 1, i ? "iret" : NULL);
		assert_int_equal(pmu_iret_priv(f.pmu, PMU_KERNEL, PMU_USER),
				 i ? PMU_USER : PMU_KERNEL);
		assert_int_equal(pmu_iret_priv(f.pmu, PMU_KERNEL, PMU_KERNEL), PMU_KERNEL);
		assert_int_equal(pmu_iret_priv(f.pmu, PMU_USER, PMU_USER), PMU_USER);
		stop(&f);
	}
}

/* ---- smi ---- */

TEST_WITH(SKYLAKE_X, 2, 1, "smi=500", smi_counts_as_user)
{
	wr(f, GLOBAL_CTRL, 3 | BIT(32));
	count_on(f, 0, INSNS | USR);
	count_on(f, 1, CYCLES | OS);
	wr(f, IA32_FIXED_CTR_CTRL, 2);
	/* six WRMSR before */
	run(f->c, PMU_USER, 40000);
	run(f->c, PMU_KERNEL, 60000 - 6 - 1);
	assert_int_equal(rd(f, IA32_PMC0), 40000);
	run(f->c, PMU_KERNEL, 1);
	assert_int_equal(rd(f, IA32_PMC0), 40500);
	assert_int_equal(rd(f, IA32_FIXED_CTR0), 40500);
	/* nothing in the kernel: the steps and the WRMSR that enable the fixed counter */
	assert_int_equal(rd(f, IA32_PMC0 + 1), 60000 - 6 + 1);
	/* the next one after as many steps again; each processor has its own */
	run(pmu_get_cpu(f->pmu, 1), PMU_USER, 99999);
	run(f->c, PMU_USER, 99999);
	assert_int_equal(rd(f, IA32_PMC0), 40500 + 99999);
	run(f->c, PMU_USER, 1);
	assert_int_equal(rd(f, IA32_PMC0), 40500 + 100000 + 500);
}

/* DEBUGCTL bit 14, which IA32_PERF_CAPABILITIES bit 12 reports with the option only. */
TEST_ON(SKYLAKE_X, smi_frozen)
{
	assert_int_equal(rd(f, IA32_PERF_CAPABILITIES), BIT(13));
	wr_gp(f, IA32_DEBUGCTL, BIT(14));
	restart_with(f, SKYLAKE_X, 1, 1, "smi=500");
	assert_int_equal(rd(f, IA32_PERF_CAPABILITIES), BIT(13) | BIT(12));
	wr(f, IA32_DEBUGCTL, BIT(14));
	wr(f, GLOBAL_CTRL, 1);
	count_on(f, 0, INSNS | USR);
	run(f->c, PMU_USER, 100000);
	assert_int_equal(rd(f, IA32_PMC0), 100000);
	wr(f, IA32_DEBUGCTL, 0);
	run(f->c, PMU_USER, 100000);
	assert_int_equal(rd(f, IA32_PMC0), 200500);
	/* no such register on AMD and P6 */
	restart_with(f, RYZEN, 1, 1, "smi=500,perfmon_v2");
	wr(f, IA32_DEBUGCTL, BIT(14));
	wr(f, 0xc0010200, INSNS | USR | EN);
	run(f->c, PMU_USER, 100000);
	assert_int_equal(rd(f, 0xc0010201), 100500);
	restart_with(f, PENTIUM_III, 1, 1, "smi=500");
	wr(f, 0x186, INSNS | USR | EN);
	run(f->c, PMU_USER, 100000);
	assert_int_equal(rd(f, 0xc1), 100500);
	/* version 1 has no freeze */
	restart_with(f, SKYLAKE_X, 1, 1, "smi=500,version=1");
	assert_int_equal(rd(f, IA32_PERF_CAPABILITIES), BIT(13));
}

/* An overflow in the handler interrupts once. */
TEST_WITH(SKYLAKE_X, 2, 2, "smi=500", smi_overflow)
{
	wr(f, GLOBAL_CTRL, 1);
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	wr(f, IA32_A_PMC0, -100200 & 0xffffffffffff);
	program_on(pmu_get_cpu(f->pmu, 1), 0, INSNS | USR | EN);
	run(f->c, PMU_USER, 99996);
	run(pmu_get_cpu(f->pmu, 1), PMU_USER, 7);
	assert_int_equal(f->pmis[0], 0);
	run(f->c, PMU_USER, 1);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(rd(f, GLOBAL_STATUS), 1);
	assert_int_equal(rd(f, IA32_PMC0), 297);
	assert_int_equal(rd_on(pmu_get_cpu(f->pmu, 1), IA32_PMC0), 7);
}

/* ---- silicon ---- */

static bool has_tfa(const struct fake *f)
{
	uint32_t regs[4] = { 0 };

	pmu_cpuid(f->c, 7, 0, regs);
	return regs[3] >> 13 & 1;
}

static void silicon_of_each(void **state)
{
	unsigned int model;
	struct fake f;
	bool masks;

	for (model = 0; model < NMODELS; model++) {
		start(&f, model);
		masks = pmu_masks_lvtpc(f.pmu) && model != PENTIUM_II && model != PENTIUM_III;
		stop(&f);
		start_with(&f, model, 1, 1, "silicon");
		assert_int_equal(has_tfa(&f), model == SKYLAKE_X);
		assert_int_equal(pmu_masks_lvtpc(f.pmu), masks);
		stop(&f);
	}
	start_with(&f, LYNNFIELD, 1, 1, "silicon");
	four(&f, BRANCHES);
	assert_four(&f, 0, 7);
	wr(&f, GLOBAL_CTRL, BIT(32));
	wr(&f, IA32_FIXED_CTR_CTRL, 0xa);
	assert_int_equal(pmis_after(&f, IA32_FIXED_CTR0, 31), 0);
	assert_int_equal(pmis_after(&f, IA32_FIXED_CTR0, 32), 1);
	stop(&f);
	/* an explicit option overrides silicon's value */
	start_with(&f, LYNNFIELD, 1, 1, "minleft=20,silicon");
	wr(&f, GLOBAL_CTRL, BIT(32));
	wr(&f, IA32_FIXED_CTR_CTRL, 0xa);
	assert_int_equal(pmis_after(&f, IA32_FIXED_CTR0, 20), 1);
	assert_int_equal(pmis_after(&f, IA32_FIXED_CTR0, 19), 0);
	stop(&f);
}

/* HSD29 needs Hyper-Threading. HSM154 is one of mobile processors. */
static void silicon_with_threads(void **state)
{
	unsigned int threads;
	struct fake f;

	for (threads = 1; threads <= 2; threads++) {
		start_with(&f, HASWELL, 2, threads, "silicon");
		program_on(pmu_get_cpu(f.pmu, 1), 1, INSNS | USR | EN);
		program_on(f.c, 1, ALL_LOADS | USR | EN);
		both(f.c, pmu_get_cpu(f.pmu, 1));
		assert_int_equal(rd(&f, IA32_PMC0 + 1), threads > 1 ? 0 : 5);
		wr(&f, GLOBAL_CTRL, 0);
		wr(&f, IA32_FIXED_CTR_CTRL, 2);
		wr(&f, GLOBAL_CTRL, BIT(32));
		assert_int_equal(rd(&f, IA32_FIXED_CTR0), 0);
		stop(&f);
	}
}

/* ---- all ---- */

static void not_applicable(void **state)
{
	refused(SKYLAKE_X, 1, 1, "tfa=1", "bad value: 'tfa=1'");
	refused(HASWELL, 1, 1, "hsd29", "use --threads 2");
	refused(HASWELL, 1, 1, "mask,nomask", "choose one");
	refused(HASWELL, 1, 1, "bdw47", "five general counters");
	refused(CORE_DUO, 1, 1, "fix0", "version 2");
	refused(SKYLAKE_X, 1, 1, "version=1,status", "version 2");
	refused(RYZEN, 1, 1, "status", "status: this processor does not have PerfMonV2");
	refused(PENTIUM_III, 1, 1, "status", "or AMD's counters");
	refused(HASWELL, 1, 1, "silicon=1", "bad value");
	refused(HASWELL, 1, 1, "minleft", "bad value: 'minleft'");
	refused(HASWELL, 1, 1, "minleft=1", "bad value");
	refused(HASWELL, 1, 1, "minleft=100001", "bad value");
	refused(HASWELL, 1, 1, "minleft=2x", "bad value");
	refused(HASWELL, 1, 1, "minleft=-2", "bad value");
	refused(SKYLAKE_X, 1, 1, "migrate=10", "bad value");
	refused(SKYLAKE_X, 1, 1, "migrate=10:", "bad value");
	refused(SKYLAKE_X, 1, 1, "migrate=10:0", "bad value");
	refused(SKYLAKE_X, 1, 1, "migrate=10:1g", "bad value");
	refused(SKYLAKE_X, 1, 1, "migrate=0:1", "bad value");
	refused(SKYLAKE_X, 1, 1, "migrate=10;1", "bad value");
	refused(SKYLAKE_X, 1, 1, "migrate=10:10000000000000000", "bad value");
	refused(SKYLAKE_X, 1, 1, "migrate=10:10", "migrate=N:10: choose among");
	refused(PENTIUM_III, 1, 1, "migrate=10:1", "or AMD's counters");
	refused(RYZEN, 1, 1, "migrate=10:40",
		"migrate=N:40: choose among the counters in CPUID, 3f");
	refused(ATHLON_XP, 1, 1, "migrate=10:10", "in CPUID, f");
	refused(SKYLAKE_X, 1, 1, "smi=0", "bad value");
	refused(SKYLAKE_X, 1, 1, "zen1", "AMD's counters");
	refused(CORE_DUO, 1, 1, "zero", "version 2");
	refused(PENTIUM_III, 1, 1, "n15", "NetBurst's counters");
	refused(SKYLAKE_X, 1, 1, "n15", "NetBurst's counters");
	refused(RYZEN, 1, 1, "zero", "architectural");
	refused(PENTIUM_III, 1, 1, "mediated=1000", "or AMD's counters");
	refused(SKYLAKE_X, 1, 1, "bogus", ", smi=N, zen1, zero, n15)");
	refused(SKYLAKE_X, 1, 1, "bogus", ", migrate=N:MASK");
	refused(SKYLAKE_X, 1, 1, "bogus", ", tfa");
	refused(PENTIUM_III, 1, 1, "tfa", "tfa: this processor does not have architectural");
	refused(PENRYN, 1, 1, "tfa", "tfa: this processor does not have four general counters");
}

#define T(f) cmocka_unit_test(f)

const struct CMUnitTest quirk_tests[] = {
	T(tfa_spoils_counter_3), T(tfa_register), T(aak100_miscounts),
	T(aak100_as_linux), T(aak100_same_event), T(aak100_incomplete),
	T(aak100_out_of_order), T(hsd29_leaks), T(hsd29_overflow),
	T(minleft_loses_overflows), T(minleft_once), T(bdw47_needs_os),
	T(iret_privilege), T(smi_counts_as_user), T(smi_frozen), T(smi_overflow),
	T(silicon_of_each), T(silicon_with_threads), T(not_applicable),
};
const size_t quirk_ntests = N(quirk_tests);

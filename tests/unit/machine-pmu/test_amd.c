// SPDX-License-Identifier: GPL-2.0-only
/* Tests of AMD's counters from K7 on */
#include <string.h>

#include "fake.h"

#define EVNTSEL0	0xc0010000
#define PERFCTR0	0xc0010004
#define PERF_CTL0	0xc0010200	/* PERF_CTR0 is the next MSR */
#define LLC_CTL0	0xc0010230
#define NB_CTL0		0xc0010240
#define STATUS		0xc0000300
#define CTL		0xc0000301
#define STATUS_CLR	0xc0000302
#define STATUS_SET	0xc0000303

#define CLOCKS		0x76
#define RETIRED		0xc0
#define BRANCH		0xc2
#define MISPREDICTED	0xc3
#define TAKEN		0xc4
#define FAR		0xc6
#define GUEST		BIT(40)
#define HOST		BIT(41)
#define FROZEN		BIT(59)
#define FREEZE		BIT(12)

#define TEST_AMD(name) TEST_EACH(ATHLON_XP, RYZEN, name)

static bool has_six(unsigned int model)
{
	return model >= ZAMBEZI;
}

static unsigned int counters_of(unsigned int model)
{
	return has_six(model) ? 6 : 4;
}

static uint32_t select_msr(unsigned int model, unsigned int i)
{
	return has_six(model) ? PERF_CTL0 + 2 * i : EVNTSEL0 + i;
}

static uint32_t counter_msr(unsigned int model, unsigned int i)
{
	return has_six(model) ? PERF_CTL0 + 2 * i + 1 : PERFCTR0 + i;
}

static void one(struct fake *f, uint64_t select)
{
	wr(f, EVNTSEL0, 0);
	wr(f, PERFCTR0, 0);
	wr(f, EVNTSEL0, select | EN);
}

/* ---- registers ------------------------------------------------------------ */

static void reset_values(void **state)
{
	struct fake f;
	unsigned int m, i;

	for (m = ATHLON_XP; m <= RYZEN; m++) {
		start(&f, m);
		assert_int_equal(pmu_user_cpl(f.pmu), 1);
		assert_false(pmu_masks_lvtpc(f.pmu));
		for (i = 0; i < counters_of(m); i++) {
			assert_int_equal(rd(&f, select_msr(m, i)), 0);
			wr(&f, counter_msr(m, i), i + 1);
			wr(&f, select_msr(m, i), RETIRED | USR);
		}
		pmu_reset(f.c, true);
		assert_int_equal(rd(&f, select_msr(m, 3)), RETIRED | USR);
		pmu_reset(f.c, false);
		for (i = 0; i < counters_of(m); i++) {
			assert_int_equal(rd(&f, select_msr(m, i)), 0);
			assert_int_equal(rd(&f, counter_msr(m, i)), 0);
		}
		stop(&f);
	}
	start(&f, SKYLAKE_X);
	assert_true(pmu_masks_lvtpc(f.pmu));
	stop(&f);
}

static const uint64_t all_bits[] = {
	[ATHLON_XP] = 0xffdfffff,
	[ATHLON_64] = 0xffdfffff,
	[PHENOM] = 0x30fffdfffff,
	[ZAMBEZI] = 0x30fffdfffff,
	[RYZEN] = 0x70fffdfffff,
};

TEST_AMD(select_bits)
{
	unsigned int m = f->model, i;

	for (i = 0; i < counters_of(m); i++) {
		wr(f, select_msr(m, i), ~0ull & ~EN);
		assert_int_equal(rd(f, select_msr(m, i)), all_bits[m] & ~EN);
		wr(f, select_msr(m, i), ~0ull);
		assert_int_equal(rd(f, select_msr(m, i)), all_bits[m]);
		wr(f, select_msr(m, i), 0);
	}
}

/* A counter has 48 bits; a write to it changes no other counter. */
TEST_AMD(counter_writes)
{
	unsigned int m = f->model, i;

	for (i = 0; i < counters_of(m); i++)
		wr(f, counter_msr(m, i), ~0ull - i);
	for (i = 0; i < counters_of(m); i++) {
		assert_int_equal(rd(f, counter_msr(m, i)), 0xffffffffffff - i);
		assert_int_equal(pmc(f, i), 0xffffffffffff - i);
	}
}

TEST_EACH(ZAMBEZI, RYZEN, aliases)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		wr(f, PERF_CTL0 + 2 * i, i + 0x100);
		wr(f, PERF_CTL0 + 2 * i + 1, i + 7);
		assert_int_equal(rd(f, EVNTSEL0 + i), i + 0x100);
		assert_int_equal(rd(f, PERFCTR0 + i), i + 7);
		wr(f, EVNTSEL0 + i, i + 0x200);
		wr(f, PERFCTR0 + i, i + 9);
		assert_int_equal(rd(f, PERF_CTL0 + 2 * i), i + 0x200);
		assert_int_equal(rd(f, PERF_CTL0 + 2 * i + 1), i + 9);
	}
}

TEST_AMD(missing_registers)
{
	unsigned int m = f->model, i;

	for (i = 0; i < 12; i++) {
		if (!has_six(m)) {
			rd_gp(f, PERF_CTL0 + i);
			wr_gp(f, PERF_CTL0 + i, 0);
		}
		if (m != RYZEN) {
			rd_gp(f, LLC_CTL0 + i);
			wr_gp(f, LLC_CTL0 + i, 0);
		}
	}
	for (i = 0; i < 8 && !has_six(m); i++)
		rd_gp(f, NB_CTL0 + i);
	for (i = 0; i < 4; i++) {
		rd_gp(f, STATUS + i);
		wr_gp(f, STATUS + i, 0);
	}
	no_msr(f, EVNTSEL0 + 8);
	no_msr(f, PERF_CTL0 + 12);
	no_msr(f, IA32_PERFEVTSEL0);
	no_msr(f, GLOBAL_CTRL);
	no_msr(f, IA32_DEBUGCTL);
}

/* North bridge and L3 counters are stored once for all processors and count nothing. */
TEST_WITH(RYZEN, 2, 1, NULL, shared_registers)
{
	unsigned int i;

	for (i = 0; i < 6; i++) {
		wr(f, LLC_CTL0 + 2 * i, ~0ull);
		wr(f, LLC_CTL0 + 2 * i + 1, ~0ull - i);
		assert_int_equal(pmc(f, 10 + i), 0xffffffffffff - i);
	}
	for (i = 0; i < 4; i++) {
		wr(f, NB_CTL0 + 2 * i, RETIRED | USR | EN | i);
		wr(f, NB_CTL0 + 2 * i + 1, i + 5);
	}
	run(f->c, PMU_USER, 10);
	for (i = 0; i < 4; i++) {
		assert_int_equal(pmc(f, 6 + i), i + 5);
		assert_int_equal(rd_on(pmu_get_cpu(f->pmu, 1), NB_CTL0 + 2 * i + 1), i + 5);
		assert_int_equal(rd(f, NB_CTL0 + 2 * i), RETIRED | USR | EN | i);
	}
	assert_int_equal(rd(f, LLC_CTL0), ~0ull);
	assert_int_equal(f->c->want, 0);
}

TEST_AMD(rdpmc)
{
	static const unsigned int n[] = {
		[ATHLON_XP] = 4, [ATHLON_64] = 4, [PHENOM] = 4, [ZAMBEZI] = 10, [RYZEN] = 16,
	};
	static const uint32_t bad[] = { 16, 0x40000000, 0x80000000, 0xffffffff };
	unsigned int m = f->model, i;

	for (i = 0; i < 16; i++)
		assert_int_equal(pmu_check_rdpmc(f->c, i, 3, true, true),
				 i < n[m] ? PMU_OK : PMU_GP);
	for (i = 0; i < 4; i++)
		assert_int_equal(pmu_check_rdpmc(f->c, bad[i], 0, true, true), PMU_GP);
	assert_int_equal(pmu_check_rdpmc(f->c, 0, 3, false, true), PMU_GP);
	assert_int_equal(pmu_check_rdpmc(f->c, 0, 0, false, true), PMU_OK);
}

/* Each block of counters has a CPUID bit of its own. */
TEST_ON(RYZEN_GUEST, core_extension_without_nb_and_llc)
{
	unsigned int i;

	for (i = 0; i < 16; i++)
		assert_int_equal(pmu_check_rdpmc(f->c, i, 0, true, true),
				 i < 6 ? PMU_OK : PMU_GP);
	rd_gp(f, NB_CTL0);
	rd_gp(f, LLC_CTL0);
	wr(f, PERF_CTL0 + 10, RETIRED | USR | EN);
	run(f->c, PMU_USER, 3);
	assert_int_equal(pmc(f, 5), 3);
}

TEST_ON(ZAMBEZI, no_ibs)
{
	uint32_t regs[4] = { 0, 0, 0xffffffff, 0 };

	pmu_cpuid(f->c, 0x80000001, 0, regs);
	assert_int_equal(regs[2], 0xffffffff & ~(1u << 10));
}

/* ---- counting ------------------------------------------------------------- */

TEST_AMD(every_counter)
{
	unsigned int m = f->model, i;

	for (i = 0; i < counters_of(m); i++)
		wr(f, select_msr(m, i), RETIRED | (i & 1 ? OS : USR) | EN);
	run(f->c, PMU_USER, 100);
	run(f->c, PMU_KERNEL, 20);
	/* the kernel's later select writes count in counters that are already on */
	for (i = 0; i < counters_of(m); i++)
		assert_int_equal(pmc(f, i), i & 1 ? 20 + counters_of(m) - 1 - i : 100);
	wr(f, select_msr(m, 0), RETIRED | USR);
	run(f->c, PMU_USER, 5);
	assert_int_equal(pmc(f, 0), 100);
}

/* The unit mask of an event without unit masks is ignored. */
TEST_AMD(unit_masks)
{
	one(f, RETIRED | 0xff00 | USR);
	run(f->c, PMU_USER, 10);
	assert_int_equal(pmc(f, 0), 10);
}

/* Bits 35:32 belong to the event number on families that have them. */
TEST_AMD(event_number_of_12_bits)
{
	unsigned int m = f->model;

	one(f, RETIRED | USR | BIT(32));
	run(f->c, PMU_USER, 10);
	assert_int_equal(pmc(f, 0), m < PHENOM ? 10 : 0);
}

static const unsigned int kinds[] = {
	PMU_BR_COND_TAKEN, PMU_BR_COND_NTAKEN, PMU_BR_JMP, PMU_BR_JMP_IND, PMU_BR_CALL,
	PMU_BR_CALL_IND, PMU_BR_RET, PMU_BR_FAR, PMU_BR_INT,
};

#define NKINDS N(kinds)

TEST_AMD(branch_events)
{
	unsigned int i;

	wr(f, EVNTSEL0, BRANCH | USR | EN);
	wr(f, EVNTSEL0 + 1, TAKEN | USR | EN);
	wr(f, EVNTSEL0 + 2, FAR | USR | EN);
	wr(f, EVNTSEL0 + 3, CLOCKS | USR | EN);
	for (i = 0; i < NKINDS; i++)
		branch(f->c, PMU_USER, kinds[i]);
	run(f->c, PMU_USER, 3);
	assert_int_equal(pmc(f, 0), NKINDS);
	assert_int_equal(pmc(f, 1), NKINDS - 1);
	assert_int_equal(pmc(f, 2), 2);
	assert_int_equal(pmc(f, 3), NKINDS + 3);
}

/* Handlers count as the kernel; up to family 15H they count as instructions too. */
TEST_AMD(handlers_count_as_kernel)
{
	unsigned int m = f->model;

	wr(f, EVNTSEL0 + 3, RETIRED | OS | USR | EN);
	wr(f, EVNTSEL0 + 2, RETIRED | USR | EN);
	wr(f, EVNTSEL0 + 1, BRANCH | OS | EN);
	wr(f, EVNTSEL0, FAR | OS | EN);
	pmu_exception(f->c);
	run(f->c, PMU_KERNEL, 4);
	pmu_hwint(f->c, PMU_USER);
	run(f->c, PMU_USER, 2);
	assert_int_equal(pmc(f, 0), 2);
	assert_int_equal(pmc(f, 1), 2);
	assert_int_equal(pmc(f, 2), 2);
	/* and three select writes */
	assert_int_equal(pmc(f, 3), 9 + (m == RYZEN ? 0 : 2));
}

TEST_EACH(ATHLON_XP, ZAMBEZI, interrupts_taken)
{
	one(f, 0xcf | USR);
	pmu_hwint(f->c, PMU_USER);
	pmu_exception(f->c);
	pmu_hwint(f->c, PMU_KERNEL);
	assert_int_equal(pmc(f, 0), 1);
}

TEST_AMD(mispredicted)
{
	unsigned int i;

	one(f, MISPREDICTED | USR);
	branch(f->c, PMU_USER, PMU_BR_COND_NTAKEN);
	assert_int_equal(pmc(f, 0), 0);
	branch(f->c, PMU_USER, PMU_BR_COND_TAKEN);
	assert_int_equal(pmc(f, 0), 1);
	branch(f->c, PMU_USER, PMU_BR_COND_TAKEN);
	assert_int_equal(pmc(f, 0), 1);
	for (i = 0; i < 3; i++)
		branch(f->c, PMU_USER, PMU_BR_FAR); /* never predicted */
	assert_int_equal(pmc(f, 0), 4);
}

/* Accesses of eight bytes at a time, and misses in L1. */
TEST_EACH(ATHLON_XP, ZAMBEZI, data_cache)
{
	wr(f, EVNTSEL0 + 1, 0x140 | USR | EN);
	wr(f, EVNTSEL0, 0x141 | USR | EN);
	data(f, 0x1000, 8, PMU_READ);
	data(f, 0x1008, 16, PMU_WRITE);
	data(f, 0x1044, 8, PMU_READ | PMU_WRITE);
	data(f, 0x3000, 8, PMU_WRITE);
	retire(f, PMU_USER);
	assert_int_equal(pmc(f, 0), 3);
	assert_int_equal(pmc(f, 1), 8);
}

/* The events that perf uses for cache references and misses; unused mask bits are ignored. */
TEST_EACH(ATHLON_64, RYZEN, l2_requests)
{
	static const unsigned int references[] = {
		[ATHLON_64] = 0x077d, [PHENOM] = 0x077d, [ZAMBEZI] = 0x077d, [RYZEN] = 0xff60,
	};
	static const unsigned int misses[] = {
		[ATHLON_64] = 0x077e, [PHENOM] = 0x077e, [ZAMBEZI] = 0x077e, [RYZEN] = 0x0964,
	};
	unsigned int m = f->model;

	wr(f, EVNTSEL0, references[m] | USR | EN);
	wr(f, EVNTSEL0 + 1, misses[m] | USR | EN);
	fetch(f, 0x1000);
	fetch(f, 0x1001);
	data(f, 0x2000, 8, PMU_READ);
	data(f, 0x3000, 8, PMU_WRITE);
	data(f, 0x1000, 8, PMU_READ);	/* in L2 by the fetch */
	retire(f, PMU_USER);
	assert_int_equal(pmc(f, 0), 4);
	assert_int_equal(pmc(f, 1), 3);
}

/* Family 15H: only counters 0 to 2 count events of the shared unit. */
TEST_EACH(ZAMBEZI, RYZEN, counters_of_an_event)
{
	unsigned int m = f->model, i;

	for (i = 0; i < 6; i++)
		wr(f, select_msr(m, i), (m == RYZEN ? 0xff60 : 0x077d) | USR | EN);
	data(f, 0x2000, 8, PMU_READ);
	retire(f, PMU_USER);
	for (i = 0; i < 6; i++)
		assert_int_equal(pmc(f, i), m == RYZEN || i < 3);
}

/* With a guest or host bit nothing counts without SVM. */
TEST_EACH(PHENOM, RYZEN, host_and_guest)
{
	wr(f, EVNTSEL0, RETIRED | USR | EN | HOST);
	wr(f, EVNTSEL0 + 1, RETIRED | USR | EN | GUEST);
	wr(f, EVNTSEL0 + 2, RETIRED | USR | EN | HOST | GUEST);
	wr(f, EVNTSEL0 + 3, RETIRED | USR | EN);
	run(f->c, PMU_USER, 10);
	assert_int_equal(pmc(f, 0), 0);
	assert_int_equal(pmc(f, 1), 0);
	assert_int_equal(pmc(f, 2), 0);
	assert_int_equal(pmc(f, 3), 10);
}

TEST_AMD(thresholds)
{
	wr(f, EVNTSEL0, BRANCH | USR | EN | CMASK(1));
	wr(f, EVNTSEL0 + 1, BRANCH | USR | EN | CMASK(1) | INV);
	wr(f, EVNTSEL0 + 2, BRANCH | USR | EN | EDGE);
	wr(f, EVNTSEL0 + 3, BRANCH | USR | EN | INV);
	run(f->c, PMU_USER, 3);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	run(f->c, PMU_USER, 2);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	assert_int_equal(pmc(f, 0), 3);
	assert_int_equal(pmc(f, 1), 5);
	assert_int_equal(pmc(f, 2), 2);
	assert_int_equal(pmc(f, 3), 3);
}

/* ---- overflow ------------------------------------------------------------- */

static void wraps_and_interrupts(void **state)
{
	struct fake f;
	unsigned int m, i;

	for (m = ATHLON_XP; m <= RYZEN; m++)
		for (i = 0; i < counters_of(m); i++) {
			start(&f, m);
			wr(&f, counter_msr(m, i), -100);
			wr(&f, select_msr(m, i), RETIRED | USR | INT | EN);
			run(f.c, PMU_USER, 99);
			run(f.c, PMU_KERNEL, 5);
			assert_int_equal(f.pmis[0], 0);
			run(f.c, PMU_USER, 1);
			assert_int_equal(f.pmis[0], 1);
			run(f.c, PMU_USER, 5);
			assert_int_equal(pmc(&f, i), 5);
			assert_int_equal(f.pmis[0], 1);
			wr(&f, select_msr(m, i), RETIRED | USR | EN);
			wr(&f, counter_msr(m, i), -1);
			run(f.c, PMU_USER, 1);
			assert_int_equal(f.pmis[0], 1);
			stop(&f);
		}
}

/* An event of steps and handlers also wraps on the exact step. */
static void wraps_with_handlers(void **state)
{
	struct fake f;
	unsigned int period, i;

	for (period = 1; period < 10000; period = period * 3 + 1) {
		start(&f, ATHLON_64);
		wr(&f, PERFCTR0, -(uint64_t)period);
		wr(&f, EVNTSEL0, RETIRED | USR | OS | INT | EN);
		for (i = 1; i < period; i++) {
			run(f.c, i % 3 ? PMU_USER : PMU_KERNEL, 1);
			assert_int_equal(f.pmis[0], 0);
		}
		run(f.c, PMU_USER, 1);
		assert_int_equal(f.pmis[0], 1);
		wr(&f, PERFCTR0, -2);
		pmu_exception(f.c);
		assert_int_equal(f.pmis[0], 1);
		run(f.c, PMU_KERNEL, 1);
		assert_int_equal(f.pmis[0], 2);
		stop(&f);
	}
}

TEST_WITH(RYZEN, 1, 1, "late=40", late_interrupt)
{
	wr(f, PERFCTR0, -1);
	wr(f, EVNTSEL0, RETIRED | USR | INT | EN);
	run(f->c, PMU_USER, 1);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(f->late, 40);
}

/* ---- PerfMonV2 ------------------------------------------------------------ */

TEST_WITH(RYZEN, 1, 1, "perfmon_v2", v2_cpuid)
{
	uint32_t regs[4] = { 0x8000001f, 1, 2, 3 };
	uint32_t leaf;

	pmu_cpuid(f->c, 0x80000000, 0, regs);
	assert_int_equal(regs[0], 0x80000022);
	assert_int_equal(regs[1], 1);
	for (leaf = 0x80000020; leaf <= 0x80000022; leaf++) {
		memset(regs, 0x55, sizeof(regs));
		pmu_cpuid(f->c, leaf, 0, regs);
		assert_int_equal(regs[0], leaf == 0x80000022 ? 5 : 0);
		assert_int_equal(regs[1], leaf == 0x80000022 ? 6 : 0);
		assert_int_equal(regs[2] | regs[3], 0);
	}
	regs[0] = 0x55;
	pmu_cpuid(f->c, 0x8000001f, 0, regs);
	assert_int_equal(regs[0], 0x55);
	restart(f, RYZEN);
	regs[0] = 0x8000001f;
	pmu_cpuid(f->c, 0x80000000, 0, regs);
	assert_int_equal(regs[0], 0x8000001f);
}

/* No write faults: reserved and read-only bits are ignored. */
TEST_WITH(RYZEN, 1, 1, "perfmon_v2", v2_registers)
{
	assert_int_equal(rd(f, CTL), 0x3f);
	assert_int_equal(rd(f, STATUS), 0);
	wr(f, STATUS_SET, ~0ull);
	assert_int_equal(rd(f, STATUS), FROZEN | 0x3f);
	assert_int_equal(rd(f, STATUS_SET), 0);
	wr(f, STATUS, 0);
	assert_int_equal(rd(f, STATUS), FROZEN | 0x3f);
	wr(f, STATUS_CLR, ~0x3full);
	assert_int_equal(rd(f, STATUS), 0x3f);
	wr(f, STATUS_CLR, 0x15);
	assert_int_equal(rd(f, STATUS), 0x2a);
	assert_int_equal(rd(f, STATUS_CLR), 0);
	wr(f, CTL, ~0ull);
	assert_int_equal(rd(f, CTL), 0x3f);
	wr(f, CTL, 0x15);
	assert_int_equal(rd(f, CTL), 0x15);
	assert_int_equal(f->pmis[0], 0);
	pmu_reset(f->c, false);
	assert_int_equal(rd(f, CTL), 0x3f);
	assert_int_equal(rd(f, STATUS), 0);
}

TEST_WITH(RYZEN, 1, 1, "perfmon_v2", v2_control)
{
	unsigned int i;

	for (i = 0; i < 6; i++)
		wr(f, PERF_CTL0 + 2 * i, RETIRED | USR | (i == 5 ? 0 : EN));
	wr(f, CTL, 0x32);
	run(f->c, PMU_USER, 10);
	for (i = 0; i < 6; i++)
		assert_int_equal(pmc(f, i), i == 1 || i == 4 ? 10 : 0);
	wr(f, CTL, 0);
	run(f->c, PMU_USER, 10);
	assert_int_equal(pmc(f, 1), 10);
	assert_int_equal(f->c->want, 0);
}

static void v2_overflow(void **state)
{
	struct fake f;
	unsigned int i;

	for (i = 0; i < 6; i++) {
		start_with(&f, RYZEN, 1, 1, "perfmon_v2");
		wr(&f, PERF_CTL0 + 2 * i + 1, -3);
		wr(&f, PERF_CTL0 + 2 * i, RETIRED | USR | INT | EN);
		run(f.c, PMU_USER, 2);
		assert_int_equal(rd(&f, STATUS), 0);
		run(f.c, PMU_USER, 1);
		assert_int_equal(rd(&f, STATUS), BIT(i));
		assert_int_equal(f.pmis[0], 1);
		run(f.c, PMU_USER, 4);
		assert_int_equal(pmc(&f, i), 4);
		/* without an interrupt too */
		wr(&f, STATUS_CLR, BIT(i));
		wr(&f, PERF_CTL0 + 2 * i, RETIRED | USR | EN);
		wr(&f, PERF_CTL0 + 2 * i + 1, -1);
		run(f.c, PMU_USER, 1);
		assert_int_equal(rd(&f, STATUS), BIT(i));
		assert_int_equal(f.pmis[0], 1);
		stop(&f);
	}
}

TEST_WITH(RYZEN, 1, 1, "perfmon_v2", v2_status_of_two)
{
	wr(f, PERFCTR0, -3);
	wr(f, PERFCTR0 + 2, -5);
	wr(f, EVNTSEL0, RETIRED | USR | EN);
	wr(f, EVNTSEL0 + 2, RETIRED | USR | EN);
	run(f->c, PMU_USER, 4);
	assert_int_equal(rd(f, STATUS), BIT(0));
	run(f->c, PMU_USER, 1);
	assert_int_equal(rd(f, STATUS), BIT(0) | BIT(2));
}

/* All counters stop on the step of the interrupt, until the bit is cleared. */
TEST_WITH(RYZEN, 1, 1, "perfmon_v2", v2_freeze)
{
	wr(f, IA32_DEBUGCTL, FREEZE);
	assert_int_equal(rd(f, IA32_DEBUGCTL), FREEZE);
	wr(f, PERFCTR0, -3);
	wr(f, EVNTSEL0 + 1, CLOCKS | USR | EN);
	wr(f, EVNTSEL0, RETIRED | USR | INT | EN);
	run(f->c, PMU_USER, 10);
	assert_int_equal(rd(f, STATUS), FROZEN | 1);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(pmc(f, 0), 0);
	assert_int_equal(pmc(f, 1), 3);
	wr(f, STATUS_CLR, 1);
	run(f->c, PMU_USER, 10);
	assert_int_equal(pmc(f, 1), 3);
	wr(f, STATUS_CLR, FROZEN);
	run(f->c, PMU_USER, 10);
	assert_int_equal(pmc(f, 0), 10);
	assert_int_equal(pmc(f, 1), 13);
	/* a wrap without interrupt does not freeze */
	wr(f, EVNTSEL0, RETIRED | USR | EN);
	wr(f, PERFCTR0, -1);
	run(f->c, PMU_USER, 5);
	assert_int_equal(pmc(f, 0), 4);
	assert_int_equal(rd(f, STATUS), 1);
}

/* ---- options -------------------------------------------------------------- */

/* The quirk mediated: each processor's own registers, and not what the processors share */
TEST_WITH(RYZEN, 2, 1, "perfmon_v2,mediated=1000", mediated_clears)
{
	static const uint32_t all[] = {
		PERF_CTL0 + 4, PERF_CTL0 + 5, PERF_CTL0 + 10, EVNTSEL0, PERFCTR0 + 3, STATUS, CTL,
	};
	unsigned int i;

	wr(f, PERF_CTL0 + 4, RETIRED | USR | OS | EN);
	wr(f, PERF_CTL0 + 10, RETIRED | USR);
	wr(f, EVNTSEL0, RETIRED);
	wr(f, PERFCTR0 + 3, 5);
	wr(f, NB_CTL0, 5);
	wr(f, STATUS_SET, BIT(2));
	wr(f, IA32_DEBUGCTL, FREEZE);
	run(f->c, PMU_USER, 900);
	run(pmu_get_cpu(f->pmu, 1), PMU_USER, 900);
	for (i = 0; i < N(all); i++)
		assert_int_not_equal(rd(f, all[i]), 0);
	run(f->c, PMU_USER, 100);
	for (i = 0; i < N(all); i++)
		assert_int_equal(rd(f, all[i]), 0);
	assert_int_equal(rd(f, NB_CTL0), 5);
	assert_int_equal(rd(f, IA32_DEBUGCTL), FREEZE);
	assert_int_equal(rd_on(pmu_get_cpu(f->pmu, 1), CTL), 0x3f);
	wr(f, PERF_CTL0, RETIRED | USR | EN);
	wr(f, CTL, 1);
	run(f->c, PMU_USER, 900);
	assert_int_equal(rd(f, PERF_CTL0 + 1), 900);
	run(f->c, PMU_USER, 100);
	assert_int_equal(rd(f, PERF_CTL0 + 1), 0);
	/* the older registers, without control and status */
	restart_with(f, ATHLON_64, 1, 1, "mediated=1000");
	wr(f, EVNTSEL0 + 3, RETIRED | USR | EN);
	run(f->c, PMU_USER, 990);
	assert_int_equal(rd(f, PERFCTR0 + 3), 990);
	run(f->c, PMU_USER, 20);
	assert_int_equal(rd(f, EVNTSEL0 + 3) | rd(f, PERFCTR0 + 3), 0);
}

static void assert_lost(struct fake *f, uint32_t select, uint32_t counter, uint32_t index)
{
	rd_gp(f, select);
	wr_gp(f, select, 0);
	rd_gp(f, counter);
	wr_gp(f, counter, 0);
	assert_int_equal(pmu_check_rdpmc(f->c, index, 0, true, true), PMU_GP);
}

/* The quirk migrate: all processors lose the counters; the others count on. */
TEST_WITH(RYZEN, 2, 1, "perfmon_v2,migrate=100:24", migrate_loses_counters)
{
	struct pmu_cpu *other;

	other = pmu_get_cpu(f->pmu, 1);
	wr_on(other, PERF_CTL0, RETIRED | USR | EN);
	wr_on(other, STATUS_SET, BIT(5) | BIT(1));
	wr(f, PERF_CTL0 + 6, RETIRED | USR | EN);
	/* not active: without the global bit, and without that of the select */
	wr(f, CTL, BIT(3) | BIT(5));
	wr(f, PERF_CTL0 + 4, RETIRED | USR | EN);
	wr(f, PERF_CTL0 + 10, RETIRED | USR);
	run(f->c, PMU_USER, 1000);
	run(other, PMU_USER, 1000);
	/* the first use of counter 5; a later one changes nothing. A WRMSR is a step */
	wr(f, PERF_CTL0 + 10, RETIRED | USR | OS | EN);
	run(f->c, PMU_USER, 98);
	wr(f, PERF_CTL0 + 10, RETIRED | USR | OS | EN);
	assert_int_equal(rd(f, PERF_CTL0 + 11), 99);
	run(f->c, PMU_USER, 1);
	assert_lost(f, PERF_CTL0 + 10, PERF_CTL0 + 11, 5);
	assert_lost(f, PERF_CTL0 + 4, PERF_CTL0 + 5, 2);
	assert_lost(f, EVNTSEL0 + 2, PERFCTR0 + 2, 2);
	assert_int_equal(rd(f, CTL), BIT(3));
	wr(f, CTL, ~0ull);
	assert_int_equal(rd(f, CTL), 0x1b);
	run(f->c, PMU_USER, 5);
	assert_int_equal(rd(f, PERF_CTL0 + 7), 1104);
	f->c = other;
	assert_lost(f, PERF_CTL0 + 10, PERF_CTL0 + 11, 5);
	assert_int_equal(rd(f, STATUS), BIT(1));
	assert_int_equal(rd(f, CTL), 0x1b);
	run(f->c, PMU_USER, 5);
	assert_int_equal(rd(f, PERF_CTL0 + 1), 1005);
	/* a reset does not bring them back */
	pmu_reset(f->c, false);
	assert_int_equal(rd(f, CTL), 0x1b);
	assert_lost(f, PERF_CTL0 + 10, PERF_CTL0 + 11, 5);
}

/* The older registers; no interrupt comes any more. The global registers are lost alone too. */
TEST_WITH(ATHLON_XP, 1, 1, "migrate=10:8", migrate_of_each)
{
	wr(f, PERFCTR0 + 3, -20);
	wr(f, EVNTSEL0 + 3, RETIRED | USR | INT | EN);
	run(f->c, PMU_USER, 50);
	assert_int_equal(f->pmis[0], 0);
	assert_lost(f, EVNTSEL0 + 3, PERFCTR0 + 3, 3);
	one(f, RETIRED | USR);
	run(f->c, PMU_USER, 50);
	assert_int_equal(pmc(f, 0), 50);
	restart_with(f, RYZEN, 1, 1, "perfmon_v2,migrate=10:8000000000000001");
	wr(f, PERF_CTL0 + 2, RETIRED | USR | EN);
	run(f->c, PMU_USER, 50);
	rd(f, CTL);
	wr(f, PERF_CTL0, RETIRED | USR | EN);
	run(f->c, PMU_USER, 10);
	assert_lost(f, PERF_CTL0, PERF_CTL0 + 1, 0);
	rd_gp(f, CTL);
	wr_gp(f, STATUS_CLR, 0);
	assert_int_equal(pmc(f, 1), 60);
}

/* The quirk status: an interrupt also sets reserved bits, which stay until they are cleared. */
TEST_WITH(RYZEN, 2, 1, "perfmon_v2,status", status_has_reserved_bits)
{
	const uint64_t reserved = BIT(63) | BIT(6);

	wr(f, PERF_CTL0 + 1, -2);
	wr(f, PERF_CTL0, RETIRED | USR | EN);
	run(f->c, PMU_USER, 2);
	assert_int_equal(rd(f, STATUS), 1);
	wr(f, PERF_CTL0 + 11, -2);
	wr(f, PERF_CTL0 + 10, RETIRED | USR | INT | EN);
	run(f->c, PMU_USER, 1);
	assert_int_equal(rd(f, STATUS), 1);
	run(f->c, PMU_USER, 1);
	assert_int_equal(rd(f, STATUS), reserved | BIT(5) | 1);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(rd_on(pmu_get_cpu(f->pmu, 1), STATUS), 0);
	wr(f, STATUS_CLR, BIT(5) | 1);
	assert_int_equal(rd(f, STATUS), reserved);
	run(f->c, PMU_USER, 10);
	assert_int_equal(pmc(f, 5), 10);
	assert_int_equal(f->pmis[0], 1);
	wr(f, STATUS_CLR, reserved);
	assert_int_equal(rd(f, STATUS), 0);
	/* software cannot set them */
	wr(f, STATUS_SET, reserved);
	assert_int_equal(rd(f, STATUS), 0);
}

static void options(void **state)
{
	uint32_t regs[4] = { 0, 0, 0xffffffff, 0 };
	uint64_t value;
	struct fake f;
	unsigned int m;

	start_with(&f, PHENOM, 1, 1, "width=20");
	wr(&f, PERFCTR0, -2);
	assert_int_equal(rd(&f, PERFCTR0), 0xffffe);
	stop(&f);
	refused(RYZEN, 1, 1, "version=1", "no architectural");
	refused(RYZEN, 1, 1, "perfmon_v2=1", "bad value");
	assert_null(try(&f, PHENOM, 1, 1, "perfmon_v2"));
	assert_string_equal(f.error, "PMCDRV_PMU: perfmon_v2: this is not an AMD processor with six counters; use ryzen");
	refused(SKYLAKE_X, 1, 1, "perfmon_v2", "not an AMD");
	for (m = ATHLON_XP; m <= RYZEN; m++) {
		start_with(&f, m, 1, 1, "none");
		rd_gp(&f, EVNTSEL0);
		rd_gp(&f, PERF_CTL0 + 11);
		rd_gp(&f, NB_CTL0);
		rd_gp(&f, LLC_CTL0);
		rd_gp(&f, CTL);
		assert_int_equal(pmu_rdmsr(f.c, EVNTSEL0 + 8, &value), PMU_NONE);
		assert_int_equal(pmu_check_rdpmc(f.c, 0, 0, true, true), PMU_GP);
		regs[2] = 0xffffffff;
		pmu_cpuid(f.c, 0x80000001, 0, regs);
		assert_int_equal(regs[2], 0xffffffff & ~(1u << 10 | 3u << 23 | 1u << 28));
		stop(&f);
	}
}

#define T(f) { "amd_" #f, f, NULL, NULL, NULL }

const struct CMUnitTest amd_tests[] = {
	T(reset_values), T(select_bits), T(counter_writes), T(aliases), T(missing_registers),
	T(shared_registers), T(rdpmc), T(core_extension_without_nb_and_llc), T(no_ibs),
	T(every_counter), T(unit_masks), T(event_number_of_12_bits), T(branch_events),
	T(handlers_count_as_kernel), T(interrupts_taken), T(mispredicted), T(data_cache),
	T(l2_requests), T(counters_of_an_event), T(host_and_guest), T(thresholds),
	T(wraps_and_interrupts), T(wraps_with_handlers), T(late_interrupt), T(v2_cpuid),
	T(v2_registers), T(v2_control), T(v2_overflow), T(v2_status_of_two), T(v2_freeze),
	T(mediated_clears), T(migrate_loses_counters), T(migrate_of_each),
	T(status_has_reserved_bits), T(options),
};
const size_t amd_ntests = N(amd_tests);

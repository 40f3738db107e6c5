// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the events of slots and of PERF_METRICS, fractions of 255 of the slots */
#include "fake.h"

#define SLOTS_CTR	(IA32_FIXED_CTR0 + 3)
#define RDPMC_SLOTS	0x40000003
#define SLOTS_BIT	BIT(35)
#define METRICS_BIT	BIT(48)
#define RETIRING	0x02c2
#define FRONTEND	0x019c
#define BACKEND		0x02a4

enum field {
	F_RETIRING, F_BAD_SPECULATION, F_FRONTEND, F_BACKEND, F_HEAVY, F_MISPREDICTS, F_LATENCY,
	F_MEMORY
};

static const enum fake_model models[] = { ICE_LAKE, TIGER_LAKE, SAPPHIRE_RAPIDS, ARROW_LAKE };
static const unsigned int widths[] = { 5, 5, 6, 8 };
static const unsigned int fields[] = { 4, 4, 8, 8 };

#define NMETRICS	N(models)

static uint64_t field(uint64_t metrics, enum field i)
{
	return metrics >> 8 * i & 0xff;
}

/* Set both registers to 0 and count in this mode (FIXED_CTR_CTRL). */
static void count(struct fake *f, unsigned int mode)
{
	wr(f, GLOBAL_CTRL, 0);
	wr(f, IA32_FIXED_CTR_CTRL, mode << 12);
	wr(f, SLOTS_CTR, 0);
	wr(f, PERF_METRICS, 0);
	wr(f, GLOBAL_CTRL, SLOTS_BIT | METRICS_BIT);
}

/* rounds * n steps; the last one of each n is a taken branch. */
static void loop(struct fake *f, unsigned int rounds, unsigned int n)
{
	while (rounds--) {
		run(f->c, PMU_USER, n - 1);
		branch(f->c, PMU_USER, PMU_BR_COND_TAKEN);
	}
}

/* Check both registers after this number of frontend slots among all slots. */
static void assert_metrics(struct fake *f, uint64_t slots, uint64_t frontend, unsigned int n)
{
	uint64_t part = frontend * 255 / slots;
	uint64_t value = (255 - part) | part << 16;

	if (n == 8)
		value |= part << 48;
	assert_int_equal(pmc(f, RDPMC_SLOTS), slots);
	assert_int_equal(rd(f, PERF_METRICS), value);
	assert_int_equal(pmc(f, RDPMC_METRICS), value);
}

static void fractions(void **state)
{
	struct fake f;
	unsigned int i;

	for (i = 0; i < NMETRICS; i++) {
		start(&f, models[i]);
		assert_int_equal(rd(&f, PERF_METRICS), 0);
		count(&f, 2);
		assert_int_equal(rd(&f, PERF_METRICS), 0);
		run(f.c, PMU_USER, 1);
		assert_metrics(&f, widths[i], 0, fields[i]);
		loop(&f, 1, 1);
		assert_metrics(&f, 2 * widths[i], 1, fields[i]);
		loop(&f, 100, 3);
		assert_metrics(&f, 302 * widths[i], 101, fields[i]);
		stop(&f);
	}
}

/* Every branch except one not taken, each on its own step. */
TEST_ON(SAPPHIRE_RAPIDS, taken_branches)
{
	static const struct {
		enum pmu_prim kind;
		unsigned int lost;
	} t[] = {
		{ PMU_BR_COND_TAKEN, 1 }, { PMU_BR_COND_NTAKEN, 0 }, { PMU_BR_JMP, 1 },
		{ PMU_BR_JMP_IND, 1 }, { PMU_BR_CALL, 1 }, { PMU_BR_CALL_IND, 1 },
		{ PMU_BR_RET, 1 }, { PMU_BR_FAR, 1 }, { PMU_BR_INT, 1 },
	};
	unsigned int i;

	for (i = 0; i < N(t); i++) {
		count(f, 2);
		count_on(f, 0, FRONTEND | USR);
		count_on(f, 1, RETIRING | USR);
		count_on(f, 2, BACKEND | USR);
		wr(f, GLOBAL_CTRL, SLOTS_BIT | METRICS_BIT | 7);
		branch(f->c, PMU_USER, t[i].kind);
		assert_int_equal(pmc(f, 0), t[i].lost);
		assert_int_equal(pmc(f, 1), 6 - t[i].lost);
		assert_int_equal(pmc(f, 2), 0);
		assert_metrics(f, 6, t[i].lost, 8);
		run(f->c, PMU_USER, 1);
		assert_int_equal(pmc(f, 0), t[i].lost);
		assert_int_equal(pmc(f, 1), 12 - t[i].lost);
	}
}

/* Without a step no slot is lost: interrupts, faults, rounds of strings. */
TEST_ON(ICE_LAKE, no_branches)
{
	unsigned int i;

	count(f, 3);
	pmu_hwint(f->c, PMU_USER);
	pmu_exception(f->c);
	pmu_abort(f->c);
	assert_int_equal(pmc(f, RDPMC_SLOTS), 0);
	for (i = 0; i < 10; i++)
		pmu_rep_round(f->c, PMU_USER);
	pmu_rep_done(f->c, PMU_USER);
	assert_metrics(f, 50, 0, 4);
}

/* Five or four slots of a step retire: CMASK distinguishes them. */
TEST_ON(ICE_LAKE, cmask_on_retiring)
{
	count_on(f, 0, RETIRING | USR | CMASK(5));
	count_on(f, 1, RETIRING | USR | CMASK(4));
	count_on(f, 2, RETIRING | USR | CMASK(5) | INV);
	count_on(f, 3, FRONTEND | USR | EDGE);
	loop(f, 7, 3);
	loop(f, 2, 1);
	assert_int_equal(pmc(f, 0), 14);
	assert_int_equal(pmc(f, 1), 23);
	assert_int_equal(pmc(f, 2), 9);
	assert_int_equal(pmc(f, 3), 7);
}

/* It wraps on the exact step although the number of slots on a step varies. */
TEST_ON(ICE_LAKE, retiring_wraps)
{
	wr(f, IA32_A_PMC0, BIT(48) - 14);
	wr(f, IA32_PERFEVTSEL0, RETIRING | USR | INT | EN);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	run(f->c, PMU_USER, 1);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	assert_int_equal(f->pmis[0], 0);
	run(f->c, PMU_USER, 1);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(pmc(f, 0), 4);
}

TEST_ON(ICE_LAKE, privileges)
{
	count(f, 2);
	loop(f, 2, 2);
	branch(f->c, PMU_KERNEL, PMU_BR_FAR);
	run(f->c, PMU_KERNEL, 5);
	assert_metrics(f, 20, 2, 4);
	count(f, 1);		/* the WRMSR that stops is not counted here */
	loop(f, 2, 2);
	branch(f->c, PMU_KERNEL, PMU_BR_FAR);
	assert_metrics(f, 5, 1, 4);
	count(f, 0);
	loop(f, 2, 2);
	branch(f->c, PMU_KERNEL, PMU_BR_FAR);
	assert_int_equal(pmc(f, RDPMC_SLOTS), 0);
	assert_int_equal(rd(f, PERF_METRICS), 0);
}

TEST_ON(ICE_LAKE, enables)
{
	count(f, 2);
	loop(f, 1, 1);
	wr(f, GLOBAL_CTRL, SLOTS_BIT);		/* only the slots count */
	loop(f, 1, 1);
	assert_metrics(f, 10, 1, 4);
	wr(f, GLOBAL_CTRL, METRICS_BIT);	/* nothing counts */
	loop(f, 1, 1);
	assert_metrics(f, 10, 1, 4);
	wr(f, GLOBAL_CTRL, SLOTS_BIT | METRICS_BIT);
	loop(f, 1, 1);
	assert_metrics(f, 15, 2, 4);
	wr(f, GLOBAL_SET, BIT(59));		/* frozen */
	loop(f, 1, 1);
	assert_metrics(f, 15, 2, 4);
	pmu_reset(f->c, true);
	assert_metrics(f, 15, 2, 4);
	pmu_reset(f->c, false);
	assert_int_equal(rd(f, PERF_METRICS), 0);
	assert_int_equal(rd(f, GLOBAL_CTRL), 0xff);
}

TEST_ON(ICE_LAKE, metrics_want_branches)
{
	wr(f, IA32_FIXED_CTR_CTRL, 0x2000);
	wr(f, GLOBAL_CTRL, SLOTS_BIT);
	assert_int_equal(f->c->want, PMU_WANT_STEPS);
	wr(f, GLOBAL_CTRL, SLOTS_BIT | METRICS_BIT);
	assert_int_equal(f->c->want, PMU_WANT_STEPS | PMU_WANT_BRANCHES);
	wr(f, GLOBAL_CTRL, 1);
	count_on(f, 0, RETIRING | USR);
	assert_int_equal(f->c->want, PMU_WANT_STEPS | PMU_WANT_BRANCHES);
	count_on(f, 0, SLOTS | USR);
	assert_int_equal(f->c->want, PMU_WANT_STEPS);
}

/* Repeated saving and restoring, after any number of slots, keeps the values. */
static void write_back_keeps_values(void **state)
{
	struct fake f;
	unsigned int i, k;

	for (i = 0; i < NMETRICS; i++) {
		start(&f, models[i]);
		count(&f, 2);
		for (k = 1; k < 400; k++) {
			uint64_t slots, metrics;

			loop(&f, 1, 1 + k % 4);
			slots = rd(&f, SLOTS_CTR);
			metrics = rd(&f, PERF_METRICS);
			wr(&f, SLOTS_CTR, 12345);
			wr(&f, PERF_METRICS, 0x23456789);
			wr(&f, SLOTS_CTR, slots);
			wr(&f, PERF_METRICS, metrics);
			assert_int_equal(rd(&f, PERF_METRICS), metrics);
			/* the value is not just remembered */
			wr(&f, SLOTS_CTR, slots);
			assert_int_equal(rd(&f, PERF_METRICS), metrics);
		}
		stop(&f);
	}
}

/* Counting after a restore: the middle of a field's range, exact for few slots. */
TEST_ON(ICE_LAKE, count_after_restore)
{
	count(f, 2);
	loop(f, 20, 2);			/* 20 of 200: 25 */
	assert_int_equal(field(rd(f, PERF_METRICS), F_FRONTEND), 25);
	wr(f, SLOTS_CTR, 200);
	wr(f, PERF_METRICS, 25 << 16 | 230);	/* 20 again */
	loop(f, 5, 1);				/* 25 of 225: 28.3 */
	assert_metrics(f, 225, 25, 4);
	wr(f, SLOTS_CTR, 25500);
	wr(f, PERF_METRICS, 25 << 16);		/* 2500 to 2599: 2550 */
	run(f->c, PMU_USER, 1);
	assert_metrics(f, 25505, 2550, 4);
	run(f->c, PMU_USER, 98);			/* 2550 of 25995: 25.01 */
	assert_metrics(f, 25995, 2550, 4);
	run(f->c, PMU_USER, 4);			/* of 26015: 24.99 */
	assert_metrics(f, 26015, 2550, 4);
}

/* A constant fraction stays constant, however often it is saved and restored. */
TEST_ON(ICE_LAKE, repeated_restore)
{
	unsigned int k;

	count(f, 2);
	loop(f, 1000, 2);
	for (k = 0; k < 1000; k++) {
		uint64_t slots = rd(f, SLOTS_CTR), metrics = rd(f, PERF_METRICS);

		wr(f, SLOTS_CTR, 0);
		wr(f, PERF_METRICS, 0);
		loop(f, 3, 1);
		wr(f, SLOTS_CTR, slots);
		wr(f, PERF_METRICS, metrics);
		run(f->c, PMU_USER, k % 2);
		loop(f, k % 7, 2);
		if (k % 2)
			branch(f->c, PMU_USER, PMU_BR_JMP);
		assert_int_equal(field(rd(f, PERF_METRICS), F_FRONTEND), 25);
		assert_int_equal(field(rd(f, PERF_METRICS), F_RETIRING), 230);
	}
}

/* All fields of both levels are restored, and decrease as other slots count. */
TEST_ON(SAPPHIRE_RAPIDS, all_fields)
{
	const uint64_t all = 0x0807060540302010ull;

	count(f, 2);
	wr(f, SLOTS_CTR, 765);
	wr(f, PERF_METRICS, all);
	assert_int_equal(rd(f, PERF_METRICS), all);
	assert_int_equal(pmc(f, RDPMC_METRICS), all);
	run(f->c, PMU_USER, 255);	/* three times the slots: thirds of 3 * field + 1 */
	assert_int_equal(pmc(f, RDPMC_SLOTS), 2295);
	assert_int_equal(rd(f, PERF_METRICS), 0x0202020115100ad0);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	assert_int_equal(field(rd(f, PERF_METRICS), F_LATENCY), 2);
	loop(f, 9, 1);			/* 7 * 3 + 1 + 10 of 2355: 3.4 */
	assert_int_equal(field(rd(f, PERF_METRICS), F_LATENCY), 3);
	assert_int_equal(field(rd(f, PERF_METRICS), F_MISPREDICTS), 2);
}

/* A written value reads back until the slots change, even with an impossible sum. */
TEST_ON(ICE_LAKE, metrics_read_as_written)
{
	count(f, 2);
	wr(f, SLOTS_CTR, 200);
	wr(f, PERF_METRICS, 25 << 16);
	wr(f, IA32_FIXED_CTR0, 1);
	assert_int_equal(rd(f, PERF_METRICS), 25 << 16);
	wr(f, SLOTS_CTR, 200);
	assert_int_equal(rd(f, PERF_METRICS), 25 << 16 | 230);
	/* more than the whole leaves nothing for retiring: 786 of 1005 is 199 */
	wr(f, SLOTS_CTR, 1000);
	wr(f, PERF_METRICS, 200 << 16 | 200 << 8 | 7);
	assert_int_equal(rd(f, PERF_METRICS), 200 << 16 | 200 << 8 | 7);
	run(f->c, PMU_USER, 1);
	assert_int_equal(rd(f, PERF_METRICS), 199 << 16 | 199 << 8);
}

/* The manual's warning: writing one of the two registers. */
TEST_ON(ICE_LAKE, write_one_register_only)
{
	count(f, 2);
	loop(f, 50, 1);
	wr(f, SLOTS_CTR, 0);
	assert_int_equal(rd(f, PERF_METRICS), 0);
	run(f->c, PMU_USER, 2);
	assert_int_equal(rd(f, PERF_METRICS), 0xff0000);
	/* metrics first, then slots: the metrics refer to the old slots */
	wr(f, SLOTS_CTR, 0);
	wr(f, PERF_METRICS, 25 << 16 | 230);
	assert_int_equal(rd(f, PERF_METRICS), 25 << 16 | 230);
	wr(f, SLOTS_CTR, 200);
	assert_int_equal(rd(f, PERF_METRICS), 255);
	/* and if the slots are 0 */
	wr(f, SLOTS_CTR, 0);
	wr(f, PERF_METRICS, 0x01020304);
	loop(f, 1, 1);
	assert_metrics(f, 5, 1, 4);
}

static void reserved_bits(void **state)
{
	struct fake f;
	unsigned int i, bit;

	for (i = 0; i < NMETRICS; i++) {
		start(&f, models[i]);
		assert_int_equal(rd(&f, IA32_PERF_CAPABILITIES), BIT(13) | BIT(15));
		for (bit = 0; bit < 64; bit++)
			if (bit < 8 * fields[i]) {
				wr(&f, PERF_METRICS, BIT(bit));
				assert_int_equal(rd(&f, PERF_METRICS), BIT(bit));
			} else {
				wr_gp(&f, PERF_METRICS, BIT(bit));
			}
		assert_int_equal(pmu_check_rdpmc(f.c, RDPMC_METRICS, 3, true, true), PMU_OK);
		assert_int_equal(pmu_check_rdpmc(f.c, RDPMC_METRICS, 3, false, true), PMU_GP);
		for (bit = 0; bit < 32; bit++)
			if (bit != 29)
				assert_int_equal(pmu_check_rdpmc(f.c, RDPMC_METRICS | BIT(bit), 0,
								 true, true), PMU_GP);
		stop(&f);
	}
}

TEST_ON(ICE_LAKE, overflow_bit)
{
	wr(f, GLOBAL_SET, METRICS_BIT);
	assert_int_equal(rd(f, GLOBAL_STATUS), METRICS_BIT);
	assert_int_equal(f->pmis[0], 0);
	wr(f, GLOBAL_RESET, METRICS_BIT);
	assert_int_equal(rd(f, GLOBAL_STATUS), 0);
	assert_int_equal(rd(f, GLOBAL_INUSE), 0);
}

/* Fixed counter 3 overflows first; a category sets its bit when it wraps itself. */
TEST_ON(ICE_LAKE, overflow)
{
	count(f, 2);
	wr(f, SLOTS_CTR, BIT(48) - 1);
	wr(f, PERF_METRICS, 0xff0000);
	run(f->c, PMU_USER, 1);
	assert_int_equal(pmc(f, RDPMC_SLOTS), 4);
	assert_int_equal(rd(f, GLOBAL_STATUS), SLOTS_BIT);
	assert_int_equal(rd(f, PERF_METRICS), 0xff0000);
	loop(f, 1, 1);
	assert_int_equal(rd(f, GLOBAL_STATUS), SLOTS_BIT | METRICS_BIT);
	assert_int_equal(f->pmis[0], 0);
	assert_int_equal(rd(f, PERF_METRICS), 0xff);
	/* the same with an interrupt */
	count(f, 0xa);
	wr(f, SLOTS_CTR, BIT(48) - 1);
	wr(f, PERF_METRICS, 0xff0000);
	wr(f, SLOTS_CTR, 0);
	run(f->c, PMU_USER, 1);
	assert_int_equal(f->pmis[0], 0);
	loop(f, 1, 1);
	assert_int_equal(f->pmis[0], 1);
}

TEST_WITH(ICE_LAKE, 1, 1, "fixed_width=20", category_widths)
{
	count(f, 2);
	wr(f, SLOTS_CTR, BIT(20) - 1);
	wr(f, PERF_METRICS, 0xff0000);
	loop(f, 1, 1);
	assert_int_equal(rd(f, GLOBAL_STATUS), SLOTS_BIT | METRICS_BIT);
	restart_with(f, ICE_LAKE, 1, 1, "fixed_width=56");
	count(f, 2);
	wr(f, SLOTS_CTR, BIT(56) - 6);
	wr(f, PERF_METRICS, 0x7f0080);
	run(f->c, PMU_USER, 1);
	assert_int_equal(rd(f, PERF_METRICS), 0x7f0080);
}

TEST_WITH(ICE_LAKE, 1, 1, "version=4", no_perf_metrics)
{
	rd_gp(f, PERF_METRICS);
	wr_gp(f, PERF_METRICS, 0);
	wr_gp(f, GLOBAL_CTRL, METRICS_BIT);
	wr_gp(f, GLOBAL_SET, METRICS_BIT);
	assert_int_equal(rd(f, IA32_PERF_CAPABILITIES), BIT(13));
	assert_int_equal(pmu_check_rdpmc(f->c, RDPMC_METRICS, 0, true, true), PMU_GP);
	restart_with(f, ARROW_LAKE, 1, 1, "version=5");
	rd_gp(f, PERF_METRICS);
	assert_int_equal(rd(f, IA32_PERF_CAPABILITIES), BIT(13));
	restart_with(f, ARROW_LAKE, 2, 1, "hybrid");
	rd(f, PERF_METRICS);
	assert_int_equal(rd(f, IA32_PERF_CAPABILITIES), BIT(13) | BIT(15));
	f->c = pmu_get_cpu(f->pmu, 1);
	rd_gp(f, PERF_METRICS);
	wr_gp(f, GLOBAL_CTRL, METRICS_BIT);
	assert_int_equal(rd(f, IA32_PERF_CAPABILITIES), BIT(13));
	assert_int_equal(pmu_check_rdpmc(f->c, RDPMC_METRICS, 0, true, true), PMU_GP);
}

/* Each logical processor has registers of its own. */
TEST_WITH(ICE_LAKE, 2, 2, NULL, two_processors)
{
	count(f, 2);
	loop(f, 4, 1);
	f->c = pmu_get_cpu(f->pmu, 1);
	count(f, 2);
	loop(f, 3, 3);
	assert_metrics(f, 45, 3, 4);
	f->c = pmu_get_cpu(f->pmu, 0);
	assert_metrics(f, 20, 4, 4);
}

#define T(f) cmocka_unit_test(f)

const struct CMUnitTest metrics_tests[] = {
	T(fractions), T(taken_branches), T(no_branches), T(cmask_on_retiring),
	T(retiring_wraps), T(privileges), T(enables), T(metrics_want_branches),
	T(write_back_keeps_values), T(count_after_restore), T(repeated_restore), T(all_fields),
	T(metrics_read_as_written), T(write_one_register_only), T(reserved_bits),
	T(overflow_bit), T(overflow), T(category_widths), T(no_perf_metrics), T(two_processors),
};
const size_t metrics_ntests = N(metrics_tests);

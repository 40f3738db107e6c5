// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the textbook caches and branch predictor, by hand-counted sequences */
#include "fake.h"

static void load(struct fake *f, uint64_t addr, unsigned int size)
{
	data(f, addr, size, PMU_READ);
	retire(f, PMU_USER);
}

static void llc_counters(struct fake *f)
{
	count_on(f, 0, LLC_REF | USR);
	count_on(f, 1, LLC_MISS | USR);
	assert_int_equal(f->c->want, PMU_WANT_STEPS | PMU_WANT_CACHE);
}

TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, cold_then_warm)
{
	llc_counters(f);
	load(f, 0x1000, 8);
	load(f, 0x1038, 8);
	assert_int_equal(pmc(f, 0), 1);
	assert_int_equal(pmc(f, 1), 1);
	load(f, 0x103c, 8);		/* two lines, one of them new */
	assert_int_equal(pmc(f, 0), 2);
	data_on(f->c, 0x5000, 8, PMU_READ, false);
	run(f->c, PMU_USER, 1);
	assert_int_equal(pmc(f, 0), 2);
	fetch(f, 0x9000);
	run(f->c, PMU_USER, 1);
	fetch(f, 0x9001);
	run(f->c, PMU_USER, 1);
	assert_int_equal(pmc(f, 0), 3);
	assert_int_equal(pmc(f, 1), 3);
}

/*
 * Lynnfield: L1 64 sets of 8 ways, L2 512 of 8, L3 8192 of 16. Lines 512 * 64 bytes apart
 * share a set in L1 and in L2.
 */
TEST_ON(LYNNFIELD, conflict_misses)
{
	unsigned int i;

	llc_counters(f);
	for (i = 0; i < 9; i++)
		load(f, i * 512ull * 64, 4);
	assert_int_equal(pmc(f, 0), 9);
	assert_int_equal(pmc(f, 1), 9);
	load(f, 8 * 512ull * 64, 4);		/* still in L1 */
	assert_int_equal(pmc(f, 0), 9);
	load(f, 0, 4);				/* the oldest line, only in L3 */
	assert_int_equal(pmc(f, 0), 10);
	assert_int_equal(pmc(f, 1), 9);
}

/* 17 lines 8192 * 64 bytes apart exceed a set of L3 by one. */
TEST_ON(LYNNFIELD, last_level_evicts)
{
	unsigned int i;

	llc_counters(f);
	for (i = 0; i < 17; i++)
		load(f, i * 8192ull * 64, 4);
	assert_int_equal(pmc(f, 1), 17);
	load(f, 1 * 8192ull * 64, 4);
	assert_int_equal(pmc(f, 0), 18);
	assert_int_equal(pmc(f, 1), 17);
	load(f, 0, 4);
	assert_int_equal(pmc(f, 1), 18);
}

/* Penryn's last level is L2: 4096 sets of 24 ways. */
TEST_ON(PENRYN, two_levels)
{
	unsigned int i;

	llc_counters(f);
	for (i = 0; i < 25; i++)
		load(f, i * 4096ull * 64, 4);
	assert_int_equal(pmc(f, 1), 25);
	load(f, 1 * 4096ull * 64, 4);
	assert_int_equal(pmc(f, 0), 26);
	assert_int_equal(pmc(f, 1), 25);
	load(f, 0, 4);
	assert_int_equal(pmc(f, 1), 26);
}

TEST_WITH(SKYLAKE_X, 2, 1, NULL, shared_last_level)
{
	struct pmu_cpu *b;

	b = pmu_get_cpu(f->pmu, 1);
	llc_counters(f);
	wr_on(b, IA32_PERFEVTSEL0, LLC_REF | USR | EN);
	wr_on(b, IA32_PERFEVTSEL0 + 1, LLC_MISS | USR | EN);
	load(f, 0x1000, 4);
	data_on(b, 0x1000, 4, PMU_WRITE, true);
	run(b, PMU_USER, 1);
	assert_int_equal(rd_on(b, IA32_PMC0), 1);
	assert_int_equal(rd_on(b, IA32_PMC0 + 1), 0);
}

TEST_ON(SAPPHIRE_RAPIDS, cache_flushes)
{
	pmu_cache_flush(f->c, true);			/* before the caches exist */
	pmu_cache_flush_line(f->c, 0);
	llc_counters(f);
	load(f, 0x1000, 4);
	load(f, 0x2000, 4);
	pmu_cache_flush_line(f->c, 0x103f);
	load(f, 0x1000, 4);
	load(f, 0x2000, 4);
	assert_int_equal(pmc(f, 1), 3);
	pmu_cache_flush(f->c, true);
	load(f, 0x1000, 4);
	load(f, 0x2000, 4);
	assert_int_equal(pmc(f, 1), 5);
}

TEST_ON(SKYLAKE_X, llc_overflow)
{
	unsigned int i;

	wr(f, IA32_PMC0, -10);
	wr(f, IA32_PERFEVTSEL0, LLC_MISS | USR | INT | EN);
	for (i = 0; i < 9; i++) {
		load(f, i * 64, 4);
		run(f->c, PMU_USER, 5);
	}
	assert_int_equal(f->pmis[0], 0);
	load(f, 9 * 64, 4);
	assert_int_equal(f->pmis[0], 1);
}

static void misses(struct fake *f)
{
	count_on(f, 0, MISSES | USR);
	assert_int_equal(f->c->want, PMU_WANT_STEPS | PMU_WANT_BRANCHES |
			 PMU_WANT_PREDICT);
}

static void go(struct fake *f, enum pmu_prim kind, uint64_t from, uint64_t to)
{
	pmu_branch(f->c, PMU_USER, kind, from, to);
	pmu_retire(f->c, PMU_USER);
}

/* A loop that is always taken: each new history is learnt once, then predicted. */
TEST_ON(SKYLAKE_X, loop_is_predicted)
{
	unsigned int i;
	uint64_t before;

	misses(f);
	for (i = 0; i < 100; i++)
		go(f, PMU_BR_COND_TAKEN, 0x400, 0x3f0);
	before = pmc(f, 0);
	assert_int_equal(before, 13);
	for (i = 0; i < 100; i++)
		go(f, PMU_BR_COND_TAKEN, 0x400, 0x3f0);
	assert_int_equal(pmc(f, 0), 13);
	go(f, PMU_BR_COND_NTAKEN, 0x400, 0);
	assert_int_equal(pmc(f, 0), 14);
}

TEST_ON(SKYLAKE_X, direct_and_far_are_predicted)
{
	misses(f);
	go(f, PMU_BR_JMP, 0x400, 0x9000);
	go(f, PMU_BR_CALL, 0x400, 0x9100);
	go(f, PMU_BR_FAR, 0x400, 0x9200);
	assert_int_equal(pmc(f, 0), 0);
}

TEST_ON(SKYLAKE_X, indirect_targets)
{
	misses(f);
	go(f, PMU_BR_JMP_IND, 0x400, 0x500);	/* miss */
	go(f, PMU_BR_JMP_IND, 0x400, 0x500);
	go(f, PMU_BR_JMP_IND, 0x400, 0x600);	/* miss */
	go(f, PMU_BR_JMP_IND, 0x600, 0x600);	/* miss: another branch */
	assert_int_equal(pmc(f, 0), 3);
}

/* Sixteen entries: of twenty calls and returns, the outer four are mispredicted. */
TEST_ON(SKYLAKE_X, return_stack)
{
	int i;

	misses(f);
	for (i = 0; i < 20; i++)
		go(f, PMU_BR_CALL, 0x1000 * i, 0x1000 * (i + 1));
	for (i = 19; i >= 0; i--)
		go(f, PMU_BR_RET, 0x1000 * (i + 1) + 0x80, 0x1000 * i + 5);
	assert_int_equal(pmc(f, 0), 4);
	go(f, PMU_BR_CALL, 0x500, 0x900);
	go(f, PMU_BR_RET, 0x900, 0x777);	/* another address */
	assert_int_equal(pmc(f, 0), 5);
}

TEST_ON(SKYLAKE_X, misses_by_kind)
{
	count_on(f, 0, 0x01c5 | USR);
	go(f, PMU_BR_JMP_IND, 0x400, 0x500);
	go(f, PMU_BR_COND_TAKEN, 0x400, 0x500);
	assert_int_equal(pmc(f, 0), 1);
	restart(f, LYNNFIELD);
	count_on(f, 0, 0x7f89 | USR);
	go(f, PMU_BR_JMP_IND, 0x400, 0x500);
	go(f, PMU_BR_COND_TAKEN, 0x400, 0x500);
	assert_int_equal(pmc(f, 0), 2);
}

#define T(f) cmocka_unit_test(f)

const struct CMUnitTest structure_tests[] = {
	T(cold_then_warm), T(conflict_misses), T(last_level_evicts), T(two_levels),
	T(shared_last_level), T(cache_flushes), T(llc_overflow), T(loop_is_predicted),
	T(direct_and_far_are_predicted), T(indirect_targets), T(return_stack),
	T(misses_by_kind),
};
const size_t structure_ntests = N(structure_tests);

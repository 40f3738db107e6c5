// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of perf_metrics.c: the fractions of a run's slots, over one interval and over several
 *
 * A field of the register is a fraction in 255ths (Intel's Volume 3B, "Performance Metrics").
 * Expected counts are the fields' slots in all intervals, as 255ths of all slots, truncated.
 */
#include "unit.h"

#include <unistd.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "pmu/perf_metrics.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "pmu/user_page.h"

/* Entries of the program: a general counter, the slots, the metrics; one more is not the run's */
enum { GENERAL, SLOTS, METRICS, NR, FOREIGN = NR };

#define WIDTH_48	0xffffffffffffULL

static struct {
	struct pmc_program *program;
	struct pmc_run *run;
	struct pmc_user_page user_page;
	struct pmc_pmu pmu;
	char steps[256];	/* in their order: s, m (writes), +, - (enable), p, h (user page) */
	u64 rdpmc[NR];
	bool no_memory;
} test;

static void step(char what)
{
	test.steps[strlen(test.steps)] = what;
}

static void assert_steps(const char *expected)
{
	assert_string_equal(expected, test.steps);
	memset(test.steps, 0, sizeof(test.steps));
}

void *kzalloc(size_t size, gfp_t gfp)
{
	assert_int_equal(7, gfp);
	return test.no_memory ? NULL : calloc(1, size);
}

void pmc_run_show(struct pmc_run *run)
{
	assert_ptr_equal(test.run, run);
	step('p');
}

void pmc_run_hide(struct pmc_run *run)
{
	assert_ptr_equal(test.run, run);
	step('h');
}

u64 pmc_rdpmc(u32 counter)
{
	switch (counter) {
	case 5:
		return test.rdpmc[GENERAL];
	case PMC_COUNTER_SLOTS:
		return test.rdpmc[SLOTS];
	case PMC_COUNTER_METRICS:
		return test.rdpmc[METRICS];
	default:
		fail_msg("RDPMC %#x", counter);
		return 0;
	}
}

static void enable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	assert_ptr_equal(&test.pmu, pmu);
	assert_ptr_equal(test.program, program);
	step('+');
}

static void disable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	assert_ptr_equal(&test.pmu, pmu);
	assert_ptr_equal(test.program, program);
	step('-');
}

static void write_counter(struct pmc_pmu *pmu, const struct pmc_counter_setup *entry, u64 raw)
{
	assert_ptr_equal(&test.pmu, pmu);
	assert_int_equal(0, raw);
	step(entry == &test.program->setup[SLOTS] ? 's' :
	     entry == &test.program->setup[METRICS] ? 'm' : '?');
}

static const struct pmc_family family = {
	.enable = enable, .disable = disable, .write = write_counter,
};

static int setup(void **state)
{
	static const u32 operands[] = { 5, PMC_COUNTER_SLOTS, PMC_COUNTER_METRICS, 99 };
	u32 i;

	memset(&test, 0, sizeof(test));
	test.program = calloc(1, sizeof(*test.program) + NR * sizeof(test.program->setup[0]));
	test.run = calloc(1, sizeof(*test.run) + (NR + 1) * sizeof(test.run->count[0]));
	if (!test.program || !test.run)
		return -1;
	test.program->family = &family;
	test.program->nr = NR;
	test.program->metrics = true;
	test.program->slots_at = SLOTS;
	test.program->metrics_at = METRICS;
	test.run->program = test.program;
	test.run->last = &test.pmu;
	for (i = 0; i <= NR; i++) {
		test.run->count[i].rdpmc = operands[i];
		test.run->count[i].mask = i == METRICS ? ~0ULL : WIDTH_48;
	}
	return pmc_perf_metrics_init(test.run, 7);
}

static int teardown(void **state)
{
	free(test.run->intervals);
	free(test.run);
	free(test.program);
	return 0;
}

/* The registers have counted on: these slots in the current interval, with these fractions. */
static void count(u64 slots, u64 metrics)
{
	struct pmc_count *counts = test.run->count;

	counts[SLOTS].value += slots - counts[SLOTS].raw;
	counts[SLOTS].raw = slots;
	counts[METRICS].value += metrics - counts[METRICS].raw;
	counts[METRICS].raw = metrics;
}

static u64 settled(void)
{
	pmc_perf_metrics_settle(test.run);
	return test.run->count[METRICS].value;
}

static void init(void **state)
{
	struct pmc_run run = { .intervals = (void *)&run };

	assert_false(pmc_perf_metrics_has_intervals(test.run));
	test.no_memory = true;
	assert_int_equal(-ENOMEM, pmc_perf_metrics_init(&run, 7));
	assert_null(run.intervals);
}

/* In the first interval the count is what the register has. */
static void first_interval(void **state)
{
	assert_int_equal(0, settled());
	count(1000, 0x4030201008060402);
	assert_int_equal(0x4030201008060402, settled());
	assert_int_equal(~0ULL, test.run->count[METRICS].mask);
	assert_false(pmc_perf_metrics_has_intervals(test.run));
	assert_steps("");
}

/* Each of the eight fields: 255ths of the slots of both intervals */
static void two_intervals(void **state)
{
	u32 i;

	count(1000, 0xff80400000ff3301);
	pmc_perf_metrics_load(&test.pmu, test.run);
	assert_steps("sm");
	assert_true(pmc_perf_metrics_has_intervals(test.run));
	assert_int_equal(0, test.run->count[SLOTS].raw);
	assert_int_equal(0, test.run->count[METRICS].raw);
	assert_int_equal(0, test.run->count[METRICS].mask);
	assert_int_equal(1000, test.run->count[SLOTS].value);
	/* nothing is added yet */
	assert_int_equal(0xff80400000ff3301, settled());
	count(3000, 0x00804000ff00ff03);
	/* (1000 a + 3000 b) / 4000 */
	assert_int_equal(0x3f804000bf3fcc02, settled());
	for (i = 0; i < 3; i++)
		assert_int_equal(0x3f804000bf3fcc02, settled());
	/* without metrics there are no intervals */
	test.program->metrics = false;
	assert_false(pmc_perf_metrics_has_intervals(test.run));
}

/* Parts of a slot add up: 100 intervals of one slot, of which a field has 51 / 255. */
static void rests(void **state)
{
	u32 i;

	for (i = 0; i < 100; i++) {
		count(1, 51);
		pmc_perf_metrics_load(&test.pmu, test.run);
	}
	assert_int_equal(100, test.run->count[SLOTS].value);
	assert_int_equal(51, settled());
	/* and two of 100 / 255 */
	count(2, 100);
	assert_int_equal((51 * 100 + 2 * 100) / 102, settled());
	count(2, 0);
	assert_int_equal(51 * 100 / 102, settled());
}

/* Fractions of no slots: the interval does not count, and the first one goes on. */
static void no_slots(void **state)
{
	count(0, 0x11);
	pmc_perf_metrics_load(&test.pmu, test.run);
	assert_steps("sm");
	assert_int_equal(0, test.run->count[METRICS].raw);
	assert_int_equal(0, test.run->count[METRICS].value);
	assert_int_equal(~0ULL, test.run->count[METRICS].mask);
	assert_false(pmc_perf_metrics_has_intervals(test.run));
	count(10, 0x80);
	assert_int_equal(0x80, settled());
}

/* The mask of another PMU type's program is not kept. */
static void mask_of_load(void **state)
{
	count(10, 0x80);
	pmc_perf_metrics_load(&test.pmu, test.run);
	test.run->count[METRICS].mask = ~0ULL;
	pmc_perf_metrics_load(&test.pmu, test.run);
	assert_int_equal(0, test.run->count[METRICS].mask);
}

/* Never more than the whole, even of slots that were not counted */
static void whole(void **state)
{
	count(1, 0);
	pmc_perf_metrics_load(&test.pmu, test.run);
	test.run->count[SLOTS].raw = 20;
	test.run->count[METRICS].raw = 0x80ff;
	test.run->count[SLOTS].value = 10;
	/* 20 slots of 10; 10 slots and 10 / 255 of 10 */
	assert_int_equal(0xffff, settled());
	test.run->count[SLOTS].value = 11;
	assert_int_equal((255 * 10 + 10) / 11 << 8 | 0xff, settled());
}

/* From 2^56 slots on, both numbers are halved until 256 times the slots fit into 64 bits. */
static void very_many_slots(void **state)
{
	static const struct {
		u64 share, slots, fraction;
	} known[] = {
		/* 2^56 - 1 are not halved: one slot is missing from the whole */
		{ 0xfffffffffffffe, 0xffffffffffffff, 254 },
		{ 0xffffffffffffff, 0xffffffffffffff, 255 },
		/* 2^56 are: of 2 * (2^56 - 1) / 255 + 1 slots, which are two 255ths, one is lost */
		{ 0x2020202020203, 0x100000000000000, 1 },
		{ 0x2020202020204, 0x100000000000000, 2 },
		/* four times */
		{ 0x80000000000000, 0xfffffffffffffff, 127 / 16 },
	};
	size_t i;

	count(1, 0);
	pmc_perf_metrics_load(&test.pmu, test.run);
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		test.run->count[SLOTS].raw = known[i].share;
		test.run->count[SLOTS].value = known[i].slots;
		test.run->count[METRICS].raw = 0xff;
		assert_int_equal(known[i].fraction, settled());
	}
}

static void user_page(void **state)
{
	test.user_page.open = true;
	test.run->user_page = &test.user_page;
	count(0, 0x11);
	pmc_perf_metrics_load(&test.pmu, test.run);
	assert_true(test.user_page.open);
	assert_steps("sm");
	count(10, 0x11);
	pmc_perf_metrics_load(&test.pmu, test.run);
	assert_false(test.user_page.open);
	assert_steps("hsm");
}

/* An interval ends beyond half of the counter's width, or beyond 2^47 - 1 slots. */
static void near_wrap(void **state)
{
	static const struct {
		u32 width;
		u64 longest;
	} known[] = {
		{ 40, 0x7fffffffff }, { 47, 0x3fffffffffff }, { 48, 0x7fffffffffff },
		{ 64, 0x7fffffffffff },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		test.run->count[SLOTS].mask = ~0ULL >> (64 - known[i].width);
		count(known[i].longest, 0x11);
		pmc_perf_metrics_fold(&test.pmu, test.run);
		assert_steps("");
		count(known[i].longest + 1, 0x11);
		pmc_perf_metrics_fold(&test.pmu, test.run);
		assert_steps("sm");
		/* the same for the run that counted last and may have been freed */
		test.pmu.description.query.features = PMC_FEATURE(METRICS);
		test.pmu.description.query.fixed_width = known[i].width;
		test.pmu.last = test.run;
		test.rdpmc[SLOTS] = known[i].longest;
		pmc_perf_metrics_fold_last(&test.pmu);
		assert_ptr_equal(test.run, test.pmu.last);
		test.rdpmc[SLOTS]++;
		pmc_perf_metrics_fold_last(&test.pmu);
		assert_null(test.pmu.last);
		test.pmu.last = test.run;
		test.pmu.description.query.features = ~PMC_FEATURE(METRICS);
		pmc_perf_metrics_fold_last(&test.pmu);
		assert_ptr_equal(test.run, test.pmu.last);
	}
}

static void rewound(void **state)
{
	count(10, 0x11);
	assert_false(pmc_perf_metrics_rewind(&test.pmu, test.run, GENERAL));
	assert_true(pmc_perf_metrics_rewind(&test.pmu, test.run, METRICS));
	assert_steps("");
	assert_true(pmc_perf_metrics_rewind(&test.pmu, test.run, SLOTS));
	assert_steps("sm");
	assert_true(pmc_perf_metrics_has_intervals(test.run));
	assert_int_equal(0, test.run->count[METRICS].mask);
	test.program->metrics = false;
	assert_false(pmc_perf_metrics_rewind(&test.pmu, test.run, SLOTS));
	assert_steps("");
}

/* Counts of a run that counts nowhere begin anew. */
static void cleared_elsewhere(void **state)
{
	count(10, 0x11);
	pmc_perf_metrics_load(&test.pmu, test.run);
	assert_steps("sm");
	count(20, 0x22);
	test.run->count[GENERAL].raw = 7;
	pmc_perf_metrics_clear(NULL, test.run);
	assert_steps("");
	assert_false(pmc_perf_metrics_has_intervals(test.run));
	assert_int_equal(0, test.run->count[SLOTS].raw);
	assert_int_equal(0, test.run->count[METRICS].raw);
	assert_int_equal(~0ULL, test.run->count[METRICS].mask);
	assert_int_equal(7, test.run->count[GENERAL].raw);
	assert_null(test.run->last);
	/* and no field has slots left */
	test.run->count[SLOTS].value = 0;
	test.run->count[METRICS].value = 0;
	count(10, 0);
	pmc_perf_metrics_load(&test.pmu, test.run);
	assert_int_equal(0, settled());
}

/* Counters that count stop for it; what they count from then on is all. */
static void cleared_here(void **state)
{
	count(10, 0x11);
	test.rdpmc[GENERAL] = 8;
	test.rdpmc[SLOTS] = 20;
	test.rdpmc[METRICS] = 0x22;
	pmc_perf_metrics_clear(&test.pmu, test.run);
	assert_steps("-sm+");
	assert_int_equal(8, test.run->count[GENERAL].raw);
	assert_int_equal(0, test.run->count[SLOTS].raw);
	assert_int_equal(0, test.run->count[METRICS].raw);
	assert_false(pmc_perf_metrics_has_intervals(test.run));
	assert_ptr_equal(&test.pmu, test.run->last);
	/* the page shows them again */
	test.run->user_page = &test.user_page;
	pmc_perf_metrics_clear(&test.pmu, test.run);
	assert_steps("-smp+");
	assert_true(test.user_page.stale);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(init), TEST(first_interval), TEST(two_intervals), TEST(rests),
		TEST(no_slots), TEST(mask_of_load), TEST(whole), TEST(very_many_slots),
		TEST(user_page), TEST(near_wrap), TEST(rewound), TEST(cleared_elsewhere),
		TEST(cleared_here),
	};

	/* an endless loop fails, too */
	alarm(60);
	return cmocka_run_group_tests_name("perf_metrics", tests, NULL, NULL);
}

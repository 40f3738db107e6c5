// SPDX-License-Identifier: GPL-2.0-only
/* Tests of user_page.c: a page that is valid has the offsets of the counters */
#include "unit.h"

#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "pmu/user_page.h"

static struct pmc_page *page;
static struct pmc_program program;
static struct pmc_user_page user_page;
static struct pmc_run *run;
static u64 base, clock_offset;

static int set_up(void **state)
{
	page = calloc(1, sizeof(*page) + sizeof(page->counter[0]));
	run = calloc(1, sizeof(*run) + sizeof(run->count[0]));
	assert_true(page && run);
	program = (struct pmc_program){ .nr = 1 };
	base = 100;
	clock_offset = 0;
	user_page = (struct pmc_user_page){ .page = page, .base = &base, .clock = &clock_offset,
		.open = true, .stale = true };
	run->program = &program;
	run->user_page = &user_page;
	run->count[0].value = 10;
	run->count[0].raw = 4;
	run->count[0].mask = 0xffff;
	run->count[0].rdpmc = 1 << 30 | 1;
	page->sequence = PMC_PAGE_UNAVAILABLE;
	pmc_user_pages_disabled = false;
	return 0;
}

static int tear_down(void **state)
{
	free(page);
	free(run);
	return 0;
}

static bool is_valid(void)
{
	return !(page->sequence & PMC_PAGE_UNAVAILABLE);
}

static void shown(void **state)
{
	u32 before;

	pmc_run_show(run);
	assert_true(is_valid());
	before = page->sequence;
	pmc_run_show(run);
	assert_true(is_valid());
	assert_int_not_equal(before, page->sequence);
	assert_int_equal(106, page->counter[0].offset);
	assert_int_equal(16, page->counter[0].width);
	assert_int_equal(1 << 30 | 1, page->counter[0].rdpmc);
	assert_false(user_page.stale);
	pmc_run_hide(run);
	assert_false(is_valid());
}

/* The time enabled is what the clock adds to the time-stamp counter. */
static void times(void **state)
{
	run->since = 5000;
	run->counted = 70;
	clock_offset = (u64)-3000;
	pmc_run_show(run);
	assert_int_equal(70, page->time_counted);
	assert_int_equal(2000, page->time_enabled);
	assert_int_equal(5000, page->since);
}

/* Each sequence differs from all before it: bit 0 is the state, the others are a number. */
static void sequences(void **state)
{
	pmc_run_show(run);
	assert_int_equal(2, page->sequence);
	pmc_run_show(run);
	assert_int_equal(4, page->sequence);
	pmc_run_hide(run);
	assert_int_equal(7, page->sequence);
	pmc_run_hide(run);
	assert_int_equal(9, page->sequence);
	pmc_run_show(run);
	assert_int_equal(10, page->sequence);
}

/* All runs of threads with a page: here the second of two */
static void hidden_on_cpu(void **state)
{
	struct pmc_run without = {};
	struct pmc_pmu pmu = {};

	pmc_run_show(run);
	pmc_pmu_hide_user_pages(&pmu);
	assert_true(is_valid());
	hlist_add_head(&run->node, &pmu.thread_runs);
	hlist_add_head(&without.node, &pmu.thread_runs);
	pmc_pmu_hide_user_pages(&pmu);
	assert_false(is_valid());
}

/* Another CPU disabled the pages while this one was valid, and its counter was written. */
static void disabled_while_valid(void **state)
{
	pmc_run_show(run);
	pmc_user_pages_disabled = true;
	run->count[0].raw = 0;
	user_page.stale = true;
	pmc_run_show(run);
	assert_false(is_valid());
	pmc_user_pages_disabled = false;
	pmc_run_show(run);
	assert_true(is_valid());
	assert_int_equal(110, page->counter[0].offset);
}

/* A page that was hidden stays hidden, and its sequence does not change. */
static void closed(void **state)
{
	u32 before;

	pmc_run_show(run);
	user_page.open = false;
	pmc_run_show(run);
	assert_false(is_valid());
	before = page->sequence;
	pmc_run_show(run);
	assert_int_equal(before, page->sequence);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(shown), TEST(times), TEST(sequences), TEST(hidden_on_cpu),
		TEST(disabled_while_valid), TEST(closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

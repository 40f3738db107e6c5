// SPDX-License-Identifier: GPL-2.0-only
/* Tests of user_page.c: a page that is valid has the offsets of the counters */
#include "unit.h"

#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "pmu/user_page.h"

struct fixture {
	struct pmc_page *page;
	struct pmc_program program;
	struct pmc_user_page user_page;
	struct pmc_run *run;
	u64 base, clock;
};

static void set_up(struct fixture *f)
{
	f->page = calloc(1, sizeof(*f->page) + sizeof(f->page->counter[0]));
	f->run = calloc(1, sizeof(*f->run) + sizeof(f->run->count[0]));
	assert_true(f->page && f->run);
	f->program = (struct pmc_program){ .nr = 1 };
	f->base = 100;
	f->clock = 0;
	f->user_page = (struct pmc_user_page){ .page = f->page, .base = &f->base,
		.clock = &f->clock, .open = true, .stale = true };
	f->run->program = &f->program;
	f->run->user_page = &f->user_page;
	f->run->count[0].value = 10;
	f->run->count[0].raw = 4;
	f->run->count[0].mask = 0xffff;
	f->run->count[0].rdpmc = 1 << 30 | 1;
	f->page->sequence = PMC_PAGE_UNAVAILABLE;
	pmc_user_pages_disabled = false;
}

static void tear_down(struct fixture *f)
{
	free(f->page);
	free(f->run);
}

static bool is_valid(const struct fixture *f)
{
	return !(f->page->sequence & PMC_PAGE_UNAVAILABLE);
}

static void shown(void **unused)
{
	struct fixture f;
	u32 before;

	set_up(&f);
	pmc_run_show(f.run);
	assert_true(is_valid(&f));
	before = f.page->sequence;
	pmc_run_show(f.run);
	assert_true(is_valid(&f));
	assert_int_not_equal(before, f.page->sequence);
	assert_int_equal(106, f.page->counter[0].offset);
	assert_int_equal(16, f.page->counter[0].width);
	assert_int_equal(1 << 30 | 1, f.page->counter[0].rdpmc);
	assert_false(f.user_page.stale);
	pmc_run_hide(f.run);
	assert_false(is_valid(&f));
	tear_down(&f);
}

/* The time enabled is what the clock adds to the time-stamp counter. */
static void times(void **unused)
{
	struct fixture f;

	set_up(&f);
	f.run->since = 5000;
	f.run->counted = 70;
	f.clock = (u64)-3000;
	pmc_run_show(f.run);
	assert_int_equal(70, f.page->time_counted);
	assert_int_equal(2000, f.page->time_enabled);
	assert_int_equal(5000, f.page->since);
	tear_down(&f);
}

/* Each sequence differs from all before it: bit 0 is the state, the others are a number. */
static void sequences(void **unused)
{
	struct fixture f;

	set_up(&f);
	pmc_run_show(f.run);
	assert_int_equal(2, f.page->sequence);
	pmc_run_show(f.run);
	assert_int_equal(4, f.page->sequence);
	pmc_run_hide(f.run);
	assert_int_equal(7, f.page->sequence);
	pmc_run_hide(f.run);
	assert_int_equal(9, f.page->sequence);
	pmc_run_show(f.run);
	assert_int_equal(10, f.page->sequence);
	tear_down(&f);
}

/* All runs of threads with a page: here the second of two */
static void hidden_on_cpu(void **unused)
{
	struct pmc_run without = {};
	struct pmc_pmu pmu = {};
	struct fixture f;

	set_up(&f);
	pmc_run_show(f.run);
	pmc_pmu_hide_user_pages(&pmu);
	assert_true(is_valid(&f));
	hlist_add_head(&f.run->node, &pmu.thread_runs);
	hlist_add_head(&without.node, &pmu.thread_runs);
	pmc_pmu_hide_user_pages(&pmu);
	assert_false(is_valid(&f));
	tear_down(&f);
}

/* Another CPU disabled the pages while this one was valid, and its counter was written. */
static void disabled_while_valid(void **unused)
{
	struct fixture f;

	set_up(&f);
	pmc_run_show(f.run);
	pmc_user_pages_disabled = true;
	f.run->count[0].raw = 0;
	f.user_page.stale = true;
	pmc_run_show(f.run);
	assert_false(is_valid(&f));
	pmc_user_pages_disabled = false;
	pmc_run_show(f.run);
	assert_true(is_valid(&f));
	assert_int_equal(110, f.page->counter[0].offset);
	tear_down(&f);
}

/* A page that was hidden stays hidden, and its sequence does not change. */
static void closed(void **unused)
{
	struct fixture f;
	u32 before;

	set_up(&f);
	pmc_run_show(f.run);
	f.user_page.open = false;
	pmc_run_show(f.run);
	assert_false(is_valid(&f));
	before = f.page->sequence;
	pmc_run_show(f.run);
	assert_int_equal(before, f.page->sequence);
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shown),
		cmocka_unit_test(times),
		cmocka_unit_test(sequences),
		cmocka_unit_test(hidden_on_cpu),
		cmocka_unit_test(disabled_while_valid),
		cmocka_unit_test(closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of storm.c: storms, pauses, and PMIs far apart */
#include "unit.h"

#include "sampling/storm.h"

/* A window of 4 ms at 1 GHz; half of it may be spent. */
#define WINDOW		4000000
#define SPENT_MAX	2000000

/* @nr PMIs, each of @ticks and @apart ticks after the one before; returns the first that is due */
static unsigned int pmis(unsigned int nr, uint64_t ticks, uint64_t apart)
{
	struct pmc_storm storm = {};
	uint64_t now = 10 * WINDOW;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (pmc_storm_is_due(&storm, now, WINDOW, SPENT_MAX))
			return i;
		pmc_storm_charge(&storm, ticks, WINDOW, SPENT_MAX);
		now += ticks + apart;
	}
	return nr;
}

/* PMIs of 1000 ticks, one after the other, are a storm once they have spent the share. */
static void one_after_the_other(void **state)
{
	assert_int_equal(2000, pmis(10000, 1000, 0));
	/* 1000 ticks in between: nearly the whole window, and the share is spent */
	assert_int_equal(2000, pmis(10000, 1000, 1000));
	/* a little more: less than the share of each window */
	assert_int_equal(10000, pmis(10000, 1000, 1010));
}

/* PMIs that take as long as the share each, or longer: a few are no storm, more of them are one. */
static void long_pauses(void **state)
{
	struct pmc_storm storm = {};
	unsigned int i;

	assert_int_equal(PMC_STORM_PMIS, pmis(1000, SPENT_MAX, 0));
	assert_int_equal(PMC_STORM_PMIS, pmis(1000, SPENT_MAX, SPENT_MAX));
	assert_int_equal(1000, pmis(1000, SPENT_MAX, SPENT_MAX + 1));
	/* 250,000 ticks each: 16 of them do not fit into a window before the one that is due */
	assert_int_equal(PMC_STORM_PMIS, pmis(1000, WINDOW / PMC_STORM_PMIS + 1, 0));
	assert_int_equal(PMC_STORM_PMIS, pmis(1000, WINDOW / PMC_STORM_PMIS, 0));
	/* a pause of two windows or less */
	assert_int_equal(PMC_STORM_PMIS, pmis(1000, 2 * WINDOW, 0));
	assert_int_equal(1000, pmis(1000, 2 * WINDOW + 1, 0));
	/* two pauses of the whole share, and short ones up to the end of the window */
	for (i = 0; i < 2; i++)
		pmc_storm_charge(&storm, SPENT_MAX, WINDOW, SPENT_MAX);
	for (i = 0; i < 1749; i++)
		pmc_storm_charge(&storm, 1000, WINDOW, SPENT_MAX);
	assert_false(pmc_storm_is_due(&storm, 1, WINDOW, SPENT_MAX));
	pmc_storm_charge(&storm, 1000, WINDOW, SPENT_MAX);
	assert_true(pmc_storm_is_due(&storm, WINDOW, WINDOW, SPENT_MAX));
}

/* What was spent in one window does not count in the next. */
static void windows(void **state)
{
	struct pmc_storm storm = {};
	unsigned int i;

	for (i = 0; i < 2000; i++)
		pmc_storm_charge(&storm, 1000, WINDOW, SPENT_MAX);
	assert_false(pmc_storm_is_due(&storm, WINDOW + 1, WINDOW, SPENT_MAX));
	assert_int_equal(0, storm.spent);
	assert_int_equal(0, storm.total);
	assert_int_equal(WINDOW + 1, storm.since);
	assert_false(pmc_storm_is_due(&storm, WINDOW + 2, WINDOW, SPENT_MAX));
	assert_int_equal(1000, pmis(1000, 1000, WINDOW));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(long_pauses),
		cmocka_unit_test(windows),
	};

	return cmocka_run_group_tests_name("storm", tests, NULL, NULL);
}

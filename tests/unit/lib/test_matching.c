// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the placement of events on counters, by comparison with an exhaustive search */
#include <stdlib.h>

#include "check.h"

#define EVENTS		6
#define COUNTERS	6
#define ROUNDS		20000

/* Can the events from @event on be placed on counters outside @taken? */
static bool can_place(const uint64_t *allowed, int event, int num, uint64_t taken)
{
	int i;

	if (event == num)
		return true;
	for (i = 0; i < COUNTERS; i++)
		if ((allowed[event] & ~taken) >> i & 1 &&
		    can_place(allowed, event + 1, num, taken | 1ULL << i))
			return true;
	return false;
}

static void check_consistent(const struct pmc_matching *match)
{
	size_t i;

	for (i = 0; i < match->num_events; i++) {
		assert_true(match->allowed[i] >> match->counter[i] & 1);
		assert_int_equal(match->owner[match->counter[i]], i);
	}
}

/* The new event and the events on the tried counters exceed the tried counters by one. */
static void check_tried(const struct pmc_matching *match, uint64_t allowed, uint64_t tried)
{
	uint64_t taken = 0;
	size_t i;

	assert_true((allowed & ~tried) == 0);
	for (i = 0; i < match->num_events; i++)
		if (tried >> match->counter[i] & 1) {
			assert_true((match->allowed[i] & ~tried) == 0);
			taken |= 1ULL << match->counter[i];
		}
	assert_true(taken == tried);
}

static void fits_whenever_possible(void **state)
{
	uint64_t allowed[EVENTS], tried;
	struct pmc_matching match;
	int round, i, failures = 0;
	bool placed;

	srand(1);
	for (round = 0; round < ROUNDS; round++) {
		pmc_matching_init(&match);
		for (i = 0; i < EVENTS; i++) {
			allowed[match.num_events] = rand() & rand() & ((1 << COUNTERS) - 1);
			placed = pmc_matching_add(&match, allowed[match.num_events],
						  rand() & allowed[match.num_events], ~0ULL,
						  &tried);
			assert_true(placed == can_place(allowed, 0, match.num_events + !placed, 0));
			check_consistent(&match);
			if (!placed) {
				failures++;
				check_tried(&match, allowed[match.num_events], tried);
			}
		}
	}
	assert_true(failures > ROUNDS / 10);
}

static void prefers(void **state)
{
	struct pmc_matching match;
	uint64_t tried;

	pmc_matching_init(&match);
	assert_true(pmc_matching_add(&match, 0xf, 0x4, ~0ULL, &tried));
	assert_int_equal(match.counter[0], 2);
	assert_true(pmc_matching_add(&match, 0xf, 0x4, ~0ULL, &tried));
	assert_int_equal(match.counter[1], 0);
	assert_true(pmc_matching_add(&match, 0x4, 0, ~0ULL, &tried));
	assert_int_equal(match.counter[2], 2);
	assert_int_equal(match.counter[0], 1);
}

static void leaves_unusable_alone(void **state)
{
	struct pmc_matching match;
	uint64_t tried;

	pmc_matching_init(&match);
	assert_true(pmc_matching_add(&match, 0x3, 0, 0x2, &tried));
	assert_int_equal(match.counter[0], 1);
	assert_false(pmc_matching_add(&match, 0x3, 0, 0x2, &tried));
	assert_true(tried == 0x2);
	assert_int_equal(match.num_events, 1);
	assert_true(pmc_matching_add(&match, 0x3, 0, ~0ULL, &tried));
	assert_int_equal(match.counter[1], 0);
}

static void takes_64_counters(void **state)
{
	struct pmc_matching match;
	uint64_t tried;
	int i;

	pmc_matching_init(&match);
	for (i = 0; i < PMC_COUNTERS_MAX; i++)
		assert_true(pmc_matching_add(&match, ~0ULL << 32, 0, ~0ULL, &tried));
	assert_int_equal(match.counter[31], 63);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fits_whenever_possible),
		cmocka_unit_test(prefers),
		cmocka_unit_test(leaves_unusable_alone),
		cmocka_unit_test(takes_64_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

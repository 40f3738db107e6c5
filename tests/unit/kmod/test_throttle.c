// SPDX-License-Identifier: GPL-2.0-only
/* Tests of throttle.c: windows, the share that may be spent in one, and what is charged */
#include "sampling.h"

#include <asm/tsc.h>

#include "sampling/throttle.h"

static struct pmc_throttling *const throttling = &pmc_pmus.pmi.throttling;

static int begin(void **state)
{
	reset_cpu();
	tsc_khz = 3000000;
	return 0;
}

/* A window of 4 ms at 3 GHz has 12,000,000 ticks; without a frequency, 4,000,000. */
static void ticks(void **state)
{
	assert_int_equal(120000, pmc_throttle_ticks(1));
	assert_int_equal(6000000, pmc_throttle_ticks(50));
	assert_int_equal(0, pmc_throttle_ticks(0));
	tsc_khz = 0;
	assert_int_equal(40000, pmc_throttle_ticks(1));
	assert_int_equal(2000000, pmc_throttle_ticks(50));
}

static void arm(void **state)
{
	pmc_throttle_arm(throttling);
	assert_int_equal(6000000, throttling->spent_max);
}

/* More than the limit has been spent before the window is over. */
static void due(void **state)
{
	throttling->spent_max = 1000;
	throttling->spent.value = 70;
	pmc_throttle_begin_window(throttling, 500);
	assert_int_equal(500, throttling->window);
	assert_int_equal(0, throttling->spent.value);
	throttling->spent.value = 300;
	assert_false(pmc_throttle_is_due(throttling, 300, 600));
	assert_true(pmc_throttle_is_due(throttling, 299, 600));
	/* a window is two shares long, and longer if the share is not spent */
	assert_true(pmc_throttle_is_due(throttling, 299, 2500));
	assert_int_equal(500, throttling->window);
	assert_int_equal(300, throttling->spent.value);
	assert_false(pmc_throttle_is_due(throttling, 300, 2501));
	assert_int_equal(500, throttling->window);
	assert_false(pmc_throttle_is_due(throttling, 299, 2501));
	assert_int_equal(2501, throttling->window);
	assert_int_equal(0, throttling->spent.value);
}

static void charge(void **state)
{
	pmc_pmus.pmi.nmi.overhead.ticks = 7;
	throttling->spent.value = 10;
	tsc = 5000;
	pmc_throttle_charge_local(4900);
	assert_int_equal(117, throttling->spent.value);
}

#define TEST(name)	cmocka_unit_test_setup(name, begin)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(ticks), TEST(arm), TEST(due), TEST(charge),
	};

	return cmocka_run_group_tests_name("throttle", tests, NULL, NULL);
}

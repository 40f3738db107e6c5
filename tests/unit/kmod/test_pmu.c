// SPDX-License-Identifier: GPL-2.0-only
/* Tests of pmu.c: acquiring and releasing a CPU's counters, and calls on a CPU */
#include "unit.h"

#include <linux/kernel.h>
#include <linux/smp.h>

#include "irqs.h"
#include "pmu/family.h"
#include "pmu/pmu.h"

int this_cpu = 1;

static int saves, restores, calls;
static int other_cpu, other_wait;

int smp_call_function_single(int cpu, void (*function)(void *), void *data, int wait)
{
	other_cpu = cpu;
	other_wait = wait;
	function(data);
	return 0;
}

/* The registers are saved and restored while the driver does not have the counters. */
static void save(struct pmc_pmu *pmu)
{
	assert_false(pmu->acquired);
	saves++;
}

static void restore(struct pmc_pmu *pmu)
{
	assert_false(pmu->acquired);
	restores++;
}

static const struct pmc_family family = { .save = save, .restore = restore };

static int setup(void **state)
{
	struct pmc_pmu *pmu = &pmc_pmus[0];

	memset(pmu, 0, sizeof(*pmu));
	pmc_pmu_init(pmu);
	pmu->description.family = &family;
	pmc_pmus_disabled = false;
	saves = 0;
	restores = 0;
	calls = 0;
	other_cpu = -1;
	*state = pmu;
	return 0;
}

static void initial(void **state)
{
	const struct pmc_pmu *pmu = *state;

	assert_true(hlist_empty(&pmu->cpu_runs));
	assert_true(hlist_empty(&pmu->thread_runs));
	assert_int_equal(PMC_STATUS_OFFLINE, pmu->description.query.status);
}

/* What an earlier context touched and loaded is not known any more. */
static void acquired(void **state)
{
	struct pmc_pmu *pmu = *state;
	struct pmc_run *last = (void *)&calls;

	pmu->touched_general = 1;
	pmu->touched_fixed = 2;
	pmu->touched_extra = 4;
	pmu->last = last;
	assert_true(pmc_pmu_acquire(pmu));
	assert_true(pmu->acquired);
	assert_int_equal(1, saves);
	assert_int_equal(0, pmu->touched_general);
	assert_int_equal(0, pmu->touched_fixed);
	assert_int_equal(0, pmu->touched_extra);
	assert_null(pmu->last);
}

static void not_acquired(void **state)
{
	struct pmc_pmu *pmu = *state;

	pmc_pmus_disabled = true;
	assert_false(pmc_pmu_acquire(pmu));
	pmc_pmus_disabled = false;
	pmu->description.family = NULL;
	assert_false(pmc_pmu_acquire(pmu));
	assert_false(pmu->acquired);
	assert_int_equal(0, saves);
}

static void released(void **state)
{
	struct pmc_pmu *pmu = *state;

	assert_true(pmc_pmu_acquire(pmu));
	pmu->loaded = 5;
	pmc_pmu_release(pmu);
	assert_false(pmu->acquired);
	assert_int_equal(1, restores);
	assert_int_equal(0, pmu->loaded);
}

static void called(void *data)
{
	assert_ptr_equal(&calls, data);
	assert_true(other_cpu >= 0 || irqs_off);
	calls++;
}

/* Interrupts are off meanwhile, and afterwards as before. */
static void call_on_this_cpu(void **state)
{
	int before;

	for (before = 0; before < 2; before++) {
		irqs_off = before;
		pmc_call_on_cpu(1, called, &calls);
		assert_int_equal(before, irqs_off);
	}
	assert_int_equal(2, calls);
	assert_int_equal(-1, other_cpu);
	irqs_off = false;
}

static void call_on_another_cpu(void **state)
{
	pmc_call_on_cpu(0, called, &calls);
	assert_int_equal(1, calls);
	assert_int_equal(0, other_cpu);
	assert_int_equal(1, other_wait);
	assert_false(irqs_off);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(initial, setup),
		cmocka_unit_test_setup(acquired, setup),
		cmocka_unit_test_setup(not_acquired, setup),
		cmocka_unit_test_setup(released, setup),
		cmocka_unit_test_setup(call_on_this_cpu, setup),
		cmocka_unit_test_setup(call_on_another_cpu, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

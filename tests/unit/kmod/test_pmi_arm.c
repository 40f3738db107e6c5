// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of pmi.c: when LVTPC is armed, masked after a storm, and restored; what a PMI shows about
 * its masking; the irq_work, the timer and the users of the handler
 */
#include "pmi.h"

/* Not armed yet: what the driver does not need */
static void not_armed(void **state)
{
	lvtpc = MASKED;
	pmi->nmi.policy = NULL;
	pmc_pmi_init(pmi);
	pmi->armed = false;
	pmi->ready = false;
	assert_false(nmi(false));
	expect_calls("");
	pmi->nmi.overhead.sent = true;
	assert_true(nmi(false));
	expect_calls("");
}

static void arm(void **state)
{
	static const bool armed[] = { true, false, false, false };
	unsigned int i;

	assert_true(pmi->armed);
	assert_true(pmi->ready);
	assert_int_equal(FOUND, pmi->lvtpc);
	for (i = 0; i < 4; i++) {
		pmi->armed = armed[i];
		pmi->storm = i == 1;
		pmu->acquired = i != 2;
		local.read = read_apic;
		if (i == 3)
			break;
		pmc_pmi_arm(pmu);
		expect_calls("");
		assert_int_equal(FOUND, pmi->lvtpc);
	}
	pmi->ready = true;
	pmi->nmi.mask = PMC_LVTPC_UNKNOWN;
	pmi->empty = (struct pmc_storm){ .total = 1, .spent = 1, .since = 1, .late = true };
	lvtpc = 0x300;
	pmc_pmi_arm(pmu);
	expect_calls("measure;lvtpc 400;");
	assert_int_equal(0x300, pmi->lvtpc);
	assert_true(pmi->armed);
	assert_false(pmi->ready);
	assert_true(pmi->nmi.has_late_periods);
	assert_int_equal(0, pmi->empty.total);
	assert_int_equal(0, pmi->empty.spent);
	assert_int_equal(0, pmi->empty.since);
	assert_false(pmi->empty.late);
}

static void disarm(void **state)
{
	pmi->throttling.active = true;
	pmi->nmi.expected.value = 2;
	pmc_pmi_disarm(pmu);
	expect_calls("no timer;lvtpc 10000;");
	assert_false(pmi->throttling.active);
	assert_false(pmi->armed);
	assert_false(pmi->ready);
	assert_int_equal(0, pmi->nmi.expected.value);
	pmc_pmi_disarm(pmu);
	expect_calls("");
	pmi->storm = true;
	pmc_pmi_disarm(pmu);
	expect_calls("no timer;lvtpc 10000;");
	assert_false(pmi->storm);
}

/* Without proof whether LVTPC is masked, each NMI is looked at. */
static void learn(void **state)
{
	pmc_pmi_disarm(pmu);
	pmi->nmi.mask = PMC_LVTPC_UNKNOWN;
	pmc_pmi_arm(pmu);
	calls[0] = '\0';
	/* neither */
	assert_false(nmi(false));
	expect_calls("settle;");
	assert_false(pmi->ready);
	assert_int_equal(PMC_LVTPC_UNKNOWN, pmi->nmi.mask);
	/* an overflow without a masked LVTPC is no proof here */
	finds[1] = 1;
	assert_true(nmi(false));
	expect_calls("settle;lvtpc 400;");
	assert_false(pmi->ready);
	assert_true(pmi->empty.late);
	/* but where the family expects that */
	family.unmasked = true;
	assert_true(nmi(false));
	assert_false(pmi->ready);
	calls[0] = '\0';
	finds[3] = 1;
	assert_true(nmi(false));
	expect_calls("settle;lvtpc 400;");
	assert_true(pmi->ready);
	assert_int_equal(PMC_LVTPC_UNMASKED, pmi->nmi.mask);
	/* a masked one is proof, without an overflow too */
	pmi->ready = false;
	assert_true(nmi(true));
	expect_calls("settle;lvtpc 400;");
	assert_true(pmi->ready);
	assert_int_equal(PMC_LVTPC_MASKED, pmi->nmi.mask);
}

/* Delivered PMIs without an overflow that take the share of a window end with LVTPC masked. */
static void storm(void **state)
{
	unsigned int i;

	takes = SPENT_MAX;
	program->stop_to_read = false;
	pmi->nmi.overhead.ticks = SPENT_MAX;
	pmi->empty.since = tsc;
	for (i = 0; i < PMC_STORM_PMIS; i++) {
		assert_true(nmi(true));
		expect_calls("settle;lvtpc 400;");
		assert_int_equal((i + 1) * WINDOW, pmi->empty.total);
		assert_int_equal((i + 1) * (SPENT_MAX / PMC_STORM_PMIS), pmi->empty.spent);
	}
	assert_int_equal(0, pmc_pmi_state(PMC_CPU_ANY));
	assert_int_equal(0, pmc_pmi_storms());
	assert_int_equal(PMC_STORM_PMIS, pmc_pmi_spurious());
	assert_true(nmi(true));
	expect_calls("settle;lvtpc 10400;");
	assert_int_equal(PMC_STORM_PMIS, pmc_pmi_spurious());
	assert_int_equal(1, pmc_pmi_storms());
	assert_int_equal(PMC_STATE_STORM, pmc_pmi_state(PMC_CPU_ANY));
	assert_int_equal(PMC_STATE_STORM, pmc_pmi_state(0));
	assert_int_equal(0, pmc_pmi_state(1));
	assert_false(pmi->armed);
	assert_false(pmi->ready);
	/* LVTPC is not armed again before it is restored */
	assert_false(nmi(true));
	expect_calls("");
	pmc_pmi_arm(pmu);
	expect_calls("");
	pmc_pmi_disarm(pmu);
	expect_calls("no timer;lvtpc 10000;");
	assert_int_equal(0, pmc_pmi_state(PMC_CPU_ANY));
}

/* A storm is not ended while overflows are found. */
static void no_storm(void **state)
{
	unsigned int i;

	family.acknowledge = acknowledge;
	pmi->nmi.overhead.ticks = SPENT_MAX;
	for (i = 0; i < PMC_STORM_PMIS; i++)
		assert_true(nmi(true));
	calls[0] = '\0';
	settled = 0;
	finds[1] = 1;
	assert_true(nmi(true));
	expect_calls("settle;settle;reload;lvtpc 400;");
	assert_int_equal(0, pmc_pmi_storms());
}

/* Where LVTPC is not masked: the first NMI after one with an overflow is not charged. */
static void storm_without_mask(void **state)
{
	unsigned int i;

	family.unmasked = true;
	pmi->nmi.mask = PMC_LVTPC_UNMASKED;
	pmi->armed = false;
	pmc_pmi_arm(pmu);
	pmi->nmi.overhead.ticks = SPENT_MAX;
	calls[0] = '\0';
	finds[0] = 1;
	assert_true(nmi(false));
	expect_calls("settle;lvtpc 400;");
	assert_true(nmi(false));
	assert_int_equal(0, pmi->empty.total);
	for (i = 0; i < PMC_STORM_PMIS; i++) {
		assert_false(pmi->storm);
		assert_true(nmi(false));
		assert_int_equal((i + 1) * SPENT_MAX, pmi->empty.total);
	}
	calls[0] = '\0';
	assert_true(nmi(false));
	expect_calls("settle;lvtpc 10400;");
	assert_true(pmi->storm);
	assert_int_equal(0, pmc_pmi_spurious());
}

static void work(void **state)
{
	takes = 25;
	pmi->work.func(&pmi->work);
	expect_calls("mmaps;");
	assert_int_equal(25, pmi->throttling.spent.value);
	pmi->throttling.active = true;
	pmi->work.func(&pmi->work);
	expect_calls("timer 4000000;mmaps;");
	timer_active = true;
	pmi->work.func(&pmi->work);
	expect_calls("mmaps;");
	assert_int_equal(HRTIMER_NORESTART, pmi->timer.function(&pmi->timer));
	expect_calls("off;unthrottle;on;");
	assert_false(pmi->throttling.active);
	assert_int_equal(tsc, pmi->throttling.window);
	assert_int_equal(0, pmi->throttling.spent.value);
	pmc_pmi_exit();
	expect_calls("sync;");
}

static void limit(void **state)
{
	pmc_pmi_limit((void *)&task);
	assert_int_equal(500, sampler->spent_max);
}

/* The first user registers the handler, the last one waits for late NMIs. */
static void users(void **state)
{
	assert_int_equal(0, pmc_pmi_get());
	pmc_pmi_put();
	expect_calls("");
	pmc_pmi_put();
	expect_calls("unregister pmcdrv;");
	registering = -12;
	assert_int_equal(-12, pmc_pmi_get());
	assert_int_equal(-12, pmc_pmi_get());
	expect_calls("register pmcdrv;register pmcdrv;");
	registering = 0;
	assert_int_equal(0, pmc_pmi_get());
	expect_calls("register pmcdrv;");
	/* at 1 GHz, 96 units of 2^20 ticks and a part of one are over after 101 or 102 ms */
	pmi->nmi.has_late_periods = true;
	pmi->nmi.late_max = 1;
	tsc_khz = 100000;
	tsc = 0;
	pmi->nmi.late_end = 1;
	pmc_pmi_put();
	expect_calls("sleep;sleep;sleep;unregister pmcdrv;");
	/* ten times 10 ms at most */
	assert_int_equal(0, pmc_pmi_get());
	tsc_khz = 0;
	tsc = 0;
	pmc_pmi_put();
	expect_calls("register pmcdrv;sleep;sleep;sleep;sleep;sleep;sleep;sleep;sleep;sleep;sleep;"
		     "unregister pmcdrv;");
	tsc_khz = KHZ;
	assert_int_equal(0, pmc_pmi_get());
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(not_armed), TEST(arm), TEST(disarm), TEST(learn), TEST(storm),
		TEST(no_storm), TEST(storm_without_mask), TEST(work), TEST(limit), TEST(users),
	};

	return cmocka_run_group_tests_name("pmi_arm", tests, NULL, NULL);
}

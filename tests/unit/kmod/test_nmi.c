// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of nmi.c: which NMIs are the driver's, for each policy, and for how long late ones may come
 */
#include "sampled_run.h"

#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/cpufeature.h>
#include <asm/tsc.h>

#include "sampling/nmi.h"

/* 2^20 kHz: a late period of 100 ms is 100 units of 2^20 ticks, and the one it begins in */
#define KHZ		(1U << 20)
#define UNIT		(1ULL << 20)
#define LATE_MAX	101

static struct pmc_family family;
static struct pmc_pmu *const pmu = &pmc_pmus;
static struct pmc_nmi *const nmi = &pmc_pmus.pmi.nmi;
static u32 lvtpc;

static u32 read_apic(u32 reg)
{
	assert_int_equal(APIC_LVTPC, reg);
	return lvtpc;
}

static struct apic local = { .read = read_apic };
struct apic *apic = &local;

static int begin(void **state)
{
	reset_cpu();
	tsc_khz = KHZ;
	tsc = 1000 * UNIT + 5;
	lvtpc = APIC_DM_NMI;
	family = (struct pmc_family){};
	pmu->description.family = &family;
	memset(cpu_has_feature, 0, sizeof(cpu_has_feature));
	pmc_nmi_init(nmi);
	return 0;
}

static enum pmc_nmi_class classify(bool delivered)
{
	return pmc_nmi_classify(&pmu->pmi, delivered, tsc);
}

#define OURS	PMC_NMI_OURS
#define LATE	PMC_NMI_LATE
#define FOREIGN	PMC_NMI_FOREIGN

/* The NMIs of @expected overflows may come: two of them at most are late. */
static void expect_late(u32 expected)
{
	u32 i;

	for (i = 0; i < expected && i < 2; i++) {
		assert_int_equal(FOREIGN, classify(false));
		assert_int_equal(LATE, classify(true));
	}
	assert_int_equal(OURS, classify(true));
	assert_int_equal(OURS, classify(true));
	assert_int_equal(FOREIGN, classify(false));
}

/* Where LVTPC is masked at delivery; also before it is armed for the first time */
static void masks(void **state)
{
	u32 i;

	expect_late(0);
	assert_true(pmc_nmi_learn(pmu, true));
	assert_int_equal(PMC_LVTPC_MASKED, nmi->mask);
	assert_false(nmi->has_late_periods);
	for (i = 0; i < 5; i++) {
		pmc_nmi_expect(nmi, i);
		expect_late(i);
	}
	pmc_nmi_expect(nmi, 1);
	pmc_nmi_expect(nmi, 1);
	expect_late(2);
	pmc_nmi_expect(nmi, 2);
	pmc_nmi_disarm(nmi);
	expect_late(0);
	assert_null(nmi->policy->passed);
}

/* Beside Intel PT, a PMI that was delivered before the passes ended is remembered. */
static void beside_intel_pt(void **state)
{
	cpu_has_feature[X86_FEATURE_INTEL_PT] = true;
	pmc_nmi_arm(pmu);
	assert_int_equal(PMC_LVTPC_MASKED, nmi->mask);
	assert_false(nmi->has_late_periods);
	pmc_nmi_expect(nmi, 3);
	expect_late(3);
	nmi->policy->passed(nmi);
	assert_false(nmi->latched);
	lvtpc |= APIC_LVT_MASKED;
	nmi->policy->passed(nmi);
	assert_true(nmi->latched);
	lvtpc = APIC_DM_NMI;
	nmi->policy->passed(nmi);
	assert_false(nmi->latched);
	/* without it, a policy that masks stays one */
	cpu_has_feature[X86_FEATURE_INTEL_PT] = false;
	pmc_nmi_arm(pmu);
	assert_null(nmi->policy->passed);
	assert_int_equal(PMC_LVTPC_MASKED, nmi->mask);
	assert_false(nmi->has_late_periods);
}

/* NMIs that LVTPC does not show are late for 100 ms from now on. */
static void expect_late_period(void)
{
	u64 start = tsc;

	assert_int_equal(LATE, classify(false));
	assert_true(pmc_nmi_is_pending(nmi, tsc));
	tsc = start + LATE_MAX * UNIT;
	assert_int_equal(LATE, classify(false));
	assert_int_equal(LATE, classify(false));
	assert_true(pmc_nmi_is_pending(nmi, tsc));
	tsc = (tsc | (UNIT - 1)) + 1;
	assert_int_equal(FOREIGN, classify(false));
	assert_false(pmc_nmi_is_pending(nmi, tsc));
	/* nor is one if the time-stamp counter was set back */
	tsc = start - UNIT;
	assert_int_equal(FOREIGN, classify(false));
	assert_false(pmc_nmi_is_pending(nmi, tsc));
	tsc = start + 200 * UNIT;
	assert_int_equal(FOREIGN, classify(false));
}

static void no_mask(void **state)
{
	family.unmasked = true;
	pmc_nmi_arm(pmu);
	assert_int_equal(PMC_LVTPC_UNKNOWN, nmi->mask);
	assert_true(pmc_nmi_learn(pmu, false));
	assert_int_equal(PMC_LVTPC_UNMASKED, nmi->mask);
	assert_true(nmi->has_late_periods);
	assert_null(nmi->policy->passed);
	assert_int_equal(FOREIGN, classify(false));
	assert_int_equal(OURS, classify(true));
	pmc_nmi_expect(nmi, 0);
	assert_int_equal(FOREIGN, classify(false));
	pmc_nmi_expect(nmi, 1);
	assert_int_equal(0, nmi->expected.value);
	assert_int_equal(LATE, classify(true));
	expect_late_period();
	pmc_nmi_begin_late_period(nmi);
	pmc_nmi_disarm(nmi);
	expect_late_period();
	/* an overflow in a late period begins another */
	pmc_nmi_expect(nmi, 1);
	tsc += 50 * UNIT;
	pmc_nmi_expect(nmi, 1);
	expect_late_period();
}

/* Before it is known, as either. */
static void learning(void **state)
{
	pmc_nmi_arm(pmu);
	assert_true(nmi->has_late_periods);
	assert_null(nmi->policy->passed);
	assert_int_equal(FOREIGN, classify(false));
	assert_int_equal(OURS, classify(true));
	pmc_nmi_expect(nmi, 1);
	assert_int_equal(LATE, classify(true));
	assert_int_equal(OURS, classify(true));
	expect_late_period();
	/* no proof, unless the family does not mask */
	assert_false(pmc_nmi_learn(pmu, false));
	assert_int_equal(PMC_LVTPC_UNKNOWN, nmi->mask);
	assert_true(nmi->has_late_periods);
	family.unmasked = true;
	assert_true(pmc_nmi_learn(pmu, true));
	assert_int_equal(PMC_LVTPC_MASKED, nmi->mask);
	assert_false(nmi->has_late_periods);
	pmc_nmi_begin_late_period(nmi);
	assert_int_equal(FOREIGN, classify(false));
	assert_false(pmc_nmi_is_pending(nmi, tsc));
}

/* The length of the late period, without a frequency for 1 GHz */
static void late_max(void **state)
{
	pmc_nmi_arm(pmu);
	assert_int_equal(LATE_MAX, nmi->late_max);
	/* 100 ms at 3 GHz are 286.1 units; at 1 GHz, 95.4 */
	tsc_khz = 3000000;
	pmc_nmi_arm(pmu);
	assert_int_equal(287, nmi->late_max);
	tsc_khz = 0;
	pmc_nmi_arm(pmu);
	assert_int_equal(96, nmi->late_max);
}

/* A late period goes on when LVTPC is armed again. One that is over does not come again. */
static void arm(void **state)
{
	u64 start = tsc;

	pmc_nmi_arm(pmu);
	pmc_nmi_expect(nmi, 1);
	tsc += 60 * UNIT;
	pmc_nmi_arm(pmu);
	tsc = start + LATE_MAX * UNIT;
	assert_int_equal(LATE, classify(false));
	/* the time-stamp counter begins at 0 */
	tsc = 3;
	pmc_nmi_arm(pmu);
	for (; tsc < start + 200 * UNIT; tsc += UNIT)
		assert_int_equal(FOREIGN, classify(false));
	tsc = start + LATE_MAX * UNIT;
	pmc_nmi_arm(pmu);
	assert_int_equal(FOREIGN, classify(false));
}

/* NMIs that the CPU sent to itself are claimed where LVTPC shows no PMI. */
static void sent(void **state)
{
	nmi->overhead.sent = true;
	assert_int_equal(OURS, classify(true));
	assert_false(nmi->overhead.came);
	assert_int_equal(LATE, classify(false));
	assert_true(nmi->overhead.came);
	nmi->overhead.came = false;
	pmc_nmi_arm(pmu);
	pmc_nmi_expect(nmi, 1);
	assert_int_equal(LATE, classify(false));
	assert_true(nmi->overhead.came);
	assert_int_equal(LATE, classify(true));
	tsc += 200 * UNIT;
	assert_false(pmc_nmi_is_pending(nmi, tsc));
	nmi->overhead.owed = true;
	assert_true(pmc_nmi_is_pending(nmi, tsc));
	assert_int_equal(LATE, classify(false));
	assert_int_equal(FOREIGN, classify(false));
	assert_false(pmc_nmi_is_pending(nmi, tsc));
}

static void follow_up(void **state)
{
	pmc_nmi_update_follow_up(&pmu->pmi);
	assert_false(pmu->pmi.follow_up);
	pmu->pmi.kernel = 1;
	pmc_nmi_update_follow_up(&pmu->pmi);
	assert_true(pmu->pmi.follow_up);
	pmu->pmi.kernel = 0;
	pmc_nmi_arm(pmu);
	assert_true(pmu->pmi.follow_up);
	assert_true(pmc_nmi_learn(pmu, true));
	assert_false(pmu->pmi.follow_up);
	pmu->pmi.follow_up = true;
	pmc_nmi_arm(pmu);
	assert_false(pmu->pmi.follow_up);
}

static u64 read_one(const struct pmc_counter_setup *setup)
{
	return setup->rdpmc;
}

/* A sampler of a run with two counters of 40 bits; the second one has a period */
static void make_sampler(void)
{
	alloc_sampled_run(2);
	program->family = &family;
	program->setup[1].period = 10;
	run->count[0].mask = (1ULL << 40) - 1;
	run->count[1].mask = (1ULL << 40) - 1;
	run->count[0].rdpmc = 2;
	run->count[1].rdpmc = 3;
	counters[2] = 1;
	counters[3] = 1ULL << 39;
}

/* A counter has overflowed if its highest bit is clear. */
static void overflow_waits(void **state)
{
	make_sampler();
	assert_false(pmc_nmi_overflow_waits(sampler));
	counters[3] = (1ULL << 40) - 1;
	assert_false(pmc_nmi_overflow_waits(sampler));
	counters[3] = (1ULL << 39) - 1;
	assert_true(pmc_nmi_overflow_waits(sampler));
	counters[3] = 0;
	assert_true(pmc_nmi_overflow_waits(sampler));
	sampler->due[1].throttled = true;
	assert_false(pmc_nmi_overflow_waits(sampler));
	sampler->due[1].throttled = false;
	sampler->due[0].throttled = true;
	assert_true(pmc_nmi_overflow_waits(sampler));
	family.read_one = read_one;
	program->setup[1].rdpmc = 1U << 31;
	run->count[1].mask = U32_MAX;
	assert_false(pmc_nmi_overflow_waits(sampler));
	program->setup[1].rdpmc = 1U << 30;
	assert_true(pmc_nmi_overflow_waits(sampler));
	/* the other one alone */
	program->setup[1].period = 0;
	assert_false(pmc_nmi_overflow_waits(sampler));
	program->setup[0].period = 1;
	sampler->due[0].throttled = false;
	assert_true(pmc_nmi_overflow_waits(sampler));
	free_sampled_run(state);
}

/* An overflow of a locked run is handled by the holder: its NMI is late, where none is masked. */
static void locked(void **state)
{
	make_sampler();
	family.unmasked = true;
	pmc_nmi_arm(pmu);
	pmc_nmi_learn(pmu, false);
	pmu->pmi.samplers.next = &sampler->node;
	sampler->node.next = &pmu->pmi.samplers;
	sampler->locked = true;
	assert_int_equal(FOREIGN, classify(false));
	counters[3] = 0;
	assert_int_equal(LATE, classify(false));
	assert_int_equal(LATE, classify(false));
	sampler->locked = false;
	assert_int_equal(FOREIGN, classify(false));
	free_sampled_run(state);
}

#define TEST(name)	cmocka_unit_test_setup(name, begin)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(masks), TEST(beside_intel_pt), TEST(no_mask), TEST(learning),
		TEST(late_max), TEST(arm), TEST(sent), TEST(follow_up), TEST(overflow_waits),
		TEST(locked),
	};

	return cmocka_run_group_tests_name("nmi", tests, NULL, NULL);
}

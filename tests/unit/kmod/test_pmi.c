// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of pmi.c: what its NMI handler does for overflows, for PMIs without one and for NMIs of
 * others. nmi.c, storm.c and throttle.c are the real ones.
 */
#include "pmi.h"

static struct pt_regs user_regs = { .ip = 0x1234, .cs = __USER_CS };

/* An overflow: LVTPC is armed after the pass, and the time is charged. */
static void overflow(void **state)
{
	finds[0] = 1;
	takes = 40;
	pmi->nmi.overhead.ticks = 3;
	counters[0] = 5;
	assert_true(nmi(true));
	expect_calls("settle;lvtpc 400;");
	assert_int_equal(2, registers[ACKNOWLEDGE]);
	assert_int_equal(5, run->count[0].value);
	assert_int_equal(43, pmi->throttling.spent.value);
	assert_int_equal(0, pmc_pmi_spurious());
	/* not delivered yet, and the PMI comes as a delivered one */
	finds[1] = 2;
	assert_true(nmi(false));
	expect_calls("settle;lvtpc 400;");
	assert_int_equal(0, pmi->nmi.expected.value);
	/* a locked run is left to the holder */
	sampler->locked = true;
	assert_true(nmi(true));
	expect_calls("lvtpc 400;");
	assert_int_equal(0, pmc_pmi_spurious());
}

/* No overflow: spurious if LVTPC shows a PMI; otherwise another handler's */
static void nothing(void **state)
{
	registers[STATUS] = 0;
	takes = 40;
	pmi->nmi.overhead.ticks = 3;
	assert_false(nmi(false));
	expect_calls("");
	assert_int_equal(0, pmi->throttling.spent.value);
	assert_true(nmi(true));
	expect_calls("lvtpc 400;");
	assert_int_equal(1, pmc_pmi_spurious());
	assert_int_equal(3, pmi->throttling.spent.value);
	assert_int_equal(3, pmi->empty.total);
	assert_int_equal(0, registers[ACKNOWLEDGE]);
	/* late: handled before */
	pmi->nmi.expected.value = 1;
	assert_true(nmi(true));
	expect_calls("lvtpc 400;");
	assert_int_equal(1, pmc_pmi_spurious());
	assert_true(nmi(true));
	assert_int_equal(2, pmc_pmi_spurious());
}

/* A run that counts the kernel is stopped meanwhile, and passed over until nothing is found. */
static void kernel(void **state)
{
	unsigned int i;

	program->stop_to_read = true;
	pmi->kernel = 1;
	pmi->follow_up = true;
	finds[0] = 3;
	finds[1] = 2;
	assert_true(nmi(true));
	expect_calls("pause;settle;resume;lvtpc 400;pause;settle;resume;pause;settle;resume;");
	assert_int_equal(4, pmi->nmi.expected.value);
	for (i = 0; i < 32; i++)
		finds[i] = 1;
	settled = 0;
	pmi->nmi.expected.value = 0;
	assert_true(nmi(true));
	assert_int_equal(PMC_PASSES_MAX, settled);
	assert_int_equal(PMC_PASSES_MAX - 1, pmi->nmi.expected.value);
	calls[0] = '\0';
	/* one that was found without an NMI */
	memset(finds, 0, sizeof(finds));
	settled = 0;
	pmi->nmi.expected.value = 0;
	finds[1] = 1;
	assert_true(nmi(true));
	expect_calls("pause;settle;resume;lvtpc 400;pause;settle;resume;pause;settle;resume;");
	assert_int_equal(1, pmi->nmi.expected.value);
	assert_int_equal(1, pmc_pmi_spurious());
	pmi->follow_up = false;
	finds[3] = 1;
	assert_true(nmi(true));
	expect_calls("pause;settle;resume;lvtpc 400;");
}

/* Beside Intel PT, a PMI after LVTPC was armed is remembered for the second handler. */
static void beside_intel_pt(void **state)
{
	pmc_pmi_disarm(pmu);
	cpu_has_feature[X86_FEATURE_INTEL_PT] = true;
	pmc_pmi_arm(pmu);
	pmi->kernel = 1;
	pmi->follow_up = true;
	finds[0] = 1;
	assert_true(nmi(true));
	assert_false(pmi->nmi.latched);
	finds[2] = 1;
	masked_by_pass = true;
	/* the pass after LVTPC was armed */
	assert_true(nmi(true));
	assert_true(pmi->nmi.latched);
}

/* Where overflows are acknowledged with the counter, a PMI without one reloads the counters. */
static void reloads(void **state)
{
	family.acknowledge = acknowledge;
	finds[1] = 1;
	assert_true(nmi(true));
	expect_calls("settle;settle;reload;lvtpc 400;");
	assert_int_equal(1, pmi->nmi.expected.value);
	assert_int_equal(0, pmc_pmi_spurious());
	program->stop_to_read = true;
	assert_true(nmi(true));
	expect_calls("pause;settle;resume;pause;settle;reload;resume;lvtpc 400;");
	/* it was expected */
	assert_int_equal(0, pmi->nmi.expected.value);
	assert_int_equal(0, pmc_pmi_spurious());
	assert_true(nmi(true));
	assert_int_equal(1, pmc_pmi_spurious());
	calls[0] = '\0';
	/* a locked run: counters with a period that have begun anew */
	sampler->locked = true;
	assert_true(nmi(true));
	expect_calls("lvtpc 400;");
	counters[0] = 1;
	counters[1] = 1;
	assert_true(nmi(true));
	expect_calls("acknowledge 1;lvtpc 400;");
	program->setup[0].period = 1;
	assert_true(nmi(true));
	expect_calls("acknowledge 0;acknowledge 1;lvtpc 400;");
	assert_int_equal(1, pmc_pmi_spurious());
	family.acknowledge = NULL;
	assert_true(nmi(true));
	expect_calls("lvtpc 400;");
}

/* The shortest path: one counter of user mode, up to one period beyond where it is due */
static void only(void **state)
{
	struct pmc_sample *sample = ring.data;

	sampler->only = 1;
	counters[0] = 7;
	counters[1] = 199;
	assert_int_equal(NMI_HANDLED, handler(NMI_LOCAL, &user_regs));
	expect_calls("lvtpc 400;");
	assert_int_equal(200, sampler->due[1].next);
	assert_int_equal(0xffff, run->count[1].raw);
	assert_int_equal(0x7fff, registers[3]);
	assert_int_equal(PMC_RECORD_SAMPLE, sample->record.type);
	assert_int_equal(sampling.record_min, sample->record.size);
	assert_int_equal(sampling.record_min, shared->head);
	assert_int_equal(0x1234, sample->ip);
	assert_int_equal(1, sample->counter);
	assert_int_equal(1, sample->overflows);
	assert_int_equal(tsc, sample->tsc);
	assert_int_equal(7, sample->data[0]);
	assert_int_equal(199, sample->data[1]);
	counters[1] = 0;
	assert_int_equal(NMI_HANDLED, handler(NMI_LOCAL, &user_regs));
	expect_calls("lvtpc 400;");
	assert_int_equal(300, sampler->due[1].next);
	assert_int_equal(200, run->count[1].value);
	assert_int_equal(0x7f9c, registers[3]);
}

/* Not the shortest path: @value of the counter, other registers, or the share is spent */
static void expect_settle(u64 value, struct pt_regs *regs)
{
	sampler->due[1].next = 100;
	run->count[1].value = value;
	run->count[1].raw = counters[1];
	registers[3] = 0;
	handler(NMI_LOCAL, regs);
	expect_calls("settle;");
	assert_int_equal(100, sampler->due[1].next);
	assert_int_equal(0, registers[3]);
	assert_int_equal(0, shared->head);
}

static void not_only(void **state)
{
	sampler->only = 1;
	expect_settle(99, &user_regs);
	expect_settle(200, &user_regs);
	expect_settle(100, &kernel_regs);
	sampler->due[1].throttled = true;
	expect_settle(100, &user_regs);
	sampler->due[1].throttled = false;
	sampler->only = -1;
	expect_settle(100, &user_regs);
	sampler->only = 1;
	pmi->throttling.spent.value = SPENT_MAX + 1;
	expect_settle(100, &user_regs);
	pmi->throttling.spent.value = SPENT_MAX;
	handler(NMI_LOCAL, &user_regs);
	expect_calls("lvtpc 400;");
	assert_int_equal(200, sampler->due[1].next);
	/* the first counter is as good */
	sampler->only = 0;
	program->setup[0].period = 50;
	program->setup[0].write_msr = 2;
	sampler->due[0].next = 0;
	handler(NMI_LOCAL, &user_regs);
	expect_calls("lvtpc 400;");
	assert_int_equal(50, sampler->due[0].next);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(overflow), TEST(nothing), TEST(kernel), TEST(beside_intel_pt),
		TEST(reloads), TEST(only), TEST(not_only),
	};

	return cmocka_run_group_tests_name("pmi", tests, NULL, NULL);
}

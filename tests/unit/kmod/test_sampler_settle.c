// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of sampler.c: which counters are due, what is recorded of them, and with which value each
 * is loaded again
 */
#include "sampler.h"

static struct pt_regs user_mode_regs;

static void acknowledged(struct pmc_pmu *of, const struct pmc_counter_setup *setup)
{
	assert_ptr_equal(pmu, of);
	call("acknowledge %u", number(setup));
}

/* A counter overflows when it is due: it is loaded with the negative of what is left. */
static void reload(void **state)
{
	run->count[0].value = 30;
	run->count[2].value = 999;
	pmc_sampler_reload_all(pmu, sampler);
	assert_int_equal(0xffba, run->count[0].raw);	/* -70 */
	assert_int_equal(0x7fba, registers[1]);
	assert_int_equal(0xffff, run->count[2].raw);
	assert_int_equal(0x7fff, registers[3]);
	assert_int_equal(0, registers[2]);
	assert_int_equal(0, run->count[1].raw);
	expect_calls("");
}

/* Counter 0, with @left events until it is due, is loaded with @raw. */
static void reloaded(u64 left, u64 raw, bool skid)
{
	char expected[64];

	sampler->due[0].next = run->count[0].value + left;
	pmc_sampler_reload_all(pmu, sampler);
	snprintf(expected, sizeof(expected), "acknowledge 0;write 0 %llx;", raw);
	expect_calls(expected);
	assert_int_equal(raw, run->count[0].raw);
	assert_int_equal(skid, sampler->due[0].skid);
	assert_int_equal(0, registers[1]);
}

/*
 * Where the family loads the counter: one event early if its PMI is one event late; if one event is
 * left, that PMI is late. No closer to the overflow than the least that the counter may have.
 */
static void reload_called(void **state)
{
	struct pmc_counter_setup *setup = &program->setup[0];

	program->setup[2].period = 0;
	family.acknowledge = acknowledged;
	setup->write_msr = 0;
	run->count[0].value = 12345;
	reloaded(5, 0xfffb, false);
	reloaded(1, 0xffff, false);
	setup->delayed = true;
	reloaded(5, 0xfffb, true);
	reloaded(1, 0xffff, true);
	setup->lead = true;
	reloaded(5, 0xfffc, false);
	reloaded(2, 0xffff, false);
	reloaded(1, 0xffff, true);
	setup->lead = false;
	setup->least = 128;
	reloaded(129, 0xff7f, false);
	reloaded(128, 0xff80, false);
	reloaded(127, 0xff80, true);
	reloaded(1, 0xff80, true);
	family.acknowledge = NULL;
	pmc_sampler_reload_all(pmu, sampler);
	expect_calls("write 0 ff80;");
}

/* A throttled counter is not reloaded. With the quirk it is not left at 0. */
static void reload_throttled(void **state)
{
	sampler->due[0].throttled = true;
	run->count[2].raw = 5;
	family.acknowledge = acknowledged;
	pmc_sampler_reload_all(pmu, sampler);
	expect_calls("acknowledge 0;");
	assert_int_equal(0, run->count[0].raw);
	assert_int_equal(0xfc18, run->count[2].raw);
	pmu->description.query.quirks = ~ZERO_QUIRK;
	pmc_sampler_reload_all(pmu, sampler);
	expect_calls("acknowledge 0;");
	pmu->description.query.quirks = ZERO_QUIRK;
	pmc_sampler_reload_all(pmu, sampler);
	expect_calls("write 0 1;acknowledge 0;");
	assert_int_equal(1, run->count[0].raw);
	run->count[0].raw = 2;
	pmc_sampler_reload_all(pmu, sampler);
	expect_calls("acknowledge 0;");
	assert_int_equal(2, run->count[0].raw);
	assert_int_equal(0, registers[1]);
}

/* Settle with counter 0 @over events beyond where it is due; returns how many are found. */
static u32 settle(u64 over, struct pt_regs *regs)
{
	run->count[0].value = sampler->due[0].next + over;
	return pmc_sampler_settle(pmu, sampler, regs, 5555);
}

/* A counter that has reached its period one or more times has one sample. */
static void settled(void **state)
{
	assert_int_equal(0, settle(-1, &user_mode_regs));
	expect_calls("");
	assert_int_equal(100, sampler->due[0].next);
	assert_int_equal(0, registers[1]);
	assert_int_equal(1, settle(0, &user_mode_regs));
	expect_calls("sample 0 1 nmi 5555;due at 5555;");
	assert_int_equal(200, sampler->due[0].next);
	assert_int_equal(0xff9c, run->count[0].raw);
	assert_int_equal(0x7f9c, registers[1]);
	assert_int_equal(1, settle(99, &user_mode_regs));
	expect_calls("sample 0 1 nmi 5555;due at 5555;");
	assert_int_equal(300, sampler->due[0].next);
	assert_int_equal(0x7fff, registers[1]);
	assert_int_equal(1, settle(100, &user_mode_regs));
	expect_calls("sample 0 2 nmi 5555;due at 5555;");
	assert_int_equal(500, sampler->due[0].next);
	assert_int_equal(1, settle(250, &user_mode_regs));
	expect_calls("sample 0 3 nmi 5555;due at 5555;");
	assert_int_equal(800, sampler->due[0].next);
	/* both */
	run->count[2].value = 1000;
	assert_int_equal(2, settle(0, &user_mode_regs));
	expect_calls("sample 0 1 nmi 5555;due at 5555;sample 2 1 nmi 5555;due at 5555;");
	assert_int_equal(2000, sampler->due[2].next);
	/* one without a period counts on */
	run->count[1].value = 1;
	assert_int_equal(0, settle(-1, &user_mode_regs));
	expect_calls("");
	assert_int_equal(0, sampler->due[1].next);
}

/* Outside of an NMI, a PMI may still come, and no time is charged. */
static void settled_late(void **state)
{
	due_for_throttling = true;
	registers[STATUS] = 1;
	run->count[0].value = 100;
	run->since = 888;
	pmc_sampler_settle_late(pmu, sampler);
	expect_calls("expect 1;sample 0 1 888;");
	assert_int_equal(1, registers[ACKNOWLEDGE]);
	assert_int_equal(0x7f9c, registers[1]);
}

/* A counter that was loaded to overflow later has skid only if it overflowed later. */
static void with_skid(void **state)
{
	sampler->due[0].skid = true;
	settle(1, &user_mode_regs);
	expect_calls("sample 0 1 nmi 5555 skid;due at 5555;");
	sampler->due[0].skid = true;
	settle(0, &user_mode_regs);
	expect_calls("sample 0 1 nmi 5555;due at 5555;");
	settle(1, &user_mode_regs);
	expect_calls("sample 0 1 nmi 5555;due at 5555;");
}

/* A counter with its PMI one event late, of which one event is left, is loaded again. */
static void early(void **state)
{
	struct pmc_counter_setup *setup = &program->setup[0];
	unsigned int i;

	for (i = 0; i < 32; i++) {
		bool all = i == 0;

		setup->write_msr = 0;
		setup->delayed = true;
		setup->lead = !(i & 1);
		program->stop_to_read = !(i & 2);
		sampler->due[0].throttled = i & 4;
		assert_int_equal(0, settle(i & 8 ? -2 : i & 16 ? -3 : -1, NULL));
		expect_calls(all ? "write 0 ffff;" : "");
		assert_int_equal(100, sampler->due[0].next);
	}
}

static void throttled(void **state)
{
	due_for_throttling = true;
	family.acknowledge = acknowledged;
	pmu->description.query.quirks = ZERO_QUIRK;
	assert_int_equal(1, settle(0, &user_mode_regs));
	expect_calls("sample 0 1 nmi 5555;due at 5555;write 0 1;acknowledge 0;throttle 0 0 5555;"
		     "work;");
	assert_true(sampler->due[0].throttled);
	assert_false(sampler->due[2].throttled);
	assert_true(pmu->pmi.throttling.active);
	assert_int_equal(1, ring.throttled_now.value);
	assert_int_equal(200, sampler->due[0].next);
	assert_int_equal(0, registers[1]);
	/* it is counted on, without samples */
	assert_int_equal(0, settle(0, &user_mode_regs));
	expect_calls("skip 1;");
	assert_int_equal(0, settle(100, NULL));
	expect_calls("skip 2;");
	assert_int_equal(3, sampler->due[0].skipped);
	assert_int_equal(500, sampler->due[0].next);
	assert_int_equal(0, registers[1]);
	/* the timer is started once */
	run->count[2].value = 1000;
	assert_int_equal(1, settle(-1, &user_mode_regs));
	expect_calls("sample 2 1 nmi 5555;due at 5555;write 2 1;acknowledge 2;throttle 2 0 5555;");
	assert_int_equal(2, ring.throttled_now.value);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(reload), TEST(reload_called), TEST(reload_throttled), TEST(settled),
		TEST(settled_late), TEST(with_skid), TEST(early), TEST(throttled),
	};

	return cmocka_run_group_tests_name("sampler_settle", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of events that only some counters can count: placement, and messages on conflicts */
#include <stdlib.h>

#include "check.h"

static struct pmc_context *context;

static int add(const char *text)
{
	return add_to(context, text);
}

static void must_add(const char *text, uint32_t counter)
{
	if (add(text))
		fail_msg("'%s': %s", text, pmc_error());
	assert_int_equal(pmc_context_counter(context, pmc_context_num_events(context) - 1),
			 counter);
}

static void check_counter(size_t index, uint32_t counter)
{
	assert_int_equal(pmc_context_counter(context, index), counter);
}

/* FP_ASSIST can only go to counter 1, FLOPS only to counter 0. */
static void p6(void **state)
{
	fake_p6(3);
	context = new_context();
	must_add("INST_RETIRED", PMC_COUNTER_GENERAL(0));
	must_add("FLOPS", PMC_COUNTER_GENERAL(0));
	check_counter(0, PMC_COUNTER_GENERAL(1));
	assert_failed(add("MUL"), ENOSPC,
		      "event 'MUL' does not fit beside 'INST_RETIRED', 'FLOPS': only general0 and general1 can count these 3 events;");
	assert_failed(add("FP_COMP_OPS_EXE"), ENOSPC,
		      "event 'FP_COMP_OPS_EXE' does not fit beside 'FLOPS': only general0 can count these 2 events;");
	assert_failed(add("r0010"), ENOSPC, "beside 'FLOPS'");
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.counters[0].counter, 1);
	assert_int_equal(fake.counters[0].event_select, 0xc0);
	assert_int_equal(fake.counters[1].counter, 0);
	assert_int_equal(fake.counters[1].event_select, 0xc1);
	pmc_context_close(context);
}

static void demands(void **state)
{
	fake_p6(3);
	context = new_context();
	assert_failed(add("MUL:g=0"), EOPNOTSUPP,
		      "event 'MUL:g=0': of the general counters only general1 can count it");
	assert_failed(add("r0012:g=0"), EOPNOTSUPP, "only general1 can count it");
	assert_failed(add("MUL:g=5"), ENXIO, "no counter general5");
	must_add("MUL:g=1", PMC_COUNTER_GENERAL(1));
	assert_failed(add("DIV"), ENOSPC,
		      "'DIV' does not fit beside 'MUL:g=1': only general1 can count these 2 events;");
	must_add("FLOPS", PMC_COUNTER_GENERAL(0));
	pmc_context_close(context);
}

static void pentium_mmx(void **state)
{
	fake_pentium(true);
	context = new_context();
	must_add("DATA_READ", PMC_COUNTER_GENERAL(0));
	must_add("EMMS_INSTRUCTIONS_EXECUTED", PMC_COUNTER_GENERAL(0));
	check_counter(0, PMC_COUNTER_GENERAL(1));
	assert_failed(add("RETURNS"), ENOSPC, "beside 'EMMS_INSTRUCTIONS_EXECUTED'");
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.counters[0].event_select, 0x00);
	assert_int_equal(fake.counters[1].event_select, 0x2d);
	pmc_context_close(context);
}

/* A raw code is placed on a counter that can count an event with its number. */
static void pentium_codes(void **state)
{
	fake_pentium(true);
	context = new_context();
	must_add("r30:g=1", PMC_COUNTER_GENERAL(1));
	must_add("cycles", PMC_COUNTER_GENERAL(0));
	pmc_context_close(context);
	context = new_context();
	must_add("cycles", PMC_COUNTER_GENERAL(0));
	must_add("r16:d", PMC_COUNTER_GENERAL(1));
	pmc_context_close(context);
}

/* INST_RETIRED.PREC_DIST fits only on counter 1, MEM_INST_RETIRED on counters 0 to 3. */
static void skylake(void **state)
{
	fake_core(85, 0xff);
	context = new_context();
	must_add("INST_RETIRED:PREC_DIST", PMC_COUNTER_GENERAL(1));
	assert_failed(add("r01c0"), ENOSPC, "only general1 can count these 2 events;");
	must_add("r01d0", PMC_COUNTER_GENERAL(0));
	must_add("r02d0", PMC_COUNTER_GENERAL(2));
	must_add("r81d0", PMC_COUNTER_GENERAL(3));
	assert_failed(add("r82d0"), ENOSPC,
		      "only general0, general1, general2 and general3 can count these 5 events;");
	must_add("r0148", PMC_COUNTER_GENERAL(4));
	must_add("BRANCH_INSTRUCTIONS_RETIRED", PMC_COUNTER_GENERAL(5));
	pmc_context_close(context);
}

/* A virtual machine without the only counter */
static void no_counter_for_it(void **state)
{
	fake_core(85, 0xfd);
	context = new_context();
	assert_failed(add("r01c0"), EOPNOTSUPP, "no general counter of this processor can count it");
	pmc_context_close(context);
}

/* INST_RETIRED.STALL_CYCLES is C0H with unit mask 1, which is PREC_DIST elsewhere. */
static void ice_lake(void **state)
{
	fake_core(126, 0xff);
	context = new_context();
	must_add("cpu/event=0xc0,umask=1,inv,cmask=1/", PMC_COUNTER_GENERAL(0));
	pmc_context_close(context);
}

static void other_processor(void **state)
{
	struct pmc_event *event;

	fake_pentium(false);
	event = must_parse("DATA_READ");
	fake_p6(3);
	context = new_context();
	assert_failed(pmc_context_add(context, event), EOPNOTSUPP,
		      "was made for another processor: this processor is a processor of the P6 family");
	pmc_event_free(event);
	pmc_context_close(context);
}

/* A message names refused bits as the processor's layout does. */
static void refused_bits(void **state)
{
	fake_pentium(false);
	context = new_context();
	must_add("r216", PMC_COUNTER_GENERAL(0));
	assert_failed(pmc_context_configure(context), EINVAL, "0x200 of the event select are not allowed here (pin control)");
	pmc_context_close(context);
	fake_reset();
	context = new_context();
	must_add("r800c0", PMC_COUNTER_GENERAL(0));
	assert_failed(pmc_context_configure(context), EINVAL, "(pin control)");
	pmc_context_close(context);
}

static void periods(void **state)
{
	context = new_context();
	must_add("cycles", PMC_COUNTER_FIXED(1));
	must_add("branches:p=1000", PMC_COUNTER_GENERAL(0));
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.counters[0].period, 0);
	assert_int_equal(fake.counters[1].period, 1000);
	pmc_context_close(context);
}

/* A defect of fixed counter 0: instructions use it only if it is demanded. */
static void fixed_counter_0(void **state)
{
	fake.query.quirks = PMC_QUIRK(FIXED0);
	context = new_context();
	must_add("instructions:u", PMC_COUNTER_GENERAL(0));
	must_add("instructions:u:f", PMC_COUNTER_FIXED(0));
	must_add("cycles:u", PMC_COUNTER_FIXED(1));
	pmc_context_close(context);
	fake.query.quirks = ~PMC_QUIRK(FIXED0);
	context = new_context();
	must_add("instructions:u", PMC_COUNTER_FIXED(0));
	pmc_context_close(context);
}

/* Events D0H to D3H on Haswell while the sibling thread is online */
static void leaking_events(void **state)
{
	static const char remedy[] =
		":u' also counts in the counters of the sibling thread (BJ122, BV98, HSD29): take";
	static const struct {
		const char *event;
		bool leaks;
	} events[] = {
		{ "r01d7:u", false }, { "r81d0:u", true }, { "r04d1:u", true },
		{ "r01d2:u", true }, { "r01d3:u", true }, { "r01d4:u", false },
	};
	size_t i;

	fake.query.quirks = PMC_QUIRK(HT_LEAK);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		context = new_context();
		must_add("branches:u", PMC_COUNTER_GENERAL(0));
		must_add(events[i].event, PMC_COUNTER_GENERAL(1));
		assert_failed(pmc_context_configure(context), EDOM, events[i].leaks ? remedy :
			      ":u': this counter cannot count that event");
		pmc_context_close(context);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fake_test(p6),
		fake_test(demands),
		fake_test(pentium_mmx),
		fake_test(pentium_codes),
		fake_test(skylake),
		fake_test(no_counter_for_it),
		fake_test(ice_lake),
		fake_test(other_processor),
		fake_test(refused_bits),
		fake_test(periods),
		fake_test(fixed_counter_0),
		fake_test(leaking_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of pmc_event_parse() */
#include <stdlib.h>

#include "check.h"

#define BOTH	(PMC_COUNT_USER | PMC_COUNT_KERNEL)

static void check_select(const char *text, uint64_t select, uint32_t modes)
{
	struct pmc_event *event = must_parse(text);

	assert_string_equal(pmc_event_name(event), text);
	assert_true(pmc_event_select(event) == select);
	assert_int_equal(pmc_event_modes(event), modes);
	pmc_event_free(event);
}

static void check_refused(const char *text, const char *words)
{
	assert_failed(!pmc_event_parse(text), EINVAL, words);
}

/* The event numbers of SDM Volume 3B, "Architectural Performance Monitoring" */
static void architectural_names(void **state)
{
	check_select("cycles", 0x3c, BOTH);
	check_select("instructions", 0xc0, BOTH);
	check_select("bus-cycles", 0x13c, BOTH);
	check_select("ref-cycles", 0x13c, BOTH);
	check_select("llc-references", 0x4f2e, BOTH);
	check_select("llc-misses", 0x412e, BOTH);
	check_select("branches", 0xc4, BOTH);
	check_select("branch-misses", 0xc5, BOTH);
	check_select("slots", 0x1a4, BOTH);
}

static void other_spellings(void **state)
{
	check_select("UNHALTED_CORE_CYCLES", 0x3c, BOTH);
	check_select("Instruction_Retired:u", 0xc0, PMC_COUNT_USER);
	check_select("unhalted-reference-cycles", 0x13c, BOTH);
	check_select("branch-instruction-retired", 0xc4, BOTH);
	check_select("branch-misses-retired", 0xc5, BOTH);
	check_select("topdown_slots", 0x1a4, BOTH);
}

static void codes(void **state)
{
	check_select("r00c0", 0xc0, BOTH);
	check_select("rc0", 0xc0, BOTH);
	check_select("r1", 0x1, BOTH);
	check_select("r412e:u", 0x412e, PMC_COUNT_USER);
	check_select("r18401C0:k", 0x18401c0, PMC_COUNT_KERNEL);
	check_select("rffffffffffffffff", UINT64_MAX, BOTH);
	check_refused("r", "no event 'r'");
	check_refused("{cycles", "no event '{cycles': braces make a group of a list of events");
	check_refused("cycles}:u", "no event 'cycles}': braces make a group");
	check_refused("r00000000000000000", "no event");
	check_refused("r12g4", "no event");
	check_refused("r-1", "no event");
}

static void terms(void **state)
{
	check_select("cpu/event=0xc0/", 0xc0, BOTH);
	check_select("cpu/event=0xc0,umask=0x1,cmask=2,inv,edge,any/:u", 0x2a401c0, PMC_COUNT_USER);
	check_select("cpu/event=60,umask=255,edge=0,inv=1/", 0x80ff3c, BOTH);
	check_select("cpu/event=0xc0,umask=0x1ff,eq,cmask=2/", 0x1100200ffc0, BOTH);
	check_refused("cpu/event=0xc0,umask=0x10000/", "from 0 to 65535");
	check_refused("cpu/eq=2/", "from 0 to 1");
	check_refused("cpu/event=0xc0", "second slash");
	check_select("cpu/event=0xc0/u", 0xc0, PMC_COUNT_USER);
	check_refused("cpu/event=0xc0/e", "unknown modifier ':e', where e is perf's exclusive group");
	check_refused("cpu//", "unknown term ''");
	check_refused("cpu/event=0xc0,/", "unknown term ''");
	check_refused("cpu/event=256/", "from 0 to 255");
	check_refused("cpu/event=0x100/", "from 0 to 255");
	check_refused("cpu/event=-1/", "from 0 to 255");
	check_refused("cpu/event=/", "from 0 to 255");
	check_refused("cpu/event=0x/", "from 0 to 255");
	check_refused("cpu/event= 1/", "from 0 to 255");
	check_refused("cpu/event=1 /", "from 0 to 255");
	check_refused("cpu/event=99999999999999999999999999/", "from 0 to 255");
	check_refused("cpu/event=18446744073709551617/", "from 0 to 255");
	check_refused("cpu/event/", "needs a value");
	check_refused("cpu/edge=2/", "from 0 to 1");
	check_refused("cpu/usr=1/", "unknown term");
	check_refused("cpu/even=1/", "unknown term");
	check_refused("cpu/events=1/", "unknown term");
}

static void modifiers(void **state)
{
	check_select("cycles:u", 0x3c, PMC_COUNT_USER);
	check_select("cycles:k", 0x3c, PMC_COUNT_KERNEL);
	check_select("cycles:u:k", 0x3c, BOTH);
	check_select("cycles:uk", 0x3c, BOTH);
	check_select("cycles:ku", 0x3c, BOTH);
	check_select("cycles:e:i:t:c=255", 0xffa4003c, BOTH);
	check_select("cycles:c=3:c=0x10", 0x1000003c, BOTH);
	check_select("r3c:e:u", 0x4003c, PMC_COUNT_USER);
	check_select("cpu/event=0x3c/:i:c=1", 0x180003c, BOTH);
	check_refused("cycles:i", "there is none: :i:c=1 counts the cycles in which");
	check_refused("cycles:i:c=0:u", "there is none: :i:c=1 counts");
	check_refused("r00c0:i", "there is none: :i:c=1 counts");
	check_refused("cpu/event=0xc0/:i", "there is none: :i:c=1 counts");
	/* codes and terms are used unchanged, including the counter masks that they contain */
	check_select("r8000c0", 0x8000c0, BOTH);
	check_select("cpu/event=0xc0,inv/", 0x8000c0, BOTH);
	check_select("r20000c0:i", 0x28000c0, BOTH);
	check_select("r20000c0:i:c=2", 0x28000c0, BOTH);
	check_refused("r20000c0:c=1", "it contains the counter mask 2: omit :c");
	check_refused("r20000c0:c=0", "it contains the counter mask 2: omit :c");
	check_refused("cpu/event=0xc0,cmask=255/:c=4", "it contains the counter mask 255");
	check_refused("r28000c0:i", "it is already inverted: omit :i");
	check_refused("cycles:", "unknown modifier ':'");
	check_refused("cycles::u", "unknown modifier ':'");
	check_refused("cycles:u:", "unknown modifier ':'");
	check_refused("cycles:U", "unknown modifier");
	check_refused("cycles:x", "unknown modifier ':x'");
	check_refused("cycles:c", "unknown modifier");
	check_refused("cycles:c=", "from 0 to 255");
	check_refused("cycles:c=256", "from 0 to 255");
	check_refused("cycles:c=-1", "from 0 to 255");
	check_refused("cycles:c=1x", "from 0 to 255");
	check_select("cycles:uku", 0x3c, BOTH);
	check_refused("cycles:ue", "unknown modifier");
	check_refused("cycles:d", "it is for the Pentium");
	check_refused("cycles:x=1", "unknown modifier");
	check_refused("cycles:=1", "unknown modifier");
	check_refused("rc0:MESI", "unknown modifier ':MESI'");
	check_refused("cpu/event=1/:ANY", "unknown modifier ':ANY'");
	check_refused("cycles:g=", "from 0 to 63");
	check_refused("cycles:g=64", "from 0 to 63");
}

static void demands(void **state)
{
	struct pmc_event *event;

	check_select("cycles:f", 0x3c, BOTH);
	check_select("cycles:f=1", 0x3c, BOTH);
	check_select("ref-cycles:g", 0x13c, BOTH);
	check_select("r3c:g=3", 0x3c, BOTH);
	check_refused("cycles:f=0", "fixed counter 1 counts it");
	check_refused("instructions:f:g", "omit all but one of :f and :g");
	check_refused("instructions:g=1:u:f", "omit all but one of :f and :g");
	check_refused("r3c:g=1:g=2", "omit all but one of :f and :g");
	check_refused("branches:f", "no fixed counter");
	check_refused("rc0:f", "no fixed counter");
	check_refused("cycles:f:c=1", "has no edge");
	check_refused("cycles:e:f=1", "has no edge");
	check_select("cycles:t:f", 0x20003c, BOTH);

	event = pmc_event_parse("cycles");
	assert_failed(pmc_event_set_counter(event, PMC_COUNTER_FIXED(0)), EINVAL,
		      "fixed counter 1");
	assert_int_equal(pmc_event_set_counter(event, PMC_COUNTER_FIXED(1)), 0);
	assert_int_equal(pmc_event_set_counter(event, PMC_COUNTER_GENERAL(7)), 0);
	assert_failed(pmc_event_set_modes(event, 0), EINVAL, "modes");
	assert_failed(pmc_event_set_modes(event, 4), EINVAL, "modes");
	assert_int_equal(pmc_event_set_modes(event, PMC_COUNT_KERNEL), 0);
	assert_int_equal(pmc_event_modes(event), PMC_COUNT_KERNEL);
	pmc_event_free(event);
}

static void check_period(const char *text, uint64_t period)
{
	struct pmc_event *event = must_parse(text);

	assert_true(pmc_event_period(event) == period);
	pmc_event_set_period(event, 17);
	assert_int_equal(pmc_event_period(event), 17);
	pmc_event_free(event);
}

static void periods(void **state)
{
	check_period("cycles", 0);
	check_period("cycles:p=1", 1);
	check_period("cycles:u:p=100000", 100000);
	check_period("r3c:p=0x10:k", 16);
	check_period("cpu/event=1/:p=18446744073709551615", UINT64_MAX);
	check_refused("cycles:p=", "the period must be a number from 1 on");
	check_refused("cycles:p=0", "from 1 on");
	check_refused("cycles:p=-1", "from 1 on");
	check_refused("cycles:p=1e6", "from 1 on");
	check_refused("cycles:p=18446744073709551616", "from 1 on");
}

static void misspelled(void **state)
{
	char text[PMC_EVENT_NAME_MAX + 2];

	check_refused("instrctions",
		      "did you mean 'instructions', 'INST_RETIRED' or 'INSTRUCTIONS_RETIRED'?");
	check_refused("UOPS_ISUED",
		      "did you mean 'UOPS_ISSUED', 'UOPS_EXECUTED' or 'UOPS_RETIRED'?");
	check_refused("bacleers", "did you mean 'BACLEARS' or 'cycles'?");
	check_refused("llc-mises", "did you mean 'llc-misses', ");
	check_refused("cycle", "did you mean 'cycles', 'bus-cycles' or 'ref-cycles'?");
	check_refused("s-cycles", "did you mean 'cycles', 'bus-cycles' or 'ref-cycles'?");
	check_refused("zzzzzzzzzzzzzzzz", "raw code");
	check_refused("", "without a name");
	check_refused(":u", "without a name");
	check_refused(" cycles", "no event ' cycles'");
	check_refused("cycles ", "no event 'cycles '");
	check_refused("\xff\xfe", "no event");
	memset(text, 'c', sizeof(text));
	text[PMC_EVENT_NAME_MAX + 1] = '\0';
	check_refused(text, "longer than 255");
	text[PMC_EVENT_NAME_MAX] = '\0';
	check_refused(text, "no event 'ccc");
}

static void check_next(const char **list, const char *name)
{
	struct pmc_event *event = pmc_event_parse_next(list);

	if (!event)
		fail_msg("%s", pmc_error());
	assert_string_equal(pmc_event_name(event), name);
	pmc_event_free(event);
}

static void check_bad_list(const char *list, const char *words)
{
	const char *rest = list;

	assert_failed(!pmc_event_parse_next(&rest), EINVAL, words);
	assert_ptr_equal(rest, list);
}

static void lists(void **state)
{
	const char *list = "cycles,cpu/event=1,umask=2/:u,rc0:k";

	check_next(&list, "cycles");
	check_next(&list, "cpu/event=1,umask=2/:u");
	check_next(&list, "rc0:k");
	assert_string_equal(list, "");
	check_bad_list("", "empty event");
	check_bad_list(",cycles", "empty event");
	check_bad_list("cycles,", "empty event");
	check_bad_list("cpu/event=1,umask=2", "second slash");
	list = "cycles,,cycles";
	check_next(&list, "cycles");
	check_bad_list(list, "empty event");
}

/* Each bit of CPUID.0AH:EBX has one name. */
static void bits(void **state)
{
	unsigned int bit;

	assert_string_equal(pmc_arch_event_name(2), "bus-cycles");
	for (bit = 0; bit < 8; bit++) {
		assert_non_null(pmc_arch_event_name(bit));
		assert_non_null(pmc_arch_event_text(bit));
	}
	assert_null(pmc_arch_event_name(8));
	assert_null(pmc_arch_event_text(8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(architectural_names),
		cmocka_unit_test(other_spellings),
		cmocka_unit_test(codes),
		cmocka_unit_test(terms),
		cmocka_unit_test(modifiers),
		cmocka_unit_test(demands),
		cmocka_unit_test(periods),
		cmocka_unit_test(misspelled),
		cmocka_unit_test(lists),
		cmocka_unit_test(bits),
	};

	fake_reset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

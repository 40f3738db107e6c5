// SPDX-License-Identifier: GPL-2.0-only
/* Tests of durations: clocks by default, occurrences with a modifier */
#include <stdlib.h>

#include <perfmon/pfmlib.h>

#include "check.h"
#include "event_table.h"

#define CLOCKS	0x100

static uint64_t select_of(const char *text)
{
	struct pmc_event *event = pmc_event_parse(text);
	uint64_t select;

	if (!event)
		fail_msg("'%s': %s", text, pmc_error());
	select = pmc_event_select(event);
	pmc_event_free(event);
	return select;
}

static void check(const char *text, uint64_t select)
{
	if (select_of(text) != select)
		fail_msg("'%s' is %#llx", text, (unsigned long long)select_of(text));
}

static void check_row(const struct pmc_event_row *row)
{
	bool duration = row->type == PMC_EVENT_TYPE_DURATION;
	char text[256];

	assert_int_equal(!!(row->select & CLOCKS), duration);
	check(row->name, row->select);
	snprintf(text, sizeof(text), "%s:n:u", row->name);
	check(text, row->select & ~CLOCKS);
	snprintf(text, sizeof(text), "%s:d", row->name);
	check(text, row->select | CLOCKS);
}

/* Every name of the Pentiums, those of architectural.def included. Return: durations */
static size_t check_pentium(bool mmx)
{
	const struct pmc_event_row *row;
	struct pmc_event_list *list;
	size_t i, durations = 0;

	fake_pentium(mmx);
	list = pmc_event_list_get();
	assert_non_null(list);
	for (i = 0; (row = pmc_event_list_row(list, i)); i++) {
		check_row(row);
		durations += row->type == PMC_EVENT_TYPE_DURATION;
	}
	pmc_event_list_free(list);
	return durations;
}

static void pentiums(void **state)
{
	(void)state;
	/* table 6-1: five for both counters, seven for one; three of the manual; cycles */
	assert_int_equal(check_pentium(false), 5);
	assert_int_equal(check_pentium(true), 5 + 7 + 3 + 1);
}

static void names(void **state)
{
	(void)state;
	fake_pentium(true);
	check("NUMBER_OF_CYCLES_NOT_IN_HALT_STATE:u", 0x130);
	check("number-of-cycles-not-in-halt-state:n:u", 0x30);
	check("cycles", 0x130);
	check("cycles:n", 0x30);
	check("BUS_CYCLE_DURATION", 0x118);
	check("DATA_READ", 0x00);
	check("DATA_READ:n", 0x00);
	check("DATA_READ:d", 0x100);
	/* codes and terms are counted as they are given */
	check("r0030:g=0", 0x30);
	check("r0030:g=0:n", 0x30);
	check("r0130:g=0", 0x130);
	check("cpu/event=0x18/", 0x18);
	check("cpu/event=0x18,clocks/", 0x118);
}

static void refused(const char *text, const char *words)
{
	assert_failed(!pmc_event_parse(text), EINVAL, words);
}

static void contradictions(void **state)
{
	(void)state;
	fake_pentium(true);
	refused("BUS_CYCLE_DURATION:d:n",
		"event 'BUS_CYCLE_DURATION:d:n': :d counts clocks, and :n occurrences: omit one of them");
	refused("DATA_READ:n:d", "omit one of them");
	refused("r0118:n",
		"event 'r0118:n': its code counts clocks (bit 8), and :n occurrences: clear the bit, or omit :n");
	refused("cpu/event=0x18,clocks/:n", "its code counts clocks (bit 8)");
	refused("DATA_READ:nn", "unknown modifier ':nn'");
	refused("DATA_READ:n=1", "unknown modifier ':n=1'");
	fake_p6(3);
	refused("CPU_CLK_UNHALTED:n",
		"do not support :n; it is for the Pentium; :e counts how often the event begins");
	fake_reset();
	refused("cycles:n", "do not support :n");
}

/* Table 6-2 has no column of types: durations are counted in cycles or clocks by its words. */
static void p6(void **state)
{
	static const unsigned int durations[] = {
		0x48, 0x86, 0x87, 0x22, 0x23, 0x62, 0x63, 0x61, 0x7a, 0x7e, 0x14, 0x04, 0xc6,
		0xa2, 0x79,
	};
	struct pmc_processor processor;
	struct pmc_event_row row;
	size_t cursor = 0, num = 0, i;
	bool duration;

	(void)state;
	fake_p6(3);
	processor = pmc_processor_current(0);
	while (num++ < 60 && pmc_event_table_next(&processor, &cursor, &row)) {
		for (i = 0, duration = false; i < ARRAY_SIZE(durations); i++)
			duration |= durations[i] == row.select;
		/* "number of cycles or events" */
		if (row.select == 0xd2)
			assert_int_equal(row.type, PMC_EVENT_TYPE_UNKNOWN);
		else if ((row.type == PMC_EVENT_TYPE_DURATION) != duration)
			fail_msg("%s", row.name);
	}
	/* the counter has no bit for clocks, and an edge bit for occurrences */
	check("CPU_CLK_UNHALTED", 0x79);
	check("CPU_CLK_UNHALTED:e", 0x40079);
}

/* An architectural name has the type of the event that it stands for. */
static void architectural(void **state)
{
	const struct pmc_event_row *row;
	struct pmc_event_list *list;
	size_t i, found = 0;

	(void)state;
	fake_p6(3);
	list = pmc_event_list_get();
	for (i = 0; (row = pmc_event_list_row(list, i)); i++) {
		if (!strcmp(row->name, "cycles"))
			found += row->type == PMC_EVENT_TYPE_DURATION;
		if (!strcmp(row->name, "branches"))
			found += row->type == PMC_EVENT_TYPE_OCCURRENCE;
	}
	pmc_event_list_free(list);
	assert_int_equal(found, 2);
}

static void check_modifiers(int event, int num)
{
	pfm_event_attr_info_t info;
	int i;

	for (i = 0; i < num; i++) {
		memset(&info, 0, sizeof(info));
		info.size = sizeof(info);
		if (pfm_get_event_attr_info(event, i, PFM_OS_NONE, &info) ||
		    info.type == PFM_ATTR_UMASK)
			continue;
		assert_string_not_equal(info.name, "n");
	}
}

/* No table of libpfm4 has a modifier of this name. */
static void libpfm_modifiers(void **state)
{
	pfm_event_info_t info;
	pfm_pmu_info_t table;
	int pmu, event;

	(void)state;
	assert_int_equal(pfm_initialize(), PFM_SUCCESS);
	pfm_for_all_pmus(pmu) {
		memset(&table, 0, sizeof(table));
		table.size = sizeof(table);
		if (pfm_get_pmu_info(pmu, &table))
			continue;
		for (event = table.first_event; event != -1;
		     event = pfm_get_event_next(event)) {
			memset(&info, 0, sizeof(info));
			info.size = sizeof(info);
			if (!pfm_get_event_info(event, PFM_OS_NONE, &info))
				check_modifiers(event, info.nattrs);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fake_test(pentiums),
		fake_test(names),
		fake_test(contradictions),
		fake_test(p6),
		fake_test(architectural),
		fake_test(libpfm_modifiers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

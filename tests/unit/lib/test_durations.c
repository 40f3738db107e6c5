// SPDX-License-Identifier: GPL-2.0-only
/* Tests of durations: clocks by default, occurrences with a modifier */
#include <stdlib.h>

#include <perfmon/pfmlib.h>

#include "check.h"
#include "event_table.h"

#define CLOCKS	0x100

static void check_row(const struct pmc_event_row *row)
{
	bool duration = row->type == PMC_EVENT_TYPE_DURATION;
	char text[256];

	assert_int_equal(!!(row->select & CLOCKS), duration);
	encodes(row->name, row->select);
	snprintf(text, sizeof(text), "%s:n:u", row->name);
	encodes(text, row->select & ~CLOCKS);
	snprintf(text, sizeof(text), "%s:d", row->name);
	encodes(text, row->select | CLOCKS);
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
	/* table 6-1: five for both counters, seven for one; three of the manual; cycles */
	assert_int_equal(check_pentium(false), 5);
	assert_int_equal(check_pentium(true), 5 + 7 + 3 + 1);
}

static void names(void **state)
{
	fake_pentium(true);
	encodes("NUMBER_OF_CYCLES_NOT_IN_HALT_STATE:u", 0x130);
	encodes("number-of-cycles-not-in-halt-state:n:u", 0x30);
	encodes("cycles", 0x130);
	encodes("cycles:n", 0x30);
	encodes("BUS_CYCLE_DURATION", 0x118);
	encodes("DATA_READ", 0x00);
	encodes("DATA_READ:n", 0x00);
	encodes("DATA_READ:d", 0x100);
	/* codes and terms are counted as they are given */
	encodes("r0030:g=0", 0x30);
	encodes("r0030:g=0:n", 0x30);
	encodes("r0130:g=0", 0x130);
	encodes("cpu/event=0x18/", 0x18);
	encodes("cpu/event=0x18,clocks/", 0x118);
}

static void contradictions(void **state)
{
	fake_pentium(true);
	refuses("BUS_CYCLE_DURATION:d:n", EINVAL,
		"event 'BUS_CYCLE_DURATION:d:n': :d counts clocks, and :n occurrences: omit one of them");
	refuses("DATA_READ:n:d", EINVAL, "omit one of them");
	refuses("r0118:n", EINVAL,
		"event 'r0118:n': its code counts clocks (bit 8), and :n occurrences: clear the bit, or omit :n");
	refuses("cpu/event=0x18,clocks/:n", EINVAL, "its code counts clocks (bit 8)");
	refuses("DATA_READ:nn", EINVAL, "unknown modifier ':nn'");
	refuses("DATA_READ:n=1", EINVAL, "unknown modifier ':n=1'");
	fake_p6(3);
	refuses("CPU_CLK_UNHALTED:n", EINVAL,
		"do not support :n; it is for the Pentium; :e counts how often the event begins");
	fake_reset();
	refuses("cycles:n", EINVAL, "do not support :n");
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
	encodes("CPU_CLK_UNHALTED", 0x79);
	encodes("CPU_CLK_UNHALTED:e", 0x40079);
}

/* An architectural name has the type of the event that it stands for. */
static void architectural(void **state)
{
	const struct pmc_event_row *row;
	struct pmc_event_list *list;
	size_t i, found = 0;

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

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of event names with one event table for each core type; see fake_pfm.c */
#include <stdio.h>

#include "check.h"

#define CORE	0x40000000
#define ATOM	0x20000000

/* CPU 0 is a P-core of a processor with several core types. */
static int setup(void **state)
{
	fake_reset();
	fake.query.core_type = CORE | 3;
	return 0;
}

static void check_refused(uint32_t asked, const char *text, int error, const char *words)
{
	assert_failed(!pmc_event_parse_core_type(text, asked), error, words);
}

/* No core type given: an event equal in all tables is for all, any other for its core type. */
static void of_all(void **state)
{
	encodes_for(0, "BR_INST_RETIRED:ALL_BRANCHES", 0x00c4, 0);
	encodes_for(0, "LONGEST_LAT_CACHE:MISS", 0x412e, 0);
	encodes_for(0, "MACHINE_CLEARS:MEMORY_ORDERING:u", 0x02c3, 0);
	encodes_for(0, "PLAIN", 0x77, 0);
	encodes_for(0, "MEM_INST_RETIRED:ALL_LOADS", 0x81d0, CORE);
	encodes_for(0, "MEM_UOPS_RETIRED:ALL_LOADS", 0x81d0, ATOM);
	encodes_for(0, "BR_INST_RETIRED:JCC", 0x7ec4, ATOM);
	/* only the Atom's event needs no unit mask */
	encodes_for(0, "BR_INST_RETIRED", 0x00c4, ATOM);
	encodes_for(0, "instructions", 0xc0, 0);
	encodes_for(0, "r7ec4", 0x7ec4, 0);
}

static void of_none(void **state)
{
	static const char *const ambiguous[] = {
		"BR_INST_RETIRED:COND", "br-inst-retired:near-taken:u", "MACHINE_CLEARS:SMC",
		"BACLEARS", "BACLEARS:ANY", "PLAIN_OTHER",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ambiguous); i++) {
		check_refused(0, ambiguous[i], EOPNOTSUPP, "(core or atom), as pmc_context_set_core_type() does");
	}
	/* the message is that of the first table with the event */
	check_refused(0, "BR_INST_RETIRED:CALL", EINVAL, "has no unit mask or modifier ':CALL'");
	check_refused(0, "MEM_UOPS_RETIRED:ALL", EINVAL, "MEM_UOPS_RETIRED has no unit mask");
	check_refused(0, "MEM_INST_RETIRED", EINVAL, "needs a unit mask after ':', one of: ALL_LOADS");
	check_refused(0, "OCR:ANY", EOPNOTSUPP, "needs an extra register");
	check_refused(0, "BR_INST", EINVAL, "no event 'BR_INST'");
}

static void of_one(void **state)
{
	encodes_for(CORE, "BR_INST_RETIRED:COND", 0x11c4, CORE);
	encodes_for(CORE | 3, "BR_INST_RETIRED:COND:u", 0x11c4, CORE);
	encodes_for(ATOM, "BR_INST_RETIRED:COND", 0x7ec4, ATOM);
	encodes_for(ATOM | 0x800000, "BR_INST_RETIRED", 0x00c4, ATOM);
	encodes_for(ATOM, "BACLEARS", 0x01e6, ATOM);
	encodes_for(CORE, "BACLEARS", 0x0160, CORE);
	encodes_for(ATOM, "LONGEST_LAT_CACHE:MISS", 0x412e, ATOM);
	encodes_for(ATOM, "cycles", 0x3c, 0);
	encodes_for(ATOM, "r01c2:u", 0x01c2, 0);
	check_refused(CORE, "BR_INST_RETIRED", EINVAL, "one of: ALL_BRANCHES COND NEAR_TAKEN");
	check_refused(CORE, "BR_INST_RETIRED:JCC", EINVAL, "no unit mask or modifier ':JCC'");
	check_refused(CORE, "MEM_UOPS_RETIRED:ALL_LOADS", EOPNOTSUPP,
		      "the core type core has no such event, the core type atom has");
	check_refused(ATOM, "MEM_INST_RETIRED:ALL_LOADS", EOPNOTSUPP, "the core type core has");
	check_refused(0x10000000, "BACLEARS", EOPNOTSUPP, "the requested core type has no such event");
	check_refused(0x10000000, "LONGEST", EINVAL, "has no names for this core type");
}

static void next_of_list(void **state)
{
	const char *list = "BACLEARS, BR_INST_RETIRED:COND:u";
	struct pmc_event *first = pmc_event_parse_next_core_type(&list, ATOM);
	struct pmc_event *second = pmc_event_parse_next_core_type(&list, ATOM);

	assert_non_null(first);
	assert_int_equal(0x01e6, pmc_event_select(first));
	assert_non_null(second);
	assert_int_equal(0x7ec4, pmc_event_select(second));
	assert_string_equal("", list);
	pmc_event_free(first);
	pmc_event_free(second);
	list = "LONGEST_LAT_CACHE:MISS,BACLEARS";
	first = pmc_event_parse_next(&list);
	assert_non_null(first);
	assert_failed(!pmc_event_parse_next(&list), EOPNOTSUPP, "differs between core types");
	pmc_event_free(first);
}

/* With a single core type, the first table is used for every requested core type. */
static void one_kind(void **state)
{
	struct pmc_event_list *list;

	fake.query.core_type = 0;
	encodes_for(0, "BR_INST_RETIRED:COND", 0x11c4, 0);
	encodes_for(ATOM, "BR_INST_RETIRED:COND", 0x11c4, 0);
	check_refused(0, "BR_INST_RETIRED:JCC", EINVAL, "no unit mask or modifier ':JCC'");
	check_refused(0, "MEM_UOPS_RETIRED:ALL_LOADS", EINVAL, "no event 'MEM_UOPS_RETIRED'");
	assert_failed(!pmc_event_list_get_core_type(ATOM), ENODEV, "one core type");
	list = pmc_event_list_get_core_type(0);
	assert_non_null(list);
	pmc_event_list_free(list);
}

/* Prefixes of perf and libpfm4 that name a core type */
static void prefixes(void **state)
{
	check_refused(0, "cpu_core/event=0xc0", EINVAL, "the second slash is missing");
	check_refused(ATOM, "cpu_core/instructions/", EINVAL,
		      "'cpu_core' is another core type than that of the command");
	check_refused(0, "adl_x::BR_INST_RETIRED:COND", EINVAL,
		      "write 'BR_INST_RETIRED:COND' without its table");
	check_refused(0, "cycles::u", EINVAL, "unknown modifier ':'");
	check_refused(0, "no_such/instructions/", EINVAL, "the driver does not count perf's unit 'no_such'");
}

static bool same(const char *a, uint32_t kind_a, const char *b, uint32_t kind_b)
{
	struct pmc_event *first = pmc_event_parse_core_type(a, kind_a);
	struct pmc_event *second = pmc_event_parse_core_type(b, kind_b);
	bool result;

	assert_non_null(first);
	assert_non_null(second);
	result = pmc_event_equal(first, second);
	pmc_event_free(first);
	pmc_event_free(second);
	return result;
}

static void equal(void **state)
{
	assert_true(same("BR_INST_RETIRED:COND", ATOM, "BR_INST_RETIRED:JCC", ATOM));
	assert_true(same("BR_INST_RETIRED:COND", ATOM, "r7ec4", 0));
	assert_false(same("BR_INST_RETIRED:COND", ATOM, "BR_INST_RETIRED:COND", CORE));
	assert_false(same("MEM_UOPS_RETIRED:ALL_LOADS", 0, "MEM_INST_RETIRED:ALL_LOADS", 0));
}

/* ---- lists ---- */

/* Checks the rows with that name: the n-th has the core type kinds[n]. */
static void check_rows(const struct pmc_event_list *list, const char *name, size_t num,
		       const uint32_t *kinds)
{
	const struct pmc_event_row *row;
	size_t found = 0, i;

	for (i = 0; (row = pmc_event_list_row(list, i)); i++) {
		if (strcmp(row->name, name))
			continue;
		assert_true(found < num);
		assert_int_equal(kinds[found++], row->core_type);
	}
	assert_int_equal(num, found);
}

/* Each row's name with each unit mask parses to the row's event select, on its core type. */
static void check_codes(const struct pmc_event_list *list)
{
	const struct pmc_event_row *row;
	char text[128];
	size_t i, j;

	for (i = 0; (row = pmc_event_list_row(list, i)); i++)
		for (j = 0; j < row->num_unit_masks; j++) {
			snprintf(text, sizeof(text), "%s:%s", row->name, row->unit_masks[j].name);
			if (strcmp(row->name, "OCR"))
				encodes_for(row->core_type, text, row->select | row->unit_masks[j].bits,
					    row->core_type);
			assert_int_equal(!strcmp(row->name, "OCR"), row->unit_masks[j].refused);
		}
}

static void list_of_all(void **state)
{
	static const uint32_t both[] = { CORE, ATOM }, none[] = { 0 }, core[] = { CORE },
			      atom[] = { ATOM };
	struct pmc_event_list *list = pmc_event_list_get();

	assert_non_null(list);
	assert_null(pmc_event_list_incomplete(list));
	check_rows(list, "BR_INST_RETIRED", 2, both);
	check_rows(list, "MACHINE_CLEARS", 2, both);
	check_rows(list, "BACLEARS", 2, both);
	check_rows(list, "PLAIN_OTHER", 2, both);
	check_rows(list, "LONGEST_LAT_CACHE", 1, none);
	check_rows(list, "PLAIN", 1, none);
	check_rows(list, "MEM_INST_RETIRED", 1, core);
	check_rows(list, "OCR", 1, core);
	check_rows(list, "MEM_UOPS_RETIRED", 1, atom);
	check_rows(list, "instructions", 1, none);
	check_codes(list);
	pmc_event_list_free(list);
}

static void list_of_one(void **state)
{
	static const uint32_t atom[] = { ATOM }, none[] = { 0 };
	struct pmc_event_list *list = pmc_event_list_get_core_type(ATOM | 5);

	assert_non_null(list);
	check_rows(list, "BR_INST_RETIRED", 1, atom);
	check_rows(list, "LONGEST_LAT_CACHE", 1, none);
	check_rows(list, "MEM_UOPS_RETIRED", 1, atom);
	check_rows(list, "MEM_INST_RETIRED", 0, NULL);
	check_codes(list);
	pmc_event_list_free(list);
	list = pmc_event_list_get_core_type(0x10000000);
	assert_non_null(list);
	check_rows(list, "LONGEST_LAT_CACHE", 0, NULL);
	assert_non_null(strstr(pmc_event_list_incomplete(list), "no names for this core type"));
	pmc_event_list_free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(of_all, setup, fake_teardown),
		cmocka_unit_test_setup_teardown(of_none, setup, fake_teardown),
		cmocka_unit_test_setup_teardown(of_one, setup, fake_teardown),
		cmocka_unit_test_setup_teardown(next_of_list, setup, fake_teardown),
		cmocka_unit_test_setup_teardown(prefixes, setup, fake_teardown),
		cmocka_unit_test_setup_teardown(equal, setup, fake_teardown),
		cmocka_unit_test_setup_teardown(list_of_all, setup, fake_teardown),
		cmocka_unit_test_setup_teardown(list_of_one, setup, fake_teardown),
	};
	/* last, because the library caches the rows */
	const struct CMUnitTest last[] = {
		cmocka_unit_test_setup_teardown(one_kind, setup, fake_teardown),
	};

	return cmocka_run_group_tests_name("names of kinds", tests, NULL, NULL) |
	       cmocka_run_group_tests_name("one kind", last, NULL, NULL);
}

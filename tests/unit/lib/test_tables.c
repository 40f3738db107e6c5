// SPDX-License-Identifier: GPL-2.0-only
/* Compares lib/events/tables with the documents, row by row */
#include <ctype.h>
#include <stdlib.h>

#include "check.h"
#include "constraint.h"
#include "core_type.h"
#include "event_table.h"
#include "extra_register.h"
#include "seed_tables.h"

static const struct pmc_processor pentium = { .layout = PMC_LAYOUT_P5 };
static const struct pmc_processor mmx = { .layout = PMC_LAYOUT_P5, .mmx = true };

static struct pmc_processor p6(unsigned int model)
{
	fake_p6(model);
	return pmc_processor_current(0);
}

/* Each file has one source, one table and as many rows as the document. */
static void row_counts(void **state)
{
	enum {
		P5_ROWS = 0
#define PMC_P5_EVENT(...) + 1
#include "events/tables/p5.def"
#undef PMC_P5_EVENT
		, MMX_COMMON = 0
#define PMC_P5_MMX_COMMON(...) + 1
#define PMC_P5_MMX_RESERVED(...)
#define PMC_P5_MMX_EVENT(...)
#include "events/tables/p5-mmx.def"
#undef PMC_P5_MMX_COMMON
#undef PMC_P5_MMX_RESERVED
#undef PMC_P5_MMX_EVENT
		, MMX_RESERVED = 0
#define PMC_P5_MMX_COMMON(...)
#define PMC_P5_MMX_RESERVED(...) + 1
#define PMC_P5_MMX_EVENT(...)
#include "events/tables/p5-mmx.def"
#undef PMC_P5_MMX_COMMON
#undef PMC_P5_MMX_RESERVED
#undef PMC_P5_MMX_EVENT
		, MMX_OWN = 0
#define PMC_P5_MMX_COMMON(...)
#define PMC_P5_MMX_RESERVED(...)
#define PMC_P5_MMX_EVENT(...) + 1
#include "events/tables/p5-mmx.def"
#undef PMC_P5_MMX_COMMON
#undef PMC_P5_MMX_RESERVED
#undef PMC_P5_MMX_EVENT
		, P6_ROWS = 0
#define PMC_P6_EVENT(...) + 1
#include "events/tables/p6.def"
#undef PMC_P6_EVENT
	};

	assert_int_equal(P5_ROWS, 38);
	assert_int_equal(ARRAY_SIZE(seed_p5), 38);
	assert_int_equal(MMX_COMMON + MMX_RESERVED + MMX_OWN, 69);
	assert_int_equal(ARRAY_SIZE(seed_mmx), 69);
	assert_int_equal(MMX_RESERVED, 4);
	assert_int_equal(P6_ROWS, 60);
	assert_int_equal(ARRAY_SIZE(seed_p6), 60);
}

static void article(void **state)
{
	struct pmc_event_row row;
	size_t cursor = 0, i;

	for (i = 0; i < ARRAY_SIZE(seed_p5); i++) {
		assert_true(pmc_event_table_next(&pentium, &cursor, &row));
		assert_int_equal(row.select, seed_p5[i].index);
		assert_string_equal(row.title, seed_p5[i].name);
		assert_int_equal(row.counters, 0x3);
	}
	assert_false(pmc_event_table_next(&pentium, &cursor, &row));
}

static bool find_row(const struct pmc_processor *processor, unsigned int number,
		     uint64_t counters, struct pmc_event_row *row)
{
	size_t cursor = 0;

	while (pmc_event_table_next(processor, &cursor, row))
		if (row->select == number && row->counters == counters)
			return true;
	return false;
}

static void check_mmx(size_t i)
{
	uint64_t counters = (seed_mmx[i].counter[0] == 'Y') | (seed_mmx[i].counter[1] == 'Y') << 1;
	uint32_t kind =
		seed_mmx[i].kind == 'O' ? PMC_EVENT_TYPE_OCCURRENCE : PMC_EVENT_TYPE_DURATION;
	struct pmc_event_row row;

	if (!find_row(&mmx, seed_mmx[i].serial, counters, &row))
		fail_msg("no row %u for counters %#x", seed_mmx[i].serial, (unsigned int)counters);
	assert_string_equal(row.title, seed_mmx[i].name);
	assert_int_equal(row.type, kind);
}

static void table_6_1(void **state)
{
	size_t i, events = 0, reserved = 0;

	for (i = 0; i < ARRAY_SIZE(seed_mmx); i++) {
		if (seed_mmx[i].kind == 'R') {
			assert_int_equal(pmc_event_table_counters(&mmx, seed_mmx[i].serial), 0);
			reserved++;
			continue;
		}
		check_mmx(i);
		events++;
	}
	assert_int_equal(reserved, 4);
	assert_int_equal(events, 65);
}

/* Events that the documents lack and the manual has */
static void pentium_totals(void **state)
{
	struct pmc_event_row row;
	size_t cursor = 0, num = 0, noted = 0;

	while (pmc_event_table_next(&mmx, &cursor, &row)) {
		num++;
		noted += !!row.note;
		assert_true(row.type == PMC_EVENT_TYPE_OCCURRENCE ||
			    row.type == PMC_EVENT_TYPE_DURATION);
	}
	/* 65 of table 6-1, event number 28 of the article, 8 of the manual */
	assert_int_equal(num, 65 + 1 + 8);
	assert_int_equal(noted, 11);
	assert_true(find_row(&mmx, 0x1c, 0x3, &row));
	assert_string_equal(row.name, "LOCKED_BUS_CYCLE");
}

static const char *printed_mask(const struct pmc_event_row *row)
{
	if (!row->num_unit_masks)
		return "00H";
	if (!strcmp(row->unit_masks[0].name, "M"))
		return "0FH";
	if (!strcmp(row->unit_masks[0].name, "SELF"))
		return row->num_unit_masks == 1 ? "00H (Self)" : "00H+20H";
	return "?";
}

static void table_6_2(void **state)
{
	struct pmc_processor processor = p6(3);
	struct pmc_event_row row, found;
	size_t cursor = 0, i;

	for (i = 0; i < ARRAY_SIZE(seed_p6); i++) {
		struct pmc_token name = { seed_p6[i].name, strlen(seed_p6[i].name) };
		const char *mask = strcmp(seed_p6[i].unit_mask, "OOH") ?
				   seed_p6[i].unit_mask : "00H";

		assert_true(pmc_event_table_next(&processor, &cursor, &row));
		assert_int_equal(row.select, seed_p6[i].number);
		assert_true(pmc_event_table_find(&processor, &name, &found));
		assert_string_equal(row.name, found.name);
		assert_string_equal(printed_mask(&row), mask);
		assert_int_equal(row.counters, seed_p6[i].counters);
		assert_non_null(row.unit);
	}
}

/* Events of each processor of the family, from the remarks of the manual */
static void p6_parts(void **state)
{
	static const struct { unsigned int model; size_t rows; } parts[] = {
		{ 1, 60 + 8 }, { 9, 60 + 8 }, { 13, 60 + 8 },
		{ 3, 60 + 8 + 10 }, { 5, 60 + 8 + 10 }, { 6, 60 + 8 + 10 },
		{ 7, 60 + 8 + 12 }, { 8, 60 + 8 + 12 }, { 10, 60 + 8 + 12 },
		{ 11, 60 + 8 + 12 },
	};
	struct pmc_processor processor;
	struct pmc_event_row row;
	size_t cursor, num, i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		processor = p6(parts[i].model);
		assert_int_equal(processor.layout, PMC_LAYOUT_P6);
		for (cursor = 0, num = 0; pmc_event_table_next(&processor, &cursor, &row);)
			num++;
		assert_int_equal(num, parts[i].rows);
	}
}

/* Checks that a name is valid and unique, so that the parser finds exactly its row. */
static void check_name(const struct pmc_processor *processor, const char *name)
{
	struct pmc_token word = { name, strlen(name) };
	struct pmc_event_row row, other;
	size_t cursor = 0, found = 0, i;

	for (i = 0; name[i]; i++)
		assert_true(isupper((unsigned char)name[i]) ||
			    isdigit((unsigned char)name[i]) || name[i] == '_');
	while (pmc_event_table_next(processor, &cursor, &row))
		found += pmc_token_equals_name(&word, row.name) ||
			 (row.alias && pmc_token_equals_name(&word, row.alias));
	if (found != 1)
		fail_msg("%s stands for %zu events", name, found);
	assert_true(pmc_event_table_find(processor, &word, &other));
}

static void names(void **state)
{
	struct pmc_processor processors[] = { pentium, mmx, p6(3), p6(8) };
	struct pmc_event_row row;
	size_t cursor, i;

	for (i = 0; i < ARRAY_SIZE(processors); i++)
		for (cursor = 0; pmc_event_table_next(&processors[i], &cursor, &row);) {
			check_name(&processors[i], row.name);
			if (row.alias)
				check_name(&processors[i], row.alias);
			assert_true(strlen(row.text) > 2 && strlen(row.text) < 100);
		}
}

/* Models and restrictions of core-counters.def, each with a neighbour that differs */
static void core_parts(void **state)
{
	static const struct { unsigned int model; uint64_t select, counters; } known[] = {
		{ 14, 0x12, 0x2 }, { 15, 0x10, 0x1 }, { 23, 0x12, 0x2 }, { 29, 0x1cb, 0x1 },
		{ 30, 0x140, 0x3 }, { 26, 0x44, PMC_ANY_COUNTER }, { 46, 0x4e, 0x3 },
		{ 44, 0x140, PMC_ANY_COUNTER }, { 37, 0xb3, 0x1 },
		{ 30, 0x14c, 0x3 }, { 30, 0x24c, PMC_ANY_COUNTER }, { 30, 0x152, 0x3 },
		{ 30, 0x153, 0x3 }, { 37, 0x14c, 0x3 }, { 37, 0x14e, 0x3 }, { 37, 0x152, 0x3 },
		{ 37, 0x153, PMC_ANY_COUNTER }, { 79, 0x1c0, 0x2 },
		{ 42, 0x148, 0x4 }, { 45, 0x2a3, 0x4 }, { 42, 0x4a3, 0xf }, { 42, 0x1c0, 0x2 },
		{ 42, 0xc0, PMC_ANY_COUNTER }, { 58, 0xca3, 0x4 }, { 62, 0x4a3, 0xf },
		{ 60, 0x1cd, 0x8 }, { 60, 0x2a3, PMC_ANY_COUNTER },
		{ 79, 0x8a3, 0x4 }, { 79, 0x1cd, 0xf }, { 85, 0x1c0, 0x2 },
		{ 85, 0x81d0, 0xf }, { 85, 0x148, PMC_ANY_COUNTER },
		{ 125, 0x1c0, PMC_ANY_COUNTER }, { 126, 0x4a3, 0xff }, { 126, 0x14a3, 0xff },
		{ 126, 0x6a3, 0xf }, { 126, 0x151, 0xf }, { 126, 0x157, PMC_ANY_COUNTER },
		{ 143, 0x3c, 0xff }, { 143, 0x412e, 0xff }, { 143, 0x151, 0xf },
		{ 143, 0x2cd, 0x1 }, { 143, 0x1cd, 0xfe }, { 143, 0x1ce, 0x1 },
		{ 143, 0x5a3, 0xf }, { 143, 0x6a3, 0xf }, { 143, 0xca3, 0xf },
		{ 143, 0x4a3, PMC_ANY_COUNTER }, { 200, 0x151, PMC_ANY_COUNTER },
		{ 151, 0x151, 0xf }, { 154, 0x151, 0xf }, { 183, 0x151, 0xf }, { 186, 0x151, 0xf },
		{ 191, 0x151, 0xf }, { 207, 0x151, 0xf },
		/* column "Counter" of the event files, Linux 7.3 */
		{ 173, 0x412e, 0xff }, { 174, 0x3c, 0xff }, { 170, 0x151, 0xf },
		{ 172, 0x103, 0xf }, { 181, 0x187, 0xf }, { 173, 0x90, PMC_ANY_COUNTER },
		{ 170, 0x1a3, 0xf }, { 170, 0x2a3, 0xf }, { 173, 0x5a3, 0xf }, { 173, 0x6a3, 0xf }, { 173, 0x8a3, 0xf },
		{ 173, 0xca3, 0xf }, { 173, 0x4a3, PMC_ANY_COUNTER },
		{ 173, 0x10a3, PMC_ANY_COUNTER }, { 173, 0x4a4, 0x1 }, { 173, 0x8a4, 0x1 },
		{ 173, 0x10a4, PMC_ANY_COUNTER }, { 173, 0x1cd, 0xfe }, { 173, 0x2cd, 0x1 },
		{ 173, 0x81d0, 0xf }, { 173, 0x4d4, 0xf }, { 173, 0x1e0, PMC_ANY_COUNTER },
		{ 173, 0x1ce, 0x1 }, { 173, 0x3c6, PMC_ANY_COUNTER },
		{ 189, 0x120, 0xf }, { 197, 0x148, 0x4 }, { 198, 0x148, 0x4 }, { 204, 0x148, 0x4 },
		{ 213, 0x148, 0x4 }, { 229, 0x148, 0x4 }, { 198, 0x248, PMC_ANY_COUNTER }, { 198, 0x175, 0x4 },
		{ 198, 0x275, PMC_ANY_COUNTER }, { 198, 0x151, PMC_ANY_COUNTER },
		{ 198, 0x3c, PMC_ANY_COUNTER }, { 198, 0x4a3, PMC_ANY_COUNTER },
		{ 198, 0x8a3, 0x4 }, { 198, 0xca3, 0x4 }, { 198, 0x2a4, PMC_ANY_COUNTER },
		{ 198, 0x4a4, 0x1 }, { 198, 0x8a4, 0x1 }, { 198, 0x10a4, 0x8 }, { 198, 0x1b1, 0x8 },
		{ 198, 0x10b1, PMC_ANY_COUNTER }, { 198, 0x1cd, 0x3fc }, { 198, 0x2cd, 0x3 },
		{ 198, 0x87d0, 0x3ff }, { 198, 0x81d0, 0xf }, { 198, 0x4d4, 0xf },
		{ 198, 0x1e0, PMC_ANY_COUNTER }, { 198, 0x12a, PMC_ANY_COUNTER },
		{ 199, 0x148, PMC_ANY_COUNTER },
	};
	struct pmc_processor processor = { .layout = PMC_LAYOUT_CORE, .family = 6 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		processor.model = known[i].model;
		if (pmc_constraint(&processor, known[i].select) != known[i].counters)
			fail_msg("model %u, select %#llx", known[i].model,
				 (unsigned long long)known[i].select);
	}
	processor.core_type = 0;
	processor.family = 15;
	processor.model = 85;
	assert_true(pmc_constraint(&processor, 0x1c0) == PMC_ANY_COUNTER);
}

/* Load latency of Core, of Nehalem and of Atom, each with a neighbour */
static void reasons(void **state)
{
	static const uint64_t latency[] = { 0x1cd, 0x100b, 0x5d0 }, other[] = { 0x2cd, 0x10b, 0x6d0 };
	const char *reason = pmc_register_reason(latency[0]);
	size_t i;

	assert_non_null(strstr(reason, "loads by their latency"));
	for (i = 0; i < ARRAY_SIZE(latency); i++) {
		assert_string_equal(pmc_register_reason(latency[i]), reason);
		assert_string_not_equal(pmc_register_reason(other[i]), reason);
	}
}

/* Cores of type Atom have no restriction. Without a core type, those of type Core apply. */
static void hybrid_parts(void **state)
{
	static const unsigned int models[] = {
		0x97, 0x9a, 0xb7, 0xba, 0xbf, 0xaa, 0xac, 0xb5, 0xbd, 0xc5, 0xc6, 0xcc, 0xd5,
	};
	struct pmc_processor processor = { .layout = PMC_LAYOUT_CORE, .family = 6 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		processor.model = models[i];
		processor.is_hybrid = false;
		processor.core_type = 0;
		assert_int_equal(pmc_constraint(&processor, 0x120), 0xf);
		processor.is_hybrid = true;
		assert_int_equal(pmc_constraint(&processor, 0x120), 0xf);
		processor.core_type = PMC_CORE_TYPE_CORE;
		assert_int_equal(pmc_constraint(&processor, 0x120), 0xf);
		processor.core_type = PMC_CORE_TYPE_ATOM;
		assert_true(pmc_constraint(&processor, 0x120) == PMC_ANY_COUNTER);
	}
}

/* Linux 7.3, intel_pnc_event_constraints, intel_arw_event_constraints; Intel's event files */
static void families_18_and_19(void **state)
{
	enum { CORE = PMC_CORE_TYPE_CORE, ATOM = PMC_CORE_TYPE_ATOM };
	static const struct {
		unsigned int family, model, core_type;
		uint64_t select, counters;
	} known[] = {
		{ 19, 1, 0, 0x20, 0xf }, { 19, 1, 0, 0x479, 0xf }, { 19, 1, 0, 0x275, 0xf },
		{ 19, 1, 0, 0x175, PMC_ANY_COUNTER }, { 19, 1, 0, 0x176, 0xf },
		{ 19, 1, 0, 0x4a4, 0x1 }, { 19, 1, 0, 0x8a4, 0x1 }, { 19, 1, 0, 0x10a4, 0x8 },
		{ 19, 1, 0, 0x2a4, PMC_ANY_COUNTER }, { 19, 1, 0, 0x1cd, 0xfc },
		{ 19, 1, 0, 0x2cd, 0x3 }, { 19, 1, 0, 0x81d0, 0xf }, { 19, 1, 0, 0xd1, 0xf },
		{ 19, 1, 0, 0xd2, PMC_ANY_COUNTER }, { 19, 1, 0, 0xd4, 0xf },
		{ 19, 1, 0, 0x10d6, 0xf }, { 19, 1, 0, 0xdf, 0xf }, { 19, 1, 0, 0xce, 0x1 },
		{ 19, 1, 0, 0x1b1, 0x8 }, { 19, 1, 0, 0x1b2, 0xf }, { 19, 1, 0, 0x2b2, 0xf },
		{ 19, 1, 0, 0x847, 0xf }, { 19, 1, 0, 0x446, 0xf }, { 19, 1, 0, 0x846, 0xf },
		{ 19, 1, 0, 0x148, 0xf }, { 19, 2, 0, 0x20, PMC_ANY_COUNTER },
		{ 18, 1, CORE, 0x20, 0xf }, { 18, 3, 0, 0x20, 0xf }, { 6, 1, 0, 0x20, PMC_ANY_COUNTER },
		{ 18, 1, ATOM, 0x20, PMC_ANY_COUNTER }, { 18, 1, ATOM, 0x175, 0x1 },
		{ 18, 3, ATOM, 0x275, 0x2 }, { 18, 3, ATOM, 0x475, PMC_ANY_COUNTER },
		{ 18, 3, ATOM, 0x21d3, 0x1 }, { 18, 3, ATOM, 0x22d3, 0x1 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		const struct pmc_processor processor = {
			.layout = PMC_LAYOUT_CORE,
			.family = known[i].family,
			.model = known[i].model,
			.core_type = known[i].core_type,
		};

		if (pmc_constraint(&processor, known[i].select) != known[i].counters)
			fail_msg("family %u, select %#llx", known[i].family,
				 (unsigned long long)known[i].select);
	}
}

/* A raw code of an older processor has the constraints of its event number. */
static void raw_constraints(void **state)
{
	struct pmc_processor processor = p6(3);

	assert_int_equal(pmc_constraint(&processor, 0x00c1), 0x1);
	assert_int_equal(pmc_constraint(&processor, 0x840012), 0x2);
	assert_int_equal(pmc_constraint(&processor, 0x4029), 0x3);
	assert_true(pmc_constraint(&processor, 0x00fe) == PMC_ANY_COUNTER);
	assert_int_equal(pmc_constraint(&mmx, 0x12b), 0x3);
	assert_int_equal(pmc_constraint(&mmx, 0x3f), PMC_ANY_COUNTER);
	assert_int_equal(pmc_constraint(&mmx, 0x31), 0x3);
	assert_true(pmc_constraint(&pentium, 0x31) == PMC_ANY_COUNTER);
}

static void processors(void **state)
{
	static const struct {
		const char *vendor;
		unsigned int family, model;
		bool rdpmc;
		enum pmc_layout layout;
		bool mmx;
	} known[] = {
		{ "GenuineIntel", 5, 4, false, PMC_LAYOUT_P5, false },
		{ "GenuineIntel", 5, 4, true, PMC_LAYOUT_P5, true },
		{ "GenuineIntel", 6, 1, true, PMC_LAYOUT_P6, false },
		{ "GenuineIntel", 6, 2, true, PMC_LAYOUT_CORE, false },
		{ "GenuineIntel", 6, 14, true, PMC_LAYOUT_CORE, false },
		{ "GenuineIntel", 6, 65, true, PMC_LAYOUT_CORE, false },
		{ "GenuineIntel", 15, 4, true, PMC_LAYOUT_NETBURST, false },
		{ "AuthenticAMD", 15, 4, true, PMC_LAYOUT_AMD, false },
		{ "HygonGenuine", 24, 0, true, PMC_LAYOUT_AMD, false },
		{ "CentaurHauls", 6, 1, true, PMC_LAYOUT_CORE, false },
		{ "", 0, 0, false, PMC_LAYOUT_CORE, false },
	};
	struct pmc_processor processor;
	struct pmc_query query;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		query = (struct pmc_query){
			.cpu_family = known[i].family, .cpu_model = known[i].model,
			.features = known[i].rdpmc ? PMC_FEATURE(RDPMC) : 0,
		};
		memcpy(query.vendor, known[i].vendor, strlen(known[i].vendor));
		processor = pmc_processor_from_query(&query);
		assert_int_equal(processor.layout, known[i].layout);
		assert_int_equal(processor.mmx, known[i].mmx);
		assert_non_null(pmc_processor_text(&processor));
	}
	/* a hypervisor without RDPMC */
	query = (struct pmc_query){ .vendor = "GenuineIntel", .cpu_family = 5, .cpu_model = 4,
				    .quirks = PMC_QUIRK(NO_RDPMC) };
	assert_true(pmc_processor_from_query(&query).mmx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(row_counts),
		cmocka_unit_test(article),
		cmocka_unit_test(table_6_1),
		cmocka_unit_test(pentium_totals),
		cmocka_unit_test(table_6_2),
		cmocka_unit_test(p6_parts),
		cmocka_unit_test(names),
		cmocka_unit_test(core_parts),
		cmocka_unit_test(reasons),
		cmocka_unit_test(hybrid_parts),
		cmocka_unit_test(families_18_and_19),
		cmocka_unit_test(raw_constraints),
		cmocka_unit_test(processors),
	};

	fake_reset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

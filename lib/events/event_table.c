// SPDX-License-Identifier: LGPL-2.1-or-later
/* The event tables of the documents */
#include <errno.h>
#include <string.h>

#include "error.h"
#include "event_table.h"
#include "event_select.h"
#include "lex.h"

#define BOTH_COUNTERS	0x3

#define SOURCE_P5	"Pentium"
#define SOURCE_MMX	"Pentium MMX, table 6-1"
#define SOURCE_P5_SDM	"Pentium MMX, SDM Volume 3B"
#define SOURCE_P6	"P6, table 6-2"
#define SOURCE_P6_SDM	"P6, SDM Volume 3B"

/* ---- Pentium ---- */

static const struct pmc_event_row p5_rows[] = {
#define PMC_P5_EVENT(number, its_name, its_title, its_text, its_note) {	\
	.name = its_name, .title = its_title, .text = its_text,		\
	.note = its_note, .source = SOURCE_P5, .select = number,	\
	.counters = BOTH_COUNTERS, .fixed = PMC_NO_FIXED,		\
},
#include "tables/p5.def"
#undef PMC_P5_EVENT
};

/* Rows of table 6-1 that are events of the plain Pentium */
static const struct common {
	uint64_t number;
	uint32_t type;
	const char *title;
} common_rows[] = {
#define PMC_P5_MMX_COMMON(number, type, title) { number, PMC_EVENT_TYPE_##type, title },
#define PMC_P5_MMX_RESERVED(number)
#define PMC_P5_MMX_EVENT(...)
#include "tables/p5-mmx.def"
#undef PMC_P5_MMX_COMMON
#undef PMC_P5_MMX_RESERVED
#undef PMC_P5_MMX_EVENT
};

/* Those that the Pentium with MMX technology has besides */
static const struct pmc_event_row mmx_rows[] = {
#define PMC_P5_MMX_COMMON(...)
#define PMC_P5_MMX_RESERVED(...)
#define PMC_P5_MMX_EVENT(number, its_counters, event_type, its_name, its_title,	\
			 its_text, its_note) {					\
	.name = its_name, .title = its_title, .text = its_text,			\
	.note = its_note, .source = SOURCE_MMX, .select = number,		\
	.counters = its_counters, .fixed = PMC_NO_FIXED,			\
	.type = PMC_EVENT_TYPE_##event_type,						\
},
#include "tables/p5-mmx.def"
#undef PMC_P5_MMX_COMMON
#undef PMC_P5_MMX_RESERVED
#undef PMC_P5_MMX_EVENT
#define PMC_P5_MANUAL_EVENT(number, its_counters, event_type, its_name, its_text) {	\
	.name = its_name, .text = its_text, .source = SOURCE_P5_SDM,			\
	.select = number, .counters = its_counters, .fixed = PMC_NO_FIXED,		\
	.type = PMC_EVENT_TYPE_##event_type,							\
},
#include "tables/p5-manual.def"
#undef PMC_P5_MANUAL_EVENT
};

static const struct common *find_common(uint64_t number)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(common_rows); i++)
		if (common_rows[i].number == number)
			return &common_rows[i];
	return NULL;
}

static bool next_p5(const struct pmc_processor *processor, size_t *cursor,
		    struct pmc_event_row *row)
{
	const struct common *common;
	size_t i = (*cursor)++;

	if (i >= ARRAY_SIZE(p5_rows)) {
		i -= ARRAY_SIZE(p5_rows);
		if (!processor->mmx || i >= ARRAY_SIZE(mmx_rows))
			return false;
		*row = mmx_rows[i];
		return true;
	}
	*row = p5_rows[i];
	common = find_common(row->select);
	row->type = common ? common->type : PMC_EVENT_TYPE_OCCURRENCE;
	if (processor->mmx && common) {
		row->title = common->title;
		row->source = SOURCE_MMX;
	}
	return true;
}

/* ---- P6 ---- */

enum p6_unit {
#define PMC_P6_UNIT(unit, text) P6_UNIT_##unit,
#include "tables/p6-units.def"
#undef PMC_P6_UNIT
};

static const char *const p6_units[] = {
#define PMC_P6_UNIT(unit, text) text,
#include "tables/p6-units.def"
#undef PMC_P6_UNIT
};

enum p6_masks {
	P6_NONE,
	P6_MESI,
	P6_BUS,
	P6_SELF,
	P6_PREFETCH,
	P6_SSE,
	P6_MMX_UOPS,
	P6_MMX_TYPES,
	P6_MMX_TRANSITIONS,
	P6_SEGMENTS,
};

/* The sets of p6-units.def one after the other */
static const struct pmc_unit_mask p6_masks[] = {
#define PMC_P6_MASK(set, its_name, its_bits, its_preset, its_combines, its_text) {	\
	.name = its_name, .text = its_text, .bits = (its_bits) << 8,			\
	.preset = its_preset, .combines = its_combines,					\
},
#include "tables/p6-units.def"
#undef PMC_P6_MASK
};

static const enum p6_masks p6_set_of_mask[] = {
#define PMC_P6_MASK(set, ...) P6_##set,
#include "tables/p6-units.def"
#undef PMC_P6_MASK
};

struct p6_row {
	struct pmc_event_row row;
	enum p6_unit unit;
	enum p6_masks masks;
	unsigned int p6_models;
};

static const struct p6_row p6_rows[] = {
#define PMC_P6_EVENT(its_unit, number, its_masks, its_counters, its_type, its_name,	\
		     its_alias, its_text, its_note) {					\
	.row = {									\
		.name = its_name, .alias = its_alias, .text = its_text,			\
		.note = its_note, .source = SOURCE_P6, .select = number,		\
		.counters = its_counters, .fixed = PMC_NO_FIXED,			\
		.type = PMC_EVENT_TYPE_##its_type,					\
	},										\
	.unit = P6_UNIT_##its_unit, .masks = P6_##its_masks, .p6_models = PMC_P6_MODELS_ALL,	\
},
#include "tables/p6.def"
#undef PMC_P6_EVENT
#define PMC_P6_MANUAL_EVENT(its_unit, its_parts, number, its_masks, its_type, its_name,		\
			    its_alias, its_text) {						\
	.row = {										\
		.name = its_name, .alias = its_alias, .text = its_text,				\
		.source = SOURCE_P6_SDM, .select = number, .counters = BOTH_COUNTERS,		\
		.fixed = PMC_NO_FIXED, .type = PMC_EVENT_TYPE_##its_type,			\
	},											\
	.unit = P6_UNIT_##its_unit, .masks = P6_##its_masks,					\
	.p6_models = PMC_P6_MODELS_##its_parts,							\
},
#include "tables/p6-manual.def"
#undef PMC_P6_MANUAL_EVENT
};

static void set_masks(struct pmc_event_row *row, enum p6_masks set)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(p6_masks); i++) {
		if (p6_set_of_mask[i] != set)
			continue;
		if (!row->num_unit_masks)
			row->unit_masks = &p6_masks[i];
		row->num_unit_masks++;
	}
}

static bool next_p6(const struct pmc_processor *processor, size_t *cursor,
		    struct pmc_event_row *row)
{
	const struct p6_row *found;

	do {
		if (*cursor >= ARRAY_SIZE(p6_rows))
			return false;
		found = &p6_rows[(*cursor)++];
	} while (found->p6_models != PMC_P6_MODELS_ALL &&
		 !(found->p6_models & processor->p6_model));
	*row = found->row;
	row->unit = p6_units[found->unit];
	set_masks(row, found->masks);
	return true;
}

/* ---- either ---- */

bool pmc_event_table_next(const struct pmc_processor *processor, size_t *cursor,
			  struct pmc_event_row *row)
{
	if (processor->layout == PMC_LAYOUT_P5)
		return next_p5(processor, cursor, row);
	if (processor->layout == PMC_LAYOUT_P6)
		return next_p6(processor, cursor, row);
	return false;
}

bool pmc_event_table_find(const struct pmc_processor *processor, const struct pmc_token *name,
			  struct pmc_event_row *row)
{
	size_t cursor = 0;

	while (pmc_event_table_next(processor, &cursor, row))
		if (pmc_token_equals_name(name, row->name) ||
		    (row->alias && pmc_token_equals_name(name, row->alias)))
			return true;
	return false;
}

uint64_t pmc_event_table_select(const struct pmc_processor *processor,
				const struct pmc_event_row *row)
{
	bool clocks = processor->layout == PMC_LAYOUT_P5 && row->type == PMC_EVENT_TYPE_DURATION;

	return row->select | (clocks ? SELECT_P5_CLOCKS : 0);
}

uint32_t pmc_event_table_type(const struct pmc_processor *processor, uint64_t select,
			      uint64_t counters)
{
	uint64_t number = pmc_event_select_number(processor->layout, select);
	struct pmc_event_row row;
	size_t cursor = 0;

	while (pmc_event_table_next(processor, &cursor, &row))
		if (row.select == number && row.counters == counters)
			return row.type;
	return PMC_EVENT_TYPE_UNKNOWN;
}

int pmc_event_table_check_code(const struct pmc_processor *processor, const struct pmc_event *event)
{
	uint64_t number = pmc_event_select_number(processor->layout, event->select);
	const char *names[2] = { NULL, NULL };
	struct pmc_event_row row;
	size_t cursor = 0;

	if (event->placement == PLACEMENT_COUNTER)
		return 0;
	while (pmc_event_table_next(processor, &cursor, &row))
		if (row.select == number && row.counters != BOTH_COUNTERS)
			names[row.counters >> 1] = row.name;
	if (!names[0] || !names[1])
		return 0;
	return pmc_fail(EINVAL,
			"event '%s': this code is %s on general counter 0, and %s on 1; choose one with :g=0 or :g=1",
			event->name, names[0], names[1]);
}

uint64_t pmc_event_table_counters(const struct pmc_processor *processor, uint64_t number)
{
	struct pmc_event_row row;
	uint64_t counters = 0;
	size_t cursor = 0;

	while (pmc_event_table_next(processor, &cursor, &row))
		if (row.select == number)
			counters |= row.counters;
	return counters;
}

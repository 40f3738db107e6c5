// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Warnings for codes that the documents of the processor reserve or do not list
 *
 * Only the Pentium and the P6 family have a complete table of their events, so only their
 * codes can be compared with it. Codes are counted as they are given.
 */
#include <string.h>

#include "common.h"
#include "event_select.h"
#include "event_set.h"
#include "event_table.h"
#include "event_warning.h"

#define P6_UNIT_MASK	0xff00ULL

enum warning {
	P5_UNLISTED,
	MMX_RESERVED,
	MMX_UNLISTED,
	P6_UNLISTED,
	P6_NO_STATE,
	P6_MASK,
};

static const char *const texts[] = {
	[P5_UNLISTED] = "neither \"Pentium Secrets\" nor SDM Volume 3B lists its number for this processor: what it counts is undefined",
	[MMX_RESERVED] = "its number is reserved in table 6-1 of \"Intel Architecture MMX Technology\": what it counts is undefined",
	[MMX_UNLISTED] = "neither table 6-1 of \"Intel Architecture MMX Technology\" nor SDM Volume 3B lists its number: what it counts is undefined",
	[P6_UNLISTED] = "neither table 6-2 of \"Intel Architecture MMX Technology\" nor SDM Volume 3B lists its number for this processor: it is reserved, and its count is undefined",
	[P6_NO_STATE] = "its unit mask is 0, which selects no state of a cache line: nothing is counted (table 6-2 of \"Intel Architecture MMX Technology\", note 1)",
	[P6_MASK] = "neither table 6-2 of \"Intel Architecture MMX Technology\" nor SDM Volume 3B lists its unit mask: it is reserved, and its count is undefined",
};

/* ---- Pentium ---- */

static const uint64_t mmx_reserved[] = {
#define PMC_P5_MMX_COMMON(...)
#define PMC_P5_MMX_RESERVED(number) number,
#define PMC_P5_MMX_EVENT(...)
#include "tables/p5-mmx.def"
#undef PMC_P5_MMX_COMMON
#undef PMC_P5_MMX_RESERVED
#undef PMC_P5_MMX_EVENT
};

static const char *warn_p5(const struct pmc_processor *processor, uint64_t number)
{
	size_t i;

	if (pmc_event_table_counters(processor, number))
		return NULL;
	if (!processor->mmx)
		return texts[P5_UNLISTED];
	for (i = 0; i < ARRAY_SIZE(mmx_reserved); i++)
		if (mmx_reserved[i] == number)
			return texts[MMX_RESERVED];
	return texts[MMX_UNLISTED];
}

/* ---- P6 ---- */

/* SDM Volume 3B lists further numbers and unit masks for it, which no table here has. */
static bool is_pentium_m(const struct pmc_processor *processor)
{
	return processor->model == 9 || processor->model == 13;
}

static bool find_number(const struct pmc_processor *processor, uint64_t number,
			struct pmc_event_row *row)
{
	size_t cursor = 0;

	while (pmc_event_table_next(processor, &cursor, row))
		if (row->select == number)
			return true;
	return false;
}

/* Whether a unit mask of the event, or several that can be combined, have these bits */
static bool is_listed_mask(const struct pmc_event_row *row, uint64_t bits)
{
	uint64_t combined = 0;
	size_t i;

	for (i = 0; i < row->num_unit_masks; i++) {
		if (row->unit_masks[i].bits == bits)
			return true;
		if (row->unit_masks[i].combines)
			combined |= row->unit_masks[i].bits;
	}
	return row->num_unit_masks ? bits && !(bits & ~combined) : !bits;
}

/* Whether the unit masks are the states of a cache line */
static bool has_states(const struct pmc_event_row *row)
{
	size_t i;

	for (i = 0; i < row->num_unit_masks; i++)
		if (!strcmp(row->unit_masks[i].name, "MESI"))
			return true;
	return false;
}

static const char *warn_p6(const struct pmc_processor *processor, uint64_t select)
{
	uint64_t mask = select & P6_UNIT_MASK;
	struct pmc_event_row row;

	if (is_pentium_m(processor))
		return NULL;
	if (!find_number(processor, pmc_event_select_number(PMC_LAYOUT_P6, select), &row))
		return texts[P6_UNLISTED];
	if (!mask && has_states(&row))
		return texts[P6_NO_STATE];
	if (!is_listed_mask(&row, mask))
		return texts[P6_MASK];
	return NULL;
}

/* ---- either ---- */

const char *pmc_event_select_warning(const struct pmc_processor *processor, uint64_t select)
{
	if (processor->layout == PMC_LAYOUT_P5)
		return warn_p5(processor, pmc_event_select_number(PMC_LAYOUT_P5, select));
	if (processor->layout == PMC_LAYOUT_P6)
		return warn_p6(processor, select);
	return NULL;
}

PMC_API const char *pmc_event_warning(const struct pmc_event *event)
{
	return event->warning;
}

PMC_API const char *pmc_context_warning(const struct pmc_context *context, size_t index)
{
	const struct pmc_event_set *set = pmc_event_set_of(context);

	return set && index < set->match.num_events ? set->event[index].warning : NULL;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* The events of libpfm4 as rows of a list */
#ifdef HAVE_LIBPFM
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netburst.h"
#include "pfm.h"
#include "pfm_table.h"

/* NetBurst's masks are told as numbers of bits. */
static uint64_t mask_bits(const struct pmc_pfm_table *table, uint64_t code)
{
	if (pmc_pfm_layout(table) != PMC_LAYOUT_NETBURST)
		return code << 8;
	return code < NETBURST_MASK_BITS ? 1ULL << (NETBURST_MASK_SHIFT + code) : 0;
}

/* The event select of an event's number */
static uint64_t event_select(const struct pmc_pfm_table *table, uint64_t code)
{
	switch (pmc_pfm_layout(table)) {
	case PMC_LAYOUT_NETBURST:
		return pmc_netburst_select(code);
	case PMC_LAYOUT_AMD:
		return (code & 0xff) | (code & 0xf00) << 24;
	default:
		return code;
	}
}

/* ---- what is one event on all kinds of core ---- */

/* Whether two tables give the same codes for an event, with a unit mask if not NULL. */
static bool same_codes(const struct pmc_pfm_event *a, const struct pmc_pfm_event *b,
		       const char *mask)
{
	const struct pmc_pfm_event *events[] = { a, b };
	uint64_t codes[2][PFM_CODES_MAX] = { 0 };
	int num_codes[2], error[2];
	char text[512];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		snprintf(text, sizeof(text), "%s::%s%s%s", events[i]->table->info.name,
			 events[i]->info.name, mask ? ":" : "", mask ? mask : "");
		error[i] = pmc_pfm_codes(text, codes[i], &num_codes[i]);
	}
	return error[0] == error[1] && num_codes[0] == num_codes[1] &&
	       !memcmp(codes[0], codes[1], sizeof(codes[0]));
}

/* Return: 0 or 1, or -1 without memory. */
static int same_event(struct pmc_pfm_event *a, struct pmc_pfm_event *b)
{
	const struct pmc_pfm_masks *masks = pmc_pfm_masks(a), *others = pmc_pfm_masks(b);
	struct pmc_token name;
	size_t i;

	if (!masks || !others)
		return -1;
	if (masks->num != others->num)
		return 0;
	for (i = 0; i < masks->num; i++) {
		name = (struct pmc_token){ masks->mask[i].name, strlen(masks->mask[i].name) };
		if (!pmc_pfm_find_mask(others, &name) || !same_codes(a, b, masks->mask[i].name))
			return 0;
	}
	return same_codes(a, b, NULL);
}

/*
 * Whether the event is the same on every kind of core, whatever its unit mask is.
 * Return: 0 or 1, or -1 without memory.
 */
static int is_shared(const struct pmc_processor *processor, struct pmc_pfm_event *event)
{
	const struct pmc_token name = { event->info.name, strlen(event->info.name) };
	const struct pmc_processor all = {
		.layout = processor->layout,
		.is_hybrid = processor->is_hybrid,
	};
	struct pmc_pfm_table *table;
	struct pmc_pfm_event *other;
	int result = 0;
	size_t i;

	if (!processor->is_hybrid)
		return 1;
	for (i = 0; (table = pmc_pfm_table(&all, i)); i++) {
		if (table == event->table)
			continue;
		other = pmc_pfm_find(table, &name);
		result = other ? same_event(event, other) : 0;
		if (result <= 0)
			return result;
	}
	return result;
}

/* ---- rows ---- */

/* Return: a row of the event with its unit masks, none of them marked; NULL without memory. */
static struct pmc_event_row *make_row(const struct pmc_processor *processor,
				      struct pmc_pfm_event *event)
{
	const struct pmc_pfm_table *table = event->table;
	const struct pmc_pfm_masks *masks = pmc_pfm_masks(event);
	int shared = is_shared(processor, event);
	struct pmc_unit_mask *unit_masks;
	struct pmc_event_row *row;
	size_t i;

	if (!masks || shared < 0)
		return NULL;
	/* as one piece */
	row = calloc(1, sizeof(*row) + masks->num * sizeof(*unit_masks));
	if (!row)
		return NULL;
	unit_masks = (void *)(row + 1);
	for (i = 0; i < masks->num; i++)
		unit_masks[i] = (struct pmc_unit_mask){
			.name = masks->mask[i].name,
			.text = masks->mask[i].desc,
			.bits = mask_bits(table, masks->mask[i].code),
			.preset = masks->mask[i].is_dfl,
			.combines = true,
		};
	*row = (struct pmc_event_row){
		.name = event->info.name,
		.text = event->info.desc,
		.source = table->info.desc,
		.select = event_select(table, event->info.code),
		.counters = PMC_ANY_COUNTER,
		.fixed = PMC_NO_FIXED,
		.unit_masks = unit_masks,
		.num_unit_masks = masks->num,
		.core_type = shared ? 0 : table->core_type,
	};
	return row;
}

static void free_row(struct pmc_event_row *row)
{
	free((void *)row->note);
	free(row);
}

/*
 * Whether no event is made of the row's name, as the parser says; with @mask if not NULL.
 * Without unit masks the row gets what the parser makes of it: libpfm4 can encode an event
 * otherwise than its table has it (4.13: Sandy Bridge's LAST_LEVEL_CACHE_MISSES, r012e).
 * Return: 0 or 1, or -1 without memory.
 */
static int is_refused(struct pmc_event_row *row, const char *mask)
{
	struct pmc_event *event;
	char text[512];

	snprintf(text, sizeof(text), "%s%s%s", row->name, mask ? ":" : "", mask ? mask : "");
	event = pmc_event_parse_core_type(text, row->core_type);
	if (event && !mask && !event->arch)
		row->select = pmc_event_select(event);
	pmc_event_free(event);
	if (event)
		return 0;
	return errno == ENOMEM ? -1 : errno == EOPNOTSUPP;
}

/* The last failure of the parser without the event's name. Return: 0 or -1. */
static int set_reason(struct pmc_event_row *row)
{
	const char *reason = strstr(pmc_error(), "': ");

	row->counters = 0;
	row->note = strdup(reason ? reason + 3 : pmc_error());
	return row->note ? 0 : -1;
}

/* Mark what is refused: unit masks, and the event if all are. Return: 0 or -1. */
static int annotate(struct pmc_event_row *row)
{
	struct pmc_unit_mask *masks = (void *)(row + 1);
	int refused = row->num_unit_masks ? 1 : is_refused(row, NULL), one;
	size_t i;

	if (refused < 0)
		return -1;
	for (i = 0; i < row->num_unit_masks; i++) {
		one = is_refused(row, masks[i].name);
		if (one < 0)
			return -1;
		masks[i].refused = one;
		refused &= one;
	}
	return refused ? set_reason(row) : 0;
}

const struct pmc_event_row *pmc_pfm_row(const struct pmc_processor *processor,
					struct pmc_pfm_event *event, bool annotated)
{
	void **place = annotated ? &event->annotated : &event->row;
	struct pmc_event_row *row = pmc_pfm_cache_get(place);

	if (row)
		return row;
	row = make_row(processor, event);
	if (row && !(annotated && annotate(row))) {
		if (pmc_pfm_cache_put(place, row))
			return row;
		free_row(row);
		return pmc_pfm_cache_get(place);
	}
	if (row)
		free_row(row);
	errno = ENOMEM;
	pmc_fail_errno("an event");
	return NULL;
}

/* ---- list ---- */

/* The event at the cursor, and whether it is the first table's; NULL behind the last */
static struct pmc_pfm_event *event_at(const struct pmc_processor *processor, size_t cursor,
				      bool *first)
{
	struct pmc_pfm_table *table;
	size_t i;

	for (i = 0; (table = pmc_pfm_table(processor, i)); i++) {
		*first = !i;
		if (cursor < table->num)
			return &table->event[cursor];
		cursor -= table->num;
	}
	return NULL;
}

int pmc_pfm_next(const struct pmc_processor *processor, bool annotated, size_t *cursor,
		 struct pmc_event_row *row)
{
	const struct pmc_event_row *next;
	struct pmc_pfm_event *event;
	bool first;

	do {
		event = event_at(processor, (*cursor)++, &first);
		if (!event)
			return 0;
		next = pmc_pfm_row(processor, event, annotated);
		if (!next)
			return -1;
		/* what all kinds have was told with the first one's */
	} while (!first && !next->core_type);
	*row = *next;
	return 1;
}

/* The event of a row that pmc_pfm_next() told */
static struct pmc_pfm_event *event_of(const struct pmc_processor *processor,
				      const struct pmc_event_row *row)
{
	const struct pmc_token name = { row->name, strlen(row->name) };
	struct pmc_pfm_event *event = NULL;
	struct pmc_pfm_table *table;
	size_t i;

	for (i = 0; !event && (table = pmc_pfm_table(processor, i)); i++)
		if (!row->core_type || table->core_type == row->core_type)
			event = pmc_pfm_find(table, &name);
	return event;
}

bool pmc_pfm_is_refused(const struct pmc_processor *processor, const struct pmc_event_row *row,
			size_t mask)
{
	struct pmc_pfm_event *event = event_of(processor, row);
	const struct pmc_event_row *annotated = event ? pmc_pfm_row(processor, event, true) : NULL;

	if (!annotated)
		return false;
	return mask < annotated->num_unit_masks ? annotated->unit_masks[mask].refused :
					       !annotated->counters;
}

#endif /* HAVE_LIBPFM */

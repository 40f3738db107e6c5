// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events of libpfm4 that cannot be counted: each is parsed once with each unit mask */
#include "pfm_annotate.h"

#ifdef HAVE_LIBPFM
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "parse.h"
#include "pfm_rows.h"

/*
 * Whether the parser refuses the row's event, with unit mask @mask if not NULL. Without unit
 * masks the row gets the parser's event select: libpfm4 can encode an event otherwise than
 * its table has it (4.13: Sandy Bridge's LAST_LEVEL_CACHE_MISSES, r012e).
 * Return: 0 or 1, or -1 without memory.
 */
static int is_refused(struct pmc_event_row *row, const char *mask)
{
	struct pmc_name_failure failure;
	struct pmc_event *event;
	char text[512];

	snprintf(text, sizeof(text), "%s%s%s", row->name, mask ? ":" : "", mask ? mask : "");
	event = pmc_parse(text, strlen(text), row->core_type, &failure);
	if (event && !mask && !event->arch)
		row->select = pmc_event_select(event);
	pmc_event_free(event);
	if (event)
		return 0;
	return errno == ENOMEM ? -1 : errno == EOPNOTSUPP;
}

/* Store the parser's last message without the event's name. Return: 0 or -1. */
static int set_reason(struct pmc_event_row *row)
{
	const char *reason = strstr(pmc_error(), "': ");

	row->counters = 0;
	row->note = strdup(reason ? reason + 3 : pmc_error());
	return row->note ? 0 : -1;
}

/* Mark refused unit masks, and the event if all are refused. Return: 0 or -1. */
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

const struct pmc_event_row *pmc_pfm_annotated_row(const struct pmc_processor *processor,
						  void *pfm_event)
{
	struct pmc_pfm_event *event = pfm_event;
	struct pmc_event_row *row = pmc_pfm_cache_get(&event->annotated);

	if (row)
		return row;
	row = pmc_pfm_make_row(processor, event);
	if (!row)
		return NULL;
	if (!annotate(row)) {
		if (pmc_pfm_cache_put(&event->annotated, row))
			return row;
		pmc_pfm_free_row(row);
		return pmc_pfm_cache_get(&event->annotated);
	}
	pmc_pfm_free_row(row);
	errno = ENOMEM;
	pmc_fail_errno("an event");
	return NULL;
}

/* ---- list ---- */

/* The event at the cursor, and whether the first table has it; NULL after the last */
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
		next = annotated ? pmc_pfm_annotated_row(processor, event) :
				   pmc_pfm_row(processor, event);
		if (!next)
			return -1;
		/* The first table has listed the events of all core types. */
	} while (!first && !next->core_type);
	*row = *next;
	return 1;
}

/* The event of a row of pmc_pfm_next() */
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
	const struct pmc_event_row *annotated =
		event ? pmc_pfm_annotated_row(processor, event) : NULL;

	if (!annotated)
		return false;
	return mask < annotated->num_unit_masks ? annotated->unit_masks[mask].refused :
					       !annotated->counters;
}

#else /* HAVE_LIBPFM */

const struct pmc_event_row *pmc_pfm_annotated_row(const struct pmc_processor *processor,
						  void *event)
{
	(void)processor;
	(void)event;
	return NULL;
}

int pmc_pfm_next(const struct pmc_processor *processor, bool annotated, size_t *cursor,
		 struct pmc_event_row *row)
{
	(void)processor;
	(void)annotated;
	(void)cursor;
	(void)row;
	return 0;
}

bool pmc_pfm_is_refused(const struct pmc_processor *processor, const struct pmc_event_row *row,
			size_t mask)
{
	(void)processor;
	(void)row;
	(void)mask;
	return false;
}

#endif /* HAVE_LIBPFM */

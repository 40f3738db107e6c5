// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events of the vendors' event files for one processor, sorted by name */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core_type.h"
#include "json_table.h"

void pmc_json_event_clear(struct pmc_json_event *event)
{
	free(event->name);
	free(event->text);
	free(event->warning);
	free(event->refused);
	memset(event, 0, sizeof(*event));
}

void pmc_json_table_free(struct pmc_json_table *table)
{
	size_t i;

	if (!table)
		return;
	for (i = 0; i < table->num; i++)
		pmc_json_event_clear(&table->event[i]);
	for (i = 0; i < table->num_sources; i++)
		free(table->source[i]);
	free(table->event);
	free(table->source);
	free(table);
}

int pmc_json_table_add(struct pmc_json_table *table, const struct pmc_json_event *event)
{
	size_t size = table->size ? 2 * table->size : 512;
	struct pmc_json_event *events;

	if (table->num == table->size) {
		events = realloc(table->event, size * sizeof(*events));
		if (!events)
			return -1;
		table->event = events;
		table->size = size;
	}
	table->event[table->num++] = *event;
	return 0;
}

const char *pmc_json_table_add_source(struct pmc_json_table *table, const char *source)
{
	char **sources = realloc(table->source, (table->num_sources + 1) * sizeof(*sources));

	if (!sources)
		return NULL;
	table->source = sources;
	sources[table->num_sources] = strdup(source);
	if (!sources[table->num_sources])
		return NULL;
	return sources[table->num_sources++];
}

/* ---- order of names ---- */

static int normalise(char letter)
{
	if (letter == ':')
		return '.';
	return letter == '-' ? '_' : tolower((unsigned char)letter);
}

static int compare_names(const char *a, const char *b)
{
	while (*a && normalise(*a) == normalise(*b)) {
		a++;
		b++;
	}
	return normalise(*a) - normalise(*b);
}

static int compare_events(const void *first, const void *second)
{
	const struct pmc_json_event *a = first, *b = second;
	int order = compare_names(a->name, b->name);

	if (order)
		return order;
	return (a->core_type > b->core_type) - (a->core_type < b->core_type);
}

bool pmc_json_event_equal(const struct pmc_json_event *a, const struct pmc_json_event *b)
{
	if (!a->refused != !b->refused || (a->refused && strcmp(a->refused, b->refused)))
		return false;
	return a->select == b->select && a->msr == b->msr && a->event_extra == b->event_extra &&
	       a->either == b->either && a->counters == b->counters && a->fixed == b->fixed &&
	       a->fixed_only == b->fixed_only;
}

/* ---- after reading ---- */

/* Index of the core type of an event */
static size_t core_type_index(const struct pmc_json_event *event)
{
	if (event->core_type == PMC_CORE_TYPE_CORE)
		return 1;
	return event->core_type == PMC_CORE_TYPE_ATOM ? 2 : 0;
}

/*
 * An event on all counters of the files, from 0, can be counted by all that the processor has:
 * with Hyper-Threading off it has more than some files list.
 */
static void clear_all_counters(struct pmc_json_table *table)
{
	uint64_t all[3] = { 0 }, counters;
	size_t i;

	for (i = 0; i < table->num; i++)
		all[core_type_index(&table->event[i])] |= table->event[i].counters;
	for (i = 0; i < table->num; i++) {
		counters = all[core_type_index(&table->event[i])];
		if (table->event[i].counters == counters && !(counters & (counters + 1)))
			table->event[i].counters = 0;
	}
}

static int refuse_repeated(struct pmc_json_event *event)
{
	free(event->refused);
	event->refused = strdup("the event files define it twice, with different encodings");
	return event->refused ? 0 : -1;
}

static int remove_repeated(struct pmc_json_table *table)
{
	struct pmc_json_event *kept = table->event, *next;
	int result = 0;

	if (!table->num)
		return 0;
	for (next = kept + 1; next < table->event + table->num; next++) {
		if (compare_events(kept, next)) {
			*++kept = *next;
			continue;
		}
		if (!pmc_json_event_equal(kept, next) && refuse_repeated(kept))
			result = -1;
		pmc_json_event_clear(next);
	}
	table->num = kept - table->event + 1;
	return result;
}

int pmc_json_table_sort(struct pmc_json_table *table)
{
	clear_all_counters(table);
	if (table->num)
		qsort(table->event, table->num, sizeof(*table->event), compare_events);
	return remove_repeated(table);
}

/* ---- look-up ---- */

static int compare_key(const void *name, const void *event)
{
	return compare_names(name, ((const struct pmc_json_event *)event)->name);
}

size_t pmc_json_table_find(const struct pmc_json_table *table, const char *name,
			   const struct pmc_json_event **first)
{
	const struct pmc_json_event *end = table->event + table->num, *event, *last;

	event = table->num ? bsearch(name, table->event, table->num, sizeof(*event),
				     compare_key) : NULL;
	if (!event)
		return 0;
	last = event;
	while (event > table->event && !compare_names(name, event[-1].name))
		event--;
	while (last + 1 < end && !compare_names(name, last[1].name))
		last++;
	*first = event;
	return last - event + 1;
}

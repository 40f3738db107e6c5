/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of the vendors' event files for one processor, sorted by name */
#ifndef PMC_JSON_TABLE_H
#define PMC_JSON_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* struct pmc_json_event.fixed: general counters count it */
#define JSON_NO_FIXED	(-1)

/*
 * @text: what it counts
 * @warning: deprecation, errata and restrictions, or NULL
 * @refused: why the driver cannot count it, or NULL
 * @source: its file, which the table owns
 * @select: without modes; for a fixed counter only the bits of modifiers
 * @msr: number of the extra register that it needs, or 0
 * @event_extra: value of that register
 * @either: with the first register of offcore response: the second will do as well
 * @counters: the general counters that can count it; 0: all
 * @period: SampleAfterValue, or 0
 * @fixed: number of its fixed counter, or JSON_NO_FIXED
 * @fixed_only: with @fixed: no general counter counts the same
 * @core_type: as struct pmc_query.core_type without model; 0 if the file has none
 */
struct pmc_json_event {
	char *name;
	char *text;
	char *warning;
	char *refused;
	const char *source;
	uint64_t select;
	uint32_t msr;
	uint64_t event_extra;
	bool either;
	uint64_t counters;
	uint64_t period;
	int fixed;
	bool fixed_only;
	uint32_t core_type;
};

/*
 * @event: sorted by name after pmc_json_table_sort()
 * @source: texts of struct pmc_json_event.source
 * @num_other: events of units outside of the cores, which were left out
 */
struct pmc_json_table {
	struct pmc_json_event *event;
	size_t num;
	size_t size;
	char **source;
	size_t num_sources;
	size_t num_other;
};

/* The table takes the texts of @event. Return: 0, or -1 with errno ENOMEM. */
int pmc_json_table_add(struct pmc_json_table *table, const struct pmc_json_event *event);

/* Return: the table's copy of @source, or NULL with errno ENOMEM. */
const char *pmc_json_table_add_source(struct pmc_json_table *table, const char *source);

/*
 * Sort by name, remove repeated events, and set the counters of those that all counters can
 * count to 0. Events with one name and different encodings become refused ones.
 * Return: 0, or -1 with errno ENOMEM.
 */
int pmc_json_table_sort(struct pmc_json_table *table);

/*
 * The events of a name, one for each core type; '.' and ':' are equivalent, and '-' and '_'.
 * This is a binary search. Return: their number; @first: the first of them.
 */
size_t pmc_json_table_find(const struct pmc_json_table *table, const char *name,
			   const struct pmc_json_event **first);

/* Whether two events count the same */
bool pmc_json_event_equal(const struct pmc_json_event *a, const struct pmc_json_event *b);

/* Release the texts of an event, and all of a table. @table: may be NULL */
void pmc_json_event_clear(struct pmc_json_event *event);
void pmc_json_table_free(struct pmc_json_table *table);

#endif /* PMC_JSON_TABLE_H */

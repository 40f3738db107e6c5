/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event tables of the documents, tables/ */
#ifndef PMC_EVENT_TABLE_H
#define PMC_EVENT_TABLE_H

#include "event.h"
#include "lex.h"

/*
 * The next event of the processor's table. Begin with *@cursor 0.
 * Return: false after the last one.
 */
bool pmc_event_table_next(const struct pmc_processor *processor, size_t *cursor,
			  struct pmc_event_row *row);

/* The event of that name */
bool pmc_event_table_find(const struct pmc_processor *processor, const struct pmc_token *name,
			  struct pmc_event_row *row);

/*
 * The event select of a row without a unit mask: a duration of the Pentium is counted in
 * clocks. @row->select is the number alone.
 */
uint64_t pmc_event_table_select(const struct pmc_processor *processor,
				const struct pmc_event_row *row);

/* The PMC_EVENT_TYPE_* of an event select, PMC_EVENT_TYPE_UNKNOWN if no table has it */
uint32_t pmc_event_table_type(const struct pmc_processor *processor, uint64_t select,
			      uint64_t counters);

/*
 * General counters that can count some event with this number.
 * Return: 0 if the table has none.
 */
uint64_t pmc_event_table_counters(const struct pmc_processor *processor, uint64_t number);

/*
 * Refuse an event that is given as a code without a counter if the code is a different event
 * on the other counter.
 * Return: 0, or -1 after pmc_fail().
 */
int pmc_event_table_check_code(const struct pmc_processor *processor,
			       const struct pmc_event *event);

#endif /* PMC_EVENT_TABLE_H */

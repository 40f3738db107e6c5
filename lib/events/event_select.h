/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fields of an event select, in each layout */
#ifndef PMC_EVENT_SELECT_H
#define PMC_EVENT_SELECT_H

#include "processor.h"
#include "lex.h"

/*
 * @term: of cpu/TERM,.../, or NULL if the caller may not set the field
 * @name: in messages
 * @low, @bits: position
 * @high_low, @high_bits: position of its highest bits if they are separate
 */
struct pmc_field {
	const char *term;
	const char *name;
	unsigned int low;
	unsigned int bits;
	unsigned int high_low;
	unsigned int high_bits;
};

/* The field of @term, or NULL if the layout has none */
const struct pmc_field *pmc_field_find(enum pmc_layout layout, const struct pmc_token *term);

/* The terms of the layout, such as "event=, umask= and edge" */
void pmc_field_list(enum pmc_layout layout, char *text, size_t size);

/* All bits of a field */
uint64_t pmc_field_mask(const struct pmc_field *field);

/* The maximum value of a field */
uint64_t pmc_field_max(const struct pmc_field *field);

/* The bits of @value at the position of a field */
uint64_t pmc_field_encode(const struct pmc_field *field, uint64_t value);

/* The event number of an event select: key of the event tables */
uint64_t pmc_event_select_number(enum pmc_layout layout, uint64_t select);

/* The names of the fields that contain @bits */
void pmc_event_select_name_bits(enum pmc_layout layout, uint64_t bits, char *text, size_t size);

#endif /* PMC_EVENT_SELECT_H */

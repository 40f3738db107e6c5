/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fields of an event select, in each layout */
#ifndef PMC_EVENT_SELECT_H
#define PMC_EVENT_SELECT_H

#include "processor.h"
#include "lex.h"

/*
 * A field that a caller may set, or one that has a name in messages. Its highest
 * @high_bits bits are not above the others, but at @high_low.
 */
struct pmc_field {
	const char *term;
	const char *name;
	unsigned int low;
	unsigned int bits;
	unsigned int high_low;
	unsigned int high_bits;
};

/* The field that cpu/TERM,.../ calls @term; NULL if the layout has none such */
const struct pmc_field *pmc_field_find(enum pmc_layout layout, const struct pmc_token *term);

/* The terms that the layout has, such as "event=, umask= and edge" */
void pmc_field_list(enum pmc_layout layout, char *text, size_t size);

uint64_t pmc_field_mask(const struct pmc_field *field);

/* The greatest value that it can have */
uint64_t pmc_field_max(const struct pmc_field *field);

/* Where @value stands in it */
uint64_t pmc_field_encode(const struct pmc_field *field, uint64_t value);

/* The event number of a select: what the tables of events go by */
uint64_t pmc_event_select_number(enum pmc_layout layout, uint64_t select);

/* Name the fields that @bits touch. */
void pmc_event_select_name_bits(enum pmc_layout layout, uint64_t bits, char *text, size_t size);

#endif /* PMC_EVENT_SELECT_H */

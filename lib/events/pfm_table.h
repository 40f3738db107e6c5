/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libpfm4's tables of this processor, one for each kind of core; for pfm*.c alone */
#ifndef PMC_PFM_TABLE_H
#define PMC_PFM_TABLE_H

#include <perfmon/pfmlib.h>

#include "internal.h"
#include "lex.h"

#define PFM_CODES_MAX	8

/* A table for each kind of core */
#define PFM_TABLES_MAX	2

/* The unit masks of an event */
struct pmc_pfm_masks {
	size_t num;
	pfm_event_attr_info_t mask[];
};

/*
 * An event, and what was asked of it so far: libpfm4 goes through all attributes to tell
 * an event's name, or one of them.
 * @masks: struct pmc_pfm_masks, NULL as long as nobody has asked
 * @row: struct pmc_event_row for lists, likewise
 * @annotated: the same with marks on what is refused, likewise
 */
struct pmc_pfm_event {
	const struct pmc_pfm_table *table;
	pfm_event_info_t info;
	void *masks;
	void *row;
	void *annotated;
};

/*
 * @core_type: of core, 0 where it is for all cores of a processor
 * @event: all of them; NULL if there was no memory
 */
struct pmc_pfm_table {
	pfm_pmu_info_t info;
	uint32_t core_type;
	struct pmc_pfm_event *event;
	size_t num;
};

/*
 * The tables to look names up in: one, or of a processor with several kinds of core those
 * of processor->kind, or of every kind with 0.
 * Return: the n-th, or NULL behind the last.
 */
struct pmc_pfm_table *pmc_pfm_table(const struct pmc_processor *processor, size_t n);

/* The layout that the table's events are encoded in */
enum pmc_layout pmc_pfm_layout(const struct pmc_pfm_table *table);

/* Return: NULL if there is no such event. */
struct pmc_pfm_event *pmc_pfm_find(struct pmc_pfm_table *table, const struct pmc_token *name);

/* Return: the unit masks of an event, or NULL after pmc_fail() without memory. */
const struct pmc_pfm_masks *pmc_pfm_masks(struct pmc_pfm_event *event);

const pfm_event_attr_info_t *pmc_pfm_find_mask(const struct pmc_pfm_masks *masks,
					       const struct pmc_token *token);

/*
 * What another thread may be making too; the first one stays.
 * Return: what is at @slot, or NULL; whether @object is there now.
 */
void *pmc_pfm_cache_get(void **slot);
bool pmc_pfm_cache_put(void **slot, void *object);

/* Return: libpfm4's codes for "TABLE::EVENT:MASK...", or its error. */
int pmc_pfm_codes(const char *text, uint64_t *codes, int *num_codes);

/* ---- pfm_rows.c ---- */

/* Return: the event's row, with marks if wanted; NULL after pmc_fail() without memory. */
const struct pmc_event_row *pmc_pfm_row(const struct pmc_processor *processor,
					struct pmc_pfm_event *event, bool annotated);

#endif /* PMC_PFM_TABLE_H */

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libpfm4's tables of this processor, one for each core type; for pfm*.c only */
#ifndef PMC_PFM_TABLE_H
#define PMC_PFM_TABLE_H

#include <perfmon/pfmlib.h>

#include "lex.h"
#include "libpmcevents.h"
#include "processor.h"

#define PFM_CODES_MAX	8

/* One for each core type */
#define PFM_TABLES_MAX	2

/* The unit masks of an event */
struct pmc_pfm_masks {
	size_t num;
	pfm_event_attr_info_t mask[];
};

/*
 * An event and the cached results of libpfm4's searches, each NULL until its first use
 * @masks: struct pmc_pfm_masks
 * @row: struct pmc_event_row of pmc_pfm_row()
 * @annotated: struct pmc_event_row of pmc_pfm_annotated_row()
 */
struct pmc_pfm_event {
	const struct pmc_pfm_table *table;
	pfm_event_info_t info;
	void *masks;
	void *row;
	void *annotated;
};

/*
 * @core_type: 0 if the table is for all cores of a processor
 * @event: all events; NULL without memory
 */
struct pmc_pfm_table {
	pfm_pmu_info_t info;
	uint32_t core_type;
	struct pmc_pfm_event *event;
	size_t num;
};

/*
 * The tables of the processor: one; on a hybrid processor that of processor->core_type, or
 * with 0 one for each core type.
 * Return: the n-th, or NULL after the last.
 */
struct pmc_pfm_table *pmc_pfm_table(const struct pmc_processor *processor, size_t n);

/* The first table that libpfm4 has for the processor, or for LIBPFM_FORCE_PMU; or NULL */
const struct pmc_pfm_table *pmc_pfm_first_table(void);

/* The layout that the table's events are encoded in */
enum pmc_layout pmc_pfm_layout(const struct pmc_pfm_table *table);

/* Return: NULL if there is no such event. */
struct pmc_pfm_event *pmc_pfm_find(struct pmc_pfm_table *table, const struct pmc_token *name);

/* Return: the unit masks of an event, or NULL after pmc_fail() without memory. */
const struct pmc_pfm_masks *pmc_pfm_masks(struct pmc_pfm_event *event);

const pfm_event_attr_info_t *pmc_pfm_find_mask(const struct pmc_pfm_masks *masks,
					       const struct pmc_token *token);

/* Return: the object at @slot, or NULL. */
void *pmc_pfm_cache_get(void **slot);

/*
 * Store @object if @slot is empty: two threads may fill it at the same time.
 * Return: whether it was stored.
 */
bool pmc_pfm_cache_put(void **slot, void *object);

/* Return: libpfm4's codes for "TABLE::EVENT:MASK...", or its error. */
int pmc_pfm_codes(const char *text, uint64_t *codes, int *num_codes);

#endif /* PMC_PFM_TABLE_H */

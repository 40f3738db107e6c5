/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events of libpfm4, for processors that lib/events has no table of */
#ifndef PMC_PFM_H
#define PMC_PFM_H

#include "libpmcdrv.h"
#include "processor.h"
#include "lex.h"

/* Why there are no names, as a sentence that tells what to do; NULL if there are */
const char *pmc_pfm_unavailable_reason(const struct pmc_processor *processor);

/*
 * What a name stands for.
 * @select: event select, without privilege levels, enable and interrupt
 * @core_type: the kind of core that it is good for, 0 for all that the processor has
 */
struct pmc_pfm_code {
	uint64_t select;
	uint32_t core_type;
};

/*
 * Encode an event, for processor->kind, or with 0 for every kind of core that has it. What
 * is not the same on all that have it is refused.
 * @unit_masks: its unit masks
 * Return: 0; 1 if there is no such event; or -1 after pmc_fail().
 */
int pmc_pfm_encode(const struct pmc_processor *processor, const char *whole,
		   const struct pmc_token *name, const struct pmc_token *unit_masks, size_t num_unit_masks,
		   struct pmc_pfm_code *code);

/*
 * The next event, of all kinds of core or of processor->kind. Begin with *@cursor 0.
 * @annotated: unit masks that are refused are marked, and an event that cannot be counted has
 *	no counters, and a note that tells why; that takes its time. Else all look as if
 *	they could be counted.
 * Return: 1; 0 after the last one; -1 with errno ENOMEM.
 */
int pmc_pfm_next(const struct pmc_processor *processor, bool annotated, size_t *cursor,
		 struct pmc_event_row *row);

/*
 * Whether an event cannot be counted, whatever its unit mask is, or not with one of them.
 * @mask: its index, or SIZE_MAX for the event
 */
bool pmc_pfm_is_refused(const struct pmc_processor *processor, const struct pmc_event_row *row,
			size_t mask);

#endif /* PMC_PFM_H */

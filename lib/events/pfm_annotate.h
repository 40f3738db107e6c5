/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of libpfm4 that cannot be counted */
#ifndef PMC_PFM_ANNOTATE_H
#define PMC_PFM_ANNOTATE_H

#include "libpmcevents.h"
#include "processor.h"

/*
 * The row of an event. Refused unit masks are marked; an event that cannot be counted has no
 * counters and a note with the reason. This parses the event once with each unit mask.
 * @event: struct pmc_pfm_event
 * Return: NULL after pmc_fail() without memory.
 */
const struct pmc_event_row *pmc_pfm_annotated_row(const struct pmc_processor *processor,
						  void *event);

/*
 * The next event of all core types, or of processor->core_type. Begin with *@cursor 0.
 * @annotated: as pmc_pfm_annotated_row(); else as pmc_pfm_row()
 * Return: 1; 0 after the last event; -1 with errno ENOMEM.
 */
int pmc_pfm_next(const struct pmc_processor *processor, bool annotated, size_t *cursor,
		 struct pmc_event_row *row);

/* Whether an event cannot be counted; or not with unit mask @mask, unless SIZE_MAX */
bool pmc_pfm_is_refused(const struct pmc_processor *processor, const struct pmc_event_row *row,
			size_t mask);

#endif /* PMC_PFM_ANNOTATE_H */

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the name of an event to its event select */
#ifndef PMC_RESOLVE_H
#define PMC_RESOLVE_H

#include "internal.h"
#include "words.h"

/*
 * Fill what the event's name and unit masks stand for: arch, select, counters,
 * demand. event->name and event->layout are there already.
 * Return: 0 or -1 after pmc_fail().
 */
int pmc_resolve(struct pmc_event *event, const struct pmc_processor *processor,
		const struct pmc_word *name, const struct pmc_word *masks, size_t num_masks);

/* Why names may be missing, as a sentence that tells what to do, or NULL */
const char *pmc_names_missing(const struct pmc_processor *processor);

#endif /* PMC_RESOLVE_H */

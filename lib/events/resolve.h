/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the name of an event to its event select */
#ifndef PMC_RESOLVE_H
#define PMC_RESOLVE_H

#include "internal.h"
#include "lex.h"

/*
 * Fill what the event's name and unit masks stand for: arch, select, counters,
 * demand. event->name and event->layout are there already.
 * Return: 0 or -1 after pmc_fail().
 */
int pmc_resolve(struct pmc_event *event, const struct pmc_processor *processor,
		const struct pmc_token *name, const struct pmc_token *masks, size_t num_masks);

/* Whether the parser takes the name for one of ours, not of libpfm4's */
bool pmc_resolve_is_builtin(const struct pmc_processor *processor, const char *name);

/*
 * What an architectural name that the parser takes stands for, on a processor without such
 * events: its own name for it if the parser takes that, too, else what is counted
 */
const char *pmc_generic_text(const struct pmc_processor *processor,
			     const struct pmc_arch_event *arch);

/* Why names may be missing, as a sentence that tells what to do, or NULL */
const char *pmc_names_incomplete_reason(const struct pmc_processor *processor);

#endif /* PMC_RESOLVE_H */

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find the event select of the name of an event */
#ifndef PMC_RESOLVE_H
#define PMC_RESOLVE_H

#include "event.h"
#include "lex.h"
#include "pfm.h"

/*
 * Look up a name and its unit masks, and set event->arch, select, counters, core_type and
 * placement. event->name and event->layout are set already.
 * Return: 0, or -1 with errno, and a message or @failure.
 */
int pmc_resolve(struct pmc_event *event, const struct pmc_processor *processor,
		const struct pmc_token *name, const struct pmc_token *masks, size_t num_masks,
		struct pmc_name_failure *failure);

/* Whether a built-in table has the name; then no source of names is used for it. */
bool pmc_resolve_is_builtin(const struct pmc_processor *processor, const char *name);

/* Whether @name is an architectural name of an event that this processor has */
bool pmc_resolve_is_arch(const struct pmc_processor *processor, const char *name);

/*
 * The meaning of an architectural name on a processor without architectural events: the
 * processor's own name if the parser accepts it, else what is counted.
 */
const char *pmc_generic_text(const struct pmc_processor *processor,
			     const struct pmc_arch_event *arch);

/* Why names may be missing, as a sentence with what to do, or NULL */
const char *pmc_names_incomplete_reason(const struct pmc_processor *processor);

#endif /* PMC_RESOLVE_H */

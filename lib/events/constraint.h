/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which general counters can count an event */
#ifndef PMC_CONSTRAINT_H
#define PMC_CONSTRAINT_H

#include "processor.h"
#include "lex.h"

/*
 * General counters that can count what @select says, PMC_ANY_COUNTER if no table
 * has a restriction for it.
 */
uint64_t pmc_constraint(const struct pmc_processor *processor, uint64_t select);

/* If none can, why; NULL if nothing is known of that. */
const char *pmc_constraint_reason(const struct pmc_processor *processor, uint64_t select);

/*
 * Why no core counts what others call so; NULL if that is not known of the name. For names
 * that no event has here.
 */
const char *pmc_constraint_uncore_reason(const struct pmc_processor *processor,
				  const struct pmc_token *name);

#endif /* PMC_CONSTRAINT_H */

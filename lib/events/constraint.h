/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which general counters can count an event */
#ifndef PMC_CONSTRAINT_H
#define PMC_CONSTRAINT_H

#include "processor.h"
#include "lex.h"

/*
 * General counters that can count @select; PMC_ANY_COUNTER if no table restricts it
 */
uint64_t pmc_constraint(const struct pmc_processor *processor, uint64_t select);

/* Why no counter can count @select; NULL if unknown */
const char *pmc_constraint_reason(const struct pmc_processor *processor, uint64_t select);

/*
 * Why the unknown name @name belongs to events outside the core (uncore); NULL if it does not
 */
const char *pmc_constraint_uncore_reason(const struct pmc_processor *processor,
					 const struct pmc_token *name);

#endif /* PMC_CONSTRAINT_H */

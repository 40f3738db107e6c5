/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which general counters can count an event */
#ifndef PMC_CONSTRAINT_H
#define PMC_CONSTRAINT_H

#include "processor.h"

/*
 * General counters that can count what @select says, PMC_ANY_COUNTER if no table
 * has a restriction for it.
 */
uint64_t pmc_constraint(const struct pmc_processor *processor, uint64_t select);

/* If none can, why; NULL if nothing is known of that. */
const char *pmc_constraint_reason(const struct pmc_processor *processor, uint64_t select);

#endif /* PMC_CONSTRAINT_H */

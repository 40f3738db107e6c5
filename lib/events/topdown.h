/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of topdown analysis by their names in perf */
#ifndef PMC_TOPDOWN_H
#define PMC_TOPDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lex.h"
#include "processor.h"

/* @warning: NULL, or that perf multiplies the count */
struct pmc_topdown {
	const char *name;
	uint64_t select;
	const char *text;
	const char *warning;
};

/* The next event of the processor, or NULL. *@cursor begins with 0. */
const struct pmc_topdown *pmc_topdown_next(const struct pmc_processor *processor, size_t *cursor);

/* The event of the processor with this name, or NULL */
const struct pmc_topdown *pmc_topdown_find(const struct pmc_processor *processor,
					   const struct pmc_token *name);

/* The field of the performance metrics with this name, whatever the processor; or -1 */
int pmc_topdown_find_field(const struct pmc_token *name);

/*
 * The field of the performance metrics with this name on a processor that has them, by CPUID;
 * or -1.
 */
int pmc_topdown_field(const struct pmc_processor *processor, const struct pmc_token *name);

#endif /* PMC_TOPDOWN_H */

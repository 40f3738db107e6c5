/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The generic event names of Linux's perf, tables/perf-names.def */
#ifndef PMC_PERF_NAMES_H
#define PMC_PERF_NAMES_H

#include "event.h"
#include "lex.h"

/*
 * Set event->select, counters and core_type.
 * Return: 0; 1 if it is not a name that perf has on this processor; or -1 after pmc_fail().
 */
int pmc_perf_name_find(struct pmc_event *event, const struct pmc_processor *processor,
		       const struct pmc_token *name);

/*
 * Whether pmc_perf_name_find() refuses a name of perf because this processor lacks it. False if
 * perf has no names for this processor.
 * @needs: registers that perf sets for it here, and why they are not set; or NULL
 */
bool pmc_perf_name_lacking(const struct pmc_processor *processor, const struct pmc_token *name,
			   const char **needs);

/*
 * The next name that pmc_perf_name_find() accepts, for processor->core_type. Begin with
 * *@cursor 0. Return: false after the last one.
 */
bool pmc_perf_name_next(const struct pmc_processor *processor, size_t *cursor,
			struct pmc_event_row *row);

#endif /* PMC_PERF_NAMES_H */

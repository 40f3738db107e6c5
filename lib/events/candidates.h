/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which counters of a CPU can count an event */
#ifndef PMC_CANDIDATES_H
#define PMC_CANDIDATES_H

#include "event.h"
#include "info.h"

/*
 * Counters of @info that can count @event, as masks. If no counter accepts the bits of the
 * event select, all others remain: the driver then reports the refused bits.
 * Return: 0, or -1 after pmc_fail().
 */
int pmc_find_candidates(const struct pmc_info *info, const struct pmc_event *event,
			uint64_t *allowed, uint64_t *preferred);

/* The names of a set of counters */
void pmc_counter_list_text(const struct pmc_info *info, uint64_t counters, char *text,
			   size_t size);

/* Counters of @info without a holder */
uint64_t pmc_info_unheld(const struct pmc_info *info);

#endif /* PMC_CANDIDATES_H */

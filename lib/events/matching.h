/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bipartite matching of events and counters */
#ifndef PMC_MATCHING_H
#define PMC_MATCHING_H

#include "info.h"

/*
 * Counters are indices of struct pmc_info; sets of counters are masks.
 * @allowed: counters that can count the event
 * @preferred: those of @allowed to try first
 * @counter: the counter of each event
 * @owner: the event on each counter, or -1
 */
struct pmc_matching {
	size_t num_events;
	uint64_t allowed[PMC_COUNTERS_MAX];
	uint64_t preferred[PMC_COUNTERS_MAX];
	uint8_t counter[PMC_COUNTERS_MAX];
	int8_t owner[INFO_COUNTERS_MAX];
};

void pmc_matching_init(struct pmc_matching *match);

/*
 * Place one more event on one of @usable; others may move.
 * Return: false if no assignment exists; then nothing has changed, and *@tried is the set of
 * counters that the search visited: all are taken by other events.
 */
bool pmc_matching_add(struct pmc_matching *match, uint64_t allowed, uint64_t preferred,
		      uint64_t usable, uint64_t *tried);

#endif /* PMC_MATCHING_H */

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Bipartite matching of events and counters: one augmenting path for each new event (Kuhn's
 * algorithm). It fails only if no assignment of all events exists.
 */
#include <string.h>

#include "matching.h"

void pmc_matching_init(struct pmc_matching *match)
{
	memset(match, 0, sizeof(*match));
	memset(match->owner, -1, sizeof(match->owner));
}

static bool assign_unused(struct pmc_matching *match, size_t event, uint64_t counters)
{
	unsigned int i;

	for (i = 0; i < INFO_COUNTERS_MAX; i++)
		if (counters >> i & 1 && match->owner[i] < 0) {
			match->owner[i] = event;
			match->counter[event] = i;
			return true;
		}
	return false;
}

/* @tried: counters that the search has visited */
static bool augment(struct pmc_matching *match, size_t event, uint64_t usable, uint64_t *tried)
{
	uint64_t allowed = match->allowed[event] & usable;
	unsigned int i;

	if (assign_unused(match, event, allowed & match->preferred[event]) ||
	    assign_unused(match, event, allowed))
		return true;
	for (i = 0; i < INFO_COUNTERS_MAX; i++) {
		if (!((allowed & ~*tried) >> i & 1))
			continue;
		*tried |= 1ULL << i;
		if (augment(match, match->owner[i], usable, tried)) {
			match->owner[i] = event;
			match->counter[event] = i;
			return true;
		}
	}
	return false;
}

bool pmc_matching_add(struct pmc_matching *match, uint64_t allowed, uint64_t preferred,
		      uint64_t usable, uint64_t *tried)
{
	size_t event = match->num_events;

	match->allowed[event] = allowed;
	match->preferred[event] = preferred;
	*tried = 0;
	if (!augment(match, event, usable, tried))
		return false;
	match->num_events++;
	return true;
}

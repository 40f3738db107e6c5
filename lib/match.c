// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Place events on counters: a maximum matching, one augmenting path for each
 * new event (Kuhn's algorithm). It fails only if there is no placement of all.
 */
#include <string.h>

#include "internal.h"

void pmc_match_init(struct pmc_match *match)
{
	memset(match, 0, sizeof(*match));
	memset(match->owner, -1, sizeof(match->owner));
}

static bool take_vacant(struct pmc_match *match, size_t event, uint64_t counters)
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

/* @tried: counters that the search has come to; grows */
static bool place(struct pmc_match *match, size_t event, uint64_t usable, uint64_t *tried)
{
	uint64_t allowed = match->allowed[event] & usable;
	unsigned int i;

	if (take_vacant(match, event, allowed & match->preferred[event]) ||
	    take_vacant(match, event, allowed))
		return true;
	for (i = 0; i < INFO_COUNTERS_MAX; i++) {
		if (!((allowed & ~*tried) >> i & 1))
			continue;
		*tried |= 1ULL << i;
		if (place(match, match->owner[i], usable, tried)) {
			match->owner[i] = event;
			match->counter[event] = i;
			return true;
		}
	}
	return false;
}

bool pmc_match_add(struct pmc_match *match, uint64_t allowed, uint64_t preferred,
		   uint64_t usable, uint64_t *tried)
{
	size_t event = match->num_events;

	match->allowed[event] = allowed;
	match->preferred[event] = preferred;
	*tried = 0;
	if (!place(match, event, usable, tried))
		return false;
	match->num_events++;
	return true;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* The events of a context, placed on counters */
#include <string.h>

#include "event_set.h"
#include "netburst.h"

uint32_t pmc_event_set_counter_of(const struct pmc_event_set *set, size_t index)
{
	return set->info->counter[set->match.counter[index]].counter;
}

static bool place_netburst(struct pmc_event_set *set, uint64_t usable)
{
	const struct pmc_event *events[PMC_COUNTERS_MAX];
	struct pmc_matching *match = &set->match;
	uint8_t counter[PMC_COUNTERS_MAX];
	size_t i;

	for (i = 0; i < match->num_events; i++)
		events[i] = &set->event[i];
	if (!pmc_netburst_place(set->info, events, match->allowed, match->num_events, usable,
				counter))
		return false;
	memcpy(match->counter, counter, sizeof(match->counter));
	return true;
}

bool pmc_event_set_place(struct pmc_event_set *set, uint64_t usable)
{
	const struct pmc_matching *old = &set->match;
	struct pmc_matching match;
	uint64_t tried;
	size_t i;

	if (set->event[0].layout == PMC_LAYOUT_NETBURST)
		return place_netburst(set, usable);
	pmc_matching_init(&match);
	for (i = 0; i < old->num_events; i++)
		if (!pmc_matching_add(&match, old->allowed[i], old->preferred[i], usable, &tried))
			return false;
	set->match = match;
	return true;
}

void pmc_event_set_apply(const struct pmc_event_set *set, struct pmc_context *context)
{
	struct pmc_counter_config counters[PMC_COUNTERS_MAX];
	const struct pmc_event *event = set->event;
	uint32_t counter;
	size_t i;

	for (i = 0; i < set->match.num_events; i++, event++) {
		counter = pmc_event_set_counter_of(set, i);
		counters[i] = (struct pmc_counter_config){
			.counter = counter,
			.flags = event->modes,
			.event_select = pmc_event_select_on(event, counter),
			.event_extra = event->event_extra,
			.initial = event->initial,
			.period = event->period,
		};
	}
	pmc_context_set_counters(context, counters, set->match.num_events);
}

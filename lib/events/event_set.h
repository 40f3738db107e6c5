/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events of a context, placed on counters */
#ifndef PMC_EVENT_SET_H
#define PMC_EVENT_SET_H

#include "context.h"
#include "event.h"
#include "info.h"
#include "matching.h"

/*
 * @placer: the context's; first member
 * @info: the CPU, or what all CPUs of the scope have in common
 * @refused: mask of indices of @info: counters that the driver refused to the last
 *	pmc_context_configure(); @info has their holders
 * @match: counters of @event
 */
struct pmc_event_set {
	struct pmc_placer placer;
	struct pmc_info *info;
	uint64_t refused;
	struct pmc_matching match;
	struct pmc_event event[PMC_COUNTERS_MAX];
};

/* Return: NULL if the context has no events. */
static inline struct pmc_event_set *pmc_event_set_of(const struct pmc_context *context)
{
	return (struct pmc_event_set *)context->placer;
}

/* The counter of an event */
uint32_t pmc_event_set_counter_of(const struct pmc_event_set *set, size_t index);

/* Place all events again, on @usable counters. Return: whether they fit. */
bool pmc_event_set_place(struct pmc_event_set *set, uint64_t usable);

/* Store the counters of all events in the context. */
void pmc_event_set_apply(const struct pmc_event_set *set, struct pmc_context *context);

#endif /* PMC_EVENT_SET_H */

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters that other contexts or the kernel hold */
#ifndef PMC_HOLDER_H
#define PMC_HOLDER_H

#include "event_set.h"

/* The driver refused a counter: place the events on others. Return: whether they fit. */
bool pmc_place_around_holder(struct pmc_event_set *set, const struct pmc_holder *holder);

/* The message of EBUSY. Return: -1. */
int pmc_fail_held(const struct pmc_event_set *set, const struct pmc_holder *holder);

/* Only the excluded @counters could count @event. Return: -1. */
int pmc_fail_event_held(const struct pmc_info *info, const struct pmc_event *event,
			uint64_t counters);

#endif /* PMC_HOLDER_H */

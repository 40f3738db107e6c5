/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of the events of a processor */
#ifndef PMC_EVENT_LIST_H
#define PMC_EVENT_LIST_H

#include "libpmcevents.h"

/*
 * A quick pmc_event_list_get_core_type(): no unit mask is marked as refused, and all events
 * have counters.
 */
struct pmc_event_list *pmc_event_list_names(uint32_t core_type);

/* Whether an event of that list is refused; or its unit mask @mask, unless SIZE_MAX */
bool pmc_event_list_is_refused(const struct pmc_event_list *list,
			       const struct pmc_event_row *row, size_t mask);

#endif /* PMC_EVENT_LIST_H */

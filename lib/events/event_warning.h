/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Warnings for codes that the documents of the processor reserve or do not list */
#ifndef PMC_EVENT_WARNING_H
#define PMC_EVENT_WARNING_H

#include "event.h"

/* The warning for an event select, as pmc_event_warning() returns it, or NULL */
const char *pmc_event_select_warning(const struct pmc_processor *processor, uint64_t select);

#endif /* PMC_EVENT_WARNING_H */

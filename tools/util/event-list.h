/* SPDX-License-Identifier: GPL-2.0-only */
/* Collect and parse the event lists of -e */
#ifndef UTIL_EVENT_LIST_H
#define UTIL_EVENT_LIST_H

#include <stddef.h>
#include <stdint.h>

struct pmc_event;

/*
 * Append the list of an -e to *@lists, which is NULL at first. The names are parsed later: what
 * they mean depends on options that may follow.
 * Return: 0, or EXIT_TROUBLE after a message.
 */
int event_list_append(char **lists, const char *list);

/*
 * Parse a list and add its events after the first *@num of @event, which has room for
 * PMC_COUNTERS_MAX. The warning of an event is printed, once for equal events.
 * @core_type: the core type that they are for, 0 for all
 * Return: 0, or EXIT_TROUBLE after a message.
 */
int event_list_add(struct pmc_event **event, size_t *num, const char *list, uint32_t core_type);

/* Print pmc_event_warning() of an event, if it has one. */
void event_report_warning(const struct pmc_event *event);

void event_list_free(struct pmc_event **event, size_t *num);

#endif /* UTIL_EVENT_LIST_H */

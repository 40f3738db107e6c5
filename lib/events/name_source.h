/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sources of event names besides the architectural names and the tables of the documents */
#ifndef PMC_NAME_SOURCE_H
#define PMC_NAME_SOURCE_H

#include "event.h"
#include "pfm.h"

/*
 * @find: as pmc_resolve(). Return: 0; 1 if the source does not have the name, without any
 *	change of @failure; or -1 with errno, and a message or @failure.
 * @next: the next event. Begin with *@cursor 0. @annotated: refused unit masks are marked, and
 *	a refused event has no counters and a note; else the caller asks @is_refused for a few.
 *	Return: 1; 0 after the last event; -1 with errno ENOMEM, or EBADMSG and a message.
 * @is_refused: whether an event of @next cannot be counted; or not with unit mask @mask,
 *	unless SIZE_MAX
 * @annotated: the row of failure->event. Return: NULL after pmc_fail() without memory.
 * @unavailable: why there are no names, as a sentence; NULL if there are
 *
 * Functions other than @find can be NULL: a source that lists nothing.
 */
struct pmc_name_source {
	int (*find)(struct pmc_event *event, const struct pmc_processor *processor,
		    const struct pmc_token *name, const struct pmc_token *masks, size_t num_masks,
		    struct pmc_name_failure *failure);
	int (*next)(const struct pmc_processor *processor, bool annotated, size_t *cursor,
		    struct pmc_event_row *row);
	bool (*is_refused)(const struct pmc_processor *processor, const struct pmc_event_row *row,
			   size_t mask);
	const struct pmc_event_row *(*annotated)(const struct pmc_processor *processor,
						 void *event);
	const char *(*unavailable)(const struct pmc_processor *processor);
};

/* In the order in which names are looked up and listed; NULL after the last */
extern const struct pmc_name_source *const pmc_name_sources[];

extern const struct pmc_name_source pmc_json_source;
extern const struct pmc_name_source pmc_intel_source;
extern const struct pmc_name_source pmc_pfm_source;

#endif /* PMC_NAME_SOURCE_H */

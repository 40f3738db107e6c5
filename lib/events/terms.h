/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events in the form of perf: PMU/TERM,.../MODIFIERS */
#ifndef PMC_TERMS_H
#define PMC_TERMS_H

#include "event.h"
#include "lex.h"

/*
 * @name: the term that is an event name, not looked up yet; its len is 0 if there is none
 * @modifiers: the text after the second slash
 */
struct pmc_cpu_terms {
	struct pmc_token name;
	const char *modifiers;
};

/* Whether the text begins with cpu/, or with a core type and a slash */
bool pmc_terms_recognise(const char *text);

/*
 * Parse the terms of event->name. A PMU of one core type sets processor->core_type and
 * event->core_type. With a name, the other terms are added to event->extra, else to
 * event->select.
 * Return: 0 or -1 after pmc_fail().
 */
int pmc_terms_parse(struct pmc_event *event, struct pmc_processor *processor,
		    struct pmc_cpu_terms *terms);

#endif /* PMC_TERMS_H */

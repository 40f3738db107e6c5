/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Suggestions for unknown names and unit masks */
#ifndef PMC_SUGGEST_H
#define PMC_SUGGEST_H

#include "resolve.h"

/* Room for pmc_suggest_similar() */
#define SUGGESTION_SIZE	256

/* Where to look for events similar to an architectural one, to end a message */
void pmc_suggest_similar(const char *name, char *text, size_t size);

/* Write the message of a failure of pmc_parse(). @text: the event's text. Return: -1. */
int pmc_suggest(const struct pmc_name_failure *failure, const char *text, size_t len);

#endif /* PMC_SUGGEST_H */

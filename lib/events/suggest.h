/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What to say to somebody who looks for an event by a name that is none here */
#ifndef PMC_SUGGEST_H
#define PMC_SUGGEST_H

#include "internal.h"
#include "lex.h"

/* Room for what pmc_suggest_similar() writes */
#define SUGGESTION_SIZE	128

/* What perf calls an architectural event, or NULL */
const char *pmc_perf_event_name(const struct pmc_arch_event *arch);

/* There is no such event: pmc_fail() with what comes near. Return: -1 */
int pmc_fail_unknown_name(const struct pmc_processor *processor, const struct pmc_token *name);

/* Where to look for events that come near an architectural one */
void pmc_suggest_similar(const char *name, char *text, size_t size);

/* What to say behind a modifier that is none, or "" */
const char *pmc_suggest_modifier(const struct pmc_token *token);

#endif /* PMC_SUGGEST_H */

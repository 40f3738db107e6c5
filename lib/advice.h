/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What to say to somebody who looks for an event by a name that is none here */
#ifndef PMC_ADVICE_H
#define PMC_ADVICE_H

#include "internal.h"
#include "words.h"

/* Room for what pmc_advise_near() writes */
#define ADVICE_SIZE	128

/* What perf calls an architectural event, or NULL */
const char *pmc_perf_name(const struct pmc_arch_event *arch);

/* There is no such event: pmc_fail() with what comes near. Return: -1 */
int pmc_advise_name(const struct pmc_processor *processor, const struct pmc_word *name);

/* Where to look for events that come near an architectural one */
void pmc_advise_near(const char *name, char *text, size_t size);

/* What to say behind a modifier that is none, or "" */
const char *pmc_advise_modifier(const struct pmc_word *word);

#endif /* PMC_ADVICE_H */

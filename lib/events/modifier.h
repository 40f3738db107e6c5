/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Modifiers of an event: what follows its name after ':' */
#ifndef PMC_MODIFIER_H
#define PMC_MODIFIER_H

#include "internal.h"
#include "lex.h"

/* Those that the layout has, with spaces between them */
const char *pmc_modifiers(enum pmc_layout layout);

/*
 * Apply one modifier.
 * Return: 0; 1 if the word is none; -1 after pmc_fail().
 */
int pmc_modifier_apply(struct pmc_event *event, const struct pmc_token *token);

/*
 * Check that what the modifiers say has an effect, beside what the event's code has.
 * Return: 0 or -1 after pmc_fail().
 */
int pmc_modifiers_check(const struct pmc_event *event);

#endif /* PMC_MODIFIER_H */

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Modifiers of an event: what follows its name after ':' */
#ifndef PMC_MODIFIER_H
#define PMC_MODIFIER_H

#include "event.h"
#include "lex.h"

/* The modifiers of the layout, separated by spaces */
const char *pmc_modifiers(enum pmc_layout layout);

/*
 * Apply one modifier.
 * Return: 0; 1 if the token is not a modifier; -1 after pmc_fail().
 */
int pmc_modifier_apply(struct pmc_event *event, const struct pmc_token *token);

/*
 * Apply modifiers in perf's form, several letters without separators.
 * Return: as pmc_modifier_apply().
 */
int pmc_modifier_apply_perf(struct pmc_event *event, const struct pmc_token *token);

/* Apply the value of :p. Return: 0, or -1 after pmc_fail(). */
int pmc_modifier_set_period(struct pmc_event *event, const struct pmc_token *number);

/*
 * Check that the modifiers have an effect beside the event's own counter mask and invert.
 * Return: 0 or -1 after pmc_fail().
 */
int pmc_modifiers_check(const struct pmc_event *event);

/* Whether the text is that of a modifier of some processor */
bool pmc_modifier_is_known(const struct pmc_token *token);

/* Advice on an unknown modifier, to follow it in a message; or "" */
const char *pmc_modifier_advice(const struct pmc_token *token);

#endif /* PMC_MODIFIER_H */

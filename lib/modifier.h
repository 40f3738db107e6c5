/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Modifiers of an event: what follows its name after ':' */
#ifndef PMC_MODIFIER_H
#define PMC_MODIFIER_H

#include "internal.h"
#include "words.h"

/* All of them, for messages */
#define PMC_MODIFIERS	":u :k :e :i :t :d :c=N :p=N :f :f=N :g :g=N"

/*
 * Apply one modifier.
 * Return: 0; 1 if the word is none; -1 after pmc_fail().
 */
int pmc_modifier_apply(struct pmc_event *event, const struct pmc_word *word);

#endif /* PMC_MODIFIER_H */

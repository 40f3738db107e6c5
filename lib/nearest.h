/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nearest word to a misspelled one; pmcctl is built with this file too */
#ifndef PMC_NEAREST_H
#define PMC_NEAREST_H

#include <limits.h>
#include <stddef.h>

/* Longest word that is compared; a longer one is near to nothing. */
#define NEAREST_WORD_MAX	127

/* pmc_distance(): near to nothing */
#define NEAREST_NONE		UINT_MAX

/*
 * pmc_distance() - insertions, deletions and changes of a letter between two
 * words, or NEAREST_NONE if more than half of the longer one
 */
unsigned int pmc_distance(const char *a, const char *b);

#endif /* PMC_NEAREST_H */

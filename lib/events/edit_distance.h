/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edit distance of two words; the command is built with this file too */
#ifndef PMC_EDIT_DISTANCE_H
#define PMC_EDIT_DISTANCE_H

#include <limits.h>
#include <stddef.h>

/* Longest word that is compared; a longer one is near to nothing. */
#define EDIT_DISTANCE_WORD_MAX	127

/* pmc_edit_distance(): near to nothing */
#define EDIT_DISTANCE_NONE		UINT_MAX

/*
 * pmc_edit_distance() - insertions, deletions and changes of a letter between two
 * words, or EDIT_DISTANCE_NONE if more than half of the longer one
 */
unsigned int pmc_edit_distance(const char *a, const char *b);

#endif /* PMC_EDIT_DISTANCE_H */

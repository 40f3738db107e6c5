/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words of an event's text: comparing them, numbers, nearest ones */
#ifndef PMC_WORDS_H
#define PMC_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of a text, without a zero at its end */
struct pmc_word {
	const char *text;
	size_t len;
};

/* The same bytes? */
bool pmc_word_is(const struct pmc_word *word, const char *text);

/* The same name? Small and capital letters, '-' and '_' are the same. */
bool pmc_word_names(const struct pmc_word *word, const char *name);

/* A whole number of C, all of @word, without sign or spaces, from 0 to @max */
bool pmc_word_number(const struct pmc_word *word, uint64_t max, uint64_t *number);

/* Small letters and '-', with a zero; cut off at @size. */
void pmc_word_normalise(const struct pmc_word *word, char *name, size_t size);

/*
 * Up to three names that are nearest to one that is wrong.
 * @wrong: normalised
 */
struct pmc_nearest {
	char wrong[256];
	unsigned int distance[3];
	char name[3][128];
	size_t num;
};

void pmc_nearest_begin(struct pmc_nearest *nearest, const struct pmc_word *wrong);
void pmc_nearest_try(struct pmc_nearest *nearest, const char *name);

/* Whether a unit mask is near enough, which must be nearer */
bool pmc_nearest_is_mask(const struct pmc_nearest *nearest, const char *mask);

/* Try it, named with its event. */
void pmc_nearest_try_mask(struct pmc_nearest *nearest, const char *event, const char *mask);

/* "; did you mean 'a', 'b' or 'c'?", or @otherwise if nothing is near */
void pmc_nearest_text(const struct pmc_nearest *nearest, const char *otherwise,
		      char *text, size_t size);

#endif /* PMC_WORDS_H */

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words of an event's text: comparing them, numbers, nearest ones */
#ifndef PMC_LEX_H
#define PMC_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of a text, without a zero at its end */
struct pmc_token {
	const char *text;
	size_t len;
};

/* The same bytes? */
bool pmc_token_equals(const struct pmc_token *token, const char *text);

/* The same name? Small and capital letters, '-' and '_' are the same. */
bool pmc_token_equals_name(const struct pmc_token *token, const char *name);

/* A whole number of C, all of @token, without sign or spaces, from 0 to @max */
bool pmc_token_parse_number(const struct pmc_token *token, uint64_t max, uint64_t *number);

/* Small letters and '-', with a zero; cut off at @size. */
void pmc_token_normalise(const struct pmc_token *token, char *name, size_t size);

/*
 * Up to three names that are nearest to one that is wrong.
 * @unknown: normalised
 */
struct pmc_nearest {
	char unknown[256];
	unsigned int distance[3];
	char name[3][128];
	size_t num;
};

void pmc_nearest_init(struct pmc_nearest *nearest, const struct pmc_token *unknown);
void pmc_nearest_add(struct pmc_nearest *nearest, const char *name);

/* Whether a unit mask is near enough, which must be nearer */
bool pmc_nearest_accepts_mask(const struct pmc_nearest *nearest, const char *mask);

/* Try it, named with its event. */
void pmc_nearest_add_mask(struct pmc_nearest *nearest, const char *event, const char *mask);

/* "; did you mean 'a', 'b' or 'c'?", or @otherwise if nothing is near */
void pmc_nearest_format(const struct pmc_nearest *nearest, const char *otherwise,
		      char *text, size_t size);

#endif /* PMC_LEX_H */

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tokens of an event's text, and the nearest names to an unknown one */
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

/* Whether the bytes are equal */
bool pmc_token_equals(const struct pmc_token *token, const char *text);

/* Whether the names are equal: case-insensitive, '-' and '_' are equivalent */
bool pmc_token_equals_name(const struct pmc_token *token, const char *name);

/* Parse an unsigned integer of C from 0 to @max. Return: whether all of @token is one. */
bool pmc_token_parse_number(const struct pmc_token *token, uint64_t max, uint64_t *number);

/* Convert to lower case and '_' to '-'; truncated to @size with a final zero */
void pmc_token_normalise(const struct pmc_token *token, char *name, size_t size);

/*
 * The three names with the smallest edit distance to an unknown one
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

/* Whether a unit mask is near enough; its limit is lower than that of an event */
bool pmc_nearest_accepts_mask(const struct pmc_nearest *nearest, const char *mask);

/* Add a unit mask as EVENT:MASK. */
void pmc_nearest_add_mask(struct pmc_nearest *nearest, const char *event, const char *mask);

/* "; did you mean 'a', 'b' or 'c'?", or "; " and @otherwise if no name is near */
void pmc_nearest_format(const struct pmc_nearest *nearest, const char *otherwise,
			char *text, size_t size);

#endif /* PMC_LEX_H */

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tokens of an event's text, and the nearest names to an unknown one */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edit_distance.h"
#include "lex.h"

bool pmc_token_equals(const struct pmc_token *token, const char *text)
{
	return strlen(text) == token->len && !memcmp(token->text, text, token->len);
}

static int normalise_char(char letter)
{
	return letter == '_' ? '-' : tolower((unsigned char)letter);
}

bool pmc_token_equals_name(const struct pmc_token *token, const char *name)
{
	size_t i;

	for (i = 0; i < token->len && name[i]; i++)
		if (normalise_char(token->text[i]) != normalise_char(name[i]))
			return false;
	return i == token->len && !name[i];
}

bool pmc_token_parse_number(const struct pmc_token *token, uint64_t max, uint64_t *number)
{
	char digits[24], *end;

	if (!token->len || token->len >= sizeof(digits) || !isdigit((unsigned char)token->text[0]))
		return false;
	memcpy(digits, token->text, token->len);
	digits[token->len] = '\0';
	errno = 0;
	*number = strtoull(digits, &end, digits[0] == '0' && (digits[1] | 32) == 'x' ? 16 : 10);
	return !errno && end == digits + token->len && isxdigit((unsigned char)end[-1]) &&
	       *number <= max;
}

void pmc_token_normalise(const struct pmc_token *token, char *name, size_t size)
{
	size_t i;

	for (i = 0; i < token->len && i + 1 < size; i++)
		name[i] = normalise_char(token->text[i]);
	name[i] = '\0';
}

/* ---- nearest ---- */

void pmc_nearest_init(struct pmc_nearest *nearest, const struct pmc_token *unknown)
{
	nearest->num = 0;
	pmc_token_normalise(unknown, nearest->unknown, sizeof(nearest->unknown));
}

static bool contains_name(const struct pmc_nearest *nearest, const char *name)
{
	size_t i;

	for (i = 0; i < nearest->num; i++)
		if (!strcmp(nearest->name[i], name))
			return true;
	return false;
}

static void set_entry(struct pmc_nearest *nearest, size_t at, unsigned int distance,
		      const char *name)
{
	nearest->distance[at] = distance;
	snprintf(nearest->name[at], sizeof(nearest->name[at]), "%s", name);
}

static unsigned int distance_to(const struct pmc_nearest *nearest, const char *text)
{
	const struct pmc_token token = { text, strlen(text) };
	char normalised[256];

	pmc_token_normalise(&token, normalised, sizeof(normalised));
	return pmc_edit_distance(nearest->unknown, normalised);
}

/* Nearest first; of equal ones the first that was tried. */
static void insert(struct pmc_nearest *nearest, unsigned int distance, const char *name)
{
	size_t at, i;

	if (contains_name(nearest, name))
		return;
	for (at = nearest->num; at > 0 && distance < nearest->distance[at - 1]; at--)
		;
	if (at == 3)
		return;
	if (nearest->num < 3)
		nearest->num++;
	for (i = nearest->num - 1; i > at; i--)
		set_entry(nearest, i, nearest->distance[i - 1], nearest->name[i - 1]);
	set_entry(nearest, at, distance, name);
}

void pmc_nearest_add(struct pmc_nearest *nearest, const char *name)
{
	unsigned int distance = distance_to(nearest, name);

	if (distance != EDIT_DISTANCE_NONE)
		insert(nearest, distance, name);
}

/* Return: EDIT_DISTANCE_NONE if it is not near enough. */
static unsigned int distance_to_mask(const struct pmc_nearest *nearest, const char *mask)
{
	size_t len = strlen(mask), unknown = strlen(nearest->unknown);
	unsigned int distance;

	/* as in pmc_edit_distance(): most differ too much in length alone */
	if (4 * (len > unknown ? len - unknown : unknown - len) > len)
		return EDIT_DISTANCE_NONE;
	distance = distance_to(nearest, mask);
	return distance == EDIT_DISTANCE_NONE || 4 * distance > len ? EDIT_DISTANCE_NONE : distance;
}

bool pmc_nearest_accepts_mask(const struct pmc_nearest *nearest, const char *mask)
{
	return distance_to_mask(nearest, mask) != EDIT_DISTANCE_NONE;
}

void pmc_nearest_add_mask(struct pmc_nearest *nearest, const char *event, const char *mask)
{
	unsigned int distance = distance_to_mask(nearest, mask);
	char name[256];

	if (distance == EDIT_DISTANCE_NONE)
		return;
	snprintf(name, sizeof(name), "%s:%s", event, mask);
	insert(nearest, distance, name);
}

void pmc_nearest_format(const struct pmc_nearest *nearest, const char *otherwise,
			char *text, size_t size)
{
	size_t used, i;

	if (!nearest->num) {
		snprintf(text, size, "; %s", otherwise);
		return;
	}
	used = snprintf(text, size, "; did you mean ");
	for (i = 0; i < nearest->num && used < size; i++)
		used += snprintf(text + used, size - used, "%s'%s'",
				 !i ? "" : i + 1 < nearest->num ? ", " : " or ",
				 nearest->name[i]);
	if (used < size)
		snprintf(text + used, size - used, "?");
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Words of an event's text */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearest.h"
#include "words.h"

bool pmc_word_is(const struct pmc_word *word, const char *text)
{
	return strlen(text) == word->len && !memcmp(word->text, text, word->len);
}

static int normal(char letter)
{
	return letter == '_' ? '-' : tolower((unsigned char)letter);
}

bool pmc_word_names(const struct pmc_word *word, const char *name)
{
	size_t i;

	for (i = 0; i < word->len && name[i]; i++)
		if (normal(word->text[i]) != normal(name[i]))
			return false;
	return i == word->len && !name[i];
}

bool pmc_word_number(const struct pmc_word *word, uint64_t max, uint64_t *number)
{
	char digits[24], *end;

	if (!word->len || word->len >= sizeof(digits) || !isdigit((unsigned char)word->text[0]))
		return false;
	memcpy(digits, word->text, word->len);
	digits[word->len] = '\0';
	errno = 0;
	*number = strtoull(digits, &end, digits[0] == '0' && (digits[1] | 32) == 'x' ? 16 : 10);
	return !errno && end == digits + word->len && isxdigit((unsigned char)end[-1]) &&
	       *number <= max;
}

void pmc_word_normalise(const struct pmc_word *word, char *name, size_t size)
{
	size_t i;

	for (i = 0; i < word->len && i + 1 < size; i++)
		name[i] = normal(word->text[i]);
	name[i] = '\0';
}

/* ---- nearest ---- */

void pmc_nearest_begin(struct pmc_nearest *nearest, const struct pmc_word *wrong)
{
	nearest->num = 0;
	pmc_word_normalise(wrong, nearest->wrong, sizeof(nearest->wrong));
}

static bool is_there(const struct pmc_nearest *nearest, const char *name)
{
	size_t i;

	for (i = 0; i < nearest->num; i++)
		if (!strcmp(nearest->name[i], name))
			return true;
	return false;
}

static void put(struct pmc_nearest *nearest, size_t at, unsigned int distance, const char *name)
{
	nearest->distance[at] = distance;
	snprintf(nearest->name[at], sizeof(nearest->name[at]), "%s", name);
}

static unsigned int distance_to(const struct pmc_nearest *nearest, const char *text)
{
	const struct pmc_word word = { text, strlen(text) };
	char normalised[256];

	pmc_word_normalise(&word, normalised, sizeof(normalised));
	return pmc_distance(nearest->wrong, normalised);
}

/* Nearest first; of equal ones the first that was tried. */
static void insert(struct pmc_nearest *nearest, unsigned int distance, const char *name)
{
	size_t at, i;

	if (is_there(nearest, name))
		return;
	for (at = nearest->num; at > 0 && distance < nearest->distance[at - 1]; at--)
		;
	if (at == 3)
		return;
	if (nearest->num < 3)
		nearest->num++;
	for (i = nearest->num - 1; i > at; i--)
		put(nearest, i, nearest->distance[i - 1], nearest->name[i - 1]);
	put(nearest, at, distance, name);
}

void pmc_nearest_try(struct pmc_nearest *nearest, const char *name)
{
	unsigned int distance = distance_to(nearest, name);

	if (distance != NEAREST_NONE)
		insert(nearest, distance, name);
}

/* Return: NEAREST_NONE if it is not near enough. */
static unsigned int distance_to_mask(const struct pmc_nearest *nearest, const char *mask)
{
	size_t len = strlen(mask), wrong = strlen(nearest->wrong);
	unsigned int distance;

	/* as in pmc_distance(): most differ too much in length alone */
	if (4 * (len > wrong ? len - wrong : wrong - len) > len)
		return NEAREST_NONE;
	distance = distance_to(nearest, mask);
	return distance == NEAREST_NONE || 4 * distance > len ? NEAREST_NONE : distance;
}

bool pmc_nearest_is_mask(const struct pmc_nearest *nearest, const char *mask)
{
	return distance_to_mask(nearest, mask) != NEAREST_NONE;
}

void pmc_nearest_try_mask(struct pmc_nearest *nearest, const char *event, const char *mask)
{
	unsigned int distance = distance_to_mask(nearest, mask);
	char name[256];

	if (distance == NEAREST_NONE)
		return;
	snprintf(name, sizeof(name), "%s:%s", event, mask);
	insert(nearest, distance, name);
}

void pmc_nearest_text(const struct pmc_nearest *nearest, const char *otherwise,
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

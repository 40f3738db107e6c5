// SPDX-License-Identifier: GPL-2.0-only
/* Split lists of events, match names with patterns, find modes in modifiers */
#include <fnmatch.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "util/error.h"
#include "util/event-text.h"
#include "util/xalloc.h"

/* Length of the first event of a list in bytes; commas between slashes do not end it. */
static size_t first_event_len(const char *list)
{
	size_t len = strcspn(list, ",/");
	const char *slash = list[len] == '/' ? strchr(list + len + 1, '/') : NULL;

	if (slash)
		len = slash - list;
	return len + strcspn(list + len, ",");
}

char *event_text_next(const char **list, const char *modifier)
{
	size_t len = first_event_len(*list);
	const char *begin = *list;

	*list += len + (begin[len] == ',');
	for (; len && *begin == ' '; begin++)
		len--;
	while (len && begin[len - 1] == ' ')
		len--;
	return xasprintf("%.*s%s", (int)len, begin, modifier);
}

int event_text_check(const char *list)
{
	const char *rest = list;
	size_t len;

	for (;; rest += len + 1) {
		len = first_event_len(rest);
		if (strspn(rest, " ") >= len)
			return report_error("an empty event, at character %zu of the list '%s'",
					    (size_t)(rest - list) + 1, list);
		if (!rest[len])
			return 0;
	}
}

static void normalise_name(const char *text, char *copy, size_t size)
{
	size_t i;

	snprintf(copy, size, "%s", text);
	for (i = 0; copy[i]; i++)
		if (copy[i] == '_')
			copy[i] = '-';
		else if (copy[i] == '.')
			copy[i] = ':';
}

bool event_text_matches(const char *name, const char *pattern)
{
	char name_copy[256], pattern_copy[256];

	normalise_name(name, name_copy, sizeof(name_copy));
	normalise_name(pattern, pattern_copy, sizeof(pattern_copy));
	return !fnmatch(pattern_copy, name_copy, FNM_CASEFOLD | FNM_NOESCAPE);
}

bool event_text_has_modes(const char *text)
{
	const char *part;

	for (part = strchr(text, ':'); part; part = strchr(part, ':')) {
		size_t len = strcspn(++part, ":"), modes = strspn(part, "uk");

		if (len && modes >= len)
			return true;
	}
	return false;
}

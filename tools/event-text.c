// SPDX-License-Identifier: GPL-2.0-only
/* Lists of events as texts */
#include <stdlib.h>
#include <string.h>

#include "pmcctl.h"

/* Bytes of the first event of a list; commas between slashes are its own. */
static size_t first_len(const char *list)
{
	const char *slash = strncmp(list, "cpu/", 4) ? NULL : strchr(list + 4, '/');
	size_t len = slash ? slash - list : 0;

	return len + strcspn(list + len, ",");
}

char *event_text_next(const char **list, const char *modifier)
{
	size_t len = first_len(*list);
	char *text;

	if (asprintf(&text, "%.*s%s", (int)len, *list, modifier) < 0)
		text = NULL;
	*list += len + ((*list)[len] == ',');
	return text;
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

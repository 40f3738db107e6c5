// SPDX-License-Identifier: LGPL-2.1-or-later
/* The public parsers, of one event or of a list of events; on failure, suggest names */
#include <errno.h>
#include <string.h>

#include "error.h"
#include "parse.h"
#include "suggest.h"

static struct pmc_event *parse_text(const char *text, size_t len, uint32_t core_type)
{
	struct pmc_name_failure failure;
	struct pmc_event *event = pmc_parse(text, len, core_type, &failure);

	if (!event && failure.reason != NAME_COMPLETE)
		pmc_suggest(&failure, text, len);
	return event;
}

PMC_API struct pmc_event *pmc_event_parse(const char *text)
{
	return parse_text(text, strlen(text), 0);
}

PMC_API struct pmc_event *pmc_event_parse_core_type(const char *text, uint32_t core_type)
{
	return parse_text(text, strlen(text), core_type);
}

/* Bytes of the first event of a list; commas between the slashes of cpu/TERM,.../ count. */
static size_t first_event_len(const char *list)
{
	const char *slash;
	size_t len = 0;

	if (!strncmp(list, "cpu/", 4)) {
		slash = strchr(list + 4, '/');
		len = slash ? (size_t)(slash - list) : strlen(list);
	}
	return len + strcspn(list + len, ",");
}

PMC_API struct pmc_event *pmc_event_parse_next(const char **list)
{
	return pmc_event_parse_next_core_type(list, 0);
}

PMC_API struct pmc_event *pmc_event_parse_next_core_type(const char **list, uint32_t core_type)
{
	size_t len = first_event_len(*list);
	const char *rest = *list + len, *text = *list;
	struct pmc_event *event;

	for (; len && *text == ' '; text++)
		len--;
	while (len && text[len - 1] == ' ')
		len--;
	if (!len || !strcmp(rest, ",")) {
		pmc_fail(EINVAL, "an empty event in the list '%.40s'", *list);
		return NULL;
	}
	event = parse_text(text, len, core_type);
	if (event)
		*list = *rest ? rest + 1 : rest;
	return event;
}

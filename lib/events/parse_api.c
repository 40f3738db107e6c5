// SPDX-License-Identifier: LGPL-2.1-or-later
/* The public parsers, of one event or of a list of events; on failure, suggest names */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "lex.h"
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

/* Bytes of the first event of a list, up to a comma or brace that is not between slashes */
static size_t first_event_len(const char *list)
{
	size_t len = strcspn(list, ",{}/");
	const char *slash;

	if (list[len] != '/')
		return len;
	slash = strchr(list + len + 1, '/');
	if (!slash)
		return strlen(list);
	len = slash - list;
	return len + strcspn(slash, ",{}");
}

PMC_API struct pmc_event *pmc_event_parse_next(const char **list)
{
	return pmc_event_parse_next_core_type(list, 0);
}

static void trim(struct pmc_token *token)
{
	for (; token->len && *token->text == ' '; token->text++)
		token->len--;
	while (token->len && token->text[token->len - 1] == ' ')
		token->len--;
}

/* Report a mistake at @place of @list; the first character is 1. */
static void fail_at(const char *list, const char *place, const char *mistake)
{
	pmc_fail(EINVAL, "%s, at character %zu of the list '%s'", mistake,
		 (size_t)(place - list) + 1, list);
}

/*
 * The end of the group after its member that ends at @text, which is no comma or brace inside of
 * an event. Return: the brace; or NULL after pmc_fail().
 */
static const char *group_end(const char *list, const char *text)
{
	struct pmc_token member;

	while (*text == ',') {
		member = (struct pmc_token){ text + 1, first_event_len(text + 1) };
		text = member.text + member.len;
		trim(&member);
		if (!member.len && *text != '{') {
			fail_at(list, text, *text == '}' ? "a '}' after a comma" :
				"an empty event");
			return NULL;
		}
	}
	if (*text == '}')
		return text;
	fail_at(list, text, *text ? "a '{' inside of a group, which cannot nest" :
		"the '}' of a group is missing");
	return NULL;
}

/*
 * Parse a member of a group, with the group's modifiers. *@list becomes the rest; after a member
 * that is not the last, the rest begins with the comma, which marks it as inside of a group.
 */
static struct pmc_event *parse_member(const char **list, const struct pmc_token *member,
				      const char *end, uint32_t core_type)
{
	const char *brace = group_end(*list, end);
	char text[PMC_EVENT_NAME_MAX + 2];
	struct pmc_token modifiers;
	struct pmc_event *event;
	size_t len;

	if (!brace)
		return NULL;
	len = strcspn(brace + 1, ",");
	modifiers = (struct pmc_token){ brace + 1, len };
	trim(&modifiers);
	if (modifiers.len && *modifiers.text != ':') {
		fail_at(*list, modifiers.text,
			"only modifiers such as :u can follow the '}' of a group");
		return NULL;
	}
	if (!strcmp(brace + 1 + len, ",")) {
		fail_at(*list, brace + 2 + len, "an empty event");
		return NULL;
	}
	snprintf(text, sizeof(text), "%.*s%.*s", (int)member->len, member->text,
		 (int)modifiers.len, modifiers.text);
	event = parse_text(text, strlen(text), core_type);
	if (event && *end == ',')
		*list = end;
	else if (event)
		*list = brace + 1 + len + !!brace[1 + len];
	return event;
}

PMC_API struct pmc_event *pmc_event_parse_next_core_type(const char **list, uint32_t core_type)
{
	bool group = **list == ',', open = false;
	struct pmc_token event_text = { *list + group, 0 };
	const char *end, *empty = NULL;
	struct pmc_event *event;

	event_text.text += strspn(event_text.text, " ");
	if (!group && *event_text.text == '{') {
		event_text.text++;
		group = true;
		open = true;
	}
	event_text.len = first_event_len(event_text.text);
	end = event_text.text + event_text.len;
	trim(&event_text);
	if (group && !open && !strchr(end, '}'))
		empty = *list;
	else if (!event_text.len)
		empty = end;
	else if (!group && !strcmp(end, ","))
		empty = end + 1;
	if (empty) {
		fail_at(*list, empty, "an empty event");
		return NULL;
	}
	if (group)
		return parse_member(list, &event_text, end, core_type);
	if (*end == '{' || *end == '}') {
		fail_at(*list, end, *end == '}' ? "a '}' without a '{' before it" :
			"a '{' without a comma before it");
		return NULL;
	}
	event = parse_text(event_text.text, event_text.len, core_type);
	if (event)
		*list = *end ? end + 1 : end;
	return event;
}

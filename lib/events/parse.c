// SPDX-License-Identifier: LGPL-2.1-or-later
/* From the text of an event to a struct pmc_event, without suggestions */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "event_select.h"
#include "event_table.h"
#include "modifier.h"
#include "netburst.h"
#include "parse.h"

#define BOTH_MODES	(PMC_COUNT_USER | PMC_COUNT_KERNEL)

/* More unit masks than an event's text has */
#define MASKS_MAX	32

/* ---- cpu/TERM,.../ ---- */

static int fail_term(const struct pmc_event *event, const struct pmc_token *term)
{
	char terms[128];

	pmc_field_list(event->layout, terms, sizeof(terms));
	return pmc_fail(EINVAL, "event '%s': unknown term '%.*s'; there are %s", event->name,
			(int)term->len, term->text, terms);
}

static int parse_term(struct pmc_event *event, const struct pmc_token *term)
{
	const char *equals = memchr(term->text, '=', term->len);
	struct pmc_token key = { term->text, equals ? (size_t)(equals - term->text) : term->len };
	struct pmc_token number = { key.text + key.len + 1, term->len - key.len - 1 };
	const struct pmc_field *field = pmc_field_find(event->layout, &key);
	uint64_t value = 1, max;

	if (!field)
		return fail_term(event, term);
	max = pmc_field_max(field);
	if (!equals && field->bits > 1)
		return pmc_fail(EINVAL, "event '%s': '%.*s' needs a value, such as %s=0x1",
				event->name, (int)term->len, term->text, field->term);
	if (equals && !pmc_token_parse_number(&number, max, &value))
		return pmc_fail(EINVAL,
				"event '%s': '%.*s': the value must be a number from 0 to %llu",
				event->name, (int)term->len, term->text, (unsigned long long)max);
	event->select &= ~pmc_field_mask(field);
	event->select |= pmc_field_encode(field, value);
	return 0;
}

/* @text: the terms between the slashes */
static int parse_terms(struct pmc_event *event, const char *text, const char *end)
{
	struct pmc_token term;
	const char *comma;

	for (;;) {
		comma = memchr(text, ',', end - text);
		term = (struct pmc_token){ text, (comma ? comma : end) - text };
		if (parse_term(event, &term))
			return -1;
		if (!comma)
			return 0;
		text = comma + 1;
	}
}

/* Return: the text after the second slash, or NULL after pmc_fail(). */
static const char *parse_cpu_terms(struct pmc_event *event)
{
	const char *first = event->name + strlen("cpu/");
	const char *slash = strchr(first, '/');

	if (!slash) {
		pmc_fail(EINVAL,
			 "event '%s': the second slash is missing; write it as cpu/event=0xc0,umask=0x0/",
			 event->name);
		return NULL;
	}
	if (slash[1] && slash[1] != ':') {
		pmc_fail(EINVAL,
			 "event '%s': after the second slash only modifiers such as :u can stand",
			 event->name);
		return NULL;
	}
	return parse_terms(event, first, slash) ? NULL : slash + 1;
}

/* ---- the whole text ---- */

/* The tokens after the name that are not modifiers */
struct tokens {
	struct pmc_token token[MASKS_MAX];
	size_t num;
};

/* Apply the modifiers of ":TOKEN:..." or "", and keep the other tokens. */
static int parse_tokens(struct pmc_event *event, const char *text, struct tokens *unit_masks)
{
	struct pmc_token token;
	int result;

	for (; *text; text = token.text + token.len) {
		token = (struct pmc_token){ text + 1, strcspn(text + 1, ":") };
		result = pmc_modifier_apply(event, &token);
		if (result < 0)
			return -1;
		if (!result)
			continue;
		if (unit_masks->num == MASKS_MAX)
			return pmc_fail(EINVAL, "event '%s': more than %d unit masks",
					event->name, MASKS_MAX);
		unit_masks->token[unit_masks->num++] = token;
	}
	return 0;
}

static int fail_token(const struct pmc_event *event, const struct pmc_token *token)
{
	return pmc_fail(EINVAL, "event '%s': unknown modifier ':%.*s'%s; there are %s",
			event->name, (int)token->len, token->text, pmc_modifier_advice(token),
			pmc_modifiers(event->layout));
}

/* Modifiers come first: an invalid one is reported before an unknown name. */
static int parse_named(struct pmc_event *event, const struct pmc_processor *processor,
		       struct pmc_name_failure *failure)
{
	struct pmc_token name = { event->name, strcspn(event->name, ":") };
	struct tokens unit_masks = { .num = 0 };
	enum pmc_placement placement;

	if (parse_tokens(event, name.text + name.len, &unit_masks))
		return -1;
	placement = event->placement;
	if (pmc_resolve(event, processor, &name, unit_masks.token, unit_masks.num, failure))
		return -1;
	if (placement != PLACEMENT_ANY)
		event->placement = placement;
	return 0;
}

static int parse_cpu_event(struct pmc_event *event)
{
	struct tokens unit_masks = { .num = 0 };
	const char *rest = parse_cpu_terms(event);

	if (!rest || parse_tokens(event, rest, &unit_masks))
		return -1;
	return unit_masks.num ? fail_token(event, &unit_masks.token[0]) : 0;
}

static int parse(struct pmc_event *event, uint32_t core_type, struct pmc_name_failure *failure)
{
	struct pmc_processor processor = pmc_processor_current(core_type);
	int result;

	event->layout = processor.layout;
	if (!strncmp(event->name, "cpu/", 4))
		result = parse_cpu_event(event);
	else
		result = parse_named(event, &processor, failure);
	if (result)
		return -1;
	event->modes_given = event->modes;
	if (!event->modes)
		event->modes = BOTH_MODES;
	if (pmc_modifiers_check(event))
		return -1;
	if (!event->arch) {
		event->select |= event->extra;
		event->extra = 0;
	}
	if (event->layout == PMC_LAYOUT_NETBURST && pmc_netburst_set_counters(event))
		return -1;
	/* A code: names have counters. */
	if (event->layout == PMC_LAYOUT_P5 && !event->counters &&
	    pmc_event_table_check_code(&processor, event))
		return -1;
	return pmc_event_check_fixed(event);
}

/* Tokens of event->name become tokens of @text. */
static void rebase(struct pmc_name_failure *failure, const struct pmc_event *event,
		   const char *text)
{
	if (failure->name.text)
		failure->name.text = text + (failure->name.text - event->name);
	if (failure->unit_mask.text)
		failure->unit_mask.text = text + (failure->unit_mask.text - event->name);
}

struct pmc_event *pmc_parse(const char *text, size_t len, uint32_t core_type,
			    struct pmc_name_failure *failure)
{
	struct pmc_event *event;
	int error;

	*failure = (struct pmc_name_failure){ .reason = NAME_COMPLETE };
	if (len > PMC_EVENT_NAME_MAX) {
		pmc_fail(EINVAL, "event '%.20s...': longer than %d characters", text,
			 PMC_EVENT_NAME_MAX);
		return NULL;
	}
	event = calloc(1, sizeof(*event));
	if (!event) {
		pmc_fail_errno("an event");
		return NULL;
	}
	memcpy(event->name, text, len);
	if (!parse(event, core_type, failure))
		return event;
	error = errno;
	rebase(failure, event, text);
	free(event);
	errno = error;
	return NULL;
}

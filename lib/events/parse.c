// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parse the text of an event into a struct pmc_event, without suggestions */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "event_table.h"
#include "event_warning.h"
#include "extra_register.h"
#include "modifier.h"
#include "name_processor.h"
#include "netburst.h"
#include "parse.h"
#include "terms.h"

#define BOTH_MODES	(PMC_COUNT_USER | PMC_COUNT_KERNEL)

/* More unit masks than an event's text has */
#define MASKS_MAX	32

/* Tokens of the text that are not modifiers */
struct tokens {
	struct pmc_token token[MASKS_MAX];
	size_t num;
};

static int add_unit_mask(const struct pmc_event *event, struct tokens *unit_masks,
			 const struct pmc_token *token)
{
	if (unit_masks->num == MASKS_MAX)
		return pmc_fail(EINVAL, "event '%s': more than %d unit masks", event->name,
				MASKS_MAX);
	unit_masks->token[unit_masks->num++] = *token;
	return 0;
}

static int fail_token(const struct pmc_event *event, const struct pmc_token *token)
{
	return pmc_fail(EINVAL, "event '%s': unknown modifier ':%.*s'%s; there are %s",
			event->name, (int)token->len, token->text, pmc_modifier_advice(token),
			pmc_modifiers(event->layout));
}

/* The next token after ':' or '.'; a value can contain a '.'. */
static struct pmc_token next_token(const char *text, const char *end)
{
	struct pmc_token token = { text, 0 };
	bool value = false;

	for (; text < end && *text != ':' && (value || *text != '.'); text++)
		value |= *text == '=';
	token.len = text - token.text;
	return token;
}

/*
 * Apply the modifiers of ":TOKEN.TOKEN:..." or "", and keep the other tokens. After '.' there is
 * always a unit mask.
 */
static int parse_tokens(struct pmc_event *event, const char *text, struct tokens *unit_masks)
{
	const char *end = text + strlen(text);
	struct pmc_token token;
	int result;

	for (; *text; text = token.text + token.len) {
		token = next_token(text + 1, end);
		if (*text == ':')
			result = pmc_modifier_apply(event, &token);
		else
			result = 1;
		if (result < 0 || (result > 0 && add_unit_mask(event, unit_masks, &token)))
			return -1;
	}
	return 0;
}

/* ---- the whole text ---- */

/*
 * Look up a name and its unit masks. A placement that a modifier or term has set has precedence
 * over that of the name.
 */
static int resolve(struct pmc_event *event, const struct pmc_processor *processor,
		   const struct pmc_token *name, const struct tokens *unit_masks,
		   struct pmc_name_failure *failure)
{
	enum pmc_placement placement = event->placement;

	if (pmc_resolve(event, processor, name, unit_masks->token, unit_masks->num, failure))
		return -1;
	if (placement != PLACEMENT_ANY)
		event->placement = placement;
	return 0;
}

/* Modifiers come first: an invalid one is reported before an unknown name. */
static int parse_named(struct pmc_event *event, const struct pmc_processor *processor,
		       struct pmc_name_failure *failure)
{
	struct pmc_token name = next_token(event->name, event->name + strlen(event->name));
	struct tokens unit_masks = { .num = 0 };

	if (parse_tokens(event, name.text + name.len, &unit_masks))
		return -1;
	return resolve(event, processor, &name, &unit_masks, failure);
}

/* The modifiers after the second slash: perf's "uk", or ":MODIFIER..." */
static int parse_cpu_modifiers(struct pmc_event *event, const char *text)
{
	struct tokens unit_masks = { .num = 0 };
	struct pmc_token token = { text, strcspn(text, ":") };

	if (token.len) {
		switch (pmc_modifier_apply_perf(event, &token)) {
		case 0:
			break;
		case 1:
			return fail_token(event, &token);
		default:
			return -1;
		}
	}
	if (parse_tokens(event, text + token.len, &unit_masks))
		return -1;
	return unit_masks.num ? fail_token(event, &unit_masks.token[0]) : 0;
}

/* The name among the terms; its unit masks follow '.' or ':' */
static int resolve_term(struct pmc_event *event, const struct pmc_processor *processor,
			const struct pmc_token *term, struct pmc_name_failure *failure)
{
	const char *end = term->text + term->len;
	struct pmc_token name = next_token(term->text, end), token;
	struct tokens unit_masks = { .num = 0 };

	for (token = name; token.text + token.len < end;) {
		token = next_token(token.text + token.len + 1, end);
		if (add_unit_mask(event, &unit_masks, &token))
			return -1;
	}
	return resolve(event, processor, &name, &unit_masks, failure);
}

static int parse_cpu_event(struct pmc_event *event, struct pmc_processor *processor,
			   struct pmc_name_failure *failure)
{
	struct pmc_cpu_terms terms;

	if (pmc_terms_parse(event, processor, &terms) ||
	    parse_cpu_modifiers(event, terms.modifiers))
		return -1;
	return terms.name.len ? resolve_term(event, processor, &terms.name, failure) : 0;
}

static int parse(struct pmc_event *event, uint32_t core_type, struct pmc_name_failure *failure)
{
	struct pmc_processor processor = pmc_name_processor(core_type);
	int result;

	event->layout = processor.layout;
	if (pmc_terms_recognise(event->name))
		result = parse_cpu_event(event, &processor, failure);
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
	if (pmc_register_check(event, &processor))
		return -1;
	if (event->layout == PMC_LAYOUT_NETBURST && pmc_netburst_set_counters(event))
		return -1;
	if (!event->warning)
		event->warning = pmc_event_select_warning(&processor, event->select);
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

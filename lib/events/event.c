// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events and their texts */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "suggest.h"
#include "internal.h"
#include "modifier.h"
#include "netburst.h"
#include "resolve.h"
#include "event_table.h"
#include "event_select.h"

#define BOTH_MODES	(PMC_COUNT_USER | PMC_COUNT_KERNEL)

/* Unit masks that an event's text can have at most */
#define MASKS_MAX	32

const struct pmc_arch_event pmc_arch_events[] = {
#define PMC_ARCH_EVENT(...) { __VA_ARGS__ },
#include "tables/architectural.def"
#undef PMC_ARCH_EVENT
};

const size_t pmc_num_arch_events = ARRAY_SIZE(pmc_arch_events);

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

/* @text: what is between the slashes */
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

/* Return: the text behind the second slash, or NULL after pmc_fail(). */
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

/* What stands after the name: modifiers are applied, the other words kept. */
struct tokens {
	struct pmc_token token[MASKS_MAX];
	size_t num;
};

/* @text: ":WORD:..." or "" */
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
			event->name, (int)token->len, token->text, pmc_suggest_modifier(token),
			pmc_modifiers(event->layout));
}

/* Modifiers come first, so that a wrong one is told before a wrong name. */
static int parse_named(struct pmc_event *event, const struct pmc_processor *processor)
{
	struct pmc_token name = { event->name, strcspn(event->name, ":") };
	struct tokens unit_masks = { .num = 0 };
	enum pmc_placement placement;

	if (parse_tokens(event, name.text + name.len, &unit_masks))
		return -1;
	placement = event->placement;
	if (pmc_resolve(event, processor, &name, unit_masks.token, unit_masks.num))
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

/* ---- counters ---- */

bool pmc_event_fits_fixed(const struct pmc_event *event)
{
	return event->arch && event->arch->fixed != NO_FIXED && !(event->extra & ~SELECT_ANY);
}

static int check_fixed(const struct pmc_event *event)
{
	bool fixed = event->placement == PLACEMENT_FIXED ||
		     (event->placement == PLACEMENT_COUNTER && event->counter & PMC_COUNTER_FIXED_FLAG);

	if (!fixed)
		return 0;
	if (!event->arch || event->arch->fixed == NO_FIXED)
		return pmc_fail(EINVAL, "event '%s': no fixed counter counts it; leave :f away",
				event->name);
	if (!pmc_event_fits_fixed(event))
		return pmc_fail(EINVAL,
				"event '%s': a fixed counter knows no edge, invert and counter mask; leave :f away",
				event->name);
	if (event->placement == PLACEMENT_COUNTER &&
	    event->counter != PMC_COUNTER_FIXED(event->arch->fixed))
		return pmc_fail(EINVAL,
				"event '%s': fixed counter %d counts it, and no other fixed one",
				event->name, event->arch->fixed);
	return 0;
}

static int parse(struct pmc_event *event, uint32_t core_type)
{
	struct pmc_processor processor = pmc_processor_current(core_type);
	int result;

	event->layout = processor.layout;
	if (!strncmp(event->name, "cpu/", 4))
		result = parse_cpu_event(event);
	else
		result = parse_named(event, &processor);
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
	/* a code, not a name */
	if (event->layout == PMC_LAYOUT_P5 && !event->counters &&
	    pmc_event_table_check_code(&processor, event))
		return -1;
	return check_fixed(event);
}

static struct pmc_event *parse_text(const char *text, size_t len, uint32_t core_type)
{
	struct pmc_event *event;
	int error;

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
	if (!parse(event, core_type))
		return event;
	error = errno;
	free(event);
	errno = error;
	return NULL;
}

PMC_API struct pmc_event *pmc_event_parse(const char *text)
{
	return parse_text(text, strlen(text), 0);
}

PMC_API struct pmc_event *pmc_event_parse_core_type(const char *text, uint32_t core_type)
{
	return parse_text(text, strlen(text), core_type);
}

/* Bytes of the first event of a list; commas between slashes are its own. */
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

PMC_API void pmc_event_free(struct pmc_event *event)
{
	free(event);
}

/* ---- what an event tells ---- */

PMC_API const char *pmc_event_name(const struct pmc_event *event)
{
	return event->name;
}

PMC_API uint64_t pmc_event_select(const struct pmc_event *event)
{
	return event->select | event->extra;
}

uint64_t pmc_event_select_on(const struct pmc_event *event, uint32_t counter)
{
	return counter & PMC_COUNTER_FIXED_FLAG ? event->extra : pmc_event_select(event);
}

PMC_API uint32_t pmc_event_modes(const struct pmc_event *event)
{
	return event->modes;
}

PMC_API int pmc_event_set_modes(struct pmc_event *event, uint32_t modes)
{
	if (!modes || modes & ~BOTH_MODES)
		return pmc_fail(EINVAL,
				"event '%s': the modes are PMC_COUNT_USER, PMC_COUNT_KERNEL or both",
				event->name);
	event->modes = modes;
	return 0;
}

PMC_API int pmc_event_set_counter(struct pmc_event *event, uint32_t counter)
{
	struct pmc_event changed = *event;

	changed.placement = PLACEMENT_COUNTER;
	changed.counter = counter;
	if (check_fixed(&changed))
		return -1;
	*event = changed;
	return 0;
}

PMC_API void pmc_event_set_initial(struct pmc_event *event, uint64_t value)
{
	event->initial = value;
}

PMC_API uint64_t pmc_event_period(const struct pmc_event *event)
{
	return event->period;
}

PMC_API void pmc_event_set_period(struct pmc_event *event, uint64_t period)
{
	event->period = period;
}

/* Whether no general counter counts it */
static bool is_fixed_only(const struct pmc_event *event)
{
	return event->placement == PLACEMENT_FIXED ||
	       (event->placement == PLACEMENT_ANY && event->arch && !event->arch->general);
}

static bool same_placement(const struct pmc_event *a, const struct pmc_event *b)
{
	if (is_fixed_only(a) || is_fixed_only(b))
		return is_fixed_only(a) && is_fixed_only(b) && a->arch == b->arch;
	return a->placement == b->placement &&
	       (a->placement != PLACEMENT_COUNTER || a->counter == b->counter);
}

/* What is for one kind of core is what is for all, there. */
static bool same_core_type(const struct pmc_event *a, const struct pmc_event *b)
{
	return !a->core_type || !b->core_type || a->core_type == b->core_type;
}

PMC_API bool pmc_event_equal(const struct pmc_event *a, const struct pmc_event *b)
{
	return a->layout == b->layout && same_core_type(a, b) &&
	       pmc_event_select(a) == pmc_event_select(b) && a->counters == b->counters &&
	       a->modes == b->modes && a->period == b->period && same_placement(a, b);
}

static const struct pmc_arch_event *arch_event(unsigned int bit)
{
	size_t i;

	for (i = 0; i < pmc_num_arch_events; i++)
		if (pmc_arch_events[i].bit == bit)
			return &pmc_arch_events[i];
	return NULL;
}

PMC_API const char *pmc_arch_event_name(unsigned int bit)
{
	const struct pmc_arch_event *event = arch_event(bit);

	return event ? event->name : NULL;
}

PMC_API const char *pmc_arch_event_text(unsigned int bit)
{
	const struct pmc_arch_event *event = arch_event(bit);

	return event ? event->text : NULL;
}

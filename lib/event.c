// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events and their texts */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "nearest.h"

#define BOTH_MODES	(PMC_COUNT_USER | PMC_COUNT_KERNEL)

const struct pmc_arch_event pmc_arch_events[] = {
#define PMC_ARCH_EVENT(...) { __VA_ARGS__ },
#include "arch-events.def"
#undef PMC_ARCH_EVENT
};

const size_t pmc_num_arch_events = ARRAY_SIZE(pmc_arch_events);

/*
 * Fields of IA32_PERFEVTSELx (SDM Volume 3B, "Architectural Performance
 * Monitoring Version 1 Facilities"). @term: name in cpu/TERM,.../, if a caller
 * may set it.
 */
static const struct field {
	const char *term;
	const char *name;
	unsigned int low;
	unsigned int bits;
} fields[] = {
	{ "event", "event", 0, 8 },
	{ "umask", "unit mask", 8, 8 },
	{ NULL, "user mode, set by :u", 16, 1 },
	{ NULL, "kernel mode, set by :k", 17, 1 },
	{ "edge", "edge", 18, 1 },
	{ NULL, "pin control", 19, 1 },
	{ NULL, "interrupt, set by the driver", 20, 1 },
	{ "any", "AnyThread", 21, 1 },
	{ NULL, "enable, set by the driver", 22, 1 },
	{ "inv", "invert", 23, 1 },
	{ "cmask", "counter mask", 24, 8 },
	{ NULL, "reserved", 32, 32 },
};

static uint64_t field_mask(const struct field *field)
{
	return ((1ULL << field->bits) - 1) << field->low;
}

void pmc_event_name_bits(uint64_t bits, char *text, size_t size)
{
	size_t used = 0, i;

	text[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(fields) && used < size; i++)
		if (bits & field_mask(&fields[i]))
			used += snprintf(text + used, size - used, "%s%s",
					 used ? "; " : "", fields[i].name);
}

/* ---- numbers and words ---- */

/* A whole number of C, all of @text, without sign or spaces. */
static bool parse_number(const char *text, size_t len, uint64_t max, uint64_t *number)
{
	char digits[24], *end;

	if (!len || len >= sizeof(digits) || !isdigit((unsigned char)text[0]))
		return false;
	memcpy(digits, text, len);
	digits[len] = '\0';
	errno = 0;
	*number = strtoull(digits, &end, digits[0] == '0' && (digits[1] | 32) == 'x' ? 16 : 10);
	return !errno && end == digits + len && isxdigit((unsigned char)end[-1]) &&
	       *number <= max;
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(text, word, len);
}

/* Capitals are small letters and '_' is '-'. */
static void normalise(const char *text, size_t len, char *name)
{
	size_t i;

	for (i = 0; i < len; i++)
		name[i] = text[i] == '_' ? '-' : tolower((unsigned char)text[i]);
	name[len] = '\0';
}

/* ---- names ---- */

static const struct pmc_arch_event *find_arch_event(const char *name)
{
	size_t i;

	for (i = 0; i < pmc_num_arch_events; i++)
		if (!strcmp(pmc_arch_events[i].name, name) ||
		    !strcmp(pmc_arch_events[i].alias, name))
			return &pmc_arch_events[i];
	return NULL;
}

/* The three nearest names, nearest first; NULL where there are fewer. */
static void find_nearest(const char *name, const char *nearest[3])
{
	unsigned int distance, best[3] = { NEAREST_NONE, NEAREST_NONE, NEAREST_NONE };
	size_t i;
	int at;

	for (i = 0; i < pmc_num_arch_events; i++) {
		distance = pmc_distance(name, pmc_arch_events[i].name);
		for (at = 3; at > 0 && distance < best[at - 1]; at--)
			if (at < 3) {
				best[at] = best[at - 1];
				nearest[at] = nearest[at - 1];
			}
		if (at < 3) {
			best[at] = distance;
			nearest[at] = pmc_arch_events[i].name;
		}
	}
}

static int fail_name(const char *name)
{
	const char *nearest[3] = { NULL, NULL, NULL };
	const char *advice = "see libpmcdrv(3) for the names, or give a raw code such as r00c0";

	find_nearest(name, nearest);
	if (nearest[2])
		return pmc_fail(EINVAL, "no event '%s'; did you mean '%s', '%s' or '%s'?",
				name, nearest[0], nearest[1], nearest[2]);
	if (nearest[1])
		return pmc_fail(EINVAL, "no event '%s'; did you mean '%s' or '%s'?",
				name, nearest[0], nearest[1]);
	if (nearest[0])
		return pmc_fail(EINVAL, "no event '%s'; did you mean '%s'?", name, nearest[0]);
	return pmc_fail(EINVAL, "no event '%s'; %s", name, advice);
}

/* rCODE: the event select in hexadecimal digits; ":" or the end follows */
static bool parse_code(const char *text, size_t len, uint64_t *select)
{
	size_t i;

	if (len < 2 || len > 17 || text[0] != 'r')
		return false;
	for (i = 1; i < len; i++)
		if (!isxdigit((unsigned char)text[i]))
			return false;
	*select = strtoull(text + 1, NULL, 16);
	return true;
}

static int parse_name(struct pmc_event *event, const char *text, size_t len)
{
	char name[PMC_EVENT_NAME_MAX + 1];

	if (!len)
		return pmc_fail(EINVAL, "an event without a name; see libpmcdrv(3) for the names");
	if (parse_code(text, len, &event->select))
		return 0;
	normalise(text, len, name);
	event->arch = find_arch_event(name);
	if (!event->arch)
		return fail_name(name);
	event->select = event->arch->select;
	return 0;
}

/* ---- cpu/TERM,.../ ---- */

static int parse_term(struct pmc_event *event, const char *term, size_t len)
{
	const char *equals = memchr(term, '=', len);
	size_t word_len = equals ? (size_t)(equals - term) : len;
	const struct field *field;
	uint64_t value = 1, max;

	for (field = fields; field < fields + ARRAY_SIZE(fields); field++)
		if (field->term && is_word(term, word_len, field->term))
			break;
	if (field == fields + ARRAY_SIZE(fields))
		return pmc_fail(EINVAL,
				"event '%s': unknown term '%.*s'; there are event=, umask=, cmask=, edge, inv and any",
				event->name, (int)len, term);
	max = (1ULL << field->bits) - 1;
	if (!equals && field->bits > 1)
		return pmc_fail(EINVAL, "event '%s': '%.*s' needs a value, such as %s=0x1",
				event->name, (int)len, term, field->term);
	if (equals && !parse_number(equals + 1, len - word_len - 1, max, &value))
		return pmc_fail(EINVAL,
				"event '%s': '%.*s': the value must be a number from 0 to %llu",
				event->name, (int)len, term, (unsigned long long)max);
	event->select &= ~field_mask(field);
	event->select |= value << field->low;
	return 0;
}

/* @text: what is between the slashes */
static int parse_terms(struct pmc_event *event, const char *text, const char *end)
{
	const char *comma;

	for (;;) {
		comma = memchr(text, ',', end - text);
		if (parse_term(event, text, (comma ? comma : end) - text))
			return -1;
		if (!comma)
			return 0;
		text = comma + 1;
	}
}

/* ---- modifiers ---- */

static int demand(struct pmc_event *event, bool fixed, const char *number, size_t len)
{
	uint64_t value;

	if (!number) {
		event->demand = fixed ? DEMAND_FIXED : DEMAND_GENERAL;
		return 0;
	}
	if (!parse_number(number, len, 63, &value))
		return pmc_fail(EINVAL, "event '%s': a counter's number must be from 0 to 63",
				event->name);
	event->demand = DEMAND_COUNTER;
	event->counter = fixed ? PMC_COUNTER_FIXED(value) : PMC_COUNTER_GENERAL(value);
	return 0;
}

static int set_cmask(struct pmc_event *event, const char *number, size_t len)
{
	uint64_t value;

	if (!parse_number(number, len, 255, &value))
		return pmc_fail(EINVAL, "event '%s': the counter mask must be from 0 to 255",
				event->name);
	event->extra &= ~(255ULL << SELECT_CMASK_SHIFT);
	event->extra |= value << SELECT_CMASK_SHIFT;
	return 0;
}

static int parse_modifier(struct pmc_event *event, const char *text, size_t len)
{
	bool has_value = len >= 2 && text[1] == '=';

	if (is_word(text, len, "u"))
		event->modes |= PMC_COUNT_USER;
	else if (is_word(text, len, "k"))
		event->modes |= PMC_COUNT_KERNEL;
	else if (is_word(text, len, "uk") || is_word(text, len, "ku"))
		event->modes |= BOTH_MODES;
	else if (is_word(text, len, "e"))
		event->extra |= SELECT_EDGE;
	else if (is_word(text, len, "i"))
		event->extra |= SELECT_INVERT;
	else if (is_word(text, len, "t"))
		event->extra |= SELECT_ANY;
	else if (has_value && text[0] == 'c')
		return set_cmask(event, text + 2, len - 2);
	else if (is_word(text, len, "f") || is_word(text, len, "g"))
		return demand(event, text[0] == 'f', NULL, 0);
	else if (has_value && (text[0] == 'f' || text[0] == 'g'))
		return demand(event, text[0] == 'f', text + 2, len - 2);
	else
		return pmc_fail(EINVAL,
				"event '%s': unknown modifier ':%.*s'; there are :u :k :e :i :t :c=N :f :f=N :g :g=N",
				event->name, (int)len, text);
	return 0;
}

/* @text: ":MODIFIER:..." or "" */
static int parse_modifiers(struct pmc_event *event, const char *text)
{
	size_t len;

	while (*text) {
		text++;
		len = strcspn(text, ":");
		if (parse_modifier(event, text, len))
			return -1;
		text += len;
	}
	return 0;
}

bool pmc_event_fits_fixed(const struct pmc_event *event)
{
	return event->arch && event->arch->fixed != NO_FIXED && !(event->extra & ~SELECT_ANY);
}

static int check_fixed(const struct pmc_event *event)
{
	bool fixed = event->demand == DEMAND_FIXED ||
		     (event->demand == DEMAND_COUNTER && event->counter & PMC_COUNTER_FIXED_FLAG);

	if (!fixed)
		return 0;
	if (!event->arch || event->arch->fixed == NO_FIXED)
		return pmc_fail(EINVAL, "event '%s': no fixed counter counts it; leave :f away",
				event->name);
	if (!pmc_event_fits_fixed(event))
		return pmc_fail(EINVAL,
				"event '%s': a fixed counter knows no edge, invert and counter mask; leave :f away",
				event->name);
	if (event->demand == DEMAND_COUNTER &&
	    event->counter != PMC_COUNTER_FIXED(event->arch->fixed))
		return pmc_fail(EINVAL,
				"event '%s': fixed counter %d counts it, and no other fixed one",
				event->name, event->arch->fixed);
	return 0;
}

/* ---- the whole text ---- */

static int parse_spelled(struct pmc_event *event, const char **rest)
{
	const char *first = event->name + strlen("cpu/");
	const char *slash = strchr(first, '/');

	if (!slash)
		return pmc_fail(EINVAL,
				"event '%s': the second slash is missing; write it as cpu/event=0xc0,umask=0x0/",
				event->name);
	*rest = slash + 1;
	if (**rest && **rest != ':')
		return pmc_fail(EINVAL,
				"event '%s': after the second slash only modifiers such as :u can stand",
				event->name);
	return parse_terms(event, first, slash);
}

static int parse(struct pmc_event *event)
{
	const char *rest = event->name + strcspn(event->name, ":");
	int result;

	if (!strncmp(event->name, "cpu/", 4))
		result = parse_spelled(event, &rest);
	else
		result = parse_name(event, event->name, rest - event->name);
	if (result || parse_modifiers(event, rest))
		return -1;
	if (!event->modes)
		event->modes = BOTH_MODES;
	if (!event->arch) {
		event->select |= event->extra;
		event->extra = 0;
	}
	return check_fixed(event);
}

static struct pmc_event *parse_text(const char *text, size_t len)
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
	if (!parse(event))
		return event;
	error = errno;
	free(event);
	errno = error;
	return NULL;
}

PMC_API struct pmc_event *pmc_event_parse(const char *text)
{
	return parse_text(text, strlen(text));
}

/* Bytes of the first event of a list; commas between slashes are its own. */
static size_t first_len(const char *list)
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
	size_t len = first_len(*list);
	const char *rest = *list + len;
	struct pmc_event *event;

	if (!len || !strcmp(rest, ",")) {
		pmc_fail(EINVAL, "an empty event in the list '%.40s'", *list);
		return NULL;
	}
	event = parse_text(*list, len);
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

	changed.demand = DEMAND_COUNTER;
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

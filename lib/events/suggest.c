// SPDX-License-Identifier: LGPL-2.1-or-later
/* Suggestions for unknown names and unit masks */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "libpmcevents.h"
#include "modifier.h"
#include "name_source.h"
#include "perf_nearest.h"
#include "suggest.h"
#include "topdown.h"

/* Shorter substrings match too many names. */
#define SUBSTRING_MIN	3

/* A name within this edit distance is treated as a typing error. */
#define TYPOS_MAX	2

static const char *const software[] = {
#define PMC_PERF_SOFTWARE(name) name,
#include "tables/aliases.def"
};

static const struct similar_name {
	const char *name;
	const char *substring;
} similar_names[] = {
#define PMC_SIMILAR_NAMES(name, substring) { name, substring },
#include "tables/aliases.def"
};

/* ---- substrings of names ---- */

static bool name_contains(const char *name, const char *substring)
{
	const struct pmc_token token = { name, strlen(name) };
	char normalised[256];

	if (token.len < strlen(substring))
		return false;
	pmc_token_normalise(&token, normalised, sizeof(normalised));
	return strstr(normalised, substring);
}

/* Whether the name of a countable event or of a unit mask contains @substring */
static bool any_name_contains(const struct pmc_event_list *list, const char *substring)
{
	const struct pmc_event_row *row;
	size_t i, j;

	for (i = 0; (row = pmc_event_list_row(list, i)); i++) {
		if (name_contains(row->name, substring) &&
		    !pmc_event_list_is_refused(list, row, SIZE_MAX))
			return true;
		for (j = 0; j < row->num_unit_masks; j++)
			if (name_contains(row->unit_masks[j].name, substring) &&
			    !pmc_event_list_is_refused(list, row, j))
				return true;
	}
	return false;
}

/* @name: normalised */
static bool is_similar(const struct similar_name *similar, const char *name)
{
	return !strncmp(name, similar->name, strlen(similar->name));
}

/* A substring of names similar to @name, or NULL. @name: normalised */
static const char *similar_substring(const struct pmc_event_list *list, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(similar_names); i++)
		if (is_similar(&similar_names[i], name) &&
		    any_name_contains(list, similar_names[i].substring))
			return similar_names[i].substring;
	return NULL;
}

/* A reference to the events with @substring in their names; NULL for all */
static void list_hint(const char *substring, char *text, size_t size)
{
	const struct pmc_hint events = {
		.topic = PMC_HINT_EVENTS, .cpu = PMC_CPU_ANY, .text = substring,
	};

	pmc_hint_text(&events, text, size);
}

/*
 * The list of events is not searched: loading libpfm4's names costs 38 million instructions,
 * and this message can precede a command. Of several substrings the last is that of the
 * oldest processors, which are those that do not have all architectural events.
 */
void pmc_suggest_similar(const char *name, char *text, size_t size)
{
	const char *substring = NULL;
	char hint[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(similar_names); i++)
		if (is_similar(&similar_names[i], name))
			substring = similar_names[i].substring;
	list_hint(substring, hint, sizeof(hint));
	snprintf(text, size, "see %s", hint);
}

/* ---- unknown names ---- */

static bool is_software(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(software); i++)
		if (!strcmp(name, software[i]))
			return true;
	return false;
}

static void add_unit_masks(struct pmc_nearest *nearest, const struct pmc_event_list *list,
			   const struct pmc_event_row *row)
{
	size_t i;

	for (i = 0; i < row->num_unit_masks; i++)
		if (pmc_nearest_accepts_mask(nearest, row->unit_masks[i].name) &&
		    !pmc_event_list_is_refused(list, row, i))
			pmc_nearest_add_mask(nearest, row->name, row->unit_masks[i].name);
}

/* A substring of similar names; NULL if the name is probably a typing error */
static const char *similar_unless_typo(const struct pmc_nearest *nearest,
				       const struct pmc_event_list *list)
{
	if (nearest->num && nearest->distance[0] <= TYPOS_MAX)
		return NULL;
	return similar_substring(list, nearest->unknown);
}

/*
 * With a code that the processor has: instructions, of a Pentium all that are executed. AMD's
 * L3 cache and data fabric have counters and codes of their own.
 */
static void suggest_raw_code(enum pmc_layout layout, const char *name, char *text, size_t size)
{
	char hint[128];

	list_hint(NULL, hint, sizeof(hint));
	if (layout == PMC_LAYOUT_AMD && (strstr(name, "l3") || strstr(name, "fabric")))
		snprintf(text, size, "see %s; L3 cache and data fabric are not counted here", hint);
	else
		snprintf(text, size, "see %s for the names, or give a raw code such as %s", hint,
			 layout == PMC_LAYOUT_P5 ? "r0016" : "r00c0");
}

/* The nearest names, or a raw code. @has_some: some names contain the unknown one */
static void suggest_nearest(enum pmc_layout layout, const struct pmc_nearest *nearest,
			    bool has_some, char *text, size_t size)
{
	char raw[256], hint[256];
	size_t used;

	suggest_raw_code(layout, nearest->unknown, raw, sizeof(raw));
	pmc_nearest_format(nearest, raw, text, size);
	used = strlen(text);
	if (!has_some)
		return;
	list_hint(nearest->unknown, hint, sizeof(hint));
	snprintf(text + used, size - used, " (see also %s)", hint);
}

/* What to do instead, as "; ..." */
static void suggest_names(enum pmc_layout layout, const struct pmc_token *name,
			  const struct pmc_event_list *list, char *text, size_t size)
{
	const struct pmc_event_row *row;
	struct pmc_nearest nearest;
	const char *substring;
	char hint[256];
	bool has_some;
	size_t i;

	pmc_nearest_init(&nearest, name);
	for (i = 0; (row = pmc_event_list_row(list, i)); i++)
		pmc_nearest_add(&nearest, row->name);
	substring = similar_unless_typo(&nearest, list);
	if (substring) {
		list_hint(substring, hint, sizeof(hint));
		snprintf(text, size, "; each processor has its own name for it: see %s", hint);
		return;
	}
	for (i = 0; (row = pmc_event_list_row(list, i)); i++)
		add_unit_masks(&nearest, list, row);
	has_some = name->len >= SUBSTRING_MIN && any_name_contains(list, nearest.unknown);
	if (nearest.num || !has_some) {
		suggest_nearest(layout, &nearest, has_some, text, size);
	} else {
		list_hint(nearest.unknown, hint, sizeof(hint));
		snprintf(text, size, "; it is a part of other names: see %s", hint);
	}
}

static int fail_unknown(const struct pmc_processor *processor, const struct pmc_token *name)
{
	const char *missing = pmc_names_incomplete_reason(processor);
	struct pmc_event_list *list;
	char text[1024], hint[128];

	if (name->text[0] == '{' || name->text[name->len - 1] == '}')
		return pmc_fail(EINVAL,
				"no event '%.*s': braces make a group of a list of events; write one event without them",
				(int)name->len, name->text);
	pmc_token_normalise(name, text, sizeof(text));
	if (is_software(text)) {
		list_hint(NULL, hint, sizeof(hint));
		return pmc_fail(EINVAL,
				"no event '%.*s': it is a software event of the kernel's perf; for the processor's events, see %s",
				(int)name->len, name->text, hint);
	}
	if (pmc_topdown_find_field(name) >= 0) {
		list_hint("topdown", hint, sizeof(hint));
		return pmc_fail(EINVAL,
				"no event '%.*s': it is a part of the performance metrics, which this processor does not have; see %s",
				(int)name->len, name->text, hint);
	}
	list = pmc_event_list_get_names(processor->core_type);
	if (!list)
		return -1;
	suggest_names(processor->layout, name, list, text, sizeof(text));
	pmc_event_list_free(list);
	return pmc_fail(EINVAL, "no event '%.*s'%s%s%s%s", (int)name->len, name->text, text,
			missing ? " (" : "", missing ? missing : "", missing ? ")" : "");
}

/* ---- unit masks ---- */

/* The nearest unit masks of the event, or where they are listed */
static int fail_unit_mask(const struct pmc_name_failure *failure, const char *text, int len)
{
	const struct pmc_event_row *row = failure->source->annotated(&failure->processor,
								       failure->event);
	const struct pmc_hint masks = { .topic = PMC_HINT_UNIT_MASKS, .cpu = PMC_CPU_ANY };
	const struct pmc_token *token = &failure->unit_mask;
	char advice[512], hint[128], see[160];
	struct pmc_nearest nearest;
	size_t i;

	if (!row)
		return -1;
	pmc_nearest_init(&nearest, token);
	for (i = 0; i < row->num_unit_masks; i++)
		if (!row->unit_masks[i].refused)
			pmc_nearest_add(&nearest, row->unit_masks[i].name);
	pmc_hint_text(&masks, hint, sizeof(hint));
	snprintf(see, sizeof(see), "see %s", hint);
	pmc_nearest_format(&nearest, see, advice, sizeof(advice));
	return pmc_fail(EINVAL, "event '%.*s': %s has no unit mask or modifier ':%.*s'%s%s", len,
			text, row->name, (int)token->len, token->text, pmc_modifier_advice(token),
			advice);
}

static int fail_needs_unit_mask(const struct pmc_name_failure *failure, const char *text, int len)
{
	const struct pmc_event_row *row = failure->source->annotated(&failure->processor,
								       failure->event);
	char masks[512] = "";
	size_t used = 0, i;

	if (!row)
		return -1;
	for (i = 0; i < row->num_unit_masks && used < sizeof(masks); i++)
		if (!row->unit_masks[i].refused)
			used += snprintf(masks + used, sizeof(masks) - used, "%s%s",
					 used ? " " : "", row->unit_masks[i].name);
	if (!used)
		return pmc_fail(EOPNOTSUPP,
				"event '%.*s': needs an extra register, which the driver does not set",
				len, text);
	return pmc_fail(EINVAL, "event '%.*s': %s needs a unit mask after ':', one of: %s", len,
			text, row->name, masks);
}

int pmc_suggest(const struct pmc_name_failure *failure, const char *text, size_t len)
{
	switch (failure->reason) {
	case NAME_UNKNOWN:
		return fail_unknown(&failure->processor, &failure->name);
	case NAME_UNKNOWN_UNIT_MASK:
		return fail_unit_mask(failure, text, len);
	case NAME_NEEDS_UNIT_MASK:
		return fail_needs_unit_mask(failure, text, len);
	case NAME_LACKING:
		return pmc_perf_fail_lacking(failure, text, len);
	case NAME_COMPLETE:
		break;
	}
	return -1;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* What to say to somebody who looks for an event by a name that is none here */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "suggest.h"
#include "resolve.h"

/* Parts of names that are shorter fit too many. */
#define SUBSTRING_MIN	3

/* A name that is so near is meant. */
#define TYPOS_MAX	2

static const struct {
	const char *name;
	const char *canonical;
} aliases[] = {
#define PMC_PERF_ALIAS(name, canonical) { name, canonical },
#include "tables/aliases.def"
};

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

const char *pmc_perf_event_name(const struct pmc_arch_event *arch)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(aliases[i].canonical, arch->name))
			return aliases[i].name;
	return NULL;
}

/* ---- parts of names ---- */

static bool name_contains(const char *name, const char *substring)
{
	const struct pmc_token token = { name, strlen(name) };
	char normalised[256];

	if (token.len < strlen(substring))
		return false;
	pmc_token_normalise(&token, normalised, sizeof(normalised));
	return strstr(normalised, substring);
}

/* Whether some event that this processor has is called so in part, or a unit mask is */
static bool any_name_contains(const struct pmc_event_list *list, const char *substring)
{
	const struct pmc_event_row *row;
	size_t i, j;

	for (i = 0; (row = pmc_event_list_row(list, i)); i++) {
		if (name_contains(row->name, substring) && !pmc_event_list_is_refused(list, row, SIZE_MAX))
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

/* A part that names that come near have, or NULL. @name: normalised */
static const char *similar_substring(const struct pmc_event_list *list, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(similar_names); i++)
		if (is_similar(&similar_names[i], name) && any_name_contains(list, similar_names[i].substring))
			return similar_names[i].substring;
	return NULL;
}

/*
 * The names themselves are not looked at: to have libpfm4's costs 38 million instructions,
 * and what is told here may be told before a command starts. Of several parts the last is
 * that of the oldest processors, which are those that lack something.
 */
void pmc_suggest_similar(const char *name, char *text, size_t size)
{
	const char *substring = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(similar_names); i++)
		if (is_similar(&similar_names[i], name))
			substring = similar_names[i].substring;
	if (substring)
		snprintf(text, size, "look for others with 'pmcctl list %s'", substring);
	else
		snprintf(text, size, "'pmcctl list' shows what there is");
}

/* ---- no such name ---- */

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

/* What a name that comes near is called on each processor; NULL if one is meant itself */
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
static const char *suggest_raw_code(enum pmc_layout layout, const char *name)
{
	if (layout == PMC_LAYOUT_AMD && (strstr(name, "l3") || strstr(name, "fabric")))
		return "see 'pmcctl list'; L3 cache and data fabric are not counted here";
	return layout == PMC_LAYOUT_P5 ?
	       "see 'pmcctl list' for the names, or give a raw code such as r0016" :
	       "see 'pmcctl list' for the names, or give a raw code such as r00c0";
}

/* Intel's manuals have a dot before a unit mask. */
static bool suggest_colon(const struct pmc_token *name, const struct pmc_event_list *list,
			 char *text, size_t size)
{
	const char *dot = memchr(name->text, '.', name->len);
	const struct pmc_event_row *row;
	size_t len, rest, i, j;

	if (!dot)
		return false;
	len = dot - name->text;
	rest = name->len - len - 1;
	for (i = 0; (row = pmc_event_list_row(list, i)); i++) {
		if (strlen(row->name) != len || strncasecmp(row->name, name->text, len))
			continue;
		for (j = 0; j < row->num_unit_masks; j++) {
			const char *mask = row->unit_masks[j].name;

			if (strlen(mask) != rest || strncasecmp(mask, dot + 1, rest))
				continue;
			snprintf(text, size, "; before a unit mask there is ':' here: '%s:%s'",
				 row->name, mask);
			return true;
		}
	}
	return false;
}

/* What to do instead, as "; ..." */
static void suggest_names(const struct pmc_processor *processor, const struct pmc_token *name,
		   const struct pmc_event_list *list, char *text, size_t size)
{
	const struct pmc_event_row *row;
	struct pmc_nearest nearest;
	const char *substring;
	size_t used, i;
	bool has_some;

	if (suggest_colon(name, list, text, size))
		return;
	pmc_nearest_init(&nearest, name);
	for (i = 0; (row = pmc_event_list_row(list, i)); i++)
		pmc_nearest_add(&nearest, row->name);
	substring = similar_unless_typo(&nearest, list);
	if (substring) {
		snprintf(text, size, "; each processor calls it otherwise: 'pmcctl list %s' shows what comes near",
			 substring);
		return;
	}
	for (i = 0; (row = pmc_event_list_row(list, i)); i++)
		add_unit_masks(&nearest, list, row);
	has_some = name->len >= SUBSTRING_MIN && any_name_contains(list, nearest.unknown);
	if (nearest.num || !has_some) {
		pmc_nearest_format(&nearest, suggest_raw_code(processor->layout, nearest.unknown), text,
				 size);
		used = strlen(text);
		if (has_some)
			snprintf(text + used, size - used, " ('pmcctl list %s' shows more)",
				 nearest.unknown);
	} else {
		snprintf(text, size, "; 'pmcctl list %s' shows those with it in their names",
			 nearest.unknown);
	}
}

int pmc_fail_unknown_name(const struct pmc_processor *processor, const struct pmc_token *name)
{
	const char *missing = pmc_names_incomplete_reason(processor);
	struct pmc_event_list *list;
	char text[1024];

	if (name->text[0] == '{' || name->text[name->len - 1] == '}')
		return pmc_fail(EINVAL,
				"no event '%.*s': perf has groups in braces; here they mean nothing, leave them away",
				(int)name->len, name->text);
	pmc_token_normalise(name, text, sizeof(text));
	if (is_software(text))
		return pmc_fail(EINVAL,
				"no event '%.*s': the kernel counts it for perf; here are the processor's events only, see 'pmcctl list'",
				(int)name->len, name->text);
	list = pmc_event_list_names(processor->core_type);
	if (!list)
		return -1;
	suggest_names(processor, name, list, text, sizeof(text));
	pmc_event_list_free(list);
	return pmc_fail(EINVAL, "no event '%.*s'%s%s%s%s", (int)name->len, name->text, text,
			missing ? " (" : "", missing ? missing : "", missing ? ")" : "");
}

/* ---- no such modifier ---- */

const char *pmc_suggest_modifier(const struct pmc_token *token)
{
	bool precise = false;
	size_t i;

	for (i = 0; i < token->len && strchr("ukp", token->text[i]); i++)
		precise |= token->text[i] == 'p';
	if (precise && i == token->len)
		return ", which is perf's precise sampling: there is none here, leave the p away";
	return "";
}

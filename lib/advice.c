// SPDX-License-Identifier: LGPL-2.1-or-later
/* What to say to somebody who looks for an event by a name that is none here */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "advice.h"
#include "resolve.h"

/* Parts of names that are shorter fit too many. */
#define PART_MIN	3

/* A name that is so near is meant. */
#define TYPING_ERRORS	2

static const struct {
	const char *name;
	const char *ours;
} aliases[] = {
#define PMC_PERF_ALIAS(name, ours) { name, ours },
#include "events/other-names.def"
};

static const char *const software[] = {
#define PMC_PERF_SOFTWARE(name) name,
#include "events/other-names.def"
};

static const struct near_name {
	const char *name;
	const char *part;
} near_names[] = {
#define PMC_NEAR_NAMES(name, part) { name, part },
#include "events/other-names.def"
};

const char *pmc_perf_name(const struct pmc_arch_event *arch)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(aliases[i].ours, arch->name))
			return aliases[i].name;
	return NULL;
}

/* ---- parts of names ---- */

static bool has_part(const char *name, const char *part)
{
	const struct pmc_word word = { name, strlen(name) };
	char normalised[256];

	if (word.len < strlen(part))
		return false;
	pmc_word_normalise(&word, normalised, sizeof(normalised));
	return strstr(normalised, part);
}

/* Whether some event that this processor has is called so in part, or a unit mask is */
static bool names_have(const struct pmc_event_list *list, const char *part)
{
	const struct pmc_event_row *row;
	size_t i, j;

	for (i = 0; (row = pmc_event_list_row(list, i)); i++) {
		if (has_part(row->name, part) && !pmc_list_is_refused(list, row, SIZE_MAX))
			return true;
		for (j = 0; j < row->num_unit_masks; j++)
			if (has_part(row->unit_masks[j].name, part) &&
			    !pmc_list_is_refused(list, row, j))
				return true;
	}
	return false;
}

/* @name: normalised */
static bool is_near(const struct near_name *near, const char *name)
{
	return !strncmp(name, near->name, strlen(near->name));
}

/* A part that names that come near have, or NULL. @name: normalised */
static const char *near_part(const struct pmc_event_list *list, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(near_names); i++)
		if (is_near(&near_names[i], name) && names_have(list, near_names[i].part))
			return near_names[i].part;
	return NULL;
}

/*
 * The names themselves are not looked at: to have libpfm4's costs 38 million instructions,
 * and what is told here may be told before a command starts. Of several parts the last is
 * that of the oldest processors, which are those that lack something.
 */
void pmc_advise_near(const char *name, char *text, size_t size)
{
	const char *part = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(near_names); i++)
		if (is_near(&near_names[i], name))
			part = near_names[i].part;
	if (part)
		snprintf(text, size, "look for others with 'pmcctl list %s'", part);
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

static void try_masks(struct pmc_nearest *nearest, const struct pmc_event_list *list,
		      const struct pmc_event_row *row)
{
	size_t i;

	for (i = 0; i < row->num_unit_masks; i++)
		if (pmc_nearest_is_mask(nearest, row->unit_masks[i].name) &&
		    !pmc_list_is_refused(list, row, i))
			pmc_nearest_try_mask(nearest, row->name, row->unit_masks[i].name);
}

/* What a name that comes near is called on each processor; NULL if one is meant itself */
static const char *near_or_meant(const struct pmc_nearest *nearest,
				 const struct pmc_event_list *list)
{
	if (nearest->num && nearest->distance[0] <= TYPING_ERRORS)
		return NULL;
	return near_part(list, nearest->wrong);
}

/*
 * With a code that the processor has: instructions, of a Pentium all that are executed. AMD's
 * L3 cache and data fabric have counters and codes of their own.
 */
static const char *raw_advice(enum pmc_layout layout, const char *name)
{
	if (layout == PMC_LAYOUT_AMD && (strstr(name, "l3") || strstr(name, "fabric")))
		return "see 'pmcctl list'; L3 cache and data fabric are not counted here";
	return layout == PMC_LAYOUT_P5 ?
	       "see 'pmcctl list' for the names, or give a raw code such as r0016" :
	       "see 'pmcctl list' for the names, or give a raw code such as r00c0";
}

/* Intel's manuals have a dot before a unit mask. */
static bool advise_colon(const struct pmc_word *name, const struct pmc_event_list *list,
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
static void advise(const struct pmc_processor *processor, const struct pmc_word *name,
		   const struct pmc_event_list *list, char *text, size_t size)
{
	const struct pmc_event_row *row;
	struct pmc_nearest nearest;
	const char *part;
	size_t used, i;
	bool has_some;

	if (advise_colon(name, list, text, size))
		return;
	pmc_nearest_begin(&nearest, name);
	for (i = 0; (row = pmc_event_list_row(list, i)); i++)
		pmc_nearest_try(&nearest, row->name);
	part = near_or_meant(&nearest, list);
	if (part) {
		snprintf(text, size, "; each processor calls it otherwise: 'pmcctl list %s' shows what comes near",
			 part);
		return;
	}
	for (i = 0; (row = pmc_event_list_row(list, i)); i++)
		try_masks(&nearest, list, row);
	has_some = name->len >= PART_MIN && names_have(list, nearest.wrong);
	if (nearest.num || !has_some) {
		pmc_nearest_text(&nearest, raw_advice(processor->layout, nearest.wrong), text,
				 size);
		used = strlen(text);
		if (has_some)
			snprintf(text + used, size - used, " ('pmcctl list %s' shows more)",
				 nearest.wrong);
	} else {
		snprintf(text, size, "; 'pmcctl list %s' shows those with it in their names",
			 nearest.wrong);
	}
}

int pmc_advise_name(const struct pmc_processor *processor, const struct pmc_word *name)
{
	const char *missing = pmc_names_missing(processor);
	struct pmc_event_list *list;
	char text[1024];

	if (name->text[0] == '{' || name->text[name->len - 1] == '}')
		return pmc_fail(EINVAL,
				"no event '%.*s': perf has groups in braces; here they mean nothing, leave them away",
				(int)name->len, name->text);
	pmc_word_normalise(name, text, sizeof(text));
	if (is_software(text))
		return pmc_fail(EINVAL,
				"no event '%.*s': the kernel counts it for perf; here are the processor's events only, see 'pmcctl list'",
				(int)name->len, name->text);
	list = pmc_list_names(processor->kind);
	if (!list)
		return -1;
	advise(processor, name, list, text, sizeof(text));
	pmc_event_list_free(list);
	return pmc_fail(EINVAL, "no event '%.*s'%s%s%s%s", (int)name->len, name->text, text,
			missing ? " (" : "", missing ? missing : "", missing ? ")" : "");
}

/* ---- no such modifier ---- */

const char *pmc_advise_modifier(const struct pmc_word *word)
{
	bool precise = false;
	size_t i;

	for (i = 0; i < word->len && strchr("ukp", word->text[i]); i++)
		precise |= word->text[i] == 'p';
	if (precise && i == word->len)
		return ", which is perf's precise sampling: there is none here, leave the p away";
	return "";
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Refuse a name of perf that this processor lacks, with the nearest that it has */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common.h"
#include "error.h"
#include "lex.h"
#include "parse.h"
#include "perf_names.h"
#include "perf_nearest.h"

/* Names of other units that are nearest to all names with the prefix */
static const struct {
	const char *prefix;
	const char *accesses;
	const char *misses;
} substitutes[] = {
	{ "LLC-", "cache-references", "cache-misses" },
	{ "node-", "cache-misses", "cache-misses" },
	{ "branch-load", "branches", "branch-misses" },
};

static bool is_miss(const char *name)
{
	return strstr(name, "misses");
}

/* The words before the last '-' but one of L1-dcache-load-misses, or the last */
static size_t unit_len(const char *name)
{
	const char *end = strstr(name, "-load");

	if (!end)
		end = strstr(name, "-store");
	if (!end)
		end = strstr(name, "-prefetch");
	return end ? (size_t)(end - name) : strcspn(name, "-");
}

/* A name of the same unit that the processor has; with @same_kind also a miss if @name is one */
static const char *near_in_unit(const struct pmc_processor *processor, const char *name,
				bool same_kind)
{
	struct pmc_event_row row;
	size_t len = unit_len(name), cursor = 0;

	while (pmc_perf_name_next(processor, &cursor, &row))
		if (!strncasecmp(row.name, name, len) && unit_len(row.name) == len &&
		    (!same_kind || is_miss(row.name) == is_miss(name)))
			return row.name;
	return NULL;
}

/* The substitute of another unit, if the processor has it */
static const char *substitute(const struct pmc_processor *processor, const char *name)
{
	struct pmc_name_failure failure;
	struct pmc_event *event;
	const char *other;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(substitutes); i++) {
		if (strncasecmp(name, substitutes[i].prefix, strlen(substitutes[i].prefix)))
			continue;
		other = is_miss(name) ? substitutes[i].misses : substitutes[i].accesses;
		event = pmc_parse(other, strlen(other), processor->core_type, &failure);
		pmc_event_free(event);
		if (event)
			return other;
	}
	return NULL;
}

static const char *nearest_name(const struct pmc_processor *processor, const char *name)
{
	const char *near = near_in_unit(processor, name, true);

	if (!near)
		near = substitute(processor, name);
	return near ? near : near_in_unit(processor, name, false);
}

int pmc_perf_fail_lacking(const struct pmc_name_failure *failure, const char *text, int len)
{
	const struct pmc_hint events = { .topic = PMC_HINT_EVENTS, .cpu = PMC_CPU_ANY };
	char name[64], needs_text[128] = "", hint[128];
	const struct pmc_token *token = &failure->name;
	const char *needs, *near;

	pmc_perf_name_lacking(&failure->processor, token, &needs);
	pmc_token_normalise(token, name, sizeof(name));
	near = nearest_name(&failure->processor, name);
	if (needs)
		snprintf(needs_text, sizeof(needs_text), "perf sets %s", needs);
	else
		snprintf(needs_text, sizeof(needs_text), "perf has no such event on this processor");
	if (near)
		return pmc_fail(EOPNOTSUPP, "event '%.*s': %s; the nearest that it has is '%s'",
				len, text, needs_text, near);
	pmc_hint_text(&events, hint, sizeof(hint));
	return pmc_fail(EOPNOTSUPP, "event '%.*s': %s; see %s", len, text, needs_text, hint);
}

// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl sweep: which events, and in which run */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cmd-sweep.h"

/* Bit of an architectural event select: what other programs do is counted too. */
#define SELECT_ANY	(1ULL << 21)

static int fail_memory(void)
{
	return complain("out of memory");
}

/* ---- growing lists ---- */

/* The reason without the event's name, which stands before it anyhow */
static const char *without_name(const char *reason, const char *name)
{
	static const char begin[] = "event '";
	size_t len = strlen(name);

	if (strncmp(reason, begin, strlen(begin)) || strncmp(reason + strlen(begin), name, len) ||
	    strncmp(reason + strlen(begin) + len, "': ", 3))
		return reason;
	return reason + strlen(begin) + len + 3;
}

static int leave_out(struct sweep *sweep, const char *name, const char *reason)
{
	struct sweep_left_out *list, *entry;

	list = realloc(sweep->left_out, (sweep->num_left_out + 1) * sizeof(*list));
	if (!list)
		return fail_memory();
	sweep->left_out = list;
	entry = &list[sweep->num_left_out++];
	entry->name = strdup(name);
	entry->reason = strdup(without_name(reason, name));
	return entry->name && entry->reason ? 0 : fail_memory();
}

/* Takes the event over. */
static int append(struct sweep *sweep, struct pmc_event *event)
{
	struct sweep_event *list;

	list = realloc(sweep->event, (sweep->num_events + 1) * sizeof(*list));
	if (!list) {
		pmc_event_free(event);
		return fail_memory();
	}
	sweep->event = list;
	list[sweep->num_events++] = (struct sweep_event){ .event = event, .clocks = SWEEP_ALONE };
	return 0;
}

/* ---- one event ---- */

/* Whether the same is counted already, by whatever name */
static bool is_there(const struct sweep *sweep, const struct pmc_event *event)
{
	size_t i;

	for (i = 0; i < sweep->num_events; i++)
		if (pmc_event_equal(sweep->event[i].event, event))
			return true;
	return false;
}

static bool counts_others(const struct sweep *sweep, const struct pmc_event *event)
{
	return pmc_info_query(sweep->info)->features & PMC_FEATURE(ANY_THREAD) &&
	       pmc_event_select(event) & SELECT_ANY;
}

/*
 * Add an event unless the same is there, or it cannot be counted: then it is left
 * out, or with @required that is a failure.
 */
static int add_event(struct sweep *sweep, const char *text, bool required)
{
	struct pmc_event *event = pmc_event_parse(text);
	const char *reason = NULL;

	if (!event || pmc_info_can_count(sweep->info, event))
		reason = pmc_error();
	else if (pmc_event_period(event))
		reason = "a period is for 'pmcctl record': sweep only counts, leave :p away";
	else if (counts_others(sweep, event))
		reason = "it counts other programs too (AnyThread)";
	else if (!is_there(sweep, event))
		return append(sweep, event);
	pmc_event_free(event);
	if (!reason)
		return 0;
	return required ? complain("%s", reason) : leave_out(sweep, text, reason);
}

/* ---- the events of a table ---- */

/* Of a duration its clocks are wanted, unless --clocks has them beside it. */
static const char *duration_modifier(const struct sweep *sweep, const struct pmc_event_row *row)
{
	return row->kind == PMC_KIND_DURATION && !sweep->clocks ? ":d" : "";
}

static int add_with_modifiers(struct sweep *sweep, const struct pmc_event_row *row,
			      const char *name)
{
	char *text;
	int result;

	if (asprintf(&text, "%s%s%s", name, duration_modifier(sweep, row), sweep->modifier) < 0)
		return fail_memory();
	result = add_event(sweep, text, false);
	free(text);
	return result;
}

/*
 * Its name, with each of its unit masks where it has some.
 * @pattern: of which unit masks, with their event's name before them; NULL for all
 * Return: 0, EXIT_TROUBLE, or -1 if there are none.
 */
static int add_row(struct sweep *sweep, const struct pmc_event_row *row, const char *pattern)
{
	int result = -1;
	char *name;
	size_t i;

	if (!row->num_unit_masks)
		return pattern ? -1 : add_with_modifiers(sweep, row, row->name);
	for (i = 0; i < row->num_unit_masks && result <= 0; i++) {
		if (asprintf(&name, "%s:%s", row->name, row->unit_masks[i].name) < 0)
			return fail_memory();
		if (!pattern || !fnmatch(pattern, name, FNM_CASEFOLD))
			result = add_with_modifiers(sweep, row, name);
		free(name);
	}
	return result;
}

static bool is_architectural(const struct pmc_event_row *row)
{
	return !strcmp(row->source, "architectural");
}

/* An architectural name for what the processor's own table has, perhaps, too */
static bool is_second_name(const struct pmc_event_row *row)
{
	return is_architectural(row) && row->counters && row->counters != PMC_ANY_COUNTER;
}

static bool is_first_name(const struct pmc_event_row *row)
{
	return !is_second_name(row);
}

/*
 * The rows whose names fit @pattern, or those that are @wanted.
 * Return: 0, EXIT_TROUBLE, or -1 if there are none.
 */
static int add_rows(struct sweep *sweep, const char *pattern,
		    bool (*wanted)(const struct pmc_event_row *row))
{
	const char *with_masks = pattern && strchr(pattern, ':') ? pattern : NULL;
	struct pmc_event_list *list = pmc_event_list_get();
	const struct pmc_event_row *row;
	int result = -1, added;
	size_t i;

	if (!list)
		return complain("%s", pmc_error());
	for (i = 0; result <= 0 && (row = pmc_event_list_row(list, i)); i++) {
		if (!with_masks &&
		    (pattern ? fnmatch(pattern, row->name, FNM_CASEFOLD) : !wanted(row)))
			continue;
		added = add_row(sweep, row, with_masks);
		result = added < 0 ? result : added;
	}
	if (result <= 0 && pmc_event_list_incomplete(list) && wanted == is_first_name)
		complain("this is not all: %s", pmc_event_list_incomplete(list));
	pmc_event_list_free(list);
	return result;
}

/* An architectural name is for what the table has not got by itself. */
static int add_all(struct sweep *sweep)
{
	int result = add_rows(sweep, NULL, is_first_name);

	if (result > 0)
		return result;
	return add_rows(sweep, NULL, is_second_name) > 0 ? EXIT_TROUBLE : 0;
}

/* One word of --event: all, architectural, a pattern or an event */
static int add_word(struct sweep *sweep, const char *word)
{
	char *text;
	int result;

	if (!strcmp(word, "all"))
		return add_all(sweep);
	if (!strcmp(word, "architectural"))
		return add_rows(sweep, NULL, is_architectural);
	if (strpbrk(word, "*?[")) {
		result = add_rows(sweep, word, NULL);
		if (result < 0)
			return complain("no event fits '%s'; 'pmcctl list' shows the names", word);
		return result;
	}
	if (asprintf(&text, "%s%s", word, event_text_has_modes(word) ? "" : sweep->modifier) < 0)
		return fail_memory();
	result = add_event(sweep, text, true);
	free(text);
	return result;
}

static int fail_nothing(const struct sweep *sweep)
{
	char held[PMC_HOLDER_LIST_SIZE];

	if (pmc_info_held(sweep->info, held, sizeof(held)))
		return complain("there is nothing to count: %s ('pmcctl who' tells all)", held);
	return complain("there is nothing to count: 'pmcctl info' tells about the counters");
}

static int add_set(struct sweep *sweep)
{
	const char *rest = sweep->set;
	int result = 0;
	char *word;

	do {
		word = event_text_next(&rest, "");
		if (!word)
			return fail_memory();
		if (!word[0] || (!*rest && rest[-1] == ','))
			result = complain("an empty event in the list '%s'", sweep->set);
		else
			result = add_word(sweep, word);
		free(word);
	} while (!result && *rest);
	return !result && !sweep->num_events ? fail_nothing(sweep) : result;
}

/* ---- clocks ---- */

/* The event with :d behind it, if it is one that occurs and both counters can count it */
static struct pmc_event *clocks_of(const struct sweep *sweep, const struct pmc_event *event)
{
	struct pmc_event *clocks;
	char *text;

	if (asprintf(&text, "%s:d", pmc_event_name(event)) < 0)
		return NULL;
	clocks = pmc_event_parse(text);
	free(text);
	if (clocks && !pmc_event_equal(clocks, event) &&
	    !pmc_info_can_count(sweep->info, clocks))
		return clocks;
	pmc_event_free(clocks);
	return NULL;
}

/* Whether two events fit into one run */
static bool fit_together(const struct sweep *sweep, struct pmc_event *a, struct pmc_event *b)
{
	struct pmc_event *pair[] = { a, b };
	unsigned int run;

	return !pmc_info_plan(sweep->info, NULL, 0, pair, 2, &run);
}

/* Behind each event that has them the count of its clocks */
static int add_clocks(struct sweep *sweep)
{
	size_t num = sweep->num_events, i;
	struct pmc_event *clocks;

	for (i = 0; i < num; i++) {
		clocks = clocks_of(sweep, sweep->event[i].event);
		if (!clocks)
			continue;
		if (!fit_together(sweep, sweep->event[i].event, clocks)) {
			pmc_event_free(clocks);
			continue;
		}
		if (append(sweep, clocks))
			return EXIT_TROUBLE;
		sweep->event[i].clocks = sweep->num_events - 1;
		sweep->event[sweep->num_events - 1].is_clocks = true;
	}
	if (sweep->num_events == num)
		return complain("--clocks: none of these events can be counted in clocks; it is for the Pentium");
	return 0;
}

/* ---- runs ---- */

/* Pairs have runs of their own, behind the others. */
static void plan_pairs(struct sweep *sweep)
{
	size_t i;

	for (i = 0; i < sweep->num_events; i++) {
		if (sweep->event[i].clocks == SWEEP_ALONE)
			continue;
		sweep->event[i].slot = sweep->slots;
		sweep->event[sweep->event[i].clocks].slot = sweep->slots++;
	}
}

static bool is_single(const struct sweep_event *event)
{
	return event->clocks == SWEEP_ALONE && !event->is_clocks;
}

static int plan_singles(struct sweep *sweep, struct pmc_event **events, unsigned int *run)
{
	size_t num = 0, i;
	int runs;

	for (i = 0; i < sweep->num_events; i++)
		if (is_single(&sweep->event[i]))
			events[num++] = sweep->event[i].event;
	runs = pmc_info_plan(sweep->info, events, num, &sweep->reference, !!sweep->reference, run);
	if (runs < 0)
		return complain("%s", pmc_error());
	sweep->slots = runs;
	for (i = 0, num = 0; i < sweep->num_events; i++)
		if (is_single(&sweep->event[i]))
			sweep->event[i].slot = run[num++];
	return 0;
}

/*
 * Instructions in user mode are counted in every run where a fixed counter does
 * it, to tell whether the command does the same each time.
 */
static void choose_reference(struct sweep *sweep)
{
	size_t i;

	sweep->reference = pmc_event_parse("instructions:u:f");
	if (!sweep->reference || pmc_info_can_count(sweep->info, sweep->reference))
		goto none;
	/* the set's own one needs that counter, if it is for no other */
	for (i = 0; i < sweep->num_events; i++)
		if (!fit_together(sweep, sweep->reference, sweep->event[i].event))
			goto none;
	return;

none:
	pmc_event_free(sweep->reference);
	sweep->reference = NULL;
}

/* The event of the set that is instructions in user mode */
static void find_instructions(struct sweep *sweep)
{
	struct pmc_event *wanted = pmc_event_parse("instructions:u");
	size_t i;

	sweep->instructions = SWEEP_ALONE;
	for (i = 0; i < sweep->num_events && wanted; i++)
		if (pmc_event_equal(sweep->event[i].event, wanted))
			sweep->instructions = i;
	pmc_event_free(wanted);
}

int sweep_plan(struct sweep *sweep)
{
	struct pmc_event **events;
	unsigned int *run;
	int result;

	if (add_set(sweep) || (sweep->clocks && add_clocks(sweep)))
		return EXIT_TROUBLE;
	choose_reference(sweep);
	find_instructions(sweep);
	events = calloc(sweep->num_events, sizeof(*events));
	run = calloc(sweep->num_events, sizeof(*run));
	if (events && run)
		result = plan_singles(sweep, events, run);
	else
		result = fail_memory();
	free(events);
	free(run);
	if (!result)
		plan_pairs(sweep);
	return result;
}

void sweep_free_events(struct sweep *sweep)
{
	while (sweep->num_events) {
		sweep->num_events--;
		pmc_event_free(sweep->event[sweep->num_events].event);
		free(sweep->event[sweep->num_events].count);
	}
	while (sweep->num_left_out) {
		sweep->num_left_out--;
		free(sweep->left_out[sweep->num_left_out].name);
		free(sweep->left_out[sweep->num_left_out].reason);
	}
	free(sweep->event);
	free(sweep->left_out);
	pmc_event_free(sweep->reference);
	sweep->event = NULL;
	sweep->left_out = NULL;
	sweep->reference = NULL;
}

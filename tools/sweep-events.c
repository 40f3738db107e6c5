// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl sweep: which events, and in which run */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd-sweep.h"
#include "memory.h"

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

/* Each kind of core may have a row for the same name. */
static bool is_left_out(const struct sweep *sweep, const char *name)
{
	size_t i;

	for (i = 0; i < sweep->num_left_out; i++)
		if (!strcmp(sweep->left_out[i].name, name))
			return true;
	return false;
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

size_t sweep_name_len(const struct sweep *sweep, const char *name)
{
	size_t len = strlen(name), tail = strlen(sweep->modifier);

	return len > tail && !strcmp(name + len - tail, sweep->modifier) ? len - tail : len;
}

/* The same that is counted already, by whatever name, or NULL */
static struct sweep_event *find_same(const struct sweep *sweep, const struct pmc_event *event)
{
	size_t i;

	for (i = 0; i < sweep->num_events; i++)
		if (pmc_event_equal(sweep->event[i].event, event))
			return &sweep->event[i];
	return NULL;
}

static void add_other_name(struct sweep_event *same, const char *text, bool asked)
{
	size_t i;

	if (!strcasecmp(pmc_event_name(same->event), text))
		return;
	for (i = 0; i < same->num_others; i++)
		if (!strcasecmp(same->other[i].text, text)) {
			same->other[i].asked |= asked;
			return;
		}
	same->other = must_grow(same->other, same->num_others, sizeof(*same->other));
	same->other[same->num_others++] = (struct sweep_name){ must_strdup(text), asked };
}

static bool counts_others(const struct sweep *sweep, const struct pmc_event *event)
{
	return pmc_info_query(sweep->info)->features & PMC_FEATURE(ANY_THREAD) &&
	       pmc_event_select(event) & SELECT_ANY;
}

/* Why an event cannot be counted, or NULL. @event: NULL if the parser refused it */
static const char *reason_against(const struct sweep *sweep, const struct pmc_event *event)
{
	if (!event || pmc_info_can_count(sweep->info, event))
		return pmc_error();
	if (pmc_event_period(event))
		return "a period is for 'pmcctl record': sweep only counts, leave :p away";
	if (counts_others(sweep, event))
		return "it counts other programs too (AnyThread)";
	return NULL;
}

/*
 * Add an event, or another name to the same, or leave it out.
 * @asked: it is in the set by name
 */
static int add_event(struct sweep *sweep, const char *text, bool asked)
{
	struct pmc_event *event = pmc_event_parse_kind(text, sweep->measure.kind);
	const char *reason = reason_against(sweep, event);
	struct sweep_event *same;
	int result = 0;

	if (reason) {
		if (asked || !is_left_out(sweep, text))
			result = leave_out(sweep, text, reason);
		pmc_event_free(event);
		return result;
	}
	sweep->found++;
	same = find_same(sweep, event);
	if (!same)
		return append(sweep, event);
	add_other_name(same, text, asked);
	pmc_event_free(event);
	return 0;
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
 * Return: 0, EXIT_TROUBLE, or -1 if there are none such.
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
		if (!pattern || event_text_fits(name, pattern))
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
 * The rows whose names fit @pattern, or those that are @wanted. Not the performance
 * metrics, which are fractions of one thread.
 * Return: 0, EXIT_TROUBLE, or -1 if there are none.
 */
static int add_rows(struct sweep *sweep, const char *pattern,
		    bool (*wanted)(const struct pmc_event_row *row))
{
	struct pmc_event_list *list = pmc_event_list_get_kind(sweep->measure.kind);
	const struct pmc_event_row *row;
	int result = -1, added;
	size_t i;

	if (!list)
		return complain("%s", pmc_error());
	for (i = 0; result <= 0 && (row = pmc_event_list_row(list, i)); i++) {
		if ((!pattern && !wanted(row)) || row->fixed == PMC_FIXED_METRICS)
			continue;
		/* all of an event that fits itself, else those unit masks that do */
		added = add_row(sweep, row, !pattern || event_text_fits(row->name, pattern) ?
					    NULL : pattern);
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

/* ---- an event by its name ---- */

static bool same_name(const char *name, const char *word, size_t len)
{
	char copy[256];

	if (!name || len >= sizeof(copy))
		return false;
	memcpy(copy, word, len);
	copy[len] = '\0';
	return !strpbrk(copy, "*?[") && event_text_fits(name, copy);
}

/* Whether a word behind an event's name is a unit mask: a small letter is a modifier. */
static bool is_mask(const struct pmc_event_row *row, const char *word, size_t len)
{
	size_t i;

	if (len == 1 && *word >= 'a' && *word <= 'z')
		return false;
	for (i = 0; i < row->num_unit_masks; i++)
		if (same_name(row->unit_masks[i].name, word, len))
			return true;
	return false;
}

/* @behind: ":WORD:..." or "" */
static bool has_mask(const struct pmc_event_row *row, const char *behind)
{
	size_t len;

	for (; *behind; behind += len) {
		len = strcspn(++behind, ":");
		if (is_mask(row, behind, len))
			return true;
	}
	return false;
}

/* The event of a word that is to be counted with each of its unit masks, or NULL */
static const struct pmc_event_row *row_of(const struct pmc_event_list *list, const char *word)
{
	size_t len = strcspn(word, ":"), i;
	const struct pmc_event_row *row;

	for (i = 0; (row = pmc_event_list_row(list, i)); i++)
		if (row->num_unit_masks && !has_mask(row, word + len) &&
		    (same_name(row->name, word, len) || same_name(row->alias, word, len)))
			return row;
	return NULL;
}

/* @behind: what stands behind the name and the unit mask */
static int add_asked(struct sweep *sweep, const char *name, const char *mask,
		     const char *behind)
{
	bool has_modes = event_text_has_modes(name) || event_text_has_modes(behind);
	char *text;
	int result;

	if (asprintf(&text, "%s%s%s%s", name, mask, behind,
		     has_modes ? "" : sweep->modifier) < 0)
		return fail_memory();
	result = add_event(sweep, text, true);
	free(text);
	return result;
}

/* Nothing of a word can be counted, and what was left out since @first tells why. */
static int fail_word(const struct sweep *sweep, const char *word, size_t first)
{
	const char *reason = sweep->left_out[first].reason;

	/* the parser names it itself */
	if (!strncmp(reason, "no event ", 9) || !strncmp(reason, "event '", 7))
		return complain("%s", reason);
	return complain("event '%s': %s", word, reason);
}

static int add_by_name(struct sweep *sweep, const char *word)
{
	size_t found = sweep->found, first = sweep->num_left_out, i;
	struct pmc_event_list *list = pmc_event_list_get_kind(sweep->measure.kind);
	const struct pmc_event_row *row;
	char mask[256];
	int result = 0;

	if (!list)
		return complain("%s", pmc_error());
	row = row_of(list, word);
	if (!row)
		result = add_asked(sweep, word, "", "");
	for (i = 0; row && i < row->num_unit_masks && !result; i++) {
		snprintf(mask, sizeof(mask), ":%s", row->unit_masks[i].name);
		result = add_asked(sweep, row->name, mask, word + strcspn(word, ":"));
	}
	pmc_event_list_free(list);
	return !result && sweep->found == found ? fail_word(sweep, word, first) : result;
}

/* One word of --event: all, architectural, a pattern or an event */
static int add_word(struct sweep *sweep, const char *word)
{
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
	return add_by_name(sweep, word);
}

/* Whether some event before @index was left out for the same reason */
static bool reason_is_told(const struct sweep *sweep, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (!strcmp(sweep->left_out[i].reason, sweep->left_out[index].reason))
			return true;
	return false;
}

static void tell_reasons(const struct sweep *sweep)
{
	const struct sweep_left_out *list = sweep->left_out;
	size_t i, j, more;

	for (i = 0; i < sweep->num_left_out; i++) {
		if (reason_is_told(sweep, i))
			continue;
		for (j = i + 1, more = 0; j < sweep->num_left_out; j++)
			more += !strcmp(list[i].reason, list[j].reason);
		if (more)
			complain("left out %.*s and %zu more: %s",
				 (int)sweep_name_len(sweep, list[i].name), list[i].name, more,
				 list[i].reason);
		else
			complain("left out %.*s: %s", (int)sweep_name_len(sweep, list[i].name),
				 list[i].name, list[i].reason);
	}
}

static int fail_nothing(const struct sweep *sweep)
{
	char held[PMC_HOLDER_LIST_SIZE];

	if (pmc_info_held(sweep->info, held, sizeof(held)))
		return complain("there is nothing to count: %s ('pmcctl who' tells all)", held);
	tell_reasons(sweep);
	return complain("there is nothing to count");
}

static int add_set(struct sweep *sweep)
{
	const char *rest = sweep->set;
	int result = 0;
	char *word;

	if (event_text_check(sweep->set))
		return EXIT_TROUBLE;
	do {
		word = event_text_next(&rest, "");
		if (!word)
			return fail_memory();
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
	clocks = pmc_event_parse_kind(text, sweep->measure.kind);
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

static void free_others(struct sweep_event *event)
{
	while (event->num_others)
		free(event->other[--event->num_others].text);
	free(event->other);
}

void sweep_free_events(struct sweep *sweep)
{
	while (sweep->num_events) {
		sweep->num_events--;
		free_others(&sweep->event[sweep->num_events]);
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

// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl sweep: select the events and assign each to a run */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sweep/sweep.h"
#include "util/error.h"
#include "util/event-text.h"
#include "util/xalloc.h"

/* ---- growing lists ---- */

/* The reason without the event's name, which is printed before it */
static const char *without_name(const char *reason, const char *name)
{
	static const char begin[] = "event '";
	size_t len = strlen(name);

	if (strncmp(reason, begin, strlen(begin)) || strncmp(reason + strlen(begin), name, len) ||
	    strncmp(reason + strlen(begin) + len, "': ", 3))
		return reason;
	return reason + strlen(begin) + len + 3;
}

/* Each core type may have a row with the same name. */
static bool is_skipped(const struct sweep *sweep, const char *name)
{
	size_t i;

	for (i = 0; i < sweep->num_skipped; i++)
		if (!strcmp(sweep->skipped[i].name, name))
			return true;
	return false;
}

static void skip_event(struct sweep *sweep, const char *name, const char *reason)
{
	sweep->skipped = xgrow(sweep->skipped, sweep->num_skipped, sizeof(*sweep->skipped));
	sweep->skipped[sweep->num_skipped++] =
		(struct sweep_skipped){ xstrdup(name), xstrdup(without_name(reason, name)) };
}

/* Append an event; the sweep owns it from now on. */
static void append(struct sweep *sweep, struct pmc_event *event)
{
	sweep->event = xgrow(sweep->event, sweep->num_events, sizeof(*sweep->event));
	sweep->event[sweep->num_events++] =
		(struct sweep_event){ .event = event, .clocks = SWEEP_UNPAIRED };
}

/* ---- one event ---- */

size_t sweep_name_len(const struct sweep *sweep, const char *name)
{
	size_t len = strlen(name), tail = strlen(sweep->modifier);

	return len > tail && !strcmp(name + len - tail, sweep->modifier) ? len - tail : len;
}

/* An equal event that is in the sweep already, under any name; or NULL */
static struct sweep_event *find_equal_event(const struct sweep *sweep,
					    const struct pmc_event *event)
{
	size_t i;

	for (i = 0; i < sweep->num_events; i++)
		if (pmc_event_equal(sweep->event[i].event, event))
			return &sweep->event[i];
	return NULL;
}

static void add_alias(struct sweep_event *same, const char *text, bool requested)
{
	size_t i;

	if (!strcasecmp(pmc_event_name(same->event), text))
		return;
	for (i = 0; i < same->num_aliases; i++)
		if (!strcasecmp(same->alias[i].text, text)) {
			same->alias[i].requested |= requested;
			return;
		}
	same->alias = xgrow(same->alias, same->num_aliases, sizeof(*same->alias));
	same->alias[same->num_aliases++] = (struct sweep_alias){ xstrdup(text), requested };
}

/* The reason why an event cannot be counted, or NULL. @event: NULL if it could not be parsed */
static const char *uncountable_reason(const struct sweep *sweep, const struct pmc_event *event)
{
	if (!event || pmc_info_can_count(sweep->info, event))
		return pmc_error();
	if (pmc_event_period(event))
		return "a period is for 'pmcctl record': sweep only counts; leave out :p";
	if (pmc_info_counts_sibling(sweep->info, event))
		return "it counts other programs too, on the sibling thread";
	return NULL;
}

/*
 * Add an event; or add its name to an equal event; or leave it out with a reason.
 * @requested: the set has it by name
 */
static void add_event(struct sweep *sweep, const char *text, bool requested)
{
	struct pmc_event *event = pmc_event_parse_core_type(text, sweep->session.core_type);
	const char *reason = uncountable_reason(sweep, event);
	struct sweep_event *same;

	if (reason) {
		if (requested || !is_skipped(sweep, text))
			skip_event(sweep, text, reason);
		pmc_event_free(event);
		return;
	}
	sweep->num_countable++;
	same = find_equal_event(sweep, event);
	if (!same) {
		append(sweep, event);
		return;
	}
	add_alias(same, text, requested);
	pmc_event_free(event);
}

/* ---- the events of a table ---- */

static void add_with_modifier(struct sweep *sweep, const char *name)
{
	char *text = xasprintf("%s%s", name, sweep->modifier);

	add_event(sweep, text, false);
	free(text);
}

/*
 * Add the event of a row, or one event for each of its unit masks.
 * @pattern: NAME:UNIT-MASK must match it; NULL for all unit masks
 * Return: whether there was something to add
 */
static bool add_row(struct sweep *sweep, const struct pmc_event_row *row, const char *pattern)
{
	bool found = false;
	char *name;
	size_t i;

	if (!row->num_unit_masks && !pattern) {
		add_with_modifier(sweep, row->name);
		return true;
	}
	for (i = 0; i < row->num_unit_masks; i++) {
		name = xasprintf("%s:%s", row->name, row->unit_masks[i].name);
		if (!pattern || event_text_matches(name, pattern)) {
			add_with_modifier(sweep, name);
			found = true;
		}
		free(name);
	}
	return found;
}

static bool is_architectural(const struct pmc_event_row *row)
{
	return !strcmp(row->source, "architectural");
}

/* Is it an architectural name, which the processor's own table may have under another name? */
static bool is_arch_alias(const struct pmc_event_row *row)
{
	return is_architectural(row) && row->counters && row->counters != PMC_ANY_COUNTER;
}

static bool is_native_name(const struct pmc_event_row *row)
{
	return !is_arch_alias(row);
}

/*
 * Add the rows with names that match @pattern, or that are @wanted, except for the
 * performance metrics, which are fractions of one thread.
 * Return: whether there were any
 */
static bool add_rows(struct sweep *sweep, const struct pmc_event_list *list, const char *pattern,
		     bool (*wanted)(const struct pmc_event_row *row))
{
	const struct pmc_event_row *row;
	bool found = false;
	size_t i;

	for (i = 0; (row = pmc_event_list_row(list, i)); i++) {
		if ((wanted && !wanted(row)) || row->fixed == PMC_FIXED_PERF_METRICS)
			continue;
		/* all unit masks if the event matches, else the unit masks that match */
		found |= add_row(sweep, row, !pattern || event_text_matches(row->name, pattern) ?
				 NULL : pattern);
	}
	return found;
}

/* Add all events: those of the table, then architectural ones that the table lacks. */
static void add_all(struct sweep *sweep, const struct pmc_event_list *list)
{
	add_rows(sweep, list, NULL, is_native_name);
	if (pmc_event_list_incomplete(list))
		report_error("the list of events is incomplete: %s",
			     pmc_event_list_incomplete(list));
	add_rows(sweep, list, NULL, is_arch_alias);
}

/* ---- an event by its name ---- */

static bool same_name(const char *name, const char *selector, size_t len)
{
	char copy[256];

	if (!name || len >= sizeof(copy))
		return false;
	memcpy(copy, selector, len);
	copy[len] = '\0';
	return !strpbrk(copy, "*?[") && event_text_matches(name, copy);
}

/* Is a word after an event's name a unit mask? A lower-case letter is a modifier. */
static bool is_mask(const struct pmc_event_row *row, const char *selector, size_t len)
{
	size_t i;

	if (len == 1 && *selector >= 'a' && *selector <= 'z')
		return false;
	for (i = 0; i < row->num_unit_masks; i++)
		if (same_name(row->unit_masks[i].name, selector, len))
			return true;
	return false;
}

/* @suffix: ":WORD:..." or "" */
static bool has_mask(const struct pmc_event_row *row, const char *suffix)
{
	size_t len;

	for (; *suffix; suffix += len) {
		len = strcspn(++suffix, ":");
		if (is_mask(row, suffix, len))
			return true;
	}
	return false;
}

/* The event of a selector that is counted with each of its unit masks, or NULL */
static const struct pmc_event_row *find_row(const struct pmc_event_list *list, const char *selector)
{
	size_t len = strcspn(selector, ":"), i;
	const struct pmc_event_row *row;

	for (i = 0; (row = pmc_event_list_row(list, i)); i++)
		if (row->num_unit_masks && !has_mask(row, selector + len) &&
		    (same_name(row->name, selector, len) || same_name(row->alias, selector, len)))
			return row;
	return NULL;
}

/* @suffix: the text after the name and the unit mask */
static void add_requested(struct sweep *sweep, const char *name, const char *mask,
			  const char *suffix)
{
	bool has_modes = event_text_has_modes(name) || event_text_has_modes(suffix);
	char *text = xasprintf("%s%s%s%s", name, mask, suffix, has_modes ? "" : sweep->modifier);

	add_event(sweep, text, true);
	free(text);
}

/* Report that no event of a selector can be counted, with the reason of the one at @first. */
static int fail_selector(const struct sweep *sweep, const char *selector, size_t first)
{
	const char *reason = sweep->skipped[first].reason;

	/* messages of the parser name the event */
	if (!strncmp(reason, "no event ", 9) || !strncmp(reason, "event '", 7))
		return report_error("%s", reason);
	return report_error("event '%s': %s", selector, reason);
}

static int add_by_name(struct sweep *sweep, const struct pmc_event_list *list, const char *selector)
{
	size_t num_countable = sweep->num_countable, first = sweep->num_skipped, i;
	const struct pmc_event_row *row = find_row(list, selector);
	char mask[256];

	if (!row)
		add_requested(sweep, selector, "", "");
	for (i = 0; row && i < row->num_unit_masks; i++) {
		snprintf(mask, sizeof(mask), ":%s", row->unit_masks[i].name);
		add_requested(sweep, row->name, mask, selector + strcspn(selector, ":"));
	}
	return sweep->num_countable == num_countable ? fail_selector(sweep, selector, first) : 0;
}

/* Add the events of one element of --event: all, architectural, a pattern or an event. */
static int add_selector(struct sweep *sweep, const struct pmc_event_list *list,
			const char *selector)
{
	if (!strcmp(selector, "all"))
		add_all(sweep, list);
	else if (!strcmp(selector, "architectural"))
		add_rows(sweep, list, NULL, is_architectural);
	else if (!strpbrk(selector, "*?["))
		return add_by_name(sweep, list, selector);
	else if (!add_rows(sweep, list, selector, NULL))
		return report_error("no event matches '%s'; 'pmcctl list' prints the names",
				    selector);
	return 0;
}

/* Was an event before @index left out for the same reason? */
static bool is_reason_repeated(const struct sweep *sweep, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (!strcmp(sweep->skipped[i].reason, sweep->skipped[index].reason))
			return true;
	return false;
}

static void report_reasons(const struct sweep *sweep)
{
	const struct sweep_skipped *list = sweep->skipped;
	size_t i, j, more;

	for (i = 0; i < sweep->num_skipped; i++) {
		if (is_reason_repeated(sweep, i))
			continue;
		for (j = i + 1, more = 0; j < sweep->num_skipped; j++)
			more += !strcmp(list[i].reason, list[j].reason);
		if (more)
			report_error("left out %.*s and %zu more: %s",
				     (int)sweep_name_len(sweep, list[i].name), list[i].name, more,
				     list[i].reason);
		else
			report_error("left out %.*s: %s", (int)sweep_name_len(sweep, list[i].name),
				     list[i].name, list[i].reason);
	}
}

static int fail_nothing(const struct sweep *sweep)
{
	char held[PMC_HOLDER_LIST_SIZE];

	if (pmc_info_excluded_text(sweep->info, held, sizeof(held)))
		return report_error("there is nothing to count: %s ('pmcctl who' shows all)", held);
	report_reasons(sweep);
	return report_error("there is nothing to count");
}

static int add_set(struct sweep *sweep)
{
	struct pmc_event_list *list;
	const char *rest = sweep->set;
	int result = 0;
	char *selector;

	if (event_text_check(sweep->set))
		return EXIT_TROUBLE;
	list = pmc_event_list_get_core_type(sweep->session.core_type);
	if (!list)
		return report_error("%s", pmc_error());
	do {
		selector = event_text_next(&rest, "");
		result = add_selector(sweep, list, selector);
		free(selector);
	} while (!result && *rest);
	pmc_event_list_free(list);
	return !result && !sweep->num_events ? fail_nothing(sweep) : result;
}

/* ---- clocks ---- */

/*
 * Insert @unit (:d for clocks, :n for occurrences) before the modifier of the sweep.
 * Return: the event; NULL if it counts the same as @event or cannot be counted
 */
static struct pmc_event *counted_in(const struct sweep *sweep, const struct pmc_event *event,
				    const char *unit)
{
	const char *name = pmc_event_name(event);
	size_t len = sweep_name_len(sweep, name);
	char *text = xasprintf("%.*s%s%s", (int)len, name, unit, name + len);
	struct pmc_event *other = pmc_event_parse_core_type(text, sweep->session.core_type);

	free(text);
	if (other && !pmc_event_equal(other, event) && !pmc_info_can_count(sweep->info, other))
		return other;
	pmc_event_free(other);
	return NULL;
}

/* Do two events fit on the counters of one run? */
static bool fit_together(const struct sweep *sweep, struct pmc_event *a, struct pmc_event *b)
{
	struct pmc_event *pair[] = { a, b };
	unsigned int run;

	return !pmc_info_plan(sweep->info, NULL, 0, pair, 2, &run);
}

/* Exchange the events of two entries, with their names. */
static void swap_events(struct sweep_event *a, struct sweep_event *b)
{
	struct sweep_event other = *a;

	a->event = b->event;
	a->alias = b->alias;
	a->num_aliases = b->num_aliases;
	b->event = other.event;
	b->alias = other.alias;
	b->num_aliases = other.num_aliases;
}

/* Append an event's clocks. A duration already counts clocks: its own entry becomes occurrences. */
static void add_clocks_of(struct sweep *sweep, size_t index)
{
	struct pmc_event *event = sweep->event[index].event;
	struct pmc_event *other = counted_in(sweep, event, ":d");
	bool is_duration = !other;

	if (is_duration)
		other = counted_in(sweep, event, ":n");
	if (!other)
		return;
	if (!fit_together(sweep, event, other)) {
		pmc_event_free(other);
		return;
	}
	append(sweep, other);
	sweep->event[index].clocks = sweep->num_events - 1;
	sweep->event[sweep->num_events - 1].is_clocks = true;
	if (is_duration)
		swap_events(&sweep->event[index], &sweep->event[sweep->num_events - 1]);
}

/* Pair each event with its clocks if two counters can count them at once. */
static int add_clocks(struct sweep *sweep)
{
	size_t num = sweep->num_events, i;

	for (i = 0; i < num; i++)
		add_clocks_of(sweep, i);
	if (sweep->num_events == num)
		return report_error("--clocks: none of these events can be counted together with its clocks; it is for the Pentium");
	return 0;
}

/* ---- runs ---- */

/* An event and its clocks have a run of their own, after the other runs. */
static void schedule_pairs(struct sweep *sweep)
{
	size_t i;

	for (i = 0; i < sweep->num_events; i++) {
		if (sweep->event[i].clocks == SWEEP_UNPAIRED)
			continue;
		sweep->event[i].slot = sweep->slots;
		sweep->event[sweep->event[i].clocks].slot = sweep->slots++;
	}
}

static bool is_single(const struct sweep_event *event)
{
	return event->clocks == SWEEP_UNPAIRED && !event->is_clocks;
}

static int schedule_singles(struct sweep *sweep, struct pmc_event **events, unsigned int *run)
{
	size_t num = 0, i;
	int runs;

	for (i = 0; i < sweep->num_events; i++)
		if (is_single(&sweep->event[i]))
			events[num++] = sweep->event[i].event;
	runs = pmc_info_plan(sweep->info, events, num, &sweep->reference, !!sweep->reference, run);
	if (runs < 0)
		return report_error("%s", pmc_error());
	sweep->slots = runs;
	for (i = 0, num = 0; i < sweep->num_events; i++)
		if (is_single(&sweep->event[i]))
			sweep->event[i].slot = run[num++];
	return 0;
}

/*
 * Count instructions in user mode in every run if a fixed counter does so, to detect a
 * command that behaves differently between runs.
 */
static void choose_reference(struct sweep *sweep)
{
	size_t i;

	sweep->reference = pmc_event_parse("instructions:u:f");
	if (!sweep->reference || pmc_info_can_count(sweep->info, sweep->reference))
		goto none;
	/* an event of the set may need that counter */
	for (i = 0; i < sweep->num_events; i++)
		if (!fit_together(sweep, sweep->reference, sweep->event[i].event))
			goto none;
	return;

none:
	pmc_event_free(sweep->reference);
	sweep->reference = NULL;
}

/* Find the event of the set that is instructions in user mode. */
static void find_instructions(struct sweep *sweep)
{
	struct pmc_event *wanted = pmc_event_parse("instructions:u");
	size_t i;

	sweep->instructions = SWEEP_UNPAIRED;
	for (i = 0; i < sweep->num_events && wanted; i++)
		if (pmc_event_equal(sweep->event[i].event, wanted))
			sweep->instructions = i;
	pmc_event_free(wanted);
}

int sweep_schedule(struct sweep *sweep)
{
	struct pmc_event **events;
	unsigned int *run;
	int result;

	if (add_set(sweep) || (sweep->clocks && add_clocks(sweep)))
		return EXIT_TROUBLE;
	choose_reference(sweep);
	find_instructions(sweep);
	events = xcalloc(sweep->num_events, sizeof(*events));
	run = xcalloc(sweep->num_events, sizeof(*run));
	result = schedule_singles(sweep, events, run);
	free(events);
	free(run);
	if (!result)
		schedule_pairs(sweep);
	return result;
}

static void free_aliases(struct sweep_event *event)
{
	while (event->num_aliases)
		free(event->alias[--event->num_aliases].text);
	free(event->alias);
}

void sweep_free_events(struct sweep *sweep)
{
	while (sweep->num_events) {
		sweep->num_events--;
		free_aliases(&sweep->event[sweep->num_events]);
		pmc_event_free(sweep->event[sweep->num_events].event);
		free(sweep->event[sweep->num_events].count);
	}
	while (sweep->num_skipped) {
		sweep->num_skipped--;
		free(sweep->skipped[sweep->num_skipped].name);
		free(sweep->skipped[sweep->num_skipped].reason);
	}
	free(sweep->event);
	free(sweep->skipped);
	pmc_event_free(sweep->reference);
	sweep->event = NULL;
	sweep->skipped = NULL;
	sweep->reference = NULL;
}

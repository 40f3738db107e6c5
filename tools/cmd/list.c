// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl list: the events that have names on this processor, the groups of stat -g, completion */
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <libpmcevents.h>

#include "cmd/subcommand.h"
#include "util/error.h"
#include "util/event-list.h"
#include "util/event-notes.h"
#include "util/event-text.h"
#include "util/formula.h"
#include "util/output-file.h"
#include "util/output.h"
#include "util/short-help.h"
#include "util/xalloc.h"

/* Exit status: no event matches the pattern */
#define EXIT_NO_MATCH	1

static const char usage[] =
	"Usage: pmcctl list [-l] [--cputype=TYPE] [--json] [PATTERN]\n"
	"       pmcctl list --groups [--formulas=FILE] [--cputype=TYPE] [--json]\n"
	"       pmcctl list --complete=WORD\n"
	"\n"
	"List the events that have names on this processor, with the counters that can\n"
	"count them. PATTERN selects events with this text in the name or the\n"
	"description, and of other events the unit masks with this text, each printed\n"
	"as NAME:UNIT-MASK.\n"
	"With *, ? or [...] PATTERN must match a whole name, NAME or NAME:UNIT-MASK.\n"
	"An event that is printed as NAME:... needs a unit mask; -l lists them.\n"
	"\n"
	"  -l, --long           all that is known of each event, with its unit masks\n"
	"      --cputype=TYPE, --kind=TYPE\n"
	"                       the events of one core type, core or atom, on a processor\n"
	"                       with several; without it the events of all, with the core\n"
	"                       type where they differ\n"
	"      --json           JSON instead of a table\n"
	"      --groups         list the groups of 'pmcctl stat -g' and their events\n"
	"      --formulas=FILE  with --groups: the groups of FILE too\n"
	"      --complete=WORD  event names that begin with WORD, one on a line, and unit\n"
	"                       masks after NAME:; for the shell's completion\n"
	"  -h, --help           this help\n"
	"\n"
	"Exit status: 0; 1 if no event matches PATTERN; 125 if pmcctl itself failed.\n"
	"\n"
	"Examples:\n"
	"    pmcctl list cache\n"
	"    pmcctl list -l 'branch*'\n"
	"    pmcctl list --groups\n"
	"\n"
	"See pmcctl-list(1); pmc-events(7) describes how events are written.\n";

/* Columns of the table: name, counters, description; one more with several core types */
#define COLUMNS	3

enum format { FORMAT_TABLE, FORMAT_LONG, FORMAT_JSON };

/* Notes of this computer */
static struct event_notes notes;

/* ---- matching ---- */

static bool contains(const char *text, const char *part)
{
	return text && strcasestr(text, part);
}

/* Does @pattern match a whole name, if it has *, ? or [, else a part of it? */
static bool name_matches(const char *name, const char *pattern)
{
	char part[256];

	if (!name)
		return false;
	if (strpbrk(pattern, "*?["))
		return event_text_matches(name, pattern);
	/* no name is as long as that */
	if (snprintf(part, sizeof(part), "*%s*", pattern) >= (int)sizeof(part))
		return false;
	return event_text_matches(name, part);
}

/* Does the event match, apart from its unit masks? */
static bool event_matches(const struct pmc_event_row *row, const char *pattern)
{
	if (!pattern || name_matches(row->name, pattern) || name_matches(row->alias, pattern) ||
	    name_matches(row->perf, pattern))
		return true;
	return !strpbrk(pattern, "*?[") &&
	       (contains(row->title, pattern) || contains(row->text, pattern));
}

/*
 * Does a unit mask match? Wildcards and colons are matched against NAME:UNIT-MASK. A dot can be
 * one of a description.
 */
static bool mask_matches(const struct pmc_event_row *row, const struct pmc_unit_mask *mask,
			 const char *pattern)
{
	char name[256];

	snprintf(name, sizeof(name), "%s:%s", row->name, mask->name);
	if (strpbrk(pattern, ":*?["))
		return name_matches(name, pattern);
	if (strchr(pattern, '.') && name_matches(name, pattern))
		return true;
	return name_matches(mask->name, pattern) || contains(mask->text, pattern);
}

static bool any_mask_matches(const struct pmc_event_row *row, const char *pattern)
{
	size_t i;

	for (i = 0; i < row->num_unit_masks; i++)
		if (mask_matches(row, &row->unit_masks[i], pattern))
			return true;
	return false;
}

/* ---- texts ---- */

/* The counters of @mask, such as "general0-3" or "general1". Return: length of the text. */
static size_t range_text(uint64_t mask, char *text, size_t size)
{
	unsigned int first, last;
	size_t used = 0;

	text[0] = '\0';
	for (first = 0; first < 64 && used < size; first = last + 1) {
		last = first;
		if (!(mask >> first & 1))
			continue;
		while (last < 63 && mask >> (last + 1) & 1)
			last++;
		used += snprintf(text + used, size - used, last > first ? "%sgeneral%u-%u" :
				 "%sgeneral%u", used ? " " : "", first, last);
	}
	return used;
}

/* "general fixed1", "general0-3", "general1", "metrics" or "none" */
static void counters_text(const struct pmc_event_row *row, char *text, size_t size)
{
	size_t used;

	if (row->counters == PMC_ANY_COUNTER)
		used = snprintf(text, size, "general");
	else
		used = range_text(row->counters, text, size);
	if (row->fixed == PMC_FIXED_PERF_METRICS)
		pmc_counter_name(PMC_COUNTER_METRICS, text, size);
	else if (row->fixed != PMC_NO_FIXED && used < size)
		snprintf(text + used, size - used, "%sfixed%d", used ? " " : "", row->fixed);
	else if (!used)
		snprintf(text, size, "none");
}

static const char *event_type_text(uint32_t type)
{
	switch (type) {
	case PMC_EVENT_TYPE_OCCURRENCE:
		return "occurrence";
	case PMC_EVENT_TYPE_DURATION:
		return "duration";
	}
	return NULL;
}

static bool can_parse(const char *text)
{
	struct pmc_event *event = pmc_event_parse(text);

	pmc_event_free(event);
	return event;
}

/* What is counted of a duration. Only the Pentium has a bit for occurrences. */
static const char *duration_text(const struct pmc_event_row *row)
{
	char name[256];

	snprintf(name, sizeof(name), "%s:n", row->name);
	if (can_parse(name))
		return "duration: counted in clocks; with :n, the number of times that it begins";
	return "duration: counted in clocks; with :e, the number of times that it begins";
}

/* Can no counter count the event, with any unit mask? */
static bool is_refused(const struct pmc_event_row *row)
{
	return !row->counters && row->fixed == PMC_NO_FIXED;
}

/* Is the event refused without a unit mask? */
static bool needs_mask(const struct pmc_event_row *row)
{
	struct pmc_event *event;
	bool needs;

	if (!row->num_unit_masks || is_refused(row))
		return false;
	event = pmc_event_parse_core_type(row->name, row->core_type);
	needs = !event;
	pmc_event_free(event);
	return needs;
}

/* Are two texts the same event on a core type? */
static bool same_event(const char *first, const char *second, uint32_t core_type)
{
	struct pmc_event *a = pmc_event_parse_core_type(first, core_type);
	struct pmc_event *b = pmc_event_parse_core_type(second, core_type);
	bool same = a && b && pmc_event_equal(a, b);

	pmc_event_free(a);
	pmc_event_free(b);
	return same;
}

/*
 * What counts the same as the event, with unit mask @mask if not NULL: the raw code, or terms if
 * the event needs an extra register.
 * Return: false if there is none: the event needs a unit mask, is refused, or is counted by
 * a fixed counter only.
 */
static bool code_text(const struct pmc_event_row *row, const char *mask, char *text,
		      size_t size)
{
	struct pmc_event *event;
	char name[256], fixed[260];
	size_t used;

	if (is_refused(row) || row->fixed == PMC_FIXED_PERF_METRICS)
		return false;
	snprintf(name, sizeof(name), "%s%s%s", row->name, mask ? ":" : "", mask ? mask : "");
	event = pmc_event_parse_core_type(name, row->core_type);
	if (!event)
		return false;
	used = snprintf(text, size, "r%04llx", (unsigned long long)pmc_event_select(event));
	if (pmc_event_extra(event))
		used = snprintf(text, size, "cpu/config=0x%llx,config1=0x%llx/",
				(unsigned long long)pmc_event_select(event),
				(unsigned long long)pmc_event_extra(event));
	pmc_event_free(event);
	/* on NetBurst a code is a different event on each counter */
	if (!can_parse(text))
		snprintf(text + used, size - used, ":g=%d", __builtin_ctzll(row->counters));
	snprintf(fixed, sizeof(fixed), "%s:f", name);
	return !same_event(name, fixed, row->core_type);
}

/* ---- table ---- */

/* The column of core types, if the table has one */
static void add_core_type(struct table *table, const struct pmc_event_row *row)
{
	if (table->columns > COLUMNS)
		table_add(table, "%s", row->core_type ? pmc_core_type_name(row->core_type) : "");
}

/* The note of this computer, before the description: a terminal may cut off the end */
static const char *here_text(const char *name, char *text, size_t size)
{
	const char *here = event_notes_find(&notes, name);

	snprintf(text, size, "%s%s%s", here ? "[" : "", here ? here : "", here ? "] " : "");
	return text;
}

static void print_row(struct table *table, const struct pmc_event_row *row)
{
	char counters[256], here[256];

	counters_text(row, counters, sizeof(counters));
	table_add(table, "%s%s", row->name, needs_mask(row) ? ":..." : "");
	add_core_type(table, row);
	table_add(table, "%s", counters);
	table_add(table, "%s%s%s", here_text(row->name, here, sizeof(here)),
		  row->type == PMC_EVENT_TYPE_DURATION ? "duration: " : "",
		  is_refused(row) && row->note ? row->note : row->text);
}

/* Print a row for each unit mask that matches. */
static void print_mask_rows(struct table *table, const struct pmc_event_row *row,
			    const char *pattern)
{
	char counters[256], here[256];
	size_t i;

	counters_text(row, counters, sizeof(counters));
	for (i = 0; i < row->num_unit_masks; i++) {
		if (!mask_matches(row, &row->unit_masks[i], pattern))
			continue;
		table_add(table, "%s:%s", row->name, row->unit_masks[i].name);
		add_core_type(table, row);
		table_add(table, "%s", row->unit_masks[i].refused ? "none" : counters);
		table_add(table, "%s%s", here_text(row->name, here, sizeof(here)),
			  row->unit_masks[i].text);
	}
}

static void print_fact(const char *label, const char *text)
{
	if (text && text[0])
		printf("    %-10s %s\n", label, text);
}

/* @pattern: the unit masks must match it; NULL for all */
static void print_masks(const struct pmc_event_row *row, const char *pattern)
{
	struct table table = { .columns = 4 };
	char code[64];
	size_t i;

	for (i = 0; i < row->num_unit_masks; i++) {
		if (pattern && !mask_matches(row, &row->unit_masks[i], pattern))
			continue;
		table_add(&table, ":%s", row->unit_masks[i].name);
		table_add(&table, "%s", row->unit_masks[i].preset ? "*" : "");
		if (row->unit_masks[i].refused)
			table_add(&table, "refused");
		else
			table_add(&table, "%s", code_text(row, row->unit_masks[i].name, code,
							  sizeof(code)) ? code : "");
		table_add(&table, "%s", row->unit_masks[i].text);
	}
	table_print(&table, 8, stdout);
}

/* Print the code of the event without a unit mask, or the reason why it has none. */
static void print_code(const struct pmc_event_row *row)
{
	char code[64];

	if (code_text(row, NULL, code, sizeof(code)))
		print_fact("code", code);
	else if (needs_mask(row))
		print_fact("code", "none: it needs a unit mask");
	else if (row->fixed == PMC_FIXED_PERF_METRICS)
		print_fact("code", "none: a register of its own counts it");
	else if (!is_refused(row))
		print_fact("code", "none: only a fixed counter counts it");
}

/* @more: not the first event that is printed */
static void print_long(const struct pmc_event_row *row, const char *pattern, bool more)
{
	char counters[256];

	if (more)
		putchar('\n');
	counters_text(row, counters, sizeof(counters));
	output_bold(stdout, "%s\n", row->name);
	print_fact("counts", row->text);
	print_fact("note", row->note);
	print_fact("here", event_notes_find(&notes, row->name));
	print_fact("alias", row->alias);
	print_fact("perf", row->perf);
	print_fact("called", row->title);
	print_fact("unit", row->unit);
	print_fact("kind", row->type == PMC_EVENT_TYPE_DURATION ? duration_text(row) :
		   event_type_text(row->type));
	print_fact("cores", row->core_type ? pmc_core_type_name(row->core_type) : NULL);
	print_fact("counters", counters);
	print_code(row);
	print_fact("source", row->source);
	if (row->num_unit_masks) {
		printf("    unit masks%s with their codes, * if none is given:\n",
		       pattern ? " that match," : "");
		print_masks(row, pattern);
	}
}

/* ---- JSON ---- */

static void put_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, text ? json_text(text) : NULL);
}

static void put_code(struct json_object *object, const struct pmc_event_row *row,
		     const char *mask)
{
	char code[64];

	put_text(object, "code", code_text(row, mask, code, sizeof(code)) ? code : NULL);
}

/* An array of counters; "general" if all general counters can count the event */
static struct json_object *json_counters(const struct pmc_event_row *row)
{
	struct json_object *array = json_object_new_array();
	char name[32];
	unsigned int i;

	if (row->counters == PMC_ANY_COUNTER)
		json_object_array_add(array, json_text("general"));
	for (i = 0; i < 64 && row->counters != PMC_ANY_COUNTER; i++) {
		if (!(row->counters >> i & 1))
			continue;
		snprintf(name, sizeof(name), "general%u", i);
		json_object_array_add(array, json_text(name));
	}
	if (row->fixed == PMC_NO_FIXED)
		return array;
	pmc_counter_name(row->fixed == PMC_FIXED_PERF_METRICS ? PMC_COUNTER_METRICS :
			 PMC_COUNTER_FIXED(row->fixed),
			 name, sizeof(name));
	json_object_array_add(array, json_text(name));
	return array;
}

static struct json_object *json_masks(const struct pmc_event_row *row, const char *pattern)
{
	struct json_object *array = json_object_new_array(), *object;
	size_t i;

	for (i = 0; i < row->num_unit_masks; i++) {
		if (pattern && !mask_matches(row, &row->unit_masks[i], pattern))
			continue;
		object = json_object_new_object();
		put_text(object, "name", row->unit_masks[i].name);
		put_text(object, "text", row->unit_masks[i].text);
		json_object_object_add(object, "bits", json_hex(row->unit_masks[i].bits));
		put_code(object, row, row->unit_masks[i].name);
		json_object_object_add(object, "preset",
				       json_object_new_boolean(row->unit_masks[i].preset));
		json_object_object_add(object, "refused",
				       json_object_new_boolean(row->unit_masks[i].refused));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *json_row(const struct pmc_event_row *row, const char *pattern)
{
	struct json_object *object = json_object_new_object();

	put_text(object, "name", row->name);
	put_text(object, "alias", row->alias);
	put_text(object, "perf", row->perf);
	put_text(object, "text", row->text);
	put_text(object, "note", row->note);
	put_text(object, "here", event_notes_find(&notes, row->name));
	put_text(object, "title", row->title);
	put_text(object, "unit", row->unit);
	put_text(object, "kind", event_type_text(row->type));
	put_text(object, "core", row->core_type ? pmc_core_type_name(row->core_type) : NULL);
	put_text(object, "source", row->source);
	json_object_object_add(object, "event_select", json_hex(row->select));
	put_code(object, row, NULL);
	json_object_object_add(object, "counters", json_counters(row));
	json_object_object_add(object, "unit_masks", json_masks(row, pattern));
	return object;
}

/* ---- the list ---- */

static bool any_has_core_type(const struct pmc_event_list *list)
{
	const struct pmc_event_row *row;
	size_t i;

	for (i = 0; (row = pmc_event_list_row(list, i)); i++)
		if (row->core_type)
			return true;
	return false;
}

/* Does any event match? */
static bool any_matches(const struct pmc_event_list *list, const char *pattern)
{
	const struct pmc_event_row *row;
	size_t i;

	for (i = 0; (row = pmc_event_list_row(list, i)); i++)
		if (event_matches(row, pattern) || any_mask_matches(row, pattern))
			return true;
	return false;
}

/*
 * The name in the list of the event that @text is another spelling of, as a pattern that matches
 * nothing else; NULL if there is none. Free it.
 */
static char *find_spelling(const struct pmc_event_list *list, const char *text,
			   uint32_t core_type)
{
	struct pmc_event *event = pmc_event_parse_core_type(text, core_type), *other;
	const struct pmc_event_row *row;
	char *pattern = NULL;
	size_t i;

	for (i = 0; event && !pattern && (row = pmc_event_list_row(list, i)); i++) {
		other = pmc_event_parse_core_type(row->name, core_type);
		if (other && pmc_event_equal(event, other))
			pattern = xasprintf("[%c]%s", row->name[0], row->name + 1);
		pmc_event_free(other);
	}
	pmc_event_free(event);
	return pattern;
}

/* @core_type: of all events, or 0. Return: the number of events that match */
static size_t print_list(const struct pmc_event_list *list, uint32_t core_type,
			 const char *pattern, enum format format)
{
	struct table table = {
		.columns = COLUMNS + (!core_type && any_has_core_type(list)),
		.fit = true,
	};
	struct json_object *array = json_object_new_array();
	const struct pmc_event_row *row;
	size_t i, num = 0;
	bool fits;

	for (i = 0; (row = pmc_event_list_row(list, i)); i++) {
		fits = event_matches(row, pattern);
		if (!fits && !any_mask_matches(row, pattern))
			continue;
		if (format == FORMAT_LONG)
			print_long(row, fits ? NULL : pattern, num);
		else if (format == FORMAT_JSON)
			json_object_array_add(array, json_row(row, fits ? NULL : pattern));
		else if (fits)
			print_row(&table, row);
		else
			print_mask_rows(&table, row, pattern);
		num++;
	}
	table_print(&table, 0, stdout);
	if (format == FORMAT_JSON)
		json_print(array, stdout);
	else
		json_object_put(array);
	return num;
}

/* Print unit masks that begin with the text after the last '.' or ':' of @behind. */
static void complete_mask(const struct pmc_event_list *list, const struct pmc_event_row *row,
			  const char *name, const char *behind, const char *brace)
{
	const char *begin = behind + strlen(behind);
	size_t i;

	while (!strchr(".:", begin[-1]))
		begin--;

	for (i = 0; i < row->num_unit_masks; i++)
		if (!strncasecmp(row->unit_masks[i].name, begin, strlen(begin)) &&
		    !pmc_event_list_is_refused(list, row, i))
			printf("%s%s%.*s%s\n", brace, name, (int)(begin - behind), behind,
			       row->unit_masks[i].name);
}

/* @name: one of the names of the event */
static void complete_name(const struct pmc_event_list *list, const struct pmc_event_row *row,
			  const char *name, const char *word, const char *brace)
{
	size_t word_len = strlen(word), name_len = strlen(name);

	if (strncasecmp(name, word, name_len < word_len ? name_len : word_len) ||
	    pmc_event_list_is_refused(list, row, SIZE_MAX))
		return;
	if (name_len >= word_len)
		printf("%s%s\n", brace, name);
	else if (strchr(".:", word[name_len]))
		complete_mask(list, row, name, word + name_len, brace);
}

/*
 * Print the names of events that begin with @word, or unit masks after NAME: or NAME. (names
 * of event files have dots of their own). @word can begin with the brace of a group.
 */
static void print_completions(const struct pmc_event_list *list, const char *word)
{
	const char *brace = word[0] == '{' ? "{" : "";
	const struct pmc_event_row *row;
	size_t i;

	word += strlen(brace);
	for (i = 0; (row = pmc_event_list_row(list, i)); i++) {
		complete_name(list, row, row->name, word, brace);
		if (row->perf)
			complete_name(list, row, row->perf, word, brace);
	}
}

/* The warning for a code, which no list has */
static void report_code_warning(const char *pattern)
{
	struct pmc_event *event = pmc_event_parse(pattern);

	if (event)
		event_report_warning(event);
	pmc_event_free(event);
}

/*
 * Bind pmcctl to a CPU of this core type: the library lists the architectural events of the
 * CPU that it runs on. Return: 0, or EXIT_TROUBLE after a message.
 */
static int bind_to_core_type(uint32_t core_type)
{
	struct pmc_device *device = core_type ? pmc_device_open(NULL) : NULL;
	struct pmc_info *info;
	cpu_set_t cpus;

	/* without the driver the CPUs of a core type are unknown */
	if (!device)
		return 0;
	info = pmc_device_get_info_core_type(device, core_type);
	pmc_device_close(device);
	if (!info)
		return report_error("%s", pmc_error());
	CPU_ZERO(&cpus);
	CPU_SET(pmc_info_query(info)->cpu, &cpus);
	pmc_info_free(info);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	return 0;
}

static int list_events(const char *pattern, enum format format, const char *word,
		       uint32_t core_type)
{
	struct pmc_event_list *list;
	char *spelling = NULL;
	const char *missing;
	size_t num = 1;

	if (bind_to_core_type(core_type) || (!word && event_notes_load(&notes)))
		return EXIT_TROUBLE;
	list = word ? pmc_event_list_get_names(core_type) :
		      pmc_event_list_get_core_type(core_type);
	if (!list)
		return report_error("%s", pmc_error());
	missing = pmc_event_list_incomplete(list);
	if (pattern && !any_matches(list, pattern))
		spelling = find_spelling(list, pattern, core_type);
	if (word)
		print_completions(list, word);
	else
		num = print_list(list, core_type, spelling ? spelling : pattern, format);
	free(spelling);
	if (missing && !word)
		report_error("the list is incomplete: %s", missing);
	event_notes_free(&notes);
	if (output_close(stdout, "the standard output")) {
		pmc_event_list_free(list);
		return EXIT_TROUBLE;
	}
	pmc_event_list_free(list);
	if (!num) {
		report_error("no event matches '%s'", pattern);
		report_code_warning(pattern);
	}
	return num ? 0 : EXIT_NO_MATCH;
}

/* ---- groups ---- */

/*
 * Can this processor count a group?
 * @unknown: a name of an event is unknown
 * @missing: events that it does not have
 * @warnings: by the event
 * @reported: warnings of this and other groups that were printed
 * @known: @fits is valid: the driver is loaded
 * @fits: the other events fit on its counters at once
 */
struct group_state {
	bool unknown;
	struct json_object *missing;
	struct json_object *warnings;
	struct json_object *reported;
	bool known;
	bool fits;
};

/* Save the warning of an event, and print it once for all groups. */
static void add_warning(struct group_state *state, const struct pmc_event *event)
{
	const char *name = pmc_event_name(event);

	if (!pmc_event_warning(event))
		return;
	put_text(state->warnings, name, pmc_event_warning(event));
	if (!json_object_object_get_ex(state->reported, name, NULL))
		event_report_warning(event);
	json_object_object_add(state->reported, name, NULL);
}

/* Add one event of a group to the context. @context: NULL without the driver */
static void try_event(struct group_state *state, struct pmc_context *context, const char *text,
		      uint32_t core_type)
{
	struct pmc_event *event = pmc_event_parse_core_type(text, core_type);

	if (event)
		add_warning(state, event);
	else
		state->unknown |= errno == EINVAL;
	if (!event || (context && pmc_context_add(context, event))) {
		if (event && errno == ENOSPC)
			state->fits = false;
		else
			json_object_array_add(state->missing, json_text(text));
	}
	pmc_event_free(event);
}

static struct pmc_context *open_context(const struct pmc_device *device, uint32_t core_type)
{
	struct pmc_context *context = device ? pmc_context_open(device) : NULL;

	if (context)
		pmc_context_set_core_type(context, core_type);
	return context;
}

static struct group_state group_state(const struct pmc_device *device, uint32_t core_type,
				      const struct formula_group *group,
				      struct json_object *reported)
{
	struct pmc_context *context = open_context(device, core_type);
	struct group_state state = {
		.missing = json_object_new_array(), .warnings = json_object_new_object(),
		.reported = reported, .known = context, .fits = true,
	};
	const char *list = group->events;
	char *text;

	while (*list) {
		text = event_text_next(&list, "");
		try_event(&state, context, text, core_type);
		free(text);
	}
	pmc_context_close(context);
	return state;
}

static void print_groups_json(const struct formula_set *set, const struct pmc_device *device,
			      uint32_t core_type, struct json_object *reported)
{
	struct json_object *array = json_object_new_array(), *object;
	struct group_state state;
	size_t i;

	for (i = 0; i < set->num_groups; i++) {
		state = group_state(device, core_type, &set->group[i], reported);
		object = json_object_new_object();
		put_text(object, "name", set->group[i].name);
		put_text(object, "events", set->group[i].events);
		json_object_object_add(object, "missing", state.missing);
		json_object_object_add(object, "fits", !state.known ? NULL :
				       json_object_new_boolean(state.fits));
		json_object_object_add(object, "warnings", state.warnings);
		json_object_array_add(array, object);
	}
	json_print(array, stdout);
}

/* " (not here: a, b; ...)", or "" */
static void state_text(const struct group_state *state, char *text, size_t size)
{
	size_t num = json_object_array_length(state->missing), used = 0, i;
	struct json_object *name;

	text[0] = '\0';
	for (i = 0; i < num && used < size; i++) {
		name = json_object_array_get_idx(state->missing, i);
		used += snprintf(text + used, size - used, "%s%s", i ? ", " : "  (not here: ",
				 json_object_get_string(name));
	}
	if (!state->fits && used < size)
		used += snprintf(text + used, size - used, "%smore than fit on the counters at once",
				 used ? "; " : "  (");
	if (used && used < size)
		snprintf(text + used, size - used, ")");
}

static void print_groups(const struct formula_set *set, const struct pmc_device *device,
			 uint32_t core_type, struct json_object *reported)
{
	struct table table = { .columns = 2 };
	struct group_state state;
	bool unknown = false;
	char text[256];
	size_t i;

	for (i = 0; i < set->num_groups; i++) {
		state = group_state(device, core_type, &set->group[i], reported);
		state_text(&state, text, sizeof(text));
		table_add(&table, "%s", set->group[i].name);
		table_add(&table, "%s%s", set->group[i].events, text);
		unknown |= state.unknown;
		json_object_put(state.missing);
		json_object_put(state.warnings);
	}
	table_print(&table, 0, stdout);
	if (unknown)
		report_error("some events of a group are unknown: " FORMULA_NEEDS_EVENT_FILES);
}

/* @formulas: a file with further groups, or NULL */
static int list_groups(enum format format, const char *formulas, uint32_t core_type)
{
	struct formula_set set = { 0 };
	struct json_object *reported;
	struct pmc_device *device;
	struct pmc_query query;
	int result;

	pmc_event_processor(&query);
	if (core_type && !query.core_type)
		return report_error("this processor has one core type: omit --cputype");
	result = formula_load_files(&set, core_type, formulas, false);
	if (result) {
		formula_free(&set);
		return result;
	}
	reported = json_object_new_object();
	device = pmc_device_open(NULL);
	if (format == FORMAT_JSON)
		print_groups_json(&set, device, core_type, reported);
	else
		print_groups(&set, device, core_type, reported);
	pmc_device_close(device);
	json_object_put(reported);
	formula_free(&set);
	return output_close(stdout, "the standard output");
}

/* ---- options ---- */

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "long", no_argument, NULL, 'l' },
		{ "json", no_argument, NULL, 'j' },
		{ "groups", no_argument, NULL, 'g' },
		{ "formulas", required_argument, NULL, 'f' },
		{ "cputype", required_argument, NULL, 'k' },
		{ "kind", required_argument, NULL, 'k' },
		{ "complete", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	enum format format = FORMAT_TABLE;
	const char *word = NULL, *formulas = NULL;
	bool groups = false, whole = false;
	uint32_t core_type = 0;
	uint64_t seen = 0;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:lh", options, NULL)) != -1) {
		if (check_option_repeat(&seen, option, "", options))
			return EXIT_TROUBLE;
		switch (option) {
		case 'l':
			whole = true;
			break;
		case 'j':
			format = FORMAT_JSON;
			break;
		case 'g':
			groups = true;
			break;
		case 'f':
			formulas = optarg;
			break;
		case 'k':
			if (pmc_core_type_parse(optarg, &core_type))
				return report_usage_error("--cputype: %s", pmc_error());
			break;
		case 'c':
			word = optarg;
			break;
		case 'h':
			return print_short_help("list", usage);
		default:
			return report_option_error(option, argv, options);
		}
	}
	if (optind + 1 < argc)
		return report_usage_error("unexpected argument '%s'", argv[optind + 1]);
	if (groups && (argv[optind] || word || whole))
		return report_usage_error("--groups goes with --json, --formulas and --cputype only");
	if (formulas && !groups)
		return report_usage_error("--formulas needs --groups");
	/* JSON always has all fields */
	if (whole && format != FORMAT_JSON)
		format = FORMAT_LONG;
	return groups ? list_groups(format, formulas, core_type) :
			list_events(argv[optind], format, word, core_type);
}

const struct subcommand list_command = {
	.name = "list",
	.summary = "list the events that have names on this processor",
	.usage = usage,
	.run = run,
};

// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl sweep: print the counts as a table, JSON or CSV, and differences between runs */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "sweep/sweep.h"
#include "util/error.h"
#include "util/output.h"
#include "util/xalloc.h"

/* Statistics of the counts of one event; all 0 without counts */
struct summary {
	uint64_t min;
	uint64_t max;
	double mean;
	double deviation;
};

static void summarise(const uint64_t *counts, size_t num, struct summary *summary)
{
	long double sum = 0, squares = 0, distance;
	size_t i;

	*summary = (struct summary){ .min = num ? UINT64_MAX : 0 };
	for (i = 0; i < num; i++) {
		summary->min = counts[i] < summary->min ? counts[i] : summary->min;
		summary->max = counts[i] > summary->max ? counts[i] : summary->max;
	}
	for (i = 0; i < num; i++)
		sum += counts[i] - summary->min;
	for (i = 0; i < num; i++) {
		distance = (counts[i] - summary->min) - sum / num;
		squares += distance * distance;
	}
	if (num)
		summary->mean = summary->min + sum / num;
	if (num > 1)
		summary->deviation = sqrtl(squares / (num - 1));
}

size_t sweep_num_counted(const struct sweep *sweep)
{
	size_t num = 0, i;

	for (i = 0; i < sweep->num_events; i++)
		num += !sweep->event[i].is_clocks && sweep->event[i].num_counts;
	return num;
}

size_t sweep_num_total(const struct sweep *sweep)
{
	size_t num = 0, i;

	for (i = 0; i < sweep->num_events; i++)
		num += !sweep->event[i].is_clocks;
	return num;
}

/* ---- differences between runs ---- */

/* Range of the instructions in user mode of all runs that counted them, warm-up included */
static size_t range_of_instructions(const struct sweep *sweep, uint64_t *min, uint64_t *max)
{
	const struct sweep_run *run;
	size_t num = 0;

	*min = UINT64_MAX;
	*max = 0;
	for (run = sweep->run; run < sweep->run + sweep->num_runs; run++) {
		if (!run->has_instructions)
			continue;
		*min = run->instructions < *min ? run->instructions : *min;
		*max = run->instructions > *max ? run->instructions : *max;
		num++;
	}
	return num;
}

/* The first run with another wait status than the warm-up, or NULL */
static const struct sweep_run *first_other_exit(const struct sweep *sweep)
{
	const struct sweep_run *run;

	for (run = sweep->run; run < sweep->run + sweep->num_runs; run++)
		if (run->measured.status != sweep->run[0].measured.status)
			return run;
	return NULL;
}

/* "status 7", "signal 9 (Killed)" */
static void exit_text(const struct sweep_run *run, char *text, size_t size)
{
	int status = run->measured.status;

	if (WIFSIGNALED(status))
		snprintf(text, size, "signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(text, size, "status %d", WEXITSTATUS(status));
}

void sweep_report_differences(const struct sweep *sweep)
{
	const struct sweep_run *run = first_other_exit(sweep);
	char end[64], first[64];
	uint64_t min, max;
	size_t num = range_of_instructions(sweep, &min, &max);

	if (run) {
		exit_text(run, end, sizeof(end));
		exit_text(&sweep->run[0], first, sizeof(first));
		report_error("run %zu ended with %s, the warm-up with %s: the command does not behave the same in each run",
			     (size_t)(run - sweep->run), end, first);
	} else if (WIFSIGNALED(sweep->run[0].measured.status)) {
		exit_text(&sweep->run[0], end, sizeof(end));
		report_error("%s ended the command in each run", end);
	}
	if (num > 1 && min != max)
		report_error("the command does not behave the same in each run: %" PRIu64 " to %"
			     PRIu64 " instructions in user mode; counts of different runs are not exactly comparable",
			     min, max);
}

static bool is_repeatable(const struct sweep *sweep)
{
	uint64_t min, max;

	range_of_instructions(sweep, &min, &max);
	return min >= max && !first_other_exit(sweep);
}

/*
 * Mean of the instructions in user mode, without the warm-up unless only the warm-up
 * counted them; 0 if no run did
 */
static double mean_instructions(const struct sweep *sweep)
{
	long double sum = 0;
	const struct sweep_run *run;
	size_t num = 0;

	for (run = sweep->run + 1; run < sweep->run + sweep->num_runs; run++)
		if (run->has_instructions) {
			sum += run->instructions;
			num++;
		}
	if (num)
		return sum / num;
	return sweep->run[0].has_instructions ? sweep->run[0].instructions : 0;
}

/* Mean of the event instructions of the set, in the modes that are counted; 0 without it */
static double mean_set_instructions(const struct sweep *sweep)
{
	const struct sweep_event *event;
	struct pmc_event *wanted;
	struct summary summary = { .mean = 0 };
	char text[32];
	size_t i;

	snprintf(text, sizeof(text), "instructions%s", sweep->modifier);
	wanted = pmc_event_parse(text);
	for (i = 0; i < sweep->num_events && wanted; i++) {
		event = &sweep->event[i];
		if (pmc_event_equal(event->event, wanted))
			summarise(event->count, event->num_counts, &summary);
	}
	pmc_event_free(wanted);
	return summary.mean;
}

/* The number of instructions for "per 1000 instructions", 0 if it is not known */
static double base_instructions(const struct sweep *sweep)
{
	double own = mean_set_instructions(sweep);

	if (own || strcmp(sweep->modifier, ":u"))
		return own;
	return mean_instructions(sweep);
}

/* ---- table ---- */

static const char *const columns_once[] = { "count" };
static const char *const columns_often[] = { "mean", "min", "max", "deviation" };

static void add_heads(const struct sweep *sweep, struct table *table, bool per_1000)
{
	const char *const *heads = sweep->passes > 1 ? columns_often : columns_once;
	size_t num = sweep->passes > 1 ? ARRAY_SIZE(columns_often) : ARRAY_SIZE(columns_once), i;

	table_add(table, "event");
	for (i = 0; i < num; i++)
		table_add(table, "%s", heads[i]);
	if (per_1000)
		table_add(table, "per 1000 instr.");
	if (sweep->clocks)
		table_add(table, "clocks each");
	table->columns = table->num_cells;
}

static void add_counts(const struct sweep *sweep, const struct sweep_event *event,
		       const struct summary *summary, struct table *table)
{
	if (sweep->passes == 1) {
		table_add(table, "%" PRIu64, event->count[0]);
		return;
	}
	table_add(table, "%.3f", summary->mean);
	table_add(table, "%" PRIu64, summary->min);
	table_add(table, "%" PRIu64, summary->max);
	table_add(table, "%.3f", summary->deviation);
}

/* Average clocks of an occurrence. Return: false without occurrences. */
static bool clocks_each(const struct sweep *sweep, const struct sweep_event *event,
			double *clocks)
{
	struct summary count, duration;
	const struct sweep_event *partner;

	if (event->clocks == SWEEP_UNPAIRED)
		return false;
	partner = &sweep->event[event->clocks];
	summarise(event->count, event->num_counts, &count);
	summarise(partner->count, partner->num_counts, &duration);
	if (!count.mean)
		return false;
	*clocks = duration.mean / count.mean;
	return true;
}

/* Add an event's name without the modifier of the whole sweep. */
static void add_name(const struct sweep *sweep, const struct sweep_event *event,
		     struct table *table)
{
	const char *name = pmc_event_name(event->event);

	table_add(table, "%.*s", (int)sweep_name_len(sweep, name), name);
}

static void add_event(const struct sweep *sweep, const struct sweep_event *event,
		      double instructions, struct table *table)
{
	struct summary summary;
	double clocks;
	unsigned int i;

	summarise(event->count, event->num_counts, &summary);
	add_name(sweep, event, table);
	if (!event->num_counts) {
		table_add(table, "-");
		for (i = 2; i < table->columns; i++)
			table_add(table, "%s", "");
		return;
	}
	add_counts(sweep, event, &summary, table);
	if (instructions)
		table_add(table, "%.3f", 1000 * summary.mean / instructions);
	if (sweep->clocks && clocks_each(sweep, event, &clocks))
		table_add(table, "%.3f", clocks);
	else if (sweep->clocks)
		table_add(table, "%s", "");
}

/* Are these two unit masks of one event, left out for the same reason? */
static bool is_same_skipped(const struct sweep_skipped *a, const struct sweep_skipped *b)
{
	size_t len = strcspn(a->name, ":");

	return len == strcspn(b->name, ":") && !strncmp(a->name, b->name, len) &&
	       !strcmp(a->reason, b->reason);
}

/* Print one line for each event and reason, not for each unit mask. */
static void print_reasons(const struct sweep *sweep)
{
	const struct sweep_skipped *list = sweep->skipped;
	size_t i, end;

	for (i = 0; i < sweep->num_skipped; i = end) {
		for (end = i + 1; end < sweep->num_skipped; end++)
			if (!is_same_skipped(&list[i], &list[end]))
				break;
		if (end == i + 1)
			fprintf(sweep->file, "left out %.*s: %s\n",
				(int)sweep_name_len(sweep, list[i].name), list[i].name,
				list[i].reason);
		else
			fprintf(sweep->file, "left out %.*s with %zu unit masks: %s\n",
				(int)strcspn(list[i].name, ":"), list[i].name, end - i,
				list[i].reason);
	}
}

static void print_skipped_events(const struct sweep *sweep)
{
	size_t num = sweep->num_skipped;

	if (sweep->verbose)
		print_reasons(sweep);
	else if (num)
		fprintf(sweep->file, "%zu left out because %s cannot be counted; -v prints why\n",
			num, num == 1 ? "it" : "they");
}

static void print_name(const struct sweep *sweep, const char *before, const char *name)
{
	fprintf(sweep->file, "%s%.*s", before, (int)sweep_name_len(sweep, name), name);
}

/*
 * Print the other names of an event in the set: those that were requested, with -v all.
 * Return: the number of names that were not printed.
 */
static size_t print_aliases(const struct sweep *sweep, const struct sweep_event *event)
{
	size_t printed = 0, i;

	for (i = 0; i < event->num_aliases; i++) {
		if (!sweep->verbose && !event->alias[i].requested)
			continue;
		if (!printed)
			print_name(sweep, "", pmc_event_name(event->event));
		print_name(sweep, printed++ ? ", " : " is the same event as ",
			   event->alias[i].text);
	}
	if (printed)
		fputc('\n', sweep->file);
	return event->num_aliases - printed;
}

static void print_all_aliases(const struct sweep *sweep)
{
	size_t left = 0, i;

	for (i = 0; i < sweep->num_events; i++)
		left += print_aliases(sweep, &sweep->event[i]);
	if (left)
		fprintf(sweep->file, "%zu other name%s of the same events; -v prints them\n", left,
			plural(left));
}

/* Print how many events were counted in how many runs. */
static void print_totals(const struct sweep *sweep)
{
	size_t counted = sweep_num_counted(sweep), wanted = sweep_num_total(sweep);
	size_t made = sweep->num_runs - 1, to_make = (size_t)sweep->passes * sweep->slots;

	fputc('\n', sweep->file);
	if (counted < wanted)
		fprintf(sweep->file, "%zu of ", counted);
	fprintf(sweep->file, "%zu event%s in %zu run%s after a warm-up", wanted, plural(wanted),
		made, plural(made));
	if (made < to_make)
		fprintf(sweep->file, "; not made: %zu", to_make - made);
	fputc('\n', sweep->file);
}

void sweep_print_table(const struct sweep *sweep)
{
	struct table table = { .right = ~1U, .head = true };
	double instructions = base_instructions(sweep);
	char **arg;
	size_t i;

	fputs(strcmp(sweep->modifier, ":u") ? "User and kernel mode of:" : "User mode of:",
	      sweep->file);
	for (arg = sweep->argv; *arg; arg++)
		fprintf(sweep->file, " %s", *arg);
	fputs("\n\n", sweep->file);
	add_heads(sweep, &table, instructions);
	for (i = 0; i < sweep->num_events; i++)
		if (!sweep->event[i].is_clocks)
			add_event(sweep, &sweep->event[i], instructions, &table);
	table_print(&table, 2, sweep->file);
	print_totals(sweep);
	print_all_aliases(sweep);
	print_skipped_events(sweep);
}

/* ---- JSON ---- */

static void put(struct json_object *object, const char *key, struct json_object *value)
{
	json_object_object_add(object, key, value);
}

static void put_number(struct json_object *object, const char *key, uint64_t number)
{
	put(object, key, json_object_new_uint64(number));
}

static struct json_object *json_counts(const struct sweep_event *event)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < event->num_counts; i++)
		json_object_array_add(array, json_object_new_uint64(event->count[i]));
	return array;
}

static struct json_object *json_aliases(const struct sweep_event *event)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < event->num_aliases; i++)
		json_object_array_add(array, json_text(event->alias[i].text));
	return array;
}

static struct json_object *json_event(const struct sweep *sweep, const struct sweep_event *event,
				      double instructions)
{
	struct json_object *object = json_object_new_object();
	const char *warning = pmc_event_warning(event->event);
	struct summary summary;
	double clocks;

	summarise(event->count, event->num_counts, &summary);
	put(object, "event", json_text(pmc_event_name(event->event)));
	put(object, "warning", warning ? json_text(warning) : NULL);
	put(object, "event_select", json_hex(pmc_event_select(event->event)));
	put(object, "event_extra", json_hex(pmc_event_extra(event->event)));
	put_number(object, "run", event->slot + 1);
	put(object, "counts", json_counts(event));
	put_number(object, "min", summary.min);
	put_number(object, "max", summary.max);
	put(object, "mean", json_object_new_double(summary.mean));
	put(object, "deviation", json_object_new_double(summary.deviation));
	put(object, "per_1000_instructions", instructions ?
	    json_object_new_double(1000 * summary.mean / instructions) : NULL);
	put(object, "clocks", event->clocks == SWEEP_UNPAIRED ? NULL :
	    json_counts(&sweep->event[event->clocks]));
	put(object, "clocks_each", clocks_each(sweep, event, &clocks) ?
	    json_object_new_double(clocks) : NULL);
	put(object, "other_names", json_aliases(event));
	return object;
}

static struct json_object *json_run(const struct sweep_run *run)
{
	struct json_object *object = json_object_new_object();
	int status = run->measured.status;

	put_number(object, "pass", run->pass);
	put_number(object, "run", run->pass ? run->slot + 1 : 0);
	put(object, "exit_status", WIFEXITED(status) ? json_object_new_int(WEXITSTATUS(status)) :
	    NULL);
	put(object, "signal", WIFSIGNALED(status) ? json_object_new_int(WTERMSIG(status)) : NULL);
	put_number(object, "elapsed_ns", run->measured.elapsed_ns);
	put(object, "instructions", run->has_instructions ?
	    json_object_new_uint64(run->instructions) : NULL);
	return object;
}

static struct json_object *json_skipped(const struct sweep *sweep)
{
	struct json_object *array = json_object_new_array(), *object;
	size_t i;

	for (i = 0; i < sweep->num_skipped; i++) {
		object = json_object_new_object();
		put(object, "event", json_text(sweep->skipped[i].name));
		put(object, "reason", json_text(sweep->skipped[i].reason));
		json_object_array_add(array, object);
	}
	return array;
}

void sweep_print_json(const struct sweep *sweep)
{
	struct json_object *object = json_object_new_object();
	struct json_object *command = json_object_new_array();
	struct json_object *events = json_object_new_array();
	struct json_object *runs = json_object_new_array();
	double instructions = base_instructions(sweep);
	size_t i;

	for (i = 0; sweep->argv[i]; i++)
		json_object_array_add(command, json_text(sweep->argv[i]));
	for (i = 0; i < sweep->num_events; i++)
		if (!sweep->event[i].is_clocks)
			json_object_array_add(events, json_event(sweep, &sweep->event[i],
								 instructions));
	for (i = 0; i < sweep->num_runs; i++)
		json_object_array_add(runs, json_run(&sweep->run[i]));
	put(object, "command", command);
	put(object, "kernel", json_object_new_boolean(strcmp(sweep->modifier, ":u")));
	put_number(object, "passes", sweep->passes);
	put_number(object, "runs_each_pass", sweep->slots);
	put(object, "same_each_time", json_object_new_boolean(is_repeatable(sweep)));
	put(object, "events", events);
	put(object, "runs", runs);
	put(object, "left_out", json_skipped(sweep));
	json_print(object, sweep->file);
}

/* ---- CSV ---- */

/* Print the other names in one field, separated by spaces. */
static void print_names(const struct sweep_event *event, FILE *file)
{
	char *names = xstrdup(""), *more;
	size_t i;

	for (i = 0; i < event->num_aliases; i++) {
		more = xasprintf("%s%s%s", names, i ? " " : "", event->alias[i].text);
		free(names);
		names = more;
	}
	csv_print(names, file);
	free(names);
}

static void print_row(const struct sweep *sweep, const struct sweep_event *event, size_t pass,
		      double instructions)
{
	double clocks;

	csv_print(pmc_event_name(event->event), sweep->file);
	fprintf(sweep->file, ",0x%llx,%zu,%u,%" PRIu64 ",",
		(unsigned long long)pmc_event_select(event->event), pass + 1, event->slot + 1,
		event->count[pass]);
	if (instructions)
		fprintf(sweep->file, "%.9g", 1000 * event->count[pass] / instructions);
	fputc(',', sweep->file);
	if (event->clocks != SWEEP_UNPAIRED)
		fprintf(sweep->file, "%" PRIu64, sweep->event[event->clocks].count[pass]);
	fputc(',', sweep->file);
	if (clocks_each(sweep, event, &clocks))
		fprintf(sweep->file, "%.9g", clocks);
	fputc(',', sweep->file);
	print_names(event, sweep->file);
	fprintf(sweep->file, ",0x%llx\n", (unsigned long long)pmc_event_extra(event->event));
}

void sweep_print_csv(const struct sweep *sweep)
{
	double instructions = base_instructions(sweep);
	size_t i, pass;

	fputs("event,event_select,pass,run,count,per_1000_instructions,clocks,clocks_each,other_names,event_extra\n",
	      sweep->file);
	for (i = 0; i < sweep->num_events; i++)
		for (pass = 0; pass < sweep->event[i].num_counts && !sweep->event[i].is_clocks;
		     pass++)
			print_row(sweep, &sweep->event[i], pass, instructions);
}

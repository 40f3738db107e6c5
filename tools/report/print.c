// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl report: print the table, JSON or folded stacks */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "util/output.h"
#include "util/xalloc.h"

/* ---- table ---- */

static void add_text(struct table *table, const char *text)
{
	char *shown = text_printable(text);

	table_add(table, "%s", shown);
	free(shown);
}

static void add_titles(struct table *table, const struct report *report, unsigned int by)
{
	table_add(table, "self");
	if (report->has_callchains)
		table_add(table, "total");
	table_add(table, "samples");
	if (by & REPORT_BY_COMMAND)
		table_add(table, "command");
	if (by & (REPORT_BY_FILE | REPORT_BY_FUNCTION))
		table_add(table, "file");
	if (by & REPORT_BY_FUNCTION)
		table_add(table, "function");
}

static void add_row(struct table *table, const struct report *report,
		    const struct report_row *row, uint64_t whole)
{
	char percent[PERCENT_SIZE];

	percent_text(row->self, whole, percent);
	table_add(table, "%s", percent);
	if (report->has_callchains) {
		percent_text(row->total, whole, percent);
		table_add(table, "%s", percent);
	}
	table_add(table, "%" PRIu64, row->self);
	if (row->command)
		add_text(table, row->command);
	if (row->file)
		add_text(table, row->file);
	if (row->function)
		add_text(table, row->function);
}

static void print_event(const struct report *report, const struct report_event *event,
			unsigned int by, FILE *file)
{
	struct table table = { .columns = 2 + report->has_callchains, .right = 0x7, .head = true };
	struct report_row *rows;
	size_t num, i;
	char *name;

	if (!report->has_callchains)
		table.right = 0x3;
	table.columns += !!(by & REPORT_BY_COMMAND) +
			 !!(by & (REPORT_BY_FILE | REPORT_BY_FUNCTION)) +
			 !!(by & REPORT_BY_FUNCTION);
	name = text_printable(record_event_text(event->header));
	fprintf(file, "\n%s: %" PRIu64 " sample%s, one every %" PRIu64 "; %" PRIu64 " counted\n\n",
		name, event->overflows, plural(event->overflows), event->header->period,
		event->count);
	free(name);
	if (event->extra)
		fprintf(file, "  Event select 0x%" PRIx64 ", with 0x%" PRIx64 " in its extra register\n\n",
			event->header->event_select, event->extra);
	add_titles(&table, report, by);
	rows = report_rows(event, by, &num);
	for (i = 0; i < num; i++)
		add_row(&table, report, &rows[i], event->overflows);
	table_print(&table, 2, file);
	free(rows);
}

void report_print_command(const struct record_file *recorded, FILE *file)
{
	const char *scope = record_system(recorded, "scope");
	size_t i;
	char *text;

	if (!strcmp(scope, "cpu"))
		fprintf(file, "CPU %s", record_system(recorded, "cpu"));
	else if (!strcmp(scope, "all-cpus"))
		fputs("All CPUs", file);
	else if (!strcmp(scope, "process"))
		fprintf(file, "Process %s", record_system(recorded, "pid"));
	else
		fputs("Sampled", file);
	if (*record_system(recorded, "argument"))
		fprintf(file, "%s:", !strcmp(scope, "tree") ? "" : " while this ran");
	for (i = 0; i < recorded->num_system; i += 2)
		if (!strcmp(recorded->system[i], "argument")) {
			text = text_printable(recorded->system[i + 1]);
			fprintf(file, " %s", text);
			free(text);
		}
	fputc('\n', file);
}

void report_print_losses(const struct record_result *result, FILE *file)
{
	if (result->lost)
		fprintf(file, "Lost: %" PRIu64 " of %" PRIu64
			" sample%s, because the rings were full\n", result->lost,
			result->overflows, plural(result->overflows));
	if (result->throttled)
		fprintf(file, "Left out: %" PRIu64 " of %" PRIu64
			" sample%s, because they came too often\n", result->throttled,
			result->overflows, plural(result->overflows));
	if (result->mmaps_lost)
		fprintf(file, "Lost: %" PRIu64 " mapped file%s; some samples have no names\n",
			result->mmaps_lost, plural(result->mmaps_lost));
	if (result->damaged)
		fprintf(file, "Damaged: %u time%s a ring was overwritten\n", result->damaged,
			plural(result->damaged));
}

static bool is_reported(const struct report *report, size_t i)
{
	return report->selected >> i & 1;
}

void report_print_table(const struct report *report, unsigned int by, FILE *file)
{
	size_t i;

	report_print_command(report->file, file);
	report_print_losses(report->file->result, file);
	for (i = 0; i < report->num_events; i++)
		if (report->event[i].header->period && is_reported(report, i))
			print_event(report, &report->event[i], by, file);
}

/* ---- folded stacks ---- */

/* Replace semicolons and newlines, which separate functions and stacks. */
static char *folded_name(const struct call_node *node)
{
	char *name = call_node_name(node), *c, *marked;

	for (c = name; *c; c++)
		if (*c == ';')
			*c = ':';
		else if (iscntrl((unsigned char)*c))
			*c = '?';
	if (!node->symbol || !node->symbol->kernel)
		return name;
	marked = xasprintf("%s_[k]", name);
	free(name);
	return marked;
}

static void print_folded(const struct call_node *node, const char *above, FILE *file)
{
	const struct call_node *child;
	char *name = folded_name(node);
	char *stack = xasprintf("%s%s%s", above, *above ? ";" : "", name);

	if (node->self)
		fprintf(file, "%s %" PRIu64 "\n", stack, node->self);
	for (child = node->child; child; child = child->sibling)
		print_folded(child, stack, file);
	free(stack);
	free(name);
}

void report_print_folded(const struct report_event *event, FILE *file)
{
	const struct call_node *command;

	for (command = event->tree.root.child; command; command = command->sibling)
		print_folded(command, "", file);
}

/* ---- JSON ---- */

static void put_number(struct json_object *object, const char *key, uint64_t number)
{
	json_object_object_add(object, key, json_object_new_uint64(number));
}

static struct json_object *json_row(const struct report_row *row)
{
	struct json_object *object = json_object_new_object();

	if (row->command)
		json_object_object_add(object, "command", json_text(row->command));
	if (row->file) {
		json_object_object_add(object, "file", json_text(row->file));
		json_object_object_add(object, "kernel", json_object_new_boolean(row->kernel));
	}
	if (row->function)
		json_object_object_add(object, "function", json_text(row->function));
	put_number(object, "self", row->self);
	put_number(object, "total", row->total);
	return object;
}

static struct json_object *json_rows(const struct report_event *event, unsigned int by)
{
	struct json_object *array = json_object_new_array();
	struct report_row *rows;
	size_t num, i;

	rows = report_rows(event, by, &num);
	for (i = 0; i < num; i++)
		json_object_array_add(array, json_row(&rows[i]));
	free(rows);
	return array;
}

/* The nodes from the first below the command to the sampled one */
struct path {
	const struct call_node *command;
	const struct call_node *node[CALL_TREE_DEPTH];
	size_t depth;
};

static struct json_object *json_stack(const struct path *path, uint64_t samples)
{
	struct json_object *object = json_object_new_object();
	struct json_object *frames = json_object_new_array();
	size_t i;

	for (i = 0; i < path->depth; i++) {
		struct json_object *frame = json_object_new_object();
		const struct symbol *symbol = path->node[i]->symbol;

		json_object_object_add(frame, "file", json_text(symbol->file));
		json_object_object_add(frame, "function", json_text(symbol->name));
		json_object_array_add(frames, frame);
	}
	json_object_object_add(object, "command", json_text(path->command->command));
	json_object_object_add(object, "frames", frames);
	put_number(object, "samples", samples);
	return object;
}

static void add_stacks(struct json_object *array, struct path *path,
		       const struct call_node *node)
{
	const struct call_node *child;

	for (child = node->child; child; child = child->sibling) {
		path->node[path->depth++] = child;
		if (child->self)
			json_object_array_add(array, json_stack(path, child->self));
		add_stacks(array, path, child);
		path->depth--;
	}
}

static struct json_object *json_stacks(const struct report_event *event)
{
	struct json_object *array = json_object_new_array();
	const struct call_node *command;

	for (command = event->tree.root.child; command; command = command->sibling) {
		struct path path = { .command = command };

		add_stacks(array, &path, command);
	}
	return array;
}

struct json_object *report_json_event(const struct record_event *event, uint64_t extra)
{
	struct json_object *object = json_object_new_object();
	char counter[PMC_COUNTER_NAME_SIZE];

	pmc_counter_name(event->counter, counter, sizeof(counter));
	json_object_object_add(object, "event", json_text(record_event_text(event)));
	json_object_object_add(object, "counter", json_text(counter));
	json_object_object_add(object, "user",
			       json_object_new_boolean(!!(event->modes & PMC_COUNT_USER)));
	json_object_object_add(object, "kernel",
			       json_object_new_boolean(!!(event->modes & PMC_COUNT_KERNEL)));
	put_number(object, "period", event->period);
	json_object_object_add(object, "event_select", json_hex(event->event_select));
	json_object_object_add(object, "event_extra", json_hex(extra));
	return object;
}

static struct json_object *json_event(const struct report *report,
				      const struct report_event *event, unsigned int by)
{
	struct json_object *object = report_json_event(event->header, event->extra);

	put_number(object, "count", event->count);
	put_number(object, "samples", event->overflows);
	put_number(object, "records", event->samples);
	json_object_object_add(object, "rows", json_rows(event, by));
	if (report->has_callchains)
		json_object_object_add(object, "stacks", json_stacks(event));
	return object;
}

void report_json_system(struct json_object *object, const struct record_file *file)
{
	struct json_object *system = json_object_new_object();
	struct json_object *arguments = json_object_new_array();
	size_t i;

	for (i = 0; i < file->num_system; i += 2) {
		struct json_object *key = json_text(file->system[i]);
		struct json_object *value = json_text(file->system[i + 1]);

		if (!strcmp(file->system[i], "argument"))
			json_object_array_add(arguments, value);
		else
			json_object_object_add(system, json_object_get_string(key), value);
		json_object_put(key);
	}
	json_object_object_add(object, "system", system);
	json_object_object_add(object, "command", arguments);
}

void report_json_result(struct json_object *object, const struct record_result *result)
{
	put_number(object, "overflows", result->overflows);
	put_number(object, "sampled", result->sampled);
	put_number(object, "lost", result->lost);
	put_number(object, "throttled", result->throttled);
	put_number(object, "mmaps_lost", result->mmaps_lost);
	put_number(object, "damaged", result->damaged);
	put_number(object, "elapsed_ns", result->elapsed_ns);
}

void report_print_json(const struct report *report, unsigned int by, FILE *file)
{
	struct json_object *object = json_object_new_object();
	struct json_object *events = json_object_new_array();
	size_t i;

	report_json_system(object, report->file);
	for (i = 0; i < report->num_events; i++)
		if (is_reported(report, i))
			json_object_array_add(events, json_event(report, &report->event[i], by));
	json_object_object_add(object, "events", events);
	report_json_result(object, report->file->result);
	json_print(object, file);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* pmcctl report: build a report from a file of samples, and print it */
#ifndef REPORT_H
#define REPORT_H

#include "report/call-tree.h"
#include "report/frames.h"
#include "util/output.h"

/* The keys of a row; a function has its file as a key, too */
#define REPORT_BY_COMMAND	(1U << 0)
#define REPORT_BY_FILE		(1U << 1)
#define REPORT_BY_FUNCTION	(1U << 2)

/*
 * @extra: value of the extra register, or 0
 * @samples: number of sample records
 * @overflows: number of overflows that they stand for
 */
struct report_event {
	const struct record_event *header;
	uint64_t extra;
	uint64_t count;
	uint64_t samples;
	uint64_t overflows;
	struct call_tree tree;
};

/*
 * @selected: mask of the events to report
 * @has_callchains: at least one sample has a call chain
 * @commands: names of the commands, for tsearch()
 */
struct report {
	struct record_file *file;
	struct frame_finder finder;
	uint32_t selected;
	bool has_callchains;
	void *commands;
	size_t num_events;
	struct report_event event[PMC_COUNTERS_MAX];
};

/* One row of a table. Names that are not a key are NULL. */
struct report_row {
	const char *command;
	const char *file;
	const char *function;
	bool kernel;
	uint64_t self;
	uint64_t total;
};

/*
 * Build a report of all events. The caller keeps @file and frees it after the report.
 * Return: 0, or -1 with the reason in @error.
 */
int report_build(struct report *report, struct record_file *file, const char *root,
		 char error[RECORD_ERROR_SIZE]);

/* Free a report, also one that could not be built. */
void report_free(struct report *report);

/* Get the rows of an event, the one with the most samples first. Return: an array to free. */
struct report_row *report_rows(const struct report_event *event, unsigned int by, size_t *num);

/* @part / @whole in units of 1 / @scale (below 2^22), rounded half up. @whole is not 0. */
uint64_t scaled_share(uint64_t part, uint64_t whole, uint32_t scale);

/* "12.34%" of @whole, rounded half up; "-" of nothing */
#define PERCENT_SIZE	16
void percent_text(uint64_t part, uint64_t whole, char text[PERCENT_SIZE]);

/* ---- output ---- */

void report_print_table(const struct report *report, unsigned int by, FILE *file);
void report_print_json(const struct report *report, unsigned int by, FILE *file);
void report_print_folded(const struct report_event *event, FILE *file);

/* Parts of the table and of the JSON object that a list of samples has, too */
void report_print_command(const struct record_file *recorded, FILE *file);
void report_print_losses(const struct record_result *result, FILE *file);
void report_json_system(struct json_object *object, const struct record_file *file);
struct json_object *report_json_event(const struct record_event *event, uint64_t extra);
void report_json_result(struct json_object *object, const struct record_result *result);

/* flame-graph.c: draw a flame graph with the heading @title. */
void flame_graph_print(const struct call_tree *tree, const char *title, const char *unit,
		       FILE *file);

#endif /* REPORT_H */

// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl report: build call trees with names from the records of a file */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "record/stream.h"
#include "report/report.h"
#include "util/xalloc.h"

static int compare_texts(const void *left, const void *right)
{
	return strcmp(left, right);
}

static const char *intern_comm(struct report *report, const char *command)
{
	char **found = tfind(command, &report->commands, compare_texts);

	if (!found)
		found = xcheck(tsearch(xstrdup(command), &report->commands, compare_texts));
	return *found;
}

/* Find the functions of a sample, the outermost first. */
static size_t find_functions(struct report *report, const struct pmc_sample *sample,
			     const struct symbol **functions)
{
	struct frame frames[FRAMES_MAX];
	size_t num = frames_of_chains(&report->finder, sample, frames), i;

	for (i = 0; i < num; i++)
		functions[i] = frames[num - 1 - i].symbol;
	if (!num || (!sample->privilege && !sample->nr_kernel_frames))
		functions[num++] = frame_of_ip(&report->finder, sample).symbol;
	return num;
}

static void add_sample(struct report *report, const struct pmc_sample *sample)
{
	struct report_event *event = &report->event[sample->counter];
	const struct symbol *functions[CALL_TREE_DEPTH];
	size_t num = find_functions(report, sample, functions);

	event->samples++;
	event->overflows += sample->overflows;
	report->has_callchains |= sample->nr_kernel_frames || sample->nr_user_frames;
	/* comm is empty if the task has called exec since the overflow */
	call_tree_add(&event->tree,
		      intern_comm(report, sample->comm[0] ? sample->comm : "[unknown]"),
		      functions, num, sample->overflows);
}

static int add_samples(struct report *report, char error[RECORD_ERROR_SIZE])
{
	struct record_stream *stream = record_stream_open(report->file);
	const struct pmc_record *record;

	while ((record = record_stream_next(stream)))
		if (record->type == PMC_RECORD_SAMPLE)
			add_sample(report, (const struct pmc_sample *)record);
	return record_stream_close(stream, error);
}

int report_build(struct report *report, struct record_file *file, const char *root,
		 char error[RECORD_ERROR_SIZE])
{
	size_t i;

	*report = (struct report){ .file = file, .num_events = file->num_events };
	for (i = 0; i < file->num_events; i++) {
		report->event[i].header = file->event[i];
		report->event[i].extra = record_event_extra(file, i);
		report->event[i].count = record_counts(file->result)[i];
		call_tree_init(&report->event[i].tree);
	}
	if (frame_finder_open(&report->finder, file, root, error) || add_samples(report, error))
		return -1;
	for (i = 0; i < file->num_events; i++)
		call_tree_sort(&report->event[i].tree);
	return 0;
}

void report_free(struct report *report)
{
	size_t i;

	for (i = 0; i < report->num_events; i++)
		call_tree_free(&report->event[i].tree);
	tdestroy(report->commands, free);
	frame_finder_close(&report->finder);
}

// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl report: build call trees with names from the records of a file */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"
#include "report/report.h"

/*
 * A sample or an mmap record
 * @order: its position in the file
 * @until: of a sample, the time of its thread's next sample
 */
struct timed_record {
	uint64_t time;
	size_t order;
	uint64_t until;
	const struct pmc_record *record;
};

struct timeline {
	size_t num;
	struct timed_record *entry;
};

static const struct pmc_sample *as_sample(const struct pmc_record *record)
{
	return record->type == PMC_RECORD_SAMPLE ? (const struct pmc_sample *)record : NULL;
}

static const struct pmc_mmap *as_map(const struct pmc_record *record)
{
	return record->type == PMC_RECORD_MMAP ? (const struct pmc_mmap *)record : NULL;
}

/* ---- the order of time ---- */

static void add_section(struct timeline *line, const struct record_checked_section *part)
{
	const struct pmc_record *record;
	uint64_t at, time;

	for (at = 0; at < part->size; at += record->size) {
		record = (const void *)((const char *)part->payload + at);
		if (as_sample(record))
			time = as_sample(record)->tsc;
		else if (as_map(record))
			time = as_map(record)->tsc;
		else
			continue;
		line->entry = xgrow(line->entry, line->num, sizeof(*line->entry));
		line->entry[line->num] = (struct timed_record){
			.time = time,
			.order = line->num,
			.until = UINT64_MAX,
			.record = record,
		};
		line->num++;
	}
}

static int compare_time(const void *left, const void *right)
{
	const struct timed_record *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void make_timeline(struct timeline *line, const struct record_file *file)
{
	size_t i;

	for (i = 0; i < file->num_sections; i++)
		if (file->section[i].type == RECORD_RECORDS)
			add_section(line, &file->section[i]);
	if (line->num)
		qsort(line->entry, line->num, sizeof(*line->entry), compare_time);
}

/* Add all mmap records, and find the time of the next sample of each sample's thread. */
static void scan_timeline(struct report *report, struct timeline *line)
{
	struct pair_map last_of_thread = { 0 };
	struct timed_record *entry, *last;
	void **place;
	size_t i;

	for (i = 0; i < line->num; i++) {
		entry = &line->entry[i];
		if (as_map(entry->record)) {
			address_spaces_add(&report->spaces, as_map(entry->record));
			continue;
		}
		place = pair_map_slot(&last_of_thread, as_sample(entry->record)->tid, 0);
		last = *place;
		if (last)
			last->until = entry->time;
		*place = entry;
	}
	pair_map_free(&last_of_thread);
}

/* ---- samples ---- */

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

static const struct symbol *user_symbol(struct report *report, const struct timed_record *entry,
					uint64_t address)
{
	const struct pmc_mmap *map = address_spaces_find(&report->spaces, as_sample(entry->record),
							 entry->until, address);

	return symbols_user(report->symbols, map, address);
}

/*
 * Find the frames of a sample, the outermost first. A return address is that of the next
 * instruction, which may belong to another function, so the address before it is looked up.
 */
static size_t find_frames(struct report *report, const struct timed_record *entry,
			  const struct symbol **frames)
{
	const struct pmc_sample *sample = as_sample(entry->record);
	const __u64 *kernel = pmc_sample_kernel_frames(sample);
	const __u64 *user = pmc_sample_user_frames(sample);
	size_t num = 0, i;

	for (i = sample->nr_user_frames; i > 0; i--)
		frames[num++] = user_symbol(report, entry, user[i - 1] - (i > 1));
	for (i = sample->nr_kernel_frames; i > 0; i--)
		frames[num++] = symbols_kernel(report->symbols, kernel[i - 1] - (i > 1));
	if (!sample->privilege && !sample->nr_kernel_frames)
		frames[num++] = symbols_kernel(report->symbols, sample->ip);
	else if (!num)
		frames[num++] = user_symbol(report, entry, sample->ip);
	return num;
}

static void add_sample(struct report *report, const struct timed_record *entry)
{
	const struct pmc_sample *sample = as_sample(entry->record);
	struct report_event *event = &report->event[sample->counter];
	const struct symbol *frames[CALL_TREE_DEPTH];
	size_t num = find_frames(report, entry, frames);

	event->samples++;
	event->overflows += sample->overflows;
	report->has_callchains |= sample->nr_kernel_frames || sample->nr_user_frames;
	/* the name of a task that called exec before its last sample is lost */
	call_tree_add(&event->tree,
		      intern_comm(report, sample->comm[0] ? sample->comm : "[unknown]"),
		      frames, num, sample->overflows);
}

void report_build(struct report *report, struct record_file *file, const char *root)
{
	struct timeline line = { 0 };
	size_t i;

	*report = (struct report){ .file = file, .num_events = file->num_events };
	report->symbols = symbols_open(file, root);
	for (i = 0; i < file->num_events; i++) {
		report->event[i].header = file->event[i];
		report->event[i].count = record_counts(file->result)[i];
		call_tree_init(&report->event[i].tree);
	}
	make_timeline(&line, file);
	scan_timeline(report, &line);
	for (i = 0; i < line.num; i++)
		if (as_sample(line.entry[i].record))
			add_sample(report, &line.entry[i]);
	for (i = 0; i < file->num_events; i++)
		call_tree_sort(&report->event[i].tree);
	free(line.entry);
}

void report_free(struct report *report)
{
	size_t i;

	for (i = 0; i < report->num_events; i++)
		call_tree_free(&report->event[i].tree);
	tdestroy(report->commands, free);
	address_spaces_free(&report->spaces);
	symbols_close(report->symbols);
}

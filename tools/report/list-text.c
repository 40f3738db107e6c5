// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl report --samples: print records as text */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "report/sample-list.h"

/* Least width of a column of values; indentation of a call chain */
#define VALUE_WIDTH	12
#define TEXT_COLUMN	6

static void print_text(const char *text, int width, FILE *out)
{
	char *shown = text_printable(text);

	fprintf(out, "%-*s", width, shown);
	free(shown);
}

/* ---- the beginning ---- */

static bool is_selected(const struct record_list *list, size_t event)
{
	return list->filter->events >> event & 1;
}

static void print_events(const struct record_list *list)
{
	const struct record_file *file = list->file;
	size_t i;

	for (i = 0; i < file->num_events; i++) {
		if (!is_selected(list, i))
			continue;
		print_text(record_event_text(file->event[i]), 0, list->out);
		if (file->event[i]->period)
			fprintf(list->out, ": one sample every %" PRIu64, file->event[i]->period);
		else
			fputs(": not sampled", list->out);
		if (file->result)
			fprintf(list->out, "; %" PRIu64 " counted", record_counts(file->result)[i]);
		fputc('\n', list->out);
	}
}

static int value_width(const struct record_event *event)
{
	int len = strlen(record_event_text(event));

	return len > VALUE_WIDTH ? len : VALUE_WIDTH;
}

static int event_width(const struct record_file *file)
{
	int width = strlen("event"), len;
	size_t i;

	for (i = 0; i < file->num_events; i++) {
		len = strlen(record_event_text(file->event[i]));
		width = len > width ? len : width;
	}
	return width;
}

static void print_titles(const struct record_list *list)
{
	const struct record_file *file = list->file;
	size_t i;

	fprintf(list->out, "\n%18s  %3s  %-13s  %-18s  %-4s  %-6s  %-8s  %9s  %-9s  %-*s",
		list->filter->rate ? "time" : "ticks", "cpu", "pid/tid", "ip", "cs", "tr",
		"rflags", "overflows", "flags", event_width(file), "event");
	for (i = 0; i < file->num_events; i++) {
		char *name = text_printable(record_event_text(file->event[i]));

		fprintf(list->out, "  %*s", value_width(file->event[i]), name);
		free(name);
	}
	fprintf(list->out, "  %-15s  %s\n", "command", "function");
}

void list_text_begin(struct record_list *list)
{
	report_print_command(list->file, list->out);
	report_print_losses(&list->result, list->out);
	print_events(list);
	if (list->filter->samples && !list->has_chains)
		fputs("Not recorded: call chains; 'pmcctl record -g' records them\n", list->out);
	print_titles(list);
}

/* ---- samples ---- */

static void print_time(const struct record_list *list, const struct listed_record *listed)
{
	char text[RECORD_TIME_SIZE] = "-";
	struct record_time time;

	if (listed->has_tsc && list->filter->rate) {
		time = record_time_of(listed->tsc, list->filter->rate);
		record_time_text(&time, text);
	} else if (listed->has_tsc) {
		snprintf(text, sizeof(text), "%" PRIu64, listed->tsc);
	}
	fprintf(list->out, "%18s  ", text);
	if (listed->cpu == RECORD_CPU_UNKNOWN)
		fprintf(list->out, "%3s", "-");
	else
		fprintf(list->out, "%3" PRIu32, listed->cpu);
}

static void print_task(int32_t pid, int32_t tid, FILE *out)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId32 "/%" PRId32, pid, tid);
	fprintf(out, "  %-13s", text);
}

static void print_number(uint64_t number, int width, FILE *out)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, number);
	fprintf(out, "  %-*s", width, text);
}

static void print_flags(uint32_t flags, FILE *out)
{
	char text[32] = "";
	unsigned int bit;

	for (bit = 0; bit < 32; bit++)
		if (flags >> bit & 1 && sample_flag_name(bit))
			text_append(text, sizeof(text), "%s%s", *text ? "," : "",
				    sample_flag_name(bit));
	fprintf(out, "  %-9s", *text ? text : "-");
}

static void print_values(const struct record_list *list, const struct pmc_sample *sample)
{
	const struct record_file *file = list->file;
	size_t i;

	for (i = 0; i < file->num_events; i++)
		if (i < sample->nr_counters)
			fprintf(list->out, "  %*" PRIu64, value_width(file->event[i]),
				(uint64_t)pmc_sample_values(sample)[i]);
		else
			fprintf(list->out, "  %*s", value_width(file->event[i]), "-");
}

/* "function+0x10 (file)" */
static void print_function(const struct frame *frame, FILE *out)
{
	print_text(frame->symbol->name, 0, out);
	if (symbol_is_known(frame->symbol))
		fprintf(out, "+0x%" PRIx64, frame->offset);
	fputs(" (", out);
	print_text(frame->symbol->file, 0, out);
	fputs(")\n", out);
}

static void print_chains(struct record_list *list, const struct pmc_sample *sample)
{
	struct frame frames[FRAMES_MAX];
	size_t num = frames_of_chains(&list->finder, sample, frames), i;

	for (i = 0; i < num; i++) {
		fprintf(list->out, "%*s", TEXT_COLUMN, "");
		print_number(frames[i].address, 18, list->out);
		fputs("  ", list->out);
		print_function(&frames[i], list->out);
	}
}

static void print_sample(struct record_list *list, const struct pmc_sample *sample)
{
	struct frame frame = frame_of_ip(&list->finder, sample);
	FILE *out = list->out;

	print_task(sample->pid, sample->tid, out);
	print_number(sample->ip, 18, out);
	print_number(sample->cs, 4, out);
	print_number(sample->task_register, 6, out);
	print_number(sample->rflags, 8, out);
	fprintf(out, "  %9" PRIu64, (uint64_t)sample->overflows);
	print_flags(sample->flags, out);
	fputs("  ", out);
	print_text(record_event_text(list->file->event[sample->counter]), event_width(list->file),
		   out);
	print_values(list, sample);
	fputs("  ", out);
	print_text(sample->comm[0] ? sample->comm : "[unknown]", 15, out);
	fputs("  ", out);
	print_function(&frame, out);
	print_chains(list, sample);
}

/* ---- other records ---- */

static void print_throttle(const struct record_list *list, const struct pmc_throttle *throttle)
{
	bool again = throttle->record.type == PMC_RECORD_UNTHROTTLE;

	fprintf(list->out, "  %-13s  %s: ", "-", again ? "unthrottle" : "throttle");
	print_text(record_event_text(list->file->event[throttle->counter]), 0, list->out);
	if (again)
		fprintf(list->out, " is sampled again; %" PRIu64 " overflow%s had no sample\n",
			(uint64_t)throttle->overflows, plural(throttle->overflows));
	else
		fputs(" overflows too often and is not sampled for a while\n", list->out);
}

static void print_map(const struct record_list *list, const struct pmc_mmap *map)
{
	print_task(map->pid, map->tid, list->out);
	fprintf(list->out, "  mmap: 0x%" PRIx64 "-0x%" PRIx64 " is offset 0x%" PRIx64 " of ",
		(uint64_t)map->start, (uint64_t)map->end, (uint64_t)map->offset);
	print_text(map->path, 0, list->out);
	fprintf(list->out, ", device %" PRIu32 ":%" PRIu32 ", inode %" PRIu64 "\n",
		map->device_major, map->device_minor, (uint64_t)map->inode);
}

void list_text_record(struct record_list *list, const struct listed_record *listed)
{
	const struct pmc_record *record = listed->record;
	uint64_t lost;

	print_time(list, listed);
	switch (record->type) {
	case PMC_RECORD_SAMPLE:
		print_sample(list, (const struct pmc_sample *)record);
		break;
	case PMC_RECORD_LOST:
		lost = ((const struct pmc_lost *)record)->overflows;
		fprintf(list->out, "  %-13s  lost: %" PRIu64 " sample%s, because the ring was full\n",
			"-", lost, plural(lost));
		break;
	case PMC_RECORD_THROTTLE:
	case PMC_RECORD_UNTHROTTLE:
		print_throttle(list, (const struct pmc_throttle *)record);
		break;
	case PMC_RECORD_MMAP:
		print_map(list, (const struct pmc_mmap *)record);
		break;
	default:
		fprintf(list->out, "  %-13s  unknown: a record of type %" PRIu32 " with %" PRIu32
			" bytes\n", "-", record->type, record->size);
	}
}

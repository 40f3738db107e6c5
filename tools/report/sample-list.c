// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmcctl report --samples: list the samples of a file, or all its records
 *
 * Records are printed as they are read; memory does not grow with their number. A first pass over
 * the file collects what the beginning of the list reports.
 */
#include <inttypes.h>

#include "record/stream.h"
#include "report/sample-list.h"
#include "util/error.h"

const char *sample_flag_name(unsigned int bit)
{
	switch (1U << bit) {
	case PMC_SAMPLE_SKID:
		return "skid";
	case PMC_SAMPLE_LATE:
		return "late";
	case PMC_SAMPLE_GUEST:
		return "guest";
	}
	return NULL;
}

/* ---- what is known before the first record ---- */

static void survey_record(struct record_list *list, const struct pmc_record *record)
{
	const struct pmc_sample *sample = (const struct pmc_sample *)record;
	struct record_result *result = &list->result;

	switch (record->type) {
	case PMC_RECORD_SAMPLE:
		filter_add_sample(list->filter, sample);
		list->has_chains |= sample->nr_kernel_frames || sample->nr_user_frames;
		result->records++;
		result->sampled += sample->overflows;
		break;
	case PMC_RECORD_LOST:
		result->lost += ((const struct pmc_lost *)record)->overflows;
		break;
	case PMC_RECORD_UNTHROTTLE:
		result->throttled += ((const struct pmc_throttle *)record)->overflows;
		break;
	}
}

static int survey(struct record_list *list, char *error)
{
	struct record_stream *stream = record_stream_open(list->file);
	const struct pmc_record *record;
	int result;

	while ((record = record_stream_next(stream)))
		survey_record(list, record);
	result = record_stream_close(stream, error);
	list->result.overflows = list->result.sampled + list->result.lost + list->result.throttled;
	/* the driver counted also what has no record */
	if (list->file->result)
		list->result = *list->file->result;
	return result;
}

/* ---- the records ---- */

static bool has_tsc(const struct pmc_record *record)
{
	return record->type == PMC_RECORD_SAMPLE || record->type == PMC_RECORD_THROTTLE ||
	       record->type == PMC_RECORD_UNTHROTTLE || record->type == PMC_RECORD_MMAP;
}

static bool is_listed(const struct record_list *list, const struct listed_record *listed)
{
	uint32_t type = listed->record->type;

	if (!list->options->all && type != PMC_RECORD_SAMPLE && type != PMC_RECORD_LOST)
		return false;
	return filter_matches(list->filter, listed->record, listed->cpu, listed->tsc);
}

/* Print the records. Return: the number of samples */
static uint64_t list_records(struct record_list *list, struct record_stream *stream)
{
	const struct pmc_record *record;
	struct listed_record listed;
	uint64_t samples = 0;
	bool first = true;

	while (!ferror(list->out) && (record = record_stream_next(stream))) {
		listed = (struct listed_record){
			.record = record,
			.cpu = record_stream_cpu(stream),
			.has_tsc = has_tsc(record),
			.tsc = record_stream_time(stream),
		};
		if (record->type == PMC_RECORD_SAMPLE)
			listed.cpu = ((const struct pmc_sample *)record)->cpu;
		if (!is_listed(list, &listed))
			continue;
		samples += record->type == PMC_RECORD_SAMPLE;
		if (list->options->json)
			list_json_record(list, &listed, first);
		else
			list_text_record(list, &listed);
		first = false;
	}
	return samples;
}

static void print_list(struct record_list *list, char *error)
{
	struct record_stream *stream = record_stream_open(list->file);
	uint64_t samples;

	if (list->options->json)
		list_json_begin(list);
	else
		list_text_begin(list);
	samples = list_records(list, stream);
	if (list->options->json)
		list_json_end(list);
	record_stream_close(stream, error);
	if (!samples && list->filter->samples)
		report_error("none of the %" PRIu64 " samples matches all options",
			     list->filter->samples);
}

int samples_list(const struct record_file *file, struct record_filter *filter,
		 const struct list_options *options)
{
	struct record_list list = {
		.file = file,
		.filter = filter,
		.options = options,
		.out = options->out,
	};
	char error[RECORD_ERROR_SIZE] = "";
	int status;

	filter->rate = record_clock_rate(file);
	survey(&list, error);
	status = filter_check(filter, options->path);
	if (!status) {
		frame_finder_open(&list.finder, file, options->root, error);
		print_list(&list, error);
		frame_finder_close(&list.finder);
	}
	if (options->damage[0])
		return report_error("%s: %s; the list ends there", options->path, options->damage);
	if (error[0])
		return report_error("%s: %s", options->path, error);
	return status;
}

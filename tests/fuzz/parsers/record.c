// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz target: the reader of the file of pmcctl record, and pmcctl report. Of a valid file
 * everything is printed; of a damaged one, the records before the damage.
 *
 * Each input is read twice: first unchanged, then as the contents of sections. In the second case
 * each section begins with four bytes for its type, CPU and size, and the harness adds the file
 * header and the checksums, which a fuzzer would not find. The section of the [vdso] is left out,
 * because elfutils reads it.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/output.h"
#include "report/event-choice.h"
#include "report/report.h"
#include "report/sample-list.h"

#define FILE_MAX	16384

static char sink[1 << 20];

static void must_be(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

/* Wrappers that print nothing: every sampled file is missing, which would be reported. */
int __wrap_report_error(const char *format, ...)
{
	return format ? EXIT_TROUBLE : 0;
}

int __wrap_report_usage_error(const char *format, ...)
{
	return format ? EXIT_TROUBLE : 0;
}

/* ---- checks of a valid file ------------------------------------------------ */

static void print_event(const struct report *report, const struct report_event *event, FILE *out)
{
	report_print_folded(event, out);
	flame_graph_print(&event->tree, record_event_text(event->header), "sample", out);
	must_be(event->overflows == event->tree.root.total, "samples that are in no tree");
	must_be(report->num_events <= PMC_COUNTERS_MAX, "too many events");
}

static void print_all(const struct report *report)
{
	FILE *out = fmemopen(sink, sizeof(sink), "w");
	unsigned int by;
	size_t i;

	for (by = REPORT_BY_COMMAND;
	     by <= (REPORT_BY_COMMAND | REPORT_BY_FILE | REPORT_BY_FUNCTION); by++)
		report_print_table(report, by, out);
	report_print_json(report, REPORT_BY_FUNCTION, out);
	for (i = 0; i < report->num_events; i++)
		print_event(report, &report->event[i], out);
	fclose(out);
}

static void list(const struct record_file *file, const char *damage, bool json)
{
	struct record_filter filter = { .events = events_choose(file, "file", NULL) };
	const struct list_options options = {
		.path = "file",
		.root = "/no/such/folder",
		.damage = damage,
		.all = true,
		.json = json,
		.out = fmemopen(sink, sizeof(sink), "w"),
	};
	int status;

	if (record_clock_rate(file))
		must_be(!filter_set_time(&filter, "+0,+1"), "a range of times is refused");
	status = samples_list(file, &filter, &options);
	must_be(!damage[0] || status, "damage is not reported");
	filter_free(&filter);
	fclose(options.out);
}

static void read_and_list(const void *data, size_t size)
{
	char error[RECORD_ERROR_SIZE];
	struct record_file *file = record_parse(data, size, true, error);

	must_be(file || error[0], "a failure without a reason");
	if (!file)
		return;
	list(file, error, false);
	list(file, error, true);
	record_free(file);
}

static void read_and_report(const void *data, size_t size)
{
	char error[RECORD_ERROR_SIZE];
	struct record_file *file = record_parse(data, size, false, error);
	struct report report;

	must_be(!file == !!error[0], "a failure without a reason, or a reason without a failure");
	if (!file)
		return;
	must_be(!report_build(&report, file, "/no/such/folder", error), error);
	report.selected = events_choose(file, "file", NULL);
	print_all(&report);
	report_free(&report);
	record_free(file);
}

/* ---- file header and sections ---------------------------------------------- */

static size_t add_section(struct record_writer *writer, const uint8_t *data, size_t size)
{
	size_t length;

	if (size < 4)
		return size;
	length = data[2] | data[3] << 8;
	if (length > size - 4)
		length = size - 4;
	if (data[0] != RECORD_VDSO && writer->offset + length + 256 < FILE_MAX)
		record_write_section(writer, data[0], data[1], data + 4, length);
	return 4 + length;
}

static size_t make_file(char *room, const uint8_t *data, size_t size)
{
	FILE *file = fmemopen(room, FILE_MAX, "w");
	struct record_writer writer;
	size_t at;

	record_write_begin(&writer, file);
	for (at = 0; at < size && writer.num_entries < 64; )
		at += add_section(&writer, data + at, size - at);
	must_be(!record_write_end(&writer), "the file has no room");
	fclose(file);
	record_writer_free(&writer);
	return writer.offset;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char room[FILE_MAX];
	size_t made = make_file(room, data, size);

	read_and_report(data, size);
	read_and_list(data, size);
	read_and_report(room, made);
	read_and_list(room, made);
	return 0;
}

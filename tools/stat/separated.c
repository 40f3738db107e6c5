// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmcctl stat -x SEP: a line for each event, with the columns of 'perf stat -x'. pmcctl-stat(1)
 * lists them.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "stat/stat.h"
#include "util/error.h"

static void print_separator(const struct stat_job *job)
{
	fputs(job->separator, job->file);
}

/* Print a text; if it contains the separator, in quotation marks as in CSV. */
static void print_text(const struct stat_job *job, const char *text)
{
	if (!strstr(text, job->separator) && !strpbrk(text, "\"\r\n")) {
		fputs(text, job->file);
		return;
	}
	fputc('"', job->file);
	for (; *text; text++)
		fprintf(job->file, *text == '"' ? "\"%c" : "%c", *text);
	fputc('"', job->file);
}

/* Print the columns of -I and of --per-cpu. */
static void print_place(const struct stat_job *job, const struct stat_interval *interval, int cpu)
{
	if (job->session.interval_ns) {
		fprintf(job->file, "%.9f", interval->end_ns / 1e9);
		print_separator(job);
	}
	if (job->per_cpu) {
		if (cpu >= 0)
			fprintf(job->file, "CPU%d", cpu);
		print_separator(job);
	}
}

/*
 * Print the columns after the name: the deviation of the mean with -r, nanoseconds, per cent of
 * the time, which is always 100: no count is multiplexed.
 */
static void print_end(const struct stat_job *job, double deviation, double ticks)
{
	if (job->runs_requested > 1) {
		print_separator(job);
		fprintf(job->file, "%.2f%%", deviation);
	}
	print_separator(job);
	if (job->tsc_khz)
		fprintf(job->file, "%.0f", ticks * 1e6 / job->tsc_khz);
	print_separator(job);
	fputs("100.00", job->file);
	print_separator(job);
	print_separator(job);
	fputc('\n', job->file);
}

static void print_event(const struct stat_job *job, const char *value, const char *unit,
			const char *name, double deviation, double ticks)
{
	fputs(value, job->file);
	print_separator(job);
	fputs(unit, job->file);
	print_separator(job);
	print_text(job, name);
	print_end(job, deviation, ticks);
}

/* Print a line for each fraction; there is only one run. */
static void print_perf_metrics(const struct stat_job *job, uint64_t register_value, double ticks)
{
	unsigned int cursor = 0, fraction;
	char value[16];
	const char *name;

	while (stat_next_perf_metric(job, register_value, &cursor, &name, &fraction)) {
		snprintf(value, sizeof(value), "%u", fraction);
		print_event(job, value, "1/255", name, 0, ticks);
	}
}

/* Print the rows of one CPU, or of all. */
static void print_counts(const struct stat_job *job, const struct stat_interval *interval,
			 const struct stat_counts *counts)
{
	char value[32];
	size_t i;

	for (i = 0; i < job->num_events; i++) {
		if (counts->ticks || counts->value[i])
			snprintf(value, sizeof(value), "%" PRIu64, counts->value[i]);
		else
			snprintf(value, sizeof(value), "<not counted>");
		print_place(job, interval, counts->cpu);
		if (counts->ticks && stat_is_perf_metrics(job, i))
			print_perf_metrics(job, counts->value[i], counts->ticks);
		else
			print_event(job, value, "", pmc_event_name(job->event[i]), 0,
				    counts->ticks);
	}
}

/* With --per-cpu the sum is left out, as in perf. */
static int print_span(const struct stat_job *job, const struct stat_interval *interval)
{
	size_t row;

	for (row = job->per_cpu; row < interval->num; row++)
		if (!interval->counts[row].other_core_type)
			print_counts(job, interval, &interval->counts[row]);
	return fflush(job->file) ? report_error("cannot write the output") : 0;
}

/* The standard deviation of the mean, in per cent of it */
static double deviation_of_mean(const struct stat_job *job, size_t event,
				const struct stat_summary *summary)
{
	double mean = summary->floor + (double)summary->remainder / summary->divisor;

	return mean ? 100 * stat_deviation(job, event) / sqrt(stat_num_summarised(job)) / mean : 0;
}

static void print_means(const struct stat_job *job)
{
	struct stat_summary summary;
	char mean[32];
	size_t i;

	for (i = 0; i < job->num_events; i++) {
		stat_summarise(job, i, &summary);
		stat_mean_text(&summary, mean, sizeof(mean));
		print_event(job, mean, "", pmc_event_name(job->event[i]),
			    deviation_of_mean(job, i, &summary), stat_ticks(job, NULL));
	}
}

/* Print the figures: lines without a count, as perf's further metrics are. */
static void print_figures(const struct stat_job *job)
{
	double values[PMC_COUNTERS_MAX];
	struct stat_figure figure;
	size_t cursor = 0, columns, i;

	columns = 5 + (job->runs_requested > 1) + job->per_cpu;
	stat_counts_to_doubles(job, NULL, values);
	while (stat_next_figure(job, values, stat_seconds(job, NULL), stat_ticks(job, NULL),
				&cursor, &figure)) {
		for (i = 0; i < columns; i++)
			print_separator(job);
		fprintf(job->file, "%.9g", figure.value);
		print_separator(job);
		print_text(job, figure.name);
		fprintf(job->file, "%s%s%s\n", figure.suffix[0] ? " (" : "", figure.suffix,
			figure.suffix[0] ? ")" : "");
	}
}

/* With -I, the intervals are everything, as in perf. */
static int end(const struct stat_job *job)
{
	const struct stat_run *run = &job->run[0];
	struct stat_counts sum = { 0 };
	struct stat_interval whole = {
		.end_ns = run->measured.elapsed_ns,
		.num = job->per_cpu ? run->num_cpus : 1,
		.counts = job->per_cpu ? run->cpus : &sum,
	};

	if (job->session.interval_ns)
		return 0;
	stat_sum(run, &sum);
	if (job->runs_requested > 1)
		print_means(job);
	else if (print_span(job, &whole))
		return EXIT_TROUBLE;
	print_figures(job);
	return 0;
}

const struct stat_format stat_separated = {
	.interval = print_span,
	.end = end,
};

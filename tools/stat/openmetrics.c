// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmcctl stat: print metrics for Prometheus
 *
 * The output is valid both as OpenMetrics and in the older text format, which node_exporter
 * reads from its textfile folder. The two formats write counters differently, so all metrics
 * are gauges. The file is replaced as a whole: no reader sees an incomplete one.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "stat/stat.h"
#include "util/error.h"
#include "util/output-file.h"
#include "util/output.h"

/* Print the value of a label, with backslash, quote and newline escaped. */
static void print_value(const char *text, FILE *file)
{
	struct json_object *good = json_text(text);
	const char *c;

	for (c = json_object_get_string(good); *c; c++) {
		if (*c == '\n') {
			fputs("\\n", file);
			continue;
		}
		if (*c == '\\' || *c == '"')
			fputc('\\', file);
		fputc(*c, file);
	}
	json_object_put(good);
}

static void print_label(const char *name, const char *text, FILE *file)
{
	fprintf(file, "%s=\"", name);
	print_value(text, file);
	fputc('"', file);
}

static void print_head(const char *name, const char *help, FILE *file)
{
	fprintf(file, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void print_counts(const struct stat_job *job, const struct stat_interval *interval,
			 FILE *file)
{
	char name[PMC_COUNTER_NAME_SIZE];
	size_t row, i;

	for (row = 0; row < interval->num; row++) {
		/* leave the sum out: a query that adds up the CPUs would count it twice */
		if ((interval->num > 1 && interval->counts[row].cpu < 0) ||
		    interval->counts[row].other_core_type)
			continue;
		for (i = 0; i < job->num_events; i++) {
			pmc_counter_name(stat_counter(job, i), name, sizeof(name));
			fputs("pmcdrv_stat_events{", file);
			print_label("event", pmc_event_label(job->event[i]), file);
			fprintf(file, ",counter=\"%s\",run=\"%zu\"", name, interval->run + 1);
			if (interval->counts[row].cpu >= 0)
				fprintf(file, ",cpu=\"%d\"", interval->counts[row].cpu);
			fprintf(file, "} %" PRIu64 "\n", interval->counts[row].value[i]);
		}
	}
}

static void print_figures(const struct stat_job *job, const double *values, size_t run,
			  double seconds, double ticks, FILE *file)
{
	struct stat_figure figure;
	size_t cursor = 0;

	while (stat_next_figure(job, values, seconds, ticks, &cursor, &figure)) {
		fputs("pmcdrv_stat_figure{", file);
		print_label("name", figure.name, file);
		fputc(',', file);
		print_label("modifiers", figure.suffix, file);
		fputc(',', file);
		print_label("unit", figure.unit, file);
		fprintf(file, ",run=\"%zu\"} %.9g\n", run + 1, figure.value);
	}
}

static void print_seconds(const struct stat_interval *interval, FILE *file)
{
	fprintf(file, "pmcdrv_stat_elapsed_seconds{run=\"%zu\"} %.9f\n", interval->run + 1,
		interval->end_ns / 1e9);
}

/* Print all completed runs and the current one, if there is one. */
static void print_each(const struct stat_job *job, const struct stat_interval *last, FILE *file,
		       void (*print)(const struct stat_job *job,
				     const struct stat_interval *interval, FILE *file))
{
	const struct stat_run *run;
	struct stat_counts sum;

	for (run = job->run; run < job->run + job->num_runs; run++) {
		struct stat_interval whole = {
			.run = run - job->run,
			.end_ns = run->measured.elapsed_ns,
			.num = job->per_cpu ? run->num_cpus : 1,
			.counts = job->per_cpu ? run->cpus : &sum,
		};

		stat_sum(run, &sum);
		print(job, &whole, file);
	}
	if (last)
		print(job, last, file);
}

static void each_figures(const struct stat_job *job, const struct stat_interval *interval,
			 FILE *file)
{
	double values[PMC_COUNTERS_MAX];
	size_t i;

	for (i = 0; i < job->num_events; i++)
		values[i] = interval->counts[0].value[i];
	print_figures(job, values, interval->run, interval->end_ns / 1e9,
		      interval->counts[0].ticks, file);
}

static void each_seconds(const struct stat_job *job, const struct stat_interval *interval,
			 FILE *file)
{
	(void)job;
	print_seconds(interval, file);
}

static void print_statuses(const struct stat_job *job, FILE *file)
{
	size_t i;

	for (i = 0; i < job->num_runs; i++)
		fprintf(file, "pmcdrv_stat_exit_status{run=\"%zu\"} %d\n", i + 1,
			session_exit_status(job->run[i].measured.status));
}

/* @last: the current run, or NULL */
static int print_all(const struct stat_job *job, const struct stat_interval *last)
{
	struct replacement new;
	FILE *file;

	file = job->path ? output_replace_begin(&new, job->path) : job->file;
	if (!file)
		return EXIT_TROUBLE;
	print_head("pmcdrv_stat_events", "Events counted by pmcctl stat.", file);
	print_each(job, last, file, print_counts);
	print_head("pmcdrv_stat_figure", "Figures computed from them.", file);
	print_each(job, last, file, each_figures);
	print_head("pmcdrv_stat_elapsed_seconds", "Duration of counting.", file);
	print_each(job, last, file, each_seconds);
	if (job->argv[0] && job->num_runs) {
		print_head("pmcdrv_stat_exit_status",
			   "Exit status of the command, or 128 plus the number of the signal that ended it.",
			   file);
		print_statuses(job, file);
	}
	fputs("# EOF\n", file);
	return job->path ? output_replace_commit(&new) : 0;
}

static int print_cumulative(const struct stat_job *job, const struct stat_interval *total)
{
	return job->path ? print_all(job, total) : 0;
}

static int end(const struct stat_job *job)
{
	return print_all(job, NULL);
}

const struct stat_format stat_openmetrics = {
	.replaces = true,
	.print_cumulative = print_cumulative,
	.end = end,
};

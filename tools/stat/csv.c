// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmcctl stat: print comma-separated values, a row for each count, fraction and figure. The format
 * is that of RFC 4180, with LF at the ends of lines.
 */
#include <inttypes.h>

#include "stat/stat.h"
#include "util/error.h"
#include "util/output.h"

static int begin(const struct stat_job *job)
{
	fputs("span,run,begin_s,end_s,cpu,what,name,modifiers,counter,value,unit\n", job->file);
	return 0;
}

/* Print the first columns, which are the same in every row of a span. */
static void print_span(const struct stat_job *job, const char *span,
		       const struct stat_interval *interval, int cpu)
{
	fprintf(job->file, "%s,%zu,%.9f,%.9f,", span, interval->run + 1, interval->begin_ns / 1e9,
		interval->end_ns / 1e9);
	if (cpu >= 0)
		fprintf(job->file, "%d", cpu);
	fputc(',', job->file);
}

/* Print a row for each fraction; there is only one run. */
static void print_perf_metrics(const struct stat_job *job, const char *span,
			       const struct stat_interval *interval, uint64_t value)
{
	unsigned int cursor = 0, fraction;
	const char *name;

	while (stat_next_perf_metric(job, value, &cursor, &name, &fraction)) {
		print_span(job, span, interval, -1);
		fprintf(job->file, "fraction,%s,,metrics,%u,1/%u\n", name, fraction,
			PMC_METRICS_WHOLE);
	}
}

static void print_counts(const struct stat_job *job, const char *span,
			 const struct stat_interval *interval)
{
	char name[PMC_COUNTER_NAME_SIZE];
	size_t row, i;

	for (row = 0; row < interval->num; row++)
		for (i = 0; i < job->num_events && !interval->counts[row].other_core_type; i++) {
			pmc_counter_name(stat_counter(job, i), name, sizeof(name));
			print_span(job, span, interval, interval->counts[row].cpu);
			fputs("count,", job->file);
			csv_print(pmc_event_label(job->event[i]), job->file);
			fprintf(job->file, ",,%s,%" PRIu64 ",\n", name,
				interval->counts[row].value[i]);
			if (stat_is_perf_metrics(job, i))
				print_perf_metrics(job, span, interval,
						   interval->counts[row].value[i]);
		}
}

static void print_figures(const struct stat_job *job, const struct stat_run *run,
			  const struct stat_interval *interval)
{
	double values[PMC_COUNTERS_MAX];
	struct stat_figure figure;
	size_t cursor = 0;

	stat_counts_to_doubles(job, run, values);
	while (stat_next_figure(job, values, stat_seconds(job, run), stat_ticks(job, run),
				&cursor, &figure)) {
		print_span(job, "run", interval, -1);
		fputs("figure,", job->file);
		csv_print(figure.name, job->file);
		fprintf(job->file, ",%s,,%.9g,", figure.suffix, figure.value);
		csv_print(figure.unit, job->file);
		fputc('\n', job->file);
	}
}

static int interval(const struct stat_job *job, const struct stat_interval *interval)
{
	print_counts(job, "interval", interval);
	return fflush(job->file) ? report_error("cannot write the output") : 0;
}

static int end(const struct stat_job *job)
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
		print_counts(job, "run", &whole);
		print_figures(job, run, &whole);
	}
	return 0;
}

const struct stat_format stat_csv = {
	.begin = begin,
	.interval = interval,
	.end = end,
};

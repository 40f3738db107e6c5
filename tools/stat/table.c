// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl stat: print the table */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "stat/stat.h"
#include "util/error.h"
#include "util/output.h"

/* Instead of the counts of an offline CPU */
#define OFFLINE		"offline"

#define NAME_SIZE	PMC_COUNTER_NAME_SIZE

/* Minimum width of a column with -I: widths are fixed before the first count is known. */
#define INTERVAL_WIDTH	14

static uint64_t value(const struct stat_job *job, size_t run, size_t event)
{
	return job->run[run].measured.snapshot.value[event];
}

/* Print the core type that counting is limited to. */
static void print_core_type(const struct stat_job *job)
{
	const char *name = pmc_core_type_name(job->session.core_type);

	if (job->session.core_type & PMC_CORE_TYPE_MODEL || (job->session.core_type && !name))
		fprintf(job->file, ", on cores of type 0x%08x only", job->session.core_type);
	else if (name)
		fprintf(job->file, ", on cores of type %s only", name);
}

static void print_command(const struct stat_job *job)
{
	char **arg;

	switch (job->session.scope) {
	case PMC_SCOPE_CPU:
		fprintf(job->file, "CPU %d while this ran", job->session.cpu);
		break;
	case PMC_SCOPE_ALL_CPUS:
		fputs("All CPUs while this ran", job->file);
		break;
	case PMC_SCOPE_PROCESS:
		fprintf(job->file, "Process %d%s", job->session.pid,
			job->argv[0] ? " while this ran" : "");
		break;
	case PMC_SCOPE_THREAD:
		fputs("Counted, the first thread alone", job->file);
		break;
	default:
		fputs("Counted", job->file);
	}
	print_core_type(job);
	fputc(':', job->file);
	for (arg = job->argv; *arg; arg++)
		fprintf(job->file, " %s", *arg);
	fputs("\n\n", job->file);
}

static void print_times(const struct stat_job *job)
{
	const struct session_result *measured = &job->run[0].measured;

	if (stat_num_summarised(job) > 1)
		fprintf(job->file, "\n%.9f s elapsed on average; counted for %.0f time-stamp ticks",
			stat_seconds(job, NULL), stat_ticks(job, NULL));
	else
		fprintf(job->file, "\n%" PRIu64 ".%09u s elapsed; counted for %" PRIu64
			" time-stamp ticks", measured->elapsed_ns / 1000000000,
			(unsigned int)(measured->elapsed_ns % 1000000000),
			measured->snapshot.time_counted);
	if (job->session.scope == PMC_SCOPE_ALL_CPUS)
		fputs(", all CPUs together", job->file);
	if (job->tsc_khz)
		fprintf(job->file, " (%u kHz)", job->tsc_khz);
	fputc('\n', job->file);
}

/* @run: NULL for the means */
static void print_figures(const struct stat_job *job, const struct stat_run *run)
{
	struct table table = { .columns = 2, .right = 0x1 };
	double values[PMC_COUNTERS_MAX];
	struct stat_figure figure;
	size_t cursor = 0;

	stat_counts_to_doubles(job, run, values);
	while (stat_next_figure(job, values, stat_seconds(job, run), stat_ticks(job, run),
				&cursor, &figure)) {
		table_add(&table, "%.3f%s", figure.value,
			  strcmp(figure.unit, "%") ? "" : "%");
		table_add(&table, "%s%s%s%s%s%s%s", figure.name,
			  strcmp(figure.unit, "%") && figure.unit[0] ? " [" : "",
			  strcmp(figure.unit, "%") ? figure.unit : "",
			  strcmp(figure.unit, "%") && figure.unit[0] ? "]" : "",
			  figure.suffix[0] ? " (" : "", figure.suffix,
			  figure.suffix[0] ? ")" : "");
	}
	if (table.num_cells)
		fputc('\n', job->file);
	table_print(&table, 4, job->file);
}

/* Add a row for each fraction. */
static void add_perf_metrics(const struct stat_job *job, struct table *table, size_t event)
{
	unsigned int cursor = 0, fraction;
	const char *name;

	while (stat_next_perf_metric(job, value(job, 0, event), &cursor, &name, &fraction)) {
		table_add(table, "%u/%u", fraction, PMC_METRICS_WHOLE);
		table_add(table, "%s", name);
		table_add(table, "%s", cursor == 1 ? "metrics" : "");
	}
}

/* Print one run: a row for each event. */
static void print_single_run(const struct stat_job *job)
{
	struct table table = { .columns = 3, .right = 0x1 };
	char name[NAME_SIZE];
	size_t i;

	for (i = 0; i < job->num_events; i++) {
		if (stat_is_perf_metrics(job, i)) {
			add_perf_metrics(job, &table, i);
			continue;
		}
		pmc_counter_name(pmc_context_counter(job->session.context, i), name, sizeof(name));
		table_add(&table, "%" PRIu64, value(job, 0, i));
		table_add(&table, "%s", pmc_event_name(job->event[i]));
		table_add(&table, "%s", name);
	}
	table_print(&table, 4, job->file);
	print_figures(job, &job->run[0]);
	print_times(job);
}

/* ---- a column for each event ---- */

static void add_heads(const struct stat_job *job, struct table *table)
{
	size_t i;

	table_add(table, "%s", "");
	for (i = 0; i < job->num_events; i++)
		table_add(table, "%s", pmc_event_name(job->event[i]));
}

static void add_values(const struct stat_job *job, struct table *table, const uint64_t *values)
{
	size_t i;

	for (i = 0; i < job->num_events; i++)
		table_add(table, "%" PRIu64, values[i]);
}

/* Add the counters of the events. */
static void add_counters(const struct stat_job *job, struct table *table)
{
	char name[NAME_SIZE];
	size_t i;

	table_add(table, "counter");
	for (i = 0; i < job->num_events; i++) {
		pmc_counter_name(pmc_context_counter(job->session.context, i), name, sizeof(name));
		table_add(table, "%s", name);
	}
}

/* A CPU that is offline throughout the run counts for 0 ticks. */
static bool is_offline(const struct stat_job *job, const struct stat_counts *counts)
{
	size_t i;

	for (i = 0; i < job->num_events; i++)
		if (counts->value[i])
			return false;
	return counts->cpu >= 0 && !counts->ticks;
}

static void add_cpu(const struct stat_job *job, struct table *table,
		    const struct stat_counts *counts)
{
	size_t i;

	if (!is_offline(job, counts)) {
		add_values(job, table, counts->value);
		return;
	}
	for (i = 0; i < job->num_events; i++)
		table_add(table, OFFLINE);
}

/* @label: "run N" if there are several runs, else "" */
static void add_run(const struct stat_job *job, const struct stat_run *run, const char *label,
		    struct table *table)
{
	const char *space = label[0] ? " " : "";
	size_t i;

	for (i = 1; i < run->num_cpus; i++) {
		table_add(table, "%s%sCPU %d", label, space, run->cpus[i].cpu);
		add_cpu(job, table, &run->cpus[i]);
	}
	table_add(table, "%s%s%s", label, run->num_cpus ? space : "", run->num_cpus ? "sum" : "");
	add_values(job, table, run->measured.snapshot.value);
}

static void add_runs(const struct stat_job *job, struct table *table)
{
	char label[40] = "";
	size_t i;

	for (i = 0; i < job->num_runs; i++) {
		if (job->runs_requested > 1)
			snprintf(label, sizeof(label), "run %zu%s", i + 1,
				 job->run[i].interrupted ? " (cut off)" : "");
		add_run(job, &job->run[i], label, table);
	}
}

static void add_summary(const struct stat_job *job, struct table *table)
{
	struct stat_summary summary[PMC_COUNTERS_MAX];
	char mean[32];
	size_t i;

	for (i = 0; i < job->num_events; i++)
		stat_summarise(job, i, &summary[i]);
	table_add(table, "min");
	for (i = 0; i < job->num_events; i++)
		table_add(table, "%" PRIu64, summary[i].min);
	table_add(table, "max");
	for (i = 0; i < job->num_events; i++)
		table_add(table, "%" PRIu64, summary[i].max);
	table_add(table, "mean");
	for (i = 0; i < job->num_events; i++) {
		stat_mean_text(&summary[i], mean, sizeof(mean));
		table_add(table, "%s", mean);
	}
	table_add(table, "deviation");
	for (i = 0; i < job->num_events; i++)
		table_add(table, "%.3f", stat_deviation(job, i));
}

static void print_columns(const struct stat_job *job)
{
	struct table table = { .columns = job->num_events + 1, .right = ~1U, .head = true };

	add_heads(job, &table);
	add_counters(job, &table);
	add_runs(job, &table);
	if (job->runs_requested > 1 && stat_num_complete(job))
		add_summary(job, &table);
	table_print(&table, 2, job->file);
	print_figures(job, NULL);
	print_times(job);
}

/* ---- intervals ---- */

static int width(const struct stat_job *job, size_t event)
{
	int len = strlen(pmc_event_name(job->event[event]));

	return len > INTERVAL_WIDTH ? len : INTERVAL_WIDTH;
}

static int begin(const struct stat_job *job)
{
	size_t i;

	if (!job->session.interval_ns)
		return 0;
	print_command(job);
	output_bold(job->file, "%10s%s%s", "seconds", job->runs_requested > 1 ? "   run" : "",
		    job->per_cpu ? "   CPU" : "");
	for (i = 0; i < job->num_events; i++)
		output_bold(job->file, "  %*s", width(job, i), pmc_event_name(job->event[i]));
	fputc('\n', job->file);
	return fflush(job->file);
}

static int interval(const struct stat_job *job, const struct stat_interval *interval)
{
	size_t row, i;

	for (row = 0; row < interval->num; row++) {
		fprintf(job->file, "%10.3f", interval->end_ns / 1e9);
		if (job->runs_requested > 1)
			fprintf(job->file, "%6zu", interval->run + 1);
		if (job->per_cpu && interval->counts[row].cpu < 0)
			fprintf(job->file, "   sum");
		else if (job->per_cpu)
			fprintf(job->file, "%6d", interval->counts[row].cpu);
		for (i = 0; i < job->num_events; i++)
			if (is_offline(job, &interval->counts[row]))
				fprintf(job->file, "  %*s", width(job, i), OFFLINE);
			else
				fprintf(job->file, "  %*" PRIu64, width(job, i),
					interval->counts[row].value[i]);
		fputc('\n', job->file);
	}
	return fflush(job->file) ? report_error("cannot write the table") : 0;
}

static int end(const struct stat_job *job)
{
	if (job->session.interval_ns)
		fputc('\n', job->file);
	else
		print_command(job);
	if (job->runs_requested == 1 && !job->per_cpu)
		print_single_run(job);
	else
		print_columns(job);
	return 0;
}

const struct stat_format stat_table = {
	.begin = begin,
	.interval = interval,
	.end = end,
};

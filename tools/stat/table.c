// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl stat: print the table */
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "stat/stat.h"
#include "util/error.h"
#include "util/output.h"

/* Instead of the counts of a CPU that has none */
#define OFFLINE		"offline"
#define OTHER_CORE_TYPE	"other core type"

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

/* Print "CPU 1", "CPUs 0,1", "Process 12", ... */
static void print_targets(const struct stat_job *job, const char *one, const char *several)
{
	char *targets = session_targets_text(&job->session);

	fprintf(job->file, "%s %s", job->session.num_targets > 1 ? several : one, targets);
	if (job->argv[0])
		fputs(" while this ran", job->file);
	free(targets);
}

static void print_command(const struct stat_job *job)
{
	char **arg;

	switch (job->session.scope) {
	case PMC_SCOPE_CPU:
		print_targets(job, "CPU", "CPUs");
		break;
	case PMC_SCOPE_ALL_CPUS:
		fprintf(job->file, "All CPUs%s", job->argv[0] ? " while this ran" : "");
		break;
	case PMC_SCOPE_PROCESS:
		print_targets(job, "Process", "Processes");
		break;
	case PMC_SCOPE_THREAD:
		if (job->session.num_targets)
			print_targets(job, "Thread", "Threads");
		else
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

static void print_cpu_times(const struct stat_job *job)
{
	double user_us, system_us;

	stat_cpu_times(job, &user_us, &system_us);
	fprintf(job->file, "%'.6f s user, %'.6f s system%s\n", user_us / 1e6, system_us / 1e6,
		stat_num_summarised(job) > 1 ? " on average" : "");
}

static void print_times(const struct stat_job *job)
{
	const struct session_result *measured = &job->run[0].measured;

	if (stat_num_summarised(job) > 1)
		fprintf(job->file, "\n%'.9f s elapsed on average; counted for %'.0f time-stamp ticks",
			stat_seconds(job, NULL), stat_ticks(job, NULL));
	else
		fprintf(job->file, "\n%'.9f s elapsed; counted for %'" PRIu64 " time-stamp ticks",
			measured->elapsed_ns / 1e9, measured->snapshot.time_counted);
	if (job->session.scope == PMC_SCOPE_ALL_CPUS)
		fputs(", all CPUs together", job->file);
	if (job->tsc_khz)
		fprintf(job->file, " (%u kHz)", job->tsc_khz);
	fputc('\n', job->file);
	if (job->argv[0])
		print_cpu_times(job);
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
		table_add(&table, "%'.3f%s", figure.value,
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

/* "general0", or "general0, pass 2" */
static void add_counter(const struct stat_job *job, struct table *table, size_t event)
{
	char name[NAME_SIZE];

	pmc_counter_name(stat_counter(job, event), name, sizeof(name));
	if (job->num_passes > 1)
		table_add(table, "%s, pass %d", name, job->pass[event] + 1);
	else
		table_add(table, "%s", name);
}

/* Print one run: a row for each event. */
static void print_single_run(const struct stat_job *job)
{
	struct table table = { .columns = 3, .right = 0x1 };
	size_t i;

	for (i = 0; i < job->num_events; i++) {
		if (stat_is_perf_metrics(job, i)) {
			add_perf_metrics(job, &table, i);
			continue;
		}
		table_add(&table, "%'" PRIu64, value(job, 0, i));
		table_add(&table, "%s", pmc_event_label(job->event[i]));
		add_counter(job, &table, i);
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
		table_add(table, "%s", pmc_event_label(job->event[i]));
}

static void add_values(const struct stat_job *job, struct table *table, const uint64_t *values)
{
	size_t i;

	for (i = 0; i < job->num_events; i++)
		table_add(table, "%'" PRIu64, values[i]);
}

/* Add the counters of the events. */
static void add_counters(const struct stat_job *job, struct table *table)
{
	size_t i;

	table_add(table, "counter");
	for (i = 0; i < job->num_events; i++)
		add_counter(job, table, i);
}

/* Why a CPU has no counts, or NULL. A CPU that is offline throughout the run counts for 0 ticks. */
static const char *why_absent(const struct stat_job *job, const struct stat_counts *counts)
{
	size_t i;

	if (counts->other_core_type)
		return OTHER_CORE_TYPE;
	for (i = 0; i < job->num_events; i++)
		if (counts->value[i])
			return NULL;
	return counts->cpu >= 0 && !counts->ticks ? OFFLINE : NULL;
}

static void add_cpu(const struct stat_job *job, struct table *table,
		    const struct stat_counts *counts)
{
	const char *absent = why_absent(job, counts);
	size_t i;

	if (!absent)
		add_values(job, table, counts->value);
	for (i = 0; i < job->num_events && absent; i++)
		table_add(table, "%s", absent);
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
	char mean[64];
	size_t i;

	for (i = 0; i < job->num_events; i++)
		stat_summarise(job, i, &summary[i]);
	table_add(table, "min");
	for (i = 0; i < job->num_events; i++)
		table_add(table, "%'" PRIu64, summary[i].min);
	table_add(table, "max");
	for (i = 0; i < job->num_events; i++)
		table_add(table, "%'" PRIu64, summary[i].max);
	table_add(table, "mean");
	for (i = 0; i < job->num_events; i++) {
		stat_mean_text(&summary[i], mean, sizeof(mean));
		table_add(table, "%s", mean);
	}
	table_add(table, "deviation");
	for (i = 0; i < job->num_events; i++)
		table_add(table, "%'.3f", stat_deviation(job, i));
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
	int min = job->other_core_type ? (int)strlen(OTHER_CORE_TYPE) : INTERVAL_WIDTH;
	int len = strlen(pmc_event_label(job->event[event]));

	return len > min ? len : min;
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
		output_bold(job->file, "  %*s", width(job, i), pmc_event_label(job->event[i]));
	fputc('\n', job->file);
	return fflush(job->file);
}

/* Print the counts of one CPU, or of all. */
static void print_values(const struct stat_job *job, const struct stat_counts *counts)
{
	const char *absent = why_absent(job, counts);
	char text[64];
	size_t i;

	for (i = 0; i < job->num_events; i++) {
		snprintf(text, sizeof(text), "%'" PRIu64, counts->value[i]);
		if (absent)
			snprintf(text, sizeof(text), "%s", absent);
		fprintf(job->file, "  %*s%s", width(job, i) - (int)text_width(text), "", text);
	}
	fputc('\n', job->file);
}

static int interval(const struct stat_job *job, const struct stat_interval *interval)
{
	size_t row;

	for (row = 0; row < interval->num; row++) {
		fprintf(job->file, "%'10.3f", interval->end_ns / 1e9);
		if (job->runs_requested > 1)
			fprintf(job->file, "%6zu", interval->run + 1);
		if (job->per_cpu && interval->counts[row].cpu < 0)
			fprintf(job->file, "   sum");
		else if (job->per_cpu)
			fprintf(job->file, "%6d", interval->counts[row].cpu);
		print_values(job, &interval->counts[row]);
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
	stat_overcount_print(job);
	return 0;
}

/* ---- the user's way to write numbers ---- */

/* Set LC_NUMERIC of the environment for this thread. Formulas and other formats never have it. */
static locale_t enter_locale(void)
{
	static locale_t numeric;

	if (!numeric)
		numeric = newlocale(LC_NUMERIC_MASK, "", (locale_t)0);
	return uselocale(numeric);
}

static int begin_in_locale(const struct stat_job *job)
{
	locale_t before = enter_locale();
	int result = begin(job);

	uselocale(before);
	return result;
}

static int interval_in_locale(const struct stat_job *job, const struct stat_interval *part)
{
	locale_t before = enter_locale();
	int result = interval(job, part);

	uselocale(before);
	return result;
}

static int end_in_locale(const struct stat_job *job)
{
	locale_t before = enter_locale();
	int result = end(job);

	uselocale(before);
	return result;
}

const struct stat_format stat_table = {
	.begin = begin_in_locale,
	.interval = interval_in_locale,
	.end = end_in_locale,
};

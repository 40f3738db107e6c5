/* SPDX-License-Identifier: GPL-2.0-only */
/* pmcctl stat: what was asked and what was counted */
#ifndef PMCCTL_STAT_H
#define PMCCTL_STAT_H

#include <libpmcevents.h>
#include <sys/types.h>

#include "util/error.h"
#include "util/formula.h"
#include "util/output-file.h"
#include "util/session.h"

/*
 * Counts of one moment or span.
 * @cpu: the CPU whose part it is, -1 for the sum
 */
struct stat_counts {
	int cpu;
	uint64_t ticks;
	uint64_t value[PMC_COUNTERS_MAX];
};

/*
 * One run of the command.
 * @interrupted: a signal ended it or came meanwhile, so it is the last
 * @cpus: with --per-cpu, the parts of the CPUs
 */
struct stat_run {
	struct session_result measured;
	bool interrupted;
	size_t num_cpus;
	struct stat_counts *cpus;
};

/*
 * The span between two readings within a run, for -I: the sum first, then with
 * --per-cpu its parts.
 * @begin_ns, @end_ns: since the run began
 */
struct stat_interval {
	size_t run;
	uint64_t begin_ns;
	uint64_t end_ns;
	size_t num;
	const struct stat_counts *counts;
};

struct stat_job;

/*
 * A way to print. Any of its operations may be NULL.
 * @begin: before the first of the others
 * @interval: a span of -I is over
 * @print_cumulative: likewise, for a format that tells the whole each time
 * @end: all runs are over
 * @replaces: it opens the file of -o itself, and replaces it each time
 */
struct stat_format {
	bool replaces;
	int (*begin)(const struct stat_job *job);
	int (*interval)(const struct stat_job *job, const struct stat_interval *interval);
	int (*print_cumulative)(const struct stat_job *job, const struct stat_interval *total);
	int (*end)(const struct stat_job *job);
};

extern const struct stat_format stat_table;
extern const struct stat_format stat_json;
extern const struct stat_format stat_csv;
extern const struct stat_format stat_openmetrics;

/*
 * @argv: the command; empty if a process is counted until it ends
 * @session: the context, what it counts, the interval of -I
 * @lists: of all -e, to be parsed when all options are read; or NULL
 * @other_core_type: by the number of a CPU, with --per-cpu: it was of another kind of core than
 *	is counted when the run began; NULL where all kinds are counted
 * @defaults: no -e and no -g was given
 * @group: of -g, or NULL
 * @first_group_event: the events from this one on are those of -g
 * @path: of -o, or NULL
 * @output: where @file is from, unless the format replaces it each time
 * @skipped: lines about what is left out, to be told when counting begins; or NULL
 * @incomplete: counts are missing
 * @header_printed: the format has printed what comes first
 * @formulas: built-in ones and the user's
 */
struct stat_job {
	char **argv;
	struct session session;
	char *lists;
	bool defaults;
	bool per_cpu;
	bool *other_core_type;
	bool incomplete;
	bool header_printed;
	const struct stat_format *format;
	const char *path;
	struct deferred_file output;
	FILE *file;
	char *skipped;
	uint32_t tsc_khz;
	struct formula_set formulas;
	size_t num_events;
	const char *group;
	size_t first_group_event;
	struct pmc_event *event[PMC_COUNTERS_MAX];
	struct pmc_device *device;
	size_t runs_requested;
	size_t num_runs;
	struct stat_run *run;
};

/* ---- stat-fractions.c ---- */

/* Whether an event is the performance metrics */
bool stat_is_perf_metrics(const struct stat_job *job, size_t event);

/* They can be told of one run as a whole. Return: 0 or EXIT_TROUBLE after a complaint. */
int stat_check_perf_metrics(const struct stat_job *job);

/*
 * The next fraction of what an event was in the only run, in 255ths. Begin with *@cursor 0.
 * Return: false after the last one.
 */
bool stat_next_perf_metric(const struct stat_job *job, uint64_t value, unsigned int *cursor,
			const char **name, unsigned int *fraction);

/* ---- stat-events.c ---- */

/* Add the events of a list. Return: 0 or EXIT_TROUBLE after a complaint. */
int stat_add_list(struct stat_job *job, const char *list);

/* Add those of a group, "NAME" or "NAME:MODIFIER". Return: as stat_add_list(). */
int stat_add_group(struct stat_job *job, const char *text);

/*
 * An event of a group is none by itself, as pmc_error() says: tell where it stands.
 * Return: EXIT_TROUBLE.
 */
int stat_fail_group(const struct formula_group *group);

/*
 * Add the default events that fit, with @modifier, to the context too, and @report
 * which do not. Return: 0, or -1 with pmc_error().
 */
int stat_add_defaults(struct stat_job *job, const char *modifier, bool report);

/* Take one event out. */
void stat_remove_event(struct stat_job *job, size_t index);

/* Remember that something is left out, to be told when counting begins. */
void stat_skip(struct stat_job *job, const char *format, ...) __printf(2, 3);

/* Tell it, for struct measure. */
void stat_print_skipped(void *data);

void stat_free_events(struct stat_job *job);

/* ---- stat-count.c ---- */

/* Count and print. Return: the exit status. */
int stat_count(struct stat_job *job);

/* For struct measure: tell an interval */
int stat_read_interval(void *data, uint64_t elapsed_ns);

/*
 * For struct measure: count less of the default events, where their kernel mode is not
 * allowed or somebody else holds counters
 */
int stat_retry_fewer(void *data, pid_t pid);

/* For struct measure: why the events cannot be counted, and what to do */
int stat_report_failure(void *data);

/* ---- stat-figures.c ---- */

/* How many runs were not cut off */
size_t stat_num_complete(const struct stat_job *job);

/* The runs that are summarised: the whole ones, or the only one that was cut off */
size_t stat_num_summarised(const struct stat_job *job);

/* The mean is @floor + @remainder / @divisor, the number of runs, exactly. */
struct stat_summary {
	uint64_t min;
	uint64_t max;
	uint64_t floor;
	uint64_t remainder;
	uint64_t divisor;
};

void stat_summarise(const struct stat_job *job, size_t event, struct stat_summary *summary);

/* Print the mean with three decimals, rounded half up. */
void stat_mean_text(const struct stat_summary *summary, char *text, size_t size);

/* Standard deviation of the same runs' counts, of a sample; 0 for one run. */
double stat_deviation(const struct stat_job *job, size_t event);

/*
 * A derived figure.
 * @suffix: modifiers that its events share, such as ":u", or ""
 */
struct stat_figure {
	const char *name;
	const char *unit;
	char suffix[PMC_EVENT_NAME_MAX + 1];
	double value;
};

/*
 * The figures that can be computed of some counts, one after the other. Begin
 * with *@cursor 0.
 * @value: counts of the events; doubles, for they may be means
 * Return: false after the last one.
 */
bool stat_next_figure(const struct stat_job *job, const double *value, double seconds,
		      double ticks, size_t *cursor, struct stat_figure *figure);

/* The counts of a run, all CPUs together */
void stat_sum(const struct stat_run *run, struct stat_counts *counts);

/* The counts of a run as doubles, or their means with @run NULL */
void stat_counts_to_doubles(const struct stat_job *job, const struct stat_run *run, double *value);

/* Mean of the runs' elapsed seconds and ticks, or those of one run */
double stat_seconds(const struct stat_job *job, const struct stat_run *run);
double stat_ticks(const struct stat_job *job, const struct stat_run *run);

#endif /* PMCCTL_STAT_H */

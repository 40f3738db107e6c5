/* SPDX-License-Identifier: GPL-2.0-only */
/* pmcctl stat: the job, its options and its results */
#ifndef PMCCTL_STAT_H
#define PMCCTL_STAT_H

#include <libpmcevents.h>
#include <sys/types.h>

#include "util/error.h"
#include "util/formula.h"
#include "util/output-file.h"
#include "util/session.h"

/*
 * Counts at one moment, or of one interval
 * @cpu: the CPU that they belong to, -1 for the sum of all CPUs
 * @other_core_type: the CPU has another core type than the counted one: only the table has it
 */
struct stat_counts {
	int cpu;
	bool other_core_type;
	uint64_t ticks;
	uint64_t value[PMC_COUNTERS_MAX];
};

/* Interrupts and page faults of the whole system, for --overcount */
struct stat_overcount {
	uint64_t interrupts;
	uint64_t page_faults;
};

/*
 * One run of the command
 * @interrupted: a signal ended it or arrived meanwhile, so it is the last run
 * @overcount: what happened meanwhile, with --overcount
 * @cpus: the counts of each CPU, with --per-cpu
 */
struct stat_run {
	struct session_result measured;
	struct stat_overcount overcount;
	bool interrupted;
	size_t num_cpus;
	struct stat_counts *cpus;
};

/*
 * The interval between two readings within a run, for -I
 * @counts: the sum, then with --per-cpu the counts of each CPU
 * @begin_ns, @end_ns: since the start of the run
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
 * An output format. Any of its operations may be NULL.
 * @begin: called before the others
 * @interval: called after each interval of -I
 * @print_cumulative: the same, for a format that prints the counts of the run so far
 * @end: called after all runs
 * @replaces: the format opens the file of -o itself, and replaces it each time
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
extern const struct stat_format stat_separated;

/*
 * @argv: the command; empty if a process is counted until it ends
 * @session: the context, what it counts, the interval of -I
 * @lists: the lists of all -e, parsed after the last option; or NULL
 * @separator: the text between the columns of -x
 * @other_core_type: with --per-cpu, indexed by CPU: the CPU had another core type than the
 *	counted one when the run began; NULL if all core types are counted
 * @defaults: no -e and no -g was given
 * @formulas_given: there was --formulas: errors in that file are fatal
 * @default_group: the group that is counted then
 * @group: the group of -g, or NULL
 * @first_group_event: the events from this one on are those of -g
 * @path: the file of -o, or NULL
 * @output: the source of @file, unless the format replaces the file each time
 * @topdown_modifier: with --topdown the modifier of its events, such as ":u", or ""; else NULL
 * @num_passes: runs of the command for one count of each event, if above 1
 * @pass: for several passes: the one that counts the event, from 0
 * @counter: for several passes: the counter of each event
 * @skipped: messages about events that are left out, printed when counting begins; or NULL
 * @overcount: print the bounds of --overcount
 * @incomplete: counts are missing
 * @header_printed: @begin of the format was called
 * @formulas: the built-in ones and those of the user
 */
struct stat_job {
	char **argv;
	struct session session;
	char *lists;
	bool defaults;
	bool formulas_given;
	const char *default_group;
	bool per_cpu;
	bool *other_core_type;
	bool overcount;
	bool incomplete;
	bool header_printed;
	const struct stat_format *format;
	const char *separator;
	const char *path;
	struct deferred_file output;
	FILE *file;
	char *skipped;
	uint32_t tsc_khz;
	struct formula_set formulas;
	size_t num_events;
	const char *group;
	size_t first_group_event;
	const char *topdown_modifier;
	unsigned int num_passes;
	uint8_t pass[PMC_COUNTERS_MAX];
	uint32_t counter[PMC_COUNTERS_MAX];
	struct pmc_event *event[PMC_COUNTERS_MAX];
	struct pmc_device *device;
	size_t runs_requested;
	size_t num_runs;
	struct stat_run *run;
};

/* ---- perf-metrics.c ---- */

/* Is the event the performance metrics? */
bool stat_is_perf_metrics(const struct stat_job *job, size_t event);

/* Fractions exist for one run as a whole. Return: 0, or EXIT_TROUBLE after a message. */
int stat_check_perf_metrics(const struct stat_job *job);

/*
 * Get the next fraction of the performance metrics @value, in 255ths. *@cursor begins with 0.
 * Return: false after the last one.
 */
bool stat_next_perf_metric(const struct stat_job *job, uint64_t value, unsigned int *cursor,
			   const char **name, unsigned int *fraction);

/*
 * Get the share of the slots, from 0 to 1, of the field with this name in the perf metrics that
 * are counted with the modifiers @suffix.
 * Return: false if they are not counted.
 */
bool stat_perf_metrics_share(const struct stat_job *job, const char *name, const char *suffix,
			     double *share);

/* Remove events that are further fields of the performance metrics: one event counts all. */
void stat_merge_perf_metrics(struct stat_job *job);

/* ---- passes.c ---- */

/* Add the events of --topdown. Return: 0, or EXIT_TROUBLE after a message. */
int stat_add_topdown(struct stat_job *job);

/* Assign the events to several runs of the command. Return: as stat_add_topdown(). */
int stat_plan_passes(struct stat_job *job);

/* Run the command once for each pass. Return: 0, or the exit status of a failure. */
int stat_run_passes(struct stat_job *job, struct stat_run *run);

/* The counter of an event */
uint32_t stat_counter(const struct stat_job *job, size_t event);

/* ---- events.c ---- */

/* Add the events of a list. Return: 0, or EXIT_TROUBLE after a message. */
int stat_add_list(struct stat_job *job, const char *list);

/* Add the events of a group, "NAME" or "NAME:MODIFIER". Return: as stat_add_list(). */
int stat_add_group(struct stat_job *job, const char *text);

/*
 * Report that an event of a group cannot be parsed, with the file and line of the group and
 * pmc_error(). Return: EXIT_TROUBLE.
 */
int stat_fail_group(const struct formula_group *group);

/*
 * Add the default events that fit, with @modifier, to the job and the context; with @report,
 * report the others. Return: 0, or -1 with pmc_error().
 */
int stat_add_defaults(struct stat_job *job, const char *modifier, bool report);

/* Remove one event. */
void stat_remove_event(struct stat_job *job, size_t index);

/* Save a message about events that are left out, for stat_print_skipped(). */
void stat_skip(struct stat_job *job, const char *format, ...) __printf(2, 3);

/* struct session, @ready: print the messages of stat_skip() */
void stat_print_skipped(void *data);

void stat_free_events(struct stat_job *job);

/* ---- count.c ---- */

/* Close the context and open an empty one. Return: 0, or -1 with pmc_error(). */
int stat_reopen_context(struct stat_job *job);

/* Count and print. Return: the exit status. */
int stat_count(struct stat_job *job);

/* struct session, @add: add the events to a context */
int stat_add_events(void *data, struct pmc_context *context);

/* struct session, @tick: print an interval */
int stat_read_interval(void *data, uint64_t elapsed_ns);

/*
 * struct session, @repair: count fewer default events if other users hold counters, or user
 * mode only if kernel mode is not allowed
 */
int stat_retry_fewer(void *data, pid_t pid);

/* struct session, @explain: report why the events cannot be counted, and what to do */
int stat_report_failure(void *data);

/* ---- overcount.c ---- */

/* Get the totals since boot. Return: 0, or EXIT_TROUBLE after a message. */
int stat_overcount_read(struct stat_overcount *totals);

/* Is the event counted in user mode alone? Others have no bounds. */
bool stat_overcount_applies(const struct stat_job *job, size_t event);

/* The count without one for each interrupt and page fault */
uint64_t stat_overcount_least(const struct stat_run *run, size_t event);

/* Print the bounds of each run, with --overcount. */
void stat_overcount_print(const struct stat_job *job);

/* ---- figures.c ---- */

/* The number of runs that were not cut off */
size_t stat_num_complete(const struct stat_job *job);

/* The number of runs in the summary: the complete ones, or the only one, which was cut off */
size_t stat_num_summarised(const struct stat_job *job);

/* The exact mean is @floor + @remainder / @divisor; @divisor is the number of runs. */
struct stat_summary {
	uint64_t min;
	uint64_t max;
	uint64_t floor;
	uint64_t remainder;
	uint64_t divisor;
};

void stat_summarise(const struct stat_job *job, size_t event, struct stat_summary *summary);

/* Print the mean with three decimals, rounded half up, in the thread's locale. */
void stat_mean_text(const struct stat_summary *summary, char *text, size_t size);

/* Sample standard deviation of the counts of these runs; 0 for one run */
double stat_deviation(const struct stat_job *job, size_t event);

/*
 * A derived figure
 * @suffix: the modifiers of its events, such as ":u", or ""
 */
struct stat_figure {
	const char *name;
	const char *unit;
	char suffix[PMC_EVENT_NAME_MAX + 1];
	double value;
};

/*
 * Get the next figure that can be computed from some counts. *@cursor begins with 0.
 * @value: counts of the events, as doubles because they may be means
 * Return: false after the last one.
 */
bool stat_next_figure(const struct stat_job *job, const double *value, double seconds,
		      double ticks, size_t *cursor, struct stat_figure *figure);

/* Get the counts of a run, summed over all CPUs. */
void stat_sum(const struct stat_run *run, struct stat_counts *counts);

/* Get the counts of a run as doubles; with @run NULL the means of all runs. */
void stat_counts_to_doubles(const struct stat_job *job, const struct stat_run *run, double *value);

/* Elapsed seconds and ticks of one run; with @run NULL the means of all runs */
double stat_seconds(const struct stat_job *job, const struct stat_run *run);
double stat_ticks(const struct stat_job *job, const struct stat_run *run);

/* CPU time of the command in microseconds, the mean of the runs */
void stat_cpu_times(const struct stat_job *job, double *user_us, double *system_us);

#endif /* PMCCTL_STAT_H */

// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl stat: print a JSON object; with -I, before it, a line with an object for each interval */
#include <string.h>
#include <sys/wait.h>

#include "stat/stat.h"
#include "util/context-text.h"
#include "util/error.h"
#include "util/output.h"

#define NAME_SIZE	PMC_COUNTER_NAME_SIZE

static void put(struct json_object *object, const char *key, struct json_object *value)
{
	json_object_object_add(object, key, value);
}

static void put_number(struct json_object *object, const char *key, uint64_t number)
{
	put(object, key, json_object_new_uint64(number));
}

static struct json_object *json_values(const struct stat_job *job, const uint64_t *values)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < job->num_events; i++)
		json_object_array_add(array, json_object_new_uint64(values[i]));
	return array;
}

/* ---- events ---- */

static struct json_object *json_counts(const struct stat_job *job, size_t event)
{
	struct json_object *array = json_object_new_array();
	const struct stat_run *run;

	for (run = job->run; run < job->run + job->num_runs; run++)
		json_object_array_add(array,
				      json_object_new_uint64(run->measured.snapshot.value[event]));
	return array;
}

static struct json_object *json_mean(const struct stat_summary *summary)
{
	struct json_object *object = json_object_new_object();

	put_number(object, "floor", summary->floor);
	put_number(object, "remainder", summary->remainder);
	put_number(object, "divisor", summary->divisor);
	return object;
}

/* The fractions by their names; there is only one run */
static struct json_object *json_perf_metrics(const struct stat_job *job, size_t event)
{
	struct json_object *object = json_object_new_object();
	unsigned int cursor = 0, fraction;
	const char *name;

	while (job->num_runs &&
	       stat_next_perf_metric(job, job->run[0].measured.snapshot.value[event],
				     &cursor, &name, &fraction))
		put_number(object, name, fraction);
	return object;
}

static void put_summary(struct json_object *object, const struct stat_job *job, size_t index)
{
	struct stat_summary summary;

	stat_summarise(job, index, &summary);
	put_number(object, "min", summary.min);
	put_number(object, "max", summary.max);
	put(object, "mean", json_mean(&summary));
	put(object, "deviation", json_object_new_double(stat_deviation(job, index)));
}

static struct json_object *json_event(const struct stat_job *job, size_t index)
{
	struct json_object *object = json_object_new_object();
	const char *warning = pmc_event_warning(job->event[index]);
	uint32_t modes = pmc_event_modes(job->event[index]);
	char name[NAME_SIZE];

	pmc_counter_name(stat_counter(job, index), name, sizeof(name));
	put(object, "event", json_text(pmc_event_label(job->event[index])));
	put(object, "warning", warning ? json_text(warning) : NULL);
	put(object, "event_select", json_hex(pmc_event_select(job->event[index])));
	put(object, "event_extra", json_hex(pmc_event_extra(job->event[index])));
	put(object, "counter", json_text(name));
	put(object, "pass", json_object_new_int(job->num_passes > 1 ? job->pass[index] + 1 : 1));
	put(object, "user", json_object_new_boolean(!!(modes & PMC_COUNT_USER)));
	put(object, "kernel", json_object_new_boolean(!!(modes & PMC_COUNT_KERNEL)));
	put(object, "counts", json_counts(job, index));
	if (stat_is_perf_metrics(job, index))
		put(object, "fractions", json_perf_metrics(job, index));
	else
		put_summary(object, job, index);
	return object;
}

/* ---- figures ---- */

static struct json_object *json_figures(const struct stat_job *job)
{
	struct json_object *array = json_object_new_array(), *object;
	double values[PMC_COUNTERS_MAX];
	struct stat_figure figure;
	size_t cursor = 0;

	stat_counts_to_doubles(job, NULL, values);
	while (stat_next_figure(job, values, stat_seconds(job, NULL), stat_ticks(job, NULL),
				&cursor, &figure)) {
		object = json_object_new_object();
		put(object, "name", json_text(figure.name));
		put(object, "unit", json_text(figure.unit));
		put(object, "modifiers", json_text(figure.suffix));
		put(object, "value", json_object_new_double(figure.value));
		json_object_array_add(array, object);
	}
	return array;
}

/* ---- runs ---- */

/* The counts of each CPU; @counts[0] is their sum */
static struct json_object *json_cpus(const struct stat_job *job, const struct stat_counts *counts,
				     size_t num)
{
	struct json_object *array = json_object_new_array(), *object;
	size_t i;

	for (i = 1; i < num; i++) {
		if (counts[i].other_core_type)
			continue;
		object = json_object_new_object();
		put(object, "cpu", json_object_new_int(counts[i].cpu));
		put_number(object, "time_counted", counts[i].ticks);
		put(object, "counts", json_values(job, counts[i].value));
		json_object_array_add(array, object);
	}
	return array;
}

/* The bounds of each event; null for one that is not counted in user mode alone */
static struct json_object *json_overcount(const struct stat_job *job, const struct stat_run *run)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < job->num_events; i++)
		json_object_array_add(array, stat_overcount_applies(job, i) ?
				      json_object_new_uint64(stat_overcount_least(run, i)) : NULL);
	put_number(object, "interrupts", run->overcount.interrupts);
	put_number(object, "page_faults", run->overcount.page_faults);
	put(object, "least", array);
	return object;
}

static struct json_object *json_run(const struct stat_job *job, const struct stat_run *run)
{
	const struct pmc_snapshot *snapshot = &run->measured.snapshot;
	struct json_object *object = json_object_new_object();
	int status = run->measured.status;
	bool killed = WIFSIGNALED(status);
	bool exited = !killed && job->argv[0];

	put(object, "exit_status", exited ? json_object_new_int(WEXITSTATUS(status)) : NULL);
	put(object, "signal", killed ? json_object_new_int(WTERMSIG(status)) : NULL);
	put(object, "cut_off", json_object_new_boolean(run->interrupted));
	put(object, "timed_out", json_object_new_boolean(run->measured.timed_out));
	put_number(object, "elapsed_ns", run->measured.elapsed_ns);
	put_number(object, "user_us", run->measured.user_us);
	put_number(object, "system_us", run->measured.system_us);
	put_number(object, "tsc", snapshot->tsc);
	put_number(object, "time_enabled", snapshot->time_enabled);
	put_number(object, "time_counted", snapshot->time_counted);
	put(object, "cpu", snapshot->cpu < 0 ? NULL : json_object_new_int(snapshot->cpu));
	put(object, "state", json_states(snapshot->state));
	put(object, "incomplete",
	    json_object_new_boolean(!!(snapshot->state &
				       (PMC_STATE_INCOMPLETE | PMC_STATE_UNCOUNTED |
					PMC_STATE_REWRITTEN))));
	if (job->overcount)
		put(object, "overcount", json_overcount(job, run));
	if (job->per_cpu)
		put(object, "cpus", json_cpus(job, run->cpus, run->num_cpus));
	return object;
}

/* Add the only target of this scope; null for another scope, and for several targets. */
static void put_target(struct json_object *object, const char *key, const struct session *session,
		       enum pmc_scope scope)
{
	put(object, key, session->scope == scope && session->num_targets == 1 ?
	    json_object_new_int(session->target[0]) : NULL);
}

static void put_scope(struct json_object *object, const struct stat_job *job)
{
	const struct session *session = &job->session;
	const char *core = pmc_core_type_name(session->core_type);
	struct json_object *targets = json_object_new_array();
	size_t i;

	put(object, "scope", json_object_new_string(session_scope_name(session)));
	put_target(object, "cpu", session, PMC_SCOPE_CPU);
	put_target(object, "pid", session, PMC_SCOPE_PROCESS);
	put_target(object, "tid", session, PMC_SCOPE_THREAD);
	for (i = 0; i < session->num_targets; i++)
		json_object_array_add(targets, json_object_new_int(session->target[i]));
	put(object, "targets", targets);
	put(object, "core_type", json_hex(session->core_type));
	put(object, "core", core ? json_text(core) : NULL);
}

static void print(const struct stat_job *job, struct json_object *object)
{
	if (job->session.interval_ns)
		json_print_line(object, job->file);
	else
		json_print(object, job->file);
}

static int interval(const struct stat_job *job, const struct stat_interval *interval)
{
	struct json_object *object = json_object_new_object();

	put_number(object, "run", interval->run + 1);
	put_number(object, "begin_ns", interval->begin_ns);
	put_number(object, "end_ns", interval->end_ns);
	put_number(object, "time_counted", interval->counts[0].ticks);
	put(object, "counts", json_values(job, interval->counts[0].value));
	if (job->per_cpu)
		put(object, "cpus", json_cpus(job, interval->counts, interval->num));
	json_print_line(object, job->file);
	return fflush(job->file) ? report_error("cannot write the output") : 0;
}

static int end(const struct stat_job *job)
{
	struct json_object *object = json_object_new_object();
	struct json_object *command = json_object_new_array();
	struct json_object *events = json_object_new_array();
	struct json_object *runs = json_object_new_array();
	size_t i;

	for (i = 0; job->argv[i]; i++)
		json_object_array_add(command, json_text(job->argv[i]));
	for (i = 0; i < job->num_events; i++)
		json_object_array_add(events, json_event(job, i));
	for (i = 0; i < job->num_runs; i++)
		json_object_array_add(runs, json_run(job, &job->run[i]));
	put(object, "command", command);
	put_scope(object, job);
	put_number(object, "tsc_khz", job->tsc_khz);
	put(object, "events", events);
	put(object, "figures", json_figures(job));
	put(object, "runs", runs);
	print(job, object);
	return 0;
}

const struct stat_format stat_json = {
	.interval = interval,
	.end = end,
};

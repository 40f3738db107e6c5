// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl stat: print what was counted */
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd-stat.h"

#define NAME_SIZE	PMC_COUNTER_NAME_SIZE

static uint64_t value(const struct stat_job *job, size_t run, size_t event)
{
	return job->run[run].snapshot.value[event];
}

/* Sums of 64-bit counts may not fit 64 bits: add quotients and remainders. */
void stat_summarise(const struct stat_job *job, size_t event, struct stat_summary *summary)
{
	uint64_t count;
	size_t i;

	*summary = (struct stat_summary){ .min = UINT64_MAX };
	for (i = 0; i < job->num_runs; i++) {
		count = value(job, i, event);
		if (count < summary->min)
			summary->min = count;
		if (count > summary->max)
			summary->max = count;
		summary->floor += count / job->num_runs;
		summary->remainder += count % job->num_runs;
	}
	summary->floor += summary->remainder / job->num_runs;
	summary->remainder %= job->num_runs;
}

void stat_mean_text(const struct stat_summary *summary, size_t num_runs, char *text, size_t size)
{
	uint64_t thousandths = (summary->remainder * 2000 + num_runs) / (2 * num_runs);
	uint64_t whole = summary->floor + thousandths / 1000;

	snprintf(text, size, "%" PRIu64 ".%03u", whole, (unsigned int)(thousandths % 1000));
}

/* ---- table ---- */

static void print_command(const struct stat_job *job, FILE *file)
{
	char **arg;

	if (job->scope == PMC_SCOPE_CPU)
		fprintf(file, "CPU %d while this ran:", job->cpu);
	else if (job->scope == PMC_SCOPE_ALL_CPUS)
		fputs("All CPUs while this ran:", file);
	else if (job->scope == PMC_SCOPE_PROCESS)
		fprintf(file, "Process %d%s:", job->pid, job->argv[0] ? " while this ran" : "");
	else if (job->scope == PMC_SCOPE_THREAD)
		fputs("Counted, the first thread alone:", file);
	else
		fputs("Counted:", file);
	for (arg = job->argv; *arg; arg++)
		fprintf(file, " %s", *arg);
	fputs("\n\n", file);
}

static void print_times(const struct stat_job *job, FILE *file)
{
	const struct stat_run *run = &job->run[0];

	fprintf(file, "\n%" PRIu64 ".%09u s elapsed; counted for %" PRIu64 " time-stamp ticks",
		run->elapsed_ns / 1000000000, (unsigned int)(run->elapsed_ns % 1000000000),
		run->snapshot.time_counted);
	if (job->tsc_khz)
		fprintf(file, " (%u kHz)", job->tsc_khz);
	fputc('\n', file);
}

/* One run: a row for each event */
static void print_one(const struct stat_job *job, FILE *file)
{
	struct table table = { .columns = 3, .right = 0x1 };
	char name[NAME_SIZE];
	size_t i;

	for (i = 0; i < job->num_events; i++) {
		pmc_counter_name(pmc_context_counter(job->context, i), name, sizeof(name));
		table_add(&table, "%" PRIu64, value(job, 0, i));
		table_add(&table, "%s", pmc_event_name(job->event[i]));
		table_add(&table, "%s", name);
	}
	table_print(&table, 4, file);
	print_times(job, file);
}

static void add_runs(const struct stat_job *job, struct table *table)
{
	size_t run, event;

	for (run = 0; run < job->num_runs; run++) {
		table_add(table, "run %zu", run + 1);
		for (event = 0; event < job->num_events; event++)
			table_add(table, "%" PRIu64, value(job, run, event));
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
		stat_mean_text(&summary[i], job->num_runs, mean, sizeof(mean));
		table_add(table, "%s", mean);
	}
}

/* Several runs: a column for each event */
static void print_many(const struct stat_job *job, FILE *file)
{
	struct table table = { .columns = job->num_events + 1, .right = ~1U };
	size_t i;

	table_add(&table, "%s", "");
	for (i = 0; i < job->num_events; i++)
		table_add(&table, "%s", pmc_event_name(job->event[i]));
	add_runs(job, &table);
	add_summary(job, &table);
	table_print(&table, 2, file);
}

void stat_print_table(const struct stat_job *job, FILE *file)
{
	print_command(job, file);
	if (job->wanted_runs == 1)
		print_one(job, file);
	else
		print_many(job, file);
}

/* ---- JSON ---- */

static void put_number(struct json_object *object, const char *key, uint64_t number)
{
	json_object_object_add(object, key, json_object_new_uint64(number));
}

static struct json_object *json_counts(const struct stat_job *job, size_t event)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < job->num_runs; i++)
		json_object_array_add(array, json_object_new_uint64(value(job, i, event)));
	return array;
}

static struct json_object *json_mean(const struct stat_summary *summary, size_t num_runs)
{
	struct json_object *object = json_object_new_object();

	put_number(object, "floor", summary->floor);
	put_number(object, "remainder", summary->remainder);
	put_number(object, "divisor", num_runs);
	return object;
}

static struct json_object *json_event(const struct stat_job *job, size_t index)
{
	struct json_object *object = json_object_new_object();
	uint32_t modes = pmc_event_modes(job->event[index]);
	struct stat_summary summary;
	char name[NAME_SIZE];

	stat_summarise(job, index, &summary);
	pmc_counter_name(pmc_context_counter(job->context, index), name, sizeof(name));
	json_object_object_add(object, "event", json_text(pmc_event_name(job->event[index])));
	json_object_object_add(object, "counter", json_text(name));
	json_object_object_add(object, "user", json_object_new_boolean(!!(modes & PMC_COUNT_USER)));
	json_object_object_add(object, "kernel",
			       json_object_new_boolean(!!(modes & PMC_COUNT_KERNEL)));
	json_object_object_add(object, "counts", json_counts(job, index));
	put_number(object, "min", summary.min);
	put_number(object, "max", summary.max);
	json_object_object_add(object, "mean", json_mean(&summary, job->num_runs));
	return object;
}

static struct json_object *json_state(uint32_t state)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} states[] = {
		{ PMC_STATE_RUNNING, "RUNNING" },
		{ PMC_STATE_ARMED, "ARMED" },
		{ PMC_STATE_ENDED, "ENDED" },
		{ PMC_STATE_OFFLINE, "OFFLINE" },
		{ PMC_STATE_INCOMPLETE, "INCOMPLETE" },
	};
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(states); i++)
		if (state & states[i].bit)
			json_object_array_add(array, json_object_new_string(states[i].name));
	return array;
}

static struct json_object *json_run(const struct stat_job *job, const struct stat_run *run)
{
	struct json_object *object = json_object_new_object();
	bool killed = WIFSIGNALED(run->status);
	bool exited = !killed && job->argv[0];

	json_object_object_add(object, "exit_status",
			       exited ? json_object_new_int(WEXITSTATUS(run->status)) : NULL);
	json_object_object_add(object, "signal",
			       killed ? json_object_new_int(WTERMSIG(run->status)) : NULL);
	put_number(object, "elapsed_ns", run->elapsed_ns);
	put_number(object, "tsc", run->snapshot.tsc);
	put_number(object, "time_enabled", run->snapshot.time_enabled);
	put_number(object, "time_counted", run->snapshot.time_counted);
	json_object_object_add(object, "cpu", json_object_new_int(run->snapshot.cpu));
	json_object_object_add(object, "state", json_state(run->snapshot.state));
	json_object_object_add(object, "incomplete",
			       json_object_new_boolean(!!(run->snapshot.state &
							  PMC_STATE_INCOMPLETE)));
	return object;
}

static void put_scope(struct json_object *object, const struct stat_job *job)
{
	static const char *const scopes[] = {
		[PMC_SCOPE_CPU] = "cpu",
		[PMC_SCOPE_ALL_CPUS] = "all-cpus",
		[PMC_SCOPE_THREAD] = "thread",
		[PMC_SCOPE_PROCESS] = "process",
		[PMC_SCOPE_TREE] = "tree",
	};

	json_object_object_add(object, "scope", json_object_new_string(scopes[job->scope]));
	json_object_object_add(object, "cpu", job->scope == PMC_SCOPE_CPU ?
			       json_object_new_int(job->cpu) : NULL);
	json_object_object_add(object, "pid", job->scope == PMC_SCOPE_PROCESS ?
			       json_object_new_int(job->pid) : NULL);
}

void stat_print_json(const struct stat_job *job, FILE *file)
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
	json_object_object_add(object, "command", command);
	put_scope(object, job);
	put_number(object, "tsc_khz", job->tsc_khz);
	json_object_object_add(object, "events", events);
	json_object_object_add(object, "runs", runs);
	json_print(object, file);
}

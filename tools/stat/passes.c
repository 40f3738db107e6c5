// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmcctl stat --topdown: choose the events, and count those that do not fit on the counters at
 * once in several runs of the command
 *
 * A pass is a run of the command that counts some of the events. The first event of the group,
 * instructions, is counted in each pass: it shows whether the runs are equal.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "stat/stat.h"
#include "util/error.h"
#include "util/workload.h"
#include "util/xalloc.h"

/* Fields of the performance metrics for two levels */
#define FIELDS_LEVEL_2	8

uint32_t stat_counter(const struct stat_job *job, size_t event)
{
	return job->num_passes > 1 ? job->counter[event] :
				     pmc_context_counter(job->session.context, event);
}

/* ---- the passes ---- */

/* Is the event counted in this pass? */
static bool is_in_pass(const struct stat_job *job, size_t event, unsigned int pass)
{
	return job->pass[event] == pass || event == job->first_group_event;
}

/* Open a context with the events of a pass. Return: 0, or -1 with pmc_error(). */
static int open_pass(struct stat_job *job, unsigned int pass)
{
	size_t i;

	if (stat_reopen_context(job))
		return -1;
	for (i = 0; i < job->num_events; i++)
		if (is_in_pass(job, i, pass) &&
		    pmc_context_add(job->session.context, job->event[i]))
			return -1;
	return 0;
}

/* Save the counters of a pass, when all its events are known. */
static void save_counters(struct stat_job *job, unsigned int pass)
{
	size_t index = 0, i;

	for (i = 0; i < job->num_events; i++)
		if (is_in_pass(job, i, pass))
			job->counter[i] = pmc_context_counter(job->session.context, index++);
}

static int fail_passes(const struct stat_job *job, const char *reason)
{
	return report_error("level 2 needs %u runs of a command here, %s; '-g topdown-l1%s' counts level 1 at once",
			    job->num_passes, reason, job->group + strcspn(job->group, ":"));
}

/* Refuse what is for one run as a whole. */
static int check_passes(const struct stat_job *job)
{
	if (!job->argv[0])
		return fail_passes(job, "and there is none to run");
	if (job->session.interval_ns)
		return fail_passes(job, "and -I prints the intervals of one: leave out -I");
	if (job->session.num_targets > 1)
		return fail_passes(job, "and the runs of several CPUs or processes cannot be combined: give one");
	if (job->per_cpu)
		return fail_passes(job, "and --per-cpu is for one: leave out --per-cpu");
	report_error("the events of group '%s' do not fit on the counters at once: the command runs %u times, with some of them each time",
		     job->group, job->num_passes);
	return 0;
}

int stat_plan_passes(struct stat_job *job)
{
	unsigned int pass = 0;
	size_t i;

	/* no event but the first is in a pass yet */
	for (i = 0; i < job->num_events; i++)
		job->pass[i] = UINT8_MAX;
	for (i = 0; i < job->num_events; i++) {
		job->pass[i] = pass;
		if (!open_pass(job, pass))
			continue;
		if (errno != ENOSPC || !i || job->pass[i - 1] != pass)
			return report_error("%s", pmc_error());
		job->pass[i--] = UINT8_MAX;
		pass++;
	}
	job->num_passes = pass + 1;
	for (pass = 0; pass < job->num_passes; pass++) {
		if (open_pass(job, pass))
			return report_error("%s", pmc_error());
		save_counters(job, pass);
	}
	return check_passes(job);
}

/* Copy the counts of a pass into those of the run. */
static void take_counts(const struct stat_job *job, unsigned int pass,
			const struct pmc_snapshot *snapshot, struct stat_run *run)
{
	size_t index = 0, i;

	for (i = 0; i < job->num_events; i++) {
		if (!is_in_pass(job, i, pass))
			continue;
		if (!pass || i != job->first_group_event)
			run->measured.snapshot.value[i] = snapshot->value[index];
		index++;
	}
}

/* Warn if the instruction counts of this pass and of the first differ. */
static void compare_pass(const struct stat_job *job, unsigned int pass,
			 const struct pmc_snapshot *snapshot, const struct stat_run *run)
{
	const size_t reference = job->first_group_event;
	uint64_t first = run->measured.snapshot.value[reference];
	size_t index = 0, i;

	for (i = 0; i < reference; i++)
		index += is_in_pass(job, i, pass);
	if (snapshot->value[index] != first)
		report_error("the runs differ: pass 1 counted %" PRIu64 " and pass %u %" PRIu64 " %s; figures of events of both are inexact",
			     first, pass + 1, snapshot->value[index],
			     pmc_event_name(job->event[reference]));
}

int stat_run_passes(struct stat_job *job, struct stat_run *run)
{
	struct session_result measured;
	unsigned int pass;
	int result;

	for (pass = 0; pass < job->num_passes; pass++) {
		job->session.configured = false;
		if (open_pass(job, pass))
			return report_error("%s", pmc_error());
		result = session_run_workload(&job->session, job->argv, &measured);
		if (result)
			return result;
		if (workload_signal() || WIFSIGNALED(measured.status))
			return report_error("a signal ended pass %u of %u: there are no results",
					    pass + 1, job->num_passes);
		if (!pass)
			run->measured = measured;
		else
			compare_pass(job, pass, &measured.snapshot, run);
		take_counts(job, pass, &measured.snapshot, run);
		run->measured.snapshot.state |= measured.snapshot.state;
	}
	return 0;
}

/* ---- the events of --topdown ---- */

/* Can the performance metrics be counted? They are those of one thread or CPU in one run. */
static bool allows_perf_metrics(const struct stat_job *job)
{
	return (job->session.scope == PMC_SCOPE_THREAD || job->session.scope == PMC_SCOPE_CPU) &&
	       job->runs_requested == 1 && !job->session.interval_ns &&
	       job->format != &stat_openmetrics;
}

/* Has the processor performance metrics with two levels? */
static bool has_perf_metrics(struct stat_job *job, const char *slots, const char *metrics)
{
	struct pmc_event *first = pmc_event_parse_core_type(slots, job->session.core_type);
	struct pmc_event *second = pmc_event_parse_core_type(metrics, job->session.core_type);
	struct pmc_context *context = job->session.context;
	bool found;

	found = first && second && !pmc_context_add(context, first) &&
		!pmc_context_add(context, second) &&
		pmc_context_perf_metrics_fields(context) == FIELDS_LEVEL_2;
	pmc_event_free(first);
	pmc_event_free(second);
	return found;
}

static int fail_no_topdown(const struct stat_job *job)
{
	struct pmc_query query;

	report_error("this processor has no events that attribute each unused slot to the front end, the back end or bad speculation: Intel's Core processors have them from Sandy Bridge on, AMD's from Zen 4 on; 'pmcctl list --groups' prints the groups that can be counted here");
	pmc_event_processor(&query);
	if (query.core_type && !job->session.core_type)
		report_error("it has several core types: choose one with --cputype=TYPE; the groups of a core type need the event files of the vendor, and the performance metrics one thread (-i) or one CPU (-C)");
	return EXIT_TROUBLE;
}

int stat_add_topdown(struct stat_job *job)
{
	char *slots = xasprintf("slots%s", job->topdown_modifier);
	char *metrics = xasprintf("metrics%s", job->topdown_modifier);
	char *list = xasprintf("%s,%s", slots, metrics);
	bool found;
	int result;

	job->first_group_event = job->num_events;
	found = allows_perf_metrics(job) && has_perf_metrics(job, slots, metrics);
	if (stat_reopen_context(job))
		result = report_error("%s", pmc_error());
	else if (found)
		result = stat_add_list(job, list);
	else if (!formula_find_group(&job->formulas, "topdown"))
		result = fail_no_topdown(job);
	else
		result = stat_add_group(job, job->group);
	free(slots);
	free(metrics);
	free(list);
	return result;
}

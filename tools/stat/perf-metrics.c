// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl stat: the performance metrics, which are fractions instead of a count */
#include <ctype.h>
#include <string.h>

#include "stat/stat.h"
#include "util/error.h"

bool stat_is_perf_metrics(const struct stat_job *job, size_t event)
{
	return pmc_context_counter(job->session.context, event) == PMC_COUNTER_METRICS;
}

/* Report that fractions need one whole run, with a command line that has it. */
static int fail_intervals(const struct stat_job *job, const char *name)
{
	const char *core_type = pmc_core_type_name(job->session.core_type);
	const char *modes = name + strcspn(name, ":");
	char where[16] = "-i";

	if (job->session.scope == PMC_SCOPE_CPU)
		snprintf(where, sizeof(where), "-C %d", job->session.target[0]);
	return report_error("event '%s': fractions exist for one run of one thread or CPU as a whole: leave out -r, -I and --openmetrics, as in 'pmcctl stat %s%s%s%s -e slots%s,metrics%s COMMAND'",
			    name, core_type ? "--cputype=" : "", core_type ? core_type : "",
			    core_type ? " " : "", where, modes, modes);
}

int stat_check_perf_metrics(const struct stat_job *job)
{
	size_t i = 0;

	while (i < job->num_events && !stat_is_perf_metrics(job, i))
		i++;
	if (i == job->num_events)
		return 0;
	if (job->runs_requested > 1 || job->session.interval_ns ||
	    job->session.num_targets > 1 || job->format == &stat_openmetrics)
		return fail_intervals(job, pmc_event_name(job->event[i]));
	return 0;
}

bool stat_next_perf_metric(const struct stat_job *job, uint64_t value, unsigned int *cursor,
			   const char **name, unsigned int *fraction)
{
	if (*cursor == pmc_context_perf_metrics_fields(job->session.context))
		return false;
	*name = pmc_perf_metrics_name(*cursor);
	*fraction = pmc_perf_metrics_fraction(value, *cursor);
	++*cursor;
	return true;
}

static int normal(char letter)
{
	return letter == '_' ? '-' : tolower((unsigned char)letter);
}

/* The field with this name, which ends with the text or with ':'; or -1 */
static int find_field(const char *text)
{
	const char *name;
	size_t i;
	int field;

	for (field = 0; (name = pmc_perf_metrics_name(field)); field++) {
		for (i = 0; name[i] && normal(text[i]) == name[i]; i++)
			;
		if (!name[i] && (!text[i] || text[i] == ':'))
			return field;
	}
	return -1;
}

bool stat_perf_metrics_share(const struct stat_job *job, const char *name, const char *suffix,
			     double *share)
{
	int field = find_field(name);
	const char *text;
	size_t i;

	for (i = 0; i < job->num_events && field >= 0 && job->num_runs == 1; i++) {
		text = pmc_event_name(job->event[i]);
		if (!stat_is_perf_metrics(job, i) || strcmp(text + strcspn(text, ":"), suffix) ||
		    field >= (int)pmc_context_perf_metrics_fields(job->session.context))
			continue;
		*share = (double)pmc_perf_metrics_fraction(job->run[0].measured.snapshot.value[i],
							   field) / PMC_METRICS_WHOLE;
		return true;
	}
	return false;
}

/* Is an earlier event the same register? Names of fields have event select 0. */
static bool is_further_field(const struct stat_job *job, size_t index)
{
	size_t i;

	if (find_field(pmc_event_name(job->event[index])) < 0 ||
	    pmc_event_select(job->event[index]))
		return false;
	for (i = 0; i < index; i++)
		if (pmc_event_equal(job->event[i], job->event[index]))
			return true;
	return false;
}

void stat_merge_perf_metrics(struct stat_job *job)
{
	size_t i = 0;

	while (i < job->num_events) {
		if (is_further_field(job, i))
			stat_remove_event(job, i);
		else
			i++;
	}
}

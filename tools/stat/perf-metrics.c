// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl stat: print the performance metrics, which are fractions instead of a count */
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
		snprintf(where, sizeof(where), "-C %d", job->session.cpu);
	return report_error("event '%s': fractions exist for one run as a whole: leave out -r, -I and --openmetrics, as in 'pmcctl stat %s%s%s%s -e slots%s,metrics%s COMMAND'",
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
	if (job->runs_requested > 1 || job->session.interval_ns || job->format == &stat_openmetrics)
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

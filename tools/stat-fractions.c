// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl stat: the performance metrics, which are fractions and no count */
#include <string.h>

#include "cmd-stat.h"

bool stat_is_fractions(const struct stat_job *job, size_t event)
{
	return pmc_context_counter(job->measure.context, event) == PMC_COUNTER_METRICS;
}

/* The same for one run as a whole */
static int fail_parts(const struct stat_job *job, const char *name)
{
	const char *kind = pmc_kind_name(job->measure.kind);
	const char *modes = name + strcspn(name, ":");
	char where[16] = "-i";

	if (job->measure.scope == PMC_SCOPE_CPU)
		snprintf(where, sizeof(where), "-C %d", job->measure.cpu);
	return complain("event '%s': fractions can be told of one run as a whole: leave -r, -I and --openmetrics away, as in 'pmcctl stat %s%s%s%s -e slots%s,metrics%s COMMAND'",
			name, kind ? "--kind=" : "", kind ? kind : "", kind ? " " : "", where,
			modes, modes);
}

int stat_check_fractions(const struct stat_job *job)
{
	size_t i = 0;

	while (i < job->num_events && !stat_is_fractions(job, i))
		i++;
	if (i == job->num_events)
		return 0;
	if (job->wanted_runs > 1 || job->measure.interval_ns || job->format == &stat_metrics)
		return fail_parts(job, pmc_event_name(job->event[i]));
	return 0;
}

bool stat_next_fraction(const struct stat_job *job, uint64_t value, unsigned int *cursor,
			const char **name, unsigned int *fraction)
{
	if (*cursor == pmc_context_metrics_fields(job->measure.context))
		return false;
	*name = pmc_metrics_name(*cursor);
	*fraction = pmc_perf_metrics_fraction(value, *cursor);
	++*cursor;
	return true;
}

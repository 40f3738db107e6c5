// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl record: choose periods from a first count, and explain why there is no sample */
#include <unistd.h>

#include "record/period.h"
#include "util/error.h"

/* ---- -F ---- */

/* The period is odd, so that samples do not fall on the same iteration of a loop each time. */
static uint64_t choose(uint64_t count, uint64_t ticks, uint32_t tsc_khz, uint64_t hz)
{
	return (uint64_t)(count * 1000.0 * tsc_khz / ticks / hz) | 1;
}

int periods_choose(struct pmc_event *const *event, size_t num, const struct pmc_snapshot *snapshot,
		   uint32_t tsc_khz, uint64_t hz)
{
	uint64_t ticks = snapshot->time_counted, period;
	size_t i;

	if (!tsc_khz)
		return report_error("-F: the rate of the time-stamp counter is not known: give a period with -c");
	for (i = 0; i < num; i++) {
		if (!snapshot->value[i] || !ticks)
			return report_error("-F: event '%s' did not occur in the first count: give a period with -c",
					    pmc_event_name(event[i]));
		period = choose(snapshot->value[i], ticks, tsc_khz, hz);
		pmc_event_set_period(event[i], period);
		report_error("-F %llu: event '%s' has the period %llu", (unsigned long long)hz,
			     pmc_event_name(event[i]), (unsigned long long)period);
	}
	return 0;
}

/* ---- no sample ---- */

/* The highest count of an event on one CPU */
static uint64_t most_on_one_cpu(const struct session *session, size_t index)
{
	long num = sysconf(_SC_NPROCESSORS_CONF);
	struct pmc_snapshot snapshot;
	uint64_t most = 0;
	int cpu;

	for (cpu = 0; cpu < num; cpu++)
		if (!pmc_context_read_cpu(session->context, cpu, &snapshot) &&
		    snapshot.value[index] > most)
			most = snapshot.value[index];
	return most;
}

static void explain(const struct session *session, const struct pmc_event *event, size_t index,
		    unsigned long long count)
{
	unsigned long long period = pmc_event_period(event);
	const char *name = pmc_event_name(event);
	bool each_cpu = session->scope == PMC_SCOPE_ALL_CPUS;
	bool one = session->scope == PMC_SCOPE_CPU || session->scope == PMC_SCOPE_THREAD;

	if (each_cpu)
		count = most_on_one_cpu(session, index);
	if (!count)
		report_error("no sample: event '%s' did not occur", name);
	else if (count >= period)
		report_error("no sample: event '%s' occurred %llu times, but in no thread as often as its period of %llu: use a shorter period with -c",
			     name, count, period);
	else
		report_error("no sample: event '%s' occurred %s%llu times%s, and its period is %llu: -c %llu gives a sample%s",
			     name, each_cpu ? "at most " : "", count, each_cpu ? " on a CPU" : "",
			     period, count,
			     each_cpu || one ? "" : " if one thread counts them all");
}

void periods_explain(const struct session *session, struct pmc_event *const *event, size_t num,
		     const struct pmc_snapshot *snapshot)
{
	size_t i;

	for (i = 0; i < num; i++)
		explain(session, event[i], i, snapshot->value[i]);
}

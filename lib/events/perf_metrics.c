// SPDX-License-Identifier: LGPL-2.1-or-later
/* The performance metrics: an event with fields that are fractions of the event slots */
#include <errno.h>
#include <string.h>

#include "candidates.h"
#include "error.h"
#include "perf_metrics.h"
#include "topdown.h"

#define EVENT_NONE	((size_t)-1)

static size_t event_on_counter(const struct pmc_event_set *set, uint32_t counter)
{
	size_t i;

	for (i = 0; i < set->match.num_events; i++)
		if (pmc_event_set_counter_of(set, i) == counter)
			return i;
	return EVENT_NONE;
}

/* An event that the counter of slots can count, from 0 and in the modes of the metrics */
static size_t find_slots(const struct pmc_event_set *set, size_t perf_metrics)
{
	const struct pmc_matching *match = &set->match;
	const struct pmc_info *info = set->info;
	size_t i, counter;

	for (counter = 0; counter < info->num_counters; counter++)
		if (info->counter[counter].counter == PMC_COUNTER_SLOTS)
			break;
	for (i = 0; i < match->num_events && counter < info->num_counters; i++)
		if (match->allowed[i] >> counter & 1 && !set->event[i].initial &&
		    set->event[i].modes == set->event[perf_metrics].modes)
			return i;
	return EVENT_NONE;
}

/* General counters can count slots too; the metrics need those of the fixed counter. */
static void pin_slots(struct pmc_event_set *set, size_t slots)
{
	const struct pmc_info *info = set->info;
	const uint64_t allowed = set->match.allowed[slots];
	size_t i;

	for (i = 0; i < info->num_counters; i++)
		if (info->counter[i].counter == PMC_COUNTER_SLOTS)
			set->match.allowed[slots] = 1ULL << i;
	if (event_on_counter(set, PMC_COUNTER_SLOTS) != slots &&
	    !pmc_event_set_place(set, pmc_info_unheld(info)) && !pmc_event_set_place(set, ~0ULL))
		set->match.allowed[slots] = allowed;
}

static unsigned int num_fields(const struct pmc_event_set *set, size_t perf_metrics)
{
	return set->info->counter[set->match.counter[perf_metrics]].width / 8;
}

/* Fails if the event is named after a field that this processor lacks. */
static int check_field(const struct pmc_event_set *set, size_t perf_metrics)
{
	const char *name = set->event[perf_metrics].name;
	const struct pmc_token token = { name, strcspn(name, ":") };
	struct pmc_processor processor = pmc_processor_from_query(&set->info->query);
	int field = pmc_topdown_field(&processor, &token);

	if (field < (int)num_fields(set, perf_metrics))
		return 0;
	return pmc_fail(EOPNOTSUPP,
			"event '%s': the performance metrics of %s have %u fields, and it is not among them; count 'metrics' instead",
			name, set->info->cpu_text, num_fields(set, perf_metrics));
}

int pmc_perf_metrics_check(struct pmc_event_set *set, const struct pmc_context *context)
{
	size_t perf_metrics = event_on_counter(set, PMC_COUNTER_METRICS), slots;
	char hint[2 * PMC_EVENT_NAME_MAX + 128];
	struct pmc_hint metrics;
	const char *name;

	if (perf_metrics == EVENT_NONE)
		return 0;
	if (check_field(set, perf_metrics))
		return -1;
	name = set->event[perf_metrics].name;
	metrics = (struct pmc_hint){
		.topic = PMC_HINT_PERF_METRICS,
		.cpu = context->cpu,
		.core_type = context->core_type,
		.text = name + strcspn(name, ":"),
	};
	pmc_hint_text(&metrics, hint, sizeof(hint));
	if (context->scope != PMC_SCOPE_THREAD && context->scope != PMC_SCOPE_CPU)
		return pmc_fail(EOPNOTSUPP,
				"event '%s': fractions of several threads or CPUs cannot be added up: count one thread or one CPU, as %s does",
				name, hint);
	if (pmc_context_is_sampling(context))
		return pmc_fail(EOPNOTSUPP,
				"event '%s': no event counted with it can have a period; count it as %s does",
				name, hint);
	slots = find_slots(set, perf_metrics);
	if (slots != EVENT_NONE)
		pin_slots(set, slots);
	if (slots == EVENT_NONE || set->event[perf_metrics].initial ||
	    event_on_counter(set, PMC_COUNTER_SLOTS) != slots)
		return pmc_fail(EINVAL,
				"event '%s': its values are fractions of 'slots': count this event too, on its fixed counter, from 0 and with the same modes, as %s does",
				name, hint);
	return 0;
}

PMC_API unsigned int pmc_context_perf_metrics_fields(const struct pmc_context *context)
{
	const struct pmc_event_set *set = pmc_event_set_of(context);
	size_t perf_metrics = set ? event_on_counter(set, PMC_COUNTER_METRICS) : EVENT_NONE;

	return perf_metrics == EVENT_NONE ? 0 : num_fields(set, perf_metrics);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* The performance metrics: an event that is fractions of another one */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

#define EVENT_NONE	((size_t)-1)

static size_t event_on_counter(const struct pmc_context *context, uint32_t counter)
{
	size_t i;

	for (i = 0; i < context->match.num_events; i++)
		if (pmc_context_counter(context, i) == counter)
			return i;
	return EVENT_NONE;
}

/* Those from 0 on that go where the slots are counted, in the modes of the metrics, or NONE */
static size_t find_slots(const struct pmc_context *context, size_t perf_metrics)
{
	const struct pmc_matching *match = &context->match;
	const struct pmc_info *info = context->info;
	size_t i, counter;

	for (counter = 0; counter < info->num_counters; counter++)
		if (info->counter[counter].counter == PMC_COUNTER_SLOTS)
			break;
	for (i = 0; i < match->num_events && counter < info->num_counters; i++)
		if (match->allowed[i] >> counter & 1 && !context->event[i].initial &&
		    context->event[i].modes == context->event[perf_metrics].modes)
			return i;
	return EVENT_NONE;
}

/* General counters count slots, too; but these are to be those of the metrics. */
static void pin_slots(struct pmc_context *context, size_t slots)
{
	const struct pmc_info *info = context->info;
	const uint64_t allowed = context->match.allowed[slots];
	size_t i;

	for (i = 0; i < info->num_counters; i++)
		if (info->counter[i].counter == PMC_COUNTER_SLOTS)
			context->match.allowed[slots] = 1ULL << i;
	if (event_on_counter(context, PMC_COUNTER_SLOTS) != slots &&
	    !pmc_place_events(context, pmc_info_unheld(info)) && !pmc_place_events(context, ~0ULL))
		context->match.allowed[slots] = allowed;
}

void pmc_perf_metrics_command(const struct pmc_event *event, uint32_t core_type, int cpu, char *text,
		      size_t size)
{
	const char *modes = event->name + strcspn(event->name, ":");
	char where[16] = "-i", only[32] = "";

	if (cpu >= 0)
		snprintf(where, sizeof(where), "-C %d", cpu);
	if (pmc_core_type_name(core_type))
		snprintf(only, sizeof(only), "--kind=%s ", pmc_core_type_name(core_type));
	snprintf(text, size, "pmcctl stat %s%s -e slots%s,metrics%s COMMAND", only, where, modes,
		 modes);
}

int pmc_perf_metrics_check(struct pmc_context *context)
{
	size_t perf_metrics = event_on_counter(context, PMC_COUNTER_METRICS), slots;
	char command[PMC_PERF_METRICS_COMMAND_SIZE];
	const char *name;

	if (perf_metrics == EVENT_NONE)
		return 0;
	name = context->event[perf_metrics].name;
	pmc_perf_metrics_command(&context->event[perf_metrics], context->core_type, context->cpu, command,
			 sizeof(command));
	if (context->scope != PMC_SCOPE_THREAD && context->scope != PMC_SCOPE_CPU)
		return pmc_fail(EOPNOTSUPP,
				"event '%s': fractions of several threads or CPUs can't be added up: count one thread, as '%s' does, or one CPU, with -C",
				name, command);
	if (pmc_context_is_sampling(context))
		return pmc_fail(EOPNOTSUPP,
				"event '%s': no event beside it can have a period; '%s' counts it",
				name, command);
	slots = find_slots(context, perf_metrics);
	if (slots != EVENT_NONE)
		pin_slots(context, slots);
	if (slots == EVENT_NONE || context->event[perf_metrics].initial ||
	    event_on_counter(context, PMC_COUNTER_SLOTS) != slots)
		return pmc_fail(EINVAL,
				"event '%s': it is fractions of 'slots': count these, too, on their fixed counter, from 0 and with the same modes, as '%s' does",
				name, command);
	return 0;
}

PMC_API unsigned int pmc_context_perf_metrics_fields(const struct pmc_context *context)
{
	size_t perf_metrics = event_on_counter(context, PMC_COUNTER_METRICS);

	if (perf_metrics == EVENT_NONE)
		return 0;
	return context->info->counter[context->match.counter[perf_metrics]].width / 8;
}

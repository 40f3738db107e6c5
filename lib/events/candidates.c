// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which counters of a CPU can count an event */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "candidates.h"
#include "constraint.h"
#include "core_type.h"
#include "error.h"
#include "extra_register.h"
#include "suggest.h"

static bool allows_general(const struct pmc_event *event)
{
	if (event->placement == PLACEMENT_FIXED)
		return false;
	if (event->placement == PLACEMENT_ANY)
		return !event->arch || event->arch->general;
	return true;
}

/* A defect of the counter: an event that a general counter can count does not use it. */
static bool avoids_fixed(const struct pmc_info *info, const struct pmc_event *event)
{
	return info->query.quirks & PMC_QUIRK(FIXED0) && !event->arch->fixed &&
	       allows_general(event);
}

static bool allows_fixed(const struct pmc_info *info, const struct pmc_event *event)
{
	return event->placement != PLACEMENT_GENERAL && pmc_event_fits_fixed(event) &&
	       !avoids_fixed(info, event);
}

/*
 * General counters that can count the event: restrictions of the hardware. An event file can have
 * more counters than the driver permits.
 */
static uint64_t general_counters(const struct pmc_info *info, const struct pmc_event *event)
{
	struct pmc_processor processor = pmc_processor_from_query(&info->query);
	uint64_t counters, both;

	processor.core_type = event->core_type;
	if (!info->is_hybrid && !event->core_type)
		processor.core_type = info->query.core_type & ~PMC_CORE_TYPE_MODEL;
	counters = pmc_constraint(&processor, pmc_event_select(event));
	if (!event->counters)
		return counters;
	both = event->counters & counters;
	return both ? both : event->counters;
}

/* Whether the event may use the counter; its bits and restrictions are checked elsewhere. */
static bool is_candidate(const struct pmc_info *info, const struct pmc_event *event,
			 uint32_t counter)
{
	if (event->placement == PLACEMENT_COUNTER && event->counter != counter)
		return false;
	if (counter == PMC_COUNTER_METRICS)
		return event->placement == PLACEMENT_COUNTER;
	if (counter & PMC_COUNTER_FIXED_FLAG)
		return allows_fixed(info, event) &&
		       counter == PMC_COUNTER_FIXED(event->arch->fixed);
	if (!allows_general(event))
		return false;
	return !event->arch || pmc_query_has_event(&info->query, event->arch);
}

static bool is_restricted(uint32_t counter, uint64_t general)
{
	return !(counter & PMC_COUNTER_FIXED_FLAG) && counter < 64 && !(general >> counter & 1);
}

static int fail_no_counters(const struct pmc_info *info)
{
	const char *why = pmc_status_text(info->query.status);

	return pmc_fail(ENODEV, "%s has no counters to use: %s", info->cpu_text,
			info->query.status == PMC_STATUS_OK || !why ? "the driver found none" :
			why);
}

static bool has_counter(const struct pmc_info *info, uint32_t counter)
{
	size_t i;

	for (i = 0; i < info->num_counters; i++)
		if (info->counter[i].counter == counter)
			return true;
	return false;
}

static bool is_perf_metrics(const struct pmc_event *event)
{
	return event->placement == PLACEMENT_COUNTER && event->counter == PMC_COUNTER_METRICS;
}

static int fail_perf_metrics_hybrid(const struct pmc_info *info, const struct pmc_event *event)
{
	const struct pmc_hint metrics = {
		.topic = PMC_HINT_PERF_METRICS,
		.cpu = PMC_CPU_ANY,
		.core_type = info->perf_metrics_core_type,
		.text = event->name + strcspn(event->name, ":"),
	};
	char hint[2 * PMC_EVENT_NAME_MAX + 128];

	pmc_hint_text(&metrics, hint, sizeof(hint));
	return pmc_fail(ENXIO,
			"event '%s': not every core type here can count it; count on one core type, as %s does",
			event->name, hint);
}

static int fail_hybrid(const struct pmc_event *event, const char *counter)
{
	const struct pmc_hint core_type = { .topic = PMC_HINT_CORE_TYPE, .cpu = PMC_CPU_ANY };
	bool one = event->placement == PLACEMENT_COUNTER;
	char hint[128];

	pmc_hint_text(&core_type, hint, sizeof(hint));
	return pmc_fail(one ? ENXIO : EOPNOTSUPP,
			"event '%s': not every core type here can count it%s%s; count on one core type, as %s does",
			event->name, one ? " on counter " : "", one ? counter : "", hint);
}

static int fail_no_such_counter(const struct pmc_info *info, const struct pmc_event *event,
				const char *counter)
{
	const struct pmc_hint cpu = { .topic = PMC_HINT_CPU, .cpu = PMC_CPU_ANY };
	char hint[128];

	pmc_hint_text(&cpu, hint, sizeof(hint));
	return pmc_fail(ENXIO, "event '%s': %s has no counter %s; see %s", event->name,
			info->cpu_text, counter, hint);
}

/* An architectural event that neither its fixed counter nor a general one can count */
static int fail_no_arch(const struct pmc_info *info, const struct pmc_event *event)
{
	const char *cpu = info->cpu_text;
	char advice[SUGGESTION_SIZE];

	if (event->placement == PLACEMENT_FIXED)
		return pmc_fail(EOPNOTSUPP,
				"event '%s': %s lacks the fixed counter %d for it; omit :f",
				event->name, cpu, event->arch->fixed);
	if (event->placement == PLACEMENT_ANY && !event->arch->general)
		return pmc_fail(EOPNOTSUPP,
				"event '%s': only fixed counter %d counts exactly this event, and %s %s; :g counts event select 0x%llx instead",
				event->name, event->arch->fixed, cpu,
				has_counter(info, PMC_COUNTER_FIXED(event->arch->fixed)) ?
				"cannot combine it with :e, :i or :c" : "lacks it",
				(unsigned long long)event->arch->select);
	pmc_suggest_similar(event->arch->name, advice, sizeof(advice));
	return pmc_fail(EOPNOTSUPP, "event '%s': %s does not have this architectural event; %s",
			event->name, cpu, advice);
}

static int fail_no_candidate(const struct pmc_info *info, const struct pmc_event *event)
{
	char name[PMC_COUNTER_NAME_SIZE];

	pmc_counter_name(event->counter, name, sizeof(name));
	if (info->perf_metrics_core_type && is_perf_metrics(event))
		return fail_perf_metrics_hybrid(info, event);
	if (info->is_hybrid && !is_perf_metrics(event))
		return fail_hybrid(event, name);
	if (event->placement == PLACEMENT_COUNTER && !has_counter(info, event->counter))
		return fail_no_such_counter(info, event, name);
	if (!event->arch)
		return pmc_fail(EOPNOTSUPP, "event '%s': %s has no general counters for it",
				event->name, info->cpu_text);
	return fail_no_arch(info, event);
}

void pmc_counter_list_text(const struct pmc_info *info, uint64_t counters, char *text, size_t size)
{
	int left = __builtin_popcountll(counters);
	char name[PMC_COUNTER_NAME_SIZE];
	size_t used = 0, i;

	text[0] = '\0';
	for (i = 0; i < info->num_counters && used < size; i++) {
		if (!(counters >> i & 1))
			continue;
		pmc_counter_name(info->counter[i].counter, name, sizeof(name));
		left--;
		used += snprintf(text + used, size - used, "%s%s", name,
				 !left ? "" : left > 1 ? ", " : " and ");
	}
}

static int fail_none_capable(const struct pmc_info *info, const struct pmc_event *event)
{
	struct pmc_processor processor = pmc_processor_from_query(&info->query);
	const char *reason = pmc_constraint_reason(&processor, pmc_event_select(event));

	return pmc_fail(EOPNOTSUPP, "event '%s': no general counter of %s can count it%s%s",
			event->name, info->cpu_text, reason ? ": " : "", reason ? reason : "");
}

/* The hardware cannot count it on the counters that it could use otherwise. */
static int fail_restricted(const struct pmc_info *info, const struct pmc_event *event,
			   uint64_t general)
{
	uint64_t capable = 0;
	char list[512];
	size_t i;

	for (i = 0; i < info->num_counters; i++)
		if (info->counter[i].counter < 64 &&
		    !is_restricted(info->counter[i].counter, general))
			capable |= 1ULL << i;
	pmc_counter_list_text(info, capable, list, sizeof(list));
	if (!capable)
		return fail_none_capable(info, event);
	return pmc_fail(EOPNOTSUPP, "event '%s': of the general counters only %s can count it",
			event->name, list);
}

static int fail_layout(const struct pmc_info *info, const struct pmc_event *event)
{
	struct pmc_processor processor = pmc_processor_from_query(&info->query);

	return pmc_fail(EOPNOTSUPP, "event '%s' was made for another processor: %s is %s",
			event->name, info->cpu_text, pmc_processor_text(&processor));
}

/* On a hybrid processor a name can be that of one core type. */
static bool matches_core_type(const struct pmc_info *info, const struct pmc_event *event)
{
	uint32_t core_type = info->query.core_type & ~PMC_CORE_TYPE_MODEL;

	return !event->core_type || !core_type ||
		(!info->is_hybrid && core_type == event->core_type);
}

static int fail_core_type(const struct pmc_info *info, const struct pmc_event *event)
{
	const struct pmc_hint core_type = {
		.topic = PMC_HINT_CORE_TYPE, .cpu = PMC_CPU_ANY, .core_type = event->core_type,
	};
	const char *name = pmc_core_type_name(event->core_type);
	char hint[128];

	pmc_hint_text(&core_type, hint, sizeof(hint));
	if (info->is_hybrid)
		return pmc_fail(EOPNOTSUPP,
				"event '%s': it is an event of the core type %s: count on it, as %s does",
				event->name, name, hint);
	return pmc_fail(EOPNOTSUPP,
			"event '%s': it is an event of the core type %s, and CPU %d has another",
			event->name, name, info->query.cpu);
}

int pmc_find_candidates(const struct pmc_info *info, const struct pmc_event *event,
			uint64_t *allowed, uint64_t *preferred)
{
	uint64_t general, any = 0, restricted = 0;
	const struct pmc_counter *counter;
	size_t i;

	*allowed = 0;
	*preferred = 0;
	if (info->query.status != PMC_STATUS_OK || !info->num_counters)
		return fail_no_counters(info);
	if (pmc_processor_from_query(&info->query).layout != event->layout)
		return fail_layout(info, event);
	if (!matches_core_type(info, event))
		return fail_core_type(info, event);
	if (pmc_register_check_value(event))
		return -1;
	general = general_counters(info, event);
	for (i = 0; i < info->num_counters; i++) {
		counter = &info->counter[i];
		if (!is_candidate(info, event, counter->counter))
			continue;
		if (is_restricted(counter->counter, general)) {
			restricted |= 1ULL << i;
			continue;
		}
		any |= 1ULL << i;
		if (pmc_event_select_on(event, counter->counter) & ~counter->event_select_mask)
			continue;
		*allowed |= 1ULL << i;
		if (counter->counter & PMC_COUNTER_FIXED_FLAG)
			*preferred |= 1ULL << i;
	}
	if (!any && restricted)
		return fail_restricted(info, event, general);
	if (!any)
		return fail_no_candidate(info, event);
	if (!*allowed)
		*allowed = any;
	return 0;
}

uint64_t pmc_info_unheld(const struct pmc_info *info)
{
	uint64_t vacant = 0;
	size_t i;

	for (i = 0; i < info->num_counters; i++)
		if (info->counter[i].holder.kind == PMC_HOLDER_NONE)
			vacant |= 1ULL << i;
	return vacant;
}

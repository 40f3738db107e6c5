// SPDX-License-Identifier: LGPL-2.1-or-later
/* Add events to a context: the struct pmc_placer of libpmcevents */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "candidates.h"
#include "core_type.h"
#include "error.h"
#include "event_select.h"
#include "event_set.h"
#include "extra_register.h"
#include "holder.h"
#include "netburst.h"
#include "perf_metrics.h"

/* ---- the placer ---- */

static int set_prepare(struct pmc_placer *placer, struct pmc_context *context)
{
	struct pmc_event_set *set = (struct pmc_event_set *)placer;

	set->refused = 0;
	if (pmc_perf_metrics_check(set, context))
		return -1;
	pmc_event_set_apply(set, context);
	return 0;
}

static bool set_retry(struct pmc_placer *placer, struct pmc_context *context,
		      const struct pmc_holder *holder)
{
	struct pmc_event_set *set = (struct pmc_event_set *)placer;

	if (!pmc_place_around_holder(set, holder))
		return false;
	pmc_event_set_apply(set, context);
	return true;
}

static const char *set_name(const struct pmc_placer *placer, size_t index)
{
	return ((const struct pmc_event_set *)placer)->event[index].name;
}

static void set_free(struct pmc_placer *placer)
{
	struct pmc_event_set *set = (struct pmc_event_set *)placer;

	pmc_info_free(set->info);
	free(set);
}

/* The driver reports bits of the extra register only if the event select has none to refuse. */
static bool fail_register_bits(const struct pmc_event_set *set, size_t index, uint64_t bits)
{
	const struct pmc_counter *counter = &set->info->counter[set->match.counter[index]];
	const struct pmc_event *event = &set->event[index];

	if (!event->extra_register ||
	    pmc_event_select_on(event, counter->counter) & ~counter->event_select_mask)
		return false;
	pmc_fail(EINVAL, "event '%s': bits 0x%llx of %s= 0x%llx are not allowed for this event",
		 event->name, (unsigned long long)bits, pmc_register_term(event->extra_register),
		 (unsigned long long)event->event_extra);
	return true;
}

static bool fail_refused_bits(const struct pmc_event_set *set, size_t index, uint64_t bits)
{
	const struct pmc_event *event = &set->event[index];
	char names[256] = "";

	if (!bits)
		return false;
	if (fail_register_bits(set, index, bits))
		return true;
	pmc_event_select_name_bits(event->layout, bits, names, sizeof(names));
	pmc_fail(EINVAL, "event '%s': bits 0x%llx of the event select are not allowed here%s%s%s",
		 event->name, (unsigned long long)bits, names[0] ? " (" : "", names,
		 names[0] ? ")" : "");
	return true;
}

static bool fail_access(const struct pmc_context *context, const struct pmc_event_set *set,
			const struct pmc_event *event)
{
	bool tasks = pmc_context_follows_tasks(context);

	if (event->modes & PMC_COUNT_KERNEL && tasks)
		pmc_fail(EACCES,
			 "event '%s': counting kernel mode needs CAP_PERFMON; %s :u to count user mode only",
			 event->name, event->modes_given ? "replace its modes by" : "add");
	else if (event->layout == PMC_LAYOUT_CORE && pmc_event_select(event) & SELECT_ANY)
		pmc_fail(EACCES, "event '%s': AnyThread needs CAP_PERFMON", event->name);
	else if ((event->layout == PMC_LAYOUT_NETBURST && tasks) ||
		 pmc_info_counts_sibling(set->info, event))
		pmc_fail(EACCES,
			 "event '%s' counts both logical processors of a core: that needs CAP_PERFMON",
			 event->name);
	else
		return false;
	return true;
}

static bool fail_period(const struct pmc_event_set *set, size_t index)
{
	const struct pmc_counter *counter = &set->info->counter[set->match.counter[index]];
	char name[PMC_COUNTER_NAME_SIZE];

	pmc_counter_name(counter->counter, name, sizeof(name));
	pmc_fail(ERANGE, "event '%s': counter %s has periods of up to %llu, and %llu is longer",
		 set->event[index].name, name, (unsigned long long)counter->period_max,
		 (unsigned long long)set->event[index].period);
	return true;
}

/* EDOM, or ENODEV of this event: the CPU cannot set the register of the event. */
static bool fail_register(const struct pmc_event *event, int error)
{
	if (!event->extra_register)
		return false;
	if (error == EDOM)
		pmc_fail(EDOM,
			 "event '%s': a CPU lacks the register that %s= sets, or its sibling thread shares the register (before Sandy Bridge) and is online",
			 event->name, pmc_register_term(event->extra_register));
	else
		pmc_fail(ENODEV,
			 "event '%s': the hypervisor discards 0x%llx written to the register that %s= sets",
			 event->name, (unsigned long long)event->event_extra,
			 pmc_register_term(event->extra_register));
	return true;
}

/*
 * Events that also count in the counters of the sibling thread. They were placed on counters that
 * can count them.
 */
static bool fail_leaking(const struct pmc_event_set *set, const struct pmc_event *event)
{
	unsigned int number = pmc_event_select(event) & 0xff;

	if (!(set->info->query.quirks & PMC_QUIRK(HT_LEAK)) || number < 0xd0 || number > 0xd3)
		return false;
	pmc_fail(EDOM,
		 "event '%s' also counts in the counters of the sibling thread (%s): take the sibling CPU offline: echo 0 >/sys/devices/system/cpu/cpuN/online",
		 event->name, pmc_quirk_name(PMC_QUIRK_BIT_HT_LEAK));
	return true;
}

static bool set_fail(const struct pmc_placer *placer, const struct pmc_context *context, int error)
{
	const struct pmc_event_set *set = (const struct pmc_event_set *)placer;
	const struct pmc_failure *failure = &context->failure;

	if (error == EBUSY) {
		pmc_fail_held(set, &failure->holder);
		return true;
	}
	if (failure->index >= set->match.num_events)
		return false;
	switch (error) {
	case EINVAL:
		return fail_refused_bits(set, failure->index, failure->refused_bits);
	case EACCES:
		return fail_access(context, set, &set->event[failure->index]);
	case EDOM:
	case ENODEV:
		return (error == EDOM && fail_leaking(set, &set->event[failure->index])) ||
		       fail_register(&set->event[failure->index], error);
	case ERANGE:
		return fail_period(set, failure->index);
	}
	return false;
}

static struct pmc_info *get_scope_info(const struct pmc_context *context)
{
	if (context->scope == PMC_SCOPE_CPU)
		return pmc_info_get(context->fd, context->cpu);
	return pmc_info_get_common(context->fd, context->core_type);
}

static struct pmc_event_set *create_set(struct pmc_context *context)
{
	struct pmc_event_set *set = calloc(1, sizeof(*set));

	if (!set) {
		pmc_fail_errno("the events of a context");
		return NULL;
	}
	set->info = get_scope_info(context);
	if (!set->info) {
		int error = errno;

		free(set);
		errno = error;
		return NULL;
	}
	set->placer = (struct pmc_placer){
		.prepare = set_prepare,
		.retry = set_retry,
		.name = set_name,
		.fail = set_fail,
		.free = set_free,
	};
	pmc_matching_init(&set->match);
	context->placer = &set->placer;
	return set;
}

/* ---- add ---- */

/* Append the names of the events that are placed on @counters. */
static void list_events(const struct pmc_event_set *set, uint64_t counters, char *text,
			size_t size)
{
	size_t used = 0, i;

	for (i = 0; i < set->match.num_events && used < size; i++)
		if (counters >> set->match.counter[i] & 1)
			used += snprintf(text + used, size - used, "%s'%s'", used ? ", " : "",
					 set->event[i].name);
}

static int fail_no_fit(const struct pmc_event_set *set, const struct pmc_event *event,
		       uint64_t counters)
{
	int num = __builtin_popcountll(counters);
	char others[512] = "", names[256];

	list_events(set, counters, others, sizeof(others));
	pmc_counter_list_text(set->info, counters, names, sizeof(names));
	return pmc_fail(ENOSPC,
			"event '%s' does not fit beside %s: only %s can count these %d events; count fewer at once",
			event->name, others, names, num + 1);
}

/* NetBurst: a counter takes an event only if its event select register is free or equal. */
static bool place_netburst(struct pmc_event_set *set, const struct pmc_event *event,
			   uint64_t allowed, uint64_t usable)
{
	struct pmc_matching *match = &set->match;
	const struct pmc_event *events[PMC_COUNTERS_MAX];
	size_t i;

	for (i = 0; i < match->num_events; i++)
		events[i] = &set->event[i];
	events[i] = event;
	match->allowed[i] = allowed;
	if (!pmc_netburst_place(set->info, events, match->allowed, i + 1, usable, match->counter))
		return false;
	match->num_events++;
	return true;
}

static int add_netburst(struct pmc_event_set *set, const struct pmc_event *event,
			uint64_t allowed)
{
	size_t index = set->match.num_events;
	char others[512];

	if (!place_netburst(set, event, allowed, pmc_info_unheld(set->info)) &&
	    !place_netburst(set, event, allowed, ~0ULL)) {
		list_events(set, allowed, others, sizeof(others));
		return pmc_fail(ENOSPC,
				"event '%s' does not fit beside %s: counters of NetBurst share event select registers, and each register takes one event; count fewer at once",
				event->name, others);
	}
	set->event[index] = *event;
	return 0;
}

/* An event of the context that needs the register with another value */
static const struct pmc_event *find_conflict(const struct pmc_event_set *set,
					     const struct pmc_event *event)
{
	size_t i;

	for (i = 0; i < set->match.num_events; i++)
		if (pmc_register_conflict(&set->event[i], event))
			return &set->event[i];
	return NULL;
}

static int fail_conflict(const struct pmc_event_set *set, const struct pmc_event *event)
{
	const struct pmc_event *other = find_conflict(set, event);

	return pmc_fail(ENOSPC,
			"event '%s' does not fit beside '%s': both need the register that %s= sets, with different values; count them in different runs",
			event->name, other->name, pmc_register_term(event->extra_register));
}

/*
 * Choose the extra registers of the events and of @event.
 * @number: of each, @event last; see pmc_register_choose()
 * Return: 0, or -1 after pmc_fail() if a register would need two values.
 */
static int choose_registers(const struct pmc_event_set *set, const struct pmc_event *event,
			    int *number)
{
	struct pmc_register_values values = { .value = { 0 } };
	size_t num = set->match.num_events, i;
	const struct pmc_event *one;
	int either;

	for (either = 0; either < 2; either++)
		for (i = 0; i <= num; i++) {
			one = i < num ? &set->event[i] : event;
			if (one->either != either)
				continue;
			number[i] = pmc_register_choose(&values, one);
			if (number[i] < 0)
				return fail_conflict(set, event);
		}
	return 0;
}

static void set_registers(struct pmc_event_set *set, const int *number)
{
	struct pmc_event *event = set->event;
	size_t i;

	for (i = 0; i < set->match.num_events; i++, event++) {
		if (!event->either)
			continue;
		event->extra_register = number[i];
		event->select = pmc_register_offcore_select(event->select, number[i]);
	}
}

static int add(struct pmc_event_set *set, const struct pmc_event *event)
{
	size_t index = set->match.num_events;
	uint64_t allowed, preferred, tried;
	int number[PMC_COUNTERS_MAX];

	if (index == PMC_COUNTERS_MAX)
		return pmc_fail(ENOSPC, "event '%s' does not fit: a context has at most %d events",
				event->name, PMC_COUNTERS_MAX);
	if (event->precise && event->period)
		return pmc_fail(EOPNOTSUPP,
				"event '%s': _PS requests precise sampling (PEBS), which the driver does not support; omit _PS",
				event->name);
	if (choose_registers(set, event, number) ||
	    pmc_find_candidates(set->info, event, &allowed, &preferred))
		return -1;
	if (event->layout == PMC_LAYOUT_NETBURST)
		return add_netburst(set, event, allowed);
	if (!pmc_matching_add(&set->match, allowed, preferred, pmc_info_unheld(set->info),
			      &tried) &&
	    !pmc_matching_add(&set->match, allowed, preferred, ~0ULL, &tried))
		return fail_no_fit(set, event, tried);
	set->event[index] = *event;
	set_registers(set, number);
	return 0;
}

PMC_API int pmc_context_add(struct pmc_context *context, const struct pmc_event *event)
{
	struct pmc_event_set *set = pmc_event_set_of(context);

	if (pmc_context_check_unconfigured(context))
		return -1;
	if (!set && context->num_counters)
		return pmc_fail(EINVAL, "event '%s': the context has chosen counters; use another",
				event->name);
	if (!set)
		set = create_set(context);
	if (!set || add(set, event))
		return -1;
	pmc_event_set_apply(set, context);
	return 0;
}

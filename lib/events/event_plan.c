// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Spread events over runs
 *
 * A run has one event on each counter, so each event needs a counter and each counter takes
 * as many events as there are runs: a maximum flow, found by augmenting paths. If no path
 * exists, no assignment exists, and the number of runs grows by one.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "candidates.h"
#include "constraint.h"
#include "error.h"
#include "event_select.h"
#include "extra_register.h"
#include "holder.h"
#include "netburst.h"

#define NOWHERE		UINT8_MAX
#define NO_RUN		UINT_MAX

/*
 * @allowed: counters of each event, as a mask of indices of struct pmc_info
 * @counter: of each event
 * @load: number of events on each counter
 * @runs: limit of @load
 */
struct plan {
	size_t num_events;
	uint64_t *allowed;
	uint8_t *counter;
	unsigned int load[INFO_COUNTERS_MAX];
	unsigned int runs;
};

static bool takes_bits(const struct pmc_info *info, const struct pmc_event *event,
		       uint64_t allowed)
{
	const struct pmc_counter *counter = info->counter;
	size_t i;

	for (i = 0; i < info->num_counters; i++, counter++)
		if (allowed >> i & 1 && !(pmc_event_select_on(event, counter->counter) &
					  ~counter->event_select_mask))
			return true;
	return false;
}

/* Return: the counters that can count it, or 0 after pmc_fail(). */
static uint64_t capable_counters(const struct pmc_info *info, const struct pmc_event *event)
{
	uint64_t allowed, preferred;

	if (pmc_find_candidates(info, event, &allowed, &preferred))
		return 0;
	if (!takes_bits(info, event, allowed)) {
		pmc_fail(EINVAL,
			 "event '%s': its event select 0x%llx has bits that no counter of %s accepts",
			 event->name, (unsigned long long)pmc_event_select(event),
			 info->cpu_text);
		return 0;
	}
	if (!(allowed & ~info->excluded))
		pmc_fail_event_held(info, event, allowed);
	return allowed & ~info->excluded;
}

PMC_API int pmc_info_can_count(const struct pmc_info *info, const struct pmc_event *event)
{
	return capable_counters(info, event) ? 0 : -1;
}

PMC_API bool pmc_info_counts_sibling(const struct pmc_info *info, const struct pmc_event *event)
{
	struct pmc_processor processor = pmc_processor_from_query(&info->query);
	uint64_t select = pmc_event_select(event);

	if (event->core_type)
		processor.core_type = event->core_type;
	return (info->query.features & PMC_FEATURE(ANY_THREAD) && select & SELECT_ANY) ||
	       pmc_counts_both_threads(&processor, select);
}

/* Use the counter with the fewest events that has room: neighbours then share a run. */
static bool assign_unused(struct plan *plan, size_t event)
{
	unsigned int counter, best = NOWHERE;

	for (counter = 0; counter < INFO_COUNTERS_MAX; counter++)
		if (plan->allowed[event] >> counter & 1 && plan->load[counter] < plan->runs &&
		    (best == NOWHERE || plan->load[counter] < plan->load[best]))
			best = counter;
	if (best == NOWHERE)
		return false;
	plan->load[best]++;
	plan->counter[event] = best;
	return true;
}

/* Find a counter for an event; others may move. @tried: counters already tried */
static bool assign(struct plan *plan, size_t event, uint64_t *tried)
{
	unsigned int counter;
	size_t other;

	if (assign_unused(plan, event))
		return true;
	for (counter = 0; counter < INFO_COUNTERS_MAX; counter++) {
		if (!((plan->allowed[event] & ~*tried) >> counter & 1))
			continue;
		*tried |= 1ULL << counter;
		for (other = 0; other < plan->num_events; other++) {
			if (plan->counter[other] != counter || !assign(plan, other, tried))
				continue;
			plan->counter[event] = counter;
			return true;
		}
	}
	return false;
}

static void assign_all(struct plan *plan)
{
	uint64_t tried;
	size_t event;

	memset(plan->counter, NOWHERE, plan->num_events);
	for (event = 0; event < plan->num_events; event++)
		for (tried = 0; !assign(plan, event, &tried); tried = 0)
			plan->runs++;
}

/* What the events of a run use. @counters: indices of struct pmc_info */
struct run {
	uint64_t counters;
	struct pmc_register_values registers;
};

/* Events with the least choice of a run are first: those of one register, of either, of none. */
static unsigned int num_choices(const struct pmc_event *event)
{
	return !event->extra_register ? 2 : event->either;
}

/* Put an event on its counter into the first run that has the counter and the register for it. */
static void assign_run(struct plan *plan, struct run *runs, const struct pmc_event *event,
		       unsigned int counter, unsigned int *run)
{
	const uint64_t bit = 1ULL << counter;
	struct run *one = runs;

	while (one->counters & bit || pmc_register_choose(&one->registers, event) < 0)
		one++;
	one->counters |= bit;
	*run = one - runs;
	if (*run >= plan->runs)
		plan->runs = *run + 1;
}

/*
 * Events on one counter are in different runs. A register with more values than there are runs
 * makes further ones.
 * @always: events of every run
 */
static int assign_runs(struct plan *plan, struct pmc_event *const *events,
		       struct pmc_event *const *always, size_t num_always, unsigned int *run)
{
	struct run *runs = calloc(plan->num_events + 1, sizeof(*runs));
	unsigned int order;
	size_t i, j;

	if (!runs)
		return pmc_fail_errno("a plan for %zu events", plan->num_events);
	for (i = 0; i < plan->num_events; i++)
		for (j = 0; j < num_always; j++)
			pmc_register_choose(&runs[i].registers, always[j]);
	for (order = 0; order <= 2; order++)
		for (i = 0; i < plan->num_events; i++)
			if (num_choices(events[i]) == order)
				assign_run(plan, runs, events[i], plan->counter[i], &run[i]);
	free(runs);
	return 0;
}

/* Return: 0, or -1 after pmc_fail() if an event conflicts with one of every run. */
static int check_registers(struct pmc_event *const *events, size_t num_events,
			   struct pmc_event *const *always, size_t num_always)
{
	size_t i, j;

	for (i = 0; i < num_events; i++)
		for (j = 0; j < num_always; j++)
			if (pmc_register_conflict(events[i], always[j]))
				return pmc_fail(ENOSPC,
						"event '%s' does not fit beside '%s' of every run: both need the register that %s= sets, with different values",
						events[i]->name, always[j]->name,
						pmc_register_term(events[i]->extra_register));
	return 0;
}

static int fill(struct plan *plan, const struct pmc_info *info, struct pmc_event *const *events,
		uint64_t left)
{
	size_t i;

	for (i = 0; i < plan->num_events; i++) {
		plan->allowed[i] = capable_counters(info, events[i]);
		if (!plan->allowed[i])
			return -1;
		plan->allowed[i] &= left;
		if (!plan->allowed[i])
			return pmc_fail(ENOSPC,
					"event '%s' has no counter beside the events of every run",
					events[i]->name);
	}
	return 0;
}

/* ---- NetBurst ---- */

/* Events of one run, with the counters that can count them */
struct netburst_run {
	const struct pmc_info *info;
	const struct pmc_event *event[PMC_COUNTERS_MAX];
	uint64_t allowed[PMC_COUNTERS_MAX];
	size_t num;
};

static bool put_into(struct netburst_run *run, const struct pmc_event *event, uint64_t allowed)
{
	if (run->num == PMC_COUNTERS_MAX)
		return false;
	run->allowed[run->num] = allowed;
	run->event[run->num++] = event;
	return true;
}

/* Whether an event fits into its run beside the run's other events */
static bool fits_run(const struct plan *plan, const struct netburst_run *always,
		     struct pmc_event *const *events, size_t event, const unsigned int *run)
{
	struct netburst_run whole = *always;
	uint8_t counter[PMC_COUNTERS_MAX];
	size_t i;

	for (i = 0; i < plan->num_events; i++)
		if (run[i] == run[event] && !put_into(&whole, events[i], plan->allowed[i]))
			return false;
	return pmc_netburst_place(whole.info, whole.event, whole.allowed, whole.num, ~0ULL,
				  counter);
}

/* An event goes to the first run that has a counter and an ESCR for it. */
static int assign_one(struct plan *plan, const struct netburst_run *always,
		      struct pmc_event *const *events, size_t event, unsigned int *run)
{
	for (run[event] = 0; !fits_run(plan, always, events, event, run); run[event]++)
		if (run[event] == plan->runs)
			return pmc_fail(ENOSPC,
					"event '%s' does not fit beside the events of every run",
					events[event]->name);
	if (run[event] == plan->runs)
		plan->runs++;
	return 0;
}

/* Events with the fewest possible counters come first: this makes fewer runs. */
static int assign_netburst(struct plan *plan, const struct netburst_run *always,
			   struct pmc_event *const *events, unsigned int *run)
{
	int choice;
	size_t i;

	for (i = 0; i < plan->num_events; i++)
		run[i] = NO_RUN;
	for (choice = 1; choice <= INFO_COUNTERS_MAX; choice++)
		for (i = 0; i < plan->num_events; i++)
			if (__builtin_popcountll(plan->allowed[i]) == choice &&
			    assign_one(plan, always, events, i, run))
				return -1;
	return plan->runs;
}

static int plan_netburst(struct plan *plan, const struct pmc_info *info,
			 struct pmc_event *const *events, struct pmc_event *const *always,
			 size_t num_always, unsigned int *run)
{
	struct netburst_run first = { .info = info };
	uint8_t counter[PMC_COUNTERS_MAX];
	uint64_t allowed;
	size_t i;

	for (i = 0; i < num_always; i++) {
		allowed = capable_counters(info, always[i]);
		if (!allowed)
			return -1;
		if (!put_into(&first, always[i], allowed) ||
		    !pmc_netburst_place(info, first.event, first.allowed, first.num, ~0ULL,
					counter))
			return pmc_fail(ENOSPC, "event '%s' does not fit into every run",
					always[i]->name);
	}
	if (fill(plan, info, events, ~0ULL))
		return -1;
	return assign_netburst(plan, &first, events, run);
}

/* ---- all layouts ---- */

/* @left: counters that the events of every run leave. Return: 0 or -1. */
static int place_fixed_events(const struct pmc_info *info, struct pmc_event *const *always,
			      size_t num_always, uint64_t *left)
{
	uint64_t allowed, preferred, tried;
	struct pmc_matching match;
	size_t i;

	*left = ~0ULL;
	pmc_matching_init(&match);
	for (i = 0; i < num_always; i++) {
		if (i == PMC_COUNTERS_MAX)
			return pmc_fail(ENOSPC, "more than %d events for every run",
					PMC_COUNTERS_MAX);
		if (pmc_find_candidates(info, always[i], &allowed, &preferred))
			return -1;
		if (!pmc_matching_add(&match, allowed, preferred, ~info->excluded, &tried))
			return pmc_fail(ENOSPC, "event '%s' does not fit into every run",
					always[i]->name);
	}
	for (i = 0; i < num_always; i++)
		*left &= ~(1ULL << match.counter[i]);
	return 0;
}

PMC_API int pmc_info_plan(const struct pmc_info *info, struct pmc_event *const *events,
			  size_t num_events, struct pmc_event *const *always,
			  size_t num_always, unsigned int *run)
{
	bool netburst = pmc_processor_from_query(&info->query).layout == PMC_LAYOUT_NETBURST;
	struct plan plan = { .num_events = num_events };
	int result = -1, error;
	uint64_t left;

	if (!netburst && place_fixed_events(info, always, num_always, &left))
		return -1;
	plan.allowed = calloc(num_events + 1, sizeof(*plan.allowed));
	plan.counter = calloc(num_events + 1, sizeof(*plan.counter));
	if (!plan.allowed || !plan.counter) {
		pmc_fail_errno("a plan for %zu events", num_events);
	} else if (netburst) {
		result = plan_netburst(&plan, info, events, always, num_always, run);
	} else if (!check_registers(events, num_events, always, num_always) &&
		   !check_registers(always, num_always, always, num_always) &&
		   !fill(&plan, info, events, left)) {
		assign_all(&plan);
		if (!assign_runs(&plan, events, always, num_always, run))
			result = plan.runs;
	}
	error = errno;
	free(plan.allowed);
	free(plan.counter);
	errno = error;
	return result;
}

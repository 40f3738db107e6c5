// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counters that other contexts or the kernel hold
 *
 * Contexts that follow different threads share counters, so only the driver knows which
 * holders conflict with a context. It reports one at a time.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "candidates.h"
#include "error.h"
#include "holder.h"

#define COUNTER_NONE	INFO_COUNTERS_MAX

static size_t find_counter(const struct pmc_info *info, uint32_t counter)
{
	size_t i;

	for (i = 0; i < info->num_counters; i++)
		if (info->counter[i].counter == counter)
			return i;
	return COUNTER_NONE;
}

bool pmc_place_around_holder(struct pmc_event_set *set, const struct pmc_holder *holder)
{
	size_t index = find_counter(set->info, holder->counter);
	uint64_t usable;

	/* The kernel holds all counters or none. */
	if (holder->kind == PMC_HOLDER_KERNEL || index == COUNTER_NONE ||
	    set->refused >> index & 1)
		return false;
	set->refused |= 1ULL << index;
	set->info->counter[index].holder = *holder;
	usable = ~set->refused;
	return pmc_event_set_place(set, usable & pmc_info_unheld(set->info)) ||
	       pmc_event_set_place(set, usable);
}

/* ---- texts ---- */

/* The counters of @counters that have the same holder as the first */
static uint64_t same_holder(const struct pmc_info *info, uint64_t counters, char *holder)
{
	unsigned int first = __builtin_ctzll(counters), i;
	uint64_t same = 1ULL << first;
	char other[PMC_HOLDER_TEXT_SIZE];

	pmc_holder_text(&info->counter[first].holder, holder, PMC_HOLDER_TEXT_SIZE);
	for (i = first + 1; i < info->num_counters; i++) {
		if (!(counters >> i & 1))
			continue;
		pmc_holder_text(&info->counter[i].holder, other, sizeof(other));
		if (!strcmp(holder, other))
			same |= 1ULL << i;
	}
	return same;
}

/* "counters general0 and general1 are held by ..., counter fixed0 by ..." */
static void holder_list_text(const struct pmc_info *info, uint64_t counters, char *text,
			     size_t size)
{
	char holder[PMC_HOLDER_TEXT_SIZE], names[256];
	size_t used = 0;
	uint64_t same;
	bool several;

	for (; counters && used < size; counters &= ~same) {
		same = same_holder(info, counters, holder);
		several = same & (same - 1);
		pmc_counter_list_text(info, same, names, sizeof(names));
		used += snprintf(text + used, size - used, "%scounter%s %s%s by %s",
				 used ? ", " : "", several ? "s" : "", names,
				 used ? "" : several ? " are held" : " is held", holder);
	}
}

static size_t format_held(const struct pmc_info *info, uint64_t counters, char *text, size_t size)
{
	if (size)
		text[0] = '\0';
	if (counters && size)
		holder_list_text(info, counters, text, size);
	return __builtin_popcountll(counters);
}

PMC_API size_t pmc_context_refused_text(const struct pmc_context *context, char *text, size_t size)
{
	const struct pmc_event_set *set = pmc_event_set_of(context);

	if (!set && size)
		text[0] = '\0';
	return set ? format_held(set->info, set->refused, text, size) : 0;
}

PMC_API size_t pmc_info_excluded_text(const struct pmc_info *info, char *text, size_t size)
{
	return format_held(info, info->excluded, text, size);
}

static int fail_all_held(const struct pmc_holder *holder)
{
	char text[PMC_HOLDER_TEXT_SIZE];

	pmc_holder_text(holder, text, sizeof(text));
	return pmc_fail(EBUSY, "the counters are held by %s", text);
}

int pmc_fail_held(const struct pmc_event_set *set, const struct pmc_holder *holder)
{
	const struct pmc_hint holders = { .topic = PMC_HINT_HOLDERS, .cpu = PMC_CPU_ANY };
	char held[PMC_HOLDER_LIST_SIZE], which[PMC_EVENT_NAME_MAX + 16], hint[128];
	size_t num = set->match.num_events;

	if (!set->refused)
		return fail_all_held(holder);
	holder_list_text(set->info, set->refused, held, sizeof(held));
	if (num == 1)
		snprintf(which, sizeof(which), "event '%s' does", set->event[0].name);
	else
		snprintf(which, sizeof(which), "these %zu events do", num);
	pmc_hint_text(&holders, hint, sizeof(hint));
	return pmc_fail(EBUSY,
			"%s: %s not fit on others; count fewer at once, or wait until they are free (%s shows all)",
			held, which, hint);
}

/* ---- plans without held counters ---- */

PMC_API size_t pmc_info_exclude_held(struct pmc_info *info, const struct pmc_context *context)
{
	const struct pmc_event_set *set = pmc_event_set_of(context);
	size_t num = 0, i, index;

	for (i = 0; set && i < set->info->num_counters; i++) {
		if (!(set->refused >> i & 1))
			continue;
		index = find_counter(info, set->info->counter[i].counter);
		if (index == COUNTER_NONE || info->excluded >> index & 1)
			continue;
		info->excluded |= 1ULL << index;
		info->counter[index].holder = set->info->counter[i].holder;
		num++;
	}
	return num;
}

int pmc_fail_event_held(const struct pmc_info *info, const struct pmc_event *event,
			uint64_t counters)
{
	char held[PMC_HOLDER_LIST_SIZE];

	holder_list_text(info, counters, held, sizeof(held));
	return pmc_fail(EBUSY, "event '%s': %s, and no other can count it", event->name, held);
}

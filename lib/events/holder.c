// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counters that somebody else holds. The driver alone knows which of them stand in
 * the way of a context: two that follow different threads share theirs. It names one
 * at a time.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "netburst.h"

#define COUNTER_NONE	INFO_COUNTERS_MAX

static size_t find_counter(const struct pmc_info *info, uint32_t counter)
{
	size_t i;

	for (i = 0; i < info->num_counters; i++)
		if (info->counter[i].counter == counter)
			return i;
	return COUNTER_NONE;
}

static bool place_netburst(struct pmc_context *context, uint64_t usable)
{
	const struct pmc_event *events[PMC_COUNTERS_MAX];
	struct pmc_matching *match = &context->match;
	uint8_t counter[PMC_COUNTERS_MAX];
	size_t i;

	for (i = 0; i < match->num_events; i++)
		events[i] = &context->event[i];
	if (!pmc_netburst_place(context->info, events, match->allowed, match->num_events, usable,
				counter))
		return false;
	memcpy(match->counter, counter, sizeof(match->counter));
	return true;
}

bool pmc_place_events(struct pmc_context *context, uint64_t usable)
{
	const struct pmc_matching *old = &context->match;
	struct pmc_matching match;
	uint64_t tried;
	size_t i;

	if (context->event[0].layout == PMC_LAYOUT_NETBURST)
		return place_netburst(context, usable);
	pmc_matching_init(&match);
	for (i = 0; i < old->num_events; i++)
		if (!pmc_matching_add(&match, old->allowed[i], old->preferred[i], usable, &tried))
			return false;
	context->match = match;
	return true;
}

bool pmc_place_around_holder(struct pmc_context *context, const struct pmc_holder *holder)
{
	size_t index = find_counter(context->info, holder->counter);
	uint64_t usable;

	/* the kernel has all or none */
	if (holder->kind == PMC_HOLDER_KERNEL || index == COUNTER_NONE ||
	    context->refused >> index & 1)
		return false;
	context->refused |= 1ULL << index;
	context->info->counter[index].holder = *holder;
	usable = ~context->refused;
	return pmc_place_events(context, usable & pmc_info_unheld(context->info)) ||
	       pmc_place_events(context, usable);
}

/* ---- in words ---- */

/* Those of @counters that have the same holder as the first of them */
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

void pmc_holder_list_text(const struct pmc_info *info, uint64_t counters, char *text, size_t size)
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
		pmc_holder_list_text(info, counters, text, size);
	return __builtin_popcountll(counters);
}

PMC_API size_t pmc_context_refused_text(const struct pmc_context *context, char *text, size_t size)
{
	return format_held(context->info, context->refused, text, size);
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

int pmc_fail_held(const struct pmc_context *context, const struct pmc_holder *holder)
{
	char held[PMC_HOLDER_LIST_SIZE], which[PMC_EVENT_NAME_MAX + 16];
	size_t num = context->match.num_events;

	if (!context->refused)
		return fail_all_held(holder);
	pmc_holder_list_text(context->info, context->refused, held, sizeof(held));
	if (num == 1)
		snprintf(which, sizeof(which), "event '%s' does", context->event[0].name);
	else
		snprintf(which, sizeof(which), "these %zu events do", num);
	return pmc_fail(EBUSY,
			"%s: %s not fit on others; count fewer at once, or wait until they are free ('pmcctl who' tells all)",
			held, which);
}

/* ---- plans without them ---- */

PMC_API size_t pmc_info_exclude_held(struct pmc_info *info, const struct pmc_context *context)
{
	size_t num = 0, i, index;

	for (i = 0; context->info && i < context->info->num_counters; i++) {
		if (!(context->refused >> i & 1))
			continue;
		index = find_counter(info, context->info->counter[i].counter);
		if (index == COUNTER_NONE || info->excluded >> index & 1)
			continue;
		info->excluded |= 1ULL << index;
		info->counter[index].holder = context->info->counter[i].holder;
		num++;
	}
	return num;
}

int pmc_fail_event_held(const struct pmc_info *info, const struct pmc_event *event,
			uint64_t counters)
{
	char held[PMC_HOLDER_LIST_SIZE];

	pmc_holder_list_text(info, counters, held, sizeof(held));
	return pmc_fail(EBUSY, "event '%s': %s, and no other can count it", event->name, held);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events, and the architectural events */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "event.h"

#define BOTH_MODES	(PMC_COUNT_USER | PMC_COUNT_KERNEL)

const struct pmc_arch_event pmc_arch_events[] = {
#define PMC_ARCH_EVENT(...) { __VA_ARGS__ },
#include "tables/architectural.def"
#undef PMC_ARCH_EVENT
};

const size_t pmc_num_arch_events = ARRAY_SIZE(pmc_arch_events);

/* ---- fixed counters ---- */

bool pmc_event_fits_fixed(const struct pmc_event *event)
{
	return event->arch && event->arch->fixed != NO_FIXED && !(event->extra & ~SELECT_ANY);
}

int pmc_event_check_fixed(const struct pmc_event *event)
{
	bool fixed = event->placement == PLACEMENT_FIXED ||
		     (event->placement == PLACEMENT_COUNTER &&
		      event->counter & PMC_COUNTER_FIXED_FLAG);

	if (!fixed)
		return 0;
	if (!event->arch || event->arch->fixed == NO_FIXED)
		return pmc_fail(EINVAL, "event '%s': no fixed counter counts it; omit :f",
				event->name);
	if (!pmc_event_fits_fixed(event))
		return pmc_fail(EINVAL,
				"event '%s': a fixed counter has no edge, invert or counter mask; omit :f",
				event->name);
	if (event->placement == PLACEMENT_COUNTER &&
	    event->counter != PMC_COUNTER_FIXED(event->arch->fixed))
		return pmc_fail(EINVAL,
				"event '%s': fixed counter %d counts it, and no other fixed one",
				event->name, event->arch->fixed);
	return 0;
}

int pmc_event_fail_no_counter(const struct pmc_event *event, const char *reason)
{
	return pmc_fail(EOPNOTSUPP, "event '%s': no counter of a core can count it: %s",
			event->name, reason);
}

PMC_API void pmc_event_free(struct pmc_event *event)
{
	free(event);
}

/* ---- accessors ---- */

PMC_API const char *pmc_event_name(const struct pmc_event *event)
{
	return event->name;
}

PMC_API const char *pmc_event_label(const struct pmc_event *event)
{
	return event->label[0] ? event->label : event->name;
}

PMC_API uint64_t pmc_event_select(const struct pmc_event *event)
{
	return event->select | event->extra;
}

PMC_API uint64_t pmc_event_extra(const struct pmc_event *event)
{
	return event->event_extra;
}

uint64_t pmc_event_select_on(const struct pmc_event *event, uint32_t counter)
{
	return counter & PMC_COUNTER_FIXED_FLAG ? event->extra : pmc_event_select(event);
}

PMC_API uint32_t pmc_event_modes(const struct pmc_event *event)
{
	return event->modes;
}

PMC_API int pmc_event_set_modes(struct pmc_event *event, uint32_t modes)
{
	if (!modes || modes & ~BOTH_MODES)
		return pmc_fail(EINVAL,
				"event '%s': the modes are PMC_COUNT_USER, PMC_COUNT_KERNEL or both",
				event->name);
	event->modes = modes;
	return 0;
}

PMC_API int pmc_event_set_counter(struct pmc_event *event, uint32_t counter)
{
	struct pmc_event changed = *event;

	changed.placement = PLACEMENT_COUNTER;
	changed.counter = counter;
	if (pmc_event_check_fixed(&changed))
		return -1;
	*event = changed;
	return 0;
}

PMC_API void pmc_event_set_initial(struct pmc_event *event, uint64_t value)
{
	event->initial = value;
}

PMC_API uint64_t pmc_event_period(const struct pmc_event *event)
{
	return event->period;
}

PMC_API uint64_t pmc_event_default_period(const struct pmc_event *event)
{
	return event->default_period;
}

PMC_API void pmc_event_set_period(struct pmc_event *event, uint64_t period)
{
	event->period = period;
}

/* Whether only a fixed counter can count it */
static bool is_fixed_only(const struct pmc_event *event)
{
	return event->placement == PLACEMENT_FIXED ||
	       (event->placement == PLACEMENT_ANY && event->arch && !event->arch->general);
}

static bool same_placement(const struct pmc_event *a, const struct pmc_event *b)
{
	if (is_fixed_only(a) || is_fixed_only(b))
		return is_fixed_only(a) && is_fixed_only(b) && a->arch == b->arch;
	return a->placement == b->placement &&
	       (a->placement != PLACEMENT_COUNTER || a->counter == b->counter);
}

/* An event for all core types equals the same event for one. */
static bool same_core_type(const struct pmc_event *a, const struct pmc_event *b)
{
	return !a->core_type || !b->core_type || a->core_type == b->core_type;
}

PMC_API bool pmc_event_equal(const struct pmc_event *a, const struct pmc_event *b)
{
	return a->layout == b->layout && same_core_type(a, b) &&
	       pmc_event_select(a) == pmc_event_select(b) &&
	       a->event_extra == b->event_extra && a->counters == b->counters &&
	       a->modes == b->modes && a->period == b->period && same_placement(a, b);
}

/* ---- architectural events ---- */

static const struct {
	const char *name;
	const char *canonical;
} aliases[] = {
#define PMC_PERF_ALIAS(name, canonical) { name, canonical },
#include "tables/aliases.def"
};

const char *pmc_perf_event_name(const struct pmc_arch_event *arch)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(aliases[i].canonical, arch->name))
			return aliases[i].name;
	return NULL;
}

bool pmc_query_has_event(const struct pmc_query *query, const struct pmc_arch_event *arch)
{
	return arch->bit < query->events_described && arch->bit < 32 &&
	       !(query->events_unavailable >> arch->bit & 1);
}

static const struct pmc_arch_event *arch_event(unsigned int bit)
{
	size_t i;

	for (i = 0; i < pmc_num_arch_events; i++)
		if (pmc_arch_events[i].bit == bit)
			return &pmc_arch_events[i];
	return NULL;
}

PMC_API const char *pmc_arch_event_name(unsigned int bit)
{
	const struct pmc_arch_event *event = arch_event(bit);

	return event ? event->name : NULL;
}

PMC_API const char *pmc_arch_event_text(unsigned int bit)
{
	const struct pmc_arch_event *event = arch_event(bit);

	return event ? event->text : NULL;
}

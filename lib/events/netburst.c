// SPDX-License-Identifier: LGPL-2.1-or-later
/* NetBurst: event selection control registers (ESCRs), and placement that shares them */
#include <errno.h>
#include <string.h>

#include "error.h"
#include "netburst.h"

#define COUNTERS	18

#define CCCR_ALLOWED	0x41fce000ULL
#define ESCR_ALLOWED	0x7ffffff0ULL

#define EVENT(select)		((select) >> 57 & 0x3f)
#define ESCR_SELECT(select)	((select) >> 13 & 0x7)
#define ESCR(select)		((select) >> 32)

enum group {
	GROUP_NONE = 0,
	GROUP_BPU_0 = 0x3,
	GROUP_BPU_1 = 0xc,
	GROUP_BPU = 0xf,
	GROUP_MS = 0xf0,
	GROUP_FLAME = 0xf00,
	GROUP_IQ = 0x3f000,
};

static const struct {
	const char *name;
	enum group group;
} events[] = {
#define PMC_NETBURST_EVENT(name, group) { name, GROUP_##group },
#include "tables/netburst.def"
#undef PMC_NETBURST_EVENT
};

/*
 * Counters of one group use the same ESCR for an ESCR select: SDM Volume 3B, table
 * "Performance Counter MSRs and Associated CCCR and ESCR MSRs"
 */
static const uint8_t sharers[COUNTERS] = {
	0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 6, 7,
};

/* ---- event selects ---- */

uint64_t pmc_netburst_select(uint64_t code)
{
	return (code & 0x3f) << 57 | (code >> 8 & 0x7) << 13;
}

uint64_t pmc_netburst_encoding(uint64_t escr, uint64_t cccr)
{
	return (escr & ESCR_ALLOWED) << 32 | (cccr & CCCR_ALLOWED);
}

/* ---- counters ---- */

uint64_t pmc_netburst_counters(const struct pmc_token *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (pmc_token_equals_name(name, events[i].name))
			return events[i].group;
	return 0;
}

int pmc_netburst_set_counters(struct pmc_event *event)
{
	if (event->counters)
		return 0;
	if (event->placement != PLACEMENT_COUNTER)
		return pmc_fail(EINVAL,
				"event '%s': the same code is a different event on each counter; choose the counter with :g=N",
				event->name);
	event->counters = ~0ULL;
	return 0;
}

/* ---- placement ---- */

/*
 * Counters are indices of struct pmc_info.
 * @sharers: group of each counter; those after the 18 share no ESCR
 * @order: indices of the events; events that one counter can count come first
 * @vacant: counters without an event
 * @counter: of each event of @order
 */
struct search {
	uint8_t sharers[INFO_COUNTERS_MAX];
	unsigned int num_counters;
	const struct pmc_event *const *event;
	const uint64_t *allowed;
	size_t num;
	uint8_t order[PMC_COUNTERS_MAX];
	uint64_t vacant;
	uint8_t counter[PMC_COUNTERS_MAX];
};

static void load_counters(struct search *search, const struct pmc_info *info)
{
	uint32_t number;
	size_t i;

	search->num_counters = info->num_counters;
	for (i = 0; i < info->num_counters; i++) {
		number = info->counter[i].counter;
		search->sharers[i] = number < COUNTERS ? sharers[number] : COUNTERS + i;
	}
}

static bool is_pinned(uint64_t allowed)
{
	return !(allowed & (allowed - 1));
}

static void sort_by_choice(struct search *search)
{
	size_t used = 0, i;

	for (i = 0; i < search->num; i++)
		if (is_pinned(search->allowed[i]))
			search->order[used++] = i;
	for (i = 0; i < search->num; i++)
		if (!is_pinned(search->allowed[i]))
			search->order[used++] = i;
}

static bool share_escr(const struct pmc_event *a, const struct pmc_event *b)
{
	uint64_t first = pmc_event_select(a), second = pmc_event_select(b);

	return ESCR_SELECT(first) != ESCR_SELECT(second) ||
	       (ESCR(first) == ESCR(second) && a->modes == b->modes);
}

/* Whether the next event can use the counter beside the events before it */
static bool fits(const struct search *search, size_t next, unsigned int counter)
{
	const struct pmc_event *event = search->event[search->order[next]];
	size_t i;

	for (i = 0; i < next; i++)
		if (search->sharers[search->counter[i]] == search->sharers[counter] &&
		    !share_escr(search->event[search->order[i]], event))
			return false;
	return true;
}

/*
 * Place the events from @next on. Events that need one counter are placed already; for the
 * others, vacant counters of one group are equivalent, so only one of them is tried.
 */
static bool place_from(struct search *search, size_t next)
{
	unsigned int counter;
	uint64_t allowed, tried = 0;

	if (next == search->num)
		return true;
	allowed = search->allowed[search->order[next]] & search->vacant;
	for (counter = 0; counter < search->num_counters; counter++) {
		if (!(allowed >> counter & 1) || tried >> search->sharers[counter] & 1)
			continue;
		tried |= 1ULL << search->sharers[counter];
		if (!fits(search, next, counter))
			continue;
		search->vacant &= ~(1ULL << counter);
		search->counter[next] = counter;
		if (place_from(search, next + 1))
			return true;
		search->vacant |= 1ULL << counter;
	}
	return false;
}

bool pmc_netburst_place(const struct pmc_info *info, const struct pmc_event *const *event,
			const uint64_t *allowed, size_t num, uint64_t usable, uint8_t *counter)
{
	struct search search = {
		.event = event, .allowed = allowed, .num = num, .vacant = usable,
	};
	size_t i;

	if (num > info->num_counters || num > PMC_COUNTERS_MAX)
		return false;
	load_counters(&search, info);
	sort_by_choice(&search);
	if (!place_from(&search, 0))
		return false;
	for (i = 0; i < num; i++)
		counter[search.order[i]] = search.counter[i];
	return true;
}

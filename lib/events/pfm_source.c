// SPDX-License-Identifier: LGPL-2.1-or-later
/* The names of libpfm4 as a source of events */
#include <errno.h>

#include "constraint.h"
#include "error.h"
#include "extra_register.h"
#include "name_source.h"
#include "netburst.h"
#include "pfm_annotate.h"

/*
 * In libpfm4 event number 0 means a fixed counter; the unit mask is the counter's number plus
 * one. Some tables have number 0 by mistake (4.13: Ice Lake's TOPDOWN:BACKEND_BOUND_SLOTS,
 * Goldmont's CPU_CLK_UNHALTED:REF), so only these unit masks are accepted.
 */
static const struct {
	const char *mask;
	int fixed;
} fixed_masks[] = {
	{ "ANY", 0 }, { "PREC_DIST", 0 }, { "CORE", 1 }, { "THREAD", 1 }, { "REF_TSC", 2 },
	{ "SLOTS", 3 },
};

static bool is_fixed_modifier(const struct pmc_token *mask, int fixed)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fixed_masks); i++)
		if (fixed_masks[i].fixed == fixed &&
		    pmc_token_equals_name(mask, fixed_masks[i].mask))
			return true;
	return false;
}

static int set_fixed_only(struct pmc_event *event, const struct pmc_token *masks,
			  size_t num_masks)
{
	int fixed = (int)(event->select >> 8 & 0xff) - 1;
	size_t i;

	for (i = 0; i < pmc_num_arch_events; i++) {
		if (num_masks != 1 || !is_fixed_modifier(&masks[0], fixed) ||
		    pmc_arch_events[i].fixed != fixed)
			continue;
		event->arch = &pmc_arch_events[i];
		event->select = event->arch->select;
		event->placement = PLACEMENT_FIXED;
		return 0;
	}
	return pmc_fail(EOPNOTSUPP,
			"event '%s': libpfm4 has no event number for it; give it as a raw code, from the processor's manual",
			event->name);
}

/* Refuse an event that no counter can count according to the tables. */
static int check_amd(const struct pmc_event *event, const struct pmc_processor *processor)
{
	if (pmc_constraint(processor, event->select))
		return 0;
	return pmc_event_fail_no_counter(event, pmc_constraint_reason(processor, event->select));
}

static int find(struct pmc_event *event, const struct pmc_processor *processor,
		const struct pmc_token *name, const struct pmc_token *masks, size_t num_masks,
		struct pmc_name_failure *failure)
{
	struct pmc_pfm_code code;
	int result = pmc_pfm_encode(processor, event->name, name, masks, num_masks, &code,
				    failure);

	if (result)
		return result;
	event->select = code.select;
	if (pmc_register_set(event, code.event_extra))
		return -1;
	event->core_type = code.core_type;
	if (event->layout == PMC_LAYOUT_CORE && !(event->select & 0xff))
		return set_fixed_only(event, masks, num_masks);
	if (event->layout == PMC_LAYOUT_AMD)
		return check_amd(event, processor);
	if (event->layout != PMC_LAYOUT_NETBURST)
		return 0;
	event->counters = pmc_netburst_counters(name);
	if (event->counters)
		return 0;
	return pmc_fail(EOPNOTSUPP,
			"event '%s': in the manual its ESCR select is that of other events; no counter is known for it",
			event->name);
}

const struct pmc_name_source pmc_pfm_source = {
	.find = find,
	.next = pmc_pfm_next,
	.is_refused = pmc_pfm_is_refused,
	.annotated = pmc_pfm_annotated_row,
	.unavailable = pmc_pfm_unavailable_reason,
};

// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which general counters can count an event */
#include <string.h>

#include "constraint.h"
#include "common.h"
#include "core_type.h"
#include "event_select.h"
#include "event_table.h"

static const struct {
	unsigned int model;
	enum core_uarch uarch;
} models[] = {
#define PMC_CORE_MODEL(model, uarch) { model, UARCH_##uarch },
#include "tables/core-counters.def"
#undef PMC_CORE_MODEL
};

static const struct restriction {
	enum core_uarch uarch;
	uint8_t first;
	uint8_t last;
	uint8_t umask_mask;
	uint8_t umask;
	uint64_t counters;
} restrictions[] = {
#define PMC_CORE_COUNTERS(uarch, first, last, umask_mask, umask, counters) \
	{ UARCH_##uarch, first, last, umask_mask, umask, counters },
#include "tables/core-counters.def"
#undef PMC_CORE_COUNTERS
};

enum core_uarch pmc_core_uarch(const struct pmc_processor *processor)
{
	unsigned int model = processor->model;
	size_t i;

	if (processor->family != 6)
		model |= processor->family << 8;
	for (i = 0; i < ARRAY_SIZE(models) && models[i].model != model; i++)
		;
	if (i == ARRAY_SIZE(models))
		return UARCH_UNKNOWN;
	if (processor->core_type != PMC_CORE_TYPE_ATOM)
		return models[i].uarch;
	return models[i].uarch == UARCH_PANTHER_COVE ? UARCH_ARCTIC_WOLF : UARCH_UNKNOWN;
}

static bool restricts(const struct restriction *restriction, enum core_uarch uarch, uint64_t select)
{
	unsigned int number = select & 0xff, umask = select >> 8 & 0xff;

	return restriction->uarch == uarch && number >= restriction->first &&
	       number <= restriction->last &&
	       (umask & restriction->umask_mask) == restriction->umask;
}

static uint64_t core_constraint(const struct pmc_processor *processor, uint64_t select)
{
	enum core_uarch uarch = pmc_core_uarch(processor);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(restrictions); i++)
		if (restricts(&restrictions[i], uarch, select))
			return restrictions[i].counters;
	return PMC_ANY_COUNTER;
}

/* ---- AMD ---- */

enum amd_masks {
	MASKS_ANY,
	MASKS_SEVERAL,
	MASKS_BOTH,
};

static const struct amd_restriction {
	unsigned int first;
	unsigned int last;
	unsigned int event_mask;
	unsigned int event;
	enum amd_masks masks;
	uint64_t counters;
	const char *reason;
} amd_restrictions[] = {
#define PMC_AMD_COUNTERS(first, last, event_mask, event, masks, counters, reason) \
	{ first, last, event_mask, event, MASKS_##masks, counters, reason },
#include "tables/amd-counters.def"
};

static const struct {
	unsigned int first;
	unsigned int last;
	const char *name;
	const char *reason;
} amd_shared[] = {
#define PMC_AMD_UNCORE(first, last, name, reason) { first, last, name, reason },
#include "tables/amd-counters.def"
};

static bool has_masks(enum amd_masks masks, unsigned int umask)
{
	switch (masks) {
	case MASKS_SEVERAL:
		return umask & (umask - 1);
	case MASKS_BOTH:
		return umask & 0x0f && umask & 0xf0;
	default:
		return true;
	}
}

static const struct amd_restriction *amd_restriction(const struct pmc_processor *processor,
						     uint64_t select)
{
	unsigned int event = pmc_event_select_number(PMC_LAYOUT_AMD, select);
	const struct amd_restriction *row = amd_restrictions;

	for (; row < amd_restrictions + ARRAY_SIZE(amd_restrictions); row++)
		if (processor->family >= row->first && processor->family <= row->last &&
		    (event & row->event_mask) == row->event &&
		    has_masks(row->masks, select >> 8 & 0xff))
			return row;
	return NULL;
}

static uint64_t amd_constraint(const struct pmc_processor *processor, uint64_t select)
{
	const struct amd_restriction *row = amd_restriction(processor, select);

	return row ? row->counters : PMC_ANY_COUNTER;
}

/* Whether @name begins with @prefix, or is it without the '-' or '/' that ends it */
bool pmc_counts_both_threads(const struct pmc_processor *processor, uint64_t select)
{
	enum core_uarch uarch = pmc_core_uarch(processor);

	if (processor->layout == PMC_LAYOUT_AMD)
		return processor->family >= 0x17 &&
		       pmc_event_select_number(PMC_LAYOUT_AMD, select) == 0x062;
	return uarch >= UARCH_SANDY_BRIDGE && uarch <= UARCH_REDWOOD_COVE &&
	       (select & 0x02ff) == 0x02b1;
}

static bool begins_with(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	if (!strncmp(name, prefix, len))
		return true;
	return strchr("-/", prefix[len - 1]) && !strncmp(name, prefix, len - 1) &&
	       !name[len - 1];
}

const char *pmc_constraint_uncore_reason(const struct pmc_processor *processor,
					 const struct pmc_token *name)
{
	char normalised[64];
	size_t i;

	pmc_token_normalise(name, normalised, sizeof(normalised));
	if (processor->layout == PMC_LAYOUT_CORE && begins_with(normalised, "unc-"))
		return "it belongs to the uncore, which the driver does not count";
	for (i = 0; i < ARRAY_SIZE(amd_shared) && processor->layout == PMC_LAYOUT_AMD; i++)
		if (processor->family >= amd_shared[i].first &&
		    processor->family <= amd_shared[i].last &&
		    begins_with(normalised, amd_shared[i].name))
			return amd_shared[i].reason;
	return NULL;
}

/* ---- all layouts ---- */

const char *pmc_constraint_reason(const struct pmc_processor *processor, uint64_t select)
{
	const struct amd_restriction *row = NULL;

	if (processor->layout == PMC_LAYOUT_AMD)
		row = amd_restriction(processor, select);
	return row ? row->reason : NULL;
}

uint64_t pmc_constraint(const struct pmc_processor *processor, uint64_t select)
{
	uint64_t counters;

	if (processor->layout == PMC_LAYOUT_CORE)
		return core_constraint(processor, select);
	if (processor->layout == PMC_LAYOUT_AMD)
		return amd_constraint(processor, select);
	counters = pmc_event_table_counters(processor,
					    pmc_event_select_number(processor->layout, select));
	return counters ? counters : PMC_ANY_COUNTER;
}

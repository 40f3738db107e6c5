// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which general counters can count an event */
#include "constraint.h"
#include "internal.h"
#include "rows.h"
#include "select.h"

enum core_part {
	PART_UNKNOWN,
	PART_CORE_DUO,
	PART_CORE2,
	PART_NEHALEM,
	PART_WESTMERE,
	PART_SANDY_BRIDGE,
	PART_IVY_BRIDGE,
	PART_HASWELL,
	PART_BROADWELL,
	PART_SKYLAKE,
	PART_ICE_LAKE,
	PART_SAPPHIRE_RAPIDS,
};

static const struct {
	unsigned int model;
	enum core_part part;
} models[] = {
#define PMC_CORE_MODEL(model, part) { model, PART_##part },
#include "events/core-counters.def"
#undef PMC_CORE_MODEL
};

static const struct restriction {
	enum core_part part;
	uint8_t first;
	uint8_t last;
	uint8_t umask_mask;
	uint8_t umask;
	uint64_t counters;
} restrictions[] = {
#define PMC_CORE_COUNTERS(part, first, last, umask_mask, umask, counters) \
	{ PART_##part, first, last, umask_mask, umask, counters },
#include "events/core-counters.def"
#undef PMC_CORE_COUNTERS
};

static enum core_part core_part(const struct pmc_processor *processor)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(models) && processor->family == 6; i++)
		if (models[i].model == processor->model)
			return models[i].part;
	return PART_UNKNOWN;
}

static bool fits(const struct restriction *restriction, enum core_part part, uint64_t select)
{
	unsigned int number = select & 0xff, umask = select >> 8 & 0xff;

	return restriction->part == part && number >= restriction->first &&
	       number <= restriction->last &&
	       (umask & restriction->umask_mask) == restriction->umask;
}

static uint64_t core_constraint(const struct pmc_processor *processor, uint64_t select)
{
	enum core_part part = core_part(processor);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(restrictions); i++)
		if (fits(&restrictions[i], part, select))
			return restrictions[i].counters;
	return PMC_ANY_COUNTER;
}

uint64_t pmc_constraint(const struct pmc_processor *processor, uint64_t select)
{
	uint64_t counters;

	if (processor->layout == PMC_LAYOUT_CORE)
		return core_constraint(processor, select);
	counters = pmc_rows_counters(processor, pmc_select_number(processor->layout, select));
	return counters ? counters : PMC_ANY_COUNTER;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Family core: the generation of a processor, by its model number
 *
 * Generations differ in which counters can count an event (core_events.c) and in the extra
 * registers of events (core_extra.c).
 *
 * Owns the table, which is constant. Reads no register: unit tests run it on any computer.
 * Context: any.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "families/core.h"

#define NOVA_LAKE	18	/* family */
#define DIAMOND_RAPIDS	19	/* family */
#define OF_FAMILY(family, model)	((family) << 8 | (model))

static const struct {
	u16 model;	/* of family 6, or OF_FAMILY() */
	u8 generation;
} core_models[] = {
	{ 0x0e, CORE_DUO },
	{ 0x0f, CORE_2 }, { 0x16, CORE_2 }, { 0x17, CORE_2 }, { 0x1d, CORE_2 },
	{ 0x1a, NEHALEM }, { 0x1e, NEHALEM }, { 0x2e, NEHALEM },
	{ 0x25, WESTMERE }, { 0x2c, WESTMERE }, { 0x2f, WESTMERE },
	{ 0x2a, SANDY_BRIDGE }, { 0x2d, SANDY_BRIDGE },
	{ 0x3a, IVY_BRIDGE }, { 0x3e, IVY_BRIDGE },
	{ 0x3c, HASWELL }, { 0x3f, HASWELL }, { 0x45, HASWELL }, { 0x46, HASWELL },
	{ 0x3d, BROADWELL }, { 0x47, BROADWELL }, { 0x4f, BROADWELL }, { 0x56, BROADWELL },
	{ 0x4e, SKYLAKE }, { 0x55, SKYLAKE }, { 0x5e, SKYLAKE }, { 0x8e, SKYLAKE },
	{ 0x9e, SKYLAKE }, { 0xa5, SKYLAKE }, { 0xa6, SKYLAKE },
	{ 0x6a, ICE_LAKE }, { 0x6c, ICE_LAKE }, { 0x7d, ICE_LAKE }, { 0x7e, ICE_LAKE },
	{ 0x8c, ICE_LAKE }, { 0x8d, ICE_LAKE }, { 0xa7, ICE_LAKE },
	{ 0x8f, GOLDEN_COVE }, { 0xcf, GOLDEN_COVE },
	{ 0xad, REDWOOD_COVE }, { 0xae, REDWOOD_COVE },
	{ OF_FAMILY(DIAMOND_RAPIDS, 1), PANTHER_COVE },
	/* hybrid: Gracemont on the cores of type Atom */
	{ 0x97, GOLDEN_COVE }, { 0x9a, GOLDEN_COVE }, { 0xb7, GOLDEN_COVE },
	{ 0xba, GOLDEN_COVE }, { 0xbf, GOLDEN_COVE },
	/* hybrid: Crestmont to Darkmont on the cores of type Atom */
	{ 0xaa, REDWOOD_COVE }, { 0xac, REDWOOD_COVE }, { 0xb5, REDWOOD_COVE },
	{ 0xbd, LION_COVE }, { 0xc5, LION_COVE }, { 0xc6, LION_COVE },
	{ 0xcc, LION_COVE }, { 0xd5, LION_COVE }, { 0xe5, LION_COVE },
	/* hybrid: Arctic Wolf on the cores of type Atom */
	{ OF_FAMILY(NOVA_LAKE, 1), PANTHER_COVE }, { OF_FAMILY(NOVA_LAKE, 3), PANTHER_COVE },
	{ 0x37, ATOM }, { 0x4a, ATOM }, { 0x4c, ATOM }, { 0x4d, ATOM }, { 0x5a, ATOM },
	{ 0x57, ATOM }, { 0x85, ATOM }, { 0x75, ATOM },
	{ 0x5c, ATOM }, { 0x5f, ATOM }, { 0x7a, ATOM },
	{ 0x86, ATOM }, { 0x96, ATOM }, { 0x9c, ATOM },
	{ 0xbe, GRACEMONT },
	{ 0xaf, CRESTMONT }, { 0xb6, CRESTMONT }, { 0xdd, CRESTMONT },
};

/* The cores of type Atom of a hybrid processor with this generation of cores of type Core */
static enum core_generation core_atoms_of(enum core_generation generation)
{
	switch (generation) {
	case GOLDEN_COVE:
		return GRACEMONT;
	case PANTHER_COVE:
		return ARCTIC_WOLF;
	default:
		return CRESTMONT;
	}
}

/**
 * core_generation - the generation of a processor
 * @query:	the CPU; its family, model and core type
 *
 * Return: CORE_OTHER if nothing is known of it.
 */
enum core_generation core_generation(const struct pmc_query *query)
{
	u32 model = query->cpu_model, i;

	if (query->cpu_family != 6)
		model = OF_FAMILY(query->cpu_family, model);
	for (i = 0; i < ARRAY_SIZE(core_models); i++) {
		if (core_models[i].model != model)
			continue;
		if (query->core_type >> CORE_TYPE_SHIFT == CORE_TYPE_ATOM)
			return core_atoms_of(core_models[i].generation);
		return core_models[i].generation;
	}
	return CORE_OTHER;
}

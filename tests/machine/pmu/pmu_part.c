// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parts: what CPUID does not tell, and the events that are not
 * architectural.
 *
 * Section and table names are those of Intel's Software Developer's Manual
 * (SDM). The event lists are Volume 3B's chapter "Performance Monitoring
 * Events" (Intel's perfmon event files since 2022), by microarchitecture.
 *
 * Only the exact codes listed here count: a combination of unit masks is an
 * event of its own, and an event that is in no table counts nothing.
 */
#include "pmu_int.h"

#define CODE(event, umask)	((umask) << 8 | (event))

#define COND	(P(BR_COND_TAKEN) | P(BR_COND_NTAKEN))
#define JUMPS	(P(BR_JMP) | P(BR_JMP_IND))
#define CALLS	(P(BR_CALL) | P(BR_CALL_IND))
#define TAKEN	(P(BR_COND_TAKEN) | JUMPS | CALLS | P(BR_RET))
#define ALL	(TAKEN | P(BR_COND_NTAKEN) | P(BR_FAR))
#define MISP	(P(MISP_COND) | P(MISP_IND) | P(MISP_RET))

/* "Performance Monitoring Events for Intel Core 2 / Core microarchitecture" */
static const struct pmu_event core2[] = {
	{ CODE(0xc0, 0x01), P(LOAD) },		/* INST_RETIRED.LOADS */
	{ CODE(0xc0, 0x02), P(STORE) },		/* INST_RETIRED.STORES */
	{ CODE(0xc4, 0x0c), TAKEN | P(BR_FAR) }, /* BR_INST_RETIRED.TAKEN */
	{ CODE(0xc8, 0x00), P(HWINT) },		/* HW_INT_RCV */
};

/* "Performance Monitoring Events for Nehalem microarchitecture" */
static const struct pmu_event nehalem[] = {
	{ CODE(0x0b, 0x01), P(LOAD) },		/* MEM_INST_RETIRED.LOADS */
	{ CODE(0x0b, 0x02), P(STORE) },		/* MEM_INST_RETIRED.STORES */
	{ CODE(0x1d, 0x01), P(HWINT) },		/* HW_INT.RCV */
	{ CODE(0x89, 0x7f), MISP },		/* BR_MISP_EXEC.ANY */
	{ CODE(0xc4, 0x01), COND },		/* BR_INST_RETIRED.CONDITIONAL */
	{ CODE(0xc4, 0x02), CALLS },		/* BR_INST_RETIRED.NEAR_CALL */
};

/* "Performance Monitoring Events for 2nd Generation Intel Core Processors" */
static const struct pmu_event sandy_bridge[] = {
	{ CODE(0xc4, 0x01), COND },		/* BR_INST_RETIRED.CONDITIONAL */
	{ CODE(0xc4, 0x02), CALLS },		/* .NEAR_CALL */
	{ CODE(0xc4, 0x08), P(BR_RET) },	/* .NEAR_RETURN */
	{ CODE(0xc4, 0x10), P(BR_COND_NTAKEN) }, /* .NOT_TAKEN */
	{ CODE(0xc4, 0x20), TAKEN },		/* .NEAR_TAKEN */
	{ CODE(0xc4, 0x40), P(BR_FAR) },	/* .FAR_BRANCH */
	{ CODE(0xc5, 0x01), P(MISP_COND) },	/* BR_MISP_RETIRED.CONDITIONAL */
	{ CODE(0xd0, 0x81), P(LOAD) },		/* MEM_UOPS_RETIRED.ALL_LOADS */
	{ CODE(0xd0, 0x82), P(STORE) },		/* .ALL_STORES */
};

/* "Performance Monitoring Events based on Skylake Microarchitecture" */
static const struct pmu_event skylake[] = {
	{ CODE(0xc4, 0x01), COND },		/* BR_INST_RETIRED.CONDITIONAL */
	{ CODE(0xc4, 0x02), CALLS },		/* .NEAR_CALL */
	{ CODE(0xc4, 0x08), P(BR_RET) },	/* .NEAR_RETURN */
	{ CODE(0xc4, 0x10), P(BR_COND_NTAKEN) }, /* .NOT_TAKEN */
	{ CODE(0xc4, 0x20), TAKEN },		/* .NEAR_TAKEN */
	{ CODE(0xc4, 0x40), P(BR_FAR) },	/* .FAR_BRANCH */
	{ CODE(0xc5, 0x01), P(MISP_COND) },	/* BR_MISP_RETIRED.CONDITIONAL */
	{ CODE(0xcb, 0x01), P(HWINT) },		/* HW_INTERRUPTS.RECEIVED */
	{ CODE(0xd0, 0x81), P(LOAD) },		/* MEM_INST_RETIRED.ALL_LOADS */
	{ CODE(0xd0, 0x82), P(STORE) },		/* .ALL_STORES */
};

/* Ice Lake and Sapphire Rapids: Intel's event files, same codes in both. */
static const struct pmu_event ice_lake[] = {
	{ CODE(0xc4, 0x01), P(BR_COND_TAKEN) },	/* BR_INST_RETIRED.COND_TAKEN */
	{ CODE(0xc4, 0x02), CALLS },		/* .NEAR_CALL */
	{ CODE(0xc4, 0x08), P(BR_RET) },	/* .NEAR_RETURN */
	{ CODE(0xc4, 0x10), P(BR_COND_NTAKEN) }, /* .COND_NTAKEN */
	{ CODE(0xc4, 0x11), COND },		/* .COND */
	{ CODE(0xc4, 0x20), TAKEN },		/* .NEAR_TAKEN */
	{ CODE(0xc4, 0x40), P(BR_FAR) },	/* .FAR_BRANCH */
	{ CODE(0xc5, 0x11), P(MISP_COND) },	/* BR_MISP_RETIRED.COND */
	{ CODE(0xcb, 0x01), P(HWINT) },		/* HW_INTERRUPTS.RECEIVED */
	{ CODE(0xd0, 0x81), P(LOAD) },		/* MEM_INST_RETIRED.ALL_LOADS */
	{ CODE(0xd0, 0x82), P(STORE) },		/* .ALL_STORES */
};

#define EVENTS(t)	.events = (t), .nevents = ARRAY_LEN(t)

/*
 * Display family and model: SDM Vol. 4, table "CPUID Signature Values of
 * DisplayFamily_DisplayModel".
 * fast_rdpmc: SDM Vol. 2B, RDPMC, pseudo-code of the Core 2 family.
 * pin_control: SDM Vol. 3B "Architectural Performance Monitoring Version 1
 * Facilities": bit 19 is not writeable from Sandy Bridge on.
 * slots: the allocation width in Intel's Optimization Reference Manual.
 * ras: 16 entries since Core, same manual.
 */
static const struct pmu_part parts[] = {
	{ 0x06, 0x17, "Penryn", .fast_rdpmc = true, .pin_control = true,
	  .slots = 4, .ras = 16, EVENTS(core2) },
	{ 0x06, 0x1e, "Lynnfield", .pin_control = true,
	  .slots = 4, .ras = 16, EVENTS(nehalem) },
	{ 0x06, 0x2a, "Sandy Bridge", .full_width = true,
	  .slots = 4, .ras = 16, EVENTS(sandy_bridge) },
	{ 0x06, 0x55, "Skylake-X", .full_width = true,
	  .slots = 4, .ras = 16, EVENTS(skylake) },
	{ 0x06, 0x7e, "Ice Lake", .full_width = true,
	  .slots = 5, .ras = 16, EVENTS(ice_lake) },
	{ 0x06, 0x8f, "Sapphire Rapids", .full_width = true,
	  .slots = 6, .ras = 16, EVENTS(ice_lake) },
};

static const struct pmu_part unknown = {
	.name = "unknown part", .pin_control = true, .slots = 4, .ras = 16,
};

const struct pmu_part *pmu_part_find(unsigned int family, unsigned int model)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(parts); i++)
		if (parts[i].family == family && parts[i].model == model)
			return &parts[i];
	return &unknown;
}

uint32_t pmu_part_event(const struct pmu_part *part, uint16_t code)
{
	size_t i;

	for (i = 0; i < part->nevents; i++)
		if (part->events[i].code == code)
			return part->events[i].prims;
	return 0;
}

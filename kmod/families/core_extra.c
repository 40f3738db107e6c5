// SPDX-License-Identifier: GPL-2.0-only
/*
 * Family core: events that need an extra register
 *
 * The unit mask of these events has no room for what they can count, so another register selects
 * it: MSR_OFFCORE_RSP_0 and _1 (SDM Volume 3B, "Off-core Response Performance Monitoring") and
 * MSR_PEBS_FRONTEND ("Frontend Retired"). A CPU has one register of each kind, so it is claimed
 * together with the counter: &struct pmc_program.shared has a bit for each. Two counters can share
 * it only with the same value.
 *
 * Sources: Linux, events/intel/core.c, intel_*_extra_regs; of 6.1, but for Redwood Cove and Lion
 * Cove of 7.3. Events of load latency are refused: they count loads that the hardware chooses at
 * random, and only into PEBS records. Those of Atom are refused because the cores of a module may
 * share the registers.
 *
 * Owns the table, which is constant, and the parts of struct pmc_pmu for these registers.
 * No lock: runs on the CPU concerned with interrupts off, core_extra_check() in any context.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <asm/msr-index.h>

#include "compat/compat.h"
#include "compat/topology.h"
#include "families/core.h"
#include "pmu/pmu.h"

enum { OFFCORE_RSP_0, OFFCORE_RSP_1, FRONTEND };

/* By their numbers, which are also the bits in &struct pmc_program.shared */
static const u32 core_extra_msrs[PMC_EXTRA_MAX] = {
	MSR_OFFCORE_RSP_0, MSR_OFFCORE_RSP_1, MSR_PEBS_FRONTEND
};

#define OFFCORE_NEHALEM		0xffffULL
#define OFFCORE_CLIENT		0x3f807f8fffULL
#define OFFCORE_SERVER		0x3fffff8fffULL
#define OFFCORE_ICE_LAKE	0x3fffffbfffULL
#define OFFCORE_GOLDEN_COVE	0x3fffffffffULL
#define OFFCORE_LION_COVE	0xfffffffffffULL

static const struct core_extra_row {
	u8 generation;
	u8 event;
	u8 umask;
	u8 number;	/* of the register */
	u64 mask;	/* bits that this event may set there */
} core_extra_rows[] = {
	{ NEHALEM, 0xb7, 0x01, OFFCORE_RSP_0, OFFCORE_NEHALEM },
	{ WESTMERE, 0xb7, 0x01, OFFCORE_RSP_0, OFFCORE_NEHALEM },
	{ WESTMERE, 0xbb, 0x01, OFFCORE_RSP_1, OFFCORE_NEHALEM },
	{ SANDY_BRIDGE, 0xb7, 0x01, OFFCORE_RSP_0, OFFCORE_SERVER },
	{ SANDY_BRIDGE, 0xbb, 0x01, OFFCORE_RSP_1, OFFCORE_SERVER },
	{ IVY_BRIDGE, 0xb7, 0x01, OFFCORE_RSP_0, OFFCORE_SERVER },
	{ IVY_BRIDGE, 0xbb, 0x01, OFFCORE_RSP_1, OFFCORE_SERVER },
	{ HASWELL, 0xb7, 0x01, OFFCORE_RSP_0, OFFCORE_SERVER },
	{ HASWELL, 0xbb, 0x01, OFFCORE_RSP_1, OFFCORE_SERVER },
	{ BROADWELL, 0xb7, 0x01, OFFCORE_RSP_0, OFFCORE_SERVER },
	{ BROADWELL, 0xbb, 0x01, OFFCORE_RSP_1, OFFCORE_SERVER },
	{ SKYLAKE, 0xb7, 0x01, OFFCORE_RSP_0, OFFCORE_SERVER },
	{ SKYLAKE, 0xbb, 0x01, OFFCORE_RSP_1, OFFCORE_SERVER },
	{ SKYLAKE, 0xc6, 0x01, FRONTEND, 0x7fff17 },
	{ ICE_LAKE, 0xb7, 0x01, OFFCORE_RSP_0, OFFCORE_ICE_LAKE },
	{ ICE_LAKE, 0xbb, 0x01, OFFCORE_RSP_1, OFFCORE_ICE_LAKE },
	{ ICE_LAKE, 0xc6, 0x01, FRONTEND, 0x7fff17 },
	{ GOLDEN_COVE, 0x2a, 0x01, OFFCORE_RSP_0, OFFCORE_GOLDEN_COVE },
	{ GOLDEN_COVE, 0x2b, 0x01, OFFCORE_RSP_1, OFFCORE_GOLDEN_COVE },
	{ GOLDEN_COVE, 0xc6, 0x01, FRONTEND, 0x7fff1f },
	{ GOLDEN_COVE, 0xad, 0x40, FRONTEND, 0x7 },
	{ GOLDEN_COVE, 0xc2, 0x04, FRONTEND, 0x8 },
	{ REDWOOD_COVE, 0x2a, 0x01, OFFCORE_RSP_0, OFFCORE_GOLDEN_COVE },
	{ REDWOOD_COVE, 0x2b, 0x01, OFFCORE_RSP_1, OFFCORE_GOLDEN_COVE },
	{ REDWOOD_COVE, 0xc6, 0x02, FRONTEND, 0x9 },
	{ REDWOOD_COVE, 0xc6, 0x03, FRONTEND, 0x7fff1f },
	{ REDWOOD_COVE, 0xad, 0x40, FRONTEND, 0x7 },
	{ REDWOOD_COVE, 0xc2, 0x04, FRONTEND, 0x8 },
	{ LION_COVE, 0x2a, 0x01, OFFCORE_RSP_0, OFFCORE_LION_COVE },
	{ LION_COVE, 0x2b, 0x01, OFFCORE_RSP_1, OFFCORE_LION_COVE },
	{ LION_COVE, 0xc6, 0x02, FRONTEND, 0x9 },
	{ LION_COVE, 0xc6, 0x03, FRONTEND, 0x7fff1f },
	{ LION_COVE, 0xad, 0x40, FRONTEND, 0xf },
	{ LION_COVE, 0xc2, 0x04, FRONTEND, 0x8 },
};

static const struct core_extra_row *core_extra_find(const struct pmc_query *query, u64 select)
{
	enum core_generation generation = core_generation(query);
	u32 event = select & SELECT_EVENT, umask = (select & SELECT_UNIT_MASK) >> 8;
	const struct core_extra_row *row = core_extra_rows;

	for (; row < core_extra_rows + ARRAY_SIZE(core_extra_rows); row++) {
		if (row->generation == generation && row->event == event && row->umask == umask)
			return row;
	}
	return NULL;
}

/* Sandy Bridge and Ivy Bridge of clients have fewer bits than servers (models 45 and 62). */
static u64 core_extra_mask(const struct pmc_query *query, const struct core_extra_row *row)
{
	if (query->cpu_model == 0x2a || query->cpu_model == 0x3a)
		return row->mask & OFFCORE_CLIENT;
	return row->mask;
}

/*
 * Do the threads of a core have one register? If so, the register can hold the value of only one
 * thread, so the event is refused while a sibling is online.
 */
static bool core_extra_is_shared(enum core_generation generation)
{
	return generation == NEHALEM || generation == WESTMERE;
}

static u64 core_extra_registers(const struct pmc_query *query)
{
	return container_of(query, const struct pmc_description, query)->extra;
}

/**
 * core_extra_check - may a counter have this value of an extra register?
 * @query:	the CPU
 * @config:	counter and event
 * @refused:	receives the bits of the value that are not allowed
 *
 * Return: 0; -EDOM if the event needs a value and there is none, if the CPU lacks the register, or
 * if a sibling thread that is online shares it; -EINVAL if the event may not set a bit of the
 * value, or has no such register.
 */
int core_extra_check(const struct pmc_query *query, const struct pmc_counter_config *config,
		     u64 *refused)
{
	const struct core_extra_row *row = NULL;

	if (config->counter < PMC_GENERAL_MAX)
		row = core_extra_find(query, config->event_select);
	*refused = config->event_extra & ~(row ? core_extra_mask(query, row) : 0);
	if (*refused)
		return -EINVAL;
	if (!row)
		return 0;
	if (!config->event_extra || !(core_extra_registers(query) & BIT(row->number)))
		return -EDOM;
	return core_extra_is_shared(row->generation) && pmc_cpu_has_siblings(query->cpu) ?
	       -EDOM : 0;
}

/**
 * core_extra_describe - determine which of these registers this CPU has
 * @description: receives their mask
 *
 * A hypervisor may lack any of them. Where RDPMC faults, none is used.
 */
void core_extra_describe(struct pmc_description *description)
{
	enum core_generation generation = core_generation(&description->query);
	u64 value;
	u32 i;

	if (description->query.quirks & PMC_QUIRK(NO_RDPMC))
		return;
	for (i = 0; i < ARRAY_SIZE(core_extra_rows); i++) {
		const struct core_extra_row *row = &core_extra_rows[i];

		if (row->generation == generation &&
		    !pmc_rdmsr_safe(core_extra_msrs[row->number], &value))
			description->extra |= BIT(row->number);
	}
}

static const struct pmc_family *core_extra_operations(const struct pmc_query *query)
{
	return container_of(query, const struct pmc_description, query)->family == &core_guest ?
	       &core_extra_guest : &core_extra;
}

/**
 * core_extra_compile - add the extra register of an event to a program
 * @query:	the CPU
 * @config:	passed core_extra_check()
 * @program:	receives the register and its value
 *
 * Return: 0; -ENOSPC if a counter before needs another value of it.
 */
int core_extra_compile(const struct pmc_query *query,
		       const struct pmc_counter_config *config,
		       struct pmc_program *program)
{
	const struct core_extra_row *row;

	if (!config->event_extra)
		return 0;
	row = core_extra_find(query, config->event_select);
	if (program->shared & BIT(row->number) &&
	    program->extra[row->number] != config->event_extra)
		return -ENOSPC;
	program->shared |= BIT(row->number);
	program->extra[row->number] = config->event_extra;
	program->family = core_extra_operations(query);
	if (core_extra_is_shared(row->generation))
		program->leaks = true;
	return 0;
}

/**
 * core_extra_load - &pmc_family.load
 * @pmu:	this CPU's counters
 * @program:	its counters are stopped
 *
 * No other program that counts at the same time needs the registers: they are claimed.
 */
void core_extra_load(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u64 left = program->shared;
	u32 i;

	for (; left; left &= left - 1) {
		i = __ffs64(left);
		/* a register that is lost later is found by core_extra_verify() */
		if (!(pmu->touched_extra & BIT(i)))
			pmc_rdmsr_safe(core_extra_msrs[i], &pmu->saved.extra[i]);
		pmu->touched_extra |= BIT(i);
		pmc_wrmsr_safe(core_extra_msrs[i], program->extra[i]);
	}
	pmu->description.family->load(pmu, program);
}

/* A hypervisor may fault on a value that the hardware has, or discard it. */
static bool core_extra_keeps(u32 msr, u64 value)
{
	u64 before, after;
	bool kept;

	if (pmc_rdmsr_safe(msr, &before) || pmc_wrmsr_safe(msr, value))
		return false;
	kept = !pmc_rdmsr_safe(msr, &after) && after == value;
	pmc_wrmsr_safe(msr, before);
	return kept;
}

/**
 * core_extra_try - &pmc_family.try
 * @pmu:	this CPU's counters
 * @program:	has extra registers
 *
 * The function tests the extra registers, except those already loaded: a context may be counting
 * with them.
 */
bool core_extra_try(const struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u64 left = program->shared & ~pmu->touched_extra;

	for (; left; left &= left - 1) {
		u32 i = __ffs64(left);

		if (!core_extra_keeps(core_extra_msrs[i], program->extra[i]))
			return false;
	}
	return true;
}

/**
 * core_extra_verify - &pmc_family.verify
 * @pmu:	this CPU's counters
 * @program:	counts here
 */
bool core_extra_verify(const struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u64 left = program->shared, value;

	for (; left; left &= left - 1) {
		u32 i = __ffs64(left);

		if (pmc_rdmsr_safe(core_extra_msrs[i], &value) || value != program->extra[i])
			return false;
	}
	return core_verify(pmu, program);
}

/**
 * core_extra_restore - undo the writes to extra registers
 * @pmu:	this CPU's counters; stopped
 *
 * Restore the extra registers that the driver has written to the values that were found.
 */
void core_extra_restore(const struct pmc_pmu *pmu)
{
	u32 i;

	for (i = 0; i < PMC_EXTRA_MAX; i++) {
		if (pmu->touched_extra & BIT(i))
			pmc_wrmsr_safe(core_extra_msrs[i], pmu->saved.extra[i]);
	}
}

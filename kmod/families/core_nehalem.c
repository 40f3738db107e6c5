// SPDX-License-Identifier: GPL-2.0-only
/*
 * Family core: the enable sequence of Nehalem and Westmere
 *
 * Erratum AAK100 (AAP53, BD53): a counter with a new event can count it wrong. Intel's
 * workaround is a sequence that counts other events on all four counters for a moment, with
 * nothing else counting. Linux's intel_pmu_nhm_workaround() has the events and the order.
 *
 * The sequence writes the four counters, also those that other runs use. Only 32 bits of a
 * counter can be written, so the old values cannot be written back: all runs of the CPU are
 * settled before, and continue from 0. Software that uses a counter without a reservation has no
 * run to settle: if a counter was found running, the general counters are not used.
 *
 * Owns no data. No lock: runs on the CPU concerned with interrupts off.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "compat/compat.h"
#include "families/core.h"
#include "pmu/pmu.h"

/* Events of the sequence, with the enable, user and kernel bits: one for each counter */
static const u32 core_nehalem_selects[] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };

#define NEHALEM_COUNTERS	GENMASK_ULL(ARRAY_SIZE(core_nehalem_selects) - 1, 0)

/**
 * core_nehalem_save - &pmc_family.save
 * @pmu:	this CPU's counters
 *
 * The first program that is loaded runs the sequence, whatever event selects are found.
 */
void core_nehalem_save(struct pmc_pmu *pmu)
{
	u32 i;

	core_save(pmu);
	if (pmu->found_running)
		pmu->found_running |= pmu->description.query.general_counters;
	for (i = 0; i < ARRAY_SIZE(core_nehalem_selects); i++)
		pmu->select[i] = 0;
}

static bool core_nehalem_changes(const struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	for (i = 0; i < program->nr; i++) {
		const struct pmc_counter_setup *setup = &program->setup[i];

		if (setup->select && pmu->select[setup->index] != (setup->select | SELECT_ENABLE))
			return true;
	}
	return false;
}

/* Nothing counts. A counter that no program uses stays without an event. */
static void core_nehalem_sequence(const struct pmc_pmu *pmu, u64 counters)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(core_nehalem_selects); i++) {
		if (!(counters & BIT_ULL(i)))
			continue;
		pmc_wrmsr(MSR_EVENT_SELECT0 + i, core_nehalem_selects[i]);
		pmc_wrmsr(MSR_PMC0 + i, 0);
	}
	pmc_wrmsr(MSR_GLOBAL_CTRL, counters);
	pmc_wrmsr(MSR_GLOBAL_CTRL, 0);
	for (i = 0; i < ARRAY_SIZE(core_nehalem_selects); i++) {
		if (!(counters & BIT_ULL(i)))
			continue;
		pmc_wrmsr(MSR_PMC0 + i, 0);
		pmc_wrmsr(MSR_EVENT_SELECT0 + i, pmu->select[i]);
	}
}

/**
 * core_nehalem_load - &pmc_family.load
 * @pmu:	this CPU's counters
 * @program:	its counters are stopped
 */
void core_nehalem_load(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u64 counters = pmu->description.query.general_counters & NEHALEM_COUNTERS;
	u64 running = pmu->global_ctrl;

	if (!core_nehalem_changes(pmu, program)) {
		core_load(pmu, program);
		return;
	}
	/* before the register: an NMI in between restores what the copy has */
	WRITE_ONCE(pmu->global_ctrl, 0);
	pmc_wrmsr(MSR_GLOBAL_CTRL, 0);
	pmu->settle_runs(pmu);
	core_load(pmu, program);
	core_nehalem_sequence(pmu, counters);
	pmu->touched_general |= counters;
	pmu->resync_runs(pmu);
	WRITE_ONCE(pmu->global_ctrl, running);
	pmc_wrmsr(MSR_GLOBAL_CTRL, running);
}

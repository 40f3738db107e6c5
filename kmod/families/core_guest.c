// SPDX-License-Identifier: GPL-2.0-only
/*
 * Family core: registers that other software changes while the driver holds the counters
 *
 * A hypervisor that moves a virtual machine can lose its registers, or move it to a computer
 * without them, where accesses fault; KVM with a mediated PMU clears the host's registers when a
 * guest has run. In a virtual machine, and on a kernel with CONFIG_PERF_GUEST_MEDIATED_PMU, each
 * stop and each READ reads the event selects back. Elsewhere, and on Nehalem and Westmere with
 * RDPMC, only the fold timer does.
 *
 * The control registers have bits of several programs. After each start, stop or load, the bits of
 * other programs are as they were found, so that the checks of those programs find a loss (a load
 * needs a second write for that). Exception: beside Intel PT, each NMI writes the global control as
 * the driver last wrote it (intel_pt.c).
 *
 * Owns no data. No lock: runs on the CPU concerned with interrupts off. The check at stops and
 * READs needs version 2: version 1 has no global control.
 */
#include "compat/compat.h"
#include "families/core.h"
#include "pmu/pmu.h"

/**
 * core_verify - &pmc_family.verify
 * @pmu:	this CPU's counters
 * @program:	counts here
 */
bool core_verify(const struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u64 value;
	u32 i;

	if (pmu->description.query.perfmon_version >= 2) {
		if (pmc_rdmsr_safe(MSR_GLOBAL_CTRL, &value) ||
		    program->enable & pmu->global_ctrl & ~value)
			return false;
		if (pmc_rdmsr_safe(MSR_FIXED_CTRL, &value) ||
		    (value ^ pmu->fixed_ctrl) & program->fixed_ctrl_mask)
			return false;
	}
	for (i = 0; i < program->nr; i++) {
		const struct pmc_counter_setup *setup = &program->setup[i];

		if (!setup->select)
			continue;
		if (pmc_rdmsr_safe(setup->extra, &value) || value != pmu->select[setup->index])
			return false;
	}
	return true;
}

/**
 * core_guest_load - &pmc_family.load
 * @pmu:	this CPU's counters
 * @program:	its counters are stopped
 */
void core_guest_load(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u64 mask = program->fixed_ctrl_mask, written = pmu->fixed_ctrl, found = written;

	if ((written & mask) != program->fixed_ctrl)
		pmc_rdmsr_safe(MSR_FIXED_CTRL, &found);
	core_load(pmu, program);
	if (unlikely((found ^ written) & ~mask))
		pmc_wrmsr_safe(MSR_FIXED_CTRL, (found & ~mask) | program->fixed_ctrl);
}

/* Read the global control. Returns 0 if the read faults: then the write faults, too. */
static u64 core_guest_control(void)
{
	u64 value;

	return pmc_rdmsr_safe(MSR_GLOBAL_CTRL, &value) ? 0 : value;
}

/**
 * core_guest_enable - &pmc_family.enable
 * @pmu:	this CPU's counters
 * @program:	its counters are stopped
 *
 * If core_guest_disable() found the registers of a program changed, it is not started again.
 */
void core_guest_enable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	/* pairs with the WRITE_ONCE() in pmc_programs_end() */
	if (READ_ONCE(program->number) == PMC_PROGRAM_ENDED)
		return;
	pmu->global_ctrl |= program->enable;
	/* a lost counter is found by the next check */
	pmc_wrmsr_safe(MSR_GLOBAL_CTRL,
		       (core_guest_control() & pmu->global_ctrl) | program->enable);
}

/**
 * core_guest_disable - &pmc_family.disable; verifies the registers first
 * @pmu:	this CPU's counters
 * @program:	counts here
 */
void core_guest_disable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	bool lost = !program->family->verify(pmu, program);

	pmu->global_ctrl &= ~program->enable;
	pmc_wrmsr_safe(MSR_GLOBAL_CTRL, core_guest_control() & pmu->global_ctrl);
	if (unlikely(lost))
		pmu->lose(pmu, program);
}

/**
 * core_guest_save - &pmc_family.save
 * @pmu:	this CPU's counters
 *
 * Without @pmu->control_msr, counters are started and stopped by the operations above.
 */
void core_guest_save(struct pmc_pmu *pmu)
{
	core_save(pmu);
	pmu->control_msr = 0;
}

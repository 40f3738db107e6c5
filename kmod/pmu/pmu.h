/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counters of one CPU, and what counts on them
 */
#ifndef PMC_PMU_H
#define PMC_PMU_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/percpu.h>

#include "compat/compat.h"
#include "pmu/family.h"
#include "sampling/pmi_types.h"

struct pmc_run;

/* The registers of one CPU */
struct pmc_registers {
	u64 select[PMC_GENERAL_MAX];
	u64 general[PMC_GENERAL_MAX];
	u64 fixed[PMC_FIXED_MAX];
	u64 config_b[PMC_GENERAL_MAX + PMC_FIXED_MAX];
	u64 config_c[PMC_GENERAL_MAX + PMC_FIXED_MAX];
	u64 fixed_ctrl;
	u64 global_ctrl;
	u64 global_status;
	u64 freeze;
	u64 metrics;
};

/**
 * struct pmc_pmu - the counters of one CPU
 * @description: what this CPU has; written at load and when the CPU comes
 *		online, constant under cpus_read_lock()
 * @acquired:	the registers are ours and saved; intel_pt.c asks in an NMI
 * @writes_ignored:	a counter that was written did not have that value afterwards: a
 *		hypervisor that ignores writes
 * @found_running: counters that ran when we came, bit n general, bit 32 + n
 *		fixed: somebody's without a reservation
 * @cpu_runs:	runs of CPU contexts that count here now
 * @thread_runs: runs of thread contexts that count here now
 * @pmi:	the overflow interrupt; pmi.c's
 * @fold_timer:	reads all counters before any can wrap twice
 * @status_msr:	register that tells which counters have overflowed, 0 if none
 * @acknowledge_msr: register where a bit that is set acknowledges that
 * @frozen:	bits there that are to be acknowledged with any overflow
 * @loaded:	number of the program that was loaded last, 0 if none was
 * @last:	run that was started last. If that run says so too, its counters
 *		are as it has left them; else it may not exist any more
 * @control_msr: address of the global control, with which counters start and stop
 *		together; 0 where there is none. Set by the family's save
 * @select:	event selects as they are in the hardware
 * @fixed_ctrl:	control of the fixed counters, likewise
 * @global_ctrl: global control, likewise
 * @paused_ctrl: what @global_ctrl was when an NMI paused counters
 * @touched_general: general counters whose registers we wrote
 * @touched_fixed: fixed counters, likewise
 * @saved:	the registers as they were found
 *
 * All but @description is touched only on its own CPU with interrupts off, or
 * from anywhere under cpus_read_lock() by the one that holds the claims' lock
 * while nothing is acquired.
 */
struct pmc_pmu {
	struct pmc_description description;
	bool acquired;
	bool writes_ignored;
	u64 found_running;
	struct hlist_head cpu_runs;
	struct hlist_head thread_runs;
	struct pmc_pmi pmi;
	struct hrtimer fold_timer;

	u32 status_msr;
	u32 acknowledge_msr;
	u64 frozen;
	u64 loaded;
	const struct pmc_run *last;
	u32 control_msr;
	u64 select[PMC_GENERAL_MAX];
	u64 fixed_ctrl;
	u64 global_ctrl;
	u64 paused_ctrl;
	u64 touched_general;
	u64 touched_fixed;
	struct pmc_registers saved;
};

DECLARE_PER_CPU(struct pmc_pmu, pmc_pmus);

/* Start the counters of a program, all at once where possible. */
static __always_inline void pmc_pmu_enable(struct pmc_pmu *pmu,
					   const struct pmc_program *program)
{
	if (unlikely(!pmu->control_msr)) {
		program->family->enable(pmu, program);
		return;
	}
	pmu->global_ctrl |= program->enable;
	pmc_wrmsr_native(pmu->control_msr, pmu->global_ctrl);
}

/* Stop them. */
static __always_inline void pmc_pmu_disable(struct pmc_pmu *pmu,
					    const struct pmc_program *program)
{
	if (unlikely(!pmu->control_msr)) {
		program->family->disable(pmu, program);
		return;
	}
	pmu->global_ctrl &= ~program->enable;
	pmc_wrmsr_native(pmu->control_msr, pmu->global_ctrl);
}

/* RDPMC is the same on every processor that has it; what it takes is the family's. */
static __always_inline u64 pmc_rdpmc(u32 counter)
{
	unsigned long low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (counter));
	return low | (u64)high << 32;
}

/* Is this CPU ours, and of a pmu_type for which the context has a program? */
static inline bool pmc_pmu_fits(const struct pmc_pmu *pmu,
				const struct pmc_program *program)
{
	/* what is loaded has been found to fit */
	if (likely(pmu->loaded == program->number))
		return true;
	return pmu->acquired && program->pmu_types & BIT(pmu->description.pmu_type) &&
	       !((program->general | program->fixed << 32) & pmu->found_running);
}

void pmc_pmu_init(struct pmc_pmu *pmu);
extern bool pmc_pmus_disabled;
bool pmc_pmu_acquire(struct pmc_pmu *pmu);
void pmc_pmu_release(struct pmc_pmu *pmu);

void pmc_call_on_cpu(int cpu, void (*function)(void *), void *data);

#endif /* PMC_PMU_H */

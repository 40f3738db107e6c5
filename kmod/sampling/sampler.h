/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samplers: the sampled counters of one run
 */
#ifndef PMC_SAMPLER_H
#define PMC_SAMPLER_H

#include <linux/compiler.h>
#include <linux/gfp.h>
#include <linux/types.h>

#include "compat/compat.h"
#include "pmu/family.h"
#include "pmu/pmu.h"
#include "sampling/intel_pt.h"
#include "sampling/sampler_types.h"

struct pt_regs;

/* Passes over counters at a time: each makes progress or is the last. */
#define PMC_PASSES_MAX		16

s32 pmc_program_find_only(const struct pmc_program *program);

struct pmc_sampler *pmc_sampler_alloc(struct pmc_run *run, gfp_t gfp);
void pmc_sampler_start(struct pmc_pmu *pmu, struct pmc_sampler *sampler);
void pmc_sampler_stop(struct pmc_pmu *pmu, struct pmc_sampler *sampler);
void pmc_sampler_clear(struct pmc_sampler *sampler);
void pmc_sampler_exec(struct pmc_pmu *pmu, struct pmc_sampler *sampler);

u32 pmc_sampler_settle(struct pmc_pmu *pmu, struct pmc_sampler *sampler, struct pt_regs *regs,
		       u64 now);
void pmc_sampler_settle_late(struct pmc_pmu *pmu, struct pmc_sampler *sampler);
void pmc_sampler_acknowledge(struct pmc_pmu *pmu, const struct pmc_counter_setup *setup);
void pmc_sampler_reload_all(struct pmc_pmu *pmu, struct pmc_sampler *sampler);
void pmc_sampler_unthrottle_all(struct pmc_pmu *pmu, struct pmc_sampler *sampler);

void pmc_run_lock(struct pmc_pmu *pmu, struct pmc_run *run);
void pmc_run_unlock(struct pmc_pmu *pmu, struct pmc_run *run);
void pmc_run_recheck(struct pmc_pmu *pmu, struct pmc_run *run);

/* From now on the NMI handler skips the run. Interrupts are off. */
static inline void pmc_sampler_lock(struct pmc_sampler *sampler)
{
	WRITE_ONCE(sampler->locked, true);
	barrier(); /* the NMI comes on this CPU: compiler order is enough */
}

static inline void pmc_sampler_unlock(struct pmc_sampler *sampler)
{
	barrier(); /* as in pmc_sampler_lock() */
	WRITE_ONCE(sampler->locked, false);
}

/*
 * May a counter of @program have overflowed? The status register shows it, if there is one, and
 * is acknowledged. The count decides where there is none, and where perf may
 * have acknowledged the overflow (intel_pt.c).
 */
static __always_inline bool pmc_pmu_overflowed(struct pmc_pmu *pmu,
					       const struct pmc_program *program)
{
	u64 status;

	if (unlikely(!pmu->status_msr))
		return true;
	status = pmc_rdmsr_native(pmu->status_msr);
	if (!(status & program->interrupts))
		return unlikely(program->stop_to_read) && pmc_intel_pt_present();
	pmc_wrmsr_native(pmu->acknowledge_msr, status & (program->interrupts | pmu->frozen));
	return true;
}

#endif /* PMC_SAMPLER_H */

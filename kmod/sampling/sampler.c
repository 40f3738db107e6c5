// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samplers: a run whose counters have a period
 */
#include "pmu/fold.h"
#include "pmu/pmu.h"
#include "sampling/intel_pt.h"
#include "sampling/overflow.h"
#include "sampling/sampler.h"

/**
 * pmc_run_recheck - before a run's stopped counters are started, after it was locked
 * @pmu:	this CPU's counters
 * @run:	a run with a sampler; interrupts are off
 *
 * In an NMI that came meanwhile perf may have let them run, see intel_pt.c, and one may have
 * overflowed, which the NMI left alone. What comes from now on is the NMI's.
 */
void pmc_run_recheck(struct pmc_pmu *pmu, struct pmc_run *run)
{
	u32 passes;

	for (passes = 0; passes < PMC_PASSES_MAX; passes++) {
		if (!pmc_sampler_overflowed(run->sampler))
			return;
		pmc_sampler_lock(run->sampler);
		pmc_run_fold(pmu, run);
		pmc_sampler_settle_late(pmu, run->sampler);
		pmc_sampler_unlock(run->sampler);
	}
}

/**
 * pmc_run_lock - bring a run with a sampler up to date and let nothing change it
 * @pmu:	this CPU's counters
 * @run:	a run that is counting here
 */
void pmc_run_lock(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;

	if (program->stop_to_read)
		pmc_pmu_disable(pmu, program);
	pmc_sampler_lock(run->sampler);
	pmc_run_fold(pmu, run);
	pmc_sampler_settle_late(pmu, run->sampler);
}

/**
 * pmc_run_unlock - undo pmc_run_lock()
 * @pmu:	this CPU's counters
 * @run:	a run that is counting here
 *
 * The NMI may have it before it goes on: an overflow that it left alone would
 * never be told of.
 */
void pmc_run_unlock(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;

	pmc_sampler_unlock(run->sampler);
	if (!program->stop_to_read)
		return;
	if (pmc_intel_pt_present())
		pmc_run_recheck(pmu, run);
	pmc_pmu_enable(pmu, program);
}

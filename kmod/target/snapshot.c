// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adds the counts of a run to a snapshot, and clears them if requested
 *
 * Owns no data. While a sampled run is read, pmc_run_lock() excludes the NMI handler. The caller
 * may access the run: it is on the CPU where the run counts, with interrupts off, or the run does
 * not count.
 */
#include "pmu/perf_metrics.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "sampling/pmi.h"
#include "target/run.h"
#include "target/snapshot.h"

/* The registers can be lost at any time: a run that has lost them stops. */
static noinline void pmc_snapshot_verify(const struct pmc_run *run)
{
	struct pmc_pmu *pmu;

	/* a run that does not count is read in preemptible context, too */
	if (!run->program->family->verify_reads || !pmc_run_active(run))
		return;
	pmu = this_cpu_ptr(&pmc_pmus);
	pmu->verify_runs(pmu);
}

/**
 * pmc_snapshot_add_run - add the counts of a run, which may be counting
 * @snapshot:	to add to; its clear_values and clear_times are inputs
 * @run:	counts on this CPU with interrupts off, or does not count
 */
void pmc_snapshot_add_run(struct pmc_snapshot *snapshot, struct pmc_run *run)
{
	bool locked;
	u32 i;

	if (unlikely(!run->program->plain))
		pmc_snapshot_verify(run);
	locked = run->sampler && pmc_run_active(run);
	if (locked)
		pmc_run_lock(this_cpu_ptr(&pmc_pmus), run);
	else if (pmc_run_active(run))
		pmc_run_update(this_cpu_ptr(&pmc_pmus), run);
	if (run->sampler && snapshot->clear_values)
		pmc_sampler_clear(run->sampler);
	if (unlikely(run->program->metrics))
		pmc_perf_metrics_settle(run);
	for (i = 0; i < run->program->nr; i++) {
		snapshot->value[i] += run->count[i].value;
		if (snapshot->clear_values)
			run->count[i].value = 0;
	}
	if (unlikely(run->program->metrics) && snapshot->clear_values)
		pmc_perf_metrics_clear(pmc_run_active(run) ? this_cpu_ptr(&pmc_pmus) : NULL, run);
	snapshot->counted += run->counted;
	if (snapshot->clear_times)
		run->counted = 0;
	if (locked)
		pmc_run_unlock(this_cpu_ptr(&pmc_pmus), run);
}

/**
 * pmc_snapshot_add_values - add the counts of a run that does not count
 * @values:	array to add to, one entry for each counter of the run
 * @run:	does not count
 */
void pmc_snapshot_add_values(u64 *values, struct pmc_run *run)
{
	u32 i;

	if (unlikely(run->program->metrics))
		pmc_perf_metrics_settle(run);
	for (i = 0; i < run->program->nr; i++)
		values[i] += run->count[i].value;
}

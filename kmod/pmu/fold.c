// SPDX-License-Identifier: GPL-2.0-only
/*
 * Folding: what the counters have counted is added to the 64-bit counts of a run
 *
 * Owns struct pmc_count. The functions of the hot paths are inline, in fold.h.
 *
 * No lock: runs on the CPU where the run counts, with interrupts off, or in NMI context
 * if the run has a sampler that is not locked.
 */
#include "pmu/fold.h"
#include "pmu/perf_metrics.h"

/**
 * pmc_run_rewind - set counters that user space reads to 0 before they wrap
 * @pmu:	this CPU's counters
 * @run:	with a user_page, up to date; interrupts are off
 *
 * The user page is stale afterwards.
 */
void pmc_run_rewind(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;
	u32 i;

	for (i = 0; i < program->nr; i++) {
		if (!(run->count[i].raw & run->user_page->high) ||
		    pmc_perf_metrics_rewind(pmu, run, i))
			continue;
		program->family->write(pmu, &program->setup[i], 0);
		run->count[i].raw = 0;
	}
	run->user_page->stale = true;
}

/**
 * pmc_run_add_called - pmc_run_add_counts() for a family with a read_one operation
 * @run:	a run that is counting here; interrupts are off
 *
 * Return: the bits that are set in any of its counters.
 */
u64 pmc_run_add_called(struct pmc_run *run)
{
	u64 bits = 0;
	u32 i;

	for (i = 0; i < run->program->nr; i++) {
		u64 raw = pmc_run_read_raw(run, i);

		pmc_count_add(&run->count[i], raw);
		bits |= raw;
	}
	return bits;
}

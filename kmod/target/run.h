/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs: one context's counting on one CPU, or one thread's counting
 */
#ifndef PMC_RUN_H
#define PMC_RUN_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/types.h>
#include <asm/tsc.h>

#include "pmu/fold.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "pmu/user_page.h"
#include "sampling/intel_pt.h"
#include "sampling/sampler.h"

int pmc_run_init(struct pmc_run *run, const struct pmc_program *program, gfp_t gfp);
void pmc_run_exit(struct pmc_run *run);
void pmc_run_free(struct pmc_run *run);
struct pmc_run *pmc_run_alloc(const struct pmc_program *program, int node);

void pmc_run_load(struct pmc_pmu *pmu, struct pmc_run *run);
void pmc_run_stop_sampler(struct pmc_pmu *pmu, struct pmc_run *run);
void pmc_run_start(struct pmc_pmu *pmu, struct pmc_run *run, struct hlist_head *list);
void pmc_run_stop(struct pmc_pmu *pmu, struct pmc_run *run);
void pmc_run_settle(struct pmc_pmu *pmu, struct pmc_run *run);
void pmc_run_continue(struct pmc_pmu *pmu, struct pmc_run *run);
void pmc_run_update(struct pmc_pmu *pmu, struct pmc_run *run);

/*
 * pmc_run_start(). Counting continues from whatever value the hardware has: the difference is
 * counted. The counters start last.
 *
 * The run that was here last finds its counters as it left them. The address in pmu->last
 * alone does not identify it: a freed run's address may be used again. So both have to match.
 */
static __always_inline void __pmc_run_start(struct pmc_pmu *pmu, struct pmc_run *run,
					    struct hlist_head *list)
{
	if (unlikely(pmu->last != run || run->last != pmu))
		pmc_run_load(pmu, run);
	if (unlikely(run->sampler)) {
		pmc_sampler_start(pmu, run->sampler);
		run->since = rdtsc();
		if (run->program->stop_to_read && pmc_intel_pt_present())
			pmc_run_recheck(pmu, run);
	}
	hlist_add_head(&run->node, list);
	run->since = rdtsc();
	if (unlikely(run->user_page))
		pmc_run_show(run);
	pmc_pmu_enable(pmu, run->program);
}

/* pmc_run_stop(). The counters stop first. */
static __always_inline void __pmc_run_stop(struct pmc_pmu *pmu, struct pmc_run *run)
{
	pmc_pmu_disable(pmu, run->program);
	if (unlikely(run->sampler))
		pmc_run_stop_sampler(pmu, run);
	else
		pmc_run_fold(pmu, run);
	/* hlist_del_init() without its test: the run is in a list */
	__hlist_del(&run->node);
	INIT_HLIST_NODE(&run->node);
	if (unlikely(run->user_page))
		pmc_run_hide(run);
}

/* Does the run count now? Only on the CPU where it would count. */
static inline bool pmc_run_active(const struct pmc_run *run)
{
	return !hlist_unhashed(&run->node);
}

#endif /* PMC_RUN_H */

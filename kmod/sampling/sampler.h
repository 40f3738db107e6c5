/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samplers: a run whose counters have a period
 */
#ifndef PMC_SAMPLER_H
#define PMC_SAMPLER_H

#include "sampling/overflow.h"

struct pmc_pmu;
struct pmc_run;

void pmc_run_recheck(struct pmc_pmu *pmu, struct pmc_run *run);
void pmc_run_lock(struct pmc_pmu *pmu, struct pmc_run *run);
void pmc_run_unlock(struct pmc_pmu *pmu, struct pmc_run *run);

#endif /* PMC_SAMPLER_H */

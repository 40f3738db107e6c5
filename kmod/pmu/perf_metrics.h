/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Performance metrics: PMC_COUNTER_METRICS and PMC_COUNTER_SLOTS of a run
 */
#ifndef PMC_PERF_METRICS_H
#define PMC_PERF_METRICS_H

#include <linux/types.h>

#include "uapi/pmcdrv.h"

struct pmc_pmu;
struct pmc_program;
struct pmc_run;

int pmc_perf_metrics_check(struct pmc_config *config, const struct pmc_counter_config *counters);
bool pmc_perf_metrics_values_valid(const struct pmc_program *program, const u64 *values);

int pmc_perf_metrics_init(struct pmc_run *run, gfp_t gfp);
bool pmc_perf_metrics_has_intervals(const struct pmc_run *run);
void pmc_perf_metrics_settle(struct pmc_run *run);
void pmc_perf_metrics_load(struct pmc_pmu *pmu, struct pmc_run *run);
void pmc_perf_metrics_fold(struct pmc_pmu *pmu, struct pmc_run *run);
void pmc_perf_metrics_fold_last(struct pmc_pmu *pmu);
void pmc_perf_metrics_clear(struct pmc_pmu *pmu, struct pmc_run *run);
bool pmc_perf_metrics_rewind(struct pmc_pmu *pmu, struct pmc_run *run, u32 i);

#endif /* PMC_PERF_METRICS_H */

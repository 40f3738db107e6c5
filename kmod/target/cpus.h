/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CPU scopes: contexts that count one CPU or all CPUs
 */
#ifndef PMC_CPUS_H
#define PMC_CPUS_H

#include <linux/types.h>

struct pmc_config;
struct pmc_context;
struct pmc_run;
struct pmc_snapshot;

int pmc_cpus_check_one(struct pmc_config *config);
int pmc_cpus_check_all(struct pmc_config *config);
int pmc_cpus_prepare(struct pmc_context *context, pid_t tid);
void pmc_cpus_free(struct pmc_context *context);
int pmc_cpus_start(struct pmc_context *context);
void pmc_cpus_stop(struct pmc_context *context);
void pmc_cpus_snapshot(struct pmc_context *context, struct pmc_snapshot *snapshot);
u32 pmc_cpus_state(struct pmc_context *context);
void pmc_cpus_online(struct pmc_context *context);
void pmc_cpus_offline(struct pmc_context *context);
void pmc_cpus_set_uncounted(struct pmc_context *context, const struct pmc_run *run);
void pmc_cpus_set_clock_back(struct pmc_context *context, u64 ticks);

#endif /* PMC_CPUS_H */

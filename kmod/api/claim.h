/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Claims: which context holds which counter; calls on all contexts
 */
#ifndef PMC_CLAIM_H
#define PMC_CLAIM_H

#include <linux/list.h>
#include <linux/mutex.h>

#include "uapi/pmcdrv.h"

struct pmc_context;
struct pmc_pmu;
struct pmc_run;

extern struct mutex pmc_claims_lock;
extern struct list_head pmc_contexts;
extern struct list_head pmc_contexts_announced;

int pmc_claim(struct pmc_context *context, struct pmc_holder *holder);
void pmc_claims_announce(struct pmc_context *context);
void pmc_unclaim(struct pmc_context *context);
bool pmc_claims_sampled(void);
bool pmc_claims_include_cpu(int cpu);
bool pmc_claims_leak(int cpu);
bool pmc_claims_lack_counter(const struct pmc_pmu *pmu);
u32 pmc_claims_count(void);
u32 pmc_claims_throttle_percent(void);
void pmc_claims_set_throttle_percent(u32 percent);
void pmc_claims_cpu_online(void);
void pmc_claims_cpu_offline(void);
void pmc_claims_notify_uncounted(const struct pmc_run *run);
void pmc_claims_set_clock_back(u64 ticks);
int pmc_claim_holder(int cpu, u32 counter, struct pmc_holder *holder, u64 *id);

#endif /* PMC_CLAIM_H */

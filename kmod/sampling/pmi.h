/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMI: the overflow interrupt
 */
#ifndef PMC_PMI_H
#define PMC_PMI_H

#include <linux/types.h>

struct cpumask;
struct pmc_pmi;
struct pmc_pmu;

void pmc_pmi_init(struct pmc_pmi *pmi);
void pmc_pmi_limit(const struct cpumask *cpus);
void pmc_pmi_exit(void);
int pmc_pmi_get(void);
void pmc_pmi_put(void);
void pmc_pmi_arm(struct pmc_pmu *pmu);
void pmc_pmi_disarm(struct pmc_pmu *pmu);
u64 pmc_pmi_spurious(void);
u64 pmc_pmi_storms(void);
u32 pmc_pmi_state(int cpu);

#endif /* PMC_PMI_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Isolated CPUs: left alone until a followed thread runs there
 */
#ifndef PMC_ISOLATED_H
#define PMC_ISOLATED_H

#include <linux/types.h>

struct pmc_context;
struct pmc_pmu;

int pmc_isolated_leave_out(struct pmc_context *context);
bool pmc_isolated_join(struct pmc_pmu *pmu, struct pmc_context *context);

/* What contexts require of a CPU that joins; pmc_claims_lock is held. */
void pmc_isolated_add(const struct pmc_context *context);
void pmc_isolated_del(const struct pmc_context *context);

#endif /* PMC_ISOLATED_H */

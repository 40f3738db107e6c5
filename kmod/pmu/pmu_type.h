/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMU types: CPUs with the same counters
 */
#ifndef PMC_PMU_TYPE_H
#define PMC_PMU_TYPE_H

#include <linux/types.h>

struct pmc_family;
struct pmc_query;

/* Bits of a mask of PMU types */
#define PMC_PMU_TYPES_MAX	32

int pmc_pmu_type_of(const struct pmc_query *query);
bool pmc_pmu_types_have(const struct pmc_family *family, u32 counter);

#endif /* PMC_PMU_TYPE_H */

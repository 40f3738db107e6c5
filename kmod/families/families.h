/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The families that the driver knows
 */
#ifndef PMC_FAMILIES_H
#define PMC_FAMILIES_H

#include "pmu/family.h"

struct pmc_pmu;

#define PMC_FAMILY(name) extern const struct pmc_family pmc_family_##name
#include "families/list.h"
#undef PMC_FAMILY

bool pmc_registers_can_be_lost(void);
void pmc_families_describe(struct pmc_pmu *pmu);

#endif /* PMC_FAMILIES_H */

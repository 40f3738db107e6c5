/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User pages: a run's counters for reading in user mode
 */
#ifndef PMC_USER_PAGE_H
#define PMC_USER_PAGE_H

#include <linux/types.h>

struct pmc_pmu;
struct pmc_run;

extern bool pmc_user_pages_disabled;

void pmc_run_show(struct pmc_run *run);
void pmc_run_hide(struct pmc_run *run);
void pmc_pmu_hide_user_pages(struct pmc_pmu *pmu);

#endif /* PMC_USER_PAGE_H */

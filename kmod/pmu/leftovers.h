/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts that stopped runs left in the counters, hidden from RDPMC in user mode
 */
#ifndef PMC_LEFTOVERS_H
#define PMC_LEFTOVERS_H

#include <linux/types.h>

struct mm_struct;
struct pmc_pmu;
struct pmc_run;
struct task_struct;

int pmc_leftovers_watch(struct mm_struct *mm);
int pmc_leftovers_watch_permitted(void);
void pmc_leftovers_granted(void);
void pmc_leftovers_unwatch(bool every);
bool pmc_leftovers_watched(void);
void pmc_leftovers_expect(void);
void pmc_leftovers_unexpect(int calls);
int pmc_leftovers_forget(void);

/* On the CPU concerned, with interrupts off */
bool pmc_leftovers_defer(struct pmc_pmu *pmu);
void pmc_leftovers_undefer(struct pmc_pmu *pmu);
bool pmc_leftovers_readable(const struct task_struct *task);
void pmc_leftovers_clear(struct pmc_pmu *pmu, const struct pmc_run *own);
void pmc_leftovers_clear_watched(struct pmc_pmu *pmu);
void pmc_leftovers_clear_here(struct pmc_pmu *pmu, bool threads);

#endif /* PMC_LEFTOVERS_H */

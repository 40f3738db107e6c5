/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RDPMC permission of address spaces: changes the count in perf_rdpmc_allowed, makes CPUs load CR4
 * anew, and tests whether RDPMC then works
 */
#ifndef PMC_RDPMC_MM_H
#define PMC_RDPMC_MM_H

#include <linux/types.h>

struct cpumask;
struct mm_struct;

extern atomic_t pmc_rdpmc_perf_writes;
extern atomic_t pmc_rdpmc_perf_permits_all;

int pmc_rdpmc_mm_check(void);
bool pmc_rdpmc_exists(void);
void pmc_rdpmc_refresh(const struct cpumask *cpus);
void pmc_rdpmc_refresh_exec(void);

bool pmc_rdpmc_mm_is_full(struct mm_struct *mm);
bool pmc_rdpmc_mm_allowed(struct mm_struct *mm);
bool pmc_rdpmc_mm_allowed_by_perf(struct mm_struct *mm);
void pmc_rdpmc_mm_grant(struct mm_struct *mm);
void pmc_rdpmc_mm_uncount(struct mm_struct *mm, struct cpumask *cpus);
void pmc_rdpmc_mm_revoke(struct mm_struct *mm);

/* These take effect when a CPU next loads the address space. Any context. */
void pmc_rdpmc_mm_set_every(struct mm_struct *mm, bool every);
void pmc_rdpmc_mm_reset(struct mm_struct *mm, bool perf);

bool pmc_rdpmc_works(void);
bool pmc_rdpmc_shown_to_work(void);
bool pmc_rdpmc_works_beside_perf(void);
bool pmc_rdpmc_works_for_all(void);
void pmc_rdpmc_forget_dirty_counters(const struct cpumask *cpus);

#endif /* PMC_RDPMC_MM_H */

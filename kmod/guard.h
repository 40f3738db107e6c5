/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guard: perf is kept out where the kernel's reservations don't know the counters
 */
#ifndef PMC_GUARD_H
#define PMC_GUARD_H

#include <linux/types.h>

struct pmc_family;
struct task_struct;

void pmc_guard_init(void);
void pmc_guard_exit(void);
int pmc_guard_take(const struct pmc_family *family, u64 mask,
		   const struct task_struct *asker);
void pmc_guard_drop(void);
bool pmc_guard_lacks(void);

#endif /* PMC_GUARD_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Permission to follow a thread
 */
#ifndef PMC_ACCESS_H
#define PMC_ACCESS_H

#include <linux/types.h>

struct pmc_target;
struct task_struct;

void pmc_access_init(void);
void pmc_access_exit(void);
int pmc_may_count(void);
int pmc_may_follow(struct task_struct *task);
bool pmc_may_follow_exec(const struct pmc_target *target);

#endif /* PMC_ACCESS_H */

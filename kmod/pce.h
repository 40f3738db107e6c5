/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CR4.PCE: who may execute RDPMC in user mode
 */
#ifndef PMC_PCE_H
#define PMC_PCE_H

struct task_struct;

void pmc_pce_forget_dirty_counters(void);
void pmc_pce_fork(struct task_struct *child);

#endif /* PMC_PCE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CR4.PCE: who may execute RDPMC in user mode
 */
#ifndef PMC_PCE_H
#define PMC_PCE_H

struct attribute_group;
struct pmc_context;
struct task_struct;

extern const struct attribute_group *pmc_pce_groups[];

void pmc_pce_forget_dirty_counters(void);
int pmc_pce_watch_forks(void);
int pmc_pce_ask(struct pmc_context *context);
void pmc_pce_forget(struct pmc_context *context);
void pmc_pce_pause(struct pmc_context *context);
void pmc_pce_resume(struct pmc_context *context);

/* For the probes, with interrupts off. */
void pmc_pce_fork(struct task_struct *child);
void pmc_pce_exec(void);

void pmc_pce_init(void);
void pmc_pce_exit(void);

#endif /* PMC_PCE_H */

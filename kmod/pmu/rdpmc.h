/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CR4.PCE: who may execute RDPMC in user mode
 */
#ifndef PMC_RDPMC_H
#define PMC_RDPMC_H

struct attribute_group;
struct pmc_context;
struct task_struct;

extern const struct attribute_group *pmc_rdpmc_groups[];

void pmc_rdpmc_forget_dirty_counters(void);
int pmc_rdpmc_watch_forks(void);
int pmc_rdpmc_request(struct pmc_context *context);
void pmc_rdpmc_withdraw(struct pmc_context *context);
void pmc_rdpmc_pause(struct pmc_context *context);
void pmc_rdpmc_resume(struct pmc_context *context);

/* For the probes, with interrupts off. */
void pmc_rdpmc_fork(struct task_struct *child);
void pmc_rdpmc_exec(void);

void pmc_rdpmc_init(void);
void pmc_rdpmc_exit(void);

#endif /* PMC_RDPMC_H */

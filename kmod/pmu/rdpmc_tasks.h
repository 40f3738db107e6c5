/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RDPMC for every process, and what fork and exec do to permissions
 */
#ifndef PMC_RDPMC_TASKS_H
#define PMC_RDPMC_TASKS_H

struct task_struct;

int pmc_rdpmc_tasks_watch_forks(void);
int pmc_rdpmc_tasks_grant(void);
void pmc_rdpmc_tasks_revoke(void);
void pmc_rdpmc_tasks_unwatch(void);
void pmc_rdpmc_tasks_exclude_perf(bool exclude);
bool pmc_rdpmc_tasks_copied(void);
void pmc_rdpmc_tasks_exit(void);

/* Hooks of the probes. */
void pmc_rdpmc_fork(struct task_struct *child);
void pmc_rdpmc_exec(void);

#endif /* PMC_RDPMC_TASKS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contexts that follow a thread
 */
#ifndef PMC_THREAD_H
#define PMC_THREAD_H

struct pmc_context;
struct pmc_snapshot;

int pmc_threads_init(void);
void pmc_threads_exit(void);

int pmc_thread_find(struct pmc_context *context, pid_t tid);
void pmc_thread_forget(struct pmc_context *context);
int pmc_thread_follow(struct pmc_context *context);
void pmc_thread_unfollow(struct pmc_context *context);

int pmc_thread_start(struct pmc_context *context);
void pmc_thread_stop(struct pmc_context *context);
void pmc_thread_snapshot(struct pmc_context *context, struct pmc_snapshot *snapshot);
void pmc_threads_cpu_offline(void);

#endif /* PMC_THREAD_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registration of probes on the scheduler's tracepoints
 */
#ifndef PMC_TRACEPOINTS_H
#define PMC_TRACEPOINTS_H

#include <linux/bits.h>

enum pmc_tracepoint_id {
	PMC_TRACEPOINT_SWITCH,	/* sched_switch */
	PMC_TRACEPOINT_RDPMC,	/* sched_switch, before PMC_TRACEPOINT_SWITCH */
	PMC_TRACEPOINT_FORK,
	PMC_TRACEPOINT_EXEC,
	PMC_TRACEPOINT_EXIT,
	PMC_TRACEPOINTS,
};

/* Needed by a context that follows threads */
#define PMC_TRACEPOINTS_THREADS	(BIT(PMC_TRACEPOINT_SWITCH) | BIT(PMC_TRACEPOINT_FORK) | \
				 BIT(PMC_TRACEPOINT_EXEC) | BIT(PMC_TRACEPOINT_EXIT))

int pmc_tracepoints_init(void *const functions[PMC_TRACEPOINTS]);
void pmc_tracepoints_exit(void);
int pmc_tracepoints_get(unsigned long mask);
void pmc_tracepoints_put(unsigned long mask);

#endif /* PMC_TRACEPOINTS_H */

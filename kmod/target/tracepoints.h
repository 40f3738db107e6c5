/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The probes on the scheduler's tracepoints
 */
#ifndef PMC_TRACEPOINTS_H
#define PMC_TRACEPOINTS_H

#include <linux/bits.h>

enum pmc_tracepoint_id {
	PMC_TRACEPOINT_SWITCH,
	PMC_TRACEPOINT_FORK,
	PMC_TRACEPOINT_EXEC,
	PMC_TRACEPOINT_EXIT,
	PMC_TRACEPOINTS,
};

/* What a context that follows threads needs */
#define PMC_TRACEPOINTS_THREADS	(BIT(PMC_TRACEPOINT_SWITCH) | BIT(PMC_TRACEPOINT_FORK) | \
				 BIT(PMC_TRACEPOINT_EXEC) | BIT(PMC_TRACEPOINT_EXIT))

int pmc_tracepoints_init(void);
void pmc_tracepoints_exit(void);
int pmc_tracepoints_get(unsigned long wanted);
void pmc_tracepoints_put(unsigned long wanted);

#endif /* PMC_TRACEPOINTS_H */

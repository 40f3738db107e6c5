/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The probes on the scheduler's tracepoints
 */
#ifndef PMC_PROBES_H
#define PMC_PROBES_H

#include <linux/bits.h>

enum pmc_probe_id {
	PMC_PROBE_SWITCH,
	PMC_PROBE_FORK,
	PMC_PROBE_EXEC,
	PMC_PROBE_EXIT,
	PMC_PROBES,
};

/* What a context that follows threads needs */
#define PMC_PROBES_THREADS	(BIT(PMC_PROBE_SWITCH) | BIT(PMC_PROBE_FORK) | \
				 BIT(PMC_PROBE_EXEC) | BIT(PMC_PROBE_EXIT))

int pmc_probes_init(void);
void pmc_probes_exit(void);
int pmc_probes_get(unsigned long wanted);
void pmc_probes_put(unsigned long wanted);

#endif /* PMC_PROBES_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The probe functions on the scheduler's tracepoints
 */
#ifndef PMC_PROBES_H
#define PMC_PROBES_H

int pmc_probes_init(void);

#endif /* PMC_PROBES_H */

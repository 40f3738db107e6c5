/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Intel PT: restoring the global control, which perf overwrites in an NMI
 */
#ifndef PMC_INTEL_PT_H
#define PMC_INTEL_PT_H

#include <linux/types.h>
#include <asm/cpufeature.h>

/**
 * pmc_intel_pt_present - may perf's handler act in each NMI, after the driver's?
 *
 * With Intel PT, perf's handler acknowledges overflows, also the driver's, and unmasks LVTPC.
 * A counter of kernel mode may overflow before that.
 *
 * Return: true if the processor has Intel PT.
 */
static inline bool pmc_intel_pt_present(void)
{
	return boot_cpu_has(X86_FEATURE_INTEL_PT);
}

int pmc_intel_pt_init(void);
void pmc_intel_pt_exit(void);

#endif /* PMC_INTEL_PT_H */

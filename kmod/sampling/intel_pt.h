/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The global control is ours in NMIs, too, where perf writes it
 */
#ifndef PMC_INTEL_PT_H
#define PMC_INTEL_PT_H

#include <linux/types.h>
#include <asm/cpufeature.h>

/**
 * pmc_intel_pt_present - may perf have a part in each NMI, behind our handler?
 *
 * With Intel PT: it acknowledges overflows, ours too, and unmasks the local APIC's entry.
 * In kernel mode a counter may overflow before it does.
 */
static inline bool pmc_intel_pt_present(void)
{
	return boot_cpu_has(X86_FEATURE_INTEL_PT);
}

int pmc_intel_pt_init(void);
void pmc_intel_pt_exit(void);

#endif /* PMC_INTEL_PT_H */

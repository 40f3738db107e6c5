/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The logical processors that are present, online or not
 */
#ifndef PMC_COMPAT_TOPOLOGY_H
#define PMC_COMPAT_TOPOLOGY_H

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <asm/smp.h>

/* Is a logical processor with this APIC ID present? */
static inline bool pmc_apic_id_present(u32 id)
{
#ifdef CONFIG_SMP
	int cpu;

	for_each_present_cpu(cpu) {
		if (per_cpu(x86_cpu_to_apicid, cpu) == id)
			return true;
	}
#endif
	return false;
}

#endif /* PMC_COMPAT_TOPOLOGY_H */

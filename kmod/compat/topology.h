/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The logical processors that are present, and those of one core
 */
#ifndef PMC_COMPAT_TOPOLOGY_H
#define PMC_COMPAT_TOPOLOGY_H

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/topology.h>
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

/* Are other logical processors of the CPU's core online? cpus_read_lock() is held. */
static inline bool pmc_cpu_has_siblings(int cpu)
{
	return cpumask_weight(topology_sibling_cpumask(cpu)) > 1;
}

#endif /* PMC_COMPAT_TOPOLOGY_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels: isolated CPUs
 */
#ifndef PMC_COMPAT_ISOLATION_H
#define PMC_COMPAT_ISOLATION_H

#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/tick.h>

#ifdef PMC_HAVE_HK_TYPE
#define PMC_HK_DOMAIN	HK_TYPE_DOMAIN
#else
#define PMC_HK_DOMAIN	HK_FLAG_DOMAIN
#endif

/*
 * Is a CPU isolated, by isolcpus= or nohz_full=? Newer kernels'
 * cpu_is_isolated() includes isolated cpusets.
 */
static inline bool pmc_cpu_is_isolated(int cpu)
{
	bool isolated;

	/* newer kernels replace the mask that this reads */
	rcu_read_lock();
#ifdef PMC_HAVE_CPU_IS_ISOLATED
	isolated = cpu_is_isolated(cpu);
#else
	isolated = !housekeeping_cpu(cpu, PMC_HK_DOMAIN) || tick_nohz_full_cpu(cpu);
#endif
	rcu_read_unlock();
	return isolated;
}

#endif /* PMC_COMPAT_ISOLATION_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPU hotplug
 *
 * A CPU that comes online is described, and the contexts that count on it continue there. A
 * CPU that goes offline gets its registers back as they were found. At load the online
 * callback runs on every online CPU, at unload the offline callback.
 *
 * Owns the registration of the callbacks. Locks: the callbacks take pmc_claims_lock.
 * Context: the CPU's hotplug thread, with the CPU lock held for writing, so no ioctl holds
 * cpus_read_lock().
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpuhotplug.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "api/claim.h"
#include "system/hotplug.h"
#include "base/notify.h"
#include "families/families.h"
#include "pmu/pmu.h"
#include "pmu/rdpmc_mm.h"
#include "sampling/pmi.h"
#include "target/cpu_counters.h"
#include "target/thread.h"

static int pmc_hotplug_state;

static void pmc_cpu_forget(struct pmc_pmu *pmu)
{
	memset(&pmu->description, 0, sizeof(pmu->description));
	pmu->description.query.status = PMC_STATUS_OFFLINE;
}

static int pmc_cpu_online(unsigned int cpu)
{
	struct pmc_pmu *pmu = &per_cpu(pmc_pmus, cpu);
	bool included, leaks, sampled;
	unsigned long flags;

	pmc_families_describe(pmu);
	mutex_lock(&pmc_claims_lock);
	/* no thread runs here yet: RDPMC of one that migrates here would fault */
	if (pmc_claims_lack_counter(pmu)) {
		mutex_unlock(&pmc_claims_lock);
		pmc_cpu_forget(pmu);
		pr_warn("CPU %u lacks a counter that a thread reads in user mode (PMC_CONFIG_USER_READ): not brought online; release that context first\n",
			cpu);
		return -EBUSY;
	}
	included = pmc_claims_include_cpu(cpu);
	leaks = pmc_claims_leak(cpu);
	sampled = pmc_claims_sampled();
	WRITE_ONCE(pmu->leaks, leaks);
	WRITE_ONCE(pmu->dirty, false);
	WRITE_ONCE(pmu->perf_never, false);
	/* what perf left in the counters when this CPU was last online */
	if (included)
		pmc_rdpmc_forget_dirty_counters(cpumask_of(cpu));
	local_irq_save(flags);
	if (included) {
		/* else its contexts report that they are not counted here */
		if (!leaks)
			pmc_cpu_counters_acquire(pmu);
		if (sampled)
			pmc_pmi_arm(pmu);
		pmc_claims_cpu_online();
	}
	local_irq_restore(flags);
	mutex_unlock(&pmc_claims_lock);
	pmc_notify_cpu(cpu, PMC_NETLINK_CPU_ONLINE, pmu->description.query.status);
	return 0;
}

static int pmc_cpu_offline(unsigned int cpu)
{
	struct pmc_pmu *pmu = &per_cpu(pmc_pmus, cpu);
	unsigned long flags;

	mutex_lock(&pmc_claims_lock);
	local_irq_save(flags);
	pmc_claims_cpu_offline();
	pmc_threads_cpu_offline();
	pmc_cpu_counters_release(pmu);
	pmu->pmi.nmi.mask = PMC_LVTPC_UNKNOWN;
	pmc_cpu_forget(pmu);
	local_irq_restore(flags);
	mutex_unlock(&pmc_claims_lock);
	pmc_notify_cpu(cpu, PMC_NETLINK_CPU_OFFLINE, PMC_STATUS_OFFLINE);
	return 0;
}

/**
 * pmc_hotplug_init - describe every online CPU, and each that comes online later
 *
 * Return: 0 or a negative errno.
 */
int pmc_hotplug_init(void)
{
	int cpu, state;

	for_each_possible_cpu(cpu)
		pmc_cpu_counters_init(&per_cpu(pmc_pmus, cpu));
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "pmcdrv:online",
				  pmc_cpu_online, pmc_cpu_offline);
	if (state < 0)
		return state;
	pmc_hotplug_state = state;
	return 0;
}

/**
 * pmc_hotplug_exit - undo pmc_hotplug_init()
 */
void pmc_hotplug_exit(void)
{
	int cpu;

	cpuhp_remove_state(pmc_hotplug_state);
	for_each_possible_cpu(cpu)
		pmc_cpu_counters_exit(&per_cpu(pmc_pmus, cpu));
}

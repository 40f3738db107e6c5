// SPDX-License-Identifier: GPL-2.0-only
/*
 * One CPU's counter registers: acquire and release
 *
 * Owns struct pmc_pmu, except the fields that its kernel-doc assigns to other files. Acquiring
 * saves every register that the driver will touch; releasing restores them.
 *
 * No lock: all of it runs on the CPU concerned with interrupts off. Nothing here
 * allocates, prints or sleeps.
 */
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "pmu/family.h"
#include "pmu/pmu.h"

DEFINE_PER_CPU(struct pmc_pmu, pmc_pmus);

/**
 * pmc_pmu_init - once for each possible CPU, before all other calls
 * @pmu:	its counters
 */
void pmc_pmu_init(struct pmc_pmu *pmu)
{
	INIT_HLIST_HEAD(&pmu->cpu_runs);
	INIT_HLIST_HEAD(&pmu->thread_runs);
	pmu->description.query.status = PMC_STATUS_OFFLINE;
}

/* Set: the system goes down, and no CPU acquires counters any more. */
bool pmc_pmus_disabled;

/**
 * pmc_pmu_acquire - save this CPU's registers and make its counters the driver's
 * @pmu:	this CPU's counters, not acquired; interrupts are off
 *
 * Return: true if the counters were acquired; false if there are none, or while the system
 * goes down.
 */
bool pmc_pmu_acquire(struct pmc_pmu *pmu)
{
	/* pairs with the WRITE_ONCE() in reboot.c */
	if (!pmu->description.family || READ_ONCE(pmc_pmus_disabled))
		return false;
	pmu->touched_general = 0;
	pmu->touched_fixed = 0;
	pmu->touched_extra = 0;
	pmu->last = NULL;
	pmu->description.family->save(pmu);
	WRITE_ONCE(pmu->acquired, true);
	return true;
}

/**
 * pmc_pmu_release - put this CPU's registers back as they were found
 * @pmu:	this CPU's counters, acquired; interrupts are off, nothing counts here
 */
void pmc_pmu_release(struct pmc_pmu *pmu)
{
	/* from now on intel_pt.c leaves the global control alone: others may write it */
	WRITE_ONCE(pmu->acquired, false);
	pmu->description.family->restore(pmu);
	pmu->loaded = 0;
}

/**
 * pmc_call_on_cpu - call @function on @cpu with interrupts off, and wait
 * @cpu:	stays online (cpus_read_lock()), or @function detects that it goes offline
 * @function:	called with @data
 * @data:	its argument
 *
 * Much cheaper than smp_call_function_single() if @cpu is this one.
 */
void pmc_call_on_cpu(int cpu, void (*function)(void *), void *data)
{
	unsigned long flags;
	int here = get_cpu();

	if (cpu == here) {
		local_irq_save(flags);
		function(data);
		local_irq_restore(flags);
	} else {
		smp_call_function_single(cpu, function, data, 1);
	}
	put_cpu();
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * CR4.PCE: who may execute RDPMC in user mode
 *
 * CR4 is never written here: the kernel sets PCE at every switch to an address
 * space whose perf_rdpmc_allowed is not 0. That count is perf's in its lower 16
 * bits; from PMC_PCE_UNIT on it is ours, so that what is ours can be told, also
 * in a copy that a fork has made. A changed count takes effect when each CPU
 * next switches address spaces; leave_mm() makes it do so.
 *
 * Task context, cpus_read_lock() held; but for the fork, which runs in the
 * parent with interrupts off.
 */
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/mm_types.h>
#include <linux/mmu_context.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "compat/compat.h"
#include "pce.h"

#define PMC_PCE_UNIT	BIT(16)
#define PMC_PCE_PERF	(PMC_PCE_UNIT - 1)

#ifdef CONFIG_PERF_EVENTS

static void pmc_leave_mm_here(void)
{
	unsigned long flags;

	local_irq_save(flags);
	pmc_leave_mm();
	local_irq_restore(flags);
}

static long pmc_visit_mm(void *mm)
{
	pmc_leave_mm_here();
	kthread_use_mm(mm);
	kthread_unuse_mm(mm);
	return 0;
}

static long pmc_refresh_mm(void *unused)
{
	pmc_leave_mm_here();
	return 0;
}

/**
 * pmc_pce_forget_dirty_counters - make perf forget what it left in counters
 *
 * perf zeroes the counters that it left dirty when a CPU next switches to an
 * address space that may use RDPMC. So every CPU is switched to such an address
 * space once: the caller's, with the permission raised for that moment.
 */
void pmc_pce_forget_dirty_counters(void)
{
	struct mm_struct *mm = current->mm;
	int cpu;

	atomic_add(PMC_PCE_UNIT, &mm->context.perf_rdpmc_allowed);
	for_each_online_cpu(cpu)
		work_on_cpu(cpu, pmc_visit_mm, mm);
	atomic_sub(PMC_PCE_UNIT, &mm->context.perf_rdpmc_allowed);
	for_each_online_cpu(cpu)
		work_on_cpu(cpu, pmc_refresh_mm, NULL);
}

/**
 * pmc_pce_fork - current has made @child, which has not run yet
 * @child:	a thread or a process; a process' count is a copy, in which ours
 *		has no owner
 */
void pmc_pce_fork(struct task_struct *child)
{
	struct mm_struct *mm = child->mm;

	if (mm && mm != current->mm)
		atomic_and(PMC_PCE_PERF, &mm->context.perf_rdpmc_allowed);
}

#else

void pmc_pce_forget_dirty_counters(void)
{
}

void pmc_pce_fork(struct task_struct *child)
{
}

#endif

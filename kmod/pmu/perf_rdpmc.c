// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detection of writes to perf's file rdpmc
 *
 * perf's file (/sys/bus/event_source/devices/cpu/rdpmc) overrides the driver's permissions.
 * A write to it makes each CPU set CR4.PCE anew by cr4_update_pce(). A kprobe there hides
 * the user pages before that, because RDPMC would fault where a page still offers it. A work
 * item then determines whether RDPMC works now, and opens the pages again.
 *
 * Before that, the write changes what switches of address spaces do: perf zeroes its dirty
 * counters where it did not while the file contained 0. A kprobe on the write itself
 * (set_attr_rdpmc()) marks these counters before that. So a thread that counts when
 * cr4_update_pce() comes has counted since before the write, or its address space does not let
 * perf zero the counters.
 *
 * Owns the kprobes and the work. pmc_user_pages_disabled (user_page.c) is set here and cleared by
 * pmc_rdpmc_recheck(); the code that shows pages reads it with interrupts off. No lock of its
 * own. Context: the kprobes run with interrupts or preemption off, that of cr4_update_pce() on each
 * CPU; the work in task context, where it takes pmc_rdpmc_lock.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/workqueue.h>

#include "pmu/perf_rdpmc.h"
#include "pmu/pmu.h"
#include "pmu/rdpmc.h"
#include "pmu/user_page.h"

static bool pmc_perf_rdpmc_every; /* 2 is written to the file: every task may soon */

static void pmc_perf_rdpmc_recheck(struct work_struct *unused)
{
	pmc_rdpmc_recheck();
	WRITE_ONCE(pmc_perf_rdpmc_every, false);
}

static DECLARE_WORK(pmc_perf_rdpmc_work, pmc_perf_rdpmc_recheck);

/* In the task that writes the file, before perf does anything. Other values change nothing here. */
static int pmc_perf_rdpmc_changes(struct kprobe *probe, struct pt_regs *regs)
{
	const char *text = (const char *)regs_get_kernel_argument(regs, 2);
	unsigned long value;
	int cpu;

	if (kstrtoul(text, 0, &value) || !value || value > 2)
		return 0;
	/* pairs with the READ_ONCE() in pmc_perf_rdpmc_permits_all(); perf interrupts all CPUs */
	WRITE_ONCE(pmc_perf_rdpmc_every, value == 2);
	for_each_possible_cpu(cpu) {
		struct pmc_pmu *pmu = &per_cpu(pmc_pmus, cpu);

		if (READ_ONCE(pmu->perf_never))
			WRITE_ONCE(pmu->dirty, true);
	}
	return 0;
}

static struct kprobe pmc_perf_rdpmc_write_kprobe = {
	.symbol_name = "set_attr_rdpmc",
	.pre_handler = pmc_perf_rdpmc_changes,
};

static bool pmc_perf_rdpmc_write_registered;

/* On each CPU, with interrupts off, before it applies perf's file. */
static int pmc_perf_rdpmc_written(struct kprobe *probe, struct pt_regs *regs)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);

	WRITE_ONCE(pmc_user_pages_disabled, true);
	pmc_pmu_hide_user_pages(pmu);
	/* perf zeroes them after this, or did so in a switch after its code was patched */
	if (READ_ONCE(pmu->dirty) || READ_ONCE(pmu->perf_never))
		pmu->spoil(pmu);
	schedule_work(&pmc_perf_rdpmc_work);
	return 0;
}

static struct kprobe pmc_perf_rdpmc_kprobe = {
	.symbol_name = "cr4_update_pce",
	.pre_handler = pmc_perf_rdpmc_written,
};

static bool pmc_perf_rdpmc_registered;

/**
 * pmc_perf_rdpmc_init - watch perf's file, where the kernel allows a kprobe there
 */
void pmc_perf_rdpmc_init(void)
{
	pmc_perf_rdpmc_registered = !register_kprobe(&pmc_perf_rdpmc_kprobe);
	pmc_perf_rdpmc_write_registered = !register_kprobe(&pmc_perf_rdpmc_write_kprobe);
}

/**
 * pmc_perf_rdpmc_permits_all - may every task execute RDPMC soon, because 2 is written to the file?
 */
bool pmc_perf_rdpmc_permits_all(void)
{
	return READ_ONCE(pmc_perf_rdpmc_every);
}

/**
 * pmc_perf_rdpmc_watched - is a write to perf's file noticed?
 */
bool pmc_perf_rdpmc_watched(void)
{
	return pmc_perf_rdpmc_registered;
}

/**
 * pmc_perf_rdpmc_exit - undo pmc_perf_rdpmc_init(), and wait for the work
 */
void pmc_perf_rdpmc_exit(void)
{
	if (pmc_perf_rdpmc_write_registered)
		unregister_kprobe(&pmc_perf_rdpmc_write_kprobe);
	if (pmc_perf_rdpmc_registered)
		unregister_kprobe(&pmc_perf_rdpmc_kprobe);
	cancel_work_sync(&pmc_perf_rdpmc_work);
}

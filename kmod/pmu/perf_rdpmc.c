// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detection of writes to perf's file rdpmc
 *
 * perf's file (/sys/bus/event_source/devices/cpu/rdpmc) overrides the driver's permissions.
 * A write to it makes each CPU set CR4.PCE anew by cr4_update_pce(). A kprobe there hides
 * the user pages before that, because RDPMC would fault where a page still offers it. A work
 * item then determines whether RDPMC works now, and opens the pages again.
 *
 * Owns the kprobe and the work. pmc_user_pages_disabled (user_page.c) is set here and cleared by
 * pmc_rdpmc_recheck(); the code that shows pages reads it with interrupts off. No lock of its
 * own. Context: the kprobe runs on each CPU with interrupts off; the work in task context, where
 * it takes pmc_rdpmc_lock.
 */
#include <linux/kprobes.h>
#include <linux/workqueue.h>

#include "pmu/perf_rdpmc.h"
#include "pmu/pmu.h"
#include "pmu/rdpmc.h"
#include "pmu/user_page.h"

static void pmc_perf_rdpmc_recheck(struct work_struct *unused)
{
	pmc_rdpmc_recheck();
}

static DECLARE_WORK(pmc_perf_rdpmc_work, pmc_perf_rdpmc_recheck);

/* On each CPU, with interrupts off, before it applies perf's file. */
static int pmc_perf_rdpmc_written(struct kprobe *probe, struct pt_regs *regs)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);

	WRITE_ONCE(pmc_user_pages_disabled, true);
	pmc_pmu_hide_user_pages(pmu);
	/* perf zeroes them after this, or did so in a switch after its code was patched */
	if (READ_ONCE(pmu->dirty))
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
	if (pmc_perf_rdpmc_registered)
		unregister_kprobe(&pmc_perf_rdpmc_kprobe);
	cancel_work_sync(&pmc_perf_rdpmc_work);
}

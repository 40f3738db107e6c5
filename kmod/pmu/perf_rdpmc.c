// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detection of writes to perf's file rdpmc
 *
 * perf's file (/sys/bus/event_source/devices/cpu/rdpmc) overrides the driver's permissions.
 * A write to it makes each CPU set CR4.PCE anew by cr4_update_pce(). A kprobe there hides
 * the user pages before that, because RDPMC would fault where a page still offers it. A work
 * item then determines whether RDPMC works now, and opens the pages again.
 *
 * While the file contains 0, perf does not zero its dirty counters. Once it contains 1 or 2, and
 * before cr4_update_pce() runs, a switch to an address space that may execute RDPMC zeroes them.
 * A kretprobe on the write (set_attr_rdpmc()) marks the CPUs before that, where perf zeroed
 * nothing when they were acquired. On a marked CPU a switch does not start the counters of a
 * thread that may execute RDPMC, and counts of CPUs are not read.
 *
 * Once the file contains 2, each switch to another address space permits RDPMC, also before
 * cr4_update_pce() runs. From the beginning of the write on, runs that stop without a switch leave
 * no counts. The kprobe sets the counters to 0; the work lets switches do so (leftovers.c).
 *
 * Owns the probes and the work. pmc_user_pages_disabled (user_page.c) is set here and cleared by
 * pmc_rdpmc_recheck(); the code that shows pages reads it with interrupts off. No lock of its
 * own. Context: the probes run with interrupts or preemption off, that of cr4_update_pce() on each
 * CPU; the work in task context, where it takes pmc_rdpmc_lock.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "pmu/leftovers.h"
#include "pmu/perf_rdpmc.h"
#include "pmu/pmu.h"
#include "pmu/rdpmc.h"
#include "pmu/rdpmc_mm.h"
#include "pmu/user_page.h"

static atomic_t pmc_perf_rdpmc_requests; /* of the work */
static atomic_t pmc_perf_rdpmc_permitted; /* writes of 2 that have ended, for the work */
static int pmc_perf_rdpmc_done; /* requests when the work that ended last began; the work */

/* Hide the user pages of this CPU, and let it use no count that perf may have zeroed. */
static void pmc_perf_rdpmc_apply(void *unused)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);

	WRITE_ONCE(pmc_user_pages_disabled, true);
	pmc_pmu_hide_user_pages(pmu);
	/* perf zeroes them after this, or did so in a switch after its code was patched */
	if (READ_ONCE(pmu->dirty) || READ_ONCE(pmu->perf_never))
		pmu->spoil(pmu);
	if (atomic_read(&pmc_rdpmc_perf_permits_all))
		pmc_leftovers_clear_here(pmu, true);
}

static void pmc_perf_rdpmc_recheck(struct work_struct *unused);
static DECLARE_WORK(pmc_perf_rdpmc_work, pmc_perf_rdpmc_recheck);

static void pmc_perf_rdpmc_request(void)
{
	atomic_inc(&pmc_perf_rdpmc_requests);
	schedule_work(&pmc_perf_rdpmc_work);
}

/* In the task that writes the file, before perf does anything. Other values change nothing here. */
static int pmc_perf_rdpmc_write(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const char *text = (const char *)regs_get_kernel_argument(regs, 2);
	unsigned long value;
	int cpu;

	if (kstrtoul(text, 0, &value) || !value || value > 2)
		return 1;
	*(unsigned long *)instance->data = value;
	if (value == 2) {
		atomic_inc(&pmc_rdpmc_perf_permits_all);
		pmc_leftovers_expect();
	}
	atomic_inc(&pmc_rdpmc_perf_writes);
	/* the number before perf_never; pairs with smp_mb() in pmc_mm_forgot_dirty_counters() */
	smp_mb__after_atomic();
	for_each_possible_cpu(cpu) {
		struct pmc_pmu *pmu = &per_cpu(pmc_pmus, cpu);

		if (READ_ONCE(pmu->perf_never))
			WRITE_ONCE(pmu->dirty, true);
	}
	return 0;
}

/* Every CPU has applied the file, or it was not changed: the work removes the marks. */
static int pmc_perf_rdpmc_wrote(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	if (*(unsigned long *)instance->data == 2) {
		atomic_inc(&pmc_perf_rdpmc_permitted);
		atomic_dec(&pmc_rdpmc_perf_permits_all);
	}
	atomic_dec(&pmc_rdpmc_perf_writes);
	pmc_perf_rdpmc_request();
	return 0;
}

static struct kretprobe pmc_perf_rdpmc_kretprobe = {
	.kp.symbol_name = "set_attr_rdpmc",
	.entry_handler = pmc_perf_rdpmc_write,
	.handler = pmc_perf_rdpmc_wrote,
	.data_size = sizeof(unsigned long), /* the value */
};

static bool pmc_perf_rdpmc_write_registered;

/* On each CPU, with interrupts off, before it applies perf's file. */
static int pmc_perf_rdpmc_written(struct kprobe *probe, struct pt_regs *regs)
{
	pmc_perf_rdpmc_apply(NULL);
	pmc_perf_rdpmc_request();
	return 0;
}

static struct kprobe pmc_perf_rdpmc_kprobe = {
	.symbol_name = "cr4_update_pce",
	.pre_handler = pmc_perf_rdpmc_written,
};

static unsigned long pmc_perf_rdpmc_missed; /* calls without the handler; the work */

static void pmc_perf_rdpmc_recheck(struct work_struct *unused)
{
	int requests = atomic_read(&pmc_perf_rdpmc_requests);
	int permitted = atomic_xchg(&pmc_perf_rdpmc_permitted, 0);
	unsigned long missed = READ_ONCE(pmc_perf_rdpmc_kprobe.nmissed);

	/* an interrupt inside of the handler of another kprobe */
	if (missed != pmc_perf_rdpmc_missed)
		on_each_cpu(pmc_perf_rdpmc_apply, NULL, 1);
	pmc_perf_rdpmc_missed = missed;
	/* without memory the next work tries again; until then runs that stop leave no counts */
	if (pmc_rdpmc_recheck())
		atomic_add(permitted, &pmc_perf_rdpmc_permitted);
	else
		pmc_leftovers_unexpect(permitted);
	WRITE_ONCE(pmc_perf_rdpmc_done, requests);
}

static bool pmc_perf_rdpmc_registered;

/**
 * pmc_perf_rdpmc_init - watch perf's file, where the kernel allows a kprobe there
 */
void pmc_perf_rdpmc_init(void)
{
	pmc_perf_rdpmc_registered = !register_kprobe(&pmc_perf_rdpmc_kprobe);
	pmc_perf_rdpmc_write_registered = !register_kretprobe(&pmc_perf_rdpmc_kretprobe);
}

/**
 * pmc_perf_rdpmc_settle - wait until a write of the file that has ended has its full effect
 *
 * Context: task context, without pmc_rdpmc_lock and cpus_read_lock().
 */
void pmc_perf_rdpmc_settle(void)
{
	if (atomic_read(&pmc_perf_rdpmc_requests) != READ_ONCE(pmc_perf_rdpmc_done))
		flush_work(&pmc_perf_rdpmc_work);
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
		unregister_kretprobe(&pmc_perf_rdpmc_kretprobe);
	if (pmc_perf_rdpmc_registered)
		unregister_kprobe(&pmc_perf_rdpmc_kprobe);
	cancel_work_sync(&pmc_perf_rdpmc_work);
}

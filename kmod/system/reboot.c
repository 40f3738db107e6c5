// SPDX-License-Identifier: GPL-2.0-only
/*
 * Restart, halt, power-off and kexec
 *
 * No firmware resets the registers before a kernel that kexec starts. If that kernel finds
 * an event select enabled, its perf treats the counters as broken and does not use them. So
 * every CPU releases its counters as if it went offline: the counts are kept, the registers
 * and LVTPC are restored as they were found, and the contexts report that they are
 * uncounted. pmc_pmus_disabled then keeps every CPU from acquiring its counters, so no run
 * starts. perf still cannot use the counters: a claim's reservations are released only with
 * the claim.
 *
 * Owns the reboot notifier. Context: it is called last, after perf's, which does the same. It
 * runs before every restart, halt and power-off, whatever state the system is in. Locks: none,
 * because a lock's holder may wait for a CPU that does not respond. The notifier waits for all
 * CPUs, as perf's has just done. Other tasks run meanwhile, and afterwards.
 *
 * Nothing undoes this, because no restart returns to this kernel. (A kexec that returns is a
 * suspend.) A kernel that panics calls no reboot notifier.
 */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/reboot.h>
#include <linux/smp.h>

#include "api/claim.h"
#include "pmu/pmu.h"
#include "target/cpu_counters.h"
#include "target/run.h"
#include "system/reboot.h"
#include "target/thread.h"

static void pmc_reboot_local(void *unused)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	struct hlist_node *safe;
	struct pmc_run *run;

	hlist_for_each_entry_safe(run, safe, &pmu->cpu_runs, node) {
		pmc_run_stop(pmu, run);
		pmc_claims_notify_uncounted(run);
	}
	pmc_threads_cpu_offline();
	pmc_cpu_counters_release(pmu);
	/* marks the running thread as uncounted; the other threads when they are switched to */
	pmc_threads_cpu_online();
}

static int pmc_reboot(struct notifier_block *notifier, unsigned long mode, void *command)
{
	WRITE_ONCE(pmc_pmus_disabled, true);
	/*
	 * Pairs with a CPU's online callback: either the CPU gets the call below, or its
	 * callback reads the flag. A CPU has interrupts off while it acquires its counters, so
	 * it gets the call afterwards.
	 */
	smp_mb();
	on_each_cpu(pmc_reboot_local, NULL, 1);
	return NOTIFY_DONE;
}

static struct notifier_block pmc_reboot_notifier = {
	.notifier_call = pmc_reboot,
	.priority = INT_MIN, /* perf's priority; perf registered first, so it is called first */
};

/**
 * pmc_reboot_init - release the counters when the system goes down
 *
 * Return: 0 or a negative errno.
 */
int pmc_reboot_init(void)
{
	return register_reboot_notifier(&pmc_reboot_notifier);
}

/**
 * pmc_reboot_exit - undo pmc_reboot_init()
 */
void pmc_reboot_exit(void)
{
	unregister_reboot_notifier(&pmc_reboot_notifier);
}

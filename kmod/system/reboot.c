// SPDX-License-Identifier: GPL-2.0-only
/*
 * The system goes down, or another kernel follows by kexec
 *
 * No firmware resets the registers before a kernel that kexec starts: it finds them as
 * this one leaves them, and where an event select is enabled its perf takes the counters
 * for broken and does without them. So every CPU gives its counters back as if it went
 * offline: counts that were taken stay, registers and the local APIC's entry are put back
 * as they were found, and who was counting is told that something is not counted. From
 * then on no CPU makes its counters ours (pmc_pmus_disabled), so nothing starts. perf stays
 * out as before: its reservations are given back by those who hold counters.
 *
 * The notifier is called last, behind perf's, which does the same. It runs before every
 * restart, halt and power-off too, whatever state the system is in, so it takes no lock:
 * who holds one may wait for a CPU that does not answer. It waits for the CPUs itself, as
 * perf's has just done. Others go on running meanwhile, and afterwards.
 *
 * Nobody takes this back: no restart ends in this kernel. (A kexec that is to come back
 * is a suspend.) A kernel that panics calls no notifier, neither perf's nor this one.
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
	/* who runs here now hears of it at once; the others when they are switched to */
	pmc_threads_cpu_online();
}

static int pmc_reboot(struct notifier_block *notifier, unsigned long mode, void *command)
{
	WRITE_ONCE(pmc_pmus_disabled, true);
	/*
	 * Pairs with the coming online of a CPU: it is among those that are called, or its
	 * callback sees the flag. One that is called while it acquires has interrupts off.
	 */
	smp_mb();
	on_each_cpu(pmc_reboot_local, NULL, 1);
	return NOTIFY_DONE;
}

static struct notifier_block pmc_reboot_notifier = {
	.notifier_call = pmc_reboot,
	.priority = INT_MIN, /* perf's has it too, and was there before */
};

/**
 * pmc_reboot_init - from now on the counters are given back when the system goes down
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

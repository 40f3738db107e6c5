// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspend and resume
 *
 * Before the system sleeps, all CPUs but one go offline; they come online after the resume
 * (hotplug.c). These callbacks do the same for the remaining CPU: its counts are kept, its
 * registers and LVTPC are restored as they were found, and at the resume they are saved
 * again as they are found then. So counting does not depend on the register contents that
 * the firmware leaves, except for counters that the firmware leaves running.
 *
 * Owns the callbacks. Context: both run on that CPU, alone, with interrupts off. The kernel calls
 * the suspend callbacks in reverse order of registration, and the resume callbacks in order. The
 * local APIC and the clocks are registered at boot, so they work in these callbacks.
 *
 * Locks: none. Runs that count here belong to this CPU and change with interrupts off. Data
 * under the module's mutexes must not be read here: a kernel thread that closes a file may
 * have been interrupted while it held one. For the list of contexts see
 * pmc_claims_set_clock_back().
 *
 * Suspend-to-idle does not call these callbacks; its CPUs only idle.
 */
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <asm/cpufeature.h>
#include <asm/tsc.h>

#include "api/claim.h"
#include "compat/syscore.h"
#include "base/notify.h"
#include "sampling/pmi.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "target/cpu_counters.h"
#include "target/run.h"
#include "system/suspend.h"
#include "target/thread.h"

/*
 * At the suspend: the runs to continue, the registers as found before the first claim, whether the
 * counters were acquired and LVTPC was set, and the time-stamp counter
 */
static struct {
	struct hlist_head cpu_runs;
	struct pmc_registers registers;
	bool acquired;
	bool armed;
	u64 tsc;
} pmc_suspended;

static void pmc_suspend_runs(struct pmc_pmu *pmu)
{
	struct hlist_node *safe;
	struct pmc_run *run;

	hlist_for_each_entry_safe(run, safe, &pmu->cpu_runs, node) {
		pmc_run_stop(pmu, run);
		hlist_add_head(&run->node, &pmc_suspended.cpu_runs);
	}
	/* runs of the task that suspends the system; the other tasks are frozen */
	pmc_threads_cpu_offline();
}

/* Processors without counters may lack the time-stamp counter as well. */
static u64 pmc_suspend_clock(void)
{
	return boot_cpu_has(X86_FEATURE_TSC) ? rdtsc() : 0;
}

static int pmc_suspend(PMC_SYSCORE_ARGUMENTS)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);

	pmc_suspend_runs(pmu);
	pmc_suspended.acquired = pmu->acquired;
	pmc_suspended.armed = pmu->pmi.armed || pmu->pmi.storm;
	pmc_cpu_counters_release(pmu);
	pmc_notify_cpu(smp_processor_id(), PMC_NETLINK_CPU_OFFLINE, PMC_STATUS_OFFLINE);
	/*
	 * The local APIC loses a pending self-IPI during suspend. While an irq_work waits for
	 * that IPI the kernel sends no other, so run the irq_work here.
	 */
	irq_work_run();
	pmc_suspended.tsc = pmc_suspend_clock();
	return 0;
}

/*
 * A counter that was idle before suspend and runs afterwards was started by firmware, or by
 * the kernel that loaded this one's image from disk. It has no owner any more, and the driver
 * holds the reservations. The driver stops it and restores its pre-suspend state.
 */
static void pmc_resume_registers(struct pmc_pmu *pmu)
{
	u64 before = pmu->found_running, left;

	pmc_suspended.registers = pmu->saved;
	pmc_cpu_counters_acquire(pmu);
	left = pmu->found_running & ~before;
	if (!left)
		return;
	pmu->saved = pmc_suspended.registers;
	pmu->found_running = before;
	/* all counters: restoring the global control may start others that firmware enabled */
	pmu->touched_general |= pmu->description.query.general_counters & ~(before & U32_MAX);
	pmu->touched_fixed |= pmu->description.query.fixed_counters & ~(before >> 32);
	pmc_cpu_counters_release(pmu);
	pmc_cpu_counters_acquire(pmu);
}

static void pmc_resume_runs(struct pmc_pmu *pmu)
{
	struct hlist_node *safe;
	struct pmc_run *run;

	hlist_for_each_entry_safe(run, safe, &pmc_suspended.cpu_runs, node) {
		hlist_del_init(&run->node);
		if (pmc_pmu_fits(pmu, run->program))
			pmc_run_start(pmu, run, &pmu->cpu_runs);
		else
			pmc_claims_notify_uncounted(run);
	}
	pmc_threads_cpu_online();
}

static void pmc_resume(PMC_SYSCORE_ARGUMENTS)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	u64 now = pmc_suspend_clock();

	/* before any run continues, here or on the CPUs that come online later */
	if (now < pmc_suspended.tsc)
		pmc_claims_set_clock_back(pmc_suspended.tsc - now);
	/* with APM, tasks run in between and may have released all claims */
	if (pmc_suspended.acquired && pmc_claims_count())
		pmc_resume_registers(pmu);
	if (pmc_suspended.armed)
		pmc_pmi_arm(pmu);
	pmc_resume_runs(pmu);
	pmc_notify_cpu(smp_processor_id(), PMC_NETLINK_CPU_ONLINE,
		       pmu->description.query.status);
}

static struct pmc_syscore pmc_syscore = {
	.ops = {
		.suspend = pmc_suspend,
		.resume = pmc_resume,
	},
};

/**
 * pmc_suspend_init - keep counts across a suspend from now on
 */
void pmc_suspend_init(void)
{
	pmc_syscore_register(&pmc_syscore);
}

/**
 * pmc_suspend_exit - undo pmc_suspend_init()
 */
void pmc_suspend_exit(void)
{
	pmc_syscore_unregister(&pmc_syscore);
}

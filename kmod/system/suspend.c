// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspend and resume
 *
 * All CPUs but one go offline before the system sleeps and come back afterwards:
 * hotplug.c sees them. This is for the one that never does, and it fares alike: what
 * it counted stays, its registers and its local APIC's entry are given back as they
 * were found, and later they are taken as they are found then. So nothing depends on
 * what the firmware keeps of them, but for what it leaves running.
 *
 * Both callbacks run on that CPU, alone and with interrupts off. The kernel suspends
 * what was registered last first, and resumes it last: when they run the local APIC
 * and the clocks, which are registered at boot, are at work.
 *
 * No lock: what counts here is this CPU's, and changed with interrupts off. What the
 * mutexes of the module guard must not be looked at, for a kernel thread that closes
 * somebody's file may have been interrupted in the middle of it; of the list of
 * contexts see pmc_claims_set_clock_back().
 *
 * A system that only idles (suspend-to-idle) does not come here: its processors are
 * as idle as they are at any time.
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

/* What is to go on here after the resume, and what the registers were before all */
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
	/* of the task that suspends the system; the others are frozen */
	pmc_threads_cpu_offline();
}

/* There are processors without counters, and these may have no such clock either. */
static u64 pmc_suspend_clock(void)
{
	return boot_cpu_has(X86_FEATURE_TSC) ? rdtsc() : 0;
}

static int pmc_suspend(PMC_SYSCORE_ARGUMENTS)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);

	pmc_suspend_runs(pmu);
	pmc_suspended.acquired = pmu->acquired;
	pmc_suspended.armed = pmu->pmi.armed;
	pmc_cpu_counters_release(pmu);
	pmc_notify_cpu(smp_processor_id(), PMC_NETLINK_CPU_OFFLINE, PMC_STATUS_OFFLINE);
	/*
	 * The local APIC forgets what this CPU has sent to itself, and as long as some work
	 * waits for that the kernel sends no other.
	 */
	irq_work_run();
	pmc_suspended.tsc = pmc_suspend_clock();
	return 0;
}

/*
 * What runs now and did not before was left so by the firmware, or by the kernel that
 * read this one's image from the disk: nobody is there any more whose it is, and the
 * reservations are ours. So it gets back what it had before.
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
	/* not these alone: the global control of before may start more of what was left */
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

	/* before anything goes on, here or on the CPUs that come later */
	if (now < pmc_suspended.tsc)
		pmc_claims_set_clock_back(pmc_suspended.tsc - now);
	/* APM lets others run in between: it may all have been given back */
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
 * pmc_suspend_init - from now on the system may be suspended while somebody counts
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

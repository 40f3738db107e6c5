// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMI: the overflow interrupt
 *
 * Owns struct pmc_pmi, LVTPC and the driver's NMI handler. The handler passes over the
 * samplers of this CPU and settles those that are not locked (sampler.c), attributes an NMI
 * without an overflow (nmi.c), and arms LVTPC again.
 *
 * Order in the handler: first one pass, then LVTPC is armed, then, where a sampler counts the
 * kernel and so the handler itself, more passes. An overflow after the arming requests
 * another NMI; an overflow before it is found by the next pass. So none is left when a pass
 * finds nothing.
 *
 * Locking: everything runs on the CPU concerned, in NMI context or with interrupts off. The
 * NMI handler never allocates, prints or sleeps; what it cannot do is done in an irq_work.
 * pmc_pmi_lock guards the registration of the handler; task context; taken inside of the
 * file's lock.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/smp.h>
#include <asm/nmi.h>
#include <asm/tsc.h>

#include "compat/apic.h"
#include "compat/compat.h"
#include "pmu/family.h"
#include "pmu/fold.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "sampling/mmap.h"
#include "sampling/nmi.h"
#include "sampling/nmi_overhead.h"
#include "sampling/pmi.h"
#include "sampling/sample.h"
#include "sampling/sample_config.h"
#include "sampling/sampler.h"
#include "sampling/storm.h"
#include "sampling/throttle.h"

/* pmc_pmi_put() checks for pending NMIs up to this many times, for PMC_LATE_MS altogether. */
#define PMC_LATE_SLEEPS		10

static DEFINE_MUTEX(pmc_pmi_lock);
static u32 pmc_pmi_users; /* pmc_pmi_lock */

/*
 * Settle the only counter with a period, the common case. Returns false if nothing was done
 * because the case is another one.
 */
static __always_inline bool pmc_pmi_settle_only(struct pmc_pmu *pmu, struct pmc_sampler *sampler,
						struct pmc_run *run, struct pt_regs *regs, u64 now)
{
	const struct pmc_counter_setup *setup;
	s32 only = sampler->only;
	struct pmc_count *count;
	struct pmc_due *due;

	if (only < 0 || !user_mode(regs) ||
	    pmc_throttle_is_spent(&pmu->pmi.throttling, sampler->spent_max))
		return false;
	setup = &run->program->setup[only];
	count = &run->count[only];
	due = &sampler->due[only];
	if (count->value - due->next >= setup->period || due->throttled)
		return false;
	due->next += setup->period;
	pmc_sample_write_only(sampler, setup, regs, now);
	count->raw = (count->value - due->next) & count->mask;
	pmc_wrmsr_native(setup->write_msr, count->raw & setup->write_mask);
	return true;
}

/* Settle one run with its counters stopped. Returns how many of them have overflowed. */
static __always_inline u32 pmc_pmi_settle(struct pmc_pmu *pmu, struct pmc_sampler *sampler,
					  struct pt_regs *regs, u64 now)
{
	/* loaded once: the compiler would load it again after each register access */
	struct pmc_run *run = sampler->run;

	if (!pmc_pmu_overflowed(pmu, run->program))
		return 0;
	pmc_run_add_counts(run);
	if (likely(pmc_pmi_settle_only(pmu, sampler, run, regs, now)))
		return 1;
	return pmc_sampler_settle(pmu, sampler, regs, now);
}

/* The same for a run that counts the kernel, and so this handler: its counters are stopped. */
static noinline u32 pmc_pmi_settle_kernel(struct pmc_pmu *pmu, struct pmc_sampler *sampler,
					  struct pt_regs *regs, u64 now)
{
	const struct pmc_program *program = sampler->run->program;
	u32 found;

	program->family->pause(pmu, program);
	found = pmc_pmi_settle(pmu, sampler, regs, now);
	program->family->resume(pmu, program);
	return found;
}

/*
 * A locked run: its holder handles the overflows. But without a status register the
 * processor requests the PMI as long as the overflow bit is set (seen on NetBurst:
 * arch/x86/events/intel/p4.c): it would come again as soon as LVTPC is armed, and the holder
 * would never continue. A counter at 0 keeps its bit: its PMI comes with the next event. (No
 * test shows this: the emulated processor requests one PMI for each event.)
 */
static noinline void pmc_pmi_acknowledge_locked(struct pmc_pmu *pmu, struct pmc_sampler *sampler)
{
	const struct pmc_run *run = sampler->run;
	u32 i;

	for (i = 0; i < run->program->nr; i++) {
		if (run->program->setup[i].period && pmc_run_read_raw(run, i))
			pmc_sampler_acknowledge(pmu, &run->program->setup[i]);
	}
}

/* One pass over all samplers. Returns how many counters had overflowed. */
static __always_inline u32 pmc_pmi_pass(struct pmc_pmu *pmu, struct pt_regs *regs, u64 now)
{
	struct pmc_sampler *sampler;
	u32 found = 0;

	/* the code that this NMI interrupts changes the list one pointer at a time */
	list_for_each_entry(sampler, &pmu->pmi.samplers, node) {
		if (READ_ONCE(sampler->locked)) {
			if (pmu->description.family->acknowledge)
				pmc_pmi_acknowledge_locked(pmu, sampler);
			continue;
		}
		if (unlikely(sampler->run->program->stop_to_read))
			found += pmc_pmi_settle_kernel(pmu, sampler, regs, now);
		else
			found += pmc_pmi_settle(pmu, sampler, regs, now);
	}
	return found;
}

/* LVTPC is armed: pass again until a pass finds nothing. Where a sampler counts the kernel. */
static noinline void pmc_pmi_pass_again(struct pmc_pmu *pmu, struct pt_regs *regs, u64 now)
{
	struct pmc_nmi *nmi = &pmu->pmi.nmi;
	u32 passes, found = 1;

	for (passes = 1; passes < PMC_PASSES_MAX && found; passes++) {
		found = pmc_pmi_pass(pmu, regs, now);
		pmc_nmi_expect(nmi, found);
	}
	if (nmi->policy->passed)
		nmi->policy->passed(nmi);
}

/* After an NMI with @found overflows: one PMI has come, the others may still come. */
static noinline void pmc_pmi_follow_up(struct pmc_pmu *pmu, struct pt_regs *regs, u32 found,
				       u64 now)
{
	struct pmc_nmi *nmi = &pmu->pmi.nmi;

	if (nmi->has_late_periods) {
		pmc_nmi_begin_late_period(nmi);
		pmu->pmi.empty.late = true;
	}
	if (!pmu->pmi.kernel)
		return;
	pmc_nmi_expect(nmi, found - 1);
	pmc_pmi_pass_again(pmu, regs, now);
}

static bool pmc_pmi_any_locked(const struct pmc_pmi *pmi)
{
	const struct pmc_sampler *sampler;

	list_for_each_entry(sampler, &pmi->samplers, node) {
		if (READ_ONCE(sampler->locked))
			return true;
	}
	return false;
}

/*
 * Reload the counters of a run of which no counter has reached its period, where each overflow is
 * acknowledged with its counter. Returns how many have overflowed in the kernel since the pass.
 */
static u32 pmc_pmi_reload(struct pmc_pmu *pmu, struct pmc_sampler *sampler, struct pt_regs *regs,
			  u64 now)
{
	const struct pmc_program *program = sampler->run->program;
	u32 found;

	if (!program->family->acknowledge || READ_ONCE(sampler->locked))
		return 0;
	if (program->stop_to_read)
		program->family->pause(pmu, program);
	found = pmc_pmi_settle(pmu, sampler, regs, now);
	pmc_sampler_reload_all(pmu, sampler);
	if (program->stop_to_read)
		program->family->resume(pmu, program);
	return found;
}

static u64 pmc_pmi_window(const struct pmc_pmi *pmi)
{
	return (u64)PMC_WINDOW_PARTS * pmi->throttling.spent_max;
}

static void pmc_pmi_charge_empty(struct pmc_pmi *pmi, u64 now)
{
	pmc_storm_charge(&pmi->empty, rdtsc() - now + pmi->nmi.overhead.ticks,
			 pmc_pmi_window(pmi), pmi->throttling.spent_max);
}

/*
 * Masks LVTPC if PMIs without an overflow took half of the CPU's time in this window. It stays
 * masked until pmc_pmi_disarm(). Counts do not need PMIs. Returns whether LVTPC was masked.
 */
static bool pmc_pmi_end_storm(struct pmc_pmi *pmi, u64 now)
{
	if (!pmc_storm_is_due(&pmi->empty, now, pmc_pmi_window(pmi), pmi->throttling.spent_max))
		return false;
	pmc_apic_mask();
	WRITE_ONCE(pmi->storm, true);
	WRITE_ONCE(pmi->ready, false);
	WRITE_ONCE(pmi->armed, false);
	local64_inc(&pmi->storms);
	return true;
}

/* A PMI was delivered, but the pass found no overflow: arm LVTPC again. */
static void pmc_pmi_rearm(struct pmc_pmu *pmu, struct pt_regs *regs, enum pmc_nmi_class class,
			  u64 now)
{
	struct pmc_pmi *pmi = &pmu->pmi;
	struct pmc_sampler *sampler;
	u32 found = 0;

	list_for_each_entry(sampler, &pmi->samplers, node)
		found += pmc_pmi_reload(pmu, sampler, regs, now);
	if (!found && pmc_pmi_end_storm(pmi, now))
		return;
	pmc_apic_arm();
	if (class == PMC_NMI_OURS && !found && !pmc_pmi_any_locked(pmi))
		local64_inc(&pmi->spurious);
	pmc_nmi_expect(&pmi->nmi, found);
	/* an overflow before LVTPC was armed requests no NMI */
	if (pmi->kernel)
		pmc_pmi_pass_again(pmu, regs, now);
	pmc_throttle_charge(pmi, now);
	pmc_pmi_charge_empty(pmi, now);
}

/*
 * An NMI without an overflow, where LVTPC is not masked at delivery: late, foreign, or one of a
 * storm. The first one after an NMI with overflows can be their late PMI, and is not charged.
 */
static void pmc_pmi_undelivered(struct pmc_pmi *pmi, u64 now)
{
	if (pmi->empty.late)
		pmi->empty.late = false;
	else if (!pmc_pmi_end_storm(pmi, now))
		pmc_pmi_charge_empty(pmi, now);
}

/* An NMI for which no overflow was found, or that came while LVTPC was not the driver's. */
static noinline int pmc_pmi_no_overflow(struct pmc_pmu *pmu, struct pt_regs *regs, u64 now)
{
	struct pmc_pmi *pmi = &pmu->pmi;
	bool delivered = READ_ONCE(pmi->armed) && pmc_apic_delivered();
	enum pmc_nmi_class class = pmc_nmi_classify(pmi, delivered, now);

	/* if LVTPC shows no delivered PMI, the NMI may be foreign: not charged to sampling */
	if (delivered)
		pmc_pmi_rearm(pmu, regs, class, now);
	else if (READ_ONCE(pmi->armed) && pmi->nmi.has_late_periods)
		pmc_pmi_undelivered(pmi, now);
	return class == PMC_NMI_FOREIGN ? NMI_DONE : NMI_HANDLED;
}

/* An NMI with overflows: PMC_NMI_OURS */
static __always_inline int pmc_pmi_found(struct pmc_pmu *pmu, struct pt_regs *regs, u32 found,
					 u64 now)
{
	struct pmc_pmi *pmi = &pmu->pmi;

	pmc_apic_arm();
	if (unlikely(pmi->follow_up))
		pmc_pmi_follow_up(pmu, regs, found, now);
	pmc_throttle_charge(pmi, now);
	return NMI_HANDLED;
}

/* LVTPC is not armed, or it is not yet known whether this local APIC masks LVTPC. */
static noinline int pmc_pmi_not_ready(struct pmc_pmu *pmu, struct pt_regs *regs, u64 now)
{
	struct pmc_pmi *pmi = &pmu->pmi;
	bool delivered;
	u32 found;

	if (!READ_ONCE(pmi->armed))
		return pmc_pmi_no_overflow(pmu, regs, now);
	delivered = pmc_apic_delivered();
	found = pmc_pmi_pass(pmu, regs, now);
	if ((delivered || found) && pmc_nmi_learn(pmu, delivered))
		WRITE_ONCE(pmi->ready, true);
	if (!found)
		return pmc_pmi_no_overflow(pmu, regs, now);
	return pmc_pmi_found(pmu, regs, found, now);
}

static int pmc_pmi_nmi(unsigned int type, struct pt_regs *regs)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	struct pmc_pmi *pmi = &pmu->pmi;
	u32 found;
	u64 now;

	now = rdtsc();
	if (unlikely(!READ_ONCE(pmi->ready)))
		return pmc_pmi_not_ready(pmu, regs, now);
	found = pmc_pmi_pass(pmu, regs, now);
	if (unlikely(!found))
		return pmc_pmi_no_overflow(pmu, regs, now);
	return pmc_pmi_found(pmu, regs, found, now);
}

/* The irq_work: what the NMI handler left to do. Interrupts are off, on the same CPU. */
static void pmc_pmi_work(struct irq_work *work)
{
	struct pmc_pmi *pmi = container_of(work, struct pmc_pmi, work);
	struct pmc_sampler *sampler;
	u64 now = rdtsc();

	if (pmi->throttling.active && !hrtimer_active(&pmi->timer))
		hrtimer_start(&pmi->timer, ms_to_ktime(PMC_WINDOW_MS),
			      HRTIMER_MODE_REL_PINNED_HARD);
	list_for_each_entry(sampler, &pmi->samplers, node)
		pmc_mmap_queue_work(sampler);
	pmc_throttle_charge(pmi, now);
}

/* The timer: sample all throttled counters of this CPU again. */
static enum hrtimer_restart pmc_pmi_unthrottle(struct hrtimer *timer)
{
	struct pmc_pmi *pmi = container_of(timer, struct pmc_pmi, timer);
	struct pmc_pmu *pmu = container_of(pmi, struct pmc_pmu, pmi);
	struct pmc_sampler *sampler;
	unsigned long flags;

	local_irq_save(flags);
	pmi->throttling.active = false;
	pmc_throttle_begin_window(&pmi->throttling, rdtsc());
	list_for_each_entry(sampler, &pmi->samplers, node)
		pmc_sampler_unthrottle_all(pmu, sampler);
	local_irq_restore(flags);
	return HRTIMER_NORESTART;
}

static void pmc_pmi_limit_local(void *unused)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	struct pmc_sampler *sampler;

	/* an NMI finds the old or the new limit */
	list_for_each_entry(sampler, &pmu->pmi.samplers, node)
		WRITE_ONCE(sampler->spent_max, sampler->sampling->spent_max);
}

/**
 * pmc_pmi_limit - use the changed limits of the sampling parameters on CPUs
 * @cpus:	those where runs may sample
 *
 * Task context. A run that starts there meanwhile has read the old limit or the new one before
 * this interrupts its CPU.
 */
void pmc_pmi_limit(const struct cpumask *cpus)
{
	on_each_cpu_mask(cpus, pmc_pmi_limit_local, NULL, 1);
}

/**
 * pmc_pmi_init - once for each possible CPU, before all other calls
 * @pmi:	its overflow interrupt; zeroed
 */
void pmc_pmi_init(struct pmc_pmi *pmi)
{
	INIT_LIST_HEAD(&pmi->samplers);
	pmc_nmi_init(&pmi->nmi);
	pmi->work = PMC_IRQ_WORK_INIT_HARD(pmc_pmi_work);
	pmc_hrtimer_setup(&pmi->timer, pmc_pmi_unthrottle, HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * pmc_pmi_arm - from now on this CPU's LVTPC is the driver's
 * @pmu:	this CPU's counters; interrupts are off
 *
 * Does nothing if the counters are not acquired, if LVTPC is armed already, or without a
 * local APIC. The NMIs that nmi_overhead.c sends come while it is not armed yet.
 */
void pmc_pmi_arm(struct pmc_pmu *pmu)
{
	struct pmc_pmi *pmi = &pmu->pmi;

	if (pmi->armed || pmi->storm || !pmu->acquired || !pmc_apic_exists())
		return;
	pmc_throttle_arm(&pmi->throttling);
	pmc_nmi_overhead_measure(&pmi->nmi.overhead, pmi->throttling.spent_max);
	pmc_nmi_arm(pmu);
	pmi->lvtpc = pmc_apic_read();
	pmc_apic_arm();
	pmi->empty = (struct pmc_storm){};
	/* in this order, below in the reverse one: an NMI between them finds @armed false */
	WRITE_ONCE(pmi->ready, pmi->nmi.mask != PMC_LVTPC_UNKNOWN);
	WRITE_ONCE(pmi->armed, true);
}

/**
 * pmc_pmi_disarm - restore LVTPC as it was found
 * @pmu:	this CPU's counters, stopped; interrupts are off
 */
void pmc_pmi_disarm(struct pmc_pmu *pmu)
{
	struct pmc_pmi *pmi = &pmu->pmi;

	if (!pmi->armed && !pmi->storm)
		return;
	hrtimer_cancel(&pmi->timer);
	pmi->throttling.active = false;
	pmc_nmi_disarm(&pmi->nmi);
	WRITE_ONCE(pmi->armed, false);
	WRITE_ONCE(pmi->ready, false);
	/* last: an NMI that found @armed and this value masked would arm LVTPC again */
	pmc_apic_write(pmi->lvtpc);
	WRITE_ONCE(pmi->storm, false);
}

/**
 * pmc_pmi_spurious - number of PMIs without an overflow, on all CPUs
 *
 * Return: the sum since the module was loaded.
 */
u64 pmc_pmi_spurious(void)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += local64_read(&per_cpu(pmc_pmus, cpu).pmi.spurious);
	return sum;
}

/**
 * pmc_pmi_storms - number of times that PMIs without an overflow were ended, on all CPUs
 *
 * Return: the sum since the module was loaded.
 */
u64 pmc_pmi_storms(void)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += local64_read(&per_cpu(pmc_pmus, cpu).pmi.storms);
	return sum;
}

/**
 * pmc_pmi_state - PMC_STATE_STORM if a CPU gets no PMIs any more, else 0
 * @cpu:	the only CPU in question, or PMC_CPU_ANY
 */
u32 pmc_pmi_state(int cpu)
{
	int other;

	for_each_possible_cpu(other) {
		if ((cpu == PMC_CPU_ANY || cpu == other) &&
		    READ_ONCE(per_cpu(pmc_pmus, other).pmi.storm))
			return PMC_STATE_STORM;
	}
	return 0;
}

/**
 * pmc_pmi_get - register the NMI handler for one more user
 *
 * It is the first of the chain: perf's handler would acknowledge the driver's overflows. Task
 * context; sleeps.
 *
 * Return: 0 or a negative errno.
 */
int pmc_pmi_get(void)
{
	int err = 0;

	mutex_lock(&pmc_pmi_lock);
	if (!pmc_pmi_users)
		err = register_nmi_handler(NMI_LOCAL, pmc_pmi_nmi, NMI_FLAG_FIRST, "pmcdrv");
	if (!err)
		pmc_pmi_users++;
	mutex_unlock(&pmc_pmi_lock);
	return err;
}

/* May an NMI of this driver still come on any CPU? */
static bool pmc_pmi_any_pending(void)
{
	u64 now = rdtsc();
	int cpu;

	for_each_possible_cpu(cpu) {
		if (pmc_nmi_is_pending(&per_cpu(pmc_pmus, cpu).pmi.nmi, now))
			return true;
	}
	return false;
}

/**
 * pmc_pmi_put - undo pmc_pmi_get()
 *
 * Nothing counts any more. Without the handler a late NMI would be an unknown one: the last
 * user waits for pending NMIs, PMC_LATE_MS at most. Task context; sleeps.
 */
void pmc_pmi_put(void)
{
	u32 i;

	mutex_lock(&pmc_pmi_lock);
	if (!--pmc_pmi_users) {
		/* the time-stamp counter may stop while its processor is idle: bounded */
		for (i = 0; i < PMC_LATE_SLEEPS && pmc_pmi_any_pending(); i++)
			msleep(PMC_LATE_MS / PMC_LATE_SLEEPS);
		unregister_nmi_handler(NMI_LOCAL, "pmcdrv");
	}
	mutex_unlock(&pmc_pmi_lock);
}

/**
 * pmc_pmi_exit - wait for every irq_work; the module is about to be unloaded
 */
void pmc_pmi_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu(pmc_pmus, cpu).pmi.work);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Overflow: the interrupt of counters with a period
 *
 * Owns struct pmc_sampler, struct pmc_overflow and LVTPC for
 * performance counters. A counter with a period is loaded so that it overflows
 * when its count reaches the next multiple of the period; whether it has is told
 * by the count itself. So no overflow is missed, however late its interrupt, and
 * none is counted twice.
 *
 * No lock. All happens on the CPU concerned: in NMI context, or with interrupts
 * off and the sampler locked, which the NMI respects. When a run that is locked
 * overflows, whoever holds it handles that; the NMI then only re-arms the local
 * APIC. The NMI allocates, prints and sleeps never; what it can't do is done in
 * an irq_work.
 *
 * pmc_overflow_lock guards the registration of the NMI handler; task context,
 * inside the file's lock.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/pid_namespace.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <asm/nmi.h>
#include <asm/tsc.h>

#include "compat/apic.h"
#include "compat/compat.h"
#include "sampling/intel_pt.h"
#include "sampling/nmi_overhead.h"
#include "sampling/mmap.h"
#include "sampling/overflow.h"
#include "pmu/fold.h"
#include "pmu/pmu.h"
#include "sampling/ring.h"
#include "sampling/sample.h"
#include "sampling/sample_config.h"
#include "sampling/sampler.h"

/* In a window of this many milliseconds ... */
#define PMC_WINDOW_MS		4
/*
 * ... a part of this may be spent on overflows. What is taken for one must be more than
 * half of what it really takes, or one that causes the next is never seen to be too often.
 */
#define PMC_WINDOW_PARTS	2
/* An interrupt comes this many milliseconds after its overflow was handled, or never. */
#define PMC_LATE_MS		100
/* Who waits for them to come looks so many times whether it is over. */
#define PMC_LATE_SLEEPS		10
/* Told in so many ticks of the time-stamp counter (2^n), which fit into one store. */
#define PMC_LATE_SHIFT		20

/*
 * May a counter of a program have overflowed? Where there is a status it tells, and
 * is acknowledged; else, or where somebody may have acknowledged it, the count will.
 */
static __always_inline bool pmc_pmu_overflowed(struct pmc_pmu *pmu,
					       const struct pmc_program *program)
{
	u64 status;

	if (unlikely(!pmu->status_msr))
		return true;
	status = pmc_rdmsr_native(pmu->status_msr);
	if (!(status & program->interrupts))
		return unlikely(program->stop_to_read) && pmc_intel_pt_present();
	pmc_wrmsr_native(pmu->acknowledge_msr, status & (program->interrupts | pmu->frozen));
	return true;
}

static DEFINE_MUTEX(pmc_overflow_lock); /* pmc_overflow_users */
static u32 pmc_overflow_users;

/**
 * pmc_program_find_only - what &struct pmc_program.only is to be
 * @program:	complete, with a period
 */
s32 pmc_program_find_only(const struct pmc_program *program)
{
	s32 i, only = -1;

	if (program->sampling->flags || program->sampling->rings->ns != &init_pid_ns ||
	    program->stop_to_read || program->family->read_one)
		return -1;
	for (i = 0; i < program->nr; i++) {
		if (!program->setup[i].period)
			continue;
		if (only >= 0 || !program->setup[i].write_msr || !program->setup[i].user)
			return -1;
		only = i;
	}
	return only;
}

/**
 * pmc_sampler_alloc - the overflows of a run whose program has periods
 * @run:	initialised
 * @gfp:	how memory may be had
 *
 * Return: the sampler, to be freed with kfree(); NULL when out of memory.
 */
struct pmc_sampler *pmc_sampler_alloc(struct pmc_run *run, gfp_t gfp)
{
	const struct pmc_program *program = run->program;
	struct pmc_sampler *sampler;
	u32 i;

	sampler = kzalloc(struct_size(sampler, due, program->nr), gfp);
	if (!sampler)
		return NULL;
	sampler->run = run;
	sampler->sampling = program->sampling;
	sampler->only = program->only;
	for (i = 0; i < program->nr; i++)
		sampler->due[i].next = program->setup[i].period;
	return sampler;
}

/* The overflow of one counter, where its family has no status register. */
static void pmc_sampler_acknowledge(struct pmc_pmu *pmu, const struct pmc_counter_setup *setup)
{
	const struct pmc_family *family = pmu->description.family;

	if (family->acknowledge)
		family->acknowledge(pmu, setup);
}

/*
 * pmc_sampler_reload() where a register alone does not do it. A counter whose
 * interrupt comes one event after its overflow overflows one event before it is due.
 * If no more than that one is left, its interrupt comes when the next has been counted.
 */
static noinline void pmc_sampler_reload_called(struct pmc_pmu *pmu,
					       const struct pmc_counter_setup *setup,
					       struct pmc_count *count, struct pmc_due *due)
{
	bool lead = setup->lead && due->next - count->value > 1;

	due->skid = setup->delayed && !lead;
	count->raw = (count->value - due->next + lead) & count->mask;
	pmc_sampler_acknowledge(pmu, setup);
	pmu->description.family->write(pmu, setup, count->raw);
}

/* Load a counter so that its interrupt comes when it is due. */
static __always_inline void pmc_sampler_reload(struct pmc_pmu *pmu,
					       const struct pmc_counter_setup *setup,
					       struct pmc_count *count,
					       struct pmc_due *due)
{
	if (unlikely(!setup->write_msr)) {
		pmc_sampler_reload_called(pmu, setup, count, due);
		return;
	}
	count->raw = (count->value - due->next) & count->mask;
	pmc_wrmsr_native(setup->write_msr, count->raw & setup->write_mask);
}

static noinline void pmc_sampler_reload_one(struct pmc_pmu *pmu, struct pmc_sampler *sampler,
					    u32 i)
{
	pmc_sampler_reload(pmu, &sampler->run->program->setup[i], &sampler->run->count[i],
			   &sampler->due[i]);
}

/**
 * pmc_sampler_start - overflows may come as soon as the counters start
 * @pmu:	this CPU's counters
 * @sampler:	of a run that is not counting; its counters are stopped
 */
void pmc_sampler_start(struct pmc_pmu *pmu, struct pmc_sampler *sampler)
{
	const struct pmc_program *program = sampler->run->program;
	u32 i;

	/* what others have left */
	pmc_pmu_overflowed(pmu, program);
	for (i = 0; i < program->nr; i++) {
		if (program->setup[i].period)
			pmc_sampler_reload_one(pmu, sampler, i);
	}
	sampler->mm = sampler->task ? sampler->task->mm : NULL;
	sampler->ring = sampler->sampling->rings->ring[smp_processor_id()];
	pmu->overflow.kernel += program->stop_to_read;
	list_add_rcu(&sampler->node, &pmu->overflow.samplers);
}

static void pmc_sampler_unthrottle(struct pmc_sampler *sampler, u32 i, u64 now)
{
	struct pmc_due *due = &sampler->due[i];

	if (!due->throttled)
		return;
	pmc_sample_throttle(sampler, PMC_RECORD_UNTHROTTLE, i, now);
	due->throttled = false;
	due->skipped = 0;
}

/**
 * pmc_sampler_stop - no overflow will come any more
 * @pmu:	this CPU's counters
 * @sampler:	locked, settled; its counters are stopped
 */
void pmc_sampler_stop(struct pmc_pmu *pmu, struct pmc_sampler *sampler)
{
	u64 now = rdtsc();
	u32 i;

	for (i = 0; i < sampler->run->program->nr; i++)
		pmc_sampler_unthrottle(sampler, i, now);
	sampler->maps_wanted = 0;
	list_del_rcu(&sampler->node);
	pmu->overflow.kernel -= sampler->run->program->stop_to_read;
}

/**
 * pmc_sampler_clear - the run's counts are about to become 0
 * @sampler:	locked
 *
 * The overflows come when they would have come.
 */
void pmc_sampler_clear(struct pmc_sampler *sampler)
{
	u32 i;

	for (i = 0; i < sampler->run->program->nr; i++)
		sampler->due[i].next -= sampler->run->count[i].value;
}

/**
 * pmc_sampler_exec - current has exec'ed, and is sampled from now on as what it is now
 * @pmu:	this CPU's counters
 * @sampler:	current's, of a run that is counting here; interrupts are off
 *
 * What overflowed in the program before is told before.
 */
void pmc_sampler_exec(struct pmc_pmu *pmu, struct pmc_sampler *sampler)
{
	pmc_run_lock(pmu, sampler->run);
	sampler->mm = current->mm;
	pmc_run_unlock(pmu, sampler->run);
}

/* May no more be spent in this window? */
static bool pmc_overflow_is_spent(const struct pmc_overflow *overflow)
{
	return (unsigned long)local_read(&overflow->spent) > overflow->spent_max;
}

/* Since @since, and the entry and exit of an interrupt: also in what an NMI interrupts. */
static __always_inline void pmc_overflow_charge(struct pmc_overflow *overflow, u64 since)
{
	local_add(rdtsc() - since + overflow->overhead.ticks, &overflow->spent);
}

static void pmc_overflow_begin_window(struct pmc_overflow *overflow, u64 now)
{
	overflow->window = now;
	local_set(&overflow->spent, 0);
}

/* Too much time goes into overflows: let this counter run without. */
static void pmc_sampler_throttle(struct pmc_pmu *pmu, struct pmc_sampler *sampler, u32 i,
				 u64 now)
{
	sampler->due[i].throttled = true;
	pmc_sampler_acknowledge(pmu, &sampler->run->program->setup[i]);
	pmc_sample_throttle(sampler, PMC_RECORD_THROTTLE, i, now);
	if (!pmu->overflow.throttled) {
		pmu->overflow.throttled = true;
		irq_work_queue(&pmu->overflow.work);
	}
}

/* A window ends when somebody looks, after all that may be spent in it is. */
static bool pmc_overflow_too_many(struct pmc_overflow *overflow, u64 now)
{
	if (!pmc_overflow_is_spent(overflow))
		return false;
	if (now - overflow->window <= (u64)PMC_WINDOW_PARTS * overflow->spent_max)
		return true;
	pmc_overflow_begin_window(overflow, now);
	return false;
}

/*
 * A counter that is not due. One of which a single event is left may have overflowed
 * already, and if it had to be stopped since, that is forgotten.
 */
static noinline void pmc_sampler_settle_early(struct pmc_pmu *pmu, struct pmc_sampler *sampler,
					      u32 i)
{
	if (sampler->run->program->stop_to_read && !sampler->due[i].throttled &&
	    sampler->due[i].next - sampler->run->count[i].value == 1)
		pmc_sampler_reload_one(pmu, sampler, i);
}

/*
 * Where the local APIC does not tell which interrupts are ours, any that comes in time may
 * be one. None is counted: NMIs of others cannot be told from it, and if one were taken for
 * ours, ours would be nobody's.
 */
static void pmc_overflow_expect_late(struct pmc_overflow *overflow)
{
	WRITE_ONCE(overflow->late_end,
		   (unsigned long)(rdtsc() >> PMC_LATE_SHIFT) + overflow->late_max);
}

/* NMI context: may one still come? Also where the time-stamp counter was set back. */
static bool pmc_overflow_expects_late(const struct pmc_overflow *overflow, u64 now)
{
	return READ_ONCE(overflow->late_end) - (unsigned long)(now >> PMC_LATE_SHIFT) <=
	       overflow->late_max;
}

/* So many overflows were handled whose interrupts may still come. */
static void pmc_overflow_were_early(struct pmc_overflow *overflow, u32 overflows)
{
	if (!overflows)
		return;
	/* what the NMI interrupts adds too */
	if (!overflow->unmasked)
		local_add(overflows, &overflow->early);
	else
		pmc_overflow_expect_late(overflow);
}

/*
 * Account for what has overflowed, and load it anew. The run has just been brought
 * up to date, and nothing it counts goes on. @regs: what was interrupted, NULL if no
 * interrupt has come: then one that comes now, before the counter is loaded, is told
 * by the counter, and later ones by what is added here. Returns how many counters had
 * overflowed that interrupt.
 */
static noinline u32 pmc_sampler_settle(struct pmc_pmu *pmu, struct pmc_sampler *sampler,
				       struct pt_regs *regs, u64 now)
{
	const struct pmc_counter_setup *setup = sampler->run->program->setup;
	const struct pmc_counter_setup *end = setup + sampler->run->program->nr;
	struct pmc_count *count = sampler->run->count;
	struct pmc_due *due = sampler->due;
	u32 found = 0;

	for (; setup < end; setup++, count++, due++) {
		u64 over = count->value - due->next, overflows = 1;

		if (!setup->period)
			continue;
		if ((s64)over < 0) {
			if (unlikely(setup->lead))
				pmc_sampler_settle_early(pmu, sampler, due - sampler->due);
			continue;
		}
		if (unlikely(over >= setup->period))
			overflows += div64_u64(over, setup->period);
		due->next += overflows * setup->period;
		if (unlikely(due->throttled)) {
			due->skipped += overflows;
			pmc_ring_throttle(sampler->ring, overflows);
			continue;
		}
		found++;
		if (!regs)
			pmc_overflow_were_early(&pmu->overflow, 1);
		due->skid = due->skid && over;
		pmc_sample_write(sampler, setup, overflows, regs, now);
		if (unlikely(regs && pmc_overflow_too_many(&pmu->overflow, now)))
			pmc_sampler_throttle(pmu, sampler, due - sampler->due, now);
		else
			pmc_sampler_reload(pmu, setup, count, due);
	}
	return found;
}

/*
 * The same for the only counter with a period, as it nearly always is. Returns false
 * if nothing was done, because this is not so.
 */
static __always_inline bool pmc_sampler_settle_only(struct pmc_pmu *pmu,
						    struct pmc_sampler *sampler,
						    struct pmc_run *run,
						    struct pt_regs *regs, u64 now)
{
	const struct pmc_overflow *overflow = &pmu->overflow;
	const struct pmc_counter_setup *setup;
	s32 only = sampler->only;
	struct pmc_count *count;
	struct pmc_due *due;

	if (only < 0 || !user_mode(regs) || pmc_overflow_is_spent(overflow))
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

/**
 * pmc_sampler_overflowed - has a counter overflowed that nobody has loaded anew?
 * @sampler:	on this CPU; interrupts are off
 *
 * A loaded one is below 0.
 */
bool pmc_sampler_overflowed(const struct pmc_sampler *sampler)
{
	const struct pmc_run *run = sampler->run;
	u32 i;

	for (i = 0; i < run->program->nr; i++) {
		u64 sign = run->count[i].mask ^ run->count[i].mask >> 1;

		if (run->program->setup[i].period && !sampler->due[i].throttled &&
		    !(pmc_rdpmc(run->count[i].rdpmc) & sign))
			return true;
	}
	return false;
}

/* Is there an overflow that whoever holds its run is going to handle? */
static bool pmc_overflow_any_waits(const struct pmc_overflow *overflow)
{
	const struct pmc_sampler *sampler;

	list_for_each_entry(sampler, &overflow->samplers, node) {
		if (READ_ONCE(sampler->locked) && pmc_sampler_overflowed(sampler))
			return true;
	}
	return false;
}

static bool pmc_overflow_any_locked(const struct pmc_overflow *overflow)
{
	const struct pmc_sampler *sampler;

	list_for_each_entry(sampler, &overflow->samplers, node) {
		if (READ_ONCE(sampler->locked))
			return true;
	}
	return false;
}

/* NMI context: is this interrupt one of those? */
static bool pmc_overflow_is_early(struct pmc_overflow *overflow, u64 now)
{
	long early;

	if (overflow->unmasked)
		return pmc_overflow_expects_late(overflow, now) ||
		       pmc_overflow_any_waits(overflow);
	early = min(local_read(&overflow->early), 2L);
	if (early <= 0) {
		local_set(&overflow->early, early);
		return false;
	}
	local_set(&overflow->early, early - 1);
	return true;
}

/**
 * pmc_sampler_settle_late - account for what overflowed without an interrupt yet
 * @pmu:	this CPU's counters
 * @sampler:	locked; its run has just been brought up to date, and nothing it
 *		counts goes on
 */
void pmc_sampler_settle_late(struct pmc_pmu *pmu, struct pmc_sampler *sampler)
{
	const struct pmc_program *program = sampler->run->program;

	pmc_pmu_overflowed(pmu, program);
	pmc_sampler_settle(pmu, sampler, NULL, sampler->run->since);
}

/* One run whose counters stand still now. Returns how many of them have overflowed. */
static __always_inline u32 pmc_sampler_interrupt(struct pmc_pmu *pmu,
						 struct pmc_sampler *sampler,
						 struct pt_regs *regs, u64 now)
{
	/* reading registers would have it read anew */
	struct pmc_run *run = sampler->run;

	if (!pmc_pmu_overflowed(pmu, run->program))
		return 0;
	pmc_run_add_counts(run);
	if (likely(pmc_sampler_settle_only(pmu, sampler, run, regs, now)))
		return 1;
	return pmc_sampler_settle(pmu, sampler, regs, now);
}

/* One run that counts the kernel, and so what happens here. */
static noinline u32 pmc_sampler_interrupt_kernel(struct pmc_pmu *pmu,
						 struct pmc_sampler *sampler,
						 struct pt_regs *regs, u64 now)
{
	const struct pmc_program *program = sampler->run->program;
	u32 found;

	program->family->pause(pmu, program);
	found = pmc_sampler_interrupt(pmu, sampler, regs, now);
	program->family->resume(pmu, program);
	return found;
}

/*
 * A run that somebody else is at. What has overflowed is his to handle, and the count
 * tells him. But where overflows have no status register, the processor asks for the
 * interrupt as long as the bit is set (seen on NetBurst: arch/x86/events/intel/p4.c):
 * it would come again as soon as the local APIC is armed, and he would never get on. A
 * bit that has not interrupted yet stays: the interrupt comes with the next event, and
 * the counter is at 0 till then. (No test shows this: the emulated processor asks once
 * for each event.)
 */
static noinline void pmc_sampler_interrupt_locked(struct pmc_pmu *pmu, struct pmc_sampler *sampler)
{
	const struct pmc_run *run = sampler->run;
	u32 i;

	for (i = 0; i < run->program->nr; i++) {
		if (run->program->setup[i].period && pmc_rdpmc(run->count[i].rdpmc))
			pmc_sampler_acknowledge(pmu, &run->program->setup[i]);
	}
}

static __always_inline u32 pmc_overflow_pass(struct pmc_pmu *pmu, struct pt_regs *regs, u64 now)
{
	struct pmc_sampler *sampler;
	u32 found = 0;

	/* changed only by what this NMI interrupts, one pointer at a time */
	list_for_each_entry(sampler, &pmu->overflow.samplers, node) {
		if (READ_ONCE(sampler->locked)) {
			if (pmu->description.family->acknowledge)
				pmc_sampler_interrupt_locked(pmu, sampler);
			continue;
		}
		if (unlikely(sampler->run->program->stop_to_read))
			found += pmc_sampler_interrupt_kernel(pmu, sampler, regs, now);
		else
			found += pmc_sampler_interrupt(pmu, sampler, regs, now);
	}
	return found;
}

/*
 * The local APIC has been re-armed after the first pass. What overflows later brings
 * another interrupt; what overflowed before is found here. So none is left when a
 * pass finds nothing.
 */
static noinline void pmc_overflow_recheck(struct pmc_pmu *pmu, struct pt_regs *regs, u64 now)
{
	u32 passes, found = 1;

	for (passes = 1; passes < PMC_PASSES_MAX && found; passes++) {
		found = pmc_overflow_pass(pmu, regs, now);
		pmc_overflow_were_early(&pmu->overflow, found);
	}
}

/**
 * pmc_overflow_is_of - does the status tell of a counter that interrupts here?
 * @overflow:	this CPU's; NMI context
 * @status:	of the PMU
 */
bool pmc_overflow_is_of(const struct pmc_overflow *overflow, u64 status)
{
	const struct pmc_sampler *sampler;

	list_for_each_entry(sampler, &overflow->samplers, node) {
		if (status & sampler->run->program->interrupts)
			return true;
	}
	return false;
}

/*
 * One that overflowed in the kernel since the local APIC was re-armed has been found, but
 * its interrupt comes all the same: as the next NMI, once this one is over. The local APIC
 * tells so until perf's handler, behind ours, re-arms it, too: see intel_pt.c.
 */
static void pmc_overflow_look_behind(struct pmc_overflow *overflow)
{
	overflow->latched = pmc_intel_pt_present() && pmc_apic_delivered();
}

/*
 * Counters that are not due, loaded anew: an overflow that nobody has acknowledged
 * interrupts on and on.
 */
static void pmc_sampler_reload_all(struct pmc_pmu *pmu, struct pmc_sampler *sampler)
{
	const struct pmc_program *program = sampler->run->program;
	u32 i;

	for (i = 0; i < program->nr; i++) {
		if (!program->setup[i].period)
			continue;
		if (sampler->due[i].throttled)
			pmc_sampler_acknowledge(pmu, &program->setup[i]);
		else
			pmc_sampler_reload_one(pmu, sampler, i);
	}
}

/* Returns how many have overflowed nevertheless, in the kernel, since they were looked at. */
static u32 pmc_sampler_interrupt_early(struct pmc_pmu *pmu, struct pmc_sampler *sampler,
				       struct pt_regs *regs, u64 now)
{
	const struct pmc_program *program = sampler->run->program;
	u32 found;

	if (!program->family->acknowledge || READ_ONCE(sampler->locked))
		return 0;
	if (program->stop_to_read)
		program->family->pause(pmu, program);
	found = pmc_sampler_interrupt(pmu, sampler, regs, now);
	pmc_sampler_reload_all(pmu, sampler);
	if (program->stop_to_read)
		program->family->resume(pmu, program);
	return found;
}

/*
 * Nothing has overflowed. The interrupt is ours all the same if the local APIC
 * has masked LVTPC, which Intel's does when it delivers one: somebody who locked a
 * run, or the interrupt before, handled the overflow already. AMD's does not: there
 * all are that come soon after one was handled.
 */
static noinline int pmc_overflow_nothing(struct pmc_pmu *pmu, struct pt_regs *regs, u64 now)
{
	struct pmc_overflow *overflow = &pmu->overflow;
	bool delivered = pmc_apic_delivered();
	bool early = (delivered || overflow->unmasked) &&
		     pmc_overflow_is_early(overflow, now);
	struct pmc_sampler *sampler;
	u32 found = 0;

	/* another's, for all that is known: it costs our time nothing */
	if (!delivered)
		return pmc_nmi_overhead_claims(&overflow->overhead) || early ? NMI_HANDLED : NMI_DONE;
	list_for_each_entry(sampler, &overflow->samplers, node)
		found += pmc_sampler_interrupt_early(pmu, sampler, regs, now);
	pmc_apic_arm();
	if (!early && !found && !pmc_overflow_any_locked(overflow))
		local64_inc(&overflow->spurious);
	pmc_overflow_were_early(overflow, found);
	/* what overflowed before the local APIC was armed brings no interrupt */
	if (overflow->kernel) {
		pmc_overflow_recheck(pmu, regs, now);
		pmc_overflow_look_behind(overflow);
	}
	pmc_overflow_charge(overflow, now);
	return NMI_HANDLED;
}

/* It is ours if we have sent it, or if it comes late. */
static noinline int pmc_overflow_unarmed(struct pmc_overflow *overflow, u64 now)
{
	if (pmc_nmi_overhead_claims(&overflow->overhead) ||
	    (overflow->unmasked && pmc_overflow_is_early(overflow, now)))
		return NMI_HANDLED;
	return NMI_DONE;
}

static int pmc_overflow_nmi(unsigned int type, struct pt_regs *regs)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	struct pmc_overflow *overflow = &pmu->overflow;
	u32 found;
	u64 now;

	now = rdtsc();
	if (!READ_ONCE(overflow->armed))
		return pmc_overflow_unarmed(overflow, now);
	found = pmc_overflow_pass(pmu, regs, now);
	if (unlikely(!found))
		return pmc_overflow_nothing(pmu, regs, now);
	pmc_apic_arm();
	/* it may be another's, which has come in the middle, and ours on its way */
	if (unlikely(overflow->unmasked))
		pmc_overflow_expect_late(overflow);
	/* in user mode nothing happens meanwhile */
	if (unlikely(overflow->kernel)) {
		pmc_overflow_were_early(overflow, found - 1);
		pmc_overflow_recheck(pmu, regs, now);
		pmc_overflow_look_behind(overflow);
	}
	pmc_overflow_charge(overflow, now);
	return NMI_HANDLED;
}

/* What the NMI left to do; interrupts are off, on the same CPU. */
static void pmc_overflow_work(struct irq_work *work)
{
	struct pmc_overflow *overflow = container_of(work, struct pmc_overflow, work);
	struct pmc_sampler *sampler;
	u64 now = rdtsc();

	if (overflow->throttled && !hrtimer_active(&overflow->timer))
		hrtimer_start(&overflow->timer, ms_to_ktime(PMC_WINDOW_MS),
			      HRTIMER_MODE_REL_PINNED_HARD);
	list_for_each_entry(sampler, &overflow->samplers, node)
		pmc_mmap_queue_work(sampler);
	pmc_overflow_charge(overflow, now);
}

/**
 * pmc_overflow_charge_local - what an overflow's interrupt has left to do is done
 * @since:	time-stamp counter when it began; on this CPU
 *
 * An interrupt of its own or a thread's work: overflows took that time, too.
 */
void pmc_overflow_charge_local(u64 since)
{
	pmc_overflow_charge(&this_cpu_ptr(&pmc_pmus)->overflow, since);
}

/* Sample all counters again that were throttled. */
static enum hrtimer_restart pmc_overflow_unthrottle(struct hrtimer *timer)
{
	struct pmc_overflow *overflow = container_of(timer, struct pmc_overflow, timer);
	struct pmc_pmu *pmu = container_of(overflow, struct pmc_pmu, overflow);
	struct pmc_sampler *sampler;
	unsigned long flags;

	local_irq_save(flags);
	overflow->throttled = false;
	pmc_overflow_begin_window(overflow, rdtsc());
	list_for_each_entry(sampler, &overflow->samplers, node) {
		u32 i;

		pmc_run_lock(pmu, sampler->run);
		for (i = 0; i < sampler->run->program->nr; i++) {
			if (!sampler->due[i].throttled)
				continue;
			pmc_sampler_unthrottle(sampler, i, rdtsc());
			pmc_sampler_reload_one(pmu, sampler, i);
		}
		pmc_run_unlock(pmu, sampler->run);
	}
	local_irq_restore(flags);
	return HRTIMER_NORESTART;
}

/**
 * pmc_overflow_init - once for each possible CPU, before anything else
 * @overflow:	its overflow interrupt
 */
void pmc_overflow_init(struct pmc_overflow *overflow)
{
	INIT_LIST_HEAD(&overflow->samplers);
	overflow->work = IRQ_WORK_INIT_HARD(pmc_overflow_work);
	pmc_hrtimer_setup(&overflow->timer, pmc_overflow_unthrottle,
			  HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * pmc_overflow_arm - from now on this CPU's overflow interrupt is ours
 * @pmu:	this CPU's counters; they are ours; interrupts are off
 */
void pmc_overflow_arm(struct pmc_pmu *pmu)
{
	if (pmu->overflow.armed || !pmu->acquired || !pmc_apic_exists())
		return;
	/* it is not known on a CPU without a time-stamp counter worth the name */
	pmu->overflow.spent_max = (tsc_khz ? tsc_khz : 1000000UL) * PMC_WINDOW_MS /
				  PMC_WINDOW_PARTS;
	pmc_nmi_overhead_measure(&pmu->overflow.overhead, pmu->overflow.spent_max);
	pmu->overflow.late_max = ((tsc_khz ? tsc_khz : 1000000) * PMC_LATE_MS >>
				  PMC_LATE_SHIFT) + 1;
	pmu->overflow.unmasked = pmu->description.family->unmasked;
	/* it may be of before a suspend, after which the time-stamp counter began anew */
	if (!pmc_overflow_expects_late(&pmu->overflow, rdtsc()))
		WRITE_ONCE(pmu->overflow.late_end, (unsigned long)(rdtsc() >> PMC_LATE_SHIFT) - 1);
	pmu->overflow.lvtpc = pmc_apic_read();
	pmc_apic_arm();
	WRITE_ONCE(pmu->overflow.armed, true);
}

/**
 * pmc_overflow_disarm - put LVTPC back as it was found
 * @pmu:	this CPU's counters, stopped; interrupts are off
 */
void pmc_overflow_disarm(struct pmc_pmu *pmu)
{
	struct pmc_overflow *overflow = &pmu->overflow;

	if (!overflow->armed)
		return;
	hrtimer_cancel(&overflow->timer);
	overflow->throttled = false;
	local_set(&overflow->early, 0);
	pmc_apic_write(overflow->lvtpc);
	WRITE_ONCE(overflow->armed, false);
}

/**
 * pmc_overflow_spurious - interrupts that told of nothing, on all CPUs
 */
u64 pmc_overflow_spurious(void)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += local64_read(&per_cpu(pmc_pmus, cpu).overflow.spurious);
	return sum;
}

/**
 * pmc_overflow_get - be there when an NMI comes
 *
 * First in the chain: perf's handler would acknowledge our overflows.
 *
 * Return: 0 or a negative errno.
 */
int pmc_overflow_get(void)
{
	int err = 0;

	mutex_lock(&pmc_overflow_lock);
	if (!pmc_overflow_users)
		err = register_nmi_handler(NMI_LOCAL, pmc_overflow_nmi, NMI_FLAG_FIRST, "pmcdrv");
	if (!err)
		pmc_overflow_users++;
	mutex_unlock(&pmc_overflow_lock);
	return err;
}

/* May an interrupt that is ours still come anywhere? */
static bool pmc_overflow_any_late(void)
{
	u64 now = rdtsc();
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct pmc_overflow *overflow = &per_cpu(pmc_pmus, cpu).overflow;

		if (overflow->unmasked && pmc_overflow_expects_late(overflow, now))
			return true;
		if (READ_ONCE(overflow->overhead.owed))
			return true;
	}
	return false;
}

/**
 * pmc_overflow_put - undo pmc_overflow_get()
 *
 * Nothing counts any more. What still comes would be nobody's without the handler: the
 * last one waits for it, PMC_LATE_MS at most.
 */
void pmc_overflow_put(void)
{
	u32 i;

	mutex_lock(&pmc_overflow_lock);
	if (!--pmc_overflow_users) {
		/* a time-stamp counter may stand still while its processor idles */
		for (i = 0; i < PMC_LATE_SLEEPS && pmc_overflow_any_late(); i++)
			msleep(PMC_LATE_MS / PMC_LATE_SLEEPS);
		unregister_nmi_handler(NMI_LOCAL, "pmcdrv");
	}
	mutex_unlock(&pmc_overflow_lock);
}

/**
 * pmc_overflow_exit - the module goes: nothing of ours is under way any more
 */
void pmc_overflow_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu(pmc_pmus, cpu).overflow.work);
}

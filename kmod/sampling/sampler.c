// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samplers: the sampled counters of one run
 *
 * Owns struct pmc_sampler, apart from its mmap fields (mmap_request.c). A counter with a
 * period is loaded so that it overflows when its count reaches the next multiple of the
 * period. Whether it has overflowed is decided by its count: so no overflow is lost, however
 * late its PMI comes, and none is recorded twice.
 *
 * Settling a run means: record a sample of each counter that has reached the count where
 * it is due, and reload it. The NMI handler (pmi.c) settles the runs that are not
 * locked. Code that changes a run locks it first, which settles it, too.
 *
 * Locking: everything runs on the CPU where the run counts: in NMI context, or with
 * interrupts off and the sampler locked. The NMI handler skips a locked sampler; its holder
 * handles the overflows. Nothing here allocates (apart from pmc_sampler_alloc()), prints or
 * sleeps.
 */
#include <linux/irq_work.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/pid_namespace.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <asm/tsc.h>

#include "pmu/family.h"
#include "pmu/fold.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "sampling/intel_pt.h"
#include "sampling/nmi.h"
#include "sampling/ring.h"
#include "sampling/sample.h"
#include "sampling/sample_config.h"
#include "sampling/sampler.h"
#include "sampling/throttle.h"

/**
 * pmc_program_find_only - the value of &struct pmc_program.only
 * @program:	complete, with a period
 *
 * Return: index of the only counter with a period, if the shortest path of pmi.c can record
 * its samples; otherwise -1.
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
 * pmc_sampler_alloc - the sampler of a run with sampling periods
 * @run:	initialised
 * @gfp:	allocation flags
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

/**
 * pmc_sampler_acknowledge - acknowledge one counter's overflow, if that is done per counter
 * @pmu:	this CPU's counters
 * @setup:	the counter
 *
 * For families without a status register. NMI context, or interrupts off.
 */
void pmc_sampler_acknowledge(struct pmc_pmu *pmu, const struct pmc_counter_setup *setup)
{
	const struct pmc_family *family = pmu->description.family;

	if (family->acknowledge)
		family->acknowledge(pmu, setup);
}

/*
 * pmc_sampler_reload() where writing one register is not enough. A counter with its PMI
 * one event after its overflow is loaded to overflow one event before it is due. If only
 * that one event is left, the PMI comes after the next one. A counter that may not be loaded
 * so close to its overflow overflows after it is due.
 */
static noinline void pmc_sampler_reload_called(struct pmc_pmu *pmu,
					       const struct pmc_counter_setup *setup,
					       struct pmc_count *count, struct pmc_due *due)
{
	u64 left = due->next - count->value;

	due->skid = setup->delayed;
	if (setup->least ? left >= setup->least : setup->lead && left > 1)
		due->skid = false;
	if (setup->least)
		left = max_t(u64, left, setup->least);
	else if (!due->skid)
		left -= setup->lead;
	count->raw = -left & count->mask;
	pmc_sampler_acknowledge(pmu, setup);
	pmu->description.family->write(pmu, setup, count->raw);
}

/* Load a counter so that it overflows when it is due. */
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

/* A counter at 0 that is not reloaded can request PMIs without end: see quirks_intel.c. */
static noinline void pmc_sampler_leave_zero(struct pmc_pmu *pmu, struct pmc_sampler *sampler, u32 i)
{
	struct pmc_run *run = sampler->run;

	if (!(pmu->description.query.quirks & PMC_QUIRK(ZERO)) || run->count[i].raw)
		return;
	run->count[i].raw = 1;
	pmu->description.family->write(pmu, &run->program->setup[i], 1);
}

/**
 * pmc_sampler_reload_all - reload the counters, of which none is due
 * @pmu:	this CPU's counters
 * @sampler:	its counters are stopped
 *
 * An unacknowledged overflow would request one PMI after another. NMI context.
 */
void pmc_sampler_reload_all(struct pmc_pmu *pmu, struct pmc_sampler *sampler)
{
	const struct pmc_program *program = sampler->run->program;
	u32 i;

	for (i = 0; i < program->nr; i++) {
		if (!program->setup[i].period)
			continue;
		if (sampler->due[i].throttled) {
			pmc_sampler_leave_zero(pmu, sampler, i);
			pmc_sampler_acknowledge(pmu, &program->setup[i]);
		} else {
			pmc_sampler_reload_one(pmu, sampler, i);
		}
	}
}

/**
 * pmc_sampler_start - from now on the NMI handler settles the run
 * @pmu:	this CPU's counters
 * @sampler:	of a run that is not counting; its counters are stopped; interrupts are off
 */
void pmc_sampler_start(struct pmc_pmu *pmu, struct pmc_sampler *sampler)
{
	const struct pmc_program *program = sampler->run->program;
	u32 i;

	/* acknowledge what earlier users of the counters have left */
	pmc_pmu_overflowed(pmu, program);
	for (i = 0; i < program->nr; i++) {
		if (program->setup[i].period)
			pmc_sampler_reload_one(pmu, sampler, i);
	}
	sampler->mm = sampler->task ? sampler->task->mm : NULL;
	sampler->ring = sampler->sampling->rings->ring[smp_processor_id()];
	/* pairs with the WRITE_ONCE() in pmc_sample_config_limit() */
	sampler->spent_max = READ_ONCE(sampler->sampling->spent_max);
	if (program->stop_to_read) {
		pmu->pmi.kernel++;
		pmc_nmi_update_follow_up(&pmu->pmi);
	}
	list_add_rcu(&sampler->node, &pmu->pmi.samplers);
}

static void pmc_sampler_unthrottle(struct pmc_sampler *sampler, u32 i, u64 now)
{
	struct pmc_due *due = &sampler->due[i];

	if (!due->throttled)
		return;
	pmc_sample_throttle(sampler, PMC_RECORD_UNTHROTTLE, i, now);
	due->throttled = false;
	due->skipped = 0;
	local_dec(&sampler->ring->throttled_now);
}

/**
 * pmc_sampler_unthrottle_all - sample the throttled counters of a run again
 * @pmu:	this CPU's counters
 * @sampler:	of a run that is counting here; not locked; interrupts are off
 */
void pmc_sampler_unthrottle_all(struct pmc_pmu *pmu, struct pmc_sampler *sampler)
{
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

/**
 * pmc_sampler_stop - the NMI handler no longer settles the run
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
	if (sampler->run->program->stop_to_read) {
		pmu->pmi.kernel--;
		pmc_nmi_update_follow_up(&pmu->pmi);
	}
}

/**
 * pmc_sampler_clear - the run's counts are about to become 0
 * @sampler:	locked
 *
 * The distance to the next overflow stays the same.
 */
void pmc_sampler_clear(struct pmc_sampler *sampler)
{
	u32 i;

	for (i = 0; i < sampler->run->program->nr; i++)
		sampler->due[i].next -= sampler->run->count[i].value;
}

/**
 * pmc_sampler_exec - current has exec'ed: sample it as the new program
 * @pmu:	this CPU's counters
 * @sampler:	current's, of a run that is counting here; interrupts are off
 *
 * Overflows of the old program are recorded before the address space changes.
 */
void pmc_sampler_exec(struct pmc_pmu *pmu, struct pmc_sampler *sampler)
{
	pmc_run_lock(pmu, sampler->run);
	sampler->mm = current->mm;
	pmc_run_unlock(pmu, sampler->run);
}

/* Overflows take too much time: the counter continues without being reloaded. */
static void pmc_sampler_throttle(struct pmc_pmu *pmu, struct pmc_sampler *sampler, u32 i,
				 u64 now)
{
	sampler->due[i].throttled = true;
	local_inc(&sampler->ring->throttled_now);
	pmc_sampler_leave_zero(pmu, sampler, i);
	pmc_sampler_acknowledge(pmu, &sampler->run->program->setup[i]);
	pmc_sample_throttle(sampler, PMC_RECORD_THROTTLE, i, now);
	if (!pmu->pmi.throttling.active) {
		pmu->pmi.throttling.active = true;
		irq_work_queue(&pmu->pmi.work);
	}
}

/*
 * Reload a counter that is not due, but has a remaining period of one event. It was loaded to
 * overflow one event early, so it may have overflowed, and if it was stopped since then its PMI
 * never comes.
 */
static noinline void pmc_sampler_settle_early(struct pmc_pmu *pmu, struct pmc_sampler *sampler,
					      u32 i)
{
	if (sampler->run->program->stop_to_read && !sampler->due[i].throttled &&
	    sampler->due[i].next - sampler->run->count[i].value == 1)
		pmc_sampler_reload_one(pmu, sampler, i);
}

/**
 * pmc_sampler_settle - record the overflows of the due counters, and reload these
 * @pmu:	this CPU's counters
 * @sampler:	its run is up to date and its counters do not count
 * @regs:	interrupted by the NMI; NULL outside of an NMI
 * @now:	time-stamp counter
 *
 * Without an NMI, one is expected for each counter found: its PMI may be on its way. A PMI
 * that comes before the reload finds the sampler locked.
 *
 * Return: how many counters had overflowed and were not throttled.
 */
noinline u32 pmc_sampler_settle(struct pmc_pmu *pmu, struct pmc_sampler *sampler,
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
			pmc_nmi_expect(&pmu->pmi.nmi, 1);
		due->skid = due->skid && over;
		pmc_sample_write(sampler, setup, overflows, regs, now);
		if (unlikely(regs && pmc_throttle_is_due(&pmu->pmi.throttling, sampler->spent_max,
							 now)))
			pmc_sampler_throttle(pmu, sampler, due - sampler->due, now);
		else
			pmc_sampler_reload(pmu, setup, count, due);
	}
	return found;
}

/**
 * pmc_sampler_settle_late - settle a run outside of an NMI
 * @pmu:	this CPU's counters
 * @sampler:	locked; its run is up to date and its counters do not count
 */
void pmc_sampler_settle_late(struct pmc_pmu *pmu, struct pmc_sampler *sampler)
{
	const struct pmc_program *program = sampler->run->program;

	pmc_pmu_overflowed(pmu, program);
	pmc_sampler_settle(pmu, sampler, NULL, sampler->run->since);
}

/**
 * pmc_run_recheck - settle a run that was locked, before its stopped counters start
 * @pmu:	this CPU's counters
 * @run:	a run with a sampler; interrupts are off
 *
 * An NMI may have come while the run was locked. Beside Intel PT, perf may have started the
 * counters in that NMI (intel_pt.c), and a counter may have overflowed, which the NMI handler
 * left to the holder. The NMI handler handles later overflows.
 */
void pmc_run_recheck(struct pmc_pmu *pmu, struct pmc_run *run)
{
	u32 passes;

	for (passes = 0; passes < PMC_PASSES_MAX; passes++) {
		if (!pmc_nmi_overflow_waits(run->sampler))
			return;
		pmc_sampler_lock(run->sampler);
		pmc_run_fold(pmu, run);
		pmc_sampler_settle_late(pmu, run->sampler);
		pmc_sampler_unlock(run->sampler);
	}
}

/**
 * pmc_run_lock - bring a sampled run up to date and keep the NMI handler off it
 * @pmu:	this CPU's counters
 * @run:	a run with a sampler that is counting here; interrupts are off
 */
void pmc_run_lock(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;

	if (program->stop_to_read)
		pmc_pmu_disable(pmu, program);
	pmc_sampler_lock(run->sampler);
	pmc_run_fold(pmu, run);
	pmc_sampler_settle_late(pmu, run->sampler);
}

/**
 * pmc_run_unlock - undo pmc_run_lock()
 * @pmu:	this CPU's counters
 * @run:	a run with a sampler that is counting here; interrupts are off
 *
 * The sampler is unlocked before the counters start. In the opposite order the NMI handler
 * would skip an overflow between the two steps, and the holder would not recheck.
 */
void pmc_run_unlock(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;

	pmc_sampler_unlock(run->sampler);
	if (!program->stop_to_read)
		return;
	if (pmc_intel_pt_present())
		pmc_run_recheck(pmu, run);
	pmc_pmu_enable(pmu, program);
}

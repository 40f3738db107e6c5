/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sample records: the inline fast path
 */
#ifndef PMC_SAMPLE_H
#define PMC_SAMPLE_H

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "pmu/family.h"
#include "pmu/run_types.h"
#include "sampling/ring.h"
#include "sampling/sample_config.h"
#include "sampling/sampler_types.h"

void pmc_sample_write(struct pmc_sampler *sampler, const struct pmc_counter_setup *setup,
		      u64 overflows, struct pt_regs *regs, u64 now);
void pmc_sample_throttle(struct pmc_sampler *sampler, u32 type, u32 counter, u64 now);

static __always_inline u16 pmc_task_register(void)
{
	u16 selector;

	asm("str %0" : "=r" (selector));
	return selector;
}

/*
 * The sampled task. During a context switch current is still the previous task while the next
 * one is already counted.
 */
static __always_inline struct task_struct *pmc_sample_task(const struct pmc_sampler *sampler)
{
	return sampler->task ? sampler->task : current;
}

/* Fill in the location: the PMI interrupted user mode, which the counter counts. */
static __always_inline void pmc_sample_fill_user(struct pmc_sample *sample,
						 const struct pt_regs *regs)
{
	sample->ip = regs->ip;
	sample->rflags = regs->flags;
	sample->cs = regs->cs;
	sample->privilege = 3;
	sample->flags = 0;
}

static __always_inline void pmc_sample_fill_values(struct pmc_sample *sample,
						   const struct pmc_run *run)
{
	const struct pmc_count *count = run->count;
	u32 nr = run->program->nr;
	u64 *to = sample->data, *end = to + nr;

	sample->nr_counters = nr;
	for (; to < end; to++, count++)
		*to = count->value;
}

/* Fill in all but the location, the ids and the header. No call chains. */
static __always_inline void pmc_sample_fill_event(struct pmc_sample *sample,
						  const struct pmc_sampler *sampler,
						  const struct pmc_counter_setup *setup,
						  const struct task_struct *task,
						  u64 overflows, u64 now)
{
	memcpy(sample->comm, task->comm, sizeof(sample->comm));
	sample->task_register = pmc_task_register();
	sample->counter = setup->number;
	sample->overflows = overflows;
	sample->tsc = now;
	sample->cpu = smp_processor_id();
	sample->reserved = 0;
	sample->nr_kernel_frames = 0;
	sample->nr_user_frames = 0;
	pmc_sample_fill_values(sample, sampler->run);
}

static __always_inline void pmc_sample_end(struct pmc_cpu_ring *ring, struct pmc_sample *sample,
					   u64 overflows, u32 size)
{
	sample->record.type = PMC_RECORD_SAMPLE;
	sample->record.size = size;
	local64_inc(&ring->records);
	local64_add(overflows, &ring->sampled);
}

/*
 * Fast path of pmc_sample_write(): &struct pmc_program.only is set, one overflow, and @regs are
 * of user mode.
 */
static __always_inline void pmc_sample_write_only(struct pmc_sampler *sampler,
						  const struct pmc_counter_setup *setup,
						  const struct pt_regs *regs, u64 now)
{
	const struct task_struct *task = pmc_sample_task(sampler);
	u32 size = sampler->sampling->record_min;
	struct pmc_cpu_ring *ring = sampler->ring;
	struct pmc_sample *sample;

	sample = pmc_ring_reserve(ring, size);
	if (unlikely(!sample)) {
		pmc_ring_drop(ring, 1);
		return;
	}
	pmc_sample_fill_user(sample, regs);
	sample->pid = task->tgid;
	sample->tid = task->pid;
	pmc_sample_fill_event(sample, sampler, setup, task, 1, now);
	pmc_sample_end(ring, sample, 1, size);
	pmc_ring_commit(ring, size);
}

#endif /* PMC_SAMPLE_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a sample tells
 *
 * Writes the records of struct pmc_sample and struct pmc_throttle. Owns no data,
 * takes no lock; NMI context, or with the sampler held and interrupts off (see
 * overflow.c).
 */
#include <linux/instruction_pointer.h>
#include <linux/pid_namespace.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "overflow.h"
#include "pmu.h"
#include "ring.h"

static u16 pmc_task_register(void)
{
	u16 selector;

	asm("str %0" : "=r" (selector));
	return selector;
}

/*
 * In the middle of a switch current is still the previous task while the next one
 * is counted.
 */
static struct task_struct *pmc_sample_task(const struct pmc_sampler *sampler)
{
	return sampler->task ? sampler->task : current;
}

static void pmc_sample_who(const struct pmc_sampling *sampling, struct pmc_sample *sample,
			   struct task_struct *task)
{
	/* the common case without a walk over the namespaces */
	if (sampling->ns == &init_pid_ns) {
		sample->pid = task->tgid;
		sample->tid = task->pid;
	} else {
		sample->pid = task_tgid_nr_ns(task, sampling->ns);
		sample->tid = task_pid_nr_ns(task, sampling->ns);
	}
	memcpy(sample->comm, task->comm, sizeof(sample->comm));
}

/*
 * What was interrupted, as far as it may be told. A counter that doesn't count
 * the kernel overflowed in user mode: if the interrupt came later, what is told
 * is where user mode was left. Returns the sample's flags.
 */
static u32 pmc_sample_place(struct pmc_place *place, struct task_struct *task,
			    struct pt_regs *regs, const struct pmc_program_entry *entry)
{
	if (regs && (entry->kernel || user_mode(regs))) {
		place->ip = regs->ip;
		place->flags = regs->flags;
		place->bp = regs->bp;
		place->cs = regs->cs;
		return user_mode(regs) && !entry->user ? PMC_SAMPLE_SKID : 0;
	}
	if (entry->kernel) {
		/* the interrupt, if it ever comes, will find us here */
		*place = (struct pmc_place){ .ip = _THIS_IP_, .cs = __KERNEL_CS };
		return PMC_SAMPLE_LATE;
	}
	pmc_place_user(place, task, regs);
	return regs ? PMC_SAMPLE_SKID : PMC_SAMPLE_LATE;
}

static void pmc_sample_where(struct pmc_sample *sample, const struct pmc_place *place)
{
	sample->ip = place->ip;
	sample->rflags = place->flags;
	sample->cs = place->cs;
	sample->privilege = place->cs & 3;
	sample->task_register = pmc_task_register();
}

/* The chains, behind the values. Returns the record's bytes. */
static u32 pmc_sample_chains(const struct pmc_sampling *sampling, struct pmc_sample *sample,
			     struct task_struct *task, struct pmc_place *place,
			     struct pt_regs *regs)
{
	u64 *frames = sample->data + sample->nr_counters;
	u32 kernel = 0, user = 0;

	if (sampling->flags & PMC_SAMPLE_KERNEL_CHAIN && regs && !(place->cs & 3))
		kernel = pmc_chain_kernel(regs, frames, sampling->frames);
	/* another task's memory is out of reach */
	if (sampling->flags & PMC_SAMPLE_USER_CHAIN && task == current &&
	    pmc_has_user_mode(task)) {
		if (!(place->cs & 3))
			pmc_place_user(place, task, regs);
		user = pmc_chain_user(place, frames + kernel, sampling->frames);
	}
	sample->nr_kernel_frames = kernel;
	sample->nr_user_frames = user;
	return struct_size(sample, data, sample->nr_counters + kernel + user);
}

static void pmc_sample_map(struct pmc_sampler *sampler, struct pt_regs *regs)
{
	if (!regs || !user_mode(regs) || pmc_map_known(sampler, regs->ip))
		return;
	sampler->map_wanted = regs->ip;
	irq_work_queue(&this_cpu_ptr(&pmc_pmus)->overflow.work);
}

/**
 * pmc_sample_write - tell of an overflow
 * @sampler:	whose run is up to date
 * @counter:	entry of its program
 * @overflows:	overflows that this stands for
 * @regs:	what was interrupted, or NULL
 * @now:	time-stamp counter
 */
void pmc_sample_write(struct pmc_sampler *sampler, u32 counter, u64 overflows,
		      struct pt_regs *regs, u64 now)
{
	const struct pmc_sampling *sampling = sampler->sampling;
	const struct pmc_program *program = sampler->run->program;
	struct task_struct *task = pmc_sample_task(sampler);
	struct pmc_cpu_ring *ring = sampler->ring;
	struct pmc_sample *sample;
	struct pmc_place place;
	u32 i, size;

	sample = pmc_ring_reserve(ring, sampling->record_max);
	if (unlikely(!sample)) {
		pmc_ring_lose(ring, overflows);
		return;
	}
	sample->flags = pmc_sample_place(&place, task, regs, &program->entry[counter]);
	pmc_sample_where(sample, &place);
	pmc_sample_who(sampling, sample, task);
	sample->counter = counter;
	sample->overflows = overflows;
	sample->tsc = now;
	sample->cpu = smp_processor_id();
	sample->reserved = 0;
	sample->nr_counters = program->nr;
	for (i = 0; i < program->nr; i++)
		sample->data[i] = sampler->run->count[i].value;
	if (sampling->flags & (PMC_SAMPLE_KERNEL_CHAIN | PMC_SAMPLE_USER_CHAIN)) {
		size = pmc_sample_chains(sampling, sample, task, &place, regs);
	} else {
		sample->nr_kernel_frames = 0;
		sample->nr_user_frames = 0;
		size = struct_size(sample, data, program->nr);
	}
	sample->record.type = PMC_RECORD_SAMPLE;
	sample->record.size = size;
	ring->records++;
	ring->sampled += overflows;
	pmc_ring_commit(ring, size);
	if (sampling->flags & PMC_SAMPLE_MAPS)
		pmc_sample_map(sampler, regs);
}

/**
 * pmc_sample_throttle - tell that a counter is sampled no longer, or again
 * @sampler:	whose
 * @type:	PMC_RECORD_THROTTLE or PMC_RECORD_UNTHROTTLE
 * @counter:	entry of its program
 * @now:	time-stamp counter
 */
void pmc_sample_throttle(struct pmc_sampler *sampler, u32 type, u32 counter, u64 now)
{
	struct pmc_throttle *record;

	record = pmc_ring_reserve(sampler->ring, sizeof(*record));
	if (!record)
		return;
	record->record.type = type;
	record->record.size = sizeof(*record);
	record->counter = counter;
	record->cpu = smp_processor_id();
	record->tsc = now;
	record->overflows = sampler->due[counter].skipped;
	pmc_ring_commit(sampler->ring, sizeof(*record));
}

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

#include "notify.h"
#include "overflow.h"
#include "pmu.h"
#include "ring.h"
#include "sample.h"

static void pmc_sample_who(const struct pmc_rings *rings, struct pmc_sample *sample,
			   struct task_struct *task)
{
	/* the common case without a walk over the namespaces */
	if (rings->ns == &init_pid_ns) {
		sample->pid = task->tgid;
		sample->tid = task->pid;
	} else {
		sample->pid = task_tgid_nr_ns(task, rings->ns);
		sample->tid = task_pid_nr_ns(task, rings->ns);
	}
}

/*
 * Has the thread exec'ed since it was last in user mode? Then its saved registers are
 * about to become the new program's, or are so already, and its memory is: neither says
 * where the old one was, and who followed that may have no right to know of the new one.
 * The address space is the first thing of all that an exec changes, and the exec's probe
 * comes after everything. (Who has given it back ends.)
 */
static bool pmc_sample_has_execed(const struct pmc_sampler *sampler,
				  const struct task_struct *task)
{
	return sampler->task && task->mm && task->mm != sampler->mm;
}

/* Was it in user mode that this counter overflowed, though that has been left? */
static bool pmc_sample_has_left(struct pt_regs *regs,
				const struct pmc_program_entry *entry)
{
	return !entry->kernel && !(regs && user_mode(regs));
}

/*
 * What was interrupted, as far as it may be told. A counter that doesn't count
 * the kernel overflowed in user mode: if the interrupt came later, what is told
 * is where user mode was left. Returns the sample's flags.
 */
static u32 pmc_sample_place(const struct pmc_sampler *sampler, struct pmc_place *place,
			    struct task_struct *task, struct pt_regs *regs,
			    const struct pmc_program_entry *entry)
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
	if (unlikely(pmc_sample_has_execed(sampler, task)))
		*place = (struct pmc_place){ .cs = __USER_CS };
	else
		pmc_place_user(place, task, regs);
	return regs ? PMC_SAMPLE_SKID : PMC_SAMPLE_LATE;
}

static noinline u32 pmc_sample_elsewhere(const struct pmc_sampler *sampler,
					 struct pmc_sample *sample, struct task_struct *task,
					 struct pt_regs *regs,
					 const struct pmc_program_entry *entry)
{
	struct pmc_place place;
	u32 flags = pmc_sample_place(sampler, &place, task, regs, entry);

	sample->ip = place.ip;
	sample->rflags = place.flags;
	sample->cs = place.cs;
	sample->privilege = pmc_place_is_user(&place) ? 3 : 0;
	if (regs && sampler->due[entry->number].skid)
		flags |= PMC_SAMPLE_SKID;
	return flags;
}

/* The common case takes the shortest way. */
static __always_inline void pmc_sample_where(const struct pmc_sampler *sampler,
					     struct pmc_sample *sample, struct task_struct *task,
					     struct pt_regs *regs,
					     const struct pmc_program_entry *entry)
{
	if (likely(regs && user_mode(regs) && entry->user && !entry->delayed))
		pmc_sample_user(sample, regs);
	else
		sample->flags = pmc_sample_elsewhere(sampler, sample, task, regs, entry);
}

/* How many frames a sample's chains have. */
struct pmc_chains {
	u32 kernel;
	u32 user;
};

/*
 * The chains, behind the values. Nothing is read back from the record, here or later: a
 * program that has mapped the ring may write to all of it at any time.
 */
static noinline struct pmc_chains pmc_sample_chains(const struct pmc_sampler *sampler,
						    struct pmc_sample *sample,
						    struct task_struct *task, struct pt_regs *regs,
						    const struct pmc_program_entry *entry)
{
	const struct pmc_sampling *sampling = sampler->sampling;
	u64 *frames = sample->data + sampler->run->program->nr;
	struct pmc_chains chains = {};
	struct pmc_place place;

	pmc_sample_place(sampler, &place, task, regs, entry);
	if (sampling->flags & PMC_SAMPLE_KERNEL_CHAIN && regs && !pmc_place_is_user(&place))
		chains.kernel = pmc_chain_kernel(regs, frames, sampling->frames);
	/* another task's memory is out of reach */
	if (sampling->flags & PMC_SAMPLE_USER_CHAIN && task == current &&
	    pmc_has_user_mode(task) && !pmc_sample_has_execed(sampler, task)) {
		if (!pmc_place_is_user(&place))
			pmc_place_user(&place, task, regs);
		chains.user = pmc_chain_user(&place, frames + chains.kernel, sampling->frames);
	}
	sample->nr_kernel_frames = chains.kernel;
	sample->nr_user_frames = chains.user;
	return chains;
}

/**
 * pmc_sample_write - tell of an overflow
 * @sampler:	whose run is up to date
 * @entry:	of its program
 * @overflows:	overflows that this stands for
 * @regs:	what was interrupted, or NULL
 * @now:	time-stamp counter
 */
void pmc_sample_write(struct pmc_sampler *sampler, const struct pmc_program_entry *entry,
		      u64 overflows, struct pt_regs *regs, u64 now)
{
	const struct pmc_sampling *sampling = sampler->sampling;
	struct task_struct *task = pmc_sample_task(sampler);
	struct pmc_cpu_ring *ring = sampler->ring;
	u32 nr = sampler->run->program->nr;
	struct pmc_chains chains = {};
	struct pmc_sample *sample;
	u32 size;

	sample = pmc_ring_reserve(ring, sampling->record_max);
	if (unlikely(!sample)) {
		pmc_ring_lose(ring, overflows);
		return;
	}
	pmc_sample_where(sampler, sample, task, regs, entry);
	pmc_sample_who(sampling->rings, sample, task);
	pmc_sample_what(sample, sampler, entry, task, overflows, now);
	/* the old name is gone */
	if (unlikely(pmc_sample_has_left(regs, entry)) && pmc_sample_has_execed(sampler, task))
		memset(sample->comm, 0, sizeof(sample->comm));
	if (unlikely(sampling->flags & (PMC_SAMPLE_KERNEL_CHAIN | PMC_SAMPLE_USER_CHAIN)))
		chains = pmc_sample_chains(sampler, sample, task, regs, entry);
	size = struct_size(sample, data, nr + chains.kernel + chains.user);
	pmc_sample_end(ring, sample, overflows, size);
	/* while the frames are likely still those */
	if (unlikely(sampling->flags & PMC_SAMPLE_MAPS) && regs && user_mode(regs))
		pmc_map_want(sampler, regs->ip, sample->data + nr + chains.kernel, chains.user);
	pmc_ring_commit(ring, size);
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

	pmc_notify_throttle(sampler->sampling->rings->identity, type,
			    sampler->run->program->entry[counter].rdpmc,
			    sampler->due[counter].skipped);
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

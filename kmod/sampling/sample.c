// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a sample tells
 *
 * Writes the records of struct pmc_sample and struct pmc_throttle. Owns no data,
 * takes no lock; NMI context, or with the sampler locked and interrupts off (see
 * overflow.c).
 */
#include <linux/instruction_pointer.h>
#include <linux/pid_namespace.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

#include "base/notify.h"
#include "sampling/overflow.h"
#include "pmu/pmu.h"
#include "sampling/ring.h"
#include "sampling/sample.h"

static void pmc_sample_fill_ids(const struct pmc_rings *rings, struct pmc_sample *sample,
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
				const struct pmc_counter_setup *setup)
{
	return !setup->kernel && !(regs && user_mode(regs));
}

/*
 * What was interrupted, as far as it may be told. A counter that doesn't count
 * the kernel overflowed in user mode: if the interrupt came later, what is told
 * is where user mode was left. Returns the sample's flags.
 */
static u32 pmc_sample_user_regs(const struct pmc_sampler *sampler, struct pmc_user_regs *user,
			    struct task_struct *task, struct pt_regs *regs,
			    const struct pmc_counter_setup *setup)
{
	if (regs && (setup->kernel || user_mode(regs))) {
		user->ip = regs->ip;
		user->flags = regs->flags;
		user->bp = regs->bp;
		user->cs = regs->cs;
		return user_mode(regs) && !setup->user ? PMC_SAMPLE_SKID : 0;
	}
	if (setup->kernel) {
		/* the interrupt, if it ever comes, will find us here */
		*user = (struct pmc_user_regs){ .ip = _THIS_IP_, .cs = __KERNEL_CS };
		return PMC_SAMPLE_LATE;
	}
	if (unlikely(pmc_sample_has_execed(sampler, task)))
		*user = (struct pmc_user_regs){ .cs = __USER_CS };
	else
		pmc_user_regs_find(user, task, regs);
	return regs ? PMC_SAMPLE_SKID : PMC_SAMPLE_LATE;
}

static noinline u32 pmc_sample_elsewhere(const struct pmc_sampler *sampler,
					 struct pmc_sample *sample, struct task_struct *task,
					 struct pt_regs *regs,
					 const struct pmc_counter_setup *setup)
{
	struct pmc_user_regs user;
	u32 flags = pmc_sample_user_regs(sampler, &user, task, regs, setup);

	sample->ip = user.ip;
	sample->rflags = user.flags;
	sample->cs = user.cs;
	sample->privilege = pmc_user_regs_valid(&user) ? 3 : 0;
	if (regs && sampler->due[setup->number].skid)
		flags |= PMC_SAMPLE_SKID;
	return flags;
}

/* The common case takes the shortest way. */
static __always_inline void pmc_sample_fill_location(const struct pmc_sampler *sampler,
					     struct pmc_sample *sample, struct task_struct *task,
					     struct pt_regs *regs,
					     const struct pmc_counter_setup *setup)
{
	if (likely(regs && user_mode(regs) && setup->user && !setup->delayed))
		pmc_sample_user(sample, regs);
	else
		sample->flags = pmc_sample_elsewhere(sampler, sample, task, regs, setup);
}

/* How many frames a sample's chains have. */
struct pmc_callchains {
	u32 kernel;
	u32 user;
};

/*
 * The chains, behind the values. Nothing is read back from the record, here or later: a
 * program that has mapped the ring may write to all of it at any time.
 */
static noinline struct pmc_callchains pmc_sample_callchains(const struct pmc_sampler *sampler,
						    struct pmc_sample *sample,
						    struct task_struct *task, struct pt_regs *regs,
						    const struct pmc_counter_setup *setup)
{
	const struct pmc_sample_config *sampling = sampler->sampling;
	u64 *frames = sample->data + sampler->run->program->nr;
	struct pmc_callchains chains = {};
	struct pmc_user_regs user;

	pmc_sample_user_regs(sampler, &user, task, regs, setup);
	if (sampling->flags & PMC_SAMPLE_KERNEL_CALLCHAIN && regs && !pmc_user_regs_valid(&user))
		chains.kernel = pmc_callchain_kernel(regs, frames, sampling->frames);
	/* another task's memory is out of reach */
	if (sampling->flags & PMC_SAMPLE_USER_CALLCHAIN && task == current &&
	    pmc_has_user_mode(task) && !pmc_sample_has_execed(sampler, task)) {
		if (!pmc_user_regs_valid(&user))
			pmc_user_regs_find(&user, task, regs);
		chains.user = pmc_callchain_user(&user, frames + chains.kernel, sampling->frames);
	}
	sample->nr_kernel_frames = chains.kernel;
	sample->nr_user_frames = chains.user;
	return chains;
}

/**
 * pmc_sample_write - tell of an overflow
 * @sampler:	whose run is up to date
 * @setup:	of its program
 * @overflows:	overflows that this stands for
 * @regs:	what was interrupted, or NULL
 * @now:	time-stamp counter
 */
void pmc_sample_write(struct pmc_sampler *sampler, const struct pmc_counter_setup *setup,
		      u64 overflows, struct pt_regs *regs, u64 now)
{
	const struct pmc_sample_config *sampling = sampler->sampling;
	struct task_struct *task = pmc_sample_task(sampler);
	struct pmc_cpu_ring *ring = sampler->ring;
	u32 nr = sampler->run->program->nr;
	struct pmc_callchains chains = {};
	struct pmc_sample *sample;
	u32 size;

	sample = pmc_ring_reserve(ring, sampling->record_max);
	if (unlikely(!sample)) {
		pmc_ring_lose(ring, overflows);
		return;
	}
	pmc_sample_fill_location(sampler, sample, task, regs, setup);
	pmc_sample_fill_ids(sampling->rings, sample, task);
	pmc_sample_fill_event(sample, sampler, setup, task, overflows, now);
	/* the old name is gone */
	if (unlikely(pmc_sample_has_left(regs, setup)) && pmc_sample_has_execed(sampler, task))
		memset(sample->comm, 0, sizeof(sample->comm));
	if (unlikely(sampling->flags & (PMC_SAMPLE_KERNEL_CALLCHAIN | PMC_SAMPLE_USER_CALLCHAIN)))
		chains = pmc_sample_callchains(sampler, sample, task, regs, setup);
	size = struct_size(sample, data, nr + chains.kernel + chains.user);
	pmc_sample_end(ring, sample, overflows, size);
	/* while the frames are likely still those */
	if (unlikely(sampling->flags & PMC_SAMPLE_MMAPS) && regs && user_mode(regs))
		pmc_mmap_request_all(sampler, regs->ip, sample->data + nr + chains.kernel, chains.user);
	pmc_ring_commit(ring, size);
}

/**
 * pmc_sample_throttle - tell that a counter is sampled no longer, or again
 * @sampler:	whose
 * @type:	PMC_RECORD_THROTTLE or PMC_RECORD_UNTHROTTLE
 * @counter:	setup of its program
 * @now:	time-stamp counter
 */
void pmc_sample_throttle(struct pmc_sampler *sampler, u32 type, u32 counter, u64 now)
{
	struct pmc_throttle *record;

	pmc_notify_throttle(sampler->sampling->rings->identity, type,
			    sampler->run->program->setup[counter].rdpmc,
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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sample records
 *
 * Writes struct pmc_sample and struct pmc_throttle into the ring. Also queues netlink events
 * of throttling and requests mmap records. Owns no data and takes no lock: NMI context, or
 * interrupts off with the sampler locked.
 */
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

#include "base/notify.h"
#include "base/user_mode.h"
#include "compat/compat.h"
#include "pmu/family.h"
#include "pmu/run_types.h"
#include "sampling/callchain.h"
#include "sampling/mmap_request.h"
#include "sampling/ring.h"
#include "sampling/sample.h"
#include "sampling/sample_config.h"
#include "sampling/sampler_types.h"
#include "sampling/user_regs.h"

static void pmc_sample_fill_ids(const struct pmc_rings *rings, struct pmc_sample *sample,
				struct task_struct *task)
{
	/* fast path: no walk over the namespaces */
	if (rings->ns == &init_pid_ns) {
		sample->pid = task->tgid;
		sample->tid = task->pid;
	} else {
		sample->pid = task_tgid_nr_ns(task, rings->ns);
		sample->tid = task_pid_nr_ns(task, rings->ns);
	}
}

/*
 * Has the thread called exec since it was last in user mode? Its memory, and soon its saved
 * registers, are then the new program's: they do not show where the old one was, and the owner
 * of the context may not be permitted to see them. Exec changes mm first and calls the
 * tracepoint last, so a different mm is the earliest sign. (A thread without mm is exiting.)
 */
static bool pmc_sample_has_execed(const struct pmc_sampler *sampler,
				  const struct task_struct *task)
{
	return sampler->task && task->mm && task->mm != sampler->mm;
}

/* Did the counter overflow in user mode, but the PMI arrive in the kernel? */
static bool pmc_sample_left_user_mode(struct pt_regs *regs,
				      const struct pmc_counter_setup *setup)
{
	return !setup->kernel && !(regs && user_mode(regs));
}

/*
 * Did the PMI interrupt a KVM guest? An NMI causes a VM exit, and the host handles it before it
 * clears PF_VCPU. The flag is set a few instructions before VM entry. An interrupt that
 * the host handles meanwhile is the host's; hardirq_count() includes the NMI itself.
 */
static bool pmc_sample_interrupted_guest(const struct task_struct *task, struct pt_regs *regs)
{
	return task == current && task->flags & PF_VCPU && regs && !user_mode(regs) &&
	       hardirq_count() <= HARDIRQ_OFFSET && !in_serving_softirq();
}

/*
 * The registers that the owner of the context may see. A counter that does not count kernel
 * mode overflowed in user mode: if the PMI interrupted the kernel, these are the registers with
 * which user mode was left. Returns PMC_SAMPLE_SKID, PMC_SAMPLE_LATE, PMC_SAMPLE_GUEST or 0.
 */
static u32 pmc_sample_visible_regs(const struct pmc_sampler *sampler, struct pmc_user_regs *user,
				   struct task_struct *task, struct pt_regs *regs,
				   const struct pmc_counter_setup *setup)
{
	if (unlikely(pmc_sample_interrupted_guest(task, regs))) {
		*user = (struct pmc_user_regs){};
		return PMC_SAMPLE_GUEST;
	}
	if (regs && (setup->kernel || user_mode(regs))) {
		user->ip = regs->ip;
		user->flags = regs->flags;
		user->bp = regs->bp;
		user->cs = regs->cs;
		return user_mode(regs) && !setup->user ? PMC_SAMPLE_SKID : 0;
	}
	if (setup->kernel) {
		/* the late PMI, if it arrives, interrupts this code */
		*user = (struct pmc_user_regs){ .ip = _THIS_IP_, .cs = __KERNEL_CS };
		return PMC_SAMPLE_LATE;
	}
	if (unlikely(pmc_sample_has_execed(sampler, task)))
		*user = (struct pmc_user_regs){ .cs = __USER_CS };
	else
		pmc_user_regs_find(user, task, regs);
	return regs ? PMC_SAMPLE_SKID : PMC_SAMPLE_LATE;
}

static noinline u32 pmc_sample_fill_location_slow(const struct pmc_sampler *sampler,
						  struct pmc_sample *sample,
						  struct task_struct *task, struct pt_regs *regs,
						  const struct pmc_counter_setup *setup)
{
	struct pmc_user_regs user;
	u32 flags = pmc_sample_visible_regs(sampler, &user, task, regs, setup);

	sample->ip = user.ip;
	sample->rflags = user.flags;
	sample->cs = user.cs;
	sample->privilege = pmc_user_regs_is_user(&user) ? 3 : 0;
	if (regs && sampler->due[setup->number].skid)
		flags |= PMC_SAMPLE_SKID;
	return flags;
}

/* Fast path: the PMI interrupted user mode, which the counter counts. */
static __always_inline void pmc_sample_fill_location(const struct pmc_sampler *sampler,
						     struct pmc_sample *sample,
						     struct task_struct *task,
						     struct pt_regs *regs,
						     const struct pmc_counter_setup *setup)
{
	if (likely(regs && user_mode(regs) && setup->user && !setup->delayed))
		pmc_sample_fill_user(sample, regs);
	else
		sample->flags = pmc_sample_fill_location_slow(sampler, sample, task, regs, setup);
}

/* Numbers of frames in a sample's call chains */
struct pmc_callchains {
	u32 kernel;
	u32 user;
};

/*
 * Write the call chains after the values. The driver never reads from the record, here or
 * later: a program that has mapped the ring can write to it at any time.
 */
static noinline struct pmc_callchains pmc_sample_callchains(const struct pmc_sampler *sampler,
							    struct pmc_sample *sample,
							    struct task_struct *task,
							    struct pt_regs *regs,
							    const struct pmc_counter_setup *setup)
{
	const struct pmc_sample_config *sampling = sampler->sampling;
	u64 *frames = sample->data + sampler->run->program->nr;
	struct pmc_callchains chains = {};
	struct pmc_user_regs user;

	if (pmc_sample_visible_regs(sampler, &user, task, regs, setup) & PMC_SAMPLE_GUEST)
		return chains;
	if (sampling->flags & PMC_SAMPLE_KERNEL_CALLCHAIN && regs && !pmc_user_regs_is_user(&user))
		chains.kernel = pmc_callchain_kernel(regs, frames, sampling->frames);
	/* only current's memory is accessible */
	if (sampling->flags & PMC_SAMPLE_USER_CALLCHAIN && task == current &&
	    pmc_has_user_mode(task) && !pmc_sample_has_execed(sampler, task)) {
		if (!pmc_user_regs_is_user(&user))
			pmc_user_regs_find(&user, task, regs);
		chains.user = pmc_callchain_user(&user, frames + chains.kernel, sampling->frames);
	}
	sample->nr_kernel_frames = chains.kernel;
	sample->nr_user_frames = chains.user;
	return chains;
}

/**
 * pmc_sample_write - write the sample record of an overflow
 * @sampler:	sampler of the run; the counts of the run are up to date
 * @setup:	the overflowed counter, of the run's program
 * @overflows:	number of overflows that the record represents
 * @regs:	interrupted registers, or NULL outside the PMI
 * @now:	time-stamp counter
 *
 * NMI context, or interrupts off with the sampler locked. A record that does not fit is
 * counted as lost.
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
		pmc_ring_drop(ring, overflows);
		return;
	}
	pmc_sample_fill_location(sampler, sample, task, regs, setup);
	pmc_sample_fill_ids(sampling->rings, sample, task);
	pmc_sample_fill_event(sample, sampler, setup, task, overflows, now);
	/* task->comm is the new program's */
	if (unlikely(pmc_sample_left_user_mode(regs, setup)) &&
	    pmc_sample_has_execed(sampler, task))
		memset(sample->comm, 0, sizeof(sample->comm));
	if (unlikely(sampling->flags & (PMC_SAMPLE_KERNEL_CALLCHAIN | PMC_SAMPLE_USER_CALLCHAIN)))
		chains = pmc_sample_callchains(sampler, sample, task, regs, setup);
	size = struct_size(sample, data, nr + chains.kernel + chains.user);
	pmc_sample_end(ring, sample, overflows, size);
	/* before the commit, after which the reader may release the frames */
	if (unlikely(sampling->flags & PMC_SAMPLE_MMAPS) && regs && user_mode(regs))
		pmc_mmap_request_all(sampler, regs->ip, sample->data + nr + chains.kernel,
				     chains.user);
	pmc_ring_commit(ring, size);
}

/**
 * pmc_sample_throttle - report that sampling of a counter stops or resumes
 * @sampler:	sampler of the counter
 * @type:	PMC_RECORD_THROTTLE or PMC_RECORD_UNTHROTTLE
 * @counter:	index of the counter in the run's program
 * @now:	time-stamp counter
 *
 * Writes a record, if it fits, and queues a netlink event. Context: as pmc_sample_write().
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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Self-monitoring: START, STOP and READ of a thread that counts itself
 *
 * The fast path. Owns no data. A program that measures a section of its own code calls these at
 * both ends, so they cost as few instructions as possible. target_count.c does the same for all
 * threads and from all threads.
 *
 * The context has one thread, which is current. With interrupts off, current is on this CPU
 * and not in a context switch, an exec or its exit. Code on another CPU that wants to access
 * a run that counts sends an IPI to this CPU first (thread.c).
 *
 * Locking: START and STOP hold the file's lock, so no other code changes the target. They
 * take neither pmc_target.lock nor, but for pmc_thread_sched_in(), pmc_thread.lock. While
 * the thread does not count, another CPU may open or close its user page.
 *
 * READ takes no lock. pmc_file.settled is the thread while no ioctl may change anything. An
 * ioctl that may do so sets it to NULL, and its first change waits for an IPI to this CPU,
 * which has interrupts off. So the reader either sees NULL and leaves the work to the slow
 * path, or finishes before that change. (It leaves it to the slow path too if the thread does not
 * count. If it did not count when the ioctl began, a START followed, which took the thread's
 * lock: so the reader sees NULL.) Thread and context are freed by RCU; with interrupts off
 * the reader is an RCU reader.
 */
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/uaccess.h>
#include <asm/tsc.h>

#include "target/read_reply.h"
#include "target/self.h"
#include "target/target_state.h"

/**
 * pmc_self_start - pmc_target_start() for self-monitoring
 * @thread:	pmc_self_thread(), and current; the file's lock is held
 *
 * Return: 0, -ESRCH (no longer followed).
 */
int pmc_self_start(struct pmc_thread *thread)
{
	struct pmc_target *target = &thread->context->target;

	if (thread->detached)
		return -ESRCH;
	local_irq_disable();
	if (target->state == PMC_TARGET_STOPPED && pmc_target_set_started(target))
		__pmc_thread_sched_in(thread);
	local_irq_enable();
	return 0;
}

/**
 * pmc_self_stop - pmc_target_stop() for self-monitoring
 * @thread:	pmc_self_thread(), and current; the file's lock is held
 */
void pmc_self_stop(struct pmc_thread *thread)
{
	local_irq_disable();
	if (thread->cpu >= 0) {
		__pmc_thread_sched_out(thread);
		pmc_thread_hide_counts(thread);
	}
	pmc_target_set_state(&thread->context->target, PMC_TARGET_STOPPED);
	local_irq_enable();
}

/*
 * Write the counts straight to user space, without folding the run. The run counts: so the
 * target runs and the thread is not detached.
 */
static __always_inline bool pmc_self_put(const struct pmc_thread *thread,
					 struct pmc_read __user *to)
{
	const struct pmc_context *context = thread->context;
	const struct pmc_run *run = &thread->run;
	struct pmc_read __user *from = to;
	u32 size, flags, cpu, zero;
	u32 nr = run->program->nr;
	u64 now = rdtsc();
	unsigned long i;

	if (!user_access_begin(to, PMC_READ_SIZE(nr)))
		return false;
	OPTIMIZER_HIDE_VAR(from); /* or the compiler keeps addresses in registers for below */
	unsafe_get_user(size, &from->size, fault);
	unsafe_get_user(flags, &from->flags, fault);
	unsafe_get_user(cpu, &from->cpu, fault);
	unsafe_get_user(zero, &from->nr_counters, fault);
	/* the slow path replies to any other request */
	if (size < PMC_READ_SIZE(nr) || (flags | zero | (cpu ^ PMC_CPU_ANY)))
		goto fault;
	for (i = 0; i < nr; i++) {
		const struct pmc_count *count = &run->count[i];
		u64 counted = pmc_counted_since(count, pmc_rdpmc(count->rdpmc));

		unsafe_put_user(counted + count->value + context->base[i], &to->value[i], fault);
	}
	if (!pmc_read_reply_put(to, thread->cpu, nr,
				PMC_STATE_RUNNING | READ_ONCE(context->target.uncounted), now,
				now + READ_ONCE(context->target.clock),
				now + run->counted - run->since, 0))
		goto fault;
	user_access_end();
	return true;
fault:
	user_access_end();
	return false;
}

static __always_inline bool __pmc_self_read(const struct pmc_thread *thread,
					    struct pmc_read __user *to)
{
	const struct pmc_program *program = thread->run.program;
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	bool done;

	if (unlikely(!program->plain))
		return false;
	if (!program->stop_to_read)
		return pmc_self_put(thread, to);
	pmc_pmu_disable(pmu, program);
	done = pmc_self_put(thread, to);
	pmc_pmu_enable(pmu, program);
	return done;
}

/**
 * pmc_self_read - PMC_IOC_READ of the caller's own counts
 * @settled:	&pmc_file.settled
 * @to:		the request; receives the reply
 *
 * Return: true if @to is complete. False if the slow path must reply: the caller is not the
 * context's thread or does not count now, the request has flags or is invalid, or a page of
 * @to is not present, and a page fault needs interrupts.
 */
bool pmc_self_read(struct pmc_thread *const *settled, struct pmc_read __user *to)
{
	const struct pmc_thread *thread;
	bool done = false;

	pagefault_disable();
	local_irq_disable();
	/* pairs with the smp_store_release() in pmc_ioctl_settled() */
	thread = smp_load_acquire(settled);
	if (pmc_self_is_current(thread) && thread->cpu >= 0)
		done = __pmc_self_read(thread, to);
	local_irq_enable();
	pagefault_enable();
	return done;
}

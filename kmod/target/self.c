// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread that counts itself: start, stop and read
 *
 * This is what is done most, and what somebody who measures a piece of code does
 * at its ends: so it is to cost little. target.c and context.c do the same for every
 * thread and from everywhere.
 *
 * All of it is for a context that only ever has one thread, which is current. With
 * interrupts off it is then here, not in its own exec, exit or switch, and whoever
 * else wants its run while that counts interrupts this CPU first (thread.c).
 *
 * Starting and stopping hold the file's lock, so that nobody else changes the target:
 * its lock is not needed, nor is the thread's, but for what pmc_thread_sched_in() does.
 * While the thread counts nowhere somebody may open or close its window.
 *
 * Reading takes no lock at all. The file says who its only thread is, but for the
 * time of an ioctl that may change something: so either the reader sees that one is
 * under way, and leaves it to pmc_context_snapshot(), or what that ioctl changes
 * first waits for this CPU, which has interrupts off. (Where the thread counts
 * nowhere the reader leaves too. If it was so when the other one came, then the
 * thread's lock, which the start has taken since, shows that one is under way.)
 * Thread and context are freed by RCU, of which this is a reader.
 */
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/uaccess.h>
#include <asm/tsc.h>

#include "target/self.h"

/**
 * pmc_self_start - what pmc_target_start() does
 * @thread:	pmc_self_thread(), and current
 *
 * Return: 0, -ESRCH (followed no longer).
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
 * pmc_self_stop - what pmc_target_stop() does
 * @thread:	pmc_self_thread(), and current
 */
void pmc_self_stop(struct pmc_thread *thread)
{
	local_irq_disable();
	if (thread->cpu >= 0)
		__pmc_thread_sched_out(thread);
	pmc_target_set_state(&thread->context->target, PMC_TARGET_STOPPED);
	local_irq_enable();
}

/*
 * The counts as they would be if they were brought up to date, which leaves less to
 * do. The run counts: so the target runs, and nobody has detached it.
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
	OPTIMIZER_HIDE_VAR(from); /* else addresses are kept from here to below */
	unsafe_get_user(size, &from->size, fault);
	unsafe_get_user(flags, &from->flags, fault);
	unsafe_get_user(cpu, &from->cpu, fault);
	unsafe_get_user(zero, &from->nr_counters, fault);
	/* for all of it, as nearly all ask? */
	if (size < PMC_READ_SIZE(nr) || (flags | zero | (cpu ^ PMC_CPU_ANY)))
		goto fault;
	for (i = 0; i < nr; i++) {
		const struct pmc_count *count = &run->count[i];
		u64 counted = pmc_counted_since(count, pmc_rdpmc(count->rdpmc));

		unsafe_put_user(counted + count->value + context->base[i], &to->value[i], fault);
	}
	unsafe_put_user(thread->cpu, &to->cpu, fault);
	unsafe_put_user(nr, &to->nr_counters, fault);
	unsafe_put_user(PMC_STATE_RUNNING | READ_ONCE(context->target.uncounted), &to->state,
			fault);
	unsafe_put_user(0, &to->reserved, fault);
	unsafe_put_user(now, &to->tsc, fault);
	unsafe_put_user(now + READ_ONCE(context->target.clock), &to->time_enabled, fault);
	unsafe_put_user(now + run->counted - run->since, &to->time_counted, fault);
	unsafe_put_user(0, &to->overflows, fault);
	unsafe_put_user(0, &to->reserved2, fault);
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
 * pmc_self_read - a snapshot, straight to user space
 * @settled:	the file's pmc_self_thread(), NULL while an ioctl may change something
 * @to:		the request, to be filled in
 *
 * Return: false if nothing was done that matters: it is not for the caller's own
 * counts or does not count now, the request is not plain or not right, or user space
 * is not there and must be brought, which takes interrupts.
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

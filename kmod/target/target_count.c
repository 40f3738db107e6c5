// SPDX-License-Identifier: GPL-2.0-only
/*
 * Start, stop and snapshot of all threads of a target, its state, its user page, and its clock
 * after a suspend
 *
 * Owns no data. Locks and context are those of target.c: task context with the file's lock held;
 * inside it pmc_thread.lock, then pmc_target.lock, with interrupts off. A PMC_SCOPE_THREAD target
 * has one thread, so no walk is needed and one critical section suffices.
 */
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/tsc.h>

#include "pmu/perf_metrics.h"
#include "pmu/pmu.h"
#include "target/context.h"
#include "target/snapshot.h"
#include "target/target.h"
#include "target/target_count.h"
#include "target/target_state.h"
#include "target/thread.h"

static void pmc_thread_start_local(void *data)
{
	struct pmc_thread *thread = data;

	if (current == thread->task)
		pmc_thread_sched_in(thread);
}

/* The target runs: make the thread count if it is on a CPU now. */
static void pmc_thread_kick(struct pmc_thread *thread)
{
	unsigned long flags;

	if (thread->task == current) {
		local_irq_save(flags);
		pmc_thread_sched_in(thread);
		local_irq_restore(flags);
		return;
	}
	/* before reading the task's CPU: see the top of thread.c */
	raw_spin_lock_irqsave(&thread->lock, flags);
	raw_spin_unlock_irqrestore(&thread->lock, flags);
	/* a sleeping thread reads the new state at its next switch */
	if (!READ_ONCE(thread->task->on_rq))
		return;
	/* if that CPU goes offline, the thread leaves it by a context switch */
	pmc_call_on_cpu(task_cpu(thread->task), pmc_thread_start_local, thread);
}

static void pmc_target_kick(struct pmc_target *target)
{
	struct pmc_thread *thread;

	if (target->only) {
		pmc_thread_kick(target->only);
		return;
	}
	while ((thread = pmc_target_next(target))) {
		pmc_thread_kick(thread);
		pmc_thread_put(thread);
		cond_resched();
	}
}

/**
 * pmc_target_start - count from now on, or from the next exec
 * @context:	configured
 *
 * Return: 0, -ESRCH (all threads have exited).
 */
int pmc_target_start(struct pmc_context *context)
{
	struct pmc_target *target = &context->target;
	bool kick = false;
	unsigned long flags;
	int err = 0;

	raw_spin_lock_irqsave(&target->lock, flags);
	if (!target->nr) {
		err = -ESRCH;
	} else if (target->state == PMC_TARGET_STOPPED) {
		/* before the counters run: a ring has one producer at a time */
		pmc_target_set_idle(target, false);
		kick = pmc_target_set_started(target);
		target->visit++;
	}
	raw_spin_unlock_irqrestore(&target->lock, flags);
	if (kick)
		pmc_target_kick(target);
	return err;
}

static void pmc_thread_stop_locked(struct pmc_thread *thread, struct pmc_snapshot *unused)
{
	pmc_thread_stop_here(thread);
}

/*
 * The only thread. Its lock keeps a context switch from restarting it, so the time counted
 * and the time enabled end together.
 */
static void pmc_thread_stop_only(struct pmc_thread *thread, struct pmc_snapshot *unused)
{
	struct pmc_target *target = &thread->context->target;

	pmc_thread_stop_locked(thread, NULL);
	raw_spin_lock(&target->lock);
	pmc_target_set_state(target, PMC_TARGET_STOPPED);
	raw_spin_unlock(&target->lock);
}

static void pmc_target_stop_all(struct pmc_target *target)
{
	unsigned long flags;
	bool running;

	/* the state first, so that no context switch restarts a thread */
	raw_spin_lock_irqsave(&target->lock, flags);
	running = target->state == PMC_TARGET_RUNNING;
	pmc_target_set_state(target, PMC_TARGET_STOPPED);
	target->visit++;
	raw_spin_unlock_irqrestore(&target->lock, flags);
	if (running)
		pmc_target_walk(target, pmc_thread_stop_locked, NULL);
}

/**
 * pmc_target_stop - stop counting; the counts stay
 * @context:	configured
 */
void pmc_target_stop(struct pmc_context *context)
{
	struct pmc_target *target = &context->target;
	unsigned long flags;

	if (target->only)
		pmc_thread_call(target->only, pmc_thread_stop_only, NULL);
	else
		pmc_target_stop_all(target);
	if (!context->sampling)
		return;
	raw_spin_lock_irqsave(&target->lock, flags);
	pmc_target_set_idle(target, true);
	raw_spin_unlock_irqrestore(&target->lock, flags);
}

/**
 * pmc_target_get_state - PMC_STATE_* of a context that follows threads
 * @context:	in the list of contexts; pmc_claims_lock is held, the file's lock is not
 */
u32 pmc_target_get_state(struct pmc_context *context)
{
	struct pmc_target *target = &context->target;
	unsigned long flags;
	u32 state;

	raw_spin_lock_irqsave(&target->lock, flags);
	state = pmc_target_state_flags(target);
	raw_spin_unlock_irqrestore(&target->lock, flags);
	return state;
}

/* Add times, state and the counts of exited threads. The target's lock is held. */
static void pmc_target_collect(struct pmc_target *target, u32 nr, struct pmc_snapshot *snapshot)
{
	u32 i;

	snapshot->cpu = -1;
	snapshot->tsc = rdtsc();
	pmc_target_update_clock(target, snapshot->tsc);
	snapshot->enabled = target->enabled;
	snapshot->counted += target->ended_counted;
	for (i = 0; i < nr; i++)
		snapshot->value[i] += target->ended[i];
	if (snapshot->clear_values)
		memset(target->ended, 0, sizeof(target->ended));
	if (snapshot->clear_times) {
		target->enabled = 0;
		WRITE_ONCE(target->clock, -target->since);
		target->ended_counted = 0;
	}
	snapshot->state |= pmc_target_state_flags(target);
}

/* The thread detached after the walk picked it: its counts are already in the target's. */
static void pmc_thread_collect_left(struct pmc_thread *thread, struct pmc_target *target,
				    struct pmc_snapshot *snapshot)
{
	u32 i;

	pmc_snapshot_add_values(snapshot->value, &thread->run);
	snapshot->counted += thread->run.counted;
	for (i = 0; snapshot->clear_values && i < thread->run.program->nr; i++)
		target->ended[i] -= thread->run.count[i].value;
	if (snapshot->clear_times)
		target->ended_counted -= thread->run.counted;
}

/* The thread's lock is held; if it counts, then on this CPU. */
static void pmc_thread_collect(struct pmc_thread *thread, struct pmc_snapshot *snapshot)
{
	struct pmc_target *target = &thread->context->target;

	raw_spin_lock(&target->lock);
	if (thread->detached)
		pmc_thread_collect_left(thread, target, snapshot);
	else
		pmc_snapshot_add_run(snapshot, &thread->run);
	raw_spin_unlock(&target->lock);
}

/* The only thread: everything is read in one section under both locks. */
static void pmc_thread_collect_only(struct pmc_thread *thread, struct pmc_snapshot *snapshot)
{
	struct pmc_target *target = &thread->context->target;

	raw_spin_lock(&target->lock);
	if (!thread->detached)
		pmc_snapshot_add_run(snapshot, &thread->run);
	pmc_target_collect(target, thread->run.program->nr, snapshot);
	snapshot->cpu = thread->cpu;
	raw_spin_unlock(&target->lock);
}

/**
 * pmc_target_snapshot - add the counts of all threads, exited ones included
 * @context:	configured
 * @snapshot:	to add to
 *
 * The counts of one thread are of one moment. Each thread is counted exactly once.
 */
void pmc_target_snapshot(struct pmc_context *context, struct pmc_snapshot *snapshot)
{
	struct pmc_target *target = &context->target;
	unsigned long flags;

	if (target->only) {
		pmc_thread_call(target->only, pmc_thread_collect_only, snapshot);
		return;
	}
	raw_spin_lock_irqsave(&target->lock, flags);
	target->visit++;
	target->reader = snapshot;
	pmc_target_collect(target, context->program->nr, snapshot);
	raw_spin_unlock_irqrestore(&target->lock, flags);

	pmc_target_walk(target, pmc_thread_collect, snapshot);

	raw_spin_lock_irqsave(&target->lock, flags);
	target->reader = NULL;
	/* the walk may have found rewritten registers */
	snapshot->state |= READ_ONCE(target->uncounted);
	raw_spin_unlock_irqrestore(&target->lock, flags);
}

static void pmc_thread_open_user_page(struct pmc_thread *thread, struct pmc_snapshot *unused)
{
	/* a read in user mode could not report PMC_STATE_UNCOUNTED */
	if (READ_ONCE(thread->context->target.uncounted) ||
	    pmc_perf_metrics_has_intervals(&thread->run))
		return;
	thread->run.user_page->open = true;
	thread->run.user_page->stale = true;
	if (thread->cpu >= 0)
		pmc_run_show(&thread->run);
}

static void pmc_thread_close_user_page(struct pmc_thread *thread, struct pmc_snapshot *unused)
{
	thread->run.user_page->open = false;
	pmc_run_hide(&thread->run);
}

/**
 * pmc_target_open_user_page - allow or forbid reading the counters in user mode
 * @context:	configured with PMC_CONFIG_USER_READ; pmc_rdpmc_lock is held
 * @open:	the thread may execute RDPMC
 */
void pmc_target_open_user_page(struct pmc_context *context, bool open)
{
	pmc_thread_call(context->target.only,
			open ? pmc_thread_open_user_page : pmc_thread_close_user_page, NULL);
}

/**
 * pmc_target_set_clock_back - the time-stamp counter lost @ticks in a suspend
 * @context:	in the list of contexts
 * @ticks:	ticks of the time-stamp counter
 *
 * Interrupts are off on the only CPU that is online.
 */
void pmc_target_set_clock_back(struct pmc_context *context, u64 ticks)
{
	struct pmc_target *target = &context->target;

	raw_spin_lock(&target->lock);
	target->since -= ticks;
	WRITE_ONCE(target->clock, target->enabled - target->since);
	raw_spin_unlock(&target->lock);
}

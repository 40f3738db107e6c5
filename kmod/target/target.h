/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads that a context follows
 */
#ifndef PMC_TARGET_H
#define PMC_TARGET_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <asm/tsc.h>

#include "uapi/pmcdrv.h"
#include "base/notify.h"

struct pmc_context;
struct pmc_snapshot;
struct pmc_thread;

/**
 * enum pmc_target_state - where a context that follows threads is in its life
 * @PMC_TARGET_STOPPED:	configured, or stopped again
 * @PMC_TARGET_ARMED:	waits for the exec of the thread it was configured for
 * @PMC_TARGET_RUNNING:	counts whenever one of its threads is on a CPU
 */
enum pmc_target_state {
	PMC_TARGET_STOPPED,
	PMC_TARGET_ARMED,
	PMC_TARGET_RUNNING,
};

/**
 * struct pmc_target - the threads that a context follows
 * @scope:	who joins: &enum pmc_scope; constant
 * @cred:	credentials of who configured it; constant
 * @privileged:	that one had CAP_PERFMON: its threads may become whoever they
 *		like; constant
 * @on_exec:	counting begins at the next exec of @leader; constant
 * @pid:	the thread or process that was asked for, for messages; constant
 * @leader:	the thread it was configured for; a reference is held, so that
 *		the address stays its own; constant
 * @only:	PMC_SCOPE_THREAD: the one thread it ever has; a reference is held
 * @lock:	guards the rest; inside &pmc_thread.lock, with interrupts off
 * @state:	&enum pmc_target_state; read without the lock by the switch
 * @exec_done:	the exec that it waited for has happened
 * @closing:	nobody joins any more
 * @threads:	those followed now
 * @nr:		number of them
 * @uncounted:	0, or PMC_STATE_UNCOUNTED for good: a thread ran on a CPU that can't count
 *		it. Set there without the lock, read by anybody
 * @missed:	threads that could not be followed for want of memory
 * @enabled:	ticks from start to stop
 * @since:	when @enabled was last brought up to date
 * @clock:	what is to be added to the time-stamp counter to have the time
 *		enabled, while it runs; read without the lock, for the page
 * @visit:	number of the last walk over @threads
 * @reader:	the snapshot that is being taken, or NULL
 * @ended_counted: ticks that threads which have left were counted
 * @ended:	counts of threads that have left
 */
struct pmc_target {
	u32 scope;
	const struct cred *cred;
	bool privileged;
	bool on_exec;
	struct pid *pid;
	struct task_struct *leader;
	struct pmc_thread *only;
	u32 uncounted;

	raw_spinlock_t lock; /* guards all below */
	enum pmc_target_state state;
	bool exec_done;
	bool closing;
	struct list_head threads;
	u32 nr;
	u64 missed;
	u64 enabled;
	u64 since;
	u64 clock;
	u64 visit;
	struct pmc_snapshot *reader;
	u64 ended_counted;
	u64 ended[PMC_COUNTERS_MAX];
};

int pmc_target_find(struct pmc_context *context, pid_t tid);
void pmc_target_release(struct pmc_context *context);
int pmc_target_follow(struct pmc_context *context);
void pmc_target_unfollow(struct pmc_context *context);
bool pmc_targets_share_process(const struct pmc_context *a, const struct pmc_context *b);
const struct pmc_context *
pmc_target_find_conflict(const struct pmc_context *context,
		bool (*function)(const struct pmc_context *context,
				 const struct pmc_context *other));

int pmc_target_start(struct pmc_context *context);
void pmc_target_stop(struct pmc_context *context);
void pmc_target_snapshot(struct pmc_context *context, struct pmc_snapshot *snapshot);
void pmc_target_open_user_page(struct pmc_context *context, bool open);
void pmc_target_set_idle(struct pmc_target *target, bool idle);
u32 pmc_target_state(struct pmc_context *context);
void pmc_target_set_clock_back(struct pmc_target *target, u64 ticks);
void pmc_target_notify(struct pmc_target *target, enum pmc_netlink_command event);
void pmc_target_notify_state(struct pmc_target *target, enum pmc_target_state state);

/* Brings the time enabled up to date; the lock is held. */
static inline void pmc_target_update_clock(struct pmc_target *target, u64 now)
{
	if (target->state == PMC_TARGET_RUNNING)
		target->enabled += now - target->since;
	target->since = now;
	WRITE_ONCE(target->clock, target->enabled - now);
}

/* It stops, waits or runs from now on; the lock is held. */
static inline void pmc_target_set_state(struct pmc_target *target, enum pmc_target_state state)
{
	if (pmc_notify_is_listening() && target->state != state)
		pmc_target_notify_state(target, state);
	pmc_target_update_clock(target, rdtsc());
	/* pairs with the READ_ONCE() in pmc_thread_sched_in() */
	WRITE_ONCE(target->state, state);
}

/* It is stopped, and no longer; the lock is held. True if it runs from now on. */
static inline bool pmc_target_set_started(struct pmc_target *target)
{
	bool now = !target->on_exec || target->exec_done;

	pmc_target_set_state(target, now ? PMC_TARGET_RUNNING : PMC_TARGET_ARMED);
	return now;
}

#endif /* PMC_TARGET_H */

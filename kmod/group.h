/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads that a context follows
 */
#ifndef PMC_GROUP_H
#define PMC_GROUP_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <asm/tsc.h>

#include "uapi/pmcdrv.h"
#include "notify.h"

struct pmc_context;
struct pmc_snapshot;
struct pmc_thread;

/**
 * enum pmc_group_state - where a context that follows threads is in its life
 * @PMC_GROUP_STOPPED:	configured, or stopped again
 * @PMC_GROUP_ARMED:	waits for the exec of the thread it was configured for
 * @PMC_GROUP_RUNNING:	counts whenever one of its threads is on a CPU
 */
enum pmc_group_state {
	PMC_GROUP_STOPPED,
	PMC_GROUP_ARMED,
	PMC_GROUP_RUNNING,
};

/**
 * struct pmc_group - the threads that a context follows
 * @scope:	who joins: &enum pmc_scope; constant
 * @cred:	credentials of who configured it; constant
 * @privileged:	that one had CAP_PERFMON: its threads may become whoever they
 *		like; constant
 * @on_exec:	counting begins at the next exec of @leader; constant
 * @target:	the thread or process that was asked for, for messages; constant
 * @leader:	the thread it was configured for; a reference is held, so that
 *		the address stays its own; constant
 * @only:	PMC_SCOPE_THREAD: the one thread it ever has; a reference is held
 * @lock:	guards the rest; inside &pmc_thread.lock, with interrupts off
 * @state:	&enum pmc_group_state; read without the lock by the switch
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
struct pmc_group {
	u32 scope;
	const struct cred *cred;
	bool privileged;
	bool on_exec;
	struct pid *target;
	struct task_struct *leader;
	struct pmc_thread *only;
	u32 uncounted;

	raw_spinlock_t lock; /* guards all below */
	enum pmc_group_state state;
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

int pmc_group_find(struct pmc_context *context, pid_t tid);
void pmc_group_forget(struct pmc_context *context);
int pmc_group_follow(struct pmc_context *context);
void pmc_group_unfollow(struct pmc_context *context);
bool pmc_groups_are_kin(const struct pmc_context *a, const struct pmc_context *b);
const struct pmc_context *
pmc_group_rival(const struct pmc_context *context,
		bool (*function)(const struct pmc_context *context,
				 const struct pmc_context *other));

int pmc_group_start(struct pmc_context *context);
void pmc_group_stop(struct pmc_context *context);
void pmc_group_snapshot(struct pmc_context *context, struct pmc_snapshot *snapshot);
void pmc_group_window(struct pmc_context *context, bool open);
void pmc_group_set_idle(struct pmc_group *group, bool idle);
u32 pmc_group_state(struct pmc_context *context);
void pmc_group_set_clock_back(struct pmc_group *group, u64 ticks);
void pmc_group_tell(struct pmc_group *group, enum pmc_netlink_command event);
void pmc_group_tell_state(struct pmc_group *group, enum pmc_group_state state);

/* Brings the time enabled up to date; the lock is held. */
static inline void pmc_group_clock(struct pmc_group *group, u64 now)
{
	if (group->state == PMC_GROUP_RUNNING)
		group->enabled += now - group->since;
	group->since = now;
	WRITE_ONCE(group->clock, group->enabled - now);
}

/* It stops, waits or runs from now on; the lock is held. */
static inline void pmc_group_set_state(struct pmc_group *group, enum pmc_group_state state)
{
	if (pmc_notify_is_awaited() && group->state != state)
		pmc_group_tell_state(group, state);
	pmc_group_clock(group, rdtsc());
	/* pairs with the READ_ONCE() in pmc_thread_in() */
	WRITE_ONCE(group->state, state);
}

/* It is stopped, and no longer; the lock is held. True if it runs from now on. */
static inline bool pmc_group_set_started(struct pmc_group *group)
{
	bool now = !group->on_exec || group->exec_done;

	pmc_group_set_state(group, now ? PMC_GROUP_RUNNING : PMC_GROUP_ARMED);
	return now;
}

#endif /* PMC_GROUP_H */

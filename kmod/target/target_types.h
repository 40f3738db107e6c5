/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct pmc_target: the threads that one context follows
 */
#ifndef PMC_TARGET_TYPES_H
#define PMC_TARGET_TYPES_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "uapi/pmcdrv.h"

struct cred;
struct pid;
struct pmc_snapshot;
struct pmc_thread;
struct task_struct;

/**
 * enum pmc_target_state - counting state of a context that follows threads
 * @PMC_TARGET_STOPPED:	not started, or stopped again
 * @PMC_TARGET_ARMED:	counting starts at the exec of &pmc_target.leader
 * @PMC_TARGET_RUNNING:	each followed thread counts while it is on a CPU
 */
enum pmc_target_state {
	PMC_TARGET_STOPPED,
	PMC_TARGET_ARMED,
	PMC_TARGET_RUNNING,
};

/**
 * struct pmc_target - the threads that a context follows
 * @scope:	which new threads inherit the context: &enum pmc_scope; constant
 * @cred:	credentials of the process that configured it, with a reference; constant
 * @privileged:	that process had CAP_PERFMON, so an exec that changes credentials does
 *		not end the following; constant
 * @on_exec:	counting begins at the next exec of @leader; constant
 * @pid:	the requested thread or process, with a reference; NULL for a context
 *		that counts CPUs; constant
 * @leader:	the requested thread, or the group leader of the requested process; the
 *		reference keeps the address from being reused; constant
 * @only:	PMC_SCOPE_THREAD: the one thread, with a reference; else NULL
 * @left_out:	isolated CPUs that were not acquired for the context, or NULL; a CPU that is
 *		acquired for a thread removes itself. One that was acquired already stays
 * @uncounted:	PMC_STATE_UNCOUNTED once a thread ran on a CPU that could not count it, and
 *		PMC_STATE_REWRITTEN; never cleared. Changed by pmc_state_set()
 * @lock:	protects all fields below; taken inside &pmc_thread.lock, interrupts off
 * @state:	@lock; the sched_switch probe reads it without
 * @exec_done:	@lock; the exec that @on_exec waits for has happened
 * @closing:	@lock; no thread may be added any more
 * @threads:	@lock; list of the followed &struct pmc_thread
 * @nr:		@lock; length of @threads
 * @missed:	@lock; number of threads not followed because memory was short
 * @enabled:	@lock; time from start to stop, in ticks of the time-stamp counter
 * @since:	@lock; time-stamp counter at the last update of @enabled
 * @clock:	@lock; time-stamp counter + @clock = time enabled, while running. Reads
 *		for the user page and for self-monitoring need no lock
 * @visit:	@lock; number of the latest walk over @threads
 * @reader:	@lock; the snapshot that is being taken, or NULL
 * @ended_counted: @lock; ticks counted by threads that have exited
 * @ended:	@lock; counts of threads that have exited
 */
struct pmc_target {
	u32 scope;
	const struct cred *cred;
	bool privileged;
	bool on_exec;
	struct pid *pid;
	struct task_struct *leader;
	struct pmc_thread *only;
	struct cpumask *left_out;
	u32 uncounted;

	raw_spinlock_t lock; /* protects all fields below */
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

#endif /* PMC_TARGET_TYPES_H */

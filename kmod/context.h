/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contexts: what an open file counts
 */
#ifndef PMC_CONTEXT_H
#define PMC_CONTEXT_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#include "family.h"

struct pmc_run;

/**
 * enum pmc_thread_state - where a thread context is in its life
 * @PMC_THREAD_STOPPED:	configured, or stopped again
 * @PMC_THREAD_ARMED:	waits for the thread's exec
 * @PMC_THREAD_RUNNING:	counts whenever the thread is on a CPU
 * @PMC_THREAD_ENDED:	the thread has ended, or took away the right to count it
 */
enum pmc_thread_state {
	PMC_THREAD_STOPPED,
	PMC_THREAD_ARMED,
	PMC_THREAD_RUNNING,
	PMC_THREAD_ENDED,
};

/**
 * struct pmc_thread - the part of a context that follows a thread
 * @hash:	in the table that the context switch looks into; claims' lock
 * @task:	the thread; a reference is held
 * @cred:	credentials of who configured it; constant
 * @privileged:	that one had CAP_PERFMON: the thread may become whoever it
 *		likes; constant
 * @on_exec:	counting begins at the next exec; constant
 * @lock:	guards the rest. Taken in the context switch: interrupts off,
 *		nothing that wakes or sleeps inside
 * @state:	&enum pmc_thread_state
 * @cpu:	the CPU where @run counts now, -1 if nowhere. Becomes -1 only on
 *		that CPU
 * @run:	its counts. While @cpu is not -1, only that CPU touches it
 * @exec_done:	the exec that it waited for has happened
 */
struct pmc_thread {
	struct hlist_node hash;
	struct task_struct *task;
	const struct cred *cred;
	bool privileged;
	bool on_exec;

	raw_spinlock_t lock;
	enum pmc_thread_state state;
	int cpu;
	bool exec_done;
	struct pmc_run *run;
};

/**
 * struct pmc_context - counters that somebody configured
 * @node:	in the list of all contexts; claims' lock
 * @scope:	&enum pmc_scope; constant
 * @cpu:	for PMC_SCOPE_CPU, else -1; constant
 * @owner:	process that configured it; constant
 * @comm:	its name; constant
 * @program:	what is counted; constant
 * @started:	CPU scopes: started and not stopped. Written with the file's lock
 *		and cpus_read_lock() held, read by the hotplug callbacks
 * @enabled:	ticks from start to stop; the file's lock, for threads &pmc_thread.lock
 * @since:	when @enabled was last brought up to date; likewise
 * @runs:	CPU scopes: a run for each CPU concerned, indexed by CPU. Touched
 *		on that CPU, or anywhere under cpus_read_lock() while it is offline
 * @thread:	PMC_SCOPE_THREAD only
 * @rcu:	freed when no context switch can still see it
 * @base:	what each value was set to when the runs were last cleared; the
 *		file's lock
 */
struct pmc_context {
	struct list_head node;
	u32 scope;
	int cpu;
	struct pid *owner;
	char comm[PMC_COMM_LEN];
	struct pmc_program *program;
	bool started;
	u64 enabled;
	u64 since;
	struct pmc_run **runs;
	struct pmc_thread thread;
	struct rcu_head rcu;
	u64 base[];
};

/**
 * struct pmc_snapshot - all counts of a context at one moment
 * @cpu:	in: the one CPU wanted, or -1; out: where it was taken, or -1
 * @clear_values: in: counts begin again at 0
 * @clear_times: in: times too
 * @state:	PMC_STATE_*
 * @tsc:	time-stamp counter
 * @enabled:	ticks enabled
 * @counted:	ticks counted
 * @value:	counts, without the context's base
 */
struct pmc_snapshot {
	int cpu;
	bool clear_values;
	bool clear_times;
	u32 state;
	u64 tsc;
	u64 enabled;
	u64 counted;
	u64 value[PMC_COUNTERS_MAX];
};

struct pmc_context *pmc_context_configure(struct pmc_config *config,
					  const struct pmc_counter_config *counters);
void pmc_context_release(struct pmc_context *context);
int pmc_context_start(struct pmc_context *context);
void pmc_context_stop(struct pmc_context *context);
void pmc_context_snapshot(struct pmc_context *context, struct pmc_snapshot *snapshot);

void pmc_context_cpu_online(struct pmc_context *context);
void pmc_context_cpu_offline(struct pmc_context *context);

void pmc_run_collect(struct pmc_run *run, struct pmc_snapshot *snapshot);

#endif /* PMC_CONTEXT_H */

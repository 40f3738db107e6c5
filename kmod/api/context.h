/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contexts: what an open file counts
 */
#ifndef PMC_CONTEXT_H
#define PMC_CONTEXT_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>

#include "pmu/family.h"
#include "target/target.h"
#include "base/notify.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "pmu/rdpmc_types.h"

struct pmc_run;

/**
 * struct pmc_context - counters that somebody configured
 * @node:	in the list of all contexts; claims' lock
 * @scope:	&enum pmc_scope; constant
 * @cpu:	for PMC_SCOPE_CPU, else -1; constant
 * @owner:	process that configured it; constant
 * @identity:	what others are told of it
 * @numbered:	@identity is whole
 * @program:	what is counted, a program for each kind of CPU; constant
 * @core_type:	&pmc_config.core_type; constant
 * @uncounted:	CPU scopes: 0 or PMC_STATE_UNCOUNTED; set by any CPU, read by anybody
 * @sampling:	how it is sampled, NULL if no counter has a period; constant
 * @started:	CPU scopes: started and not stopped. Written with the file's lock
 *		and cpus_read_lock() held, read by the hotplug callbacks
 * @enabled:	CPU scopes: ticks from start to stop; the file's lock
 * @since:	when @enabled was last brought up to date; likewise
 * @runs:	CPU scopes: a run for each CPU concerned, indexed by CPU. Touched
 *		on that CPU, or anywhere under cpus_read_lock() while it is offline
 * @target:	the other scopes: the threads followed
 * @refs:	one for being configured, and one for each thread followed that still is
 *		there: it may be at work for it
 * @rcu:	gives the first back when no context switch can still see it
 * @user_page:	PMC_CONFIG_USER_READ: for reading in user mode; changed on the CPU
 *		where the thread counts, or while it counts nowhere
 * @rdpmc:	PMC_CONFIG_USER_READ: the permission to use RDPMC in user mode
 * @base:	what each value was set to when the runs were last cleared; the
 *		file's lock
 */
struct pmc_context {
	struct list_head node;
	u32 scope;
	int cpu;
	struct pid *owner;
	struct pmc_identity identity;
	bool numbered;
	struct pmc_program *program;
	u32 core_type;
	u32 uncounted;
	struct pmc_sample_config *sampling;
	bool started;
	u64 enabled;
	u64 since;
	struct pmc_run **runs;
	struct pmc_target target;
	refcount_t refs;
	struct rcu_head rcu;
	struct pmc_user_page user_page;
	struct pmc_rdpmc_access rdpmc;
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

/* Begin a snapshot of @nr counters, without clearing room for more of them. */
static inline void pmc_snapshot_begin(struct pmc_snapshot *snapshot, int cpu, u32 nr)
{
	u32 i;

	snapshot->cpu = cpu;
	snapshot->clear_values = false;
	snapshot->clear_times = false;
	snapshot->state = 0;
	snapshot->counted = 0;
	for (i = 0; i < nr; i++)
		snapshot->value[i] = 0;
}

static inline bool pmc_context_follows(const struct pmc_context *context)
{
	return context->scope >= PMC_SCOPE_THREAD;
}

/* Its number; 0: it is not configured yet. */
static inline u64 pmc_context_id(const struct pmc_context *context)
{
	/* all of the identity: pairs with pmc_context_number() */
	return smp_load_acquire(&context->numbered) ? context->identity.id : 0;
}

struct pmc_context *pmc_context_configure(struct pmc_config *config,
					  const struct pmc_counter_config *counters,
					  unsigned long *probes, wait_queue_head_t *wait);
void pmc_context_release(struct pmc_context *context);
void pmc_context_put(struct pmc_context *context);
int pmc_context_start(struct pmc_context *context);
void pmc_context_stop(struct pmc_context *context);
void pmc_context_set_base(struct pmc_context *context, const u64 *values);
u32 pmc_context_state(struct pmc_context *context);
u64 pmc_contexts_configured(void);
void pmc_context_snapshot(struct pmc_context *context, struct pmc_snapshot *snapshot);

bool pmc_context_matches(const struct pmc_context *context, const struct pmc_query *query);
void pmc_context_cpu_online(struct pmc_context *context);
void pmc_context_cpu_offline(struct pmc_context *context);
void pmc_context_set_clock_back(struct pmc_context *context, u64 ticks);

void pmc_run_collect(struct pmc_run *run, struct pmc_snapshot *snapshot);

#endif /* PMC_CONTEXT_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct pmc_context: the counters that one open file has configured
 */
#ifndef PMC_CONTEXT_TYPES_H
#define PMC_CONTEXT_TYPES_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include "base/identity_types.h"
#include "pmu/rdpmc_types.h"
#include "target/target_types.h"

struct pid;
struct pmc_program;
struct pmc_run;
struct pmc_sample_config;
struct pmc_scope_ops;
struct pmc_snapshot;
struct pmc_user_page;

/**
 * struct pmc_context - a configured set of counters
 * @node:	pmc_claims_lock; entry in the list of contexts, read under RCU too
 * @announced:	pmc_claims_lock; entry in the list of contexts that have a number, or, while it
 *		attaches to its threads, of those that have none
 * @ops:	operations of its scope; constant
 * @cpu:	CPU that it counts, PMC_CPU_ANY for all CPUs and for threads; constant
 * @owner:	process that configured it, with a reference; constant
 * @identity:	what is reported to others
 * @numbered:	@identity is complete; set once, see pmc_context_id()
 * @program:	ring of programs, one for each PMU type that may count it; constant
 * @core_type:	&pmc_config.core_type; constant
 * @uncounted:	CPU scopes: PMC_STATE_UNCOUNTED once a CPU could not count it, and
 *		PMC_STATE_REWRITTEN. Changed by pmc_state_set()
 * @sampling:	sample configuration, NULL if no counter has a period; constant until
 *		the context is released
 * @started:	CPU scopes: START without a STOP. Written with the file's lock and
 *		cpus_read_lock() held, read by the hotplug callbacks
 * @enabled:	CPU scopes, file's lock: time from start to stop, in ticks of the
 *		time-stamp counter
 * @since:	CPU scopes, file's lock: time-stamp counter at the last update of @enabled
 * @runs:	CPU scopes: one run for each CPU that is counted, indexed by CPU. A run is
 *		accessed on its CPU, or under cpus_read_lock() while that CPU is offline
 * @snapshots:	CPU scopes, file's lock: indexed by CPU; each CPU adds its counts to its own
 * @target:	thread scopes: the followed threads
 * @refs:	one until the context is released, and one for each &struct pmc_thread
 *		that exists: its task_work may still use the context
 * @rcu:	drops the first reference when no context switch can see the context
 * @user_page:	PMC_CONFIG_USER_READ: the page for reading in user mode, else NULL;
 *		written on the CPU where the thread counts, or while it does not count
 * @rdpmc:	PMC_CONFIG_USER_READ: the permission to execute RDPMC in user mode
 * @base:	file's lock; added to each count: its value when the counts were last
 *		cleared
 */
struct pmc_context {
	struct list_head node;
	struct list_head announced;
	const struct pmc_scope_ops *ops;
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
	struct pmc_snapshot **snapshots;
	struct pmc_target target;
	refcount_t refs;
	struct rcu_head rcu;
	struct pmc_user_page *user_page;
	struct pmc_rdpmc_access rdpmc;
	u64 base[];
};

#endif /* PMC_CONTEXT_TYPES_H */

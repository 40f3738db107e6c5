/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct pmc_scope_ops: the operations of a scope (CPU, all CPUs, thread, process, tree)
 */
#ifndef PMC_SCOPE_TYPES_H
#define PMC_SCOPE_TYPES_H

#include <linux/types.h>

#include "uapi/pmcdrv.h"

struct pmc_context;
struct pmc_run;
struct pmc_snapshot;

/**
 * struct pmc_scope_ops - the operations of one scope
 * @scope:	&enum pmc_scope
 * @flags:	PMC_CONFIG_* flags that a configuration may have
 * @privileged:	configuring needs CAP_PERFMON
 * @one_cpu:	PMC_READ_ONE_CPU is allowed
 * @tracepoints: mask of the probes that must be registered while the context exists
 * @check:	validate flags, cpu and tid of a request; 0 or -EINVAL. Sanitises an
 *		index that user space supplied
 * @prepare:	allocate the runs, or find the thread @tid (in the caller's pid namespace,
 *		0: the caller); nothing counts or is followed yet. 0, -ENOMEM, -ESRCH,
 *		-EACCES, -EOPNOTSUPP, -EINVAL
 * @attach:	the counters are claimed: follow the threads; 0, -ESRCH, -ENOMEM, -EACCES,
 *		-EINTR. May be NULL
 * @detach:	undo @attach; the context is stopped. May be NULL
 * @release:	undo what @prepare acquired, but for memory that RCU readers use. May be NULL
 * @free:	free that memory; after an RCU grace period, any context. May be NULL
 * @announce:	assign the context's number and notify listeners
 * @start:	start all counters; 0 also if they are started, -ENODEV (the CPU is
 *		offline), -ESRCH (all threads have exited)
 * @stop:	stop all counters, if they are started; the counts stay
 * @snapshot:	add all counts at one moment to the snapshot, see &struct pmc_snapshot
 * @state:	PMC_STATE_* without reading a counter; cpus_read_lock() and
 *		pmc_claims_lock are held
 * @find_conflict: a context that follows one of the same threads and for which
 *		@conflicts returns true, or NULL; pmc_claims_lock is held. May be NULL
 * @come_online: this CPU came online: count here if started. Interrupts are off,
 *		pmc_claims_lock is held. May be NULL
 * @go_offline:	this CPU goes offline: stop here; likewise. May be NULL
 * @set_uncounted: this CPU cannot continue @run: if it belongs to the context, report
 *		PMC_STATE_UNCOUNTED from now on. Interrupts are off. May be NULL; it, @come_online
 *		and @go_offline are NULL together
 * @set_clock_back: the time-stamp counter lost @ticks in a suspend. Interrupts are off on
 *		the only CPU that is online
 *
 * Unless stated otherwise an operation runs in task context with the file's lock held.
 */
struct pmc_scope_ops {
	u32 scope;
	u32 flags;
	bool privileged;
	bool one_cpu;
	unsigned long tracepoints;

	int (*check)(struct pmc_config *config);
	int (*prepare)(struct pmc_context *context, pid_t tid);
	int (*attach)(struct pmc_context *context);
	void (*detach)(struct pmc_context *context);
	void (*release)(struct pmc_context *context);
	void (*free)(struct pmc_context *context);
	void (*announce)(struct pmc_context *context);

	int (*start)(struct pmc_context *context);
	void (*stop)(struct pmc_context *context);
	void (*snapshot)(struct pmc_context *context, struct pmc_snapshot *snapshot);
	u32 (*state)(struct pmc_context *context);

	const struct pmc_context *
		(*find_conflict)(const struct pmc_context *context,
				 bool (*conflicts)(const struct pmc_context *context,
						   const struct pmc_context *other));

	void (*come_online)(struct pmc_context *context);
	void (*go_offline)(struct pmc_context *context);
	void (*set_uncounted)(struct pmc_context *context, const struct pmc_run *run);
	void (*set_clock_back)(struct pmc_context *context, u64 ticks);
};

#endif /* PMC_SCOPE_TYPES_H */

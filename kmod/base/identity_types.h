/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The identity of a context, as notifications and records carry it
 */
#ifndef PMC_IDENTITY_TYPES_H
#define PMC_IDENTITY_TYPES_H

#include <linux/types.h>
#include <linux/uidgid.h>

#include "uapi/pmcdrv.h"

/**
 * struct pmc_identity - the properties of a context that are reported to others
 * @id:		the context's number, 0 before it is configured
 * @uid:	user that configured it
 * @privileged:	with rights that this user's other processes may not have: CAP_PERFMON, another
 *		effective user, or not dumpable
 * @pid:	process that configured it, in the initial pid namespace
 * @tid:	thread or process that it counts, in the initial pid namespace; 0 if it
 *		counts CPUs
 * @cpu:	CPU that it counts, or -1
 * @scope:	&enum pmc_scope
 * @general:	mask of the general counters that it holds
 * @fixed:	mask of the fixed counters that it holds
 * @comm:	name of the thread that configured it
 *
 * Complete and constant once &struct pmc_context.numbered is true: see pmc_context_id().
 */
struct pmc_identity {
	u64 id;
	kuid_t uid;
	bool privileged;
	pid_t pid;
	pid_t tid;
	int cpu;
	u32 scope;
	u64 general;
	u64 fixed;
	char comm[PMC_COMM_LEN];
};

#endif /* PMC_IDENTITY_TYPES_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of scopes: what a context counts, and the operations that differ
 *
 * CPU scopes are implemented in cpus.c, thread scopes in target.c and target_count.c. A
 * context keeps a pointer to its row. Self-monitoring (self.c) does not go through the
 * table.
 *
 * Owns the table, which is constant: no lock, any context.
 */
#include <linux/kernel.h>
#include <linux/nospec.h>

#include "target/context.h"
#include "target/cpus.h"
#include "target/scope.h"
#include "target/target.h"
#include "target/target_count.h"
#include "base/tracepoints.h"

#define PMC_CPUS_OPS						\
	.privileged = true,					\
	.prepare = pmc_cpus_prepare,				\
	.free = pmc_cpus_free,					\
	.announce = pmc_context_announce,			\
	.start = pmc_cpus_start,				\
	.stop = pmc_cpus_stop,					\
	.snapshot = pmc_cpus_snapshot,				\
	.state = pmc_cpus_state,				\
	.come_online = pmc_cpus_online,				\
	.go_offline = pmc_cpus_offline,				\
	.set_uncounted = pmc_cpus_set_uncounted,		\
	.set_clock_back = pmc_cpus_set_clock_back

#define PMC_TARGET_OPS						\
	.tracepoints = PMC_TRACEPOINTS_THREADS,			\
	.check = pmc_target_check,				\
	.prepare = pmc_target_find,				\
	.attach = pmc_target_follow,				\
	.detach = pmc_target_unfollow,				\
	.release = pmc_target_release,				\
	.announce = pmc_target_announce,			\
	.start = pmc_target_start,				\
	.stop = pmc_target_stop,				\
	.snapshot = pmc_target_snapshot,			\
	.state = pmc_target_get_state,				\
	.find_conflict = pmc_target_find_conflict,		\
	.set_clock_back = pmc_target_set_clock_back

static const struct pmc_scope_ops pmc_scopes[] = {
	[PMC_SCOPE_CPU] = {
		.scope = PMC_SCOPE_CPU,
		.check = pmc_cpus_check_one,
		PMC_CPUS_OPS,
	},
	[PMC_SCOPE_ALL_CPUS] = {
		.scope = PMC_SCOPE_ALL_CPUS,
		.one_cpu = true,
		.check = pmc_cpus_check_all,
		PMC_CPUS_OPS,
	},
	[PMC_SCOPE_THREAD] = {
		.scope = PMC_SCOPE_THREAD,
		.flags = PMC_CONFIG_ON_EXEC | PMC_CONFIG_USER_READ,
		PMC_TARGET_OPS,
	},
	[PMC_SCOPE_PROCESS] = {
		.scope = PMC_SCOPE_PROCESS,
		.flags = PMC_CONFIG_ON_EXEC,
		PMC_TARGET_OPS,
	},
	[PMC_SCOPE_TREE] = {
		.scope = PMC_SCOPE_TREE,
		.flags = PMC_CONFIG_ON_EXEC,
		PMC_TARGET_OPS,
	},
};

/**
 * pmc_scope_find - the operations of a scope
 * @scope:	&enum pmc_scope, from user space
 *
 * Return: the operations, NULL if there is no such scope.
 */
const struct pmc_scope_ops *pmc_scope_find(u32 scope)
{
	if (scope < PMC_SCOPE_CPU || scope >= ARRAY_SIZE(pmc_scopes))
		return NULL;
	return &pmc_scopes[array_index_nospec(scope, ARRAY_SIZE(pmc_scopes))];
}

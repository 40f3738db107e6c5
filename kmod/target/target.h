/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Targets: which threads a context follows
 */
#ifndef PMC_TARGET_H
#define PMC_TARGET_H

#include <linux/types.h>

#include "target/target_types.h"

struct pmc_config;
struct pmc_context;

int pmc_target_check(struct pmc_config *config);
int pmc_target_find(struct pmc_context *context, pid_t tid);
void pmc_target_release(struct pmc_context *context);
int pmc_target_follow(struct pmc_context *context);
void pmc_target_unfollow(struct pmc_context *context);
void pmc_target_announce(struct pmc_context *context);
bool pmc_targets_share_process(const struct pmc_context *a, const struct pmc_context *b);
const struct pmc_context *
pmc_target_find_conflict(const struct pmc_context *context,
			 bool (*conflicts)(const struct pmc_context *context,
					   const struct pmc_context *other));

struct pmc_thread *pmc_target_next(struct pmc_target *target);
void pmc_target_walk(struct pmc_target *target,
		     void (*function)(struct pmc_thread *, struct pmc_snapshot *),
		     struct pmc_snapshot *snapshot);

#endif /* PMC_TARGET_H */

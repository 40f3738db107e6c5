/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Start, stop and snapshot of all threads of a target
 */
#ifndef PMC_TARGET_COUNT_H
#define PMC_TARGET_COUNT_H

#include <linux/types.h>

struct pmc_context;
struct pmc_snapshot;

int pmc_target_start(struct pmc_context *context);
void pmc_target_stop(struct pmc_context *context);
void pmc_target_snapshot(struct pmc_context *context, struct pmc_snapshot *snapshot);
u32 pmc_target_get_state(struct pmc_context *context);
void pmc_target_open_user_page(struct pmc_context *context, bool open);
void pmc_target_set_clock_back(struct pmc_context *context, u64 ticks);

#endif /* PMC_TARGET_COUNT_H */

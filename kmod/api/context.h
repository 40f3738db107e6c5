/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Configuring and releasing contexts
 */
#ifndef PMC_CONTEXT_H
#define PMC_CONTEXT_H

#include <linux/types.h>
#include <linux/wait.h>

#include "uapi/pmcdrv.h"

struct pmc_context;

struct pmc_context *pmc_context_configure(struct pmc_config *config,
					  const struct pmc_counter_config *counters,
					  unsigned long *probes, wait_queue_head_t *wait);
void pmc_context_release(struct pmc_context *context);
void pmc_context_set_base(struct pmc_context *context, const u64 *values);

#endif /* PMC_CONTEXT_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sampling parameters of a context
 */
#ifndef PMC_SAMPLE_CONFIG_H
#define PMC_SAMPLE_CONFIG_H

#include <linux/types.h>
#include <linux/wait.h>

#include "uapi/pmcdrv.h"

struct pmc_rings;

/**
 * struct pmc_sample_config - how a context is sampled
 * @flags:	PMC_SAMPLE_*
 * @frames:	longest call chain, in frames
 * @record_min:	bytes of a sample record without call chains
 * @record_max:	largest possible sample record, in bytes
 * @rings:	the rings that the records go to
 * @throttle_percent: &pmc_config.throttle_percent, or its maximum
 * @spent_max:	ticks that overflows may take of a window (throttle.c); changed with the device's
 *		attribute
 *
 * The rest is constant while the context is configured.
 */
struct pmc_sample_config {
	u32 flags;
	u32 frames;
	u32 record_min;
	u32 record_max;
	struct pmc_rings *rings;
	u32 throttle_percent;
	unsigned long spent_max;
};

int pmc_sample_config_check(const struct pmc_config *config,
			    const struct pmc_counter_config *counters);
struct pmc_sample_config *pmc_sample_config_create(const struct pmc_config *config,
						   wait_queue_head_t *wait);
void pmc_sample_config_limit(struct pmc_sample_config *sampling, u32 percent);
void pmc_sample_config_release(struct pmc_sample_config *sampling);

#endif /* PMC_SAMPLE_CONFIG_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Validation of a configuration request
 */
#ifndef PMC_CHECK_H
#define PMC_CHECK_H

#include <linux/types.h>

#include "uapi/pmcdrv.h"

bool pmc_config_includes_cpu(const struct pmc_config *config, int cpu);
int pmc_config_check(struct pmc_config *config, const struct pmc_counter_config *counters,
		     bool *samples);

#endif /* PMC_CHECK_H */

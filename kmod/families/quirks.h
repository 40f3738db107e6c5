/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Quirks: errata of a processor's counters
 */
#ifndef PMC_QUIRKS_H
#define PMC_QUIRKS_H

#include <linux/limits.h>
#include <linux/types.h>

#include "uapi/pmcdrv.h"

/**
 * struct pmc_quirk - one row of a vendor's table of quirks
 * @quirk:	PMC_QUIRK()
 * @cpu_family:	display family
 * @first_model: lowest display model
 * @last_model:	highest display model
 * @steppings:	mask of the steppings that have the quirk
 * @applies:	a further condition, checked on the CPU in question; NULL for none
 */
struct pmc_quirk {
	u64 quirk;
	u32 cpu_family;
	u32 first_model;
	u32 last_model;
	u32 steppings;
	bool (*applies)(const struct pmc_query *query);
};

/* As @last_model with a @first_model of 0, and as @steppings */
#define PMC_QUIRK_ANY		U32_MAX

extern const struct pmc_quirk pmc_quirks_amd[];
extern const struct pmc_quirk pmc_quirks_intel[];

u64 pmc_quirks_find(const struct pmc_query *query);

#endif /* PMC_QUIRKS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core types of hybrid processors
 */
#ifndef PMC_CORE_TYPE_H
#define PMC_CORE_TYPE_H

#include <linux/types.h>

#include "uapi/pmcdrv.h"

/**
 * pmc_core_type_matches - is a CPU of the requested core type?
 * @requested:	&pmc_config.core_type: 0 for any; without PMC_CORE_TYPE_MODEL it matches each
 *		model of the type
 * @query:	description of the CPU
 */
static inline bool pmc_core_type_matches(u32 requested, const struct pmc_query *query)
{
	u32 core_type = query->core_type;

	if (!(requested & PMC_CORE_TYPE_MODEL))
		core_type &= ~PMC_CORE_TYPE_MODEL;
	return !requested || requested == core_type;
}

#endif /* PMC_CORE_TYPE_H */

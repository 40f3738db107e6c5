// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kinds of CPU: those whose counters differ
 *
 * CPUs of one system may have different counters: cores of two kinds, or processors of
 * two models. Those with all in common for which a program is compiled are of one kind.
 * A kind once seen keeps its number, so that a CPU that comes back finds its own.
 *
 * Owns the list of them. Only the hotplug callbacks come here, one at a time.
 */
#include <linux/errno.h>

#include "pmu/family.h"
#include "pmu/pmu_type.h"

static struct pmc_query pmc_pmu_types[PMC_PMU_TYPES_MAX];
static u32 pmc_nr_pmu_types;

/* Features of the counters, not of the CPU's clock. */
#define PMC_PMU_TYPE_FEATURES \
	(~(PMC_FEATURE(TSC) | PMC_FEATURE(TSC_SYNC)))

static bool pmc_pmu_type_matches(const struct pmc_query *a, const struct pmc_query *b)
{
	return a->family == b->family && a->core_type == b->core_type &&
	       a->cpu_family == b->cpu_family && a->cpu_model == b->cpu_model &&
	       a->perfmon_version == b->perfmon_version &&
	       a->general_counters == b->general_counters &&
	       a->fixed_counters == b->fixed_counters &&
	       a->general_width == b->general_width && a->fixed_width == b->fixed_width &&
	       a->event_select_mask == b->event_select_mask &&
	       !((a->features ^ b->features) & PMC_PMU_TYPE_FEATURES);
}

/**
 * pmc_pmu_type_of - number of a CPU's kind
 * @query:	the CPU, which has counters
 *
 * Return: the number, less than PMC_PMU_TYPES_MAX; -ENOSPC if there were too many, or of
 * another family than the first: what is asked of one family holds for all.
 */
int pmc_pmu_type_of(const struct pmc_query *query)
{
	u32 i;

	for (i = 0; i < pmc_nr_pmu_types; i++) {
		if (pmc_pmu_type_matches(&pmc_pmu_types[i], query))
			return i;
	}
	if (i == PMC_PMU_TYPES_MAX || (i && pmc_pmu_types[0].family != query->family))
		return -ENOSPC;
	pmc_pmu_types[pmc_nr_pmu_types++] = *query;
	return i;
}

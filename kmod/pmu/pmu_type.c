// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMU types: CPUs with the same counters
 *
 * The CPUs of a system may have different counters: cores of two core types, or processors
 * of two models. CPUs have the same PMU type if every property that a program is compiled
 * for is equal. A PMU type keeps its number until unload, so a CPU that comes online again
 * gets the same one.
 *
 * Owns the list of PMU types. No lock: only the hotplug callbacks change it, one at a time, and
 * readers hold cpus_read_lock(). Task context.
 */
#include <linux/errno.h>

#include "pmu/family.h"
#include "pmu/pmu_type.h"

static struct pmc_query pmc_pmu_types[PMC_PMU_TYPES_MAX];
static u32 pmc_nr_pmu_types;

/* The features of the counters, without those of the time-stamp counter */
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
	       a->event_select_mask == b->event_select_mask && a->quirks == b->quirks &&
	       !((a->features ^ b->features) & PMC_PMU_TYPE_FEATURES);
}

/**
 * pmc_pmu_type_of - determine the PMU type of a CPU
 * @query:	description of the CPU, which has counters
 *
 * Return: the number, less than PMC_PMU_TYPES_MAX; -ENOSPC if there are too many PMU types,
 * or if the family differs from the first one's. The driver assumes one family for all CPUs.
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

/**
 * pmc_pmu_types_have - do CPUs of all PMU types have a counter?
 * @family:	their family
 * @counter:	the counter
 *
 * Includes the types of CPUs that are offline now. cpus_read_lock() is held.
 *
 * Return: true if so.
 */
bool pmc_pmu_types_have(const struct pmc_family *family, u32 counter)
{
	u32 i;

	for (i = 0; i < pmc_nr_pmu_types; i++) {
		struct pmc_counter unused = {};

		if (family->describe_counter(&pmc_pmu_types[i], counter, &unused))
			return false;
	}
	return true;
}

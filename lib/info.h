/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The description of a CPU and its counters */
#ifndef PMC_INFO_H
#define PMC_INFO_H

#include "libpmcdrv.h"

/* More than any CPU has; a 64-bit mask holds one bit for each index. */
#define INFO_COUNTERS_MAX	64

/*
 * @cpu_text: the CPU's name in messages
 * @is_hybrid: counters that several core types have in common; set by libpmcevents
 * @perf_metrics_core_type: if not all core types have the performance metrics: one that has; else 0
 * @excluded: mask of the counters that plans do not use; set by libpmcevents
 */
struct pmc_info {
	char cpu_text[16];
	struct pmc_query query;
	bool is_hybrid;
	uint32_t perf_metrics_core_type;
	size_t num_counters;
	uint64_t excluded;
	struct pmc_counter counter[INFO_COUNTERS_MAX];
};

/* Describe a CPU. @fd: an open file of the driver. Return: NULL after pmc_fail(). */
struct pmc_info *pmc_info_get(int fd, int cpu);

#endif /* PMC_INFO_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of a family use of a CPU's counters, in unit tests */
#ifndef TEST_PMU_PMU_H
#define TEST_PMU_PMU_H

#include <linux/list.h>

#include "pmu/family.h"

struct pmc_pmu {
	struct hlist_head thread_runs;
	u64 select[PMC_GENERAL_MAX];
	u64 found_running;
	struct {
		u64 select[PMC_GENERAL_MAX];
		u64 general[PMC_GENERAL_MAX];
	} saved;
};

#endif /* TEST_PMU_PMU_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Family NetBurst: definitions shared by its files
 */
#ifndef PMC_NETBURST_H
#define PMC_NETBURST_H

#include <linux/bits.h>
#include <linux/percpu.h>

#include "families/families.h"
#include "pmu/pmu.h"

/**
 * struct netburst_share - a logical processor's share of its core's counters
 * @second:	this is the second logical processor of its core: T1 in the manual
 * @half:	the core has two logical processors, each with half of the counters
 *
 * Written when the CPU is described.
 */
struct netburst_share {
	bool second;
	bool half;
};

DECLARE_PER_CPU(struct netburst_share, netburst_shares);

/* Does this logical processor have the second counter of each pair? */
static inline bool netburst_has_second_half(const struct netburst_share *share)
{
	return share->half && share->second;
}

/* The counters of the bus and the L3, from 18 on */
#define NETBURST_L3_FIRST	18

bool netburst_l3_exists(const struct pmc_query *query);
u32 netburst_l3_number(u32 counter, const struct netburst_share *share);
u64 netburst_l3_counters(const struct netburst_share *share);
u32 netburst_l3_msr_here(u32 counter);
void netburst_l3_describe(u32 counter, struct pmc_counter *answer);
int netburst_l3_check(const struct pmc_counter_config *config, u64 *refused);
void netburst_l3_compile(const struct pmc_counter_config *config,
			 struct pmc_counter_setup *setup);
void netburst_l3_save(struct pmc_pmu *pmu, u32 counter);
void netburst_l3_restore(struct pmc_pmu *pmu, u32 counter);
void netburst_l3_start(struct pmc_pmu *pmu, const struct pmc_counter_setup *setup);
void netburst_l3_stop(struct pmc_pmu *pmu, const struct pmc_counter_setup *setup);
bool netburst_l3_verify(const struct pmc_counter_setup *setup);
void netburst_l3_write(const struct pmc_counter_setup *setup, u64 raw);

#endif /* PMC_NETBURST_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Family core (Intel's architectural performance monitoring): definitions shared by its files
 */
#ifndef PMC_CORE_H
#define PMC_CORE_H

#include <linux/bits.h>
#include <linux/types.h>

#include "families/families.h"

/* From this version on CPUID leaf 23H may exist, and registers have new addresses. */
#define CORE_VERSION_LEAF_23H	6

#define CORE_NEWEST_VERSION	6

#define MSR_PMC0		0x0c1	/* IA32_PMC0 */
#define MSR_EVENT_SELECT0	0x186	/* IA32_PERFEVTSEL0 */
#define MSR_FIXED_CTRL		0x38d	/* IA32_FIXED_CTR_CTRL */
#define MSR_GLOBAL_CTRL		0x38f	/* IA32_PERF_GLOBAL_CTRL */

/* IA32_PERF_CAPABILITIES */
#define CAPABILITY_FREEZE	BIT_ULL(12)	/* while in SMM: IA32_DEBUGCTL[14] */
#define CAPABILITY_FULL_WIDTH	BIT_ULL(13)
#define CAPABILITY_METRICS	BIT_ULL(15)

/* IA32_PERFEVTSELx, IA32_PMC_GPx_CFG_A */
#define SELECT_EVENT		GENMASK_ULL(7, 0)
#define SELECT_UNIT_MASK	GENMASK_ULL(15, 8)
#define SELECT_USER		BIT_ULL(16)
#define SELECT_OS		BIT_ULL(17)
#define SELECT_EDGE		BIT_ULL(18)
#define SELECT_INTERRUPT	BIT_ULL(20)
#define SELECT_ANY_THREAD	BIT_ULL(21)
#define SELECT_ENABLE		BIT_ULL(22)
#define SELECT_INVERT		BIT_ULL(23)
#define SELECT_COUNTER_MASK	GENMASK_ULL(31, 24)
#define SELECT_EQUAL		BIT_ULL(36)		/* CPUID.23H:EBX[1] */
#define SELECT_UNIT_MASK_2	GENMASK_ULL(47, 40)	/* CPUID.23H:EBX[0] */

/* Leaf 1AH: core type */
#define CORE_TYPE_SHIFT		24
#define CORE_TYPE_ATOM		0x20

/* Masks of counters, as in IA32_PERF_GLOBAL_CTRL: general from bit 0, fixed from 32 */
#define GLOBAL_FIXED_SHIFT	32

/* The performance metrics, in IA32_PERF_GLOBAL_CTRL, IA32_PERF_GLOBAL_STATUS and the like */
#define GLOBAL_METRICS		BIT_ULL(48)

/* PMC_COUNTER_SLOTS, in the same registers */
#define GLOBAL_SLOTS		BIT_ULL(GLOBAL_FIXED_SHIFT + 3)

/* Processors with the same event tables: see core_generation.c */
enum core_generation {
	CORE_OTHER,
	CORE_DUO,
	CORE_2,
	NEHALEM,
	WESTMERE,
	SANDY_BRIDGE,
	IVY_BRIDGE,
	HASWELL,
	BROADWELL,
	SKYLAKE,
	ICE_LAKE,
	GOLDEN_COVE,
	REDWOOD_COVE,
	LION_COVE,	/* and Cougar Cove */
	PANTHER_COVE,	/* and Coyote Cove */
	ATOM,		/* Silvermont to Tremont, Xeon Phi */
	GRACEMONT,
	CRESTMONT,	/* to Darkmont */
	ARCTIC_WOLF,
};

/**
 * struct core_leaves - CPUID's description of the counters, each leaf EAX to EDX as read
 * @basic:	leaf 0AH
 * @extended:	leaf 23H exists: CPUID.(07H, 1):EAX[8]
 * @main:	sub-leaf 0 of leaf 23H; 0 without leaf 23H, like the other sub-leaves
 * @counters:	sub-leaf 1
 * @reload:	sub-leaf 2: counters that overflows of other counters can reload, general
 *		ones in EAX, fixed ones in EBX
 * @events:	sub-leaf 3
 * @pebs:	sub-leaf 5: counters that can write PEBS records, general ones in EAX,
 *		fixed ones in ECX
 * @core:	CPUID.1AH:EAX on a processor with several core types, else 0
 * @capabilities: IA32_PERF_CAPABILITIES, 0 where it does not exist
 * @interrupt:	counters can interrupt
 */
struct core_leaves {
	u32 basic[4];
	bool extended;
	u32 main[4];
	u32 counters[4];
	u32 reload[4];
	u32 events[4];
	u32 pebs[4];
	u32 core;
	u64 capabilities;
	bool interrupt;
};

void core_describe_leaves(struct pmc_query *query, const struct core_leaves *leaves);
bool core_widths_are_valid(const struct pmc_query *query);
u64 core_reloadable(const struct pmc_query *query, const struct core_leaves *leaves);
u64 core_with_pebs(const struct pmc_query *query, const struct core_leaves *leaves);

enum core_generation core_generation(const struct pmc_query *query);
u64 core_event_counters(const struct pmc_query *query, u64 select);
bool core_event_of_both_threads(const struct pmc_query *query, u64 select);

int core_extra_check(const struct pmc_query *query, const struct pmc_counter_config *config,
		     u64 *refused);
void core_extra_describe(struct pmc_description *description);
int core_extra_compile(const struct pmc_query *query,
		       const struct pmc_counter_config *config,
		       struct pmc_program *program);
void core_extra_load(struct pmc_pmu *pmu, const struct pmc_program *program);
bool core_extra_try(const struct pmc_pmu *pmu, const struct pmc_program *program);
bool core_extra_verify(const struct pmc_pmu *pmu, const struct pmc_program *program);
void core_extra_restore(const struct pmc_pmu *pmu);

void core_config_find(struct pmc_description *description);
void core_config_save(struct pmc_pmu *pmu);
void core_config_restore(const struct pmc_pmu *pmu);

void core_metrics_find(struct pmc_query *query);
int core_metrics_describe(const struct pmc_query *query, struct pmc_counter *answer);
void core_metrics_compile(const struct pmc_query *query,
			  const struct pmc_counter_config *config,
			  struct pmc_program *program);
u64 core_metrics_running(const struct pmc_pmu *pmu, u64 running);
void core_metrics_save(struct pmc_pmu *pmu);
bool core_metrics_clear(const struct pmc_pmu *pmu, u64 fixed);
void core_metrics_restore(const struct pmc_pmu *pmu);
u64 core_metrics_touched(const struct pmc_pmu *pmu);

extern const struct pmc_family core_nehalem;
extern const struct pmc_family core_guest;
extern const struct pmc_family core_guest_rdmsr;
extern const struct pmc_family core_extra;
extern const struct pmc_family core_extra_guest;

void core_save(struct pmc_pmu *pmu);
bool core_clear(struct pmc_pmu *pmu, u64 counters);
void core_load(struct pmc_pmu *pmu, const struct pmc_program *program);
bool core_verify(const struct pmc_pmu *pmu, const struct pmc_program *program);
void core_guest_load(struct pmc_pmu *pmu, const struct pmc_program *program);
void core_guest_enable(struct pmc_pmu *pmu, const struct pmc_program *program);
void core_guest_disable(struct pmc_pmu *pmu, const struct pmc_program *program);
void core_guest_save(struct pmc_pmu *pmu);
void core_nehalem_save(struct pmc_pmu *pmu);
void core_nehalem_load(struct pmc_pmu *pmu, const struct pmc_program *program);

static inline bool core_has_new_addresses(const struct pmc_query *query)
{
	return query->perfmon_version >= CORE_VERSION_LEAF_23H &&
	       query->features & PMC_FEATURE(FULL_WIDTH);
}

#endif /* PMC_CORE_H */

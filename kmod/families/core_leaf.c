// SPDX-License-Identifier: GPL-2.0-only
/*
 * Family core: decode CPUID's description of the counters
 *
 * Leaf 0AH and, from version 6 on, leaf 23H (SDM Volume 2A, CPUID; Volume 3B, chapter
 * "Performance Monitoring"; Linux's asm/perf_event.h). Where both describe a property,
 * leaf 23H is used: it lists each counter, and on a hybrid processor it describes the core
 * that executes CPUID.
 *
 * Owns no data, takes no lock and reads no register, so unit tests run it on any computer.
 * Context: any.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "families/core.h"

/* Leaf 0AH */
#define BASIC_VERSION(eax)	((eax) & 0xff)
#define BASIC_GENERAL(eax)	((eax) >> 8 & 0xff)
#define BASIC_GENERAL_WIDTH(eax) ((eax) >> 16 & 0xff)
#define BASIC_EVENTS(eax)	((eax) >> 24)
#define BASIC_FIXED(edx)	((edx) & 0x1f)
#define BASIC_FIXED_WIDTH(edx)	((edx) >> 5 & 0xff)
#define BASIC_NO_ANY_THREAD	BIT(15)

/* Leaf 23H: the existing sub-leaves in EAX, fields of the event select in EBX */
#define MAIN_SUBLEAF(n)		BIT(n)
#define MAIN_COUNTERS		MAIN_SUBLEAF(1)
#define MAIN_RELOAD		MAIN_SUBLEAF(2)
#define MAIN_EVENTS		MAIN_SUBLEAF(3)
#define MAIN_PEBS		MAIN_SUBLEAF(5)
#define MAIN_UNIT_MASK_2	BIT(0)
#define MAIN_EQUAL		BIT(1)

/* C1H + 12 is the address of another register, MSR_FSB_FREQ (Volume 4, table 2-2). */
#define CORE_GENERAL_OLD	12

/* Other widths are not a valid description of counters. */
#define CORE_WIDTH_MIN		16
#define CORE_WIDTH_MAX		64

/* Bits of a mask of architectural events */
#define CORE_EVENTS_MAX		32

enum { EAX, EBX, ECX, EDX };

/* The fixed counters by leaf 0AH; before version 2 there are none. */
static u64 core_basic_fixed(const struct core_leaves *leaves)
{
	u32 version = BASIC_VERSION(leaves->basic[EAX]);
	u64 mask = 0;

	if (version >= 2)
		mask = BIT_ULL(BASIC_FIXED(leaves->basic[EDX])) - 1;
	if (version >= 5)
		mask |= leaves->basic[ECX];
	return mask;
}

/* Does the sub-leaf exist? A leaf 23H that does not list its own sub-leaf 0 is invalid. */
static bool core_has_subleaf(const struct core_leaves *leaves, u32 subleaf)
{
	return leaves->extended &&
	       BASIC_VERSION(leaves->basic[EAX]) >= CORE_VERSION_LEAF_23H &&
	       leaves->main[EAX] & MAIN_SUBLEAF(0) && leaves->main[EAX] & subleaf;
}

static void core_describe_counters(struct pmc_query *query, const struct core_leaves *leaves)
{
	u32 general = min_t(u32, BASIC_GENERAL(leaves->basic[EAX]), PMC_GENERAL_MAX);

	query->general_counters = BIT_ULL(general) - 1;
	query->fixed_counters = core_basic_fixed(leaves);
	/* a mask without general counters contradicts leaf 0AH, which is used then */
	if (core_has_subleaf(leaves, MAIN_COUNTERS) && leaves->counters[EAX]) {
		query->general_counters = leaves->counters[EAX];
		query->fixed_counters = leaves->counters[EBX];
	}
	query->general_counters &= core_has_new_addresses(query) ?
				   BIT_ULL(PMC_GENERAL_MAX) - 1 : BIT_ULL(CORE_GENERAL_OLD) - 1;
	query->fixed_counters &= BIT_ULL(PMC_FIXED_MAX) - 1;
	query->general_width = BASIC_GENERAL_WIDTH(leaves->basic[EAX]);
	if (query->fixed_counters)
		query->fixed_width = BASIC_FIXED_WIDTH(leaves->basic[EDX]);
}

/*
 * Only cores of type Core have the performance metrics. Atom cores of the same processor may
 * report them in IA32_PERF_CAPABILITIES as well.
 */
static bool core_has_metrics(const struct pmc_query *query, const struct core_leaves *leaves)
{
	return leaves->capabilities & CAPABILITY_METRICS &&
	       query->fixed_counters & BIT_ULL(PMC_COUNTER_SLOTS & ~PMC_COUNTER_FIXED_FLAG) &&
	       leaves->core >> CORE_TYPE_SHIFT != CORE_TYPE_ATOM;
}

/* A set bit means that the event is missing in leaf 0AH, but that it exists in leaf 23H. */
static void core_describe_events(struct pmc_query *query, const struct core_leaves *leaves)
{
	u32 described = min_t(u32, BASIC_EVENTS(leaves->basic[EAX]), CORE_EVENTS_MAX);
	u32 lacking = leaves->basic[EBX];

	if (core_has_subleaf(leaves, MAIN_EVENTS)) {
		described = max_t(u32, described, fls(leaves->events[EAX]));
		lacking = ~leaves->events[EAX];
	}
	query->events_described = described;
	query->events_unavailable = lacking & (BIT_ULL(described) - 1);
}

/* Version 3 adds AnyThread; CPUID.0AH:EDX[15] removes it. */
static bool core_any_thread(const struct core_leaves *leaves)
{
	return BASIC_VERSION(leaves->basic[EAX]) >= 3 &&
	       !(leaves->basic[EDX] & BASIC_NO_ANY_THREAD);
}

static void core_describe_select(struct pmc_query *query, const struct core_leaves *leaves)
{
	query->event_select_mask = SELECT_EVENT | SELECT_UNIT_MASK | SELECT_EDGE |
				   SELECT_INVERT | SELECT_COUNTER_MASK;
	if (core_any_thread(leaves))
		query->event_select_mask |= SELECT_ANY_THREAD;
	if (!core_has_subleaf(leaves, MAIN_SUBLEAF(0)))
		return;
	if (leaves->main[EBX] & MAIN_UNIT_MASK_2)
		query->event_select_mask |= SELECT_UNIT_MASK_2;
	if (leaves->main[EBX] & MAIN_EQUAL)
		query->event_select_mask |= SELECT_EQUAL;
}

/* Only Core 2 has the fast read (Volume 2B, RDPMC, Operation): models 15, 22, 23, 29. */
static bool core_fast_read(const struct pmc_query *query)
{
	static const u8 models[] = { 15, 22, 23, 29 };

	return query->cpu_family == 6 && memchr(models, query->cpu_model, sizeof(models));
}

static void core_describe_features(struct pmc_query *query, const struct core_leaves *leaves)
{
	query->features |= PMC_FEATURE(RDPMC) | PMC_FEATURE(KERNEL_MODE);
	if (leaves->interrupt)
		query->features |= PMC_FEATURE(INTERRUPT);
	if (query->perfmon_version >= 2)
		query->features |= PMC_FEATURE(GLOBAL_CTRL);
	if (core_fast_read(query))
		query->features |= PMC_FEATURE(RDPMC_FAST);
	if (core_any_thread(leaves))
		query->features |= PMC_FEATURE(ANY_THREAD);
	if (leaves->capabilities & CAPABILITY_FULL_WIDTH)
		query->features |= PMC_FEATURE(FULL_WIDTH);
	if (leaves->capabilities & CAPABILITY_FREEZE)
		query->features |= PMC_FEATURE(FREEZE);
}

/**
 * core_describe_leaves - decode CPUID into the description of a CPU
 * @query:	has the processor's family and model; the result is valid if the driver knows
 *		the version and the registers exist
 * @leaves:	as read on the CPU in question
 */
void core_describe_leaves(struct pmc_query *query, const struct core_leaves *leaves)
{
	query->family = PMC_FAMILY_CORE;
	query->perfmon_version = BASIC_VERSION(leaves->basic[EAX]);
	query->perf_capabilities = leaves->capabilities;
	query->core_type = leaves->core;
	memcpy(query->cpuid_0ah, leaves->basic, sizeof(query->cpuid_0ah));
	memcpy(query->cpuid_23h, leaves->main, sizeof(query->cpuid_23h));
	core_describe_features(query, leaves);
	core_describe_counters(query, leaves);
	if (query->fixed_counters)
		query->features |= PMC_FEATURE(FIXED);
	if (core_has_metrics(query, leaves))
		query->features |= PMC_FEATURE(METRICS);
	core_describe_events(query, leaves);
	core_describe_select(query, leaves);
}

/* The existing counters among those in two registers of a sub-leaf */
static u64 core_existing(const struct pmc_query *query, u32 general, u32 fixed)
{
	return (general & query->general_counters) |
	       (u64)(fixed & query->fixed_counters) << GLOBAL_FIXED_SHIFT;
}

/**
 * core_reloadable - counters that overflows of other counters can reload
 * @query:	described
 * @leaves:	as read on the CPU in question
 *
 * Return: a mask, general counters from bit 0, fixed ones from GLOBAL_FIXED_SHIFT.
 */
u64 core_reloadable(const struct pmc_query *query, const struct core_leaves *leaves)
{
	if (!core_has_subleaf(leaves, MAIN_RELOAD))
		return 0;
	return core_existing(query, leaves->reload[EAX], leaves->reload[EBX]);
}

/**
 * core_with_pebs - counters that can be configured to write PEBS records
 * @query:	described
 * @leaves:	as read on the CPU in question
 *
 * Return: as core_reloadable().
 */
u64 core_with_pebs(const struct pmc_query *query, const struct core_leaves *leaves)
{
	if (!core_has_subleaf(leaves, MAIN_PEBS))
		return 0;
	return core_existing(query, leaves->pebs[EAX], leaves->pebs[ECX]);
}

static bool core_width_is_valid(u32 width)
{
	return width >= CORE_WIDTH_MIN && width <= CORE_WIDTH_MAX;
}

/**
 * core_widths_are_valid - are CPUID's widths possible widths of counters?
 * @query:	described
 */
bool core_widths_are_valid(const struct pmc_query *query)
{
	return core_width_is_valid(query->general_width) &&
	       (!query->fixed_counters || core_width_is_valid(query->fixed_width));
}

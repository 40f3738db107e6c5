// SPDX-License-Identifier: GPL-2.0-only
/*
 * Family core: Intel architectural performance monitoring, versions 1 to 6
 *
 * Layouts are those of SDM Volume 3B, chapter "Performance Monitoring",
 * sections "Architectural Performance Monitoring" (versions 1 to 6), and of
 * Volume 4, table "IA-32 Architectural MSRs". core_leaf.c decodes CPUID.
 *
 * Owns the family's part of struct pmc_pmu: the copies of the control registers
 * and their saved values. No lock: runs on the CPU concerned with interrupts
 * off (see struct pmc_family), the checks in any context.
 */
#include <linux/bits.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>

#include "compat/apic.h"
#include "compat/compat.h"
#include "compat/reserve.h"
#include "compat/topology.h"
#include "pmu/pmu.h"
#include "families/ignored_writes.h"
#include "families/core.h"
#include "families/quirks.h"

#define MSR_MISC_ENABLE		0x1a0	/* IA32_MISC_ENABLE */
#define MSR_DEBUGCTL		0x1d9	/* IA32_DEBUGCTL */
#define MSR_FIXED0		0x309	/* IA32_FIXED_CTR0 */
#define MSR_PERF_CAPABILITIES	0x345	/* IA32_PERF_CAPABILITIES */
#define MSR_GLOBAL_STATUS	0x38e	/* IA32_PERF_GLOBAL_STATUS */
#define MSR_GLOBAL_OVF_CTRL	0x390	/* ..._OVF_CTRL, ..._STATUS_RESET from version 4 */
#define MSR_GLOBAL_STATUS_SET	0x391	/* from version 4 */
#define MSR_A_PMC0		0x4c1	/* IA32_A_PMC0, full-width writes */

/* From version 6 on: addresses for more counters, four for each */
#define MSR_GENERAL_COUNTER0	0x1900	/* IA32_PMC_GP0_CTR */
#define MSR_GENERAL_SELECT0	0x1901	/* IA32_PMC_GP0_CFG_A */
#define MSR_FIXED_COUNTER0	0x1980	/* IA32_PMC_FX0_CTR */
#define MSR_STEP		4

#define LEAF_FEATURES		0x07
#define FEATURES_EDX_HYBRID	BIT(15)
#define FEATURES_1_EAX_PERFMON	BIT(8)	/* leaf 23H exists */
#define LEAF_PERFMON		0x0a
#define LEAF_CORE_TYPE		0x1a
#define LEAF_PERFMON_EXTENDED	0x23

#define MISC_ENABLE_PERFMON	BIT_ULL(7)
#define DEBUGCTL_FREEZE		BIT_ULL(12) /* FREEZE_PERFMON_ON_PMI */
#define DEBUGCTL_FREEZE_IN_SMM	BIT_ULL(14) /* with IA32_PERF_CAPABILITIES[12] */

/* Four bits a counter in IA32_FIXED_CTR_CTRL */
#define FIXED_OS		BIT_ULL(0)
#define FIXED_USER		BIT_ULL(1)
#define FIXED_ANY_THREAD	BIT_ULL(2)
#define FIXED_INTERRUPT		BIT_ULL(3)
#define FIXED_FIELD(n, bits)	((u64)(bits) << (4 * (n)))
#define FIXED_ALL		0xf

/* The general counter that microcode uses: see quirks_intel.c */
#define TSX_FORCE_ABORT_COUNTER	3

/* Events with PMC_QUIRK(HT_LEAK) */
#define LEAKING_FIRST		0xd0
#define LEAKING_LAST		0xd3

/* With PMC_QUIRK(USER_4_7): the counters from this one on don't count user mode alone. */
#define USER_COUNTERS_END	4

#define PREC_DIST		0x01c0	/* INST_RETIRED.PREC_DIST */

#define STATUS_FROZEN		BIT_ULL(59) /* CTR_FRZ, from version 4 */

/*
 * From version 6 on, the counters keep their old addresses as aliases (Linux's
 * events/intel/core.c: "MSR Aliasing"). The new addresses always take full-width writes,
 * so the driver uses the old ones on a processor without full-width writes.
 */
static u32 core_select_msr(const struct pmc_query *query, u32 i)
{
	return core_has_new_addresses(query) ? MSR_GENERAL_SELECT0 + MSR_STEP * i :
					       MSR_EVENT_SELECT0 + i;
}

static u32 core_counter_msr(const struct pmc_query *query, u32 i)
{
	return core_has_new_addresses(query) ? MSR_GENERAL_COUNTER0 + MSR_STEP * i :
					       MSR_PMC0 + i;
}

/* Address at which a general counter is written */
static u32 core_write_msr(const struct pmc_query *query, u32 i)
{
	if (query->features & PMC_FEATURE(FULL_WIDTH) && !core_has_new_addresses(query))
		return MSR_A_PMC0 + i;
	return core_counter_msr(query, i);
}

static u64 core_write_mask(const struct pmc_query *query)
{
	return query->features & PMC_FEATURE(FULL_WIDTH) ? U64_MAX : GENMASK_ULL(31, 0);
}

static u32 core_fixed_msr(const struct pmc_query *query, u32 i)
{
	return core_has_new_addresses(query) ? MSR_FIXED_COUNTER0 + MSR_STEP * i :
					       MSR_FIXED0 + i;
}

/*
 * A hypervisor may describe counters in CPUID and fault on their registers. Such counters
 * do not exist. If the global control faults, no counter exists.
 */
static void core_drop_missing(struct pmc_query *query)
{
	u64 value;
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX; i++) {
		if (query->general_counters & BIT_ULL(i) &&
		    (pmc_rdmsr_safe(core_select_msr(query, i), &value) ||
		     pmc_rdmsr_safe(core_counter_msr(query, i), &value)))
			query->general_counters &= ~BIT_ULL(i);
	}
	for (i = 0; i < PMC_FIXED_MAX; i++) {
		if (query->fixed_counters & BIT_ULL(i) &&
		    pmc_rdmsr_safe(core_fixed_msr(query, i), &value))
			query->fixed_counters &= ~BIT_ULL(i);
	}
	if (!query->fixed_counters) {
		query->features &= ~PMC_FEATURE(FIXED);
		query->fixed_width = 0;
	}
	if (query->perfmon_version >= 2 &&
	    (pmc_rdmsr_safe(MSR_GLOBAL_CTRL, &value) ||
	     pmc_rdmsr_safe(MSR_GLOBAL_STATUS, &value) ||
	     pmc_rdmsr_safe(MSR_FIXED_CTRL, &value)))
		query->general_counters = 0;
	core_metrics_find(query);
}

/*
 * RDPMC of every counter is tried once. A hypervisor without RDPMC can have the counters'
 * registers; without a global control the counters are not used then. The performance metrics need
 * RDPMC.
 */
static void core_try_rdpmc(struct pmc_query *query)
{
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX; i++) {
		if (query->general_counters & BIT_ULL(i) && pmc_rdpmc_faults(i))
			query->quirks |= PMC_QUIRK(NO_RDPMC);
	}
	for (i = 0; i < PMC_FIXED_MAX; i++) {
		if (query->fixed_counters & BIT_ULL(i) && pmc_rdpmc_faults(PMC_COUNTER_FIXED(i)))
			query->quirks |= PMC_QUIRK(NO_RDPMC);
	}
	if (!(query->quirks & PMC_QUIRK(NO_RDPMC)))
		return;
	query->features &= ~(PMC_FEATURE(RDPMC) | PMC_FEATURE(RDPMC_FAST) | PMC_FEATURE(METRICS));
	if (query->perfmon_version < 2)
		query->general_counters = 0;
}

/* Another user may run a counter that is not offered: its registers are read, not written. */
static void core_hide_counters(struct pmc_description *description)
{
	struct pmc_query *query = &description->query;

	if (!(query->quirks & PMC_QUIRK(TSX_FORCE_ABORT)))
		return;
	description->hidden = query->general_counters & BIT_ULL(TSX_FORCE_ABORT_COUNTER);
	query->general_counters &= ~description->hidden;
}

static u32 core_status(struct pmc_description *description)
{
	struct pmc_query *query = &description->query;
	u64 value;

	if (!query->perfmon_version || !query->general_counters || boot_cpu_has(X86_FEATURE_XENPV))
		return PMC_STATUS_NO_PERFMON;
	if (query->perfmon_version > CORE_NEWEST_VERSION || !core_widths_are_valid(query))
		return PMC_STATUS_UNKNOWN_VERSION;
	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR) &&
	    !pmc_rdmsr_safe(MSR_MISC_ENABLE, &value) && !(value & MISC_ENABLE_PERFMON))
		return PMC_STATUS_FIRMWARE_OFF;
	core_drop_missing(query);
	core_try_rdpmc(query);
	core_hide_counters(description);
	return query->general_counters ? PMC_STATUS_OK : PMC_STATUS_NO_PERFMON;
}

static void core_cpuid(u32 leaf, u32 subleaf, u32 *registers)
{
	cpuid_count(leaf, subleaf, &registers[0], &registers[1], &registers[2], &registers[3]);
}

/* The core type, on a hybrid processor: CPUID.07H:EDX[15] */
static u32 core_read_type(u32 newest)
{
	u32 features[4];

	if (newest < LEAF_CORE_TYPE)
		return 0;
	core_cpuid(LEAF_FEATURES, 0, features);
	return features[3] & FEATURES_EDX_HYBRID ? cpuid_eax(LEAF_CORE_TYPE) : 0;
}

static void core_read_extended(struct core_leaves *leaves, u32 newest)
{
	u32 features[4];

	if (newest < LEAF_PERFMON_EXTENDED)
		return;
	core_cpuid(LEAF_FEATURES, 0, features);
	/* EAX: the highest sub-leaf */
	if (!features[0])
		return;
	core_cpuid(LEAF_FEATURES, 1, features);
	if (!(features[0] & FEATURES_1_EAX_PERFMON))
		return;
	leaves->extended = true;
	core_cpuid(LEAF_PERFMON_EXTENDED, 0, leaves->main);
	core_cpuid(LEAF_PERFMON_EXTENDED, 1, leaves->counters);
	core_cpuid(LEAF_PERFMON_EXTENDED, 2, leaves->reload);
	core_cpuid(LEAF_PERFMON_EXTENDED, 3, leaves->events);
	core_cpuid(LEAF_PERFMON_EXTENDED, 5, leaves->pebs);
}

static void core_read_leaves(struct core_leaves *leaves, u32 newest)
{
	core_cpuid(LEAF_PERFMON, 0, leaves->basic);
	core_read_extended(leaves, newest);
	leaves->core = core_read_type(newest);
	leaves->interrupt = pmc_apic_exists();
	if (cpuid_ecx(1) & BIT(15)) /* PDCM */
		pmc_rdmsr_safe(MSR_PERF_CAPABILITIES, &leaves->capabilities);
}

/* No usable counters: the query reports the leaves as read, and no counters. */
static void core_clear_counters(struct pmc_query *query, u64 features)
{
	query->family = PMC_FAMILY_NONE;
	query->features = features;
	query->perf_capabilities = 0;
	query->general_counters = 0;
	query->fixed_counters = 0;
	query->general_width = 0;
	query->fixed_width = 0;
	query->events_described = 0;
	query->events_unavailable = 0;
	query->event_select_mask = 0;
}

/* The operations for the CPU's quirks; NULL: the usual ones */
static const struct pmc_family *core_operations(const struct pmc_query *query)
{
	if (query->quirks & PMC_QUIRK(NO_RDPMC))
		return &core_guest_rdmsr;
	if (query->quirks & PMC_QUIRK(NEHALEM_ENABLE) && query->perfmon_version >= 2)
		return &core_nehalem;
	if (pmc_registers_can_be_lost() && query->perfmon_version >= 2)
		return &core_guest;
	return NULL;
}

static bool core_recognise(struct pmc_description *description)
{
	struct pmc_query *query = &description->query;
	struct core_leaves leaves = {};
	u32 newest = cpuid_eax(0);
	u64 features = query->features;

	if (memcmp(query->vendor, "GenuineIntel", 12))
		return false;
	if (newest < LEAF_PERFMON) {
		if (boot_cpu_has(X86_FEATURE_HYPERVISOR))
			query->status = PMC_STATUS_NO_PERFMON;
		return false;
	}
	core_read_leaves(&leaves, newest);
	core_describe_leaves(query, &leaves);
	query->status = core_status(description);
	if (query->status == PMC_STATUS_OK) {
		description->unreserved = query->perfmon_version >= CORE_VERSION_LEAF_23H;
		description->config_b = core_reloadable(query, &leaves);
		description->config_c = core_with_pebs(query, &leaves);
		core_config_find(description);
		core_extra_describe(description);
		description->family = core_operations(query);
		return true;
	}
	core_clear_counters(query, features);
	return false;
}

/*
 * At most half of the values that can be written: a counter that is loaded with minus the
 * period must differ from one that has overflowed.
 */
static u64 core_period_max(const struct pmc_query *query, const struct pmc_counter *answer)
{
	if (!(query->features & PMC_FEATURE(INTERRUPT)))
		return 0;
	return GENMASK_ULL(answer->write_width - 2, 0);
}

static int core_describe_counter(const struct pmc_query *query, u32 counter,
				 struct pmc_counter *answer)
{
	u32 index = counter & ~PMC_COUNTER_FIXED_FLAG;

	if (counter == PMC_COUNTER_METRICS)
		return core_metrics_describe(query, answer);
	answer->rdpmc = counter;
	if (counter & PMC_COUNTER_FIXED_FLAG) {
		if (index >= PMC_FIXED_MAX || !(query->fixed_counters & BIT_ULL(index)))
			return -ENXIO;
		answer->width = query->fixed_width;
		answer->write_width = query->fixed_width;
		answer->event_select_mask = query->event_select_mask & SELECT_ANY_THREAD;
		answer->select_msr = MSR_FIXED_CTRL;
		answer->counter_msr = core_fixed_msr(query, index);
		answer->period_max = core_period_max(query, answer);
		return 0;
	}
	if (index >= PMC_GENERAL_MAX || !(query->general_counters & BIT_ULL(index)))
		return -ENXIO;
	answer->width = query->general_width;
	answer->write_width = query->features & PMC_FEATURE(FULL_WIDTH) ?
			      query->general_width : min_t(u32, 32, query->general_width);
	answer->event_select_mask = query->event_select_mask;
	answer->select_msr = core_select_msr(query, index);
	answer->counter_msr = core_counter_msr(query, index);
	answer->period_max = core_period_max(query, answer);
	return 0;
}

/* Does the event count in the same counter of the sibling thread, too? */
static bool core_event_leaks(const struct pmc_query *query,
			     const struct pmc_counter_config *config)
{
	u64 event = config->event_select & SELECT_EVENT;

	return query->quirks & PMC_QUIRK(HT_LEAK) && config->counter < PMC_GENERAL_MAX &&
	       event >= LEAKING_FIRST && event <= LEAKING_LAST;
}

/* Can a general counter count the event? PMC_COUNTER_METRICS has none. */
static bool core_counts_event(const struct pmc_query *query,
			      const struct pmc_counter_config *config)
{
	if (config->counter == PMC_COUNTER_METRICS)
		return true;
	if (!(core_event_counters(query, config->event_select) & BIT_ULL(config->counter)))
		return false;
	if (query->quirks & PMC_QUIRK(USER_4_7) && config->counter >= USER_COUNTERS_END &&
	    config->flags != (PMC_COUNT_USER | PMC_COUNT_KERNEL))
		return false;
	return !core_event_leaks(query, config) || !pmc_cpu_has_siblings(query->cpu);
}

static int core_check(const struct pmc_query *query,
		      const struct pmc_counter_config *config, u64 *refused)
{
	struct pmc_counter answer = {};
	int err;

	err = core_describe_counter(query, config->counter, &answer);
	if (err)
		return err;
	*refused = config->event_select & ~answer.event_select_mask;
	if (*refused)
		return -EINVAL;
	err = core_extra_check(query, config, refused);
	if (err)
		return err;
	if (!(config->counter & PMC_COUNTER_FIXED_FLAG) && !core_counts_event(query, config))
		return -EDOM;
	if (config->period && !answer.period_max)
		return -EOPNOTSUPP;
	return config->period > answer.period_max ? -ERANGE : 0;
}

static bool core_sibling(const struct pmc_query *query, const struct pmc_counter_config *config)
{
	return config->event_select & SELECT_ANY_THREAD ||
	       core_event_of_both_threads(query, config->event_select);
}

static void core_compile_fixed(const struct pmc_counter_config *config, u32 index,
			       struct pmc_program *program)
{
	u64 bits = 0;

	if (config->flags & PMC_COUNT_USER)
		bits |= FIXED_USER;
	if (config->flags & PMC_COUNT_KERNEL)
		bits |= FIXED_OS;
	if (config->event_select & SELECT_ANY_THREAD)
		bits |= FIXED_ANY_THREAD;
	if (config->period) {
		bits |= FIXED_INTERRUPT;
		program->interrupts |= BIT_ULL(index + GLOBAL_FIXED_SHIFT);
	}
	program->fixed |= BIT_ULL(index);
	program->fixed_ctrl |= FIXED_FIELD(index, bits);
	program->fixed_ctrl_mask |= FIXED_FIELD(index, FIXED_ALL);
	program->enable |= BIT_ULL(index + GLOBAL_FIXED_SHIFT);
}

/*
 * Without the enable bit, which is set when the event select is written (version 1: when
 * the counter is started). @extra of a setup is the event select's address.
 */
static u64 core_compile_general(const struct pmc_counter_config *config, u32 index,
				struct pmc_program *program)
{
	u64 select = config->event_select;

	if (config->flags & PMC_COUNT_USER)
		select |= SELECT_USER;
	if (config->flags & PMC_COUNT_KERNEL)
		select |= SELECT_OS;
	if (config->period) {
		select |= SELECT_INTERRUPT;
		program->interrupts |= BIT_ULL(index);
	}
	program->general |= BIT_ULL(index);
	program->enable |= BIT_ULL(index);
	return select;
}

static void core_compile_write(const struct pmc_query *query, struct pmc_counter_setup *setup)
{
	if (setup->rdpmc & PMC_COUNTER_FIXED_FLAG) {
		setup->write_msr = core_fixed_msr(query, setup->index);
		setup->write_mask = U64_MAX;
	} else {
		setup->write_msr = core_write_msr(query, setup->index);
		setup->write_mask = core_write_mask(query);
		setup->extra = core_select_msr(query, setup->index);
	}
	setup->counter_msr = setup->write_msr;
}

/*
 * The number of events from the load of a counter with a period to its overflow has to be at
 * least this: see quirks_intel.c. 0: no limit.
 */
static u32 core_least(const struct pmc_query *query, const struct pmc_counter_config *config)
{
	bool precise = !(config->counter & PMC_COUNTER_FIXED_FLAG) &&
		       (config->event_select & (SELECT_EVENT | SELECT_UNIT_MASK)) == PREC_DIST;

	if (precise && query->quirks & PMC_QUIRK(PERIOD_128))
		return 128;
	return query->quirks & PMC_QUIRK(PERIOD_32) ? 32 : 0;
}

/* A counter that may not be loaded with every value is loaded by core_write() alone. */
static void core_compile_period(const struct pmc_query *query,
				const struct pmc_counter_config *config,
				struct pmc_counter_setup *setup)
{
	setup->period = config->period;
	if (!setup->period)
		return;
	setup->least = core_least(query, config);
	if (!setup->least)
		return;
	setup->delayed = true;
	setup->write_msr = 0;
}

/* A general or fixed counter */
static void core_compile_counter(const struct pmc_query *query,
				 const struct pmc_counter_config *config,
				 struct pmc_program *program)
{
	struct pmc_counter_setup *setup = &program->setup[program->nr++];
	bool fixed = config->counter & PMC_COUNTER_FIXED_FLAG;

	setup->index = config->counter & ~PMC_COUNTER_FIXED_FLAG;
	setup->rdpmc = config->counter;
	core_compile_write(query, setup);
	core_compile_period(query, config, setup);
	setup->user = config->flags & PMC_COUNT_USER;
	setup->kernel = config->flags & PMC_COUNT_KERNEL;
	setup->mask = GENMASK_ULL((fixed ? query->fixed_width : query->general_width) - 1, 0);
	if (fixed)
		core_compile_fixed(config, setup->index, program);
	else
		setup->select = core_compile_general(config, setup->index, program);
	if (config->counter == PMC_COUNTER_SLOTS)
		program->slots_at = setup - program->setup;
}

static int core_compile(const struct pmc_query *query,
			const struct pmc_counter_config *config,
			struct pmc_program *program)
{
	if (config->counter == PMC_COUNTER_METRICS)
		core_metrics_compile(query, config, program);
	else
		core_compile_counter(query, config, program);
	if (config->flags & PMC_COUNT_KERNEL || core_sibling(query, config))
		program->stop_to_read = true;
	if (core_event_leaks(query, config))
		program->leaks = true;
	return core_extra_compile(query, config, program);
}

/*
 * Includes missing counters below the highest one. A kernel without support for CPUID leaf
 * 23H reserves as many counters as leaf 0AH reports for perf, from counter 0 on, although
 * counters with higher numbers may exist instead.
 */
static u64 core_reserved(u64 mask)
{
	return mask ? GENMASK_ULL(fls64(mask) - 1, 0) : 0;
}

/*
 * Counters and event selects: with full-width writes perf reserves the counters by other
 * addresses, and only the event selects conflict.
 */
static int core_reserve(u64 mask)
{
	return pmc_reserve(core_reserved(mask), MSR_PMC0, MSR_EVENT_SELECT0);
}

static void core_unreserve(u64 mask)
{
	pmc_unreserve(core_reserved(mask), MSR_PMC0, MSR_EVENT_SELECT0);
}

/*
 * From 6.12 on, Linux's perf reserves the counters of version 6 by their new addresses. The
 * kernel does not record reservations of these addresses.
 */
static u32 core_reserved_as(u32 msr, u64 mask)
{
	if (msr < MSR_GENERAL_SELECT0 || msr >= MSR_FIXED_COUNTER0 ||
	    (msr - MSR_GENERAL_SELECT0) % MSR_STEP || !mask)
		return 0;
	return MSR_EVENT_SELECT0 + __ffs64(mask);
}

static u32 core_spare_select(void)
{
	return MSR_EVENT_SELECT0 + 64;
}

static bool core_has_global_ctrl(const struct pmc_pmu *pmu)
{
	return pmu->description.query.perfmon_version >= 2;
}

/* The general counters, those that are not offered included */
static u64 core_existing_counters(const struct pmc_pmu *pmu)
{
	return pmu->description.query.general_counters | pmu->description.hidden;
}

/*
 * Microcode may have been loaded after this CPU was described, and taken a counter. Until the
 * module is loaded again it is treated as another user's.
 */
static u64 core_lost_counters(const struct pmc_pmu *pmu)
{
	const struct pmc_query *query = &pmu->description.query;

	if (!(pmc_quirks_find(query) & ~query->quirks & PMC_QUIRK(TSX_FORCE_ABORT)))
		return 0;
	return query->general_counters & BIT_ULL(TSX_FORCE_ABORT_COUNTER);
}

/* Counters that run although the kernel's reservations were free */
static u64 core_running(const struct pmc_pmu *pmu)
{
	u64 counters = core_existing_counters(pmu), running = 0;
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX; i++) {
		if (counters & BIT_ULL(i) && pmu->saved.select[i] & SELECT_ENABLE)
			running |= BIT_ULL(i);
	}
	for (i = 0; i < PMC_FIXED_MAX; i++) {
		if (pmu->saved.fixed_ctrl & FIXED_FIELD(i, FIXED_OS | FIXED_USER))
			running |= BIT_ULL(i + GLOBAL_FIXED_SHIFT);
	}
	return core_has_global_ctrl(pmu) ?
	       core_metrics_running(pmu, running & pmu->saved.global_ctrl) : running;
}

static void core_write_general(const struct pmc_pmu *pmu, u32 i, u64 value)
{
	const struct pmc_query *query = &pmu->description.query;

	pmc_wrmsr_native(core_write_msr(query, i), value & core_write_mask(query));
}

/*
 * Clear FREEZE_PERFMON_ON_PMI. With it the hardware stops the counters at an overflow, and
 * they undercount until the PMI is handled; before version 4 they stay stopped afterwards
 * (Volume 3B, "Freezing LBR and Performance Counters on PMI").
 *
 * Set FREEZE_WHILE_SMM, where it exists: else system-management mode counts as user mode.
 */
static void core_thaw(struct pmc_pmu *pmu)
{
	u64 value, wanted;

	pmu->saved.freeze = 0;
	/* an earlier overflow that was not acknowledged keeps all counters frozen */
	if (pmu->frozen & pmu->saved.global_status)
		pmc_wrmsr(MSR_GLOBAL_OVF_CTRL, pmu->frozen);
	if (!core_has_global_ctrl(pmu) || pmc_rdmsr_safe(MSR_DEBUGCTL, &value))
		return;
	wanted = value & ~DEBUGCTL_FREEZE;
	if (pmu->description.query.perf_capabilities & CAPABILITY_FREEZE)
		wanted |= DEBUGCTL_FREEZE_IN_SMM;
	/* a hypervisor may lack the second bit */
	if (wanted != value && pmc_wrmsr_safe(MSR_DEBUGCTL, wanted)) {
		wanted = value & ~DEBUGCTL_FREEZE;
		if (wanted == value || pmc_wrmsr_safe(MSR_DEBUGCTL, wanted))
			return;
	}
	pmu->saved.freeze = wanted ^ value;
}

static void core_restore_freeze(const struct pmc_pmu *pmu)
{
	u64 value;

	if (!pmu->saved.freeze || pmc_rdmsr_safe(MSR_DEBUGCTL, &value))
		return;
	/* the other bits belong to other users */
	value |= pmu->saved.freeze & DEBUGCTL_FREEZE;
	value &= ~(pmu->saved.freeze & DEBUGCTL_FREEZE_IN_SMM);
	pmc_wrmsr_safe(MSR_DEBUGCTL, value);
}

/*
 * If other code sets FREEZE_PERFMON_ON_PMI while the driver has the counters, then from
 * version 4 on they continue when the freeze is acknowledged with the overflow.
 */
static void core_set_global_msrs(struct pmc_pmu *pmu)
{
	bool exist = core_has_global_ctrl(pmu);

	pmu->control_msr = exist ? MSR_GLOBAL_CTRL : 0;
	pmu->restore_msr = pmu->control_msr;
	pmu->status_msr = exist ? MSR_GLOBAL_STATUS : 0;
	pmu->acknowledge_msr = exist ? MSR_GLOBAL_OVF_CTRL : 0;
	pmu->frozen = pmu->description.query.perfmon_version >= 4 ? STATUS_FROZEN : 0;
}

/* Does a write fault with the value that the register has? Reads were tried before. */
static bool core_write_faults(const struct pmc_pmu *pmu, u32 i)
{
	const struct pmc_query *query = &pmu->description.query;

	if (pmu->found_running & BIT_ULL(i))
		return false;
	if (pmc_wrmsr_safe(core_select_msr(query, i), pmu->saved.select[i]))
		return true;
	/* without full-width writes a value that was counted cannot be written again */
	return query->features & PMC_FEATURE(FULL_WIDTH) &&
	       pmc_wrmsr_safe(core_write_msr(query, i), pmu->saved.general[i]);
}

static bool core_fixed_faults(const struct pmc_pmu *pmu, u32 i)
{
	if (pmu->found_running & BIT_ULL(i + GLOBAL_FIXED_SHIFT))
		return false;
	return pmc_wrmsr_safe(core_fixed_msr(&pmu->description.query, i), pmu->saved.fixed[i]);
}

/*
 * Each write that context switches and NMIs make, tried once: a hypervisor may lack any register.
 * The counters are stopped and saved.
 */
static bool core_registers_fault(const struct pmc_pmu *pmu)
{
	const struct pmc_query *query = &pmu->description.query;
	u32 i;

	if (!pmc_registers_can_be_lost())
		return false;
	for (i = 0; i < PMC_GENERAL_MAX; i++) {
		if (query->general_counters & BIT_ULL(i) && core_write_faults(pmu, i))
			return true;
	}
	for (i = 0; i < PMC_FIXED_MAX; i++) {
		if (query->fixed_counters & BIT_ULL(i) && core_fixed_faults(pmu, i))
			return true;
	}
	return core_has_global_ctrl(pmu) &&
	       (pmc_wrmsr_safe(MSR_FIXED_CTRL, pmu->fixed_ctrl) ||
		pmc_wrmsr_safe(MSR_GLOBAL_CTRL, pmu->global_ctrl) ||
		pmc_wrmsr_safe(MSR_GLOBAL_OVF_CTRL, 0));
}

/* A virtual machine can have been moved to a computer without the register: 0 then. */
static u64 core_read_found(u32 msr)
{
	u64 value = 0;

	pmc_rdmsr_safe(msr, &value);
	return value;
}

/**
 * core_save - &pmc_family.save
 * @pmu:	this CPU's counters
 */
void core_save(struct pmc_pmu *pmu)
{
	const struct pmc_query *query = &pmu->description.query;
	u32 first = __ffs64(query->general_counters);
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX; i++) {
		if (!(core_existing_counters(pmu) & BIT_ULL(i)))
			continue;
		pmu->saved.select[i] = core_read_found(core_select_msr(query, i));
		pmu->select[i] = pmu->saved.select[i];
	}
	if (core_has_global_ctrl(pmu)) {
		pmu->saved.fixed_ctrl = core_read_found(MSR_FIXED_CTRL);
		pmu->saved.global_ctrl = core_read_found(MSR_GLOBAL_CTRL);
		pmu->saved.global_status = core_read_found(MSR_GLOBAL_STATUS);
	}
	core_set_global_msrs(pmu);
	core_thaw(pmu);
	pmu->fixed_ctrl = pmu->saved.fixed_ctrl;
	pmu->found_running = core_running(pmu) | core_lost_counters(pmu);
	pmu->global_ctrl = pmu->saved.global_ctrl & pmu->found_running;
	if (core_has_global_ctrl(pmu) && pmu->global_ctrl != pmu->saved.global_ctrl)
		pmc_wrmsr(MSR_GLOBAL_CTRL, pmu->global_ctrl);
	core_config_save(pmu);

	for (i = 0; i < PMC_GENERAL_MAX; i++) {
		if (query->general_counters & BIT_ULL(i))
			pmu->saved.general[i] = core_read_found(core_counter_msr(query, i));
	}
	for (i = 0; i < PMC_FIXED_MAX; i++) {
		if (query->fixed_counters & BIT_ULL(i))
			pmu->saved.fixed[i] = core_read_found(core_fixed_msr(query, i));
	}
	core_metrics_save(pmu);
	pmu->writes_ignored = core_registers_fault(pmu) ||
			      pmc_counter_ignores_writes(pmu, first,
							 core_counter_msr(query, first),
							 core_write_general);
}

/*
 * Without full-width writes only 32 bits can be written, and the hardware extends their
 * sign. The values that perf leaves have that form. A virtual machine can have been moved to a
 * computer without the registers, where the writes fault.
 */
static void core_restore_general(struct pmc_pmu *pmu, u32 i)
{
	const struct pmc_query *query = &pmu->description.query;

	pmc_wrmsr_safe(core_select_msr(query, i), pmu->saved.select[i]);
	pmc_wrmsr_safe(core_write_msr(query, i), pmu->saved.general[i] & core_write_mask(query));
}

static void core_restore(struct pmc_pmu *pmu)
{
	u64 touched = pmu->touched_general | pmu->touched_fixed << GLOBAL_FIXED_SHIFT |
		      core_metrics_touched(pmu);
	u64 status;
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX; i++) {
		if (pmu->touched_general & BIT_ULL(i))
			core_restore_general(pmu, i);
	}
	core_config_restore(pmu);
	core_extra_restore(pmu);
	core_restore_freeze(pmu);
	if (!core_has_global_ctrl(pmu))
		return;
	if (pmu->touched_fixed)
		pmc_wrmsr_safe(MSR_FIXED_CTRL, pmu->saved.fixed_ctrl);
	for (i = 0; i < PMC_FIXED_MAX; i++) {
		if (pmu->touched_fixed & BIT_ULL(i))
			pmc_wrmsr_safe(core_fixed_msr(&pmu->description.query, i),
				       pmu->saved.fixed[i]);
	}
	core_metrics_restore(pmu);
	/* acknowledge the overflows of this driver's counters */
	status = touched & ~pmu->saved.global_status;
	if (status)
		pmc_wrmsr_safe(MSR_GLOBAL_OVF_CTRL, status);
	/* restore the overflows that were found; before version 4 that is not possible */
	status = pmu->saved.global_status & (touched | pmu->frozen);
	if (pmu->frozen && status)
		pmc_wrmsr_safe(MSR_GLOBAL_STATUS_SET, status);
	pmc_wrmsr_safe(MSR_GLOBAL_CTRL, pmu->saved.global_ctrl);
}

/**
 * core_load - &pmc_family.load
 * @pmu:	this CPU's counters
 * @program:	its counters are stopped
 */
void core_load(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u64 enable = core_has_global_ctrl(pmu) ? SELECT_ENABLE : 0;
	u64 fixed_ctrl;
	u32 i;

	pmu->touched_general |= program->general;
	pmu->touched_fixed |= program->fixed;
	for (i = 0; i < program->nr; i++) {
		const struct pmc_counter_setup *setup = &program->setup[i];
		u64 select = setup->select | enable;

		/* the hardware has this value already */
		if (!setup->select || pmu->select[setup->index] == select)
			continue;
		pmu->select[setup->index] = select;
		pmc_wrmsr(setup->extra, select);
	}
	fixed_ctrl = (pmu->fixed_ctrl & ~program->fixed_ctrl_mask) | program->fixed_ctrl;
	if (fixed_ctrl != pmu->fixed_ctrl) {
		pmu->fixed_ctrl = fixed_ctrl;
		pmc_wrmsr(MSR_FIXED_CTRL, fixed_ctrl);
	}
}

/* Version 1 has no global control: each event select has its own enable bit. */
static void core_write_enables(struct pmc_pmu *pmu, const struct pmc_program *program,
			       u64 enable)
{
	u32 i;

	for (i = 0; i < program->nr; i++) {
		const struct pmc_counter_setup *setup = &program->setup[i];

		pmu->select[setup->index] = setup->select | enable;
		pmc_wrmsr(setup->extra, setup->select | enable);
	}
}

static void core_enable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	core_write_enables(pmu, program, SELECT_ENABLE);
}

static void core_disable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	core_write_enables(pmu, program, 0);
}

static void core_write(struct pmc_pmu *pmu, const struct pmc_counter_setup *setup, u64 raw)
{
	pmc_wrmsr(setup->counter_msr, raw & setup->write_mask);
}

/**
 * core_clear - &pmc_family.clear
 * @pmu:	this CPU's counters
 * @counters:	mask of stopped counters
 */
bool core_clear(struct pmc_pmu *pmu, u64 counters)
{
	bool any = false;
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX; i++) {
		if (!(counters & BIT_ULL(i)) || !pmc_rdpmc(i))
			continue;
		core_write_general(pmu, i, 0);
		any = true;
	}
	counters >>= GLOBAL_FIXED_SHIFT;
	for (i = 0; i < PMC_FIXED_MAX; i++) {
		if (!(counters & BIT_ULL(i)) || !pmc_rdpmc(PMC_COUNTER_FIXED(i)))
			continue;
		pmc_wrmsr(core_fixed_msr(&pmu->description.query, i), 0);
		any = true;
	}
	return core_metrics_clear(pmu, counters) || any;
}

/*
 * The global control in an NMI. On 32-bit kernels its copy is two words, and the NMI may
 * have arrived between the two writes. In a virtual machine (no control_msr) other software may
 * have cleared bits, and core_resume() must not set them again: see core_guest.c.
 */
static u64 core_global_ctrl(const struct pmc_pmu *pmu)
{
	u64 value = READ_ONCE(pmu->global_ctrl);

	if (IS_ENABLED(CONFIG_X86_32) || !pmu->control_msr)
		pmc_rdmsr_safe(MSR_GLOBAL_CTRL, &value);
	return value;
}

static void core_pause(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	if (core_has_global_ctrl(pmu)) {
		pmu->paused_ctrl = core_global_ctrl(pmu);
		pmc_wrmsr(MSR_GLOBAL_CTRL, pmu->paused_ctrl & ~program->enable);
		return;
	}
	for (i = 0; i < program->nr; i++)
		pmc_wrmsr(program->setup[i].extra, program->setup[i].select);
}

static void core_resume(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	if (core_has_global_ctrl(pmu)) {
		pmc_wrmsr(MSR_GLOBAL_CTRL, pmu->paused_ctrl);
		return;
	}
	for (i = 0; i < program->nr; i++)
		pmc_wrmsr(program->setup[i].extra,
			  READ_ONCE(pmu->select[program->setup[i].index]));
}

/* For a hypervisor that lets RDPMC fault */
static u64 core_read_one(const struct pmc_counter_setup *setup)
{
	return pmc_rdmsr_native(setup->counter_msr);
}

/* What no quirk changes */
#define CORE_OPERATIONS						\
	.name = "core",						\
	.recognise = core_recognise,				\
	.describe_counter = core_describe_counter,		\
	.check = core_check,					\
	.sibling = core_sibling,				\
	.compile = core_compile,				\
	.reserve = core_reserve,				\
	.unreserve = core_unreserve,				\
	.reserved_as = core_reserved_as,			\
	.spare_select = core_spare_select,			\
	.restore = core_restore,				\
	.write = core_write,					\
	.clear = core_clear,					\
	.pause = core_pause,					\
	.resume = core_resume

/* Where the registers can be lost at any time; from version 2 on */
#define CORE_GUEST_OPERATIONS					\
	CORE_OPERATIONS,					\
	.save = core_guest_save,				\
	.enable = core_guest_enable,				\
	.disable = core_guest_disable,				\
	.verify_reads = true

/* For programs with extra registers: see core_extra.c */
#define CORE_EXTRA_OPERATIONS					\
	.load = core_extra_load,				\
	.try = core_extra_try,					\
	.verify = core_extra_verify

const struct pmc_family pmc_family_core = {
	CORE_OPERATIONS,
	.save = core_save,
	.load = core_load,
	.enable = core_enable,
	.disable = core_disable,
	.verify = core_verify,
};

/* With the workaround of core_nehalem.c */
const struct pmc_family core_nehalem = {
	CORE_OPERATIONS,
	.save = core_nehalem_save,
	.load = core_nehalem_load,
	.enable = core_enable,
	.disable = core_disable,
	.verify = core_verify,
};

const struct pmc_family core_guest = {
	CORE_GUEST_OPERATIONS,
	.load = core_guest_load,
	.verify = core_verify,
};

/* The same without RDPMC */
const struct pmc_family core_guest_rdmsr = {
	CORE_GUEST_OPERATIONS,
	.load = core_guest_load,
	.verify = core_verify,
	.read_one = core_read_one,
};

const struct pmc_family core_extra = {
	CORE_OPERATIONS,
	CORE_EXTRA_OPERATIONS,
	.save = core_save,
	.enable = core_enable,
	.disable = core_disable,
};

const struct pmc_family core_extra_guest = {
	CORE_GUEST_OPERATIONS,
	CORE_EXTRA_OPERATIONS,
};

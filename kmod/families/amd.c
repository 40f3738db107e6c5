// SPDX-License-Identifier: GPL-2.0-only
/*
 * Family AMD: K7, K8, 10h to 16h, 17h and on, and Hygon's 18h
 *
 * Four counters of 48 bits. With the core extension (CPUID.80000001H:ECX[23]) six, of
 * which the first four are the same counters under other addresses. PerfMonV2
 * (CPUID.80000022H:EAX[0]) reports their number and has a global control, a global status
 * and a register that acknowledges it.
 *
 * Addresses, layouts and rules: AMD64 Architecture Programmer's Manual, Volume 2,
 * "Performance Monitoring Counters" (13.2), "Debug-Control MSR" (13.1.1.6) and tables A-1
 * and A-6; for K7, "AMD Athlon Processor x86 Code Optimization" (22007), appendix D. The
 * guides for each family (BKDG, PPR) were not available. So these come from Linux
 * (arch/x86/events/amd/core.c): the width of later counters, the counters for each event of
 * family 15h, the events of the north bridge and those that need two counters, and the
 * latency of an interrupt.
 *
 * The counters of the north bridge, the L3 and the data fabric do not belong to a core. They
 * have registers of their own, which the driver does not access. Before family 15h those of
 * the north bridge are selected by event selects of each core, which the driver refuses.
 *
 * Each counter starts and stops by its own event select, also with PerfMonV2: a stopped
 * counter stays stopped whatever other code writes to the global control. The local APIC
 * does not mask LVTPC when it delivers an interrupt.
 *
 * Owns the family's part of struct pmc_pmu. No lock: runs on the CPU concerned with
 * interrupts off (see struct pmc_family), the checks in any context.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>

#include "compat/apic.h"
#include "compat/compat.h"
#include "compat/reserve.h"
#include "families/families.h"
#include "pmu/pmu.h"
#include "families/ignored_writes.h"

#define MSR_SELECT0		0xc0010000	/* PerfEvtSel0 */
#define MSR_COUNTER0		0xc0010004	/* PerfCtr0 */
#define MSR_SELECT_EXTENDED0	0xc0010200	/* PERF_CTL0; PERF_CTL1 is two higher */
#define MSR_COUNTER_EXTENDED0	0xc0010201	/* PERF_CTR0, likewise */
#define MSR_GLOBAL_STATUS	0xc0000300	/* PerfCntrGlobalStatus */
#define MSR_GLOBAL_CTRL		0xc0000301	/* PerfCntrGlobalCtl */
#define MSR_GLOBAL_CLEAR	0xc0000302	/* PerfCntrGlobalStatusClr */
#define MSR_DEBUGCTL		0x1d9		/* DebugCtl */

#define LEAF_EXTENDED		0x80000000
#define LEAF_FEATURES		0x80000001
#define FEATURES_ECX_SVM	BIT(2)
#define FEATURES_ECX_CORE	BIT(23)		/* PerfCtrExtCore */
#define LEAF_PERFMON		0x80000022
#define PERFMON_EAX_V2		BIT(0)
#define PERFMON_EAX_FREEZE	BIT(2)		/* LbrAndPmcFreeze */
#define PERFMON_EBX_CORE	GENMASK(3, 0)	/* NumPerfCtrCore */

#define AMD_WIDTH		48
#define AMD_MASK		GENMASK_ULL(AMD_WIDTH - 1, 0)
#define AMD_COUNTERS		4
/* RDPMC's numbers from 6 on are counters of the north bridge and the L3. */
#define AMD_COUNTERS_EXTENDED	6

#define FAMILY_K7		0x6
#define FAMILY_K8		0xf
#define FAMILY_10H		0x10
#define FAMILY_15H		0x15
#define FAMILY_17H		0x17

/* PerfEvtSeln, PERF_CTLn */
#define SELECT_EVENT		GENMASK_ULL(7, 0)
#define SELECT_UNIT_MASK	GENMASK_ULL(15, 8)
#define SELECT_USER		BIT_ULL(16)
#define SELECT_OS		BIT_ULL(17)
#define SELECT_EDGE		BIT_ULL(18)
#define SELECT_INTERRUPT	BIT_ULL(20)
#define SELECT_ENABLE		BIT_ULL(22)
#define SELECT_INVERT		BIT_ULL(23)
#define SELECT_COUNTER_MASK	GENMASK_ULL(31, 24)
#define SELECT_EVENT_HIGH	GENMASK_ULL(35, 32)	/* from family 10h on */
#define SELECT_GUEST_ONLY	BIT_ULL(40)		/* likewise, with SVM */
#define SELECT_HOST_ONLY	BIT_ULL(41)
#define SELECT_ALLOWED		(SELECT_EVENT | SELECT_UNIT_MASK | SELECT_EDGE | \
				 SELECT_INVERT | SELECT_COUNTER_MASK)

#define DEBUGCTL_FREEZE		BIT_ULL(12)	/* of counters, with an interrupt */
#define STATUS_FROZEN		BIT_ULL(59)

/* Before family 17h events from E0H on are those of the north bridge. */
#define EVENT_NORTH_BRIDGE	0xe0
/* From family 17h on these two need a pair of counters, which form one of 64 bits. */
#define EVENT_LARGE_INCREMENT	0x003
#define EVENT_MERGE		0xfff
/* "Event counts are for both threads": Linux, pmu-events, amdzen1 to amdzen3 */
#define EVENT_L2_LATENCY	0x062

/* Counters of family 15h */
#define COUNTERS_NONE		0
#define COUNTERS_0		BIT_ULL(0)
#define COUNTERS_3		BIT_ULL(3)
#define COUNTERS_0_3		(BIT_ULL(0) | BIT_ULL(3))
#define COUNTERS_LOW		GENMASK_ULL(2, 0)
#define COUNTERS_HIGH		GENMASK_ULL(5, 3)
#define COUNTERS_ALL		GENMASK_ULL(5, 0)

/*
 * Family 15h: the counters for the events of each unit, by bits 7:4 of the event numbers,
 * and the events that differ from their unit (Linux's amd_get_event_constraints_f15h()).
 */
static const u8 amd_15h_units[16] = {
	[0x0] = COUNTERS_HIGH, [0x1] = COUNTERS_HIGH,	/* floating point */
	[0x2] = COUNTERS_ALL, [0x3] = COUNTERS_ALL,	/* load and store */
	[0x4] = COUNTERS_ALL, [0x5] = COUNTERS_ALL,	/* data cache */
	[0x6] = COUNTERS_LOW, [0x7] = COUNTERS_LOW,	/* cache unit */
	[0x8] = COUNTERS_LOW, [0x9] = COUNTERS_LOW,	/* instruction cache, decoder */
	[0xc] = COUNTERS_ALL,				/* execution, load and store */
	[0xd] = COUNTERS_LOW,				/* decoder */
};

static const struct {
	u16 event;
	u8 counters;
} amd_15h_events[] = {
	{ 0x003, COUNTERS_3 }, { 0x00b, COUNTERS_3 }, { 0x00d, COUNTERS_3 },
	{ 0x023, COUNTERS_LOW }, { 0x02d, COUNTERS_3 }, { 0x02e, COUNTERS_0_3 },
	{ 0x031, COUNTERS_LOW }, { 0x043, COUNTERS_LOW }, { 0x045, COUNTERS_LOW },
	{ 0x046, COUNTERS_LOW }, { 0x054, COUNTERS_LOW }, { 0x055, COUNTERS_LOW },
	{ 0x08f, COUNTERS_0 }, { 0x0db, COUNTERS_ALL }, { 0x0dc, COUNTERS_ALL },
	{ 0x0dd, COUNTERS_ALL }, { 0x0de, COUNTERS_ALL }, { 0x0df, COUNTERS_ALL },
	{ 0x187, COUNTERS_0 }, { 0x188, COUNTERS_0 }, { 0x1c0, COUNTERS_HIGH },
	{ 0x1d6, COUNTERS_ALL }, { 0x1d8, COUNTERS_ALL },
};

static const struct pmc_family amd_guest;
static const struct pmc_family amd_guest_rdmsr;

static u32 amd_event_number(u64 select)
{
	return (select & SELECT_EVENT_HIGH) >> 24 | (select & SELECT_EVENT);
}

static bool amd_has_extension(const struct pmc_query *query)
{
	return query->general_counters & ~(BIT_ULL(AMD_COUNTERS) - 1) ||
	       query->features & PMC_FEATURE(GLOBAL_CTRL);
}

static u32 amd_select_msr(const struct pmc_query *query, u32 i)
{
	return amd_has_extension(query) ? MSR_SELECT_EXTENDED0 + 2 * i : MSR_SELECT0 + i;
}

static u32 amd_counter_msr(const struct pmc_query *query, u32 i)
{
	return amd_has_extension(query) ? MSR_COUNTER_EXTENDED0 + 2 * i : MSR_COUNTER0 + i;
}

static bool amd_is_vendor(const struct pmc_query *query)
{
	return !memcmp(query->vendor, "AuthenticAMD", 12) ||
	       !memcmp(query->vendor, "HygonGenuine", 12);
}

/* 0 if the leaf does not exist */
static u32 amd_features_ecx(void)
{
	return cpuid_eax(LEAF_EXTENDED) >= LEAF_FEATURES ? cpuid_ecx(LEAF_FEATURES) : 0;
}

static u32 amd_perfmon_eax(void)
{
	return cpuid_eax(LEAF_EXTENDED) >= LEAF_PERFMON ? cpuid_eax(LEAF_PERFMON) : 0;
}

static void amd_describe_counters(struct pmc_query *query, u32 features)
{
	u32 counters = features & FEATURES_ECX_CORE ? AMD_COUNTERS_EXTENDED : AMD_COUNTERS;
	u32 perfmon = features & FEATURES_ECX_CORE ? amd_perfmon_eax() : 0;
	u32 reported = 0;

	if (perfmon & PERFMON_EAX_V2) {
		reported = cpuid_ebx(LEAF_PERFMON) & PERFMON_EBX_CORE;
		query->features |= PMC_FEATURE(GLOBAL_CTRL);
		if (perfmon & PERFMON_EAX_FREEZE)
			query->features |= PMC_FEATURE(FREEZE);
	}
	/* 0: not reported */
	if (reported)
		counters = min(reported, counters);
	query->family = PMC_FAMILY_AMD;
	query->general_counters = BIT_ULL(counters) - 1;
	query->general_width = AMD_WIDTH;
	query->event_select_mask = SELECT_ALLOWED;
	if (query->cpu_family < FAMILY_10H)
		return;
	query->event_select_mask |= SELECT_EVENT_HIGH;
	if (features & FEATURES_ECX_SVM)
		query->event_select_mask |= SELECT_GUEST_ONLY | SELECT_HOST_ONLY;
}

/*
 * A hypervisor may describe counters in CPUID and fault on their registers. Such counters do not
 * exist. If a global register faults, no counter exists. Counters 4 and 5 come first: without
 * them and PerfMonV2 the others have their older addresses.
 */
static void amd_drop_missing(struct pmc_query *query)
{
	u64 value;
	u32 i = AMD_COUNTERS_EXTENDED;

	while (i--) {
		if (query->general_counters & BIT_ULL(i) &&
		    (pmc_rdmsr_safe(amd_select_msr(query, i), &value) ||
		     pmc_rdmsr_safe(amd_counter_msr(query, i), &value)))
			query->general_counters &= ~BIT_ULL(i);
	}
	if (query->features & PMC_FEATURE(GLOBAL_CTRL) &&
	    (pmc_rdmsr_safe(MSR_GLOBAL_CTRL, &value) ||
	     pmc_rdmsr_safe(MSR_GLOBAL_STATUS, &value)))
		query->general_counters = 0;
}

/* RDPMC of every counter is tried once. A hypervisor may implement the registers but not RDPMC. */
static void amd_try_rdpmc(struct pmc_query *query)
{
	u32 i;

	for (i = 0; i < AMD_COUNTERS_EXTENDED; i++) {
		if (query->general_counters & BIT_ULL(i) && pmc_rdpmc_faults(i))
			query->quirks |= PMC_QUIRK(NO_RDPMC);
	}
	if (!(query->quirks & PMC_QUIRK(NO_RDPMC)))
		query->features |= PMC_FEATURE(RDPMC);
}

/* The operations for the CPU's quirks; NULL: the usual ones */
static const struct pmc_family *amd_operations(const struct pmc_query *query)
{
	if (query->quirks & PMC_QUIRK(NO_RDPMC))
		return &amd_guest_rdmsr;
	return pmc_registers_can_be_lost() ? &amd_guest : NULL;
}

static bool amd_recognise(struct pmc_description *description)
{
	struct pmc_query *query = &description->query;
	struct pmc_query found = *query;

	if (!amd_is_vendor(query) || query->cpu_family < FAMILY_K7)
		return false;
	if (!boot_cpu_has(X86_FEATURE_XENPV))
		amd_describe_counters(&found, amd_features_ecx());
	amd_drop_missing(&found);
	if (!found.general_counters) {
		query->status = PMC_STATUS_NO_PERFMON;
		return false;
	}
	*query = found;
	query->features |= PMC_FEATURE(KERNEL_MODE) | PMC_FEATURE(FULL_WIDTH);
	if (pmc_apic_exists())
		query->features |= PMC_FEATURE(INTERRUPT);
	amd_try_rdpmc(query);
	description->family = amd_operations(query);
	return true;
}

static int amd_describe_counter(const struct pmc_query *query, u32 counter,
				struct pmc_counter *answer)
{
	if (counter >= PMC_GENERAL_MAX || !(query->general_counters & BIT_ULL(counter)))
		return -ENXIO;
	answer->rdpmc = counter;
	answer->width = AMD_WIDTH;
	answer->write_width = AMD_WIDTH;
	answer->event_select_mask = query->event_select_mask;
	answer->select_msr = amd_select_msr(query, counter);
	answer->counter_msr = amd_counter_msr(query, counter);
	if (query->features & PMC_FEATURE(INTERRUPT))
		answer->period_max = GENMASK_ULL(AMD_WIDTH - 2, 0);
	return 0;
}

/* The counters for three events depend on the unit mask: 000H, 004H and 031H. */
static u64 amd_15h_by_unit_mask(u32 event, u32 unit_mask)
{
	bool several = hweight32(unit_mask) > 1;

	if ((event == 0x000 && unit_mask & 0xf0 && unit_mask & 0x0f) ||
	    (event == 0x004 && several))
		return COUNTERS_3;
	return event == 0x031 && several ? COUNTERS_NONE : COUNTERS_ALL;
}

static u64 amd_15h_counters(u64 select)
{
	u32 event = amd_event_number(select);
	u64 counters = amd_15h_by_unit_mask(event, (select & SELECT_UNIT_MASK) >> 8);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(amd_15h_events); i++) {
		if (amd_15h_events[i].event == event)
			return counters & amd_15h_events[i].counters;
	}
	return counters & amd_15h_units[event >> 4 & 0xf];
}

/* Mask of the counters that can count the event */
static u64 amd_event_counters(const struct pmc_query *query, u64 select)
{
	u32 event = amd_event_number(select);

	if (query->cpu_family >= FAMILY_17H)
		return event == EVENT_MERGE || event == EVENT_LARGE_INCREMENT ?
		       0 : query->general_counters;
	if (query->cpu_family >= FAMILY_K8 &&
	    (event & EVENT_NORTH_BRIDGE) == EVENT_NORTH_BRIDGE)
		return 0;
	return query->cpu_family == FAMILY_15H ? amd_15h_counters(select) :
						 query->general_counters;
}

static int amd_check(const struct pmc_query *query, const struct pmc_counter_config *config,
		     u64 *refused)
{
	struct pmc_counter answer = {};
	int err;

	err = amd_describe_counter(query, config->counter, &answer);
	if (err)
		return err;
	*refused = config->event_select & ~answer.event_select_mask;
	if (*refused || config->event_extra)
		return -EINVAL;
	if (!(amd_event_counters(query, config->event_select) & BIT_ULL(config->counter)))
		return -EDOM;
	if (config->period && !answer.period_max)
		return -EOPNOTSUPP;
	return config->period > answer.period_max ? -ERANGE : 0;
}

static bool amd_sibling(const struct pmc_query *query, const struct pmc_counter_config *config)
{
	return query->cpu_family >= FAMILY_17H &&
	       amd_event_number(config->event_select) == EVENT_L2_LATENCY;
}

static int amd_compile(const struct pmc_query *query, const struct pmc_counter_config *config,
		       struct pmc_program *program)
{
	struct pmc_counter_setup *setup = &program->setup[program->nr++];

	setup->rdpmc = config->counter;
	setup->index = config->counter;
	setup->extra = amd_select_msr(query, config->counter);
	setup->mask = AMD_MASK;
	setup->counter_msr = amd_counter_msr(query, config->counter);
	setup->write_mask = AMD_MASK;
	setup->period = config->period;
	/* another counter's interrupt can be the first that finds an overflow */
	setup->delayed = config->period && query->quirks & PMC_QUIRK(LOST_PMI);
	if (!setup->delayed)
		setup->write_msr = setup->counter_msr;
	setup->user = config->flags & PMC_COUNT_USER;
	setup->kernel = config->flags & PMC_COUNT_KERNEL;
	setup->select = config->event_select;
	if (setup->user)
		setup->select |= SELECT_USER;
	if (setup->kernel)
		setup->select |= SELECT_OS;
	if (config->period) {
		setup->select |= SELECT_INTERRUPT;
		program->interrupts |= BIT_ULL(config->counter);
	}
	program->general |= BIT_ULL(config->counter);
	program->enable |= BIT_ULL(config->counter);
	program->stop_to_read |= setup->kernel || amd_sibling(query, config);
	return 0;
}

/* The kernel has one reservation for both addresses of a counter. */
static void amd_unreserve(u64 mask)
{
	u32 i;

	for (i = 0; i < AMD_COUNTERS_EXTENDED; i++) {
		if (mask & BIT_ULL(i))
			pmc_unreserve(BIT_ULL(0), MSR_COUNTER_EXTENDED0 + 2 * i,
				      MSR_SELECT_EXTENDED0 + 2 * i);
	}
}

static int amd_reserve(u64 mask)
{
	int err;
	u32 i;

	for (i = 0; i < AMD_COUNTERS_EXTENDED; i++) {
		if (!(mask & BIT_ULL(i)))
			continue;
		err = pmc_reserve(BIT_ULL(0), MSR_COUNTER_EXTENDED0 + 2 * i,
				  MSR_SELECT_EXTENDED0 + 2 * i);
		if (err) {
			amd_unreserve(mask & (BIT_ULL(i) - 1));
			return err;
		}
	}
	return 0;
}

/* The kernel knows only the newer addresses from family 15H on. */
static u32 amd_spare_select(void)
{
	return boot_cpu_data.x86 >= 0x15 ? MSR_SELECT_EXTENDED0 + 2 * 64 : MSR_SELECT0 + 64;
}

static bool amd_has_global_ctrl(const struct pmc_pmu *pmu)
{
	return pmu->description.query.features & PMC_FEATURE(GLOBAL_CTRL);
}

static bool amd_can_freeze(const struct pmc_pmu *pmu)
{
	return pmu->description.query.features & PMC_FEATURE(FREEZE);
}

/*
 * Clear the freeze bit. With it the hardware stops the counters at an overflow, and they
 * undercount until the interrupt is handled. If other code sets it while the driver has the
 * counters, they continue when the freeze is acknowledged with the overflow.
 */
static void amd_thaw(struct pmc_pmu *pmu)
{
	u64 value;

	pmu->saved.freeze = 0;
	if (!amd_can_freeze(pmu) || pmc_rdmsr_safe(MSR_DEBUGCTL, &value))
		return;
	pmu->saved.freeze = value & DEBUGCTL_FREEZE;
	if (pmu->saved.freeze)
		pmc_wrmsr(MSR_DEBUGCTL, value & ~DEBUGCTL_FREEZE);
}

static void amd_restore_freeze(const struct pmc_pmu *pmu)
{
	u64 value;

	if (!pmu->saved.freeze)
		return;
	/* the other bits belong to other users */
	pmc_rdmsr(MSR_DEBUGCTL, value);
	pmc_wrmsr(MSR_DEBUGCTL, value | pmu->saved.freeze);
}

static void amd_set_global_msrs(struct pmc_pmu *pmu)
{
	bool exist = amd_has_global_ctrl(pmu);

	/* perf sets all bits of the global control when a virtual machine starts or ends */
	pmu->control_msr = 0;
	pmu->status_msr = exist ? MSR_GLOBAL_STATUS : 0;
	pmu->acknowledge_msr = exist ? MSR_GLOBAL_CLEAR : 0;
	pmu->frozen = amd_can_freeze(pmu) ? STATUS_FROZEN : 0;
}

/* Counters that run although the kernel's reservations were free */
static u64 amd_running(const struct pmc_pmu *pmu)
{
	u64 running = 0;
	u32 i;

	for (i = 0; i < AMD_COUNTERS_EXTENDED; i++) {
		if (pmu->description.query.general_counters & BIT_ULL(i) &&
		    pmu->saved.select[i] & SELECT_ENABLE)
			running |= BIT_ULL(i);
	}
	return amd_has_global_ctrl(pmu) ? running & pmu->saved.global_ctrl : running;
}

static void amd_write_counter(const struct pmc_pmu *pmu, u32 i, u64 value)
{
	pmc_wrmsr(amd_counter_msr(&pmu->description.query, i), value);
}

/* Does a write fault with the value that the register has? Reads were tried before. */
static bool amd_write_faults(const struct pmc_pmu *pmu, u32 i)
{
	const struct pmc_query *query = &pmu->description.query;

	if (pmu->found_running & BIT_ULL(i))
		return false;
	return pmc_wrmsr_safe(amd_select_msr(query, i), pmu->saved.select[i]) ||
	       pmc_wrmsr_safe(amd_counter_msr(query, i), pmu->saved.general[i]);
}

/*
 * Each write that context switches and NMIs make, tried once: a hypervisor may lack any register.
 * The counters are stopped and saved.
 */
static bool amd_registers_fault(const struct pmc_pmu *pmu)
{
	u32 i;

	if (!pmc_registers_can_be_lost())
		return false;
	for (i = 0; i < AMD_COUNTERS_EXTENDED; i++) {
		if (pmu->description.query.general_counters & BIT_ULL(i) &&
		    amd_write_faults(pmu, i))
			return true;
	}
	return amd_has_global_ctrl(pmu) &&
	       (pmc_wrmsr_safe(MSR_GLOBAL_CTRL, pmu->global_ctrl) ||
		pmc_wrmsr_safe(MSR_GLOBAL_CLEAR, 0));
}

/* A virtual machine can have been moved to a computer without the register: 0 then. */
static u64 amd_read_found(u32 msr)
{
	u64 value = 0;

	pmc_rdmsr_safe(msr, &value);
	return value;
}

/* Counters that were found running keep running: their owner holds no reservation. */
static void amd_save(struct pmc_pmu *pmu)
{
	const struct pmc_query *query = &pmu->description.query;
	u32 first = __ffs64(query->general_counters);
	bool faults = false;
	u32 i;

	amd_set_global_msrs(pmu);
	amd_thaw(pmu);
	for (i = 0; i < AMD_COUNTERS_EXTENDED; i++) {
		if (!(query->general_counters & BIT_ULL(i)))
			continue;
		pmu->saved.select[i] = amd_read_found(amd_select_msr(query, i));
		pmu->select[i] = pmu->saved.select[i];
	}
	if (amd_has_global_ctrl(pmu)) {
		pmu->saved.global_ctrl = amd_read_found(MSR_GLOBAL_CTRL);
		pmu->saved.global_status = amd_read_found(MSR_GLOBAL_STATUS);
	}
	pmu->found_running = amd_running(pmu);
	if (amd_has_global_ctrl(pmu)) {
		pmu->global_ctrl = pmu->found_running;
		faults = pmc_wrmsr_safe(MSR_GLOBAL_CTRL, pmu->global_ctrl);
	}
	for (i = 0; i < AMD_COUNTERS_EXTENDED; i++) {
		if (query->general_counters & BIT_ULL(i))
			pmu->saved.general[i] = amd_read_found(amd_counter_msr(query, i));
	}
	pmu->writes_ignored = faults || amd_registers_fault(pmu) ||
			      pmc_counter_ignores_writes(pmu, first, amd_counter_msr(query, first),
							 amd_write_counter);
}

/* A virtual machine can have been moved to a computer without a register. */
static void amd_restore(struct pmc_pmu *pmu)
{
	const struct pmc_query *query = &pmu->description.query;
	u64 status = pmu->touched_general & ~pmu->saved.global_status;
	u32 i;

	if (amd_has_global_ctrl(pmu))
		pmc_wrmsr_safe(MSR_GLOBAL_CTRL, pmu->found_running);
	for (i = 0; i < AMD_COUNTERS_EXTENDED; i++) {
		if (!(pmu->touched_general & BIT_ULL(i)))
			continue;
		pmc_wrmsr_safe(amd_counter_msr(query, i), pmu->saved.general[i]);
		pmc_wrmsr_safe(amd_select_msr(query, i), pmu->saved.select[i]);
	}
	if (!amd_has_global_ctrl(pmu))
		return;
	/* acknowledge the overflows of this driver's counters */
	if (status)
		pmc_wrmsr_safe(MSR_GLOBAL_CLEAR, status);
	amd_restore_freeze(pmu);
	pmc_wrmsr_safe(MSR_GLOBAL_CTRL, pmu->saved.global_ctrl);
}

/* pmu->select is written before the register: an NMI in between calls amd_resume(). */
static void amd_write_select(struct pmc_pmu *pmu, const struct pmc_counter_setup *setup,
			     u64 select)
{
	WRITE_ONCE(pmu->select[setup->index], select);
	pmc_wrmsr_native(setup->extra, select);
}

static void amd_write_selects(struct pmc_pmu *pmu, const struct pmc_program *program,
			      u64 enable)
{
	u32 i;

	for (i = 0; i < program->nr; i++)
		amd_write_select(pmu, &program->setup[i], program->setup[i].select | enable);
}

/* The global control enables all counters of programs: event selects start and stop them. */
static void amd_load(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	pmu->touched_general |= program->general;
	amd_write_selects(pmu, program, 0);
	if (!amd_has_global_ctrl(pmu) || !(program->general & ~pmu->global_ctrl))
		return;
	pmu->global_ctrl |= program->general;
	/* the bits of other programs stay as they are: their checks find a loss */
	pmc_wrmsr_safe(MSR_GLOBAL_CTRL, amd_read_found(MSR_GLOBAL_CTRL) | program->general);
}

static void amd_enable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	amd_write_selects(pmu, program, SELECT_ENABLE);
}

static void amd_disable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	amd_write_selects(pmu, program, 0);
}

static void amd_write(struct pmc_pmu *pmu, const struct pmc_counter_setup *setup, u64 raw)
{
	pmc_wrmsr_native(setup->counter_msr, raw & setup->write_mask);
}

static bool amd_clear(struct pmc_pmu *pmu, u64 counters)
{
	bool any = false;
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX; i++) {
		if (!(counters & BIT_ULL(i)) || !pmc_rdpmc(i))
			continue;
		amd_write_counter(pmu, i, 0);
		any = true;
	}
	return any;
}

static void amd_pause(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	for (i = 0; i < program->nr; i++)
		pmc_wrmsr(program->setup[i].extra, program->setup[i].select);
}

static void amd_resume(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	for (i = 0; i < program->nr; i++)
		pmc_wrmsr(program->setup[i].extra,
			  READ_ONCE(pmu->select[program->setup[i].index]));
}

/*
 * The bits for guests and hosts have no effect in a virtual machine, and hypervisors do not keep
 * them: Xen sets that for guests, KVM clears both.
 */
#define SELECT_COMPARED		(~(SELECT_GUEST_ONLY | SELECT_HOST_ONLY))

static bool amd_verify(const struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u64 value;
	u32 i;

	if (amd_has_global_ctrl(pmu) &&
	    (pmc_rdmsr_safe(MSR_GLOBAL_CTRL, &value) || program->general & ~value))
		return false;
	for (i = 0; i < program->nr; i++) {
		const struct pmc_counter_setup *setup = &program->setup[i];

		if (pmc_rdmsr_safe(setup->extra, &value) ||
		    (value ^ pmu->select[setup->index]) & SELECT_COMPARED)
			return false;
	}
	return true;
}

/*
 * In a virtual machine each stop verifies the registers. They can be missing: writes can fault.
 * They can also be lost while the counters are stopped, and amd_enable() writes the event selects
 * again: the next start has to read the counters.
 */
static void amd_guest_disable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	pmu->last = NULL;
	if (likely(amd_verify(pmu, program))) {
		amd_disable(pmu, program);
		return;
	}
	for (i = 0; i < program->nr; i++) {
		const struct pmc_counter_setup *setup = &program->setup[i];

		/* in this order: as in amd_write_select() */
		WRITE_ONCE(pmu->select[setup->index], setup->select);
		pmc_wrmsr_safe(setup->extra, setup->select);
	}
	pmu->lose(pmu, program);
}

/* If amd_guest_disable() found the registers of a program changed, it is not started again. */
static void amd_guest_enable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	/* pairs with the WRITE_ONCE() in pmc_programs_end() */
	if (READ_ONCE(program->number) != PMC_PROGRAM_ENDED)
		amd_enable(pmu, program);
}

/*
 * If an event select differs from the value that the driver wrote, the NMI handler does not write
 * it, so that the next check finds the difference. @paused_ctrl has a bit for each counter that
 * was paused.
 */
static void amd_guest_pause(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u64 value;
	u32 i;

	pmu->paused_ctrl = 0;
	for (i = 0; i < program->nr; i++) {
		const struct pmc_counter_setup *setup = &program->setup[i];

		if (pmc_rdmsr_safe(setup->extra, &value) ||
		    (value ^ (setup->select | SELECT_ENABLE)) & SELECT_COMPARED)
			continue;
		pmc_wrmsr_safe(setup->extra, setup->select);
		pmu->paused_ctrl |= BIT_ULL(setup->index);
	}
}

static void amd_guest_resume(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	for (i = 0; i < program->nr; i++) {
		const struct pmc_counter_setup *setup = &program->setup[i];

		if (pmu->paused_ctrl & BIT_ULL(setup->index))
			pmc_wrmsr_safe(setup->extra, READ_ONCE(pmu->select[setup->index]));
	}
}

static u64 amd_read_one(const struct pmc_counter_setup *setup)
{
	return pmc_rdmsr_native(setup->counter_msr);
}

#define AMD_OPERATIONS					\
	.name = "AMD",					\
	.unmasked = true,				\
	.recognise = amd_recognise,			\
	.describe_counter = amd_describe_counter,	\
	.check = amd_check,				\
	.sibling = amd_sibling,				\
	.compile = amd_compile,				\
	.reserve = amd_reserve,				\
	.unreserve = amd_unreserve,			\
	.spare_select = amd_spare_select,		\
	.save = amd_save,				\
	.restore = amd_restore,				\
	.load = amd_load,				\
	.verify = amd_verify,				\
	.write = amd_write,				\
	.clear = amd_clear

const struct pmc_family pmc_family_amd = {
	AMD_OPERATIONS,
	.enable = amd_enable,
	.disable = amd_disable,
	.pause = amd_pause,
	.resume = amd_resume,
};

#define AMD_GUEST_OPERATIONS				\
	AMD_OPERATIONS,					\
	.enable = amd_guest_enable,			\
	.disable = amd_guest_disable,			\
	.pause = amd_guest_pause,			\
	.resume = amd_guest_resume,			\
	.verify_reads = true

static const struct pmc_family amd_guest = {
	AMD_GUEST_OPERATIONS,
};

/* The same without RDPMC */
static const struct pmc_family amd_guest_rdmsr = {
	AMD_GUEST_OPERATIONS,
	.read_one = amd_read_one,
};

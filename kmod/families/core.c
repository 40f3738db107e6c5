// SPDX-License-Identifier: GPL-2.0-only
/*
 * Family core: Intel architectural performance monitoring, versions 1 to 5
 *
 * Layouts are those of SDM Volume 3B, chapter "Performance Monitoring",
 * sections "Architectural Performance Monitoring" (versions 1 to 5), and of
 * Volume 4, table "IA-32 Architectural MSRs".
 *
 * Owns the family's part of struct pmc_pmu: the copies of the control registers
 * and what was saved of them. No lock: runs on the CPU concerned with
 * interrupts off (see kmod/family.h), the checks in any context.
 */
#include <linux/bits.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>

#include "../compat/compat.h"
#include "../compat/reserve.h"
#include "../pmu.h"

#define MSR_PMC0		0x0c1	/* IA32_PMC0 */
#define MSR_EVENT_SELECT0	0x186	/* IA32_PERFEVTSEL0 */
#define MSR_MISC_ENABLE		0x1a0	/* IA32_MISC_ENABLE */
#define MSR_DEBUGCTL		0x1d9	/* IA32_DEBUGCTL */
#define MSR_FIXED0		0x309	/* IA32_FIXED_CTR0 */
#define MSR_PERF_CAPABILITIES	0x345	/* IA32_PERF_CAPABILITIES */
#define MSR_FIXED_CTRL		0x38d	/* IA32_FIXED_CTR_CTRL */
#define MSR_GLOBAL_STATUS	0x38e	/* IA32_PERF_GLOBAL_STATUS */
#define MSR_GLOBAL_CTRL		0x38f	/* IA32_PERF_GLOBAL_CTRL */
#define MSR_GLOBAL_OVF_CTRL	0x390	/* ..._OVF_CTRL, ..._STATUS_RESET from version 4 */
#define MSR_A_PMC0		0x4c1	/* IA32_A_PMC0, full-width writes */

#define MISC_ENABLE_PERFMON	BIT_ULL(7)
#define DEBUGCTL_FREEZE		BIT_ULL(12) /* FREEZE_PERFMON_ON_PMI */

#define CAPABILITY_FREEZE	BIT_ULL(12)
#define CAPABILITY_FULL_WIDTH	BIT_ULL(13)

/* IA32_PERFEVTSELx */
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

/* Four bits a counter in IA32_FIXED_CTR_CTRL */
#define FIXED_OS		BIT_ULL(0)
#define FIXED_USER		BIT_ULL(1)
#define FIXED_ANY_THREAD	BIT_ULL(2)
#define FIXED_INTERRUPT		BIT_ULL(3)
#define FIXED_FIELD(n, bits)	((u64)(bits) << (4 * (n)))
#define FIXED_ALL		0xf

/* IA32_PERF_GLOBAL_CTRL and _STATUS: general counters from bit 0, fixed from 32 */
#define GLOBAL_FIXED_SHIFT	32
#define STATUS_FROZEN		BIT_ULL(59) /* CTR_FRZ, from version 4 */

#define CORE_NEWEST_VERSION	5

/* From 186H + 18 on the addresses are other registers (Volume 4, table 2-2). */
#define CORE_GENERAL_MAX	18

/* Widths outside are no description of counters. */
#define CORE_WIDTH_MIN		16
#define CORE_WIDTH_MAX		64

/* CPUID.0AH:ECX and EDX[4:0]; before version 2 there are no fixed counters. */
static u64 core_fixed_mask(const struct pmc_query *query)
{
	u32 contiguous = query->cpuid_0ah[3] & 0x1f;
	u64 mask = 0;

	if (query->perfmon_version >= 2)
		mask = BIT_ULL(contiguous) - 1;
	if (query->perfmon_version >= 5)
		mask |= query->cpuid_0ah[2];
	return mask & (BIT_ULL(PMC_FIXED_MAX) - 1);
}

/* Version 3 brings AnyThread; CPUID.0AH:EDX[15] takes it away again. */
static bool core_any_thread(const struct pmc_query *query)
{
	return query->perfmon_version >= 3 && !(query->cpuid_0ah[3] & BIT(15));
}

/* The fast read is Core 2's alone (Volume 2B, RDPMC, Operation): models 15, 22, 23, 29. */
static bool core_fast_read(const struct pmc_query *query)
{
	static const u8 models[] = { 15, 22, 23, 29 };

	return query->cpu_family == 6 && memchr(models, query->cpu_model, sizeof(models));
}

static void core_describe_leaf(struct pmc_query *query)
{
	u32 eax = query->cpuid_0ah[0];
	u32 general = min_t(u32, eax >> 8 & 0xff, CORE_GENERAL_MAX);

	query->family = PMC_FAMILY_CORE;
	query->general_counters = BIT_ULL(general) - 1;
	query->general_width = eax >> 16 & 0xff;
	query->fixed_counters = core_fixed_mask(query);
	if (query->fixed_counters)
		query->fixed_width = query->cpuid_0ah[3] >> 5 & 0xff;
	query->events_described = min_t(u32, eax >> 24, 32);
	query->events_unavailable = query->cpuid_0ah[1] & (BIT_ULL(query->events_described) - 1);

	query->event_select_mask = SELECT_EVENT | SELECT_UNIT_MASK | SELECT_EDGE |
				   SELECT_INVERT | SELECT_COUNTER_MASK;
	if (core_any_thread(query))
		query->event_select_mask |= SELECT_ANY_THREAD;
}

static void core_describe_features(struct pmc_query *query)
{
	query->features |= PMC_FEATURE(RDPMC) | PMC_FEATURE(KERNEL_MODE);
	if (pmc_overflow_exists())
		query->features |= PMC_FEATURE(INTERRUPT);
	if (query->fixed_counters)
		query->features |= PMC_FEATURE(FIXED);
	if (query->perfmon_version >= 2)
		query->features |= PMC_FEATURE(GLOBAL_CTRL);
	if (core_fast_read(query))
		query->features |= PMC_FEATURE(RDPMC_FAST);
	if (core_any_thread(query))
		query->features |= PMC_FEATURE(ANY_THREAD);
	if (query->perf_capabilities & CAPABILITY_FULL_WIDTH)
		query->features |= PMC_FEATURE(FULL_WIDTH);
	if (query->perf_capabilities & CAPABILITY_FREEZE)
		query->features |= PMC_FEATURE(FREEZE);
}

/* A hypervisor may describe counters in CPUID and fault on their registers. */
static bool core_registers_exist(const struct pmc_query *query)
{
	u64 value;

	if (pmc_rdmsr_safe(MSR_EVENT_SELECT0, &value) || pmc_rdmsr_safe(MSR_PMC0, &value))
		return false;
	return query->perfmon_version < 2 || !pmc_rdmsr_safe(MSR_GLOBAL_CTRL, &value);
}

static bool core_width_is_sane(u32 width)
{
	return width >= CORE_WIDTH_MIN && width <= CORE_WIDTH_MAX;
}

static u32 core_status(const struct pmc_query *query)
{
	u64 value;

	if (!query->perfmon_version || !query->general_counters || boot_cpu_has(X86_FEATURE_XENPV))
		return PMC_STATUS_NO_PERFMON;
	if (query->perfmon_version > CORE_NEWEST_VERSION ||
	    !core_width_is_sane(query->general_width) ||
	    (query->fixed_counters && !core_width_is_sane(query->fixed_width)))
		return PMC_STATUS_UNKNOWN_VERSION;
	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR) &&
	    !pmc_rdmsr_safe(MSR_MISC_ENABLE, &value) && !(value & MISC_ENABLE_PERFMON))
		return PMC_STATUS_FIRMWARE_OFF;
	if (!core_registers_exist(query))
		return PMC_STATUS_NO_PERFMON;
	return PMC_STATUS_OK;
}

static bool core_recognise(struct pmc_description *description)
{
	struct pmc_query *query = &description->query;
	u32 *leaf = query->cpuid_0ah;

	if (memcmp(query->vendor, "GenuineIntel", 12))
		return false;
	if (cpuid_eax(0) < 0xa) {
		if (boot_cpu_has(X86_FEATURE_HYPERVISOR))
			query->status = PMC_STATUS_NO_PERFMON;
		return false;
	}
	cpuid_count(0xa, 0, &leaf[0], &leaf[1], &leaf[2], &leaf[3]);
	query->perfmon_version = leaf[0] & 0xff;
	core_describe_leaf(query);
	query->status = core_status(query);
	if (query->status == PMC_STATUS_OK) {
		if (cpuid_ecx(1) & BIT(15)) /* PDCM */
			pmc_rdmsr_safe(MSR_PERF_CAPABILITIES, &query->perf_capabilities);
		core_describe_features(query);
		return true;
	}
	query->family = PMC_FAMILY_NONE;
	query->general_counters = 0;
	query->fixed_counters = 0;
	return false;
}

/*
 * A counter that is loaded with a period below 0 must not be taken for one that
 * has overflowed: so at most half of what can be written.
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

	answer->rdpmc = counter;
	if (counter & PMC_COUNTER_FIXED_FLAG) {
		if (index >= PMC_FIXED_MAX || !(query->fixed_counters & BIT_ULL(index)))
			return -ENXIO;
		answer->width = query->fixed_width;
		answer->write_width = query->fixed_width;
		answer->event_select_mask = query->event_select_mask & SELECT_ANY_THREAD;
		answer->select_msr = MSR_FIXED_CTRL;
		answer->counter_msr = MSR_FIXED0 + index;
		answer->period_max = core_period_max(query, answer);
		return 0;
	}
	if (index >= PMC_GENERAL_MAX || !(query->general_counters & BIT_ULL(index)))
		return -ENXIO;
	answer->width = query->general_width;
	answer->write_width = query->features & PMC_FEATURE(FULL_WIDTH) ?
			      query->general_width : min_t(u32, 32, query->general_width);
	answer->event_select_mask = query->event_select_mask;
	answer->select_msr = MSR_EVENT_SELECT0 + index;
	answer->counter_msr = MSR_PMC0 + index;
	answer->period_max = core_period_max(query, answer);
	return 0;
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
	if (*refused || config->event_extra)
		return -EINVAL;
	if (config->period && !answer.period_max)
		return -EOPNOTSUPP;
	return config->period > answer.period_max ? -ERANGE : 0;
}

static bool core_sibling(const struct pmc_counter_config *config)
{
	return config->event_select & SELECT_ANY_THREAD;
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

/* The enable bit is set when the event select is written (version 1: when started). */
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

static void core_compile_write(const struct pmc_query *query, struct pmc_program_entry *entry)
{
	entry->write_mask = U64_MAX;
	if (entry->rdpmc & PMC_COUNTER_FIXED_FLAG) {
		entry->write_msr = MSR_FIXED0 + entry->index;
	} else if (query->features & PMC_FEATURE(FULL_WIDTH)) {
		entry->write_msr = MSR_A_PMC0 + entry->index;
	} else {
		entry->write_msr = MSR_PMC0 + entry->index;
		entry->write_mask = GENMASK_ULL(31, 0);
	}
}

static int core_compile(const struct pmc_query *query,
			const struct pmc_counter_config *config,
			struct pmc_program *program)
{
	struct pmc_program_entry *entry = &program->entry[program->nr++];
	bool fixed = config->counter & PMC_COUNTER_FIXED_FLAG;

	entry->index = config->counter & ~PMC_COUNTER_FIXED_FLAG;
	entry->rdpmc = config->counter;
	core_compile_write(query, entry);
	entry->period = config->period;
	entry->user = config->flags & PMC_COUNT_USER;
	entry->kernel = config->flags & PMC_COUNT_KERNEL;
	entry->mask = GENMASK_ULL((fixed ? query->fixed_width : query->general_width) - 1, 0);
	if (fixed)
		core_compile_fixed(config, entry->index, program);
	else
		entry->select = core_compile_general(config, entry->index, program);
	if (config->flags & PMC_COUNT_KERNEL || core_sibling(config))
		program->stop_to_read = true;
	return 0;
}

/*
 * Both kinds: where counters are written in full width perf knows them by
 * other addresses, and only the event selects keep it out.
 */
static int core_reserve(u64 mask)
{
	return pmc_reserve(mask, MSR_PMC0, MSR_EVENT_SELECT0);
}

static void core_unreserve(u64 mask)
{
	pmc_unreserve(mask, MSR_PMC0, MSR_EVENT_SELECT0);
}

static bool core_has_global_ctrl(const struct pmc_pmu *pmu)
{
	return pmu->description.query.perfmon_version >= 2;
}

/* Counters that run now although the kernel's reservations were free. */
static u64 core_running(const struct pmc_pmu *pmu)
{
	const struct pmc_query *query = &pmu->description.query;
	u64 running = 0;
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX; i++) {
		if (query->general_counters & BIT_ULL(i) &&
		    pmu->saved.select[i] & SELECT_ENABLE)
			running |= BIT_ULL(i);
	}
	for (i = 0; i < PMC_FIXED_MAX; i++) {
		if (pmu->saved.fixed_ctrl & FIXED_FIELD(i, FIXED_OS | FIXED_USER))
			running |= BIT_ULL(i + GLOBAL_FIXED_SHIFT);
	}
	return core_has_global_ctrl(pmu) ? running & pmu->saved.global_ctrl : running;
}

static void core_write_general(const struct pmc_pmu *pmu, u32 i, u64 value)
{
	if (pmu->description.query.features & PMC_FEATURE(FULL_WIDTH))
		pmc_wrmsr_native(MSR_A_PMC0 + i, value);
	else
		pmc_wrmsr_native(MSR_PMC0 + i, value & GENMASK_ULL(31, 0));
}

/*
 * Some hypervisors describe counters, ignore what is written to them and always
 * answer the same. Counter 0 is stopped and saved.
 */
static bool core_is_deaf(const struct pmc_pmu *pmu)
{
	u64 pattern = (pmu->saved.general[0] ^ 0x5a5a) & GENMASK_ULL(15, 0);
	u64 value;

	if (pmu->found_running & BIT_ULL(0))
		return false;
	core_write_general(pmu, 0, pattern);
	pmc_rdmsr(MSR_PMC0, value);
	core_write_general(pmu, 0, pmu->saved.general[0]);
	return value != pattern;
}

/*
 * Counters that the hardware stops with an overflow would miss what happens until the
 * interrupt is handled, and before version 4 all that comes after it (Volume 3B,
 * "Freezing LBR and Performance Counters on PMI"): not ours.
 */
static void core_thaw(struct pmc_pmu *pmu)
{
	u64 value;

	pmu->saved.freeze = 0;
	if (!core_has_global_ctrl(pmu) || pmc_rdmsr_safe(MSR_DEBUGCTL, &value))
		return;
	pmu->saved.freeze = value & DEBUGCTL_FREEZE;
	if (pmu->saved.freeze)
		pmc_wrmsr(MSR_DEBUGCTL, value & ~DEBUGCTL_FREEZE);
}

static void core_restore_freeze(const struct pmc_pmu *pmu)
{
	u64 value;

	if (!pmu->saved.freeze)
		return;
	/* its other bits are others' */
	pmc_rdmsr(MSR_DEBUGCTL, value);
	pmc_wrmsr(MSR_DEBUGCTL, value | pmu->saved.freeze);
}

/*
 * If somebody sets that bit while the counters are ours, they go on, from version 4 on,
 * when the freeze is acknowledged with the overflow.
 */
static void core_set_global_msrs(struct pmc_pmu *pmu)
{
	bool exist = core_has_global_ctrl(pmu);

	pmu->control_msr = exist ? MSR_GLOBAL_CTRL : 0;
	pmu->status_msr = exist ? MSR_GLOBAL_STATUS : 0;
	pmu->acknowledge_msr = exist ? MSR_GLOBAL_OVF_CTRL : 0;
	pmu->frozen = pmu->description.query.perfmon_version >= 4 ? STATUS_FROZEN : 0;
}

static void core_save(struct pmc_pmu *pmu)
{
	const struct pmc_query *query = &pmu->description.query;
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX; i++) {
		if (!(query->general_counters & BIT_ULL(i)))
			continue;
		pmc_rdmsr(MSR_EVENT_SELECT0 + i, pmu->saved.select[i]);
		pmu->select[i] = pmu->saved.select[i];
	}
	if (core_has_global_ctrl(pmu)) {
		pmc_rdmsr(MSR_FIXED_CTRL, pmu->saved.fixed_ctrl);
		pmc_rdmsr(MSR_GLOBAL_CTRL, pmu->saved.global_ctrl);
		pmc_rdmsr(MSR_GLOBAL_STATUS, pmu->saved.global_status);
	}
	core_set_global_msrs(pmu);
	core_thaw(pmu);
	pmu->fixed_ctrl = pmu->saved.fixed_ctrl;
	pmu->found_running = core_running(pmu);
	pmu->global_ctrl = pmu->saved.global_ctrl & pmu->found_running;
	if (core_has_global_ctrl(pmu) && pmu->global_ctrl != pmu->saved.global_ctrl)
		pmc_wrmsr(MSR_GLOBAL_CTRL, pmu->global_ctrl);

	for (i = 0; i < PMC_GENERAL_MAX; i++) {
		if (query->general_counters & BIT_ULL(i))
			pmc_rdmsr(MSR_PMC0 + i, pmu->saved.general[i]);
	}
	for (i = 0; i < PMC_FIXED_MAX; i++) {
		if (query->fixed_counters & BIT_ULL(i))
			pmc_rdmsr(MSR_FIXED0 + i, pmu->saved.fixed[i]);
	}
	pmu->deaf = core_is_deaf(pmu);
}

/*
 * Without full-width writes only 32 bits can be written, and the hardware
 * extends their sign. What perf leaves behind is of that form.
 */
static void core_restore_general(struct pmc_pmu *pmu, u32 i)
{
	pmc_wrmsr(MSR_EVENT_SELECT0 + i, pmu->saved.select[i]);
	core_write_general(pmu, i, pmu->saved.general[i]);
}

static void core_restore(struct pmc_pmu *pmu)
{
	u64 status = pmu->touched_general | pmu->touched_fixed << GLOBAL_FIXED_SHIFT;
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX; i++) {
		if (pmu->touched_general & BIT_ULL(i))
			core_restore_general(pmu, i);
	}
	core_restore_freeze(pmu);
	if (!core_has_global_ctrl(pmu))
		return;
	if (pmu->touched_fixed)
		pmc_wrmsr(MSR_FIXED_CTRL, pmu->saved.fixed_ctrl);
	for (i = 0; i < PMC_FIXED_MAX; i++) {
		if (pmu->touched_fixed & BIT_ULL(i))
			pmc_wrmsr(MSR_FIXED0 + i, pmu->saved.fixed[i]);
	}
	/* an overflow that our counters had meanwhile is nobody else's */
	status &= ~pmu->saved.global_status;
	if (status)
		pmc_wrmsr(MSR_GLOBAL_OVF_CTRL, status);
	pmc_wrmsr(MSR_GLOBAL_CTRL, pmu->saved.global_ctrl);
}

static void core_load(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u64 enable = core_has_global_ctrl(pmu) ? SELECT_ENABLE : 0;
	u64 fixed_ctrl;
	u32 i;

	pmu->touched_general |= program->general;
	pmu->touched_fixed |= program->fixed;
	for (i = 0; i < program->nr; i++) {
		const struct pmc_program_entry *entry = &program->entry[i];
		u64 select = entry->select | enable;

		/* what the hardware already has needn't be written again */
		if (!entry->select || pmu->select[entry->index] == select)
			continue;
		pmu->select[entry->index] = select;
		pmc_wrmsr(MSR_EVENT_SELECT0 + entry->index, select);
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
		const struct pmc_program_entry *entry = &program->entry[i];

		pmu->select[entry->index] = entry->select | enable;
		pmc_wrmsr(MSR_EVENT_SELECT0 + entry->index, entry->select | enable);
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

static void core_write(struct pmc_pmu *pmu, const struct pmc_program_entry *entry, u64 raw)
{
	pmc_wrmsr(entry->write_msr, raw & entry->write_mask);
}

static void core_pause(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	if (core_has_global_ctrl(pmu)) {
		pmc_wrmsr(MSR_GLOBAL_CTRL, READ_ONCE(pmu->global_ctrl) & ~program->enable);
		return;
	}
	for (i = 0; i < program->nr; i++)
		pmc_wrmsr(MSR_EVENT_SELECT0 + program->entry[i].index, program->entry[i].select);
}

static void core_resume(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i, index;

	if (core_has_global_ctrl(pmu)) {
		pmc_wrmsr(MSR_GLOBAL_CTRL, READ_ONCE(pmu->global_ctrl));
		return;
	}
	for (i = 0; i < program->nr; i++) {
		index = program->entry[i].index;
		pmc_wrmsr(MSR_EVENT_SELECT0 + index, READ_ONCE(pmu->select[index]));
	}
}

const struct pmc_family pmc_family_core = {
	.name = "core",
	.recognise = core_recognise,
	.describe_counter = core_describe_counter,
	.check = core_check,
	.sibling = core_sibling,
	.compile = core_compile,
	.reserve = core_reserve,
	.unreserve = core_unreserve,
	.save = core_save,
	.restore = core_restore,
	.load = core_load,
	.enable = core_enable,
	.disable = core_disable,
	.write = core_write,
	.pause = core_pause,
	.resume = core_resume,
};

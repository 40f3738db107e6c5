// SPDX-License-Identifier: GPL-2.0-only
/*
 * Families P5 and P5 with MMX (the latter has RDPMC)
 *
 * Two counters of 40 bits. One register, CESR, controls both; each has a half of it.
 * Layouts are those of SDM Volume 3B, chapter "Performance Monitoring", section
 * "Performance Monitoring (Pentium Processors)", and of Terje Mathisen, "Pentium Secrets".
 *
 * There is no enable bit: a counter is stopped while its control field is 0. There
 * is no interrupt. On the Pentium MMX, some event numbers select different events on counter
 * 0 and on counter 1 (SDM Volume 3B, "Performance-Monitoring Events for Pentium
 * Processors"), so p5_check() accepts every number on both counters.
 *
 * Owns the family's part of struct pmc_pmu: @global_ctrl is a copy of CESR. No lock:
 * runs on the CPU concerned with interrupts off (see struct pmc_family), the checks in
 * any context.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/string.h>
#include <asm/processor.h>

#include "compat/compat.h"
#include "compat/reserve.h"
#include "families/families.h"
#include "pmu/pmu.h"
#include "families/ignored_writes.h"

#define MSR_CESR		0x11
#define MSR_CTR0		0x12

#define P5_COUNTERS		2
#define P5_WIDTH		40
#define CPUID_1_EDX_MMX		BIT(23)

/* One half of CESR; the other is 16 bits higher. */
#define CESR_SHIFT(n)		(16 * (n))
#define CESR_EVENT		GENMASK_ULL(5, 0)	/* ESn */
#define CESR_OS			BIT_ULL(6)		/* CCn: at levels 0 to 2 */
#define CESR_USER		BIT_ULL(7)		/* CCn: at level 3 */
#define CESR_CLOCKS		BIT_ULL(8)		/* CCn: clocks, not occurrences */
/*
 * PCn, the signal on pin PMn: 0 for each increment, 1 for an overflow. "Pentium Secrets" preserves
 * bits 9 to 15 of a half and states no meaning of bit 9; SDM Volume 3B reserves 10 to 15 only. So
 * bit 9 belongs to the counter: it is as in the event select while the counter counts, 0 while it
 * is stopped, and p5_restore() writes the former value. Bits 10 to 15 keep their value.
 */
#define CESR_PIN		BIT_ULL(9)
#define CESR_COUNTING		(CESR_OS | CESR_USER)
#define CESR_HALF		GENMASK_ULL(9, 0)
#define CESR_ALLOWED		(CESR_EVENT | CESR_CLOCKS | CESR_PIN)

/* MMX processors have RDPMC and the MMX events. Not every later model has MMX: 9 has not. */
static bool p5_has_mmx(void)
{
	return cpuid_edx(1) & CPUID_1_EDX_MMX;
}

static bool p5_registers_exist(void)
{
	u64 value;

	return !pmc_rdmsr_safe(MSR_CESR, &value) && !pmc_rdmsr_safe(MSR_CTR0, &value);
}

static bool p5_is_intel(const struct pmc_query *query)
{
	return !memcmp(query->vendor, "GenuineIntel", 12) && query->cpu_family == 5;
}

static bool p5_describe(struct pmc_query *query)
{
	if (!p5_registers_exist()) {
		query->status = PMC_STATUS_NO_PERFMON;
		return false;
	}
	query->family = PMC_FAMILY_P5;
	query->general_counters = GENMASK_ULL(P5_COUNTERS - 1, 0);
	query->general_width = P5_WIDTH;
	query->event_select_mask = CESR_ALLOWED;
	query->features |= PMC_FEATURE(KERNEL_MODE) | PMC_FEATURE(FULL_WIDTH);
	return true;
}

static bool p5_recognise(struct pmc_description *description)
{
	struct pmc_query *query = &description->query;

	return p5_is_intel(query) && !p5_has_mmx() && p5_describe(query);
}

static bool p5_mmx_recognise(struct pmc_description *description)
{
	struct pmc_query *query = &description->query;

	if (!p5_is_intel(query) || !p5_has_mmx() || !p5_describe(query))
		return false;
	/* RDPMC is tried once: a hypervisor can lack it and have the registers */
	if (pmc_rdpmc_faults(0)) {
		query->quirks |= PMC_QUIRK(NO_RDPMC);
		description->family = &pmc_family_p5;
	} else {
		query->features |= PMC_FEATURE(RDPMC);
	}
	return true;
}

static int p5_describe_counter(const struct pmc_query *query, u32 counter,
			       struct pmc_counter *answer)
{
	if (counter >= P5_COUNTERS)
		return -ENXIO;
	answer->rdpmc = counter;
	answer->width = P5_WIDTH;
	answer->write_width = P5_WIDTH;
	answer->event_select_mask = CESR_ALLOWED;
	answer->select_msr = MSR_CESR;
	answer->counter_msr = MSR_CTR0 + counter;
	return 0;
}

static int p5_check(const struct pmc_query *query, const struct pmc_counter_config *config,
		    u64 *refused)
{
	struct pmc_counter answer = {};
	int err;

	err = p5_describe_counter(query, config->counter, &answer);
	if (err)
		return err;
	*refused = config->event_select & ~CESR_ALLOWED;
	if (*refused || config->event_extra)
		return -EINVAL;
	return config->period ? -EOPNOTSUPP : 0;
}

static bool p5_sibling(const struct pmc_query *query, const struct pmc_counter_config *config)
{
	return false;
}

static int p5_compile(const struct pmc_query *query, const struct pmc_counter_config *config,
		      struct pmc_program *program)
{
	struct pmc_counter_setup *setup = &program->setup[program->nr++];

	setup->rdpmc = config->counter;
	setup->index = config->counter;
	setup->mask = GENMASK_ULL(P5_WIDTH - 1, 0);
	setup->user = config->flags & PMC_COUNT_USER;
	setup->kernel = config->flags & PMC_COUNT_KERNEL;
	setup->select = config->event_select;
	if (config->flags & PMC_COUNT_USER)
		setup->select |= CESR_USER;
	if (config->flags & PMC_COUNT_KERNEL)
		setup->select |= CESR_OS;
	setup->select <<= CESR_SHIFT(config->counter);
	program->general |= BIT_ULL(config->counter);
	program->enable |= setup->select;
	program->stop_to_read |= setup->kernel;
	return 0;
}

/* Linux has one reservation for both counters. */
static int p5_reserve(u64 mask)
{
	return pmc_reserve(BIT_ULL(0), MSR_CTR0, MSR_CESR);
}

static void p5_unreserve(u64 mask)
{
	pmc_unreserve(BIT_ULL(0), MSR_CTR0, MSR_CESR);
}

static void p5_write_cesr(struct pmc_pmu *pmu, u64 value)
{
	pmu->global_ctrl = value;
	pmc_wrmsr(MSR_CESR, value);
}

static u64 p5_half(u32 counter)
{
	return CESR_HALF << CESR_SHIFT(counter);
}

static void p5_write_counter(const struct pmc_pmu *pmu, u32 i, u64 value)
{
	pmc_wrmsr(MSR_CTR0 + i, value);
}

static void p5_save(struct pmc_pmu *pmu)
{
	u32 i;

	pmc_rdmsr(MSR_CESR, pmu->saved.global_ctrl);
	pmu->global_ctrl = pmu->saved.global_ctrl;
	pmu->found_running = 0;
	for (i = 0; i < P5_COUNTERS; i++) {
		if (pmu->saved.global_ctrl & CESR_COUNTING << CESR_SHIFT(i))
			pmu->found_running |= BIT_ULL(i);
		pmc_rdmsr(MSR_CTR0 + i, pmu->saved.general[i]);
	}
	pmu->writes_ignored = pmc_counter_ignores_writes(pmu, 0, MSR_CTR0, p5_write_counter);
}

/* Reserved bits, and a half that another user has, keep their present value. */
static void p5_restore(struct pmc_pmu *pmu)
{
	u32 i;

	for (i = 0; i < P5_COUNTERS; i++) {
		if (!(pmu->touched_general & BIT_ULL(i)))
			continue;
		p5_write_cesr(pmu, (pmu->global_ctrl & ~p5_half(i)) |
			      (pmu->saved.global_ctrl & p5_half(i)));
		p5_write_counter(pmu, i, pmu->saved.general[i]);
	}
}

/* The event select in CESR also starts the counter, so p5_enable() writes it. */
static void p5_load(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	pmu->touched_general |= program->general;
}

static u64 p5_halves(const struct pmc_program *program)
{
	u64 halves = 0;
	u32 i;

	for (i = 0; i < program->nr; i++)
		halves |= p5_half(program->setup[i].index);
	return halves;
}

static void p5_enable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	p5_write_cesr(pmu, (pmu->global_ctrl & ~p5_halves(program)) | program->enable);
}

static void p5_disable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	p5_write_cesr(pmu, pmu->global_ctrl & ~p5_halves(program));
}

static bool p5_verify(const struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u64 value;

	pmc_rdmsr(MSR_CESR, value);
	return !((value ^ program->enable) & p5_halves(program));
}

/* The plain Pentium has no RDPMC; some hypervisors have none. */
static u64 p5_read_one(const struct pmc_counter_setup *setup)
{
	u64 value;

	pmc_rdmsr(MSR_CTR0 + setup->index, value);
	return value & setup->mask;
}

static void p5_write(struct pmc_pmu *pmu, const struct pmc_counter_setup *setup, u64 raw)
{
	p5_write_counter(pmu, setup->index, raw);
}

static bool p5_clear(struct pmc_pmu *pmu, u64 counters)
{
	bool any = false;
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX; i++) {
		if (!(counters & BIT_ULL(i)) || !pmc_rdpmc(i))
			continue;
		p5_write_counter(pmu, i, 0);
		any = true;
	}
	return any;
}

const struct pmc_family pmc_family_p5 = {
	.name = "P5",
	.recognise = p5_recognise,
	.describe_counter = p5_describe_counter,
	.check = p5_check,
	.sibling = p5_sibling,
	.compile = p5_compile,
	.reserve = p5_reserve,
	.unreserve = p5_unreserve,
	.save = p5_save,
	.restore = p5_restore,
	.load = p5_load,
	.enable = p5_enable,
	.disable = p5_disable,
	.verify = p5_verify,
	.read_one = p5_read_one,
	.write = p5_write,
};

const struct pmc_family pmc_family_p5_mmx = {
	.name = "P5 with MMX",
	.recognise = p5_mmx_recognise,
	.describe_counter = p5_describe_counter,
	.check = p5_check,
	.sibling = p5_sibling,
	.compile = p5_compile,
	.reserve = p5_reserve,
	.unreserve = p5_unreserve,
	.save = p5_save,
	.restore = p5_restore,
	.load = p5_load,
	.enable = p5_enable,
	.disable = p5_disable,
	.verify = p5_verify,
	.write = p5_write,
	.clear = p5_clear,
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Family P6: Pentium Pro, II, III and M
 *
 * Two counters of 40 bits. Layouts are those of SDM Volume 3B, chapter
 * "Performance Monitoring", section "Performance Monitoring (P6 Family
 * Processor)". Table 6-2 of "Intel Architecture MMX Technology", chapter "MMX Performance
 * Monitoring Extensions", has the events that only one counter can count.
 *
 * One enable bit, in PerfEvtSel0, starts both counters. So that each counter can be
 * started alone, a stopped counter has an event select without a privilege level, and
 * the enable bit is set while any counter counts. A program of both counters starts
 * and stops them at the same moment, by the enable bit alone.
 *
 * Owns the family's part of struct pmc_pmu: @select is a counter's event select while
 * it counts, @global_ctrl has a bit for each counter that counts. No lock: runs on the
 * CPU concerned with interrupts off (see struct pmc_family), the checks in any context.
 */
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

#define MSR_PERFCTR0		0x0c1	/* PerfCtr0 */
#define MSR_PERFEVTSEL0		0x186	/* PerfEvtSel0 */

#define P6_COUNTERS		2
#define P6_WIDTH		40
#define P6_WRITE_WIDTH		32	/* bit 31 is copied to bits 39:32 */

/* Model 14, Core Duo, is the first with architectural performance monitoring. */
#define P6_MODEL_END		14

/* PerfEvtSel0 and PerfEvtSel1 */
#define SELECT_EVENT		GENMASK_ULL(7, 0)
#define SELECT_UNIT_MASK	GENMASK_ULL(15, 8)
#define SELECT_USER		BIT_ULL(16)
#define SELECT_OS		BIT_ULL(17)
#define SELECT_EDGE		BIT_ULL(18)
#define SELECT_INTERRUPT	BIT_ULL(20)
#define SELECT_ENABLE		BIT_ULL(22)	/* PerfEvtSel0 only */
#define SELECT_INVERT		BIT_ULL(23)
#define SELECT_COUNTER_MASK	GENMASK_ULL(31, 24)
#define SELECT_ALLOWED		(SELECT_EVENT | SELECT_UNIT_MASK | SELECT_EDGE | \
				 SELECT_INVERT | SELECT_COUNTER_MASK)

/* Events that only one counter can count (table 6-2) */
static const struct {
	u8 event;
	u8 counter;
} p6_constraints[] = {
	{ 0xc1, 0 },	/* FLOPS */
	{ 0x10, 0 },	/* FP_COMP_OPS_EXE */
	{ 0x11, 1 },	/* FP_ASSIST */
	{ 0x12, 1 },	/* MUL */
	{ 0x13, 1 },	/* DIV */
	{ 0x14, 0 },	/* CYCLES_DIV_BUSY */
};

static const struct pmc_family p6_rdmsr;

/* A hypervisor may report the model without having its registers. */
static bool p6_registers_exist(void)
{
	u64 value;

	return !pmc_rdmsr_safe(MSR_PERFEVTSEL0, &value) && !pmc_rdmsr_safe(MSR_PERFCTR0, &value);
}

static bool p6_recognise(struct pmc_description *description)
{
	struct pmc_query *query = &description->query;

	if (memcmp(query->vendor, "GenuineIntel", 12) || query->cpu_family != 6 ||
	    query->cpu_model >= P6_MODEL_END)
		return false;
	if (!p6_registers_exist()) {
		query->status = PMC_STATUS_NO_PERFMON;
		return false;
	}
	query->family = PMC_FAMILY_P6;
	query->general_counters = GENMASK_ULL(P6_COUNTERS - 1, 0);
	query->general_width = P6_WIDTH;
	query->event_select_mask = SELECT_ALLOWED;
	query->features |= PMC_FEATURE(KERNEL_MODE);
	if (!(query->quirks & PMC_QUIRK(P6_RDPMC)) && pmc_rdpmc_faults(0))
		query->quirks |= PMC_QUIRK(NO_RDPMC);
	if (query->quirks & (PMC_QUIRK(P6_RDPMC) | PMC_QUIRK(NO_RDPMC)))
		description->family = &p6_rdmsr;
	else
		query->features |= PMC_FEATURE(RDPMC);
	if (pmc_apic_exists())
		query->features |= PMC_FEATURE(INTERRUPT);
	return true;
}

static int p6_describe_counter(const struct pmc_query *query, u32 counter,
			       struct pmc_counter *answer)
{
	if (counter >= P6_COUNTERS)
		return -ENXIO;
	answer->rdpmc = counter;
	answer->width = P6_WIDTH;
	answer->write_width = P6_WRITE_WIDTH;
	answer->event_select_mask = SELECT_ALLOWED;
	answer->select_msr = MSR_PERFEVTSEL0 + counter;
	answer->counter_msr = MSR_PERFCTR0 + counter;
	if (query->features & PMC_FEATURE(INTERRUPT))
		answer->period_max = GENMASK_ULL(P6_WRITE_WIDTH - 2, 0);
	return 0;
}

static bool p6_counter_allows(u32 counter, u8 event)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(p6_constraints); i++) {
		if (p6_constraints[i].event == event)
			return p6_constraints[i].counter == counter;
	}
	return true;
}

static int p6_check(const struct pmc_query *query, const struct pmc_counter_config *config,
		    u64 *refused)
{
	struct pmc_counter answer = {};
	int err;

	err = p6_describe_counter(query, config->counter, &answer);
	if (err)
		return err;
	*refused = config->event_select & ~SELECT_ALLOWED;
	if (*refused || config->event_extra)
		return -EINVAL;
	if (!p6_counter_allows(config->counter, config->event_select & SELECT_EVENT))
		return -EDOM;
	if (config->period && !answer.period_max)
		return -EOPNOTSUPP;
	return config->period > answer.period_max ? -ERANGE : 0;
}

static bool p6_sibling(const struct pmc_query *query, const struct pmc_counter_config *config)
{
	return false;
}

static int p6_compile(const struct pmc_query *query, const struct pmc_counter_config *config,
		      struct pmc_program *program)
{
	struct pmc_counter_setup *setup = &program->setup[program->nr++];

	setup->rdpmc = config->counter;
	setup->index = config->counter;
	setup->mask = GENMASK_ULL(P6_WIDTH - 1, 0);
	setup->write_msr = MSR_PERFCTR0 + config->counter;
	setup->write_mask = GENMASK_ULL(P6_WRITE_WIDTH - 1, 0);
	setup->period = config->period;
	setup->user = config->flags & PMC_COUNT_USER;
	setup->kernel = config->flags & PMC_COUNT_KERNEL;
	setup->select = config->event_select;
	if (config->flags & PMC_COUNT_USER)
		setup->select |= SELECT_USER;
	if (config->flags & PMC_COUNT_KERNEL)
		setup->select |= SELECT_OS;
	if (config->period)
		setup->select |= SELECT_INTERRUPT;
	program->general |= BIT_ULL(config->counter);
	program->enable |= BIT_ULL(config->counter);
	program->stop_to_read |= setup->kernel;
	return 0;
}

static int p6_reserve(u64 mask)
{
	return pmc_reserve(mask, MSR_PERFCTR0, MSR_PERFEVTSEL0);
}

static void p6_unreserve(u64 mask)
{
	pmc_unreserve(mask, MSR_PERFCTR0, MSR_PERFEVTSEL0);
}

static u32 p6_spare_select(void)
{
	return MSR_PERFEVTSEL0 + 64;
}

static u64 p6_select(const struct pmc_pmu *pmu, u32 i, u64 counting)
{
	u64 select = READ_ONCE(pmu->select[i]);

	return counting & BIT_ULL(i) ? select : select & ~(SELECT_USER | SELECT_OS);
}

/* PerfEvtSel0, with the enable bit, is written last at a start and first at a stop. */
static void p6_write_selects(const struct pmc_pmu *pmu, u64 counting)
{
	if (counting) {
		pmc_wrmsr(MSR_PERFEVTSEL0 + 1, p6_select(pmu, 1, counting));
		pmc_wrmsr(MSR_PERFEVTSEL0, p6_select(pmu, 0, counting) | SELECT_ENABLE);
	} else {
		pmc_wrmsr(MSR_PERFEVTSEL0, 0);
	}
}

static u64 p6_running(const struct pmc_pmu *pmu)
{
	u64 running = 0;
	u32 i;

	if (!(pmu->saved.select[0] & SELECT_ENABLE))
		return 0;
	for (i = 0; i < P6_COUNTERS; i++) {
		if (pmu->saved.select[i] & (SELECT_USER | SELECT_OS))
			running |= BIT_ULL(i);
	}
	return running;
}

static void p6_write_counter(const struct pmc_pmu *pmu, u32 i, u64 value)
{
	pmc_wrmsr(MSR_PERFCTR0 + i, value & GENMASK_ULL(P6_WRITE_WIDTH - 1, 0));
}

/* Counters that were found running keep running: their owner holds no reservation. */
static void p6_save(struct pmc_pmu *pmu)
{
	u32 i;

	for (i = 0; i < P6_COUNTERS; i++) {
		pmc_rdmsr(MSR_PERFEVTSEL0 + i, pmu->saved.select[i]);
		pmu->select[i] = pmu->saved.select[i] & ~SELECT_ENABLE;
	}
	pmu->found_running = p6_running(pmu);
	pmu->global_ctrl = pmu->found_running;
	p6_write_selects(pmu, pmu->global_ctrl);
	for (i = 0; i < P6_COUNTERS; i++)
		pmc_rdmsr(MSR_PERFCTR0 + i, pmu->saved.general[i]);
	pmu->writes_ignored = pmc_counter_ignores_writes(pmu, 0, MSR_PERFCTR0, p6_write_counter);
}

static void p6_restore(struct pmc_pmu *pmu)
{
	u32 i;

	for (i = 0; i < P6_COUNTERS; i++) {
		if (pmu->touched_general & BIT_ULL(i))
			p6_write_counter(pmu, i, pmu->saved.general[i]);
	}
	pmc_wrmsr(MSR_PERFEVTSEL0 + 1, pmu->saved.select[1]);
	pmc_wrmsr(MSR_PERFEVTSEL0, pmu->saved.select[0]);
}

static void p6_load(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	pmu->touched_general |= program->general;
	for (i = 0; i < program->nr; i++)
		WRITE_ONCE(pmu->select[program->setup[i].index], program->setup[i].select);
}

static void p6_enable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	/* before the registers: an NMI in between calls p6_resume() */
	WRITE_ONCE(pmu->global_ctrl, pmu->global_ctrl | program->enable);
	p6_write_selects(pmu, pmu->global_ctrl);
}

static void p6_disable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	WRITE_ONCE(pmu->global_ctrl, pmu->global_ctrl & ~program->enable);
	p6_write_selects(pmu, pmu->global_ctrl);
}

/* Register 0 has the enable bit of both counters. */
static bool p6_verify(const struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u64 value;
	u32 i;

	pmc_rdmsr(MSR_PERFEVTSEL0, value);
	if (!(value & SELECT_ENABLE))
		return false;
	for (i = 0; i < program->nr; i++) {
		pmc_rdmsr(MSR_PERFEVTSEL0 + program->setup[i].index, value);
		if ((value & ~SELECT_ENABLE) != program->setup[i].select)
			return false;
	}
	return true;
}

static void p6_write(struct pmc_pmu *pmu, const struct pmc_counter_setup *setup, u64 raw)
{
	p6_write_counter(pmu, setup->index, raw);
}

static bool p6_clear(struct pmc_pmu *pmu, u64 counters)
{
	bool any = false;
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX; i++) {
		if (!(counters & BIT_ULL(i)) || !pmc_rdpmc(i))
			continue;
		p6_write_counter(pmu, i, 0);
		any = true;
	}
	return any;
}

static void p6_pause(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	p6_write_selects(pmu, READ_ONCE(pmu->global_ctrl) & ~program->enable);
}

static void p6_resume(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	p6_write_selects(pmu, READ_ONCE(pmu->global_ctrl));
}

#define P6_OPERATIONS					\
	.name = "P6",					\
	.recognise = p6_recognise,			\
	.describe_counter = p6_describe_counter,	\
	.check = p6_check,				\
	.sibling = p6_sibling,				\
	.compile = p6_compile,				\
	.reserve = p6_reserve,				\
	.unreserve = p6_unreserve,			\
	.spare_select = p6_spare_select,		\
	.save = p6_save,				\
	.restore = p6_restore,				\
	.load = p6_load,				\
	.enable = p6_enable,				\
	.disable = p6_disable,				\
	.verify = p6_verify,				\
	.write = p6_write,				\
	.clear = p6_clear,				\
	.pause = p6_pause,				\
	.resume = p6_resume

const struct pmc_family pmc_family_p6 = {
	P6_OPERATIONS,
};

static u64 p6_read_one(const struct pmc_counter_setup *setup)
{
	return pmc_rdmsr_native(setup->write_msr);
}

/* RDPMC does not work, or faults. */
static const struct pmc_family p6_rdmsr = {
	P6_OPERATIONS,
	.read_one = p6_read_one,
};

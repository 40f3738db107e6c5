// SPDX-License-Identifier: GPL-2.0-only
/*
 * Family NetBurst: Pentium 4, Xeon and Celeron of family 15
 *
 * Eighteen counters of 40 bits, each with a counter configuration control register
 * (CCCR), which picks one of a few event selection control registers (ESCR). The
 * tables and layouts are those of SDM Volume 3B, chapter "Performance Monitoring",
 * section "Performance Monitoring (Processors Based on Intel NetBurst
 * Microarchitecture)".
 *
 * An event select here is the CCCR in bits 31:0 and the ESCR in bits 63:32. Which
 * ESCR that is follows from the counter and the CCCR's ESCR select.
 *
 * There is no register that starts all counters at once: they start and stop one
 * after the other. Two logical processors of a core share everything. A thread that
 * is counted could meet another one there: so with both of them online the counters
 * are not used.
 *
 * Owns the family's part of struct pmc_pmu: @select has the CCCRs as they are in
 * the hardware, @general of what was saved the counters, and the ESCRs have their
 * own table here, one for each CPU. No lock: runs on the CPU concerned with
 * interrupts off (see kmod/family.h), the checks in any context.
 */
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>

#include "../compat/compat.h"
#include "../compat/reserve.h"
#include "../pmu.h"

#define MSR_MISC_ENABLE		0x1a0	/* IA32_MISC_ENABLE */
#define MISC_ENABLE_PERFMON	BIT_ULL(7)

#define MSR_COUNTER0		0x300	/* MSR_BPU_COUNTER0 */
#define MSR_CCCR0		0x360	/* MSR_BPU_CCCR0 */
#define MSR_ESCR_FIRST		0x3a0	/* MSR_BSU_ESCR0 */

#define NETBURST_COUNTERS	18
#define NETBURST_WIDTH		40
#define NETBURST_RDPMC_FAST	BIT(31)
#define NETBURST_MODEL_NO_IQ	3	/* from here on there are no MSR_IQ_ESCR0 and 1 */

/* Counter configuration control register */
#define CCCR_ENABLE		BIT_ULL(12)
#define CCCR_ESCR_SELECT	GENMASK_ULL(15, 13)
#define CCCR_ESCR_SHIFT		13
#define CCCR_ANY_THREAD		GENMASK_ULL(17, 16)	/* active thread: any; always so */
#define CCCR_COMPARE		BIT_ULL(18)
#define CCCR_COMPLEMENT		BIT_ULL(19)
#define CCCR_THRESHOLD		GENMASK_ULL(23, 20)
#define CCCR_EDGE		BIT_ULL(24)
#define CCCR_OVF_PMI_T0		BIT_ULL(26)
#define CCCR_CASCADE		BIT_ULL(30)
#define CCCR_OVF		BIT_ULL(31)
#define CCCR_ALLOWED		(CCCR_ESCR_SELECT | CCCR_COMPARE | CCCR_COMPLEMENT | \
				 CCCR_THRESHOLD | CCCR_EDGE | CCCR_CASCADE)

/* Event selection control register */
#define ESCR_T0_USER		BIT_ULL(2)
#define ESCR_T0_OS		BIT_ULL(3)
#define ESCR_TAG_ENABLE		BIT_ULL(4)
#define ESCR_TAG_VALUE		GENMASK_ULL(8, 5)
#define ESCR_EVENT_MASK		GENMASK_ULL(24, 9)
#define ESCR_EVENT_SELECT	GENMASK_ULL(30, 25)
#define ESCR_ALLOWED		(ESCR_TAG_ENABLE | ESCR_TAG_VALUE | ESCR_EVENT_MASK | \
				 ESCR_EVENT_SELECT)
#define ESCR_SHIFT		32

#define SELECT_ALLOWED		(ESCR_ALLOWED << ESCR_SHIFT | CCCR_ALLOWED)

#define MSR_IQ_ESCR0		0x3ba
#define MSR_IQ_ESCR1		0x3bb

/*
 * The ESCRs that a counter can have, by the CCCR's ESCR select; 0 where there is
 * none. The counters come in groups that share them.
 */
static const u16 netburst_escrs[][8] = {
	/* BPU 0, 1: BPU, IS, MOB, ITLB, PMH, IX, FSB, BSU */
	{ 0x3b2, 0x3b4, 0x3aa, 0x3b6, 0x3ac, 0x3c8, 0x3a2, 0x3a0 },
	/* BPU 2, 3 */
	{ 0x3b3, 0x3b5, 0x3ab, 0x3b7, 0x3ad, 0x3c9, 0x3a3, 0x3a1 },
	/* MS 0, 1: MS, TC, TBPU */
	{ 0x3c0, 0x3c4, 0x3c2 },
	/* MS 2, 3 */
	{ 0x3c1, 0x3c5, 0x3c3 },
	/* FLAME 0, 1: FLAME, FIRM, SAAT, U2L, -, DAC */
	{ 0x3a6, 0x3a4, 0x3ae, 0x3b0, 0, 0x3a8 },
	/* FLAME 2, 3 */
	{ 0x3a7, 0x3a5, 0x3af, 0x3b1, 0, 0x3a9 },
	/* IQ 0, 1, 4: IQ, ALF, RAT, SSU, CRU 0, CRU 2, CRU 4 */
	{ MSR_IQ_ESCR0, 0x3ca, 0x3bc, 0x3be, 0x3b8, 0x3cc, 0x3e0 },
	/* IQ 2, 3, 5: IQ, ALF, RAT, -, CRU 1, CRU 3, CRU 5 */
	{ MSR_IQ_ESCR1, 0x3cb, 0x3bd, 0, 0x3b9, 0x3cd, 0x3e1 },
};

/* The group of each counter. */
static const u8 netburst_groups[NETBURST_COUNTERS] = {
	0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 6, 7,
};

/* CRU_ESCR4 and 5 come after a gap, which a mask of 64 bits has no room for. */
#define NETBURST_ESCRS		64
#define MSR_CRU_ESCR4		0x3e0
#define ESCR_INDEX_CRU_ESCR4	62

/**
 * struct netburst_escrs - the ESCRs of one CPU
 * @now:	as they are in the hardware
 * @found:	as they were found
 * @touched:	a bit for each that was written
 */
struct netburst_escrs {
	u32 now[NETBURST_ESCRS];
	u32 found[NETBURST_ESCRS];
	u64 touched;
};

static DEFINE_PER_CPU(struct netburst_escrs, netburst_escrs_here);

static u32 netburst_escr_index(u32 msr)
{
	return msr >= MSR_CRU_ESCR4 ? msr - MSR_CRU_ESCR4 + ESCR_INDEX_CRU_ESCR4 :
	       msr - MSR_ESCR_FIRST;
}

static u32 netburst_escr_msr(u32 index)
{
	return index >= ESCR_INDEX_CRU_ESCR4 ? index - ESCR_INDEX_CRU_ESCR4 + MSR_CRU_ESCR4 :
	       index + MSR_ESCR_FIRST;
}

/* The ESCR that this event select means on this counter, 0 if there is none. */
static u32 netburst_escr(const struct pmc_query *query, u32 counter, u64 select)
{
	u32 msr = netburst_escrs[netburst_groups[counter]]
				[(select & CCCR_ESCR_SELECT) >> CCCR_ESCR_SHIFT];

	if (query->cpu_model >= NETBURST_MODEL_NO_IQ &&
	    (msr == MSR_IQ_ESCR0 || msr == MSR_IQ_ESCR1))
		return 0;
	return msr;
}

static bool netburst_registers_exist(void)
{
	u64 value;

	return !pmc_rdmsr_safe(MSR_CCCR0, &value) && !pmc_rdmsr_safe(MSR_COUNTER0, &value) &&
	       !pmc_rdmsr_safe(MSR_ESCR_FIRST, &value);
}

static u32 netburst_status(void)
{
	u64 value;

	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR) && !pmc_rdmsr_safe(MSR_MISC_ENABLE, &value) &&
	    !(value & MISC_ENABLE_PERFMON))
		return PMC_STATUS_FIRMWARE_OFF;
	if (!netburst_registers_exist())
		return PMC_STATUS_NO_PERFMON;
	if (cpumask_weight(topology_sibling_cpumask(smp_processor_id())) > 1)
		return PMC_STATUS_SHARED;
	return PMC_STATUS_OK;
}

static bool netburst_recognise(struct pmc_description *description)
{
	struct pmc_query *query = &description->query;
	u32 status;

	if (memcmp(query->vendor, "GenuineIntel", 12) || query->cpu_family != 15)
		return false;
	status = netburst_status();
	if (status != PMC_STATUS_OK) {
		query->status = status;
		return false;
	}
	query->family = PMC_FAMILY_NETBURST;
	query->general_counters = GENMASK_ULL(NETBURST_COUNTERS - 1, 0);
	query->general_width = NETBURST_WIDTH;
	query->event_select_mask = SELECT_ALLOWED;
	query->features |= PMC_FEATURE(KERNEL_MODE) | PMC_FEATURE(FULL_WIDTH) |
			   PMC_FEATURE(RDPMC) | PMC_FEATURE(RDPMC_FAST);
	if (pmc_overflow_exists())
		query->features |= PMC_FEATURE(INTERRUPT);
	return true;
}

static int netburst_describe_counter(const struct pmc_query *query, u32 counter,
				     struct pmc_counter *answer)
{
	if (counter >= NETBURST_COUNTERS)
		return -ENXIO;
	answer->rdpmc = counter;
	answer->width = NETBURST_WIDTH;
	answer->write_width = NETBURST_WIDTH;
	answer->event_select_mask = SELECT_ALLOWED;
	answer->select_msr = MSR_CCCR0 + counter;
	answer->counter_msr = MSR_COUNTER0 + counter;
	if (query->features & PMC_FEATURE(INTERRUPT))
		answer->period_max = GENMASK_ULL(NETBURST_WIDTH - 2, 0);
	return 0;
}

static int netburst_check(const struct pmc_query *query,
			  const struct pmc_counter_config *config, u64 *refused)
{
	struct pmc_counter answer = {};
	int err;

	err = netburst_describe_counter(query, config->counter, &answer);
	if (err)
		return err;
	*refused = config->event_select & ~SELECT_ALLOWED;
	if (*refused || config->event_extra)
		return -EINVAL;
	if (!netburst_escr(query, config->counter, config->event_select))
		return -EDOM;
	if (config->period && !answer.period_max)
		return -EOPNOTSUPP;
	return config->period > answer.period_max ? -ERANGE : 0;
}

static bool netburst_sibling(const struct pmc_counter_config *config)
{
	return false;
}

static u64 netburst_privilege(const struct pmc_counter_config *config)
{
	u64 bits = 0;

	if (config->flags & PMC_COUNT_USER)
		bits |= ESCR_T0_USER;
	if (config->flags & PMC_COUNT_KERNEL)
		bits |= ESCR_T0_OS;
	return bits;
}

/* Two counters can have one ESCR only if they want the same of it. */
static bool netburst_fits(const struct pmc_program *program,
			  const struct pmc_program_entry *entry)
{
	u32 i;

	for (i = 0; i < program->nr; i++) {
		if (program->entry[i].extra == entry->extra &&
		    program->entry[i].select >> ESCR_SHIFT != entry->select >> ESCR_SHIFT)
			return false;
	}
	return true;
}

/* SDM, "Cascading Counters": the counter whose overflow starts this one. */
static u32 netburst_starter(u32 counter)
{
	return counter < 16 ? counter ^ 2 : counter - 2;
}

/*
 * Starters in the mask of what contexts share, between the ESCRs' numbers: whoever has
 * one, and who is started by it. A counter that is started at one event before its
 * starter's period is over, or not at all, would be wrong; so both are in one context.
 */
#define SHARED_STARTER(n)	BIT_ULL(46 + (n))
#define NETBURST_STARTERS	16

static u64 netburst_shared(const struct pmc_program_entry *entry)
{
	u64 shared = BIT_ULL(netburst_escr_index(entry->extra));

	if (entry->index < NETBURST_STARTERS)
		shared |= SHARED_STARTER(entry->index);
	if (entry->select & CCCR_CASCADE)
		shared |= SHARED_STARTER(netburst_starter(entry->index));
	return shared;
}

/*
 * What counts the kernel is stopped whenever somebody looks at it, in the interrupt of
 * the overflow, too; and what stops a counter ends that it was started.
 */
static bool netburst_stays_started(const struct pmc_program *program,
				   const struct pmc_program_entry *entry)
{
	u64 cascade = entry->select;
	u32 i;

	if (!program->stop_to_read && !entry->kernel)
		return true;
	for (i = 0; i < program->nr; i++)
		cascade |= program->entry[i].select;
	return !(cascade & CCCR_CASCADE);
}

/*
 * A counter whose overflow starts another one overflows when its period is over, and
 * the sample comes one event late. @program has all its entries up to @entry.
 */
static void netburst_cascade(struct pmc_program *program, struct pmc_program_entry *entry)
{
	struct pmc_program_entry *other;

	for (other = program->entry; other < entry; other++) {
		if (entry->select & CCCR_CASCADE && netburst_starter(entry->index) == other->index)
			other->lead = false;
		if (other->select & CCCR_CASCADE && netburst_starter(other->index) == entry->index)
			entry->lead = false;
	}
}

static int netburst_compile(const struct pmc_query *query,
			    const struct pmc_counter_config *config,
			    struct pmc_program *program)
{
	struct pmc_program_entry *entry = &program->entry[program->nr];

	entry->rdpmc = config->counter;
	entry->index = config->counter;
	entry->extra = netburst_escr(query, config->counter, config->event_select);
	entry->mask = GENMASK_ULL(NETBURST_WIDTH - 1, 0);
	entry->period = config->period;
	entry->user = config->flags & PMC_COUNT_USER;
	entry->kernel = config->flags & PMC_COUNT_KERNEL;
	entry->select = config->event_select | CCCR_ANY_THREAD |
			netburst_privilege(config) << ESCR_SHIFT;
	if (config->period)
		entry->select |= CCCR_OVF_PMI_T0;
	/* SDM, "CCCR MSRs", OVF_PMI: with the next event after the overflow */
	entry->delayed = config->period;
	entry->lead = config->period;
	if (!netburst_fits(program, entry) || !netburst_stays_started(program, entry))
		return -ENOSPC;
	netburst_cascade(program, entry);
	program->nr++;
	program->general |= BIT_ULL(config->counter);
	program->shared |= netburst_shared(entry);
	program->stop_to_read |= entry->kernel;
	return 0;
}

/* The kernel's reservations of ESCRs are as good as these: perf takes all or none. */
static int netburst_reserve(u64 mask)
{
	return pmc_reserve(mask, MSR_COUNTER0, MSR_ESCR_FIRST);
}

static void netburst_unreserve(u64 mask)
{
	pmc_unreserve(mask, MSR_COUNTER0, MSR_ESCR_FIRST);
}

/*
 * Twice: writing a counter lets it count, and what is counted between the two halves of
 * the write can carry into the upper one (erratum N15 of the Pentium 4, O8 of the Xeon
 * MP: "Writing a performance counter may result in an incorrect counter value"). The
 * second write finds nothing to count. An emulated processor has no such error: no test
 * shows this.
 */
static void netburst_write_counter(u32 index, u64 value)
{
	pmc_wrmsr(MSR_COUNTER0 + index, value);
	pmc_wrmsr(MSR_COUNTER0 + index, value);
}

static bool netburst_is_deaf(const struct pmc_pmu *pmu)
{
	u64 pattern = (pmu->saved.general[0] ^ 0x5a5a) & GENMASK_ULL(15, 0);
	u64 value;

	if (pmu->found_running & BIT_ULL(0))
		return false;
	netburst_write_counter(0, pattern);
	pmc_rdmsr(MSR_COUNTER0, value);
	netburst_write_counter(0, pmu->saved.general[0]);
	return value != pattern;
}

static void netburst_save(struct pmc_pmu *pmu)
{
	u32 i;

	pmu->found_running = 0;
	for (i = 0; i < NETBURST_COUNTERS; i++) {
		pmc_rdmsr(MSR_CCCR0 + i, pmu->saved.select[i]);
		pmu->select[i] = pmu->saved.select[i];
		if (pmu->saved.select[i] & CCCR_ENABLE)
			pmu->found_running |= BIT_ULL(i);
		pmc_rdmsr(MSR_COUNTER0 + i, pmu->saved.general[i]);
	}
	this_cpu_ptr(&netburst_escrs_here)->touched = 0;
	pmu->deaf = netburst_is_deaf(pmu);
}

static void netburst_restore_escrs(void)
{
	struct netburst_escrs *escrs = this_cpu_ptr(&netburst_escrs_here);
	u32 i;

	for (i = 0; i < NETBURST_ESCRS; i++) {
		if (escrs->touched & BIT_ULL(i))
			pmc_wrmsr(netburst_escr_msr(i), escrs->found[i]);
	}
}

static void netburst_restore(struct pmc_pmu *pmu)
{
	u32 i;

	netburst_restore_escrs();
	for (i = 0; i < NETBURST_COUNTERS; i++) {
		if (!(pmu->touched_general & BIT_ULL(i)))
			continue;
		netburst_write_counter(i, pmu->saved.general[i]);
		pmc_wrmsr(MSR_CCCR0 + i, pmu->saved.select[i]);
	}
}

static void netburst_load_escr(u32 msr, u32 value)
{
	struct netburst_escrs *escrs = this_cpu_ptr(&netburst_escrs_here);
	u32 i = netburst_escr_index(msr);
	u64 found;

	if (!(escrs->touched & BIT_ULL(i))) {
		pmc_rdmsr(msr, found);
		escrs->found[i] = found;
		escrs->touched |= BIT_ULL(i);
	} else if (escrs->now[i] == value) {
		return;
	}
	escrs->now[i] = value;
	pmc_wrmsr(msr, value);
}

/* The CCCR of a counter that nothing starts */
static u32 netburst_stopped(const struct pmc_program_entry *entry)
{
	return (u32)entry->select & ~CCCR_CASCADE;
}

static void netburst_write_cccr(struct pmc_pmu *pmu, const struct pmc_program_entry *entry,
				u64 enable)
{
	u32 value = netburst_stopped(entry) | enable;

	/* before the register: see netburst_resume() */
	WRITE_ONCE(pmu->select[entry->index], value);
	pmc_wrmsr(MSR_CCCR0 + entry->index, value);
}

static void netburst_load(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	pmu->touched_general |= program->general;
	for (i = 0; i < program->nr; i++) {
		const struct pmc_program_entry *entry = &program->entry[i];

		netburst_load_escr(entry->extra, entry->select >> ESCR_SHIFT);
		netburst_write_cccr(pmu, entry, 0);
	}
}

/*
 * A counter that is cascaded to is not enabled: the overflow of the other one
 * starts it (SDM, "Cascading Counters"), also while we think that it is stopped. So
 * the bit is there only while the counter may be started.
 */
static u64 netburst_enable_bit(const struct pmc_program_entry *entry)
{
	return entry->select & CCCR_CASCADE ? CCCR_CASCADE : CCCR_ENABLE;
}

static void netburst_enable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	for (i = 0; i < program->nr; i++)
		netburst_write_cccr(pmu, &program->entry[i],
				    netburst_enable_bit(&program->entry[i]));
}

static void netburst_disable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	for (i = 0; i < program->nr; i++)
		netburst_write_cccr(pmu, &program->entry[i], 0);
}

static void netburst_write(struct pmc_pmu *pmu, const struct pmc_program_entry *entry, u64 raw)
{
	netburst_write_counter(entry->index, raw);
}

/*
 * The overflow bit stays till it is written 0, and interrupts with every event as long
 * as it is set. The rest of the register stays as it is: paused, for example.
 */
static void netburst_acknowledge(struct pmc_pmu *pmu, const struct pmc_program_entry *entry)
{
	u64 cccr;

	pmc_rdmsr(MSR_CCCR0 + entry->index, cccr);
	if (cccr & CCCR_OVF)
		pmc_wrmsr(MSR_CCCR0 + entry->index, cccr & ~CCCR_OVF);
}

static void netburst_pause(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	for (i = 0; i < program->nr; i++)
		pmc_wrmsr(MSR_CCCR0 + program->entry[i].index,
			  netburst_stopped(&program->entry[i]));
}

static void netburst_resume(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i, index;

	for (i = 0; i < program->nr; i++) {
		index = program->entry[i].index;
		pmc_wrmsr(MSR_CCCR0 + index, READ_ONCE(pmu->select[index]));
	}
}

const struct pmc_family pmc_family_netburst = {
	.name = "NetBurst",
	.recognise = netburst_recognise,
	.describe_counter = netburst_describe_counter,
	.check = netburst_check,
	.sibling = netburst_sibling,
	.compile = netburst_compile,
	.reserve = netburst_reserve,
	.unreserve = netburst_unreserve,
	.save = netburst_save,
	.restore = netburst_restore,
	.load = netburst_load,
	.enable = netburst_enable,
	.disable = netburst_disable,
	.write = netburst_write,
	.acknowledge = netburst_acknowledge,
	.pause = netburst_pause,
	.resume = netburst_resume,
};

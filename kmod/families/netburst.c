// SPDX-License-Identifier: GPL-2.0-only
/*
 * Family NetBurst: Pentium 4, Xeon and Celeron of family 15
 *
 * Eighteen counters of 40 bits, each with a counter configuration control register
 * (CCCR), which selects one of several event selection control registers (ESCR). The
 * tables and layouts are those of SDM Volume 3B, chapter "Performance Monitoring",
 * section "Performance Monitoring (Processors Based on Intel NetBurst
 * Microarchitecture)".
 *
 * An event select here is the CCCR in bits 31:0 and the ESCR in bits 63:32. The counter
 * and the CCCR's ESCR select determine the ESCR.
 *
 * No register starts all counters at once: they start and stop one after the other.
 *
 * Two logical processors of a core share all registers (section "Performance Monitoring and
 * Intel Hyper-Threading Technology in Processors Based on Intel NetBurst
 * Microarchitecture"). Each group of counters consists of two pairs, each with its own
 * ESCRs, so each logical processor gets one pair. Counter n of the second logical processor
 * is the hardware's counter in the other pair, with the other ESCR. The driver's interface
 * calls both n, so a thread can migrate between the two. Events that only one pair has cannot
 * be counted then. Neither can cascaded counters, because cascading goes from one pair to
 * the other.
 *
 * Owns the family's part of struct pmc_pmu: @select has copies of the CCCRs, and
 * @saved.general the counters. The ESCRs have a table here for each CPU. No lock: runs on
 * the CPU concerned with interrupts off (see struct pmc_family), the checks in any context.
 */
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>

#include "compat/apic.h"
#include "compat/compat.h"
#include "compat/reserve.h"
#include "compat/topology.h"
#include "families/ignored_writes.h"
#include "families/netburst.h"

#define MSR_MISC_ENABLE		0x1a0	/* IA32_MISC_ENABLE */
#define MISC_ENABLE_PERFMON	BIT_ULL(7)
#define CPUID_1_EDX_HTT		BIT(28)

#define MSR_COUNTER0		0x300	/* MSR_BPU_COUNTER0 */
#define MSR_CCCR0		0x360	/* MSR_BPU_CCCR0 */
#define MSR_ESCR_FIRST		0x3a0	/* MSR_BSU_ESCR0 */

#define NETBURST_COUNTERS	18
#define NETBURST_WIDTH		40
#define NETBURST_RDPMC_FAST	BIT(31)
#define NETBURST_MODEL_NO_IQ	3	/* from this model on without MSR_IQ_ESCR0 and 1 */

/* Counter configuration control register */
#define CCCR_ENABLE		BIT_ULL(12)
#define CCCR_ESCR_SELECT	GENMASK_ULL(15, 13)
#define CCCR_ESCR_SHIFT		13
#define CCCR_ANY_THREAD		GENMASK_ULL(17, 16)	/* active thread: any; always set */
#define CCCR_COMPARE		BIT_ULL(18)
#define CCCR_COMPLEMENT		BIT_ULL(19)
#define CCCR_THRESHOLD		GENMASK_ULL(23, 20)
#define CCCR_EDGE		BIT_ULL(24)
#define CCCR_OVF_PMI_T0		BIT_ULL(26)
#define CCCR_OVF_PMI_T1		BIT_ULL(27)
#define CCCR_CASCADE		BIT_ULL(30)
#define CCCR_OVF		BIT_ULL(31)
#define CCCR_ALLOWED		(CCCR_ESCR_SELECT | CCCR_COMPARE | CCCR_COMPLEMENT | \
				 CCCR_THRESHOLD | CCCR_EDGE | CCCR_CASCADE)

/* Event selection control register */
#define ESCR_T0_USER		BIT_ULL(2)	/* T1's bits are two positions lower */
#define ESCR_T0_OS		BIT_ULL(3)
#define ESCR_T0			(ESCR_T0_USER | ESCR_T0_OS)
#define ESCR_T1_SHIFT		2
#define ESCR_TAG_ENABLE		BIT_ULL(4)
#define ESCR_TAG_VALUE		GENMASK_ULL(8, 5)
#define ESCR_EVENT_MASK		GENMASK_ULL(24, 9)
#define ESCR_EVENT_SELECT	GENMASK_ULL(30, 25)
#define ESCR_EVENT_SHIFT	25
#define ESCR_ALLOWED		(ESCR_TAG_ENABLE | ESCR_TAG_VALUE | ESCR_EVENT_MASK | \
				 ESCR_EVENT_SELECT)
#define ESCR_SHIFT		32

#define SELECT_ALLOWED		(ESCR_ALLOWED << ESCR_SHIFT | CCCR_ALLOWED)

#define MSR_BSU_ESCR0		0x3a0
#define MSR_FSB_ESCR0		0x3a2
#define MSR_FIRM_ESCR0		0x3a4
#define MSR_DAC_ESCR0		0x3a8
#define MSR_PMH_ESCR0		0x3ac
#define MSR_IQ_ESCR0		0x3ba
#define MSR_IQ_ESCR1		0x3bb
#define MSR_TC_ESCR0		0x3c4

/*
 * Addresses of the ESCRs that a counter can select, by the CCCR's ESCR select; 0 for none.
 * The counters of a group share them.
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

/* The group of each counter, by index of netburst_escrs; the next one has the other pair. */
static const u8 netburst_groups[NETBURST_COUNTERS] = {
	0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 6, 7,
};

/* The first pair of each group, and the third counter of the last group */
#define NETBURST_FIRST_HALF	0x13333ULL
#define NETBURST_ALL		GENMASK_ULL(NETBURST_COUNTERS - 1, 0)

/* CRU_ESCR4 and 5 come after a gap; without the gap a mask of 64 bits is enough. */
#define NETBURST_ESCRS		64
#define MSR_CRU_ESCR4		0x3e0
#define ESCR_INDEX_CRU_ESCR4	62

/**
 * struct netburst_escrs - the ESCRs of one CPU
 * @now:	present values
 * @found:	values before the driver's first write
 * @touched:	mask of those that the driver wrote
 */
struct netburst_escrs {
	u32 now[NETBURST_ESCRS];
	u32 found[NETBURST_ESCRS];
	u64 touched;
};

static DEFINE_PER_CPU(struct netburst_escrs, netburst_escrs_here);

DEFINE_PER_CPU(struct netburst_share, netburst_shares);

static const struct pmc_family netburst_rdmsr;

/* Some core has two logical processors; set when the first such CPU is described. */
static bool netburst_core_is_shared;

/* The hardware's number of a logical processor's counter */
static u32 netburst_number_of(u32 counter, const struct netburst_share *share)
{
	if (!netburst_has_second_half(share))
		return counter;
	return counter < 16 ? counter ^ 2 : counter + 1;
}

static u32 netburst_number(u32 counter)
{
	return netburst_number_of(counter, this_cpu_ptr(&netburst_shares));
}

/* The other pair's ESCR has the next address. */
static u32 netburst_escr_here(u32 msr)
{
	return msr + netburst_has_second_half(this_cpu_ptr(&netburst_shares));
}

/* The ESCR and the CCCR for this logical processor; a program has the bits of T0. */
static u32 netburst_escr_bits(u64 select)
{
	u32 bits = select >> 32;

	if (!this_cpu_read(netburst_shares.second))
		return bits;
	return (bits & ~ESCR_T0) | (bits & ESCR_T0) >> ESCR_T1_SHIFT;
}

static u32 netburst_cccr_bits(u64 select)
{
	if (select & CCCR_OVF_PMI_T0 && this_cpu_read(netburst_shares.second))
		select ^= CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1;
	return select;
}

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

static bool netburst_is_half(const struct pmc_query *query)
{
	return !(query->general_counters & ~NETBURST_FIRST_HALF & NETBURST_ALL);
}

/*
 * Events of only one pair, although the other has an ESCR for them: IOQ_active_entries,
 * BSQ_allocation, BSQ_active_entries (SDM, "Performance Monitoring Events Supported by
 * Intel NetBurst Microarchitecture for Non-Retirement Counting", ESCR restrictions).
 */
static bool netburst_has_one_escr(u32 msr, u64 select)
{
	u32 event = (select >> ESCR_SHIFT & ESCR_EVENT_SELECT) >> ESCR_EVENT_SHIFT;

	return (msr == MSR_FSB_ESCR0 && event == 0x1a) ||
	       (msr == MSR_BSU_ESCR0 && (event == 0x05 || event == 0x06));
}

static u32 netburst_selected_escr(u32 group, u64 select)
{
	return netburst_escrs[group][(select & CCCR_ESCR_SELECT) >> CCCR_ESCR_SHIFT];
}

/* Address of the ESCR for an event select on a counter, 0 if there is none */
static u32 netburst_escr(const struct pmc_query *query, u32 counter, u64 select)
{
	u32 group = netburst_groups[counter];
	u32 msr = netburst_selected_escr(group, select);

	if (query->cpu_model >= NETBURST_MODEL_NO_IQ &&
	    (msr == MSR_IQ_ESCR0 || msr == MSR_IQ_ESCR1))
		return 0;
	if (netburst_is_half(query) &&
	    (!netburst_selected_escr(group + 1, select) || netburst_has_one_escr(msr, select)))
		return 0;
	return msr;
}

static bool netburst_registers_exist(void)
{
	u64 value;

	return !pmc_rdmsr_safe(MSR_CCCR0, &value) && !pmc_rdmsr_safe(MSR_COUNTER0, &value) &&
	       !pmc_rdmsr_safe(MSR_ESCR_FIRST, &value);
}

/* Largest number of logical processors of a core of this model */
static u32 netburst_threads(void)
{
	u32 logical = 1, cores = 1;

	if (cpuid_edx(1) & CPUID_1_EDX_HTT)
		logical = cpuid_ebx(1) >> 16 & 0xff;
	if (cpuid_eax(0) >= 4)
		cores += cpuid_eax(4) >> 26;
	return logical / cores;
}

/*
 * Bit 0 of the initial APIC ID distinguishes the two logical processors of a core. The
 * counters are halved also while the other one is offline, because it may come online later.
 */
static void netburst_find_share(struct netburst_share *share)
{
	u32 id = cpuid_ebx(1) >> 24;

	share->second = netburst_threads() == 2 && id & 1;
	share->half = netburst_threads() == 2 && pmc_apic_id_present(id ^ 1);
	if (share->half)
		WRITE_ONCE(netburst_core_is_shared, true);
}

static u32 netburst_status(const struct netburst_share *share)
{
	u64 value;

	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR) && !pmc_rdmsr_safe(MSR_MISC_ENABLE, &value) &&
	    !(value & MISC_ENABLE_PERFMON))
		return PMC_STATUS_FIRMWARE_OFF;
	if (!netburst_registers_exist())
		return PMC_STATUS_NO_PERFMON;
	/* more logical processors than the manual describes, or other APIC IDs */
	if (cpumask_weight(topology_sibling_cpumask(smp_processor_id())) > 1 + share->half)
		return PMC_STATUS_SHARED;
	return PMC_STATUS_OK;
}

/* Cascading goes from one pair of a group to the other. */
static u64 netburst_allowed(const struct pmc_query *query)
{
	return netburst_is_half(query) ? SELECT_ALLOWED & ~CCCR_CASCADE : SELECT_ALLOWED;
}

/* RDPMC's number of a logical processor's counter */
static u32 netburst_rdpmc_number(u32 counter, const struct netburst_share *share)
{
	return counter < NETBURST_L3_FIRST ? netburst_number_of(counter, share) :
					     netburst_l3_number(counter, share);
}

/* RDPMC of every counter is tried once. A hypervisor without RDPMC can have the registers. */
static void netburst_try_rdpmc(struct pmc_description *description,
			       const struct netburst_share *share)
{
	struct pmc_query *query = &description->query;
	unsigned long counters = query->general_counters;
	u32 i;

	for_each_set_bit(i, &counters, PMC_GENERAL_MAX) {
		if (pmc_rdpmc_faults(netburst_rdpmc_number(i, share)))
			query->quirks |= PMC_QUIRK(NO_RDPMC);
	}
	if (query->quirks & PMC_QUIRK(NO_RDPMC))
		description->family = &netburst_rdmsr;
	else
		query->features |= PMC_FEATURE(RDPMC) | PMC_FEATURE(RDPMC_FAST);
}

static bool netburst_recognise(struct pmc_description *description)
{
	struct netburst_share *share = this_cpu_ptr(&netburst_shares);
	struct pmc_query *query = &description->query;
	u32 status;

	if (memcmp(query->vendor, "GenuineIntel", 12) || query->cpu_family != 15)
		return false;
	netburst_find_share(share);
	status = netburst_status(share);
	if (status != PMC_STATUS_OK) {
		query->status = status;
		return false;
	}
	query->family = PMC_FAMILY_NETBURST;
	query->general_counters = share->half ? NETBURST_FIRST_HALF : NETBURST_ALL;
	query->general_width = NETBURST_WIDTH;
	query->event_select_mask = netburst_allowed(query);
	if (netburst_l3_exists(query)) {
		query->general_counters |= netburst_l3_counters(share);
		description->narrowest = 32;
	}
	query->features |= PMC_FEATURE(KERNEL_MODE) | PMC_FEATURE(FULL_WIDTH);
	if (pmc_apic_exists())
		query->features |= PMC_FEATURE(INTERRUPT);
	netburst_try_rdpmc(description, share);
	return true;
}

static int netburst_describe_counter(const struct pmc_query *query, u32 counter,
				     struct pmc_counter *answer)
{
	u32 number;

	if (counter >= PMC_GENERAL_MAX || !(query->general_counters & BIT_ULL(counter)))
		return -ENXIO;
	if (counter >= NETBURST_L3_FIRST) {
		netburst_l3_describe(counter, answer);
		return 0;
	}
	number = netburst_number_of(counter, &per_cpu(netburst_shares, answer->cpu));
	answer->rdpmc = number;
	answer->width = NETBURST_WIDTH;
	answer->write_width = NETBURST_WIDTH;
	answer->event_select_mask = netburst_allowed(query);
	answer->select_msr = MSR_CCCR0 + number;
	answer->counter_msr = MSR_COUNTER0 + number;
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
	if (config->event_extra)
		return -EINVAL;
	if (config->counter >= NETBURST_L3_FIRST)
		return netburst_l3_check(config, refused);
	*refused = config->event_select & ~answer.event_select_mask;
	if (*refused)
		return -EINVAL;
	if (!netburst_escr(query, config->counter, config->event_select))
		return -EDOM;
	if (config->period && !answer.period_max)
		return -EOPNOTSUPP;
	return config->period > answer.period_max ? -ERANGE : 0;
}

/*
 * Events that the hardware does not attribute to a logical processor, so that the sibling's
 * are counted too: the manual's "thread independent" (TI) events, and bus events that its
 * lists name neither as thread independent nor as thread specific.
 */
static bool netburst_sibling(const struct pmc_query *query, const struct pmc_counter_config *config)
{
	u32 event = (config->event_select >> ESCR_SHIFT & ESCR_EVENT_SELECT) >> ESCR_EVENT_SHIFT;

	if (!READ_ONCE(netburst_core_is_shared))
		return false;
	/* an L3 counter; netburst_check() refuses numbers that do not exist */
	if (config->counter >= NETBURST_COUNTERS)
		return true;
	switch (netburst_selected_escr(netburst_groups[config->counter], config->event_select)) {
	case MSR_TC_ESCR0:
		return event == 0x01; /* TC_deliver_mode */
	case MSR_DAC_ESCR0:
		return event == 0x05; /* WC_buffer */
	case MSR_FSB_ESCR0:
		return event != 0x03; /* IOQ_allocation */
	case MSR_PMH_ESCR0:
	case MSR_FIRM_ESCR0:
		return true;
	default:
		return false;
	}
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

static bool netburst_is_l3(const struct pmc_counter_setup *setup)
{
	return setup->index >= NETBURST_L3_FIRST;
}

/* Two counters can share an ESCR only if they need the same value in it. */
static bool netburst_fits(const struct pmc_program *program,
			  const struct pmc_counter_setup *setup)
{
	u32 i;

	if (netburst_is_l3(setup))
		return true;
	for (i = 0; i < program->nr; i++) {
		if (program->setup[i].extra == setup->extra &&
		    program->setup[i].select >> ESCR_SHIFT != setup->select >> ESCR_SHIFT)
			return false;
	}
	return true;
}

static bool netburst_is_cascaded(const struct pmc_counter_setup *setup)
{
	return !netburst_is_l3(setup) && setup->select & CCCR_CASCADE;
}

/* The counter that starts @counter when it overflows (SDM, "Cascading Counters") */
static u32 netburst_source(u32 counter)
{
	return counter < 16 ? counter ^ 2 : counter - 2;
}

/*
 * Sources of cascading in &struct pmc_program.shared, between the bits of the ESCRs. A
 * program has the bit of each counter that can be a source, and of the source of each
 * cascaded counter. So a cascaded counter and its source cannot be in two contexts: the
 * counter would be started one event before the source's period ends, or never.
 */
#define SHARED_SOURCE(n)	BIT_ULL(46 + (n))
#define NETBURST_SOURCES	16

static u64 netburst_shared(const struct pmc_counter_setup *setup)
{
	u64 shared = BIT_ULL(netburst_escr_index(setup->extra));

	if (setup->index < NETBURST_SOURCES)
		shared |= SHARED_SOURCE(setup->index);
	if (netburst_is_cascaded(setup))
		shared |= SHARED_SOURCE(netburst_source(setup->index));
	return shared;
}

/*
 * Counters of kernel mode are stopped for each read, also in the overflow's PMI. Stopping a
 * cascaded counter undoes that its source started it. So a program cannot have both.
 */
static bool netburst_cascade_fits(const struct pmc_program *program,
				  const struct pmc_counter_setup *setup)
{
	bool cascade = netburst_is_cascaded(setup);
	u32 i;

	if (!program->stop_to_read && !setup->kernel)
		return true;
	for (i = 0; i < program->nr; i++)
		cascade |= netburst_is_cascaded(&program->setup[i]);
	return !cascade;
}

/*
 * In a cascade, the first counter must overflow exactly at the end of its period, because the
 * overflow starts the second. So it gets no lead, and its sample is one event late. @program
 * has its entries before @setup already.
 */
static void netburst_cascade(struct pmc_program *program, struct pmc_counter_setup *setup)
{
	struct pmc_counter_setup *other;

	for (other = program->setup; other < setup; other++) {
		if (netburst_is_cascaded(setup) && netburst_source(setup->index) == other->index)
			other->lead = false;
		if (netburst_is_cascaded(other) && netburst_source(other->index) == setup->index)
			setup->lead = false;
	}
}

/* L3 counters must not be stopped in an NMI: see netburst_l3.c. */
static bool netburst_l3_fits(const struct pmc_program *program,
			     const struct pmc_counter_setup *setup)
{
	bool l3 = netburst_is_l3(setup), period = setup->period;
	u32 i;

	for (i = 0; i < program->nr; i++) {
		l3 |= netburst_is_l3(&program->setup[i]);
		period |= program->setup[i].period;
	}
	return !l3 || !period;
}

static void netburst_compile_core(const struct pmc_query *query,
				  const struct pmc_counter_config *config,
				  struct pmc_counter_setup *setup)
{
	setup->extra = netburst_escr(query, config->counter, config->event_select);
	setup->mask = GENMASK_ULL(NETBURST_WIDTH - 1, 0);
	setup->period = config->period;
	setup->select = config->event_select | CCCR_ANY_THREAD |
			netburst_privilege(config) << ESCR_SHIFT;
	if (config->period)
		setup->select |= CCCR_OVF_PMI_T0;
	/* SDM, "CCCR MSRs", OVF_PMI: the PMI comes with the next event after the overflow */
	setup->delayed = config->period;
	setup->lead = config->period;
}

static int netburst_compile(const struct pmc_query *query,
			    const struct pmc_counter_config *config,
			    struct pmc_program *program)
{
	struct pmc_counter_setup *setup = &program->setup[program->nr];

	setup->rdpmc = config->counter;
	setup->index = config->counter;
	setup->user = config->flags & PMC_COUNT_USER;
	setup->kernel = config->flags & PMC_COUNT_KERNEL;
	if (netburst_is_l3(setup))
		netburst_l3_compile(config, setup);
	else
		netburst_compile_core(query, config, setup);
	if (!netburst_fits(program, setup) || !netburst_cascade_fits(program, setup) ||
	    !netburst_l3_fits(program, setup))
		return -ENOSPC;
	if (!netburst_is_l3(setup)) {
		netburst_cascade(program, setup);
		program->shared |= netburst_shared(setup);
	}
	program->nr++;
	program->general |= BIT_ULL(config->counter);
	program->stop_to_read |= setup->kernel || netburst_sibling(query, config);
	return 0;
}

/*
 * The reservations of the ESCRs stand for those of the CCCRs: perf reserves all or none.
 * All counters are reserved, because the other logical processor has the remaining ones.
 */
static int netburst_reserve(u64 mask)
{
	return pmc_reserve(NETBURST_ALL, MSR_COUNTER0, MSR_ESCR_FIRST);
}

static void netburst_unreserve(u64 mask)
{
	pmc_unreserve(NETBURST_ALL, MSR_COUNTER0, MSR_ESCR_FIRST);
}

/* No model has an ESCR at 3D0H. */
static u32 netburst_spare_select(void)
{
	return MSR_ESCR_FIRST + 0x30;
}

/*
 * Written twice for erratum N15 of the Pentium 4, O8 of the Xeon MP: "Writing a performance
 * counter may result in an incorrect counter value". A write makes the counter count, and a
 * carry between the two halves of the write can change the upper half. At the second write
 * there is nothing to count.
 */
static void netburst_write_counter(const struct pmc_pmu *pmu, u32 index, u64 value)
{
	u32 msr = MSR_COUNTER0 + netburst_number(index);

	pmc_wrmsr(msr, value);
	pmc_wrmsr(msr, value);
}

static void netburst_save_core(struct pmc_pmu *pmu, u32 i)
{
	u32 number = netburst_number(i);

	pmc_rdmsr(MSR_CCCR0 + number, pmu->saved.select[i]);
	pmu->select[i] = pmu->saved.select[i];
	if (pmu->saved.select[i] & CCCR_ENABLE)
		pmu->found_running |= BIT_ULL(i);
	pmc_rdmsr(MSR_COUNTER0 + number, pmu->saved.general[i]);
}

/* Only this logical processor's half: the other one may do the same at the same time. */
static void netburst_save(struct pmc_pmu *pmu)
{
	unsigned long mine = pmu->description.query.general_counters;
	u32 i;

	pmu->found_running = 0;
	for_each_set_bit(i, &mine, PMC_GENERAL_MAX) {
		if (i < NETBURST_COUNTERS)
			netburst_save_core(pmu, i);
		else
			netburst_l3_save(pmu, i);
	}
	this_cpu_ptr(&netburst_escrs_here)->touched = 0;
	pmu->writes_ignored = pmc_counter_ignores_writes(pmu, 0, MSR_COUNTER0 + netburst_number(0),
							 netburst_write_counter);
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
	unsigned long touched = pmu->touched_general;
	u32 i;

	netburst_restore_escrs();
	for_each_set_bit(i, &touched, PMC_GENERAL_MAX) {
		if (i >= NETBURST_COUNTERS) {
			netburst_l3_restore(pmu, i);
			continue;
		}
		netburst_write_counter(pmu, i, pmu->saved.general[i]);
		pmc_wrmsr(MSR_CCCR0 + netburst_number(i), pmu->saved.select[i]);
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

/* The CCCR with which neither enable nor cascading starts the counter */
static u32 netburst_cccr_stopped(const struct pmc_counter_setup *setup)
{
	return netburst_cccr_bits(setup->select) & ~CCCR_CASCADE;
}

static void netburst_write_cccr(struct pmc_pmu *pmu, const struct pmc_counter_setup *setup,
				u64 enable)
{
	u32 value = netburst_cccr_stopped(setup) | enable;

	/* before the register: an NMI in between calls netburst_resume() */
	WRITE_ONCE(pmu->select[setup->index], value);
	pmc_wrmsr(MSR_CCCR0 + netburst_number(setup->index), value);
}

static void netburst_load(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	pmu->touched_general |= program->general;
	for (i = 0; i < program->nr; i++) {
		const struct pmc_counter_setup *setup = &program->setup[i];

		if (netburst_is_l3(setup)) {
			netburst_l3_stop(pmu, setup);
			continue;
		}
		netburst_load_escr(netburst_escr_here(setup->extra),
				   netburst_escr_bits(setup->select));
		netburst_write_cccr(pmu, setup, 0);
	}
}

/* RDPMC's number on this logical processor; a program has that of the first one. */
static u32 netburst_rdpmc(const struct pmc_counter_setup *setup)
{
	return netburst_rdpmc_number(setup->index, this_cpu_ptr(&netburst_shares));
}

/*
 * A cascaded counter is not enabled: the overflow of its source starts it (SDM, "Cascading
 * Counters"). The cascade bit is set only while the driver treats the counter as started,
 * so that the source cannot start a stopped counter.
 */
static u64 netburst_enable_bit(const struct pmc_counter_setup *setup)
{
	return netburst_is_cascaded(setup) ? CCCR_CASCADE : CCCR_ENABLE;
}

static void netburst_enable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	for (i = 0; i < program->nr; i++) {
		const struct pmc_counter_setup *setup = &program->setup[i];

		if (netburst_is_l3(setup))
			netburst_l3_start(pmu, setup);
		else
			netburst_write_cccr(pmu, setup, netburst_enable_bit(setup));
	}
}

static void netburst_disable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	for (i = 0; i < program->nr; i++) {
		if (netburst_is_l3(&program->setup[i]))
			netburst_l3_stop(pmu, &program->setup[i]);
		else
			netburst_write_cccr(pmu, &program->setup[i], 0);
	}
}

/* The hardware sets the overflow bit, and can set the enable bit of a cascaded counter. */
static bool netburst_verify_one(const struct pmc_pmu *pmu, const struct pmc_counter_setup *setup)
{
	u64 hardware = CCCR_OVF | (netburst_is_cascaded(setup) ? CCCR_ENABLE : 0);
	u32 escr = netburst_escr_here(setup->extra);
	u64 value;

	pmc_rdmsr(MSR_CCCR0 + netburst_number(setup->index), value);
	if ((value ^ pmu->select[setup->index]) & ~hardware)
		return false;
	pmc_rdmsr(escr, value);
	return value == this_cpu_ptr(&netburst_escrs_here)->now[netburst_escr_index(escr)];
}

static bool netburst_verify(const struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	for (i = 0; i < program->nr; i++) {
		const struct pmc_counter_setup *setup = &program->setup[i];

		if (!(netburst_is_l3(setup) ? netburst_l3_verify(setup) :
					      netburst_verify_one(pmu, setup)))
			return false;
	}
	return true;
}

static void netburst_write(struct pmc_pmu *pmu, const struct pmc_counter_setup *setup, u64 raw)
{
	if (netburst_is_l3(setup))
		netburst_l3_write(setup, raw);
	else
		netburst_write_counter(pmu, setup->index, raw);
}

static bool netburst_clear_one(struct pmc_pmu *pmu, u32 i)
{
	const struct pmc_counter_setup setup = { .index = i, .rdpmc = i, .mask = U64_MAX };

	if (!pmc_rdpmc(netburst_rdpmc(&setup)))
		return false;
	netburst_write(pmu, &setup, 0);
	return true;
}

static bool netburst_clear(struct pmc_pmu *pmu, u64 counters)
{
	bool any = false;
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX; i++) {
		if (counters & BIT_ULL(i) && netburst_clear_one(pmu, i))
			any = true;
	}
	return any;
}

/*
 * The overflow bit stays set until 0 is written, and every event interrupts while it is set.
 * The other bits of the register keep their value, because the counter may be paused.
 */
static void netburst_acknowledge(struct pmc_pmu *pmu, const struct pmc_counter_setup *setup)
{
	u32 msr = MSR_CCCR0 + netburst_number(setup->index);
	u64 cccr;

	pmc_rdmsr(msr, cccr);
	if (cccr & CCCR_OVF)
		pmc_wrmsr(msr, cccr & ~CCCR_OVF);
}

/* The program has a period, so it has no L3 counters. */
static void netburst_pause(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i;

	for (i = 0; i < program->nr; i++)
		pmc_wrmsr(MSR_CCCR0 + netburst_number(program->setup[i].index),
			  netburst_cccr_stopped(&program->setup[i]));
}

static void netburst_resume(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	u32 i, index;

	for (i = 0; i < program->nr; i++) {
		index = program->setup[i].index;
		pmc_wrmsr(MSR_CCCR0 + netburst_number(index), READ_ONCE(pmu->select[index]));
	}
}

#define NETBURST_OPERATIONS				\
	.name = "NetBurst",				\
	.recognise = netburst_recognise,		\
	.describe_counter = netburst_describe_counter,	\
	.check = netburst_check,			\
	.sibling = netburst_sibling,			\
	.compile = netburst_compile,			\
	.reserve = netburst_reserve,			\
	.unreserve = netburst_unreserve,		\
	.spare_select = netburst_spare_select,		\
	.save = netburst_save,				\
	.restore = netburst_restore,			\
	.load = netburst_load,				\
	.enable = netburst_enable,			\
	.disable = netburst_disable,			\
	.verify = netburst_verify,			\
	.rdpmc_on_cpu = netburst_rdpmc,			\
	.write = netburst_write,			\
	.clear = netburst_clear,			\
	.acknowledge = netburst_acknowledge,		\
	.pause = netburst_pause,			\
	.resume = netburst_resume

const struct pmc_family pmc_family_netburst = {
	NETBURST_OPERATIONS,
};

static u64 netburst_read_one(const struct pmc_counter_setup *setup)
{
	u32 msr = netburst_is_l3(setup) ? netburst_l3_msr_here(setup->index) :
					  MSR_COUNTER0 + netburst_number(setup->index);

	return pmc_rdmsr_native(msr) & setup->mask;
}

/* For a hypervisor that lets RDPMC fault */
static const struct pmc_family netburst_rdmsr = {
	NETBURST_OPERATIONS,
	.read_one = netburst_read_one,
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters 18 to 25 of the 64-bit Xeon MP with L3 (NetBurst)
 *
 * SDM Volume 3B, chapter "Performance Monitoring", section "Performance Monitoring on
 * 64-bit Intel Xeon Processor MP with Up to 8-MByte L3 Cache", and Volume 2B, "RDPMC".
 * Eight registers between the core and the system bus. Six of them have a counter of 32 bits
 * in the low half and its event in the high half; the counter counts while the high half is
 * not 0. The seventh (RDPMC's 24) starts and stops the eighth (25). RDPMC returns the lower half
 * of the seventh too, but it has no count: the driver does not treat it as a counter.
 *
 * They count for the whole package: both logical processors, at every privilege level. They
 * have no interrupt. With two logical processors, the first has the first counter of each
 * event and the second the second counter. Only one counter 25 exists, so neither has it.
 *
 * Starting or stopping a counter reads its count and writes it back. An NMI that read the
 * counter in between would see a value that then goes back. So no context can have one of
 * these counters together with a counter that interrupts.
 *
 * Owns no data. No lock: netburst.c calls these functions on the CPU concerned with
 * interrupts off.
 */
#include <linux/errno.h>
#include <asm/processor.h>

#include "compat/compat.h"
#include "families/netburst.h"

#define MSR_IFSB_BUSQ0		0x107cc
#define MSR_IFSB_CTL6		0x107d2
#define MSR_IFSB_CNTR7		0x107d3

#define CTL6_ENABLE		BIT_ULL(26)

#define L3_WIDTH		32
#define L3_COUNT		GENMASK_ULL(31, 0)
/*
 * Qualifiers of the event: fields of the manual's figures, which have no table of values.
 * Without bit 59, Saturate: a counter that does not wrap cannot be extended to 64 bits.
 */
#define L3_QUALIFY		GENMASK_ULL(58, 32)

/* IBUSQ, ISNPQ, EFSB_DRDY, two counters each; register 24 controls counter 25 */
#define L3_QUALIFIED		GENMASK_ULL(23, 18)
#define L3_LATENCY		25
#define L3_FIRST_OF_EACH	(BIT_ULL(18) | BIT_ULL(20) | BIT_ULL(22))

/* No processor has more; a hypervisor's leaf 4 may never end. */
#define CPUID_4_CACHES		8
#define CPUID_4_LEVEL(eax)	((eax) >> 5 & 7)
#define CPUID_4_NONE(eax)	(!((eax) & 0x1f))

/* SDM Volume 4, "MSRs Unique to Intel Xeon Processor MP with L3 Cache" */
bool netburst_l3_exists(const struct pmc_query *query)
{
	u32 i, eax, ebx, ecx, edx;
	u64 value;

	if ((query->cpu_model != 3 && query->cpu_model != 4) || cpuid_eax(0) < 4)
		return false;
	for (i = 0; i < CPUID_4_CACHES; i++) {
		cpuid_count(4, i, &eax, &ebx, &ecx, &edx);
		if (CPUID_4_NONE(eax))
			return false;
		if (CPUID_4_LEVEL(eax) == 3)
			return !pmc_rdmsr_safe(MSR_IFSB_BUSQ0, &value);
	}
	return false;
}

u64 netburst_l3_counters(const struct netburst_share *share)
{
	return share->half ? L3_FIRST_OF_EACH : L3_QUALIFIED | BIT_ULL(L3_LATENCY);
}

/* Address of a counter, by the hardware's number */
static u32 netburst_l3_msr(u32 number)
{
	return number == L3_LATENCY ? MSR_IFSB_CNTR7 : MSR_IFSB_BUSQ0 + number - NETBURST_L3_FIRST;
}

/* The hardware's number of a logical processor's counter */
u32 netburst_l3_number(u32 counter, const struct netburst_share *share)
{
	return counter + netburst_has_second_half(share);
}

u32 netburst_l3_msr_here(u32 counter)
{
	return netburst_l3_msr(netburst_l3_number(counter, this_cpu_ptr(&netburst_shares)));
}

void netburst_l3_describe(u32 counter, struct pmc_counter *answer)
{
	u32 number = netburst_l3_number(counter, &per_cpu(netburst_shares, answer->cpu));

	answer->rdpmc = number;
	answer->width = L3_WIDTH;
	answer->write_width = L3_WIDTH;
	answer->event_select_mask = counter == L3_LATENCY ? 0 : L3_QUALIFY;
	answer->counter_msr = netburst_l3_msr(number);
	answer->select_msr = counter == L3_LATENCY ? MSR_IFSB_CTL6 : answer->counter_msr;
}

int netburst_l3_check(const struct pmc_counter_config *config, u64 *refused)
{
	const u32 both = PMC_COUNT_USER | PMC_COUNT_KERNEL;

	*refused = config->event_select & ~(config->counter == L3_LATENCY ? 0 : L3_QUALIFY);
	if (*refused)
		return -EINVAL;
	/* the latency counter has one event and no event select */
	if (!config->event_select && config->counter != L3_LATENCY)
		return -EDOM;
	return config->period || (config->flags & both) != both ? -EOPNOTSUPP : 0;
}

void netburst_l3_compile(const struct pmc_counter_config *config,
			 struct pmc_counter_setup *setup)
{
	setup->mask = L3_COUNT;
	setup->select = config->counter == L3_LATENCY ? CTL6_ENABLE : config->event_select;
}

/* The bits that make a counter count */
static u64 netburst_l3_read_select(u32 counter)
{
	u64 value;

	if (counter == L3_LATENCY)
		pmc_rdmsr(MSR_IFSB_CTL6, value);
	else
		pmc_rdmsr(netburst_l3_msr_here(counter), value);
	return value & ~(counter == L3_LATENCY ? 0 : L3_COUNT);
}

/* The select shares the register with the count, which keeps its value. */
static void netburst_l3_write_select(u32 counter, u64 select)
{
	u64 value;

	if (counter == L3_LATENCY) {
		pmc_wrmsr(MSR_IFSB_CTL6, select);
		return;
	}
	pmc_rdmsr(netburst_l3_msr_here(counter), value);
	pmc_wrmsr(netburst_l3_msr_here(counter), select | (value & L3_COUNT));
}

void netburst_l3_save(struct pmc_pmu *pmu, u32 counter)
{
	pmu->saved.select[counter] = netburst_l3_read_select(counter);
	pmu->select[counter] = pmu->saved.select[counter];
	if (pmu->saved.select[counter])
		pmu->found_running |= BIT_ULL(counter);
	pmc_rdmsr(netburst_l3_msr_here(counter), pmu->saved.general[counter]);
}

/* The saved counter includes the select, if they share a register. */
void netburst_l3_restore(struct pmc_pmu *pmu, u32 counter)
{
	pmc_wrmsr(netburst_l3_msr_here(counter), pmu->saved.general[counter]);
	if (counter == L3_LATENCY)
		pmc_wrmsr(MSR_IFSB_CTL6, pmu->saved.select[counter]);
}

void netburst_l3_start(struct pmc_pmu *pmu, const struct pmc_counter_setup *setup)
{
	pmu->select[setup->index] = setup->select;
	netburst_l3_write_select(setup->index, setup->select);
}

void netburst_l3_stop(struct pmc_pmu *pmu, const struct pmc_counter_setup *setup)
{
	pmu->select[setup->index] = 0;
	netburst_l3_write_select(setup->index, 0);
}

/* Does the register of a started counter have the select that was written? */
bool netburst_l3_verify(const struct pmc_counter_setup *setup)
{
	return netburst_l3_read_select(setup->index) == setup->select;
}

void netburst_l3_write(const struct pmc_counter_setup *setup, u64 raw)
{
	u64 value = raw & L3_COUNT;

	if (setup->index != L3_LATENCY)
		value |= netburst_l3_read_select(setup->index);
	pmc_wrmsr(netburst_l3_msr_here(setup->index), value);
}

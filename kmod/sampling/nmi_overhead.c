// SPDX-License-Identifier: GPL-2.0-only
/*
 * NMI overhead: the time to enter and leave an NMI
 *
 * A handler cannot measure the time before its first and after its last instruction. So each
 * CPU sends itself a few NMIs before its LVTPC is armed for the first time, and measures how
 * long each takes in total. Throttling charges that time for each overflow.
 *
 * Owns struct pmc_nmi_overhead. No lock: runs on the CPU concerned, with interrupts off or in
 * NMI context.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <asm/msr.h>

#include "compat/apic.h"
#include "sampling/nmi_overhead.h"

/* Number of NMIs. The least time counts: the first NMI finds cold caches. */
#define PMC_OVERHEAD_NMIS	4
/* If an NMI does not come, 9.5 us are assumed: 1/n of what may be spent in a window. */
#define PMC_OVERHEAD_PARTS	210
/*
 * A measurement above 1/n of the window's share was disturbed, for example because the hypervisor
 * stopped the guest; it is limited to that value.
 */
#define PMC_STALL_PARTS		4
/* Upper bound of the loop, in case the time-stamp counter does not advance. */
#define PMC_OVERHEAD_LOOPS	BIT(20)

/* Wait until an NMI has come, @longest ticks after @start at most. Returns whether it has. */
static bool pmc_nmi_overhead_wait(const struct pmc_nmi_overhead *overhead, u64 start,
				  unsigned long longest)
{
	unsigned int i;

	for (i = 0; i < PMC_OVERHEAD_LOOPS; i++) {
		u64 now = rdtsc();

		/* set by the NMI on this CPU: no barrier */
		if (READ_ONCE(overhead->came))
			return true;
		if (now - start > longest)
			break;
	}
	return false;
}

/* Ticks from sending an NMI to its end, ULONG_MAX if it does not come. */
static unsigned long pmc_nmi_overhead_measure_once(struct pmc_nmi_overhead *overhead,
						   unsigned long longest)
{
	u64 start = rdtsc();

	WRITE_ONCE(overhead->came, false);
	pmc_apic_send_nmi();
	return pmc_nmi_overhead_wait(overhead, start, longest) ? rdtsc() - start : ULONG_MAX;
}

/*
 * All have come. If a foreign NMI was claimed in place of the last one sent, the last one is still
 * to come: wait for it.
 */
static void pmc_nmi_overhead_settle(struct pmc_nmi_overhead *overhead, unsigned long least)
{
	WRITE_ONCE(overhead->came, false);
	pmc_nmi_overhead_wait(overhead, rdtsc(), 2 * least);
	WRITE_ONCE(overhead->sent, false);
}

/* One NMI has not come: if it comes later, it will be claimed. */
static void pmc_nmi_overhead_owe(struct pmc_nmi_overhead *overhead)
{
	WRITE_ONCE(overhead->owed, true);
	if (!READ_ONCE(overhead->came))
		return;
	WRITE_ONCE(overhead->sent, false);
	WRITE_ONCE(overhead->owed, false);
}

/* Least ticks of some NMIs, or @guess if one does not come */
static unsigned long pmc_nmi_overhead_least(struct pmc_nmi_overhead *overhead,
					    unsigned long longest, unsigned long guess)
{
	unsigned long ticks, least = ULONG_MAX;
	unsigned int i;

	WRITE_ONCE(overhead->sent, true);
	for (i = 0; i < PMC_OVERHEAD_NMIS; i++) {
		ticks = pmc_nmi_overhead_measure_once(overhead, longest);
		if (ticks == ULONG_MAX) {
			pmc_nmi_overhead_owe(overhead);
			return guess;
		}
		least = min(least, ticks);
	}
	pmc_nmi_overhead_settle(overhead, least);
	return least;
}

/**
 * pmc_nmi_overhead_measure - measure the time to enter and leave an NMI on this CPU
 * @overhead:	this CPU's; interrupts are off; the NMI handler calls
 *		pmc_nmi_overhead_claims()
 * @spent_max:	ticks that may be spent on overflows in a window
 *
 * Measures once for each CPU. If an NMI does not come this takes @spent_max ticks and the result
 * is a guess, as it is where the local APIC cannot send an NMI.
 */
void pmc_nmi_overhead_measure(struct pmc_nmi_overhead *overhead, unsigned long spent_max)
{
	unsigned long ticks = spent_max / PMC_OVERHEAD_PARTS;

	if (overhead->ticks)
		return;
	if (pmc_apic_sends_nmi())
		ticks = pmc_nmi_overhead_least(overhead, spent_max, ticks);
	overhead->ticks = clamp(ticks, 1UL, spent_max / PMC_STALL_PARTS);
}

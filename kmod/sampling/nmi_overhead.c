// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entry: what an NMI takes beside its handler
 *
 * No handler can see its own overhead and exit. So each CPU sends itself a few NMIs, once,
 * before its first overflow interrupt, and looks how long they take in all.
 *
 * No lock: all happens on the CPU concerned, with interrupts off or in NMI context.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <asm/msr.h>

#include "compat/apic.h"
#include "sampling/nmi_overhead.h"

/* The least of so many: the first finds cold caches. */
#define PMC_ENTRY_TIMES		4
/* Where one does not come, 9.5 us: this part of what may be spent in a window. */
#define PMC_ENTRY_PARTS		210
/* More than this part of it is taken for a stall, such as of a guest. */
#define PMC_STALL_PARTS		4
/* Looks that take longer than any wait, should the time-stamp counter stand still */
#define PMC_ENTRY_LOOKS		BIT(20)

/* Has an NMI come, so many ticks after @start at last? */
static bool pmc_nmi_overhead_wait(const struct pmc_nmi_overhead *overhead, u64 start, unsigned long longest)
{
	unsigned int i;

	for (i = 0; i < PMC_ENTRY_LOOKS; i++) {
		u64 now = rdtsc();

		/* set by the NMI on this CPU: no barrier */
		if (READ_ONCE(overhead->came))
			return true;
		if (now - start > longest)
			break;
	}
	return false;
}

/* Ticks from the order to send one to its end, ULONG_MAX when it does not come. */
static unsigned long pmc_nmi_overhead_measure_once(struct pmc_nmi_overhead *overhead, unsigned long longest)
{
	u64 start = rdtsc();

	WRITE_ONCE(overhead->came, false);
	pmc_apic_send_nmi();
	return pmc_nmi_overhead_wait(overhead, start, longest) ? rdtsc() - start : ULONG_MAX;
}

/* All have come. When another NMI was taken for the last, that follows. */
static void pmc_nmi_overhead_settle(struct pmc_nmi_overhead *overhead, unsigned long least)
{
	WRITE_ONCE(overhead->came, false);
	pmc_nmi_overhead_wait(overhead, rdtsc(), 2 * least);
	WRITE_ONCE(overhead->sent, false);
}

/* One has not. It is ours when it comes, if ever. */
static void pmc_nmi_overhead_owe(struct pmc_nmi_overhead *overhead)
{
	WRITE_ONCE(overhead->owed, true);
	if (!READ_ONCE(overhead->came))
		return;
	WRITE_ONCE(overhead->sent, false);
	WRITE_ONCE(overhead->owed, false);
}

/* The least of some, or a guess when one does not come. */
static unsigned long pmc_nmi_overhead_least(struct pmc_nmi_overhead *overhead, unsigned long longest,
				     unsigned long guess)
{
	unsigned long ticks, least = ULONG_MAX;
	unsigned int i;

	WRITE_ONCE(overhead->sent, true);
	for (i = 0; i < PMC_ENTRY_TIMES; i++) {
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
 * pmc_nmi_overhead_measure - find out what the overhead and exit of an NMI take here
 * @overhead:	this CPU's; interrupts are off, NMIs ask pmc_nmi_overhead_claims()
 * @spent_max:	ticks that may be spent in a window of time
 *
 * Once for each CPU. Where an NMI does not come it takes @spent_max, and the result is a
 * guess; so it is where none can be sent.
 */
void pmc_nmi_overhead_measure(struct pmc_nmi_overhead *overhead, unsigned long spent_max)
{
	unsigned long ticks = spent_max / PMC_ENTRY_PARTS;

	if (overhead->ticks)
		return;
	if (pmc_apic_sends_nmi())
		ticks = pmc_nmi_overhead_least(overhead, spent_max, ticks);
	overhead->ticks = clamp(ticks, 1UL, spent_max / PMC_STALL_PARTS);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entry: what an NMI takes beside its handler
 *
 * No handler can see its own entry and exit. So each CPU sends itself a few NMIs, once,
 * before its first overflow interrupt, and looks how long they take in all.
 *
 * No lock: all happens on the CPU concerned, with interrupts off or in NMI context.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/smp.h>
#include <asm/msr.h>

#include "compat/apic.h"
#include "entry.h"

/* The least of so many: the first finds cold caches. */
#define PMC_ENTRY_TIMES		4
/* Where none comes, 9.5 us: this part of what may be spent in a window. */
#define PMC_ENTRY_PARTS		210

/* Ticks from the order to send one to its end, or U64_MAX when it does not come. */
static u64 pmc_entry_measure_once(struct pmc_entry *entry, u64 longest)
{
	u64 start = rdtsc(), now;

	WRITE_ONCE(entry->came, false);
	pmc_apic_send_nmi();
	do {
		now = rdtsc();
		/* set by the NMI on this CPU: no barrier */
		if (READ_ONCE(entry->came))
			return now - start;
	} while (now - start < longest);
	return U64_MAX;
}

/**
 * pmc_entry_measure - find out what the entry and exit of an NMI take here
 * @entry:	this CPU's; interrupts are off, NMIs ask pmc_entry_is_own()
 * @spent_max:	ticks that may be spent in a window of time
 *
 * Once for each CPU. Where no NMI comes it takes no longer than @spent_max, and the
 * result is a guess.
 */
void pmc_entry_measure(struct pmc_entry *entry, u64 spent_max)
{
	u64 least = U64_MAX;
	unsigned int i;

	if (entry->ticks)
		return;
	entry->since = rdtsc();
	entry->longest = PMC_ENTRY_TIMES * spent_max;
	barrier(); /* an NMI reads them once that is true: pmc_entry_is_own() */
	WRITE_ONCE(entry->sent, true);
	for (i = 0; i < PMC_ENTRY_TIMES; i++) {
		u64 ticks = pmc_entry_measure_once(entry, spent_max);

		if (ticks == U64_MAX)
			break;
		least = min(least, ticks);
	}
	if (least == U64_MAX)
		least = div_u64(spent_max, PMC_ENTRY_PARTS);
	entry->ticks = max(least, 1ULL);
}

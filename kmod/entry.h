/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an NMI takes beside its handler
 */
#ifndef PMC_ENTRY_H
#define PMC_ENTRY_H

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct pmc_entry - what the entry and exit of an NMI take on one CPU
 * @ticks:	of the time-stamp counter; 0: not measured yet
 * @since:	when pmc_entry_measure() began to send some
 * @longest:	those that come no more ticks later are taken for them
 * @sent:	@since and @longest are set
 * @came:	one has come
 *
 * Touched only on the CPU concerned, with interrupts off; all but @ticks in NMI context,
 * too, what @sent tells of once it is true.
 */
struct pmc_entry {
	u64 ticks;
	u64 since;
	u64 longest;
	bool sent;
	bool came;
};

void pmc_entry_measure(struct pmc_entry *entry, u64 spent_max);

/**
 * pmc_entry_is_own - is this NMI one that pmc_entry_measure() has sent?
 * @entry:	this CPU's
 * @now:	time-stamp counter
 *
 * NMI context. When another NMI comes first it is taken for it, and the one that was sent
 * follows: so all are till a while later.
 */
static inline bool pmc_entry_is_own(struct pmc_entry *entry, u64 now)
{
	if (!READ_ONCE(entry->sent) || now - entry->since > entry->longest)
		return false;
	WRITE_ONCE(entry->came, true);
	return true;
}

#endif /* PMC_ENTRY_H */

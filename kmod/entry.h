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
 * @sent:	by pmc_entry_measure(), and may be on its way
 * @owed:	the last, which has not come in time
 * @came:	one has come
 *
 * Touched only on the CPU concerned, with interrupts off, all but @ticks in NMI context,
 * too; @owed is read anywhere.
 */
struct pmc_entry {
	unsigned long ticks;
	bool sent;
	bool owed;
	bool came;
};

void pmc_entry_measure(struct pmc_entry *entry, unsigned long spent_max);

/**
 * pmc_entry_is_own - is this NMI, which nobody knows, one that pmc_entry_measure() has sent?
 * @entry:	this CPU's
 *
 * NMI context.
 */
static inline bool pmc_entry_is_own(struct pmc_entry *entry)
{
	if (!READ_ONCE(entry->sent))
		return false;
	WRITE_ONCE(entry->came, true);
	if (READ_ONCE(entry->owed)) {
		WRITE_ONCE(entry->owed, false);
		WRITE_ONCE(entry->sent, false);
	}
	return true;
}

#endif /* PMC_ENTRY_H */

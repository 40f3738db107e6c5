/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct pmc_storm: the time that one CPU spends on PMIs without an overflow
 */
#ifndef PMC_STORM_TYPES_H
#define PMC_STORM_TYPES_H

#include <linux/types.h>

/**
 * struct pmc_storm - the time that one CPU spends on PMIs without an overflow
 * @since:	time-stamp counter when the window began
 * @spent:	ticks charged for them since then
 * @total:	ticks that they took since then
 * @late:	the next PMI without an overflow may belong to one that was handled: not charged
 *
 * Touched only on the CPU concerned, in NMI context or with interrupts off.
 */
struct pmc_storm {
	u64 since;
	u64 spent;
	u64 total;
	bool late;
};

#endif /* PMC_STORM_TYPES_H */

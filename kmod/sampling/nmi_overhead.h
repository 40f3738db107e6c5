/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NMI overhead: the time to enter and leave an NMI
 */
#ifndef PMC_NMI_OVERHEAD_H
#define PMC_NMI_OVERHEAD_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "sampling/nmi_overhead_types.h"

void pmc_nmi_overhead_measure(struct pmc_nmi_overhead *overhead, unsigned long spent_max);

/**
 * pmc_nmi_overhead_claims - was this NMI sent by pmc_nmi_overhead_measure()?
 * @overhead:	this CPU's
 *
 * NMI context, for an NMI that has no other known source.
 *
 * Return: true if so, or if it cannot be distinguished from one.
 */
static inline bool pmc_nmi_overhead_claims(struct pmc_nmi_overhead *overhead)
{
	if (!READ_ONCE(overhead->sent))
		return false;
	WRITE_ONCE(overhead->came, true);
	if (READ_ONCE(overhead->owed)) {
		WRITE_ONCE(overhead->owed, false);
		WRITE_ONCE(overhead->sent, false);
	}
	return true;
}

#endif /* PMC_NMI_OVERHEAD_H */

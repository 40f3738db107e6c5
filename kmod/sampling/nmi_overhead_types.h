/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct pmc_nmi_overhead: the time that one CPU needs to enter and leave an NMI
 */
#ifndef PMC_NMI_OVERHEAD_TYPES_H
#define PMC_NMI_OVERHEAD_TYPES_H

#include <linux/types.h>

/**
 * struct pmc_nmi_overhead - the time that one CPU needs to enter and leave an NMI
 * @ticks:	that time, in ticks of the time-stamp counter; 0: not measured yet
 * @sent:	pmc_nmi_overhead_measure() has sent an NMI that may not have come yet
 * @owed:	the last NMI that was sent has not come in time
 * @came:	an NMI that was sent has come
 *
 * Written only on the CPU concerned, with interrupts off; all but @ticks are written in NMI
 * context, too. @owed is read on other CPUs.
 */
struct pmc_nmi_overhead {
	unsigned long ticks;
	bool sent;
	bool owed;
	bool came;
};

#endif /* PMC_NMI_OVERHEAD_TYPES_H */

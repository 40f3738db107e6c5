/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct pmc_overflow: the overflow interrupt of one CPU
 */
#ifndef PMC_OVERFLOW_TYPES_H
#define PMC_OVERFLOW_TYPES_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/types.h>
#include <asm/local.h>
#include <asm/local64.h>

#include "sampling/nmi_overhead_types.h"

/**
 * struct pmc_overflow - one CPU's overflow interrupt
 * @samplers:	of the runs that count here
 * @kernel:	how many of them count what happens in the kernel
 * @armed:	the interrupt is ours
 * @lvtpc:	LVTPC as it was found
 * @early:	overflows that have been handled and whose interrupts may come: not more
 *		than 2, one that waits for the end of another and one that is on its way;
 *		0 with @unmasked
 * @unmasked:	&struct pmc_family.unmasked
 * @late_end:	with that, until when every NMI is taken for one of them, in intervals of the
 *		time-stamp counter
 * @late_max:	so much from an overflow's handling to that
 * @window:	time-stamp counter when the time spent was last set to 0
 * @spent:	ticks spent on overflows since then, which an NMI adds to as well
 * @spent_max:	and how many may be
 * @overhead:	and what is taken for the entry and exit of an interrupt
 * @spurious:	interrupts of ours that told of nothing
 * @throttled:	some counter is
 * @work:	what an NMI can't do
 * @timer:	ends the throttling
 * @latched:	in an NMI: an interrupt has been delivered since the local APIC was armed,
 *		and perf may hide that it was, pmc_intel_pt_present()
 */
struct pmc_overflow {
	struct list_head samplers;
	u32 kernel;
	bool armed;
	u32 lvtpc;
	local_t early;
	bool unmasked;
	unsigned long late_end;
	unsigned long late_max;
	u64 window;
	local_t spent;
	unsigned long spent_max;
	struct pmc_nmi_overhead overhead;
	local64_t spurious;
	bool throttled;
	struct irq_work work;
	struct hrtimer timer;
	bool latched;
};

#endif /* PMC_OVERFLOW_TYPES_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Throttling: how much of a CPU's time overflows may take
 */
#ifndef PMC_THROTTLE_H
#define PMC_THROTTLE_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/tsc.h>

#include "sampling/pmi_types.h"

/* Length of a window, in milliseconds */
#define PMC_WINDOW_MS		4

/*
 * The largest share is 1/PMC_WINDOW_PARTS of a window: PMC_THROTTLE_PERCENT_MAX. The time charged
 * for an overflow must be more than half of the time that it really takes: otherwise an overflow
 * that causes the next one is never throttled.
 */
#define PMC_WINDOW_PARTS	2

unsigned long pmc_throttle_ticks(u32 percent);
void pmc_throttle_arm(struct pmc_throttling *throttling);
void pmc_throttle_begin_window(struct pmc_throttling *throttling, u64 now);
bool pmc_throttle_is_due(struct pmc_throttling *throttling, unsigned long limit, u64 now);
void pmc_throttle_charge_local(u64 since);

/* Have more than @limit ticks of the window been spent? */
static __always_inline bool pmc_throttle_is_spent(const struct pmc_throttling *throttling,
						  unsigned long limit)
{
	return (unsigned long)local_read(&throttling->spent) > limit;
}

/* Charge the time since @since, and an interrupt's entry and exit. NMIs may interrupt it. */
static __always_inline void pmc_throttle_charge(struct pmc_pmi *pmi, u64 since)
{
	local_add(rdtsc() - since + pmi->nmi.overhead.ticks, &pmi->throttling.spent);
}

#endif /* PMC_THROTTLE_H */

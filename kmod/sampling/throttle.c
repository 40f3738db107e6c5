// SPDX-License-Identifier: GPL-2.0-only
/*
 * Throttling: how much of a CPU's time overflows may take
 *
 * Owns struct pmc_throttling. Time is divided into windows. Once the time spent on
 * overflows in a window exceeds a context's share, each of its counters that overflows is
 * throttled (sampler.c) until the timer in pmi.c ends the window. The share is the lower of
 * &pmc_config.throttle_percent and the device's attribute throttle_percent (api/throttle_attr.c).
 *
 * No lock: runs on the CPU concerned, in NMI context or with interrupts off. An NMI may
 * interrupt the latter, so the time spent is a local_t.
 */
#include <linux/build_bug.h>
#include <linux/percpu.h>
#include <asm/tsc.h>

#include "pmu/pmu.h"
#include "sampling/throttle.h"
#include "uapi/pmcdrv.h"

/**
 * pmc_throttle_ticks - compute a share of a window
 * @percent:	the share in per cent
 *
 * Without a calibrated time-stamp counter a frequency of 1 GHz is assumed.
 *
 * Return: ticks of the time-stamp counter.
 */
unsigned long pmc_throttle_ticks(u32 percent)
{
	return (tsc_khz ? tsc_khz : 1000000UL) * PMC_WINDOW_MS * percent / 100;
}

/**
 * pmc_throttle_arm - compute the largest share of a window
 * @throttling:	this CPU's; LVTPC is about to be armed
 */
void pmc_throttle_arm(struct pmc_throttling *throttling)
{
	BUILD_BUG_ON(PMC_THROTTLE_PERCENT_MAX * PMC_WINDOW_PARTS != 100);
	throttling->spent_max = pmc_throttle_ticks(PMC_THROTTLE_PERCENT_MAX);
}

/**
 * pmc_throttle_begin_window - begin a window, in which no time has been spent yet
 * @throttling:	this CPU's
 * @now:	time-stamp counter
 */
void pmc_throttle_begin_window(struct pmc_throttling *throttling, u64 now)
{
	throttling->window = now;
	local_set(&throttling->spent, 0);
}

/**
 * pmc_throttle_is_due - does the counter that has just overflowed have to be throttled?
 * @throttling:	this CPU's
 * @limit:	ticks that the counter's context allows in a window
 * @now:	time-stamp counter
 *
 * A window ends with the first call after its length is over and its share is spent.
 *
 * Return: true if so.
 */
bool pmc_throttle_is_due(struct pmc_throttling *throttling, unsigned long limit, u64 now)
{
	if (!pmc_throttle_is_spent(throttling, limit))
		return false;
	if (now - throttling->window <= (u64)PMC_WINDOW_PARTS * throttling->spent_max)
		return true;
	pmc_throttle_begin_window(throttling, now);
	return false;
}

/**
 * pmc_throttle_charge_local - charge the work that an overflow's NMI has queued
 * @since:	time-stamp counter when the work began, on this CPU
 *
 * Called at the end of an irq_work or task work; preemption is off.
 */
void pmc_throttle_charge_local(u64 since)
{
	pmc_throttle_charge(&this_cpu_ptr(&pmc_pmus)->pmi, since);
}

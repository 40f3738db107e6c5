/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct pmc_pmi: the overflow interrupt (PMI) of one CPU
 */
#ifndef PMC_PMI_TYPES_H
#define PMC_PMI_TYPES_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/types.h>
#include <asm/local.h>
#include <asm/local64.h>

#include "sampling/nmi_overhead_types.h"
#include "sampling/storm_types.h"

struct pmc_nmi_policy;

/**
 * enum pmc_lvtpc_mask - does the local APIC mask LVTPC when it delivers a PMI?
 * @PMC_LVTPC_UNKNOWN:	no PMI has come on this CPU, or none that proves either
 * @PMC_LVTPC_MASKED:	yes
 * @PMC_LVTPC_UNMASKED:	no
 */
enum pmc_lvtpc_mask {
	PMC_LVTPC_UNKNOWN,
	PMC_LVTPC_MASKED,
	PMC_LVTPC_UNMASKED,
};

/**
 * struct pmc_nmi - the state of NMI attribution of one CPU
 * @policy:	how this CPU's local APIC behaves; chosen by pmc_nmi_arm() and pmc_nmi_learn()
 * @mask:	found out with the first PMIs; kept until the CPU goes offline
 * @has_late_periods: the policy is &pmc_nmi_no_mask or &pmc_nmi_learning
 * @expected:	late NMIs that may still come: at most 2 are meaningful, one that waits for the
 *		end of another NMI and one on its way. 0 with &pmc_nmi_no_mask
 * @late_end:	only with @has_late_periods: end of the late period, in units of
 *		2^PMC_LATE_SHIFT ticks of the time-stamp counter
 * @late_max:	length of the late period, in the same units
 * @latched:	&pmc_nmi_beside_intel_pt only: a PMI has been delivered since LVTPC was armed,
 *		and perf's handler, which follows, hides that by unmasking LVTPC. Set and
 *		cleared within one NMI
 * @overhead:	the NMIs that this CPU sends to itself
 *
 * Touched only on the CPU concerned, in NMI context or with interrupts off. An NMI may come
 * between a load and a store of the latter: so @expected is a local_t, and @late_end is
 * written by one store. pmc_nmi_is_pending() reads @has_late_periods, @late_end, @late_max
 * and @overhead.owed on any CPU.
 */
struct pmc_nmi {
	const struct pmc_nmi_policy *policy;
	enum pmc_lvtpc_mask mask;
	bool has_late_periods;
	local_t expected;
	unsigned long late_end;
	unsigned long late_max;
	bool latched;
	struct pmc_nmi_overhead overhead;
};

/**
 * struct pmc_throttling - the time that one CPU spends on overflows
 * @window:	time-stamp counter when the current window began
 * @spent:	ticks of the time-stamp counter spent on overflows in this window; NMIs add to
 *		it
 * @spent_max:	ticks of the largest share of a window
 * @active:	some counter of this CPU is throttled
 *
 * Touched only on the CPU concerned, in NMI context or with interrupts off.
 */
struct pmc_throttling {
	u64 window;
	local_t spent;
	unsigned long spent_max;
	bool active;
};

/**
 * struct pmc_pmi - the overflow interrupt (PMI) of one CPU
 * @samplers:	samplers of the runs that count here; changed by RCU list operations, read by
 *		the NMI handler
 * @kernel:	how many of them count kernel mode
 * @follow_up:	an overflow's NMI has more to do than one pass and arming LVTPC:
 *		@kernel is not 0, or @nmi has late periods
 * @armed:	LVTPC is the driver's, and armed
 * @ready:	@armed, and nothing is to be learned from a PMI
 * @storm:	PMC_STATE_STORM: LVTPC is the driver's, and masked until it is restored; read on
 *		any CPU
 * @empty:	storm.c's: PMIs without an overflow
 * @storms:	times that @storm was set; read on any CPU
 * @lvtpc:	LVTPC as it was found
 * @spurious:	PMIs of this driver without an overflow; read on any CPU
 * @work:	irq_work for what cannot be done in NMI context
 * @timer:	ends throttling
 * @nmi:	nmi.c's
 * @throttling: throttle.c's
 *
 * Touched only on the CPU concerned, with interrupts off; read in NMI context.
 */
struct pmc_pmi {
	struct list_head samplers;
	u32 kernel;
	bool follow_up;
	bool armed;
	bool ready;
	bool storm;
	struct pmc_storm empty;
	local64_t storms;
	u32 lvtpc;
	local64_t spurious;
	struct irq_work work;
	struct hrtimer timer;
	struct pmc_nmi nmi;
	struct pmc_throttling throttling;
};

#endif /* PMC_PMI_TYPES_H */

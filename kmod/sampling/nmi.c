// SPDX-License-Identifier: GPL-2.0-only
/*
 * NMI attribution: did this driver cause this NMI?
 *
 * Whether a counter has overflowed is decided by its count alone, so no overflow is lost
 * whichever class its NMI gets. Attribution decides whether the NMI handler returns
 * NMI_HANDLED. An NMI of this driver that is not claimed makes the kernel report an unknown
 * NMI; a foreign NMI that is claimed is lost.
 *
 * To settle a run is to record its due samples and to reload its counters (sampler.c). A pass
 * settles every run of this CPU that is not locked. An NMI is late if the overflow that caused it
 * was handled before: by a pass after LVTPC was armed, or by START, READ or STOP, which settle the
 * run that they lock.
 *
 * State of a CPU. DISARMED: LVTPC is as it was found, or masked after a storm. ARMED: LVTPC
 * delivers PMIs as NMIs. DELIVERED: the local APIC has delivered a PMI since LVTPC was armed, and
 * has masked LVTPC. Late: the policy's is_late returns true.
 *
 *	state		the NMI handler finds		class	next	action
 *	DISARMED	an NMI sent to itself		LATE	same	-
 *			late (no mask)			LATE	same	-
 *			nothing				FOREIGN	same	-
 *	ARMED,		an overflow			OURS	ARMED	handle, arm, follow up
 *	DELIVERED
 *	DELIVERED	no overflow, late		LATE	ARMED	reload, arm, pass again
 *			no overflow			OURS	ARMED	reload, arm, pass again;
 *								spurious unless a run is
 *								locked or the reload finds
 *								an overflow
 *			no overflow, late, storm due	LATE	DISARMED reload; mask LVTPC
 *			no overflow, storm due		OURS	DISARMED reload; mask LVTPC
 *	ARMED		no overflow, sent to itself	LATE	same	-
 *			no overflow, late (no mask)	LATE	same	-
 *			no overflow			FOREIGN	same	-
 *			no overflow, storm due,		LATE,	DISARMED mask LVTPC
 *			policy with late periods	FOREIGN
 *
 *	event		in state			next		effect
 *	PMI		ARMED				DELIVERED	NMI; no mask: stays ARMED
 *	PMI		DELIVERED			same		none: LVTPC is masked
 *	settle		ARMED, DELIVERED		same		expect one late NMI for
 *									each overflow
 *	reload		DELIVERED			same		expect one late NMI for
 *									each overflow
 *	pass again	ARMED				same		expect one late NMI for
 *									each overflow
 *	follow up	ARMED				same		expect one late NMI for
 *									each overflow of the NMI
 *									but one
 *	disarm		ARMED, DELIVERED		DISARMED	none are expected any more;
 *									no mask: the late period
 *									goes on
 *	perf unmasks	DELIVERED (beside PT)		DELIVERED	intel_pt.c masks LVTPC
 *
 * "Reload" only in families with an acknowledge operation: they reload the counters of the
 * runs that are not locked. "Pass again" and "follow up" only where a sampler counts the
 * kernel: elsewhere nothing overflows while the NMI handler runs. No mask: each expected late
 * NMI, and each NMI with an overflow, begins a late period instead.
 *
 * kmod/models/overflow.pml is the model of these tables for the policy that masks.
 *
 * The policies. Which one a CPU needs is found out with its first PMIs:
 *	learning	Not known yet: late NMIs are those of both "masks" and "no mask". It stays
 *			so where an Intel processor's LVTPC is never found masked (Pentium Pro to
 *			Pentium III, KVM before 6.6).
 *	masks		Intel's local APIC masks LVTPC when it delivers a PMI. So a masked
 *			LVTPC identifies the NMI, and at most two late ones matter: one that waits
 *			for the end of another NMI and one on its way.
 *	no mask		AMD's local APIC does not. Every NMI within PMC_LATE_MS after an
 *			overflow was handled is claimed as late. Late NMIs are not counted: a
 *			foreign NMI cannot be distinguished from a late one. If a foreign NMI used
 *			up the count, the late NMI that follows would be unclaimed.
 *	beside Intel PT	as "masks"; perf's handler, which runs after the driver's, unmasks
 *			LVTPC. The driver's second handler masks it again (intel_pt.c).
 *
 * Owns struct pmc_nmi. No lock: NMI context, or interrupts off on the CPU concerned; see the
 * struct for what an NMI may interrupt.
 */
#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <asm/tsc.h>

#include "compat/apic.h"
#include "pmu/family.h"
#include "pmu/fold.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "sampling/intel_pt.h"
#include "sampling/nmi.h"
#include "sampling/nmi_overhead.h"
#include "sampling/sampler_types.h"

/* Unit of the late period: 2^n ticks of the time-stamp counter. An end fits one store. */
#define PMC_LATE_SHIFT		20

/* The policy that masks: each late NMI that is expected is claimed once. */
static bool pmc_nmi_masked_is_late(struct pmc_pmi *pmi, bool delivered, u64 now)
{
	long expected;

	if (!delivered)
		return false;
	expected = min(local_read(&pmi->nmi.expected), 2L);
	if (expected <= 0) {
		local_set(&pmi->nmi.expected, expected);
		return false;
	}
	local_set(&pmi->nmi.expected, expected - 1);
	return true;
}

static void pmc_nmi_masked_expect(struct pmc_nmi *nmi, u32 overflows)
{
	/* an NMI that interrupts this adds, too */
	local_add(overflows, &nmi->expected);
}

static const struct pmc_nmi_policy pmc_nmi_masks = {
	.is_late = pmc_nmi_masked_is_late,
	.expect = pmc_nmi_masked_expect,
};

/*
 * Beside Intel PT: an overflow in the kernel after LVTPC was armed has been found by a pass,
 * but its PMI comes all the same, as the next NMI. LVTPC shows that until perf's handler,
 * after the driver's, unmasks it.
 */
static void pmc_nmi_intel_pt_passed(struct pmc_nmi *nmi)
{
	nmi->latched = pmc_apic_delivered();
}

static const struct pmc_nmi_policy pmc_nmi_beside_intel_pt = {
	.is_late = pmc_nmi_masked_is_late,
	.expect = pmc_nmi_masked_expect,
	.passed = pmc_nmi_intel_pt_passed,
};

/**
 * pmc_nmi_begin_late_period - late NMIs may come from now on
 * @nmi:	this CPU's, with late periods; NMI context, or interrupts off
 *
 * Also called after an NMI with an overflow: the handler may have found the overflow in a foreign
 * NMI, and the PMI of the overflow is still to come.
 */
void pmc_nmi_begin_late_period(struct pmc_nmi *nmi)
{
	WRITE_ONCE(nmi->late_end, (unsigned long)(rdtsc() >> PMC_LATE_SHIFT) + nmi->late_max);
}

/* Is the CPU in a late period? Not if the time-stamp counter was set back. */
static bool pmc_nmi_in_late_period(const struct pmc_nmi *nmi, u64 now)
{
	return READ_ONCE(nmi->late_end) - (unsigned long)(now >> PMC_LATE_SHIFT) <= nmi->late_max;
}

/* Has a counter of a locked run overflowed? The holder of the lock will handle it. */
static bool pmc_nmi_any_waits(const struct pmc_pmi *pmi)
{
	const struct pmc_sampler *sampler;

	list_for_each_entry(sampler, &pmi->samplers, node) {
		if (READ_ONCE(sampler->locked) && pmc_nmi_overflow_waits(sampler))
			return true;
	}
	return false;
}

static bool pmc_nmi_unmasked_is_late(struct pmc_pmi *pmi, bool delivered, u64 now)
{
	return pmc_nmi_in_late_period(&pmi->nmi, now) || pmc_nmi_any_waits(pmi);
}

static void pmc_nmi_unmasked_expect(struct pmc_nmi *nmi, u32 overflows)
{
	pmc_nmi_begin_late_period(nmi);
}

static const struct pmc_nmi_policy pmc_nmi_no_mask = {
	.is_late = pmc_nmi_unmasked_is_late,
	.expect = pmc_nmi_unmasked_expect,
};

/* Before it is known: each late NMI is claimed, as one of the two others would. */
static bool pmc_nmi_learning_is_late(struct pmc_pmi *pmi, bool delivered, u64 now)
{
	return delivered ? pmc_nmi_masked_is_late(pmi, true, now) :
			   pmc_nmi_unmasked_is_late(pmi, false, now);
}

static void pmc_nmi_learning_expect(struct pmc_nmi *nmi, u32 overflows)
{
	pmc_nmi_masked_expect(nmi, overflows);
	pmc_nmi_begin_late_period(nmi);
}

static const struct pmc_nmi_policy pmc_nmi_learning = {
	.is_late = pmc_nmi_learning_is_late,
	.expect = pmc_nmi_learning_expect,
};

/**
 * pmc_nmi_init - once for each possible CPU, before all other calls
 * @nmi:	its attribution; zeroed
 */
void pmc_nmi_init(struct pmc_nmi *nmi)
{
	nmi->policy = &pmc_nmi_masks;
}

static void pmc_nmi_choose(struct pmc_nmi *nmi)
{
	WRITE_ONCE(nmi->has_late_periods, nmi->mask != PMC_LVTPC_MASKED);
	if (nmi->mask == PMC_LVTPC_UNKNOWN)
		nmi->policy = &pmc_nmi_learning;
	else if (nmi->mask == PMC_LVTPC_UNMASKED)
		nmi->policy = &pmc_nmi_no_mask;
	else if (pmc_intel_pt_present())
		nmi->policy = &pmc_nmi_beside_intel_pt;
	else
		nmi->policy = &pmc_nmi_masks;
}

/**
 * pmc_nmi_learn - learn from an NMI whether the local APIC masks LVTPC
 * @pmu:	this CPU's counters; NMI context; LVTPC was armed and has not been written since
 * @masked:	LVTPC is masked now. Otherwise a counter has overflowed, and its PMI has come or is
 *		still to come
 *
 * A masked LVTPC is proof. One that is not is treated as proof only where the family expects that:
 * a foreign NMI may have found the overflow before its PMI came.
 *
 * Return: true if nothing more is to be learned.
 */
bool pmc_nmi_learn(struct pmc_pmu *pmu, bool masked)
{
	struct pmc_nmi *nmi = &pmu->pmi.nmi;

	if (masked)
		nmi->mask = PMC_LVTPC_MASKED;
	else if (pmu->description.family->unmasked)
		nmi->mask = PMC_LVTPC_UNMASKED;
	else
		return false;
	pmc_nmi_choose(nmi);
	pmc_nmi_update_follow_up(&pmu->pmi);
	return true;
}

/**
 * pmc_nmi_arm - choose this CPU's policy
 * @pmu:	this CPU's counters; LVTPC is about to be armed; interrupts are off
 *
 * A resume may have reset the time-stamp counter to 0. The end of a late period from before the
 * suspend would then lie in the future. So if the late period is over, its end is set to a time
 * in the past.
 */
void pmc_nmi_arm(struct pmc_pmu *pmu)
{
	struct pmc_nmi *nmi = &pmu->pmi.nmi;

	/* Intel PT's own PMIs and perf's handler change LVTPC; such processors mask */
	if (pmc_intel_pt_present())
		nmi->mask = PMC_LVTPC_MASKED;
	nmi->late_max = ((tsc_khz ? tsc_khz : 1000000) * PMC_LATE_MS >> PMC_LATE_SHIFT) + 1;
	pmc_nmi_choose(nmi);
	if (!pmc_nmi_in_late_period(nmi, rdtsc()))
		WRITE_ONCE(nmi->late_end, (unsigned long)(rdtsc() >> PMC_LATE_SHIFT) - 1);
	pmc_nmi_update_follow_up(&pmu->pmi);
}

/**
 * pmc_nmi_disarm - expect no more late NMIs that a masked LVTPC would identify
 * @nmi:	this CPU's; LVTPC is about to be restored; interrupts are off
 *
 * A late period continues: without masking, late NMIs may come after LVTPC is restored.
 */
void pmc_nmi_disarm(struct pmc_nmi *nmi)
{
	local_set(&nmi->expected, 0);
}

/**
 * pmc_nmi_classify - attribute an NMI in which no overflow was found
 * @pmi:	this CPU's; NMI context
 * @delivered:	LVTPC is armed and shows that a PMI was delivered
 * @now:	time-stamp counter
 *
 * An NMI with an overflow is PMC_NMI_OURS without a call. A late NMI that was expected is
 * claimed by this call: it is to be called once in an NMI.
 *
 * Return: the class; see the table above.
 */
enum pmc_nmi_class pmc_nmi_classify(struct pmc_pmi *pmi, bool delivered, u64 now)
{
	bool late = pmi->nmi.policy->is_late(pmi, delivered, now);

	if (delivered)
		return late ? PMC_NMI_LATE : PMC_NMI_OURS;
	if (pmc_nmi_overhead_claims(&pmi->nmi.overhead) || late)
		return PMC_NMI_LATE;
	return PMC_NMI_FOREIGN;
}

/**
 * pmc_nmi_expect - the NMIs of handled overflows may still come
 * @nmi:	this CPU's; NMI context, or interrupts off
 * @overflows:	how many; may be 0
 */
void pmc_nmi_expect(struct pmc_nmi *nmi, u32 overflows)
{
	if (overflows)
		nmi->policy->expect(nmi, overflows);
}

/**
 * pmc_nmi_update_follow_up - the policy or the number of samplers of the kernel has changed
 * @pmi:	this CPU's; interrupts are off
 *
 * Before a sampler is added to the list and after one is removed: between them an NMI may
 * find follow_up set without need, but not the reverse.
 */
void pmc_nmi_update_follow_up(struct pmc_pmi *pmi)
{
	WRITE_ONCE(pmi->follow_up, pmi->kernel || pmi->nmi.has_late_periods);
}

/**
 * pmc_nmi_is_pending - may an NMI of this driver still come, though nothing counts?
 * @nmi:	of any CPU
 * @now:	time-stamp counter
 *
 * Return: true if so.
 */
bool pmc_nmi_is_pending(const struct pmc_nmi *nmi, u64 now)
{
	if (READ_ONCE(nmi->has_late_periods) && pmc_nmi_in_late_period(nmi, now))
		return true;
	return READ_ONCE(nmi->overhead.owed);
}

/**
 * pmc_nmi_overflow_waits - has a counter overflowed and not been reloaded?
 * @sampler:	on this CPU; interrupts are off
 *
 * A reloaded counter has a negative value.
 *
 * Return: true if so; throttled counters do not count.
 */
bool pmc_nmi_overflow_waits(const struct pmc_sampler *sampler)
{
	const struct pmc_run *run = sampler->run;
	u32 i;

	for (i = 0; i < run->program->nr; i++) {
		u64 sign = run->count[i].mask ^ run->count[i].mask >> 1;

		if (run->program->setup[i].period && !sampler->due[i].throttled &&
		    !(pmc_run_read_raw(run, i) & sign))
			return true;
	}
	return false;
}

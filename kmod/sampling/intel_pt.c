// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control: the global control is ours in NMIs, too, where perf writes it
 *
 * An event of Intel PT reserves no counter. But while there is one perf looks at its counters
 * in every NMI: it writes 0 to the global control, acknowledges overflows, and leaves what it
 * would count with itself, or 0 (arch/x86/events/intel/core.c, intel_pmu_handle_irq(); pt.c,
 * pt_event_init()). So where the processor has Intel PT a handler runs behind perf's and
 * writes what was there. All of that happens in one NMI: nothing of user mode is missed, and
 * of the kernel what runs in the NMI between the two.
 *
 * Where an overflow interrupt is on its way already, the local APIC's entry is masked again,
 * too, which perf unmasks: so the next NMI is known to be ours, and until it has armed the
 * entry no other can be on its way (overflow.c).
 *
 * NMI context; no lock: touches its own CPU's registers and &struct pmc_overflow alone.
 */
#include <asm/nmi.h>

#include "compat/apic.h"
#include "compat/compat.h"
#include "sampling/intel_pt.h"
#include "sampling/overflow.h"
#include "pmu/family.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"

#define PMC_INTEL_PT_NAME	"pmcdrv-control"

static bool pmc_intel_pt_registered;

/*
 * Returns whether an interrupt of ours is on its way although perf has unmasked the entry
 * since. It acknowledges all that has overflowed before it lets counters run: what the status
 * tells now has overflowed in between.
 */
static bool pmc_intel_pt_restore(struct pmc_pmu *pmu)
{
	u64 found, control, status;

	/*
	 * Who was interrupted between this copy and the register writes that to the
	 * register, too.
	 */
	control = READ_ONCE(pmu->global_ctrl);
	pmc_rdmsr(pmu->control_msr, found);
	if (likely(found == control))
		return false;
	pmc_wrmsr(pmu->control_msr, control);
	/* Counters that stand still have perhaps counted: who starts looks at them again. */
	WRITE_ONCE(pmu->last, NULL);
	pmc_rdmsr(pmu->status_msr, status);
	return status && pmc_overflow_is_of(&pmu->overflow, status);
}

static int pmc_intel_pt_nmi(unsigned int type, struct pt_regs *regs)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	bool latched = pmu->overflow.latched;

	pmu->overflow.latched = false;
	if (READ_ONCE(pmu->acquired) && pmu->control_msr)
		latched |= pmc_intel_pt_restore(pmu);
	/* perf has unmasked it; the NMI that follows finds it as it would without */
	if (unlikely(latched))
		pmc_apic_mask();
	return NMI_DONE;
}

/**
 * pmc_intel_pt_init - keep the global control where perf may write it
 *
 * Behind perf's handler, which was there before.
 *
 * Return: 0 or a negative errno.
 */
int pmc_intel_pt_init(void)
{
	int err;

	if (!pmc_intel_pt_present())
		return 0;
	err = register_nmi_handler(NMI_LOCAL, pmc_intel_pt_nmi, 0, PMC_INTEL_PT_NAME);
	pmc_intel_pt_registered = !err;
	return err;
}

/**
 * pmc_intel_pt_exit - undo pmc_intel_pt_init()
 */
void pmc_intel_pt_exit(void)
{
	if (pmc_intel_pt_registered)
		unregister_nmi_handler(NMI_LOCAL, PMC_INTEL_PT_NAME);
}

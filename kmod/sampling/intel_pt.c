// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intel PT: restoring the global control, which perf overwrites in an NMI
 *
 * An event of Intel PT reserves no counter. But while one exists, perf handles its counters in
 * every NMI: it writes 0 to the global control, acknowledges overflows, and leaves in the
 * global control what its own events need, or 0 (arch/x86/events/intel/core.c,
 * intel_pmu_handle_irq(); pt.c, pt_event_init()). So on a processor with Intel PT a second
 * handler of this driver runs after perf's and restores the global control. All of this
 * happens in one NMI, so no user-mode event is missed. Kernel-mode events between the two
 * handlers are not counted.
 *
 * perf also unmasks LVTPC. If a PMI has been delivered already, the second handler masks LVTPC
 * again: so the next NMI is known to be the driver's, and no other PMI can be delivered before
 * that NMI arms LVTPC (nmi.c).
 *
 * Owns the registration of the second handler. No lock: NMI context; touches this CPU's registers
 * and &struct pmc_nmi.latched.
 */
#include <linux/list.h>
#include <linux/percpu.h>
#include <asm/nmi.h>

#include "compat/apic.h"
#include "compat/compat.h"
#include "pmu/family.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "sampling/intel_pt.h"
#include "sampling/sampler_types.h"

#define PMC_INTEL_PT_NAME	"pmcdrv-control"

static bool pmc_intel_pt_registered;

/* Does the status show an overflow of a counter with a period? */
static bool pmc_intel_pt_is_sampled(const struct pmc_pmi *pmi, u64 status)
{
	const struct pmc_sampler *sampler;

	list_for_each_entry(sampler, &pmi->samplers, node) {
		if (status & sampler->run->program->interrupts)
			return true;
	}
	return false;
}

/*
 * Returns whether a PMI of this driver is on its way although perf has unmasked LVTPC since.
 * perf acknowledges every overflow before it starts counters, so an overflow in the status
 * register happened after that.
 */
static bool pmc_intel_pt_restore(struct pmc_pmu *pmu)
{
	u64 found, control, status;

	/*
	 * Code that the NMI interrupted between this copy and the register writes the copy
	 * to the register, too.
	 */
	control = READ_ONCE(pmu->global_ctrl);
	pmc_rdmsr(pmu->restore_msr, found);
	if (likely(found == control))
		return false;
	pmc_wrmsr(pmu->restore_msr, control);
	/* stopped counters may have counted: the next start reads them again */
	WRITE_ONCE(pmu->last, NULL);
	pmc_rdmsr(pmu->status_msr, status);
	return status && pmc_intel_pt_is_sampled(&pmu->pmi, status);
}

static int pmc_intel_pt_nmi(unsigned int type, struct pt_regs *regs)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	/* perf's handler has armed LVTPC; a storm keeps it masked */
	bool latched = pmu->pmi.nmi.latched || READ_ONCE(pmu->pmi.storm);

	pmu->pmi.nmi.latched = false;
	if (READ_ONCE(pmu->acquired) && pmu->restore_msr)
		latched |= pmc_intel_pt_restore(pmu);
	/* the next NMI finds LVTPC as it would without perf */
	if (unlikely(latched))
		pmc_apic_mask();
	return NMI_DONE;
}

/**
 * pmc_intel_pt_init - restore the global control after perf's NMI handler
 *
 * Registers the handler after perf's, which is registered at boot. Does nothing without
 * Intel PT. Task context.
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

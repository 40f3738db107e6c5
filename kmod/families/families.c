// SPDX-License-Identifier: GPL-2.0-only
/*
 * Determine the family of this CPU's counters
 *
 * The feature determination of SDM Volume 3B, "Event and Time-Stamp Monitoring
 * Software": vendor, family and model, the MSR and TSC flags. Each family then
 * examines the CPU; the first that recognises it is used. Owns no data and takes no
 * lock. Runs on the CPU in question, at load and when it comes online.
 */
#include <linux/kernel.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/cpu.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>
#include <asm/tsc.h>

#include "compat/compat.h"
#include "families/families.h"
#include "families/quirks.h"
#include "pmu/pmu.h"
#include "pmu/pmu_type.h"

/**
 * pmc_registers_can_be_lost - can other software change the registers at any time?
 *
 * In a virtual machine, or beside KVM with a mediated PMU, which clears them.
 */
bool pmc_registers_can_be_lost(void)
{
	return boot_cpu_has(X86_FEATURE_HYPERVISOR) ||
	       IS_ENABLED(CONFIG_PERF_GUEST_MEDIATED_PMU);
}

static void pmc_describe_processor(struct pmc_query *query)
{
	u32 eax, ebx, ecx, edx;
	u32 vendor[3];

	cpuid(0, &eax, &vendor[0], &vendor[2], &vendor[1]);
	memcpy(query->vendor, vendor, sizeof(vendor));

	cpuid(1, &eax, &ebx, &ecx, &edx);
	query->cpu_family = x86_family(eax);
	query->cpu_model = x86_model(eax);
	query->cpu_stepping = x86_stepping(eax);
	if (edx & BIT(5))
		query->features |= PMC_FEATURE(MSR);
	if (edx & BIT(4))
		query->features |= PMC_FEATURE(TSC);
	if (query->features & PMC_FEATURE(TSC))
		query->tsc_khz = tsc_khz;
	if (boot_cpu_has(X86_FEATURE_CONSTANT_TSC) &&
	    boot_cpu_has(X86_FEATURE_NONSTOP_TSC) && !check_tsc_unstable())
		query->features |= PMC_FEATURE(TSC_SYNC);
}

/* Try a family, unless an earlier one recognised this CPU or reported why it has no counters. */
static void pmc_families_try(const struct pmc_family *family,
			     struct pmc_description *description)
{
	if (description->query.status != PMC_STATUS_UNKNOWN_CPU)
		return;
	if (!family->recognise(description))
		return;
	if (!description->family)
		description->family = family;
	description->query.status = PMC_STATUS_OK;
}

/* Fill in a zeroed description; its status is the reason where there are no counters. */
static void pmc_families_recognise(struct pmc_description *description)
{
	struct pmc_query *query = &description->query;

#ifdef CONFIG_X86_32
	if (boot_cpu_data.cpuid_level < 0) {
		query->status = PMC_STATUS_NO_CPUID;
		return;
	}
#endif
	pmc_describe_processor(query);
	if (!(query->features & PMC_FEATURE(MSR))) {
		query->status = PMC_STATUS_NO_MSR;
		return;
	}
	query->status = PMC_STATUS_UNKNOWN_CPU;
	query->quirks = pmc_quirks_find(query);
#define PMC_FAMILY(name) pmc_families_try(&pmc_family_##name, description)
#include "families/list.h"
#undef PMC_FAMILY
}

/**
 * pmc_families_describe - describe the counters of this CPU
 * @pmu:	this CPU's; its description is filled in
 */
void pmc_families_describe(struct pmc_pmu *pmu)
{
	struct pmc_query *query = &pmu->description.query;
	int pmu_type;

	memset(&pmu->description, 0, sizeof(pmu->description));
	query->cpu = smp_processor_id();
	pmc_families_recognise(&pmu->description);
	if (!pmu->description.family)
		return;
	pmu_type = pmc_pmu_type_of(query);
	/* too many PMU types, or another family than the first CPU's */
	if (pmu_type < 0) {
		pmu->description.family = NULL;
		query->family = PMC_FAMILY_NONE;
		query->status = PMC_STATUS_UNKNOWN_CPU;
		query->general_counters = 0;
		query->fixed_counters = 0;
		return;
	}
	pmu->description.pmu_type = pmu_type;
}

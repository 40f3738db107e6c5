// SPDX-License-Identifier: GPL-2.0-only
/* Registers and CPUID bits that several families share */
#include "pmu_regs.h"

bool pmu_in(uint32_t msr, uint32_t first, uint32_t n)
{
	return msr >= first && msr - first < n;
}

/*
 * Before version 4, 391H and 392H belong to the uncore on some parts. Before version 6, C9H,
 * CAH, 18EH and 18FH are not the PMU's.
 */
bool pmu_is_arch_msr(uint32_t msr, unsigned int version)
{
	unsigned int general = version >= 6 ? ARCH_MAX_GENERAL : ARCH_MAX_BEFORE_6;

	return pmu_in(msr, IA32_PMC0, general) ||
	       pmu_in(msr, IA32_PERFEVTSEL0, general) ||
	       pmu_in(msr, IA32_FIXED_CTR0, ARCH_MAX_FIXED) ||
	       pmu_in(msr, IA32_A_PMC0, general) ||
	       (version >= 6 && pmu_in(msr, IA32_PMC_GP0, IA32_PMC_END - IA32_PMC_GP0)) ||
	       pmu_in(msr, IA32_FIXED_CTR_CTRL, 4) ||
	       (version >= 4 && pmu_in(msr, IA32_PERF_GLOBAL_STATUS_SET, 2)) ||
	       msr == MSR_PERF_METRICS || msr == IA32_PERF_CAPABILITIES ||
	       msr == IA32_PEBS_ENABLE || msr == IA32_DS_AREA ||
	       msr == IA32_MISC_ENABLE;
}

/* The model has no debug store and no last-branch records. */
void pmu_cpuid_no_store(uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
	if (leaf == 1) {
		regs[2] &= ~(CPUID1_ECX_DTES64 | CPUID1_ECX_DS_CPL);
		regs[3] &= ~CPUID1_EDX_DS;
	}
	if (leaf == 7 && !subleaf)
		regs[3] &= ~CPUID7_EDX_ARCH_LBR;
}

uint64_t pmu_misc_enable(uint64_t machine)
{
	return machine | MISC_PERFMON | MISC_BTS_UNAVAILABLE |
	       MISC_PEBS_UNAVAILABLE;
}

/* Options that require architectural performance monitoring; faulting= also works on AMD. */
int pmu_reject_arch_options(const struct pmu *pmu, char *error, size_t size)
{
	const struct pmu_options *o = &pmu->options;
	bool faulting = o->faulting && pmu->family != &pmu_amd;

	if (!o->version && !o->fixed_width && !o->holes && !o->acr && !o->new_addresses &&
	    !faulting)
		return 0;
	snprintf(error, size, "PMCDRV_PMU: %s: this processor has no architectural performance monitoring",
		 o->version ? "version" : o->holes ? "holes" : o->acr ? "acr" :
		 o->new_addresses ? "new_addresses" : faulting ? "faulting" : "fixed_width");
	return -1;
}

/* The counters of the option faulting= or migrate=, as given by its key, must be in CPUID. */
int pmu_check_faulting(const char *key, uint64_t faulting, uint64_t enumerated, char *error,
		       size_t size)
{
	if (!(faulting & ~enumerated))
		return 0;
	snprintf(error, size, "PMCDRV_PMU: %s%llx: choose among the counters in CPUID, %llx",
		 key, (unsigned long long)faulting, (unsigned long long)enumerated);
	return -1;
}

/* Width of the general counters, after the option width=. */
unsigned int pmu_width(const struct pmu *pmu, unsigned int true_width)
{
	return pmu->options.width ? pmu->options.width : true_width;
}

void pmu_dump(FILE *file, const char *name, uint64_t value)
{
	fprintf(file, "  %-28s %016llx\n", name, (unsigned long long)value);
}

void pmu_dump_one_of(FILE *file, const char *name, unsigned int i,
		     uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%s%u", name, i);
	pmu_dump(file, text, value);
}

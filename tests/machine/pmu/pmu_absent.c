// SPDX-License-Identifier: GPL-2.0-only
/*
 * The family of processors without a modelled PMU
 *
 * With the option none, the registers of Intel's families 5, 6 and 15 or of AMD's from K7 on
 * fault. Accesses on a processor without a model are left to the emulator.
 */
#include "pmu_amd.h"

static bool recognise(const struct pmu *pmu)
{
	return pmu->options.none;
}

static int create(struct pmu *pmu, char *error, size_t size)
{
	(void)pmu;
	(void)error;
	(void)size;
	return 0;
}

static void destroy(struct pmu *pmu)
{
	(void)pmu;
}

static void reset(struct pmu_cpu *c)
{
	(void)c;
}

static void cpuid(const struct pmu_cpu *c, uint32_t leaf,
		  uint32_t subleaf, uint32_t regs[4])
{
	const struct pmu *pmu = c->pmu;
	unsigned int i;

	if (!pmu->options.none)
		return;
	pmu_cpuid_no_store(leaf, subleaf, regs);
	if (leaf == 1)
		regs[2] &= ~CPUID1_ECX_PDCM;
	if (leaf == AMD_CPUID_FEATURES && pmu->cpu_is.amd)
		regs[2] &= ~(AMD_ECX_IBS | AMD_ECX_CORE | AMD_ECX_NB | AMD_ECX_LLC);
	for (i = 0; leaf == 0xa && i < 4; i++)
		regs[i] = 0;
}

static bool owns(const struct pmu *pmu, uint32_t msr)
{
	if (!pmu->options.none)
		return false;
	return (pmu_is_intel(pmu, 5) && pmu_in(msr, P5_CESR, 3)) ||
	       (pmu_is_intel(pmu, 6) && pmu_is_arch_msr(msr, 6)) ||
	       (pmu_is_intel(pmu, 0xf) && pmu_is_netburst_msr(msr)) ||
	       (pmu->cpu_is.amd && pmu->cpu_is.family >= 6 && pmu_is_amd_msr(msr));
}

static enum pmu_result check_rdmsr(struct pmu_cpu *c, uint32_t msr)
{
	(void)c;
	return msr == IA32_MISC_ENABLE ? PMU_OK : PMU_GP;
}

static uint64_t rdmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	(void)c;
	(void)msr;
	return pmu_misc_enable(value) & ~MISC_PERFMON;
}

static enum pmu_result check_wrmsr(struct pmu_cpu *c, uint32_t msr,
				   uint64_t value)
{
	(void)c;
	(void)value;
	return msr == IA32_MISC_ENABLE ? PMU_NONE : PMU_GP;
}

static void wrmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	(void)c;
	(void)msr;
	(void)value;
}

static enum pmu_result check_rdpmc(struct pmu_cpu *c, uint32_t index)
{
	(void)index;
	if (pmu_is_intel(c->pmu, 5) && !c->pmu->part->rdpmc)
		return PMU_UD;
	return c->pmu->options.none ? PMU_GP : PMU_NONE;
}

static uint64_t rdpmc(struct pmu_cpu *c, uint32_t index)
{
	(void)c;
	(void)index;
	return 0;
}

static void dump(struct pmu_cpu *c, FILE *file)
{
	(void)c;
	fprintf(file, "  no counters\n");
}

const struct pmu_family pmu_absent = {
	.name = "no performance counters",
	.user_cpl = 1,
	.recognise = recognise,
	.create = create,
	.destroy = destroy,
	.reset = reset,
	.cpuid = cpuid,
	.owns = owns,
	.check_rdmsr = check_rdmsr,
	.rdmsr = rdmsr,
	.check_wrmsr = check_wrmsr,
	.wrmsr = wrmsr,
	.check_rdpmc = check_rdpmc,
	.rdpmc = rdpmc,
	.dump = dump,
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Family core: a counter's further configuration registers, from version 6 on
 *
 * IA32_PMC_GPn_CFG_B and _FXn_CFG_B have a counter loaded anew when another overflows
 * (auto counter reload; SDM Volume 3B, "Auto Counter Reload"), the uppermost bit of
 * ..._CFG_C has it write PEBS records. Linux's perf, from 6.16 on, leaves them set when
 * its event has gone, and clears them when it uses the counter again: with them our counts
 * would be wrong. The driver uses neither.
 *
 * Owns the copies of these registers in struct pmc_pmu. No lock: runs on the CPU
 * concerned with interrupts off.
 */
#include <linux/bitops.h>

#include "compat/compat.h"
#include "pmu/pmu.h"
#include "families/core.h"

#define MSR_GENERAL_CONFIG_B0	0x1902	/* IA32_PMC_GP0_CFG_B */
#define MSR_GENERAL_CONFIG_C0	0x1903	/* IA32_PMC_GP0_CFG_C */
#define MSR_FIXED_CONFIG_B0	0x1982	/* IA32_PMC_FX0_CFG_B */
#define MSR_FIXED_CONFIG_C0	0x1983	/* IA32_PMC_FX0_CFG_C */
#define MSR_STEP		4

/* A counter's register, by its bit in a mask of counters */
static u32 core_config_msr(u32 bit, u32 general, u32 fixed)
{
	return bit < GLOBAL_FIXED_SHIFT ? general + MSR_STEP * bit :
					  fixed + MSR_STEP * (bit - GLOBAL_FIXED_SHIFT);
}

static u64 core_config_readable(u64 counters, u32 general, u32 fixed)
{
	u64 value;
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX + PMC_FIXED_MAX; i++) {
		if (counters & BIT_ULL(i) &&
		    pmc_rdmsr_safe(core_config_msr(i, general, fixed), &value))
			counters &= ~BIT_ULL(i);
	}
	return counters;
}

/**
 * core_config_find - which of the counters have these registers?
 * @description: with those that have them by CPUID, which a hypervisor may not mean
 */
void core_config_find(struct pmc_description *description)
{
	description->config_b = core_config_readable(description->config_b, MSR_GENERAL_CONFIG_B0,
						     MSR_FIXED_CONFIG_B0);
	description->config_c = core_config_readable(description->config_c, MSR_GENERAL_CONFIG_C0,
						     MSR_FIXED_CONFIG_C0);
}

static void core_config_clear(u64 counters, u32 general, u32 fixed, u64 *saved)
{
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX + PMC_FIXED_MAX; i++) {
		if (!(counters & BIT_ULL(i)))
			continue;
		pmc_rdmsr(core_config_msr(i, general, fixed), saved[i]);
		if (saved[i])
			pmc_wrmsr(core_config_msr(i, general, fixed), 0);
	}
}

static void core_config_put_back(u64 counters, u32 general, u32 fixed, const u64 *saved)
{
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX + PMC_FIXED_MAX; i++) {
		if (counters & BIT_ULL(i) && saved[i])
			pmc_wrmsr(core_config_msr(i, general, fixed), saved[i]);
	}
}

/**
 * core_config_save - from now on an overflow does nothing but what the driver wants
 * @pmu:	this CPU's counters; those that were found running are somebody's
 */
void core_config_save(struct pmc_pmu *pmu)
{
	core_config_clear(pmu->description.config_b & ~pmu->found_running,
			  MSR_GENERAL_CONFIG_B0, MSR_FIXED_CONFIG_B0, pmu->saved.config_b);
	core_config_clear(pmu->description.config_c & ~pmu->found_running,
			  MSR_GENERAL_CONFIG_C0, MSR_FIXED_CONFIG_C0, pmu->saved.config_c);
}

/**
 * core_config_restore - undo core_config_save()
 * @pmu:	this CPU's counters; stopped
 */
void core_config_restore(const struct pmc_pmu *pmu)
{
	core_config_put_back(pmu->description.config_b & ~pmu->found_running,
			     MSR_GENERAL_CONFIG_B0, MSR_FIXED_CONFIG_B0, pmu->saved.config_b);
	core_config_put_back(pmu->description.config_c & ~pmu->found_running,
			     MSR_GENERAL_CONFIG_C0, MSR_FIXED_CONFIG_C0, pmu->saved.config_c);
}

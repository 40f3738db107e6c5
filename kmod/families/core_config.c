// SPDX-License-Identifier: GPL-2.0-only
/*
 * Family core: the additional configuration registers of version 6
 *
 * IA32_PMC_GPn_CFG_B and _FXn_CFG_B make overflows of other counters reload a counter
 * (auto counter reload; SDM Volume 3B, "Auto Counter Reload"). The top bit of
 * ..._CFG_C makes a counter write PEBS records. From 6.16 on, Linux's perf leaves them
 * set when its event ends, and clears them when it uses the counter again. Counts would be
 * wrong with them, so the driver clears them. It uses neither.
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

/* Address of a counter's register, by the counter's bit in a mask of counters */
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
 * core_config_find - determine which counters have these registers
 * @description: config_b and config_c are the counters that CPUID lists. A counter is removed
 *		if its register faults, as it may under a hypervisor
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

static void core_config_write_saved(u64 counters, u32 general, u32 fixed, const u64 *saved)
{
	u32 i;

	for (i = 0; i < PMC_GENERAL_MAX + PMC_FIXED_MAX; i++) {
		if (counters & BIT_ULL(i) && saved[i])
			pmc_wrmsr(core_config_msr(i, general, fixed), saved[i]);
	}
}

/**
 * core_config_save - save and clear these registers
 * @pmu:	this CPU's counters. The registers of counters that were found running belong to
 *		another user and are not changed
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
	core_config_write_saved(pmu->description.config_b & ~pmu->found_running,
				MSR_GENERAL_CONFIG_B0, MSR_FIXED_CONFIG_B0, pmu->saved.config_b);
	core_config_write_saved(pmu->description.config_c & ~pmu->found_running,
				MSR_GENERAL_CONFIG_C0, MSR_FIXED_CONFIG_C0, pmu->saved.config_c);
}

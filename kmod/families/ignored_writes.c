// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detection of counters that ignore writes
 *
 * Some hypervisors describe counters in CPUID, ignore writes to their registers and return
 * the same value at each read. Every family tests one counter for this when it saves the
 * registers, with its own write function.
 *
 * Owns no data. No lock: runs on the CPU concerned with interrupts off.
 */
#include <linux/bits.h>

#include "compat/compat.h"
#include "families/ignored_writes.h"
#include "pmu/pmu.h"

/**
 * pmc_counter_ignores_writes - is a value that is written to a counter lost?
 * @pmu:	this CPU's counters, stopped and saved
 * @counter:	number of a general counter
 * @msr:	address where that counter is read
 * @write:	writes a value of at least 16 bits to that counter
 *
 * The counter has its saved value again when this returns. A counter that was found running
 * belongs to another user and is not written.
 */
bool pmc_counter_ignores_writes(const struct pmc_pmu *pmu, u32 counter, u32 msr,
				void (*write)(const struct pmc_pmu *pmu, u32 counter, u64 value))
{
	u64 pattern = (pmu->saved.general[counter] ^ 0x5a5a) & GENMASK_ULL(15, 0);
	u64 value;

	if (pmu->found_running & BIT_ULL(counter))
		return false;
	write(pmu, counter, pattern);
	pmc_rdmsr(msr, value);
	write(pmu, counter, pmu->saved.general[counter]);
	return value != pattern;
}

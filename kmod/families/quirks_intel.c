// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intel's quirks
 *
 * Each row's comment names its source: a specification update, Linux, Xen or LIKWID. No row was
 * verified on a real processor.
 *
 * Owns the table, which is constant. Context: as quirks.c.
 */
#include <linux/bits.h>
#include <asm/processor.h>

#include "compat/compat.h"
#include "families/quirks.h"

#define LEAF_FEATURES			0x07
#define FEATURES_EDX_RTM_ALWAYS_ABORT	BIT(11)
#define FEATURES_EDX_TSX_FORCE_ABORT	BIT(13)	/* MSR_TSX_FORCE_ABORT exists */

/*
 * While TSX is enabled and MSR_TSX_FORCE_ABORT is 0, microcode uses general counter 3, and the
 * counter's values are wrong (Intel 604224, "Performance Monitoring Impact of Intel TSX Memory
 * Ordering Issue"). Where RTM always aborts, the counter works.
 */
static bool pmc_quirk_tsx_force_abort(const struct pmc_query *query)
{
	u32 eax, ebx, ecx, edx;

	if (cpuid_eax(0) < LEAF_FEATURES)
		return false;
	cpuid_count(LEAF_FEATURES, 0, &eax, &ebx, &ecx, &edx);
	return edx & FEATURES_EDX_TSX_FORCE_ABORT && !(edx & FEATURES_EDX_RTM_ALWAYS_ABORT);
}

const struct pmc_quirk pmc_quirks_intel[] = {
	/* Pentium Pro Processor Specification Update, erratum 26: fixed in stepping 9 */
	{ PMC_QUIRK(P6_RDPMC), 6, 1, 1, GENMASK(8, 0) },
	/* Pentium 4 Specification Update, N15; Xeon MP, O8 */
	{ PMC_QUIRK(NETBURST_WRITE), 15, 0, PMC_QUIRK_ANY, PMC_QUIRK_ANY },
	/* Skylake to Comet Lake, by CPUID: microcode adds the bit */
	{ PMC_QUIRK(TSX_FORCE_ABORT), 6, 0, PMC_QUIRK_ANY, PMC_QUIRK_ANY,
	  pmc_quirk_tsx_force_abort },
	/* Nehalem and Westmere, as in intel_pmu_init() of Linux's events/intel/core.c */
	{ PMC_QUIRK(NEHALEM_ENABLE), 6, 26, 26, PMC_QUIRK_ANY },
	{ PMC_QUIRK(NEHALEM_ENABLE), 6, 30, 30, PMC_QUIRK_ANY },
	{ PMC_QUIRK(NEHALEM_ENABLE), 6, 37, 37, PMC_QUIRK_ANY },
	{ PMC_QUIRK(NEHALEM_ENABLE), 6, 44, 44, PMC_QUIRK_ANY },
	{ PMC_QUIRK(NEHALEM_ENABLE), 6, 46, 47, PMC_QUIRK_ANY },
	/* The least periods of Linux: nhm_limit_period(), hsw_limit_period(), bdw_limit_period() */
	{ PMC_QUIRK(PERIOD_32), 6, 26, 26, PMC_QUIRK_ANY },
	{ PMC_QUIRK(PERIOD_32), 6, 30, 30, PMC_QUIRK_ANY },
	{ PMC_QUIRK(PERIOD_32), 6, 46, 46, PMC_QUIRK_ANY },
	{ PMC_QUIRK(PERIOD_32) | PMC_QUIRK(PERIOD_128), 6, 60, 60, PMC_QUIRK_ANY },
	{ PMC_QUIRK(PERIOD_32) | PMC_QUIRK(PERIOD_128), 6, 63, 63, PMC_QUIRK_ANY },
	{ PMC_QUIRK(PERIOD_32) | PMC_QUIRK(PERIOD_128), 6, 69, 70, PMC_QUIRK_ANY },
	{ PMC_QUIRK(PERIOD_128), 6, 61, 61, PMC_QUIRK_ANY },
	{ PMC_QUIRK(PERIOD_128), 6, 71, 71, PMC_QUIRK_ANY },
	{ PMC_QUIRK(PERIOD_128), 6, 79, 79, PMC_QUIRK_ANY },
	{ PMC_QUIRK(PERIOD_128), 6, 86, 86, PMC_QUIRK_ANY },
	/* Xen's vpmu_intel.c, handle_pmc_quirk() */
	{ PMC_QUIRK(ZERO), 6, 26, 26, PMC_QUIRK_ANY },
	{ PMC_QUIRK(ZERO), 6, 42, 42, PMC_QUIRK_ANY },
	{ PMC_QUIRK(ZERO), 6, 46, 47, PMC_QUIRK_ANY },
	/* Sandy Bridge, Ivy Bridge, Haswell, as PMU_FL_EXCL_CNTRS in intel_pmu_init() */
	{ PMC_QUIRK(HT_LEAK), 6, 42, 42, PMC_QUIRK_ANY },
	{ PMC_QUIRK(HT_LEAK), 6, 45, 45, PMC_QUIRK_ANY },
	{ PMC_QUIRK(HT_LEAK), 6, 58, 58, PMC_QUIRK_ANY },
	{ PMC_QUIRK(HT_LEAK), 6, 60, 60, PMC_QUIRK_ANY },
	{ PMC_QUIRK(HT_LEAK), 6, 62, 63, PMC_QUIRK_ANY },
	{ PMC_QUIRK(HT_LEAK), 6, 69, 70, PMC_QUIRK_ANY },
	/* Specification update of mobile Haswell, HSM154; the desktop's models have its numbers */
	{ PMC_QUIRK(FIXED0), 6, 60, 60, PMC_QUIRK_ANY },
	{ PMC_QUIRK(FIXED0), 6, 69, 70, PMC_QUIRK_ANY },
	/* Broadwell-EP, -EX and -DE: LIKWID, issues 59 and 517 */
	{ PMC_QUIRK(USER_4_7), 6, 79, 79, PMC_QUIRK_ANY },
	{ PMC_QUIRK(USER_4_7), 6, 86, 86, PMC_QUIRK_ANY },
	{ }
};

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AMD's registers, for the tests of amd.c: AMD64 Architecture Programmer's Manual, Volume 2, 13.2
 * and appendix A
 */
#ifndef TEST_AMD_REGISTERS_H
#define TEST_AMD_REGISTERS_H

#include "registers.h"

#define SELECT(n)	(0xc0010000 + (n))	/* PerfEvtSeln */
#define CTR(n)		(0xc0010004 + (n))	/* PerfCtrn */
#define PERF_CTL(n)	(0xc0010200 + 2 * (n))
#define PERF_CTR(n)	(0xc0010201 + 2 * (n))
#define GLOBAL_STATUS	0xc0000300
#define GLOBAL_CTL	0xc0000301
#define GLOBAL_CLEAR	0xc0000302
#define DEBUG_CTL	0x1d9

#define ENABLE		(1ULL << 22)	/* of an event select */
#define FREEZE		(1ULL << 12)	/* of DEBUG_CTL: at an overflow the counters stop */
#define FROZEN		(1ULL << 59)	/* of GLOBAL_STATUS */

/* What no write of the driver has */
#define UNTOUCHED	0x1234567

/* Event selects and counters of six counters exist. */
static inline void give_counters(void)
{
	u32 i;

	for (i = 0; i < 6; i++) {
		*reg(PERF_CTL(i)) = 0;
		*reg(PERF_CTR(i)) = 0;
	}
}

/* Return: the state of a CPU with these counters, not yet saved */
static inline struct pmc_pmu unsaved(u64 counters, u64 features)
{
	struct pmc_pmu pmu;

	memset(&pmu, 0xff, sizeof(pmu));
	memset(&pmu.description, 0, sizeof(pmu.description));
	pmu.description.query.general_counters = counters;
	pmu.description.query.features = features;
	return pmu;
}

#endif /* TEST_AMD_REGISTERS_H */

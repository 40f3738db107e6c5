/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tests of sampling/ share: one simulated CPU, and a log of what the tested code calls. Each
 * program of tests has one object that includes it.
 */
#ifndef TEST_SAMPLING_H
#define TEST_SAMPLING_H

#include "unit.h"

#include "calls.h"
#include "compat/compat.h"
#include "pmu/pmu.h"

/* The CPU: its counters, its registers, the value of its time-stamp counter */
struct pmc_pmu pmc_pmus;
static u64 counters[8];
static u64 registers[8];
static u64 tsc;

u64 rdtsc(void)
{
	return tsc;
}

u64 *msr(u32 address)
{
	assert_in_range(address, 1, 7);
	return &registers[address];
}

u64 pmc_rdpmc(u32 counter)
{
	return counters[counter];
}

static inline void reset_cpu(void)
{
	cpus_possible.bits = 1;
	memset(&pmc_pmus, 0, sizeof(pmc_pmus));
	memset(counters, 0, sizeof(counters));
	memset(registers, 0, sizeof(registers));
	INIT_LIST_HEAD(&pmc_pmus.pmi.samplers);
	tsc = 0;
	calls[0] = '\0';
}

#endif /* TEST_SAMPLING_H */

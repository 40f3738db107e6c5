// SPDX-License-Identifier: LGPL-2.1-or-later
/* CPUID of this processor; unit tests replace this file's function */
#include <cpuid.h>
#include <string.h>

#include "processor.h"
#include "libpmcdrv.h"

#define LEAF1_EDX_MMX	(1U << 23)
#define LEAF_FEATURES	0x7
#define FEATURES_1_EAX_PERFMON	(1U << 8)
#define FEATURES_EDX_HYBRID	(1U << 15)
#define LEAF_PERFMON	0xa
#define LEAF_NATIVE_MODEL_ID	0x1a
#define LEAF_PERFMON_EXTENDED	0x23
#define SUBLEAF_COUNTERS	1
#define SUBLEAF_EVENTS	3

/* SDM Volume 2A, CPUID leaf 01H: display family and model */
static void split_signature(unsigned int signature, struct pmc_query *query)
{
	query->cpu_family = signature >> 8 & 0xf;
	query->cpu_model = signature >> 4 & 0xf;
	query->cpu_stepping = signature & 0xf;
	if (query->cpu_family == 6 || query->cpu_family == 15)
		query->cpu_model |= signature >> 12 & 0xf0;
	if (query->cpu_family == 15)
		query->cpu_family += signature >> 20 & 0xff;
}

/* Leaf 23H, if present: masks of the counters and events of the executing core */
static void read_cpuid_perfmon_ext(struct pmc_query *query)
{
	unsigned int main, eax, ebx, ecx, edx;

	if (!__get_cpuid_count(LEAF_FEATURES, 1, &eax, &ebx, &ecx, &edx) ||
	    !(eax & FEATURES_1_EAX_PERFMON) ||
	    !__get_cpuid_count(LEAF_PERFMON_EXTENDED, 0, &main, &ebx, &ecx, &edx) ||
	    !(main & 1))
		return;
	if (main & 1U << SUBLEAF_COUNTERS &&
	    __get_cpuid_count(LEAF_PERFMON_EXTENDED, SUBLEAF_COUNTERS, &eax, &ebx, &ecx, &edx) &&
	    eax)
		query->fixed_counters = ebx;
	if (main & 1U << SUBLEAF_EVENTS &&
	    __get_cpuid_count(LEAF_PERFMON_EXTENDED, SUBLEAF_EVENTS, &eax, &ebx, &ecx, &edx)) {
		query->events_described = 32;
		query->events_unavailable = ~eax;
	}
}

/*
 * SDM Volume 2A, CPUID leaf 0AH: version, architectural events that are described
 * and missing, fixed counters (none before version 2, a mask of them in ECX too)
 */
static void read_cpuid_perfmon(struct pmc_query *query)
{
	unsigned int eax, ebx, ecx, edx;

	if (!__get_cpuid(LEAF_PERFMON, &eax, &ebx, &ecx, &edx))
		return;
	query->perfmon_version = eax & 0xff;
	query->events_described = eax >> 24 < 32 ? eax >> 24 : 32;
	query->events_unavailable = ebx;
	if (query->perfmon_version >= 2)
		query->fixed_counters = ecx | ((1ULL << (edx & 0x1f)) - 1);
	if (query->perfmon_version >= 6)
		read_cpuid_perfmon_ext(query);
}

/* SDM Volume 2A, CPUID leaves 07H and 1AH: core type, on a hybrid processor */
static void read_core_type(struct pmc_query *query)
{
	unsigned int eax, ebx, ecx, edx;

	if (__get_cpuid_count(LEAF_FEATURES, 0, &eax, &ebx, &ecx, &edx) &&
	    edx & FEATURES_EDX_HYBRID &&
	    __get_cpuid_count(LEAF_NATIVE_MODEL_ID, 0, &eax, &ebx, &ecx, &edx))
		query->core_type = eax;
}

void pmc_processor_read_cpuid(struct pmc_query *query)
{
	unsigned int eax, ebx, ecx, edx;

	memset(query, 0, sizeof(*query));
	if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
		return;
	memcpy(query->vendor, &ebx, 4);
	memcpy(query->vendor + 4, &edx, 4);
	memcpy(query->vendor + 8, &ecx, 4);
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return;
	split_signature(eax, query);
	/* The Pentium with MMX technology, and every later one, has RDPMC too. */
	if (edx & LEAF1_EDX_MMX)
		query->features |= PMC_FEATURE(RDPMC);
	if (strncmp(query->vendor, "GenuineIntel", sizeof(query->vendor)))
		return;
	read_cpuid_perfmon(query);
	read_core_type(query);
}

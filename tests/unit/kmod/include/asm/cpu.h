/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's CPUID with four results, and what leaf 1 has in EAX: SDM Volume 2A, CPUID, figure
 * 3-6
 */
#ifndef TEST_ASM_CPU_H
#define TEST_ASM_CPU_H

#include <asm/processor.h>

#define cpuid(leaf, eax, ebx, ecx, edx)	cpuid_count(leaf, 0, eax, ebx, ecx, edx)

static inline u32 x86_family(u32 eax)
{
	const u32 family = eax >> 8 & 0xf;

	return family == 0xf ? family + (eax >> 20 & 0xff) : family;
}

static inline u32 x86_model(u32 eax)
{
	const u32 model = eax >> 4 & 0xf;

	return x86_family(eax) < 6 ? model : (eax >> 16 & 0xf) << 4 | model;
}

static inline u32 x86_stepping(u32 eax)
{
	return eax & 0xf;
}

#endif /* TEST_ASM_CPU_H */

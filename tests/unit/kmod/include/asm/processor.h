/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUID; each test that uses it defines cpuid(), and likewise boot_cpu_data and cpu_tss_rw */
#ifndef TEST_ASM_PROCESSOR_H
#define TEST_ASM_PROCESSOR_H

#include <linux/types.h>

void cpuid(u32 leaf, u32 subleaf, u32 registers[4]);

struct cpuinfo_x86 {
	u8 x86;
	int cpuid_level;
};

extern struct cpuinfo_x86 boot_cpu_data;

struct thread_struct {
	unsigned long sp0;
};

struct tss_struct {
	struct {
		unsigned long sp0;
	} x86_tss;
};

extern struct tss_struct cpu_tss_rw;

static inline u32 cpuid_eax(u32 leaf)
{
	u32 registers[4];

	cpuid(leaf, 0, registers);
	return registers[0];
}

static inline u32 cpuid_ebx(u32 leaf)
{
	u32 registers[4];

	cpuid(leaf, 0, registers);
	return registers[1];
}

static inline u32 cpuid_ecx(u32 leaf)
{
	u32 registers[4];

	cpuid(leaf, 0, registers);
	return registers[2];
}

static inline u32 cpuid_edx(u32 leaf)
{
	u32 registers[4];

	cpuid(leaf, 0, registers);
	return registers[3];
}

static inline void cpuid_count(u32 leaf, u32 subleaf, u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	u32 registers[4];

	cpuid(leaf, subleaf, registers);
	*eax = registers[0];
	*ebx = registers[1];
	*ecx = registers[2];
	*edx = registers[3];
}

#endif /* TEST_ASM_PROCESSOR_H */

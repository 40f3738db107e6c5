/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPUID and the CPU's data, for the module's code in unit tests
 *
 * A test that calls cpuid() without a definition of its own fails. A test that uses cpu_tss_rw
 * defines it.
 */
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

static inline u32 cpuid_register(u32 leaf, u32 number)
{
	u32 registers[4];

	cpuid(leaf, 0, registers);
	return registers[number];
}

#define cpuid_eax(leaf)	cpuid_register(leaf, 0)
#define cpuid_ebx(leaf)	cpuid_register(leaf, 1)
#define cpuid_ecx(leaf)	cpuid_register(leaf, 2)
#define cpuid_edx(leaf)	cpuid_register(leaf, 3)

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

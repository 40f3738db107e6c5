/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPU features that the module asks for, in unit tests: a local APIC, and what the test sets */
#ifndef TEST_ASM_CPUFEATURE_H
#define TEST_ASM_CPUFEATURE_H

#include <stdbool.h>

#define X86_FEATURE_TSC		(0 * 32 + 4)
#define X86_FEATURE_APIC	(0 * 32 + 9)
#define X86_FEATURE_SEP		(0 * 32 + 11)
#define X86_FEATURE_CONSTANT_TSC (3 * 32 + 8)
#define X86_FEATURE_SYSCALL32	(3 * 32 + 14)
#define X86_FEATURE_NONSTOP_TSC	(3 * 32 + 24)
#define X86_FEATURE_HYPERVISOR	(4 * 32 + 31)
#define X86_FEATURE_XENPV	(8 * 32 + 16)
#define X86_FEATURE_INTEL_PT	(9 * 32 + 25)
#define X86_FEATURE_FRED	(12 * 32 + 17)

/* One variable in all objects of a program */
bool cpu_has_hypervisor __attribute__((weak));
/* Other features */
bool cpu_has_feature[32 * 32] __attribute__((weak));

#define boot_cpu_has(feature)	((feature) == X86_FEATURE_APIC || \
				 ((feature) == X86_FEATURE_HYPERVISOR && cpu_has_hypervisor) || \
				 cpu_has_feature[feature])
#define cpu_feature_enabled(feature)	boot_cpu_has(feature)

#endif /* TEST_ASM_CPUFEATURE_H */

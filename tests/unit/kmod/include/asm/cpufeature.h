/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPU features that the module asks for, in unit tests: every CPU has a local APIC */
#ifndef TEST_ASM_CPUFEATURE_H
#define TEST_ASM_CPUFEATURE_H

#define X86_FEATURE_APIC	(0 * 32 + 9)
#define boot_cpu_has(feature)	((void)(feature), true)

#endif /* TEST_ASM_CPUFEATURE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TEST_ASM_CPUFEATURE_H
#define TEST_ASM_CPUFEATURE_H

#define X86_FEATURE_APIC	(0 * 32 + 9)
#define boot_cpu_has(feature)	((void)(feature), true)

#endif /* TEST_ASM_CPUFEATURE_H */

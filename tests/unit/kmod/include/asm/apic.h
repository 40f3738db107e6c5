/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of the kernel's local APIC driver that the module uses */
#ifndef TEST_ASM_APIC_H
#define TEST_ASM_APIC_H

#include <linux/bits.h>

#define CONFIG_X86_LOCAL_APIC	1

#define APIC_LVTPC		0x340
#define APIC_DM_NMI		0x400
#define APIC_LVT_MASKED		BIT(16)

struct apic {
	u32 (*read)(u32 reg);
	void (*write)(u32 reg, u32 value);
	void (*send_IPI)(int cpu, int vector);
};

extern struct apic *apic;

#endif /* TEST_ASM_APIC_H */

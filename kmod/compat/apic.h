/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The local APIC's entry for performance counters, where there is a local APIC
 *
 * Not by apic_write(): what it is made of since 6.12 is not exported.
 */
#ifndef PMC_COMPAT_APIC_H
#define PMC_COMPAT_APIC_H

#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/cpufeature.h>
#include <asm/irq_vectors.h>

#ifdef CONFIG_X86_LOCAL_APIC

static inline bool pmc_apic_exists(void)
{
	return boot_cpu_has(X86_FEATURE_APIC);
}

static inline u32 pmc_apic_read(void)
{
	return apic->read(APIC_LVTPC);
}

static inline void pmc_apic_write(u32 value)
{
	apic->write(APIC_LVTPC, value);
}

#else

static inline bool pmc_apic_exists(void)
{
	return false;
}

static inline u32 pmc_apic_read(void)
{
	return 0;
}

static inline void pmc_apic_write(u32 value)
{
}

#endif

/* Can this CPU send itself one? Not by Xen's local APIC. */
static inline bool pmc_apic_sends_nmi(void)
{
#ifdef CONFIG_X86_LOCAL_APIC
	return apic->send_IPI;
#else
	return false;
#endif
}

/* An NMI to this CPU, which may come at once or later. Interrupts are off. */
static inline void pmc_apic_send_nmi(void)
{
#ifdef CONFIG_X86_LOCAL_APIC
	apic->send_IPI(smp_processor_id(), NMI_VECTOR);
#endif
}

/* The next overflow interrupts, by an NMI. */
static inline void pmc_apic_arm(void)
{
#ifdef CONFIG_X86_LOCAL_APIC
	pmc_apic_write(APIC_DM_NMI);
#endif
}

/* As it is once one has been delivered. */
static inline void pmc_apic_mask(void)
{
#ifdef CONFIG_X86_LOCAL_APIC
	pmc_apic_write(APIC_DM_NMI | APIC_LVT_MASKED);
#endif
}

/* Has an interrupt been delivered since then? The local APIC masks its entry. */
static inline bool pmc_apic_delivered(void)
{
#ifdef CONFIG_X86_LOCAL_APIC
	return pmc_apic_read() & APIC_LVT_MASKED;
#else
	return false;
#endif
}

#endif /* PMC_COMPAT_APIC_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access to LVTPC, the register of the local APIC that delivers PMIs
 *
 * Without a local APIC, pmc_apic_exists() is false. apic->read() and apic->write() are used
 * directly, because apic_write() expands to functions that are not exported since 6.12.
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

/* Can this CPU send itself an NMI? Xen's local APIC cannot. */
static inline bool pmc_apic_sends_nmi(void)
{
#ifdef CONFIG_X86_LOCAL_APIC
	return apic->send_IPI;
#else
	return false;
#endif
}

/* Send an NMI to this CPU. It may come at once or later. Interrupts are off. */
static inline void pmc_apic_send_nmi(void)
{
#ifdef CONFIG_X86_LOCAL_APIC
	apic->send_IPI(smp_processor_id(), NMI_VECTOR);
#endif
}

/* Arm LVTPC: the next PMI is delivered as an NMI. */
static inline void pmc_apic_arm(void)
{
#ifdef CONFIG_X86_LOCAL_APIC
	pmc_apic_write(APIC_DM_NMI);
#endif
}

/* Mask LVTPC, as Intel's local APIC does when it delivers a PMI. */
static inline void pmc_apic_mask(void)
{
#ifdef CONFIG_X86_LOCAL_APIC
	pmc_apic_write(APIC_DM_NMI | APIC_LVT_MASKED);
#endif
}

/* Has a PMI been delivered since LVTPC was armed? Intel's local APIC masks LVTPC then. */
static inline bool pmc_apic_delivered(void)
{
#ifdef CONFIG_X86_LOCAL_APIC
	return pmc_apic_read() & APIC_LVT_MASKED;
#else
	return false;
#endif
}

#endif /* PMC_COMPAT_APIC_H */

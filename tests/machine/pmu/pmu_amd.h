/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AMD's performance counters from K7 on: registers, event select and CPUID bits
 *
 * K7: "AMD Athlon Processor x86 Code Optimization" (22007), appendix D, "Performance
 * Monitoring Counters". Later families follow Linux and KVM (arch/x86/events/amd/core.c,
 * arch/x86/include/asm/msr-index.h, arch/x86/kvm/svm/pmu.c), checked against the AMD64
 * Architecture Programmer's Manual, Volume 2: addresses (tables ), event select
 * (figure 13-11, tables 13-4 to 13-6), PerfMonV2 (figures 13-12 to 13-15), DebugCtl
 * (figure 13-4). The effect of writing reserved bits is KVM's, observed on Zen 3, and is
 * applied to all families; widths and family-specific rules are Linux's (the guides of each
 * family, BKDG and PPR, were not available). PREC_RET, bit 43 of PerfEvtSel2, is not modelled.
 */
#ifndef PMU_AMD_H
#define PMU_AMD_H

#include "pmu_regs.h"

#define AMD_LEGACY		4u	/* counters without the core extension */
#define AMD_MAX			6u	/* counters with it */
#define AMD_WIDTH		48u

#define AMD_PERFEVTSEL0		0xc0010000u
#define AMD_PERFCTR0		0xc0010004u
#define AMD_PERF_CTL0		0xc0010200u	/* CTL and CTR alternate */

/* PerfMonV2 */
#define AMD_CONTROL_BIT		63u	/* these registers, in the option faulting= */
#define AMD_GLOBAL_STATUS	0xc0000300u
#define AMD_GLOBAL_CTL		0xc0000301u
#define AMD_GLOBAL_STATUS_CLR	0xc0000302u
#define AMD_GLOBAL_STATUS_SET	0xc0000303u

/* Event select: bits 35:32 are the upper bits of the event number. */
#define AMD_SEL_CODE(v)		(((v) & 0xffff) | ((v) >> 32 & 0xf) << 16)
#define AMD_SEL_USR		BIT64(16)
#define AMD_SEL_OS		BIT64(17)
#define AMD_SEL_EDGE		BIT64(18)
#define AMD_SEL_INT		BIT64(20)
#define AMD_SEL_EN		BIT64(22)
#define AMD_SEL_INV		BIT64(23)
#define AMD_SEL_CMASK(v)	((v) >> 24 & 0xff)
#define AMD_SEL_GUEST		BIT64(40)
#define AMD_SEL_HOST		BIT64(41)

#define AMD_STATUS_FROZEN	BIT64(59)	/* PmcFreeze */
#define AMD_STATUS_RESERVED	(BIT64(63) | BIT64(AMD_MAX))	/* set by the option status */
#define AMD_DEBUG_FREEZE	BIT64(12)	/* DebugCtl: an interrupt freezes the counters */

/* CPUID */
#define AMD_CPUID_MAX		0x80000000u
#define AMD_CPUID_FEATURES	0x80000001u	/* ECX: */
#define AMD_ECX_IBS		(1u << 10)
#define AMD_ECX_CORE		(1u << 23)	/* PerfCtrExtCore */
#define AMD_ECX_NB		(1u << 24)	/* PerfCtrExtNB */
#define AMD_ECX_LLC		(1u << 28)	/* PerfCtrExtLLC */
#define AMD_CPUID_PERFMON	0x80000022u
#define AMD_EAX_V2		(1u << 0)	/* PerfMonV2 */
#define AMD_EAX_FREEZE		(1u << 2)	/* LbrAndPmcFreeze */

/* A 12-bit event and a unit mask, in the format of AMD_SEL_CODE(). */
#define AMD_CODE(event, umask)	(((event) & 0xff) | (umask) << 8 | ((event) >> 8) << 16)

bool pmu_is_amd_msr(uint32_t msr);

#endif /* PMU_AMD_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers of architectural performance monitoring, which pmu_absent.c needs too.
 * Addresses: SDM Vol. 4, table "IA-32 Architectural MSRs".
 */
#ifndef PMU_REGS_H
#define PMU_REGS_H

#include "pmu_int.h"

#define ARCH_MAX_GENERAL	10u	/* IA32_PMC0 to IA32_PMC9 */
#define ARCH_MAX_BEFORE_6	8u	/* the maximum in versions 1 to 5 */
#define ARCH_MAX_FIXED		16u	/* IA32_FIXED_CTR0 at 309H to 318H */

#define P5_CESR				0x011u	/* CTR0 and CTR1 follow */

#define IA32_PMC0			0x0c1u
#define IA32_TSX_FORCE_ABORT		0x10fu
#define IA32_PERFEVTSEL0		0x186u
#define IA32_MISC_ENABLE		0x1a0u
#define MSR_OFFCORE_RSP_0		0x1a6u
#define MSR_OFFCORE_RSP_1		0x1a7u
#define IA32_DEBUGCTL			0x1d9u
#define IA32_FIXED_CTR0			0x309u
#define MSR_PERF_METRICS		0x329u
#define IA32_PERF_CAPABILITIES		0x345u
#define IA32_FIXED_CTR_CTRL		0x38du
#define IA32_PERF_GLOBAL_STATUS		0x38eu
#define IA32_PERF_GLOBAL_CTRL		0x38fu
#define IA32_PERF_GLOBAL_OVF_CTRL	0x390u	/* STATUS_RESET from version 4 on */
#define IA32_PERF_GLOBAL_STATUS_SET	0x391u
#define IA32_PERF_GLOBAL_INUSE		0x392u
#define IA32_PEBS_ENABLE		0x3f1u
#define MSR_PEBS_LD_LAT			0x3f6u
#define MSR_PEBS_FRONTEND		0x3f7u
#define IA32_A_PMC0			0x4c1u
#define IA32_DS_AREA			0x600u

/*
 * Version 6: four registers for each counter, general counters from the first address on,
 * fixed counters from the second: IA32_PMC_GPn_CTR, _CFG_A, _CFG_B and _CFG_C.
 */
#define IA32_PMC_GP0			0x1900u
#define IA32_PMC_FX0			0x1980u
#define IA32_PMC_END			0x19c0u	/* end of 16 fixed counters */
#define IA32_PMC_STEP			4u
#define IA32_PMC_CTR			0u
#define IA32_PMC_CFG_A			1u
#define IA32_PMC_CFG_B			2u
#define IA32_PMC_CFG_C			3u

/* IA32_PERF_CAPABILITIES.FW_WRITE: "Full-Width Writes to Performance Counters" */
#define CAPABILITY_FW_WRITE		BIT64(13)
#define CAPABILITY_FREEZE_SMM		BIT64(12)	/* FREEZE_WHILE_SMM: Vol. 4, 345H */
#define CAPABILITY_METRICS		BIT64(15)	/* PERF_METRICS_AVAILABLE: Vol. 4, 345H */

/* RDPMC index of PERF_METRICS: bits 31:16 are its type, 2000H. */
#define RDPMC_METRICS			0x20000000u

/* IA32_MISC_ENABLE: Vol. 4, same table, 1A0H. */
#define MISC_PERFMON			BIT64(7)
#define MISC_BTS_UNAVAILABLE		BIT64(11)
#define MISC_PEBS_UNAVAILABLE		BIT64(12)

/* CPUID: Vol. 2A, leaf 1, 7, 0AH and 23H. */
#define CPUID1_ECX_DTES64		(1u << 2)
#define CPUID1_ECX_DS_CPL		(1u << 4)
#define CPUID1_ECX_PDCM			(1u << 15)
#define CPUID1_EDX_DS			(1u << 21)
#define CPUID7_EBX_SGX			(1u << 2)
#define CPUID7_EBX_PT			(1u << 25)
#define CPUID7_ECX_BUS_LOCK		(1u << 24)
#define CPUID7_EDX_RTM_ALWAYS_ABORT	(1u << 11)
#define CPUID7_EDX_FORCE_ABORT		(1u << 13)
#define CPUID7_EDX_HYBRID		(1u << 15)
#define CPUID7_EDX_ARCH_LBR		(1u << 19)
#define CPUID7_1_EAX_PERFMON_EXT	(1u << 8)
#define CPUIDA_EDX_NO_ANY_THREAD	(1u << 15)
#define CPUID23_EBX_UMASK2		(1u << 0)
#define CPUID23_EBX_EQUAL		(1u << 1)

/* pmu_netburst.c */
bool pmu_is_netburst_msr(uint32_t msr);

/* pmu_regs.c */
bool pmu_in(uint32_t msr, uint32_t first, uint32_t n);
bool pmu_is_arch_msr(uint32_t msr, unsigned int version);
void pmu_cpuid_no_store(uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);
uint64_t pmu_misc_enable(uint64_t machine);
int pmu_reject_arch_options(const struct pmu *pmu, char *error, size_t size);
int pmu_check_faulting(const char *key, uint64_t faulting, uint64_t enumerated, char *error,
		       size_t size);
unsigned int pmu_width(const struct pmu *pmu, unsigned int true_width);
void pmu_dump(FILE *file, const char *name, uint64_t value);
void pmu_dump_one_of(FILE *file, const char *name, unsigned int i,
		     uint64_t value);

#endif /* PMU_REGS_H */

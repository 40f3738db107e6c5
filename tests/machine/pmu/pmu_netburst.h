/* SPDX-License-Identifier: GPL-2.0-only */
/* NetBurst: event codes and units, for the registers and for the tables of events */
#ifndef PMU_NETBURST_H
#define PMU_NETBURST_H

#include "pmu_int.h"

/*
 * Units that have a pair of ESCRs: X(name, MSR of the first ESCR, block of counters, number by
 * which a CCCR selects the ESCR).
 *
 * SDM Vol. 3B, "Performance Monitoring (Processors Based on Intel NetBurst
 * Microarchitecture)", table "Performance Counter MSRs and Associated CCCR and
 * ESCR MSRs".
 */
#define NETBURST_UNITS(X)			\
	X(BSU, 0x3a0, NETBURST_BPU, 7)		\
	X(FSB, 0x3a2, NETBURST_BPU, 6)		\
	X(FIRM, 0x3a4, NETBURST_FLAME, 1)	\
	X(FLAME, 0x3a6, NETBURST_FLAME, 0)	\
	X(DAC, 0x3a8, NETBURST_FLAME, 5)	\
	X(MOB, 0x3aa, NETBURST_BPU, 2)		\
	X(PMH, 0x3ac, NETBURST_BPU, 4)		\
	X(SAAT, 0x3ae, NETBURST_FLAME, 2)	\
	X(U2L, 0x3b0, NETBURST_FLAME, 3)	\
	X(BPU, 0x3b2, NETBURST_BPU, 0)		\
	X(IS, 0x3b4, NETBURST_BPU, 1)		\
	X(ITLB, 0x3b6, NETBURST_BPU, 3)		\
	X(CRU01, 0x3b8, NETBURST_IQ, 4)		\
	X(IQ, 0x3ba, NETBURST_IQ, 0)		\
	X(RAT, 0x3bc, NETBURST_IQ, 2)		\
	X(SSU, 0x3be, NETBURST_IQ, 3)		\
	X(MS, 0x3c0, NETBURST_MS, 0)		\
	X(TBPU, 0x3c2, NETBURST_MS, 2)		\
	X(TC, 0x3c4, NETBURST_MS, 1)		\
	X(IX, 0x3c8, NETBURST_BPU, 5)		\
	X(ALF, 0x3ca, NETBURST_IQ, 1)		\
	X(CRU23, 0x3cc, NETBURST_IQ, 5)		\
	X(CRU45, 0x3e0, NETBURST_IQ, 6)

#define NETBURST_X_ENUM(name, msr, block, select) UNIT_##name,

enum netburst_unit { NETBURST_UNITS(NETBURST_X_ENUM) NETBURST_NUNITS };

/*
 * Events of the 64-bit Xeon MP with an L3 cache, which have dedicated registers: X(name, MSR
 * of the first register, number of registers). Their numbers follow those of the units.
 *
 * SDM Vol. 3B, "Performance Monitoring on 64-bit Intel Xeon Processor MP with Up
 * to 8-MByte L3 Cache".
 */
#define NETBURST_L3_EVENTS(X)	\
	X(IBUSQ, 0x107cc, 2)	\
	X(ISNPQ, 0x107ce, 2)	\
	X(EFSB, 0x107d0, 2)	\
	X(LATENCY, 0x107d2, 2)

#define NETBURST_X_L3_ENUM(name, msr, n) UNIT_##name,

enum netburst_l3 {
	NETBURST_L3_FIRST = NETBURST_NUNITS - 1,
	NETBURST_L3_EVENTS(NETBURST_X_L3_ENUM)
};

#define NETBURST_L3_MSR	0x107ccu	/* the first register */
#define NETBURST_L3_N	8u
#define NETBURST_L3_QUALIFIED 6u	/* registers with control and counter in one */

/** struct netburst_l3_regs - the additional registers of the 64-bit Xeon MP
 * @control: bits 63:32 of each
 * @counter: bits 31:0 of each
 * @latency: MSR_IFSB_CTL6
 * @accumulated: MSR_IFSB_CNTR7
 */
struct netburst_l3_regs {
	uint64_t control[NETBURST_L3_QUALIFIED];
	struct pmu_counter counter[NETBURST_L3_QUALIFIED];
	uint64_t latency;
	uint64_t accumulated;
};

bool pmu_is_l3_msr(uint32_t msr);
void pmu_l3_reset(struct netburst_l3_regs *r);
void pmu_l3_set(struct pmu_cpu *c, struct netburst_l3_regs *r);
bool pmu_l3_wrapped(struct netburst_l3_regs *r, struct pmu_counter *n);
uint64_t pmu_l3_rdmsr(const struct netburst_l3_regs *r, uint32_t msr);
bool pmu_l3_can_write(uint32_t msr, uint64_t value);
void pmu_l3_wrmsr(struct netburst_l3_regs *r, uint32_t msr, uint64_t value);
void pmu_l3_cpuid(const struct pmu *pmu, uint32_t leaf, uint32_t subleaf,
		  uint32_t regs[4]);
void pmu_l3_dump(const struct netburst_l3_regs *r, FILE *file);

/* Blocks of counters: four counters each, six in IQ. */
enum netburst_block { NETBURST_BPU, NETBURST_MS, NETBURST_FLAME, NETBURST_IQ };

/*
 * struct pmu_event.code of one bit of an event mask: the event select in bits
 * 5:0, the number of the bit in 9:6, the unit in 14:10.
 */
#define NETBURST_CODE(unit, select, bit)	((unit) << 10 | (bit) << 6 | (select))
#define NETBURST_SELECT(code)	((code) & 0x3f)
#define NETBURST_BIT(code)	((code) >> 6 & 0xf)
#define NETBURST_UNIT(code)	((code) >> 10)

#endif /* PMU_NETBURST_H */

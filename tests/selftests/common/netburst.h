/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers of NetBurst's counters (SDM Volume 3B, chapter "Performance Monitoring",
 * section on processors based on NetBurst), not taken from the driver
 */
#ifndef SELFTESTS_NETBURST_H
#define SELFTESTS_NETBURST_H

#include <stdint.h>

#define CCCR_ENABLE	(1ULL << 12)
#define CCCR_ESCR(n)	((uint64_t)(n) << 13)
#define CCCR_MUST	(3ULL << 16)
#define CCCR_COMPARE	(1ULL << 18)
#define CCCR_OVF_PMI	(1ULL << 26)
#define CCCR_CASCADE	(1ULL << 30)
#define CCCR_OVF	(1ULL << 31)
#define ESCR_USER	(1ULL << 2)
#define ESCR_KERNEL	(1ULL << 3)

#define NETBURST_ALL	0x3ffffULL
/* those before the counters for events at retirement */
#define NETBURST_RETIREMENT	12

/* An event select is the CCCR, and the ESCR above it. */
#define ESCR_OF(select)	((select) >> 32)

/* of counters 12, 13 and 16, and of 14, 15 and 17 */
#define MSR_CRU_ESCR0	0x3b8
#define MSR_CRU_ESCR1	0x3b9
/* only in models 0 to 2 */
#define MSR_IQ_ESCR0	0x3ba
#define MSR_IQ_ESCR1	0x3bb

static const uint32_t netburst_escrs[] = {
	0x3a0, 0x3a1, 0x3a2, 0x3a3, 0x3a4, 0x3a5, 0x3a6, 0x3a7, 0x3a8, 0x3a9, 0x3aa,
	0x3ab, 0x3ac, 0x3ad, 0x3ae, 0x3af, 0x3b0, 0x3b1, 0x3b2, 0x3b3, 0x3b4, 0x3b5,
	0x3b6, 0x3b7, MSR_CRU_ESCR0, MSR_CRU_ESCR1, MSR_IQ_ESCR0, MSR_IQ_ESCR1, 0x3bc,
	0x3bd, 0x3be, 0x3c0, 0x3c1, 0x3c2, 0x3c3, 0x3c4, 0x3c5, 0x3c8, 0x3c9, 0x3ca,
	0x3cb, 0x3cc, 0x3cd, 0x3e0, 0x3e1,
};

#endif /* SELFTESTS_NETBURST_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* NetBurst registers, for the tests of the model */
#ifndef NETBURST_H
#define NETBURST_H

#include "fake.h"

#define NCOUNTERS	18u
#define COUNTER(i)	(0x300u + (i))
#define CCCR(i)		(0x360u + (i))

#define FSB_ESCR0	0x3a2u
#define CRU_ESCR0	0x3b8u
#define CRU_ESCR2	0x3ccu
#define TBPU_ESCR0	0x3c2u
#define PEBS_ENABLE	0x3f1u
#define PEBS_MATRIX	0x3f2u
#define DS_AREA		0x600u

/* ESCR */
#define T1_USR		BIT(0)
#define T1_OS		BIT(1)
#define T0_USR		BIT(2)
#define T0_OS		BIT(3)
#define E_USR		T0_USR
#define E_OS		T0_OS
#define EVENT(select, mask) ((uint64_t)(select) << 25 | (uint64_t)(mask) << 9)
#define CLOCKS		EVENT(0x13, 1)
#define BRANCH_TYPE(m)	EVENT(0x04, m)
#define MISP_TYPE(m)	EVENT(0x05, m)
#define RETIRED		EVENT(0x02, 1)
#define COMPLETED	EVENT(0x07, 1)
#define MISPREDICTED	EVENT(0x03, 1)
#define BRANCH_RETIRED(m) EVENT(0x06, m)

/* CCCR */
#define ENABLE		BIT(12)
#define SELECT(n)	((uint64_t)(n) << 13)
#define MUST		(3ull << 16)
#define COMPARE		BIT(18)
#define COMPLEMENT	BIT(19)
#define THRESHOLD(n)	((uint64_t)(n) << 20)
#define C_EDGE		BIT(24)
#define FORCE_OVF	BIT(25)
#define OVF_PMI		BIT(26)
#define OVF_PMI_T1	BIT(27)
#define CASCADE		BIT(30)
#define OVF		BIT(31)

#define FSB		SELECT(6)
#define TBPU		SELECT(2)
#define CRU01		SELECT(4)
#define CRU23		SELECT(5)
#define ON		(MUST | ENABLE)

/* Program counter i with value 0 and this event in user mode. */
static inline void count(struct fake *f, unsigned int i, uint32_t escr, uint64_t event,
			 uint64_t cccr)
{
	wr(f, CCCR(i), 0);
	wr(f, escr, event | E_USR);
	wr(f, COUNTER(i), 0);
	wr(f, CCCR(i), cccr | ON);
}

#endif /* NETBURST_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* Counting of one Pentium or P6 event on counter 0 or 1, in user mode */
#ifndef COUNT_ONE_H
#define COUNT_ONE_H

#include "fake.h"

#define CESR	0x11
#define CTR0	0x12

/* Program counter i of processor c with value 0, and disable the other one. */
static inline void select_on(struct pmu_cpu *c, bool p5, unsigned int i,
			     uint64_t select)
{
	if (p5) {
		wr_on(c, CESR, 0);
		wr_on(c, CTR0 + i, 0);
		wr_on(c, CESR, (select | 0x80) << 16 * i);
		return;
	}
	wr_on(c, IA32_PERFEVTSEL0, 0);
	wr_on(c, IA32_PERFEVTSEL0 + 1, 0);
	wr_on(c, IA32_PMC0 + i, 0);
	if (i)
		wr_on(c, IA32_PERFEVTSEL0 + 1, select | USR);
	wr_on(c, IA32_PERFEVTSEL0, i ? EN : select | USR | EN);
}

static inline uint64_t counted_on(struct pmu_cpu *c, bool p5, unsigned int i)
{
	return rd_on(c, (p5 ? CTR0 : IA32_PMC0) + i);
}

static inline bool is_p5(const struct fake *f)
{
	return f->model == PENTIUM || f->model == PENTIUM_MMX;
}

static inline void select_event(struct fake *f, unsigned int i, uint64_t select)
{
	select_on(f->c, is_p5(f), i, select);
}

static inline uint64_t counted(struct fake *f, unsigned int i)
{
	return counted_on(f->c, is_p5(f), i);
}

#endif /* COUNT_ONE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* What a context's operations use of its rings, in unit tests: each test defines it */
#ifndef TEST_SAMPLING_RING_H
#define TEST_SAMPLING_RING_H

#include <linux/types.h>

struct pmc_rings;

void pmc_rings_set_idle(struct pmc_rings *rings, bool idle, bool ended);
u64 pmc_rings_overflows(const struct pmc_rings *rings, int cpu);

#endif /* TEST_SAMPLING_RING_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call chains, from NMI context
 */
#ifndef PMC_CALLCHAIN_H
#define PMC_CALLCHAIN_H

#include <linux/types.h>

struct pmc_user_regs;
struct pt_regs;

u32 pmc_callchain_kernel(struct pt_regs *regs, u64 *frames, u32 max);
u32 pmc_callchain_user(const struct pmc_user_regs *user, u64 *frames, u32 max);

#endif /* PMC_CALLCHAIN_H */

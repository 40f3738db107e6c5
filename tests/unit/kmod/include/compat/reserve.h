/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's reservations in unit tests: each test of a file that uses them defines them */
#ifndef TEST_COMPAT_RESERVE_H
#define TEST_COMPAT_RESERVE_H

#include <linux/types.h>

int pmc_reserve(u64 mask, u32 counter_msr, u32 select_msr);
void pmc_unreserve(u64 mask, u32 counter_msr, u32 select_msr);

#endif /* TEST_COMPAT_RESERVE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's reservations of counters
 *
 * A kernel without CONFIG_X86_LOCAL_APIC has no reservations and no other user of counters.
 */
#ifndef PMC_COMPAT_RESERVE_H
#define PMC_COMPAT_RESERVE_H

#include <linux/bits.h>
#include <linux/errno.h>
#include <asm/nmi.h>

#ifdef CONFIG_X86_LOCAL_APIC

/* Release the reservations of the counters of @mask. */
static inline void pmc_unreserve(u64 mask, u32 counter_msr, u32 select_msr)
{
	u32 i;

	for (i = 0; i < BITS_PER_TYPE(mask); i++) {
		if (!(mask & BIT_ULL(i)))
			continue;
		release_evntsel_nmi(select_msr + i);
		release_perfctr_nmi(counter_msr + i);
	}
}

/* Reserve counter and event select of all counters of @mask, or none. Returns 0 or -EBUSY. */
static inline int pmc_reserve(u64 mask, u32 counter_msr, u32 select_msr)
{
	u32 i;

	for (i = 0; i < BITS_PER_TYPE(mask); i++) {
		if (!(mask & BIT_ULL(i)))
			continue;
		if (!reserve_perfctr_nmi(counter_msr + i))
			break;
		if (!reserve_evntsel_nmi(select_msr + i)) {
			release_perfctr_nmi(counter_msr + i);
			break;
		}
	}
	if (i == BITS_PER_TYPE(mask))
		return 0;
	pmc_unreserve(mask & (BIT_ULL(i) - 1), counter_msr, select_msr);
	return -EBUSY;
}

static inline bool pmc_reserve_select(u32 msr)
{
	return reserve_evntsel_nmi(msr);
}

static inline void pmc_unreserve_select(u32 msr)
{
	release_evntsel_nmi(msr);
}

#else

static inline bool pmc_reserve_select(u32 msr)
{
	return false;
}

static inline void pmc_unreserve_select(u32 msr)
{
}

static inline void pmc_unreserve(u64 mask, u32 counter_msr, u32 select_msr)
{
}

static inline int pmc_reserve(u64 mask, u32 counter_msr, u32 select_msr)
{
	return 0;
}

#endif

#endif /* PMC_COMPAT_RESERVE_H */

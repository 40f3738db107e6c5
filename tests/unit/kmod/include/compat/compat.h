/* SPDX-License-Identifier: GPL-2.0-only */
/* The module's access to registers in unit tests: each test that uses it defines msr() */
#ifndef TEST_COMPAT_COMPAT_H
#define TEST_COMPAT_COMPAT_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/types.h>

#define pmc_unbound_wq	0
#define PMC_GFP_MAPPED	GFP_KERNEL_ACCOUNT

/* As the kernel's: an address in the function that uses it */
#define _THIS_IP_	({ __label__ here; here: (unsigned long)&&here; })

/* Return: the register, or NULL where the access faults */
u64 *msr(u32 address);

/* Some callers have a variable msr. */
static inline u64 *msr_at(u32 address)
{
	return msr(address);
}

#define pmc_rdmsr(address, value)	((value) = *msr_at(address))
#define pmc_wrmsr(address, value)	(*msr_at(address) = (value))
#define pmc_wrmsr_native(address, value) pmc_wrmsr(address, value)

static inline u64 pmc_rdmsr_native(u32 address)
{
	return *msr(address);
}

static inline int pmc_rdmsr_safe(u32 address, u64 *value)
{
	const u64 *found = msr(address);

	if (!found)
		return -1;
	*value = *found;
	return 0;
}

static inline int pmc_wrmsr_safe(u32 address, u64 value)
{
	u64 *found = msr(address);

	if (!found)
		return -1;
	*found = value;
	return 0;
}

#endif /* TEST_COMPAT_COMPAT_H */

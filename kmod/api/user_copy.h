/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copying ABI structures from and to user space
 */
#ifndef PMC_USER_COPY_H
#define PMC_USER_COPY_H

#include <linux/types.h>

int pmc_copy_in(void *to, size_t size, size_t min, const void __user *from, size_t user_size);
int pmc_copy_in_sized(void *to, size_t size, size_t min, const void __user *from);
int pmc_copy_out(void __user *to, const void *from, size_t size);

/* Is @address an address at all? On 32-bit kernels the cast to a pointer would truncate it. */
static inline bool pmc_is_address(u64 address)
{
	return address == (unsigned long)address;
}

#endif /* PMC_USER_COPY_H */

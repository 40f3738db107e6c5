// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where asm/cpuid/api.h declares the functions for CPUID. */
#include <asm/cpuid/api.h>

u32 test(void);
u32 test(void)
{
	return cpuid_eax(0);
}

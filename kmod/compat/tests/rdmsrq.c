// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where the 64-bit MSR accessors are called rdmsrq and wrmsrq. */
#include <asm/msr.h>

u64 test(void);
u64 test(void)
{
	u64 value;

	rdmsrq(0x10, value);
	wrmsrq(0x10, value);
	return value;
}

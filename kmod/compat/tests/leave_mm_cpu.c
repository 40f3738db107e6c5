// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where leave_mm() takes a CPU number. */
#include <linux/mmu_context.h>

void test(void);
void test(void)
{
	leave_mm(0);
}

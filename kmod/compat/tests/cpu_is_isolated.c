// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where the kernel has cpu_is_isolated(). */
#include <linux/sched/isolation.h>

bool test(int cpu);
bool test(int cpu)
{
	return cpu_is_isolated(cpu);
}

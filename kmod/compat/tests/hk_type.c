// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where housekeeping_cpu() takes a type, not a flag. */
#include <linux/sched/isolation.h>

enum hk_type test(void);
enum hk_type test(void)
{
	return HK_TYPE_DOMAIN;
}

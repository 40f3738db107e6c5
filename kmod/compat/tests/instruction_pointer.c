// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where _THIS_IP_ has a header of its own; it was in linux/kernel.h. */
#include <linux/instruction_pointer.h>

unsigned long test(void);
unsigned long test(void)
{
	return _THIS_IP_;
}

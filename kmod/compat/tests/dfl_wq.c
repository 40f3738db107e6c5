// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where the unbound workqueue has got a new name. */
#include <linux/workqueue.h>

struct workqueue_struct *test(void);
struct workqueue_struct *test(void)
{
	return system_dfl_wq;
}

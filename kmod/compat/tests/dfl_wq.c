// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where the unbound workqueue is called system_dfl_wq. */
#include <linux/workqueue.h>

struct workqueue_struct *test(void);
struct workqueue_struct *test(void)
{
	return system_dfl_wq;
}

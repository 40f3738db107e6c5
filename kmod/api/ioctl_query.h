/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ioctls that need no context: QUERY, COUNTER, TSC
 */
#ifndef PMC_IOCTL_QUERY_H
#define PMC_IOCTL_QUERY_H

#include <linux/compiler.h>

int pmc_ioctl_query(void __user *argument);
int pmc_ioctl_counter(void __user *argument);
int pmc_ioctl_tsc(void __user *argument);

#endif /* PMC_IOCTL_QUERY_H */

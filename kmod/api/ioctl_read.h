/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMC_IOC_READ, the general case
 */
#ifndef PMC_IOCTL_READ_H
#define PMC_IOCTL_READ_H

#include <linux/compiler.h>

struct pmc_context;
struct pmc_read;

int pmc_ioctl_read(struct pmc_context *context, struct pmc_read __user *argument);

#endif /* PMC_IOCTL_READ_H */

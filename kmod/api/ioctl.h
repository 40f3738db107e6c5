/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dispatch of the ioctls of /dev/pmc
 */
#ifndef PMC_IOCTL_H
#define PMC_IOCTL_H

struct file;

long pmc_ioctl(struct file *filp, unsigned int command, unsigned long argument);

#endif /* PMC_IOCTL_H */

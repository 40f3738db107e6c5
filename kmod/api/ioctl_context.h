/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ioctls that configure and control a file's context
 */
#ifndef PMC_IOCTL_CONTEXT_H
#define PMC_IOCTL_CONTEXT_H

struct pmc_file;

int pmc_ioctl_context(struct pmc_file *file, unsigned int command, unsigned long argument);

#endif /* PMC_IOCTL_CONTEXT_H */

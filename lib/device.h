/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The device node, and PMC_IOC_QUERY */
#ifndef PMC_DEVICE_H
#define PMC_DEVICE_H

#include "libpmcdrv.h"

struct pmc_device {
	char *path;
	int fd;
};

/* Open @path and check that pmcdrv answers. Return: a file descriptor, or -1. */
int pmc_device_open_fd(const char *path);

/* PMC_IOC_QUERY. Return: 0, or -1 with errno and without a message. */
int pmc_query_cpu(int fd, int cpu, struct pmc_query *query);

#endif /* PMC_DEVICE_H */

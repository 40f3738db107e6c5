/* SPDX-License-Identifier: GPL-2.0-only */
/* The device node of the driver */
#ifndef UTIL_DEVICE_H
#define UTIL_DEVICE_H

#include <stddef.h>

struct pmc_device;
struct stat;

/* Open /dev/pmc. Return: the device, or NULL after a message. */
struct pmc_device *device_open(void);

/* Why @user may not open /dev/pmc, and how @user gets access. @node: its owner, group and mode */
void device_denied_text(const struct stat *node, const char *user, char *text, size_t size);

#endif /* UTIL_DEVICE_H */

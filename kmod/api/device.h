/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device /dev/pmc
 */
#ifndef PMC_DEVICE_H
#define PMC_DEVICE_H

int pmc_device_init(void);
void pmc_device_exit(void);

#endif /* PMC_DEVICE_H */

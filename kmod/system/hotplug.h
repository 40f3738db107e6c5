/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPU hotplug
 */
#ifndef PMC_HOTPLUG_H
#define PMC_HOTPLUG_H

int pmc_hotplug_init(void);
void pmc_hotplug_exit(void);

#endif /* PMC_HOTPLUG_H */

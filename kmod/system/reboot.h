/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Restart, halt, power-off and kexec
 */
#ifndef PMC_REBOOT_H
#define PMC_REBOOT_H

int pmc_reboot_init(void);
void pmc_reboot_exit(void);

#endif /* PMC_REBOOT_H */

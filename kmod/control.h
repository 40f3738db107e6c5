/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The global control is ours in NMIs, too, where perf writes it
 */
#ifndef PMC_CONTROL_H
#define PMC_CONTROL_H

int pmc_control_init(void);
void pmc_control_exit(void);

#endif /* PMC_CONTROL_H */

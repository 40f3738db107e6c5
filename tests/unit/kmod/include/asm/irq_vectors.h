/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's interrupt vectors, for the module's code in unit tests */
#ifndef TEST_ASM_IRQ_VECTORS_H
#define TEST_ASM_IRQ_VECTORS_H

#define NMI_VECTOR	0x02

#endif /* TEST_ASM_IRQ_VECTORS_H */

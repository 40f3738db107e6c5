/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TEST_ASM_IRQ_VECTORS_H
#define TEST_ASM_IRQ_VECTORS_H

#define NMI_VECTOR	0x02

#endif /* TEST_ASM_IRQ_VECTORS_H */

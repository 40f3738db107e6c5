/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The address space, for the module's code in unit tests. A test's own objects are at addresses
 * of user mode: here they are the kernel's, and user mode ends far below.
 */
#ifndef TEST_ASM_PGTABLE_H
#define TEST_ASM_PGTABLE_H

#define PAGE_SHIFT		12
#define PAGE_SIZE		4096UL
#define TASK_SIZE_MAX		0x10000000UL
#define P4D_SHIFT		39
#define CPU_ENTRY_AREA_BASE	0xfffffe0000000000UL

#endif /* TEST_ASM_PGTABLE_H */

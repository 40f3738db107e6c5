/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's mappings, in unit tests: each test of a file that uses them defines them */
#ifndef TEST_LINUX_VMALLOC_H
#define TEST_LINUX_VMALLOC_H

#include <asm/pgtable.h>

struct page;

#define VM_MAP		4
#define PAGE_KERNEL	0x63
#define VMALLOC_TOTAL	vmalloc_total

extern unsigned long vmalloc_total;

void *vmap(struct page **pages, unsigned int nr, unsigned long flags, unsigned long protection);
void vunmap(const void *address);

#endif /* TEST_LINUX_VMALLOC_H */

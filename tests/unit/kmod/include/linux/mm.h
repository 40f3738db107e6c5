/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory management, for the module's code in unit tests */
#ifndef TEST_LINUX_MM_H
#define TEST_LINUX_MM_H

#include <stddef.h>
#include <linux/gfp.h>
#include <linux/slab.h>
#include <asm/pgtable.h>

#define VM_READ		0x1UL
#define VM_WRITE	0x2UL
#define VM_SHARED	0x8UL
#define VM_DONTCOPY	0x20000UL
#define VM_DONTEXPAND	0x40000UL
#define VM_DONTDUMP	0x4000000UL

struct page;
struct vm_area_struct;

struct vm_operations_struct {
	void (*open)(struct vm_area_struct *vma);
	void (*close)(struct vm_area_struct *vma);
};

struct vm_area_struct {
	unsigned long vm_start, vm_end;
	unsigned long vm_pgoff;
	unsigned long vm_flags;
	void *vm_private_data;
	const struct vm_operations_struct *vm_ops;
};

#define vma_pages(vma)	(((vma)->vm_end - (vma)->vm_start) >> PAGE_SHIFT)
#define pmc_vm_flags_set(vma, flags)	((vma)->vm_flags |= (flags))

unsigned long totalram_pages(void);

/* Each test of a file that uses them defines them. */
struct page *alloc_pages_node(int node, unsigned int flags, unsigned int order);
void put_page(struct page *page);
int vm_map_pages_zero(struct vm_area_struct *vma, struct page **pages, unsigned long nr);

#endif /* TEST_LINUX_MM_H */

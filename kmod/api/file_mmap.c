// SPDX-License-Identifier: GPL-2.0-only
/*
 * mmap() of /dev/pmc: the user page and the sample rings
 *
 * Offset 0 is the page for reading in user mode, larger offsets are the rings (ring.c).
 * Owns the blank page, which is mapped instead of a context's page where that may not be
 * seen.
 *
 * Locking: mmap_lock, inside it pmc_file.page_lock. Context: system calls and page faults.
 */
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/mm.h>

#include "api/file.h"
#include "api/file_mmap.h"
#include "compat/compat.h"
#include "sampling/ring.h"

/* A page that shows no counters; constant after pmc_file_mmap_init() */
static struct page *pmc_blank_page;

/*
 * A mapping may live longer than the context that owns the page. So a fault takes a
 * reference to the page. It maps the page only in the address space that configured the
 * context; another one, such as that of a forked child, gets the blank page.
 */
static vm_fault_t pmc_page_fault(struct vm_fault *fault)
{
	struct pmc_file *file = fault->vma->vm_file->private_data;
	struct page *page = pmc_blank_page;

	if (fault->pgoff)
		return VM_FAULT_SIGBUS;
	spin_lock(&file->page_lock);
	if (file->page && file->mm == fault->vma->vm_mm)
		page = file->page;
	get_page(page);
	spin_unlock(&file->page_lock);
	fault->page = page;
	return 0;
}

static const struct vm_operations_struct pmc_page_operations = {
	.fault = pmc_page_fault,
};

static int pmc_mmap_ring(struct pmc_file *file, struct vm_area_struct *vma)
{
	struct pmc_rings *rings = pmc_file_rings(file);
	int err;

	if (!rings)
		return -EINVAL;
	err = pmc_rings_mmap(rings, vma);
	pmc_rings_put(rings);
	return err;
}

/**
 * pmc_file_mmap - &file_operations.mmap
 * @filp:	an open /dev/pmc
 * @vma:	the new mapping; mmap_lock is held for writing
 *
 * Return: 0, -EACCES (the page is read-only), -EINVAL; an error of pmc_rings_mmap().
 */
int pmc_file_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct pmc_file *file = filp->private_data;
	bool readable;

	if (vma->vm_pgoff)
		return pmc_mmap_ring(file, vma);
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	if (vma->vm_end - vma->vm_start != PAGE_SIZE ||
	    !(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	spin_lock(&file->page_lock);
	readable = file->page && file->mm == vma->vm_mm;
	spin_unlock(&file->page_lock);
	if (!readable)
		return -EINVAL;
	pmc_vm_flags_clear(vma, VM_MAYWRITE);
	pmc_vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_ops = &pmc_page_operations;
	return 0;
}

/**
 * pmc_file_mmap_init - allocate the blank page
 *
 * Return: 0, -ENOMEM.
 */
int pmc_file_mmap_init(void)
{
	struct pmc_page *blank = (struct pmc_page *)get_zeroed_page(GFP_KERNEL);

	if (!blank)
		return -ENOMEM;
	blank->sequence = PMC_PAGE_UNAVAILABLE;
	pmc_blank_page = virt_to_page(blank);
	return 0;
}

/**
 * pmc_file_mmap_exit - free the blank page; no file is open
 */
void pmc_file_mmap_exit(void)
{
	put_page(pmc_blank_page);
}

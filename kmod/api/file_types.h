/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct pmc_file: an open /dev/pmc
 */
#ifndef PMC_FILE_TYPES_H
#define PMC_FILE_TYPES_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

struct mm_struct;
struct page;
struct pmc_context;
struct pmc_rings;
struct pmc_thread;

/**
 * struct pmc_file - an open /dev/pmc
 * @lock:	serialises the ioctls of the file; the outermost lock of the module
 * @context:	@lock; the configured context, NULL if there is none
 * @only:	@lock; pmc_self_thread() of @context
 * @settled:	@only, but NULL while an ioctl may change the context. Written with @lock
 *		held; pmc_self_read() reads it without
 * @probes:	@lock; mask of the probes that its contexts needed. They stay registered until
 *		the file is closed, because registering is slow
 * @interrupts:	@lock; a context of the file had a period, so the NMI handler stays
 *		registered until the file is closed
 * @wait:	readers that wait for samples
 * @page_lock:	protects the fields below. A page fault cannot take @lock: an ioctl that
 *		holds it may fault
 * @page:	@page_lock; the context's page for reading in user mode, with a reference,
 *		or NULL
 * @mm:		@page_lock; the only address space that may map @page
 * @rings:	@page_lock; the context's sample rings, with a reference, or NULL
 */
struct pmc_file {
	struct mutex lock; /* serialises the ioctls of the file */
	struct pmc_context *context;
	struct pmc_thread *only;
	struct pmc_thread *settled;
	unsigned long probes;
	bool interrupts;
	wait_queue_head_t wait;
	spinlock_t page_lock; /* protects the fields below */
	struct page *page;
	struct mm_struct *mm;
	struct pmc_rings *rings;
};

#endif /* PMC_FILE_TYPES_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The context of an open file
 *
 * Owns what a file holds: its context, and the references to the page and to the rings that
 * mmap(), poll() and read() use without the file's lock.
 *
 * Locking (outermost first): pmc_file.lock, pmc_file.page_lock. Context: task context.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/refcount.h>

#include "api/context.h"
#include "api/file.h"
#include "base/notify.h"
#include "compat/apic.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "sampling/pmi.h"
#include "sampling/ring.h"
#include "sampling/sample_config.h"
#include "target/context_types.h"
#include "target/self.h"

/* @context NULL: drop the reference. */
static void pmc_file_set_rings(struct pmc_file *file, const struct pmc_context *context)
{
	struct pmc_rings *rings = NULL, *before;

	if (context && context->sampling) {
		rings = context->sampling->rings;
		refcount_inc(&rings->refs);
	}
	spin_lock(&file->page_lock);
	before = file->rings;
	file->rings = rings;
	spin_unlock(&file->page_lock);
	if (before)
		pmc_rings_put(before);
}

/**
 * pmc_file_rings - get the sample rings of the file's context
 * @file:	an open file; its lock is not needed
 *
 * Return: the rings with a reference, or NULL.
 */
struct pmc_rings *pmc_file_rings(struct pmc_file *file)
{
	struct pmc_rings *rings;

	spin_lock(&file->page_lock);
	rings = file->rings;
	if (rings)
		refcount_inc(&rings->refs);
	spin_unlock(&file->page_lock);
	return rings;
}

/* @context NULL: drop the reference. */
static void pmc_file_set_page(struct pmc_file *file, const struct pmc_context *context)
{
	struct page *page = NULL, *before;

	if (context && context->user_page) {
		page = virt_to_page(context->user_page->page);
		get_page(page);
	}
	spin_lock(&file->page_lock);
	before = file->page;
	file->page = page;
	file->mm = page ? context->rdpmc.mm : NULL;
	spin_unlock(&file->page_lock);
	if (before)
		put_page(before);
}

/* Register the NMI handler if a counter has a period: before the counter can overflow. */
static int pmc_file_get_interrupts(struct pmc_file *file, const struct pmc_config *config,
				   const struct pmc_counter_config *counters)
{
	bool wanted = false;
	u32 i;
	int err;

	for (i = 0; i < config->nr_counters; i++)
		wanted |= counters[i].period;
	if (!wanted || file->interrupts || !pmc_apic_exists())
		return 0;
	err = pmc_pmi_get();
	file->interrupts = !err;
	return err;
}

/**
 * pmc_file_configure - configure the file's context
 * @file:	has no context; its lock is held
 * @config:	the request; receives its out fields
 * @counters:	its counters
 *
 * Return: 0; an error as documented for PMC_IOC_CONFIGURE.
 */
int pmc_file_configure(struct pmc_file *file, struct pmc_config *config,
		       const struct pmc_counter_config *counters)
{
	struct pmc_context *context;
	int err;

	err = pmc_file_get_interrupts(file, config, counters);
	if (err)
		return err;
	context = pmc_context_configure(config, counters, &file->probes, &file->wait);
	if (IS_ERR(context))
		return PTR_ERR(context);
	file->context = context;
	file->only = pmc_self_thread(context);
	pmc_file_set_page(file, context);
	pmc_file_set_rings(file, context);
	return 0;
}

/**
 * pmc_file_release - release the file's context
 * @file:	has a context; its lock is held, or the file is being closed
 */
void pmc_file_release(struct pmc_file *file)
{
	pmc_file_set_page(file, NULL);
	pmc_file_set_rings(file, NULL);
	pmc_context_release(file->context);
	pmc_notify_flush();
	file->context = NULL;
	file->only = NULL;
}

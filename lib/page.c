// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The mapping of a context's user page
 *
 * The mapping has two pages: the first identifies the context, the second is the driver's
 * page. If the driver provides none, a page with PMC_PAGE_UNAVAILABLE replaces it.
 */
#include <errno.h>
#include <sys/mman.h>

#include "context.h"
#include "error.h"
#include "libpmcdrv-read.h"

static struct pmc_page *alloc_fallback_page(struct pmc_context *context)
{
	struct pmc_page *page;
	char *room;

	room = mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	if (room == MAP_FAILED)
		return NULL;
	page = (struct pmc_page *)(room + PAGE_BYTES);
	pmc_page_owner(page)->context = context;
	page->size = sizeof(*page);
	page->sequence = PMC_PAGE_UNAVAILABLE;
	page->nr_counters = context->num_counters;
	return page;
}

/* Map the driver's page over @page. */
static bool map_user_page(struct pmc_context *context, struct pmc_page *page)
{
	return mmap(page, PAGE_BYTES, PROT_READ, MAP_SHARED | MAP_FIXED, context->fd, 0) == page;
}

static struct pmc_page *get_page(struct pmc_context *context)
{
	struct pmc_page *page = context->page;

	if (!page)
		page = alloc_fallback_page(context);
	if (!page || !context->user_read || map_user_page(context, page))
		return page;
	/*
	 * A failed MAP_FIXED may have removed the old page, and another thread may have mapped
	 * something else at its address since: leave that address alone.
	 */
	munmap(pmc_page_owner(page), PAGE_BYTES);
	return alloc_fallback_page(context);
}

PMC_API const struct pmc_page *pmc_context_page(struct pmc_context *context)
{
	if (!context->configured) {
		pmc_fail(EBADFD, "the context is not configured");
		return NULL;
	}
	if (context->page && !context->page_stale)
		return context->page;
	context->page = get_page(context);
	context->page_stale = false;
	if (!context->page)
		pmc_fail_errno("mapping the counters");
	return context->page;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading without a system call: the page, and the way through the driver where
 * it cannot be read
 *
 * The driver's page lies behind one of ours, which tells whose it is. Where the
 * driver gives none, a page of ours with PMC_PAGE_UNAVAILABLE stands in for it.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "internal.h"

#define PAGE_BYTES	4096

struct page_owner {
	struct pmc_context *context;
};

static struct page_owner *owner_of(const struct pmc_page *page)
{
	return (struct page_owner *)((uintptr_t)page - PAGE_BYTES);
}

/* ---- the page ---- */

/* A page that cannot be read in user mode, behind one that tells its owner */
static struct pmc_page *alloc_fallback_page(struct pmc_context *context)
{
	struct pmc_page *page;
	char *room;

	room = mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	if (room == MAP_FAILED)
		return NULL;
	page = (struct pmc_page *)(room + PAGE_BYTES);
	owner_of(page)->context = context;
	page->size = sizeof(*page);
	page->sequence = PMC_PAGE_UNAVAILABLE;
	page->nr_counters = context->match.num_events;
	return page;
}

/* Put the driver's page in the place of @page. */
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
	 * Nobody knows whether the old page is still in its place, or meanwhile
	 * another thread's: it is left alone.
	 */
	munmap(owner_of(page), PAGE_BYTES);
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

void pmc_page_unmap(struct pmc_context *context)
{
	if (context->page)
		munmap(owner_of(context->page), 2 * PAGE_BYTES);
	context->page = NULL;
}

PMC_API int pmc_context_set_user_read(struct pmc_context *context)
{
	if (context->configured)
		return pmc_fail(EBADFD, "the context is configured: release it first");
	if (context->scope != PMC_SCOPE_THREAD)
		return pmc_fail(EINVAL, "only a thread can read its counters in user mode");
	context->flags |= PMC_CONFIG_USER_READ;
	return 0;
}

static int add_list(struct pmc_context *context, const char *events)
{
	struct pmc_event *event;
	int result;

	do {
		event = pmc_event_parse_next(&events);
		if (!event)
			return -1;
		result = pmc_context_add(context, event);
		pmc_event_free(event);
	} while (!result && *events);
	return result;
}

PMC_API struct pmc_context *pmc_context_open_self(const char *events)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_context *context;
	int error;

	if (!device)
		return NULL;
	context = pmc_context_open(device);
	if (context && !add_list(context, events) && !pmc_context_set_user_read(context) &&
	    !pmc_context_configure(context) && pmc_context_page(context) &&
	    !pmc_context_start(context)) {
		pmc_device_close(device);
		return context;
	}
	error = errno;
	pmc_context_close(context);
	pmc_device_close(device);
	errno = error;
	return NULL;
}

/* ---- the way through the driver ---- */

PMC_API int pmc_page_read(const struct pmc_page *page, uint64_t *values, uint32_t num,
			  uint64_t *tsc)
{
	struct pmc_snapshot snapshot;

	if (pmc_context_read(owner_of(page)->context, &snapshot))
		return -1;
	memcpy(values, snapshot.value, num * sizeof(values[0]));
	if (tsc)
		*tsc = snapshot.tsc;
	return 0;
}

PMC_API uint64_t pmc_page_read_one(const struct pmc_page *page, uint32_t index)
{
	struct pmc_snapshot snapshot;

	if (pmc_context_read(owner_of(page)->context, &snapshot))
		return 0;
	return snapshot.value[index];
}

PMC_API int pmc_read_snapshot(const struct pmc_page *page, struct pmc_snapshot *snapshot)
{
	uint64_t since, enabled, counted;
	uint32_t sequence, num, i;

	do {
		pmc_order(PMC_ORDER_PLAIN);
		sequence = page->sequence;
		if (sequence & PMC_PAGE_UNAVAILABLE)
			return pmc_context_read(owner_of(page)->context, snapshot);
		pmc_order(PMC_ORDER_PLAIN);
		num = page->nr_counters;
		since = page->since;
		enabled = page->time_enabled;
		counted = page->time_counted;
		for (i = 0; i < num; i++)
			snapshot->value[i] = pmc_rdpmc(page->counter[i].rdpmc) +
					     page->counter[i].offset;
		snapshot->tsc = pmc_rdtsc();
		pmc_order(PMC_ORDER_PLAIN);
	} while (page->sequence != sequence);
	memset(&snapshot->value[num], 0, (PMC_COUNTERS_MAX - num) * sizeof(snapshot->value[0]));
	memset(snapshot->reserved2, 0, sizeof(snapshot->reserved2));
	snapshot->reserved = 0;
	snapshot->overflows = 0;
	snapshot->time_enabled = enabled + snapshot->tsc - since;
	snapshot->time_counted = counted + snapshot->tsc - since;
	snapshot->cpu = -1;
	snapshot->state = PMC_STATE_RUNNING;
	snapshot->num_values = num;
	return 0;
}

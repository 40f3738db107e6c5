// SPDX-License-Identifier: LGPL-2.1-or-later
/* libpmcdrv-read.h: the path by ioctl of its inline functions, and pmc_read_snapshot() */
#include <string.h>

#include "common.h"
#include "context.h"
#include "libpmcdrv-read.h"

PMC_API int pmc_page_read(const struct pmc_page *page, uint64_t *values, uint32_t num,
			  uint64_t *tsc)
{
	struct pmc_snapshot snapshot;

	if (pmc_context_read(pmc_page_owner(page)->context, &snapshot))
		return -1;
	memcpy(values, snapshot.value, num * sizeof(values[0]));
	if (tsc)
		*tsc = snapshot.tsc;
	return 0;
}

PMC_API uint64_t pmc_page_read_one(const struct pmc_page *page, uint32_t index)
{
	struct pmc_snapshot snapshot;

	if (pmc_context_read(pmc_page_owner(page)->context, &snapshot))
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
			return pmc_context_read(pmc_page_owner(page)->context, snapshot);
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

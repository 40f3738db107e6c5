// SPDX-License-Identifier: GPL-2.0-only
/*
 * User pages: a run's counters for reading in user mode
 *
 * Owns struct pmc_user_page and the pages that user space maps. A page is valid while
 * its run counts: the run's start shows it, its stop hides it.
 *
 * No lock: runs on the CPU where the run counts, with interrupts off, or where nothing
 * else can touch the run. The only reader is the counted thread, in user mode.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/list.h>

#include "pmu/family.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "pmu/user_page.h"

/**
 * pmc_run_hide - user space must not use RDPMC for this run from now on
 * @run:	with a user_page; may be touched here
 */
void pmc_run_hide(struct pmc_run *run)
{
	struct pmc_page *page = run->user_page->page;

	WRITE_ONCE(page->sequence, (page->sequence + 2) | PMC_PAGE_UNAVAILABLE);
}

static noinline void pmc_run_show_counters(struct pmc_run *run)
{
	struct pmc_user_page *user_page = run->user_page;
	u32 i;

	for (i = 0; i < run->program->nr; i++) {
		user_page->page->counter[i].rdpmc = run->count[i].rdpmc;
		user_page->page->counter[i].width = fls64(run->count[i].mask);
		user_page->page->counter[i].offset = user_page->base[i] + run->count[i].value -
						  run->count[i].raw;
	}
	user_page->stale = false;
}

/* Set: no page may be shown, because it is not known whether RDPMC is permitted. */
bool pmc_user_pages_disabled;

/**
 * pmc_pmu_hide_user_pages - hide the pages of all runs that count here
 * @pmu:	this CPU's counters; interrupts are off
 */
void pmc_pmu_hide_user_pages(struct pmc_pmu *pmu)
{
	struct pmc_run *run;

	hlist_for_each_entry(run, &pmu->thread_runs, node) {
		if (run->user_page)
			pmc_run_hide(run);
	}
}

/**
 * pmc_run_show - make the user page valid, if user space may read the run's counters
 * @run:	with a user_page, counting here from now on; interrupts are off
 *
 * The only reader is the thread that this run counts. It is not in user mode now, so the
 * writes need no order among themselves; but the sequence has to change. The offsets of the
 * counters stay valid as long as no counter is written.
 */
void pmc_run_show(struct pmc_run *run)
{
	const struct pmc_user_page *user_page = run->user_page;
	struct pmc_page *page = user_page->page;

	/* pairs with the WRITE_ONCE()s in rdpmc.c and perf_rdpmc.c */
	if (!user_page->open || READ_ONCE(pmc_user_pages_disabled)) {
		/* another CPU disabled the pages, and the counters may have been written */
		if (!(page->sequence & PMC_PAGE_UNAVAILABLE))
			pmc_run_hide(run);
		return;
	}
	if (unlikely(user_page->stale))
		pmc_run_show_counters(run);
	page->time_counted = run->counted;
	page->time_enabled = run->since + READ_ONCE(*user_page->clock);
	page->since = run->since;
	WRITE_ONCE(page->sequence, (page->sequence + 2) & ~PMC_PAGE_UNAVAILABLE);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Folding: what the counters have counted is added to the 64-bit counts of a run
 */
#ifndef PMC_FOLD_H
#define PMC_FOLD_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/tsc.h>

#include "pmu/family.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"

u64 pmc_run_add_called(struct pmc_run *run);
void pmc_run_rewind(struct pmc_pmu *pmu, struct pmc_run *run);

/* The raw value of the counter of entry @i. Inline: a context switch reads all of a run's. */
static __always_inline u64 pmc_run_read_raw(const struct pmc_run *run, u32 i)
{
	const struct pmc_program *program = run->program;

	if (program->family->read_one)
		return program->family->read_one(&program->setup[i]);
	return pmc_rdpmc(run->count[i].rdpmc);
}

/* Modulo the width of the counter: correct across one wrap. */
static __always_inline u64 pmc_counted_since(const struct pmc_count *count, u64 raw)
{
	return (raw - count->raw) & count->mask;
}

static __always_inline void pmc_count_add(struct pmc_count *count, u64 raw)
{
	count->value += pmc_counted_since(count, raw);
	count->raw = raw;
}

/*
 * Add what the counters of a run that counts here have counted since the last call. Returns
 * the bits that are set in any of the counters.
 */
static __always_inline u64 pmc_run_add_counts(struct pmc_run *run)
{
	const struct pmc_program *program = run->program;
	const struct pmc_count *end = run->count + program->nr;
	struct pmc_count *count;
	u64 bits = 0;

	if (unlikely(program->family->read_one))
		return pmc_run_add_called(run);
	for (count = run->count; count < end; count++) {
		u64 raw = pmc_rdpmc(count->rdpmc);

		pmc_count_add(count, raw);
		bits |= raw;
	}
	return bits;
}

/* The same, and add the time until @now. */
static __always_inline u64 pmc_run_add(struct pmc_run *run, u64 now)
{
	run->counted += now - run->since;
	run->since = now;
	return pmc_run_add_counts(run);
}

/* Returns true if a counter was written: the user page has to be shown again. */
static __always_inline bool pmc_run_fold(struct pmc_pmu *pmu, struct pmc_run *run)
{
	u64 bits = pmc_run_add(run, rdtsc());

	if (likely(!run->user_page) || !(bits & run->user_page->high))
		return false;
	pmc_run_rewind(pmu, run);
	return true;
}

#endif /* PMC_FOLD_H */

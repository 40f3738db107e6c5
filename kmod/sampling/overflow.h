/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Overflow: counters with a period, their interrupt and their samples
 */
#ifndef PMC_OVERFLOW_H
#define PMC_OVERFLOW_H

#include "sampling/overflow_types.h"
#include "sampling/sampler_types.h"

struct pmc_pmu;
struct pmc_program;
struct pmc_run;

/* Passes over counters in one go: each makes progress or is the last. */
#define PMC_PASSES_MAX		16

s32 pmc_program_find_only(const struct pmc_program *program);
struct pmc_sampler *pmc_sampler_alloc(struct pmc_run *run, gfp_t gfp);
void pmc_sampler_start(struct pmc_pmu *pmu, struct pmc_sampler *sampler);
void pmc_sampler_stop(struct pmc_pmu *pmu, struct pmc_sampler *sampler);
void pmc_sampler_settle_late(struct pmc_pmu *pmu, struct pmc_sampler *sampler);
void pmc_sampler_clear(struct pmc_sampler *sampler);
void pmc_sampler_exec(struct pmc_pmu *pmu, struct pmc_sampler *sampler);
bool pmc_sampler_overflowed(const struct pmc_sampler *sampler);

/* The NMI is to leave the run alone, or may have it again. Interrupts are off. */
static inline void pmc_sampler_lock(struct pmc_sampler *sampler)
{
	WRITE_ONCE(sampler->locked, true);
	barrier(); /* an NMI on this CPU sees all in order */
}

static inline void pmc_sampler_unlock(struct pmc_sampler *sampler)
{
	barrier(); /* likewise */
	WRITE_ONCE(sampler->locked, false);
}

void pmc_overflow_init(struct pmc_overflow *overflow);
void pmc_overflow_exit(void);
int pmc_overflow_get(void);
void pmc_overflow_put(void);
void pmc_overflow_arm(struct pmc_pmu *pmu);
void pmc_overflow_disarm(struct pmc_pmu *pmu);
void pmc_overflow_charge_local(u64 since);
bool pmc_overflow_is_of(const struct pmc_overflow *overflow, u64 status);
u64 pmc_overflow_spurious(void);

#endif /* PMC_OVERFLOW_H */

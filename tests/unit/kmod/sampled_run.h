/* SPDX-License-Identifier: GPL-2.0-only */
/* A sampled run and the ring of its CPU; each program of tests has one object that includes it */
#ifndef TEST_SAMPLED_RUN_H
#define TEST_SAMPLED_RUN_H

#include "sampling.h"

#include "pmu/run_types.h"
#include "sampling/ring.h"
#include "sampling/sample_config.h"
#include "sampling/sampler_types.h"

static struct pmc_program *program;
static struct pmc_run *run;
static struct pmc_sampler *sampler;
static struct pmc_sample_config sampling;
static struct pmc_cpu_ring ring;
/* The page that a reader maps; the records follow it */
static struct pmc_ring *shared;

/* A run of @nr counters, which are all 0 */
static inline void alloc_sampled_run(u32 nr)
{
	program = test_calloc(1, sizeof(*program) + nr * sizeof(*program->setup));
	run = test_calloc(1, sizeof(*run) + nr * sizeof(*run->count));
	sampler = test_calloc(1, sizeof(*sampler) + nr * sizeof(*sampler->due));
	shared = test_calloc(2, 4096);
	ring = (struct pmc_cpu_ring){ .shared = shared, .data = (char *)shared + 4096,
		.mask = 4095, .watermark = 4096 };
	program->nr = nr;
	run->program = program;
	*sampler = (struct pmc_sampler){ .run = run, .ring = &ring, .sampling = &sampling };
}

static inline int free_sampled_run(void **state)
{
	test_free(shared);
	test_free(sampler);
	test_free(run);
	test_free(program);
	return 0;
}

#endif /* TEST_SAMPLED_RUN_H */

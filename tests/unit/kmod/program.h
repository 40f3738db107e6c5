/* SPDX-License-Identifier: GPL-2.0-only */
/* The program of a test; each program of tests has one object that includes it */
#ifndef TEST_PROGRAM_H
#define TEST_PROGRAM_H

#include "unit.h"

#include "pmu/pmu.h"

static struct pmc_program *program;

/* Return: an empty program with room for @nr counters */
static inline struct pmc_program *alloc_program(u32 nr)
{
	return test_calloc(1, sizeof(struct pmc_program) + nr * sizeof(struct pmc_counter_setup));
}

static inline int free_program(void **state)
{
	test_free(program);
	return 0;
}

#endif /* TEST_PROGRAM_H */

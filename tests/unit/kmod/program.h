/* SPDX-License-Identifier: GPL-2.0-only */
/* The program of a test; each program of tests has one object that includes it */
#ifndef TEST_PROGRAM_H
#define TEST_PROGRAM_H

#include "unit.h"

#include "pmu/pmu.h"

static struct pmc_program *program;

/* Set program to an empty one with room for @nr counters. */
static inline void alloc_program(u32 nr)
{
	program = test_calloc(1, sizeof(*program) + nr * sizeof(program->setup[0]));
}

static inline int free_program(void **state)
{
	test_free(program);
	return 0;
}

#endif /* TEST_PROGRAM_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Building the programs of a context
 */
#ifndef PMC_PROGRAM_H
#define PMC_PROGRAM_H

struct pmc_config;
struct pmc_context;
struct pmc_counter_config;

int pmc_programs_build(struct pmc_context *context, struct pmc_config *config,
		       const struct pmc_counter_config *counters);

#endif /* PMC_PROGRAM_H */

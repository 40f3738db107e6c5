// SPDX-License-Identifier: GPL-2.0-only
/*
 * Building the programs of a context
 *
 * A program is a context's counters as register values of one PMU type. A context has one program
 * for each PMU type that may count it and is online when it is configured, in a ring.
 *
 * Owns the numbers of programs, an atomic counter. No lock of its own. Context: task context
 * with cpus_read_lock() held.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/slab.h>

#include "api/check.h"
#include "api/program.h"
#include "pmu/pmu.h"
#include "target/context.h"

static atomic64_t pmc_programs = ATOMIC64_INIT(0); /* number of the last context's programs */

/* Build the program for one PMU type. It is linked to itself, as a ring of one program. */
static struct pmc_program *pmc_program_build(struct pmc_config *config,
					     const struct pmc_counter_config *counters,
					     const struct pmc_description *description)
{
	struct pmc_program *program;
	int err;
	u32 i;

	program = kzalloc(struct_size(program, setup, config->nr_counters), GFP_KERNEL_ACCOUNT);
	if (!program)
		return ERR_PTR(-ENOMEM);
	program->family = description->family;
	program->pmu_type = description->pmu_type;
	program->next = program;
	for (i = 0; i < config->nr_counters; i++) {
		err = program->family->compile(&description->query, &counters[i], program);
		if (err) {
			config->failed_entry = i;
			kfree(program);
			return ERR_PTR(err);
		}
		program->setup[i].number = i;
	}
	program->plain = !program->family->read_one && !program->family->verify_reads &&
			 !program->metrics;
	return program;
}

/* Add a program to the context's ring, after context->program, which remains the first one. */
static void pmc_program_add(struct pmc_context *context, struct pmc_program *program)
{
	struct pmc_program *first = context->program;

	if (!first) {
		context->program = program;
		return;
	}
	program->next = first->next;
	first->next = program;
}

/**
 * pmc_programs_build - build a program for each PMU type that may count a context
 * @context:	receives the ring of programs; after an error it may have some of them,
 *		which pmc_context_put() frees
 * @config:	valid request; receives failed_entry and failed_cpu
 * @counters:	its counters
 *
 * Return: 0, -ENOMEM, or the error of &pmc_family.compile.
 */
int pmc_programs_build(struct pmc_context *context, struct pmc_config *config,
		       const struct pmc_counter_config *counters)
{
	u64 number = atomic64_inc_return(&pmc_programs);
	struct pmc_program *program;
	u32 pmu_types = 0;
	int cpu;

	for_each_online_cpu(cpu) {
		const struct pmc_description *description = &per_cpu(pmc_pmus, cpu).description;

		if (!pmc_config_includes_cpu(config, cpu) ||
		    pmu_types & BIT(description->pmu_type))
			continue;
		program = pmc_program_build(config, counters, description);
		if (IS_ERR(program)) {
			config->failed_cpu = config->failed_entry == PMC_ENTRY_NONE ? -1 : cpu;
			return PTR_ERR(program);
		}
		program->number = number;
		pmu_types |= BIT(description->pmu_type);
		pmc_program_add(context, program);
	}
	program = context->program;
	do {
		program->pmu_types = pmu_types;
		program = program->next;
	} while (program != context->program);
	return 0;
}

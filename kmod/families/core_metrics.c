// SPDX-License-Identifier: GPL-2.0-only
/*
 * Family core: the performance metrics
 *
 * MSR_PERF_METRICS (329H): SDM Volume 3B, "Performance Metrics" of Ice Lake and later;
 * Volume 4; Linux's arch/x86/events/intel/core.c, icl_update_topdown_event(). It has
 * fractions of what fixed counter 3 has counted, and counts with that one if bit 48 of
 * IA32_PERF_GLOBAL_CTRL is set, too. When both are written, fixed counter 3 comes first.
 *
 * Owns the copy of that register in struct pmc_pmu. No lock: runs on the CPU concerned
 * with interrupts off. What a context does with it is perf_metrics.c's.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "pmu/pmu.h"
#include "families/core.h"

#define MSR_METRICS	0x329

#define SLOTS			BIT_ULL(PMC_COUNTER_SLOTS & ~PMC_COUNTER_FIXED_FLAG)

/*
 * Fields of level 2 came with Golden Cove, and no CPUID tells of them: before were Ice Lake,
 * Tiger Lake and Rocket Lake (Linux's intel_pmu_init(): num_topdown_events).
 */
static u32 core_metrics_width(const struct pmc_query *query)
{
	static const u8 models[] = { 0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7 };

	return query->cpu_family == 6 && memchr(models, query->cpu_model, sizeof(models)) ?
	       32 : 64;
}

static bool core_metrics_exist(const struct pmc_query *query)
{
	return query->features & PMC_FEATURE(METRICS);
}

/**
 * core_metrics_find - the register is there, or the feature is not
 * @query:	described; a hypervisor may not mean what CPUID and IA32_PERF_CAPABILITIES say
 */
void core_metrics_find(struct pmc_query *query)
{
	u64 value;

	if (core_metrics_exist(query) &&
	    (!(query->fixed_counters & SLOTS) || pmc_rdmsr_safe(MSR_METRICS, &value)))
		query->features &= ~PMC_FEATURE(METRICS);
}

/**
 * core_metrics_describe - what describe_counter says of PMC_COUNTER_METRICS
 * @query:	the CPU
 * @answer:	zeroed
 *
 * Return: 0, -ENXIO.
 */
int core_metrics_describe(const struct pmc_query *query, struct pmc_counter *answer)
{
	if (!core_metrics_exist(query))
		return -ENXIO;
	answer->rdpmc = PMC_COUNTER_METRICS;
	answer->width = core_metrics_width(query);
	answer->write_width = answer->width;
	answer->counter_msr = MSR_METRICS;
	return 0;
}

/**
 * core_metrics_compile - add PMC_COUNTER_METRICS to a program
 * @query:	the CPU
 * @config:	checked
 * @program:	gets one more setup
 *
 * Its mask is no width: what is read is the value, whatever was read before.
 */
void core_metrics_compile(const struct pmc_query *query,
			  const struct pmc_counter_config *config,
			  struct pmc_program *program)
{
	struct pmc_counter_setup *setup = &program->setup[program->nr];

	setup->rdpmc = PMC_COUNTER_METRICS;
	setup->write_msr = MSR_METRICS;
	setup->write_mask = GENMASK_ULL(core_metrics_width(query) - 1, 0);
	setup->mask = U64_MAX;
	setup->user = config->flags & PMC_COUNT_USER;
	setup->kernel = config->flags & PMC_COUNT_KERNEL;
	program->metrics = true;
	program->metrics_at = program->nr++;
	program->enable |= GLOBAL_METRICS;
}

/**
 * core_metrics_running - the performance metrics are somebody's with their counter
 * @pmu:	this CPU's counters
 * @running:	those that run
 */
u64 core_metrics_running(const struct pmc_pmu *pmu, u64 running)
{
	if (core_metrics_exist(&pmu->description.query) && running & GLOBAL_SLOTS)
		running |= pmu->saved.global_ctrl & GLOBAL_METRICS;
	return running;
}

/**
 * core_metrics_save - remember what was found
 * @pmu:	this CPU's counters
 */
void core_metrics_save(struct pmc_pmu *pmu)
{
	if (core_metrics_exist(&pmu->description.query))
		pmc_rdmsr(MSR_METRICS, pmu->saved.metrics);
}

/**
 * core_metrics_touched - their bit in the global status, if they may have counted
 * @pmu:	this CPU's counters
 */
u64 core_metrics_touched(const struct pmc_pmu *pmu)
{
	return core_metrics_exist(&pmu->description.query) && pmu->touched_fixed & SLOTS ?
	       GLOBAL_METRICS : 0;
}

/**
 * core_metrics_restore - undo what was done to them, or to their counter
 * @pmu:	this CPU's counters; stopped, the fixed ones are restored
 */
void core_metrics_restore(const struct pmc_pmu *pmu)
{
	if (core_metrics_touched(pmu))
		pmc_wrmsr(MSR_METRICS, pmu->saved.metrics);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Family core: the performance metrics
 *
 * The fields of MSR_PERF_METRICS (329H) are fractions of the count of fixed counter 3. The
 * register counts together with that counter if bit 48 of IA32_PERF_GLOBAL_CTRL is set as
 * well. Fixed counter 3 is written before it. Sources: SDM Volume 3B, "Performance Metrics" of
 * Ice Lake and later; Volume 4; Linux's arch/x86/events/intel/core.c,
 * icl_update_topdown_event().
 *
 * Owns the copy of that register in struct pmc_pmu. No lock. Functions with @pmu run on that CPU
 * with interrupts off, core_metrics_find() on the CPU that it describes, the others anywhere.
 * pmu/perf_metrics.c turns its values into counts of a context.
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
 * Golden Cove added the fields of level 2. CPUID does not report them. The earlier
 * processors are Ice Lake, Tiger Lake and Rocket Lake (Linux's intel_pmu_init():
 * num_topdown_events).
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
 * core_metrics_find - clear the feature if the register or fixed counter 3 does not exist
 * @query:	described; a hypervisor may report the feature in CPUID and
 *		IA32_PERF_CAPABILITIES without having the register
 */
void core_metrics_find(struct pmc_query *query)
{
	u64 value;

	if (core_metrics_exist(query) &&
	    (!(query->fixed_counters & SLOTS) || pmc_rdmsr_safe(MSR_METRICS, &value)))
		query->features &= ~PMC_FEATURE(METRICS);
}

/**
 * core_metrics_describe - describe PMC_COUNTER_METRICS, for describe_counter
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
 * Its mask has all bits: a count to which the difference of two reads is added becomes the value of
 * the register.
 */
void core_metrics_compile(const struct pmc_query *query,
			  const struct pmc_counter_config *config,
			  struct pmc_program *program)
{
	struct pmc_counter_setup *setup = &program->setup[program->nr];

	setup->rdpmc = PMC_COUNTER_METRICS;
	setup->write_msr = MSR_METRICS;
	setup->counter_msr = MSR_METRICS;
	setup->write_mask = GENMASK_ULL(core_metrics_width(query) - 1, 0);
	setup->mask = U64_MAX;
	setup->user = config->flags & PMC_COUNT_USER;
	setup->kernel = config->flags & PMC_COUNT_KERNEL;
	program->metrics = true;
	program->metrics_at = program->nr++;
	program->enable |= GLOBAL_METRICS;
}

/**
 * core_metrics_running - add the performance metrics to the running counters
 * @pmu:	this CPU's counters
 * @running:	mask of the counters that run
 *
 * Return: @running, with the metrics if they run together with fixed counter 3.
 */
u64 core_metrics_running(const struct pmc_pmu *pmu, u64 running)
{
	if (core_metrics_exist(&pmu->description.query) && running & GLOBAL_SLOTS)
		running |= pmu->saved.global_ctrl & GLOBAL_METRICS;
	return running;
}

/**
 * core_metrics_save - save the register
 * @pmu:	this CPU's counters
 */
void core_metrics_save(struct pmc_pmu *pmu)
{
	if (core_metrics_exist(&pmu->description.query))
		pmc_rdmsr(MSR_METRICS, pmu->saved.metrics);
}

/**
 * core_metrics_touched - bit of the metrics in the global status
 * @pmu:	this CPU's counters
 *
 * Return: the bit if the driver may have written the register or its counter, else 0.
 */
u64 core_metrics_touched(const struct pmc_pmu *pmu)
{
	return core_metrics_exist(&pmu->description.query) && pmu->touched_fixed & SLOTS ?
	       GLOBAL_METRICS : 0;
}

/**
 * core_metrics_clear - set the register to 0 after its counter
 * @pmu:	this CPU's counters
 * @fixed:	mask of the fixed counters that are stopped and 0
 *
 * Return: true if it had another value.
 */
bool core_metrics_clear(const struct pmc_pmu *pmu, u64 fixed)
{
	if (!(fixed & SLOTS) || !core_metrics_touched(pmu) || !pmc_rdpmc(PMC_COUNTER_METRICS))
		return false;
	pmc_wrmsr(MSR_METRICS, 0);
	return true;
}

/**
 * core_metrics_restore - restore the register, if the driver may have changed it
 * @pmu:	this CPU's counters; stopped, the fixed ones are restored already
 */
void core_metrics_restore(const struct pmc_pmu *pmu)
{
	if (core_metrics_touched(pmu))
		pmc_wrmsr(MSR_METRICS, pmu->saved.metrics);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The performance metrics of a run
 *
 * PMC_COUNTER_METRICS is a register that has fractions of what PMC_COUNTER_SLOTS has
 * counted. So of a run that has both the hardware's slots are what the run itself has
 * counted since both were 0: they are loaded when it comes to a CPU where another run was
 * last, and left alone while it is the only one. And so they must not wrap: long before,
 * both begin at 0 again, and the fractions are told to be unknown.
 *
 * &struct pmc_count of the metrics has the register as it was read last both for the raw
 * value and for the count, and a mask of all bits: adding what has come since then makes
 * it what is read. While they are unknown the mask is 0, and the count stays.
 *
 * Owns these two entries of struct pmc_run. Only programs with metrics come here. No
 * lock: as pmu.c.
 */
#include <linux/errno.h>

#include "metrics.h"

static struct pmc_count *pmc_metrics_count(struct pmc_run *run)
{
	return &run->count[run->program->metrics_at];
}

static struct pmc_count *pmc_metrics_slots(struct pmc_run *run)
{
	return &run->count[run->program->slots_at];
}

/* The slots first: the fractions are of these. */
static void pmc_metrics_write(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;
	bool lost = pmc_metrics_are_lost(run);

	program->family->write(pmu, &program->entry[program->slots_at],
			       pmc_metrics_slots(run)->raw);
	program->family->write(pmu, &program->entry[program->metrics_at],
			       lost ? 0 : pmc_metrics_count(run)->value);
}

/* In half of the counter's width: whoever looks must come again before it wraps. */
static bool pmc_metrics_too_many(u64 mask, u64 raw)
{
	return raw > mask >> 1;
}

/* The fractions are unknown from now on. Nothing that the run counts goes on. */
static void pmc_metrics_lose(struct pmc_pmu *pmu, struct pmc_run *run)
{
	struct pmc_count *metrics = pmc_metrics_count(run);

	metrics->value = PMC_METRICS_UNKNOWN;
	metrics->mask = 0;
	pmc_metrics_slots(run)->raw = 0;
	pmc_metrics_write(pmu, run);
	if (!run->window)
		return;
	/* in user mode nobody would be told */
	run->window->open = false;
	pmc_run_hide(run);
}

/**
 * pmc_metrics_rewind - keep one of them from wrapping, as pmc_run_rewind() does
 * @pmu:	this CPU's counters
 * @run:	with a window, up to date
 * @i:		a counter that has a bit which it is not to have
 *
 * Return: whether that was one of these two.
 */
bool pmc_metrics_rewind(struct pmc_pmu *pmu, struct pmc_run *run, u32 i)
{
	const struct pmc_program *program = run->program;

	if (!program->metrics)
		return false;
	if (i == program->slots_at)
		pmc_metrics_lose(pmu, run);
	return i == program->slots_at || i == program->metrics_at;
}

/**
 * pmc_metrics_watch - lose the fractions before the slots wrap
 * @pmu:	this CPU's counters
 * @run:	up to date, and nothing that it counts goes on
 */
void pmc_metrics_watch(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_count *slots = pmc_metrics_slots(run);

	if (pmc_metrics_too_many(slots->mask, slots->raw))
		pmc_metrics_lose(pmu, run);
}

/**
 * pmc_metrics_watch_last - the same of a run that was here last and may come back
 * @pmu:	this CPU's counters
 *
 * It may not exist any more, but its slots are in the hardware. If it comes back it is to
 * come by pmc_metrics_load().
 */
void pmc_metrics_watch_last(struct pmc_pmu *pmu)
{
	const struct pmc_query *query = &pmu->description.query;

	if (query->features & PMC_FEATURE(METRICS) &&
	    pmc_metrics_too_many(GENMASK_ULL(query->fixed_width - 1, 0),
				 pmc_rdpmc(PMC_COUNTER_SLOTS)))
		pmu->last = NULL;
}

/**
 * pmc_metrics_load - make slots and metrics a run's, when it is about to start
 * @pmu:	this CPU's counters; its program is loaded
 * @run:	does not count
 */
void pmc_metrics_load(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_count *slots = pmc_metrics_slots(run);

	if (pmc_metrics_too_many(slots->mask, slots->raw))
		pmc_metrics_lose(pmu, run);
	else
		pmc_metrics_write(pmu, run);
}

/**
 * pmc_metrics_loaded - their value goes on from what was loaded, however it reads now
 * @run:	likewise
 */
void pmc_metrics_loaded(struct pmc_run *run)
{
	struct pmc_count *metrics = pmc_metrics_count(run);

	metrics->raw = metrics->value;
	metrics->mask = pmc_metrics_are_lost(run) ? 0 : U64_MAX;
}

/**
 * pmc_metrics_clear - the run's counts are 0 now, and so are these registers to be
 * @pmu:	the counters of this CPU, where the run counts; NULL if it counts nowhere
 * @run:	without a sampler
 *
 * What it has counted since it was brought up to date is forgotten, so that all of its
 * counts begin at one moment.
 */
void pmc_metrics_clear(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;
	u32 i;

	if (pmu) {
		pmc_pmu_disable(pmu, program);
		for (i = 0; i < program->nr; i++)
			run->count[i].raw = pmc_rdpmc(run->count[i].rdpmc);
	}
	pmc_metrics_slots(run)->raw = 0;
	pmc_metrics_count(run)->raw = 0;
	pmc_metrics_count(run)->mask = U64_MAX;
	if (!pmu) {
		run->last = NULL;
		return;
	}
	pmc_metrics_write(pmu, run);
	if (run->window) {
		run->window->stale = true;
		pmc_run_show(run);
	}
	pmc_pmu_enable(pmu, program);
}

/* What is refused of one of the two entries */
static int pmc_metrics_check_entry(const struct pmc_counter_config *entry, u64 *refused)
{
	*refused = entry->event_select;
	return entry->event_select || entry->initial ? -EINVAL : 0;
}

static int pmc_metrics_check_pair(struct pmc_config *config,
				  const struct pmc_counter_config *counters,
				  const struct pmc_counter_config *metrics)
{
	const struct pmc_counter_config *slots = counters;
	u32 i;

	while (slots < counters + config->nr_counters && slots->counter != PMC_COUNTER_SLOTS)
		slots++;
	if (slots == counters + config->nr_counters || slots->flags != metrics->flags ||
	    pmc_metrics_check_entry(metrics, &config->refused_bits))
		return -EINVAL;
	config->failed_entry = slots - counters;
	if (pmc_metrics_check_entry(slots, &config->refused_bits))
		return -EINVAL;
	for (i = 0; i < config->nr_counters; i++) {
		config->failed_entry = i;
		if (counters[i].period)
			return -EOPNOTSUPP;
	}
	return 0;
}

/**
 * pmc_metrics_check - do the entries go together with the performance metrics?
 * @config:	its out fields tell which does not
 * @counters:	each allowed by itself
 *
 * Return: 0, also without metrics; -EINVAL, -EOPNOTSUPP.
 */
int pmc_metrics_check(struct pmc_config *config, const struct pmc_counter_config *counters)
{
	u32 i = 0;
	int err;

	while (i < config->nr_counters && counters[i].counter != PMC_COUNTER_METRICS)
		i++;
	if (i == config->nr_counters)
		return 0;
	config->failed_entry = i;
	if (config->scope != PMC_SCOPE_THREAD && config->scope != PMC_SCOPE_CPU)
		return -EOPNOTSUPP;
	err = pmc_metrics_check_pair(config, counters, &counters[i]);
	if (!err)
		config->failed_entry = PMC_ENTRY_NONE;
	return err;
}

/**
 * pmc_metrics_take_values - may a context's counts be set to these?
 * @program:	what it counts
 * @values:	one for each counter
 */
bool pmc_metrics_take_values(const struct pmc_program *program, const u64 *values)
{
	return !program->metrics ||
	       !(values[program->slots_at] | values[program->metrics_at]);
}

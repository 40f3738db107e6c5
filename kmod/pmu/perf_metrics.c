// SPDX-License-Identifier: GPL-2.0-only
/*
 * Performance metrics: PMC_COUNTER_METRICS and PMC_COUNTER_SLOTS of a run
 *
 * The metrics register holds fractions of the slots that PMC_COUNTER_SLOTS has counted. The
 * hardware can be loaded with fractions and continues from them; but they are truncated, and
 * after many loads they would be out of date. So both registers begin at 0 whenever the run
 * starts after another run on this CPU, or comes from another CPU, and long before the slots
 * wrap. What is counted from one such point to the next is an interval. Of each interval that
 * has ended, each field's slots are kept. A read computes the fractions of all intervals
 * together: the mean of the intervals' fractions, weighted by their slots.
 *
 * In the first interval, &struct pmc_count of the metrics has the last value of the register
 * both as raw value and as count, and a mask of all bits: adding the difference results in the
 * value that is read, in user mode, too. From the second on the mask is 0, and
 * pmc_perf_metrics_settle() computes the count.
 *
 * Owns the &struct pmc_count of both counters and struct pmc_perf_metrics_intervals. Called only
 * for programs with metrics, unless stated. No lock: runs on the CPU where the run counts, with
 * interrupts off, or where nothing else can touch the run.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "pmu/family.h"
#include "pmu/perf_metrics.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "pmu/user_page.h"

#define FIELD_BITS	8
/* Most slots of an interval: 255 times as many fit into 64 bits */
#define INTERVAL_SLOTS_MAX	GENMASK_ULL(46, 0)

/**
 * struct pmc_share - a field's slots in some intervals
 * @slots:	whole slots
 * @rest:	255ths of a slot, which would otherwise be lost in each interval
 */
struct pmc_share {
	u64 slots;
	u32 rest;
};

/**
 * struct pmc_perf_metrics_intervals - the intervals of a run that have ended
 * @share:	each field's slots
 * @any:	an interval has ended
 */
struct pmc_perf_metrics_intervals {
	struct pmc_share share[PMC_METRICS_FIELDS_MAX];
	bool any;
};

static struct pmc_count *pmc_perf_metrics_count(struct pmc_run *run)
{
	return &run->count[run->program->metrics_at];
}

static struct pmc_count *pmc_perf_metrics_slots(struct pmc_run *run)
{
	return &run->count[run->program->slots_at];
}

/**
 * pmc_perf_metrics_init - allocate the intervals of a run
 * @run:	has counted nothing yet
 * @gfp:	allocation flags
 *
 * Return: 0, -ENOMEM.
 */
int pmc_perf_metrics_init(struct pmc_run *run, gfp_t gfp)
{
	run->intervals = kzalloc(sizeof(*run->intervals), gfp);
	return run->intervals ? 0 : -ENOMEM;
}

/**
 * pmc_perf_metrics_has_intervals - has an interval of the run ended?
 * @run:	any; without metrics the answer is no
 *
 * If so, the register holds the fractions of the current interval only, and user mode must not
 * read it.
 *
 * Return: true if so.
 */
bool pmc_perf_metrics_has_intervals(const struct pmc_run *run)
{
	return run->program->metrics && run->intervals->any;
}

/* Slots of field @i in the intervals that have ended and in the current one */
static struct pmc_share pmc_perf_metrics_share(struct pmc_run *run, u32 i)
{
	u64 field = pmc_perf_metrics_count(run)->raw >> FIELD_BITS * i & PMC_METRICS_WHOLE;
	struct pmc_share share = run->intervals->share[i];

	share.slots += div_u64_rem(field * pmc_perf_metrics_slots(run)->raw + share.rest,
				   PMC_METRICS_WHOLE, &share.rest);
	return share;
}

/*
 * A share in 255ths of @slots, truncated: the fractions never add up to more than the whole.
 * Above 2^56 slots, which takes months, the lowest bits are dropped, so that 255 times a
 * share fits.
 */
static u64 pmc_perf_metrics_fraction(struct pmc_share share, u64 slots)
{
	while (slots > U64_MAX / (PMC_METRICS_WHOLE + 1)) {
		share.slots >>= 1;
		slots >>= 1;
	}
	if (share.slots >= slots)
		return PMC_METRICS_WHOLE;
	return div64_u64(share.slots * PMC_METRICS_WHOLE + share.rest, slots);
}

/* End the current interval. The caller writes the registers. */
static void pmc_perf_metrics_end_interval(struct pmc_run *run)
{
	u32 i;

	if (!pmc_perf_metrics_slots(run)->raw) {
		/* fractions of no slots */
		pmc_perf_metrics_count(run)->value = 0;
		pmc_perf_metrics_count(run)->raw = 0;
		return;
	}
	for (i = 0; i < PMC_METRICS_FIELDS_MAX; i++)
		run->intervals->share[i] = pmc_perf_metrics_share(run, i);
	run->intervals->any = true;
	pmc_perf_metrics_slots(run)->raw = 0;
	pmc_perf_metrics_count(run)->raw = 0;
	pmc_perf_metrics_count(run)->mask = 0;
	if (!run->user_page)
		return;
	/* user mode reads the current interval only */
	run->user_page->open = false;
	pmc_run_hide(run);
}

/* The slots are written first: the hardware computes the fractions from them. */
static void pmc_perf_metrics_begin_interval(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;

	pmc_perf_metrics_end_interval(run);
	program->family->write(pmu, &program->setup[program->slots_at], 0);
	program->family->write(pmu, &program->setup[program->metrics_at], 0);
}

/**
 * pmc_perf_metrics_settle - compute the count of the metrics from all intervals
 * @run:	up to date; on its own CPU with interrupts off, or counting nowhere
 *
 * The count of the slots was 0 when the first interval began.
 */
void pmc_perf_metrics_settle(struct pmc_run *run)
{
	struct pmc_count *metrics = pmc_perf_metrics_count(run);
	u64 slots = pmc_perf_metrics_slots(run)->value;
	u32 i;

	if (!run->intervals->any)
		return;
	metrics->value = 0;
	for (i = 0; i < PMC_METRICS_FIELDS_MAX; i++) {
		struct pmc_share share = pmc_perf_metrics_share(run, i);

		metrics->value |= pmc_perf_metrics_fraction(share, slots) << FIELD_BITS * i;
	}
}

/*
 * Beyond half of the counter's width: the next fold may be too late. For wider counters than
 * exist today, the limit is that of pmc_perf_metrics_share().
 */
static bool pmc_perf_metrics_near_wrap(u64 mask, u64 raw)
{
	return raw > min(mask >> 1, INTERVAL_SLOTS_MAX);
}

/**
 * pmc_perf_metrics_rewind - pmc_run_rewind() of slots or metrics: begin a new interval
 * @pmu:	this CPU's counters
 * @run:	with a user_page, up to date; with or without metrics
 * @i:		index of a counter that would wrap
 *
 * Return: whether it is one of these two counters.
 */
bool pmc_perf_metrics_rewind(struct pmc_pmu *pmu, struct pmc_run *run, u32 i)
{
	const struct pmc_program *program = run->program;

	if (!program->metrics)
		return false;
	if (i == program->slots_at)
		pmc_perf_metrics_begin_interval(pmu, run);
	return i == program->slots_at || i == program->metrics_at;
}

/**
 * pmc_perf_metrics_fold - begin a new interval before the slots wrap
 * @pmu:	this CPU's counters
 * @run:	up to date; its counters do not count
 */
void pmc_perf_metrics_fold(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_count *slots = pmc_perf_metrics_slots(run);

	if (pmc_perf_metrics_near_wrap(slots->mask, slots->raw))
		pmc_perf_metrics_begin_interval(pmu, run);
}

/**
 * pmc_perf_metrics_fold_last - the same for the run that counted here last
 * @pmu:	this CPU's counters, with or without metrics
 *
 * The run may have been freed, but its slots are in the hardware. If it starts again,
 * pmc_run_load() has to call pmc_perf_metrics_load().
 */
void pmc_perf_metrics_fold_last(struct pmc_pmu *pmu)
{
	const struct pmc_query *query = &pmu->description.query;

	if (query->features & PMC_FEATURE(METRICS) &&
	    pmc_perf_metrics_near_wrap(GENMASK_ULL(query->fixed_width - 1, 0),
				       pmc_rdpmc(PMC_COUNTER_SLOTS)))
		pmu->last = NULL;
}

/**
 * pmc_perf_metrics_load - begin an interval of a run that is about to start
 * @pmu:	this CPU's counters; its program is loaded
 * @run:	does not count
 */
void pmc_perf_metrics_load(struct pmc_pmu *pmu, struct pmc_run *run)
{
	pmc_perf_metrics_begin_interval(pmu, run);
	/* pmc_run_load() may have set the masks of another PMU type */
	if (run->intervals->any)
		pmc_perf_metrics_count(run)->mask = 0;
}

/**
 * pmc_perf_metrics_clear - set slots and metrics to 0, after the counts of a run
 * @pmu:	the counters of this CPU, where the run counts; NULL if it counts nowhere
 * @run:	without a sampler
 *
 * Events since the run was brought up to date are dropped, so that all counts begin at one
 * moment.
 */
void pmc_perf_metrics_clear(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;
	u32 i;

	if (pmu) {
		pmc_pmu_disable(pmu, program);
		for (i = 0; i < program->nr; i++)
			run->count[i].raw = pmc_rdpmc(run->count[i].rdpmc);
	}
	memset(run->intervals, 0, sizeof(*run->intervals));
	pmc_perf_metrics_slots(run)->raw = 0;
	pmc_perf_metrics_count(run)->raw = 0;
	pmc_perf_metrics_count(run)->mask = U64_MAX;
	if (!pmu) {
		run->last = NULL;
		return;
	}
	pmc_perf_metrics_begin_interval(pmu, run);
	if (run->user_page) {
		run->user_page->stale = true;
		pmc_run_show(run);
	}
	pmc_pmu_enable(pmu, program);
}

/* Check one of the two entries */
static int pmc_perf_metrics_check_entry(const struct pmc_counter_config *setup, u64 *refused)
{
	*refused = setup->event_select;
	return setup->event_select || setup->initial ? -EINVAL : 0;
}

static int pmc_perf_metrics_check_pair(struct pmc_config *config,
				       const struct pmc_counter_config *counters,
				       const struct pmc_counter_config *metrics)
{
	const struct pmc_counter_config *slots = counters;
	u32 i;

	while (slots < counters + config->nr_counters && slots->counter != PMC_COUNTER_SLOTS)
		slots++;
	if (slots == counters + config->nr_counters || slots->flags != metrics->flags ||
	    pmc_perf_metrics_check_entry(metrics, &config->refused_bits))
		return -EINVAL;
	config->failed_entry = slots - counters;
	if (pmc_perf_metrics_check_entry(slots, &config->refused_bits))
		return -EINVAL;
	for (i = 0; i < config->nr_counters; i++) {
		config->failed_entry = i;
		if (counters[i].period)
			return -EOPNOTSUPP;
	}
	return 0;
}

/**
 * pmc_perf_metrics_check - are the entries allowed together with performance metrics?
 * @config:	its out fields identify the entry that is not
 * @counters:	each allowed by itself
 *
 * Return: 0, also without metrics; -EINVAL, -EOPNOTSUPP.
 */
int pmc_perf_metrics_check(struct pmc_config *config, const struct pmc_counter_config *counters)
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
	err = pmc_perf_metrics_check_pair(config, counters, &counters[i]);
	if (!err)
		config->failed_entry = PMC_ENTRY_NONE;
	return err;
}

/**
 * pmc_perf_metrics_values_valid - may a context's counts be set to these values?
 * @program:	the context's, with or without metrics
 * @values:	one for each counter
 *
 * Return: true if so; without metrics always.
 */
bool pmc_perf_metrics_values_valid(const struct pmc_program *program, const u64 *values)
{
	return !program->metrics ||
	       !(values[program->slots_at] | values[program->metrics_at]);
}

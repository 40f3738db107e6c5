// SPDX-License-Identifier: GPL-2.0-only
/*
 * The performance metrics of a run
 *
 * PMC_COUNTER_METRICS is a register that has fractions of what PMC_COUNTER_SLOTS has
 * counted. The hardware could be loaded with fractions, and would go on from them; but
 * they are cut off, and after many loads they would be those of a while ago. So both begin
 * at 0 wherever a run begins to count: when it comes to a CPU where another run was last, or
 * from another CPU, and long before the slots wrap. What it counts until then is a part. Of
 * each part that is over the slots of each field are kept, and the fractions of all intervals are
 * made of those when somebody asks: each the mean of the intervals' fractions, weighed by their
 * slots.
 *
 * While there is but one part, &struct pmc_count of the metrics has the register as it was
 * read last both for the raw value and for the count, and a mask of all bits: adding what
 * has come since then makes it what is read, in user mode too. From then on the mask is 0,
 * and the count is what pmc_perf_metrics_settle() makes of the intervals.
 *
 * Owns these two entries of struct pmc_run, and struct pmc_perf_metrics_intervals. Only programs with
 * metrics come here. No lock: as pmu.c.
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
/* The most slots of a part: 255 times as many fit into 64 bits */
#define SLOTS_OF_PART	GENMASK_ULL(46, 0)

/**
 * struct pmc_share - what a field has of the slots of some intervals
 * @slots:	whole ones
 * @rest:	and so many 255ths of one: what each part would lose adds up
 */
struct pmc_share {
	u64 slots;
	u32 rest;
};

/**
 * struct pmc_perf_metrics_intervals - the intervals of a run that are over
 * @share:	each field's of their slots
 * @any:	there are such
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
 * pmc_perf_metrics_init - of a run that has counted nothing yet
 * @run:	gets its intervals
 * @gfp:	how memory may be had
 *
 * Return: 0, -ENOMEM.
 */
int pmc_perf_metrics_init(struct pmc_run *run, gfp_t gfp)
{
	run->intervals = kzalloc(sizeof(*run->intervals), gfp);
	return run->intervals ? 0 : -ENOMEM;
}

/**
 * pmc_perf_metrics_has_intervals - is the register what only a part of it all has?
 * @run:	then user mode must not read it
 */
bool pmc_perf_metrics_has_intervals(const struct pmc_run *run)
{
	return run->program->metrics && run->intervals->any;
}

/* What field @i has of the slots of the intervals that are over and of the one that goes on */
static struct pmc_share pmc_perf_metrics_share(struct pmc_run *run, u32 i)
{
	u64 field = pmc_perf_metrics_count(run)->raw >> FIELD_BITS * i & PMC_METRICS_WHOLE;
	struct pmc_share share = run->intervals->share[i];

	share.slots += div_u64_rem(field * pmc_perf_metrics_slots(run)->raw + share.rest,
				   PMC_METRICS_WHOLE, &share.rest);
	return share;
}

/*
 * How many 255ths of @slots a share is, cut off: no sum of fractions is more than the whole.
 * After 2^56 slots, some months, the lowest bits are left out: 255ths of them fit no more.
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

/* The part that goes on is over. The registers are to be written. */
static void pmc_perf_metrics_end_interval(struct pmc_run *run)
{
	u32 i;

	if (!pmc_perf_metrics_slots(run)->raw) {
		/* fractions of nothing */
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
	/* in user mode nobody would be told of the intervals before */
	run->user_page->open = false;
	pmc_run_hide(run);
}

/* The slots first: the fractions are of these. */
static void pmc_perf_metrics_begin_interval(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_program *program = run->program;

	pmc_perf_metrics_end_interval(run);
	program->family->write(pmu, &program->setup[program->slots_at], 0);
	program->family->write(pmu, &program->setup[program->metrics_at], 0);
}

/**
 * pmc_perf_metrics_settle - make their count what all intervals together have
 * @run:	up to date; on its own CPU with interrupts off, or counting nowhere
 *
 * Its slots have been 0 when the first part began.
 */
void pmc_perf_metrics_settle(struct pmc_run *run)
{
	struct pmc_count *metrics = pmc_perf_metrics_count(run);
	u64 slots = pmc_perf_metrics_slots(run)->value;
	u32 i;

	if (!run->intervals->any)
		return;
	metrics->value = 0;
	for (i = 0; i < PMC_METRICS_FIELDS_MAX; i++)
		metrics->value |= pmc_perf_metrics_fraction(pmc_perf_metrics_share(run, i), slots) <<
				  FIELD_BITS * i;
}

/*
 * In half of the counter's width: whoever looks must come again before it wraps. Of wider
 * ones than there are, what pmc_perf_metrics_share() can take.
 */
static bool pmc_perf_metrics_near_wrap(u64 mask, u64 raw)
{
	return raw > min(mask >> 1, SLOTS_OF_PART);
}

/**
 * pmc_perf_metrics_rewind - keep one of them from wrapping, as pmc_run_rewind() does
 * @pmu:	this CPU's counters
 * @run:	with a user_page, up to date
 * @i:		a counter that has a bit which it is not to have
 *
 * Return: whether that was one of these two.
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
 * pmc_perf_metrics_fold - begin another part before the slots wrap
 * @pmu:	this CPU's counters
 * @run:	up to date, and nothing that it counts goes on
 */
void pmc_perf_metrics_fold(struct pmc_pmu *pmu, struct pmc_run *run)
{
	const struct pmc_count *slots = pmc_perf_metrics_slots(run);

	if (pmc_perf_metrics_near_wrap(slots->mask, slots->raw))
		pmc_perf_metrics_begin_interval(pmu, run);
}

/**
 * pmc_perf_metrics_fold_last - the same of a run that was here last and may come back
 * @pmu:	this CPU's counters
 *
 * It may not exist any more, but its slots are in the hardware. If it comes back it is to
 * come by pmc_perf_metrics_load().
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
 * pmc_perf_metrics_load - let slots and metrics begin for a run that is about to start
 * @pmu:	this CPU's counters; its program is loaded
 * @run:	does not count
 */
void pmc_perf_metrics_load(struct pmc_pmu *pmu, struct pmc_run *run)
{
	pmc_perf_metrics_begin_interval(pmu, run);
	/* on another kind of CPU the masks were set anew */
	if (run->intervals->any)
		pmc_perf_metrics_count(run)->mask = 0;
}

/**
 * pmc_perf_metrics_clear - the run's counts are 0 now, and so are these registers to be
 * @pmu:	the counters of this CPU, where the run counts; NULL if it counts nowhere
 * @run:	without a sampler
 *
 * What it has counted since it was brought up to date is forgotten, so that all of its
 * counts begin at one moment.
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

/* What is refused of one of the two entries */
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
 * pmc_perf_metrics_check - do the entries go together with the performance metrics?
 * @config:	its out fields tell which does not
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
 * pmc_perf_metrics_values_valid - may a context's counts be set to these?
 * @program:	what it counts
 * @values:	one for each counter
 */
bool pmc_perf_metrics_values_valid(const struct pmc_program *program, const u64 *values)
{
	return !program->metrics ||
	       !(values[program->slots_at] | values[program->metrics_at]);
}

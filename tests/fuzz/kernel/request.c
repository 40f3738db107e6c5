// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMC_IOC_CONFIGURE: makes valid and invalid requests, and decides which the driver must reject
 *
 * What must be rejected is derived from uapi/pmcdrv.h, not from the driver.
 */
#include <limits.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "fuzz.h"

/* Event number and unit mask, and their further bits on AMD and Intel */
#define EVENT_NUMBER	0xff0f0000ffffULL
#define CONFIG_MIN	offsetof(struct pmc_config, failed_entry)
#define ENTRY_MIN	offsetof(struct pmc_counter_config, period)
#define ANY_THREAD	(1ULL << 21)
/*
 * UOPS_EXECUTED: with CORE, the event counts both threads of a core on Sandy Bridge to Redwood
 * Cove; with other bits of CORES, on Nehalem and Westmere (Intel's event files).
 */
#define UOPS_EXECUTED		0xb1
#define UOPS_EXECUTED_CORE	0x0200
#define UOPS_EXECUTED_CORES	0x9e00
#define SKYLAKE_X		0x55	/* model of family 6 */

#define ENTRY_BYTES	128

uint32_t counter_any(struct worker *worker)
{
	uint64_t general = worker->query.general_counters, fixed = worker->query.fixed_counters;
	uint32_t nr = __builtin_popcountll(general) + __builtin_popcountll(fixed);
	uint32_t pick = dice_below(&worker->dice, nr);
	unsigned int i;

	for (i = 0; i < 64; i++) {
		if (general >> i & 1 && !pick--)
			return PMC_COUNTER_GENERAL(i);
	}
	for (i = 0; i < 64; i++) {
		if (fixed >> i & 1 && !pick--)
			return PMC_COUNTER_FIXED(i);
	}
	return 0;
}

static uint64_t period_any(struct worker *worker)
{
	struct dice *dice = &worker->dice;

	if (!worker->period_max || !dice_one_in(dice, 3))
		return 0;
	switch (dice_below(dice, 6)) {
	case 0:
		return 1 + dice_below(dice, 300);
	case 1:
		return worker->period_max - dice_below(dice, 2);
	default:
		return 1000 + dice_below(dice, 30000);
	}
}

/* Each general counter counts these, on every processor that the fuzzer runs on. */
static const uint64_t events[] = { EVENT_INSTRUCTIONS, EVENT_BRANCHES, 0x3c, 0x13c };

/* On some processors the event counts both threads of a core, which needs CAP_PERFMON. */
static bool may_count_both_threads(uint64_t select)
{
	return (select & 0xff) == UOPS_EXECUTED && select & UOPS_EXECUTED_CORES;
}

/* On this one it does. False for all but Skylake-X. */
static bool counts_both_threads(const struct worker *worker, uint64_t select)
{
	return worker->query.cpu_family == 6 && worker->query.cpu_model == SKYLAKE_X &&
	       (select & 0xff) == UOPS_EXECUTED && select & UOPS_EXECUTED_CORE;
}

static uint64_t select_any(struct worker *worker)
{
	uint64_t mask = worker->select_mask, select;

	if (worker->user)
		mask &= ~ANY_THREAD;
	if (dice_one_in(&worker->dice, 4)) {
		select = dice_next(&worker->dice) & mask;
		if (!worker->user || !may_count_both_threads(select))
			return select;
	}
	return event_select(events[dice_below(&worker->dice, 4)]) & mask;
}

static void entry_make(struct worker *worker, struct request *request, uint32_t i)
{
	struct pmc_counter_config *entry = &request->entry[i];
	uint32_t j = 0;

	memset(entry, 0, sizeof(*entry));
	while (j <= i) {
		entry->counter = counter_any(worker);
		for (j = 0; j < i && request->entry[j].counter != entry->counter; j++)
			;
		if (j == i)
			break;
		j = 0;
	}
	entry->flags = PMC_COUNT_USER;
	if (!worker->user && dice_one_in(&worker->dice, 3))
		entry->flags = 1 + dice_below(&worker->dice, 3);
	if (!(entry->counter & PMC_COUNTER_FIXED_FLAG))
		entry->event_select = select_any(worker);
	entry->initial = dice_one_in(&worker->dice, 2) ? 0 : dice_edge(&worker->dice);
	entry->period = period_any(worker);
}

static bool request_samples(const struct request *request)
{
	uint32_t i;

	for (i = 0; i < request->config.nr_counters && i < ENTRIES_MAX; i++) {
		if (request->entry[i].period)
			return true;
	}
	return false;
}

static void sampling_make(struct worker *worker, struct pmc_config *config)
{
	struct dice *dice = &worker->dice;

	config->sample_flags = dice_below(dice, 8);
	if (worker->user)
		config->sample_flags &= ~PMC_SAMPLE_KERNEL_CALLCHAIN;
	config->frames = dice_below(dice, 2) ? 0 : dice_below(dice, PMC_FRAMES_MAX + 1);
	/* one page cannot hold two of the longest records */
	config->ring_size = PAGE << (2 + dice_below(dice, 5));
	config->watermark = dice_below(dice, 2) ? 0 : 1 + dice_below(dice, config->ring_size);
	config->throttle_percent = dice_below(dice, PMC_THROTTLE_PERCENT_MAX + 1);
}

static void scope_make(struct worker *worker, struct request *request)
{
	struct pmc_config *config = &request->config;
	uint32_t kind = dice_below(&worker->dice, worker->user ? 8 : 12);

	config->cpu = PMC_CPU_ANY;
	request->self = kind < 8;
	if (kind < 6) {
		config->scope = PMC_SCOPE_THREAD;
		config->tid = dice_below(&worker->dice, 3) ? 0 : getpid();
		if (dice_one_in(&worker->dice, 4))
			config->flags = 1U << dice_below(&worker->dice, 2);
	} else if (kind < 8) {
		config->scope = kind == 6 ? PMC_SCOPE_PROCESS : PMC_SCOPE_TREE;
		config->flags = dice_below(&worker->dice, 2);
	} else if (kind < 10) {
		config->scope = PMC_SCOPE_CPU;
		config->cpu = dice_below(&worker->dice, cpus_present());
	} else {
		config->scope = PMC_SCOPE_ALL_CPUS;
	}
}

/* A valid request. */
static void request_good(struct worker *worker, struct request *request)
{
	struct pmc_config *config = &request->config;
	uint32_t i, there = __builtin_popcountll(worker->query.general_counters) +
			    __builtin_popcountll(worker->query.fixed_counters);

	memset(request, 0, sizeof(*request));
	config->size = sizeof(*config);
	config->counter_size = sizeof(request->entry[0]);
	scope_make(worker, request);
	config->nr_counters = 1 + dice_below(&worker->dice, dice_one_in(&worker->dice, 8) ?
					     there : there < 3 ? there : 3);
	for (i = 0; i < config->nr_counters; i++)
		entry_make(worker, request, i);
	if (config->flags & PMC_CONFIG_USER_READ) {
		for (i = 0; i < config->nr_counters; i++)
			request->entry[i].period = 0;
	}
	if (request_samples(request))
		sampling_make(worker, config);
}

static void config_break(struct worker *worker, struct request *request)
{
	static const uint32_t sizes[] = {
		0, 4, CONFIG_MIN - 1, CONFIG_MIN, CONFIG_MIN + 4, sizeof(struct pmc_config) - 8,
		sizeof(struct pmc_config) + 8, PAGE, PAGE + 1, UINT_MAX,
	};
	struct pmc_config *config = &request->config;
	struct dice *dice = &worker->dice;

	switch (dice_below(dice, 17)) {
	case 0:
	case 1:
		config->size = sizes[dice_below(dice, ARRAY_SIZE(sizes))];
		if (dice_one_in(dice, 2))
			request->image[sizeof(*config) + dice_below(dice, 8)] = 1;
		break;
	case 2:
		config->flags ^= 1U << dice_below(dice, 32);
		break;
	case 3:
		config->scope = dice_below(dice, 2) ? dice_below(dice, 7) : dice_edge(dice);
		break;
	case 4:
		config->cpu = dice_below(dice, 2) ? (int)dice_below(dice, 70) - 2 :
			      (int)dice_edge(dice);
		break;
	case 5:
		config->tid = dice_below(dice, 2) ? worker->victim : (int)dice_edge(dice);
		break;
	case 6:
		config->tid = 1 + dice_below(dice, 3);
		break;
	case 7:
		config->nr_counters = dice_below(dice, 2) ? dice_below(dice, ENTRIES_MAX) :
				      dice_edge(dice);
		break;
	case 8:
		config->counters = dice_edge(dice);
		break;
	case 9:
		config->counter_size = sizes[dice_below(dice, 2)] + dice_below(dice, 64);
		break;
	case 10:
		config->sample_flags ^= 1U << dice_below(dice, 32);
		break;
	case 11:
		config->frames = dice_edge(dice);
		break;
	case 12:
		/* the largest size would exhaust the guest's memory */
		config->ring_size = dice_edge(dice) & ~(uint64_t)(PMC_RING_SIZE_MAX |
								  PMC_RING_SIZE_MAX / 2);
		break;
	case 13:
		config->watermark = dice_edge(dice);
		break;
	case 14:
		config->core_type = dice_edge(dice);
		break;
	case 15:
		config->throttle_percent = dice_edge(dice);
		break;
	case 16:
		config->reserved = dice_edge(dice);
		break;
	}
}

static void entry_break(struct worker *worker, struct request *request)
{
	uint32_t nr = request->config.nr_counters;
	struct dice *dice = &worker->dice;
	struct pmc_counter_config *entry;

	if (!nr || nr > ENTRIES_MAX)
		return;
	entry = &request->entry[dice_below(dice, nr)];
	switch (dice_below(dice, 9)) {
	case 0:
		entry->counter = dice_edge(dice);
		break;
	case 1:
		entry->counter = request->entry[0].counter;
		break;
	case 2:
		entry->flags = dice_below(dice, 4);
		break;
	case 3:
		entry->flags ^= 1U << dice_below(dice, 32);
		break;
	case 4:
		entry->event_select ^= 1ULL << dice_below(dice, 64);
		break;
	case 5:
		entry->event_extra = dice_edge(dice);
		break;
	case 6:
		entry->period = dice_edge(dice);
		break;
	case 7:
		entry->reserved = dice_edge(dice);
		break;
	case 8:
		entry->event_select = event_select(UOPS_EXECUTED | UOPS_EXECUTED_CORE);
		break;
	}
}

/**
 * request_entry - an entry as the driver reads it: fields beyond an older caller's size are 0
 * @request:	the request
 * @i:		number of the entry
 */
struct pmc_counter_config request_entry(const struct request *request, uint32_t i)
{
	struct pmc_counter_config entry = { 0 };
	uint32_t size = request->stride;

	memcpy(&entry, &request->entry[i], size < sizeof(entry) ? size : sizeof(entry));
	return entry;
}

static bool counter_exists(const struct worker *worker, uint32_t counter)
{
	uint64_t mask = counter & PMC_COUNTER_FIXED_FLAG ? worker->query.fixed_counters :
							   worker->query.general_counters;
	uint32_t n = counter & ~PMC_COUNTER_FIXED_FLAG;

	return n < 64 && mask >> n & 1;
}

static bool entry_is_wrong(const struct worker *worker, const struct pmc_counter_config *entry)
{
	bool fixed = entry->counter & PMC_COUNTER_FIXED_FLAG;
	uint64_t mask = fixed ? worker->select_mask & ANY_THREAD : worker->select_mask;

	if (!counter_exists(worker, entry->counter) || !entry->flags ||
	    entry->flags & ~(PMC_COUNT_USER | PMC_COUNT_KERNEL) || entry->event_extra ||
	    entry->reserved || entry->event_select & ~mask || entry->period > worker->period_max)
		return true;
	return worker->user && (entry->flags & PMC_COUNT_KERNEL ||
				entry->event_select & ANY_THREAD ||
				counts_both_threads(worker, entry->event_select));
}

static bool entries_are_wrong(const struct worker *worker, const struct request *request,
			      bool *samples)
{
	uint32_t i, j, nr = request->config.nr_counters;

	for (i = 0; i < nr; i++) {
		struct pmc_counter_config entry = request_entry(request, i);

		if (entry_is_wrong(worker, &entry))
			return true;
		for (j = 0; j < i; j++) {
			if (request_entry(request, j).counter == entry.counter)
				return true;
		}
		*samples |= entry.period;
	}
	return false;
}

static bool scope_is_wrong(const struct worker *worker, const struct pmc_config *config)
{
	bool follows = config->scope >= PMC_SCOPE_THREAD;

	if (config->scope < PMC_SCOPE_CPU || config->scope > PMC_SCOPE_TREE || config->tid < 0)
		return true;
	/* a native model without a core type, or a core type where the CPUs have none */
	if (config->core_type && (!(config->core_type & ~PMC_CORE_TYPE_MODEL) ||
				  !worker->query.core_type))
		return true;
	if (config->flags & ~(PMC_CONFIG_ON_EXEC | PMC_CONFIG_USER_READ) ||
	    config->flags == (PMC_CONFIG_ON_EXEC | PMC_CONFIG_USER_READ))
		return true;
	if (config->flags & PMC_CONFIG_USER_READ && config->scope != PMC_SCOPE_THREAD)
		return true;
	if (!follows && (config->flags || config->tid || worker->user))
		return true;
	if (config->scope == PMC_SCOPE_CPU)
		return config->cpu < 0 || config->cpu >= cpus_present();
	/* init and the kernel threads belong to root too */
	return config->cpu != PMC_CPU_ANY ||
	       (worker->user && (config->tid == worker->victim ||
				 (config->tid && config->tid <= 3)));
}

static bool sampling_is_wrong(const struct worker *worker, const struct pmc_config *config,
			      bool samples)
{
	uint32_t size = config->ring_size ? config->ring_size : PMC_RING_SIZE_DEFAULT;

	if (!samples)
		return config->sample_flags || config->frames || config->ring_size ||
		       config->watermark || config->throttle_percent;
	if (config->throttle_percent > PMC_THROTTLE_PERCENT_MAX)
		return true;
	if (config->sample_flags & ~(PMC_SAMPLE_KERNEL_CALLCHAIN | PMC_SAMPLE_USER_CALLCHAIN |
				     PMC_SAMPLE_MMAPS))
		return true;
	if (worker->user && config->sample_flags & PMC_SAMPLE_KERNEL_CALLCHAIN)
		return true;
	return config->flags & PMC_CONFIG_USER_READ || config->frames > PMC_FRAMES_MAX ||
	       size & (size - 1) || size < PAGE || size > PMC_RING_SIZE_MAX ||
	       config->watermark > size;
}

/* @config: with 0 in all fields beyond the caller's size */
static bool config_is_wrong(const struct worker *worker, const struct request *request,
			    const struct pmc_config *config)
{
	uint32_t size = request->config.size;
	bool samples = false;
	uint32_t i;

	if (size < CONFIG_MIN || size > PAGE || config->reserved || !config->nr_counters ||
	    config->nr_counters > PMC_COUNTERS_MAX || request->stride < ENTRY_MIN ||
	    request->stride > PAGE)
		return true;
	for (i = sizeof(*config); i < size; i++) {
		if (request->image[i])
			return true;
	}
	return scope_is_wrong(worker, config) || entries_are_wrong(worker, request, &samples) ||
	       sampling_is_wrong(worker, config, samples);
}

/* May a counter be unable to count the entry's event? */
static bool entry_is_limited(const struct pmc_counter_config *entry)
{
	uint32_t i;

	if (entry->counter & PMC_COUNTER_FIXED_FLAG)
		return false;
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if ((entry->event_select & EVENT_NUMBER) == events[i])
			return false;
	}
	return true;
}

/**
 * request_may_get_edom - is EDOM a right answer?
 * @request:	a valid request, with the driver's answer
 *
 * Random event numbers include those that only some counters have, and those that need
 * event_extra: the driver refuses them with EDOM. The answer names the entry, unless the caller's
 * structure has no room for that.
 */
bool request_may_get_edom(const struct request *request)
{
	struct pmc_counter_config entry;
	uint32_t i;

	for (i = 0; i < request->config.nr_counters; i++) {
		entry = request_entry(request, i);
		if (entry_is_limited(&entry) &&
		    (request->config.size < CONFIG_MIN + sizeof(request->config.failed_entry) ||
		     request->config.failed_entry == i))
			return true;
	}
	return false;
}

/* What the request takes if it succeeds, or until it fails */
static void request_weigh(struct worker *worker, struct request *request,
			  const struct pmc_config *config)
{
	uint32_t i, size = config->ring_size ? config->ring_size : PMC_RING_SIZE_DEFAULT;

	request->own = config->scope >= PMC_SCOPE_THREAD &&
		       (!config->tid || config->tid == getpid());
	/* init and the kernel threads are no processes of the fuzzer; the victim does nothing */
	request->wide = !request->own &&
			(!config->tid || (config->tid > 3 && config->tid != worker->victim));
	request->counters = 0;
	request->periods = 0;
	for (i = 0; i < config->nr_counters && i < ENTRIES_MAX; i++) {
		struct pmc_counter_config entry = request_entry(request, i);
		unsigned int bit = counter_bit(entry.counter);

		if (bit >= 64)
			continue;
		request->counters |= 1ULL << bit;
		if (entry.period)
			request->periods |= 1ULL << bit;
	}
	request->ring_size = size;
	request->pages = !request->periods || size & (size - 1) || size < PAGE ||
			 size > PMC_RING_SIZE_MAX ? 0 : account_pages(worker, size);
}

static void request_judge(struct worker *worker, struct request *request, bool changed)
{
	struct pmc_config config = { 0 };
	uint32_t size = request->config.size;

	memcpy(&config, &request->config, size < sizeof(config) ? size : sizeof(config));
	request->verdict = VERDICT_UNSURE;
	if (config_is_wrong(worker, request, &config))
		request->verdict = VERDICT_WRONG;
	else if (!changed)
		request->verdict = VERDICT_RIGHT;
	if (config.tid && config.tid != getpid())
		request->self = false;
	request_weigh(worker, request, &config);
}

/**
 * request_make - make a request; half of them have one or two changes, which may make it invalid
 * @worker:	the caller
 * @request:	receives it; request_lay_out() still has to place it in memory
 */
void request_make(struct worker *worker, struct request *request)
{
	uint32_t changes = dice_below(&worker->dice, 4);
	uint32_t i;

	request_good(worker, request);
	for (i = 1; i < changes; i++) {
		if (dice_below(&worker->dice, 2))
			config_break(worker, request);
		else
			entry_break(worker, request);
	}
	/* request_lay_out() sets the address of the entries, unless it is invalid */
	request->stride = request->config.counter_size;
	request_judge(worker, request, changes > 1);
}

/**
 * request_lay_out - place the entries in memory
 * @request:	receives the address, unless it has one
 *
 * Return: whether all of them are mapped.
 */
bool request_lay_out(struct request *request)
{
	static unsigned char entries[ENTRIES_MAX * ENTRY_BYTES];
	uint32_t i, nr = request->config.nr_counters, stride = request->stride;

	if (request->config.counters || nr > ENTRIES_MAX || stride > ENTRY_BYTES)
		return false;
	memset(entries, 0, sizeof(entries));
	for (i = 0; i < nr; i++)
		memcpy(entries + i * stride, &request->entry[i],
		       stride < sizeof(request->entry[i]) ? stride : sizeof(request->entry[i]));
	request->config.counters = (uintptr_t)entries;
	return true;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * RDPMC of any index: it faults, or gives 0, or what a context of this process has counted
 *
 * A counter may also show what a context of CPUs counts (docs/safety.md, "What others can learn"),
 * or one that follows this process: of these all processes know the counters.
 */
#include <string.h>
#include <sys/resource.h>

#include "fuzz.h"
#include "user_read.h"

#define FAST		(1U << 31)
#define METRICS		0x20000000U

/**
 * counter_bit - the bit of a counter in struct slot
 * @index:	its number, which is RDPMC's operand, too
 *
 * Return: 64 for what is no counter.
 */
unsigned int counter_bit(uint32_t index)
{
	uint32_t n = index & ~(PMC_COUNTER_FIXED_FLAG | FAST);

	if (n >= 32)
		return 64;
	return index & PMC_COUNTER_FIXED_FLAG ? 32 + n : n;
}

static uint32_t index_any(struct worker *worker)
{
	struct dice *dice = &worker->dice;
	uint32_t index = dice_below(dice, 64);

	switch (dice_below(dice, 16)) {
	case 0:
		return dice_edge(dice);
	case 1:
		return METRICS | (dice_below(dice, 2) ? index : 0);
	case 2:
		return FAST | index;
	case 3:
		return PMC_COUNTER_FIXED(index);
	case 4:
		return index;
	case 5:
		return worker->reader.counter[0];
	default:
		return counter_any(worker);
	}
}

/* Return: false: it faulted. */
static bool read_index(uint32_t index, uint64_t *value)
{
	if (sigsetjmp(fuzz_faulted, 1))
		return false;
	fuzz_may_fault = 1;
	*value = rdpmc(index);
	fuzz_may_fault = 0;
	return true;
}

static uint64_t switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/**
 * counters_had - this process has released contexts of its own
 * @worker:	the process
 * @counters:	as in struct slot
 *
 * Until its next context switch the counters may show what these counted.
 */
void counters_had(struct worker *worker, uint64_t counters)
{
	uint64_t now = switches();

	worker->had = now == worker->had_at ? worker->had | counters : counters;
	worker->had_at = now;
}

static bool has(const struct slot *slot, unsigned int bit)
{
	return slot->configured && slot->own && slot->counters >> bit & 1;
}

/* The context of this process that has the counter. NULL: none */
static const struct slot *slot_of(const struct worker *worker, unsigned int bit)
{
	unsigned int i;

	if (has(&worker->reader, bit))
		return &worker->reader;
	for (i = 0; i < SLOTS; i++) {
		if (has(&worker->slots[i], bit))
			return &worker->slots[i];
	}
	for (i = 0; i < MAPPINGS; i++) {
		if (has(&worker->ghosts[i], bit))
			return &worker->ghosts[i];
	}
	return NULL;
}

/* A counter without a period holds at most what its context has counted. */
static void check_own(struct worker *worker, const struct slot *slot, unsigned int bit,
		      uint64_t value)
{
	struct reading reading;
	uint64_t counted;
	uint32_t i = 0;
	int err;

	if (slot->fd < 0 || !slot->counted || slot->periods >> bit & 1)
		return;
	while (i < slot->nr && counter_bit(slot->counter[i]) != bit)
		i++;
	err = reading_read(slot->fd, &reading);
	if (err)
		wrong(worker, "READ after RDPMC: %s", strerror(-err));
	counted = reading.value[i] - slot->initial[i];
	if (value > counted)
		wrong(worker, "RDPMC gives %#llx, of which %#llx were counted by this process",
		      (unsigned long long)value, (unsigned long long)counted);
	__atomic_add_fetch(&worker->shared->rdpmc_own, 1, __ATOMIC_RELAXED);
}

static void read_one(struct worker *worker, uint32_t index)
{
	struct shared *shared = worker->shared;
	unsigned int bit = counter_bit(index);
	uint64_t ended = 0, value = 0;
	const struct slot *slot;

	if (switches() != worker->had_at)
		worker->had = 0;
	if (bit < 64)
		ended = __atomic_load_n(&shared->wide_ended[bit], __ATOMIC_SEQ_CST);
	if (!read_index(index, &value))
		return;
	if (!value) {
		__atomic_add_fetch(&shared->rdpmc_zero, bit < 64, __ATOMIC_RELAXED);
		return;
	}
	if (bit < 64 && worker->had >> bit & 1)
		return;
	slot = bit < 64 ? slot_of(worker, bit) : NULL;
	if (slot) {
		check_own(worker, slot, bit, value);
		return;
	}
	/* one that began before RDPMC and has not ended before it */
	if (bit < 64 && __atomic_load_n(&shared->wide_begun[bit], __ATOMIC_SEQ_CST) != ended)
		return;
	/* those of the north bridge and of L3 belong to no context */
	if (worker->query.family == PMC_FAMILY_AMD && index >= 6 && index < 16)
		return;
	wrong(worker, "RDPMC %#x gives %#llx, which no context of this process counts", index,
	      (unsigned long long)value);
}

void do_rdpmc(struct worker *worker)
{
	uint32_t nr = 1 + dice_below(&worker->dice, 12);

	while (nr--)
		read_one(worker, index_any(worker));
}

/**
 * wide_begin - contexts that other processes may see begin to count with these counters
 * @shared:	memory of all processes
 * @counters:	as in struct slot
 */
void wide_begin(struct shared *shared, uint64_t counters)
{
	unsigned int i;

	for (i = 0; i < 64; i++)
		__atomic_add_fetch(&shared->wide_begun[i], counters >> i & 1, __ATOMIC_SEQ_CST);
}

/** wide_end - they have been released */
void wide_end(struct shared *shared, uint64_t counters)
{
	unsigned int i;

	for (i = 0; i < 64; i++)
		__atomic_add_fetch(&shared->wide_ended[i], counters >> i & 1, __ATOMIC_SEQ_CST);
}

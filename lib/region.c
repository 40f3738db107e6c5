// SPDX-License-Identifier: LGPL-2.1-or-later
/* Measuring a piece of code, without the overhead of the measurement */
#include <errno.h>
#include <stdlib.h>

#include "context.h"
#include "error.h"
#include "libpmcdrv-read.h"
#include "region.h"

#define ROUNDS		16
#define ATTEMPTS	(4 * ROUNDS)

/*
 * One end of a region
 * @force_slow: use the ioctl although the page can be read
 * @force_retry: number of forced repetitions
 * @slow: the values were read by ioctl
 */
struct pmc_region_end {
	uint32_t force_slow;
	uint32_t force_retry;
	uint32_t slow;
	uint32_t reserved;
	uint64_t value[PMC_COUNTERS_MAX];
};

/*
 * @buffer_size: bytes of @buffer
 * @retries: repetitions because the page changed
 * @error: negative errno of the driver
 * @empty: counts of an empty region, by how its begin and its end were read (1: ioctl)
 * @known: whether @empty was measured
 * @retry: counts of one repetition at the end
 * @inexact: mask of events with varying counts of an empty region
 */
struct pmc_region_state {
	union {
		const struct pmc_page *page;
		uint64_t page_room;
	};
	union {
		struct pmc_read *buffer;
		uint64_t buffer_room;
	};
	uint32_t buffer_size;
	int32_t fd;
	uint32_t request;
	uint32_t nr;
	uint32_t retries;
	int32_t error;
	struct pmc_region_end begin;
	struct pmc_region_end end;
	uint64_t empty[2][2][PMC_COUNTERS_MAX];
	bool known[2][2];
	uint64_t retry[PMC_COUNTERS_MAX];
	uint32_t inexact;
	uint64_t total[PMC_COUNTERS_MAX];
	uint64_t last[PMC_COUNTERS_MAX];
	uint64_t runs;
	uint64_t dropped;
};

#define CHECK_OFFSET(field, offset) \
	_Static_assert(offsetof(struct pmc_region_state, field) == (offset), #field)

CHECK_OFFSET(page, REGION_PAGE);
CHECK_OFFSET(buffer, REGION_BUFFER);
CHECK_OFFSET(buffer_size, REGION_BUFFER_SIZE);
CHECK_OFFSET(fd, REGION_FD);
CHECK_OFFSET(request, REGION_REQUEST);
CHECK_OFFSET(nr, REGION_NR);
CHECK_OFFSET(retries, REGION_RETRIES);
CHECK_OFFSET(error, REGION_ERROR);
CHECK_OFFSET(begin, REGION_BEGIN);
CHECK_OFFSET(end, REGION_END);
CHECK_OFFSET(begin.force_slow, REGION_BEGIN + END_FORCE_SLOW);
CHECK_OFFSET(begin.force_retry, REGION_BEGIN + END_FORCE_RETRY);
CHECK_OFFSET(begin.slow, REGION_BEGIN + END_SLOW);
CHECK_OFFSET(begin.value, REGION_BEGIN + END_VALUE);
_Static_assert(offsetof(struct pmc_region, state) == REGION_STATE, "state");
_Static_assert(offsetof(struct pmc_page, sequence) == 4, "sequence");
_Static_assert(offsetof(struct pmc_page, counter) == 64, "counter");
_Static_assert(offsetof(struct pmc_read, value) == 64, "value");

/* ---- one run ---- */

/* Counts between the two ends, with the overhead */
static uint64_t raw_difference(const struct pmc_region_state *state, uint32_t index)
{
	return state->end.value[index] - state->begin.value[index];
}

PMC_API void pmc_region_record(struct pmc_region *region)
{
	struct pmc_region_state *state = region->state;
	uint32_t begin = state->begin.slow, end = state->end.slow, i;
	uint64_t count;

	if (state->error < 0 || !state->known[begin][end]) {
		state->dropped++;
		return;
	}
	for (i = 0; i < state->nr; i++) {
		count = raw_difference(state, i) - state->empty[begin][end][i] -
			state->retries * state->retry[i];
		/* Only events with a varying overhead can be below 0: pmc_region_exact(). */
		if ((int64_t)count < 0)
			count = 0;
		state->last[i] = count;
		state->total[i] += count;
	}
	state->runs++;
}

/* ---- calibration ---- */

/* Run an empty region. Return: whether it was read as requested. */
static bool run_empty(struct pmc_region *region, uint32_t begin, uint32_t end, uint32_t retries)
{
	struct pmc_region_state *state = region->state;
	struct pmc_region copy = *region;

	state->begin.force_slow = begin;
	state->end.force_slow = end;
	state->end.force_retry = retries;
	PMC_REGION_CALL(copy, PMC_REGION_BEGIN_SLOT);
	PMC_REGION_CALL(copy, PMC_REGION_END_SLOT);
	state->begin.force_slow = 0;
	state->end.force_slow = 0;
	state->end.force_retry = 0;
	return state->error >= 0 && state->begin.slow == begin && state->end.slow == end &&
	       state->retries == retries;
}

/* Measure empty regions. @minimum: the minimum for each event */
static bool measure_empty(struct pmc_region *region, uint32_t begin, uint32_t end,
			  uint32_t retries, uint64_t *minimum)
{
	struct pmc_region_state *state = region->state;
	unsigned int round = 0, attempt;
	uint64_t count;
	uint32_t i;

	for (attempt = 0; attempt < ATTEMPTS && round < ROUNDS; attempt++) {
		if (!run_empty(region, begin, end, retries))
			continue;
		for (i = 0; i < state->nr; i++) {
			count = raw_difference(state, i);
			if (round && count != minimum[i])
				state->inexact |= 1U << i;
			if (!round || count < minimum[i])
				minimum[i] = count;
		}
		round++;
	}
	return round == ROUNDS;
}

static void calibrate(struct pmc_region *region)
{
	struct pmc_region_state *state = region->state;
	uint32_t begin, end, i;

	for (begin = 0; begin < 2; begin++)
		for (end = 0; end < 2; end++)
			state->known[begin][end] = measure_empty(region, begin, end, 0,
								 state->empty[begin][end]);
	if (!state->known[0][0])
		return;
	state->known[0][0] = measure_empty(region, 0, 0, 1, state->retry);
	for (i = 0; i < state->nr; i++)
		state->retry[i] -= state->empty[0][0][i];
}

/* ---- the object ---- */

PMC_API int pmc_region_init(struct pmc_region *region, struct pmc_context *context)
{
	const struct pmc_page *page = pmc_context_page(context);
	struct pmc_region_state *state;

	if (!page)
		return -1;
	if (context->scope != PMC_SCOPE_THREAD)
		return pmc_fail(EINVAL, "a region is measured in the thread that the context counts");
	state = calloc(1, sizeof(*state) + PMC_READ_SIZE(PMC_COUNTERS_MAX));
	if (!state)
		return pmc_fail_errno("a region");
	state->page = page;
	state->buffer = (struct pmc_read *)(state + 1);
	state->buffer_size = PMC_READ_SIZE(PMC_COUNTERS_MAX);
	state->fd = context->fd;
	state->request = PMC_IOC_READ;
	state->nr = context->num_counters;
	*region = (struct pmc_region){
		.begin = pmc_region_read_begin,
		.end = pmc_region_read_end,
		.state = state,
	};
	calibrate(region);
	if (state->known[0][0] || state->known[1][1])
		return 0;
	errno = state->error < 0 ? -state->error : EIO;
	pmc_fail_errno("measuring an empty region");
	pmc_region_free(region);
	return -1;
}

PMC_API void pmc_region_free(struct pmc_region *region)
{
	int error = errno;

	free(region->state);
	region->state = NULL;
	errno = error;
}

PMC_API void pmc_region_reset(struct pmc_region *region)
{
	struct pmc_region_state *state = region->state;
	uint32_t i;

	for (i = 0; i < state->nr; i++) {
		state->total[i] = 0;
		state->last[i] = 0;
	}
	state->runs = 0;
	state->dropped = 0;
}

PMC_API uint64_t pmc_region_total(const struct pmc_region *region, uint32_t index)
{
	return region->state->total[index];
}

PMC_API uint64_t pmc_region_last(const struct pmc_region *region, uint32_t index)
{
	return region->state->last[index];
}

PMC_API uint64_t pmc_region_runs(const struct pmc_region *region)
{
	return region->state->runs;
}

PMC_API uint64_t pmc_region_dropped(const struct pmc_region *region)
{
	return region->state->dropped;
}

PMC_API bool pmc_region_exact(const struct pmc_region *region, uint32_t index)
{
	return !(region->state->inexact >> index & 1);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Textbook branch predictor of the parts with architectural performance monitoring and NetBurst
 *
 * Intel publishes only the depth of the return stack; the rest is the same for all parts:
 *  - direction: 4096 two-bit counters, indexed by the address exclusive-or the directions of
 *    the last 12 conditional branches (gshare); initially weakly not taken;
 *  - target of indirect jumps and calls: the last one, in 512 tagged entries;
 *  - target of returns: a return stack that wraps;
 *  - direct jumps, direct calls and far branches are never mispredicted.
 */
#include <stdlib.h>

#include "pmu_int.h"

#define DIRECTIONS	4096u
#define TARGETS		512u
#define NO_CALL		(~0ull)

struct pmu_predictor {
	unsigned int history;
	uint8_t direction[DIRECTIONS];
	struct {
		uint64_t from, to;
	} target[TARGETS];
	unsigned int depth, top;
	uint64_t ret[];
};

struct pmu_predictor *pmu_predictor_create(const struct pmu_part *part)
{
	struct pmu_predictor *p;
	unsigned int i;

	p = calloc(1, sizeof(*p) + part->ras * sizeof(p->ret[0]));
	p->depth = part->ras;
	for (i = 0; i < DIRECTIONS; i++)
		p->direction[i] = 1;
	for (i = 0; i < p->depth; i++)
		p->ret[i] = NO_CALL;
	return p;
}

void pmu_predictor_destroy(struct pmu_predictor *p)
{
	free(p);
}

static bool direction_missed(struct pmu_predictor *p, uint64_t from, bool taken)
{
	uint8_t *d = &p->direction[(from ^ p->history) % DIRECTIONS];
	bool missed = (*d >= 2) != taken;

	if (taken && *d < 3)
		++*d;
	if (!taken && *d > 0)
		--*d;
	p->history = (p->history << 1 | taken) % DIRECTIONS;
	return missed;
}

static bool target_missed(struct pmu_predictor *p, uint64_t from, uint64_t to)
{
	unsigned int i = from % TARGETS;
	bool missed = p->target[i].from != from || p->target[i].to != to;

	p->target[i].from = from;
	p->target[i].to = to;
	return missed;
}

/*
 * The length of the call is unknown here. No instruction is longer than 15 bytes: a return
 * to within 15 bytes after the call's address was predicted.
 */
static bool return_missed(struct pmu_predictor *p, uint64_t to)
{
	uint64_t call;

	p->top = (p->top + p->depth - 1) % p->depth;
	call = p->ret[p->top];
	p->ret[p->top] = NO_CALL;
	return to <= call || to - call > 15;
}

static void push(struct pmu_predictor *p, uint64_t from)
{
	p->ret[p->top] = from;
	p->top = (p->top + 1) % p->depth;
}

bool pmu_predict(struct pmu_predictor *p, enum pmu_prim kind, uint64_t from,
		 uint64_t to)
{
	switch (kind) {
	case PMU_BR_COND_TAKEN:
		return direction_missed(p, from, true);
	case PMU_BR_COND_NTAKEN:
		return direction_missed(p, from, false);
	case PMU_BR_CALL:
		push(p, from);
		return false;
	case PMU_BR_CALL_IND:
		push(p, from);
		return target_missed(p, from, to);
	case PMU_BR_JMP_IND:
		return target_missed(p, from, to);
	case PMU_BR_RET:
		return return_missed(p, to);
	default:
		return false;
	}
}

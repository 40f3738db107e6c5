// SPDX-License-Identifier: GPL-2.0-only
/*
 * Branch target buffer of the Pentium, the P6 and AMD: set-associative with exact LRU, looked
 * up with the address of each near branch
 *
 *  - Allocation: a taken branch that misses is entered, in the state strongly taken.
 *  - Direction: a two-bit counter, or one for each pattern of the branch's last directions;
 *    all of them begin as strongly taken.
 *  - Target: the last one. Parts with a return stack predict returns by it; when it is full,
 *    its oldest entry is dropped.
 *  - A branch that misses is predicted not taken. With static prediction the decoder predicts
 *    it and restarts the fetch: direct jumps and calls as taken, conditional branches as
 *    taken if they go backward.
 *  - Far branches are not predicted.
 */
#include <stdlib.h>
#include <string.h>

#include "pmu_int.h"

#define MAX_PATTERNS	16u

struct target {
	uint64_t from;		/* address of the branch + 1; 0 = empty */
	uint64_t to;
	unsigned int history;
	uint8_t counter[MAX_PATTERNS];
};

struct pmu_btb {
	struct target *target;	/* by set, most recent first */
	unsigned int nreturns;
	uint64_t returns[];	/* addresses of calls, the innermost last */
};

/** struct outcome - prediction and result of one branch
 * @found: it hits in the BTB
 * @predicted: the BTB or the return stack predicts it
 * @decoded: the decoder predicts it
 * @taken: it is taken
 * @wrong: its direction or its target was mispredicted
 */
struct outcome {
	bool found, predicted, decoded, taken, wrong;
};

static struct pmu_btb *btb_create(const struct pmu_structures *s)
{
	struct pmu_btb *b = calloc(1, sizeof(*b) + s->ras * sizeof(b->returns[0]));

	b->target = calloc((size_t)s->btb.sets * s->btb.ways, sizeof(*b->target));
	return b;
}

void pmu_btb_destroy(struct pmu_btb *b)
{
	if (!b)
		return;
	free(b->target);
	free(b);
}

static struct target *set_of(const struct pmu_structures *s, struct pmu_btb *b,
			     uint64_t from)
{
	return b->target + from % s->btb.sets * s->btb.ways;
}

/* Return: the branch's entry, now the most recent one, or NULL. */
static struct target *find(const struct pmu_structures *s, struct pmu_btb *b,
			   uint64_t from)
{
	struct target *set = set_of(s, b, from);
	struct target found;
	unsigned int way;

	for (way = 0; way < s->btb.ways; way++)
		if (set[way].from == from + 1)
			break;
	if (way == s->btb.ways)
		return NULL;
	found = set[way];
	memmove(set + 1, set, way * sizeof(*set));
	set[0] = found;
	return set;
}

static void enter(const struct pmu_structures *s, struct pmu_btb *b,
		  uint64_t from, uint64_t to)
{
	struct target *set = set_of(s, b, from);

	memmove(set + 1, set, (s->btb.ways - 1) * sizeof(*set));
	set[0] = (struct target){ .from = from + 1, .to = to };
	memset(set[0].counter, 3, sizeof(set[0].counter));
}

static void learn(const struct pmu_structures *s, struct target *t, bool taken,
		  uint64_t to)
{
	uint8_t *counter = &t->counter[t->history];

	if (taken && *counter < 3)
		++*counter;
	if (!taken && *counter > 0)
		--*counter;
	t->history = (t->history << 1 | taken) & ((1u << s->history) - 1);
	if (taken)
		t->to = to;
}

static bool is_conditional(enum pmu_prim kind)
{
	return kind == PMU_BR_COND_TAKEN || kind == PMU_BR_COND_NTAKEN;
}

static bool is_indirect(enum pmu_prim kind)
{
	return kind == PMU_BR_JMP_IND || kind == PMU_BR_CALL_IND ||
	       kind == PMU_BR_RET;
}

/* Static prediction of a branch that misses in the BTB. */
static void decode(struct outcome *o, enum pmu_prim kind, uint64_t from,
		   uint64_t to)
{
	bool predicted_taken = !is_conditional(kind) || to < from;

	if (is_indirect(kind))
		return;		/* the target is unknown */
	o->decoded = predicted_taken;
	o->wrong = predicted_taken != o->taken;
}

static struct outcome look_up(const struct pmu_structures *s, struct pmu_btb *b,
			      enum pmu_prim kind, uint64_t from, uint64_t to)
{
	struct outcome o = { .taken = kind != PMU_BR_COND_NTAKEN };
	struct target *t = find(s, b, from);

	if (t) {
		bool predicted_taken = t->counter[t->history] >= 2;

		o.found = true;
		o.predicted = true;
		o.wrong = predicted_taken != o.taken || (o.taken && t->to != to);
		learn(s, t, o.taken, to);
		return o;
	}
	o.wrong = o.taken;
	if (s->static_prediction)
		decode(&o, kind, from, to);
	if (o.taken)
		enter(s, b, from, to);
	return o;
}

/* The length of the call is unknown here; no instruction is longer than 15 bytes. */
static struct outcome look_up_return(struct pmu_btb *b, uint64_t to)
{
	struct outcome o = { .taken = true, .wrong = true };
	uint64_t call;

	if (!b->nreturns)
		return o;
	call = b->returns[--b->nreturns];
	o.predicted = true;
	o.wrong = to <= call || to - call > 15;
	return o;
}

static void push(struct pmu_cpu *c, unsigned int priv, struct pmu_btb *b,
		 uint64_t from)
{
	unsigned int ras = c->pmu->part->structures->ras;

	if (!ras)
		return;
	if (b->nreturns == ras) {
		pmu_rare(c, priv, PMU_RSB_OVERFLOW, 1);
		memmove(b->returns, b->returns + 1, (ras - 1) * sizeof(*b->returns));
		b->nreturns--;
	}
	b->returns[b->nreturns++] = from;
}

static void count_outcome(struct pmu_cpu *c, unsigned int priv,
			  enum pmu_prim kind, const struct outcome *o)
{
	enum pmu_prim misprediction = PMU_MISP_IND;

	if (is_conditional(kind))
		misprediction = PMU_MISP_COND;
	else if (kind == PMU_BR_RET)
		misprediction = PMU_MISP_RET;
	pmu_rare(c, priv, PMU_BTB_HIT, o->found);
	pmu_rare(c, priv, PMU_BTB_MISS, !o->predicted);
	pmu_rare(c, priv, PMU_BTB_HIT_OR_TAKEN, o->found || o->taken);
	pmu_rare(c, priv, PMU_BTB_CLEAR, o->decoded);
	pmu_rare(c, priv, misprediction, o->wrong);
	if (is_conditional(kind))
		pmu_rare(c, priv, PMU_MISP_V_PIPE, o->wrong && pmu_pipes_in_v(c));
	pmu_rare(c, priv, o->taken ? PMU_MISP_TAKEN : PMU_MISP_NTAKEN, o->wrong);
	if (kind == PMU_BR_RET)
		pmu_rare(c, priv, PMU_RET_PREDICTED, o->predicted);
}

void pmu_btb_branch(struct pmu_cpu *c, unsigned int priv, enum pmu_prim kind,
		    uint64_t from, uint64_t to)
{
	const struct pmu_structures *s = c->pmu->part->structures;
	struct pmu_btb **b = &c->pmu->btb[c->id];
	struct outcome o;

	if (kind == PMU_BR_FAR || kind == PMU_BR_INT)
		return;
	if (!*b)
		*b = btb_create(s);
	if (kind == PMU_BR_RET && s->ras)
		o = look_up_return(*b, to);
	else
		o = look_up(s, *b, kind, from, to);
	if (kind == PMU_BR_CALL || kind == PMU_BR_CALL_IND)
		push(c, priv, *b, from);
	count_outcome(c, priv, kind, &o);
}

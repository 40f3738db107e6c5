// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting, common to all families: which reports each processor must make, when the counters
 * must be synchronised, and what is added to them
 *
 * Processors of one group (pmu.group) share events: the logical processors of a core, or all
 * processors on a bus. An occurrence on one processor may count in counters of the others.
 */
#include <string.h>

#include "pmu_int.h"

#define NO_DEADLINE	(INT64_MAX / 2)

/* Reports that each want implies: prediction, for example, needs the branches. */
#define WANT_PREDICT	(PMU_WANT_PREDICT | PMU_WANT_BRANCHES)
#define WANT_PIPES	(PMU_WANT_PIPES | PMU_WANT_ACCESS)
#define WANT_PREDICT_PIPES (WANT_PIPES | WANT_PREDICT)
#define WANT_STEPS	PMU_WANT_STEPS
#define WANT_BRANCHES	PMU_WANT_BRANCHES
#define WANT_HWINT	PMU_WANT_HWINT
#define WANT_CLASS	PMU_WANT_CLASS
#define WANT_SATURATE	(PMU_WANT_SATURATE | PMU_WANT_CLASS | PMU_WANT_ACCESS)
#define WANT_IO		PMU_WANT_IO
#define WANT_ACCESS	PMU_WANT_ACCESS
#define WANT_CACHE	PMU_WANT_CACHE
#define WANT_BUS	(PMU_WANT_CACHE | PMU_WANT_IO)
#define WANT_FETCH	PMU_WANT_FETCH
#define WANT_LOCKED	PMU_WANT_LOCKED
#define WANT_SEGMENT	(PMU_WANT_SEGMENT | PMU_WANT_BRANCHES)
#define WANT_MASKED	PMU_WANT_MASKED
#define WANT_UOPS	PMU_WANT_UOPS
#define WANT_BREAK	(PMU_WANT_BREAK | PMU_WANT_IO)

#define INFO(name, wants, once, model, words) \
	[PMU_##name] = { WANT_##wants, (once), (model), (words) },

const struct pmu_prim_info pmu_prims[PMU_NPRIM] = {
	PMU_PRIMITIVES(INFO)
};

/* Upper bound of the occurrences of any primitive on one step. */
#define MOST_ON_A_STEP	4096

unsigned int pmu_privs(bool os, bool usr)
{
	return (os ? 1u << PMU_KERNEL : 0) | (usr ? 1u << PMU_USER : 0);
}

static unsigned int group_first(const struct pmu_cpu *c)
{
	return c->id - c->id % c->pmu->group;
}

/* First processor after the group. */
static unsigned int group_end(const struct pmu_cpu *c)
{
	unsigned int end = group_first(c) + c->pmu->group;

	return end < c->pmu->machine.cpus ? end : c->pmu->machine.cpus;
}

/* Privileges in which occurrences on c count in this counter of t, a bit for each. */
static unsigned int counted_privs(const struct pmu_cpu *c, const struct pmu_cpu *t,
				  const struct pmu_counter *n)
{
	return c == t ? n->privs : n->others;
}

/* Return: the other processor of a group of two, NULL if there is none. */
struct pmu_cpu *pmu_sibling(const struct pmu_cpu *c)
{
	return (c->id ^ 1) < c->pmu->machine.cpus ? &c->pmu->cpu[c->id ^ 1] : NULL;
}

/* Deactivate all counters of this processor. */
void pmu_counters_stop(struct pmu_cpu *c)
{
	c->nactive = 0;
}

/*
 * After pmu_counters_stop(), for each counter: activate it if its settings let it count. An event
 * that never occurs counts with INV: it is below CMASK on each step.
 */
void pmu_counter_set(struct pmu_cpu *c, struct pmu_counter *n, bool on)
{
	n->threshold = n->cmask || n->edge;
	n->active = on && n->prims && (*n->prims || (n->cmask && n->inv)) &&
		    (n->privs || n->others);
	if (n->active)
		c->active[c->nactive++] = n;
	else
		n->asserted = false;
}

static unsigned int want_of(const struct pmu_counter *n)
{
	unsigned int want = PMU_WANT_STEPS;
	const uint8_t *p;

	for (p = n->prims; *p; p++)
		want |= pmu_prims[*p].want;
	for (p = n->less; p && *p; p++)
		want |= pmu_prims[*p].want;
	return want;
}

/* Reports that this processor must make for all counters of its group. */
static void set_want(struct pmu_cpu *c)
{
	const struct pmu_cpu *t;
	unsigned int want = 0;
	unsigned int id, i;

	for (i = 0; i < PMU_NDUE; i++)
		if (c->due[i])
			want |= PMU_WANT_STEPS;
	for (id = group_first(c); id < group_end(c); id++) {
		t = &c->pmu->cpu[id];
		for (i = 0; i < t->nactive; i++)
			if (counted_privs(c, t, t->active[i]))
				want |= want_of(t->active[i]);
	}
	pmu_set_want(c, want);
}

/* Whether it counts primitives that do not pass through pmu_rare(). */
static bool has_bounded(const struct pmu_counter *n)
{
	const uint8_t *p;

	for (p = n->prims; *p; p++)
		if (pmu_prims[*p].bounded)
			return true;
	return false;
}

static bool bounded(const struct pmu_counter *n)
{
	const uint8_t *p;

	for (p = n->prims; *p; p++)
		if (!pmu_prims[*p].bounded)
			return false;
	return true;
}

/* Whether occurrences of more than one processor count in this counter. */
static bool is_shared(const struct pmu_cpu *c, const struct pmu_counter *n)
{
	unsigned int others = group_end(c) - group_first(c) - 1;

	return n->others && (n->privs ? others : others > 1);
}

/*
 * Steps of c until this counter can wrap, in the worst case; 0 if it can wrap on the next
 * occurrence. An event's bounded primitives are classes of instructions: one of them at most
 * occurs on a step. A wrap must be detected in time only if it interrupts or if the family
 * has a handler for it.
 */
static int64_t deadline(const struct pmu_cpu *c, const struct pmu_cpu *t,
			const struct pmu_counter *n)
{
	uint64_t steps;

	if (n->threshold || n->when != PMU_WHEN_ANY)
		return 1;
	if (n->force || n->alarm || n->leak || n->leaked)
		return bounded(n) ? 1 : 0;
	if (n->late || (!n->intr && !c->pmu->family->wrapped))
		return NO_DEADLINE;
	if (is_shared(c, n))
		return 1;
	steps = (n->mask - n->value) / n->factor + 1;
	if (!bounded(n))
		return steps > MOST_ON_A_STEP ? steps / MOST_ON_A_STEP : 0;
	/* Steps of both privileges decrease the remaining number. */
	if (counted_privs(c, t, n) == pmu_privs(true, true) && steps > 1)
		steps /= 2;
	return steps < NO_DEADLINE ? steps : NO_DEADLINE;
}

static void shorten(struct pmu_cpu *c, unsigned int privs, int64_t steps)
{
	unsigned int p;

	if (!privs)
		return;
	if (!steps) {
		c->eager = true;
		return;
	}
	for (p = 0; p < PMU_NPRIV; p++)
		if (privs >> p & 1 && steps < c->left[p])
			c->left[p] = steps;
}

/* Set the number of steps to the next synchronisation. Nothing is pending. */
static void set_budget(struct pmu_cpu *c)
{
	const struct pmu_cpu *t;
	unsigned int id, i;
	int64_t steps;

	c->left[PMU_KERNEL] = NO_DEADLINE;
	c->left[PMU_USER] = NO_DEADLINE;
	c->eager = false;
	for (i = 0; i < PMU_NDUE; i++)
		if (c->due[i])
			shorten(c, pmu_privs(true, true), c->due[i]);
	for (id = group_first(c); id < group_end(c); id++) {
		t = &c->pmu->cpu[id];
		for (i = 0; i < t->nactive; i++) {
			steps = deadline(c, t, t->active[i]);
			shorten(c, counted_privs(c, t, t->active[i]), steps);
			if (!steps && has_bounded(t->active[i]))
				shorten(c, counted_privs(c, t, t->active[i]), 1);
		}
	}
	memcpy(c->budget, c->left, sizeof(c->budget));
	memset(c->extra, 0, sizeof(c->extra));
	memset(c->pend, 0, sizeof(c->pend));
}

/*
 * To be called after the controls of this processor changed. Its group must have been
 * synchronised before the change.
 */
void pmu_counters_update(struct pmu_cpu *c)
{
	unsigned int id;

	for (id = group_first(c); id < group_end(c); id++) {
		set_want(&c->pmu->cpu[id]);
		set_budget(&c->pmu->cpu[id]);
	}
}

static uint64_t occurrences(const struct pmu_cpu *c,
			    const struct pmu_counter *n, unsigned int priv)
{
	uint64_t sum = 0;
	const uint8_t *p;

	for (p = n->prims; *p; p++)
		sum += c->pend[priv][*p];
	sum *= n->factor;
	for (p = n->less; p && *p; p++)
		sum -= c->pend[priv][*p];
	return sum;
}

/*
 * CMASK compares the occurrences of a cycle, here a step. INV inverts the comparison, EQ
 * compares for equality; both have no effect without CMASK. E counts how often the condition
 * becomes true.
 */
static uint64_t condition(struct pmu_counter *n, uint64_t occurred)
{
	bool before = n->asserted;

	if (!n->cmask)
		n->asserted = occurred > 0;
	else if (n->equal)
		n->asserted = (occurred == n->cmask) != n->inv;
	else if (n->inv)
		n->asserted = occurred < n->cmask;
	else
		n->asserted = occurred >= n->cmask;
	return n->asserted && !(n->edge && before);
}

static uint64_t increment(const struct pmu_cpu *c, struct pmu_counter *n,
			  unsigned int privs)
{
	uint64_t occurred, sum = 0;
	unsigned int p;

	for (p = 0; p < PMU_NPRIV; p++) {
		if (!(privs >> p & 1))
			continue;
		occurred = occurrences(c, n, p);
		if (!n->threshold)
			sum += occurred;
		else if (occurred || c->pend[p][PMU_STEP])
			sum += condition(n, occurred);
	}
	return sum;
}

/* Return: whether the counter wrapped. */
static bool add(struct pmu_counter *n, uint64_t by)
{
	bool wrapped = by > n->mask - n->value;

	n->value = (n->value + by) & n->mask;
	return wrapped;
}

/* The pending occurrences of c are of the last step: the other processors have not changed. */
static bool threads_match(const struct pmu_cpu *c, const struct pmu_counter *n)
{
	const struct pmu_machine *m = &c->pmu->machine;
	unsigned int id, running = 1;

	if (n->when == PMU_WHEN_ANY || n->when == PMU_WHEN_NONE)
		return n->when == PMU_WHEN_ANY;
	for (id = group_first(c); id < group_end(c); id++)
		running += id != c->id && m->active(m->context, id);
	return running == (n->when == PMU_WHEN_ALL ? group_end(c) - group_first(c) : 1);
}

static void raise_alarms(const struct pmu_cpu *c, unsigned int alarms)
{
	unsigned int i;

	for (i = 0; alarms >> i; i++)
		if (alarms >> i & 1)
			pmu_request(&c->pmu->cpu[group_first(c) + i]);
}

/* The other processor's pending occurrences have been added. */
static void leak(const struct pmu_counter *n, uint64_t by, bool *wrapped)
{
	n->leak->wrapped |= add(n->leak, by);
	*wrapped |= n->leak->wrapped;
}

/* Add the pending occurrences of c to the counters of t; set *wrapped if a counter wrapped. */
static void count(const struct pmu_cpu *c, struct pmu_cpu *t, bool *wrapped)
{
	unsigned int i, privs, alarms = 0;
	uint64_t by;

	for (i = 0; i < t->nactive; i++) {
		struct pmu_counter *n = t->active[i];

		privs = counted_privs(c, t, n);
		by = privs && threads_match(c, n) ? increment(c, n, privs) : 0;
		if (!by)
			continue;
		alarms |= n->alarm;
		if (n->leak) {
			leak(n, by, wrapped);
			continue;
		}
		n->wrapped = add(n, by) || n->force;
		*wrapped |= n->wrapped;
	}
	raise_alarms(c, alarms);
}

/* Counters that the family starts here are appended to the list, after nactive. */
static void notify_family(struct pmu_cpu *t)
{
	const struct pmu_family *f = t->pmu->family;
	unsigned int i, nactive = t->nactive;
	bool interrupt = false;
	struct pmu_counter *n;

	for (i = 0; i < nactive; i++) {
		n = t->active[i];
		if (!n->wrapped)
			continue;
		n->wrapped = false;
		interrupt |= n->intr && !n->close;
		if (f->wrapped)
			f->wrapped(t, n);
	}
	if (interrupt && f->interrupt)
		f->interrupt(t);
}

static void gather(struct pmu_cpu *c)
{
	unsigned int p;

	for (p = 0; p < PMU_NPRIV; p++) {
		uint64_t steps = c->budget[p] - c->left[p];

		c->pend[p][PMU_STEP] = steps;
		c->pend[p][PMU_INSN] = steps - c->extra[p];
	}
}

/*
 * Add this processor's pending occurrences to the counters of its group. If one wrapped, the
 * family may stop or start counters of any processor of the group; therefore the others are
 * synchronised first.
 */
void pmu_counters_sync(struct pmu_cpu *c)
{
	bool wrapped = false;
	unsigned int id, due;

	gather(c);
	due = pmu_quirks_pass(c, c->pend[PMU_KERNEL][PMU_STEP] + c->pend[PMU_USER][PMU_STEP]);
	for (id = group_first(c); id < group_end(c); id++)
		count(c, &c->pmu->cpu[id], &wrapped);
	set_budget(c);
	if (!wrapped && !due)
		return;
	for (id = group_first(c); id < group_end(c); id++)
		if (id != c->id)
			pmu_counters_sync(&c->pmu->cpu[id]);
	for (id = group_first(c); id < group_end(c); id++)
		notify_family(&c->pmu->cpu[id]);
	pmu_quirks_happen(c, due);
	pmu_counters_update(c);
}

/*
 * A processor halts. Durations end, so that a counter of their beginnings counts the next
 * step. Durations of other processors continue.
 */
void pmu_counters_halt(struct pmu_cpu *c)
{
	const struct pmu_cpu *t;
	unsigned int id, i;

	pmu_sync(c);
	for (id = group_first(c); id < group_end(c); id++) {
		t = &c->pmu->cpu[id];
		for (i = 0; i < t->nactive; i++)
			if (counted_privs(c, t, t->active[i]) && !is_shared(c, t->active[i]))
				t->active[i]->asserted = false;
	}
}

/* Synchronise all processors of this processor's group. */
void pmu_group_sync(struct pmu_cpu *c)
{
	unsigned int id;

	for (id = group_first(c); id < group_end(c); id++)
		pmu_sync(&c->pmu->cpu[id]);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Architectural performance monitoring: which counters count what, and
 * overflow. Sections are of the SDM Vol. 3B's chapter "Performance Monitoring".
 */
#include <string.h>

#include "pmu_arch.h"

#define CODE(event, umask)	((umask) << 8 | (event))

#define BRANCHES (P(BR_COND_TAKEN) | P(BR_COND_NTAKEN) | P(BR_JMP) | \
		  P(BR_JMP_IND) | P(BR_CALL) | P(BR_CALL_IND) | P(BR_RET) | \
		  P(BR_FAR))
#define MISPREDICTED	(P(MISP_COND) | P(MISP_IND) | P(MISP_RET))
#define CACHE		(P(LLC_REF) | P(LLC_MISS))
#define ACCESSES	(P(LOAD) | P(STORE))

/* What there is at most one of on a step. */
#define BOUNDED		(P(STEP) | P(INSN) | BRANCHES | ACCESSES)

#define NO_DEADLINE	(INT64_MAX / 2)

/*
 * "Pre-defined Architectural Performance Events", table of unit masks and event
 * selects, in the order of the bits of CPUID.0AH:EBX.
 */
static const struct pmu_event architectural[] = {
	{ CODE(0x3c, 0x00), P(STEP) },		/* UnHalted Core Cycles */
	{ CODE(0xc0, 0x00), P(INSN) },		/* Instruction Retired */
	{ CODE(0x3c, 0x01), P(STEP) },		/* UnHalted Reference Cycles */
	{ CODE(0x2e, 0x4f), P(LLC_REF) },	/* LLC Reference */
	{ CODE(0x2e, 0x41), P(LLC_MISS) },	/* LLC Misses */
	{ CODE(0xc4, 0x00), BRANCHES },		/* Branch Instruction Retired */
	{ CODE(0xc5, 0x00), MISPREDICTED },	/* Branch Misses Retired */
	{ CODE(0xa4, 0x01), P(STEP) },		/* Topdown Slots */
};

#define SLOTS	7u	/* its place in the table */

/*
 * "Architectural Performance Monitoring Version 2 Facilities", table of the
 * fixed counters; counter 3: Version 5.
 */
static const uint32_t fixed_prims[] = {
	P(INSN),	/* INST_RETIRED.ANY */
	P(STEP),	/* CPU_CLK_UNHALTED.THREAD */
	P(STEP),	/* CPU_CLK_UNHALTED.REF_TSC */
	P(STEP),	/* TOPDOWN.SLOTS */
};

/* Is this architectural event there? CPUID.0AH:EAX[31:24] and EBX. */
static bool available(const struct arch *a, unsigned int event)
{
	return event < a->leaf[0] >> 24 && !(a->leaf[1] >> event & 1);
}

static void look_up(const struct pmu *pmu, struct arch_counter *n,
		    uint16_t code)
{
	unsigned int i;

	n->factor = 1;
	for (i = 0; i < ARRAY_LEN(architectural); i++) {
		if (architectural[i].code != code ||
		    !available(arch_of(pmu), i))
			continue;
		n->prims = architectural[i].prims;
		if (i == SLOTS)
			n->factor = pmu->part->slots;
		return;
	}
	n->prims = pmu_part_event(pmu->part, code);
}

static unsigned int privs(bool os, bool usr)
{
	return (os ? 1u << PMU_KERNEL : 0) | (usr ? 1u << PMU_USER : 0);
}

/*
 * "... Version 2": IA32_PERF_GLOBAL_CTRL enables each counter with its own
 * enable bit; "... Version 4": and none while CTR_FRZ is set.
 */
static bool enabled(const struct pmu_cpu *c, unsigned int bit)
{
	const struct arch_cpu *s = arch_cpu_of(c);
	unsigned int version = arch_of(c->pmu)->version;

	if (version < 2)
		return true;
	if (version >= 4 && s->status & STATUS_CTR_FRZ)
		return false;
	return s->global_ctrl & BIT64(bit);
}

static void note_active(struct arch_cpu *s, struct arch_counter *n, bool on)
{
	if (!on)
		n->asserted = false;
	n->active = on;
	if (on)
		s->active[s->nactive++] = n;
}

static void set_general(struct pmu_cpu *c, unsigned int i)
{
	struct arch_cpu *s = arch_cpu_of(c);
	struct arch_counter *n = &s->general[i];
	uint64_t v = s->select[i];

	look_up(c->pmu, n, v & SEL_CODE);
	n->privs = privs(v & SEL_OS, v & SEL_USR);
	n->intr = v & SEL_INT;
	n->any = v & SEL_ANY;
	n->cmask = SEL_CMASK(v);
	n->inv = v & SEL_INV;
	n->edge = v & SEL_EDGE;
	n->threshold = n->cmask || n->edge;
	note_active(s, n, v & SEL_EN && n->privs && n->prims && enabled(c, i));
}

static void set_fixed(struct pmu_cpu *c, unsigned int i)
{
	struct arch_cpu *s = arch_cpu_of(c);
	struct arch_counter *n = &s->fixed[i];
	unsigned int v = s->fixed_ctrl >> 4 * i & 0xf;

	if (i < ARRAY_LEN(fixed_prims))
		n->prims = fixed_prims[i];
	n->factor = i == 3 ? c->pmu->part->slots : 1;
	n->privs = privs(v & FIXED_OS, v & FIXED_USR);
	n->intr = v & FIXED_PMI;
	n->any = v & FIXED_ANY;
	note_active(s, n, n->privs && n->prims &&
		    enabled(c, ARCH_FIXED_BIT + i));
}

static void set_counters(struct pmu_cpu *c)
{
	const struct arch *a = arch_of(c->pmu);
	unsigned int i;

	arch_cpu_of(c)->nactive = 0;
	for (i = 0; i < a->ngeneral; i++)
		set_general(c, i);
	for (i = 0; i < ARCH_MAX_FIXED; i++)
		if (a->fixed >> i & 1)
			set_fixed(c, i);
}

/* Does what happens on c concern this counter of t, of the same core? */
static bool concerns(const struct pmu_cpu *c, const struct pmu_cpu *t,
		     const struct arch_counter *n)
{
	return c == t || n->any;
}

static unsigned int want_of(uint32_t prims)
{
	unsigned int want = 0;

	if (prims)
		want |= PMU_WANT_STEPS;
	if (prims & BRANCHES)
		want |= PMU_WANT_BRANCHES;
	if (prims & MISPREDICTED)
		want |= PMU_WANT_BRANCHES | PMU_WANT_PREDICT;
	if (prims & ACCESSES)
		want |= PMU_WANT_ACCESS;
	if (prims & CACHE)
		want |= PMU_WANT_CACHE;
	if (prims & P(HWINT))
		want |= PMU_WANT_HWINT;
	return want;
}

/* Steps until this counter can wrap, in the worst case. */
static int64_t deadline(const struct arch_counter *n)
{
	uint64_t steps;

	if (n->threshold)
		return 1;
	if (!(n->prims & BOUNDED))
		return NO_DEADLINE;
	steps = (n->mask - n->value) / n->factor + 1;
	/* Steps of both privileges use up what is left. */
	if (n->privs == privs(true, true) && steps > 1)
		steps /= 2;
	return steps;
}

static void shorten(struct pmu_cpu *c, const struct arch_counter *n,
		    int64_t steps)
{
	unsigned int p;

	for (p = 0; p < PMU_NPRIV; p++)
		if (n->privs >> p & 1 && steps < c->left[p])
			c->left[p] = steps;
}

/* What this processor has to tell, and when to look at the counters next. */
static void set_budget(struct pmu_cpu *c)
{
	bool alone = arch_core_end(c) - arch_core_first(c) == 1;
	const struct arch_counter *n;
	const struct arch_cpu *s;
	uint32_t prims = 0;
	unsigned int t, i;

	c->left[PMU_KERNEL] = NO_DEADLINE;
	c->left[PMU_USER] = NO_DEADLINE;
	for (t = arch_core_first(c); t < arch_core_end(c); t++) {
		s = arch_cpu_of(&c->pmu->cpu[t]);
		for (i = 0; i < s->nactive; i++) {
			n = s->active[i];
			if (!concerns(c, &c->pmu->cpu[t], n))
				continue;
			prims |= n->prims;
			shorten(c, n, n->any && !alone ? 1 : deadline(n));
		}
	}
	memcpy(c->budget, c->left, sizeof(c->budget));
	memset(c->extra, 0, sizeof(c->extra));
	memset(c->pend, 0, sizeof(c->pend));
	pmu_set_want(c, want_of(prims));
}

/* The controls of this processor changed; nothing is pending on its core. */
void arch_update(struct pmu_cpu *c)
{
	unsigned int t;

	set_counters(c);
	for (t = arch_core_first(c); t < arch_core_end(c); t++)
		set_budget(&c->pmu->cpu[t]);
}

static uint64_t occurrences(const struct pmu_cpu *c,
			    const struct arch_counter *n, unsigned int priv)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < PMU_NPRIM; i++)
		if (n->prims >> i & 1)
			sum += c->pend[priv][i];
	return sum * n->factor;
}

/*
 * "... Version 1": CMASK compares the occurrences of a cycle, here a step; INV
 * turns the comparison around and means nothing without CMASK; E counts how
 * often the condition becomes true.
 */
static uint64_t condition(struct arch_counter *n, uint64_t occurred)
{
	bool before = n->asserted;

	if (!n->cmask)
		n->asserted = occurred > 0;
	else if (n->inv)
		n->asserted = occurred < n->cmask;
	else
		n->asserted = occurred >= n->cmask;
	return n->asserted && !(n->edge && before);
}

static uint64_t increment(const struct pmu_cpu *c, struct arch_counter *n)
{
	uint64_t occurred, sum = 0;
	unsigned int p;

	for (p = 0; p < PMU_NPRIV; p++) {
		if (!(n->privs >> p & 1))
			continue;
		occurred = occurrences(c, n, p);
		if (!n->threshold)
			sum += occurred;
		else if (occurred || c->pend[p][PMU_STEP])
			sum += condition(n, occurred);
	}
	return sum;
}

/* Return: whether it wrapped. */
static bool add(struct arch_counter *n, uint64_t by)
{
	bool wrapped = by > n->mask - n->value;

	n->value = (n->value + by) & n->mask;
	return wrapped;
}

static unsigned int bit_of(const struct arch_cpu *s,
			   const struct arch_counter *n)
{
	if (n >= s->fixed && n < s->fixed + ARCH_MAX_FIXED)
		return ARCH_FIXED_BIT + (n - s->fixed);
	return n - s->general;
}

/*
 * IA32_DEBUGCTL.FREEZE_PERFMON_ON_PMI: "Freezing LBR and Performance Counters
 * on PMI", legacy (version 2 and 3: the enable bits are cleared) and
 * streamlined (version 4: CTR_FRZ is set).
 */
static void freeze(struct pmu_cpu *c)
{
	struct arch_cpu *s = arch_cpu_of(c);

	if (!(s->debugctl & DEBUG_FREEZE_PERFMON))
		return;
	if (arch_of(c->pmu)->version >= 4)
		s->status |= STATUS_CTR_FRZ;
	else
		s->global_ctrl = 0;
	set_counters(c);
}

/* Count on t what is pending on c. */
static void count(const struct pmu_cpu *c, struct pmu_cpu *t)
{
	struct arch_cpu *s = arch_cpu_of(t);
	bool interrupt = false;
	unsigned int i;

	for (i = 0; i < s->nactive; i++) {
		struct arch_counter *n = s->active[i];

		if (!concerns(c, t, n) || !add(n, increment(c, n)))
			continue;
		s->status |= BIT64(bit_of(s, n));
		interrupt |= n->intr;
	}
	if (!interrupt)
		return;
	freeze(t);
	pmu_request(t);
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

void arch_sync(struct pmu_cpu *c)
{
	unsigned int t;

	gather(c);
	for (t = arch_core_first(c); t < arch_core_end(c); t++)
		count(c, &c->pmu->cpu[t]);
	set_budget(c);
}

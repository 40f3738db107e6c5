// SPDX-License-Identifier: GPL-2.0-only
/*
 * The U and V pipes of the Pentium and the Pentium MMX: pairs of instructions, and the stalls
 * that follow from the instructions alone
 *
 * Rules: "Pentium Processor User's Manual", Volume 1, "Data Book", section 3.1.2, "Instruction
 * Pairing Rules"; SDM Vol. 3B, the events' descriptions; Intel Architecture Optimization Manual
 * (order number 242816), "MMX Instruction Pairing Guidelines" and "Scheduling Rules". README.md,
 * "The Pentiums' pipes", has all rules, lists which of these sources were available, and states
 * the assumptions.
 *
 * An instruction is decoded when it starts (pmu_pipes_start()) and enters a pipe when it
 * retires (pmu_pipes_retire()). An instruction that faults enters no pipe; the next one replaces
 * it. Each privilege has pipes of its own, so that a handler does not separate the pairs of the
 * program that it interrupts.
 */
#include <stdlib.h>

#include "pmu_decode.h"

#define BANK_BYTES	4u	/* the data cache has eight banks, interleaved by four bytes */
#define MULTIPLY_CLOCKS	3u	/* until the product of an MMX multiplication is available */
#define NMMX		8u

/** struct pipes - the pipes of one privilege
 * @open: the last instruction is in U, and V is free
 * @u: the last instruction in U
 * @banks: of the data that it accesses, a bit each
 * @interlocked: it has an AGI stall
 * @before: integer registers that were written in the clock before U's; an address that
 *	depends on them stalls
 * @written: those that this pair has written
 * @clock: when U's instruction was issued
 * @clocks: that this pair takes
 * @ready: when the last result of each MMX register is available
 * @fp: the last x87 or MMX instruction was an x87 one
 */
struct pipes {
	bool open;
	struct pmu_decoded u;
	unsigned int banks;
	bool interlocked;
	uint8_t before, written;
	uint64_t clock;
	unsigned int clocks;
	uint64_t ready[NMMX];
	bool fp;
};

/** struct pmu_pipes - the pipes of a processor
 * @pipes: by privilege
 * @now: the current instruction
 * @now_banks: of its data
 * @pending: it has started and has not retired
 * @in_v: it pairs in V
 */
struct pmu_pipes {
	struct pipes pipes[PMU_NPRIV];
	struct pmu_decoded now;
	unsigned int now_banks;
	bool pending, in_v;
};

void pmu_pipes_destroy(struct pmu_pipes *p)
{
	free(p);
}

/* Empty the pipes: WRMSR serialises. */
void pmu_pipes_reset(struct pmu_cpu *c)
{
	struct pmu_pipes *p = c->pmu->pipes[c->id];

	if (p)
		*p = (struct pmu_pipes){ 0 };
}

/* ---- pairing --------------------------------------------------------------- */

/*
 * Data Book: instructions that write a register and then read or write it do not
 * pair, but two PUSH, PUSH and CALL, and two POP do, although all change ESP.
 */
static bool esp_conflicts(const struct pmu_decoded *u, const struct pmu_decoded *v)
{
	if (u->stack == STACK_NONE)
		return v->stack != STACK_NONE && u->writes & REG_ESP;
	if (v->stack == STACK_NONE)
		return (v->reads | v->writes) & REG_ESP;
	if ((u->writes | v->reads | v->writes) & REG_ESP)
		return true;
	if (u->stack == STACK_PUSH)
		return v->stack == STACK_POP;
	return v->stack != u->stack;
}

static bool registers_conflict(const struct pmu_decoded *u, const struct pmu_decoded *v)
{
	return u->writes & (v->reads | v->writes) ||
	       u->mmx_writes & (v->mmx_reads | v->mmx_writes) || esp_conflicts(u, v);
}

/*
 * Optimization Manual: one shifter and one multiplier; an MMX instruction that accesses memory
 * or integer registers pairs in U, and not with an integer instruction; the first one after
 * an x87 instruction does not pair in V.
 */
static bool mmx_conflicts(const struct pipes *p, const struct pmu_decoded *v)
{
	const struct pmu_decoded *u = &p->u;

	if (u->mmx && v->mmx)
		return (u->mmx_shifter && v->mmx_shifter) ||
		       (u->mmx_multiplier && v->mmx_multiplier);
	return u->mmx ? u->mmx_bus : v->mmx && p->fp;
}

static bool pairs(const struct pipes *p, const struct pmu_decoded *v)
{
	const struct pmu_decoded *u = &p->u;

	if (!p->open)
		return false;
	if (u->pair == PAIR_FX || v->pair == PAIR_FXCH)
		return u->pair == PAIR_FX && v->pair == PAIR_FXCH;
	if (u->pair != PAIR_UV && u->pair != PAIR_PU)
		return false;
	if (v->pair != PAIR_UV && v->pair != PAIR_PV)
		return false;
	return !registers_conflict(u, v) && !mmx_conflicts(p, v);
}

/* ---- stalls ---------------------------------------------------------------- */

/*
 * SDM Vol. 3B, event 1FH: an address that depends on a register written in the clock before stalls
 * for a clock. Stack instructions use ESP as an address, but do not count as writes of ESP.
 */
static bool interlocks(const struct pipes *p, const struct pmu_decoded *d)
{
	uint8_t address = d->address | (d->stack == STACK_NONE ? 0 : REG_ESP);

	return address & p->before;
}

/* Wait for the MMX registers of @d, which a store reads one clock earlier. */
static void wait_for_mmx(struct pmu_cpu *c, unsigned int priv, struct pipes *p,
			 const struct pmu_decoded *d)
{
	uint64_t need = 0;
	unsigned int i, clocks;

	for (i = 0; i < NMMX; i++)
		if ((d->mmx_reads | d->mmx_writes) >> i & 1 && p->ready[i] > need)
			need = p->ready[i];
	if (need && d->mmx_store)
		need++;
	if (need <= p->clock)
		return;
	clocks = need - p->clock;
	p->clock = need;
	pmu_rare(c, priv, d->mmx_store ? PMU_MMX_STORE_STALL : PMU_MMX_MULTIPLY_STALL, clocks);
}

static void stall(struct pmu_cpu *c, unsigned int priv, struct pipes *p,
		  const struct pmu_decoded *d)
{
	if (interlocks(p, d)) {
		c->pend[priv][PMU_AGI_STALL]++;
		/* the pipes stall together: a second AGI takes no further clock */
		p->clock += !p->interlocked;
		p->interlocked = true;
	}
	wait_for_mmx(c, priv, p, d);
}

/* ---- issue ----------------------------------------------------------------- */

/*
 * Prefixes are decoded while the previous pair still executes. If they take longer than that, they
 * delay the instruction, and meanwhile its address becomes available.
 */
static void issue_in_u(struct pipes *p, const struct pmu_decoded *d)
{
	unsigned int hidden = p->clocks ? p->clocks - 1 : 0;

	p->clock += p->clocks;
	p->before = d->prefixes > hidden ? 0 : p->written;
	p->written = 0;
	p->clocks = 0;
	p->interlocked = false;
}

static void count_pair(struct pmu_cpu *c, unsigned int priv, struct pipes *p,
		       const struct pmu_decoded *v, unsigned int banks)
{
	c->pend[priv][PMU_V_PIPE]++;
	if (!p->banks || !banks)
		return;
	c->pend[priv][PMU_BOTH_PIPES]++;
	if (!(p->banks & banks))
		return;
	c->pend[priv][PMU_BANK_CONFLICT]++;
	p->clocks = (p->u.clocks > v->clocks ? p->u.clocks : v->clocks) + 1;
}

/* The results of @d, which was issued at p->clock. */
static void write_results(struct pipes *p, const struct pmu_decoded *d)
{
	unsigned int i;

	p->written |= d->writes;
	if (d->clocks > p->clocks)
		p->clocks = d->clocks;
	for (i = 0; i < NMMX; i++)
		if (d->mmx_writes >> i & 1)
			p->ready[i] = p->clock + (d->mmx_multiplier ? MULTIPLY_CLOCKS : 1);
	if (d->fp || d->mmx)
		p->fp = d->fp;
}

void pmu_pipes_retire(struct pmu_cpu *c, unsigned int priv)
{
	struct pmu_pipes *all = c->pmu->pipes[c->id];
	struct pipes *p;

	if (!all || !all->pending)
		return;
	all->pending = false;
	p = &all->pipes[priv];
	if (!all->in_v)
		issue_in_u(p, &all->now);
	stall(c, priv, p, &all->now);
	if (all->in_v) {
		count_pair(c, priv, p, &all->now, all->now_banks);
	} else {
		p->u = all->now;
		p->banks = all->now_banks;
	}
	p->open = !all->in_v;
	write_results(p, &all->now);
	if (all->now.mmx)
		c->pend[priv][all->in_v ? PMU_MMX_V_PIPE : PMU_MMX_U_PIPE]++;
}

void pmu_pipes_start(struct pmu_cpu *c, const struct pmu_insn *i)
{
	struct pmu_pipes **p = &c->pmu->pipes[c->id];

	if (!*p)
		*p = calloc(1, sizeof(**p));
	pmu_decode(&(*p)->now, i->code, i->size, i->wide, c->pmu->part->mmx);
	(*p)->now_banks = 0;
	(*p)->in_v = pairs(&(*p)->pipes[i->priv], &(*p)->now);
	(*p)->pending = true;
}

void pmu_pipes_data(struct pmu_cpu *c, const struct pmu_access *a)
{
	struct pmu_pipes *p = c->pmu->pipes[c->id];
	uint64_t byte;

	if (!p || !p->pending)
		return;
	for (byte = a->linear / BANK_BYTES; byte <= (a->linear + a->size - 1) / BANK_BYTES; byte++)
		p->now_banks |= 1u << byte % 8;
}

/* Whether the current instruction is in V. */
bool pmu_pipes_in_v(const struct pmu_cpu *c)
{
	const struct pmu_pipes *p = c->pmu->pipes[c->id];

	return p && p->pending && p->in_v;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errata of Intel processors with architectural performance monitoring. README.md, "Quirks",
 * names the sources and the choices made where they leave something open.
 */
#include "pmu_arch.h"

/* Every step counts by. */
static void set_steps(struct pmu_counter *n, unsigned int by)
{
	static const uint8_t steps[] = { PMU_STEP, PMU_NO_PRIM };

	n->prims = steps;
	n->factor = by;
	n->less = NULL;
	n->cmask = 0;
	n->edge = false;
}

/* ---- TSX_FORCE_ABORT ------------------------------------------------------- */

#define TFA_COUNTER	3u	/* the counter that the microcode uses */

/* The microcode's events, on every step of either privilege, instead of those selected. */
static void use_by_microcode(struct pmu_counter *n)
{
	set_steps(n, 3);
	n->privs = pmu_privs(true, true);
	n->others = 0;
}

/* ---- HSM154 ---------------------------------------------------------------- */

#define FIXED0_BIAS	32u

/* IA32_FIXED_CTR_CTRL must enable fixed counter 0 after IA32_PERF_GLOBAL_CTRL does. */
static void enable_fixed0(struct pmu_cpu *c, uint64_t before)
{
	struct arch_cpu *s = arch_cpu_of(c);
	struct pmu_counter *n = &s->fixed[0];
	bool enabled = s->global_ctrl & ~before & BIT64(ARCH_FIXED_BIT);

	if (c->pmu->options.quirks.fix0 && enabled && s->fixed_ctrl & (FIXED_OS | FIXED_USR))
		n->value = (n->value + FIXED0_BIAS) & n->mask;
}

/* ---- Overflow interrupts --------------------------------------------------- */

/* CondChgd, and the uncore's bit where it exists: neither is the counters'. */
void arch_quirk_interrupt(struct pmu_cpu *c)
{
	if (c->pmu->options.quirks.status)
		arch_cpu_of(c)->status |= STATUS_COND | (arch_of(c)->status & STATUS_UNCORE);
}

/*
 * The delivery of the interrupt masked LVTPC. If it is unmasked now, it was so before the
 * status bits were cleared.
 */
void arch_quirk_acknowledge(struct pmu_cpu *c, uint64_t bits)
{
	const struct pmu_machine *m = &c->pmu->machine;
	struct arch_cpu *s = arch_cpu_of(c);
	bool interrupted = s->unacknowledged & bits;

	if (c->pmu->options.quirks.zero && interrupted) {
		s->zero |= s->unacknowledged & bits;
		c->due[PMU_DUE_ZERO] = PMU_ZERO_STEPS;
	}
	s->unacknowledged &= ~bits;
	if (c->pmu->options.quirks.late_ack && interrupted && !m->masked(m->context, c->id))
		pmu_interrupt(c);
}

/* ---- A counter at 0 -------------------------------------------------------- */

static bool is_zero(const struct pmu_counter *n)
{
	return n->active && n->intr && !n->value;
}

/* These counters' overflow is acknowledged: those that are enabled and still 0 overflow again. */
void arch_quirk_zero(struct pmu_cpu *c)
{
	struct arch_cpu *s = arch_cpu_of(c);
	uint64_t again = 0;
	unsigned int i;

	for (i = 0; i < ARCH_MAX_GENERAL; i++)
		again |= (uint64_t)is_zero(&s->general[i]) << i;
	for (i = 0; i < ARCH_MAX_FIXED; i++)
		again |= (uint64_t)is_zero(&s->fixed[i]) << (ARCH_FIXED_BIT + i);
	again &= s->zero;
	s->zero = 0;
	if (!again)
		return;
	s->status |= again;
	s->unacknowledged |= again;
	pmu_interrupt(c);
}

/* ---- System management mode ------------------------------------------------ */

bool arch_quirk_freezes_smm(const struct pmu_cpu *c)
{
	return arch_cpu_of(c)->debugctl & DEBUG_FREEZE_SMM;
}

/* ---- AAK100 ---------------------------------------------------------------- */

#define CLEARED_COUNTERS	0xfu	/* the workaround is for general counters 0 to 3 */

static const uint32_t clearing_codes[] = { 0x4300b5, 0x4300d2, 0x4300b1 };

static bool is_clearing_code(uint64_t select)
{
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(clearing_codes); i++)
		if (select == clearing_codes[i])
			return true;
	return false;
}

/* Counters 0 to 3 are 0 and have codes of the workaround; each code occurs. */
static bool clears_all(const struct arch_cpu *s)
{
	unsigned int i, k, found = 0;

	for (i = 0; i < 4; i++) {
		if (!is_clearing_code(s->select[i]) || s->general[i].value)
			return false;
		for (k = 0; k < ARRAY_LEN(clearing_codes); k++)
			found |= (s->select[i] == clearing_codes[k]) << k;
	}
	return found == MASK64(ARRAY_LEN(clearing_codes));
}

/*
 * The counters are cleared when IA32_PERF_GLOBAL_CTRL enables all four of them with the codes
 * of the workaround and then none. They remain so until a counter is enabled again.
 */
void arch_quirk_global_ctrl(struct pmu_cpu *c, uint64_t before)
{
	struct arch_cpu *s = arch_cpu_of(c);
	struct arch_clearing *k = &s->clearing;
	uint64_t now = s->global_ctrl & CLEARED_COUNTERS;

	enable_fixed0(c, before);
	if (!c->pmu->options.quirks.aak100)
		return;
	if (now)
		k->cleared = 0;
	else if (k->armed)
		k->cleared = CLEARED_COUNTERS;
	k->armed = now == CLEARED_COUNTERS && !(before & CLEARED_COUNTERS) && clears_all(s);
}

/* A select has been written: the event is new unless it is the counter's last one. */
void arch_quirk_select(struct pmu_cpu *c, unsigned int i)
{
	struct arch_cpu *s = arch_cpu_of(c);
	struct arch_clearing *k = &s->clearing;
	uint32_t event = s->select[i] & SEL_CODE;

	if (!c->pmu->options.quirks.aak100 || !event || is_clearing_code(s->select[i]))
		return;
	if (k->cleared >> i & 1)
		k->stale &= ~(1u << i);
	else if (event != k->event[i])
		k->stale |= 1u << i;
	k->event[i] = event;
}

/* "may count at core frequency or not count at all": odd counters the one, even the other. */
static void miscount(struct pmu_counter *n, unsigned int i)
{
	if (i % 2)
		set_steps(n, 1);
	else
		n->prims = NULL;
}

/* ---- HSD29 ----------------------------------------------------------------- */

#define LEAKING_COUNTERS	4u

/* Events D0H to D3H: "memory at-retirement" events. */
static bool leaks(const struct arch_cpu *s, unsigned int i)
{
	unsigned int event = s->select[i] & 0xff;

	return s->general[i].active && event >= 0xd0 && event <= 0xd3;
}

static void set_leaks(struct arch_cpu *from, struct arch_cpu *to)
{
	struct pmu_counter *n, *target;
	unsigned int i;

	for (i = 0; i < LEAKING_COUNTERS; i++) {
		n = &from->general[i];
		target = &to->general[i];
		n->leak = leaks(from, i) && target->active ? target : NULL;
		target->leaked = n->leak ? n : NULL;
	}
}

/* The counters of c have been set up: both directions may have changed. */
void arch_quirk_leaks(struct pmu_cpu *c)
{
	struct pmu_cpu *other;

	if (!c->pmu->options.quirks.hsd29)
		return;
	other = pmu_sibling(c);
	set_leaks(arch_cpu_of(c), arch_cpu_of(other));
	set_leaks(arch_cpu_of(other), arch_cpu_of(c));
}

/* ---- Broadwell-EP ---------------------------------------------------------- */

#define BDW_COUNTERS	0xf0u	/* those that need the OS bit */

/* ---- Live migration -------------------------------------------------------- */

static uint64_t active_counters(const struct arch_cpu *s)
{
	uint64_t active = 0;
	unsigned int i;

	for (i = 0; i < ARCH_MAX_GENERAL; i++)
		active |= (uint64_t)s->general[i].active << i;
	for (i = 0; i < ARCH_MAX_FIXED; i++)
		active |= (uint64_t)s->fixed[i].active << (ARCH_FIXED_BIT + i);
	return active;
}

/* The counters of c have been set up. */
void arch_quirk_migration(struct pmu_cpu *c)
{
	if (active_counters(arch_cpu_of(c)) & c->pmu->options.quirks.migrate_counters)
		pmu_quirks_migration(c);
}

/* Nothing is left of counters that have stopped to exist. */
void arch_disable_missing(struct arch_cpu *s)
{
	uint64_t left = arch_enables(s->core_type);
	unsigned int i;

	for (i = 0; i < ARCH_MAX_GENERAL; i++)
		if (!(left >> i & 1))
			s->select[i] = 0;
	for (i = 0; i < ARCH_MAX_FIXED; i++)
		if (!(left >> (ARCH_FIXED_BIT + i) & 1))
			s->fixed_ctrl &= ~(0xfull << 4 * i);
	s->global_ctrl &= left;
	s->status &= s->core_type->status | STATUS_COND;
}

/* ---- All ------------------------------------------------------------------- */

/* What general counter i counts in spite of its select, which has been evaluated. */
void arch_quirk_general(struct pmu_cpu *c, unsigned int i)
{
	const struct pmu_quirks *q = &c->pmu->options.quirks;
	struct arch_cpu *s = arch_cpu_of(c);

	if (q->tfa && i == TFA_COUNTER && !(s->force_abort & TFA_RTM_FORCE_ABORT))
		use_by_microcode(&s->general[i]);
	if (q->aak100 && s->clearing.stale >> i & 1)
		miscount(&s->general[i], i);
	if (q->bdw47 && BDW_COUNTERS >> i & 1 && !(s->select[i] & SEL_OS))
		s->general[i].prims = NULL;
}

/* CPUID bits of the quirks. */
void arch_quirk_cpuid(const struct pmu_cpu *c, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
	if (c->pmu->options.quirks.tfa && leaf == 7 && !subleaf)
		regs[3] = (regs[3] & ~CPUID7_EDX_RTM_ALWAYS_ABORT) | CPUID7_EDX_FORCE_ABORT;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting of architectural performance monitoring: events, enable bits, overflow and reload
 *
 * Sections are of SDM Vol. 3B, chapter "Performance Monitoring".
 */
#include "pmu_arch.h"

/*
 * "Pre-defined Architectural Performance Events", table of unit masks and event
 * selects, in the order of the bits of CPUID.0AH:EBX.
 */
#define EVENT(event, umask, what, ...) \
	{ PMU_CODE(event, umask), .name = (what), .prims = { __VA_ARGS__ } }
#define IN_SLOTS(event, umask, what, units) \
	{ PMU_CODE(event, umask), .name = (what), .unit = (units), .prims = { PMU_STEP } }

static const struct pmu_event architectural[] = {
	EVENT(0x3c, 0x00, "UnHalted Core Cycles", PMU_STEP),
	EVENT(0xc0, 0x00, "Instruction Retired", PMU_INSN),
	EVENT(0x3c, 0x01, "UnHalted Reference Cycles", PMU_STEP),
	EVENT(0x2e, 0x4f, "LLC Reference", PMU_LLC_REF),
	EVENT(0x2e, 0x41, "LLC Misses", PMU_LLC_MISS),
	EVENT(0xc4, 0x00, "Branch Instruction Retired", PMU_BRANCHES),
	EVENT(0xc5, 0x00, "Branch Misses Retired", PMU_MISPREDICTED),
	IN_SLOTS(0xa4, 0x01, "Topdown Slots", PMU_SLOTS),
	/* README.md, "Slots": a taken branch loses one slot of its step; the others retire. */
	EVENT(0xa4, 0x02, "Topdown Backend Bound", PMU_NO_PRIM),
	EVENT(0x73, 0x00, "Topdown Bad Speculation", PMU_NO_PRIM),
	EVENT(0x9c, 0x01, "Topdown Frontend Bound", PMU_TAKEN),
	IN_SLOTS(0xc2, 0x02, "Topdown Retiring", PMU_SLOTS_RETIRING),
	EVENT(0xe4, 0x01, "LBR Inserts", PMU_NO_PRIM),
};

/*
 * "Architectural Performance Monitoring Version 2 Facilities", table of the
 * fixed counters; counter 3: Version 5; 4 to 6: Intel's event files for Skymont.
 */
#define FIXED(what, ...)	{ .name = (what), .prims = { __VA_ARGS__ } }

static const struct pmu_event fixed_events[] = {
	FIXED("INST_RETIRED.ANY", PMU_INSN),
	FIXED("CPU_CLK_UNHALTED.THREAD", PMU_STEP),
	FIXED("CPU_CLK_UNHALTED.REF_TSC", PMU_STEP),
	{ .name = "TOPDOWN.SLOTS", .unit = PMU_SLOTS, .prims = { PMU_STEP } },
	FIXED("TOPDOWN_BAD_SPECULATION", PMU_NO_PRIM),
	FIXED("TOPDOWN_FE_BOUND", PMU_TAKEN),
	{ .name = "TOPDOWN_RETIRING", .unit = PMU_SLOTS_RETIRING, .prims = { PMU_STEP } },
};

static const struct pmu_event *look_up(const struct arch *a, uint32_t code,
				       unsigned int counter)
{
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(architectural); i++)
		if (architectural[i].code == code && a->architectural >> i & 1)
			return &architectural[i];
	return pmu_part_event(a->part, code, counter);
}

static void set_event(const struct arch_cpu *s, struct pmu_counter *n,
		      const struct pmu_event *event)
{
	n->prims = event ? event->prims : NULL;
	if (event && event->extra_register)
		arch_extra_register_event(s, n, event);
	pmu_counter_unit(n, event, s->core_type->part);
}

/*
 * "... Version 2": a counter needs its bit in IA32_PERF_GLOBAL_CTRL and its own enable bit;
 * "... Version 4": CTR_FRZ disables all counters.
 */
static bool enabled(const struct pmu_cpu *c, unsigned int bit)
{
	const struct arch_cpu *s = arch_cpu_of(c);
	unsigned int version = arch_of(c)->version;

	if (version < 2)
		return true;
	if (version >= 4 && s->status & STATUS_CTR_FRZ)
		return false;
	return s->global_ctrl & BIT64(bit);
}

static void set_general(struct pmu_cpu *c, unsigned int i)
{
	struct arch_cpu *s = arch_cpu_of(c);
	struct pmu_counter *n = &s->general[i];
	uint64_t v = s->select[i];

	set_event(s, n,
		  look_up(s->core_type, (v & SEL_CODE) | (v & SEL_UMASK2) >> 24, i));
	n->privs = pmu_privs(v & SEL_OS, v & SEL_USR);
	n->others = v & SEL_ANY ? n->privs : 0;
	n->intr = v & SEL_INT;
	n->cmask = SEL_CMASK(v);
	n->inv = v & SEL_INV;
	n->equal = v & SEL_EQUAL;
	n->edge = v & SEL_EDGE;
	arch_quirk_general(c, i);
	pmu_counter_set(c, n, v & SEL_EN && enabled(c, i));
}

static void set_fixed(struct pmu_cpu *c, unsigned int i)
{
	struct arch_cpu *s = arch_cpu_of(c);
	struct pmu_counter *n = &s->fixed[i];
	unsigned int v = s->fixed_ctrl >> 4 * i & 0xf;

	set_event(s, n, i < ARRAY_LEN(fixed_events) ? &fixed_events[i] : NULL);
	n->privs = pmu_privs(v & FIXED_OS, v & FIXED_USR);
	n->others = v & FIXED_ANY ? n->privs : 0;
	n->intr = v & FIXED_PMI;
	pmu_counter_set(c, n, enabled(c, ARCH_FIXED_BIT + i));
}

/*
 * "Performance Metrics": the fields are fractions of what fixed counter 3 counts. Only frontend
 * bound and fetch latency occur here, beside retiring.
 */
static void set_metrics(struct pmu_cpu *c)
{
	struct arch_cpu *s = arch_cpu_of(c);
	const struct pmu_counter *slots = &s->fixed[ARCH_SLOTS];
	struct pmu_counter *n;
	unsigned int i;

	for (i = 0; i < s->core_type->metrics; i++) {
		n = &s->category[i];
		n->prims = i == ARCH_FRONTEND_BOUND || i == ARCH_FETCH_LATENCY ? pmu_taken : NULL;
		n->factor = 1;
		n->privs = slots->privs;
		n->others = slots->others;
		n->intr = slots->intr;
		pmu_counter_set(c, n, slots->active && enabled(c, ARCH_METRICS_BIT));
	}
}

static void set_counters(struct pmu_cpu *c)
{
	const struct arch *a = arch_of(c);
	unsigned int i;

	pmu_counters_stop(c);
	for (i = 0; i < ARCH_MAX_GENERAL; i++)
		set_general(c, i);
	for (i = 0; i < ARCH_MAX_FIXED; i++)
		if (a->fixed >> i & 1)
			set_fixed(c, i);
	set_metrics(c);
	arch_quirk_leaks(c);
	arch_quirk_migration(c);
}

/* To be called after the controls of this processor changed; its core is synchronised. */
void arch_update(struct pmu_cpu *c)
{
	set_counters(c);
	pmu_counters_update(c);
}

static unsigned int bit_of(const struct arch_cpu *s,
			   const struct pmu_counter *n)
{
	if (n >= s->fixed && n < s->fixed + ARCH_MAX_FIXED)
		return ARCH_FIXED_BIT + (n - s->fixed);
	if (n >= s->category && n < s->category + ARCH_CATEGORIES)
		return ARCH_METRICS_BIT;
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
	if (arch_of(c)->version >= 4)
		s->status |= STATUS_CTR_FRZ;
	else
		s->global_ctrl = 0;
	set_counters(c);
}

static struct pmu_counter *counter_of(struct arch_cpu *s, unsigned int bit)
{
	return bit < ARCH_FIXED_BIT ? &s->general[bit] : &s->fixed[bit - ARCH_FIXED_BIT];
}

/*
 * "Auto Counter Reload": this counter wrapped. All increments of this step, those of the
 * reloaded counters included, have been added already.
 */
static void reload(struct arch_cpu *s, unsigned int cause)
{
	struct pmu_counter *n;
	unsigned int bit;

	for (bit = 0; bit < ARCH_BITS; bit++) {
		if (!(s->causes[bit] >> cause & 1))
			continue;
		n = counter_of(s, bit);
		n->value = arch_extend(s->reload[bit]) & n->mask;
	}
}

/* "Auto Counter Reload": the overflow bit of a counter that reloads itself stays clear. */
void arch_wrapped(struct pmu_cpu *c, struct pmu_counter *n)
{
	struct arch_cpu *s = arch_cpu_of(c);
	unsigned int bit = bit_of(s, n);
	bool lost = n->close && n->intr;

	n->close = false;
	if (lost)
		return;
	if (n->intr)
		s->unacknowledged |= BIT64(bit);
	if (bit >= ARCH_BITS || !(s->causes[bit] >> bit & 1))
		s->status |= BIT64(bit);
	reload(s, bit);
}

void arch_interrupt(struct pmu_cpu *c)
{
	arch_quirk_interrupt(c);
	freeze(c);
	pmu_request(c);
}

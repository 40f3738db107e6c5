// SPDX-License-Identifier: GPL-2.0-only
/*
 * The eighteen counters of NetBurst processors (Pentium 4, Celeron D, Xeon), with and without
 * Hyper-Threading
 *
 * Intel's SDM Vol. 3B, "Performance Monitoring (Processors Based on Intel NetBurst
 * Microarchitecture)": "ESCR MSRs", "Performance Counters", "CCCR MSRs", "Programming the
 * Performance Counters for Non-Retirement Events"; "Performance Monitoring and Intel
 * Hyper-Threading Technology in Processors Based on Intel NetBurst Microarchitecture". Every
 * modelled event is "TS" in the table "Event Mask Qualification for Logical Processors".
 * Addresses and the models that have them: Vol. 4, table "MSRs in the Pentium 4 and Intel
 * Xeon Processors".
 */
#include <stdlib.h>

#include "pmu_netburst.h"
#include "pmu_regs.h"

#define NCOUNTERS	18u
#define WIDTH		40u

#define COUNTER0	0x300u
#define CCCR0		0x360u
#define ESCR_FIRST	0x3a0u
#define ESCR_LAST	0x3e1u
#define NESCRS		(ESCR_LAST - ESCR_FIRST + 1)
#define PEBS_MATRIX_VERT 0x3f2u

/*
 * "ESCR MSRs": figures of the layouts without and with Hyper-Threading. T0 is the
 * logical processor with the even number.
 */
#define ESCR_T1_USR	BIT64(0)
#define ESCR_T1_OS	BIT64(1)
#define ESCR_T0_USR	BIT64(2)
#define ESCR_T0_OS	BIT64(3)
#define ESCR_MASK(v)	((v) >> 9 & 0xffff)
#define ESCR_SELECT(v)	((v) >> 25 & 0x3f)
#define ESCR_BITS	0x7ffffffcull
#define ESCR_BITS_HT	0x7fffffffull

/* "CCCR MSRs": figures of the layouts without and with Hyper-Threading. */
#define CCCR_ENABLE	BIT64(12)
#define CCCR_ESCR(v)	((v) >> 13 & 7)
#define CCCR_THREADS(v)	((v) >> 16 & 3)	/* "must be set to 11B" without HT */
#define CCCR_ANY	3
#define CCCR_COMPARE	BIT64(18)
#define CCCR_COMPLEMENT	BIT64(19)
#define CCCR_THRESHOLD(v) ((v) >> 20 & 0xf)
#define CCCR_EDGE	BIT64(24)
#define CCCR_FORCE_OVF	BIT64(25)
#define CCCR_OVF_PMI(v)	((v) >> 26 & 3)	/* T0, T1 */
#define CCCR_CASCADE	BIT64(30)
#define CCCR_OVF	BIT64(31)
#define CCCR_BITS	0xc7fff000ull
#define CCCR_BITS_HT	0xcffff000ull

#define RDPMC_FAST	BIT64(31)

#define N15_CARRY	BIT64(32)	/* what the option n15 adds */

/*
 * Registers of a core, which its logical processors share (Vol. 4: "Shared"); last is the MSR that
 * was written last.
 */
struct netburst_core {
	uint64_t escr[NESCRS];
	uint64_t cccr[NCOUNTERS];
	struct pmu_counter counter[NCOUNTERS];
	struct netburst_l3_regs l3;
	uint32_t last;
};

#define X_UNIT(name, first, in, number) { (first), (in), (number) },

static const struct unit {
	uint32_t msr;
	enum netburst_block block;
	unsigned int select;
} units[NETBURST_NUNITS] = { NETBURST_UNITS(X_UNIT) };

static struct netburst_core *state_of(const struct pmu_cpu *c)
{
	return (struct netburst_core *)c->state;
}

static bool has_threads(const struct pmu *pmu)
{
	return pmu->machine.threads > 1;
}

/* The logical processor that holds the core's counters in the model. */
static struct pmu_cpu *first_of(struct pmu_cpu *c)
{
	return &c->pmu->cpu[c->id - c->id % c->pmu->machine.threads];
}

/* ---- ESCRs and counters ---------------------------------------------------- */

static enum netburst_block block_of(unsigned int counter)
{
	return counter < 16 ? counter / 4 : NETBURST_IQ;
}

/* The first pair of a block, and counter 16, use the first ESCRs. */
static unsigned int pair_of(unsigned int counter)
{
	return counter < 16 ? counter / 2 % 2 : counter % 2;
}

/* Some units have ESCRs only on some parts; SSU has a single one. */
static bool has_escr(const struct pmu *pmu, enum netburst_unit unit,
		     unsigned int pair)
{
	if (unit == UNIT_IQ)
		return pmu->cpu_is.model <= 2;
	return unit != UNIT_SSU || !pair;
}

/* Return: the unit that counter i counts with this ESCR select, or -1. */
static int unit_of(const struct pmu *pmu, unsigned int i, unsigned int select)
{
	unsigned int u;

	for (u = 0; u < NETBURST_NUNITS; u++)
		if (units[u].block == block_of(i) && units[u].select == select)
			return has_escr(pmu, u, pair_of(i)) ? (int)u : -1;
	return -1;
}

static bool is_escr(const struct pmu *pmu, uint32_t msr)
{
	unsigned int u;

	for (u = 0; u < NETBURST_NUNITS; u++)
		if (pmu_in(msr, units[u].msr, 2))
			return has_escr(pmu, u, msr - units[u].msr);
	return false;
}

/* "Cascading Counters": Return: the counter that starts this one by its overflow. */
static unsigned int starter_of(unsigned int counter)
{
	return counter < 16 ? counter ^ 2 : counter - 2;
}

/* ---- counting ------------------------------------------------------------- */

static bool is_in(const uint8_t *list, unsigned int n, uint8_t prim)
{
	while (n--)
		if (list[n] == prim)
			return true;
	return false;
}

/* An occurrence that several bits of the mask select counts once. */
static void choose(struct pmu_cpu *c, struct pmu_counter *n, unsigned int unit,
		   uint64_t escr)
{
	const struct pmu_event *event;
	unsigned int bit, k = 0;
	const uint8_t *p;

	for (bit = 0; bit < 16; bit++) {
		event = pmu_part_event(c->pmu->part,
				       NETBURST_CODE(unit, ESCR_SELECT(escr), bit), 0);
		if (!event || !(ESCR_MASK(escr) >> bit & 1))
			continue;
		for (p = event->prims; *p; p++)
			if (!is_in(n->own_prims, k, *p))
				n->own_prims[k++] = *p;
	}
	n->own_prims[k] = PMU_NO_PRIM;
	n->prims = n->own_prims;
}

/* Complement, threshold and edge have no effect without compare. */
static void set_filter(struct pmu_counter *n, uint64_t cccr)
{
	bool compare = cccr & CCCR_COMPARE;

	n->cmask = compare ? CCCR_THRESHOLD(cccr) + 1 : 0;
	n->inv = compare && cccr & CCCR_COMPLEMENT;
	n->edge = compare && cccr & CCCR_EDGE;
}

/* "Active thread field" */
static enum pmu_when when(const struct pmu *pmu, uint64_t cccr)
{
	static const enum pmu_when field[] = {
		PMU_WHEN_NONE, PMU_WHEN_SINGLE, PMU_WHEN_ALL, PMU_WHEN_ANY,
	};

	if (!has_threads(pmu) && CCCR_THREADS(cccr) != CCCR_ANY)
		return PMU_WHEN_NONE;
	return field[CCCR_THREADS(cccr)];
}

/* Return: the ESCR of this unit for counter i; 0 if there is none. */
static uint64_t escr_of(const struct netburst_core *s, unsigned int i, int unit)
{
	return unit < 0 ? 0 : s->escr[units[unit].msr + pair_of(i) - ESCR_FIRST];
}

/* c is the first logical processor of its core. */
static void set_counter(struct pmu_cpu *c, unsigned int i)
{
	struct netburst_core *s = state_of(c);
	struct pmu_counter *n = &s->counter[i];
	uint64_t cccr = s->cccr[i];
	int unit = unit_of(c->pmu, i, CCCR_ESCR(cccr));
	uint64_t escr = escr_of(s, i, unit);

	n->prims = NULL;
	if (unit >= 0)
		choose(c, n, unit, escr);
	n->factor = 1;
	n->privs = pmu_privs(escr & ESCR_T0_OS, escr & ESCR_T0_USR);
	n->others = pmu_privs(escr & ESCR_T1_OS, escr & ESCR_T1_USR);
	n->when = when(c->pmu, cccr);
	set_filter(n, cccr);
	n->force = cccr & CCCR_FORCE_OVF;
	n->alarm = cccr & CCCR_OVF ? CCCR_OVF_PMI(cccr) : 0;
	pmu_counter_set(c, n, cccr & CCCR_ENABLE && n->when != PMU_WHEN_NONE);
}

static void update(struct pmu_cpu *c)
{
	unsigned int i;

	c = first_of(c);
	pmu_counters_stop(c);
	for (i = 0; i < NCOUNTERS; i++)
		set_counter(c, i);
	if (c->pmu->cpu_is.l3)
		pmu_l3_set(c, &state_of(c)->l3);
	pmu_counters_update(c);
}

/* The next event interrupts: see struct pmu_counter.alarm. */
static void wrapped(struct pmu_cpu *c, struct pmu_counter *n)
{
	struct netburst_core *s = state_of(c);
	unsigned int i, from;

	if (pmu_l3_wrapped(&s->l3, n))
		return;
	from = n - s->counter;
	s->cccr[from] |= CCCR_OVF;
	n->alarm = CCCR_OVF_PMI(s->cccr[from]);
	for (i = 0; i < NCOUNTERS; i++) {
		if (starter_of(i) != from || !(s->cccr[i] & CCCR_CASCADE) ||
		    s->cccr[i] & CCCR_ENABLE)
			continue;
		s->cccr[i] |= CCCR_ENABLE;
		set_counter(c, i);
	}
}

/* ---- creation ------------------------------------------------------------- */

/* Models without a table of events here are left to the emulator. */
static bool recognise(const struct pmu *pmu)
{
	return pmu_is_intel(pmu, 0xf) && pmu->part->family == 0xf;
}

static int create(struct pmu *pmu, char *error, size_t size)
{
	unsigned int i;

	if (pmu_reject_arch_options(pmu, error, size))
		return -1;
	if (pmu->machine.threads > 2) {
		snprintf(error, size, "PMU: a NetBurst core has at most two logical processors; use --threads 1 or 2");
		return -1;
	}
	for (i = 0; i < pmu->machine.cpus; i++)
		pmu->cpu[i].state = i % pmu->machine.threads ?
			pmu->cpu[i - 1].state : calloc(1, sizeof(struct netburst_core));
	return 0;
}

static void destroy(struct pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < pmu->machine.cpus; i += pmu->machine.threads)
		free(pmu->cpu[i].state);
}

static void reset(struct pmu_cpu *c)
{
	struct netburst_core *s = state_of(c);
	unsigned int i;

	*s = (struct netburst_core){ 0 };
	for (i = 0; i < NCOUNTERS; i++)
		s->counter[i].mask = MASK64(pmu_width(c->pmu, WIDTH));
	pmu_l3_reset(&s->l3);
	update(c);
}

/* ---- registers ------------------------------------------------------------ */

static bool is_counter(uint32_t msr)
{
	return pmu_in(msr, COUNTER0, NCOUNTERS);
}

static bool is_cccr(uint32_t msr)
{
	return pmu_in(msr, CCCR0, NCOUNTERS);
}

bool pmu_is_netburst_msr(uint32_t msr)
{
	return is_counter(msr) || is_cccr(msr) || pmu_in(msr, ESCR_FIRST, NESCRS) ||
	       msr == IA32_PEBS_ENABLE || msr == PEBS_MATRIX_VERT ||
	       msr == IA32_DS_AREA || msr == IA32_MISC_ENABLE || pmu_is_l3_msr(msr);
}

static bool owns(const struct pmu *pmu, uint32_t msr)
{
	(void)pmu;
	return pmu_is_netburst_msr(msr);
}

/* There is no debug store: its MSRs fault. */
static enum pmu_result check_rdmsr(struct pmu_cpu *c, uint32_t msr)
{
	if (is_counter(msr) || is_cccr(msr) || is_escr(c->pmu, msr) ||
	    msr == IA32_MISC_ENABLE || (c->pmu->cpu_is.l3 && pmu_is_l3_msr(msr)))
		return PMU_OK;
	return PMU_GP;
}

static uint64_t rdmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	const struct netburst_core *s = state_of(c);

	if (is_counter(msr))
		return s->counter[msr - COUNTER0].value;
	if (is_cccr(msr))
		return s->cccr[msr - CCCR0];
	if (msr == IA32_MISC_ENABLE)
		return pmu_misc_enable(value);
	if (pmu_is_l3_msr(msr))
		return pmu_l3_rdmsr(&s->l3, msr);
	return s->escr[msr - ESCR_FIRST];
}

/* Vol. 2B, WRMSR: setting a reserved bit faults. */
static enum pmu_result check_wrmsr(struct pmu_cpu *c, uint32_t msr,
				   uint64_t value)
{
	uint64_t bits = ~0ull;

	if (msr == IA32_MISC_ENABLE)
		return PMU_NONE;
	if (check_rdmsr(c, msr) != PMU_OK)
		return PMU_GP;
	if (pmu_is_l3_msr(msr))
		return pmu_l3_can_write(msr, value) ? PMU_OK : PMU_GP;
	if (is_cccr(msr))
		bits = has_threads(c->pmu) ? CCCR_BITS_HT : CCCR_BITS;
	else if (!is_counter(msr))
		bits = has_threads(c->pmu) ? ESCR_BITS_HT : ESCR_BITS;
	return value & ~bits ? PMU_GP : PMU_OK;
}

/*
 * The option n15. Erratum O8: "the performance counter will be incremented by the value on that
 * event counter", which "may cause a carry to the upper bits", unless the event is null and
 * compare is 0.
 */
static uint64_t increment(const struct pmu_cpu *c, unsigned int i)
{
	const struct netburst_core *s = state_of(c);
	int unit = unit_of(c->pmu, i, CCCR_ESCR(s->cccr[i]));
	bool null = !ESCR_MASK(escr_of(s, i, unit)) && !(s->cccr[i] & CCCR_COMPARE);
	bool again = s->last == COUNTER0 + i;

	return c->pmu->options.quirks.n15 && !null && !again ? N15_CARRY : 0;
}

/* "Performance Counters": a write sets all 40 bits, those of a negative number too. */
static void wrmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	struct netburst_core *s = state_of(c);
	struct pmu_counter *n;

	if (is_counter(msr)) {
		n = &s->counter[msr - COUNTER0];
		n->value = (value + increment(c, msr - COUNTER0)) & n->mask;
		s->last = msr;
		pmu_counters_update(c);
		return;
	}
	s->last = msr;
	if (pmu_is_l3_msr(msr))
		pmu_l3_wrmsr(&s->l3, msr, value);
	else if (is_cccr(msr))
		s->cccr[msr - CCCR0] = value;
	else
		s->escr[msr - ESCR_FIRST] = value;
	update(c);
}

/*
 * Vol. 2B, RDPMC: bit 31 selects the 32-bit form of the first 18 counters. The counters of the
 * L3 cache have 32 bits in either form.
 */
static enum pmu_result check_rdpmc(struct pmu_cpu *c, uint32_t index)
{
	unsigned int n = NCOUNTERS + (c->pmu->cpu_is.l3 ? NETBURST_L3_N : 0);

	return (index & ~RDPMC_FAST) < n ? PMU_OK : PMU_GP;
}

static uint64_t rdpmc(struct pmu_cpu *c, uint32_t index)
{
	const struct netburst_core *s = state_of(c);
	unsigned int i = index & ~RDPMC_FAST;
	uint64_t value;

	if (i >= NCOUNTERS)
		return pmu_l3_rdmsr(&s->l3, NETBURST_L3_MSR + i - NCOUNTERS) & 0xffffffff;
	value = s->counter[i].value;
	return index & RDPMC_FAST ? value & 0xffffffff : value;
}

static void cpuid(const struct pmu_cpu *c, uint32_t leaf, uint32_t subleaf,
		  uint32_t regs[4])
{
	pmu_cpuid_no_store(leaf, subleaf, regs);
	pmu_l3_cpuid(c->pmu, leaf, subleaf, regs);
}

static void dump(struct pmu_cpu *c, FILE *file)
{
	const struct netburst_core *s = state_of(c);
	char name[32];
	uint32_t msr;
	unsigned int i;

	for (i = 0; i < NCOUNTERS; i++) {
		pmu_dump_one_of(file, "CCCR", i, s->cccr[i]);
		pmu_dump_one_of(file, "COUNTER", i, s->counter[i].value);
	}
	for (msr = ESCR_FIRST; msr <= ESCR_LAST; msr++) {
		if (!is_escr(c->pmu, msr))
			continue;
		snprintf(name, sizeof(name), "ESCR %xH", msr);
		pmu_dump(file, name, s->escr[msr - ESCR_FIRST]);
	}
	if (c->pmu->cpu_is.l3)
		pmu_l3_dump(&s->l3, file);
}

const struct pmu_family pmu_netburst = {
	.name = "NetBurst",
	.user_cpl = 1,
	.recognise = recognise,
	.create = create,
	.destroy = destroy,
	.reset = reset,
	.cpuid = cpuid,
	.owns = owns,
	.check_rdmsr = check_rdmsr,
	.rdmsr = rdmsr,
	.check_wrmsr = check_wrmsr,
	.wrmsr = wrmsr,
	.check_rdpmc = check_rdpmc,
	.rdpmc = rdpmc,
	.wrapped = wrapped,
	.dump = dump,
};

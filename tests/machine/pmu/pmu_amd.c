// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of AMD's counters from K7 on. pmu_amd.h lists the sources.
 *
 * The counters of the north bridge (or data fabric) and of the last-level cache are
 * registers that keep what is written and count nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "pmu_amd.h"

#define MAX_SHARED	6u

/** struct shared_block - counters that all processors share
 * @feature: bit of CPUID 80000001H:ECX
 * @msr: the first select; the first counter is the next MSR
 * @rdpmc: RDPMC index of the first counter
 * @n: number of counters
 */
struct shared_block {
	uint32_t feature;
	uint32_t msr;
	uint32_t rdpmc;
	uint32_t n;
};

static const struct shared_block blocks[] = {
	{ AMD_ECX_NB, 0xc0010240, 6, 4 },
	{ AMD_ECX_LLC, 0xc0010230, 10, 6 },
};

#define NBLOCKS		ARRAY_LEN(blocks)

/** struct amd - state that is common to all processors
 * @n: counters of a core
 * @counters: those with registers that work, a bit each
 * @control: the global registers of PerfMonV2 work
 * @features: CPUID 80000001H:ECX
 * @v2: PerfMonV2
 * @select_bits: bits of a select that are kept
 * @shared: selects and counters of each block, by their MSRs
 */
struct amd {
	unsigned int n;
	uint64_t counters;
	bool control;
	uint32_t features;
	bool v2;
	uint64_t select_bits;
	uint64_t shared[NBLOCKS][2 * MAX_SHARED];
};

struct amd_cpu {
	uint64_t select[AMD_MAX];
	struct pmu_counter counter[AMD_MAX];
	uint64_t global_ctl;
	uint64_t status;
	uint64_t debugctl;
	bool lost;		/* the option zen1 dropped the last interrupt */
};

static struct amd *amd_of(const struct pmu *pmu)
{
	return (struct amd *)pmu->state;
}

static struct amd_cpu *state_of(const struct pmu_cpu *c)
{
	return (struct amd_cpu *)c->state;
}

/* K6 has no counters. */
static bool recognise(const struct pmu *pmu)
{
	return pmu->cpu_is.amd && pmu->cpu_is.family >= 6;
}

/*
 * Bits 35:32 and 41:40 exist from family 10H on. Bit 21 and the others are reserved: a Milan
 * clears them without a fault, except 19 and 42, which it keeps (Linux commit 9b026073db2f);
 * the model assumes the same for other families. Bit 19 was pin control on K7 and K8.
 */
static uint64_t select_bits(const struct pmu *pmu)
{
	uint64_t bits = 0xffffffff & ~BIT64(21);

	if (pmu->cpu_is.family >= 0x10)
		bits |= MASK64(4) << 32 | AMD_SEL_GUEST | AMD_SEL_HOST;
	if (pmu->cpu_is.family >= 0x17)
		bits |= BIT64(42);
	return bits;
}

/* The core extension: six counters. */
bool pmu_amd_has_core_extension(const struct pmu *pmu)
{
	uint32_t regs[4];

	pmu_cpuid_raw(pmu, AMD_CPUID_FEATURES, 0, regs);
	return recognise(pmu) && regs[2] & AMD_ECX_CORE;
}

/* The registers of these counters fault although CPUID enumerates them. */
static void remove_counters(struct amd *a, uint64_t counters)
{
	a->counters &= ~counters;
	a->control = a->control && !(counters >> AMD_CONTROL_BIT);
}

static int check_options(const struct pmu *pmu, char *error, size_t size)
{
	const struct amd *a = amd_of(pmu);
	uint64_t enumerated = MASK64(a->n) | (a->v2 ? BIT64(AMD_CONTROL_BIT) : 0);

	if (pmu_check_faulting("faulting=", pmu->options.faulting, enumerated, error, size) ||
	    pmu_check_faulting("migrate=N:", pmu->options.quirks.migrate_counters, enumerated,
			       error, size))
		return -1;
	return pmu_reject_arch_options(pmu, error, size);
}

static int create(struct pmu *pmu, char *error, size_t size)
{
	struct amd *a = calloc(1, sizeof(*a));
	uint32_t regs[4];
	unsigned int i;

	pmu->state = a;
	for (i = 0; i < pmu->machine.cpus; i++)
		pmu->cpu[i].state = calloc(1, sizeof(struct amd_cpu));
	pmu_cpuid_raw(pmu, AMD_CPUID_FEATURES, 0, regs);
	a->features = regs[2];
	a->n = a->features & AMD_ECX_CORE ? AMD_MAX : AMD_LEGACY;
	a->v2 = pmu->options.perfmon_v2;
	a->select_bits = select_bits(pmu);
	a->counters = MASK64(a->n);
	a->control = a->v2;
	remove_counters(a, pmu->options.faulting);
	return check_options(pmu, error, size);
}

static void destroy(struct pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < pmu->machine.cpus; i++)
		free(pmu->cpu[i].state);
	free(pmu->state);
}

/* ---- counting ------------------------------------------------------------- */

/*
 * "Host/Guest Only": with either or both bits the counter counts "if EFER[SVME] = 1" (table
 * 13-4), and the emulator has no SVM. Linux commit 1018faa6cf23 (2012) found the same. Newer
 * parts are reported to ignore the bits in that case (KVM's tests of 2026).
 */
static bool enabled(const struct pmu_cpu *c, unsigned int i)
{
	const struct amd_cpu *s = state_of(c);

	if (amd_of(c->pmu)->v2 &&
	    (!(s->global_ctl >> i & 1) || s->status & AMD_STATUS_FROZEN))
		return false;
	return s->select[i] & AMD_SEL_EN &&
	       !(s->select[i] & (AMD_SEL_GUEST | AMD_SEL_HOST));
}

/*
 * Handlers run as PMU_KERNEL. An event counted in user mode only therefore drops them, and
 * then is bounded.
 */
static void without_handlers(struct pmu_counter *n)
{
	const uint8_t *p;
	unsigned int k = 0;

	if (!n->prims || n->privs & 1u << PMU_KERNEL)
		return;
	for (p = n->prims; *p; p++)
		if (*p != PMU_HANDLER)
			n->own_prims[k++] = *p;
	n->own_prims[k] = PMU_NO_PRIM;
	n->prims = n->own_prims;
}

static void set_counters(struct pmu_cpu *c)
{
	uint64_t migrating = c->pmu->options.quirks.migrate_counters;
	struct amd_cpu *s = state_of(c);
	const struct pmu_event *event;
	struct pmu_counter *n;
	unsigned int i;
	uint64_t v;

	pmu_counters_stop(c);
	for (i = 0; i < amd_of(c->pmu)->n; i++) {
		n = &s->counter[i];
		v = s->select[i];
		event = pmu_part_event(c->pmu->part, AMD_SEL_CODE(v), i);
		pmu_counter_event(n, event, AMD_SEL_CODE(v));
		n->factor = 1;
		n->privs = pmu_privs(v & AMD_SEL_OS, v & AMD_SEL_USR);
		without_handlers(n);
		n->intr = v & AMD_SEL_INT;
		n->cmask = AMD_SEL_CMASK(v);
		n->inv = v & AMD_SEL_INV;
		n->edge = v & AMD_SEL_EDGE;
		pmu_counter_set(c, n, enabled(c, i));
		if (n->active && migrating >> i & 1)
			pmu_quirks_migration(c);
	}
}

static void update(struct pmu_cpu *c)
{
	set_counters(c);
	pmu_counters_update(c);
}

/* All counters are enabled globally: a kernel without PerfMonV2 support can count. */
static void reset(struct pmu_cpu *c)
{
	const struct amd *a = amd_of(c->pmu);
	struct amd_cpu *s = state_of(c);
	unsigned int i;

	*s = (struct amd_cpu){ 0 };
	for (i = 0; i < AMD_MAX; i++)
		s->counter[i].mask = MASK64(pmu_width(c->pmu, AMD_WIDTH));
	if (a->v2)
		s->global_ctl = a->counters;
	update(c);
}

/* All but DebugCtl, and what the processors share. */
static void clear(struct pmu_cpu *c)
{
	struct amd_cpu *s = state_of(c);
	unsigned int i;

	memset(s->select, 0, sizeof(s->select));
	for (i = 0; i < AMD_MAX; i++)
		s->counter[i].value = 0;
	s->global_ctl = 0;
	s->status = 0;
	update(c);
}

static void lose(struct pmu_cpu *c, uint64_t counters)
{
	struct amd_cpu *s = state_of(c);
	unsigned int i;

	for (i = 0; i < AMD_MAX; i++)
		if (counters >> i & 1)
			s->select[i] = 0;
	s->global_ctl &= ~counters;
	s->status &= ~counters;
	update(c);
}

/* The option migrate: nothing is left of these counters on any processor. */
static void migrate(struct pmu *pmu)
{
	uint64_t counters = pmu->options.quirks.migrate_counters;
	unsigned int i;

	remove_counters(amd_of(pmu), counters);
	for (i = 0; i < pmu->machine.cpus; i++)
		lose(&pmu->cpu[i], counters);
}

static void wrapped(struct pmu_cpu *c, struct pmu_counter *n)
{
	struct amd_cpu *s = state_of(c);

	if (amd_of(c->pmu)->v2)
		s->status |= BIT64(n - s->counter);
}

/* The option zen1: with two or more counters enabled, every second interrupt is lost. */
static bool is_lost(struct pmu_cpu *c)
{
	struct amd_cpu *s = state_of(c);

	if (!c->pmu->options.quirks.zen1 || c->nactive < 2)
		return false;
	s->lost = !s->lost;
	return !s->lost;
}

static void interrupt(struct pmu_cpu *c)
{
	struct amd_cpu *s = state_of(c);

	if (is_lost(c))
		return;
	if (c->pmu->options.quirks.status)
		s->status |= AMD_STATUS_RESERVED;
	if (s->debugctl & AMD_DEBUG_FREEZE) {
		s->status |= AMD_STATUS_FROZEN;
		set_counters(c);
	}
	pmu_request(c);
}

/* ---- registers ------------------------------------------------------------ */

enum kind { OTHER, SELECT, COUNTER, GLOBAL, SHARED };

/** struct msr_location - what an MSR is
 * @kind: its kind
 * @i: number within its kind; for SHARED, the MSR's number within the block
 * @block: for SHARED, the block
 */
struct msr_location {
	enum kind kind;
	unsigned int i;
	unsigned int block;
};

static struct msr_location shared_at(const struct amd *a, uint32_t msr)
{
	struct msr_location w = { .kind = OTHER };
	unsigned int k;

	for (k = 0; k < NBLOCKS; k++)
		if (a->features & blocks[k].feature &&
		    pmu_in(msr, blocks[k].msr, 2 * blocks[k].n))
			w = (struct msr_location){ SHARED, msr - blocks[k].msr, k };
	return w;
}

/* A register of counter i, if its registers work */
static struct msr_location core_at(const struct amd *a, enum kind what, unsigned int i)
{
	return (struct msr_location){ a->counters >> i & 1 ? what : OTHER, i, 0 };
}

static struct msr_location find(const struct pmu *pmu, uint32_t msr)
{
	const struct amd *a = amd_of(pmu);

	if (pmu_in(msr, AMD_PERFEVTSEL0, AMD_LEGACY))
		return core_at(a, SELECT, msr - AMD_PERFEVTSEL0);
	if (pmu_in(msr, AMD_PERFCTR0, AMD_LEGACY))
		return core_at(a, COUNTER, msr - AMD_PERFCTR0);
	if (a->features & AMD_ECX_CORE && pmu_in(msr, AMD_PERF_CTL0, 2 * AMD_MAX)) {
		msr -= AMD_PERF_CTL0;
		return core_at(a, msr & 1 ? COUNTER : SELECT, msr / 2);
	}
	if ((a->control && pmu_in(msr, AMD_GLOBAL_STATUS, 4)) || (a->v2 && msr == IA32_DEBUGCTL))
		return (struct msr_location){ GLOBAL, 0, 0 };
	return shared_at(a, msr);
}

/* The MSRs of all parts. */
bool pmu_is_amd_msr(uint32_t msr)
{
	return pmu_in(msr, AMD_PERFEVTSEL0, 2 * AMD_LEGACY) ||
	       pmu_in(msr, AMD_PERF_CTL0, 2 * AMD_MAX) ||
	       pmu_in(msr, blocks[0].msr, 2 * blocks[0].n) ||
	       pmu_in(msr, blocks[1].msr, 2 * blocks[1].n) ||
	       pmu_in(msr, AMD_GLOBAL_STATUS, 4);
}

/* MSRs that another part has fault. */
static bool owns(const struct pmu *pmu, uint32_t msr)
{
	return pmu_is_amd_msr(msr) || find(pmu, msr).kind != OTHER;
}

static enum pmu_result check_rdmsr(struct pmu_cpu *c, uint32_t msr)
{
	return find(c->pmu, msr).kind == OTHER ? PMU_GP : PMU_OK;
}

/* The registers that clear and set status bits read as 0. */
static uint64_t read_global(const struct amd_cpu *s, uint32_t msr)
{
	switch (msr) {
	case AMD_GLOBAL_STATUS:
		return s->status;
	case AMD_GLOBAL_CTL:
		return s->global_ctl;
	case IA32_DEBUGCTL:
		return s->debugctl;
	default:
		return 0;
	}
}

static uint64_t rdmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	const struct msr_location w = find(c->pmu, msr);
	const struct amd_cpu *s = state_of(c);

	switch (w.kind) {
	case SELECT:
		return s->select[w.i];
	case COUNTER:
		return s->counter[w.i].value;
	case SHARED:
		return amd_of(c->pmu)->shared[w.block][w.i];
	case GLOBAL:
		return read_global(s, msr);
	default:
		return value;
	}
}

/*
 * No write to an existing register faults: reserved bits of a select are cleared, those of
 * counters and global registers are ignored, and so are writes to the status register (Linux
 * commit 4a2771895ca6, "AMD ignores writes to reserved bits and read-only PMU MSRs").
 */
static enum pmu_result check_wrmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	(void)value;
	return check_rdmsr(c, msr);
}

static void write_global(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	uint64_t counters = amd_of(c->pmu)->counters;
	struct amd_cpu *s = state_of(c);

	switch (msr) {
	case AMD_GLOBAL_CTL:
		s->global_ctl = value & counters;
		break;
	case AMD_GLOBAL_STATUS_CLR:
		s->status &= ~value;
		break;
	case AMD_GLOBAL_STATUS_SET:
		s->status |= value & (counters | AMD_STATUS_FROZEN);
		break;
	case IA32_DEBUGCTL:
		s->debugctl = value;
		break;
	}
}

static void wrmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	const struct msr_location w = find(c->pmu, msr);
	struct amd *a = amd_of(c->pmu);
	struct amd_cpu *s = state_of(c);

	switch (w.kind) {
	case SELECT:
		s->select[w.i] = value & a->select_bits;
		break;
	case COUNTER:
		s->counter[w.i].value = value & s->counter[w.i].mask;
		break;
	case SHARED:
		a->shared[w.block][w.i] = w.i & 1 ? value & MASK64(AMD_WIDTH) : value;
		break;
	case GLOBAL:
		write_global(c, msr, value);
		break;
	default:
		break;
	}
	update(c);
}

/* Return: the block of counters that has this index, or -1. */
static int block_of(const struct pmu *pmu, uint32_t index)
{
	unsigned int k;

	for (k = 0; k < NBLOCKS; k++)
		if (amd_of(pmu)->features & blocks[k].feature &&
		    pmu_in(index, blocks[k].rdpmc, blocks[k].n))
			return k;
	return -1;
}

/* Volume 3, RDPMC: all of ECX is the index. */
static enum pmu_result check_rdpmc(struct pmu_cpu *c, uint32_t index)
{
	if (index < AMD_MAX && amd_of(c->pmu)->counters >> index & 1)
		return PMU_OK;
	return block_of(c->pmu, index) >= 0 ? PMU_OK : PMU_GP;
}

static uint64_t rdpmc(struct pmu_cpu *c, uint32_t index)
{
	int k = block_of(c->pmu, index);

	if (k < 0)
		return state_of(c)->counter[index].value;
	return amd_of(c->pmu)->shared[k][2 * (index - blocks[k].rdpmc) + 1];
}

/* ---- CPUID ---------------------------------------------------------------- */

/* Instruction-based sampling is not reported; the leaves in between are reserved. */
static void cpuid(const struct pmu_cpu *c, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
	const struct amd *a = amd_of(c->pmu);
	uint32_t most[4];

	(void)subleaf;
	if (leaf == AMD_CPUID_FEATURES)
		regs[2] &= ~AMD_ECX_IBS;
	if (!a->v2)
		return;
	pmu_cpuid_raw(c->pmu, AMD_CPUID_MAX, 0, most);
	if (leaf > most[0] && leaf <= AMD_CPUID_PERFMON)
		memset(regs, 0, 4 * sizeof(*regs));
	if (leaf == AMD_CPUID_MAX && regs[0] < AMD_CPUID_PERFMON)
		regs[0] = AMD_CPUID_PERFMON;
	if (leaf == AMD_CPUID_PERFMON) {
		regs[0] = AMD_EAX_V2 | AMD_EAX_FREEZE;
		regs[1] = a->n;
	}
}

static void dump(struct pmu_cpu *c, FILE *file)
{
	const struct amd *a = amd_of(c->pmu);
	const struct amd_cpu *s = state_of(c);
	unsigned int i;

	for (i = 0; i < a->n; i++) {
		pmu_dump_one_of(file, "PerfEvtSel", i, s->select[i]);
		pmu_dump_one_of(file, "PerfCtr", i, s->counter[i].value);
	}
	if (!a->v2)
		return;
	pmu_dump(file, "PerfCntrGlobalCtl", s->global_ctl);
	pmu_dump(file, "PerfCntrGlobalStatus", s->status);
	pmu_dump(file, "DebugCtl", s->debugctl);
}

const struct pmu_family pmu_amd = {
	.name = "AMD",
	.user_cpl = 1,
	.lvtpc_stays = true,
	.recognise = recognise,
	.create = create,
	.destroy = destroy,
	.reset = reset,
	.clear = clear,
	.migrate = migrate,
	.cpuid = cpuid,
	.owns = owns,
	.check_rdmsr = check_rdmsr,
	.rdmsr = rdmsr,
	.check_wrmsr = check_wrmsr,
	.wrmsr = wrmsr,
	.check_rdpmc = check_rdpmc,
	.rdpmc = rdpmc,
	.wrapped = wrapped,
	.interrupt = interrupt,
	.dump = dump,
};

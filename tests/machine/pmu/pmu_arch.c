// SPDX-License-Identifier: GPL-2.0-only
/*
 * Architectural performance monitoring, versions 1 to 5: the registers.
 *
 * Sections are of Intel's SDM Vol. 3B, chapter "Performance Monitoring" (18 in
 * the editions up to 2021, 19 to 21 since), section 2, "Architectural
 * Performance Monitoring": 2.1 version 1, 2.2 version 2, 2.3 version 3, 2.4
 * version 4, 2.5 version 5 (2.5 was full-width writes before version 5).
 * Register addresses: Vol. 4, table "IA-32 Architectural MSRs".
 */
#include <stdlib.h>

#include "pmu_arch.h"

static bool recognise(const struct pmu *pmu)
{
	uint32_t regs[4];

	if (!pmu_is_intel(pmu, 6))
		return false;
	pmu_cpuid_raw(pmu, 0, 0, regs);
	if (regs[0] < 0xa)
		return false;
	pmu_cpuid_raw(pmu, 0xa, 0, regs);
	return pmu_in(regs[0] & 0xff, 1, 5);
}

/* CPUID.0AH as it is to be told: the part's, with the options' changes. */
static void make_leaf(const struct pmu *pmu, uint32_t leaf[4])
{
	const struct pmu_options *o = &pmu->options;
	unsigned int version = o->version;
	uint32_t fixed = leaf[3] & 0x1f;

	if (o->width)
		leaf[0] = (leaf[0] & ~0xff0000u) | o->width << 16;
	if (o->fixed_width)
		leaf[3] = (leaf[3] & ~0x1fe0u) | o->fixed_width << 5;
	if (!version)
		return;
	leaf[0] = (leaf[0] & ~0xffu) | version;
	if (version < 5) {	/* what versions 5 and on brought */
		if (leaf[0] >> 24 > 7)
			leaf[0] = (leaf[0] & 0xffffff) | 7u << 24;
		leaf[1] &= 0x7f;
		leaf[2] = 0;
		leaf[3] = (leaf[3] & 0x1fe0) | (fixed > 3 ? 3 : fixed);
	}
	if (version < 2)
		leaf[3] = 0;
}

static void read_leaf(struct arch *a)
{
	a->version = a->leaf[0] & 0xff;
	a->ngeneral = a->leaf[0] >> 8 & 0xff;
	if (a->ngeneral > ARCH_MAX_GENERAL)
		a->ngeneral = ARCH_MAX_GENERAL;
	a->width = a->leaf[0] >> 16 & 0xff;
	if (a->version < 2)
		return;
	a->fixed = MASK64(a->leaf[3] & 0x1f);
	a->fixed_width = a->leaf[3] >> 5 & 0xff;
	/* "Fixed Counter Enumeration in CPUID Leaf 0AH", version 5 */
	if (a->version >= 5)
		a->fixed |= a->leaf[2];
	a->fixed &= MASK64(ARCH_MAX_FIXED);
	/* "AnyThread Deprecation", version 5 */
	a->any_thread = a->version >= 3 &&
			!(a->leaf[3] & CPUIDA_EDX_NO_ANY_THREAD);
}

/*
 * The bits that software can set or clear. 2.2, 2.3 and 2.4; the conditions are
 * those of Vol. 4, 38EH, 390H and 391H.
 */
static uint64_t status_bits(const struct arch *a, const uint32_t leaf7[4])
{
	uint64_t bits = arch_counters(a) | STATUS_DS;

	if (a->version >= 3)
		bits |= STATUS_UNCORE;
	if (a->version < 4)
		return bits;
	bits |= STATUS_LBR_FRZ | STATUS_CTR_FRZ;
	if (leaf7[1] & CPUID7_EBX_SGX)
		bits |= STATUS_ASCI;
	if (leaf7[1] & CPUID7_EBX_PT)
		bits |= STATUS_TOPA;
	return bits;
}

/*
 * IA32_DEBUGCTL, Vol. 4, 1D9H: LBR, BTF, TR, BTS, BTINT, BTS_OFF_OS and
 * BTS_OFF_USR can be set though nothing is recorded; ENABLE_UNCORE_PMI
 * likewise; FREEZE_WHILE_SMM and RTM_DEBUG are features that are not told of.
 */
static uint64_t debugctl_bits(const struct arch *a, const uint32_t leaf7[4])
{
	uint64_t bits = 0x27c3;

	if (a->capabilities && a->version > 1)
		bits |= 0x1800;
	if (leaf7[2] & CPUID7_ECX_BUS_LOCK)
		bits |= 0x4;
	return bits;
}

static void read_cpuid(struct pmu *pmu, struct arch *a)
{
	uint32_t regs[4];

	pmu_cpuid_raw(pmu, 0xa, 0, a->leaf);
	make_leaf(pmu, a->leaf);
	read_leaf(a);
	pmu_cpuid_raw(pmu, 1, 0, regs);
	a->capabilities = regs[2] & CPUID1_ECX_PDCM;
	pmu_cpuid_raw(pmu, 7, 0, regs);
	a->status = status_bits(a, regs);
	a->debugctl = debugctl_bits(a, regs);
}

static int check_version(struct pmu *pmu, char *error, size_t size)
{
	uint32_t regs[4];

	pmu_cpuid_raw(pmu, 0xa, 0, regs);
	if (pmu->options.version <= (regs[0] & 0xff))
		return 0;
	snprintf(error, size,
		 "PMCDRV_PMU: version=%u: this processor has version %u",
		 pmu->options.version, regs[0] & 0xff);
	return -1;
}

static int create(struct pmu *pmu, char *error, size_t size)
{
	unsigned int i;

	if (check_version(pmu, error, size))
		return -1;
	pmu->state = calloc(1, sizeof(struct arch));
	read_cpuid(pmu, arch_of(pmu));
	for (i = 0; i < pmu->machine.cpus; i++)
		pmu->cpu[i].state = calloc(1, sizeof(struct arch_cpu));
	return 0;
}

static void destroy(struct pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < pmu->machine.cpus; i++)
		free(pmu->cpu[i].state);
	free(pmu->state);
}

/*
 * Vol. 3A, "Processor State After Reset", table of register states: counters
 * and event selects are cleared; IA32_PERF_GLOBAL_CTRL "sets bits n-1:0 and
 * clears the upper bits", n being the number of general counters.
 */
static void reset(struct pmu_cpu *c)
{
	const struct arch *a = arch_of(c->pmu);
	struct arch_cpu *s = arch_cpu_of(c);
	unsigned int i;

	*s = (struct arch_cpu){ 0 };
	for (i = 0; i < ARCH_MAX_GENERAL; i++)
		s->general[i].mask = MASK64(a->width);
	for (i = 0; i < ARCH_MAX_FIXED; i++)
		s->fixed[i].mask = MASK64(a->fixed_width);
	if (a->version >= 2)
		s->global_ctrl = MASK64(a->ngeneral);
	arch_update(c);
}

static void tell_leaf(const struct pmu *pmu, uint32_t regs[4])
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		regs[i] = arch_of(pmu)->leaf[i];
}

static void cpuid(const struct pmu *pmu, uint32_t leaf, uint32_t subleaf,
		  uint32_t regs[4])
{
	pmu_cpuid_no_store(leaf, subleaf, regs);
	if (leaf == 0xa)
		tell_leaf(pmu, regs);
}

static bool owns(const struct pmu *pmu, uint32_t msr)
{
	return pmu_is_arch_msr(msr, arch_of(pmu)->version) || msr == IA32_DEBUGCTL;
}

/* The counter that this MSR holds, or NULL. */
static struct pmu_counter *counter_at(struct pmu_cpu *c, uint32_t msr)
{
	const struct arch *a = arch_of(c->pmu);
	struct arch_cpu *s = arch_cpu_of(c);

	if (pmu_in(msr, IA32_PMC0, a->ngeneral))
		return &s->general[msr - IA32_PMC0];
	if (c->pmu->part->full_width && a->capabilities &&
	    pmu_in(msr, IA32_A_PMC0, a->ngeneral))
		return &s->general[msr - IA32_A_PMC0];
	if (pmu_in(msr, IA32_FIXED_CTR0, ARCH_MAX_FIXED) &&
	    a->fixed >> (msr - IA32_FIXED_CTR0) & 1)
		return &s->fixed[msr - IA32_FIXED_CTR0];
	return NULL;
}

static bool is_select(struct pmu_cpu *c, uint32_t msr)
{
	return pmu_in(msr, IA32_PERFEVTSEL0, arch_of(c->pmu)->ngeneral);
}

static enum pmu_result valid(bool yes)
{
	return yes ? PMU_OK : PMU_GP;
}

static enum pmu_result check_rdmsr(struct pmu_cpu *c, uint32_t msr)
{
	const struct arch *a = arch_of(c->pmu);

	switch (msr) {
	case IA32_MISC_ENABLE:
	case IA32_DEBUGCTL:
		return PMU_OK;
	case IA32_PERF_CAPABILITIES:
		return valid(a->capabilities);
	case IA32_FIXED_CTR_CTRL:
	case IA32_PERF_GLOBAL_STATUS:
	case IA32_PERF_GLOBAL_CTRL:
	case IA32_PERF_GLOBAL_OVF_CTRL:
		return valid(a->version >= 2);
	case IA32_PERF_GLOBAL_STATUS_SET:
	case IA32_PERF_GLOBAL_INUSE:
		return valid(a->version >= 4);
	default:
		return valid(is_select(c, msr) || counter_at(c, msr));
	}
}

/*
 * 2.4, "IA32_PERF_GLOBAL_INUSE MSR": a select with an event number, a fixed
 * counter with an enable bit, any overflow set to interrupt.
 */
static uint64_t in_use(struct pmu_cpu *c)
{
	const struct arch *a = arch_of(c->pmu);
	const struct arch_cpu *s = arch_cpu_of(c);
	uint64_t bits = 0;
	unsigned int i, v;

	for (i = 0; i < a->ngeneral; i++) {
		if (s->select[i] & 0xff)
			bits |= BIT64(i);
		if (s->select[i] & SEL_INT)
			bits |= BIT64(63);
	}
	for (i = 0; i < ARCH_MAX_FIXED; i++) {
		v = s->fixed_ctrl >> 4 * i;
		if (v & (FIXED_OS | FIXED_USR))
			bits |= BIT64(ARCH_FIXED_BIT + i);
		if (v & FIXED_PMI)
			bits |= BIT64(63);
	}
	return bits;
}

static uint64_t rdmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	const struct arch_cpu *s = arch_cpu_of(c);

	switch (msr) {
	case IA32_MISC_ENABLE:
		return pmu_misc_enable(value);
	case IA32_DEBUGCTL:
		return s->debugctl;
	case IA32_PERF_CAPABILITIES:
		return c->pmu->part->full_width ? CAPABILITY_FW_WRITE : 0;
	case IA32_FIXED_CTR_CTRL:
		return s->fixed_ctrl;
	case IA32_PERF_GLOBAL_STATUS:
		return s->status;
	case IA32_PERF_GLOBAL_CTRL:
		return s->global_ctrl;
	case IA32_PERF_GLOBAL_OVF_CTRL:
	case IA32_PERF_GLOBAL_STATUS_SET:
		return 0;
	case IA32_PERF_GLOBAL_INUSE:
		return in_use(c);
	}
	if (is_select(c, msr))
		return s->select[msr - IA32_PERFEVTSEL0];
	return counter_at(c, msr)->value;
}

/* 2.1: bits 63:32 are reserved; bit 21 is ANY in versions that have it. */
static uint64_t select_bits(const struct arch *a)
{
	return a->any_thread ? SEL_ALL : SEL_ALL & ~SEL_ANY;
}

static uint64_t fixed_ctrl_bits(const struct arch *a)
{
	uint64_t one = FIXED_OS | FIXED_USR | FIXED_PMI;
	uint64_t bits = 0;
	unsigned int i;

	if (a->any_thread)
		one |= FIXED_ANY;
	for (i = 0; i < ARCH_MAX_FIXED; i++)
		if (a->fixed >> i & 1)
			bits |= one << 4 * i;
	return bits;
}

/* The bits that can be written, none for a register that cannot be. */
static uint64_t writable(struct pmu_cpu *c, uint32_t msr)
{
	const struct arch *a = arch_of(c->pmu);

	switch (msr) {
	case IA32_DEBUGCTL:
		return a->debugctl;
	case IA32_FIXED_CTR_CTRL:
		return fixed_ctrl_bits(a);
	case IA32_PERF_GLOBAL_CTRL:
		return arch_counters(a);
	case IA32_PERF_GLOBAL_OVF_CTRL:
		return a->status | STATUS_COND;
	case IA32_PERF_GLOBAL_STATUS_SET:
		return a->status;
	}
	if (is_select(c, msr))
		return select_bits(a);
	/* 2.1: a write to IA32_PMCx takes bits 31:0 and no notice of the rest. */
	if (pmu_in(msr, IA32_PMC0, ARCH_MAX_GENERAL))
		return ~0ull;
	/* 2.2, and "Full-Width Writes": bits beyond the width are reserved. */
	return counter_at(c, msr)->mask;
}

static enum pmu_result check_wrmsr(struct pmu_cpu *c, uint32_t msr,
				   uint64_t value)
{
	switch (msr) {
	case IA32_MISC_ENABLE:
		return PMU_NONE;	/* the PMU's bits are read-only */
	case IA32_PERF_CAPABILITIES:
	case IA32_PERF_GLOBAL_STATUS:
	case IA32_PERF_GLOBAL_INUSE:
		return PMU_GP;		/* read-only */
	}
	if (check_rdmsr(c, msr) != PMU_OK)
		return PMU_GP;
	return valid(!(value & ~writable(c, msr)));
}

static void write_select(struct pmu_cpu *c, unsigned int i, uint64_t value)
{
	if (!c->pmu->part->pin_control)
		value &= ~SEL_PC;
	arch_cpu_of(c)->select[i] = value;
}

/* 2.1: bits 31:0, and bit 31 in all above. */
static void write_counter(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	struct pmu_counter *n = counter_at(c, msr);

	if (pmu_in(msr, IA32_PMC0, ARCH_MAX_GENERAL))
		value = (uint64_t)(int64_t)(int32_t)value;
	n->value = value & n->mask;
}

static void write_register(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	struct arch_cpu *s = arch_cpu_of(c);

	switch (msr) {
	case IA32_DEBUGCTL:
		s->debugctl = value;
		return;
	case IA32_FIXED_CTR_CTRL:
		s->fixed_ctrl = value;
		return;
	case IA32_PERF_GLOBAL_CTRL:
		s->global_ctrl = value;
		return;
	case IA32_PERF_GLOBAL_OVF_CTRL:
		s->status &= ~value;
		return;
	case IA32_PERF_GLOBAL_STATUS_SET:
		s->status |= value;
		return;
	}
	if (is_select(c, msr))
		write_select(c, msr - IA32_PERFEVTSEL0, value);
	else
		write_counter(c, msr, value);
}

static void wrmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	write_register(c, msr, value);
	arch_update(c);
}

/*
 * Vol. 2B, RDPMC, "Operation": ECX[30] selects fixed counters; the 32-bit form
 * is ECX[31] in the pseudo-code of the Core 2 family, for general counters.
 */
static struct pmu_counter *counter_indexed(struct pmu_cpu *c, uint32_t index)
{
	const struct arch *a = arch_of(c->pmu);
	struct arch_cpu *s = arch_cpu_of(c);

	if (c->pmu->part->fast_rdpmc)
		if (pmu_in(index, 0x80000000, a->ngeneral))
			index &= ~0x80000000u;
	if (index < a->ngeneral)
		return &s->general[index];
	index -= 0x40000000;
	if (index < ARCH_MAX_FIXED && a->fixed >> index & 1)
		return &s->fixed[index];
	return NULL;
}

static enum pmu_result check_rdpmc(struct pmu_cpu *c, uint32_t index)
{
	return valid(counter_indexed(c, index));
}

static uint64_t rdpmc(struct pmu_cpu *c, uint32_t index)
{
	uint64_t value = counter_indexed(c, index)->value;

	return index >> 31 ? value & 0xffffffff : value;
}

static void dump_counters(struct pmu_cpu *c, FILE *file)
{
	const struct arch *a = arch_of(c->pmu);
	const struct arch_cpu *s = arch_cpu_of(c);
	unsigned int i;

	for (i = 0; i < a->ngeneral; i++) {
		pmu_dump_one_of(file, "IA32_PERFEVTSEL", i, s->select[i]);
		pmu_dump_one_of(file, "IA32_PMC", i, s->general[i].value);
	}
	for (i = 0; i < ARCH_MAX_FIXED; i++)
		if (a->fixed >> i & 1)
			pmu_dump_one_of(file, "IA32_FIXED_CTR", i, s->fixed[i].value);
}

static void dump(struct pmu_cpu *c, FILE *file)
{
	const struct arch_cpu *s = arch_cpu_of(c);

	dump_counters(c, file);
	pmu_dump(file, "IA32_DEBUGCTL", s->debugctl);
	if (arch_of(c->pmu)->version < 2)
		return;
	pmu_dump(file, "IA32_FIXED_CTR_CTRL", s->fixed_ctrl);
	pmu_dump(file, "IA32_PERF_GLOBAL_CTRL", s->global_ctrl);
	pmu_dump(file, "IA32_PERF_GLOBAL_STATUS", s->status);
}

const struct pmu_family pmu_arch = {
	.name = "architectural performance monitoring",
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
	.wrapped = arch_wrapped,
	.interrupt = arch_interrupt,
	.dump = dump,
};

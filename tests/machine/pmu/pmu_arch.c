// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of architectural performance monitoring, versions 1 to 6
 *
 * Sections are of Intel's SDM Vol. 3B, chapter "Performance Monitoring" (18 in the editions
 * up to 2021, 19 to 21 since), section 2, "Architectural Performance Monitoring": 2.1
 * version 1, 2.2 version 2, 2.3 version 3, 2.4 version 4, 2.5 version 5 (full-width writes
 * before version 5 existed). README.md, "Sources", lists those of version 6.
 * Register addresses: Vol. 4, table "IA-32 Architectural MSRs".
 */
#include <stdlib.h>
#include <string.h>

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
	return pmu_in(regs[0] & 0xff, 1, 6);
}

static int check_version(struct pmu *pmu, char *error, size_t size)
{
	uint32_t regs[4];

	pmu_cpuid_raw(pmu, 0xa, 0, regs);
	if (pmu->options.version <= (regs[0] & 0xff))
		return 0;
	snprintf(error, size,
		 "PMCDRV_PMU: version=%u: this processor has version %u; use that or a lower one",
		 pmu->options.version, regs[0] & 0xff);
	return -1;
}

static const struct arch *kind_of(const struct pmu *pmu, unsigned int cpu)
{
	const struct arch_core_types *k = pmu->state;

	return &k->core_type[cpu / pmu->machine.threads % k->n];
}

static int create(struct pmu *pmu, char *error, size_t size)
{
	struct arch_core_types *k;
	struct arch_cpu *s;
	unsigned int i;

	if (check_version(pmu, error, size))
		return -1;
	k = calloc(1, sizeof(*k));
	pmu->state = k;
	arch_read_cpuid(pmu, &k->core_type[k->n++], pmu->part);
	if (pmu->options.hybrid)
		arch_read_cpuid(pmu, &k->core_type[k->n++], pmu_part_other_core_type(pmu));
	for (i = 0; i < pmu->machine.cpus; i++) {
		s = calloc(1, sizeof(*s));
		s->core_type = kind_of(pmu, i);
		pmu->cpu[i].state = s;
	}
	return arch_check_options(pmu, error, size);
}

static void destroy(struct pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < pmu->machine.cpus; i++)
		free(pmu->cpu[i].state);
	free(pmu->state);
}

/*
 * Vol. 3A, "Processor State After Reset", table of register states: counters and event
 * selects are cleared; IA32_PERF_GLOBAL_CTRL "sets bits n-1:0 and clears the upper bits", n
 * being the number of general counters. Bits of missing counters (holes) stay clear.
 */
static void reset(struct pmu_cpu *c)
{
	const struct arch *a = arch_of(c);
	struct arch_cpu *s = arch_cpu_of(c);
	unsigned int i;

	*s = (struct arch_cpu){ .core_type = a };
	for (i = 0; i < ARCH_MAX_GENERAL; i++)
		s->general[i].mask = MASK64(a->width);
	for (i = 0; i < ARCH_MAX_FIXED; i++)
		s->fixed[i].mask = MASK64(a->fixed_width);
	for (i = 0; i < ARCH_CATEGORIES; i++)
		s->category[i].mask = MASK64(a->fixed_width);
	if (a->version >= 2)
		s->global_ctrl = a->general;
	arch_update(c);
}

/* All but what selects the processor's behaviour, such as IA32_DEBUGCTL. */
static void clear(struct pmu_cpu *c)
{
	struct arch_cpu *s = arch_cpu_of(c);
	unsigned int i;

	memset(s->select, 0, sizeof(s->select));
	for (i = 0; i < ARCH_MAX_GENERAL; i++)
		s->general[i].value = 0;
	for (i = 0; i < ARCH_MAX_FIXED; i++)
		s->fixed[i].value = 0;
	s->fixed_ctrl = 0;
	s->global_ctrl = 0;
	s->status = 0;
	arch_update(c);
}

/* The option migrate: on every processor, whatever its core type has of these counters. */
static void migrate(struct pmu *pmu)
{
	struct arch_core_types *k = pmu->state;
	unsigned int i;

	for (i = 0; i < k->n; i++)
		arch_remove(&k->core_type[i], pmu->options.quirks.migrate_counters);
	for (i = 0; i < pmu->machine.cpus; i++) {
		arch_disable_missing(arch_cpu_of(&pmu->cpu[i]));
		arch_update(&pmu->cpu[i]);
	}
}

/* The first core type of a hybrid processor has the extra registers of both. */
static bool owns(const struct pmu *pmu, uint32_t msr)
{
	return pmu_is_arch_msr(msr, kind_of(pmu, 0)->version) || msr == IA32_DEBUGCTL ||
	       (msr == IA32_TSX_FORCE_ABORT && pmu->options.quirks.tfa) ||
	       arch_is_extra_register(kind_of(pmu, 0), msr);
}

static bool has(uint32_t counters, uint32_t i)
{
	return i < 32 && counters >> i & 1;
}

/* Whether msr is register number place of a version 6 counter, IA32_PMC_GPn or FXn. */
static bool is_register(uint32_t msr, uint32_t first, uint32_t counters, uint32_t place)
{
	return msr >= first && (msr - first) % IA32_PMC_STEP == place &&
	       has(counters, (msr - first) / IA32_PMC_STEP);
}

/*
 * Version 6: new addresses are aliases of existing registers. Return: the register's older
 * address, the full-width one for a general counter; other MSRs unchanged.
 */
static uint32_t older(const struct arch *a, uint32_t msr)
{
	if (is_register(msr, IA32_PMC_FX0, a->fixed, IA32_PMC_CTR))
		return IA32_FIXED_CTR0 + (msr - IA32_PMC_FX0) / IA32_PMC_STEP;
	if (is_register(msr, IA32_PMC_GP0, a->general, IA32_PMC_CTR))
		return IA32_A_PMC0 + (msr - IA32_PMC_GP0) / IA32_PMC_STEP;
	if (is_register(msr, IA32_PMC_GP0, a->general, IA32_PMC_CFG_A))
		return IA32_PERFEVTSEL0 + (msr - IA32_PMC_GP0) / IA32_PMC_STEP;
	return msr;
}

/* "Full-Width Writes to Performance Counter Registers"; always with version 6. */
static bool full_width(const struct arch *a)
{
	return a->version >= 6 || (a->part->full_width && a->capabilities);
}

/* Return: the counter at this MSR, or NULL. */
static struct pmu_counter *counter_at(struct pmu_cpu *c, uint32_t msr)
{
	const struct arch *a = arch_of(c);
	struct arch_cpu *s = arch_cpu_of(c);

	if (has(a->general, msr - IA32_PMC0))
		return &s->general[msr - IA32_PMC0];
	if (full_width(a) && has(a->general, msr - IA32_A_PMC0))
		return &s->general[msr - IA32_A_PMC0];
	if (has(a->fixed, msr - IA32_FIXED_CTR0))
		return &s->fixed[msr - IA32_FIXED_CTR0];
	return NULL;
}

static bool is_select(struct pmu_cpu *c, uint32_t msr)
{
	return has(arch_of(c)->general, msr - IA32_PERFEVTSEL0);
}

/* An older address that the option new_addresses removes. */
static bool is_gone(struct pmu_cpu *c, uint32_t msr)
{
	return c->pmu->options.new_addresses && (is_select(c, msr) || counter_at(c, msr));
}

/* Return: CFG_B or CFG_C of a counter that can be reloaded, or NULL. */
static uint64_t *reload_at(struct pmu_cpu *c, uint32_t msr)
{
	uint32_t first = msr < IA32_PMC_FX0 ? IA32_PMC_GP0 : IA32_PMC_FX0;
	unsigned int bit = msr < IA32_PMC_FX0 ? 0 : ARCH_FIXED_BIT;
	uint32_t counters = arch_of(c)->reloadable >> bit;
	struct arch_cpu *s = arch_cpu_of(c);

	bit += (msr - first) / IA32_PMC_STEP;
	if (is_register(msr, first, counters, IA32_PMC_CFG_B))
		return &s->causes[bit];
	if (is_register(msr, first, counters, IA32_PMC_CFG_C))
		return &s->reload[bit];
	return NULL;
}

static enum pmu_result valid(bool yes)
{
	return yes ? PMU_OK : PMU_GP;
}

static enum pmu_result check_rdmsr(struct pmu_cpu *c, uint32_t msr)
{
	const struct arch *a = arch_of(c);

	if (is_gone(c, msr))
		return PMU_GP;
	msr = older(a, msr);
	switch (msr) {
	case IA32_MISC_ENABLE:
	case IA32_DEBUGCTL:
	case IA32_TSX_FORCE_ABORT:
		return PMU_OK;
	case IA32_PERF_CAPABILITIES:
		return valid(a->capabilities);
	case MSR_PERF_METRICS:
		return valid(a->metrics);
	case IA32_FIXED_CTR_CTRL:
	case IA32_PERF_GLOBAL_STATUS:
	case IA32_PERF_GLOBAL_CTRL:
	case IA32_PERF_GLOBAL_OVF_CTRL:
		return valid(a->control);
	case IA32_PERF_GLOBAL_STATUS_SET:
	case IA32_PERF_GLOBAL_INUSE:
		return valid(a->version >= 4 && a->control);
	default:
		return valid(is_select(c, msr) || counter_at(c, msr) || reload_at(c, msr) ||
			     arch_extra_register_at(c, msr));
	}
}

/*
 * 2.4, "IA32_PERF_GLOBAL_INUSE MSR": selects with an event number, fixed counters with an
 * enable bit, and whether any overflow interrupts.
 */
static uint64_t in_use(struct pmu_cpu *c)
{
	const struct arch_cpu *s = arch_cpu_of(c);
	uint64_t bits = 0;
	unsigned int i, v;

	for (i = 0; i < ARCH_MAX_GENERAL; i++) {
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

static uint64_t capabilities(const struct arch *a)
{
	return (full_width(a) ? CAPABILITY_FW_WRITE : 0) |
	       (a->freezes_smm ? CAPABILITY_FREEZE_SMM : 0) |
	       (a->metrics ? CAPABILITY_METRICS : 0);
}

static uint64_t rdmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	const struct arch_cpu *s = arch_cpu_of(c);

	msr = older(s->core_type, msr);
	switch (msr) {
	case IA32_MISC_ENABLE:
		return pmu_misc_enable(value);
	case IA32_DEBUGCTL:
		return s->debugctl;
	case IA32_TSX_FORCE_ABORT:
		return s->force_abort;
	case IA32_PERF_CAPABILITIES:
		return capabilities(s->core_type);
	case MSR_PERF_METRICS:
		return arch_metrics(s);
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
	if (reload_at(c, msr))
		return *reload_at(c, msr);
	if (arch_extra_register_at(c, msr))
		return *arch_extra_register_at(c, msr);
	return counter_at(c, msr)->value;
}

/*
 * Writable bits of an event select. 2.1: bits 63:32 are reserved; bit 21 is ANY in versions
 * that have it. Version 6: EQ and UMASK2. Bit 35 requires last-branch records.
 */
static uint64_t select_bits(const struct arch *a)
{
	uint64_t bits = a->any_thread ? SEL_ALL : SEL_ALL & ~SEL_ANY;

	return a->version >= 6 ? bits | SEL_EQUAL | SEL_UMASK2 : bits;
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

/* Writable bits of a register; none for a read-only one. */
static uint64_t writable(struct pmu_cpu *c, uint32_t msr)
{
	const struct arch *a = arch_of(c);

	switch (msr) {
	case IA32_DEBUGCTL:
		return a->debugctl;
	case IA32_TSX_FORCE_ABORT:
		return TFA_RTM_FORCE_ABORT;
	case IA32_FIXED_CTR_CTRL:
		return fixed_ctrl_bits(a);
	case MSR_PERF_METRICS:
		return arch_metrics_bits(a);
	case IA32_PERF_GLOBAL_CTRL:
		return arch_enables(a);
	case IA32_PERF_GLOBAL_OVF_CTRL:
		return a->status | STATUS_COND;
	case IA32_PERF_GLOBAL_STATUS_SET:
		return a->status;
	}
	if (is_select(c, msr))
		return select_bits(a);
	if (reload_at(c, msr))
		return msr % IA32_PMC_STEP == IA32_PMC_CFG_B ? a->causes : RELOAD_VALUE;
	if (arch_is_extra_register(a, msr))
		return arch_extra_register_bits(a, msr);
	/* 2.1: a write to IA32_PMCx uses bits 31:0 and ignores the others. */
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
	return valid(!(value & ~writable(c, older(arch_of(c), msr))));
}

static void write_select(struct pmu_cpu *c, unsigned int i, uint64_t value)
{
	if (!arch_of(c)->part->pin_control)
		value &= ~SEL_PC;
	arch_cpu_of(c)->select[i] = value;
	arch_quirk_select(c, i);
}

/* 2.1: a write to IA32_PMCx sign-extends bits 31:0. */
static void write_counter(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	struct pmu_counter *n = counter_at(c, msr);
	struct arch_cpu *s = arch_cpu_of(c);

	if (n == &s->fixed[ARCH_SLOTS])
		s->metrics_slots = ARCH_NO_SLOTS;
	if (pmu_in(msr, IA32_PMC0, ARCH_MAX_GENERAL))
		value = arch_extend(value);
	n->value = value & n->mask;
	n->close = n->mask - n->value + 1 < c->pmu->options.quirks.minleft;
}

static void write_register(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	struct arch_cpu *s = arch_cpu_of(c);
	uint64_t before = s->global_ctrl;

	switch (msr) {
	case IA32_DEBUGCTL:
		s->debugctl = value;
		return;
	case IA32_TSX_FORCE_ABORT:
		s->force_abort = value;
		return;
	case IA32_FIXED_CTR_CTRL:
		s->fixed_ctrl = value;
		return;
	case MSR_PERF_METRICS:
		arch_write_metrics(s, value);
		return;
	case IA32_PERF_GLOBAL_CTRL:
		s->global_ctrl = value;
		arch_quirk_global_ctrl(c, before);
		return;
	case IA32_PERF_GLOBAL_OVF_CTRL:
		s->status &= ~value;
		arch_quirk_acknowledge(c, value);
		return;
	case IA32_PERF_GLOBAL_STATUS_SET:
		s->status |= value;
		return;
	}
	if (is_select(c, msr))
		write_select(c, msr - IA32_PERFEVTSEL0, value);
	else if (reload_at(c, msr))
		*reload_at(c, msr) = value;
	else if (arch_extra_register_at(c, msr))
		arch_write_extra_register(c, msr, value);
	else
		write_counter(c, msr, value);
}

static void wrmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	write_register(c, older(arch_of(c), msr), value);
	arch_update(c);
}

/*
 * Vol. 2B, RDPMC, "Operation": ECX[30] selects fixed counters. ECX[31] selects the 32-bit
 * form for general counters, in the pseudo-code of the Core 2 family.
 */
static struct pmu_counter *counter_indexed(struct pmu_cpu *c, uint32_t index)
{
	const struct arch *a = arch_of(c);
	struct arch_cpu *s = arch_cpu_of(c);

	if (a->part->fast_rdpmc && index >> 31 && has(a->general, index & ~0x80000000u))
		index &= ~0x80000000u;
	if (has(a->general, index))
		return &s->general[index];
	index -= 0x40000000;
	return has(a->fixed, index) ? &s->fixed[index] : NULL;
}

static bool is_metrics(struct pmu_cpu *c, uint32_t index)
{
	return index == RDPMC_METRICS && arch_of(c)->metrics;
}

static enum pmu_result check_rdpmc(struct pmu_cpu *c, uint32_t index)
{
	return valid(is_metrics(c, index) || counter_indexed(c, index));
}

static uint64_t rdpmc(struct pmu_cpu *c, uint32_t index)
{
	uint64_t value;

	if (is_metrics(c, index))
		return arch_metrics(arch_cpu_of(c));
	value = counter_indexed(c, index)->value;
	return index >> 31 ? value & 0xffffffff : value;
}

static void dump_counters(struct pmu_cpu *c, FILE *file)
{
	const struct arch *a = arch_of(c);
	const struct arch_cpu *s = arch_cpu_of(c);
	unsigned int i;

	for (i = 0; i < ARCH_MAX_GENERAL; i++) {
		if (!(a->general >> i & 1))
			continue;
		pmu_dump_one_of(file, "IA32_PERFEVTSEL", i, s->select[i]);
		pmu_dump_one_of(file, "IA32_PMC", i, s->general[i].value);
	}
	for (i = 0; i < ARCH_MAX_FIXED; i++)
		if (a->fixed >> i & 1)
			pmu_dump_one_of(file, "IA32_FIXED_CTR", i, s->fixed[i].value);
}

static void dump_reload(struct pmu_cpu *c, FILE *file)
{
	const struct arch_cpu *s = arch_cpu_of(c);
	const char *kind = "GP";
	unsigned int bit;
	char name[32];

	for (bit = 0; bit < ARCH_BITS; bit++) {
		if (bit == ARCH_FIXED_BIT)
			kind = "FX";
		if (!(arch_of(c)->reloadable >> bit & 1))
			continue;
		snprintf(name, sizeof(name), "IA32_PMC_%s%u_CFG_B", kind, bit % ARCH_FIXED_BIT);
		pmu_dump(file, name, s->causes[bit]);
		snprintf(name, sizeof(name), "IA32_PMC_%s%u_CFG_C", kind, bit % ARCH_FIXED_BIT);
		pmu_dump(file, name, s->reload[bit]);
	}
}

static void dump_extra_registers(struct pmu_cpu *c, FILE *file)
{
	static const struct {
		uint32_t msr;
		const char *name;
	} t[] = {
		{ MSR_OFFCORE_RSP_0, "MSR_OFFCORE_RSP_0" },
		{ MSR_OFFCORE_RSP_1, "MSR_OFFCORE_RSP_1" },
		{ MSR_PEBS_LD_LAT, "MSR_PEBS_LD_LAT" },
		{ MSR_PEBS_FRONTEND, "MSR_PEBS_FRONTEND" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(t); i++)
		if (arch_extra_register_at(c, t[i].msr))
			pmu_dump(file, t[i].name, *arch_extra_register_at(c, t[i].msr));
}

static void dump(struct pmu_cpu *c, FILE *file)
{
	const struct arch_cpu *s = arch_cpu_of(c);

	dump_counters(c, file);
	dump_reload(c, file);
	dump_extra_registers(c, file);
	if (s->core_type->metrics)
		pmu_dump(file, "PERF_METRICS", arch_metrics(s));
	pmu_dump(file, "IA32_DEBUGCTL", s->debugctl);
	if (c->pmu->options.quirks.tfa)
		pmu_dump(file, "IA32_TSX_FORCE_ABORT", s->force_abort);
	if (arch_of(c)->version < 2)
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
	.cpuid = arch_cpuid,
	.owns = owns,
	.check_rdmsr = check_rdmsr,
	.rdmsr = rdmsr,
	.check_wrmsr = check_wrmsr,
	.wrmsr = wrmsr,
	.check_rdpmc = check_rdpmc,
	.rdpmc = rdpmc,
	.wrapped = arch_wrapped,
	.interrupt = arch_interrupt,
	.clear = clear,
	.migrate = migrate,
	.freezes_smm = arch_quirk_freezes_smm,
	.interrupt_again = arch_quirk_zero,
	.dump = dump,
};

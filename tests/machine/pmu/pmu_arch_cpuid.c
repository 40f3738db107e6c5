// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUID of architectural performance monitoring: what the model reads from the emulator's
 * leaves, and what it reports in their place. Leaves: SDM Vol. 2A, CPUID; sections as in
 * pmu_arch.c.
 */
#include "pmu_arch.h"

/* CPUID.0AH as reported: the part's, with the options' changes. */
static void make_leaf(const struct pmu *pmu, const struct pmu_part *part, uint32_t leaf[4])
{
	const struct pmu_options *o = &pmu->options;
	bool other = part != pmu->part && o->other_width;
	unsigned int width = other ? o->other_width : o->width;
	unsigned int fixed_width = other ? o->other_width : o->fixed_width;
	unsigned int version = o->version;
	uint32_t fixed = leaf[3] & 0x1f;

	if (width)
		leaf[0] = (leaf[0] & ~0xff0000u) | width << 16;
	if (fixed_width)
		leaf[3] = (leaf[3] & ~0x1fe0u) | fixed_width << 5;
	if (!version)
		return;
	leaf[0] = (leaf[0] & ~0xffu) | version;
	if (version < 5) {	/* remove what version 5 added */
		if (leaf[0] >> 24 > 7)
			leaf[0] = (leaf[0] & 0xffffff) | 7u << 24;
		leaf[1] &= 0x7f;
		leaf[2] = 0;
		leaf[3] = (leaf[3] & 0x1fe0) | (fixed > 3 ? 3 : fixed);
	}
	if (version < 2)
		leaf[3] = 0;
}

/*
 * With version 6, leaf 23H has each core's counters and events. Leaf 0AH remains; on a
 * hybrid processor it has what both core types have.
 */
static void read_part(struct arch *a)
{
	if (a->version < 6 && !a->part->core_type)
		a->fixed |= a->part->fixed;
	if (a->version < 6 || !a->part->general)
		return;
	a->general = a->part->general;
	a->fixed = a->part->fixed;
	a->architectural = a->part->architectural;
}

static void read_leaf(struct arch *a)
{
	a->version = a->leaf[0] & 0xff;
	a->general = MASK64(a->leaf[0] >> 8 & 0xff) &
		     MASK64(a->version >= 6 ? ARCH_MAX_GENERAL : ARCH_MAX_BEFORE_6);
	a->width = a->leaf[0] >> 16 & 0xff;
	a->architectural = MASK64(a->leaf[0] >> 24) & ~a->leaf[1];
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
	read_part(a);
}

/* Leaf 0AH can report only the counters below the first hole. */
static void make_holes(const struct pmu *pmu, struct arch *a)
{
	uint32_t holes = pmu->options.holes;
	unsigned int n = 0;

	if (!holes)
		return;
	a->general &= ~holes;
	while (n < (a->leaf[0] >> 8 & 0xff) && a->general >> n & 1)
		n++;
	a->leaf[0] = (a->leaf[0] & ~0xff00u) | n << 8;
}

/* These counters fault although CPUID enumerates them. */
void arch_remove(struct arch *a, uint64_t counters)
{
	a->control = a->control && !(counters >> ARCH_CONTROL_BIT);
	a->general &= ~counters;
	a->fixed &= ~(counters >> ARCH_FIXED_BIT);
	a->reloadable &= ~counters;
	a->causes &= ~counters;
	a->status &= ~(counters & ~BIT64(ARCH_CONTROL_BIT));
	if (a->fixed >> ARCH_SLOTS & 1)
		return;
	a->metrics = 0;
	a->status &= ~BIT64(ARCH_METRICS_BIT);
}

/* The option faulting=: a virtual machine that lacks counters enumerated by its CPUID. */
static void make_faulting(const struct pmu *pmu, struct arch *a)
{
	a->enumerated = arch_counters(a);
	a->control = a->version >= 2;
	arch_remove(a, pmu->options.faulting);
}

/*
 * Auto counter reload: the counters with CFG_B in the manual's table of MSRs, general
 * counters 2 to 7 and fixed counters 0 and 1.
 */
#define RELOADABLE	0x3000000fcull

static void read_reload(const struct pmu *pmu, struct arch *a)
{
	const struct pmu_options *o = &pmu->options;

	if (!o->acr)
		return;
	a->reloadable = RELOADABLE & arch_counters(a);
	a->causes = (o->acr_causes ? o->acr_causes : RELOADABLE) & arch_counters(a);
}

/*
 * Bits of IA32_PERF_GLOBAL_STATUS that software can set or clear. 2.2, 2.3 and 2.4; their
 * conditions: Vol. 4, 38EH, 390H and 391H.
 */
static uint64_t status_bits(const struct arch *a, const uint32_t leaf7[4])
{
	uint64_t bits = arch_enables(a) | STATUS_DS;

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
 * IA32_DEBUGCTL, Vol. 4, 1D9H: LBR, BTF, TR, BTS, BTINT, BTS_OFF_OS, BTS_OFF_USR and
 * ENABLE_UNCORE_PMI are writable and have no effect; RTM_DEBUG is a feature that
 * CPUID does not report, FREEZE_WHILE_SMM one that IA32_PERF_CAPABILITIES reports with the option
 * smi.
 */
static uint64_t debugctl_bits(const struct arch *a, const uint32_t leaf7[4])
{
	uint64_t bits = 0x27c3;

	if (a->capabilities && a->version > 1)
		bits |= 0x1800;
	if (a->freezes_smm)
		bits |= DEBUG_FREEZE_SMM;
	if (leaf7[2] & CPUID7_ECX_BUS_LOCK)
		bits |= 0x4;
	return bits;
}

/* Fill in the core type that this part describes. */
void arch_read_cpuid(const struct pmu *pmu, struct arch *a, const struct pmu_part *part)
{
	uint32_t regs[4];

	a->part = part;
	pmu_cpuid_raw(pmu, 0xa, 0, a->leaf);
	make_leaf(pmu, part, a->leaf);
	read_leaf(a);
	make_holes(pmu, a);
	make_faulting(pmu, a);
	read_reload(pmu, a);
	pmu_cpuid_raw(pmu, 1, 0, regs);
	a->capabilities = regs[2] & CPUID1_ECX_PDCM;
	a->freezes_smm = a->capabilities && a->version > 1 && pmu->options.quirks.smi;
	if (a->capabilities && a->fixed >> ARCH_SLOTS & 1)
		a->metrics = part->metrics;
	pmu_cpuid_raw(pmu, 7, 0, regs);
	a->status = status_bits(a, regs);
	a->debugctl = debugctl_bits(a, regs);
}

/* Only leaf 23H can report holes; leaf 0AH must report counter 0. */
static int check_holes(const struct pmu *pmu, char *error, size_t size)
{
	const struct arch_core_types *k = pmu->state;
	uint32_t regs[4] = { 0 }, general = k->core_type[0].part->general;

	if (!pmu->options.holes)
		return 0;
	if (k->core_type[0].version < 6) {
		snprintf(error, size, "PMCDRV_PMU: holes: this processor has no version 6; use arrow_lake");
		return -1;
	}
	pmu_cpuid_raw(pmu, 0xa, 0, regs);
	if (!general)
		general = MASK64(regs[0] >> 8 & 0xff);
	if (!(pmu->options.holes & (~general | 1)))
		return 0;
	snprintf(error, size, "PMCDRV_PMU: holes=%x: choose among general counters %x, except counter 0",
		 (unsigned int)pmu->options.holes, general);
	return -1;
}

static int check_reload(const struct pmu *pmu, char *error, size_t size)
{
	const struct arch_core_types *k = pmu->state;
	uint64_t counters = 0;
	unsigned int i;

	if (!pmu->options.acr)
		return 0;
	if (k->core_type[0].version < 6) {
		snprintf(error, size, "PMCDRV_PMU: acr: this processor has no version 6; use arrow_lake");
		return -1;
	}
	for (i = 0; i < k->n; i++)
		counters |= arch_counters(&k->core_type[i]);
	if (!(pmu->options.acr_causes & ~counters))
		return 0;
	snprintf(error, size, "PMCDRV_PMU: acr=%llx: choose among counters %llx",
		 (unsigned long long)pmu->options.acr_causes, (unsigned long long)counters);
	return -1;
}

static int check_addresses(const struct pmu *pmu, char *error, size_t size)
{
	const struct arch_core_types *k = pmu->state;

	if (!pmu->options.new_addresses || k->core_type[0].version >= 6)
		return 0;
	snprintf(error, size,
		 "PMCDRV_PMU: new_addresses: this processor has no version 6; use arrow_lake");
	return -1;
}

/* The counters of the options faulting= and migrate=. */
static int check_faulting(const struct pmu *pmu, const char *key, uint64_t faulting, char *error,
			  size_t size)
{
	const struct arch_core_types *k = pmu->state;
	uint64_t enumerated = k->core_type[0].version >= 2 ? BIT64(ARCH_CONTROL_BIT) : 0;
	unsigned int i;

	for (i = 0; i < k->n; i++)
		enumerated |= k->core_type[i].enumerated;
	return pmu_check_faulting(key, faulting, enumerated, error, size);
}

int arch_check_options(const struct pmu *pmu, char *error, size_t size)
{
	if (check_holes(pmu, error, size) || check_addresses(pmu, error, size) ||
	    check_faulting(pmu, "faulting=", pmu->options.faulting, error, size) ||
	    check_faulting(pmu, "migrate=N:", pmu->options.quirks.migrate_counters, error, size))
		return -1;
	return check_reload(pmu, error, size);
}

static void set_regs(uint32_t regs[4], uint32_t eax, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
	regs[0] = eax;
	regs[1] = ebx;
	regs[2] = ecx;
	regs[3] = edx;
}

#define SUBLEAVES	0xbu	/* 0, 1 and 3; not 4 and 5, which are PEBS */
#define SUBLEAF_RELOAD	0x4u

/* Leaf 23H of this core type. */
static void set_leaf_23h(const struct arch *a, uint32_t subleaf, uint32_t regs[4])
{
	switch (subleaf) {
	case 0:
		set_regs(regs, a->reloadable ? SUBLEAVES | SUBLEAF_RELOAD : SUBLEAVES,
			 CPUID23_EBX_UMASK2 | CPUID23_EBX_EQUAL, a->part->slots, 0);
		return;
	case 1:
		set_regs(regs, (uint32_t)a->enumerated, a->enumerated >> ARCH_FIXED_BIT, 0, 0);
		return;
	case 2:
		set_regs(regs, a->reloadable, a->reloadable >> ARCH_FIXED_BIT,
			 a->causes, a->causes >> ARCH_FIXED_BIT);
		return;
	case 3:
		set_regs(regs, a->architectural, 0, 0, 0);
		return;
	default:
		set_regs(regs, 0, 0, 0, 0);
	}
}

static void cpuid_version_6(const struct arch *a, uint32_t leaf, uint32_t subleaf,
			    uint32_t most, uint32_t regs[4])
{
	if (leaf == 0x23)
		set_leaf_23h(a, subleaf, regs);
	else if (leaf > most && leaf < 0x23)
		set_regs(regs, 0, 0, 0, 0);
	if (!leaf && regs[0] < 0x23)
		regs[0] = 0x23;
	if (leaf == 7 && !subleaf && !regs[0])
		regs[0] = 1;
	if (leaf == 7 && subleaf == 1)
		regs[0] |= CPUID7_1_EAX_PERFMON_EXT;
}

/*
 * Leaf 1AH. The processor is hybrid (CPUID.07H:EDX[15]) even if all its running cores have
 * the same core type.
 */
static void cpuid_core_type(const struct arch *a, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
	if (leaf == 7 && !subleaf)
		regs[3] |= CPUID7_EDX_HYBRID;
	if (leaf == 0x1a)
		set_regs(regs, subleaf ? 0 : a->part->core_type, 0, 0, 0);
}

void arch_cpuid(const struct pmu_cpu *c, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
	const struct arch *a = arch_of(c);
	uint32_t most[4];

	pmu_cpuid_no_store(leaf, subleaf, regs);
	arch_quirk_cpuid(c, leaf, subleaf, regs);
	if (leaf == 0xa)
		set_regs(regs, a->leaf[0], a->leaf[1], a->leaf[2], a->leaf[3]);
	if (a->part->core_type)
		cpuid_core_type(a, leaf, subleaf, regs);
	if (a->version < 6)
		return;
	pmu_cpuid_raw(c->pmu, 0, 0, most);
	cpuid_version_6(a, leaf, subleaf, most[0], regs);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The eight additional registers of the 64-bit Xeon MP with up to 8 MB of L3 cache: counters
 * 18 to 25 of RDPMC
 *
 * Intel's SDM Vol. 3B, "Performance Monitoring on 64-bit Intel Xeon Processor MP with Up to
 * 8-MByte L3 Cache". The processors that have them: Vol. 4, "MSRs Unique to 64-bit Intel Xeon
 * Processor MP with Up to an 8 MB L3 Cache"; Vol. 2B, RDPMC, "Valid Performance Counter Index
 * Range".
 *
 * The manual names the fields that qualify an event, but neither the meaning of their values
 * nor all of their positions. An event with all qualification bits set is certainly
 * unqualified: the model counts that one and no other.
 */
#include "pmu_netburst.h"
#include "pmu_regs.h"

/* Figures of MSR_IFSB_IBUSQx, MSR_IFSB_ISNPQx and MSR_EFSB_DRDYx. */
#define L3_COUNT	0xffffffffull
#define L3_QUALIFIERS	0x07ffffff00000000ull
#define L3_SATURATE	BIT64(59)
#define L3_BITS		(L3_COUNT | L3_QUALIFIERS | L3_SATURATE)
#define LATENCY_ENABLE	BIT64(26)

#define MSR_IFSB_CTL6	0x107d2u
#define MSR_IFSB_CNTR7	0x107d3u

/* ---- the processor -------------------------------------------------------- */

static bool is_l3(const uint32_t regs[4])
{
	return regs[0] & 0x1f && (regs[0] >> 5 & 7) == 3;
}

/* CPUID leaf 4: type 0 ends the list of caches. */
static bool cpuid_has_l3(const struct pmu *pmu)
{
	uint32_t regs[4];
	unsigned int i;

	pmu_cpuid_raw(pmu, 0, 0, regs);
	for (i = 0; regs[0] >= 4 && i < 8; i++) {
		pmu_cpuid_raw(pmu, 4, i, regs);
		if (is_l3(regs))
			return true;
		regs[0] = regs[0] & 0x1f ? 4 : 0;
	}
	return false;
}

bool pmu_netburst_has_l3(const struct pmu *pmu)
{
	if (!pmu_is_intel(pmu, 0xf) ||
	    (pmu->cpu_is.model != 3 && pmu->cpu_is.model != 4))
		return false;
	return pmu->options.xeon_l3 || cpuid_has_l3(pmu);
}

/*
 * Its caches: Vol. 2A, CPUID, "Deterministic Cache Parameters" and descriptors 7CH
 * (L2 of 1 MB) and 47H (L3 of 8 MB), both 8-way with lines of 64 bytes.
 */
static void cache_leaf(const struct pmu *pmu, uint32_t subleaf, uint32_t regs[4])
{
	static const uint32_t caches[][3] = {
		{ 0x121, 0x01c0003f, 0x1f },
		{ 0x143, 0x01c0003f, 0x7ff },
		{ 0x163, 0x01c0003f, 0x3fff },
	};
	unsigned int i;

	for (i = 0; i < 4; i++)
		regs[i] = 0;
	if (subleaf >= ARRAY_LEN(caches))
		return;
	regs[0] = caches[subleaf][0] | (pmu->machine.threads - 1) << 14;
	regs[1] = caches[subleaf][1];
	regs[2] = caches[subleaf][2];
}

/* The other leaves that describe caches. */
void pmu_l3_cpuid(const struct pmu *pmu, uint32_t leaf, uint32_t subleaf,
		  uint32_t regs[4])
{
	if (!pmu->options.xeon_l3)
		return;
	if (!leaf && regs[0] < 4)
		regs[0] = 4;
	if (leaf == 2)
		regs[3] = 0x007c7047;
	if (leaf == 4)
		cache_leaf(pmu, subleaf, regs);
	if (leaf == 0x80000006)
		regs[2] = 0x04006040;
}

/* ---- counting ------------------------------------------------------------- */

#define X_EVENT(name, msr, n) NETBURST_CODE(UNIT_##name, 0, 0),

static const struct pmu_event *event_of(const struct pmu *pmu, unsigned int i)
{
	static const uint16_t codes[] = { NETBURST_L3_EVENTS(X_EVENT) };

	return pmu_part_event(pmu->part, codes[i / 2], 0);
}

/* Events of the package: of all privileges and logical processors. */
void pmu_l3_set(struct pmu_cpu *c, struct netburst_l3_regs *r)
{
	const struct pmu_event *event;
	struct pmu_counter *n;
	unsigned int i;

	for (i = 0; i < NETBURST_L3_QUALIFIED; i++) {
		event = event_of(c->pmu, i);
		n = &r->counter[i];
		n->prims = event ? event->prims : NULL;
		n->factor = 1;
		n->privs = pmu_privs(true, true);
		n->others = n->privs;
		n->late = true;
		pmu_counter_set(c, n, (r->control[i] & L3_QUALIFIERS) == L3_QUALIFIERS);
	}
}

/* Return: whether n is one of these counters. A saturating counter stays at its maximum. */
bool pmu_l3_wrapped(struct netburst_l3_regs *r, struct pmu_counter *n)
{
	unsigned int i;

	for (i = 0; i < NETBURST_L3_QUALIFIED; i++) {
		if (n != &r->counter[i])
			continue;
		if (r->control[i] & L3_SATURATE)
			n->value = n->mask;
		return true;
	}
	return false;
}

/* ---- registers ------------------------------------------------------------ */

bool pmu_is_l3_msr(uint32_t msr)
{
	return pmu_in(msr, NETBURST_L3_MSR, NETBURST_L3_N);
}

void pmu_l3_reset(struct netburst_l3_regs *r)
{
	unsigned int i;

	*r = (struct netburst_l3_regs){ 0 };
	for (i = 0; i < NETBURST_L3_QUALIFIED; i++)
		r->counter[i].mask = L3_COUNT;
}

uint64_t pmu_l3_rdmsr(const struct netburst_l3_regs *r, uint32_t msr)
{
	unsigned int i = msr - NETBURST_L3_MSR;

	if (msr == MSR_IFSB_CTL6)
		return r->latency;
	if (msr == MSR_IFSB_CNTR7)
		return r->accumulated;
	return r->control[i] | r->counter[i].value;
}

bool pmu_l3_can_write(uint32_t msr, uint64_t value)
{
	if (msr == MSR_IFSB_CNTR7)
		return true;
	return !(value & ~(msr == MSR_IFSB_CTL6 ? LATENCY_ENABLE : L3_BITS));
}

void pmu_l3_wrmsr(struct netburst_l3_regs *r, uint32_t msr, uint64_t value)
{
	unsigned int i = msr - NETBURST_L3_MSR;

	if (msr == MSR_IFSB_CTL6) {
		r->latency = value;
	} else if (msr == MSR_IFSB_CNTR7) {
		r->accumulated = value;
	} else {
		r->control[i] = value & ~L3_COUNT;
		r->counter[i].value = value & L3_COUNT;
	}
}

void pmu_l3_dump(const struct netburst_l3_regs *r, FILE *file)
{
	static const char *const names[] = {
		"IFSB_BUSQ0", "IFSB_BUSQ1", "IFSB_SNPQ0", "IFSB_SNPQ1",
		"EFSB_DRDY0", "EFSB_DRDY1", "IFSB_CTL6", "IFSB_CNTR7",
	};
	unsigned int i;

	for (i = 0; i < NETBURST_L3_N; i++)
		pmu_dump(file, names[i], pmu_l3_rdmsr(r, NETBURST_L3_MSR + i));
}

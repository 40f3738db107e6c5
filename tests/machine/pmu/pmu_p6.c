// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two counters of the P6 family: Pentium Pro, II and III
 *
 * Intel's SDM Vol. 3B, "Performance Monitoring (P6 Family Processor)":
 * 1 "PerfEvtSel0 and PerfEvtSel1 MSRs", 2 "PerfCtr0 and PerfCtr1 MSRs",
 * 3 "Starting and Stopping the Performance-Monitoring Counters", 5 "Monitoring
 * Counter Overflow". Addresses: Vol. 4, table "MSRs in the P6 Family
 * Processors".
 */
#include <stdlib.h>

#include "pmu_regs.h"

#define NCOUNTERS	2u
#define WIDTH		40u

#define PERFCTR0	0x0c1u
#define PERFEVTSEL0	0x186u

/* Section 1, figure of the layout; bit 21 is reserved in both, bit 22 in PerfEvtSel1. */
#define SEL_CODE	0xffffu
#define SEL_USR		BIT64(16)
#define SEL_OS		BIT64(17)
#define SEL_EDGE	BIT64(18)
#define SEL_PC		BIT64(19)
#define SEL_INT		BIT64(20)
#define SEL_EN		BIT64(22)
#define SEL_INV		BIT64(23)
#define SEL_CMASK(v)	((v) >> 24 & 0xff)
#define SEL_BOTH	(0xffffffffull & ~BIT64(21) & ~SEL_EN)

struct p6_cpu {
	uint64_t select[NCOUNTERS];
	struct pmu_counter counter[NCOUNTERS];
};

static struct p6_cpu *state_of(const struct pmu_cpu *c)
{
	return (struct p6_cpu *)c->state;
}

/* Later models of family 6 have CPUID leaf 0AH and belong to pmu_arch. */
static bool recognise(const struct pmu *pmu)
{
	uint32_t regs[4];

	pmu_cpuid_raw(pmu, 0, 0, regs);
	return pmu_is_intel(pmu, 6) && regs[0] < 0xa;
}

static int create(struct pmu *pmu, char *error, size_t size)
{
	unsigned int i;

	if (pmu_reject_arch_options(pmu, error, size))
		return -1;
	/* All processors are on one bus; its events count for any of them. */
	pmu->group = pmu->machine.cpus;
	for (i = 0; i < pmu->machine.cpus; i++)
		pmu->cpu[i].state = calloc(1, sizeof(struct p6_cpu));
	return 0;
}

static void destroy(struct pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < pmu->machine.cpus; i++)
		free(pmu->cpu[i].state);
}

/* Sections 1 and 3: EN of PerfEvtSel0 enables both counters. */
static void update(struct pmu_cpu *c)
{
	struct p6_cpu *s = state_of(c);
	const struct pmu_event *event;
	struct pmu_counter *n;
	unsigned int i;
	bool agents;
	uint64_t v;

	pmu_counters_stop(c);
	for (i = 0; i < NCOUNTERS; i++) {
		n = &s->counter[i];
		v = s->select[i];
		event = pmu_part_event(c->pmu->part, v & SEL_CODE, i);
		pmu_counter_event(n, event, v & SEL_CODE);
		n->factor = 1;
		n->privs = pmu_privs(v & SEL_OS, v & SEL_USR);
		agents = event && event->agents &&
			 v & PMU_CODE(0, PMU_AGENTS);
		n->others = agents ? n->privs : 0;
		n->intr = v & SEL_INT;
		n->cmask = SEL_CMASK(v);
		n->inv = v & SEL_INV;
		n->edge = v & SEL_EDGE;
		pmu_counter_set(c, n, s->select[0] & SEL_EN);
	}
	pmu_counters_update(c);
}

static void reset(struct pmu_cpu *c)
{
	struct p6_cpu *s = state_of(c);
	unsigned int i;

	*s = (struct p6_cpu){ 0 };
	for (i = 0; i < NCOUNTERS; i++)
		s->counter[i].mask = MASK64(pmu_width(c->pmu, WIDTH));
	update(c);
}

static bool is_select(uint32_t msr)
{
	return pmu_in(msr, PERFEVTSEL0, NCOUNTERS);
}

static bool owns(const struct pmu *pmu, uint32_t msr)
{
	(void)pmu;
	return is_select(msr) || pmu_in(msr, PERFCTR0, NCOUNTERS);
}

static enum pmu_result check_rdmsr(struct pmu_cpu *c, uint32_t msr)
{
	(void)c;
	(void)msr;
	return PMU_OK;
}

static uint64_t rdmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	const struct p6_cpu *s = state_of(c);

	(void)value;
	if (is_select(msr))
		return s->select[msr - PERFEVTSEL0];
	return s->counter[msr - PERFCTR0].value;
}

/* Vol. 2B, WRMSR: setting a reserved bit faults. */
static enum pmu_result check_wrmsr(struct pmu_cpu *c, uint32_t msr,
				   uint64_t value)
{
	uint64_t bits = SEL_BOTH;

	(void)c;
	if (!is_select(msr))
		return PMU_OK;
	if (msr == PERFEVTSEL0)
		bits |= SEL_EN;
	return value & ~bits ? PMU_GP : PMU_OK;
}

/* Section 2: a write sign-extends bits 31:0. */
static void wrmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	struct p6_cpu *s = state_of(c);
	struct pmu_counter *n;

	if (is_select(msr)) {
		s->select[msr - PERFEVTSEL0] = value;
	} else {
		n = &s->counter[msr - PERFCTR0];
		n->value = (uint64_t)(int64_t)(int32_t)value & n->mask;
	}
	update(c);
}

/* Vol. 2B, RDPMC: all of ECX is the index. */
static enum pmu_result check_rdpmc(struct pmu_cpu *c, uint32_t index)
{
	(void)c;
	return index < NCOUNTERS ? PMU_OK : PMU_GP;
}

static uint64_t rdpmc(struct pmu_cpu *c, uint32_t index)
{
	return state_of(c)->counter[index].value;
}

static void cpuid(const struct pmu_cpu *c, uint32_t leaf, uint32_t subleaf,
		  uint32_t regs[4])
{
	(void)c;
	(void)leaf;
	(void)subleaf;
	(void)regs;
}

static void dump(struct pmu_cpu *c, FILE *file)
{
	const struct p6_cpu *s = state_of(c);
	unsigned int i;

	for (i = 0; i < NCOUNTERS; i++) {
		pmu_dump_one_of(file, "PerfEvtSel", i, s->select[i]);
		pmu_dump_one_of(file, "PerfCtr", i, s->counter[i].value);
	}
}

const struct pmu_family pmu_p6 = {
	.name = "P6 family",
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
	.interrupt = pmu_request,
	.dump = dump,
};

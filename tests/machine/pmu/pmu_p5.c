// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two counters of the Pentium and the Pentium with MMX technology
 *
 * Intel's SDM Vol. 3B, "Performance Monitoring (Pentium Processors)": 1 "Control and Event
 * Select Register (CESR)", 3 "Events Counted". Addresses: Vol. 4, table "MSRs in the Pentium
 * Processor".
 *
 * The control fields are the only enable bits. There is no overflow interrupt: the pins that
 * the PC bits control are not connected.
 */
#include <stdlib.h>

#include "pmu_regs.h"

#define NCOUNTERS	2u
#define WIDTH		40u

#define CESR		P5_CESR
#define CTR0		(P5_CESR + 1)

/* Section 1, figure of the layout; counter 1 has the same fields in bits 31:16. */
#define HALF		16u
#define ES(v)		((v) & 0x3f)
#define CC_OS		0x040u		/* rings 0 to 2 */
#define CC_USR		0x080u		/* ring 3 */
#define CC_CLOCKS	0x100u		/* clocks, not events */
#define CESR_BITS	0xffffffffull

struct p5_cpu {
	uint64_t cesr;
	struct pmu_counter counter[NCOUNTERS];
};

static struct p5_cpu *state_of(const struct pmu_cpu *c)
{
	return (struct p5_cpu *)c->state;
}

static bool recognise(const struct pmu *pmu)
{
	return pmu_is_intel(pmu, 5);
}

static int create(struct pmu *pmu, char *error, size_t size)
{
	unsigned int i;

	if (pmu_reject_arch_options(pmu, error, size))
		return -1;
	for (i = 0; i < pmu->machine.cpus; i++)
		pmu->cpu[i].state = calloc(1, sizeof(struct p5_cpu));
	return 0;
}

static void destroy(struct pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < pmu->machine.cpus; i++)
		free(pmu->cpu[i].state);
}

/*
 * Sections 1 and 3: an event is an occurrence or a duration. Clocks of an occurrence are the
 * clocks on which it occurs; a duration counted as an event counts its beginnings. A stall is
 * over before the next step: each step with one is a beginning.
 */
static void set_counter(struct pmu_cpu *c, unsigned int i)
{
	struct pmu_counter *n = &state_of(c)->counter[i];
	unsigned int v = state_of(c)->cesr >> HALF * i & 0xffff;
	const struct pmu_event *event;

	event = pmu_part_event(c->pmu->part, ES(v), i);
	pmu_counter_event(n, event, ES(v));
	n->factor = 1;
	n->privs = pmu_privs(v & CC_OS, v & CC_USR);
	n->cmask = v & CC_CLOCKS ? 1 : 0;
	if (event && event->stall)
		n->cmask = !n->cmask;
	n->edge = event && event->duration && !event->stall && !(v & CC_CLOCKS);
	pmu_counter_set(c, n, true);
}

static void update(struct pmu_cpu *c)
{
	unsigned int i;

	pmu_counters_stop(c);
	for (i = 0; i < NCOUNTERS; i++)
		set_counter(c, i);
	pmu_counters_update(c);
}

static void reset(struct pmu_cpu *c)
{
	struct p5_cpu *s = state_of(c);
	unsigned int i;

	*s = (struct p5_cpu){ 0 };
	pmu_pipes_reset(c);
	for (i = 0; i < NCOUNTERS; i++)
		s->counter[i].mask = MASK64(pmu_width(c->pmu, WIDTH));
	update(c);
}

static bool owns(const struct pmu *pmu, uint32_t msr)
{
	(void)pmu;
	return msr == CESR || pmu_in(msr, CTR0, NCOUNTERS);
}

static enum pmu_result check_rdmsr(struct pmu_cpu *c, uint32_t msr)
{
	(void)c;
	(void)msr;
	return PMU_OK;
}

static uint64_t rdmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	const struct p5_cpu *s = state_of(c);

	(void)value;
	return msr == CESR ? s->cesr : s->counter[msr - CTR0].value;
}

static enum pmu_result check_wrmsr(struct pmu_cpu *c, uint32_t msr,
				   uint64_t value)
{
	(void)c;
	(void)msr;
	(void)value;
	return PMU_OK;
}

/*
 * Bits that a register does not have are dropped. CESR's reserved bits are kept: software
 * must write them as it read them, and a test can detect software that does not.
 */
static void wrmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	struct p5_cpu *s = state_of(c);
	struct pmu_counter *n;

	pmu_pipes_reset(c);
	if (msr == CESR) {
		s->cesr = value & CESR_BITS;
		update(c);
		return;
	}
	n = &s->counter[msr - CTR0];
	n->value = value & n->mask;
	pmu_counters_update(c);
}

/* Vol. 2B, RDPMC: exists from MMX technology on; all of ECX is the index. */
static enum pmu_result check_rdpmc(struct pmu_cpu *c, uint32_t index)
{
	if (!c->pmu->part->rdpmc)
		return PMU_UD;
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
	const struct p5_cpu *s = state_of(c);
	unsigned int i;

	pmu_dump(file, "CESR", s->cesr);
	for (i = 0; i < NCOUNTERS; i++)
		pmu_dump_one_of(file, "CTR", i, s->counter[i].value);
}

const struct pmu_family pmu_p5 = {
	.name = "Pentium",
	.user_cpl = 3,
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
	.dump = dump,
};

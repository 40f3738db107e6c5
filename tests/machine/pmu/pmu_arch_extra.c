// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers that select what some events count: offcore response, load latency, front end.
 * README.md, "Extra registers", names the sources and what the model's caches produce.
 */
#include "pmu_arch.h"

/* Request types, bits 2:0 of MSR_OFFCORE_RSP_0 and 1: DMND_DATA_RD, DMND_RFO, DMND_CODE_RD. */
#define REQUEST_TYPES	3u

/* MSR_PEBS_LD_LAT counts loads with a greater latency; 3 is the least value. */
#define LEAST_LATENCY	3u

/* Event numbers of MSR_PEBS_FRONTEND. */
#define FRONTEND_EVENT	0xffu
#define FRONTEND_L1I_MISS 0x12u
#define FRONTEND_L2_MISS 0x13u

static enum pmu_extra_register number_of(uint32_t msr)
{
	switch (msr) {
	case MSR_OFFCORE_RSP_0:
		return PMU_OFFCORE_0;
	case MSR_OFFCORE_RSP_1:
		return PMU_OFFCORE_1;
	case MSR_PEBS_LD_LAT:
		return PMU_LATENCY;
	case MSR_PEBS_FRONTEND:
		return PMU_FRONTEND;
	default:
		return PMU_NO_EXTRA_REGISTER;
	}
}

/* Writable bits of an extra register; 0 for other registers. */
uint64_t arch_extra_register_bits(const struct arch *a, uint32_t msr)
{
	return a->part->extra_registers ? a->part->extra_registers->writable[number_of(msr)] : 0;
}

bool arch_is_extra_register(const struct arch *a, uint32_t msr)
{
	return arch_extra_register_bits(a, msr);
}

/* Return: the extra register at this MSR, or NULL. */
uint64_t *arch_extra_register_at(struct pmu_cpu *c, uint32_t msr)
{
	if (!arch_is_extra_register(arch_of(c), msr))
		return NULL;
	return &arch_cpu_of(c)->extra_register[number_of(msr)];
}

/* The caller updates the counters of c. */
void arch_write_extra_register(struct pmu_cpu *c, uint32_t msr, uint64_t value)
{
	enum pmu_extra_register n = number_of(msr);
	struct pmu_cpu *other = c->pmu->machine.threads > 1 ? pmu_sibling(c) : NULL;

	arch_cpu_of(c)->extra_register[n] = value;
	if (!other || !arch_of(c)->part->extra_registers->shared || n > PMU_OFFCORE_1)
		return;
	arch_cpu_of(other)->extra_register[n] = value;
	arch_update(other);
}

static bool responds(const struct pmu_extra_registers *m, uint64_t value, bool missed)
{
	if (value & m->any)
		return true;
	return value & (missed ? m->miss : m->hit) && (!m->snoop || value & m->snoop);
}

static void select_offcore(const struct pmu_extra_registers *m, uint64_t value, uint8_t *prims)
{
	unsigned int type, missed;

	for (type = 0; type < REQUEST_TYPES; type++)
		for (missed = 0; missed < 2; missed++)
			if (value >> type & 1 && responds(m, value, missed))
				*prims++ = PMU_OFFCORE_DATA_HIT + 2 * type + missed;
	*prims = PMU_NO_PRIM;
}

/* Latencies in cycles, in the order of the primitives PMU_LOAD_*. */
static void select_latency(uint64_t value, uint8_t *prims)
{
	static const unsigned int latency[] = { 4, 12, 40, 200 };
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(latency); i++)
		if (value >= LEAST_LATENCY && latency[i] > value)
			*prims++ = PMU_LOAD_L1 + i;
	*prims = PMU_NO_PRIM;
}

static void select_frontend(uint64_t value, uint8_t *prims)
{
	if ((value & FRONTEND_EVENT) == FRONTEND_L1I_MISS)
		*prims++ = PMU_CODE_L1_MISS;
	if ((value & FRONTEND_EVENT) == FRONTEND_L2_MISS)
		*prims++ = PMU_CODE_L2_MISS;
	*prims = PMU_NO_PRIM;
}

/* What a counter counts of an event that has an extra register. */
void arch_extra_register_event(const struct arch_cpu *s, struct pmu_counter *n,
			       const struct pmu_event *event)
{
	uint64_t value = s->extra_register[event->extra_register];

	if (event->extra_register == PMU_LATENCY)
		select_latency(value, n->own_prims);
	else if (event->extra_register == PMU_FRONTEND)
		select_frontend(value, n->own_prims);
	else
		select_offcore(s->core_type->part->extra_registers, value, n->own_prims);
	n->prims = n->own_prims;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * PERF_METRICS: how the slots of fixed counter 3 are divided, in fractions of 255
 *
 * SDM Vol. 3B, chapter "Performance Monitoring", "Performance Metrics"; Vol. 4, 329H.
 * README.md, "PERF_METRICS", lists the choices that the manual leaves open.
 */
#include "pmu_arch.h"

#define FIELD_BITS	8u
#define WHOLE		255u	/* maximum of a field; sum of the first four */

uint64_t arch_metrics_bits(const struct arch *a)
{
	return MASK64(FIELD_BITS * a->metrics);
}

static unsigned int fraction(uint64_t category, uint64_t slots)
{
	uint64_t field = category * WHOLE / slots;

	return field < WHOLE ? field : WHOLE;
}

/* 255 less bad speculation, frontend bound and backend bound. */
static unsigned int retiring(const unsigned int field[ARCH_CATEGORIES])
{
	unsigned int others = field[ARCH_BAD_SPECULATION] + field[ARCH_FRONTEND_BOUND] +
			      field[ARCH_BACKEND_BOUND];

	return others < WHOLE ? WHOLE - others : 0;
}

uint64_t arch_metrics(const struct arch_cpu *s)
{
	uint64_t slots = s->fixed[ARCH_SLOTS].value, value = 0;
	unsigned int field[ARCH_CATEGORIES] = { 0 };
	unsigned int i;

	if (slots == s->metrics_slots)
		return s->metrics;
	if (!slots)
		return 0;
	for (i = 0; i < s->core_type->metrics; i++)
		field[i] = fraction(s->category[i].value, slots);
	field[ARCH_RETIRING] = retiring(field);
	for (i = 0; i < s->core_type->metrics; i++)
		value |= (uint64_t)field[i] << FIELD_BITS * i;
	return value;
}

/*
 * Slots for a field: the middle of the range that gives this value, or 0 for 0. Writing back
 * what was read therefore leaves the field unchanged.
 */
static uint64_t category_of(unsigned int field, uint64_t slots)
{
	uint64_t category = (field * slots + WHOLE - 1) / WHOLE + slots / (2 * WHOLE);

	if (!field)
		return 0;
	return category < slots ? category : slots;
}

void arch_write_metrics(struct arch_cpu *s, uint64_t value)
{
	uint64_t slots = s->fixed[ARCH_SLOTS].value;
	unsigned int i;

	s->metrics = value;
	s->metrics_slots = slots;
	for (i = ARCH_RETIRING + 1; i < s->core_type->metrics; i++)
		s->category[i].value = category_of(value >> FIELD_BITS * i & WHOLE, slots);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/* The fields of an event select */
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "event_select.h"

/*
 * IA32_PERFEVTSELx: SDM Volume 3B, "Architectural Performance Monitoring Version
 * 1 Facilities", and of version 6 unit mask 2, which is the unit mask's high byte (so in
 * Linux's perf, its format attributes), and the equal bit. A CPU that lacks these has
 * the driver refuse them.
 */
static const struct pmc_field core_fields[] = {
	{ "event", "event", 0, 8, 0, 0 },
	{ "umask", "unit mask", 8, 8, 40, 8 },
	{ NULL, "user mode, set by :u", 16, 1, 0, 0 },
	{ NULL, "kernel mode, set by :k", 17, 1, 0, 0 },
	{ "edge", "edge", 18, 1, 0, 0 },
	{ NULL, "pin control", 19, 1, 0, 0 },
	{ NULL, "interrupt, set by the driver", 20, 1, 0, 0 },
	{ "any", "AnyThread", 21, 1, 0, 0 },
	{ NULL, "enable, set by the driver", 22, 1, 0, 0 },
	{ "inv", "invert", 23, 1, 0, 0 },
	{ "cmask", "counter mask", 24, 8, 0, 0 },
	{ NULL, "reserved", 32, 4, 0, 0 },
	{ "eq", "equal", 36, 1, 0, 0 },
	{ NULL, "reserved", 37, 3, 0, 0 },
	{ NULL, "reserved", 48, 16, 0, 0 },
};

/*
 * SDM Volume 3B, "Performance Monitoring (P6 Family Processor)": the same without
 * AnyThread
 */
static const struct pmc_field p6_fields[] = {
	{ "event", "event", 0, 8, 0, 0 },
	{ "umask", "unit mask", 8, 8, 0, 0 },
	{ NULL, "user mode, set by :u", 16, 1, 0, 0 },
	{ NULL, "kernel mode, set by :k", 17, 1, 0, 0 },
	{ "edge", "edge", 18, 1, 0, 0 },
	{ NULL, "pin control", 19, 1, 0, 0 },
	{ NULL, "interrupt, set by the driver", 20, 1, 0, 0 },
	{ NULL, "reserved", 21, 1, 0, 0 },
	{ NULL, "enable, set by the driver", 22, 1, 0, 0 },
	{ "inv", "invert", 23, 1, 0, 0 },
	{ "cmask", "counter mask", 24, 8, 0, 0 },
	{ NULL, "reserved", 32, 32, 0, 0 },
};

/*
 * One half of the CESR: SDM Volume 3B, "Control and Event Select Register
 * (CESR)": ES, CC and PC
 */
static const struct pmc_field p5_fields[] = {
	{ "event", "event", 0, 6, 0, 0 },
	{ NULL, "kernel mode, set by :k", 6, 1, 0, 0 },
	{ NULL, "user mode, set by :u", 7, 1, 0, 0 },
	{ "clocks", "count clocks", 8, 1, 0, 0 },
	{ NULL, "pin control", 9, 1, 0, 0 },
	{ NULL, "reserved", 10, 54, 0, 0 },
};

/*
 * CCCR and ESCR: SDM Volume 3B, figures "Counter Configuration Control Register" and
 * "Event Selection Control Register (ESCR) for Pentium 4 and Intel Xeon Processors
 * without Intel HT Technology Support"
 */
static const struct pmc_field netburst_fields[] = {
	{ NULL, "reserved", 0, 12, 0, 0 },
	{ NULL, "enable, set by the driver", 12, 1, 0, 0 },
	{ "escr", "ESCR select", 13, 3, 0, 0 },
	{ NULL, "active thread, set by the driver", 16, 2, 0, 0 },
	{ "compare", "compare", 18, 1, 0, 0 },
	{ "inv", "complement", 19, 1, 0, 0 },
	{ "threshold", "threshold", 20, 4, 0, 0 },
	{ "edge", "edge", 24, 1, 0, 0 },
	{ NULL, "interrupt, set by the driver", 25, 3, 0, 0 },
	{ NULL, "reserved", 28, 2, 0, 0 },
	{ "cascade", "cascade", 30, 1, 0, 0 },
	{ NULL, "overflow", 31, 1, 0, 0 },
	{ NULL, "privilege levels, set by :u and :k", 32, 4, 0, 0 },
	{ "tagged", "tag enable", 36, 1, 0, 0 },
	{ "tag", "tag value", 37, 4, 0, 0 },
	{ "umask", "event mask", 41, 16, 0, 0 },
	{ "event", "event", 57, 6, 0, 0 },
	{ NULL, "reserved", 63, 1, 0, 0 },
};

/*
 * PerfEvtSeln, PERF_CTLn, as Linux's perf has them (arch/x86/events/amd/core.c, its
 * format attributes)
 */
static const struct pmc_field amd_fields[] = {
	{ "event", "event", 0, 8, 32, 4 },
	{ "umask", "unit mask", 8, 8, 0, 0 },
	{ NULL, "user mode, set by :u", 16, 1, 0, 0 },
	{ NULL, "kernel mode, set by :k", 17, 1, 0, 0 },
	{ "edge", "edge", 18, 1, 0, 0 },
	{ NULL, "pin control", 19, 1, 0, 0 },
	{ NULL, "interrupt, set by the driver", 20, 1, 0, 0 },
	{ NULL, "reserved", 21, 1, 0, 0 },
	{ NULL, "enable, set by the driver", 22, 1, 0, 0 },
	{ "inv", "invert", 23, 1, 0, 0 },
	{ "cmask", "counter mask", 24, 8, 0, 0 },
	{ NULL, "reserved", 36, 4, 0, 0 },
	{ "guest", "guest only", 40, 1, 0, 0 },
	{ "host", "host only", 41, 1, 0, 0 },
	{ NULL, "reserved", 42, 22, 0, 0 },
};

static const struct pmc_field *layout_fields(enum pmc_layout layout, size_t *num)
{
	if (layout == PMC_LAYOUT_P5) {
		*num = ARRAY_SIZE(p5_fields);
		return p5_fields;
	}
	if (layout == PMC_LAYOUT_NETBURST) {
		*num = ARRAY_SIZE(netburst_fields);
		return netburst_fields;
	}
	if (layout == PMC_LAYOUT_AMD) {
		*num = ARRAY_SIZE(amd_fields);
		return amd_fields;
	}
	if (layout == PMC_LAYOUT_P6) {
		*num = ARRAY_SIZE(p6_fields);
		return p6_fields;
	}
	*num = ARRAY_SIZE(core_fields);
	return core_fields;
}

uint64_t pmc_field_mask(const struct pmc_field *field)
{
	return pmc_field_encode(field, pmc_field_max(field));
}

uint64_t pmc_field_max(const struct pmc_field *field)
{
	return (1ULL << (field->bits + field->high_bits)) - 1;
}

uint64_t pmc_field_encode(const struct pmc_field *field, uint64_t value)
{
	uint64_t low = value & ((1ULL << field->bits) - 1);

	return low << field->low | value >> field->bits << field->high_low;
}

const struct pmc_field *pmc_field_find(enum pmc_layout layout, const struct pmc_token *term)
{
	const struct pmc_field *fields;
	size_t num, i;

	fields = layout_fields(layout, &num);
	for (i = 0; i < num; i++)
		if (fields[i].term && pmc_token_equals(term, fields[i].term))
			return &fields[i];
	return NULL;
}

void pmc_field_list(enum pmc_layout layout, char *text, size_t size)
{
	const struct pmc_field *fields;
	size_t num, i, used = 0, left = 0;

	text[0] = '\0';
	fields = layout_fields(layout, &num);
	for (i = 0; i < num; i++)
		left += !!fields[i].term;
	for (i = 0; i < num && used < size; i++) {
		if (!fields[i].term)
			continue;
		left--;
		used += snprintf(text + used, size - used, "%s%s%s", fields[i].term,
				 fields[i].bits > 1 ? "=" : "",
				 !left ? "" : left > 1 ? ", " : " and ");
	}
}

uint64_t pmc_event_select_number(enum pmc_layout layout, uint64_t select)
{
	if (layout == PMC_LAYOUT_NETBURST)
		return select >> 57 & 0x3f;
	if (layout == PMC_LAYOUT_AMD)
		return (select >> 24 & 0xf00) | (select & 0xff);
	return select & (layout == PMC_LAYOUT_P5 ? 0x3f : 0xff);
}

void pmc_event_select_name_bits(enum pmc_layout layout, uint64_t bits, char *text, size_t size)
{
	const struct pmc_field *fields;
	size_t used = 0, num, i;

	text[0] = '\0';
	fields = layout_fields(layout, &num);
	for (i = 0; i < num && used < size; i++)
		if (bits & pmc_field_mask(&fields[i]))
			used += snprintf(text + used, size - used, "%s%s",
					 used ? "; " : "", fields[i].name);
}

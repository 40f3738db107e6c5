// SPDX-License-Identifier: LGPL-2.1-or-later
/* The fields of an event select */
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "event_select.h"

#define CORE		(1U << PMC_LAYOUT_CORE)
#define P5		(1U << PMC_LAYOUT_P5)
#define P6		(1U << PMC_LAYOUT_P6)
#define NETBURST	(1U << PMC_LAYOUT_NETBURST)
#define AMD		(1U << PMC_LAYOUT_AMD)

/*
 * The fields of each layout; within a layout from the lowest bit up.
 *
 * CORE: IA32_PERFEVTSELx. SDM Volume 3B, "Architectural Performance Monitoring Version 1
 *	Facilities", and of version 6 unit mask 2, the high byte of the unit mask (as in the
 *	format attributes of Linux's perf), and the equal bit. The driver refuses these on
 *	CPUs without them.
 * P6: SDM Volume 3B, "Performance Monitoring (P6 Family Processor)": no AnyThread.
 * AMD: PerfEvtSeln, PERF_CTLn. arch/x86/events/amd/core.c of Linux, format attributes.
 * P5: one half of the CESR. SDM Volume 3B, "Control and Event Select Register (CESR)": ES,
 *	CC and PC.
 * NETBURST: CCCR and ESCR. SDM Volume 3B, figures "Counter Configuration Control Register"
 *	and "Event Selection Control Register (ESCR) for Pentium 4 and Intel Xeon Processors
 *	without Intel HT Technology Support".
 */
static const struct {
	unsigned int layouts;
	struct pmc_field field;
} fields[] = {
	{ CORE | P6, { "event", "event", 0, 8, 0, 0 } },
	{ AMD, { "event", "event", 0, 8, 32, 4 } },
	{ CORE, { "umask", "unit mask", 8, 8, 40, 8 } },
	{ P6 | AMD, { "umask", "unit mask", 8, 8, 0, 0 } },
	{ CORE | P6 | AMD, { NULL, "user mode, set by :u", 16, 1, 0, 0 } },
	{ CORE | P6 | AMD, { NULL, "kernel mode, set by :k", 17, 1, 0, 0 } },
	{ CORE | P6 | AMD, { "edge", "edge", 18, 1, 0, 0 } },
	{ CORE | P6 | AMD, { NULL, "pin control", 19, 1, 0, 0 } },
	{ CORE | P6 | AMD, { NULL, "interrupt, set by the driver", 20, 1, 0, 0 } },
	{ CORE, { "any", "AnyThread", 21, 1, 0, 0 } },
	{ P6 | AMD, { NULL, "reserved", 21, 1, 0, 0 } },
	{ CORE | P6 | AMD, { NULL, "enable, set by the driver", 22, 1, 0, 0 } },
	{ CORE | P6 | AMD, { "inv", "invert", 23, 1, 0, 0 } },
	{ CORE | P6 | AMD, { "cmask", "counter mask", 24, 8, 0, 0 } },
	{ CORE, { NULL, "reserved", 32, 4, 0, 0 } },
	{ P6, { NULL, "reserved", 32, 32, 0, 0 } },
	{ CORE, { "eq", "equal", 36, 1, 0, 0 } },
	{ AMD, { NULL, "reserved", 36, 4, 0, 0 } },
	{ CORE, { NULL, "reserved", 37, 3, 0, 0 } },
	{ AMD, { "guest", "guest only", 40, 1, 0, 0 } },
	{ AMD, { "host", "host only", 41, 1, 0, 0 } },
	{ AMD, { NULL, "reserved", 42, 22, 0, 0 } },
	{ CORE, { NULL, "reserved", 48, 16, 0, 0 } },

	{ P5, { "event", "event", 0, 6, 0, 0 } },
	{ P5, { NULL, "kernel mode, set by :k", 6, 1, 0, 0 } },
	{ P5, { NULL, "user mode, set by :u", 7, 1, 0, 0 } },
	{ P5, { "clocks", "count clocks", 8, 1, 0, 0 } },
	{ P5, { NULL, "pin control", 9, 1, 0, 0 } },
	{ P5, { NULL, "reserved", 10, 54, 0, 0 } },

	{ NETBURST, { NULL, "reserved", 0, 12, 0, 0 } },
	{ NETBURST, { NULL, "enable, set by the driver", 12, 1, 0, 0 } },
	{ NETBURST, { "escr", "ESCR select", 13, 3, 0, 0 } },
	{ NETBURST, { NULL, "active thread, set by the driver", 16, 2, 0, 0 } },
	{ NETBURST, { "compare", "compare", 18, 1, 0, 0 } },
	{ NETBURST, { "inv", "complement", 19, 1, 0, 0 } },
	{ NETBURST, { "threshold", "threshold", 20, 4, 0, 0 } },
	{ NETBURST, { "edge", "edge", 24, 1, 0, 0 } },
	{ NETBURST, { NULL, "interrupt, set by the driver", 25, 3, 0, 0 } },
	{ NETBURST, { NULL, "reserved", 28, 2, 0, 0 } },
	{ NETBURST, { "cascade", "cascade", 30, 1, 0, 0 } },
	{ NETBURST, { NULL, "overflow", 31, 1, 0, 0 } },
	{ NETBURST, { NULL, "privilege levels, set by :u and :k", 32, 4, 0, 0 } },
	{ NETBURST, { "tagged", "tag enable", 36, 1, 0, 0 } },
	{ NETBURST, { "tag", "tag value", 37, 4, 0, 0 } },
	{ NETBURST, { "umask", "event mask", 41, 16, 0, 0 } },
	{ NETBURST, { "event", "event", 57, 6, 0, 0 } },
	{ NETBURST, { NULL, "reserved", 63, 1, 0, 0 } },
};

static bool in_layout(size_t index, enum pmc_layout layout)
{
	return fields[index].layouts >> layout & 1;
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
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (in_layout(i, layout) && fields[i].field.term &&
		    pmc_token_equals(term, fields[i].field.term))
			return &fields[i].field;
	return NULL;
}

void pmc_field_list(enum pmc_layout layout, char *text, size_t size)
{
	size_t i, used = 0, left = 0;

	text[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		left += in_layout(i, layout) && fields[i].field.term;
	for (i = 0; i < ARRAY_SIZE(fields) && used < size; i++) {
		if (!in_layout(i, layout) || !fields[i].field.term)
			continue;
		left--;
		used += snprintf(text + used, size - used, "%s%s%s", fields[i].field.term,
				 fields[i].field.bits > 1 ? "=" : "",
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
	size_t used = 0, i;

	text[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(fields) && used < size; i++)
		if (in_layout(i, layout) && bits & pmc_field_mask(&fields[i].field))
			used += snprintf(text + used, size - used, "%s%s", used ? "; " : "",
					 fields[i].field.name);
}

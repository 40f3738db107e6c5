// SPDX-License-Identifier: LGPL-2.1-or-later
/* The fields of an event select */
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "select.h"

/*
 * IA32_PERFEVTSELx: SDM Volume 3B, "Architectural Performance Monitoring Version
 * 1 Facilities". The event select of the P6 family ("Performance Monitoring (P6
 * Family Processor)") is the same without AnyThread.
 */
static const struct pmc_field core_fields[] = {
	{ "event", "event", 0, 8 },
	{ "umask", "unit mask", 8, 8 },
	{ NULL, "user mode, set by :u", 16, 1 },
	{ NULL, "kernel mode, set by :k", 17, 1 },
	{ "edge", "edge", 18, 1 },
	{ NULL, "pin control", 19, 1 },
	{ NULL, "interrupt, set by the driver", 20, 1 },
	{ "any", "AnyThread", 21, 1 },
	{ NULL, "enable, set by the driver", 22, 1 },
	{ "inv", "invert", 23, 1 },
	{ "cmask", "counter mask", 24, 8 },
	{ NULL, "reserved", 32, 32 },
};

/*
 * One half of the CESR: SDM Volume 3B, "Control and Event Select Register
 * (CESR)": ES, CC and PC
 */
static const struct pmc_field p5_fields[] = {
	{ "event", "event", 0, 6 },
	{ NULL, "kernel mode, set by :k", 6, 1 },
	{ NULL, "user mode, set by :u", 7, 1 },
	{ "clocks", "count clocks", 8, 1 },
	{ NULL, "pin control", 9, 1 },
	{ NULL, "reserved", 10, 54 },
};

/*
 * CCCR and ESCR: SDM Volume 3B, figures "Counter Configuration Control Register" and
 * "Event Selection Control Register (ESCR) for Pentium 4 and Intel Xeon Processors
 * without Intel HT Technology Support"
 */
static const struct pmc_field netburst_fields[] = {
	{ NULL, "reserved", 0, 12 },
	{ NULL, "enable, set by the driver", 12, 1 },
	{ "escr", "ESCR select", 13, 3 },
	{ NULL, "active thread, set by the driver", 16, 2 },
	{ "compare", "compare", 18, 1 },
	{ "inv", "complement", 19, 1 },
	{ "threshold", "threshold", 20, 4 },
	{ "edge", "edge", 24, 1 },
	{ NULL, "interrupt, set by the driver", 25, 3 },
	{ NULL, "reserved", 28, 2 },
	{ "cascade", "cascade", 30, 1 },
	{ NULL, "overflow", 31, 1 },
	{ NULL, "privilege levels, set by :u and :k", 32, 4 },
	{ "tagged", "tag enable", 36, 1 },
	{ "tag", "tag value", 37, 4 },
	{ "umask", "event mask", 41, 16 },
	{ "event", "event", 57, 6 },
	{ NULL, "reserved", 63, 1 },
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
	*num = ARRAY_SIZE(core_fields);
	return core_fields;
}

uint64_t pmc_field_mask(const struct pmc_field *field)
{
	return ((1ULL << field->bits) - 1) << field->low;
}

static bool has_term(enum pmc_layout layout, const struct pmc_field *field)
{
	if (!field->term)
		return false;
	return layout == PMC_LAYOUT_CORE || strcmp(field->term, "any");
}

const struct pmc_field *pmc_field_find(enum pmc_layout layout, const struct pmc_word *term)
{
	const struct pmc_field *fields;
	size_t num, i;

	fields = layout_fields(layout, &num);
	for (i = 0; i < num; i++)
		if (has_term(layout, &fields[i]) && pmc_word_is(term, fields[i].term))
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
		left += has_term(layout, &fields[i]);
	for (i = 0; i < num && used < size; i++) {
		if (!has_term(layout, &fields[i]))
			continue;
		left--;
		used += snprintf(text + used, size - used, "%s%s%s", fields[i].term,
				 fields[i].bits > 1 ? "=" : "",
				 !left ? "" : left > 1 ? ", " : " and ");
	}
}

uint64_t pmc_select_number(enum pmc_layout layout, uint64_t select)
{
	if (layout == PMC_LAYOUT_NETBURST)
		return select >> 57 & 0x3f;
	return select & (layout == PMC_LAYOUT_P5 ? 0x3f : 0xff);
}

void pmc_select_name_bits(enum pmc_layout layout, uint64_t bits, char *text, size_t size)
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

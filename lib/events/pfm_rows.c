// SPDX-License-Identifier: LGPL-2.1-or-later
/* The events of libpfm4 as rows of a list, without a check that they can be counted */
#ifdef HAVE_LIBPFM
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "extra_register.h"
#include "netburst.h"
#include "pfm_rows.h"

/*
 * libpfm4 has bit numbers as NetBurst's unit masks. Those of an event with an extra register are
 * bits of the register.
 */
static uint64_t mask_bits(const struct pmc_pfm_table *table, uint64_t code, bool extra)
{
	if (extra)
		return 0;
	if (pmc_pfm_layout(table) != PMC_LAYOUT_NETBURST)
		return code << 8;
	return code < NETBURST_MASK_BITS ? 1ULL << (NETBURST_MASK_SHIFT + code) : 0;
}

/* The event select of an event's number */
static uint64_t event_select(const struct pmc_pfm_table *table, uint64_t code)
{
	switch (pmc_pfm_layout(table)) {
	case PMC_LAYOUT_NETBURST:
		return pmc_netburst_select(code);
	case PMC_LAYOUT_AMD:
		return (code & 0xff) | (code & 0xf00) << 24;
	default:
		return code;
	}
}

/* ---- events that are the same on all core types ---- */

/* Whether two tables give the same codes for an event, with unit mask @mask if not NULL */
static bool same_codes(const struct pmc_pfm_event *a, const struct pmc_pfm_event *b,
		       const char *mask)
{
	const struct pmc_pfm_event *events[] = { a, b };
	uint64_t codes[2][PFM_CODES_MAX] = { 0 };
	int num_codes[2], error[2];
	char text[512];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		snprintf(text, sizeof(text), "%s::%s%s%s", events[i]->table->info.name,
			 events[i]->info.name, mask ? ":" : "", mask ? mask : "");
		error[i] = pmc_pfm_codes(text, codes[i], &num_codes[i]);
	}
	return error[0] == error[1] && num_codes[0] == num_codes[1] &&
	       !memcmp(codes[0], codes[1], sizeof(codes[0]));
}

/* Return: 0 or 1, or -1 without memory. */
static int same_event(struct pmc_pfm_event *a, struct pmc_pfm_event *b)
{
	const struct pmc_pfm_masks *masks = pmc_pfm_masks(a), *others = pmc_pfm_masks(b);
	struct pmc_token name;
	size_t i;

	if (!masks || !others)
		return -1;
	if (masks->num != others->num)
		return 0;
	for (i = 0; i < masks->num; i++) {
		name = (struct pmc_token){ masks->mask[i].name, strlen(masks->mask[i].name) };
		if (!pmc_pfm_find_mask(others, &name) || !same_codes(a, b, masks->mask[i].name))
			return 0;
	}
	return same_codes(a, b, NULL);
}

/*
 * Whether the event has the same codes on every core type, with each unit mask.
 * Return: 0 or 1, or -1 without memory.
 */
static int is_shared(const struct pmc_processor *processor, struct pmc_pfm_event *event)
{
	const struct pmc_token name = { event->info.name, strlen(event->info.name) };
	const struct pmc_processor all = {
		.layout = processor->layout,
		.is_hybrid = processor->is_hybrid,
	};
	struct pmc_pfm_table *table;
	struct pmc_pfm_event *other;
	int result = 0;
	size_t i;

	if (!processor->is_hybrid)
		return 1;
	for (i = 0; (table = pmc_pfm_table(&all, i)); i++) {
		if (table == event->table)
			continue;
		other = pmc_pfm_find(table, &name);
		result = other ? same_event(event, other) : 0;
		if (result <= 0)
			return result;
	}
	return result;
}

/* ---- rows ---- */

struct pmc_event_row *pmc_pfm_make_row(const struct pmc_processor *processor,
				       struct pmc_pfm_event *event)
{
	const struct pmc_pfm_table *table = event->table;
	const struct pmc_pfm_masks *masks = pmc_pfm_masks(event);
	int shared = is_shared(processor, event);
	uint64_t select = event_select(table, event->info.code);
	bool extra = pmc_register_of(processor, table->core_type, select);
	struct pmc_unit_mask *unit_masks;
	struct pmc_event_row *row;
	size_t i;

	/* The row and its unit masks are one allocation. */
	row = masks && shared >= 0 ?
	      calloc(1, sizeof(*row) + masks->num * sizeof(*unit_masks)) : NULL;
	if (!row) {
		errno = ENOMEM;
		pmc_fail_errno("an event");
		return NULL;
	}
	unit_masks = (void *)(row + 1);
	for (i = 0; i < masks->num; i++)
		unit_masks[i] = (struct pmc_unit_mask){
			.name = masks->mask[i].name,
			.text = masks->mask[i].desc,
			.bits = mask_bits(table, masks->mask[i].code, extra),
			.preset = masks->mask[i].is_dfl,
			.combines = true,
		};
	*row = (struct pmc_event_row){
		.name = event->info.name,
		.text = event->info.desc,
		.source = table->info.desc,
		.select = select,
		.counters = PMC_ANY_COUNTER,
		.fixed = PMC_NO_FIXED,
		.unit_masks = unit_masks,
		.num_unit_masks = masks->num,
		.core_type = shared ? 0 : table->core_type,
	};
	return row;
}

void pmc_pfm_free_row(struct pmc_event_row *row)
{
	free((void *)row->note);
	free(row);
}

const struct pmc_event_row *pmc_pfm_row(const struct pmc_processor *processor,
					struct pmc_pfm_event *event)
{
	struct pmc_event_row *row = pmc_pfm_cache_get(&event->row);

	if (row)
		return row;
	row = pmc_pfm_make_row(processor, event);
	if (!row)
		return NULL;
	if (pmc_pfm_cache_put(&event->row, row))
		return row;
	pmc_pfm_free_row(row);
	return pmc_pfm_cache_get(&event->row);
}

#endif /* HAVE_LIBPFM */

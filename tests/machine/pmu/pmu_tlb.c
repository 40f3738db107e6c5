// SPDX-License-Identifier: GPL-2.0-only
/*
 * TLBs for code and data, small and large pages: set-associative with exact LRU
 *
 * Page walks take no time and access no cache.
 */
#include <stdlib.h>
#include <string.h>

#include "pmu_int.h"

#define SMALL	12u	/* log2 of the size of a small page */

struct entry {
	uint64_t page;		/* linear address / page size + 1; 0 = empty */
	unsigned int bits;
	bool global;
};

struct tlb {
	unsigned int sets, ways;
	struct entry *entry;	/* by set, most recent first */
};

struct pmu_tlbs {
	struct tlb code, code_large, data, data_large;
};

static void tlb_init(struct tlb *t, const struct pmu_cache_shape *shape)
{
	t->sets = shape->sets;
	t->ways = shape->ways;
	if (t->ways)
		t->entry = calloc((size_t)t->sets * t->ways, sizeof(*t->entry));
}

static struct pmu_tlbs *tlbs_create(const struct pmu_structures *s)
{
	struct pmu_tlbs *t = calloc(1, sizeof(*t));

	tlb_init(&t->code, &s->code_tlb);
	tlb_init(&t->code_large, &s->code_tlb_large);
	tlb_init(&t->data, &s->data_tlb);
	tlb_init(&t->data_large, &s->data_tlb_large);
	return t;
}

void pmu_tlbs_destroy(struct pmu_tlbs *t)
{
	if (!t)
		return;
	free(t->code.entry);
	free(t->code_large.entry);
	free(t->data.entry);
	free(t->data_large.entry);
	free(t);
}

/* Return: whether it was a miss. The page is the most recent one afterwards. */
static bool missed(struct tlb *t, struct entry e)
{
	struct entry *set = t->entry + (e.page - 1) % t->sets * t->ways;
	unsigned int way;
	bool hit;

	for (way = 0; way < t->ways - 1; way++)
		if (set[way].page == e.page && set[way].bits == e.bits)
			break;
	hit = set[way].page == e.page && set[way].bits == e.bits;
	memmove(set + 1, set, way * sizeof(*set));
	set[0] = e;
	return !hit;
}

bool pmu_tlb_missed(struct pmu_cpu *c, bool code, uint64_t linear,
		    const struct pmu_page *page)
{
	struct pmu_tlbs **t = &c->pmu->tlbs[c->id];
	struct tlb *small, *large;
	struct entry e = { .bits = SMALL, .global = page->global };

	if (!*t)
		*t = tlbs_create(c->pmu->part->structures);
	small = code ? &(*t)->code : &(*t)->data;
	large = code ? &(*t)->code_large : &(*t)->data_large;
	if (page->bits > SMALL && large->ways) {
		e.bits = page->bits;
		small = large;
	}
	e.page = (linear >> e.bits) + 1;
	return missed(small, e);
}

static bool goes(const struct entry *e, enum pmu_flush what, uint64_t linear)
{
	switch (what) {
	case PMU_FLUSH_ALL:
		return true;
	case PMU_FLUSH_LOCAL:
		return !e->global;
	default:
		return e->page == (linear >> e->bits) + 1;
	}
}

static void flush(struct tlb *t, enum pmu_flush what, uint64_t linear)
{
	unsigned int i;

	for (i = 0; i < t->sets * t->ways; i++)
		if (t->entry[i].page && goes(&t->entry[i], what, linear))
			t->entry[i].page = 0;
}

void pmu_tlbs_flush(struct pmu_tlbs *t, enum pmu_flush what, uint64_t linear)
{
	flush(&t->code, what, linear);
	flush(&t->code_large, what, linear);
	flush(&t->data, what, linear);
	flush(&t->data_large, what, linear);
}

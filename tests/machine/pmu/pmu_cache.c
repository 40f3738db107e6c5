// SPDX-License-Identifier: GPL-2.0-only
/*
 * Textbook caches with the geometry of CPUID leaf 4 (SDM Vol. 2A, CPUID, "Deterministic
 * Cache Parameters"), for the parts without a geometry of their own
 *
 * Every level is set-associative with exact LRU and is filled by reads and writes. All
 * processors share the last level; each core has its own lower levels. There is no
 * prefetching, no write-back, no coherence traffic and no inclusion.
 */
#include <stdlib.h>
#include <string.h>

#include "pmu_int.h"

#define MAX_LEVEL	4
#define NO_LINE		(~0ull)

struct cache {
	unsigned int ways;
	unsigned int sets;
	uint64_t *line;		/* by set, most recent first */
};

struct pmu_caches {
	unsigned int cpus;
	unsigned int threads;	/* logical processors that share a core's levels */
	unsigned int levels;
	unsigned int line_size;
	struct cache *code;	/* first level, one for each processor */
	struct cache *level[MAX_LEVEL]; /* data and unified, the same */
};

static void cache_flush(struct cache *c)
{
	memset(c->line, 0xff, (size_t)c->sets * c->ways * sizeof(*c->line));
}

static void cache_init(struct cache *c, const struct cache *shape)
{
	c->ways = shape->ways;
	c->sets = shape->sets;
	c->line = calloc((size_t)c->sets * c->ways, sizeof(*c->line));
	cache_flush(c);
}

/* Return: whether it was a hit. The line is the most recent one afterwards. */
static bool cache_access(struct cache *c, uint64_t line)
{
	uint64_t *set = c->line + line % c->sets * c->ways;
	unsigned int way;
	bool hit;

	for (way = 0; way < c->ways - 1 && set[way] != line; way++)
		;
	hit = set[way] == line;
	memmove(set + 1, set, way * sizeof(*set));
	set[0] = line;
	return hit;
}

static void cache_drop(struct cache *c, uint64_t line)
{
	uint64_t *set = c->line + line % c->sets * c->ways;
	unsigned int way;

	for (way = 0; way < c->ways; way++)
		if (set[way] == line)
			set[way] = NO_LINE;
}

/* Leaf 4: EAX type 4:0, level 7:5; EBX line 11:0, parts 21:12, ways 31:22. */
static unsigned int shape_of(const uint32_t regs[4], struct cache *shape,
			     unsigned int *line_size)
{
	shape->ways = (regs[1] >> 22) + 1;
	shape->sets = (regs[2] + 1) * ((regs[1] >> 12 & 0x3ff) + 1);
	*line_size = (regs[1] & 0xfff) + 1;
	return regs[0] >> 5 & 0x7;
}

static struct cache *per_cpu(unsigned int n, const struct cache *shape)
{
	struct cache *c = calloc(n, sizeof(*c));
	unsigned int i;

	for (i = 0; i < n; i++)
		cache_init(&c[i], shape);
	return c;
}

static void add_level(struct pmu_caches *h, const uint32_t regs[4])
{
	struct cache shape;
	unsigned int level = shape_of(regs, &shape, &h->line_size);

	if (!level || level > MAX_LEVEL)
		return;
	if ((regs[0] & 0x1f) == 2) {
		h->code = per_cpu(h->cpus, &shape);
		return;
	}
	h->level[level - 1] = per_cpu(h->cpus, &shape);
	if (level > h->levels)
		h->levels = level;
}

struct pmu_caches *pmu_caches_create(const struct pmu *pmu)
{
	struct pmu_caches *h = calloc(1, sizeof(*h));
	uint32_t regs[4];
	unsigned int i;

	h->cpus = pmu->machine.cpus;
	h->threads = pmu->machine.threads;
	h->line_size = 64;
	for (i = 0; i < 8; i++) {
		pmu_cpuid_raw(pmu, 4, i, regs);
		pmu_cpuid(&pmu->cpu[0], 4, i, regs);
		if (!(regs[0] & 0x1f))
			break;
		add_level(h, regs);
	}
	return h;
}

static void free_caches(struct cache *c, unsigned int n)
{
	unsigned int i;

	for (i = 0; c && i < n; i++)
		free(c[i].line);
	free(c);
}

void pmu_caches_destroy(struct pmu_caches *h)
{
	unsigned int i;

	if (!h)
		return;
	free_caches(h->code, h->cpus);
	for (i = 0; i < MAX_LEVEL; i++)
		free_caches(h->level[i], h->cpus);
	free(h);
}

static struct cache *at(struct pmu_caches *h, unsigned int level,
			unsigned int cpu, bool fetch)
{
	struct cache *c = h->level[level];

	if (!level && fetch)
		c = h->code;
	if (!c)
		return NULL;
	return level == h->levels - 1 ? &c[0] : &c[cpu - cpu % h->threads];
}

/* Return: the number of levels that do not have the line; the last one may be among them. */
unsigned int pmu_caches_lookup(struct pmu_caches *h, unsigned int cpu, bool fetch, uint64_t line)
{
	unsigned int level;
	struct cache *c;

	for (level = 0; level < h->levels; level++) {
		c = at(h, level, cpu, fetch);
		if (c && cache_access(c, line))
			break;
	}
	return level;
}

unsigned int pmu_caches_levels(const struct pmu_caches *h)
{
	return h->levels;
}

void pmu_caches_flush(struct pmu_caches *h)
{
	unsigned int i, level;

	for (i = 0; i < h->cpus; i++) {
		if (h->code)
			cache_flush(&h->code[i]);
		for (level = 0; level < h->levels; level++)
			if (h->level[level])
				cache_flush(&h->level[level][i]);
	}
}

void pmu_caches_flush_line(struct pmu_caches *h, uint64_t line)
{
	unsigned int i, level;

	for (i = 0; i < h->cpus; i++) {
		if (h->code)
			cache_drop(&h->code[i], line);
		for (level = 0; level < h->levels; level++)
			if (h->level[level])
				cache_drop(&h->level[level][i], line);
	}
}

unsigned int pmu_caches_line_size(const struct pmu_caches *h)
{
	return h->line_size;
}

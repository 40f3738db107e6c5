// SPDX-License-Identifier: GPL-2.0-only
/*
 * Caches of the Pentium, the P6 and AMD: MESI states, write-backs and the bus
 *
 * The caches are set-associative with exact LRU and without prefetching. Each processor has
 * its own and snoops the others' transactions. L2 does not include L1.
 *
 * SDM Vol. 3A, "Memory Cache Control": "Cache Control Protocol" (MESI). A line that no other
 * processor has is read in state E (the Pentium's pin WB/WT# is high).
 */
#include <stdlib.h>
#include <string.h>

#include "pmu_int.h"

/* In the order of the MESI unit mask bits of the P6's L2 events */
enum state { INVALID, SHARED, EXCLUSIVE, MODIFIED };

struct line {
	uint64_t number;
	enum state state;
};

struct cache {
	unsigned int sets, ways;
	struct line *line;	/* by set, most recent first */
};

struct caches {
	struct cache code, data, level2;
};

struct pmu_mesi {
	unsigned int cpus;
	struct caches cpu[];
};

/** struct requester - the processor that makes an access
 * @c: the processor
 * @priv: its privilege
 * @caches: its caches
 * @s: their geometry
 */
struct requester {
	struct pmu_cpu *c;
	unsigned int priv;
	struct caches *caches;
	const struct pmu_structures *s;
};

static void record(const struct requester *w, enum pmu_prim prim)
{
	pmu_rare(w->c, w->priv, prim, 1);
}

#define TRANSFER	8u	/* bytes that the bus, and the bus to L2, transfer in a clock */

/* Clocks in which a line is transferred. */
static unsigned int clocks_of(const struct requester *w)
{
	return w->s->line / TRANSFER;
}

/* Data of a transaction on the bus; driven: by this processor. */
void pmu_bus_data(struct pmu_cpu *c, unsigned int priv, bool driven, unsigned int clocks)
{
	pmu_rare(c, priv, driven ? PMU_BUS_DRIVEN : PMU_BUS_RECEIVED, clocks);
	pmu_rare(c, priv, PMU_BUS_DATA, clocks);
}

static void write_line(const struct requester *w)
{
	record(w, PMU_BUS_WRITEBACK);
	pmu_bus_data(w->c, w->priv, true, clocks_of(w));
}

/* ---- one cache ------------------------------------------------------------ */

static void cache_init(struct cache *c, const struct pmu_cache_shape *shape)
{
	c->sets = shape->sets;
	c->ways = shape->ways;
	if (c->ways)
		c->line = calloc((size_t)c->sets * c->ways, sizeof(*c->line));
}

static struct line *set_of(const struct cache *c, uint64_t number)
{
	return c->line + number % c->sets * c->ways;
}

/* Return: the line, without changing the LRU order, or NULL. */
static struct line *peek(const struct cache *c, uint64_t number)
{
	unsigned int way;
	struct line *set;

	if (!c->ways)
		return NULL;
	set = set_of(c, number);
	for (way = 0; way < c->ways; way++)
		if (set[way].state != INVALID && set[way].number == number)
			return &set[way];
	return NULL;
}

/* Store a line at the front of its set; those before *to move back by one. */
static struct line *move_to_front(const struct cache *c, struct line *to,
				  struct line line)
{
	struct line *set = set_of(c, line.number);

	memmove(set + 1, set, (char *)to - (char *)set);
	set[0] = line;
	return set;
}

/* Return: the line, now the most recent one, or NULL. */
static struct line *find(const struct cache *c, uint64_t number)
{
	struct line *l = peek(c, number);

	return l ? move_to_front(c, l, *l) : NULL;
}

/* Return: the evicted line; its state is INVALID if none was. */
static struct line insert(const struct cache *c, uint64_t number,
			  enum state state)
{
	struct line new = { number, state };
	struct line *set = set_of(c, number);
	struct line *place = set + c->ways - 1;
	struct line victim;
	unsigned int way;

	for (way = 0; way < c->ways; way++)
		if (set[way].state == INVALID)
			place = set + way;
	victim = *place;
	move_to_front(c, place, new);
	return victim;
}

static void drop(const struct cache *c, uint64_t number)
{
	struct line *l = peek(c, number);

	if (l)
		l->state = INVALID;
}

/* ---- eviction ------------------------------------------------------------- */

static void evict_level2(const struct requester *w, const struct line *victim)
{
	if (victim->state == INVALID)
		return;
	record(w, PMU_L2_OUT);
	if (victim->state != MODIFIED)
		return;
	record(w, PMU_L2_M_OUT);
	pmu_rare(w->c, w->priv, PMU_L2_READ, clocks_of(w));
	write_line(w);
}

static void fill_level2(const struct requester *w, uint64_t number, enum state state)
{
	struct line victim = insert(&w->caches->level2, number, state);

	record(w, PMU_L2_IN);
	pmu_rare(w->c, w->priv, PMU_L2_WRITE, clocks_of(w));
	evict_level2(w, &victim);
}

/* A modified line moves from L1 to L2, or to memory if there is no L2. */
static void write_back(const struct requester *w, uint64_t number)
{
	struct line *below;

	record(w, PMU_L1D_M_OUT);
	if (!w->caches->level2.ways) {
		write_line(w);
		return;
	}
	below = find(&w->caches->level2, number);
	if (!below)
		fill_level2(w, number, MODIFIED);
	if (!below || below->state != MODIFIED)
		record(w, PMU_L2_M_IN);
	if (!below)
		return;
	below->state = MODIFIED;
	pmu_rare(w->c, w->priv, PMU_L2_WRITE, clocks_of(w));
}

static void fill_data(const struct requester *w, uint64_t number, enum state state)
{
	struct line victim = insert(&w->caches->data, number, state);

	record(w, PMU_L1D_IN);
	if (state == MODIFIED)
		record(w, PMU_L1D_M_IN);
	if (victim.state == MODIFIED)
		write_back(w, victim.number);
}

/* ---- the bus -------------------------------------------------------------- */

/* Change a cache's line when another processor reads it, or requests it exclusively. */
static bool snoop_line(struct line *l, bool exclusive, bool *modified)
{
	if (!l)
		return false;
	if (l->state == MODIFIED)
		*modified = true;
	l->state = exclusive ? INVALID : SHARED;
	return true;
}

/* The snoop result: HITM# for a modified line, HIT# for a clean one that stays. */
static void answer_snoop(const struct requester *w, bool modified, bool kept)
{
	if (modified) {
		record(w, PMU_HITM);
		record(w, PMU_BUS_WRITEBACK);
		/* The data of the transaction itself: the requester counts PMU_BUS_DATA. */
		pmu_rare(w->c, w->priv, PMU_BUS_DRIVEN, clocks_of(w));
	} else if (kept) {
		record(w, PMU_HIT);
	}
}

static bool snoop_one(const struct requester *w, uint64_t number, bool exclusive)
{
	bool in_data, in_level2, first = false, second = false;

	record(w, PMU_SNOOP);
	in_data = snoop_line(peek(&w->caches->data, number), exclusive, &first);
	in_level2 = snoop_line(peek(&w->caches->level2, number), exclusive, &second);
	if (in_data)
		record(w, PMU_SNOOP_HIT);
	if (first)
		record(w, PMU_L1D_M_OUT);
	if (in_level2 && exclusive)
		record(w, PMU_L2_OUT);
	if (second && exclusive)
		record(w, PMU_L2_M_OUT);
	if (second && !first)
		pmu_rare(w->c, w->priv, PMU_L2_READ, clocks_of(w));
	answer_snoop(w, first || second, (in_data || in_level2) && !exclusive);
	if (exclusive)
		drop(&w->caches->code, number);
	return in_data || in_level2;
}

/*
 * Another processor reads this line, or requests it exclusively.
 * Return: whether another cache keeps it.
 */
static bool snoop(const struct requester *w, uint64_t number, bool exclusive)
{
	struct pmu *pmu = w->c->pmu;
	bool shared = false;
	unsigned int i;

	for (i = 0; i < pmu->machine.cpus; i++) {
		struct pmu_cpu *c = &pmu->cpu[i];
		struct requester other = { c, c->now, &pmu->mesi->cpu[i], w->s };

		if (c != w->c)
			shared |= snoop_one(&other, number, exclusive);
	}
	return shared && !exclusive;
}

/* ---- the second level ----------------------------------------------------- */

/** struct l2_request - a type of request to L2
 * @found: the first of four primitives, which are indexed by the state of the line in L2
 * @bus: the bus transaction on a miss
 * @exclusive: the line is requested for ownership
 */
struct l2_request {
	enum pmu_prim found;
	enum pmu_prim bus;
	bool exclusive;
};

static const struct l2_request load = { PMU_L2_LD_I, PMU_BUS_READ, false };
static const struct l2_request rfo = { PMU_L2_ST_I, PMU_BUS_RFO, true };
static const struct l2_request code = { PMU_L2_IFETCH_I, PMU_BUS_IFETCH, false };

/* Return: the state in which L1 gets the line. */
static enum state request_bus(const struct requester *w, const struct l2_request *k,
			      uint64_t number)
{
	record(w, k->bus);
	pmu_bus_data(w->c, w->priv, false, clocks_of(w));
	return snoop(w, number, k->exclusive) ? SHARED : EXCLUSIVE;
}

static enum state request(const struct requester *w, const struct l2_request *k,
			  uint64_t number)
{
	enum state state;
	struct line *l;

	if (!w->caches->level2.ways)
		return request_bus(w, k, number);
	l = find(&w->caches->level2, number);
	record(w, k->found + (l ? l->state : INVALID));
	if (!l) {
		state = request_bus(w, k, number);
		fill_level2(w, number, state);
		return state;
	}
	/* If L1 has the line, only ownership is requested: no data is read from L2. */
	if (!peek(&w->caches->data, number))
		pmu_rare(w->c, w->priv, PMU_L2_READ, clocks_of(w));
	if (k->exclusive && l->state == SHARED) {
		record(w, PMU_BUS_INVALIDATE);
		snoop(w, number, true);
		l->state = EXCLUSIVE;
	}
	return l->state == SHARED ? SHARED : EXCLUSIVE;
}

/* ---- the first level ------------------------------------------------------ */

static void record_mmx(const struct requester *w, enum pmu_prim prim)
{
	if (w->c->classes & PMU_CLASS_MMX)
		record(w, prim);
}

static void read_data(const struct requester *w, uint64_t number, bool write_through)
{
	enum state state;

	if (find(&w->caches->data, number))
		return;
	record(w, PMU_L1D_READ_MISS);
	record_mmx(w, PMU_MMX_READ_MISS);
	state = request(w, &load, number);
	fill_data(w, number, write_through ? SHARED : state);
}

/* A write to write-through memory, or the Pentium's to a shared line or on a miss. */
static void write_memory(const struct requester *w, struct line *l, uint64_t number,
			 bool write_through)
{
	record(w, PMU_BUS_WRITE_THROUGH);
	pmu_bus_data(w->c, w->priv, true, 1);
	snoop(w, number, true);
	if (l && !write_through)
		l->state = EXCLUSIVE;
}

static void write_hit(const struct requester *w, struct line *l, bool write_through)
{
	if (l->state != SHARED) {
		record(w, PMU_L1D_WRITE_ME);
		record_mmx(w, PMU_MMX_WRITE_ME);
		l->state = MODIFIED;
	} else if (write_through || !w->s->allocate) {
		write_memory(w, l, l->number, write_through);
	} else {
		request(w, &rfo, l->number);
		l->state = MODIFIED;
	}
}

static void write_data(const struct requester *w, uint64_t number, bool write_through)
{
	struct line *l = find(&w->caches->data, number);

	drop(&w->caches->code, number);
	if (l) {
		write_hit(w, l, write_through);
		return;
	}
	record(w, PMU_L1D_WRITE_MISS);
	record_mmx(w, PMU_MMX_WRITE_MISS);
	if (write_through || !w->s->allocate) {
		write_memory(w, NULL, number, write_through);
		return;
	}
	request(w, &rfo, number);
	fill_data(w, number, MODIFIED);
}

/* ---- interface ------------------------------------------------------------ */

static struct pmu_mesi *mesi_create(const struct pmu *pmu)
{
	const struct pmu_structures *s = pmu->part->structures;
	struct pmu_mesi *m;
	unsigned int i;

	m = calloc(1, sizeof(*m) + pmu->machine.cpus * sizeof(m->cpu[0]));
	m->cpus = pmu->machine.cpus;
	for (i = 0; i < m->cpus; i++) {
		cache_init(&m->cpu[i].code, &s->code);
		cache_init(&m->cpu[i].data, &s->data);
		cache_init(&m->cpu[i].level2, &s->level2);
	}
	return m;
}

void pmu_mesi_destroy(struct pmu_mesi *m)
{
	unsigned int i;

	if (!m)
		return;
	for (i = 0; i < m->cpus; i++) {
		free(m->cpu[i].code.line);
		free(m->cpu[i].data.line);
		free(m->cpu[i].level2.line);
	}
	free(m);
}

static struct requester requester_of(struct pmu_cpu *c, unsigned int priv)
{
	struct pmu *pmu = c->pmu;

	if (!pmu->mesi)
		pmu->mesi = mesi_create(pmu);
	return (struct requester){ c, priv, &pmu->mesi->cpu[c->id],
			     pmu->part->structures };
}

void pmu_mesi_data(struct pmu_cpu *c, unsigned int priv, uint64_t addr,
		   bool write, bool write_through)
{
	struct requester w = requester_of(c, priv);
	uint64_t number = addr / w.s->line;

	if (write)
		write_data(&w, number, write_through);
	else
		read_data(&w, number, write_through);
}

void pmu_mesi_fetch(struct pmu_cpu *c, unsigned int priv, uint64_t addr)
{
	struct requester w = requester_of(c, priv);
	uint64_t number = addr / w.s->line;

	if (find(&w.caches->code, number))
		return;
	record(&w, PMU_L1I_MISS);
	request(&w, &code, number);
	insert(&w.caches->code, number, SHARED);
}

static void empty(struct cache *c)
{
	unsigned int i;

	for (i = 0; i < c->sets * c->ways; i++)
		c->line[i].state = INVALID;
}

/* WBINVD and INVD: the executing processor's caches only. */
void pmu_mesi_flush(struct pmu_cpu *c, bool back)
{
	struct requester w = requester_of(c, PMU_KERNEL);
	struct cache *data = &w.caches->data, *level2 = &w.caches->level2;
	unsigned int i;

	for (i = 0; back && i < data->sets * data->ways; i++)
		if (data->line[i].state == MODIFIED)
			write_back(&w, data->line[i].number);
	for (i = 0; back && i < level2->sets * level2->ways; i++)
		evict_level2(&w, &level2->line[i]);
	empty(data);
	empty(level2);
	empty(&w.caches->code);
}

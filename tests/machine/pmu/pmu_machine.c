// SPDX-License-Identifier: GPL-2.0-only
/* Translation of the emulator's reports about instructions into primitives */
#include "pmu_int.h"

#define PMU_MEMORY_LEVEL	3	/* levels that data in memory missed */
#define FETCH_UNIT	8u	/* bytes of one fetch of uncached code */

/* For primitives that are not bounded: n may be any number on a step. */
void pmu_rare(struct pmu_cpu *c, unsigned int priv, enum pmu_prim prim,
	      unsigned int n)
{
	unsigned int p;

	c->pend[priv][prim] += n;
	if (!c->eager || !n)
		return;
	/* Synchronise the counters at the next step. */
	for (p = 0; p < PMU_NPRIV; p++) {
		c->budget[p] -= c->left[p] - 1;
		c->left[p] = 1;
	}
}

/* ---- steps ---------------------------------------------------------------- */

static void step(struct pmu_cpu *c, unsigned int priv)
{
	if (c->masked & 1)
		c->pend[priv][PMU_MASKED]++;
	if (c->masked == 3)
		c->pend[priv][PMU_MASKED_PENDING]++;
	pmu_retire(c, priv);
}

static void count_uops(struct pmu_cpu *c, unsigned int priv, unsigned int n)
{
	if (!(c->want & PMU_WANT_UOPS))
		return;
	pmu_rare(c, priv, PMU_UOP, n);
	if (c->classes & PMU_CLASS_MMX)
		pmu_rare(c, priv, PMU_MMX_UOP, n);
}

/* A step on which no instruction retires. */
static void bare_step(struct pmu_cpu *c, unsigned int priv)
{
	count_uops(c, priv, c->uops.round);
	c->extra[priv]++;
	step(c, priv);
}

/*
 * A round's step is counted when the next round or the abort shows that it was not the
 * last: the step of the last round is the one on which the instruction retires.
 */
void pmu_rep_round(struct pmu_cpu *c, unsigned int priv)
{
	if (c->rep_open)
		bare_step(c, c->rep_priv);
	c->rep_open = true;
	c->rep_priv = priv;
}

void pmu_rep_done(struct pmu_cpu *c, unsigned int priv)
{
	if (c->rep_open)
		count_uops(c, priv, c->uops.round);
	c->rep_open = false;
	pmu_retire_insn(c, priv, 0);
}

/* Nothing is known of the next instruction. */
static void forget(struct pmu_cpu *c)
{
	c->access = 0;
	c->classes = 0;
	c->data_level = PMU_NO_LEVEL;
	c->code_level = PMU_NO_LEVEL;
}

void pmu_abort(struct pmu_cpu *c)
{
	forget(c);
	if (c->rep_open)
		bare_step(c, c->rep_priv);
	c->rep_open = false;
	c->uops = (struct pmu_uops){ 0 };
}

/* ---- kinds of instructions ------------------------------------------------ */

#define KIND(name)	{ PMU_CLASS_##name, PMU_##name }

static const struct {
	unsigned int class;
	enum pmu_prim prim;
} kinds[] = {
	KIND(FP_ADD), KIND(FP_COMPARE), KIND(FP_MUL), KIND(FP_DIV),
	KIND(FP_OTHER), KIND(INT_MUL), KIND(INT_DIV), KIND(MMX), KIND(MMX_MUL),
	KIND(MMX_SHIFT), KIND(MMX_PACK), KIND(MMX_UNPACK), KIND(MMX_LOGICAL),
	KIND(MMX_ARITHMETIC), KIND(MMX_SATURATING), KIND(EMMS),
	KIND(SYSTEM_SEGMENT), KIND(SERIAL), KIND(SEGMENT), KIND(SSE),
	KIND(SSE_SCALAR),
	{ PMU_CLASS_SATURATED, PMU_MMX_SATURATED },
	{ PMU_CLASS_FP_ASSIST, PMU_FP_ASSIST },
};

#define FP_COMPUTES	(PMU_CLASS_FP_ADD | PMU_CLASS_FP_COMPARE | \
			 PMU_CLASS_FP_MUL | PMU_CLASS_FP_DIV | \
			 PMU_CLASS_FP_OTHER)

/* An operation that raised an exception counts as PMU_FP_VOID*, not as its class. */
static unsigned int count_void(struct pmu_cpu *c, unsigned int priv,
			       unsigned int classes)
{
	enum pmu_prim prim = PMU_FP_VOID;

	if (!(classes & PMU_CLASS_FP_VOID) || !(classes & FP_COMPUTES))
		return classes;
	if (classes & PMU_CLASS_FP_MUL)
		prim = PMU_FP_VOID_MUL;
	if (classes & PMU_CLASS_FP_DIV)
		prim = PMU_FP_VOID_DIV;
	c->pend[priv][prim]++;
	return classes & ~FP_COMPUTES;
}

/* Detect transitions between x87 and MMX, which share registers. */
static void count_transition(struct pmu_cpu *c, unsigned int priv,
			     unsigned int classes)
{
	unsigned int unit = classes & (PMU_CLASS_FP | PMU_CLASS_MMX);

	if (!unit)
		return;
	if (c->unit && c->unit != unit)
		c->pend[priv][unit == PMU_CLASS_FP ? PMU_MMX_TO_FP : PMU_FP_TO_MMX]++;
	c->unit = unit;
}

static void count_sse(struct pmu_cpu *c, unsigned int priv, unsigned int classes)
{
	if (!(classes & PMU_CLASS_SSE_COMPUTE))
		return;
	c->pend[priv][classes & PMU_CLASS_SSE ? PMU_SSE_COMPUTE :
		      PMU_SSE_SCALAR_COMPUTE]++;
}

static void count_classes(struct pmu_cpu *c, unsigned int priv,
			  unsigned int classes)
{
	unsigned int i;

	classes = count_void(c, priv, classes);
	count_transition(c, priv, classes);
	count_sse(c, priv, classes);
	for (i = 0; i < ARRAY_LEN(kinds); i++)
		if (classes & kinds[i].class)
			c->pend[priv][kinds[i].prim]++;
}

/* Levels beyond the third are memory. */
static void count_levels(struct pmu_cpu *c, unsigned int priv)
{
	int most = PMU_MEMORY_LEVEL;

	if (c->data_level != PMU_NO_LEVEL)
		c->pend[priv][PMU_LOAD_L1 + (c->data_level < most ? c->data_level : most)]++;
	if (c->code_level >= 1)
		c->pend[priv][PMU_CODE_L1_MISS]++;
	if (c->code_level >= 2)
		c->pend[priv][PMU_CODE_L2_MISS]++;
}

void pmu_retire_insn(struct pmu_cpu *c, unsigned int priv, unsigned int classes)
{
	if (c->want & PMU_WANT_PIPES)
		pmu_pipes_retire(c, priv);
	classes |= c->classes;
	if (c->access & PMU_READ)
		c->pend[priv][PMU_LOAD]++;
	if (c->access & PMU_WRITE)
		c->pend[priv][PMU_STORE]++;
	count_levels(c, priv);
	if (classes)
		count_classes(c, priv, classes);
	count_uops(c, priv, c->uops.uops);
	pmu_rare(c, priv, PMU_DIVIDER, c->uops.divider);
	forget(c);
	c->uops = (struct pmu_uops){ 0 };
	step(c, priv);
	if (classes & PMU_CLASS_HALT)
		pmu_counters_halt(c);
}

/* ---- branches ------------------------------------------------------------- */

static bool textbook_mispredicted(struct pmu_cpu *c, enum pmu_prim kind,
				  uint64_t from, uint64_t to)
{
	struct pmu_predictor **p = &c->pmu->predictor[c->id];

	if (!*p)
		*p = pmu_predictor_create(c->pmu->part);
	return pmu_predict(*p, kind, from, to);
}

static enum pmu_prim misprediction(enum pmu_prim kind)
{
	switch (kind) {
	case PMU_BR_COND_TAKEN:
	case PMU_BR_COND_NTAKEN:
		return PMU_MISP_COND;
	case PMU_BR_RET:
		return PMU_MISP_RET;
	default:
		return PMU_MISP_IND;
	}
}

static void count_prediction(struct pmu_cpu *c, unsigned int priv,
			     enum pmu_prim kind, bool missed)
{
	bool taken = kind != PMU_BR_COND_NTAKEN;

	if (!missed) {
		pmu_rare(c, priv, taken ? PMU_TAKEN_PREDICTED : PMU_NTAKEN_PREDICTED, 1);
		return;
	}
	pmu_rare(c, priv, misprediction(kind), 1);
	pmu_rare(c, priv, taken ? PMU_MISP_TAKEN : PMU_MISP_NTAKEN, 1);
}

void pmu_branch(struct pmu_cpu *c, unsigned int priv, enum pmu_prim kind,
		uint64_t from, uint64_t to)
{
	c->pend[priv][kind]++;
	if (!(c->want & PMU_WANT_PREDICT))
		return;
	if (kind == PMU_BR_COND_TAKEN)
		c->pend[priv][to > from ? PMU_BR_COND_FORWARD : PMU_BR_COND_BACKWARD]++;
	if (c->pmu->part->structures)
		pmu_btb_branch(c, priv, kind, from, to);
	else
		count_prediction(c, priv, kind, textbook_mispredicted(c, kind, from, to));
}

void pmu_segments(struct pmu_cpu *c, unsigned int priv, unsigned int n)
{
	if (c->want & PMU_WANT_SEGMENT)
		pmu_rare(c, priv, PMU_SEGMENT, n);
}

/* ---- interrupts and exceptions -------------------------------------------- */

/* Handlers count as PMU_KERNEL. */
void pmu_hwint(struct pmu_cpu *c, unsigned int priv)
{
	if (!(c->want & PMU_WANT_HWINT))
		return;
	pmu_rare(c, priv, PMU_HWINT, 1);
	pmu_rare(c, PMU_KERNEL, PMU_HANDLER, 1);
}

void pmu_exception(struct pmu_cpu *c)
{
	if (c->want & PMU_WANT_HWINT)
		pmu_rare(c, PMU_KERNEL, PMU_HANDLER, 1);
}

/* ---- breakpoints ---------------------------------------------------------- */

enum break_on { ON_EXECUTE, ON_WRITE, ON_IO, ON_READ };

/* SDM Vol. 3B, "Debug Registers": R/Wn and LENn of DR7; 2 is eight bytes. */
static bool matches(const struct pmu_debug *d, unsigned int i, enum break_on what,
		    uint64_t addr, unsigned int size)
{
	static const unsigned int lengths[] = { 1, 2, 8, 4 };
	unsigned int type = d->dr7 >> (16 + 4 * i) & 3;
	unsigned int length = lengths[d->dr7 >> (18 + 4 * i) & 3];
	uint64_t first = d->dr[i] & ~(uint64_t)(length - 1);

	if (type == ON_EXECUTE || what == ON_EXECUTE)
		return type == what && d->dr[i] == addr;
	if (type == ON_IO || what == ON_IO) {
		if (type != what || !d->de)
			return false;
	} else if (type == ON_WRITE && what != ON_WRITE) {
		return false;
	}
	return addr < first + length && first < addr + size;
}

/* Breakpoints match whether they are enabled or not. */
static void count_breakpoints(struct pmu_cpu *c, unsigned int priv,
			      enum break_on what, uint64_t addr,
			      unsigned int size)
{
	const struct pmu_machine *m = &c->pmu->machine;
	struct pmu_debug d;
	unsigned int i;

	if (!(c->want & PMU_WANT_BREAK) || !m->debug)
		return;
	m->debug(m->context, c->id, &d);
	for (i = 0; i < 4; i++)
		if (matches(&d, i, what, addr, size))
			pmu_rare(c, priv, PMU_BREAK0 + i, 1);
}

/* ---- code ----------------------------------------------------------------- */

static unsigned int line_size(struct pmu_cpu *c)
{
	if (c->pmu->part->structures)
		return c->pmu->part->structures->line;
	if (!c->pmu->caches)
		c->pmu->caches = pmu_caches_create(c->pmu);
	return pmu_caches_line_size(c->pmu->caches);
}

/* What a line is looked up for, in the order of the primitives PMU_OFFCORE_*. */
enum request { DATA_READ, OWNERSHIP, CODE_READ };

/* Return: the number of levels that do not have the line. */
static unsigned int look_up(struct pmu_cpu *c, unsigned int priv, enum request what, uint64_t line)
{
	unsigned int levels = pmu_caches_levels(c->pmu->caches);
	unsigned int missed = pmu_caches_lookup(c->pmu->caches, c->id, what == CODE_READ, line);

	if (missed + 1 < levels || !levels)
		return missed;
	pmu_rare(c, priv, PMU_LLC_REF, 1);
	if (missed == levels)
		pmu_rare(c, priv, PMU_LLC_MISS, 1);
	pmu_rare(c, priv, PMU_OFFCORE_DATA_HIT + 2 * what + (missed == levels), 1);
	return missed;
}

static void deepen(int *level, unsigned int missed)
{
	if ((int)missed > *level)
		*level = missed;
}

static void count_uncached_fetch(struct pmu_cpu *c, unsigned int priv)
{
	pmu_rare(c, priv, PMU_UC_FETCH, 1);
	pmu_bus_data(c, priv, false, 1);
}

static void fetch_line(struct pmu_cpu *c, unsigned int priv, uint64_t line,
		       unsigned int bytes, const struct pmu_page *page)
{
	pmu_rare(c, priv, PMU_FETCH, 1);
	if (!page->cached)
		count_uncached_fetch(c, priv);
	else if (c->pmu->part->structures)
		pmu_mesi_fetch(c, priv, line * bytes);
	else
		deepen(&c->code_level, look_up(c, priv, CODE_READ, line));
}

/*
 * A line is fetched when an instruction begins in another line than the last fetched one,
 * or continues into the next line of its page.
 */
static void fetch(struct pmu_cpu *c, const struct pmu_insn *i)
{
	unsigned int bytes = i->page.cached ? line_size(c) : FETCH_UNIT;
	uint64_t end = i->physical + (i->size ? i->size : 1) - 1;
	uint64_t line = i->physical / bytes;
	uint64_t last;

	if (end >> 12 != i->physical >> 12)
		end = i->physical | 0xfff;
	last = end / bytes;
	for (; line <= last; line++)
		if (c->line != line + 1) {
			c->line = line + 1;
			fetch_line(c, i->priv, line, bytes, &i->page);
		}
}

/* The code TLB is looked up when an instruction begins on another page than the last one. */
static void look_for_code_page(struct pmu_cpu *c, const struct pmu_insn *i)
{
	uint64_t page = (i->linear >> 12) + 1;

	if (!i->page.bits || c->code_page == page)
		return;
	c->code_page = page;
	if (pmu_tlb_missed(c, true, i->linear, &i->page))
		pmu_rare(c, i->priv, PMU_ITLB_MISS, 1);
}

void pmu_insn(struct pmu_cpu *c, const struct pmu_insn *i)
{
	forget(c);
	c->rep_open = false;
	c->classes = i->classes;
	c->uops = i->uops;
	c->now = i->priv;
	c->masked = 0;
	if (!(c->want & PMU_WANT_INSN))
		return;
	if (c->want & PMU_WANT_MASKED && i->masked)
		c->masked = i->pending ? 3 : 1;
	if (c->want & (PMU_WANT_FETCH | PMU_WANT_CACHE))
		fetch(c, i);
	if (c->want & PMU_WANT_FETCH && c->pmu->part->structures)
		look_for_code_page(c, i);
	if (c->want & PMU_WANT_PIPES)
		pmu_pipes_start(c, i);
	count_breakpoints(c, i->priv, ON_EXECUTE, i->linear, 1);
}

/* ---- data ----------------------------------------------------------------- */

#define CHUNK	8u	/* largest access in bytes */

/*
 * Whether this chunk crosses a boundary and is accessed twice. If so, *next is the first
 * byte after the boundary.
 */
static bool is_split(const struct pmu_part *part, uint64_t addr,
		     unsigned int size, uint64_t *next)
{
	unsigned int unit = part->split && size <= 4 ? 4 : CHUNK;

	*next = (addr / unit + 1) * unit;
	return *next < addr + size;
}

/* Number of accesses of up to CHUNK bytes. */
static unsigned int chunks_of(unsigned int size)
{
	return (size + CHUNK - 1) / CHUNK;
}

static unsigned int splits_of(const struct pmu_part *part, uint64_t addr,
			      unsigned int size)
{
	unsigned int n = 0, bytes;
	uint64_t next;

	for (; size; addr += bytes, size -= bytes) {
		bytes = size < CHUNK ? size : CHUNK;
		n += is_split(part, addr, bytes, &next);
	}
	return n;
}

static void count_direction(struct pmu_cpu *c, unsigned int priv,
			    const struct pmu_access *a, bool write,
			    unsigned int parts, unsigned int splits)
{
	pmu_rare(c, priv, write ? PMU_DATA_WRITE : PMU_DATA_READ, parts);
	pmu_rare(c, priv, PMU_MISALIGNED, splits);
	if (!a->page.cached) {
		pmu_rare(c, priv, write ? PMU_UC_WRITE : PMU_UC_READ, parts);
		pmu_bus_data(c, priv, write, parts);
	}
	if (!(c->classes & PMU_CLASS_MMX))
		return;
	pmu_rare(c, priv, write ? PMU_MMX_WRITE : PMU_MMX_READ, parts);
	pmu_rare(c, priv, PMU_MMX_MISALIGNED, splits);
}

/*
 * A locked access to write-back memory within a line locks the cache, not the bus (SDM Vol. 3A,
 * "Effects of a LOCK Operation on Internal Processor Caches").
 */
static bool locks_bus(const struct pmu_cpu *c, const struct pmu_access *a, unsigned int size)
{
	const struct pmu_structures *s = c->pmu->part->structures;

	return !a->page.cached || a->page.write_through ||
	       (s && a->linear / s->line != (a->linear + size - 1) / s->line);
}

static void count_locked(struct pmu_cpu *c, unsigned int priv, const struct pmu_access *a,
			 unsigned int size, unsigned int parts)
{
	if (!(c->classes & PMU_CLASS_LOCKED) || a->access != (PMU_READ | PMU_WRITE))
		return;
	pmu_rare(c, priv, PMU_LOCKED, parts);
	if (locks_bus(c, a, size))
		pmu_rare(c, priv, PMU_BUS_LOCK, 2 * parts);
}

/* Count a whole access, when its first part is reported. */
static void count_access(struct pmu_cpu *c, unsigned int priv,
			 const struct pmu_access *a)
{
	unsigned int size = a->whole ? a->whole : a->size;
	unsigned int splits = splits_of(c->pmu->part, a->linear, size);
	unsigned int parts = chunks_of(size) + splits;

	if (a->access & PMU_READ)
		count_direction(c, priv, a, false, parts, splits);
	if (a->access & PMU_WRITE)
		count_direction(c, priv, a, true, parts, splits);
	count_locked(c, priv, a, size, parts);
	count_breakpoints(c, priv, a->access & PMU_WRITE ? ON_WRITE : ON_READ,
			  a->linear, size);
}

static void look_into_caches(struct pmu_cpu *c, unsigned int priv,
			     const struct pmu_access *a, uint64_t addr)
{
	if (a->access & PMU_READ)
		pmu_mesi_data(c, priv, addr, false, a->page.write_through);
	if (a->access & PMU_WRITE)
		pmu_mesi_data(c, priv, addr, true, a->page.write_through);
}

static void access_caches(struct pmu_cpu *c, unsigned int priv,
			  const struct pmu_access *a)
{
	uint64_t addr = a->physical, next;
	unsigned int size = a->size, bytes;

	for (; size; addr += bytes, size -= bytes) {
		bytes = size < CHUNK ? size : CHUNK;
		look_into_caches(c, priv, a, addr);
		if (is_split(c->pmu->part, addr, bytes, &next))
			look_into_caches(c, priv, a, next);
	}
}

/* Architectural parts: one cache access for each line. */
static void access_lines(struct pmu_cpu *c, unsigned int priv,
			 const struct pmu_access *a)
{
	unsigned int bytes = line_size(c);
	uint64_t last = (a->physical + a->size - 1) / bytes;
	uint64_t line;

	for (line = a->physical / bytes; line <= last; line++) {
		if (a->access & PMU_READ)
			deepen(&c->data_level, look_up(c, priv, DATA_READ, line));
		else
			look_up(c, priv, OWNERSHIP, line);
	}
}

void pmu_data(struct pmu_cpu *c, unsigned int priv, const struct pmu_access *a)
{
	c->access |= a->access;
	c->now = priv;
	if (!(c->want & PMU_WANT_INSN) || !a->size)
		return;
	if (!a->rest)
		count_access(c, priv, a);
	if (c->want & PMU_WANT_PIPES)
		pmu_pipes_data(c, a);
	if (c->pmu->part->structures && c->want & PMU_WANT_ACCESS &&
	    a->page.bits && pmu_tlb_missed(c, false, a->linear, &a->page))
		pmu_rare(c, priv, PMU_DTLB_MISS, 1);
	if (!(c->want & PMU_WANT_CACHE))
		return;
	if (!a->page.cached && a->access & PMU_READ)
		c->data_level = PMU_MEMORY_LEVEL;
	if (!a->page.cached)
		return;
	if (c->pmu->part->structures)
		access_caches(c, priv, a);
	else
		access_lines(c, priv, a);
}

void pmu_io(struct pmu_cpu *c, unsigned int priv, unsigned int port,
	    unsigned int size, bool write)
{
	unsigned int split = port % 4 + size > 4;

	if (!(c->want & PMU_WANT_IO))
		return;
	pmu_rare(c, priv, write ? PMU_IO_WRITE : PMU_IO_READ, 1 + split);
	pmu_rare(c, priv, PMU_IO_MISALIGNED, split);
	pmu_bus_data(c, priv, write, 1 + split);
	count_breakpoints(c, priv, ON_IO, port, size);
}

void pmu_table_update(struct pmu_cpu *c, unsigned int priv)
{
	if (c->want & PMU_WANT_LOCKED)
		pmu_rare(c, priv, PMU_LOCKED, 1);
}

/* ---- invalidation of caches and TLBs --------------------------------------- */

void pmu_tlb_flush(struct pmu_cpu *c, enum pmu_flush what, uint64_t linear)
{
	c->code_page = 0;
	if (c->pmu->tlbs[c->id])
		pmu_tlbs_flush(c->pmu->tlbs[c->id], what, linear);
}

void pmu_cache_flush(struct pmu_cpu *c, bool write_back)
{
	c->line = 0;
	if (c->pmu->caches)
		pmu_caches_flush(c->pmu->caches);
	if (c->pmu->mesi)
		pmu_mesi_flush(c, write_back);
}

void pmu_cache_flush_line(struct pmu_cpu *c, uint64_t addr)
{
	if (c->pmu->caches)
		pmu_caches_flush_line(c->pmu->caches, addr / line_size(c));
}

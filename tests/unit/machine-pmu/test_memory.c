// SPDX-License-Identifier: GPL-2.0-only
/* Tests of caches, TLBs, bus and branch predictor of the Pentiums and the P6 */
#include "count_one.h"
#include "pmu_int.h"

#define RW	(PMU_READ | PMU_WRITE)
#define OS5	0x40u
#define OS6	0x20000u

/* Programs one event, executes the actions, and checks the count. */
#define EVENT(f, i, code, count, ...) do {				\
	select_event((f), (i), (code));					\
	__VA_ARGS__;							\
	if (counted((f), (i)) != (count))				\
		fail_msg("line %d: %s: event %x: %llu, expected %u", __LINE__, \
			 fake_name((f)->model), (code),			\
			 (unsigned long long)counted((f), (i)), (count)); \
} while (0)

static void rd_at(struct fake *f, uint64_t addr)
{
	data(f, addr, 4, PMU_READ);
}

static void wr_at(struct fake *f, uint64_t addr)
{
	data(f, addr, 4, PMU_WRITE);
}

static void rd_each(struct fake *f, unsigned int first, unsigned int end,
		    unsigned int stride)
{
	for (; first < end; first++)
		rd_at(f, first * stride);
}

static void through(struct fake *f, uint64_t addr, unsigned int access)
{
	struct pmu_access a = {
		.linear = addr, .physical = addr, .size = 4, .access = access,
		.page = { .cached = true, .write_through = true },
	};

	pmu_data(f->c, PMU_USER, &a);
}

/* ---- TLBs ----------------------------------------------------------------- */

static void touch(struct fake *f, bool code, uint64_t linear, unsigned int bits,
		  bool global)
{
	struct pmu_page page = { .bits = bits, .global = global, .cached = true };
	struct pmu_insn i = { .priv = PMU_USER, .linear = linear, .physical = linear,
			      .size = 1, .page = page };
	struct pmu_access a = { .linear = linear, .physical = linear, .size = 1,
				.access = PMU_READ, .page = page };

	if (code)
		pmu_insn(f->c, &i);
	else
		pmu_data(f->c, PMU_USER, &a);
}

static void touch_pages(struct fake *f, bool code, unsigned int n,
			unsigned int stride, unsigned int bits)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		touch(f, code, (uint64_t)i * stride << bits, bits, false);
}

struct tlb {
	enum fake_model model;
	bool code;
	unsigned int bits;
	unsigned int pages;	/* this number of pages stays in the TLB, */
	unsigned int stride;	/* at this distance; one page more evicts all */
};

static const struct tlb tlbs[] = {
	{ PENTIUM, true, 12, 4, 8 }, { PENTIUM, false, 12, 4, 16 },
	{ PENTIUM, false, 22, 4, 2 },
	{ PENTIUM_MMX, true, 12, 32, 1 }, { PENTIUM_MMX, false, 12, 64, 1 },
	{ PENTIUM_II, true, 12, 4, 8 }, { PENTIUM_II, false, 12, 4, 16 },
	{ PENTIUM_II, true, 22, 2, 1 }, { PENTIUM_II, false, 22, 4, 2 },
};

static unsigned int tlb_event(const struct tlb *t)
{
	if (t->model == PENTIUM_II)
		return 0x85;
	return t->code ? 0x0d : 0x02;
}

static void sizes_of_tlbs(void **state)
{
	const struct tlb *t;
	struct fake f;
	unsigned int n;

	for (t = tlbs; t < tlbs + ARRAY_LEN(tlbs); t++) {
		/* The P6 has no event for the data TLB. */
		if (t->model == PENTIUM_II && !t->code)
			continue;
		start(&f, t->model);
		for (n = t->pages; n <= t->pages + 1; n++) {
			pmu_tlb_flush(f.c, PMU_FLUSH_ALL, 0);
			select_event(&f, 0, tlb_event(t));
			touch_pages(&f, t->code, n, t->stride, t->bits);
			touch_pages(&f, t->code, n, t->stride, t->bits);
			assert_int_equal(counted(&f, 0), n == t->pages ? n : 2 * n);
		}
		stop(&f);
	}
}

/* LRU: the page used last stays. */
TEST_ON(PENTIUM, tlb_evicts_oldest_page)
{
	EVENT(f, 0, 0x02, 4, touch_pages(f, false, 4, 16, 12),
	      touch(f, false, 0, 12, false));
	EVENT(f, 0, 0x02, 1, touch(f, false, 0x40000, 12, false));
	EVENT(f, 0, 0x02, 0, touch(f, false, 0, 12, false));
	EVENT(f, 0, 0x02, 1, touch(f, false, 0x10000, 12, false));
}

/* Large pages as 4 KB pages: in the Pentium's code TLB, in both TLBs with MMX. */
TEST_ON(PENTIUM, large_pages_by_4_kb)
{
	EVENT(f, 0, 0x0d, 2, touch(f, true, 0x400000, 22, false),
	      touch(f, true, 0x401000, 22, false));
	EVENT(f, 0, 0x02, 1, touch(f, false, 0x400000, 22, false),
	      touch(f, false, 0x401000, 22, false));
	restart(f, PENTIUM_MMX);
	EVENT(f, 0, 0x02, 2, touch(f, false, 0x400000, 22, false),
	      touch(f, false, 0x401000, 22, false));
}

TEST_ON(PENTIUM, no_paging)
{
	EVENT(f, 0, 0x02, 0, touch(f, false, 0x1000, 0, false));
	EVENT(f, 0, 0x0d, 0, touch(f, true, 0x1000, 0, false));
}

TEST_ON(PENTIUM, tlb_flushes)
{
	EVENT(f, 0, 0x02, 3, touch(f, false, 0x1000, 12, true),
	      touch(f, false, 0x2000, 12, false),
	      touch(f, false, 0x403000, 22, false));
	pmu_tlb_flush(f->c, PMU_FLUSH_LOCAL, 0);
	EVENT(f, 0, 0x02, 1, touch(f, false, 0x1000, 12, true),
	      touch(f, false, 0x2000, 12, false));
	pmu_tlb_flush(f->c, PMU_FLUSH_PAGE, 0x1fff);
	EVENT(f, 0, 0x02, 1, touch(f, false, 0x1000, 12, true),
	      touch(f, false, 0x2000, 12, false));
	touch(f, false, 0x403000, 22, false);
	pmu_tlb_flush(f->c, PMU_FLUSH_PAGE, 0x7fffff);
	EVENT(f, 0, 0x02, 1, touch(f, false, 0x403000, 22, false));
	pmu_tlb_flush(f->c, PMU_FLUSH_ALL, 0);
	EVENT(f, 0, 0x02, 2, touch(f, false, 0x1000, 12, true),
	      touch(f, false, 0x2000, 12, false));
}

/* The code TLB is looked up on a change of page, and after a flush. */
TEST_ON(PENTIUM, code_pages)
{
	EVENT(f, 0, 0x0d, 2, touch(f, true, 0x1000, 12, false),
	      touch(f, true, 0x1800, 12, false),
	      touch(f, true, 0x2000, 12, false),
	      touch(f, true, 0x1000, 12, false));
	pmu_tlb_flush(f->c, PMU_FLUSH_LOCAL, 0);
	EVENT(f, 0, 0x0d, 1, touch(f, true, 0x1000, 12, false));
}

/* ---- code ----------------------------------------------------------------- */

static void execute(struct fake *f, uint64_t addr, unsigned int size, bool cached)
{
	struct pmu_insn i = { .priv = PMU_USER, .linear = addr, .physical = addr,
			      .size = size, .page = { .cached = cached } };

	pmu_insn(f->c, &i);
}

TEST_ON(PENTIUM, fetches)
{
	EVENT(f, 0, 0x0c, 3, execute(f, 0x1000, 4, true),
	      execute(f, 0x1004, 4, true),
	      execute(f, 0x101e, 4, true),	/* crosses into the next line */
	      execute(f, 0x1022, 4, true),
	      execute(f, 0x1000, 4, true));
	EVENT(f, 0, 0x0e, 1, execute(f, 0x1020, 4, true),
	      execute(f, 0x1040, 1, true));
	/* into the next page, which is fetched when it is executed */
	EVENT(f, 0, 0x0c, 1, execute(f, 0x1ffe, 4, true));
	/* uncached code is fetched by eight bytes */
	EVENT(f, 0, 0x0c, 3, execute(f, 0x3000, 2, false),
	      execute(f, 0x3002, 2, false),
	      execute(f, 0x3006, 4, false),
	      execute(f, 0x3010, 2, false));
	EVENT(f, 0, 0x1e, 1, execute(f, 0x3000, 2, false));
	/* the same line again, after the cache was emptied */
	EVENT(f, 0, 0x0c, 2, execute(f, 0x5000, 1, true),
	      pmu_cache_flush(f->c, true), execute(f, 0x5001, 1, true));
	EVENT(f, 0, 0x0e, 1, execute(f, 0x3008, 2, false));
}

/* 128 sets of 2 ways, or of 4 */
static void code_cache(void **state)
{
	static const struct {
		enum fake_model model;
		unsigned int event, ways;
	} t[] = { { PENTIUM, 0x0e, 2 }, { PENTIUM_MMX, 0x0e, 4 },
		  { PENTIUM_II, 0x81, 4 } };
	unsigned int i, k, n;
	struct fake f;

	for (i = 0; i < ARRAY_LEN(t); i++)
		for (n = t[i].ways; n <= t[i].ways + 1; n++) {
			start(&f, t[i].model);
			select_event(&f, 0, t[i].event);
			for (k = 0; k < 2 * n; k++)
				execute(&f, k % n * 0x1000, 1, true);
			assert_int_equal(counted(&f, 0), n == t[i].ways ? n : 2 * n);
			stop(&f);
		}
}

/* ---- the Pentium's data cache --------------------------------------------- */

static void pentium_reads(void **state)
{
	static const unsigned int ways[] = { [PENTIUM] = 2, [PENTIUM_MMX] = 4 };
	unsigned int m, n, k;
	struct fake f;

	for (m = PENTIUM; m <= PENTIUM_MMX; m++)
		for (n = ways[m]; n <= ways[m] + 1; n++) {
			start(&f, m);
			select_event(&f, 0, 0x03);
			for (k = 0; k < 2 * n; k++)
				rd_at(&f, k % n * 0x1000);
			assert_int_equal(counted(&f, 0), n == ways[m] ? n : 2 * n);
			stop(&f);
		}
}

/* A write miss allocates nothing; a write hit makes the line modified. */
TEST_ON(PENTIUM, pentium_writes)
{
	EVENT(f, 0, 0x04, 2, wr_at(f, 0x1000), wr_at(f, 0x1000));
	EVENT(f, 0, 0x03, 1, rd_at(f, 0x1000));
	EVENT(f, 0, 0x05, 2, wr_at(f, 0x1000), wr_at(f, 0x101c));
	EVENT(f, 0, 0x06, 1, rd_at(f, 0x2000), rd_at(f, 0x3000),
	      rd_at(f, 0x4000));
	EVENT(f, 0, 0x05, 1, wr_at(f, 0x3000));
	/* the write-backs of WBINVD and INVD belong to the kernel */
	EVENT(f, 0, 0x06 | OS5, 1, pmu_cache_flush(f->c, true));
	EVENT(f, 0, 0x03, 1, rd_at(f, 0x3000));
	wr_at(f, 0x3000);
	EVENT(f, 0, 0x06 | OS5, 0, pmu_cache_flush(f->c, false));
	/* an access across two lines looks up both */
	EVENT(f, 0, 0x03, 2, data(f, 0x501e, 4, PMU_READ));
	EVENT(f, 0, 0x29, 2, data(f, 0x603e, 4, PMU_WRITE));
	EVENT(f, 0, 0x29, 1, data(f, 0x7000, 4, RW));
}

/* Lines of write-through memory are never modified or exclusive. */
TEST_ON(PENTIUM, pentium_write_through)
{
	EVENT(f, 0, 0x03, 1, through(f, 0x1000, PMU_READ));
	EVENT(f, 0, 0x05, 0, through(f, 0x1000, PMU_WRITE),
	      through(f, 0x1000, PMU_WRITE));
	EVENT(f, 0, 0x04, 0, through(f, 0x1000, PMU_WRITE));
	EVENT(f, 0, 0x06 | OS5, 0, pmu_cache_flush(f->c, true));
}

/* A write to a line of code removes it from the code cache. */
TEST_ON(PENTIUM, pentium_writes_code)
{
	EVENT(f, 0, 0x0e, 1, execute(f, 0x1000, 1, true));
	wr(f, CESR, 0x0e | 0x80 | (0x04 | 0x80) << 16);
	wr_at(f, 0x1000);
	execute(f, 0x2000, 1, true);
	execute(f, 0x1000, 1, true);
	assert_int_equal(counted(f, 0), 3);
}

/* ---- two Pentiums --------------------------------------------------------- */

static void b_does(struct pmu_cpu *b, uint64_t addr, unsigned int access)
{
	data_on(b, addr, 4, access, true);
	run(b, PMU_USER, 1);
}

TEST_WITH(PENTIUM, 2, 1, NULL, pentium_snoops)
{
	struct pmu_cpu *b;

	b = pmu_get_cpu(f->pmu, 1);
	select_on(b, true, 0, 0x29);
	EVENT(f, 0, 0x07, 1, rd_at(f, 0x1000), b_does(b, 0x2000, PMU_READ));
	EVENT(f, 0, 0x08, 1, b_does(b, 0x1000, PMU_READ));
	/* both have it: a write goes to the bus and invalidates it in b */
	EVENT(f, 0, 0x05, 0, wr_at(f, 0x1000));
	assert_int_equal(counted_on(b, true, 0), 2);
	b_does(b, 0x1000, PMU_READ);
	assert_int_equal(counted_on(b, true, 0), 3);
	/* b's read writes a modified line back */
	EVENT(f, 0, 0x05, 1, rd_at(f, 0x3000), wr_at(f, 0x3000));
	EVENT(f, 0, 0x06, 1, b_does(b, 0x3000, PMU_READ));
	/* and so does b's write */
	rd_at(f, 0x5000);
	wr_at(f, 0x5000);
	EVENT(f, 0, 0x06, 1, b_does(b, 0x5000, PMU_WRITE));
	EVENT(f, 0, 0x03, 1, rd_at(f, 0x5000));
	/* code that b writes to is fetched again */
	EVENT(f, 0, 0x0e, 3, execute(f, 0x7000, 1, true),
	      execute(f, 0x8000, 1, true), b_does(b, 0x7000, PMU_WRITE),
	      execute(f, 0x7000, 1, true));
}

/* ---- the P6 --------------------------------------------------------------- */

TEST_ON(PENTIUM_II, p6_first_level)
{
	EVENT(f, 0, 0x45, 2, rd_at(f, 0x1000), wr_at(f, 0x2000),
	      rd_at(f, 0x101c));
	EVENT(f, 0, 0x46, 1, rd_at(f, 0x3000), wr_at(f, 0x4000));
	/* four lines of a set: 2000 and 4000 are modified and evicted */
	EVENT(f, 0, 0x47, 2, rd_at(f, 0x5000), rd_at(f, 0x6000),
	      rd_at(f, 0x7000), rd_at(f, 0x8000));
}

TEST_ON(PENTIUM_II, p6_second_level)
{
	EVENT(f, 0, 0x0129, 1, rd_at(f, 0x1000));
	EVENT(f, 0, 0x012a, 1, wr_at(f, 0x2000));
	EVENT(f, 0, 0x0128, 1, execute(f, 0x3000, 1, true));
	/* evicted from L1, and read again: exclusive in L2 */
	EVENT(f, 0, 0x24, 4, rd_at(f, 0x11000), rd_at(f, 0x12000),
	      rd_at(f, 0x13000), rd_at(f, 0x14000));
	EVENT(f, 0, 0x0429, 1, rd_at(f, 0x1000));
	/* 2000 was modified, and written back to L2 */
	EVENT(f, 0, 0x082a, 1, wr_at(f, 0x2000));
	EVENT(f, 0, 0x0b29, 0, rd_at(f, 0x12000));
	EVENT(f, 0, 0x0428, 0, execute(f, 0x3001, 1, true));
}

/* 4096 sets of 4 ways: the fifth line of a set evicts the first */
TEST_ON(PENTIUM_II, p6_second_level_evicts)
{
	const unsigned int way = 4096 * 32;

	wr_at(f, 0);				/* no counter is active */
	EVENT(f, 0, 0x26, 0, rd_each(f, 0, 4, way));
	EVENT(f, 0, 0x26, 1, rd_at(f, 4 * way));
	/* modified in L1, hence in L2 after its eviction from L1 */
	wr_at(f, 2 * way);
	EVENT(f, 0, 0x25, 0, rd_each(f, 5, 8, way));
	EVENT(f, 0, 0x25, 1, rd_at(f, 8 * way));
	EVENT(f, 0, 0x27, 0, rd_each(f, 9, 12, way));
	EVENT(f, 0, 0x27, 1, rd_at(f, 12 * way));
}

TEST_ON(PENTIUM_II, p6_bus)
{
	EVENT(f, 0, 0x65, 1, rd_at(f, 0x1000));
	EVENT(f, 0, 0x66, 1, wr_at(f, 0x2000));
	EVENT(f, 0, 0x68, 1, execute(f, 0x3000, 1, true));
	EVENT(f, 0, 0x67 | OS6, 1, pmu_cache_flush(f->c, true));
	EVENT(f, 0, 0x6a, 1, data_on(f->c, 0x1000, 4, PMU_WRITE, false));
	EVENT(f, 0, 0x6b, 2, data_on(f->c, 0x1000, 4, RW, false));
	EVENT(f, 0, 0x6a, 1, through(f, 0x8000, PMU_WRITE));
	EVENT(f, 0, 0x6c, 3, pmu_io(f->c, PMU_USER, 3, 2, false),
	      pmu_io(f->c, PMU_USER, 0, 1, true));
	EVENT(f, 0, 0x6e, 1, rd_at(f, 0x9000),
	      data_on(f->c, 0x1000, 4, PMU_READ, false));
	EVENT(f, 0, 0x6f, 2, rd_at(f, 0xa000),
	      data_on(f->c, 0x1000, 4, PMU_READ, false),
	      pmu_io(f->c, PMU_USER, 0, 1, true));
	EVENT(f, 0, 0x70, 3, rd_at(f, 0xb000),
	      data_on(f->c, 0x1000, 4, PMU_READ, false),
	      pmu_io(f->c, PMU_USER, 0, 1, true));
}

/* INVD drops modified lines, WBINVD writes them back. */
TEST_ON(PENTIUM_II, p6_flushes)
{
	EVENT(f, 0, 0x46, 2, wr_at(f, 0x1000), wr_at(f, 0x2000));
	rd_at(f, 0x3000);
	EVENT(f, 0, 0x67 | OS6, 2, pmu_cache_flush(f->c, true));
	EVENT(f, 0, 0x26 | OS6, 1, rd_at(f, 0x3000), pmu_cache_flush(f->c, true));
	EVENT(f, 0, 0x67 | OS6, 0, wr_at(f, 0x3000), pmu_cache_flush(f->c, false));
	EVENT(f, 0, 0x45, 1, rd_at(f, 0x3000));
}

TEST_WITH(PENTIUM_III, 2, 1, NULL, p6_sharing)
{
	struct pmu_cpu *b;

	b = pmu_get_cpu(f->pmu, 1);
	select_on(b, false, 0, 0x0229);		/* loads of shared lines from L2 */
	/* b reads a line that is modified here: written back, and shared */
	EVENT(f, 0, 0x47, 1, wr_at(f, 0x1000), b_does(b, 0x1000, PMU_READ));
	/* writing it again invalidates it in b, without a read */
	EVENT(f, 0, 0x69, 1, wr_at(f, 0x1000));
	EVENT(f, 0, 0x022a, 1, b_does(b, 0x1000, PMU_READ), wr_at(f, 0x1000));
	/* b no longer has it and must read it from the bus */
	select_on(b, false, 0, 0x65);
	b_does(b, 0x1000, PMU_READ);
	assert_int_equal(counted_on(b, false, 0), 1);
	/* b requests it exclusively: invalid in both levels here */
	EVENT(f, 0, 0x26, 1, b_does(b, 0x1000, PMU_WRITE));
	EVENT(f, 0, 0x0129, 1, rd_at(f, 0x1000));
}

/* Bus transactions of all processors, or of this one only. */
TEST_WITH(PENTIUM_II, 2, 1, NULL, p6_agents)
{
	struct pmu_cpu *b;

	b = pmu_get_cpu(f->pmu, 1);
	assert_int_equal(b->want, 0);
	EVENT(f, 0, 0x2065, 3, assert_true(b->want & PMU_WANT_CACHE),
	      rd_at(f, 0x1000), b_does(b, 0x2000, PMU_READ),
	      b_does(b, 0x4000, PMU_READ));
	EVENT(f, 1, 0x0065, 1, assert_int_equal(b->want, 0),
	      rd_at(f, 0x5000), b_does(b, 0x6000, PMU_READ));
}

/* The processor that owns the counter is interrupted, on the step of the one that wraps it. */
TEST_WITH(PENTIUM_II, 2, 1, NULL, p6_agents_wrap)
{
	struct pmu_cpu *b;

	b = pmu_get_cpu(f->pmu, 1);
	wr(f, IA32_PMC0, -2);
	wr(f, IA32_PERFEVTSEL0, 0x2065 | USR | INT | EN);
	b_does(b, 0x2000, PMU_READ);
	assert_int_equal(f->pmis[0], 0);
	b_does(b, 0x4000, PMU_READ);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(f->pmis[1], 0);
}

/* ---- branches ------------------------------------------------------------- */

static void go(struct fake *f, enum pmu_prim kind, uint64_t from, uint64_t to)
{
	pmu_branch(f->c, PMU_USER, kind, from, to);
	run(f->c, PMU_USER, 1);
}

#define TAKEN(f, from)	go(f, PMU_BR_COND_TAKEN, from, 0x9000)
#define NTAKEN(f, from)	go(f, PMU_BR_COND_NTAKEN, from, 0x9000)

static void taken_twice(struct fake *f, unsigned int n, unsigned int stride)
{
	unsigned int i;

	for (i = 0; i < 2 * n; i++)
		TAKEN(f, i % n * stride);
}

static void every_other(struct fake *f, unsigned int n)
{
	while (n--) {
		TAKEN(f, 0x100);
		NTAKEN(f, 0x100);
	}
}

/* A miss that is taken is entered. Not taken twice, it is predicted not taken. */
TEST_ON(PENTIUM, btb_two_bit_counters)
{
	EVENT(f, 0, 0x13, 0, NTAKEN(f, 0x100), NTAKEN(f, 0x100));
	EVENT(f, 0, 0x15, 1, TAKEN(f, 0x100), TAKEN(f, 0x100));
	EVENT(f, 0, 0x15, 2, NTAKEN(f, 0x100), NTAKEN(f, 0x100),
	      NTAKEN(f, 0x100));
	EVENT(f, 0, 0x15, 2, TAKEN(f, 0x100), TAKEN(f, 0x100),
	      TAKEN(f, 0x100));
	/* entered as strongly taken: one not taken does not change the prediction */
	EVENT(f, 0, 0x15, 2, TAKEN(f, 0x180), NTAKEN(f, 0x180),
	      TAKEN(f, 0x180));
	EVENT(f, 0, 0x13, 2, TAKEN(f, 0x100), NTAKEN(f, 0x100),
	      NTAKEN(f, 0x101));
	EVENT(f, 0, 0x14, 3, TAKEN(f, 0x100), NTAKEN(f, 0x100),
	      NTAKEN(f, 0x101), TAKEN(f, 0x102));
}

/* 64 sets of 4 ways: the fifth branch of a set evicts the first */
TEST_ON(PENTIUM, btb_sets)
{
	EVENT(f, 0, 0x13, 4, taken_twice(f, 4, 128));
	EVENT(f, 0, 0x13, 0, TAKEN(f, 64), TAKEN(f, 0));
}

/* The Pentium predicts returns like other branches: by their last target. */
TEST_ON(PENTIUM, btb_targets)
{
	EVENT(f, 0, 0x15, 3, go(f, PMU_BR_JMP_IND, 0x100, 0x200),
	      go(f, PMU_BR_JMP_IND, 0x100, 0x200),
	      go(f, PMU_BR_JMP_IND, 0x100, 0x300),
	      go(f, PMU_BR_JMP_IND, 0x100, 0x200));
	EVENT(f, 0, 0x15, 2, go(f, PMU_BR_RET, 0x180, 0x200),
	      go(f, PMU_BR_RET, 0x180, 0x300));
	EVENT(f, 0, 0x15, 1, go(f, PMU_BR_JMP, 0x110, 0x300),
	      go(f, PMU_BR_JMP, 0x110, 0x300));
}

/* Four bits of history learn a branch that alternates. */
TEST_ON(PENTIUM_MMX, btb_history)
{
	select_event(f, 0, 0x35);
	every_other(f, 20);
	EVENT(f, 0, 0x35, 0, every_other(f, 20));
	EVENT(f, 1, 0x3a, 1, TAKEN(f, 0x100), TAKEN(f, 0x100),
	      TAKEN(f, 0x200), TAKEN(f, 0x200), NTAKEN(f, 0x200));
}

static void calls(struct fake *f, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		go(f, PMU_BR_CALL, 0x1000 * i, 0x1000 * (i + 1));
	while (i--)
		go(f, PMU_BR_RET, 0x1000 * (i + 1) + 0x80, 0x1000 * i + 5);
}

TEST_ON(PENTIUM_MMX, return_stacks)
{
	EVENT(f, 1, 0x39, 0, calls(f, 4));
	EVENT(f, 1, 0x39, 3, calls(f, 7));
	EVENT(f, 0, 0x37, 3, calls(f, 7));
	EVENT(f, 1, 0x37, 4, calls(f, 7));
	EVENT(f, 0, 0x37, 1, go(f, PMU_BR_CALL, 0x100, 0x200),
	      go(f, PMU_BR_RET, 0x300, 0x110));
	EVENT(f, 0, 0x37, 0, go(f, PMU_BR_CALL, 0x100, 0x200),
	      go(f, PMU_BR_RET, 0x300, 0x10f));
	restart(f, PENTIUM_II);
	EVENT(f, 0, 0xc5, 0, calls(f, 16));
	EVENT(f, 0, 0xc5, 1, calls(f, 17));
}

TEST_ON(PENTIUM_II, static_prediction)
{
	/* forward, backward; taken, not taken */
	EVENT(f, 0, 0xc5, 1, go(f, PMU_BR_COND_TAKEN, 0x100, 0x200));
	EVENT(f, 0, 0xc5, 0, go(f, PMU_BR_COND_NTAKEN, 0x110, 0x200));
	EVENT(f, 0, 0xc5, 0, go(f, PMU_BR_COND_TAKEN, 0x320, 0x200));
	EVENT(f, 0, 0xc5, 1, go(f, PMU_BR_COND_NTAKEN, 0x330, 0x200));
	EVENT(f, 0, 0xca, 1, go(f, PMU_BR_COND_TAKEN, 0x140, 0x200),
	      go(f, PMU_BR_COND_NTAKEN, 0x350, 0x200));
	/* the decoder knows the targets of direct branches */
	EVENT(f, 0, 0xc5, 0, go(f, PMU_BR_JMP, 0x400, 0x500),
	      go(f, PMU_BR_CALL, 0x410, 0x500));
	EVENT(f, 0, 0xc5, 1, go(f, PMU_BR_JMP_IND, 0x420, 0x500));
	EVENT(f, 0, 0xe6, 3, go(f, PMU_BR_JMP, 0x440, 0x500),
	      go(f, PMU_BR_COND_TAKEN, 0x650, 0x500),
	      go(f, PMU_BR_COND_NTAKEN, 0x660, 0x500),
	      go(f, PMU_BR_COND_NTAKEN, 0x470, 0x500),
	      go(f, PMU_BR_JMP_IND, 0x480, 0x500));
	EVENT(f, 0, 0xe2, 1, go(f, PMU_BR_JMP, 0x440, 0x500),
	      go(f, PMU_BR_JMP, 0x490, 0x500));
}

/* Far branches are not predicted and not in the BTB. */
TEST_ON(PENTIUM, far_branches)
{
	EVENT(f, 0, 0x13, 0, go(f, PMU_BR_FAR, 0x100, 0x200),
	      go(f, PMU_BR_FAR, 0x100, 0x200),
	      go(f, PMU_BR_INT, 0x110, 0x200), go(f, PMU_BR_INT, 0x110, 0x200));
}

#define T(f) cmocka_unit_test(f)

const struct CMUnitTest memory_tests[] = {
	T(sizes_of_tlbs), T(tlb_evicts_oldest_page), T(large_pages_by_4_kb), T(no_paging),
	T(tlb_flushes), T(code_pages), T(fetches), T(code_cache), T(pentium_reads),
	T(pentium_writes), T(pentium_write_through), T(pentium_writes_code), T(pentium_snoops),
	T(p6_first_level), T(p6_second_level), T(p6_second_level_evicts), T(p6_bus),
	T(p6_flushes), T(p6_sharing), T(p6_agents), T(p6_agents_wrap), T(btb_two_bit_counters),
	T(btb_sets), T(btb_targets), T(btb_history), T(return_stacks), T(static_prediction),
	T(far_branches),
};
const size_t memory_ntests = N(memory_tests);

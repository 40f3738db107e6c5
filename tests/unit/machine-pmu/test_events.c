// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the Pentium and P6 events that need no cache and no predictor */
#include "count_one.h"
#include "pmu_int.h"

#define RW	(PMU_READ | PMU_WRITE)

/* ---- the tables ----------------------------------------------------------- */

struct listed {
	uint16_t code;
	unsigned int counters;
};

static void check_listed(enum fake_model model, const struct listed *t, size_t n)
{
	struct fake f;
	size_t i, k;

	start(&f, model);
	for (i = 0; i < n; i++)
		for (k = 0; k < 2; k++) {
			bool there = t[i].counters >> k & 1;

			if (!!pmu_part_event(f.pmu->part, t[i].code, k) != there)
				fail_msg("%s: event %x on counter %zu",
					 fake_name(model), t[i].code, k);
		}
	stop(&f);
}

/* The 38 events of the Pentium count on both counters; other codes count nothing. */
TEST_ON(PENTIUM, pentium_events)
{
	unsigned int event, n = 0;

	for (event = 0; event < 64; event++) {
		bool there = event <= 0x0f || (event >= 0x12 && event <= 0x1f) ||
			     (event >= 0x22 && event <= 0x29);

		n += there;
		assert_int_equal(!!pmu_part_event(f->pmu->part, event, 0), there);
		assert_int_equal(!!pmu_part_event(f->pmu->part, event, 1), there);
	}
	assert_int_equal(n, 38);
}

/* Table 6-1: the events of MMX technology, and the counter of each. */
static void mmx_events(void **state)
{
	static const struct listed t[] = {
		{ 0x00, 3 }, { 0x0f, 3 }, { 0x10, 0 }, { 0x12, 3 }, { 0x1f, 3 },
		{ 0x20, 0 }, { 0x22, 3 }, { 0x29, 3 }, { 0x2b, 3 }, { 0x2d, 3 },
		{ 0x2e, 3 }, { 0x2f, 3 }, { 0x30, 3 }, { 0x31, 3 }, { 0x32, 3 },
		{ 0x33, 3 }, { 0x34, 3 }, { 0x35, 3 }, { 0x36, 3 }, { 0x37, 3 },
		{ 0x38, 3 }, { 0x39, 3 }, { 0x3a, 3 }, { 0x3b, 3 }, { 0x3c, 0 },
	};

	check_listed(PENTIUM_MMX, t, ARRAY_LEN(t));
}

/* Codes that are a different event on each counter. */
TEST_ON(PENTIUM_MMX, event_depends_on_counter)
{
	static const struct {
		uint16_t code;
		enum pmu_prim prim[2];
	} t[] = {
		{ 0x2b, { PMU_MMX_U_PIPE, PMU_MMX_V_PIPE } },
		{ 0x2d, { PMU_EMMS, PMU_MMX_TO_FP } },
		{ 0x2e, { PMU_NO_PRIM, PMU_UC_WRITE } },
		{ 0x2f, { PMU_MMX_SATURATING, PMU_MMX_SATURATED } },
		{ 0x30, { PMU_STEP, PMU_NO_PRIM } },
		{ 0x31, { PMU_MMX_READ, PMU_MMX_READ_MISS } },
		{ 0x32, { PMU_NO_PRIM, PMU_BR_COND_TAKEN } },
		{ 0x34, { PMU_MMX_WRITE, PMU_MMX_WRITE_MISS } },
		{ 0x36, { PMU_MMX_MISALIGNED, PMU_NO_PRIM } },
		{ 0x37, { PMU_MISP_RET, PMU_RET_PREDICTED } },
		{ 0x39, { PMU_BR_RET, PMU_RSB_OVERFLOW } },
		{ 0x3a, { PMU_NO_PRIM, PMU_MISP_NTAKEN } },
	};
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(t); i++)
		for (k = 0; k < 2; k++)
			assert_int_equal(pmu_part_event(f->pmu->part, t[i].code,
							k)->prims[0],
					 t[i].prim[k]);
}

/* Table 6-2. */
static void p6_events(void **state)
{
	static const struct listed t[] = {
		{ 0x43, 3 }, { 0x45, 3 }, { 0x46, 3 }, { 0x47, 3 }, { 0x48, 3 },
		{ 0x80, 3 }, { 0x81, 3 }, { 0x85, 3 }, { 0x86, 3 }, { 0x87, 3 },
		{ 0x0f28, 3 }, { 0x0f29, 3 }, { 0x0f2a, 3 }, { 0x24, 3 },
		{ 0x26, 3 }, { 0x25, 3 }, { 0x27, 3 }, { 0x0f2e, 3 }, { 0x21, 3 },
		{ 0x22, 3 }, { 0x23, 3 }, { 0x62, 3 }, { 0x2062, 3 }, { 0x63, 3 },
		{ 0x2063, 3 }, { 0x60, 3 }, { 0x65, 3 }, { 0x2065, 3 },
		{ 0x66, 3 }, { 0x2066, 3 }, { 0x67, 3 }, { 0x2067, 3 },
		{ 0x68, 3 }, { 0x2068, 3 }, { 0x69, 3 }, { 0x2069, 3 },
		{ 0x6a, 3 }, { 0x206a, 3 }, { 0x6b, 3 }, { 0x206b, 3 },
		{ 0x6c, 3 }, { 0x206c, 3 }, { 0x6d, 3 }, { 0x206d, 3 },
		{ 0x6e, 3 }, { 0x206e, 3 }, { 0x70, 3 }, { 0x2070, 3 },
		{ 0x6f, 3 }, { 0x206f, 3 }, { 0x61, 3 }, { 0x7a, 3 }, { 0x7e, 3 },
		{ 0xc1, 1 }, { 0x10, 1 }, { 0x11, 2 }, { 0x12, 2 }, { 0x13, 2 },
		{ 0x14, 1 }, { 0x03, 3 }, { 0x04, 3 }, { 0x05, 3 }, { 0xc0, 3 },
		{ 0xc2, 3 }, { 0xd0, 3 }, { 0xc8, 3 }, { 0xc6, 3 }, { 0xc4, 3 },
		{ 0xc5, 3 }, { 0xc9, 3 }, { 0xca, 3 }, { 0xe0, 3 }, { 0xe4, 3 },
		{ 0xe6, 3 }, { 0xa2, 3 }, { 0xd2, 3 }, { 0x06, 3 }, { 0x79, 3 },
		{ 0xb1, 3 }, { 0x0fb2, 3 }, { 0x3fb3, 3 }, { 0xcc, 3 },
		{ 0x01cc, 3 }, { 0xcd, 3 },
		/* undefined unit masks */
		{ 0x01c0, 0 }, { 0x1028, 0 }, { 0x40b3, 0 }, { 0x4065, 0 },
		{ 0x2165, 0 }, { 0x02cc, 0 }, { 0x2061, 0 }, { 0x00, 0 },
	};
	static const struct listed ii[] = {
		{ 0xb0, 3 }, { 0xce, 3 }, { 0xd8, 0 }, { 0xd9, 0 }, { 0x07, 0 },
	};
	static const struct listed iii[] = {
		{ 0xb0, 0 }, { 0xce, 0 }, { 0xd8, 3 }, { 0x01d9, 3 }, { 0x0307, 3 },
	};

	check_listed(PENTIUM_II, t, ARRAY_LEN(t));
	check_listed(PENTIUM_III, t, ARRAY_LEN(t));
	check_listed(PENTIUM_II, ii, ARRAY_LEN(ii));
	check_listed(PENTIUM_III, iii, ARRAY_LEN(iii));
}

/* Every event either counts primitives or has a reason why it is always 0. */
TEST_EACH(PENTIUM, PENTIUM_III, events_have_primitives_or_reason)
{
	size_t i;

	for (i = 0; i < f->pmu->part->nevents; i++) {
		const struct pmu_event *e = &f->pmu->part->events[i];

		assert_int_equal(!!e->prims[0], !e->why);
		assert_int_equal(e->prims[PMU_EVENT_PRIMS - 1], 0);
	}
}

/* Counters that count nothing want no reports. */
TEST_ON(PENTIUM_MMX, uncounted_events_want_no_reports)
{
	static const struct listed t[] = {
		{ 0x10, 1 }, { 0x18, 1 }, { 0x1a, 1 }, { 0x33, 2 }, { 0x2d, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(t); i++) {
		select_event(f, t[i].counters == 2, t[i].code);
		assert_int_equal(!!f->c->want, !t[i].counters);
	}
}

/* ---- data ----------------------------------------------------------------- */

struct reference {
	uint64_t addr;
	unsigned int size;
	unsigned int access;
	unsigned int whole;	/* size of both parts, if it continues on the next page */
	unsigned int p5, p6;	/* reads and writes, twice for a split one */
	unsigned int p5_split, p6_split;
};

static const struct reference references[] = {
	{ 0x1000, 1, PMU_READ, 0, 1, 1, 0, 0 },
	{ 0x1003, 1, PMU_READ, 0, 1, 1, 0, 0 },
	{ 0x1001, 2, PMU_READ, 0, 1, 1, 0, 0 },
	{ 0x1003, 2, PMU_READ, 0, 2, 1, 1, 0 },
	{ 0x1007, 2, PMU_READ, 0, 2, 2, 1, 1 },
	{ 0x1000, 4, PMU_WRITE, 0, 1, 1, 0, 0 },
	{ 0x1001, 4, PMU_WRITE, 0, 2, 1, 1, 0 },
	{ 0x1004, 4, PMU_WRITE, 0, 1, 1, 0, 0 },
	{ 0x1005, 4, PMU_WRITE, 0, 2, 2, 1, 1 },
	{ 0x1005, 4, RW, 0, 4, 4, 2, 2 },
	{ 0x1000, 8, PMU_READ, 0, 1, 1, 0, 0 },
	{ 0x1004, 8, PMU_READ, 0, 2, 2, 1, 1 },
	{ 0x1000, 16, PMU_READ, 0, 2, 2, 0, 0 },
	{ 0x1001, 16, PMU_READ, 0, 4, 4, 2, 2 },
	{ 0x1ffe, 2, PMU_READ, 4, 2, 2, 1, 1 },
	{ 0x1ffc, 4, PMU_READ, 8, 2, 2, 1, 1 },
};

static void one_reference(struct fake *f, const struct reference *r)
{
	struct pmu_access a = {
		.linear = r->addr, .physical = r->addr, .size = r->size,
		.access = r->access, .whole = r->whole, .page.cached = true,
	};

	insn(f, PMU_USER, 0);
	pmu_data(f->c, PMU_USER, &a);
	if (r->whole) {
		a.linear += a.size;
		a.physical = 0x7000;
		a.size = r->whole - a.size;
		a.whole = 0;
		a.rest = true;
		pmu_data(f->c, PMU_USER, &a);
	}
	run(f->c, PMU_USER, 1);
}

static void count_references(enum fake_model model, uint16_t both, uint16_t split,
			     bool p5, unsigned int halves)
{
	const struct reference *r;
	struct fake f;

	start(&f, model);
	for (r = references; r < references + ARRAY_LEN(references); r++) {
		select_event(&f, 0, both);
		one_reference(&f, r);
		assert_int_equal(counted(&f, 0), p5 ? r->p5 : r->p6);
		select_event(&f, 1, split);
		one_reference(&f, r);
		assert_int_equal(counted(&f, 1),
				 (p5 ? r->p5_split : r->p6_split) * halves);
	}
	stop(&f);
}

static void split_references(void **state)
{
	count_references(PENTIUM, 0x28, 0x0b, true, 1);
	count_references(PENTIUM_MMX, 0x28, 0x0b, true, 1);
	count_references(PENTIUM_II, 0x43, 0x05, false, 2);
}

TEST_ON(PENTIUM, reads_and_writes_separate)
{
	select_event(f, 0, 0x00);
	data(f, 0x1000, 4, PMU_READ);
	data(f, 0x1000, 4, PMU_WRITE);
	data(f, 0x1000, 4, RW);
	assert_int_equal(counted(f, 0), 2);
	select_event(f, 0, 0x01);
	data(f, 0x1000, 4, PMU_READ);
	data(f, 0x1000, 4, RW);
	assert_int_equal(counted(f, 0), 1);
}

TEST_ON(PENTIUM_MMX, uncached_data)
{
	select_event(f, 0, 0x1e);
	data_on(f->c, 0x1000, 4, PMU_READ, false);
	data_on(f->c, 0x1003, 4, PMU_READ, false);
	data_on(f->c, 0x1000, 4, PMU_WRITE, false);
	data_on(f->c, 0x1000, 4, PMU_READ, true);
	assert_int_equal(counted(f, 0), 3);
	select_event(f, 1, 0x2e);
	data_on(f->c, 0x1000, 4, PMU_WRITE, false);
	data_on(f->c, 0x1000, 4, PMU_WRITE, true);
	pmu_io(f->c, PMU_USER, 0x80, 1, true);
	pmu_io(f->c, PMU_USER, 0x80, 1, false);
	assert_int_equal(counted(f, 1), 2);
}

TEST_ON(PENTIUM, locked)
{
	struct pmu_insn i = { .priv = PMU_USER, .classes = PMU_CLASS_LOCKED };

	select_event(f, 0, 0x1c);
	pmu_insn(f->c, &i);
	data(f, 0x1000, 4, RW);		/* 1 */
	data(f, 0x1002, 4, RW);		/* 2 */
	data(f, 0x1000, 4, PMU_READ);
	i.classes = 0;
	pmu_insn(f->c, &i);
	data(f, 0x1000, 4, RW);
	pmu_table_update(f->c, PMU_USER);	/* 1 */
	assert_int_equal(counted(f, 0), 4);
}

TEST_ON(PENTIUM, io)
{
	static const struct {
		unsigned int port, size, cycles;
	} t[] = {
		{ 0x80, 1, 1 }, { 0x83, 1, 1 }, { 0x80, 2, 1 }, { 0x81, 2, 1 },
		{ 0x83, 2, 2 }, { 0x80, 4, 1 }, { 0x81, 4, 2 }, { 0x83, 4, 2 },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(t); i++) {
		select_event(f, 0, 0x1d);
		pmu_io(f->c, PMU_USER, t[i].port, t[i].size, i % 2);
		assert_int_equal(counted(f, 0), t[i].cycles);
		select_event(f, 0, 0x0b);
		pmu_io(f->c, PMU_USER, t[i].port, t[i].size, i % 2);
		assert_int_equal(counted(f, 0), t[i].cycles - 1);
	}
}

/* ---- kinds of instructions ------------------------------------------------ */

struct kind {
	enum fake_model model;
	uint16_t code;
	unsigned int counter;
	unsigned int classes;
	unsigned int count;
};

static const struct kind kinds[] = {
	{ PENTIUM, 0x22, 0, PMU_CLASS_FP, 0 },
	{ PENTIUM, 0x22, 0, PMU_CLASS_FP | PMU_CLASS_FP_ADD, 1 },
	{ PENTIUM, 0x22, 0, PMU_CLASS_FP | PMU_CLASS_FP_COMPARE, 0 },
	{ PENTIUM, 0x22, 0, PMU_CLASS_FP | PMU_CLASS_FP_MUL, 1 },
	{ PENTIUM, 0x22, 0, PMU_CLASS_FP | PMU_CLASS_FP_DIV, 1 },
	{ PENTIUM, 0x22, 0, PMU_CLASS_FP | PMU_CLASS_FP_OTHER, 1 },
	{ PENTIUM, 0x22, 0, PMU_CLASS_INT_MUL, 1 },
	{ PENTIUM, 0x22, 0, PMU_CLASS_INT_DIV, 0 },
	{ PENTIUM, 0x0f, 0, PMU_CLASS_SYSTEM_SEGMENT, 1 },
	{ PENTIUM, 0x0f, 0, PMU_CLASS_SEGMENT, 1 },
	{ PENTIUM, 0x12, 0, PMU_CLASS_SERIAL, 1 },
	{ PENTIUM, 0x14, 0, PMU_CLASS_SERIAL, 1 },
	{ PENTIUM, 0x15, 0, PMU_CLASS_SERIAL, 0 },
	{ PENTIUM_MMX, 0x2d, 0, PMU_CLASS_MMX | PMU_CLASS_EMMS, 1 },
	{ PENTIUM_MMX, 0x2d, 0, PMU_CLASS_MMX, 0 },
	{ PENTIUM_MMX, 0x2f, 0, PMU_CLASS_MMX | PMU_CLASS_MMX_SATURATING, 1 },
	{ PENTIUM_MMX, 0x2f, 1, PMU_CLASS_MMX | PMU_CLASS_MMX_SATURATING, 0 },
	{ PENTIUM_MMX, 0x2f, 1, PMU_CLASS_MMX | PMU_CLASS_SATURATED, 1 },
	{ PENTIUM_II, 0x06, 0, PMU_CLASS_SEGMENT, 1 },
	{ PENTIUM_II, 0x06, 0, PMU_CLASS_SYSTEM_SEGMENT, 0 },
	{ PENTIUM_II, 0xc1, 0, PMU_CLASS_FP | PMU_CLASS_FP_COMPARE, 1 },
	{ PENTIUM_II, 0xc1, 0, PMU_CLASS_INT_MUL, 0 },
	{ PENTIUM_II, 0x10, 0, PMU_CLASS_INT_MUL, 1 },
	{ PENTIUM_II, 0x10, 0, PMU_CLASS_INT_DIV, 1 },
	{ PENTIUM_II, 0x12, 1, PMU_CLASS_INT_MUL, 1 },
	{ PENTIUM_II, 0x12, 1, PMU_CLASS_FP | PMU_CLASS_FP_MUL, 1 },
	{ PENTIUM_II, 0x12, 1, PMU_CLASS_FP | PMU_CLASS_FP_DIV, 0 },
	{ PENTIUM_II, 0x13, 1, PMU_CLASS_INT_DIV, 1 },
	{ PENTIUM_II, 0x13, 1, PMU_CLASS_FP | PMU_CLASS_FP_DIV, 1 },
	{ PENTIUM_II, 0x01b3, 0, PMU_CLASS_MMX | PMU_CLASS_MMX_MUL, 1 },
	{ PENTIUM_II, 0x02b3, 0, PMU_CLASS_MMX | PMU_CLASS_MMX_SHIFT, 1 },
	{ PENTIUM_II, 0x04b3, 0, PMU_CLASS_MMX | PMU_CLASS_MMX_PACK, 1 },
	{ PENTIUM_II, 0x08b3, 0, PMU_CLASS_MMX | PMU_CLASS_MMX_UNPACK, 1 },
	{ PENTIUM_II, 0x10b3, 0, PMU_CLASS_MMX | PMU_CLASS_MMX_LOGICAL, 1 },
	{ PENTIUM_II, 0x20b3, 0, PMU_CLASS_MMX | PMU_CLASS_MMX_ARITHMETIC, 1 },
	{ PENTIUM_II, 0x3eb3, 0, PMU_CLASS_MMX | PMU_CLASS_MMX_MUL, 0 },
	{ PENTIUM_II, 0xcd, 0, PMU_CLASS_MMX | PMU_CLASS_EMMS, 1 },
	{ PENTIUM_II, 0xd8, 0, PMU_CLASS_SSE, 0 },
	{ PENTIUM_III, 0xd8, 0, PMU_CLASS_SSE, 1 },
	{ PENTIUM_III, 0xd8, 0, PMU_CLASS_SSE_SCALAR, 1 },
	{ PENTIUM_III, 0x01d8, 0, PMU_CLASS_SSE, 0 },
	{ PENTIUM_III, 0x01d8, 0, PMU_CLASS_SSE_SCALAR, 1 },
	{ PENTIUM_III, 0xd9, 0, PMU_CLASS_SSE, 0 },
	{ PENTIUM_III, 0xd9, 0, PMU_CLASS_SSE | PMU_CLASS_SSE_COMPUTE, 1 },
	{ PENTIUM_III, 0x01d9, 0, PMU_CLASS_SSE | PMU_CLASS_SSE_COMPUTE, 0 },
	{ PENTIUM_III, 0x01d9, 0,
	  PMU_CLASS_SSE_SCALAR | PMU_CLASS_SSE_COMPUTE, 1 },
};

static void instruction_classes(void **state)
{
	const struct kind *k;
	struct fake f;

	for (k = kinds; k < kinds + ARRAY_LEN(kinds); k++) {
		start(&f, k->model);
		select_event(&f, k->counter, k->code);
		insn(&f, PMU_USER, k->classes);
		insn(&f, PMU_KERNEL, k->classes);
		run(f.c, PMU_USER, 1);
		if (counted(&f, k->counter) != k->count)
			fail_msg("%s: event %x, kind %x", fake_name(k->model),
				 k->code, k->classes);
		stop(&f);
	}
}

/* An operation that raises an exception does not count in FLOPS. */
static void fp_exceptions_not_in_flops(void **state)
{
	static const struct kind t[] = {
		{ PENTIUM, 0x22, 0, PMU_CLASS_FP_ADD, 0 },
		{ PENTIUM, 0x22, 0, PMU_CLASS_FP_MUL, 0 },
		{ PENTIUM, 0x22, 0, PMU_CLASS_FP_DIV, 0 },
		{ PENTIUM_II, 0xc1, 0, PMU_CLASS_FP_DIV, 0 },
		{ PENTIUM_II, 0x10, 0, PMU_CLASS_FP_DIV, 1 },
		{ PENTIUM_II, 0x10, 0, PMU_CLASS_FP_ADD, 1 },
		{ PENTIUM_II, 0x12, 1, PMU_CLASS_FP_MUL, 1 },
		{ PENTIUM_II, 0x13, 1, PMU_CLASS_FP_DIV, 1 },
		{ PENTIUM_II, 0x13, 1, PMU_CLASS_FP_MUL, 0 },
	};
	struct pmu_insn i = { .priv = PMU_USER };
	struct fake f;
	size_t k;

	for (k = 0; k < ARRAY_LEN(t); k++) {
		start(&f, t[k].model);
		select_event(&f, t[k].counter, t[k].code);
		i.classes = PMU_CLASS_FP | t[k].classes;
		pmu_insn(f.c, &i);
		pmu_retire_insn(f.c, PMU_USER, PMU_CLASS_FP_VOID);
		assert_int_equal(counted(&f, t[k].counter), t[k].count);
		stop(&f);
	}
}

/* A faulting instruction does not count, nor does it make the next one count. */
TEST_ON(PENTIUM, faulting_instruction_classes)
{
	struct pmu_insn i = { .priv = PMU_USER, .classes = PMU_CLASS_INT_MUL };

	select_event(f, 0, 0x22);
	pmu_insn(f->c, &i);
	pmu_abort(f->c);
	run(f->c, PMU_USER, 1);
	pmu_retire_insn(f->c, PMU_USER, 0);
	assert_int_equal(counted(f, 0), 0);
}

TEST_ON(PENTIUM_MMX, transitions)
{
	select_event(f, 1, 0x2d);
	insn(f, PMU_USER, PMU_CLASS_MMX);	/* no instruction before it */
	insn(f, PMU_USER, PMU_CLASS_MMX);
	insn(f, PMU_USER, 0);
	insn(f, PMU_USER, PMU_CLASS_FP);	/* 1 */
	insn(f, PMU_USER, PMU_CLASS_FP);
	insn(f, PMU_USER, PMU_CLASS_MMX);	/* 2 */
	assert_int_equal(counted(f, 1), 2);
	/* The unit used while no counter is active is unknown afterwards. */
	select_event(f, 1, 0x2d);
	insn(f, PMU_USER, PMU_CLASS_FP);
	assert_int_equal(counted(f, 1), 0);
	restart(f, PENTIUM_II);
	select_event(f, 0, 0x01cc);
	insn(f, PMU_USER, PMU_CLASS_MMX);
	insn(f, PMU_USER, PMU_CLASS_FP);
	assert_int_equal(counted(f, 0), 0);
	insn(f, PMU_USER, PMU_CLASS_MMX);
	assert_int_equal(counted(f, 0), 1);
}

TEST_ON(PENTIUM_MMX, mmx_data)
{
	struct pmu_insn i = { .priv = PMU_USER, .classes = PMU_CLASS_MMX };
	static const struct {
		uint16_t code;
		unsigned int count;
	} t[] = { { 0x31, 3 }, { 0x34, 1 }, { 0x36, 1 } };
	size_t k;

	for (k = 0; k < ARRAY_LEN(t); k++) {
		select_event(f, 0, t[k].code);
		i.classes = PMU_CLASS_MMX;
		pmu_insn(f->c, &i);
		data(f, 0x1000, 8, PMU_READ);
		data(f, 0x1004, 8, PMU_READ);
		data(f, 0x1000, 8, PMU_WRITE);
		i.classes = 0;
		pmu_insn(f->c, &i);
		data(f, 0x1004, 8, PMU_READ);
		data(f, 0x1004, 8, PMU_WRITE);
		assert_int_equal(counted(f, 0), t[k].count);
	}
}

/* ---- interrupts, exceptions, far transfers -------------------------------- */

/* The interrupt belongs to the interrupted privilege, its handler to the kernel. */
TEST_ON(PENTIUM, handler_privilege)
{
	wr(f, CESR, 0x27 | 0x80 | (0x16 | 0x40) << 16);
	run(f->c, PMU_USER, 5);
	pmu_hwint(f->c, PMU_USER);
	run(f->c, PMU_KERNEL, 3);
	pmu_abort(f->c);
	pmu_exception(f->c);
	run(f->c, PMU_USER, 5);
	assert_int_equal(rd(f, CTR0), 1);
	assert_int_equal(rd(f, CTR0 + 1), 2 + 3);
	restart(f, PENTIUM);
	select_event(f, 0, 0x16);
	run(f->c, PMU_USER, 5);
	pmu_hwint(f->c, PMU_USER);
	pmu_exception(f->c);
	assert_int_equal(counted(f, 0), 5);
}

TEST_ON(PENTIUM, segments)
{
	select_event(f, 0, 0x0f);
	pmu_segments(f->c, PMU_USER, 2);
	pmu_segments(f->c, PMU_KERNEL, 1);
	pmu_segments(f->c, PMU_USER, 1);
	assert_int_equal(counted(f, 0), 3);
	select_event(f, 0, 0x16);
	pmu_segments(f->c, PMU_USER, 2);		/* not wanted */
	assert_int_equal(counted(f, 0), 0);
}

/* INT is a branch that does not flush a Pentium's pipeline. */
TEST_ON(PENTIUM, software_interrupts)
{
	static const struct {
		uint16_t code;
		unsigned int count;
	} t[] = { { 0x12, 2 }, { 0x14, 2 }, { 0x15, 1 } };
	size_t i;

	for (i = 0; i < ARRAY_LEN(t); i++) {
		select_event(f, 0, t[i].code);
		branch(f->c, PMU_USER, PMU_BR_INT);
		branch(f->c, PMU_USER, PMU_BR_FAR);
		assert_int_equal(counted(f, 0), t[i].count);
	}
}

TEST_ON(PENTIUM_II, masked_interrupts)
{
	struct pmu_insn i = { .priv = PMU_USER, .masked = true };

	wr(f, IA32_PERFEVTSEL0 + 1, 0xc7 | USR);
	wr(f, IA32_PERFEVTSEL0, 0xc6 | USR | EN);
	pmu_insn(f->c, &i);
	pmu_rep_round(f->c, PMU_USER);		/* three rounds */
	pmu_rep_round(f->c, PMU_USER);
	pmu_rep_round(f->c, PMU_USER);
	pmu_rep_done(f->c, PMU_USER);
	i.pending = true;
	pmu_insn(f->c, &i);
	pmu_retire_insn(f->c, PMU_USER, 0);
	i.masked = false;
	pmu_insn(f->c, &i);
	pmu_retire_insn(f->c, PMU_USER, 0);
	assert_int_equal(pmc(f, 0), 4);
	assert_int_equal(pmc(f, 1), 1);
}

/* ---- breakpoints ---------------------------------------------------------- */

struct match {
	unsigned int type, length;	/* as in DR7 */
	char what;			/* x, r, w, b: both, i: I/O */
	uint64_t addr;
	unsigned int size;
	bool de;
	unsigned int count;
};

/* The breakpoint is at 1004H. */
static const struct match matches[] = {
	{ 0, 0, 'x', 0x1004, 1, false, 1 }, { 0, 0, 'x', 0x1003, 1, false, 0 },
	{ 0, 0, 'r', 0x1004, 1, false, 0 }, { 0, 0, 'w', 0x1004, 1, false, 0 },
	{ 1, 0, 'w', 0x1004, 1, false, 1 }, { 1, 0, 'r', 0x1004, 1, false, 0 },
	{ 1, 0, 'b', 0x1004, 1, false, 1 }, { 1, 0, 'x', 0x1004, 1, false, 0 },
	{ 3, 0, 'r', 0x1004, 1, false, 1 }, { 3, 0, 'w', 0x1004, 1, false, 1 },
	{ 3, 0, 'i', 0x1004, 1, true, 0 },
	{ 1, 0, 'w', 0x1005, 1, false, 0 }, { 1, 0, 'w', 0x1003, 1, false, 0 },
	{ 1, 0, 'w', 0x1003, 2, false, 1 }, { 1, 0, 'w', 0x1001, 4, false, 1 },
	{ 1, 1, 'w', 0x1005, 1, false, 1 }, { 1, 1, 'w', 0x1006, 1, false, 0 },
	{ 1, 3, 'w', 0x1003, 1, false, 0 }, { 1, 2, 'w', 0x1003, 1, false, 1 },
	{ 1, 3, 'w', 0x1007, 1, false, 1 }, { 1, 3, 'w', 0x1008, 1, false, 0 },
	{ 2, 0, 'i', 0x1004, 1, true, 1 }, { 2, 0, 'i', 0x1004, 1, false, 0 },
	{ 2, 0, 'w', 0x1004, 1, true, 0 }, { 2, 3, 'i', 0x1006, 2, true, 1 },
};

static void touch(struct fake *f, const struct match *m)
{
	struct pmu_insn i = { .priv = PMU_USER, .linear = m->addr };

	switch (m->what) {
	case 'x':
		pmu_insn(f->c, &i);
		break;
	case 'r':
		data(f, m->addr, m->size, PMU_READ);
		break;
	case 'w':
		data(f, m->addr, m->size, PMU_WRITE);
		break;
	case 'b':
		data(f, m->addr, m->size, RW);
		break;
	default:
		pmu_io(f->c, PMU_USER, m->addr, m->size, false);
	}
}

static void breakpoints(void **state)
{
	const struct match *m;
	struct fake f;
	unsigned int n;

	for (n = 0; n < 4; n++)
		for (m = matches; m < matches + ARRAY_LEN(matches); m++) {
			start(&f, PENTIUM);
			f.debug.dr[n] = 0x1004;
			f.debug.dr7 = (m->type | m->length << 2) << (16 + 4 * n);
			f.debug.de = m->de;
			select_event(&f, 0, 0x23 + n);
			touch(&f, m);
			if (counted(&f, 0) != m->count)
				fail_msg("DR%u: type %u, length %u, %c %llx", n,
					 m->type, m->length, m->what,
					 (unsigned long long)m->addr);
			stop(&f);
		}
}

/* ---- durations ------------------------------------------------------------ */

TEST_ON(PENTIUM_MMX, durations)
{
	select_event(f, 0, 0x30 | 0x100);
	run(f->c, PMU_USER, 10);
	insn(f, PMU_USER, PMU_CLASS_HALT);
	run(f->c, PMU_USER, 10);
	assert_int_equal(counted(f, 0), 21);
	select_event(f, 0, 0x30);		/* beginnings */
	run(f->c, PMU_USER, 10);
	insn(f, PMU_USER, PMU_CLASS_HALT);
	run(f->c, PMU_USER, 10);
	assert_int_equal(counted(f, 0), 2);
	select_event(f, 0, 0x28 | 0x100);	/* steps with data accesses */
	data(f, 0x1000, 4, PMU_READ);
	data(f, 0x1000, 4, PMU_READ);
	run(f->c, PMU_USER, 3);
	data(f, 0x1000, 4, PMU_READ);
	run(f->c, PMU_USER, 1);
	assert_int_equal(counted(f, 0), 2);
}

/* Exact to the step, for primitives that are not bounded. */
static void overflow_of_unbounded_primitives(void **state)
{
	static const unsigned int periods[] = { 1, 2, 100, 4095, 4097, 10000 };
	unsigned int i, n;
	struct fake f;

	for (i = 0; i < ARRAY_LEN(periods); i++) {
		start(&f, PENTIUM_II);
		wr(&f, IA32_PMC0, -(uint64_t)periods[i]);
		wr(&f, IA32_PERFEVTSEL0, 0x43 | USR | INT | EN);
		for (n = 1; n < periods[i]; n++) {
			data(&f, 0x1000, 4, PMU_READ);
			run(f.c, n % 3 ? PMU_USER : PMU_KERNEL, 1);
		}
		assert_int_equal(f.pmis[0], 0);
		data(&f, 0x1000, 4, PMU_READ);
		run(f.c, PMU_USER, 1);
		assert_int_equal(f.pmis[0], 1);
		stop(&f);
	}
}

#define T(f) cmocka_unit_test(f)

const struct CMUnitTest event_tests[] = {
	T(pentium_events), T(mmx_events), T(event_depends_on_counter), T(p6_events),
	T(events_have_primitives_or_reason), T(uncounted_events_want_no_reports),
	T(split_references), T(reads_and_writes_separate), T(uncached_data), T(locked), T(io),
	T(instruction_classes), T(fp_exceptions_not_in_flops), T(faulting_instruction_classes),
	T(transitions), T(mmx_data), T(handler_privilege), T(segments), T(software_interrupts),
	T(masked_interrupts), T(breakpoints), T(durations), T(overflow_of_unbounded_primitives),
};
const size_t event_ntests = N(event_tests);

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the registers that select what some events count */
#include "fake.h"
#include "pmu_int.h"

#define OFFCORE_0	0x1a6
#define OFFCORE_1	0x1a7
#define LD_LAT		0x3f6
#define FRONTEND	0x3f7

#define RSP_0		0x01b7
#define RSP_1		0x01bb
#define LOAD_LATENCY	0x01cd
#define FRONTEND_RETIRED 0x01c6
#define ALL_LOADS	0x81d0
#define ALL_STORES	0x82d0

/* ---- registers ---- */

/* Linux's masks of valid bits; 0: the register does not exist. */
static const struct {
	enum fake_model model;
	uint64_t bits[4];
} parts[] = {
	{ PENRYN, { 0, 0, 0, 0 } }, { ATOM, { 0, 0, 0, 0 } }, { CORE_DUO, { 0, 0, 0, 0 } },
	{ LYNNFIELD, { 0xffff, 0, 0xffff, 0 } },
	{ ARRANDALE, { 0xffff, 0xffff, 0xffff, 0 } },
	{ SANDY_BRIDGE, { 0x3f807f8fff, 0x3f807f8fff, 0xffff, 0 } },
	{ IVY_BRIDGE, { 0x3f807f8fff, 0x3f807f8fff, 0xffff, 0 } },
	{ HASWELL, { 0x3fffff8fff, 0x3fffff8fff, 0xffff, 0 } },
	{ BROADWELL, { 0x3fffff8fff, 0x3fffff8fff, 0xffff, 0 } },
	{ SKYLAKE_X, { 0x3fffff8fff, 0x3fffff8fff, 0xffff, 0x7fff17 } },
	{ CANNON_LAKE, { 0x3fffff8fff, 0x3fffff8fff, 0xffff, 0x7fff17 } },
	{ ICE_LAKE, { 0x3fffffbfff, 0x3fffffbfff, 0xffff, 0x7fff17 } },
	{ TIGER_LAKE, { 0x3fffffbfff, 0x3fffffbfff, 0xffff, 0x7fff17 } },
	{ SAPPHIRE_RAPIDS, { 0x3fffffffff, 0x3fffffffff, 0xffff, 0x7fff1f } },
	{ ARROW_LAKE, { 0xfffffffffff, 0xfffffffffff, 0xffff, 0x7fff1f } },
};

static const uint32_t msrs[4] = { OFFCORE_0, OFFCORE_1, LD_LAT, FRONTEND };

static void check_register(struct fake *f, uint32_t msr, uint64_t bits)
{
	unsigned int i;

	if (!bits) {
		assert_int_equal(pmu_check_rdmsr(f->c, msr), PMU_NONE);
		assert_int_equal(pmu_wrmsr(f->c, msr, 0), PMU_NONE);
		return;
	}
	assert_int_equal(rd(f, msr), 0);
	wr(f, msr, bits);
	for (i = 0; i < 64; i++)
		if (!(bits >> i & 1))
			wr_gp(f, msr, BIT(i));
	assert_int_equal(rd(f, msr), bits);
	pmu_reset(f->c, false);
	assert_int_equal(rd(f, msr), 0);
}

static void registers(void **state)
{
	struct fake f;
	unsigned int i, k;

	for (i = 0; i < N(parts); i++) {
		start(&f, parts[i].model);
		for (k = 0; k < 4; k++)
			check_register(&f, msrs[k], parts[i].bits[k]);
		stop(&f);
	}
}

/* Skymont has another mask, and no front-end register; it faults beside a Lion Cove. */
TEST_WITH(ARROW_LAKE, 2, 1, "hybrid", hybrid_registers)
{
	f->c = pmu_get_cpu(f->pmu, 1);
	wr(f, OFFCORE_0, 0x800ff3ffffffffff);
	wr_gp(f, OFFCORE_0, BIT(42));
	wr(f, OFFCORE_1, 0xff3ffffffffff);
	wr_gp(f, OFFCORE_1, BIT(63));
	rd_gp(f, FRONTEND);
	wr_gp(f, FRONTEND, 0);
}

/* Shared by the logical processors of a core up to Westmere; never by two cores. */
static void sharing(void **state)
{
	static const struct {
		enum fake_model model;
		bool shared;
	} t[] = { { LYNNFIELD, true }, { ARRANDALE, true }, { SANDY_BRIDGE, false } };
	struct pmu_cpu *other;
	struct fake f;
	unsigned int i;

	for (i = 0; i < N(t); i++) {
		start_with(&f, t[i].model, 4, 2, NULL);
		other = pmu_get_cpu(f.pmu, 1);
		wr(&f, OFFCORE_0, 0x401);
		wr(&f, LD_LAT, 7);
		assert_int_equal(rd_on(other, OFFCORE_0), t[i].shared ? 0x401 : 0);
		assert_int_equal(rd_on(other, LD_LAT), 0);
		assert_int_equal(rd_on(pmu_get_cpu(f.pmu, 2), OFFCORE_0), 0);
		wr_on(other, OFFCORE_0, 2);
		assert_int_equal(rd(&f, OFFCORE_0), t[i].shared ? 2 : 0x401);
		stop(&f);
	}
	start_with(&f, LYNNFIELD, 2, 1, NULL);
	wr(&f, OFFCORE_0, 1);
	assert_int_equal(rd_on(pmu_get_cpu(f.pmu, 1), OFFCORE_0), 0);
	stop(&f);
}

/* ---- accesses with a known place ---- */

#define SAME_L1_SET	0x1000
#define SAME_L2_SET	0x10000

static void access(struct fake *f, uint64_t addr, unsigned int how)
{
	data(f, addr, 4, how);
	retire(f, PMU_USER);
}

/* Skylake-X: 8 ways of L1, 16 of L2. Bring the line at addr to a level. */
static void to_level(struct fake *f, uint64_t addr, unsigned int level)
{
	unsigned int i;

	access(f, addr, PMU_READ);
	for (i = 1; level == 2 && i <= 8; i++)
		access(f, addr + i * SAME_L1_SET, PMU_WRITE);
	for (i = 1; level == 3 && i <= 16; i++)
		access(f, addr + i * SAME_L2_SET, PMU_WRITE);
}

/* Count one event on general counter 0 during an access to a line in this level; 4: memory. */
static uint64_t counted(struct fake *f, uint32_t event, unsigned int level, unsigned int how)
{
	static uint64_t fresh;
	uint64_t addr = (fresh += 0x1000000);

	wr(f, GLOBAL_CTRL, 1);
	/* an event of the caches keeps them up to date */
	count_on(f, 0, event | USR);
	if (level < 4)
		to_level(f, addr, level);
	wr(f, IA32_PMC0, 0);
	access(f, addr, how);
	return rd(f, IA32_PMC0);
}

/* ---- offcore response ---- */

TEST_ON(SKYLAKE_X, offcore_requests)
{
	/* register; reads that hit and miss, writes that hit and miss */
	static const struct {
		uint64_t rsp;
		unsigned int read_hit, read_miss, write_hit, write_miss;
	} t[] = {
		{ 0, 0, 0, 0, 0 }, { 0x1, 0, 0, 0, 0 }, { 0x10000, 0, 0, 0, 0 },
		{ 0x10001, 1, 1, 0, 0 }, { 0x10002, 0, 0, 1, 1 }, { 0x10003, 1, 1, 1, 1 },
		{ 0x10004, 0, 0, 0, 0 }, { 0x18ff8, 0, 0, 0, 0 },
		/* OFFCORE_RESPONSE.DEMAND_DATA_RD.L3_HIT.ANY_SNOOP, L3_MISS_LOCAL_DRAM */
		{ 0x3f803c0001, 1, 0, 0, 0 }, { 0x3f84000002, 0, 0, 0, 1 },
		/* a supplier without a snoop response, and without the right one */
		{ 0x80003, 0, 0, 0, 0 }, { 0x200080003, 0, 0, 0, 0 },
		{ 0x100080001, 1, 0, 0, 0 }, { 0x104000001, 0, 1, 0, 0 },
		{ 0x100400003, 0, 0, 0, 0 },
	};
	unsigned int i;

	for (i = 0; i < N(t); i++) {
		wr(f, OFFCORE_0, 0x10001);
		wr(f, GLOBAL_CTRL, 1);
		count_on(f, 1, RSP_0 | USR);	/* the caches run */
		wr(f, OFFCORE_1, t[i].rsp);
		count_on(f, 2, LLC_REF | USR);
		assert_int_equal(counted(f, RSP_1, 1, PMU_READ), 0);
		assert_int_equal(counted(f, RSP_1, 2, PMU_READ), 0);
		assert_int_equal(counted(f, RSP_1, 3, PMU_READ), t[i].read_hit);
		assert_int_equal(counted(f, RSP_1, 4, PMU_READ), t[i].read_miss);
		assert_int_equal(counted(f, RSP_1, 3, PMU_WRITE), t[i].write_hit);
		assert_int_equal(counted(f, RSP_1, 4, PMU_WRITE), t[i].write_miss);
		/* one that reads and writes is a read */
		assert_int_equal(counted(f, RSP_1, 4, PMU_READ | PMU_WRITE), t[i].read_miss);
	}
}

static bool is_of_1(uint32_t event)
{
	return event == RSP_1 || event == 0x012b;
}

/* The other parts: the bits of their suppliers, the codes of their events. */
static void offcore_of_each(void **state)
{
	static const struct {
		enum fake_model model;
		uint32_t event;
		uint64_t miss, hit;
	} t[] = {
		{ LYNNFIELD, RSP_0, 0x4001, 0x0101 },
		{ SANDY_BRIDGE, RSP_1, 0x300400001, 0x1003c0001 },
		{ SKYLAKE_X, RSP_0, 0x104000001, 0x1003c0001 },
		{ ICE_LAKE, RSP_1, 0x184000001, 0x1003c0001 },
		{ SAPPHIRE_RAPIDS, 0x012a, 0x73c000001, 0x3f803c0001 },
		{ ARROW_LAKE, 0x012b, 0x1e780000001, 0x1e700000001 },
	};
	struct fake f;
	unsigned int i;

	for (i = 0; i < N(t); i++) {
		start(&f, t[i].model);
		wr(&f, OFFCORE_0, t[i].miss);
		if (t[i].model != LYNNFIELD)
			wr(&f, OFFCORE_1, t[i].miss);
		assert_int_equal(counted(&f, t[i].event, 4, PMU_READ), 1);
		wr(&f, is_of_1(t[i].event) ? OFFCORE_1 : OFFCORE_0, t[i].hit);
		assert_int_equal(counted(&f, t[i].event, 4, PMU_READ), 0);
		wr(&f, is_of_1(t[i].event) ? OFFCORE_1 : OFFCORE_0, 0);
		assert_int_equal(counted(&f, t[i].event, 4, PMU_READ), 0);
		stop(&f);
	}
	/* Sapphire Rapids has no event B7H, Skylake-X no 2AH, Lynnfield no BBH */
	start(&f, SAPPHIRE_RAPIDS);
	wr(&f, OFFCORE_0, 0x10001);
	assert_int_equal(counted(&f, RSP_0, 4, PMU_READ), 0);
	stop(&f);
	start(&f, SKYLAKE_X);
	wr(&f, OFFCORE_0, 0x10001);
	assert_int_equal(counted(&f, 0x012a, 4, PMU_READ), 0);
	stop(&f);
	start(&f, LYNNFIELD);
	wr(&f, OFFCORE_0, 0x4001);
	assert_int_equal(counted(&f, RSP_1, 4, PMU_READ), 0);
	stop(&f);
}

/* Arrow Lake's fake has two levels of cache: L2 is the last one. */
TEST_WITH(ARROW_LAKE, 2, 1, "hybrid", offcore_hybrid)
{
	wr(f, OFFCORE_0, 0x1e780000001);
	assert_int_equal(counted(f, 0x012a, 4, PMU_READ), 1);
	wr(f, OFFCORE_0, 0x1e700000001);
	assert_int_equal(counted(f, 0x012a, 4, PMU_READ), 0);
	/* memory without a snoop response */
	wr(f, OFFCORE_0, 0x80000001);
	assert_int_equal(counted(f, 0x012a, 4, PMU_READ), 0);
	wr(f, OFFCORE_0, 0x10001);
	assert_int_equal(counted(f, 0x012a, 4, PMU_READ), 1);
	f->c = pmu_get_cpu(f->pmu, 1);
	wr(f, OFFCORE_1, 0x184000001);
	assert_int_equal(counted(f, 0x02b7, 4, PMU_READ), 1);
	wr(f, OFFCORE_0, 0x10001);
	assert_int_equal(counted(f, 0x01b7, 4, PMU_READ), 1);
	assert_int_equal(counted(f, 0x012a, 4, PMU_READ), 0);
}

/* A write takes effect at once, on a running counter of either logical processor. */
TEST_WITH(LYNNFIELD, 2, 2, NULL, offcore_rewritten)
{
	struct pmu_cpu *other;

	other = pmu_get_cpu(f->pmu, 1);
	wr(f, OFFCORE_0, 0x4001);
	wr_on(other, GLOBAL_CTRL, 1);
	wr_on(other, IA32_PERFEVTSEL0, RSP_0 | USR | EN);
	data_on(other, 0x100000, 4, PMU_READ, true);
	pmu_retire_insn(other, PMU_USER, 0);
	wr(f, OFFCORE_0, 0x4002);
	data_on(other, 0x200000, 4, PMU_READ, true);
	pmu_retire_insn(other, PMU_USER, 0);
	assert_int_equal(rd_on(other, IA32_PMC0), 1);
	data_on(other, 0x300000, 4, PMU_WRITE, true);
	pmu_retire_insn(other, PMU_USER, 0);
	assert_int_equal(rd_on(other, IA32_PMC0), 2);
}

/* ---- load latency ---- */

TEST_ON(SKYLAKE_X, latency)
{
	/* threshold; loads of each level counted */
	static const struct {
		uint64_t threshold;
		unsigned int level[5];
	} t[] = {
		{ 0, { 0 } }, { 2, { 0 } },
		{ 3, { 0, 1, 1, 1, 1 } }, { 4, { 0, 0, 1, 1, 1 } }, { 11, { 0, 0, 1, 1, 1 } },
		{ 12, { 0, 0, 0, 1, 1 } }, { 39, { 0, 0, 0, 1, 1 } }, { 40, { 0, 0, 0, 0, 1 } },
		{ 199, { 0, 0, 0, 0, 1 } }, { 200, { 0 } }, { 0xffff, { 0 } },
	};
	unsigned int i, level;

	wr(f, OFFCORE_0, 0x10001);
	for (i = 0; i < N(t); i++) {
		wr(f, LD_LAT, t[i].threshold);
		count_on(f, 1, RSP_0 | USR);
		wr(f, GLOBAL_CTRL, 3);
		for (level = 1; level <= 4; level++) {
			wr(f, LD_LAT, 3);
			count_on(f, 0, LLC_REF | USR);
			wr(f, LD_LAT, t[i].threshold);
			assert_int_equal(counted(f, LOAD_LATENCY, level, PMU_READ),
					 t[i].level[level]);
			assert_int_equal(counted(f, LOAD_LATENCY, level, PMU_WRITE), 0);
		}
	}
}

/* An instruction counts once, by its slowest read; one that faults does not count. */
TEST_ON(SKYLAKE_X, latency_of_instruction)
{
	wr(f, GLOBAL_CTRL, 1);
	wr(f, LD_LAT, 40);
	count_on(f, 0, LOAD_LATENCY | USR);
	access(f, 0x100000, PMU_READ);
	assert_int_equal(rd(f, IA32_PMC0), 1);
	data(f, 0x200000, 4, PMU_READ);
	data(f, 0x100000, 4, PMU_READ);
	retire(f, PMU_USER);
	assert_int_equal(rd(f, IA32_PMC0), 2);
	data(f, 0x300000, 4, PMU_READ);
	pmu_abort(f->c);
	access(f, 0x300000, PMU_READ);
	retire(f, PMU_USER);
	assert_int_equal(rd(f, IA32_PMC0), 2);
	/* of the kernel; uncached */
	data(f, 0x400000, 4, PMU_READ);
	retire(f, PMU_KERNEL);
	assert_int_equal(rd(f, IA32_PMC0), 2);
	data_on(f->c, 0x500000, 4, PMU_READ, false);
	retire(f, PMU_USER);
	data_on(f->c, 0x500000, 4, PMU_WRITE, false);
	retire(f, PMU_USER);
	assert_int_equal(rd(f, IA32_PMC0), 3);
}

/* Count a load from memory by this event on each general counter. */
static void check_counters(struct fake *f, uint32_t event, unsigned int counters)
{
	static uint64_t fresh = 0x40000000;
	unsigned int k;

	for (k = 0; k < 10; k++) {
		if (pmu_check_rdmsr(f->c, IA32_PMC0 + k) != PMU_OK)
			continue;
		wr(f, GLOBAL_CTRL, BIT(k));
		count_on(f, k, event | USR);
		access(f, fresh += 0x1000000, PMU_READ);
		assert_int_equal(rd(f, IA32_PMC0 + k), counters >> k & 1);
		wr(f, IA32_PERFEVTSEL0 + k, 0);
	}
}

/* The column "Counter" of Intel's event files */
static void counters_of_each(void **state)
{
	static const struct {
		enum fake_model model;
		uint32_t event;
		unsigned int counters;
	} t[] = {
		{ LYNNFIELD, 0x100b, 0xf }, { SANDY_BRIDGE, LOAD_LATENCY, 0x8 },
		{ HASWELL, LOAD_LATENCY, 0x8 }, { BROADWELL, LOAD_LATENCY, 0xf },
		{ SKYLAKE_X, LOAD_LATENCY, 0xf }, { ICE_LAKE, LOAD_LATENCY, 0xff },
		{ SAPPHIRE_RAPIDS, LOAD_LATENCY, 0xfe }, { ARROW_LAKE, LOAD_LATENCY, 0x3fc },
		{ SKYLAKE_X, 0x100b, 0 },
		{ ICE_LAKE, RSP_0, 0xf }, { ICE_LAKE, ALL_LOADS, 0xf },
		{ TIGER_LAKE, ALL_LOADS, 0xf },
		{ SAPPHIRE_RAPIDS, 0x012a, 0xf }, { SAPPHIRE_RAPIDS, 0x012b, 0xf },
		{ SAPPHIRE_RAPIDS, ALL_LOADS, 0xf },
		{ ARROW_LAKE, 0x012a, 0x3ff }, { ARROW_LAKE, 0x012b, 0x3ff },
		{ ARROW_LAKE, ALL_LOADS, 0xf },
	};
	struct fake f;
	unsigned int i;

	for (i = 0; i < N(t); i++) {
		start(&f, t[i].model);
		wr(&f, LD_LAT, 3);
		if (t[i].event != LOAD_LATENCY && t[i].event != 0x100b) {
			wr(&f, OFFCORE_0, 0x10001);
			wr(&f, OFFCORE_1, 0x10001);
		}
		check_counters(&f, t[i].event, t[i].counters);
		stop(&f);
	}
	start_with(&f, ARROW_LAKE, 2, 1, "hybrid");
	f.c = pmu_get_cpu(f.pmu, 1);
	wr(&f, LD_LAT, 3);
	wr(&f, OFFCORE_0, 0x10001);
	check_counters(&f, 0x05d0, 0x3);
	check_counters(&f, RSP_0, 0xff);
	check_counters(&f, ALL_LOADS, 0xff);
	stop(&f);
}

/* A store, on the counters that count stores */
static void counters_of_stores(void **state)
{
	static const enum fake_model t[] = { ICE_LAKE, SAPPHIRE_RAPIDS, ARROW_LAKE };
	struct fake f;
	unsigned int i, k;

	for (i = 0; i < N(t); i++) {
		start(&f, t[i]);
		for (k = 0; k < 8; k++) {
			wr(&f, GLOBAL_CTRL, BIT(k));
			count_on(&f, k, ALL_STORES | USR);
			access(&f, 0x100000, PMU_WRITE);
			assert_int_equal(rd(&f, IA32_PMC0 + k), k < 4);
			wr(&f, IA32_PERFEVTSEL0 + k, 0);
		}
		stop(&f);
	}
}

/* ---- front end ---- */

static void code_at(struct fake *f, uint64_t addr)
{
	fetch(f, addr);
	retire(f, PMU_USER);
}

/* Two new lines, one of them again, one that has left L1 (8 ways). */
static uint64_t misses(struct fake *f, uint64_t selected)
{
	static uint64_t at = 0x10000000;
	unsigned int i;

	wr(f, FRONTEND, selected);
	wr(f, GLOBAL_CTRL, 3);
	count_on(f, 1, LLC_REF | USR);
	count_on(f, 0, FRONTEND_RETIRED | USR);
	at += 0x1000000;
	code_at(f, at);
	code_at(f, at + 0x40);
	code_at(f, at);
	code_at(f, at + 4);
	for (i = 1; i <= 8; i++)
		data(f, at + i * SAME_L1_SET, 4, PMU_READ);
	for (i = 1; i <= 8; i++)
		code_at(f, at + i * SAME_L1_SET);
	code_at(f, at);
	return rd(f, IA32_PMC0);
}

/* An event that the model lists, and that no value of MSR_PEBS_FRONTEND makes it count */
static void never_counted(enum fake_model model, uint32_t event)
{
	static const uint64_t values[] = { 0x1, 0x7, 0x8, 0x9, 0xb, 0xf, 0x12, 0x13 };
	static uint64_t fresh = 0x90000000;
	struct fake f;
	unsigned int i;

	start(&f, model);
	assert_non_null(pmu_part_event(f.pmu->part, event, 0));
	wr(&f, GLOBAL_CTRL, 1);
	count_on(&f, 0, event | USR);
	for (i = 0; i < N(values); i++) {
		wr(&f, FRONTEND, values[i]);
		code_at(&f, fresh += 0x1000000);
	}
	assert_int_equal(rd(&f, IA32_PMC0), 0);
	stop(&f);
}

static void frontend(void **state)
{
	struct fake f;

	start(&f, SKYLAKE_X);
	/* 2 new lines, 8 that data brought to L2, and the first again */
	assert_int_equal(misses(&f, 0x12), 11);
	assert_int_equal(misses(&f, 0x13), 2);
	assert_int_equal(misses(&f, 0), 0);
	assert_int_equal(misses(&f, 0x11), 0);
	assert_int_equal(misses(&f, 0x02), 0);
	assert_int_equal(misses(&f, 0x400106), 0);
	/* a fetch of an instruction that faults */
	wr(&f, FRONTEND, 0x12);
	count_on(&f, 0, FRONTEND_RETIRED | USR);
	fetch(&f, 0x77000000);
	pmu_abort(f.c);
	code_at(&f, 0x77000000);
	assert_int_equal(rd(&f, IA32_PMC0), 0);
	stop(&f);
	/* Lion Cove: C6H with unit mask 3 */
	start(&f, ARROW_LAKE);
	wr(&f, GLOBAL_CTRL, 1);
	wr(&f, FRONTEND, 0x12);
	count_on(&f, 0, 0x03c6 | USR);
	code_at(&f, 0x77000000);
	assert_int_equal(rd(&f, IA32_PMC0), 1);
	count_on(&f, 0, 0x01c6 | USR);
	code_at(&f, 0x78000000);
	assert_int_equal(rd(&f, IA32_PMC0), 0);
	stop(&f);
	never_counted(ARROW_LAKE, 0x02c6);
	never_counted(ARROW_LAKE, 0x40ad);
	never_counted(ARROW_LAKE, 0x04c2);
	never_counted(SAPPHIRE_RAPIDS, 0x40ad);
	never_counted(SAPPHIRE_RAPIDS, 0x04c2);
	/* Haswell has none */
	start(&f, HASWELL);
	count_on(&f, 0, FRONTEND_RETIRED | USR);
	code_at(&f, 0x77000000);
	assert_int_equal(rd(&f, IA32_PMC0), 0);
	stop(&f);
}

/* Code is a third type of request. */
TEST_ON(SKYLAKE_X, offcore_code)
{
	wr(f, OFFCORE_0, 0x10004);
	count_on(f, 0, RSP_0 | USR);
	code_at(f, 0x77000000);
	code_at(f, 0x77000001);
	access(f, 0x78000000, PMU_READ);
	assert_int_equal(rd(f, IA32_PMC0), 1);
	wr(f, OFFCORE_0, 0x10003);
	code_at(f, 0x79000000);
	assert_int_equal(rd(f, IA32_PMC0), 1);
}

#define T(f) cmocka_unit_test(f)

const struct CMUnitTest extra_register_tests[] = {
	T(registers), T(hybrid_registers), T(sharing), T(offcore_requests), T(offcore_of_each),
	T(offcore_hybrid), T(offcore_rewritten), T(offcore_code), T(latency),
	T(latency_of_instruction), T(counters_of_each), T(counters_of_stores),
	T(frontend),
};
const size_t extra_register_ntests = N(extra_register_tests);

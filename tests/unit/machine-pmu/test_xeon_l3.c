// SPDX-License-Identifier: GPL-2.0-only
/* Tests of counters 18 to 25 of the 64-bit Xeon MP with L3 */
#include <string.h>

#include "fake.h"

#define BUSQ0	0x107ccu
#define BUSQ1	0x107cdu
#define SNPQ0	0x107ceu
#define DRDY1	0x107d1u
#define CTL6	0x107d2u
#define CNTR7	0x107d3u

#define EVERYTHING	0x07ffffff00000000ull
#define SATURATE	BIT(59)
#define FAST		0x80000000u

static void access_on(struct pmu_cpu *c, unsigned int priv, uint64_t addr, bool cached)
{
	struct pmu_access a = {
		.linear = addr, .physical = addr, .size = 8, .access = PMU_READ,
		.page = { .cached = cached },
	};

	pmu_data(c, priv, &a);
	pmu_retire_insn(c, priv, 0);
}

static void load(struct fake *f, uint64_t addr)
{
	access_on(f->c, PMU_USER, addr, true);
}

/* Read n lines that are in no cache. */
static void miss(struct fake *f, unsigned int n)
{
	static uint64_t next = 1ull << 30;

	for (; n--; next += 64)
		load(f, next);
}

/* Models 3 and 4 with an L3 cache in CPUID, or with the option xeon_l3. */
static void which_processor(void **state)
{
	struct fake f;

	start(&f, XEON_L3);
	assert_string_equal(pmu_name(f.pmu), "NetBurst, 64-bit Xeon MP with L3");
	rd(&f, BUSQ0);
	rd(&f, CNTR7);
	stop(&f);
	start(&f, PRESCOTT);
	assert_string_equal(pmu_name(f.pmu), "NetBurst, Celeron D (Prescott)");
	stop(&f);
	start_with(&f, PRESCOTT, 1, 1, "xeon_l3");
	assert_string_equal(pmu_name(f.pmu), "NetBurst, 64-bit Xeon MP with L3");
	stop(&f);
	refused(WILLAMETTE, 1, 1, "xeon_l3", "p4_prescott_celeron_336");
	refused(SKYLAKE_X, 1, 1, "xeon_l3", "not model 3 or 4");
	refused(PRESCOTT, 1, 1, "xeon_l3=1", "bad value");
}

/* Without L3 or without counters the registers do not exist. */
static void absent(void **state)
{
	static const struct {
		enum fake_model model;
		const char *options;
	} t[] = {
		{ WILLAMETTE, NULL }, { PRESCOTT, NULL }, { XEON_L3, "none" },
	};
	struct fake f;
	uint32_t msr;
	unsigned int i, k;

	for (i = 0; i < N(t); i++) {
		start_with(&f, t[i].model, 1, 1, t[i].options);
		for (msr = BUSQ0; msr <= CNTR7; msr++) {
			rd_gp(&f, msr);
			wr_gp(&f, msr, 0);
		}
		for (k = 18; k < 26; k++) {
			assert_int_equal(pmu_check_rdpmc(f.c, k, 0, true, true), PMU_GP);
			assert_int_equal(pmu_check_rdpmc(f.c, k | FAST, 0, true, true),
					 PMU_GP);
		}
		stop(&f);
	}
}

/* Neighbouring MSRs do not belong to the PMU. */
TEST_ON(XEON_L3, neighbouring_msrs)
{
	no_msr(f, BUSQ0 - 1);
	no_msr(f, CNTR7 + 1);
}

TEST_ON(XEON_L3, reset_values)
{
	uint32_t msr;

	for (msr = BUSQ0; msr <= CNTR7; msr++) {
		assert_int_equal(rd(f, msr), 0);
		wr(f, msr, msr == CTL6 ? BIT(26) : 5);
	}
	pmu_reset(f->c, true);
	assert_int_equal(rd(f, SNPQ0), 5);
	pmu_reset(f->c, false);
	for (msr = BUSQ0; msr <= CNTR7; msr++)
		assert_int_equal(rd(f, msr), 0);
}

static uint64_t writable(uint32_t msr)
{
	if (msr == CNTR7)
		return ~0ull;
	return msr == CTL6 ? BIT(26) : EVERYTHING | SATURATE | 0xffffffff;
}

TEST_ON(XEON_L3, every_bit)
{
	unsigned int bit;
	uint32_t msr;

	for (msr = BUSQ0; msr <= CNTR7; msr++)
		for (bit = 0; bit < 64; bit++) {
			if (!(writable(msr) >> bit & 1)) {
				wr_gp(f, msr, BIT(bit));
				continue;
			}
			wr(f, msr, BIT(bit));
			assert_int_equal(rd(f, msr), BIT(bit));
		}
}

/* Bits 31:0 of each register, EDX 0, with and without bit 31 of ECX. */
TEST_ON(XEON_L3, rdpmc)
{
	unsigned int i;

	for (i = 0; i < 6; i++)
		wr(f, BUSQ0 + i, BIT(59) | (0xdeadbe00 + i));
	wr(f, CTL6, BIT(26));
	wr(f, CNTR7, 0x123456789abcdef0);
	for (i = 0; i < 8; i++) {
		uint64_t is = i < 6 ? 0xdeadbe00 + i : i == 6 ? BIT(26) : 0x9abcdef0;

		assert_int_equal(pmc(f, 18 + i), is);
		assert_int_equal(pmc(f, FAST | (18 + i)), is);
		assert_int_equal(pmu_check_rdpmc(f->c, 18 + i, 3, false, true), PMU_GP);
		assert_int_equal(pmu_check_rdpmc(f->c, 18 + i, 3, true, true), PMU_OK);
	}
	assert_int_equal(pmu_check_rdpmc(f->c, 26, 0, true, true), PMU_GP);
	assert_int_equal(pmu_check_rdpmc(f->c, FAST | 26, 0, true, true), PMU_GP);
	assert_int_equal(pmu_check_rdpmc(f->c, 0x40000012, 0, true, true), PMU_GP);
	/* the eighteen others keep their 40 bits */
	wr(f, 0x300 + 17, -1);
	assert_int_equal(pmc(f, 17), 0xffffffffff);
	assert_int_equal(pmc(f, FAST | 17), 0xffffffff);
}

/* IBUSQ counts what misses L2, in any privilege; the other events count nothing. */
TEST_ON(XEON_L3, counting)
{
	uint32_t msr;

	assert_int_equal(f->c->want, 0);
	for (msr = BUSQ0; msr < CTL6; msr++)
		wr(f, msr, EVERYTHING | 100);
	wr(f, CTL6, BIT(26));
	assert_int_equal(f->c->want, PMU_WANT_STEPS | PMU_WANT_CACHE);
	miss(f, 10);
	access_on(f->c, PMU_KERNEL, 1ull << 40, true);
	load(f, 1ull << 40);			/* hits L1 */
	access_on(f->c, PMU_USER, 1ull << 41, false);	/* never cached */
	assert_int_equal(rd(f, BUSQ0), EVERYTHING | 111);
	assert_int_equal(pmc(f, 19), 111);
	for (msr = SNPQ0; msr < CTL6; msr++)
		assert_int_equal(rd(f, msr), EVERYTHING | 100);
	assert_int_equal(rd(f, CNTR7), 0);
	wr(f, BUSQ0, 0);
	miss(f, 5);
	assert_int_equal(rd(f, BUSQ0), 0);
	assert_int_equal(pmc(f, 19), 116);
}

/* A line that was evicted from L2 is looked up in L3; L2 has 2048 sets of 8 ways. */
static void check_l2(struct fake *f)
{
	unsigned int i;

	wr(f, BUSQ0, EVERYTHING);
	for (i = 0; i < 9; i++)
		load(f, i * 2048ull * 64);
	assert_int_equal(pmc(f, 18), 9);
	load(f, 8 * 2048ull * 64);
	assert_int_equal(pmc(f, 18), 9);
	for (i = 1; i < 9; i++)
		load(f, i * 32ull * 64);	/* evicts L1 */
	load(f, 8 * 2048ull * 64);
	assert_int_equal(pmc(f, 18), 9 + 8);
	load(f, 0);
	assert_int_equal(pmc(f, 18), 9 + 8 + 1);
	stop(f);
}

static void l3_hit_after_l2_eviction(void **state)
{
	struct fake f;

	start(&f, XEON_L3);
	check_l2(&f);
	start_with(&f, PRESCOTT, 1, 1, "xeon_l3");
	check_l2(&f);
}

/* With one qualification bit clear the event is undocumented and counts nothing. */
TEST_ON(XEON_L3, qualification_bits)
{
	unsigned int bit;

	for (bit = 32; bit < 59; bit++) {
		wr(f, BUSQ0, EVERYTHING & ~BIT(bit));
		miss(f, 3);
		assert_int_equal(pmc(f, 18), 0);
	}
	wr(f, BUSQ0, SATURATE);
	miss(f, 3);
	assert_int_equal(pmc(f, 18), 0);
	assert_int_equal(f->c->want, 0);
}

/* A wrap has no interrupt and no flag. */
TEST_ON(XEON_L3, wrapping)
{
	wr(f, BUSQ0, EVERYTHING | 0xfffffffd);
	wr(f, BUSQ1, EVERYTHING | SATURATE | 0xfffffffd);
	miss(f, 2);
	assert_int_equal(pmc(f, 18), 0xffffffff);
	assert_int_equal(pmc(f, 19), 0xffffffff);
	miss(f, 5);
	assert_int_equal(rd(f, BUSQ0), EVERYTHING | 4);
	assert_int_equal(rd(f, BUSQ1), EVERYTHING | SATURATE | 0xffffffff);
	miss(f, 1);
	assert_int_equal(pmc(f, 19), 0xffffffff);
	wr(f, BUSQ1, EVERYTHING | SATURATE);
	miss(f, 1);
	assert_int_equal(pmc(f, 19), 1);
	assert_int_equal(f->pmis[0], 0);
}

/* Together with the eighteen others; their overflows do not change. */
TEST_ON(XEON_L3, together_with_18_counters)
{
	wr(f, 0x3b8, 2ull << 25 | 1 << 9 | 4);	/* instr_retired, user */
	wr(f, 0x30c, -10);
	wr(f, 0x36c, 0x04039000);		/* OVF_PMI, enabled */
	wr(f, BUSQ0, EVERYTHING | 0xfffffffe);
	miss(f, 11);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(rd(f, 0x30c), 1);
	assert_int_equal(rd(f, 0x36c), 0x84039000);
	assert_int_equal(pmc(f, 18), 9);
}

/* Each processor is a package. */
TEST_WITH(XEON_L3, 2, 1, NULL, two_processors)
{
	struct pmu_cpu *other;

	other = pmu_get_cpu(f->pmu, 1);
	wr(f, BUSQ0, EVERYTHING);
	wr_on(other, BUSQ1, EVERYTHING);
	miss(f, 3);
	access_on(other, PMU_USER, 1ull << 40, true);
	assert_int_equal(pmc(f, 18), 3);
	assert_int_equal(rd_on(other, BUSQ0), 0);
	assert_int_equal(rd_on(other, BUSQ1), EVERYTHING | 1);
}

static void leaf(const struct fake *f, uint32_t number, uint32_t subleaf,
		 uint32_t regs[4])
{
	regs[0] = 3;
	regs[1] = 0x1234;
	regs[2] = 0x5678;
	regs[3] = 0x003c7040;
	pmu_cpuid(f->c, number, subleaf, regs);
}

/* Size in bytes of the cache in this leaf 4. */
static uint64_t bytes(const uint32_t regs[4])
{
	return ((regs[1] >> 22) + 1ull) * ((regs[1] >> 12 & 0x3ff) + 1) *
	       ((regs[1] & 0xfff) + 1) * (regs[2] + 1ull);
}

TEST_WITH(PRESCOTT, 1, 1, "xeon_l3", cpuid)
{
	static const uint64_t sizes[] = { 16 << 10, 1 << 20, 8 << 20 };
	uint32_t regs[4];
	unsigned int i;

	leaf(f, 0, 0, regs);
	assert_int_equal(regs[0], 4);
	assert_int_equal(regs[1], 0x1234);
	leaf(f, 2, 0, regs);
	assert_int_equal(regs[3], 0x007c7047);
	leaf(f, 0x80000006, 0, regs);
	assert_int_equal(regs[2], 0x04006040);
	for (i = 0; i < 3; i++) {
		leaf(f, 4, i, regs);
		assert_int_equal(regs[0], (i ? 0x103 : 0x101) | (i + 1) << 5);
		assert_int_equal(bytes(regs), sizes[i]);
		assert_int_equal(regs[3], 0);
	}
	leaf(f, 4, 3, regs);
	assert_int_equal(regs[0], 0);
	/* otherwise the emulator's leaves */
	restart(f, XEON_L3);
	leaf(f, 0, 0, regs);
	assert_int_equal(regs[0], 3);
	leaf(f, 4, 0, regs);
	assert_int_equal(regs[2], 0x5678);
}

#define T(f) { "xeon_l3_" #f, f, NULL, NULL, NULL }

const struct CMUnitTest xeon_l3_tests[] = {
	T(which_processor), T(absent), T(neighbouring_msrs), T(reset_values), T(every_bit),
	T(rdpmc), T(counting), T(l3_hit_after_l2_eviction), T(qualification_bits), T(wrapping),
	T(together_with_18_counters), T(two_processors), T(cpuid),
};
const size_t xeon_l3_ntests = N(xeon_l3_tests);

// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the PMU model with two core types: Lion Cove and Skymont alternate */
#include <string.h>

#include "fake.h"

#define TEST_HYBRID(name) TEST_WITH(ARROW_LAKE, 4, 1, "hybrid", name)

static struct pmu_cpu *cpu(struct fake *f, unsigned int i)
{
	f->c = pmu_get_cpu(f->pmu, i);
	return f->c;
}

static void leaf(struct pmu_cpu *c, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
	memset(regs, 0, 16);
	pmu_cpuid(c, leaf, subleaf, regs);
}

TEST_HYBRID(cpuid_of_each_core_type)
{
	static const uint32_t kind[] = { 0x40000003, 0x20000003 };
	static const uint32_t counters[][2] = { { 0x3ff, 0xf }, { 0xff, 0x77 } };
	static const uint32_t events[] = { 0x1dff, 0x1f7f };
	uint32_t regs[4], common[4];
	unsigned int i;

	leaf(cpu(f, 0), 0xa, 0, common);
	for (i = 0; i < 4; i++) {
		leaf(cpu(f, i), 7, 0, regs);
		assert_int_equal(regs[3], BIT(15));
		leaf(f->c, 0x1a, 0, regs);
		assert_int_equal(regs[0], kind[i % 2]);
		leaf(f->c, 0x1a, 1, regs);
		assert_int_equal(regs[0], 0);
		leaf(f->c, 0x23, 1, regs);
		assert_memory_equal(regs, counters[i % 2], 8);
		leaf(f->c, 0x23, 3, regs);
		assert_int_equal(regs[0], events[i % 2]);
		leaf(f->c, 0xa, 0, regs);
		assert_memory_equal(regs, common, 16);
	}
	assert_non_null(strstr(pmu_name(f->pmu), "Lion Cove and Skymont"));
}

/* A hybrid part of which only the first core type runs. */
TEST_WITH(ARROW_LAKE, 2, 1, NULL, single_core_type)
{
	uint32_t regs[4];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		leaf(cpu(f, i), 7, 0, regs);
		assert_int_equal(regs[3], BIT(15));
		leaf(f->c, 0x1a, 0, regs);
		assert_int_equal(regs[0], 0x40000003);
	}
	restart(f, SAPPHIRE_RAPIDS);
	leaf(f->c, 7, 0, regs);
	assert_int_equal(regs[3], 0);
	leaf(f->c, 0x1a, 0, regs);
	assert_int_equal(regs[0], 0);
}

TEST_HYBRID(skymont_registers)
{
	const uint64_t all = 0x77000000ffull;
	unsigned int i;

	cpu(f, 1);
	assert_int_equal(rd(f, GLOBAL_CTRL), 0xff);
	for (i = 0; i < 64; i++)
		if (all >> i & 1)
			wr(f, GLOBAL_CTRL, BIT(i));
		else
			wr_gp(f, GLOBAL_CTRL, BIT(i));
	for (i = 0; i < 10; i++) {
		if (i < 8) {
			wr(f, PMC_GP(i), i);
			wr(f, IA32_PERFEVTSEL0 + i, 0);
			continue;
		}
		rd_gp(f, PMC_GP(i));
		rd_gp(f, IA32_PMC0 + i);
		rd_gp(f, IA32_A_PMC0 + i);
		rd_gp(f, IA32_PERFEVTSEL0 + i);
		rd_gp(f, PMC_GP_CFG_A(i));
	}
	for (i = 0; i < 16; i++) {
		if (0x77 >> i & 1) {
			wr(f, PMC_FX(i), 5 + i);
			assert_int_equal(rd(f, IA32_FIXED_CTR0 + i), 5 + i);
			assert_int_equal(pmc(f, 0x40000000 + i), 5 + i);
			wr(f, IA32_FIXED_CTR_CTRL, 0xbull << 4 * i);
			continue;
		}
		rd_gp(f, PMC_FX(i));
		rd_gp(f, IA32_FIXED_CTR0 + i);
		wr_gp(f, IA32_FIXED_CTR_CTRL, 1ull << 4 * i);
		assert_int_equal(pmu_check_rdpmc(f->c, 0x40000000 + i, 0, false, true), PMU_GP);
	}
	/* and the first core type still has its additional counter */
	wr(f, GLOBAL_CTRL, 0);
	cpu(f, 2);
	wr(f, PMC_FX(3), 1);
	wr(f, PMC_GP(9), 1);
	assert_int_equal(rd(f, GLOBAL_CTRL), 0x3ff);
}

static uint64_t count_branches(struct fake *f, unsigned int i, uint64_t event)
{
	struct pmu_cpu *c = cpu(f, i);

	wr(f, PMC_GP(0), 0);
	wr(f, PMC_GP_CFG_A(0), event | USR | EN);
	branch(c, PMU_USER, PMU_BR_COND_TAKEN);
	branch(c, PMU_USER, PMU_BR_COND_TAKEN);
	branch(c, PMU_USER, PMU_BR_CALL);
	branch(c, PMU_USER, PMU_BR_RET);
	run(c, PMU_USER, 3);
	wr(f, PMC_GP_CFG_A(0), 0);
	return rd(f, PMC_GP(0));
}

TEST_HYBRID(events_of_each_core_type)
{
	static const struct {
		uint64_t event, core, atom;
	} t[] = {
		{ INSNS, 7, 7 }, { CYCLES, 7, 7 }, { BRANCHES, 4, 4 },
		{ 0x02c4, 1, 0 }, { 0xf9c4, 0, 1 },	/* NEAR_CALL */
		{ 0x08c4, 1, 0 }, { 0xf7c4, 0, 1 },	/* NEAR_RETURN */
		{ 0x01c4 | UMASK2(1), 2, 0 }, { 0xfec4, 0, 2 },	/* COND_TAKEN */
		{ 0x20c4, 4, 0 }, { 0xc0c4, 0, 4 },	/* NEAR_TAKEN */
		{ SLOTS, 56, 0 }, { 0x02c2, 52, 52 }, { 0x019c, 4, 4 },
	};
	unsigned int i;

	for (i = 0; i < N(t); i++) {
		assert_int_equal(count_branches(f, 0, t[i].event), t[i].core);
		assert_int_equal(count_branches(f, 3, t[i].event), t[i].atom);
	}
}

TEST_HYBRID(skymont_fixed_counters)
{
	cpu(f, 1);
	wr(f, IA32_FIXED_CTR_CTRL, 0x2220222);
	wr(f, GLOBAL_CTRL, 0x7700000000);
	run(f->c, PMU_USER, 3);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	branch(f->c, PMU_USER, PMU_BR_CALL);
	assert_int_equal(rd(f, PMC_FX(0)), 5);
	assert_int_equal(rd(f, PMC_FX(1)), 5);
	assert_int_equal(rd(f, PMC_FX(2)), 5);
	assert_int_equal(rd(f, PMC_FX(4)), 0);
	assert_int_equal(rd(f, PMC_FX(5)), 2);
	assert_int_equal(rd(f, PMC_FX(6)), 38);
}

TEST_HYBRID(reset_keeps_core_type)
{
	uint32_t regs[4];

	pmu_reset(cpu(f, 1), false);
	leaf(f->c, 0x1a, 0, regs);
	assert_int_equal(regs[0], 0x20000003);
	rd_gp(f, PMC_GP(8));
}

/* Logical processors of a core have one core type. */
TEST_WITH(ARROW_LAKE, 4, 2, "hybrid", hybrid_threads)
{
	uint32_t regs[4];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		leaf(cpu(f, i), 0x1a, 0, regs);
		assert_int_equal(regs[0], i < 2 ? 0x40000003 : 0x20000003);
	}
}

TEST_WITH(ARROW_LAKE, 2, 1, "hybrid,holes=208", holes_in_both_core_types)
{
	uint32_t regs[4];

	leaf(cpu(f, 0), 0x23, 1, regs);
	assert_int_equal(regs[0], 0x1f7);
	leaf(cpu(f, 1), 0x23, 1, regs);
	assert_int_equal(regs[0], 0xf7);
}

TEST_WITH(ARROW_LAKE, 2, 1, "hybrid=18", second_core_type_width)
{
	static const unsigned int width[] = { 48, 18 };
	uint32_t regs[4];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		leaf(cpu(f, i), 0xa, 0, regs);
		assert_int_equal(regs[0] >> 16 & 0xff, width[i]);
		assert_int_equal(regs[3] >> 5 & 0xff, width[i]);
		wr(f, PMC_GP(0), BIT(width[i]) - 1);
		wr_gp(f, PMC_GP(0), BIT(width[i]));
		wr(f, PMC_FX(0), BIT(width[i]) - 1);
		wr_gp(f, PMC_FX(0), BIT(width[i]));
	}
}

static void hybrid_rejected(void **state)
{
	refused(SAPPHIRE_RAPIDS, 2, 1, "hybrid", "arrow_lake");
	refused(RYZEN, 2, 1, "hybrid", "single core type");
	refused(ARROW_LAKE, 1, 1, "hybrid", "--cpus 2");
	refused(ARROW_LAKE, 2, 2, "hybrid", "two cores");
	refused(ARROW_LAKE, 2, 1, "hybrid=15", "bad value");
	refused(ARROW_LAKE, 2, 1, "hybrid=", "bad value");
}

#define T(f) cmocka_unit_test(f)

const struct CMUnitTest hybrid_tests[] = {
	T(cpuid_of_each_core_type), T(single_core_type), T(skymont_registers),
	T(events_of_each_core_type), T(skymont_fixed_counters), T(reset_keeps_core_type),
	T(hybrid_threads), T(holes_in_both_core_types), T(second_core_type_width),
	T(hybrid_rejected),
};
const size_t hybrid_ntests = N(hybrid_tests);

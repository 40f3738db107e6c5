// SPDX-License-Identifier: GPL-2.0-only
/* Tests of version 6 of architectural performance monitoring */
#include <string.h>

#include "fake.h"

#define NGENERAL	10
#define NFIXED		4

static void leaf(struct fake *f, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
	memset(regs, 0xff, 16);
	pmu_cpuid(f->c, leaf, subleaf, regs);
}

static void assert_leaf(struct fake *f, uint32_t number, uint32_t subleaf, uint32_t eax,
			uint32_t ebx, uint32_t ecx)
{
	uint32_t regs[4];

	leaf(f, number, subleaf, regs);
	assert_int_equal(regs[0], eax);
	assert_int_equal(regs[1], ebx);
	assert_int_equal(regs[2], ecx);
	assert_int_equal(regs[3], 0);
}

TEST_ON(ARROW_LAKE, leaf_23)
{
	uint32_t regs[4] = { 0x20 };
	unsigned int i;

	pmu_cpuid(f->c, 0, 0, regs);
	assert_int_equal(regs[0], 0x23);
	assert_leaf(f, 0x21, 0, 0, 0, 0);
	assert_leaf(f, 0x22, 0, 0, 0, 0);
	assert_leaf(f, 0x23, 0, 0xb, 3, 8);
	assert_leaf(f, 0x23, 1, 0x3ff, 0xf, 0);
	assert_leaf(f, 0x23, 3, 0x1dff, 0, 0);
	for (i = 2; i < 10; i += i == 2 ? 2 : 1)
		assert_leaf(f, 0x23, i, 0, 0, 0);
	memset(regs, 0, sizeof(regs));
	pmu_cpuid(f->c, 7, 0, regs);
	assert_int_equal(regs[0], 1);
	pmu_cpuid(f->c, 7, 1, regs);
	assert_int_equal(regs[0], 1 | BIT(8));
	/* the emulator's last leaf is unchanged */
	leaf(f, 0x20, 0, regs);
	assert_int_equal(regs[0] & regs[3], ~0u);
}

/* Leaf 0AH is the emulator's, with fewer counters: those that Skymont has too. */
TEST_ON(ARROW_LAKE, leaf_0a_unchanged)
{
	uint32_t regs[4];

	leaf(f, 0xa, 0, regs);
	assert_int_equal(regs[0], 0x0d300806);
	assert_int_equal(regs[1], 0x280);
	assert_int_equal(regs[2], 7);
	assert_int_equal(regs[3], 0x8603);
}

TEST_WITH(ARROW_LAKE, 1, 1, "version=5", not_before_version_6)
{
	uint32_t regs[4] = { 0x20 };
	uint64_t value;
	unsigned int bit;

	pmu_cpuid(f->c, 0, 0, regs);
	assert_int_equal(regs[0], 0x20);
	memset(regs, 0, sizeof(regs));
	pmu_cpuid(f->c, 7, 1, regs);
	assert_int_equal(regs[0], 0);
	pmu_cpuid(f->c, 0x23, 0, regs);
	assert_int_equal(regs[0] | regs[1] | regs[2], 0);
	assert_int_equal(pmu_rdmsr(f->c, PMC_GP(0), &value), PMU_NONE);
	assert_int_equal(pmu_wrmsr(f->c, PMC_FX(0), 0), PMU_NONE);
	assert_int_equal(pmu_rdmsr(f->c, IA32_PMC0 + 8, &value), PMU_NONE);
	assert_int_equal(rd(f, GLOBAL_CTRL), 0xff);
	rd_gp(f, IA32_FIXED_CTR0 + 3);
	for (bit = 32; bit < 64; bit++)
		wr_gp(f, IA32_PERFEVTSEL0, BIT(bit));
}

TEST_ON(ARROW_LAKE, general_aliases)
{
	unsigned int i;

	for (i = 0; i < NGENERAL; i++) {
		wr(f, PMC_GP(i), 0x800000001000 + i);
		assert_int_equal(rd(f, IA32_PMC0 + i), 0x800000001000 + i);
		assert_int_equal(rd(f, IA32_A_PMC0 + i), 0x800000001000 + i);
		wr(f, IA32_A_PMC0 + i, 0x7fff00000000 + i);
		assert_int_equal(rd(f, PMC_GP(i)), 0x7fff00000000 + i);
		wr(f, IA32_PMC0 + i, 0x80000000);
		assert_int_equal(rd(f, PMC_GP(i)), 0xffff80000000);
		wr(f, PMC_GP_CFG_A(i), OS | INSNS | i << 8);
		assert_int_equal(rd(f, IA32_PERFEVTSEL0 + i), OS | INSNS | i << 8);
		wr(f, IA32_PERFEVTSEL0 + i, USR | CYCLES | i << 8);
		assert_int_equal(rd(f, PMC_GP_CFG_A(i)), USR | CYCLES | i << 8);
		wr_gp(f, PMC_GP(i), BIT(48));
		wr_gp(f, IA32_A_PMC0 + i, BIT(48));
	}
	for (i = 0; i < NGENERAL; i++)
		assert_int_equal(rd(f, PMC_GP_CFG_A(i)), USR | CYCLES | i << 8);
}

TEST_ON(ARROW_LAKE, fixed_aliases)
{
	unsigned int i;

	for (i = 0; i < NFIXED; i++) {
		wr(f, PMC_FX(i), 0x800000001000 + i);
		assert_int_equal(rd(f, IA32_FIXED_CTR0 + i), 0x800000001000 + i);
		wr(f, IA32_FIXED_CTR0 + i, 77 + i);
		wr_gp(f, PMC_FX(i), BIT(48));
	}
	for (i = 0; i < NFIXED; i++)
		assert_int_equal(rd(f, PMC_FX(i)), 77 + i);
}

static bool is_there(uint32_t msr)
{
	if (msr >= PMC_FX(0))
		return (msr - PMC_FX(0)) % 4 == 0 && (msr - PMC_FX(0)) / 4 < NFIXED;
	return (msr - PMC_GP(0)) % 4 < 2 && (msr - PMC_GP(0)) / 4 < NGENERAL;
}

/* Without reload and PEBS there is neither CFG_B nor CFG_C; fixed counters lack CFG_A. */
TEST_ON(ARROW_LAKE, msrs_1900_to_19bf)
{
	uint32_t msr;

	for (msr = 0x1900; msr < 0x19c0; msr++) {
		if (is_there(msr)) {
			rd(f, msr);
			wr(f, msr, 0);
			continue;
		}
		rd_gp(f, msr);
		wr_gp(f, msr, 0);
	}
	no_msr(f, 0x18ff);
	no_msr(f, 0x19c0);
	for (msr = IA32_PMC0 + NGENERAL; msr < IA32_PMC0 + 20; msr++)
		no_msr(f, msr);
	no_msr(f, IA32_PERFEVTSEL0 + NGENERAL);
}

TEST_ON(ARROW_LAKE, select_bits)
{
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		bool there = (bit < 32 && bit != 21) || bit == 36 || (bit >= 40 && bit < 48);
		uint64_t value = bit == 19 ? 0 : BIT(bit);

		if (!there) {
			wr_gp(f, IA32_PERFEVTSEL0 + 9, BIT(bit));
			wr_gp(f, PMC_GP_CFG_A(9), BIT(bit));
			continue;
		}
		wr(f, IA32_PERFEVTSEL0 + 9, BIT(bit));
		assert_int_equal(rd(f, PMC_GP_CFG_A(9)), value);
		wr(f, PMC_GP_CFG_A(9), 0);
		wr(f, PMC_GP_CFG_A(9), BIT(bit));
		assert_int_equal(rd(f, IA32_PERFEVTSEL0 + 9), value);
	}
}

TEST_ON(ARROW_LAKE, global_registers)
{
	const uint64_t all = 0x1000f000003ffull;
	unsigned int bit;

	assert_int_equal(rd(f, GLOBAL_CTRL), 0x3ff);
	for (bit = 0; bit < 64; bit++) {
		if (!(all >> bit & 1)) {
			wr_gp(f, GLOBAL_CTRL, BIT(bit));
			continue;
		}
		wr(f, GLOBAL_CTRL, BIT(bit));
		wr(f, GLOBAL_SET, BIT(bit));
		assert_int_equal(rd(f, GLOBAL_STATUS), BIT(bit));
		wr(f, GLOBAL_RESET, BIT(bit));
		assert_int_equal(rd(f, GLOBAL_STATUS), 0);
	}
	wr(f, GLOBAL_CTRL, all);
	assert_int_equal(rd(f, GLOBAL_CTRL), all);
	wr_gp(f, GLOBAL_SET, BIT(10));
	wr_gp(f, GLOBAL_SET, BIT(36));
	wr(f, IA32_FIXED_CTR_CTRL, 0xbbbb);
	wr_gp(f, IA32_FIXED_CTR_CTRL, 4);
	wr_gp(f, IA32_FIXED_CTR_CTRL, 0x10000);
	wr(f, IA32_PERFEVTSEL0 + 9, INSNS);
	assert_int_equal(rd(f, GLOBAL_INUSE), BIT(9) | 0xfull << 32 | BIT(63));
}

TEST_ON(ARROW_LAKE, rdpmc_indices)
{
	unsigned int i;

	for (i = 0; i < 70; i++) {
		assert_int_equal(pmu_check_rdpmc(f->c, i, 0, false, true),
				 i < NGENERAL ? PMU_OK : PMU_GP);
		assert_int_equal(pmu_check_rdpmc(f->c, 0x40000000 + i, 0, false, true),
				 i < NFIXED ? PMU_OK : PMU_GP);
	}
	wr(f, PMC_GP(9), 0x123456789abc);
	wr(f, PMC_FX(3), 0xba9876543210);
	assert_int_equal(pmc(f, 9), 0x123456789abc);
	assert_int_equal(pmc(f, 0x40000003), 0xba9876543210);
}

/* An added counter, programmed by the new addresses, up to its interrupt. */
TEST_ON(ARROW_LAKE, overflow_of_counter_9)
{
	wr(f, PMC_GP(9), BIT(48) - 3);
	wr(f, PMC_GP_CFG_A(9), INSNS | USR | INT | EN);
	run(f->c, PMU_USER, 2);
	assert_int_equal(rd(f, IA32_PMC0 + 9), BIT(48) - 1);
	assert_int_equal(f->pmis[0], 0);
	run(f->c, PMU_USER, 1);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(9));
	assert_int_equal(rd(f, PMC_GP(9)), 0);
}

/* A step fills all eight slots and meets CMASK 8. */
static uint64_t slots(struct fake *f, uint64_t how)
{
	wr(f, PMC_GP(2), 0);
	wr(f, PMC_GP_CFG_A(2), SLOTS | USR | EN | how);
	run(f->c, PMU_USER, 5);
	wr(f, PMC_GP_CFG_A(2), 0);
	return rd(f, PMC_GP(2));
}

TEST_ON(ARROW_LAKE, eq_comparison)
{
	assert_int_equal(slots(f, 0), 40);
	assert_int_equal(slots(f, CMASK(7)), 5);
	assert_int_equal(slots(f, CMASK(7) | EQ), 0);
	assert_int_equal(slots(f, CMASK(8) | EQ), 5);
	assert_int_equal(slots(f, CMASK(9) | EQ), 0);
	assert_int_equal(slots(f, CMASK(7) | EQ | INV), 5);
	assert_int_equal(slots(f, CMASK(8) | EQ | INV), 0);
	assert_int_equal(slots(f, CMASK(9) | EQ | INV), 5);
	assert_int_equal(slots(f, CMASK(9) | INV), 5);
	assert_int_equal(slots(f, CMASK(8) | EQ | EDGE), 1);
	/* without CMASK there is no comparison */
	assert_int_equal(slots(f, EQ), 40);
	assert_int_equal(slots(f, EQ | INV), 40);
	assert_int_equal(slots(f, EQ | EDGE), 1);
}

static void conditional(struct fake *f, uint64_t from, uint64_t to)
{
	pmu_branch(f->c, PMU_USER, PMU_BR_COND_TAKEN, from, to);
	pmu_retire(f->c, PMU_USER);
}

/* Three forward, two backward (one to itself), one not taken. */
static uint64_t branches(struct fake *f, uint64_t event)
{
	wr(f, PMC_GP(1), 0);
	wr(f, PMC_GP_CFG_A(1), event | USR | EN);
	conditional(f, 0x1000, 0x1001);
	conditional(f, 0x1000, 0x2000);
	conditional(f, 0x1000, 0x2000);
	conditional(f, 0x1000, 0x0fff);
	conditional(f, 0x1000, 0x1000);
	branch(f->c, PMU_USER, PMU_BR_COND_NTAKEN);
	wr(f, PMC_GP_CFG_A(1), 0);
	return rd(f, PMC_GP(1));
}

TEST_ON(ARROW_LAKE, unit_mask_2)
{
	assert_int_equal(branches(f, 0xc4), 6);
	assert_int_equal(branches(f, 0xc4 | UMASK2(1)), 3);
	assert_int_equal(branches(f, 0x01c4), 2);
	assert_int_equal(branches(f, 0x01c4 | UMASK2(1)), 5);
	assert_int_equal(branches(f, 0x11c4 | UMASK2(1)), 6);
	/* every bit of it is significant */
	assert_int_equal(branches(f, 0x01c4 | UMASK2(0x81)), 0);
	assert_int_equal(branches(f, 0x01c4 | UMASK2(3)), 0);
	assert_int_equal(branches(f, INSNS | UMASK2(1)), 0);
	assert_int_equal(branches(f, INSNS), 6);
}

TEST_ON(ARROW_LAKE, topdown)
{
	static const struct {
		uint64_t event;
		uint64_t count;
	} events[] = {
		{ 0x01a4, 40 }, { 0x02c2, 38 }, { 0x02a4, 0 }, { 0x0073, 0 },
		{ 0x019c, 2 }, { 0x01e4, 0 },
	};
	unsigned int i;

	for (i = 0; i < 6; i++)
		count_on(f, i, events[i].event | USR);
	wr(f, IA32_FIXED_CTR_CTRL, 0x2222);
	wr(f, GLOBAL_CTRL, 0xf000003ff);
	run(f->c, PMU_USER, 2);
	branch(f->c, PMU_USER, PMU_BR_RET);
	branch(f->c, PMU_USER, PMU_BR_COND_NTAKEN);
	branch(f->c, PMU_USER, PMU_BR_FAR);
	for (i = 0; i < 6; i++)
		assert_int_equal(pmc(f, i), events[i].count);
	assert_int_equal(rd(f, PMC_FX(0)), 5);
	assert_int_equal(rd(f, PMC_FX(1)), 5);
	assert_int_equal(rd(f, PMC_FX(2)), 5);
	assert_int_equal(rd(f, PMC_FX(3)), 40);
}

TEST_WITH(ARROW_LAKE, 1, 1, "holes=0x104", holes_in_general_counters)
{
	uint32_t regs[4];
	unsigned int i;

	assert_leaf(f, 0x23, 1, 0x2fb, 0xf, 0);
	leaf(f, 0xa, 0, regs);
	assert_int_equal(regs[0], 0x0d300206);
	assert_int_equal(rd(f, GLOBAL_CTRL), 0x2fb);
	for (i = 0; i < NGENERAL; i++) {
		if (i != 2 && i != 8) {
			wr(f, PMC_GP(i), i);
			assert_int_equal(pmc(f, i), i);
			continue;
		}
		rd_gp(f, IA32_PMC0 + i);
		rd_gp(f, IA32_A_PMC0 + i);
		rd_gp(f, IA32_PERFEVTSEL0 + i);
		rd_gp(f, PMC_GP(i));
		rd_gp(f, PMC_GP_CFG_A(i));
		wr_gp(f, GLOBAL_CTRL, BIT(i));
		wr_gp(f, GLOBAL_SET, BIT(i));
		assert_int_equal(pmu_check_rdpmc(f->c, i, 0, false, true), PMU_GP);
	}
	/* a hole above the counters of leaf 0AH */
	restart_with(f, ARROW_LAKE, 1, 1, "holes=200");
	leaf(f, 0xa, 0, regs);
	assert_int_equal(regs[0], 0x0d300806);
	assert_leaf(f, 0x23, 1, 0x1ff, 0xf, 0);
}

static void holes_rejected(void **state)
{
	refused(ARROW_LAKE, 1, 1, "holes=1", "counter 0");
	refused(ARROW_LAKE, 1, 1, "holes=400", "counters 3ff");
	refused(ARROW_LAKE, 1, 1, "holes=4,version=5", "has no version 6");
	refused(ARROW_LAKE, 1, 1, "holes=100000004", "bad value");
	refused(ARROW_LAKE, 1, 1, "holes=4x", "bad value");
	refused(RYZEN, 1, 1, "holes=4", "holes");
}

static bool is_older(uint32_t msr)
{
	return (msr >= IA32_PMC0 && msr < IA32_PMC0 + NGENERAL) ||
	       (msr >= IA32_A_PMC0 && msr < IA32_A_PMC0 + NGENERAL) ||
	       (msr >= IA32_PERFEVTSEL0 && msr < IA32_PERFEVTSEL0 + NGENERAL) ||
	       (msr >= IA32_FIXED_CTR0 && msr < IA32_FIXED_CTR0 + NFIXED);
}

/* With the option the older addresses fault; all other registers are as without it. */
static void new_addresses_alone(void **state)
{
	struct fake with, without;
	uint32_t msr;

	start(&without, ARROW_LAKE);
	start_with(&with, ARROW_LAKE, 1, 1, "new_addresses");
	for (msr = 0; msr < 0x2000; msr++) {
		if (is_older(msr)) {
			assert_int_equal(pmu_check_rdmsr(without.c, msr), PMU_OK);
			assert_int_equal(pmu_wrmsr(without.c, msr, 0), PMU_OK);
			rd_gp(&with, msr);
			wr_gp(&with, msr, 0);
			continue;
		}
		assert_int_equal(pmu_check_rdmsr(with.c, msr),
				 pmu_check_rdmsr(without.c, msr));
		assert_int_equal(pmu_wrmsr(with.c, msr, 0), pmu_wrmsr(without.c, msr, 0));
	}
	stop(&without);
	wr(&with, GLOBAL_CTRL, 0x1000003ff);
	wr(&with, PMC_GP(9), 7);
	wr(&with, PMC_FX(0), 8);
	wr(&with, PMC_GP_CFG_A(9), INSNS | USR | EN);
	wr(&with, IA32_FIXED_CTR_CTRL, 2);
	run(with.c, PMU_USER, 5);
	assert_int_equal(rd(&with, PMC_GP(9)), 12);
	assert_int_equal(rd(&with, PMC_FX(0)), 13);
	assert_int_equal(pmc(&with, 9), 12);
	stop(&with);
}

static void new_addresses_rejected(void **state)
{
	refused(ARROW_LAKE, 1, 1, "new_addresses,version=5", "has no version 6");
	refused(ARROW_LAKE, 1, 1, "new_addresses=1", "bad value");
	refused(RYZEN, 1, 1, "new_addresses", "new_addresses");
}

/* For an unknown part leaf 0AH is the only source. */
TEST_ON(NEWER, unknown_part)
{
	uint32_t regs[4];
	unsigned int i;

	assert_leaf(f, 0x23, 1, 0x3ff, 0x1f, 0);
	assert_leaf(f, 0x23, 3, 0x1dff, 0, 0);
	memset(regs, 0, sizeof(regs));
	pmu_cpuid(f->c, 7, 0, regs);
	assert_int_equal(regs[3], 0);
	for (i = 0; i < 10; i++) {
		wr(f, PMC_GP(i), BIT(47) + i);
		assert_int_equal(rd(f, IA32_PMC0 + i), BIT(47) + i);
	}
	wr(f, PMC_FX(4), 5);
	rd_gp(f, PMC_FX(5));
	assert_int_equal(rd(f, GLOBAL_CTRL), 0x3ff);
	restart_with(f, NEWER, 1, 1, "holes=2");
	assert_leaf(f, 0x23, 1, 0x3fd, 0x1f, 0);
}

TEST_WITH(ARROW_LAKE, 1, 1, "none", option_none_in_version_6)
{
	uint32_t msr;

	for (msr = 0x1900; msr < 0x19c0; msr++)
		rd_gp(f, msr);
	rd_gp(f, IA32_PMC0 + 9);
}

#define T(f) cmocka_unit_test(f)

const struct CMUnitTest version_6_tests[] = {
	T(leaf_23), T(leaf_0a_unchanged), T(not_before_version_6), T(general_aliases),
	T(fixed_aliases), T(msrs_1900_to_19bf), T(select_bits), T(global_registers),
	T(rdpmc_indices), T(overflow_of_counter_9), T(eq_comparison), T(unit_mask_2),
	T(topdown), T(holes_in_general_counters), T(holes_rejected), T(new_addresses_alone),
	T(new_addresses_rejected), T(unknown_part), T(option_none_in_version_6),
};
const size_t version_6_ntests = N(version_6_tests);

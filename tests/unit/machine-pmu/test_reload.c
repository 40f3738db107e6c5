// SPDX-License-Identifier: GPL-2.0-only
/* Tests of auto counter reload, the option acr */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"

#define GP_CFG_B(n)	(PMC_GP(n) + 2)
#define GP_CFG_C(n)	(PMC_GP(n) + 3)
#define FX_CFG_B(n)	(PMC_FX(n) + 2)
#define FX_CFG_C(n)	(PMC_FX(n) + 3)

/* General counters 2 to 7, fixed counters 0 and 1. */
#define RELOADABLE	0x3000000fcull
#define FX(n)		BIT(32 + (n))

#define TEST_ACR(name) TEST_WITH(ARROW_LAKE, 1, 1, "acr", name)

/* General counter i counts user instructions from this value on. */
static void count_from(struct fake *f, unsigned int i, uint64_t value, uint64_t how)
{
	wr(f, PMC_GP(i), value & 0xffffffffffff);
	wr(f, PMC_GP_CFG_A(i), INSNS | USR | EN | how);
}

static void reload(struct fake *f, unsigned int i, uint64_t causes, uint32_t value)
{
	wr(f, GP_CFG_B(i), causes);
	wr(f, GP_CFG_C(i), value);
}

static void assert_leaf(struct pmu_cpu *c, uint32_t subleaf, uint32_t eax, uint32_t ebx,
			uint32_t ecx, uint32_t edx)
{
	uint32_t regs[4] = { ~0u, ~0u, ~0u, ~0u };

	pmu_cpuid(c, 0x23, subleaf, regs);
	assert_int_equal(regs[0], eax);
	assert_int_equal(regs[1], ebx);
	assert_int_equal(regs[2], ecx);
	assert_int_equal(regs[3], edx);
}

TEST_ACR(leaf_23)
{
	unsigned int i;

	assert_leaf(f->c, 0, 0xf, 3, 8, 0);
	assert_leaf(f->c, 1, 0x3ff, 0xf, 0, 0);
	assert_leaf(f->c, 2, 0xfc, 3, 0xfc, 3);
	assert_leaf(f->c, 3, 0x1dff, 0, 0, 0);
	for (i = 4; i < 8; i++)
		assert_leaf(f->c, i, 0, 0, 0, 0);
	/* the reloadable counters and the causes can differ */
	restart_with(f, ARROW_LAKE, 1, 1, "acr=800000201");
	assert_leaf(f->c, 2, 0xfc, 3, 0x201, 8);
	restart_with(f, ARROW_LAKE, 1, 1, "acr,holes=208");
	assert_leaf(f->c, 2, 0xf4, 3, 0xf4, 3);
	/* an unknown part */
	restart_with(f, NEWER, 1, 1, "acr");
	assert_leaf(f->c, 2, 0xfc, 3, 0xfc, 3);
}

TEST_WITH(ARROW_LAKE, 2, 1, "hybrid,acr=58000003ff", leaf_23_of_each_core_type)
{
	assert_leaf(pmu_get_cpu(f->pmu, 0), 2, 0xfc, 3, 0x3ff, 8);
	assert_leaf(pmu_get_cpu(f->pmu, 1), 2, 0xfc, 3, 0xff, 0x50);
}

/* Writable bits of the register at this address, 0 if it does not exist. */
static uint64_t bits_of(uint32_t msr)
{
	bool fixed = msr >= PMC_FX(0);
	unsigned int bit = fixed ? 32 + (msr - PMC_FX(0)) / 4 : (msr - PMC_GP(0)) / 4;

	if (bit >= 48 || !(RELOADABLE >> bit & 1) || msr % 4 < 2)
		return 0;
	return msr % 4 == 2 ? RELOADABLE : 0xffffffff;
}

/* CTR and CFG_A exist without the option too. */
static bool is_counter(uint32_t msr)
{
	if (msr >= PMC_FX(0))
		return msr % 4 == 0 && msr < PMC_FX(4);
	return msr % 4 < 2 && msr < PMC_GP(10);
}

TEST_ACR(reload_registers)
{
	unsigned int bit, n = 0;
	uint32_t msr;

	for (msr = 0x1900; msr < 0x19c0; msr++) {
		if (!bits_of(msr)) {
			if (is_counter(msr))
				continue;
			rd_gp(f, msr);
			wr_gp(f, msr, 0);
			continue;
		}
		n++;
		assert_int_equal(rd(f, msr), 0);
		for (bit = 0; bit < 64; bit++) {
			if (!(bits_of(msr) >> bit & 1)) {
				wr_gp(f, msr, BIT(bit));
				continue;
			}
			wr(f, msr, BIT(bit));
			assert_int_equal(rd(f, msr), BIT(bit));
		}
		wr(f, msr, bits_of(msr));
		assert_int_equal(rd(f, msr), bits_of(msr));
		wr(f, msr, 0);
	}
	assert_int_equal(n, 16);
}

TEST_WITH(ARROW_LAKE, 2, 1, "acr", reload_registers_are_distinct)
{
	uint32_t msr;

	for (msr = 0x1900; msr < 0x19c0; msr++)
		if (bits_of(msr))
			wr(f, msr, ((msr & 0xff) << 2 | BIT(32)) & bits_of(msr));
	for (msr = 0x1900; msr < 0x19c0; msr++) {
		if (!bits_of(msr))
			continue;
		assert_int_equal(rd(f, msr), ((msr & 0xff) << 2 | BIT(32)) & bits_of(msr));
		assert_int_equal(rd_on(pmu_get_cpu(f->pmu, 1), msr), 0);
	}
	assert_int_equal(rd(f, PMC_GP(2)) | rd(f, PMC_GP_CFG_A(2)) | rd(f, PMC_FX(1)), 0);
	pmu_reset(f->c, true);
	assert_int_equal(rd(f, GP_CFG_C(2)), 0xb << 2);
	pmu_reset(f->c, false);
	for (msr = 0x1900; msr < 0x19c0; msr++)
		if (bits_of(msr))
			assert_int_equal(rd(f, msr), 0);
}

TEST_WITH(ARROW_LAKE, 1, 1, "acr=800000201", cfg_b_bits_match_leaf_23)
{
	const uint64_t causes = 0x800000201;
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		if (!(causes >> bit & 1)) {
			wr_gp(f, GP_CFG_B(7), BIT(bit));
			wr_gp(f, FX_CFG_B(1), BIT(bit));
			continue;
		}
		wr(f, GP_CFG_B(7), BIT(bit));
		wr(f, FX_CFG_B(1), BIT(bit));
	}
	rd_gp(f, GP_CFG_B(0));
	rd_gp(f, GP_CFG_C(9));
	rd_gp(f, FX_CFG_B(3));
	rd_gp(f, FX_CFG_C(2));
}

TEST_ACR(reload_on_overflow_step)
{
	count_from(f, 2, -10, INT);
	count_from(f, 3, 1000, INT);
	count_from(f, 4, 2000, INT);
	reload(f, 3, BIT(2), -500);
	wr(f, GLOBAL_CTRL, 0x1c);
	run(f->c, PMU_USER, 9);
	assert_int_equal(pmc(f, 2), BIT(48) - 1);
	assert_int_equal(pmc(f, 3), 1009);
	assert_int_equal(f->pmis[0], 0);
	run(f->c, PMU_USER, 1);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(pmc(f, 2), 0);
	assert_int_equal(pmc(f, 3), BIT(48) - 500);
	assert_int_equal(pmc(f, 4), 2010);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(2));
	run(f->c, PMU_USER, 499);
	assert_int_equal(pmc(f, 3), BIT(48) - 1);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(2));
	/* and the reloaded counter overflows itself, which reloads no counter */
	run(f->c, PMU_USER, 1);
	assert_int_equal(pmc(f, 3), 0);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(2) | BIT(3));
	assert_int_equal(f->pmis[0], 2);
}

static void reload_each(struct fake *f, unsigned int period, uint64_t how)
{
	unsigned int i;

	start_with(f, ARROW_LAKE, 1, 1, "acr");
	wr(f, GLOBAL_CTRL, 0);
	count_from(f, 5, -(uint64_t)period, OS | how);
	reload(f, 5, BIT(5), -period);
	wr(f, GLOBAL_CTRL, BIT(5));
	for (i = 0; i < 20 * period + 1; i++)
		run(f->c, i % 3 ? PMU_USER : PMU_KERNEL, 1);
	assert_int_equal(pmc(f, 5), BIT(48) - period + (period > 1));
	assert_int_equal(rd(f, GLOBAL_STATUS), 0);
	stop(f);
}

/* Without register accesses and interrupts, reloads still happen on their steps. */
static void reload_without_access(void **state)
{
	struct fake f;
	unsigned int period;

	for (period = 1; period < 30; period++) {
		reload_each(&f, period, INT);
		assert_int_equal(f.pmis[0], 20 + (period == 1));
		reload_each(&f, period, 0);
		assert_int_equal(f.pmis[0], 0);
	}
}

/* The overflow bit stays clear when a counter reloads itself, not when another reloads it. */
TEST_ACR(self_reload_overflow_bit)
{
	count_from(f, 6, -3, INT);
	reload(f, 6, BIT(6) | BIT(7), -3);
	run(f->c, PMU_USER, 3);
	assert_int_equal(rd(f, GLOBAL_STATUS), 0);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(pmc(f, 6), BIT(48) - 3);
	wr(f, GP_CFG_B(6), BIT(7));
	run(f->c, PMU_USER, 3);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(6));
	assert_int_equal(f->pmis[0], 2);
	assert_int_equal(pmc(f, 6), 0);
	/* a bit that is set stays set */
	wr(f, GP_CFG_B(6), BIT(6));
	wr(f, PMC_GP(6), BIT(48) - 1);
	run(f->c, PMU_USER, 1);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(6));
	/* without INT there is no sign of it */
	wr(f, GLOBAL_RESET, BIT(6));
	wr(f, PMC_GP_CFG_A(6), INSNS | USR | EN);
	wr(f, PMC_GP(6), BIT(48) - 1);
	run(f->c, PMU_USER, 1);
	assert_int_equal(f->pmis[0], 3);
	assert_int_equal(rd(f, GLOBAL_STATUS), 0);
}

/*
 * The use of the feature: an interrupt if more than one instruction in ten is a branch.
 * Branches reload the counter of instructions, themselves and the counter of branches.
 */
static unsigned int rate(struct fake *f, unsigned int one_in)
{
	unsigned int i;

	start_with(f, ARROW_LAKE, 1, 1, "acr");
	count_from(f, 2, -20, INT);
	wr(f, PMC_GP_CFG_A(2), BRANCHES | USR | EN | INT);
	count_from(f, 3, -200, 0);
	reload(f, 2, BIT(3), -20);
	reload(f, 3, BIT(2) | BIT(3), -200);
	for (i = 1; i <= 1000; i++) {
		if (i % one_in)
			run(f->c, PMU_USER, 1);
		else
			branch(f->c, PMU_USER, PMU_BR_COND_TAKEN);
		/* a sample starts a new whole period */
		if (rd(f, GLOBAL_STATUS)) {
			assert_int_equal(rd(f, GLOBAL_STATUS), BIT(2));
			assert_int_equal(pmc(f, 2), 0);
			assert_int_equal(pmc(f, 3), BIT(48) - 200);
			wr(f, PMC_GP(2), BIT(48) - 20);
			wr(f, GLOBAL_RESET, BIT(2));
		}
	}
	stop(f);
	return f->pmis[0];
}

static void branch_rate(void **state)
{
	struct fake f;

	assert_int_equal(rate(&f, 11), 0);
	assert_int_equal(rate(&f, 9), 5);
	assert_int_equal(rate(&f, 5), 10);
}

TEST_ACR(fixed_and_general)
{
	wr(f, IA32_FIXED_CTR_CTRL, 0xaa2);
	wr(f, PMC_FX(0), 100);
	wr(f, PMC_FX(1), BIT(48) - 5);
	wr(f, PMC_FX(2), BIT(48) - 7);
	count_from(f, 2, 0, 0);
	count_from(f, 7, 0, 0);
	wr(f, FX_CFG_B(0), FX(1));
	wr(f, FX_CFG_C(0), 0xfffffff0);
	wr(f, FX_CFG_B(1), BIT(2));
	wr(f, FX_CFG_C(1), 0xffffffe0);
	reload(f, 2, FX(0), -0x30);
	reload(f, 7, FX(1), -0x40);
	wr(f, GLOBAL_CTRL, 0x700000084);
	run(f->c, PMU_USER, 5);
	assert_int_equal(pmc(f, 0x40000000), BIT(48) - 0x10);
	assert_int_equal(pmc(f, 0x40000001), 0);
	assert_int_equal(pmc(f, 2), 5);
	assert_int_equal(pmc(f, 7), BIT(48) - 0x40);
	assert_int_equal(rd(f, GLOBAL_STATUS), FX(1));
	/* fixed counter 2 reloads no counter; then 0 reloads general counter 2 */
	run(f->c, PMU_USER, 15);
	assert_int_equal(pmc(f, 2), 20);
	assert_int_equal(pmc(f, 0x40000002), 13);
	assert_int_equal(rd(f, GLOBAL_STATUS), FX(1) | FX(2));
	run(f->c, PMU_USER, 1);
	assert_int_equal(rd(f, GLOBAL_STATUS), FX(0) | FX(1) | FX(2));
	assert_int_equal(pmc(f, 0x40000000), 0);
	assert_int_equal(pmc(f, 0x40000001), 16);
	assert_int_equal(pmc(f, 2), BIT(48) - 0x30);
	/* which reloads fixed counter 1 */
	run(f->c, PMU_USER, 0x30);
	assert_int_equal(pmc(f, 0x40000001), BIT(48) - 0x20);
}

/* Fixed counter 0 reloads itself: no overflow bit either. */
TEST_ACR(fixed_counter_reloads_itself)
{
	wr(f, IA32_FIXED_CTR_CTRL, 0xa);
	wr(f, PMC_FX(0), BIT(48) - 4);
	wr(f, FX_CFG_B(0), FX(0));
	wr(f, FX_CFG_C(0), (uint32_t)-4);
	wr(f, GLOBAL_CTRL, FX(0));
	run(f->c, PMU_USER, 41);
	assert_int_equal(f->pmis[0], 10);
	assert_int_equal(pmc(f, 0x40000000), BIT(48) - 3);
	assert_int_equal(rd(f, GLOBAL_STATUS), 0);
}

/* Eight slots a step exceed the wrap: the reloaded value is exactly CFG_C. */
TEST_ACR(reload_discards_remainder)
{
	count_from(f, 2, -13, 0);
	wr(f, PMC_GP_CFG_A(2), SLOTS | USR | EN);
	reload(f, 2, BIT(2), -100);
	count_from(f, 3, -13, 0);
	wr(f, PMC_GP_CFG_A(3), SLOTS | USR | EN);
	run(f->c, PMU_USER, 2);
	assert_int_equal(pmc(f, 2), BIT(48) - 100);
	assert_int_equal(pmc(f, 3), 3);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(3));
}

/* Each is reloaded by a counter before it, after it, or both. */
TEST_ACR(several_reloads_on_one_step)
{
	count_from(f, 2, -4, INT);
	count_from(f, 3, -4, INT);
	count_from(f, 4, -4, INT);
	count_from(f, 5, -4, INT);
	reload(f, 2, BIT(4), -40);
	reload(f, 3, BIT(2) | BIT(4), -50);
	reload(f, 5, BIT(2), -60);
	run(f->c, PMU_USER, 4);
	assert_int_equal(pmc(f, 2), BIT(48) - 40);
	assert_int_equal(pmc(f, 3), BIT(48) - 50);
	assert_int_equal(pmc(f, 4), 0);
	assert_int_equal(pmc(f, 5), BIT(48) - 60);
	assert_int_equal(rd(f, GLOBAL_STATUS), 0x3c);
	assert_int_equal(f->pmis[0], 1);
}

TEST_ACR(only_overflows_reload)
{
	wr(f, PMC_GP(3), 7);
	reload(f, 3, BIT(2), -9);
	/* no reload by a status bit, by a write, or by an overflow of another counter */
	wr(f, GLOBAL_SET, BIT(2));
	wr(f, PMC_GP(2), 0);
	count_from(f, 8, -1, 0);
	count_from(f, 4, -1, 0);
	run(f->c, PMU_USER, 1);
	assert_int_equal(pmc(f, 3), 7);
	/* a disabled counter is reloaded too */
	count_from(f, 2, -1, 0);
	run(f->c, PMU_USER, 1);
	assert_int_equal(pmc(f, 3), BIT(48) - 9);
	/* with the current value of CFG_C */
	wr(f, PMC_GP(2), BIT(48) - 1);
	wr(f, GP_CFG_C(3), 0xfffff000);
	assert_int_equal(pmc(f, 3), BIT(48) - 9);
	run(f->c, PMU_USER, 1);
	assert_int_equal(pmc(f, 3), BIT(48) - 0x1000);
	/* no causes, no reload */
	wr(f, GP_CFG_B(3), 0);
	wr(f, PMC_GP(2), BIT(48) - 1);
	wr(f, GP_CFG_C(3), 0xffffff00);
	run(f->c, PMU_USER, 1);
	assert_int_equal(pmc(f, 3), BIT(48) - 0x1000);
}

/* A counter that cannot be reloaded can cause a reload. */
TEST_WITH(ARROW_LAKE, 1, 1, "acr=800000201", unreloadable_causes)
{
	wr(f, IA32_FIXED_CTR_CTRL, 0x2000);
	wr(f, PMC_FX(3), BIT(48) - 64);
	count_from(f, 0, -3, 0);
	count_from(f, 9, -6, 0);
	reload(f, 2, BIT(0), -100);
	reload(f, 3, BIT(9), -200);
	reload(f, 4, FX(3), -300);
	wr(f, GLOBAL_CTRL, 0x800000201);
	run(f->c, PMU_USER, 3);
	assert_int_equal(pmc(f, 2), BIT(48) - 100);
	assert_int_equal(pmc(f, 3), 0);
	run(f->c, PMU_USER, 3);
	assert_int_equal(pmc(f, 3), BIT(48) - 200);
	assert_int_equal(pmc(f, 4), 0);
	run(f->c, PMU_USER, 2);
	assert_int_equal(pmc(f, 4), BIT(48) - 300);
	assert_int_equal(rd(f, GLOBAL_STATUS), 0x800000201);
}

/* The reload comes before the freeze. */
TEST_ACR(reload_before_freeze)
{
	wr(f, IA32_DEBUGCTL, BIT(12));
	count_from(f, 2, -5, INT);
	count_from(f, 3, 0, 0);
	reload(f, 3, BIT(2), -60);
	run(f->c, PMU_USER, 20);
	assert_int_equal(pmc(f, 2), 0);
	assert_int_equal(pmc(f, 3), BIT(48) - 60);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(2) | BIT(59));
}

/* The reload value is sign-extended. */
TEST_ACR(reload_sign_extension)
{
	static const struct {
		uint32_t reload;
		uint64_t value;
	} t[] = {
		{ 0, 0 }, { 0x7fffffff, 0x7fffffff }, { 0x80000000, 0xffff80000000 },
		{ 0xffffffff, 0xffffffffffff },
	};
	unsigned int i;

	for (i = 0; i < 4; i++) {
		count_from(f, 2, -1, 0);
		reload(f, 3, BIT(2), t[i].reload);
		run(f->c, PMU_USER, 1);
		assert_int_equal(pmc(f, 3), t[i].value);
		assert_int_equal(rd(f, GP_CFG_C(3)), t[i].reload);
	}
	/* narrower counters use its lower bits */
	restart_with(f, ARROW_LAKE, 1, 1, "acr,width=20,fixed_width=36");
	wr(f, PMC_GP(2), BIT(20) - 1);
	wr(f, PMC_GP_CFG_A(2), INSNS | USR | EN);
	reload(f, 3, BIT(2), 0xfff12345);
	wr(f, FX_CFG_B(1), BIT(2));
	wr(f, FX_CFG_C(1), 0xfff12345);
	run(f->c, PMU_USER, 1);
	assert_int_equal(pmc(f, 3), 0x12345);
	assert_int_equal(pmc(f, 0x40000001), 0xffff12345);
}

/* A primitive that is not bounded. */
TEST_ACR(reload_by_cache_miss)
{
	wr(f, PMC_GP(2), BIT(48) - 2);
	wr(f, PMC_GP_CFG_A(2), LLC_MISS | USR | EN);
	count_from(f, 3, 0, 0);
	reload(f, 3, BIT(2), -8);
	data(f, 0x10000, 4, PMU_READ);
	retire(f, PMU_USER);
	run(f->c, PMU_USER, 3);
	assert_int_equal(pmc(f, 3), 4);
	data(f, 0x20000, 4, PMU_READ);
	retire(f, PMU_USER);
	assert_int_equal(pmc(f, 3), BIT(48) - 8);
	run(f->c, PMU_USER, 1);
	assert_int_equal(pmc(f, 3), BIT(48) - 7);
}

/* Each logical processor of a core reloads its own counters. */
TEST_WITH(ARROW_LAKE, 2, 2, "acr", reload_threads)
{
	struct pmu_cpu *other;

	other = pmu_get_cpu(f->pmu, 1);
	count_from(f, 2, -3, 0);
	count_from(f, 3, 0, 0);
	reload(f, 3, BIT(2), -70);
	wr_on(other, PMC_GP_CFG_A(3), INSNS | USR | EN);
	wr_on(other, GP_CFG_B(3), BIT(2));
	run(other, PMU_USER, 9);
	run(f->c, PMU_USER, 3);
	assert_int_equal(rd(f, PMC_GP(3)), BIT(48) - 70);
	assert_int_equal(rd_on(other, PMC_GP(3)), 9);
}

static void reload_dump(void **state)
{
	char name[] = "/tmp/pmu-dump-XXXXXX", option[64], text[8192];
	struct fake f;
	FILE *file;

	close(mkstemp(name));
	snprintf(option, sizeof(option), "acr,dump=%s", name);
	start_with(&f, ARROW_LAKE, 1, 1, option);
	wr(&f, GP_CFG_B(2), BIT(3));
	wr(&f, FX_CFG_C(1), 0xfedcba98);
	stop(&f);
	file = fopen(name, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	unlink(name);
	assert_non_null(strstr(text, "  IA32_PMC_GP2_CFG_B           0000000000000008\n"));
	assert_non_null(strstr(text, "  IA32_PMC_FX1_CFG_C           00000000fedcba98\n"));
	assert_null(strstr(text, "GP8_CFG"));
}

static void acr_rejected(void **state)
{
	refused(ARROW_LAKE, 1, 1, "acr,version=5", "has no version 6");
	refused(SAPPHIRE_RAPIDS, 1, 1, "acr", "arrow_lake");
	refused(RYZEN, 1, 1, "acr", "acr: this processor has no architectural");
	refused(ARROW_LAKE, 1, 1, "acr=400", "among counters f000003ff");
	refused(ARROW_LAKE, 1, 1, "acr=10,holes=10", "f000003ef");
	refused(ARROW_LAKE, 1, 1, "acr=1000000000", "f000003ff");
	refused(ARROW_LAKE, 1, 1, "acr=0", "bad value");
	refused(ARROW_LAKE, 1, 1, "acr=", "bad value");
	refused(ARROW_LAKE, 1, 1, "acr=4x", "bad value");
	refused(ARROW_LAKE, 1, 1, "acr=10000000000000004", "bad value");
}

#define T(f) cmocka_unit_test(f)

const struct CMUnitTest reload_tests[] = {
	T(leaf_23), T(leaf_23_of_each_core_type), T(reload_registers),
	T(reload_registers_are_distinct), T(cfg_b_bits_match_leaf_23),
	T(reload_on_overflow_step), T(reload_without_access), T(self_reload_overflow_bit),
	T(branch_rate), T(fixed_and_general), T(fixed_counter_reloads_itself),
	T(reload_discards_remainder), T(several_reloads_on_one_step), T(only_overflows_reload),
	T(unreloadable_causes), T(reload_before_freeze), T(reload_sign_extension),
	T(reload_by_cache_miss), T(reload_threads), T(reload_dump), T(acr_rejected),
};
const size_t reload_ntests = N(reload_tests);

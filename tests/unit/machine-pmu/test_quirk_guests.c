// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the quirks of hypervisors: registers that change, fault or read as 0 */
#include "fake.h"

/* ---- mediated ---- */

TEST_WITH(SKYLAKE_X, 2, 1, "mediated=1000", mediated_clears)
{
	static const uint32_t all[] = {
		IA32_PERFEVTSEL0 + 2, IA32_PMC0 + 2, IA32_FIXED_CTR0, IA32_FIXED_CTR_CTRL,
		GLOBAL_CTRL, GLOBAL_STATUS,
	};
	unsigned int i;

	count_on(f, 2, INSNS | USR | OS);
	wr(f, IA32_FIXED_CTR_CTRL, 3);
	wr(f, GLOBAL_CTRL, 4 | BIT(32));
	wr(f, 0x391, BIT(2));
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(2));
	/* the five WRMSR are steps, and select 2's on counts 4 */
	run(f->c, PMU_USER, 993);
	assert_int_equal(rd(f, IA32_PMC0 + 2), 996);
	run(pmu_get_cpu(f->pmu, 1), PMU_USER, 900);
	for (i = 0; i < 5; i++)
		assert_int_not_equal(rd(f, all[i]), 0);
	run(f->c, PMU_USER, 20);
	for (i = 0; i < N(all); i++)
		assert_int_equal(rd(f, all[i]), 0);
	assert_int_equal(rd_on(pmu_get_cpu(f->pmu, 1), GLOBAL_CTRL), 0xf);
	/* and again, with or without a counter */
	wr(f, GLOBAL_CTRL, 1);
	run(f->c, PMU_KERNEL, 1000);
	assert_int_equal(rd(f, GLOBAL_CTRL), 0);
}

/* ---- nordpmc, any0 ---- */

static void nordpmc_faults(void **state)
{
	static const enum fake_model models[] = { SKYLAKE_X, PENTIUM_III, RYZEN, PRESCOTT };
	struct fake f;
	unsigned int i;

	for (i = 0; i < N(models); i++) {
		start(&f, models[i]);
		assert_int_equal(pmu_check_rdpmc(f.c, 0, 0, true, true), PMU_OK);
		stop(&f);
		start_with(&f, models[i], 1, 1, "nordpmc");
		assert_int_equal(pmu_check_rdpmc(f.c, 0, 0, true, true), PMU_GP);
		assert_int_equal(pmu_check_rdpmc(f.c, 1, 3, true, true), PMU_GP);
		stop(&f);
	}
	start_with(&f, SKYLAKE_X, 1, 1, "nordpmc");
	assert_int_equal(pmu_check_rdpmc(f.c, 0x40000000, 0, true, true), PMU_GP);
	wr(&f, GLOBAL_CTRL, 1);
	assert_int_equal(seven_on(&f, 0), 7);
	stop(&f);
	/* a processor without the instruction does not get it */
	start_with(&f, PENTIUM, 1, 1, "nordpmc");
	assert_int_equal(pmu_check_rdpmc(f.c, 0, 0, true, true), PMU_UD);
	stop(&f);
}

static void any0_reads_0(void **state)
{
	static const struct {
		enum fake_model model;
		uint32_t counter, select, missing;
		uint64_t value;
	} t[] = {
		{ SKYLAKE_X, 0xc3, 0x188, 0xc5, INSNS | USR | EN },
		{ PENTIUM_III, 0xc1, 0x186, 0, INSNS | USR | EN },
		{ ATHLON_XP, 0xc0010005, 0xc0010001, 0xc0010201, INSNS | USR | EN },
		{ PENTIUM, 0x12, 0x11, 0, 0x16 | 2 << 6 },
	};
	struct fake f;
	unsigned int i;

	for (i = 0; i < N(t); i++) {
		start_with(&f, t[i].model, 1, 1, "any0");
		wr(&f, t[i].counter, 0x5a5a);
		wr(&f, t[i].select, t[i].value);
		run(f.c, PMU_USER, 7);
		assert_int_equal(rd(&f, t[i].counter), 0);
		assert_int_equal(rd(&f, t[i].select), 0);
		assert_int_not_equal(pmu_check_rdpmc(f.c, 0, 0, true, true), PMU_OK);
		if (t[i].missing)
			rd_gp(&f, t[i].missing);
		stop(&f);
	}
	start_with(&f, SKYLAKE_X, 1, 1, "any0");
	/* RESET sets its bits; reserved and read-only bits do not fault either */
	assert_int_equal(rd(&f, GLOBAL_CTRL), 0);
	wr(&f, GLOBAL_CTRL, BIT(60));
	wr(&f, GLOBAL_STATUS, 1);
	/* what describes the processor is left */
	assert_int_equal(rd(&f, IA32_PERF_CAPABILITIES), 1u << 13);
	assert_int_equal(pmu_wrmsr(f.c, IA32_MISC_ENABLE, 0), PMU_NONE);
	stop(&f);
}

/* ---- migrate ---- */

/* Neither the registers nor RDPMC nor the bits of a counter are left. */
static void assert_gone(struct fake *f, uint32_t counter, uint32_t index, unsigned int bit)
{
	rd_gp(f, counter);
	wr_gp(f, counter, 0);
	assert_int_equal(pmu_check_rdpmc(f->c, index, 0, true, true), PMU_GP);
	wr_gp(f, GLOBAL_CTRL, BIT(bit));
	assert_int_equal(rd(f, GLOBAL_CTRL) >> bit & 1, 0);
	wr_gp(f, GLOBAL_RESET, BIT(bit));
}

TEST_WITH(SKYLAKE_X, 2, 1, "migrate=100:100000008", migrate_loses_counters)
{
	struct pmu_cpu *other;

	other = pmu_get_cpu(f->pmu, 1);
	program_on(other, 0, INSNS | USR | EN);
	program_on(other, 3, INSNS | USR);
	wr(f, GLOBAL_CTRL, 0xf | BIT(32));
	count_on(f, 1, INSNS | USR);
	run(f->c, PMU_USER, 1000);
	run(other, PMU_USER, 1000);
	/* the first use of counter 3 */
	count_on(f, 3, INSNS | USR | OS);
	run(f->c, PMU_USER, 30);
	run(f->c, PMU_KERNEL, 68);
	/* a later one changes nothing; the WRMSR is a step */
	wr(f, IA32_PERFEVTSEL0 + 3, INSNS | USR | OS | EN);
	assert_int_equal(rd(f, IA32_PMC0 + 3), 99);
	run(f->c, PMU_USER, 1);
	assert_gone(f, IA32_PMC0 + 3, 3, 3);
	assert_gone(f, IA32_A_PMC0 + 3, 3, 3);
	assert_gone(f, IA32_FIXED_CTR0, 0x40000000, 32);
	rd_gp(f, IA32_PERFEVTSEL0 + 3);
	wr_gp(f, IA32_FIXED_CTR_CTRL, 2);
	/* the others count on, the other processor's too */
	run(f->c, PMU_USER, 5);
	assert_int_equal(rd(f, IA32_PMC0 + 1), 1036);
	run(other, PMU_USER, 5);
	assert_int_equal(rd_on(other, IA32_PMC0), 1005);
	f->c = other;
	assert_gone(f, IA32_PMC0 + 3, 3, 3);
	wr(f, IA32_FIXED_CTR_CTRL, 0x20);
	/* a reset does not bring them back */
	pmu_reset(f->c, false);
	assert_int_equal(rd(f, GLOBAL_CTRL), 7);
	rd_gp(f, IA32_PMC0 + 3);
}

/* Either counter begins it, on either processor; status bits and metrics go too. */
TEST_WITH(ICE_LAKE, 2, 1, "migrate=50:800000004", migrate_begins)
{
	f->c = pmu_get_cpu(f->pmu, 1);
	wr(f, GLOBAL_SET, BIT(35) | BIT(2) | 1);
	wr(f, IA32_FIXED_CTR_CTRL, 0x2000);
	wr(f, GLOBAL_CTRL, BIT(35) | BIT(48));
	run(f->c, PMU_USER, 49);
	assert_int_equal(rd(f, IA32_FIXED_CTR0 + 3), 49 * 5);
	run(f->c, PMU_USER, 1);
	assert_int_equal(rd(f, GLOBAL_STATUS), 1);
	assert_int_equal(rd(f, GLOBAL_CTRL), 0);
	assert_int_equal(rd(f, IA32_FIXED_CTR_CTRL), 0);
	rd_gp(f, PERF_METRICS);
	wr_gp(f, GLOBAL_RESET, BIT(48));
	f->c = pmu_get_cpu(f->pmu, 0);
	rd_gp(f, IA32_FIXED_CTR0 + 3);
	/* the global registers */
	restart_with(f, SKYLAKE_X, 1, 1, "migrate=10:8000000000000001");
	count_on(f, 0, INSNS | USR);
	run(f->c, PMU_USER, 10);
	rd_gp(f, GLOBAL_CTRL);
	rd_gp(f, IA32_PMC0);
	/* version 1 has no enable bits but those of the selects; no interrupt comes any more */
	restart_with(f, SKYLAKE_X, 1, 1, "version=1,migrate=10:1");
	wr(f, IA32_PMC0, -20);
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	run(f->c, PMU_USER, 50);
	assert_int_equal(f->pmis[0], 0);
	rd_gp(f, IA32_PMC0);
	/* reload registers */
	restart_with(f, ARROW_LAKE, 1, 1, "acr,migrate=10:8");
	wr(f, PMC_GP(2) + 2, 8);
	wr(f, PMC_GP(3) + 2, 4);
	wr(f, GLOBAL_CTRL, 8);
	wr(f, IA32_PERFEVTSEL0 + 3, INSNS | USR | EN);
	run(f->c, PMU_USER, 10);
	rd_gp(f, PMC_GP(3) + 2);
	wr_gp(f, PMC_GP(2) + 2, 8);
	wr(f, PMC_GP(2) + 2, 4);
	/* a reset before it */
	restart_with(f, SKYLAKE_X, 1, 1, "migrate=10:1");
	count_on(f, 0, INSNS | USR);
	pmu_reset(f->c, false);
	run(f->c, PMU_USER, 100);
	assert_int_equal(rd(f, IA32_PMC0), 0);
	/* not in use: never */
	restart_with(f, SKYLAKE_X, 1, 1, "migrate=10:1");
	count_on(f, 1, INSNS | USR);
	run(f->c, PMU_USER, 1000);
	assert_int_equal(rd(f, IA32_PMC0), 0);
}

#define T(f) cmocka_unit_test(f)

const struct CMUnitTest quirk_guest_tests[] = {
	T(mediated_clears), T(nordpmc_faults), T(any0_reads_0),
	T(migrate_loses_counters), T(migrate_begins),
};
const size_t quirk_guest_ntests = N(quirk_guest_tests);

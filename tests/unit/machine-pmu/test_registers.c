// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the architectural registers: which exist, what can be written, what reads back */
#include <string.h>

#include "fake.h"

static const unsigned int ngeneral[] = { 2, 4, 8, 4, 8, 8 };
static const unsigned int nfixed[] = { 3, 3, 3, 3, 4, 4 };
static const unsigned int width[] = { 40, 48, 48, 48, 48, 48 };

TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, reset_values)
{
	unsigned int m = f->model, i;

	assert_int_equal(rd(f, GLOBAL_CTRL), BIT(ngeneral[m]) - 1);
	assert_int_equal(rd(f, GLOBAL_STATUS), 0);
	assert_int_equal(rd(f, IA32_FIXED_CTR_CTRL), 0);
	assert_int_equal(rd(f, IA32_DEBUGCTL), 0);
	for (i = 0; i < ngeneral[m]; i++) {
		assert_int_equal(rd(f, IA32_PMC0 + i), 0);
		assert_int_equal(rd(f, IA32_PERFEVTSEL0 + i), 0);
	}
	for (i = 0; i < nfixed[m]; i++)
		assert_int_equal(rd(f, IA32_FIXED_CTR0 + i), 0);
}

TEST_ON(SKYLAKE_X, reset_and_init)
{
	wr(f, IA32_PERFEVTSEL0, INSNS | OS | EN);
	wr(f, IA32_FIXED_CTR0, 77);
	wr(f, GLOBAL_CTRL, 5);
	pmu_reset(f->c, true);
	assert_int_equal(rd(f, IA32_PERFEVTSEL0), INSNS | OS | EN);
	assert_int_equal(rd(f, IA32_FIXED_CTR0), 77);
	assert_int_equal(rd(f, GLOBAL_CTRL), 5);
	pmu_reset(f->c, false);
	assert_int_equal(rd(f, IA32_PERFEVTSEL0), 0);
	assert_int_equal(rd(f, IA32_PMC0), 0);
	assert_int_equal(rd(f, IA32_FIXED_CTR0), 0);
	assert_int_equal(rd(f, GLOBAL_CTRL), 15);
	assert_int_equal(f->c->want, 0);
}

/* The first missing counter faults, the one before it does not. */
TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, number_of_counters)
{
	unsigned int m = f->model, i;

	rd(f, IA32_PMC0 + ngeneral[m] - 1);
	rd(f, IA32_PERFEVTSEL0 + ngeneral[m] - 1);
	rd(f, IA32_FIXED_CTR0 + nfixed[m] - 1);
	for (i = ngeneral[m]; i < 8; i++) {
		rd_gp(f, IA32_PMC0 + i);
		wr_gp(f, IA32_PMC0 + i, 0);
		rd_gp(f, IA32_PERFEVTSEL0 + i);
		wr_gp(f, IA32_PERFEVTSEL0 + i, 0);
		rd_gp(f, IA32_A_PMC0 + i);
	}
	rd_gp(f, IA32_FIXED_CTR0 + nfixed[m]);
	wr_gp(f, IA32_FIXED_CTR0 + nfixed[m], 0);
	wr_gp(f, IA32_FIXED_CTR_CTRL, 1ull << 4 * nfixed[m]);
}

TEST_ON(LYNNFIELD, msrs_outside_the_pmu)
{
	uint64_t value = 42;

	assert_int_equal(pmu_rdmsr(f->c, 0x10, &value), PMU_NONE);
	assert_int_equal(pmu_wrmsr(f->c, 0xc0000080, 1), PMU_NONE);
	assert_int_equal(pmu_wrmsr(f->c, IA32_PMC0 - 1, 1), PMU_NONE);
	assert_int_equal(pmu_wrmsr(f->c, IA32_PMC0 + 8, 1), PMU_NONE);
	/* the uncore's global control on this part */
	assert_int_equal(pmu_wrmsr(f->c, GLOBAL_SET, 1), PMU_NONE);
	assert_int_equal(value, 42);
}

TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, select_reserved_bits)
{
	unsigned int m = f->model, bit;

	bool any = fake_version(m) == 3 || fake_version(m) == 4;

	for (bit = 32; bit < 64; bit++)
		wr_gp(f, IA32_PERFEVTSEL0, BIT(bit));
	if (any)
		wr(f, IA32_PERFEVTSEL0, ANY);
	else
		wr_gp(f, IA32_PERFEVTSEL0, ANY);
	wr(f, IA32_PERFEVTSEL0, 0xffffffff & ~ANY & ~PC);
	assert_int_equal(rd(f, IA32_PERFEVTSEL0),
			 0xffffffff & ~ANY & ~PC);
}

/* Writeable up to Nehalem, zero since Sandy Bridge. */
TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, pin_control)
{
	unsigned int m = f->model;

	wr(f, IA32_PERFEVTSEL0, PC | OS);
	assert_int_equal(rd(f, IA32_PERFEVTSEL0),
			 m <= LYNNFIELD ? PC | OS : OS);
}

TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, fixed_ctrl_reserved_bits)
{
	unsigned int m = f->model, i;

	bool any = fake_version(m) == 3 || fake_version(m) == 4;

	for (i = 0; i < nfixed[m]; i++) {
		wr(f, IA32_FIXED_CTR_CTRL, 0xbull << 4 * i);
		if (any)
			wr(f, IA32_FIXED_CTR_CTRL, 4ull << 4 * i);
		else
			wr_gp(f, IA32_FIXED_CTR_CTRL, 4ull << 4 * i);
	}
	wr_gp(f, IA32_FIXED_CTR_CTRL, BIT(63));
}

TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, global_ctrl_reserved_bits)
{
	unsigned int m = f->model, bit;

	for (bit = 0; bit < 64; bit++) {
		bool there = bit < 32 ? bit < ngeneral[m] :
					bit - 32 < nfixed[m] ||
					(bit == 48 && has_metrics(m));

		if (!there) {
			wr_gp(f, GLOBAL_CTRL, BIT(bit));
			continue;
		}
		wr(f, GLOBAL_CTRL, BIT(bit));
		assert_int_equal(rd(f, GLOBAL_CTRL), BIT(bit));
	}
}

TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, read_only)
{
	unsigned int m = f->model;

	wr_gp(f, GLOBAL_STATUS, 0);
	wr_gp(f, IA32_PERF_CAPABILITIES, 0);
	if (fake_version(m) >= 4)
		wr_gp(f, GLOBAL_INUSE, 0);
}

TEST_ON(SKYLAKE_X, status_set_and_reset)
{
	wr(f, GLOBAL_SET, BIT(0) | BIT(34) | BIT(58) | BIT(61) | BIT(62));
	assert_int_equal(rd(f, GLOBAL_STATUS),
			 BIT(0) | BIT(34) | BIT(58) | BIT(61) | BIT(62));
	assert_int_equal(f->pmis[0], 0);
	wr(f, GLOBAL_RESET, BIT(0) | BIT(62) | BIT(63));
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(34) | BIT(58) | BIT(61));
	wr_gp(f, GLOBAL_SET, BIT(63));
	wr_gp(f, GLOBAL_SET, BIT(4));
	wr_gp(f, GLOBAL_SET, BIT(35));
	wr_gp(f, GLOBAL_SET, BIT(55));	/* without processor trace */
	wr_gp(f, GLOBAL_RESET, BIT(60)); /* without SGX */
	assert_int_equal(rd(f, GLOBAL_SET), 0);
	assert_int_equal(rd(f, GLOBAL_RESET), 0);
}

TEST_ON(PENRYN, ovf_ctrl_before_version_4)
{
	wr(f, GLOBAL_RESET, BIT(0) | BIT(34) | BIT(62) | BIT(63));
	wr_gp(f, GLOBAL_RESET, BIT(61));
	wr_gp(f, GLOBAL_RESET, BIT(59));
	wr_gp(f, GLOBAL_RESET, BIT(2));
	restart(f, LYNNFIELD);
	wr(f, GLOBAL_RESET, BIT(61));
	wr_gp(f, GLOBAL_RESET, BIT(58));
}

TEST_ON(SKYLAKE_X, inuse)
{
	assert_int_equal(rd(f, GLOBAL_INUSE), 0);
	wr(f, IA32_PERFEVTSEL0 + 1, INSNS);
	assert_int_equal(rd(f, GLOBAL_INUSE), BIT(1));
	wr(f, IA32_PERFEVTSEL0 + 1, 0xff00 | INT);
	assert_int_equal(rd(f, GLOBAL_INUSE), BIT(63));
	wr(f, IA32_PERFEVTSEL0 + 1, 0);
	wr(f, IA32_FIXED_CTR_CTRL, 0x010);
	assert_int_equal(rd(f, GLOBAL_INUSE), BIT(33));
	wr(f, IA32_FIXED_CTR_CTRL, 0x800);
	assert_int_equal(rd(f, GLOBAL_INUSE), BIT(63));
}

TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, legacy_write_extends_the_sign)
{
	unsigned int m = f->model;

	wr(f, IA32_PMC0, 0x80000000);
	assert_int_equal(rd(f, IA32_PMC0),
			 BIT(width[m]) - 0x80000000);
	wr(f, IA32_PMC0, 0xffffffff7fffffff);
	assert_int_equal(rd(f, IA32_PMC0), 0x7fffffff);
}

TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, full_width_write)
{
	unsigned int m = f->model;

	if (m <= LYNNFIELD) {
		assert_int_equal(rd(f, IA32_PERF_CAPABILITIES), 0);
		rd_gp(f, IA32_A_PMC0);
		wr_gp(f, IA32_A_PMC0, 0);
		return;
	}
	assert_int_equal(rd(f, IA32_PERF_CAPABILITIES),
			 BIT(13) | (has_metrics(m) ? BIT(15) : 0));
	wr(f, IA32_A_PMC0 + 1, 0x7fff80000001);
	assert_int_equal(rd(f, IA32_A_PMC0 + 1), 0x7fff80000001);
	assert_int_equal(rd(f, IA32_PMC0 + 1), 0x7fff80000001);
	wr_gp(f, IA32_A_PMC0, BIT(48));
}

TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, fixed_write)
{
	unsigned int m = f->model;

	wr(f, IA32_FIXED_CTR0 + 2, BIT(width[m]) - 1);
	assert_int_equal(rd(f, IA32_FIXED_CTR0 + 2),
			 BIT(width[m]) - 1);
	wr_gp(f, IA32_FIXED_CTR0 + 2, BIT(width[m]));
}

TEST_ON(SANDY_BRIDGE, debugctl)
{
	wr(f, IA32_DEBUGCTL, 0x1800);
	assert_int_equal(rd(f, IA32_DEBUGCTL), 0x1800);
	wr(f, IA32_DEBUGCTL, 0x27c3);
	wr_gp(f, IA32_DEBUGCTL, BIT(2));
	wr_gp(f, IA32_DEBUGCTL, BIT(14));	/* not in CPUID */
	wr_gp(f, IA32_DEBUGCTL, BIT(16));
}

TEST_ON(SANDY_BRIDGE, misc_enable)
{
	uint64_t value = BIT(0) | BIT(18);

	assert_int_equal(pmu_rdmsr(f->c, IA32_MISC_ENABLE, &value), PMU_OK);
	assert_int_equal(value, BIT(0) | BIT(7) | BIT(11) | BIT(12) | BIT(18));
	assert_int_equal(pmu_wrmsr(f->c, IA32_MISC_ENABLE, 0), PMU_NONE);
}

TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, no_pebs)
{
	unsigned int m = f->model;

	rd_gp(f, 0x3f1);
	wr_gp(f, 0x3f1, 1);
	rd_gp(f, 0x600);
	if (!has_metrics(m)) {
		rd_gp(f, PERF_METRICS);
		wr_gp(f, PERF_METRICS, 0);
	}
}

TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, cpuid_matches_registers)
{
	uint32_t regs[4] = { 1, 2, ~0u, ~0u };
	unsigned int m = f->model;

	memset(regs, 0xff, sizeof(regs));
	pmu_cpuid(f->c, 1, 0, regs);
	assert_int_equal(regs[2], ~(1u << 2 | 1u << 4));
	assert_int_equal(regs[3], ~(1u << 21));
	pmu_cpuid(f->c, 0xa, 0, regs);
	assert_int_equal(regs[0] & 0xff, fake_version(m));
	assert_int_equal(regs[0] >> 8 & 0xff, ngeneral[m]);
	assert_int_equal(regs[0] >> 16 & 0xff, width[m]);
	assert_int_equal(regs[3] & 0x1f, nfixed[m]);
	memset(regs, 0xff, sizeof(regs));
	pmu_cpuid(f->c, 4, 0, regs);
	assert_int_equal(regs[0] & regs[1] & regs[2] & regs[3], ~0u);
}

TEST_EACH(PENRYN, SAPPHIRE_RAPIDS, rdpmc_indices)
{
	unsigned int m = f->model, i;

	for (i = 0; i < 20; i++) {
		assert_int_equal(pmu_check_rdpmc(f->c, i, 0, false, true),
				 i < ngeneral[m] ? PMU_OK : PMU_GP);
		assert_int_equal(pmu_check_rdpmc(f->c, 0x40000000 + i, 0,
						 false, true),
				 i < nfixed[m] ? PMU_OK : PMU_GP);
	}
	assert_int_equal(pmu_check_rdpmc(f->c, RDPMC_METRICS, 0, false, true),
			 has_metrics(m) ? PMU_OK : PMU_GP);
	assert_int_equal(pmu_check_rdpmc(f->c, 0xc0000000, 0, false,
					 true), PMU_GP);
	assert_int_equal(pmu_check_rdpmc(f->c, 0x80000000, 0, false,
					 true),
			 m == PENRYN ? PMU_OK : PMU_GP);
}

TEST_ON(PENRYN, rdpmc_values)
{
	wr(f, IA32_PMC0 + 1, 0x80001234);
	wr(f, IA32_FIXED_CTR0 + 1, 0xab12345678);
	assert_int_equal(pmc(f, 1), 0xff80001234);
	assert_int_equal(pmc(f, 0x80000001), 0x80001234);
	assert_int_equal(pmc(f, 0x40000001), 0xab12345678);
}

TEST_ON(ICE_LAKE, rdpmc_privilege)
{
	assert_int_equal(pmu_check_rdpmc(f->c, 0, 3, false, true), PMU_GP);
	assert_int_equal(pmu_check_rdpmc(f->c, 0, 1, false, true), PMU_GP);
	assert_int_equal(pmu_check_rdpmc(f->c, 0, 3, true, true), PMU_OK);
	assert_int_equal(pmu_check_rdpmc(f->c, 0, 0, false, true), PMU_OK);
	assert_int_equal(pmu_check_rdpmc(f->c, 0, 3, false, false), PMU_OK);
}

/* Models with properties that CPUID does not report. */
TEST_EACH(ATOM, TIGER_LAKE, parts_by_model)
{
	static const bool full_width[] = { false, false, true, true, true, true, true };
	uint64_t metrics;
	unsigned int m = f->model;

	assert_non_null(strstr(pmu_name(f->pmu), fake_name(m)));
	metrics = m == TIGER_LAKE ? BIT(15) : 0;
	assert_int_equal(rd(f, IA32_PERF_CAPABILITIES),
			 (full_width[m - ATOM] ? BIT(13) : 0) | metrics);
	wr(f, IA32_PERFEVTSEL0, PC | OS);
	assert_int_equal(rd(f, IA32_PERFEVTSEL0), full_width[m - ATOM] ? OS : PC | OS);
}

/* Three fixed counters, of which leaf 0AH enumerates one. */
TEST_ON(ATOM, atom_fixed_counters)
{
	uint32_t regs[4] = { 0 };

	pmu_cpuid(f->c, 0xa, 0, regs);
	assert_int_equal(regs[3], 0x2501);
	wr(f, IA32_FIXED_CTR_CTRL, 0xfff);
	wr(f, IA32_FIXED_CTR0 + 2, BIT(40) - 1);
	wr_gp(f, IA32_FIXED_CTR0 + 2, BIT(40));
	rd_gp(f, IA32_FIXED_CTR0 + 3);
	wr(f, GLOBAL_CTRL, 0x700000003);
	wr_gp(f, GLOBAL_CTRL, BIT(2));
	wr_gp(f, GLOBAL_CTRL, BIT(35));
	assert_int_equal(pmc(f, 0x40000002), BIT(40) - 1);
	run(f->c, PMU_USER, 1);
	assert_int_equal(rd(f, GLOBAL_STATUS), BIT(34));
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(pmu_check_rdpmc(f->c, 0x80000000, 0, false, true), PMU_GP);
}

#define T(f) cmocka_unit_test(f)

const struct CMUnitTest register_tests[] = {
	T(reset_values), T(reset_and_init), T(number_of_counters), T(msrs_outside_the_pmu),
	T(select_reserved_bits), T(pin_control), T(fixed_ctrl_reserved_bits),
	T(global_ctrl_reserved_bits), T(read_only), T(status_set_and_reset),
	T(ovf_ctrl_before_version_4), T(inuse), T(legacy_write_extends_the_sign),
	T(full_width_write), T(fixed_write), T(debugctl), T(misc_enable), T(no_pebs),
	T(cpuid_matches_registers), T(rdpmc_indices), T(rdpmc_values), T(rdpmc_privilege),
	T(parts_by_model), T(atom_fixed_counters),
};
const size_t register_ntests = N(register_tests);

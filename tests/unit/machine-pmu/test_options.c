// SPDX-License-Identifier: GPL-2.0-only
/* Tests of PMCDRV_PMU and of an absent PMU */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"

static void bad_options(void **state)
{
	static const char *const bad[] = {
		"bogus", "width", "width=", "width=x", "width=15", "width=57",
		"width=32x", "none=1", "version=0", "version=6", "version=7", "late=0", "late=1001",
		"dump=",
		"holes=4", "holes", "holes=", "holes=0", "holes=g", "holes=1ffffffff", "hybrid",
		"hybrid=1", "faulting", "faulting=", "faulting=0", "faulting=g",
		"faulting=100", "faulting=1000000000", "faulting=4000000000000000",
		"deaf=1", "none,bogus=1", ",", "width=-32", "width= 32",
		"trace=/nonexistent/file", "dump=/nonexistent/file",
	};
	struct fake f;
	unsigned int i;

	for (i = 0; i < N(bad); i++) {
		assert_null(try(&f, ICE_LAKE, 1, 1, bad[i]));
		assert_int_equal(strncmp(f.error, "PMCDRV_PMU: ", 12), 0);
	}
	refused(ICE_LAKE, 1, 1, "width=32,bogus=1", "unknown key: 'bogus=1'");
	refused(LYNNFIELD, 1, 1, "version=4", "has version 3");
	refused(PENTIUM_III, 1, 1, "faulting=1", "faulting: this processor has no architectural");
	refused(CORE_DUO, 1, 1, "faulting=8000000000000000",
		"faulting=8000000000000000: choose among the counters in CPUID, 3");
}

TEST_WITH(SKYLAKE_X, 1, 1, "width=32,fixed_width=36", widths)
{
	uint32_t regs[4] = { 0 };

	pmu_cpuid(f->c, 0xa, 0, regs);
	assert_int_equal(regs[0], 0x07200404);
	assert_int_equal(regs[3], 3 | 36 << 5);
	wr(f, IA32_PMC0, 0xfffffffe);
	assert_int_equal(rd(f, IA32_PMC0), 0xfffffffe);
	wr_gp(f, IA32_A_PMC0, BIT(32));
	wr_gp(f, IA32_FIXED_CTR0, BIT(36));
}

static void versions(void **state)
{
	static const unsigned int nfixed[] = { 0, 0, 3, 3, 3, 4 };
	uint32_t regs[4];
	char option[16];
	struct fake f;
	unsigned int v;

	for (v = 1; v <= 5; v++) {
		snprintf(option, sizeof(option), "version=%u", v);
		start_with(&f, ICE_LAKE, 1, 1, option);
		pmu_cpuid(f.c, 0xa, 0, regs);
		assert_int_equal(regs[0] & 0xff, v);
		assert_int_equal(regs[0] >> 24, v < 5 ? 7 : 8);
		assert_int_equal(regs[2], v < 5 ? 0 : 15);
		assert_int_equal(regs[3] & 0x1f, nfixed[v]);
		assert_int_equal(regs[3] >> 15, v < 5 ? 0 : 1);
		assert_int_equal(pmu_check_rdmsr(f.c, GLOBAL_CTRL),
				 v < 2 ? PMU_GP : PMU_OK);
		assert_int_equal(pmu_check_rdmsr(f.c, GLOBAL_INUSE),
				 v < 4 ? PMU_NONE : PMU_OK);
		assert_int_equal(pmu_wrmsr(f.c, IA32_PERFEVTSEL0, ANY),
				 v == 3 || v == 4 ? PMU_OK : PMU_GP);
		stop(&f);
	}
}

TEST_WITH(SKYLAKE_X, 1, 1, "none", none)
{
	uint32_t regs[4] = { ~0u, ~0u, ~0u, ~0u };
	uint64_t value = 0;

	pmu_cpuid(f->c, 0xa, 0, regs);
	assert_int_equal(regs[0] | regs[1] | regs[2] | regs[3], 0);
	memset(regs, 0xff, sizeof(regs));
	pmu_cpuid(f->c, 1, 0, regs);
	assert_int_equal(regs[2], ~(1u << 2 | 1u << 4 | 1u << 15));
	rd_gp(f, IA32_PMC0);
	rd_gp(f, GLOBAL_CTRL);
	rd_gp(f, IA32_PERF_CAPABILITIES);
	assert_int_equal(pmu_wrmsr(f->c, IA32_PERFEVTSEL0, 0), PMU_GP);
	assert_int_equal(pmu_check_rdpmc(f->c, 0, 0, true, true), PMU_GP);
	assert_int_equal(pmu_rdmsr(f->c, IA32_MISC_ENABLE, &value), PMU_OK);
	assert_int_equal(value, BIT(11) | BIT(12));
}

/* Every address of a counter and of its enable bits faults. */
static void assert_faults(struct fake *f, unsigned int general, unsigned int fixed)
{
	rd_gp(f, IA32_PMC0 + general);
	rd_gp(f, IA32_A_PMC0 + general);
	rd_gp(f, IA32_PERFEVTSEL0 + general);
	rd_gp(f, IA32_FIXED_CTR0 + fixed);
	wr_gp(f, IA32_PMC0 + general, 0);
	wr_gp(f, IA32_A_PMC0 + general, 0);
	wr_gp(f, IA32_PERFEVTSEL0 + general, 0);
	wr_gp(f, IA32_FIXED_CTR0 + fixed, 0);
	wr_gp(f, IA32_FIXED_CTR_CTRL, 2ull << 4 * fixed);
	wr_gp(f, GLOBAL_CTRL, BIT(general));
	wr_gp(f, GLOBAL_CTRL, BIT(32 + fixed));
	wr_gp(f, GLOBAL_RESET, BIT(general));
	wr_gp(f, GLOBAL_RESET, BIT(32 + fixed));
	assert_int_equal(pmu_check_rdpmc(f->c, general, 0, true, true), PMU_GP);
	assert_int_equal(pmu_check_rdpmc(f->c, BIT(30) | fixed, 0, true, true), PMU_GP);
}

/* faulting= before version 6: leaf 0AH enumerates all counters, the remaining ones count. */
TEST_WITH(SKYLAKE_X, 2, 1, "faulting=0x50000000A", faulting_counters)
{
	uint32_t regs[4];

	pmu_cpuid(f->c, 0xa, 0, regs);
	assert_int_equal(regs[0], 0x07300404);
	assert_int_equal(regs[3], 0x603);
	assert_faults(f, 1, 0);
	assert_faults(f, 3, 2);
	f->c = pmu_get_cpu(f->pmu, 1);
	assert_faults(f, 3, 2);
	assert_int_equal(rd(f, GLOBAL_CTRL), 5);
	wr(f, GLOBAL_CTRL, 5 | BIT(33));
	wr(f, IA32_FIXED_CTR_CTRL, 2 << 4);
	wr(f, GLOBAL_RESET, 5 | BIT(33));
	count_on(f, 0, INSNS | USR);
	count_on(f, 2, INSNS | USR);
	run(f->c, PMU_USER, 7);
	assert_int_equal(pmc(f, 0), 7);
	assert_int_equal(pmc(f, 2), 7);
	assert_int_equal(pmc(f, BIT(30) | 1), 7);
}

/* faulting= in version 6: leaf 23H enumerates all counters; both addresses fault. */
TEST_WITH(ARROW_LAKE, 1, 1, "acr,faulting=100000204", faulting_counters_version_6)
{
	uint32_t regs[4] = { 0 };

	pmu_cpuid(f->c, 0x23, 1, regs);
	assert_int_equal(regs[0], 0x3ff);
	assert_int_equal(regs[1], 0xf);
	assert_faults(f, 2, 0);
	assert_faults(f, 9, 0);
	rd_gp(f, PMC_GP(2));
	rd_gp(f, PMC_GP_CFG_A(2));
	rd_gp(f, PMC_GP(2) + 2);
	rd_gp(f, PMC_GP(9));
	rd_gp(f, PMC_GP_CFG_A(9));
	rd_gp(f, PMC_FX(0));
	rd_gp(f, PMC_FX(0) + 2);
	rd(f, PMC_GP(3) + 2);
	rd(f, PMC_FX(1) + 2);
	assert_int_equal(rd(f, GLOBAL_CTRL), 0x1fb);
}

/* Only the MSRs that control all counters fault; or all registers do. */
TEST_WITH(SKYLAKE_X, 1, 1, "faulting=8000000000000000", faulting_control_registers)
{
	unsigned int i;

	for (i = IA32_FIXED_CTR_CTRL; i <= GLOBAL_INUSE; i++)
		rd_gp(f, i);
	wr_gp(f, GLOBAL_CTRL, 0);
	wr_gp(f, GLOBAL_SET, 0);
	assert_int_equal(rd(f, IA32_PMC0), 0);
	assert_int_equal(rd(f, IA32_PERFEVTSEL0 + 3), 0);
	assert_int_equal(rd(f, IA32_FIXED_CTR0), 0);
	restart_with(f, SKYLAKE_X, 1, 1, "faulting=70000000f");
	for (i = 0; i < 4; i++)
		assert_faults(f, i, i);
	assert_int_equal(rd(f, GLOBAL_CTRL), 0);
}

#define AMD_SELECT(six, i)	((six) ? 0xc0010200 + 2 * (i) : 0xc0010000 + (i))
#define AMD_COUNTER(six, i)	((six) ? 0xc0010201 + 2 * (i) : 0xc0010004 + (i))
#define AMD_GLOBAL		0xc0000300	/* status, control, clear, set */

static void assert_amd_lost(struct fake *f, bool six, unsigned int i)
{
	rd_gp(f, AMD_SELECT(six, i));
	wr_gp(f, AMD_SELECT(six, i), 0);
	rd_gp(f, AMD_COUNTER(six, i));
	wr_gp(f, AMD_COUNTER(six, i), 0);
	assert_int_equal(pmu_check_rdpmc(f->c, i, 0, true, true), PMU_GP);
}

/* The counters in the mask are lost, at both of their addresses; the others count. */
static void assert_amd_lacks(struct fake *f, bool six, unsigned int missing)
{
	unsigned int i;

	for (i = 0; i < (six ? 6 : 4); i++) {
		if (missing >> i & 1) {
			assert_amd_lost(f, six, i);
			if (i < 4)
				assert_amd_lost(f, false, i);
			continue;
		}
		wr(f, AMD_COUNTER(six, i), i);
		wr(f, AMD_SELECT(six, i), INSNS | USR | EN);
		run(f->c, PMU_USER, 7);
		assert_int_equal(rd(f, AMD_COUNTER(six, i)), i + 7);
		assert_int_equal(pmc(f, i), i + 7);
		wr(f, AMD_SELECT(six, i), 0);
	}
}

/* faulting= on AMD: with K7's registers, with the core extension, and with PerfMonV2. */
TEST_WITH(ATHLON_XP, 2, 1, "faulting=6", faulting_counters_amd)
{
	uint32_t regs[4] = { 0 };

	assert_amd_lacks(f, false, 6);
	f->c = pmu_get_cpu(f->pmu, 1);
	assert_amd_lacks(f, false, 6);
	restart_with(f, ZAMBEZI, 1, 1, "faulting=29");
	assert_amd_lacks(f, true, 0x29);
	/* the north bridge's remain */
	wr(f, 0xc0010241, 5);
	assert_int_equal(pmc(f, 6), 5);
	assert_int_equal(pmu_check_rdpmc(f->c, 10, 0, true, true), PMU_GP);
	restart_with(f, RYZEN, 1, 1, "perfmon_v2,faulting=29");
	pmu_cpuid(f->c, 0x80000022, 0, regs);
	assert_int_equal(regs[1] & 0xf, 6);
	assert_int_equal(rd(f, AMD_GLOBAL + 1), 0x16);
	assert_amd_lacks(f, true, 0x29);
	wr(f, AMD_GLOBAL + 1, ~0ull);
	assert_int_equal(rd(f, AMD_GLOBAL + 1), 0x16);
	wr(f, AMD_GLOBAL + 3, ~0ull);
	assert_int_equal(rd(f, AMD_GLOBAL), 0x16 | BIT(59));
	restart_with(f, ATHLON_64, 1, 1, "faulting=f");
	assert_amd_lacks(f, false, 0xf);
}

/* Only PerfMonV2's registers fault: the counters are enabled as RESET leaves them. */
static void faulting_global_registers_amd(void **state)
{
	static const char *const bad[] = { "faulting=10", "faulting=8000000000000000",
					   "perfmon_v2,faulting=100000000" };
	struct fake f;
	unsigned int i;

	start_with(&f, RYZEN, 1, 1, "perfmon_v2,faulting=8000000000000001");
	for (i = 0; i < 4; i++) {
		rd_gp(&f, AMD_GLOBAL + i);
		wr_gp(&f, AMD_GLOBAL + i, 0);
	}
	assert_int_equal(rd(&f, IA32_DEBUGCTL), 0);
	assert_amd_lacks(&f, true, 1);
	stop(&f);
	for (i = 0; i < N(bad); i++)
		refused(i < 2 ? ATHLON_64 : RYZEN, 1, 1, bad[i],
			"choose among the counters in CPUID");
	refused(RYZEN, 1, 1, "faulting=8000000000000000", "choose among the counters in CPUID, 3f");
	refused(RYZEN, 1, 1, "perfmon_v2,faulting=40",
		"choose among the counters in CPUID, 800000000000003f");
}

/* Every register reads its value at RESET, whatever is written. */
static void writes_ignored(void **state)
{
	static const struct {
		enum fake_model model;
		uint32_t select, counter, rdpmc;
		uint64_t value;
	} t[] = {
		{ SKYLAKE_X, IA32_PERFEVTSEL0, IA32_PMC0, 0, INSNS | USR | EN },
		{ ARROW_LAKE, PMC_GP_CFG_A(9), PMC_GP(9), 9, INSNS | USR | EN },
		{ CORE_DUO, IA32_PERFEVTSEL0 + 1, IA32_PMC0 + 1, 1, INSNS | USR | EN },
		{ PENTIUM_III, IA32_PERFEVTSEL0, IA32_PMC0, 0, INSNS | USR | EN },
		{ PENTIUM_MMX, 0x11, 0x12, 0, 0x96 },
		{ PRESCOTT, 0x360, 0x300, 0, 0x1000 },
		{ ATHLON_64, 0xc0010000, 0xc0010004, 0, INSNS | USR | EN },
		{ RYZEN, 0xc0010200, 0xc0010201, 0, INSNS | USR | EN },
	};
	struct fake f;
	unsigned int i;

	for (i = 0; i < N(t); i++) {
		uint64_t select;

		start_with(&f, t[i].model, 1, 1, "deaf");
		select = rd(&f, t[i].select);
		wr(&f, t[i].counter, 0x5a5a);
		wr(&f, t[i].select, t[i].value);
		run(f.c, PMU_USER, 7);
		assert_int_equal(rd(&f, t[i].select), select);
		assert_int_equal(rd(&f, t[i].counter), 0);
		assert_int_equal(pmc(&f, t[i].rdpmc), 0);
		stop(&f);
	}
	start_with(&f, SKYLAKE_X, 1, 1, "deaf");
	wr(&f, GLOBAL_CTRL, BIT(32));
	assert_int_equal(rd(&f, GLOBAL_CTRL), 0xf);
	wr_gp(&f, GLOBAL_CTRL, BIT(4));
	stop(&f);
}

/* A processor that is not modelled is left to the emulator. */
TEST_ON(NO_PERFMON, not_modelled)
{
	assert_int_equal(pmu_check_rdmsr(f->c, IA32_PMC0), PMU_NONE);
	assert_int_equal(pmu_check_rdmsr(f->c, IA32_MISC_ENABLE), PMU_NONE);
	assert_int_equal(pmu_wrmsr(f->c, IA32_PERFEVTSEL0, ~0ull), PMU_NONE);
	assert_int_equal(pmu_check_rdpmc(f->c, 0, 0, true, true), PMU_NONE);
	assert_string_equal(pmu_name(f->pmu), "no performance counters");
}

static void read_back(const char *name, char *text, size_t size)
{
	FILE *file = fopen(name, "r");

	assert_non_null(file);
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
}

static void dump_and_trace(void **state)
{
	char dump[] = "/tmp/pmu-dump-XXXXXX", trace[] = "/tmp/pmu-trace-XXXXXX";
	char option[128], text[8192];
	struct fake f;

	close(mkstemp(dump));
	close(mkstemp(trace));
	snprintf(option, sizeof(option), "dump=%s,trace=%s", dump, trace);
	start_with(&f, SKYLAKE_X, 2, 1, option);
	wr(&f, IA32_PMC0, -2);
	wr(&f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	run(f.c, PMU_USER, 5);
	pmc(&f, 0);
	rd(&f, GLOBAL_STATUS);
	pmu_wrmsr(f.c, GLOBAL_CTRL, ~0ull);
	assert_int_equal(f.late, 0);
	stop(&f);
	read_back(dump, text, sizeof(text));
	assert_non_null(strstr(text, "cpu 0:\n  IA32_PERFEVTSEL0             "
			       "00000000005100c0\n  IA32_PMC0"
			       "                    0000000000000003\n"));
	assert_non_null(strstr(text, "cpu 1:\n"));
	read_back(trace, text, sizeof(text));
	assert_string_equal(text,
			    "cpu 0: wrmsr c1 = fffffffffffffffe\n"
			    "cpu 0: wrmsr 186 = 5100c0\n"
			    "cpu 0: pmi\n"
			    "cpu 0: rdpmc 0 = 3\n"
			    "cpu 0: rdmsr 38e = 1\n"
			    "cpu 0: wrmsr 38f = ffffffffffffffff #GP\n");
	unlink(dump);
	unlink(trace);
}

/* An interrupt with skid. */
TEST_WITH(SKYLAKE_X, 1, 1, "late=37", late_interrupts)
{
	wr(f, IA32_PMC0, -2);
	wr(f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	run(f->c, PMU_USER, 2);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(f->late, 37);
}

#define T(f) cmocka_unit_test(f)

const struct CMUnitTest option_tests[] = {
	T(bad_options), T(widths), T(versions), T(none), T(faulting_counters),
	T(faulting_counters_version_6), T(faulting_control_registers),
	T(faulting_counters_amd), T(faulting_global_registers_amd), T(writes_ignored),
	T(not_modelled), T(dump_and_trace), T(late_interrupts),
};
const size_t option_ntests = N(option_tests);

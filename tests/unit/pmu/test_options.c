// SPDX-License-Identifier: GPL-2.0-only
/* PMCDRV_PMU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"

static void refused(void **state)
{
	static const char *const bad[] = {
		"bogus", "width", "width=", "width=x", "width=15", "width=57",
		"width=32x", "none=1", "version=0", "version=6", "version=7", "late=0", "late=1001",
		"dump=",
		"holes=4", "holes", "holes=", "holes=0", "holes=g", "holes=1ffffffff", "hybrid",
		"hybrid=1", "none,bogus=1", ",", "width=-32", "width= 32",
		"trace=/nonexistent/file", "dump=/nonexistent/file",
	};
	struct fake f;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_null(try(&f, ICE_LAKE, 1, 1, bad[i]));
		assert_int_equal(strncmp(f.error, "PMCDRV_PMU: ", 12), 0);
	}
	try(&f, ICE_LAKE, 1, 1, "width=32,bogus=1");
	assert_non_null(strstr(f.error, "unknown key: 'bogus=1'"));
	assert_null(try(&f, LYNNFIELD, 1, 1, "version=4"));
	assert_non_null(strstr(f.error, "has version 3"));
}

static void widths(void **state)
{
	uint32_t regs[4] = { 0 };
	struct fake f;

	(void)state;
	start_with(&f, SKYLAKE_X, 1, 1, "width=32,fixed_width=36");
	pmu_cpuid(f.c, 0xa, 0, regs);
	assert_int_equal(regs[0], 0x07200404);
	assert_int_equal(regs[3], 3 | 36 << 5);
	wr(&f, IA32_PMC0, 0xfffffffe);
	assert_int_equal(rd(&f, IA32_PMC0), 0xfffffffe);
	wr_gp(&f, IA32_A_PMC0, BIT(32));
	wr_gp(&f, IA32_FIXED_CTR0, BIT(36));
	stop(&f);
}

static void versions(void **state)
{
	static const unsigned int nfixed[] = { 0, 0, 3, 3, 3, 4 };
	uint32_t regs[4];
	char option[16];
	struct fake f;
	unsigned int v;

	(void)state;
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

static void none(void **state)
{
	uint32_t regs[4] = { ~0u, ~0u, ~0u, ~0u };
	struct fake f;
	uint64_t value = 0;

	(void)state;
	start_with(&f, SKYLAKE_X, 1, 1, "none");
	pmu_cpuid(f.c, 0xa, 0, regs);
	assert_int_equal(regs[0] | regs[1] | regs[2] | regs[3], 0);
	memset(regs, 0xff, sizeof(regs));
	pmu_cpuid(f.c, 1, 0, regs);
	assert_int_equal(regs[2], ~(1u << 2 | 1u << 4 | 1u << 15));
	rd_gp(&f, IA32_PMC0);
	rd_gp(&f, GLOBAL_CTRL);
	rd_gp(&f, IA32_PERF_CAPABILITIES);
	assert_int_equal(pmu_wrmsr(f.c, IA32_PERFEVTSEL0, 0), PMU_GP);
	assert_int_equal(pmu_check_rdpmc(f.c, 0, 0, true, true), PMU_GP);
	assert_int_equal(pmu_rdmsr(f.c, IA32_MISC_ENABLE, &value), PMU_OK);
	assert_int_equal(value, BIT(11) | BIT(12));
	stop(&f);
}

/* A processor that is not modelled is left as the machine has it. */
static void not_modelled(void **state)
{
	struct fake f;

	(void)state;
	start(&f, NO_PERFMON);
	assert_int_equal(pmu_check_rdmsr(f.c, IA32_PMC0), PMU_NONE);
	assert_int_equal(pmu_check_rdmsr(f.c, IA32_MISC_ENABLE), PMU_NONE);
	assert_int_equal(pmu_wrmsr(f.c, IA32_PERFEVTSEL0, ~0ull), PMU_NONE);
	assert_int_equal(pmu_check_rdpmc(f.c, 0, 0, true, true), PMU_NONE);
	assert_string_equal(pmu_name(f.pmu), "no performance counters");
	stop(&f);
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

	(void)state;
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

/* An interrupt that comes later than its overflow. */
static void late_interrupts(void **state)
{
	struct fake f;

	(void)state;
	start_with(&f, SKYLAKE_X, 1, 1, "late=37");
	wr(&f, IA32_PMC0, -2);
	wr(&f, IA32_PERFEVTSEL0, INSNS | USR | INT | EN);
	run(f.c, PMU_USER, 2);
	assert_int_equal(f.pmis[0], 1);
	assert_int_equal(f.late, 37);
	stop(&f);
}

#define T(f) cmocka_unit_test(f)

const struct CMUnitTest option_tests[] = {
	T(refused), T(widths), T(versions), T(none), T(not_modelled),
	T(dump_and_trace),
	T(late_interrupts),
};
const size_t option_ntests = sizeof(option_tests) / sizeof(*option_tests);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of amd.c: hypervisors without some of the registers, or without RDPMC
 *
 * Addresses are those of the AMD64 Architecture Programmer's Manual, Volume 2, appendix A; CPUID
 * is that of Volume 3, appendix E.
 */
#include "amd_registers.h"
#include "program.h"

#include "families/ignored_writes.h"

#define CORE_EXTENSION	(1U << 23)	/* CPUID.80000001H:ECX */
#define GLOBAL_ENABLED	0x3f

static struct {
	u32 features_ecx;
	u32 counters;		/* of PerfMonV2, 0 without it */
	bool guest;
	u64 faulting;		/* RDPMC */
	u64 tried;
} cpu;

static struct {
	u64 value[0x1000];	/* by the low 12 bits of the address, which differ */
	u32 missing;		/* an address without a register, 0 for none */
	bool four;		/* nor counters 4 and 5 */
} registers;

static struct pmc_pmu pmu;

void cpuid(u32 leaf, u32 subleaf, u32 result[4])
{
	assert_int_equal(0, subleaf);
	memset(result, 0, 4 * sizeof(*result));
	if (leaf == 0x80000000) {
		result[0] = cpu.counters ? 0x80000022 : 0x80000001;
	} else if (leaf == 0x80000001) {
		result[2] = cpu.features_ecx;
	} else {
		assert_int_equal(0x80000022, leaf);
		result[0] = 1;
		result[1] = cpu.counters;
	}
}

u64 *msr(u32 address)
{
	bool exists = address == DEBUG_CTL ||
		      (cpu.counters && address >= GLOBAL_STATUS && address <= GLOBAL_CLEAR) ||
		      (address >= SELECT(0) && address < CTR(4)) ||
		      (cpu.features_ecx & CORE_EXTENSION && address >= PERF_CTL(0) &&
		       address < PERF_CTL(6));

	if (!exists)
		fail_msg("register %#x", address);
	if (address == registers.missing || (registers.four && address >= PERF_CTL(4)))
		return NULL;
	return &registers.value[address & 0xfff];
}

bool pmc_rdpmc_faults(u32 counter)
{
	cpu.tried |= 1ULL << counter;
	return cpu.faulting >> counter & 1;
}

bool pmc_registers_can_be_lost(void)
{
	return cpu.guest;
}

/* The counter that is tried with a value */
static u32 written;

bool pmc_counter_ignores_writes(const struct pmc_pmu *state, u32 counter, u32 address,
				void (*write)(const struct pmc_pmu *pmu, u32 counter, u64 value))
{
	written = counter;
	return false;
}

static bool recognise(void)
{
	pmu = (struct pmc_pmu){ .description.query = {
		.vendor = "AuthenticAMD", .cpu_family = 0x17,
	} };
	return pmc_family_amd.recognise(&pmu.description);
}

static void has(u64 counters)
{
	assert_true(recognise());
	assert_int_equal(PMC_STATUS_OK, pmu.description.query.status);
	assert_int_equal(counters, pmu.description.query.general_counters);
}

/* A counter without its select or its own register is not offered. */
static void missing_counters(u32 select, u32 counter, u32 step, u32 counters)
{
	const u64 all = (1ULL << counters) - 1;
	u32 i;

	has(all);
	for (i = 0; i < counters; i++) {
		registers.missing = select + step * i;
		has(all & ~(1ULL << i));
		registers.missing = counter + step * i;
		has(all & ~(1ULL << i));
		pmc_family_amd.save(&pmu);
		assert_false(pmu.writes_ignored);
		assert_int_equal(i ? 0 : 1, written);
	}
	registers.missing = 0;
}

static void missing_registers(void **state)
{
	static const u32 global[] = { GLOBAL_STATUS, GLOBAL_CTL };
	u32 i;

	missing_counters(SELECT(0), CTR(0), 1, 4);
	cpu.features_ecx = CORE_EXTENSION;
	missing_counters(PERF_CTL(0), PERF_CTR(0), 2, 6);
	/* without counters 4 and 5 the others have their older addresses */
	registers.four = true;
	registers.missing = SELECT(1);
	has(0xd);
	registers.missing = PERF_CTL(1);
	has(0xf);
	registers.four = false;
	registers.missing = 0;
	cpu.counters = 6;
	missing_counters(PERF_CTL(0), PERF_CTR(0), 2, 6);
	for (i = 0; i < ARRAY_SIZE(global); i++) {
		registers.missing = global[i];
		assert_false(recognise());
		assert_int_equal(PMC_STATUS_NO_PERFMON, pmu.description.query.status);
		assert_int_equal(0, pmu.description.query.general_counters);
	}
}

/* A register that takes no writes, in a virtual machine: each is tried when they are saved. */
static void missing_later(void **state)
{
	static const u32 tried[] = { PERF_CTL(0), PERF_CTL(5), PERF_CTR(0), PERF_CTR(5),
				     GLOBAL_CLEAR };
	u32 i;

	cpu.features_ecx = CORE_EXTENSION;
	cpu.counters = 6;
	cpu.guest = true;
	registers.value[GLOBAL_CTL & 0xfff] = GLOBAL_ENABLED;
	for (i = 0; i < ARRAY_SIZE(tried); i++) {
		has(0x3f);
		pmu.description.family->save(&pmu);
		assert_false(pmu.writes_ignored);
		registers.missing = tried[i];
		pmu.description.family->save(&pmu);
		assert_true(pmu.writes_ignored);
		registers.missing = 0;
	}
}

/* Operations with RDMSR if one counter's RDPMC faults */
static void without_rdpmc(void **state)
{
	const struct pmc_counter_setup setup = { .counter_msr = PERF_CTR(2) };
	u32 i;

	cpu.features_ecx = CORE_EXTENSION;
	cpu.faulting = ~0x3fULL;
	has(0x3f);
	assert_int_equal(0x3f, cpu.tried);
	assert_int_equal(0, pmu.description.query.quirks);
	assert_true(pmu.description.query.features & PMC_FEATURE(RDPMC));
	assert_null(pmu.description.family);
	registers.value[PERF_CTR(2) & 0xfff] = 7;
	for (i = 0; i < 6; i++) {
		cpu.faulting = 1ULL << i;
		has(0x3f);
		assert_int_equal(PMC_QUIRK(NO_RDPMC), pmu.description.query.quirks);
		assert_false(pmu.description.query.features & PMC_FEATURE(RDPMC));
		assert_int_equal(7, pmu.description.family->read_one(&setup));
	}
}

static void lose(struct pmc_pmu *which, const struct pmc_program *lost)
{
	assert_ptr_equal(&pmu, which);
	assert_ptr_equal(program, lost);
	program->number = PMC_PROGRAM_ENDED;
}

/* A program with a register that changed while it counted is not enabled again. */
static void lost_while_stopped(void **state)
{
	u64 *select = &registers.value[PERF_CTL(1) & 0xfff];

	cpu.features_ecx = CORE_EXTENSION;
	cpu.guest = true;
	has(0x3f);
	pmu.lose = lose;
	program->number = 5;
	pmu.description.family->load(&pmu, program);
	pmu.description.family->enable(&pmu, program);
	assert_int_equal(0xc0 | ENABLE, *select);
	pmu.description.family->disable(&pmu, program);
	assert_int_equal(0xc0, *select);
	assert_int_equal(5, program->number);
	pmu.description.family->enable(&pmu, program);
	assert_int_equal(0xc0 | ENABLE, *select);
	*select = 0;
	pmu.description.family->disable(&pmu, program);
	assert_int_equal(PMC_PROGRAM_ENDED, program->number);
	pmu.description.family->enable(&pmu, program);
	assert_int_equal(0xc0, *select);
	assert_int_equal(0xc0, pmu.select[1]);
}

/* The program counts in a virtual machine. */
static void count_in_guest(void)
{
	cpu.features_ecx = CORE_EXTENSION;
	cpu.guest = true;
	has(0x3f);
	program->number = 5;
	pmu.description.family->enable(&pmu, program);
}

/* Registers can be lost between a stop and a start: the start has to read the counters. */
static void lost_before_start(void **state)
{
	count_in_guest();
	pmu.last = (const void *)&pmu;
	pmu.description.family->disable(&pmu, program);
	assert_null(pmu.last);
}

/* An NMI stops a counter and starts it again only if its select is as it was written. */
static void lost_before_nmi(void **state)
{
	static const u64 left[] = { 0, 0xc0, 0xc1 | ENABLE };
	u64 *select = &registers.value[PERF_CTL(1) & 0xfff];
	u32 i;

	count_in_guest();
	/* the bits for guests and hosts are not kept */
	*select |= 3ULL << 40;
	pmu.description.family->pause(&pmu, program);
	assert_int_equal(0xc0, *select);
	pmu.description.family->resume(&pmu, program);
	assert_int_equal(0xc0 | ENABLE, *select);
	for (i = 0; i < ARRAY_SIZE(left); i++) {
		*select = left[i];
		pmu.description.family->pause(&pmu, program);
		assert_int_equal(left[i], *select);
		pmu.description.family->resume(&pmu, program);
		assert_int_equal(left[i], *select);
		assert_false(pmu.description.family->verify(&pmu, program));
	}
	/* between the two writes of a stop */
	*select = 0xc0 | ENABLE;
	pmu.select[1] = 0xc0;
	pmu.description.family->pause(&pmu, program);
	assert_int_equal(0xc0, *select);
	pmu.description.family->resume(&pmu, program);
	assert_int_equal(0xc0, *select);
	registers.missing = PERF_CTL(1);
	pmu.description.family->pause(&pmu, program);
	pmu.description.family->resume(&pmu, program);
}

/* The global control of a program that has lost it stays as it is when another one is loaded. */
static void lost_global_control(void **state)
{
	u64 *control = &registers.value[GLOBAL_CTL & 0xfff];

	cpu.features_ecx = CORE_EXTENSION;
	cpu.counters = 6;
	cpu.guest = true;
	has(0x3f);
	pmu.global_ctrl = 1ULL << 3;
	pmu.description.family->load(&pmu, program);
	assert_int_equal(1ULL << 1, *control);
	assert_int_equal(1ULL << 1 | 1ULL << 3, pmu.global_ctrl);
}

static int allocate(void **state)
{
	alloc_program(1);
	program->general = 1ULL << 1;
	program->nr = 1;
	program->setup[0] = (struct pmc_counter_setup){ .extra = PERF_CTL(1), .index = 1,
							.select = 0xc0 };
	return 0;
}

static int setup(void **state)
{
	memset(&cpu, 0, sizeof(cpu));
	memset(&registers, 0, sizeof(registers));
	return 0;
}

#define TEST(name)	cmocka_unit_test_setup(name, setup)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(missing_registers), TEST(missing_later), TEST(without_rdpmc),
		TEST(lost_while_stopped), TEST(lost_before_start), TEST(lost_before_nmi),
		TEST(lost_global_control),
	};

	return cmocka_run_group_tests(tests, allocate, free_program);
}

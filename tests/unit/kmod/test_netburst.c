// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of netburst.c: the logical processors of a core, hypervisors without RDPMC, and registers
 * that other software writes
 *
 * Addresses, bits and events are those of SDM Volume 3B, chapter "Performance Monitoring", and
 * Volume 4, "MSRs in the Pentium 4 and Intel Xeon Processors".
 */
#include "unit.h"

#include <linux/errno.h>
#include <linux/kernel.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>

#include "compat/compat.h"
#include "compat/topology.h"
#include "families/netburst.h"

#define IA32_MISC_ENABLE	0x1a0
#define PERFMON_AVAILABLE	(1ULL << 7)

#define MSR_BPU_COUNTER0	0x300
#define MSR_BPU_CCCR0		0x360
#define MSR_IQ_CCCR0		0x36c	/* of counter 12 */
#define MSR_IQ_CCCR1		0x36d	/* of counter 13 */
#define MSR_IQ_CCCR2		0x36e	/* of counter 14 */
#define MSR_BSU_ESCR0		0x3a0
#define MSR_IFSB_BUSQ0		0x107cc	/* of counter 18; RDPMC's numbers 18 to 25 */
#define MSR_CRU_ESCR0		0x3b8
#define MSR_CRU_ESCR1		0x3b9
#define MSR_CRU_ESCR2		0x3cc

/* Counter configuration control register */
#define CCCR_ENABLE		(1U << 12)
#define CCCR_SELECT(n)		((n) << 13)
#define CCCR_ACTIVE_ANY		(3U << 16)
#define CCCR_OVF_PMI_T0		(1U << 26)
#define CCCR_OVF_PMI_T1		(1U << 27)
#define CCCR_CASCADE		(1U << 30)
#define CCCR_OVF		(1U << 31)

/* Event selection control register */
#define ESCR_T1_USR		(1U << 0)
#define ESCR_T0_USR		(1U << 2)
#define ESCR_EVENT(event, mask)	((u32)(event) << 25 | (mask) << 9)

/* instr_retired: CRU_ESCR0, 1, CCCR select 4; branch_retired: CRU_ESCR2, 3, CCCR select 5 */
#define INSTR_RETIRED		ESCR_EVENT(0x02, 0x1)
#define BRANCH_RETIRED		ESCR_EVENT(0x06, 0xc)

#define SELECT(escr, cccr)	((u64)(escr) << 32 | (cccr))

static struct {
	u64 misc_enable;
	u64 other[0x100];	/* from 300H on */
	u64 l3[8];
	u32 missing;		/* an address without a register, 0 for none */
} registers;

static struct {
	u32 logical;		/* logical processors of the package, by CPUID */
	u32 cores;
	u32 apic_id;
	bool other_present;	/* another APIC ID differs in bit 0 alone */
	bool l3;		/* a cache of level 3, and its counters */
	struct cpumask online;	/* those of the core */
} cpu;

/* RDPMC's numbers: those that fault, and those that were tried */
static struct {
	u64 faulting;
	u64 tried;
} rdpmc;

static struct pmc_pmu pmu;

static struct {
	struct pmc_program program;
	struct pmc_counter_setup setup[4];
} compiled;

u64 *msr(u32 address)
{
	if (address == registers.missing)
		return NULL;
	if (address == IA32_MISC_ENABLE)
		return &registers.misc_enable;
	if (cpu.l3 && address >= MSR_IFSB_BUSQ0 && address < MSR_IFSB_BUSQ0 + 8)
		return &registers.l3[address - MSR_IFSB_BUSQ0];
	if (address < 0x300 || address > 0x3ff)
		fail_msg("register %#x", address);
	return &registers.other[address - 0x300];
}

void cpuid(u32 leaf, u32 subleaf, u32 result[4])
{
	memset(result, 0, 4 * sizeof(*result));
	switch (leaf) {
	case 0:
		result[0] = cpu.cores || cpu.l3 ? 4 : 2;
		break;
	case 1:
		result[1] = cpu.apic_id << 24 | cpu.logical << 16;
		result[3] = cpu.logical > 1 ? 1U << 28 : 0;
		break;
	case 4:
		assert_int_equal(0, subleaf);
		result[0] = cpu.l3 ? 3 << 5 | 1 : (cpu.cores - 1) << 26;
		break;
	default:
		fail_msg("CPUID %#x", leaf);
	}
}

bool pmc_apic_id_present(u32 id)
{
	return id == cpu.apic_id || (cpu.other_present && id == (cpu.apic_id ^ 1));
}

const struct cpumask *topology_sibling_cpumask(int number)
{
	assert_int_equal(0, number);
	return &cpu.online;
}

bool pmc_rdpmc_faults(u32 counter)
{
	rdpmc.tried |= 1ULL << counter;
	return rdpmc.faulting >> counter & 1;
}

static bool recognise(void)
{
	pmu = (struct pmc_pmu){ .description.query = {
		.vendor = "GenuineIntel", .cpu_family = 15, .cpu_model = cpu.l3 ? 4 : 2,
	} };
	return pmc_family_netburst.recognise(&pmu.description);
}

static void is_refused(u32 status)
{
	assert_false(recognise());
	assert_int_equal(status, pmu.description.query.status);
	assert_int_equal(PMC_FAMILY_NONE, pmu.description.query.family);
	assert_int_equal(0, pmu.description.query.general_counters);
}

static void is_accepted(u64 counters)
{
	assert_true(recognise());
	assert_int_equal(PMC_STATUS_OK, pmu.description.query.status);
	assert_int_equal(PMC_FAMILY_NETBURST, pmu.description.query.family);
	assert_int_equal(counters, pmu.description.query.general_counters);
}

/* Counters 0 to 17, in groups of two pairs; 16 belongs to the pair of 12 and 13, 17 to the other */
#define ALL_COUNTERS	0x3ffff

static u64 first_pairs(void)
{
	u64 counters = 1U << 16;
	u32 i;

	for (i = 0; i < 16; i += 4)
		counters |= 3ULL << i;
	return counters;
}

/*
 * The manual describes two logical processors of a core, with APIC IDs that differ in bit 0. More
 * siblings, or siblings with other APIC IDs, would share counters.
 */
static void siblings(void **state)
{
	static const struct {
		u32 logical;
		bool other_present;
		u32 online;
		u32 status;
	} cores[] = {
		{ 1, false, 0x1, PMC_STATUS_OK },
		{ 1, false, 0x3, PMC_STATUS_SHARED },
		{ 2, false, 0x1, PMC_STATUS_OK },
		{ 2, false, 0x3, PMC_STATUS_SHARED },
		{ 2, true, 0x1, PMC_STATUS_OK },
		{ 2, true, 0x3, PMC_STATUS_OK },
		{ 2, true, 0x7, PMC_STATUS_SHARED },
		{ 4, true, 0x1, PMC_STATUS_OK },
		{ 4, true, 0x3, PMC_STATUS_SHARED },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cores); i++) {
		const bool half = cores[i].logical == 2 && cores[i].other_present;

		cpu = (typeof(cpu)){ .logical = cores[i].logical,
				     .other_present = cores[i].other_present,
				     .online = { cores[i].online } };
		if (cores[i].status == PMC_STATUS_OK)
			is_accepted(half ? first_pairs() : ALL_COUNTERS);
		else
			is_refused(cores[i].status);
	}
}

/* Two cores with two logical processors each: CPUID leaf 1 has their number in the package. */
static void two_cores(void **state)
{
	cpu = (typeof(cpu)){ .logical = 4, .cores = 2, .other_present = true, .online = { 0x3 } };
	is_accepted(first_pairs());
	cpu.online.bits = 0x7;
	is_refused(PMC_STATUS_SHARED);
	cpu.logical = 2;
	is_refused(PMC_STATUS_SHARED);
	cpu.online.bits = 0x1;
	is_accepted(ALL_COUNTERS);
}

static void missing_registers(void **state)
{
	static const u32 addresses[] = { MSR_BPU_CCCR0, MSR_BPU_COUNTER0, MSR_BSU_ESCR0 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		registers.missing = addresses[i];
		is_refused(PMC_STATUS_NO_PERFMON);
	}
	/* without the register, or where reading it faults: not disabled */
	registers.missing = IA32_MISC_ENABLE;
	registers.misc_enable = 0;
	is_accepted(ALL_COUNTERS);
	registers.missing = 0;
	is_refused(PMC_STATUS_FIRMWARE_OFF);
	registers.misc_enable = ~PERFMON_AVAILABLE;
	is_refused(PMC_STATUS_FIRMWARE_OFF);
	registers.misc_enable = PERFMON_AVAILABLE;
	is_accepted(ALL_COUNTERS);
}

/* Hypervisors leave the bit of the firmware clear: only the registers count. */
static void under_a_hypervisor(void **state)
{
	cpu_has_hypervisor = true;
	registers.misc_enable = 0;
	is_accepted(ALL_COUNTERS);
	registers.missing = MSR_BPU_CCCR0;
	is_refused(PMC_STATUS_NO_PERFMON);
	cpu_has_hypervisor = false;
	registers.missing = 0;
	is_refused(PMC_STATUS_FIRMWARE_OFF);
}

/* A hypervisor without RDPMC, for one counter or for all: RDMSR reads this CPU's counters. */
static void rdpmc_faults(u64 tried)
{
	const u64 features = PMC_FEATURE(RDPMC) | PMC_FEATURE(RDPMC_FAST);
	const struct pmc_query *query = &pmu.description.query;
	u32 i;

	rdpmc.faulting = ~tried;
	rdpmc.tried = 0;
	assert_true(recognise());
	assert_int_equal(tried, rdpmc.tried);
	assert_int_equal(0, query->quirks);
	assert_int_equal(features, query->features & features);
	assert_null(pmu.description.family);
	for (i = 0; i < 64; i++) {
		if (!(tried >> i & 1))
			continue;
		rdpmc.faulting = 1ULL << i;
		assert_true(recognise());
		assert_int_equal(PMC_QUIRK(NO_RDPMC), query->quirks);
		assert_int_equal(0, query->features & features);
		assert_non_null(pmu.description.family);
	}
	rdpmc.faulting = 0;
}

static void reads(u64 expected, u32 counter, u64 mask)
{
	const struct pmc_counter_setup setup = { .index = counter, .mask = mask };

	assert_int_equal(expected, pmu.description.family->read_one(&setup));
}

static void without_rdpmc(void **state)
{
	const u64 mask = (1ULL << 40) - 1;

	rdpmc_faults(ALL_COUNTERS);
	*msr(MSR_BPU_COUNTER0) = ~5ULL;
	*msr(MSR_BPU_COUNTER0 + 17) = 7;
	reads(mask - 5, 0, mask);
	reads(7, 17, mask);
	/* the second logical processor has the other pairs */
	cpu = (typeof(cpu)){ .logical = 2, .apic_id = 1, .other_present = true,
			     .online = { 0x3 } };
	rdpmc_faults(ALL_COUNTERS & ~first_pairs());
	reads(7, 16, mask);
	/* and the second register of each event of the L3; the high half is the event */
	cpu.l3 = true;
	rdpmc_faults((ALL_COUNTERS & ~first_pairs()) | 0xa80000);
	registers.l3[1] = 9 | 1ULL << 52;
	reads(9, 18, 0xffffffff);
}

static void add(u32 counter, u64 select, u64 period)
{
	const struct pmc_counter_config config = {
		.counter = counter,
		.flags = PMC_COUNT_USER,
		.event_select = select,
		.period = period,
	};
	const struct pmc_query *query = &pmu.description.query;
	u64 refused;

	assert_int_equal(0, pmc_family_netburst.check(query, &config, &refused));
	assert_int_equal(0, pmc_family_netburst.compile(query, &config, &compiled.program));
}

static bool verify(void)
{
	return pmc_family_netburst.verify(&pmu, &compiled.program);
}

static void start(void)
{
	pmc_family_netburst.save(&pmu);
	pmc_family_netburst.load(&pmu, &compiled.program);
	pmc_family_netburst.enable(&pmu, &compiled.program);
	assert_true(verify());
}

/* Each bit that changes is another software's, but those that the hardware sets itself */
static void changes(u32 address, u32 written, u32 hardware)
{
	u64 *value = msr(address);
	u32 bit;

	assert_int_equal(written, *value);
	for (bit = 0; bit < 32; bit++) {
		*value = written ^ 1U << bit;
		if (verify() != !!(hardware & 1U << bit))
			fail_msg("register %#x, bit %u", address, bit);
	}
	*value = written ^ hardware;
	assert_true(verify());
	*value = written;
	assert_true(verify());
}

/* A register of no counter of the program */
static void is_ignored(u32 address)
{
	u64 *value = msr(address);

	*value ^= 0xffffffff;
	assert_true(verify());
	*value ^= 0xffffffff;
}

/* The counter wraps on its own: the hardware sets OVF. */
static void rewritten(void **state)
{
	const u32 cccr = CCCR_ENABLE | CCCR_ACTIVE_ANY;

	assert_true(recognise());
	add(12, SELECT(INSTR_RETIRED, CCCR_SELECT(4)), 1000);
	add(13, SELECT(BRANCH_RETIRED, CCCR_SELECT(5)), 0);
	start();
	changes(MSR_IQ_CCCR0, cccr | CCCR_SELECT(4) | CCCR_OVF_PMI_T0, CCCR_OVF);
	changes(MSR_CRU_ESCR0, INSTR_RETIRED | ESCR_T0_USR, 0);
	changes(MSR_IQ_CCCR1, cccr | CCCR_SELECT(5), CCCR_OVF);
	changes(MSR_CRU_ESCR2, BRANCH_RETIRED | ESCR_T0_USR, 0);
	is_ignored(MSR_IQ_CCCR2);
	is_ignored(MSR_CRU_ESCR1);
}

/* The overflow of counter 14 starts counter 12: the hardware sets its enable bit. */
static void rewritten_cascaded(void **state)
{
	assert_true(recognise());
	add(12, SELECT(INSTR_RETIRED, CCCR_SELECT(4) | CCCR_CASCADE), 0);
	start();
	changes(MSR_IQ_CCCR0, CCCR_CASCADE | CCCR_ACTIVE_ANY | CCCR_SELECT(4),
		CCCR_OVF | CCCR_ENABLE);
	changes(MSR_CRU_ESCR0, INSTR_RETIRED | ESCR_T0_USR, 0);
}

/* The second logical processor has the other pair's registers and the bits of T1. */
static void rewritten_second(void **state)
{
	cpu = (typeof(cpu)){ .logical = 2, .apic_id = 5, .other_present = true,
			     .online = { 0x3 } };
	assert_true(recognise());
	add(12, SELECT(INSTR_RETIRED, CCCR_SELECT(4)), 1000);
	start();
	changes(MSR_IQ_CCCR2, CCCR_ENABLE | CCCR_ACTIVE_ANY | CCCR_SELECT(4) | CCCR_OVF_PMI_T1,
		CCCR_OVF);
	changes(MSR_CRU_ESCR1, INSTR_RETIRED | ESCR_T1_USR, 0);
	is_ignored(MSR_IQ_CCCR0);
	is_ignored(MSR_CRU_ESCR0);
}

/* Where the APIC ID does not distinguish two logical processors, each has the bits of T0. */
static void rewritten_odd_id(void **state)
{
	static const u32 logical[] = { 1, 4 };
	u32 i;

	cpu.apic_id = 5;
	for (i = 0; i < ARRAY_SIZE(logical); i++) {
		cpu.logical = logical[i];
		memset(&compiled, 0, sizeof(compiled));
		assert_true(recognise());
		add(12, SELECT(INSTR_RETIRED, CCCR_SELECT(4)), 1000);
		start();
		changes(MSR_IQ_CCCR0, CCCR_ENABLE | CCCR_ACTIVE_ANY | CCCR_SELECT(4) |
			CCCR_OVF_PMI_T0, CCCR_OVF);
		changes(MSR_CRU_ESCR0, INSTR_RETIRED | ESCR_T0_USR, 0);
	}
}

static int setup(void **state)
{
	cpu = (typeof(cpu)){ .logical = 1, .online = { 0x1 } };
	cpu_has_hypervisor = false;
	memset(&registers, 0, sizeof(registers));
	memset(&rdpmc, 0, sizeof(rdpmc));
	registers.misc_enable = PERFMON_AVAILABLE;
	memset(&compiled, 0, sizeof(compiled));
	return 0;
}

#define TEST(name)	cmocka_unit_test_setup(name, setup)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(siblings), TEST(two_cores), TEST(missing_registers),
		TEST(under_a_hypervisor), TEST(without_rdpmc), TEST(rewritten),
		TEST(rewritten_cascaded), TEST(rewritten_second), TEST(rewritten_odd_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

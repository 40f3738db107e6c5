// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of netburst_l3.c: the processors with its counters, by CPUID leaf 4, and registers that
 * other software writes
 *
 * Addresses and bits are those of SDM Volume 4, "MSRs Unique to Intel Xeon Processor MP with L3
 * Cache", and of Volume 3B, chapter "Performance Monitoring".
 */
#include "unit.h"

#include <linux/kernel.h>
#include <asm/processor.h>

#include "compat/compat.h"
#include "families/netburst.h"

/* Leaf 4, EAX: the level in bits 7:5, the type in 4:0 */
#define CACHE(level)	((level) << 5 | 3)

#define MSR_IFSB_BUSQ0	0x107cc	/* of counter 18 */
#define MSR_IFSB_BUSQ1	0x107cd
#define MSR_IFSB_CTL6	0x107d2	/* starts and stops counter 25 */
#define MSR_IFSB_CNTR7	0x107d3
#define CTL6_ENABLE	(1ULL << 26)

struct netburst_share netburst_shares;

static struct {
	u32 highest_leaf;
	u32 caches[8];		/* EAX of its sub-leaves; the last one repeats */
	unsigned int reads;	/* of leaf 4 */
	bool has_registers;
	u64 registers[8];	/* from MSR_IFSB_BUSQ0 on */
} cpu;

void cpuid(u32 leaf, u32 subleaf, u32 registers[4])
{
	const u32 eax = leaf ? cpu.caches[min(subleaf, 7U)] : cpu.highest_leaf;

	memcpy(registers, (const u32[4]){ eax }, 4 * sizeof(*registers));
	cpu.reads += leaf == 4;
	/* otherwise a loop without an end would hang the test */
	assert_true(cpu.reads <= 8);
}

u64 *msr(u32 address)
{
	assert_in_range(address, MSR_IFSB_BUSQ0, MSR_IFSB_CNTR7);
	return cpu.has_registers ? &cpu.registers[address - MSR_IFSB_BUSQ0] : NULL;
}

static bool exists(unsigned int model)
{
	const struct pmc_query query = { .cpu_family = 15, .cpu_model = model };

	cpu.reads = 0;
	return netburst_l3_exists(&query);
}

/* A cache of level 3, and the registers: models 3 and 4 only */
static void with_l3(void **state)
{
	cpu = (typeof(cpu)){ 4, { CACHE(1), CACHE(2), CACHE(3) }, 0, true, { 0 } };
	assert_false(exists(2));
	assert_true(exists(3));
	assert_true(exists(4));
	assert_int_equal(3, cpu.reads);
	assert_false(exists(6));
	cpu.has_registers = false;
	assert_false(exists(4));
	cpu.has_registers = true;
	cpu.highest_leaf = 3;
	assert_false(exists(4));
	assert_int_equal(0, cpu.reads);
}

static void without_l3(void **state)
{
	cpu = (typeof(cpu)){ 5, { CACHE(1), CACHE(2), 0, CACHE(3) }, 0, true, { 0 } };
	assert_false(exists(4));
	assert_int_equal(3, cpu.reads);
}

/* The eighth sub-leaf is the last one that is read. */
static void endless_leaf_4(void **state)
{
	cpu = (typeof(cpu)){ 4, { [0 ... 7] = CACHE(2) }, 0, true, { 0 } };
	assert_false(exists(4));
	assert_int_equal(8, cpu.reads);
	cpu.caches[7] = CACHE(3);
	assert_true(exists(4));
}

/* Starts a counter and gives its setup. */
static struct pmc_counter_setup started(u32 counter, u64 select)
{
	static struct pmc_pmu pmu;
	const struct pmc_counter_config config = {
		.counter = counter,
		.flags = PMC_COUNT_USER | PMC_COUNT_KERNEL,
		.event_select = select,
	};
	struct pmc_counter_setup setup = { .index = counter };

	netburst_l3_compile(&config, &setup);
	netburst_l3_start(&pmu, &setup);
	assert_true(netburst_l3_verify(&setup));
	return setup;
}

/* The count is in the same register: only the event in its high half matters. */
static void rewritten_event(void **state)
{
	const u64 event = 0x0500000ULL << 32;
	u64 *busq = &cpu.registers[0];
	struct pmc_counter_setup setup;
	u32 bit;

	cpu = (typeof(cpu)){ .has_registers = true, .registers = { 0x12345678 } };
	setup = started(18, event);
	assert_int_equal(event | 0x12345678, *busq);
	for (bit = 0; bit < 64; bit++) {
		*busq ^= 1ULL << bit;
		assert_int_equal(bit < 32, netburst_l3_verify(&setup));
		*busq ^= 1ULL << bit;
	}
	/* the second logical processor has the other register of the event */
	netburst_shares = (struct netburst_share){ .half = true, .second = true };
	setup = started(18, event);
	*busq = 0;
	assert_true(netburst_l3_verify(&setup));
	cpu.registers[MSR_IFSB_BUSQ1 - MSR_IFSB_BUSQ0] = 0;
	assert_false(netburst_l3_verify(&setup));
	netburst_shares = (struct netburst_share){ 0 };
}

/* Counter 25 has a control register and no event. */
static void rewritten_control(void **state)
{
	u64 *control = &cpu.registers[MSR_IFSB_CTL6 - MSR_IFSB_BUSQ0];
	struct pmc_counter_setup setup;
	u32 bit;

	cpu = (typeof(cpu)){ .has_registers = true };
	setup = started(25, 0);
	assert_int_equal(CTL6_ENABLE, *control);
	cpu.registers[MSR_IFSB_CNTR7 - MSR_IFSB_BUSQ0] = ~0ULL;
	assert_true(netburst_l3_verify(&setup));
	for (bit = 0; bit < 64; bit++) {
		*control ^= 1ULL << bit;
		assert_false(netburst_l3_verify(&setup));
		*control ^= 1ULL << bit;
	}
}

/* A count has 32 bits. The event beside it stays, and counter 25 has none. */
static void written(void **state)
{
	const u64 event = 0x0500000ULL << 32;
	struct pmc_counter_setup setup;

	cpu = (typeof(cpu)){ .has_registers = true };
	setup = started(18, event);
	netburst_l3_write(&setup, 0xab12345678);
	assert_int_equal(event | 0x12345678, cpu.registers[0]);
	setup = started(25, 0);
	netburst_l3_write(&setup, 0xab00000001);
	assert_int_equal(1, cpu.registers[MSR_IFSB_CNTR7 - MSR_IFSB_BUSQ0]);
	assert_int_equal(CTL6_ENABLE, cpu.registers[MSR_IFSB_CTL6 - MSR_IFSB_BUSQ0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_l3),
		cmocka_unit_test(without_l3),
		cmocka_unit_test(endless_leaf_4),
		cmocka_unit_test(rewritten_event),
		cmocka_unit_test(rewritten_control),
		cmocka_unit_test(written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

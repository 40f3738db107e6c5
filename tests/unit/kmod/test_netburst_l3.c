// SPDX-License-Identifier: GPL-2.0-only
/* Tests of netburst_l3.c: the processors with its counters, by CPUID leaf 4 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <linux/kernel.h>
#include <asm/processor.h>

#include "compat/compat.h"
#include "families/netburst.h"

/* Leaf 4, EAX: the level in bits 7:5, the type in 4:0 */
#define CACHE(level)	((level) << 5 | 3)

#define FIRST_REGISTER	0x107cc

struct netburst_share netburst_shares;

static struct {
	u32 highest_leaf;
	u32 caches[8];		/* EAX of its sub-leaves; the last one repeats */
	unsigned int reads;	/* of leaf 4 */
	bool has_registers;
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
	static u64 value;

	assert_int_equal(FIRST_REGISTER, address);
	return cpu.has_registers ? &value : NULL;
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
	(void)state;
	cpu = (typeof(cpu)){ 4, { CACHE(1), CACHE(2), CACHE(3) }, 0, true };
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
	(void)state;
	cpu = (typeof(cpu)){ 5, { CACHE(1), CACHE(2), 0, CACHE(3) }, 0, true };
	assert_false(exists(4));
	assert_int_equal(3, cpu.reads);
}

/* The eighth sub-leaf is the last one that is read. */
static void endless_leaf_4(void **state)
{
	(void)state;
	cpu = (typeof(cpu)){ 4, { [0 ... 7] = CACHE(2) }, 0, true };
	assert_false(exists(4));
	assert_int_equal(8, cpu.reads);
	cpu.caches[7] = CACHE(3);
	assert_true(exists(4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_l3),
		cmocka_unit_test(without_l3),
		cmocka_unit_test(endless_leaf_4),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

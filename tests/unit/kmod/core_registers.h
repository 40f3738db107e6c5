/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers of a processor of family core, in unit tests
 *
 * A register that the test has not given faults. Each access is recorded, whether it reads or
 * writes. Addresses in the tests are those of Intel's Volume 4, table 2-2.
 */
#ifndef TEST_CORE_REGISTERS_H
#define TEST_CORE_REGISTERS_H

#include <string.h>

#include <linux/kernel.h>
#include <asm/processor.h>

#include "compat/compat.h"

static struct core_register {
	u32 address;
	u64 value;
	u32 accesses;
	u32 faults;	/* bit n: access n faults */
	u32 of;		/* another address of that register; or 0 */
} core_registers[256];

static u32 nr_core_registers, nr_accessed, accessed[256];

/* What each access has left in its register */
static u64 left[256];

/* The accesses to registers that the processor lacks */
static u32 nr_missing;

static struct core_register *core_register(u32 address)
{
	u32 i;

	for (i = 0; i < nr_core_registers; i++) {
		if (core_registers[i].address == address)
			return &core_registers[i];
	}
	return NULL;
}

static u64 *core_value(struct core_register *which)
{
	return which->of ? &core_register(which->of)->value : &which->value;
}

static void record_value(void)
{
	struct core_register *last = nr_accessed ? core_register(accessed[nr_accessed - 1]) : NULL;

	if (last)
		left[nr_accessed - 1] = *core_value(last);
}

/* An access, or another step, with a number that is no address */
static void record(u32 what)
{
	record_value();
	if (nr_accessed < ARRAY_SIZE(accessed))
		accessed[nr_accessed++] = what;
}

u64 *msr(u32 address)
{
	struct core_register *found = core_register(address);

	record(address);
	if (!found || found->faults >> found->accesses++ & 1) {
		nr_missing++;
		return NULL;
	}
	return core_value(found);
}

static inline void give_register(u32 address, u64 value)
{
	struct core_register *found = core_register(address);

	if (!found)
		found = &core_registers[nr_core_registers++];
	*found = (struct core_register){ .address = address, .value = value };
}

/* IA32_A_PMCx is another address of IA32_PMCx. */
static inline void give_address(u32 address, u32 of)
{
	give_register(address, 0);
	core_register(address)->of = of;
}

/* The register faults from now on. */
static inline void take_register(u32 address)
{
	core_register(address)->address = 0;
}

static inline u64 register_value(u32 address)
{
	return core_register(address)->value;
}

static inline void no_accesses_yet(void)
{
	u32 i;

	for (i = 0; i < nr_core_registers; i++)
		core_registers[i].accesses = 0;
	nr_accessed = 0;
	nr_missing = 0;
}

static inline void no_registers_yet(void)
{
	nr_core_registers = 0;
	no_accesses_yet();
}

/* Each register that the test has given was accessed once, and no other. */
static inline void assert_each_accessed_once(void)
{
	u32 i;

	for (i = 0; i < nr_core_registers; i++) {
		if (core_registers[i].address && core_registers[i].accesses != 1)
			fail_msg("register %#x: %u accesses", core_registers[i].address,
				 core_registers[i].accesses);
	}
	assert_int_equal(0, nr_missing);
	no_accesses_yet();
}

static inline void assert_accesses(u32 nr, const u32 *addresses)
{
	u32 i;

	for (i = 0; i < nr && i < nr_accessed; i++) {
		if (accessed[i] != addresses[i])
			fail_msg("access %u: register %#x, not %#x", i, accessed[i], addresses[i]);
	}
	assert_int_equal(nr, nr_accessed);
	no_accesses_yet();
}

/* These registers were accessed, in this order; without arguments: none */
#define assert_accessed(...)						\
	assert_accesses(sizeof((u32[]){ 0, ##__VA_ARGS__ }) / sizeof(u32) - 1,	\
			(u32[]){ 0, ##__VA_ARGS__ } + 1)

/* The same with what each of them has left: address, value... */
static inline void assert_values(u32 nr, const u64 (*steps)[2])
{
	u32 i;

	record_value();
	for (i = 0; i < nr && i < nr_accessed; i++) {
		if (accessed[i] != steps[i][0] || left[i] != steps[i][1])
			fail_msg("access %u: register %#x has %#llx", i, accessed[i],
				 (unsigned long long)left[i]);
	}
	assert_int_equal(nr, nr_accessed);
	memset(left, 0, sizeof(left));
	no_accesses_yet();
}

struct apic *apic;
struct cpuinfo_x86 boot_cpu_data;

#endif /* TEST_CORE_REGISTERS_H */
